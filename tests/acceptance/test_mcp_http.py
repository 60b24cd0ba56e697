"""Streamable HTTP: who is let in, and the same answers as on standard input, by the SDK's client.

One server for all tests of a kind: importing the SDK takes seconds.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from memstone.errors import MemstoneError
from memstone.surfaces.mcp.guard import Hosts, is_loopback
from memstone.surfaces.mcp.token import token_in
from tests.acceptance.cli import NOBODY, environment, process
from tests.acceptance.mcpkit import ENVELOPE, ERAS, HELLO, SECONDS, Website, asked, website

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator
    from pathlib import Path

    from mcp import Client

T = TypeVar("T")
CAT = "猫叫咪咪，今年三岁"
INITIALIZE = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}
JSON = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of the module's server; not there before it starts."""
    return tmp_path_factory.mktemp("http") / "记忆"


@pytest.fixture(scope="module")
def site(shop: Path) -> Iterator[Website]:
    """A server with a token, as `memstone mcp --http` starts it."""
    with website(shop) as running:
        yield running


def status(
    site: Website,
    headers: dict[str, str] | None = None,
    *,
    method: str = "POST",
    path: str = "/mcp",
    body: bytes | None = None,
) -> int:
    """The status of one request; an empty header is left out."""
    connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=SECONDS)
    data = json.dumps(INITIALIZE).encode() if body is None else body
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    given = JSON | {"Host": f"127.0.0.1:{site.port}"} | (headers or {})
    for name, value in given.items():
        if value:
            connection.putheader(name, value)
    connection.putheader("Content-Length", str(len(data)))
    connection.endheaders(data)
    response = connection.getresponse()
    response.read()
    connection.close()
    return response.status


def bearer(site: Website) -> dict[str, str]:
    return {"Authorization": f"Bearer {site.token}"}


def visited(site: Website, talk: Callable[[Client], Awaitable[T]], mode: str = "auto") -> T:
    """What `talk` makes of the SDK's client on the server."""
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared._httpx_utils import create_mcp_http_client

    async def run() -> T:
        async with create_mcp_http_client(headers=bearer(site)) as carrier:
            transport = streamable_http_client(site.url, http_client=carrier)
            async with Client(transport, mode=mode, read_timeout_seconds=SECONDS) as client:
                return await talk(client)

    return asyncio.run(run())


# --- who is let in


def test_case_65_without_the_token_everything_is_401(site: Website) -> None:
    assert status(site) == 401
    for value in (
        "Bearer wrong",
        "Bearer",
        f"Basic {site.token}",
        site.token,
        f"Bearer {site.token}x",
        f"Bearer {site.token[:-1]}",
        "Bearer 猫".encode().decode("latin-1"),
    ):
        assert status(site, {"Authorization": value}) == 401, value
    for path in ("/", "/mcp/", "/status", "/../../etc/passwd", "/mcp?token=" + site.token):
        assert status(site, method="GET", path=path) == 401, path
    assert status(site, method="DELETE") == 401
    assert status(site, bearer(site)) == 200
    assert status(site, {"Authorization": f"bearer {site.token}"}) == 200
    assert status(site, bearer(site), method="GET", path="/other") == 404


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "10.0.0.7", "a@127.0.0.1"],
)
def test_case_65_a_forged_host_is_403(site: Website, host: str) -> None:
    assert status(site, {"Host": host} | bearer(site)) == 403


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", "null", "file://", "http://127.0.0.1.evil.example", "http://[", "猫"],
)
def test_case_65_a_foreign_origin_is_403(site: Website, origin: str) -> None:
    value = origin.encode().decode("latin-1")
    assert status(site, {"Origin": value} | bearer(site)) == 403
    assert status(site, {"Origin": value} | bearer(site), method="OPTIONS") == 403


def test_our_own_names_are_let_in(site: Website) -> None:
    for host in ("localhost", f"localhost:{site.port}", "[::1]:1", "127.0.0.1", "LOCALHOST"):
        assert status(site, {"Host": host} | bearer(site)) == 200
    assert status(site, {"Origin": f"http://localhost:{site.port}"} | bearer(site)) == 200


def test_the_token_is_the_owners_alone_and_is_kept(site: Website, shop: Path) -> None:
    path = shop / "mcp-token"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert str(path) in site.log
    assert site.token not in site.log
    assert len(site.token) >= 32
    assert token_in(str(shop)) == (site.token.encode(), str(path))


def test_a_token_file_that_is_no_secret_is_refused(tmp_path: Path) -> None:
    def refused(folder: Path) -> str:
        with pytest.raises(MemstoneError) as caught:
            token_in(str(folder))
        return caught.value.code

    for number, content in enumerate(("short", "with space" * 9, "猫" * 40, "")):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "mcp-token").write_text(content, encoding="utf-8")
        (folder / "mcp-token").chmod(0o600)
        assert refused(folder) == "store_unsafe"
    open_one = tmp_path / "open"
    token_in(str(open_one))
    (open_one / "mcp-token").chmod(0o644)
    assert refused(open_one) == "store_unsafe"
    linked = tmp_path / "linked"
    linked.mkdir()
    (linked / "mcp-token").symlink_to(tmp_path / "0" / "mcp-token")
    assert refused(linked) == "store_unsafe"
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert refused(tmp_path / "file") == "cannot_create"


def test_servers_that_start_at_once_agree_on_one_token(tmp_path: Path) -> None:
    with ThreadPoolExecutor(16) as pool:
        tokens = set(pool.map(lambda _: token_in(str(tmp_path / "家")), range(64)))
    assert len(tokens) == 1
    assert os.listdir(tmp_path / "家") == ["mcp-token"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--http", "0.0.0.0:0", "--no-token"], "other machines"),
        (["--http", "[::]:0", "--no-token"], "other machines"),
        (["--http", "example.org:80", "--no-token"], "other machines"),
        (["--http", "127.0.0.1"], "HOST:PORT"),
        (["--http", "127.0.0.1:99999"], "HOST:PORT"),
        (["--http", "127.0.0.1:"], "HOST:PORT"),
        (["--http", "203.0.113.7:0"], "cannot listen"),
        (["--no-token"], "--http"),
        (["--shared", "--project", "x"], "--shared"),
    ],
)
def test_what_cannot_be_served_safely_is_a_usage_error(
    home: Path, options: list[str], said: str
) -> None:
    answer = process("mcp", *options, env=environment(home))
    assert answer.code == 2
    assert said in answer.err.decode()
    assert answer.out == b""


def test_without_a_token_only_this_machine_gets_in_and_a_warning_says_so(home: Path) -> None:
    with website(home, "--no-token") as site:
        assert "--no-token" in site.log
        assert status(site) == 200
        assert status(site, {"Host": "evil.example"}) == 403
        assert status(site, {"Origin": "https://evil.example"}) == 403
    assert not (home / "mcp-token").exists()


def test_names_and_addresses_that_a_server_answers_to() -> None:
    everywhere = Hosts("0.0.0.0")
    assert [
        everywhere.allow(host) for host in ("192.0.2.7:80", "[2001:db8::1]", "evil.example")
    ] == [
        True,
        True,
        False,
    ]
    named = Hosts("Memory.example")
    assert [named.allow(host) for host in ("memory.example:80", "192.0.2.7", "localhost:x")] == [
        True,
        False,
        False,
    ]
    assert not is_loopback("127.0.0.1.evil.example")


# --- what is said


@pytest.mark.parametrize("mode", ERAS)
def test_the_same_tools_and_answers_as_on_standard_input(
    site: Website, shop: Path, mode: str
) -> None:
    async def talk(client: Client) -> list[Any]:
        tools = await client.list_tools()
        stored = await client.call_tool("remember", {"text": CAT, "tags": ["宠物"], "kind": ""})
        assert stored.structured_content is not None
        found = await client.call_tool("recall", {"query": "猫叫什么", "tags": [], "full": True})
        assert found.structured_content is not None
        wrong = await client.call_tool("recall", {"query": 7})
        missing = await client.call_tool("history", {"id": NOBODY})
        listed = await client.call_tool("list", {})
        item = await client.read_resource(f"memory://item/{stored.structured_content['id']}")
        prompts = await client.list_prompts()
        return [
            [tool.model_dump() for tool in tools.tools],
            stored.structured_content["id"],
            [(hit["text"], hit["score"]) for hit in found.structured_content["hits"]],
            (wrong.is_error, wrong.structured_content),
            (missing.is_error, missing.structured_content),
            [each["id"] for each in (listed.structured_content or {})["memories"]],
            json.loads(item.contents[0].text)["text"],  # type: ignore[union-attr]
            [prompt.model_dump() for prompt in prompts.prompts],
            client.instructions,
        ]

    over_http = visited(site, talk, mode)
    on_pipes = asked(shop, talk, "--shared", mode=mode)
    assert over_http == on_pipes
    assert over_http[3][1]["error"]["code"] == "wrong_type"
    assert over_http[4][1]["error"]["code"] == "not_found"


def test_errors_of_the_protocol_are_the_same_as_on_standard_input(site: Website) -> None:
    async def talk(client: Client) -> list[Any]:
        from mcp import MCPError

        said = []
        for uri in (f"memory://item/{NOBODY}", "memory://other", "file:///etc/passwd"):
            with pytest.raises(MCPError) as caught:
                await client.read_resource(uri)
            said.append((caught.value.code, caught.value.message, caught.value.data))
        return said

    assert visited(site, talk) == visited(site, talk, "legacy")


def test_over_http_there_is_no_project(site: Website) -> None:
    async def talk(client: Client) -> Any:
        given = {"text": CAT, "full": True}
        return (await client.call_tool("remember", given)).structured_content

    assert visited(site, talk)["scope"]["project"] == ""


def test_a_modern_request_needs_its_headers_and_a_body_has_a_limit(site: Website) -> None:
    asked_for = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": ENVELOPE}}
    body = json.dumps(asked_for).encode()
    said = bearer(site) | {"MCP-Protocol-Version": "2026-07-28"}
    assert status(site, said | {"Mcp-Method": "tools/list"}, body=body) == 200
    assert status(site, said | {"Mcp-Method": "tools/call"}, body=body) == 400
    assert status(site, bearer(site), body=b"nonsense") == 400
    assert status(site, bearer(site), body=b"x" * (5 << 20)) == 413


def test_many_clients_at_once_lose_nothing(site: Website, shop: Path) -> None:
    async def talk(client: Client) -> None:
        for number in range(5):
            text = f"并发 {id(client)} {number}"
            stored = await client.call_tool("remember", {"text": text, "tags": ["at once"]})
            assert not stored.is_error, stored

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda _: visited(site, talk), range(6)))
    listed = process("list", "--tag", "at once", "--limit", "99", "--shared", env=environment(shop))
    assert len(listed.ok().lines) == 30


def test_without_the_sdk_the_way_to_get_it_is_named(home: Path) -> None:
    code = (
        "import sys\n"
        "sys.modules['uvicorn'] = None\n"
        "from memstone.surfaces.cli.app import main\n"
        "sys.exit(main(['mcp', '--http', '127.0.0.1:0']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        env=environment(home),
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert b".[mcp]" in done.stderr
