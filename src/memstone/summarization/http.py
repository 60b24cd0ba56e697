"""One POST of JSON to a model's endpoint: bounded in time and size, tried again where it may help.

A connection that fails or drops, 429 and 5xx are tried again, with a pause that doubles and that a
`Retry-After` may lengthen; who is told to wait longer than `LONGEST_PAUSE_S` gives up. An answer
that does not come in time is final: the model may be at work on it, and asking again would be paid
for twice. The time is that of the whole answer, so that a server that sends a byte now and then
holds nobody up. Redirects are refused: a key and a conversation go where the user said, nowhere
else. No error repeats a key or a text.
"""

from __future__ import annotations

import json
import random
import time
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from io import BufferedReader, RawIOBase
from urllib.parse import urlsplit

from memstone.errors import SummarizerUnavailable, SummaryInvalid
from memstone.summarization.addresses import check

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Mapping

ATTEMPTS = 3
FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 30.0
MOST_BYTES = 4 * 1024 * 1024  # of an answer: a card has a few kilobytes
AGAIN = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
KEY_HEADERS = frozenset({"authorization", "x-api-key"})
LAST_MOMENT_S = 0.001  # a socket's timeout of 0 would mean something else


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where to, with which headers, and how patiently. Raises `ConfigError` for a bad address, and
    for plain http to a host that is not near unless `plain_http` allows it.
    """

    url: str
    headers: Mapping[str, str] = field(repr=False)  # one of them is the key
    timeout_s: float = 60.0  # from the first byte of a connection to the last of the answer
    plain_http: bool = False  # also to hosts beyond this machine and private networks
    attempts: int = ATTEMPTS
    sleep: Callable[[float], object] = time.sleep
    spread: Callable[[], float] = random.random
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], float] = time.time  # for a `Retry-After` that names a date

    def __post_init__(self) -> None:
        check(self.url, plain_http=self.plain_http)

    @property
    def host(self) -> str:
        """What an error may name of it."""
        return urlsplit(self.url).netloc


class Refused(SummarizerUnavailable):
    """The endpoint answered with an error status; `retry_after` are the seconds it asks for."""

    def __init__(
        self, endpoint: Endpoint, status: int, *, retry_after: float = 0.0, hint: str | None = None
    ) -> None:
        super().__init__(f"{endpoint.host} answered {status}", hint=hint, status=status)
        self.status = status
        self.retry_after = retry_after


class Unconnected(SummarizerUnavailable):
    """No connection came about (nobody listens, no such name, no TLS): nothing was sent."""


class BrokenOff(SummarizerUnavailable):
    """The connection broke after the request was sent, or while it was: it may have been worked on
    and paid for. Worth another attempt.
    """


def post(endpoint: Endpoint, body: object) -> dict[str, object]:
    """The JSON object that the endpoint answers with.

    Raises `SummarizerUnavailable` (`Refused` for an error status) with `unpaid` in its fields: True
    if no attempt can have cost tokens; `SummaryInvalid` for an answer that is no JSON object.
    """
    data = json.dumps(body, ensure_ascii=False).encode("utf-8")
    unpaid, attempt = True, 1
    while True:
        try:
            return _once(endpoint, data)
        except SummarizerUnavailable as error:
            unpaid = unpaid and isinstance(error, (Refused, Unconnected))
            error.fields["unpaid"] = unpaid
            asked = _wait(error)
            if asked is None or attempt >= endpoint.attempts:
                raise
        pause = min(FIRST_PAUSE_S * 2 ** (attempt - 1), LONGEST_PAUSE_S)
        endpoint.sleep(max(pause * (0.5 + endpoint.spread()), asked))
        attempt += 1


def _wait(error: SummarizerUnavailable) -> float | None:
    """Seconds to wait at least before another attempt; None if one is of no use."""
    if isinstance(error, Refused) and error.status in AGAIN:
        return error.retry_after if error.retry_after <= LONGEST_PAUSE_S else None
    return 0.0 if isinstance(error, (Unconnected, BrokenOff)) else None


def _once(endpoint: Endpoint, data: bytes) -> dict[str, object]:
    """One attempt."""
    deadline = endpoint.clock() + endpoint.timeout_s
    connection = _connection(endpoint)
    try:
        connection.connect()
    except OSError as error:  # a timeout here is one: nobody was asked yet
        connection.close()
        raise Unconnected(
            f"{endpoint.host} cannot be reached: {type(error).__name__}",
            hint="check summarizer.base_url, and that the server runs",
        ) from error
    try:
        with _response(endpoint, connection, deadline, data) as response:
            content = response.read(MOST_BYTES + 1) if response.status == 200 else b""
    except TimeoutError as error:
        raise SummarizerUnavailable(
            f"{endpoint.host} did not answer within {endpoint.timeout_s:g} s",
            hint="raise summarizer.timeout, or take a faster model",
        ) from error
    except (OSError, HTTPException) as error:
        raise BrokenOff(
            f"{endpoint.host} broke off the connection: {type(error).__name__}",
            hint="check summarizer.base_url, and the log of the server",
        ) from error
    finally:
        connection.close()
    whole = len(content) > MOST_BYTES or (content and not response.length)
    if response.status == 200 and not whole:
        raise BrokenOff(f"{endpoint.host} broke off its answer")
    return _answer(endpoint, response, content)


def _response(
    endpoint: Endpoint, connection: HTTPConnection, deadline: float, data: bytes
) -> HTTPResponse:
    """The answer, its head read; every read of the rest keeps to the deadline."""

    class Timed(HTTPResponse):
        def __init__(
            self, sock: socket.socket, debuglevel: int = 0, method: str | None = None
        ) -> None:
            super().__init__(sock, debuglevel, method)
            self.fp.close()
            self.fp = BufferedReader(_Reader(sock, lambda: deadline - endpoint.clock()))

    connection.response_class = Timed
    headers = {"content-type": "application/json", **endpoint.headers}
    connection.request("POST", urlsplit(endpoint.url).path or "/", body=data, headers=headers)
    return connection.getresponse()


class _Reader(RawIOBase):
    """The bytes of a socket for as long as there is time left; `TimeoutError` then."""

    def __init__(self, sock: socket.socket, left: Callable[[], float]) -> None:
        self._sock = sock
        self._file = sock.makefile("rb", buffering=0)  # keeps the socket open until it is closed
        self._left = left

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int | None:  # type: ignore[override]
        left = self._left()
        if left <= 0:
            raise TimeoutError
        self._sock.settimeout(max(left, LAST_MOMENT_S))
        return self._file.readinto(buffer)

    def close(self) -> None:
        self._file.close()
        super().close()


def _answer(endpoint: Endpoint, response: HTTPResponse, content: bytes) -> dict[str, object]:
    status = response.status
    if 300 <= status < 400:
        raise Refused(endpoint, status, hint="redirects are not followed; name the final address")
    if status != 200:
        asked = _seconds(response.headers.get("retry-after", ""), endpoint.now())
        hint = _about_the_key(endpoint) if status in {401, 403} else None
        if asked > LONGEST_PAUSE_S:
            hint = f"it asks to be left alone for {asked:.0f} s"
        raise Refused(endpoint, status, retry_after=asked, hint=hint)
    if len(content) > MOST_BYTES:
        raise SummaryInvalid(f"{endpoint.host}: an answer of more than {MOST_BYTES} bytes")
    try:
        value = json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise SummaryInvalid(f"{endpoint.host}: the answer is not JSON") from error
    if not isinstance(value, dict):
        raise SummaryInvalid(f"{endpoint.host}: the answer is not a JSON object")
    return value


def _seconds(told: str, now: float) -> float:
    """What a `Retry-After` asks for: seconds, or a date; 0 if it is neither.

    >>> _seconds("7", 0), _seconds("Thu, 01 Jan 1970 00:01:30 GMT", 60), _seconds("bald", 0)
    (7.0, 30.0, 0.0)
    """
    if told.isascii() and told.isdecimal():
        return float(told[:9])
    from email.utils import parsedate_to_datetime  # noqa: PLC0415  (most name seconds)

    try:
        return max(parsedate_to_datetime(told[:64]).timestamp() - now, 0.0)
    except (ValueError, OverflowError):
        return 0.0


def _about_the_key(endpoint: Endpoint) -> str:
    if KEY_HEADERS.isdisjoint(endpoint.headers):
        return "no key was sent: name its variable in summarizer.key_variable"
    return "check the key in the environment"


def _connection(endpoint: Endpoint) -> HTTPConnection:
    parts = urlsplit(endpoint.url)
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    return kind(parts.hostname or "", parts.port, timeout=endpoint.timeout_s)
