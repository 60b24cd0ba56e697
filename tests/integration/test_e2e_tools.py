"""The tools of `make e2e` themselves: a harness that cannot fail proves nothing.

The clients are not run here. What is tested is what the verdicts hang on: both wires of the fake model,
how a request is searched for a block, how connections are read off a trace, and that docs/E2E.md shows the
committed results.
"""

from __future__ import annotations

import json
import urllib.request
from typing import TYPE_CHECKING, Any

from tools.e2e import document, namespace
from tools.e2e.model_server import FakeModel
from tools.e2e.requests import Call, ModelRequest, Reply
from tools.e2e.results import Section, table
from tools.e2e.stage import notes

if TYPE_CHECKING:
    from pathlib import Path

TRACE = r"""
100 execve("/bin/sh", ["sh", "-c", "python -I -m memstone hook prompt"], 0x7f /* 9 vars */) = 0
101 execve("/usr/bin/python", ["python", "-I", "-m", "memstone", "hook", "prompt"], 0x7f) = 0
101 connect(3, {sa_family=AF_INET, sin_port=htons(8080), sin_addr=inet_addr("127.0.0.1")}, 16) = 0
200 execve("/opt/client", ["client", "-m memstone"], 0x7f) = 0
200 clone3({flags=CLONE_VM, exit_signal=0}, 88) = 201
201 sendto(41, "j\31\1\0\0\1\0\0\0\0\0\0\3api\7example\3com\0\0\1\0\1", 32, MSG_NOSIGNAL, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("192.0.2.53")}, 16) = -1 ENETUNREACH (Network is unreachable)
201 connect(7, {sa_family=AF_INET6, sin6_port=htons(443), sin6_flowinfo=htonl(0), inet_pton(AF_INET6, "2001:db8::1", &sin6_addr), sin6_scope_id=0}, 28) = -1 ENETUNREACH
"""


def asked(body: dict[str, Any]) -> ModelRequest:
    return ModelRequest("/v1/messages", body, 0.0, 1)


def posted(address: str, body: dict[str, Any]) -> str:
    request = urllib.request.Request(
        address, json.dumps(body).encode(), {"content-type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        return str(answer.read().decode("utf-8"))


def events(stream: str) -> list[dict[str, Any]]:
    return [json.loads(line[6:]) for line in stream.splitlines() if line.startswith("data: ")]


def test_the_fake_model_streams_a_text_as_the_messages_api_does() -> None:
    with FakeModel() as model:
        model.begin(lambda _: Reply("好的，记下了。"))
        body = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "你好"}]}
        found = events(posted(f"{model.address}/v1/messages?beta=true", body))
        assert [event["type"] for event in found] == [
            "message_start", "content_block_start", "content_block_delta", "content_block_stop",
            "message_delta", "message_stop",
        ]  # fmt: skip
        assert found[2]["delta"]["text"] == "好的，记下了。"
        assert model.requests[0].holding("你好") == ("你好",)


def test_the_fake_model_asks_for_a_tool_on_both_wires() -> None:
    with FakeModel() as model:
        model.begin(lambda _: Reply(call=Call("mcp__memstone.recall", {"query": "端口"})))
        whole = json.loads(posted(f"{model.address}/v1/messages", {"messages": []}))
        assert whole["stop_reason"] == "tool_use"
        assert whole["content"][0]["input"] == {"query": "端口"}
        found = events(posted(f"{model.address}/v1/responses", {"input": [], "stream": True}))
        item = found[-1]["response"]["output"][0]
        assert (item["namespace"], item["name"]) == ("mcp__memstone", "recall")
        assert json.loads(item["arguments"]) == {"query": "端口"}


def test_a_count_of_tokens_and_an_unknown_path_are_no_requests_to_the_model() -> None:
    with FakeModel() as model:
        assert "input_tokens" in posted(f"{model.address}/v1/messages/count_tokens", {"a": 1})
        posted(f"{model.address}/api/telemetry", {"a": 1})
        assert model.requests == ()
        assert model.others == ["POST /api/telemetry"]


def test_a_fact_counts_only_inside_a_block_of_ours_and_among_the_messages() -> None:
    block = "Notes <memstone-notes 1f> 端口是 54339 </memstone-notes 1f>"
    tool = {"name": "recall", "description": block}
    inside = asked({"messages": [{"role": "system", "content": [{"text": block}]}]})
    bare = asked({"messages": [{"role": "user", "content": "端口是 54339"}], "tools": [tool]})
    assert notes(inside, "54339") == (block,)
    assert notes(bare, "54339") == ()


def test_connections_are_told_apart_by_whose_process_made_them(tmp_path: Path) -> None:
    log = tmp_path / "trace.txt"
    log.write_text(TRACE, encoding="utf-8")
    ours, others, started = namespace.outside(log, '-m", "memstone')
    assert ours == set()
    assert others == {"the name api.example.com", "port 443"}
    assert started == 1
    log.write_text(TRACE.replace("127.0.0.1", "192.0.2.7"), encoding="utf-8")
    assert namespace.outside(log, '-m", "memstone')[0] == {"port 8080"}


def test_a_check_that_does_not_hold_fails_the_run_and_one_that_was_not_judged_does_not() -> None:
    section = Section("client")
    section.check("a | b", "中文", holds=True)
    section.check("c", "why not", holds=None)
    assert section.failed == 0
    section.check("d", "seen", holds=False)
    assert section.failed == 1
    assert r"| a \| b | ok | 中文 |" in table([section])


def test_docs_the_end_to_end_results_are_the_committed_ones() -> None:
    text = document.DOCUMENT.read_text(encoding="utf-8")
    assert document.written(text) == text, "run: python -m tools.e2e.document --write"
