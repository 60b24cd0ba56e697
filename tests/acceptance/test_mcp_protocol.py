"""The protocol on standard input and output, spoken by hand: eras, odd messages, how it ends.

A client that misbehaves gets an error and the conversation goes on; a client that is gone takes the
server with it, whoever still holds the other end of the pipe.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.cli import environment
from tests.acceptance.mcpkit import ENVELOPE, HELLO, MODERN, Server, command

CAT = "猫叫咪咪"
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
SERVER_KEY = "io.modelcontextprotocol/serverInfo"
HEAVY = {"mcp", "pydantic", "asyncio", "anyio", "memstone.engine", "apsw", "yaml", "typing"}


def modern(server: Server, method: str, **params: Any) -> Any:
    return server.ask(method, _meta=ENVELOPE, **params)


# --- the handshake era


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_the_handshake_settles_each_version_that_clients_have(home: Path, version: str) -> None:
    with Server.start(home) as server:
        result = server.ask("initialize", **(HELLO | {"protocolVersion": version}))["result"]
        assert result["protocolVersion"] == version
        assert result["serverInfo"]["name"] == "memstone"
        assert set(result["capabilities"]) == {"tools", "resources", "prompts", "completions"}
        assert "recall" in result["instructions"]
        server.tell("notifications/initialized")
        assert server.ask("ping")["result"] == {}
        listed = server.ask("tools/list")["result"]
        assert set(listed) == {"tools"}


def test_an_unknown_version_is_answered_with_the_newest_of_its_era(home: Path) -> None:
    with Server.start(home) as server:
        for version in ("2031-01-01", MODERN, "猫"):
            result = server.ask("initialize", **(HELLO | {"protocolVersion": version}))["result"]
            assert result["protocolVersion"] == "2025-11-25"
        assert server.ask("initialize")["error"]["code"] == -32602


def test_batches_are_answered_where_the_version_has_them(home: Path) -> None:
    batch = json.dumps(
        [
            {"jsonrpc": "2.0", "id": 1, "method": "ping"},
            {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 9}},
            {"jsonrpc": "2.0", "id": "zwei", "method": "nothing"},
        ]
    ).encode()
    with Server.start(home) as server:
        server.hello("2025-03-26").send(batch)
        first, second = server.answer()
        assert (first["id"], first["result"]) == (1, {})
        assert (second["id"], second["error"]["code"]) == ("zwei", -32601)
    with Server.start(home) as server:
        server.hello("2025-06-18").send(batch)
        assert server.answer()["error"]["code"] == -32600


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("nothing", {}, -32601),
        ("logging/setLevel", {"level": "info"}, -32601),
        ("resources/subscribe", {"uri": "memory://session-block"}, -32601),
        ("server/discover", {}, -32601),
        ("tools/call", {}, -32602),
        ("tools/call", {"name": 7}, -32602),
        ("tools/call", {"name": "recall", "arguments": ["猫"]}, -32602),
        ("tools/list", {"cursor": "7"}, -32602),
        ("resources/read", {}, -32602),
        ("resources/read", {"uri": ["a"]}, -32602),
        ("prompts/get", {"name": "nobody"}, -32602),
        ("prompts/get", {"name": "review", "arguments": {"limit": 5}}, -32602),
        ("completion/complete", {"ref": "x", "argument": {}}, -32602),
        ("completion/complete", {"ref": {}, "argument": {"name": "id"}}, -32602),
    ],
)
def test_what_the_protocol_does_not_have_is_an_error_of_it(
    home: Path, method: str, params: dict[str, Any], code: int
) -> None:
    with Server.start(home) as server:
        server.hello()
        assert server.ask(method, **params)["error"]["code"] == code
        assert server.ask("tools/list", cursor="")["result"]["tools"]


def test_a_tool_that_is_not_there_is_an_error_that_names_the_nearest(home: Path) -> None:
    with Server.start(home) as server:
        server.hello()
        error = server.call("remeber", text=CAT)["error"]
        assert (error["code"], error["hint"]) == ("invalid_input", "did you mean 'remember'?")


def test_notifications_and_answers_get_no_answer(home: Path) -> None:
    with Server.start(home) as server:
        server.hello()
        for method in ("notifications/cancelled", "notifications/roots/list_changed", "猫"):
            server.tell(method)
        server.send(b'{"jsonrpc":"2.0","id":99,"result":{}}')
        assert server.ask("ping")["result"] == {}


def test_odd_lines_get_errors_and_the_conversation_goes_on(home: Path) -> None:
    with Server.start(home) as server:
        server.hello()
        for line, code in (
            (b"hello?", -32700),
            (b"\xff\xfe\x00", -32700),
            (b"7", -32600),
            (b"[]", -32600),
            (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
            (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32600),
            (b'{"id":1,"method":"ping"}', -32600),
        ):
            server.send(line)
            assert server.answer()["error"]["code"] == code, line
        assert server.call("remember", text=CAT)["outcome"] == "created"


def test_a_line_over_four_mebibytes_is_refused_and_the_next_one_answered(home: Path) -> None:
    with Server.start(home) as server:
        server.hello()
        server.send(b'{"jsonrpc":"2.0","id":1,"method":"ping","x":"' + b"x" * (5 << 20) + b'"}')
        assert server.answer()["error"]["code"] == -32600
        assert server.ask("ping")["result"] == {}
        assert server.code("remember", text="猫" * 100_000) == "memory_too_large"


def test_half_a_character_is_refused_and_named(home: Path) -> None:
    with Server.start(home) as server:
        server.hello()
        assert server.code("remember", text="猫\ud83d") == "text_not_unicode"
        assert server.code("recall", query="\udc80") == "text_not_unicode"
        assert "error" in server.call("recall", **{"\udc80": 1})


# --- the modern era


def test_a_modern_client_discovers_and_each_result_says_what_it_is(home: Path) -> None:
    with Server.start(home) as server:
        found = modern(server, "server/discover")["result"]
        assert found["supportedVersions"] == [MODERN]
        assert set(found["capabilities"]) == {"tools", "resources", "prompts", "completions"}
        results = [
            found,
            modern(server, "tools/list")["result"],
            modern(server, "tools/call", name="status")["result"],
            modern(server, "tools/call", name="nothing")["result"],
            modern(server, "prompts/list")["result"],
        ]
        for result in results:
            assert result["resultType"] == "complete"
            assert result["_meta"][SERVER_KEY]["name"] == "memstone"
        cached = [result.get("cacheScope") for result in results]
        assert cached == ["private", "private", None, None, "private"]
        assert modern(server, "ping")["error"]["code"] == -32601


def test_a_modern_request_must_say_its_version_and_what_its_client_can(home: Path) -> None:
    with Server.start(home) as server:
        assert modern(server, "tools/list")["result"]
        for meta, code in (
            (None, -32602),
            ({}, -32602),
            ({VERSION_KEY: MODERN}, -32602),
            (ENVELOPE | {VERSION_KEY: 7}, -32602),
            (ENVELOPE | {VERSION_KEY: "2031-01-01"}, -32022),
        ):
            error = server.ask("tools/list", _meta=meta)["error"]
            assert error["code"] == code
        assert error["data"] == {"supported": [MODERN], "requested": "2031-01-01"}


def test_the_first_request_decides_the_era(home: Path) -> None:
    with Server.start(home) as server:
        assert modern(server, "tools/list")["result"]
        error = server.ask("initialize", **HELLO)["error"]
        assert (error["code"], error["data"]["supported"]) == (-32022, [MODERN])
    with Server.start(home) as server:
        assert server.ask("tools/list", _meta={"progressToken": 1})["result"]
        assert modern(server, "tools/list")["error"]["code"] == -32600
        assert server.ask("initialize", _meta=ENVELOPE, **HELLO)["result"]


# --- the process


def test_tools_are_listed_before_anything_heavy_is_loaded(home: Path) -> None:
    code = (
        "import sys\n"
        "from memstone.surfaces.cli.app import main\n"
        "main(['mcp'])\n"
        "print(*sys.modules, file=sys.stderr)\n"
    )
    asked = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
        {"jsonrpc": "2.0", "id": 3, "method": "resources/list"},
    ]
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        input=b"".join(json.dumps(each).encode() + b"\n" for each in asked),
        capture_output=True,
        env=environment(home),
        timeout=60,
        check=True,
    )
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [1, 2, 3]
    assert HEAVY & set(done.stderr.decode().split()) == set()


def test_nothing_but_the_protocol_reaches_standard_output(home: Path) -> None:
    code = (
        "import os, subprocess, sys\n"
        "from memstone.surfaces.stdio import conversation\n"
        "with conversation() as pipes:\n"
        "    print('noise')\n"
        "    os.write(1, b'noise')\n"
        "    subprocess.run(['echo', 'noise'], check=True)\n"
        "    subprocess.run(['cat'], check=True)\n"
        "    pipes.write(pipes.read())\n"
        "print('noise')\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        input="猫\n".encode(),
        capture_output=True,
        env=environment(home),
        timeout=60,
        check=True,
    )
    assert done.stdout.decode() == "猫\n"
    assert done.stderr.decode().count("noise") == 4


def test_closed_streams_are_an_end_and_an_error(home: Path) -> None:
    no_input = ["sh", "-c", 'exec "$@" <&-', "sh", *command()]
    assert subprocess.run(no_input, env=environment(home), timeout=60, check=False).returncode == 0
    no_output = ["sh", "-c", 'exec "$@" >&-', "sh", *command()]
    done = subprocess.run(
        no_output,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=environment(home),
        timeout=60,
        check=False,
    )
    assert done.returncode == 74
    assert b"output_failed" in done.stderr


def test_a_client_that_stops_reading_ends_the_server_quietly(home: Path) -> None:
    server = Server.start(home)
    server.hello()
    assert server.process.stdout is not None
    server.process.stdout.close()
    server.tell("notifications/initialized")
    server.send(b'{"jsonrpc":"2.0","id":7,"method":"ping"}')
    assert server.process.wait(10) == 0
    assert server.log() == ""
    server.end()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_the_server_at_once_and_cleanly(home: Path, number: signal.Signals) -> None:
    server = Server.start(home).hello()
    server.call("remember", text=CAT)
    server.process.send_signal(number)
    assert server.process.wait(10) == 0
    # closed: the one file is the whole memory; beside it the empty lock of whoever does the work
    assert sorted(set(os.listdir(home)) - {"mem.db.work"}) == ["mem.db"]
    server.end()


def test_the_answer_of_a_write_under_way_comes_before_the_end(home: Path) -> None:
    server = Server.start(home).hello()
    asked = {"name": "remember", "arguments": {"text": CAT}}
    server.send(
        json.dumps({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": asked}).encode()
    )
    assert server.end() == 0
    with Server.start(home) as again:
        assert [each["text"] for each in again.hello().call("list")["memories"]] == [CAT]


_PARENT = (
    "import subprocess, sys, time\n"
    "subprocess.Popen(sys.argv[1:], stdin=0, stdout=1, stderr=2)\n"
    "time.sleep(600)\n"
)


_WITHOUT_PIDFD = (
    "import os, sys\n"
    "vars(os).pop('pidfd_open', None)\n"
    "from memstone.surfaces.cli.app import main\n"
    "sys.exit(main(['mcp']))\n"
)


def _outlived(home: Path, *words: str) -> float:
    """Seconds that a server lives on after its parent was killed, its input still held open."""
    theirs, ours = os.pipe()
    answers, out = os.pipe()
    parent = subprocess.Popen(
        [sys.executable, "-c", _PARENT, *(words or command())],
        stdin=theirs,
        stdout=out,
        stderr=subprocess.DEVNULL,
        env=environment(home),
    )
    os.close(theirs)
    os.close(out)
    os.write(ours, b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    assert json.loads(os.read(answers, 4_096))["result"] == {}
    parent.kill()
    parent.wait()
    killed = time.monotonic()
    assert select.select([answers], [], [], 10)[0], "an orphan"  # its end of the pipe is closed
    assert os.read(answers, 1) == b""
    os.close(ours)
    os.close(answers)
    return time.monotonic() - killed


def test_a_server_does_not_outlive_its_parent(home: Path) -> None:
    assert _outlived(home) < 5
    assert _outlived(home, sys.executable, "-c", _WITHOUT_PIDFD) < 5


@pytest.mark.slow
def test_case_56_no_server_is_left_after_50_starts_and_ends(home: Path) -> None:
    for _ in range(17):
        server = Server.start(home)
        server.ask("ping")
        assert server.end() == 0
    for _ in range(17):
        server = Server.start(home)
        server.ask("ping")
        server.process.terminate()
        assert server.process.wait(5) == 0
        server.end()
    assert max(_outlived(home) for _ in range(16)) < 5


def _ends(task: Path) -> bool:
    """Whether this is the process's own thread, or one that is gone soon."""
    until = time.monotonic() + 10
    own = task.name == task.parent.parent.name
    while not own and task.exists() and time.monotonic() < until:
        time.sleep(0.05)
    return own or not task.exists()


def test_case_56_a_server_has_no_helper_processes_and_no_threads_while_nothing_is_pending(
    home: Path,
) -> None:
    with Server.start(home) as server:
        server.hello().call("remember", text=CAT)
        server.call("recall", query="猫叫什么")
        tasks = Path(f"/proc/{server.process.pid}/task")
        if not tasks.is_dir():
            pytest.skip("no /proc here")
        assert not [task for task in tasks.iterdir() if not _ends(task)]
        children = tasks / str(server.process.pid) / "children"
        assert children.read_text("ascii") == ""
