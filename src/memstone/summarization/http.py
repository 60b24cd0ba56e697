"""One POST of JSON to a model's endpoint: bounded in time and size, tried again where it may help.

A timeout, a dropped connection, 429 and 5xx are tried again, with a pause that doubles and that a
`Retry-After` may set (up to `LONGEST_PAUSE_S`); everything else is final. Redirects are refused: a
key and a conversation go where the user said, nowhere else. No error repeats a key or a text.
"""

from __future__ import annotations

import json
import random
import time
from dataclasses import dataclass
from urllib.parse import urlsplit

from memstone.errors import ConfigError, SummarizerUnavailable, SummaryInvalid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from http.client import HTTPConnection, HTTPResponse

ATTEMPTS = 3
FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 30.0
MOST_BYTES = 4 * 1024 * 1024  # of an answer: a card has a few kilobytes
AGAIN = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where to, with which headers, and how patiently."""

    url: str
    headers: Mapping[str, str]
    timeout_s: float = 60.0
    attempts: int = ATTEMPTS
    sleep: Callable[[float], object] = time.sleep
    spread: Callable[[], float] = random.random

    @property
    def host(self) -> str:
        """What an error may name of it."""
        return urlsplit(self.url).netloc.rpartition("@")[2]


class Refused(SummarizerUnavailable):
    """The endpoint answered with an error status; `status` says which."""

    def __init__(self, endpoint: Endpoint, status: int, hint: str | None = None) -> None:
        super().__init__(f"{endpoint.host} answered {status}", hint=hint, status=status)
        self.status = status


def post(endpoint: Endpoint, body: object) -> dict[str, object]:
    """The JSON object that the endpoint answers with.

    Raises `SummarizerUnavailable` (`Refused` for an error status), `SummaryInvalid` for an answer
    that is no JSON object.
    """
    data = json.dumps(body, ensure_ascii=False).encode("utf-8")
    failure: SummarizerUnavailable | None = None
    for attempt in range(endpoint.attempts):
        if attempt:
            pause = min(FIRST_PAUSE_S * 2 ** (attempt - 1), LONGEST_PAUSE_S)
            asked = 0.0 if failure is None else float(str(failure.fields.get("retry_after", 0)))
            endpoint.sleep(max(pause * (0.5 + endpoint.spread()), min(asked, LONGEST_PAUSE_S)))
        try:
            return _once(endpoint, data)
        except Refused as error:
            if error.status not in AGAIN:
                raise
            failure = error
        except SummarizerUnavailable as error:
            failure = error
    assert failure is not None  # every attempt that comes here failed
    raise failure


def _once(endpoint: Endpoint, data: bytes) -> dict[str, object]:
    from http.client import HTTPException  # noqa: PLC0415  (only who asks a model needs HTTP)

    connection = _connection(endpoint)
    parts = urlsplit(endpoint.url)
    try:
        connection.request(
            "POST",
            parts.path or "/",
            body=data,
            headers={"content-type": "application/json", **endpoint.headers},
        )
        with connection.getresponse() as response:
            content = response.read(MOST_BYTES + 1)
    except TimeoutError as error:
        raise SummarizerUnavailable(
            f"{endpoint.host} did not answer within {endpoint.timeout_s:g} s"
        ) from error
    except (OSError, HTTPException) as error:
        raise SummarizerUnavailable(
            f"{endpoint.host} cannot be reached: {type(error).__name__}",
            hint="check summarizer.base_url, and that the server runs",
        ) from error
    finally:
        connection.close()
    return _answer(endpoint, response, content)


def _answer(endpoint: Endpoint, response: HTTPResponse, content: bytes) -> dict[str, object]:
    status = response.status
    if 300 <= status < 400:
        raise Refused(endpoint, status, hint="redirects are not followed; name the final address")
    if status != 200:
        hint = "check the key in the environment" if status in {401, 403} else None
        refused = Refused(endpoint, status, hint=hint)
        after = response.headers.get("retry-after", "")
        refused.fields["retry_after"] = float(after) if after.isdecimal() else 0.0
        raise refused
    if len(content) > MOST_BYTES:
        raise SummaryInvalid(f"{endpoint.host}: an answer of more than {MOST_BYTES} bytes")
    try:
        value = json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise SummaryInvalid(f"{endpoint.host}: the answer is not JSON") from error
    if not isinstance(value, dict):
        raise SummaryInvalid(f"{endpoint.host}: the answer is not a JSON object")
    return value


def _connection(endpoint: Endpoint) -> HTTPConnection:
    from http.client import HTTPConnection, HTTPSConnection  # noqa: PLC0415

    parts = urlsplit(endpoint.url)
    try:
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if parts.scheme not in {"http", "https"} or not host:
        raise ConfigError(
            "summarizer.base_url: not an address such as https://host/v1",
            hint="begin it with http:// or https://",
            key="summarizer.base_url",
        )
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    return kind(host, port, timeout=endpoint.timeout_s)
