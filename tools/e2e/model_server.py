"""A fake model on loopback that real clients take for theirs: it records and follows a script.

`FakeModel` serves POST /v1/messages (with count_tokens) to Claude Code and POST /v1/responses to
Codex. Every request with a body is kept in the order of arrival. What to answer is a function from
the request to a `Reply`, set anew for each session. Anything else that a client asks for (model
lists, telemetry) gets an empty JSON object and is kept by its path, so that the report can name it.
"""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self

from tools.e2e import anthropic_wire, responses_wire
from tools.e2e.requests import ModelRequest, Reply

if TYPE_CHECKING:
    from collections.abc import Callable


class FakeModel:
    """The server and what it has been asked; use it in a `with` block."""

    def __init__(self) -> None:
        self.answer: Callable[[ModelRequest], Reply] = lambda _request: Reply()
        self.others: list[str] = []
        self._requests: list[ModelRequest] = []
        self._lock = threading.Lock()
        handler = type("BoundHandler", (_Handler,), {"model": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def address(self) -> str:
        """The base address, without a path."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def begin(self, answer: Callable[[ModelRequest], Reply]) -> None:
        """Forget what was asked and answer by `answer` from now on."""
        with self._lock:
            self._requests.clear()
            self.answer = answer

    @property
    def requests(self) -> tuple[ModelRequest, ...]:
        """The requests for an answer since `begin`, token counts left out."""
        with self._lock:
            return tuple(self._requests)

    def record(self, path: str, body: dict[str, Any]) -> ModelRequest:
        """The request as kept."""
        with self._lock:
            request = ModelRequest(path, body, time.monotonic(), len(self._requests) + 1)
            self._requests.append(request)
            return request


class _Handler(BaseHTTPRequestHandler):
    model: FakeModel
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self._body()
        path = self.path.partition("?")[0]
        if body is None or not path.endswith(("/messages", "/count_tokens", "/responses")):
            self._other()
        elif path.endswith("/count_tokens"):
            self._json(anthropic_wire.counted(ModelRequest(path, body, 0.0, 0)))
        else:
            request = self.model.record(path, body)
            reply = self.model.answer(request)
            if path.endswith("/responses"):
                self._stream(responses_wire.events(request, reply))
            elif body.get("stream"):
                self._stream(anthropic_wire.events(request, reply))
            else:
                self._json(anthropic_wire.message(request, reply))

    def do_GET(self) -> None:
        self._other()

    do_HEAD = do_GET  # noqa: N815 - the name that http.server calls

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - theirs
        """Nothing: requests are kept, not logged."""

    def _body(self) -> dict[str, Any] | None:
        """The JSON object of the request, or None if it is something else."""
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        try:
            body = json.loads(raw)
        except ValueError:
            return None
        return body if isinstance(body, dict) else None

    def _other(self) -> None:
        self.model.others.append(f"{self.command} {self.path.partition('?')[0]}")
        self._json({"data": [], "models": []})

    def _json(self, value: dict[str, Any]) -> None:
        self._send("application/json", json.dumps(value).encode())

    def _stream(self, events: list[tuple[str, dict[str, Any]]]) -> None:
        lines = [
            f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n"
            for name, data in events
        ]
        self._send("text/event-stream", "".join(lines).encode())

    def _send(self, kind: str, content: bytes) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)
