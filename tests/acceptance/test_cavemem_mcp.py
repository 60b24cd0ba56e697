"""The MCP server of `cavemem` as a process: its tools, its errors, and what it forgives."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.acceptance.cavemem import CAP, Cavemem, call, handle_of, id_of, opened

if TYPE_CHECKING:
    from pathlib import Path

VAULT = "the deploy key lives in vault under ops/deploy"
LARGE = 16 * 1024 * 1024
SECRET = "the key is AKIA" + "IOSFODNN7EXAMPLQ"


@pytest.fixture
def cavemem(tmp_path: Path) -> Cavemem:
    return Cavemem(tmp_path, tmp_path / "caveman")


def failed(reply: Any) -> str:
    """The id of a tool error."""
    succeeded, document = opened(reply)
    assert not succeeded
    assert list(document) == ["error", "message"]
    error: str = document["error"]
    return error


def code_of(reply: Any) -> int:
    code: int = reply["error"]["code"]
    return code


@pytest.mark.parametrize("words", [[], ["mcp"], ["mcp", "ignored", "--words"]])
def test_it_serves_without_words_and_with_mcp(cavemem: Cavemem, words: list[str]) -> None:
    (reply,) = cavemem.talk({"jsonrpc": "2.0", "id": "a", "method": "ping"}, words=words)
    assert reply == {"jsonrpc": "2.0", "id": "a", "result": {}}


def test_a_store_that_cannot_be_opened_ends_it_with_1(cavemem: Cavemem) -> None:
    cavemem.database.parent.mkdir(parents=True)
    cavemem.database.write_bytes(b"this is not a database " * 100)
    answer = cavemem("mcp")
    assert (answer.code, answer.out) == (1, b"")
    assert answer.err.startswith(b"mcp: ")


@pytest.mark.parametrize(
    ("asked", "granted"),
    [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        (None, "2025-11-25"),
        (5, "2025-11-25"),
    ],
)
def test_the_version_that_a_client_asks_for_is_granted(
    cavemem: Cavemem, asked: object, granted: str
) -> None:
    request = {"id": 1, "method": "initialize", "params": {"protocolVersion": asked}}
    (reply,) = cavemem.talk(request)
    assert reply["result"] == {
        "capabilities": {"tools": {}},
        "protocolVersion": granted,
        "serverInfo": {"name": "cavemem", "version": "1.0.0"},
    }


def test_five_tools_and_recover_last(cavemem: Cavemem) -> None:
    (reply,) = cavemem.talk({"id": 1, "method": "tools/list"})
    tools = reply["result"]["tools"]
    names = ["remember", "recall", "supersede", "history", "forget", "recover"]
    assert [tool["name"] for tool in tools] == [f"cavemem_{name}" for name in names]
    assert all(set(tool) == {"name", "description", "inputSchema"} for tool in tools)
    schemas = {tool["name"].removeprefix("cavemem_"): tool["inputSchema"] for tool in tools}
    required = {name: schema["required"] for name, schema in schemas.items()}
    assert required == {
        "remember": ["text"], "recall": ["query"], "supersede": ["id", "text"],
        "history": ["id"], "forget": ["id"], "recover": ["handle"],
    }  # fmt: skip
    types = {
        name: {key: value["type"] for key, value in schema["properties"].items()}
        for name, schema in schemas.items()
    }
    assert types["recall"] == {"query": "string", "limit": "integer", "token_budget": "integer"}
    budget = schemas["recall"]["properties"]["token_budget"]
    assert (budget["default"], budget["minimum"]) == (2000, 0)
    assert all(schema["type"] == "object" for schema in schemas.values())


def test_results_are_compact_and_those_of_the_command_line(cavemem: Cavemem) -> None:
    (reply,) = cavemem.talk(call(1, "cavemem_remember", text=VAULT))
    text = reply["result"]["content"][0]["text"]
    assert list(reply["result"]) == ["content"]
    assert text.startswith('{"basis":"inferred","created_at":"')
    assert json.loads(text) == cavemem("remember", VAULT).ok().document
    calls = {
        ("recall", "deploy key"): call(1, "cavemem_recall", query="deploy key"),
        ("history", id_of(VAULT)): call(2, "cavemem_history", id=id_of(VAULT)),
    }
    replies = cavemem.talk(*calls.values())
    for words, reply in zip(calls, replies, strict=True):
        assert opened(reply) == (True, cavemem(*words).ok().document)
    changed, gone = cavemem.talk(
        call(3, "cavemem_supersede", id=id_of(VAULT), text="it moved"),
        call(4, "cavemem_forget", id=id_of(VAULT)),
    )
    assert list(opened(changed)[1]) == ["basis", "created_at", "id", "supersedes"]
    assert opened(gone) == (True, {"forgotten": True})


def test_recover_resolves_the_handle_of_a_hit(cavemem: Cavemem) -> None:
    text = "zebra <b> & \u2028 猫\n" * 200
    cavemem.fill([text])
    (reply,) = cavemem.talk(call(1, "cavemem_recall", query="zebra", token_budget=20))
    (hit,) = opened(reply)[1]["hits"]
    assert hit["recovery_handle"] == handle_of(text)
    (reply,) = cavemem.talk(call(2, "cavemem_recover", handle=hit["recovery_handle"]))
    assert reply["result"]["content"] == [{"type": "text", "text": text}]
    for wrong in ("ccr_deadbeef", "ccr_" + "0" * 32, "x"):
        (reply,) = cavemem.talk(call(3, "cavemem_recover", handle=wrong))
        assert failed(reply) == "cave_recover_failed"
    (reply,) = cavemem.talk(call(4, "cavemem_recover", handle=""))
    assert failed(reply) == "cave_invalid_arguments"


@pytest.mark.parametrize(
    ("name", "arguments", "error"),
    [
        ("remember", {"text": "x" * (CAP + 1)}, "cave_memory_too_large"),
        ("remember", {"text": "   "}, "cave_remember_failed"),
        ("remember", {}, "cave_remember_failed"),
        ("remember", {"text": None}, "cave_remember_failed"),
        ("remember", {"text": SECRET}, "cave_remember_failed"),
        ("remember", {"text": 5}, "cave_invalid_arguments"),
        ("remember", {"text": ["猫"]}, "cave_invalid_arguments"),
        ("recall", {}, "cave_invalid_arguments"),
        ("recall", {"query": ""}, "cave_invalid_arguments"),
        ("recall", {"query": 5}, "cave_invalid_arguments"),
        ("recall", {"query": "q", "token_budget": -1}, "cave_invalid_arguments"),
        ("recall", {"query": "q", "token_budget": "5"}, "cave_invalid_arguments"),
        ("recall", {"query": "q", "token_budget": True}, "cave_invalid_arguments"),
        ("recall", {"query": "q", "limit": 2.5}, "cave_invalid_arguments"),
        ("recall", {"query": "q", "limit": 2.0}, "cave_invalid_arguments"),
        ("recall", {"query": "q", "limit": "5"}, "cave_invalid_arguments"),
        ("recall", {"query": "q", "limit": 2**63}, "cave_invalid_arguments"),
        ("supersede", {"id": "mem_0", "text": "x"}, "cave_supersede_failed"),
        ("supersede", {"id": id_of("x"), "text": "x" * (CAP + 1)}, "cave_supersede_failed"),
        ("supersede", {"text": "x"}, "cave_invalid_arguments"),
        ("supersede", {"id": "mem_0"}, "cave_invalid_arguments"),
        ("history", {"id": "mem_0"}, "cave_history_failed"),
        ("history", {}, "cave_invalid_arguments"),
        ("forget", {"id": ""}, "cave_invalid_arguments"),
        ("list", {}, "cave_unknown_tool"),
    ],
)
def test_each_failure_has_its_name(
    cavemem: Cavemem, name: str, arguments: dict[str, object], error: str
) -> None:
    (reply,) = cavemem.talk(call(1, f"cavemem_{name}", **arguments))
    assert failed(reply) == error


def test_an_unknown_tool_and_bad_params_differ(cavemem: Cavemem) -> None:
    replies = cavemem.talk(
        {"id": 1, "method": "tools/call", "params": {"name": "frobnicate"}},
        {"id": 2, "method": "tools/call"},
        {"id": 3, "method": "tools/call", "params": []},
        {"id": 4, "method": "tools/call", "params": {"name": 5}},
        {"id": 5, "method": "tools/call", "params": {"name": "cavemem_remember"}},
        {"id": 6, "method": "tools/call", "params": {"name": "cavemem_recall", "arguments": []}},
    )
    assert failed(replies[0]) == "cave_unknown_tool"
    assert [code_of(reply) for reply in replies[1:4]] == [-32602] * 3
    assert [failed(reply) for reply in replies[4:]] == ["cave_invalid_arguments"] * 2


def test_budgets_map_to_what_the_command_line_takes(cavemem: Cavemem) -> None:
    cavemem.fill(["zebra " + " ".join(f"word{n}" for n in range(200))])
    budgets: list[dict[str, Any]] = [
        {}, {"token_budget": None}, {"token_budget": 0}, {"token_budget": 17}, {"token_budget": 1},
    ]  # fmt: skip
    replies = cavemem.talk(
        *(call(n, "cavemem_recall", query="zebra", **budget) for n, budget in enumerate(budgets))
    )
    tokens = [opened(reply)[1]["hits"][0]["tokens_added"] for reply in replies]
    assert tokens[0] == tokens[1] == tokens[2] > 17 >= tokens[3] > 1 >= tokens[4]


def test_keys_match_whatever_their_case_and_unknown_ones_are_ignored(cavemem: Cavemem) -> None:
    cavemem.fill(["zebra one", "zebra two"])
    replies = cavemem.talk(
        call(1, "cavemem_recall", QUERY="lion", Query="zebra", LIMIT=1, colour="red"),
        call(2, "cavemem_recall", query="zebra", limit=-3),
        call(3, "cavemem_recall", query="zebra", limit=None),
    )
    assert [len(opened(reply)[1]["hits"]) for reply in replies] == [1, 2, 2]


def test_requests_that_want_no_answer_get_none(cavemem: Cavemem) -> None:
    replies = cavemem.talk(
        {"method": "ping"},
        {"id": None, "method": "ping"},
        {"id": None, "method": "frobnicate"},
        {"method": "notifications/initialized"},
        {"id": 7, "method": "notifications/initialized"},
        {"id": 8, "method": "notifications/cancelled", "params": {"requestId": 1}},
        {"jsonrpc": "1.0", "id": 9, "method": "ping"},
        {"id": 10, "method": "resources/list"},
        {"id": 11},
    )
    assert [reply["id"] for reply in replies] == [9, 10, 11]
    assert replies[0]["result"] == {}
    assert [code_of(reply) for reply in replies[1:]] == [-32601, -32601]


def test_what_is_no_message_is_said_and_the_server_goes_on(cavemem: Cavemem) -> None:
    lines = [
        b"garbage", b"5", b'"text"', b"null", b"NaN", b"[1", b"\xff\xfe", b"", b"   ", b"[]",
        b'{"id":1,"method":"ping"}',
    ]  # fmt: skip
    replies = cavemem.talk(*lines)
    assert [code_of(reply) for reply in replies[:-1]] == [-32700] * 7 + [-32600]
    assert all("id" not in reply for reply in replies[:-1])
    assert replies[-1]["result"] == {}


def test_a_batch_is_answered_as_one_array(cavemem: Cavemem) -> None:
    mixed: list[object] = [
        {"id": 1, "method": "ping"},
        5,
        {"method": "notifications/initialized"},
        call(2, "cavemem_remember", text=VAULT),
        {"id": 3, "method": "frobnicate"},
    ]
    silent = [{"method": "notifications/initialized"}, {"id": None, "method": "ping"}]
    (reply,) = cavemem.talk(json.dumps(mixed), json.dumps(silent))
    assert [member.get("id") for member in reply] == [1, None, 2, 3]
    assert [member["error"]["code"] for member in reply if "error" in member] == [-32600, -32601]
    assert opened(reply[2])[1]["id"] == id_of(VAULT)


def test_a_line_over_16_mib_is_refused_and_the_next_one_answered(cavemem: Cavemem) -> None:
    long = b'{"id":1,"method":"ping","params":"' + b"x" * LARGE + b'"}'
    first, second = cavemem.talk(long, {"id": 2, "method": "ping"})
    assert code_of(first) == -32600
    assert "cave_payload_too_large" in first["error"]["message"]
    assert second["result"] == {}


def test_an_answer_over_16_mib_is_a_tool_error(cavemem: Cavemem) -> None:
    texts = [f"zebra{n} zebra " + "<" * (CAP - 20) for n in range(12)]  # each < becomes 6 bytes
    cavemem.fill([*texts, *(f"other {n}" for n in range(40))])
    request = call(1, "cavemem_recall", query="zebra", limit=100, token_budget=0)
    first, second = cavemem.talk(request, {"id": 2, "method": "ping"})
    assert failed(first) == "cave_payload_too_large"
    assert second["result"] == {}


def test_text_that_json_spells_without_being_unicode_is_mended(cavemem: Cavemem) -> None:
    line = b'{"id":1,"method":"tools/call","params":{"name":"cavemem_remember","arguments":'
    replies = cavemem.talk(
        line + b'{"text":"lone \\ud83d half"}}}', line + b'{"text":"latin caf\xe9"}}}'
    )
    ids = [opened(reply)[1]["id"] for reply in replies]
    assert ids == [id_of("lone \ufffd half"), id_of("latin caf\ufffd")]


def test_nothing_but_the_protocol_is_on_stdout(cavemem: Cavemem) -> None:
    answer = cavemem(stdin=b'{"id":1,"method":"ping"}\n')
    assert answer.out == b'{"jsonrpc":"2.0","id":1,"result":{}}\n'
    assert answer.err == b""


def test_the_last_line_needs_no_newline(cavemem: Cavemem) -> None:
    answer = cavemem(stdin=b'{"id":1,"method":"ping"}')
    assert json.loads(answer.out)["id"] == 1


def test_a_model_is_trusted_as_a_model(cavemem: Cavemem) -> None:
    cavemem.fill(["said by a model"])
    cavemem.remember("said by a person")
    listed = cavemem.memstone("list", "--shared", "--json").ok().lines
    trust = {memory["text"]: memory["provenance"]["trust"] for memory in listed}
    assert trust == {"said by a model": "agent", "said by a person": "user"}
