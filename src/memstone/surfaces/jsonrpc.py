r"""A JSON-RPC 2.0 conversation over lines: framing, limits, batches and errors, and no method.

What MCP servers of ours have in common, out of the standard library, so that a client has its
first answer before an SDK would be imported. `serve` reads lines, one message or one batch each,
asks a `Handler`, and writes one line an answer, in the order of the requests: a client that sends
ten writes and a read sees its writes. It stops at the end of its input and at nothing else.

It refuses what it cannot hold: a line over `most_bytes` is dropped up to its newline while it
arrives, an answer over `most_answer_bytes` is replaced by what the handler says instead. A line
that is no message is answered by `Handler.fault`; a bug in a handler by `Handler.broke`. Standard
output is the caller's affair; `write` gets whole lines.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Result = Mapping[str, object]
    Message = dict[str, object]

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603

MOST_BYTES = 4 * 1024 * 1024  # of a line: a memory of 256 KiB, spelt in the longest escapes, twice
MOST_ANSWER_BYTES = 16 * 1024 * 1024


class RpcError(Exception):
    """A JSON-RPC error: what a handler raises to answer a request with one."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


class Fault(Enum):
    """Why a line, or a member of a batch, is no message."""

    TOO_LONG = "too_long"
    NOT_JSON = "not_json"
    NOT_A_MESSAGE = "not_a_message"  # JSON, but neither an object nor a batch
    BAD_REQUEST = "bad_request"  # an object that asks for nothing, or in a wrong shape
    NO_BATCHES = "no_batches"
    EMPTY_BATCH = "empty_batch"
    BAD_MEMBER = "bad_member"  # of a batch


_SAID = {
    Fault.TOO_LONG: (INVALID_REQUEST, "Invalid request: the line is too long"),
    Fault.NOT_JSON: (PARSE_ERROR, "Parse error: the line is not JSON in UTF-8"),
    Fault.NOT_A_MESSAGE: (INVALID_REQUEST, "Invalid request: not a JSON-RPC message"),
    Fault.BAD_REQUEST: (INVALID_REQUEST, "Invalid request: not a JSON-RPC 2.0 request"),
    Fault.NO_BATCHES: (INVALID_REQUEST, "Invalid request: this protocol version has no batches"),
    Fault.EMPTY_BATCH: (INVALID_REQUEST, "Invalid request: the batch is empty"),
    Fault.BAD_MEMBER: (INVALID_REQUEST, "Invalid request: not a JSON-RPC 2.0 request"),
}


@dataclass(frozen=True, slots=True)
class Request:
    """One request, or a notification if `wants_answer` is false."""

    method: str
    params: object  # None if absent
    id: object  # text or a whole number; None only in a notification
    wants_answer: bool


class Handler:
    """What a server does with messages: override `answer`, and what else differs.

    `strict`: `jsonrpc` must be "2.0", an id text or a whole number, `params` an object; an answer
    to a request of ours, which we never make, is passed over. Not strict: only `method` must be
    text, and a null id makes a notification. `null_id`: whether the answer to an unreadable line
    has `"id": null`, as JSON-RPC wants, or no id at all.
    """

    most_bytes = MOST_BYTES
    most_answer_bytes = MOST_ANSWER_BYTES
    strict = True
    null_id = True

    def answer(self, request: Request) -> Result | None:
        """The result of a request, None to say nothing at all; raises `RpcError`."""
        raise RpcError(METHOD_NOT_FOUND, "Method not found", {"method": request.method})

    def notice(self, request: Request) -> None:
        """Take note of a notification; there is no answer."""

    def batches(self) -> bool:
        """Whether a line may hold several messages now."""
        return False

    def parse(self, line: bytes) -> object:
        """The value that a line spells; raises `ValueError` or `RecursionError`."""
        return json.loads(line.decode("utf-8"), parse_constant=_refuse_constant)

    def spell(self, message: Message | list[Message]) -> bytes:
        """A message as one line, without the newline; raises `ValueError` on what JSON lacks."""
        text = json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        # a lone surrogate can only come from an escape, and \udcXX is JSON's spelling of it
        return text.encode("utf-8", "backslashreplace")

    def fault(self, fault: Fault) -> RpcError:
        """The error for a line, or a member of a batch, that is no message."""
        return RpcError(*_SAID[fault])

    def broke(self, request: Request, error: Exception) -> RpcError:
        """The error for a request that met a bug of ours."""
        said = f"Internal error: {request.method} met {type(error).__name__}"
        return RpcError(INTERNAL_ERROR, said)

    def too_long(self, request: Request, size: int) -> Result:
        """What is answered when an answer has `size` bytes, too many; raises `RpcError`."""
        said = f"Internal error: the answer to {request.method} has {size} bytes"
        raise RpcError(INTERNAL_ERROR, said)


def serve(read: Callable[[], bytes], write: Callable[[bytes], object], handler: Handler) -> None:
    """Answer every line that `read` brings until it brings nothing.

    `read` returns what has arrived, at least one byte, and `b""` at the end; `write` takes one
    whole line. What they raise ends the conversation.
    """
    for line in lines(read, handler.most_bytes):
        reply = reply_to(line, handler)
        if reply is not None:
            write(reply + b"\n")


def lines(read: Callable[[], bytes], most_bytes: int) -> Iterator[bytes | None]:
    r"""Each line without its newline, blank ones passed over; None for one that is too long.

    >>> parts = iter([b'{"a"', b':1}\n\n[2', b"]", b""])
    >>> list(lines(lambda: next(parts), 100))
    [b'{"a":1}', b'[2]']
    >>> parts = iter([b"1234", b"56789\n7", b""])
    >>> list(lines(lambda: next(parts), 4))
    [None, b'7']
    """
    pending = bytearray()
    dropping = False
    while data := read():
        first, *others = data.split(b"\n")
        if not dropping:
            pending += first
        for part in others:
            line = None if dropping or len(pending) > most_bytes else bytes(pending)
            if line is None or line.strip():
                yield line
            dropping = False
            pending[:] = part
        if len(pending) > most_bytes:
            pending.clear()
            dropping = True
    if dropping:
        yield None
    elif pending.strip():
        yield bytes(pending)


def reply_to(line: bytes | None, handler: Handler) -> bytes | None:
    """The line that answers `line` (None: one that was too long); None if nothing is to be said."""
    if line is None:
        return _unreadable(Fault.TOO_LONG, handler)
    try:
        value = handler.parse(line)
    except (ValueError, RecursionError):
        return _unreadable(Fault.NOT_JSON, handler)
    if isinstance(value, dict):
        return _answered(value, handler, Fault.BAD_REQUEST)
    return _batch_answered(value, handler)


def _batch_answered(value: object, handler: Handler) -> bytes | None:
    """One line for a whole batch, answers in the order of its members."""
    if not isinstance(value, list):
        return _unreadable(Fault.NOT_A_MESSAGE, handler)
    if not handler.batches():
        return _unreadable(Fault.NO_BATCHES, handler)
    if not value:
        return _unreadable(Fault.EMPTY_BATCH, handler)
    replies = [_answered(member, handler, Fault.BAD_MEMBER) for member in value]
    said = [reply for reply in replies if reply is not None]
    return b"[" + b",".join(said) + b"]" if said else None


def _answered(value: object, handler: Handler, fault: Fault) -> bytes | None:
    """The answer to one message, spelt; None for a notification."""
    if isinstance(value, dict) and handler.strict and _is_answer(value):
        return None
    request = _request(value, strict=handler.strict)
    if request is None:
        return _unreadable(fault, handler, _id_of(value))
    if not request.wants_answer:
        _noticed(request, handler)
        return None
    try:
        return _answer(request, handler)
    except RpcError as error:
        return _failed(request.id, error, handler)
    except Exception as error:  # noqa: BLE001  (the main loop: one bad request must not end a session)
        return _failed(request.id, handler.broke(request, error), handler)


def _answer(request: Request, handler: Handler) -> bytes | None:
    result = handler.answer(request)
    if result is None:
        return None
    reply = handler.spell(_envelope(request.id, "result", result))
    if len(reply) <= handler.most_answer_bytes:
        return reply
    shorter = handler.too_long(request, len(reply))
    return handler.spell(_envelope(request.id, "result", shorter))


def _noticed(request: Request, handler: Handler) -> None:
    try:
        handler.notice(request)
    except Exception as error:  # noqa: BLE001  (as above; a notification has no answer)
        handler.broke(request, error)


def _request(value: object, *, strict: bool) -> Request | None:
    """The request or notification that `value` is; None if it is neither."""
    if not isinstance(value, dict) or not isinstance(value.get("method"), str):
        return None
    params, id_ = value.get("params"), value.get("id")
    wants_answer = "id" in value if strict else id_ is not None
    if strict:
        named = not wants_answer or (isinstance(id_, str | int) and not isinstance(id_, bool))
        shaped = params is None or isinstance(params, dict)
        if value.get("jsonrpc") != "2.0" or not named or not shaped:
            return None
    return Request(value["method"], params, id_, wants_answer)


def _is_answer(value: dict[str, object]) -> bool:
    """Whether this is a response: nothing to be answered, even if its request is unknown."""
    return "method" not in value and ("result" in value or "error" in value)


def _id_of(value: object) -> object:
    """The id of a message that is wrong elsewhere, so that its sender can tell which it was."""
    id_ = value.get("id") if isinstance(value, dict) else None
    return id_ if isinstance(id_, str | int) and not isinstance(id_, bool) else None


def _unreadable(fault: Fault, handler: Handler, id_: object = None) -> bytes:
    return _failed(id_, handler.fault(fault), handler)


def _failed(id_: object, error: RpcError, handler: Handler) -> bytes:
    said: dict[str, object] = {"code": error.code, "message": error.message}
    if error.data is not None:
        said["data"] = error.data
    message = _envelope(id_, "error", said)
    if id_ is None and not handler.null_id:
        del message["id"]
    return handler.spell(message)


def _envelope(id_: object, name: str, content: Result) -> Message:
    return {"jsonrpc": "2.0", "id": id_, name: content}


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")
