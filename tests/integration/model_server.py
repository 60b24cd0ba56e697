"""A local server that speaks the two protocols of model endpoints, with answers made to order, and
the two adapters put on it.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from memstone.summarization import open_summarizer

if TYPE_CHECKING:
    from collections.abc import Iterator

KEY = "sk-this-key-must-never-be-seen-0123456789"
KEYS = {"ANTHROPIC_API_KEY": KEY, "OPENAI_API_KEY": KEY}
PROVIDERS = ("anthropic", "openai")
CARD: dict[str, object] = {
    "goal": "",
    "conclusion": "We decided to use PostgreSQL.",
    "next_action": "",
    "items": [
        {
            "kind": "decision",
            "text": "We decided to use PostgreSQL.",
            "turns": [0],
            "subject": "",
            "attribute": "",
        }
    ],
    "tags": ["postgresql"],
    "entities": ["PostgreSQL"],
}


@dataclass(frozen=True)
class Reply:
    """One answer: a status with headers and a body, a wait, or a dropped connection."""

    body: bytes = b""
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    wait_s: float = 0.0
    drop: bool = False


@dataclass
class ModelServer:
    """What it was asked so far, and what it says next; the last reply is repeated."""

    replies: list[Reply]
    port: int = 0
    asked: list[tuple[str, dict[str, str], dict[str, Any]]] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


def anthropic(card: object, *, stop: str = "tool_use", used: tuple[int, int] = (300, 60)) -> Reply:
    """A message as the Messages API sends it for a forced tool call."""
    message = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "toolu_1", "name": "write_card", "input": card}],
        "stop_reason": stop,
        "usage": {"input_tokens": used[0], "output_tokens": used[1]},
    }
    return Reply(json.dumps(message).encode())


def openai(content: object, *, finish: str = "stop", refusal: str | None = None) -> Reply:
    """A chat completion."""
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    message = {"role": "assistant", "content": text, "refusal": refusal}
    completion = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 200, "completion_tokens": 50, "total_tokens": 250},
    }
    return Reply(json.dumps(completion).encode())


@contextmanager
def serving(*replies: Reply) -> Iterator[ModelServer]:
    """A server with those replies, on a free port of this machine."""
    state = ModelServer(list(replies))

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            state.asked.append((self.path, headers, json.loads(body)))
            reply = state.replies.pop(0) if len(state.replies) > 1 else state.replies[0]
            time.sleep(reply.wait_s)
            if reply.drop:
                self.connection.shutdown(socket.SHUT_RDWR)
                return
            self.send_response(reply.status)
            for name, value in reply.headers:
                self.send_header(name, value)
            self.send_header("content-length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Say nothing."""

        def handle(self) -> None:
            try:
                super().handle()
            except (OSError, ValueError):
                self.close_connection = True  # dropped on purpose, or the client has gone

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = False  # so that closing it waits for the answer under way
    state.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def answer_of(provider: str, card: object = CARD) -> bytes:
    return (anthropic(card) if provider == "anthropic" else openai(card)).body


def at(provider: str, port: int, timeout_s: float = 5.0) -> tuple[Any, list[float]]:
    """The summarizer at that port, impatient: its pauses are noted instead of slept."""
    url = f"http://127.0.0.1:{port}" + ("/v1" if provider == "openai" else "")
    summarizer: Any = open_summarizer(
        provider, "测试-1", base_url=url, key_variable=f"{provider.upper()}_API_KEY", environ=KEYS
    )
    pauses: list[float] = []
    endpoint = replace(
        summarizer.endpoint, timeout_s=timeout_s, sleep=pauses.append, spread=lambda: 0.5
    )
    return replace(summarizer, endpoint=endpoint), pauses
