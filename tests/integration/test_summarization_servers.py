"""The two adapters against sockets that answer byte by byte: the protocols as they stand on the
wire, and every way to go wrong below and inside them. Nothing else than our two errors comes out,
in bounded time, and the key is nowhere in them, in the log or on the streams.
"""

from __future__ import annotations

import json
import logging
import socket
import threading
import time
import traceback
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pytest

from memstone.errors import SummarizerError, SummarizerUnavailable, SummaryInvalid
from memstone.summarization import open_summarizer
from memstone.summarization.http import MOST_BYTES, Refused
from memstone.types import Kind, SegmentTurn
from tests.integration.model_server import (
    CARD,
    KEY,
    KEYS,
    PROVIDERS,
    Reply,
    answer_of,
    anthropic,
    at,
    openai,
    serving,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SAID = "我们决定用 PostgreSQL 17 做账单服务。"
TURNS = [SegmentTurn(0, "林雨", SAID, "2026-05-01"), SegmentTurn(1, "assistant", "OK.", None)]


@dataclass
class Wire:
    """A server that speaks in bytes, and the raw requests it got."""

    port: int
    requests: list[bytes] = field(default_factory=list)


@contextmanager
def speaking(*speeches: Callable[[socket.socket], object]) -> Iterator[Wire]:
    """One connection a speech, the last one repeated, each closed behind it."""
    listener = socket.create_server(("127.0.0.1", 0))
    wire = Wire(listener.getsockname()[1])
    threads: list[threading.Thread] = []

    def answer(connection: socket.socket, number: int) -> None:
        with connection:
            try:
                wire.requests.append(_request(connection))
                speeches[min(number, len(speeches) - 1)](connection)
            except OSError:
                return  # the client has gone

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threads.append(threading.Thread(target=answer, args=(connection, len(threads))))
            threads[-1].start()

    accepting = threading.Thread(target=accept)
    accepting.start()
    try:
        yield wire
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        accepting.join()
        for thread in threads:
            thread.join()


def _request(connection: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(65536) or b"\r\n\r\n"
    head, _, body = data.partition(b"\r\n\r\n")
    (length,) = [
        int(line.split(b":")[1])
        for line in head.lower().split(b"\r\n")
        if b"content-length" in line
    ]
    while len(body) < length and (more := connection.recv(65536)):
        body += more
    return head + b"\r\n\r\n" + body


def said(*pieces: bytes, every_s: float = 0.0) -> Callable[[socket.socket], None]:
    """Those bytes, with a pause between them."""

    def speech(connection: socket.socket) -> None:
        for piece in pieces:
            connection.sendall(piece)
            time.sleep(every_s)

    return speech


def http(body: bytes, *headers: bytes, status: bytes = b"200 OK") -> bytes:
    head = [b"HTTP/1.1 " + status, b"content-length: %d" % len(body), *headers]
    return b"\r\n".join((*head, b"", body))


def failing(summarizer: Any, error: type[SummarizerError] = SummarizerUnavailable) -> Any:
    """The error of one segment, after a look through all of it for the key."""
    with pytest.raises(error) as caught:
        summarizer.summarize(TURNS)
    shown = "".join(traceback.format_exception(caught.value))
    one: BaseException | None = caught.value
    while one is not None:
        shown += f"{one!r} {vars(one)}"
        one = one.__cause__ or one.__context__
    assert KEY not in shown
    return caught.value


@pytest.fixture(autouse=True)
def _nothing_is_told(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> Iterator[None]:
    caplog.set_level(logging.DEBUG)
    yield
    out, err = capfd.readouterr()
    for told in (caplog.text, out, err):
        assert KEY not in told
        assert SAID not in told


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_request_on_the_wire_is_one_post_of_json_with_the_key_in_one_header(
    provider: str,
) -> None:
    with speaking(said(http(answer_of(provider)))) as wire:
        summary = at(provider, wire.port)[0].summarize(TURNS)
    (request,) = wire.requests
    head, _, body = request.partition(b"\r\n\r\n")
    line, *headers = head.decode("ascii").lower().split("\r\n")
    path = "/v1/messages" if provider == "anthropic" else "/v1/chat/completions"
    key = f"x-api-key: {KEY}" if provider == "anthropic" else f"authorization: bearer {KEY}"
    assert line == f"post {path} http/1.1"
    assert key in headers
    assert head.count(KEY.encode()) == 1
    assert "content-type: application/json" in headers
    assert ("anthropic-version: 2023-06-01" in headers) is (provider == "anthropic")
    asked = json.loads(body.decode("utf-8"))
    assert asked["model"] == "测试-1"
    assert asked["max_tokens"] > 0
    assert "stream" not in asked
    if provider == "anthropic":
        assert asked["tool_choice"]["type"] == "tool"
    assert KEY.encode() not in body
    assert SAID.encode() in body  # as UTF-8, not as \\u escapes, which cost tokens
    roles = [message["role"] for message in asked["messages"]]
    assert roles == (["user"] if provider == "anthropic" else ["system", "user"])
    assert summary.conclusion == CARD["conclusion"]
    assert summary.producer == f"{provider}:测试-1 card-1"
    assert summary.items[0].kind is Kind.DECISION
    used = (300, 60) if provider == "anthropic" else (200, 50)
    assert (summary.input_tokens, summary.output_tokens) == used


def test_a_local_server_needs_no_key_and_gets_none() -> None:
    with speaking(said(http(answer_of("openai")))) as wire:
        url = f"http://127.0.0.1:{wire.port}/v1"
        for environ in ({}, KEYS):  # the key of OpenAI's own address is none of its business
            opened = open_summarizer("openai", "m", base_url=url, environ=environ)
            assert opened.summarize(TURNS).items
    for request in wire.requests:
        assert b"authorization" not in request.lower()
        assert KEY.encode() not in request


def test_where_a_key_is_missing_the_hint_names_the_setting() -> None:
    with serving(Reply(status=401)) as server:
        opened = open_summarizer("openai", "m", base_url=f"{server.url}/v1", environ=KEYS)
        assert "summarizer.key_variable" in failing(opened).hint
        assert "check the key" in failing(at("openai", server.port)[0]).hint


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(
    "pieces",
    [
        (b"HTTP/1.1 200 OK\r\n", b"content-length: 40\r\n\r\n", *[b" "] * 40),
        (b"HTTP/1.1 200 OK\r\n", *[b"x-wait: yes\r\n"] * 40),
        (*[b"HTTP/1.1 100 Continue\r\n\r\n"] * 40,),
        (b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", *[b"1\r\n \r\n"] * 40),
        (*[b""] * 40,),
    ],
    ids=["body", "headers", "continue", "chunks", "silence"],
)
def test_a_server_that_keeps_on_answering_is_given_up_at_the_timeout_and_not_asked_again(
    provider: str, pieces: tuple[bytes, ...]
) -> None:
    with speaking(said(*pieces, every_s=0.05)) as wire:
        summarizer, pauses = at(provider, wire.port, timeout_s=0.3)
        began = time.monotonic()
        error = failing(summarizer)
        assert time.monotonic() - began < 1.5  # the whole answer would take 2 s and more
    assert "did not answer within 0.3 s" in str(error)
    assert error.fields["unpaid"] is False
    assert (len(wire.requests), pauses) == (1, [])  # a second one might be paid for twice


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(
    "broken",
    [
        b"", b"HTTP/1.1 200 OK\r\n", http(b""),
        b'HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{"conte',
        b'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n64\r\n{"con',
        "\x00 预算\r\n\r\n".encode(), b"HTTP/9 x\r\n\r\n",
    ],
    ids=["nothing", "head", "empty", "body", "chunk", "noise", "status"],
)  # fmt: skip
def test_a_connection_that_breaks_is_tried_again(provider: str, broken: bytes) -> None:
    with speaking(said(broken), said(http(answer_of(provider)))) as wire:
        summarizer, pauses = at(provider, wire.port)
        assert summarizer.summarize(TURNS).items
    assert (len(wire.requests), pauses) == (2, [1.0])
    with speaking(said(broken)) as wire:
        summarizer, pauses = at(provider, wire.port)
        error = failing(summarizer)
    assert (len(wire.requests), pauses) == (3, [1.0, 2.0])
    assert error.fields["unpaid"] is False  # the server had the request


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
    return port


@pytest.mark.parametrize("provider", PROVIDERS)
def test_nobody_at_home_is_unavailable_and_costs_nothing(provider: str) -> None:
    summarizer, pauses = at(provider, _free_port())
    error = failing(summarizer)
    assert "cannot be reached: ConnectionRefusedError" in str(error)
    assert (len(pauses), error.fields["unpaid"]) == (2, True)


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("cause", [socket.gaierror(-2, "no such name"), TimeoutError()])
def test_a_name_that_nobody_knows_and_a_connection_never_made_cost_nothing(
    provider: str, cause: OSError, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(*args: object, **kwargs: object) -> None:
        raise cause

    monkeypatch.setattr(socket, "create_connection", lost)
    error = failing(at(provider, 1)[0])
    assert type(cause).__name__ in str(error)
    assert error.fields["unpaid"] is True


def test_an_attempt_that_was_broken_off_is_not_forgotten_when_a_later_one_is_refused() -> None:
    for status in (503, 404, 401):  # tried again; with another format; not at all
        refusal = http(b"", status=b"%d No" % status)
        with speaking(said(b"HTTP/1.1 200 OK\r\n"), said(refusal)) as wire:
            error = failing(at("openai", wire.port)[0])
        assert (error.fields["status"], error.fields["unpaid"]) == (status, False)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_server_in_trouble_twice_is_asked_a_third_time(provider: str) -> None:
    trouble = Reply(b"oops", status=500)
    good = anthropic(CARD) if provider == "anthropic" else openai(CARD)
    for other in (503, 529):
        with serving(trouble, Reply(status=other), good) as server:
            summarizer, pauses = at(provider, server.port)
            assert summarizer.summarize(TURNS).items
        assert (len(server.asked), pauses) == (3, [1.0, 2.0])
    with serving(trouble) as server:
        error = failing(at(provider, server.port)[0])
    assert (len(server.asked), error.fields["status"]) == (3, 500)  # and no fourth time


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(
    ("told", "pauses"),
    [
        ("7", [7.0]), ("0", [1.0]), ("30", [30.0]), ("soon", [1.0]), ("-5", [1.0]),
        ("Thu, 01 Jan 1970 00:01:10 GMT", [10.0]), ("Thu, 01 Jan 1970 00:00:00 GMT", [1.0]),
        ("Thu, 99 Jan 1970", [1.0]), ("", [1.0]),
    ],
)  # fmt: skip
def test_retry_after_is_obeyed_as_seconds_and_as_a_date(
    provider: str, told: str, pauses: list[float]
) -> None:
    busy = Reply(status=429, headers=(("retry-after", told),))
    good = anthropic(CARD) if provider == "anthropic" else openai(CARD)
    with serving(busy, good) as server:
        summarizer, slept = at(provider, server.port)
        clocked = replace(summarizer.endpoint, now=lambda: 60.0)
        assert replace(summarizer, endpoint=clocked).summarize(TURNS).items
    assert slept == pauses


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("told", ["31", "3600", "9" * 400, "Thu, 01 Jan 2099 00:00:00 GMT"])
def test_a_server_that_asks_for_a_long_rest_gets_it(provider: str, told: str) -> None:
    with serving(Reply(status=429, headers=(("retry-after", told),))) as server:
        summarizer, pauses = at(provider, server.port)
        error = failing(summarizer)
    assert (len(server.asked), pauses) == (1, [])
    assert "left alone" in error.hint
    assert (error.fields["status"], error.fields["unpaid"]) == (429, True)


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_takes_neither_key_nor_text_along(provider: str, status: int) -> None:
    with serving(Reply(answer_of(provider))) as thief:
        away = (("location", f"{thief.url}/v1/messages"),)
        with serving(Reply(status=status, headers=away)) as server:
            error = failing(at(provider, server.port)[0])
        assert thief.asked == []
    assert isinstance(error, Refused)
    assert error.hint is not None
    assert "redirects are not followed" in error.hint


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("status", [401, 403, 413])
def test_a_refused_key_is_told_without_it_though_the_server_repeats_it(
    provider: str, status: int
) -> None:
    with serving(Reply(f"bad key {KEY}".encode(), status=status)) as server:
        error = failing(at(provider, server.port)[0])
    assert (len(server.asked), error.fields["status"]) == (1, status)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_hundred_megabytes_are_not_read(provider: str) -> None:
    sent = [0]

    def flood(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 100000000\r\n\r\n")
        for _ in range(100):
            connection.sendall(b" " * 1_000_000)
            sent[0] += 1_000_000

    with speaking(flood) as wire:
        error = failing(at(provider, wire.port)[0], SummaryInvalid)
    assert f"more than {MOST_BYTES} bytes" in str(error)
    assert sent[0] < 5 * MOST_BYTES  # what fits into the buffers of two sockets comes on top


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(
    "body",
    [
        b"{", b" ", b"null", b"[]", b"[" * 100_000, b"\xff\xfe{}", "预算".encode("gb18030"), b'{"a": ' + b"9" * 5_000 + b"}",
        b'{"a":' * 100_000, b"{}", b'{"type": "error", "error": {"type": "overloaded_error"}}',
        b'{"content": {}, "choices": {}}', b'{"content": [], "choices": []}',
        b'{"content": [null, 3, "x", {"type": "text"}], "choices": [null]}',
        b'{"content": [{"type": "tool_use"}], "choices": [{"message": null}]}',
        b'{"content": [{"type": "tool_use", "input": []}], "choices": [{"message": {}}]}',
        b'{"content": [{"type": "tool_use", "input": "{}"}],'
        b' "choices": [{"message": {"content": [{"type": "text", "text": "{}"}]}}]}',
        b'{"content": [{"type": "tool_use", "input": {"summary": "x"}}],'
        b' "choices": [{"message": {"content": "{\\"summary\\": \\"x\\"}"}}]}',
        b'{"content": [{"type": "tool_use", "input": {"goal": 1}}],'
        b' "choices": [{"message": {"content": "{\\"goal\\": 1}"}}]}',
    ],
)  # fmt: skip
def test_an_answer_of_any_other_shape_is_invalid_and_not_asked_for_again(
    provider: str, body: bytes
) -> None:
    with serving(Reply(body)) as server:
        failing(at(provider, server.port)[0], SummaryInvalid)
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("provider", "reply", "why"),
    [
        ("anthropic", anthropic(CARD, stop="refusal"), "refused"),
        ("anthropic", anthropic(CARD, stop="max_tokens"), "cut off"),
        ("openai", openai(CARD, refusal="I can't help with that."), "refused"),
        ("openai", openai(CARD, finish="content_filter"), "refused"),
        ("openai", openai(CARD, finish="length"), "cut off"),
    ],
)
def test_a_refusal_and_a_cut_answer_are_told_apart(provider: str, reply: Reply, why: str) -> None:
    with serving(reply) as server:
        assert why in str(failing(at(provider, server.port)[0], SummaryInvalid))


def test_an_answer_of_the_messages_api_may_think_before_the_tool() -> None:
    message = json.loads(anthropic(CARD).body)
    thought = {"type": "thinking", "thinking": "林雨 decides", "signature": "x"}
    message["content"] = [thought, {"type": "text", "text": "好"}, *message["content"]]
    message["stop_reason"] = "a new reason"
    message["usage"] = {"input_tokens": 7, "cache_read_input_tokens": 90, "output_tokens": 5}
    with serving(Reply(json.dumps(message).encode())) as server:
        summary = at("anthropic", server.port)[0].summarize(TURNS)
    assert summary.items
    assert (summary.input_tokens, summary.output_tokens) == (97, 5)


@pytest.mark.parametrize("usage", [None, [], "x", {"prompt_tokens": "3"}, {"prompt_tokens": -3}])
def test_a_server_that_counts_no_tokens_is_taken_to_have_counted_none(usage: object) -> None:
    completion = json.loads(openai(CARD).body)
    completion["usage"] = usage
    with serving(Reply(json.dumps(completion).encode())) as server:
        summary = at("openai", server.port)[0].summarize(TURNS)
    assert (summary.input_tokens, summary.output_tokens) == (0, 0)


@pytest.mark.parametrize("status", [400, 404, 422, 501])
def test_formats_are_only_stepped_down_for_a_server_that_does_not_know_them(status: int) -> None:
    thinking = f"<think>{{预算}}</think>\n```json\n{json.dumps(CARD)}\n```\nDone."
    with serving(Reply(status=status), openai(thinking)) as server:
        assert at("openai", server.port)[0].summarize(TURNS).items
    kinds = [body.get("response_format", {}).get("type") for _, _, body in server.asked]
    assert kinds == ["json_schema", "json_object"]
    with serving(Reply(status=status), Reply(status=status), openai(thinking)) as server:
        assert at("openai", server.port)[0].summarize(TURNS).items
    assert "response_format" not in server.asked[-1][2]
    with serving(Reply(status=status)) as server:
        failing(at("openai", server.port)[0])
    assert len(server.asked) == 3
    with serving(Reply(status=401)) as server:
        failing(at("openai", server.port)[0])
    assert len(server.asked) == 1
