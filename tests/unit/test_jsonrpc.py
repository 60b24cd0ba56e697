"""The JSON-RPC loop by itself: framing, limits, batches, and what it says to what is no message."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstone.surfaces.jsonrpc import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    PARSE_ERROR,
    Fault,
    Handler,
    Request,
    RpcError,
    lines,
    reply_to,
    serve,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

ASKED = {"jsonrpc": "2.0", "id": 1, "method": "say", "params": {"text": "猫"}}


class Parrot(Handler):
    """A server that says what it is told, and knows what it was told."""

    most_bytes = 1_000
    most_answer_bytes = 1_000
    with_batches = True

    def __init__(self) -> None:
        self.noticed: list[str] = []

    def answer(self, request: Request) -> Mapping[str, object] | None:
        if request.method == "fail":
            raise RpcError(-32000, "not today", {"why": "雨"})
        if request.method == "break":
            raise ZeroDivisionError
        if request.method == "hush":
            return None
        if request.method == "much":
            return {"text": "x" * 2_000}
        return {"said": request.params}

    def notice(self, request: Request) -> None:
        self.noticed.append(request.method)
        if request.method == "break":
            raise ZeroDivisionError

    def batches(self) -> bool:
        return self.with_batches


class Loose(Parrot):
    """One that looks at little."""

    strict = False
    null_id = False


def said(line: bytes | object, handler: Handler | None = None) -> Any:
    """The answer to one line; None if there is none."""
    data = line if isinstance(line, bytes) else json.dumps(line).encode()
    reply = reply_to(data, handler or Parrot())
    return None if reply is None else json.loads(reply)


def code_of(line: bytes | object, handler: Handler | None = None) -> int:
    code: int = said(line, handler)["error"]["code"]
    return code


def conversed(data: bytes, handler: Handler, *, chunk: int = 7) -> list[Any]:
    """Everything answered to a stream of bytes that arrives in chunks."""
    parts = [data[at : at + chunk] for at in range(0, len(data), chunk)]
    written: list[bytes] = []
    serve(lambda: parts.pop(0) if parts else b"", written.append, handler)
    assert all(line.endswith(b"\n") and b"\n" not in line[:-1] for line in written)
    return [json.loads(line) for line in written]


def test_a_request_is_answered_with_its_id() -> None:
    assert said(ASKED) == {"jsonrpc": "2.0", "id": 1, "result": {"said": {"text": "猫"}}}
    assert said(ASKED | {"id": "猫"})["id"] == "猫"


def test_a_notification_gets_no_answer_even_if_it_breaks_something() -> None:
    parrot = Parrot()
    assert said({"jsonrpc": "2.0", "method": "look"}, parrot) is None
    assert said({"jsonrpc": "2.0", "method": "break"}, parrot) is None
    assert parrot.noticed == ["look", "break"]


def test_a_handler_may_say_nothing_at_all() -> None:
    assert said(ASKED | {"method": "hush"}) is None


def test_errors_of_a_handler_and_bugs_are_answers_too() -> None:
    assert said(ASKED | {"method": "fail"})["error"] == {
        "code": -32000,
        "message": "not today",
        "data": {"why": "雨"},
    }
    assert code_of(ASKED | {"method": "break"}) == INTERNAL_ERROR


def test_an_answer_that_is_too_long_is_not_sent() -> None:
    assert code_of(ASKED | {"method": "much"}) == INTERNAL_ERROR


@pytest.mark.parametrize(
    "line",
    [
        b"nonsense",
        b"{",
        b'{"a": NaN}',
        b'{"id": Infinity}',
        b"\xff\xfe",
        '{"a":"猫"}'.encode("utf-16"),
        b"[" * 100_000,
        b'{"id": ' + b"9" * 10_000 + b"}",
    ],
)
def test_what_is_not_json_is_a_parse_error(line: bytes) -> None:
    answer = said(line)
    assert answer["error"]["code"] == PARSE_ERROR
    assert answer["id"] is None


@pytest.mark.parametrize(
    "message",
    [
        7,
        "猫",
        None,
        {},
        {"jsonrpc": "1.0", "id": 1, "method": "say"},
        {"id": 1, "method": "say"},
        {"jsonrpc": "2.0", "id": 1},
        {"jsonrpc": "2.0", "id": 1, "method": 7},
        {"jsonrpc": "2.0", "id": None, "method": "say"},
        {"jsonrpc": "2.0", "id": True, "method": "say"},
        {"jsonrpc": "2.0", "id": 1.5, "method": "say"},
        {"jsonrpc": "2.0", "id": {}, "method": "say"},
        {"jsonrpc": "2.0", "id": 1, "method": "say", "params": [1]},
    ],
)
def test_json_that_is_no_request_is_an_invalid_request(message: object) -> None:
    assert code_of(message) == INVALID_REQUEST


def test_an_invalid_request_is_answered_under_its_id_where_it_has_one() -> None:
    assert said({"id": 5, "method": "say"})["id"] == 5


@pytest.mark.parametrize("content", [{"result": {}}, {"error": {"code": 1, "message": ""}}])
def test_an_answer_to_what_we_never_asked_is_passed_over(content: dict[str, object]) -> None:
    assert said({"jsonrpc": "2.0", "id": 1, **content}) is None


def test_a_loose_server_answers_what_has_a_method() -> None:
    assert said({"id": 1.5, "method": "say", "params": [1]}, Loose())["id"] == 1.5
    assert said({"id": None, "method": "say"}, Loose()) is None
    assert "id" not in said(b"nonsense", Loose())


def test_a_batch_is_answered_in_one_line_and_in_order() -> None:
    batch = [ASKED, {"jsonrpc": "2.0", "method": "look"}, 7, ASKED | {"id": "b", "method": "fail"}]
    first, second, third = said(batch)
    assert first["result"] == {"said": {"text": "猫"}}
    assert (second["id"], second["error"]["code"]) == (None, INVALID_REQUEST)
    assert (third["id"], third["error"]["code"]) == ("b", -32000)


def test_a_batch_of_notifications_gets_no_answer() -> None:
    assert said([{"jsonrpc": "2.0", "method": "look"}] * 3) is None


def test_an_empty_batch_and_one_where_there_are_none_are_errors() -> None:
    parrot = Parrot()
    assert code_of([], parrot) == INVALID_REQUEST
    parrot.with_batches = False
    assert code_of([ASKED], parrot) == INVALID_REQUEST


def test_half_a_character_goes_through_as_its_escape() -> None:
    reply = reply_to(rb'{"jsonrpc":"2.0","id":"\udc80","method":"say"}', Parrot())
    assert reply is not None
    assert rb'"id":"\udc80"' in reply


def test_blank_lines_and_a_last_line_without_an_end_are_read() -> None:
    line = json.dumps(ASKED, ensure_ascii=False).encode()
    assert len(conversed(b"\n  \r\n" + line + b"\r\n\n" + line, Parrot())) == 2


def test_a_line_that_is_too_long_is_dropped_and_the_next_one_answered() -> None:
    line = json.dumps(ASKED).encode() + b"\n"
    long = b'{"text": "' + b"x" * 5_000 + b'"}\n'
    for chunk in (1, 7, 4_096, 1 << 20):
        first, second, third = conversed(line + long + line, Parrot(), chunk=chunk)
        assert first == third == said(ASKED)
        assert second["error"]["code"] == INVALID_REQUEST


def test_a_line_that_never_ends_takes_no_more_than_the_limit() -> None:
    held: list[int] = []

    def endless() -> bytes:
        held.append(1)
        return b"x" * 500 if len(held) < 1_000 else b""

    assert list(lines(endless, 1_000)) == [None]


def test_every_fault_has_an_error() -> None:
    assert {Handler().fault(fault).code for fault in Fault} == {PARSE_ERROR, INVALID_REQUEST}


@given(
    texts=st.lists(st.binary(max_size=40).filter(lambda each: b"\n" not in each)),
    chunk=st.integers(1, 9),
)
def test_lines_are_the_same_however_they_arrive(texts: list[bytes], chunk: int) -> None:
    data = b"".join(text + b"\n" for text in texts)
    parts = [data[at : at + chunk] for at in range(0, len(data), chunk)]
    wanted = [None if len(text) > 20 else text for text in texts if len(text) > 20 or text.strip()]
    assert list(lines(lambda: parts.pop(0) if parts else b"", 20)) == wanted
