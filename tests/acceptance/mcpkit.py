"""MCP servers for tests: real processes, spoken to line by line or with the SDK's own client.

`Server` writes JSON-RPC by hand, so that a test can also say what no client would. `asked` lets the
SDK's client talk, in either era. Both use the sources that the tests use.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import select
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from tests.acceptance.cli import environment

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Mapping

    from mcp import Client

T = TypeVar("T")
ERAS = ("legacy", "auto")
MODERN = "2026-07-28"
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "测试", "version": "1"},
}
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "测试", "version": "1"},
}
SECONDS = 60.0


def command(*options: str, strict: bool = True) -> list[str]:
    """The command line of a server; `strict`: warnings are errors, as for every child of a test."""
    flags = ["-W", "error", "-X", "warn_default_encoding"] if strict else []
    return [sys.executable, *flags, "-m", "memstone", "mcp", *options]


@dataclass
class Server:
    """A server on pipes."""

    process: subprocess.Popen[bytes]
    number: int = 0
    _rest: bytes = field(default=b"", repr=False)

    @classmethod
    def start(
        cls,
        home: str | os.PathLike[str],
        *options: str,
        cwd: str | os.PathLike[str] | None = None,
        **env: str,
    ) -> Self:
        """A server on the store in `home`, started outside any repository."""
        return cls(
            subprocess.Popen(
                command(*options),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment(home, **env),
                cwd=cwd,
            )
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def send(self, line: bytes) -> None:
        """This line as it is."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def answer(self, seconds: float = SECONDS) -> Any:
        """The next line of the server."""
        assert self.process.stdout is not None
        handle, until = self.process.stdout.fileno(), time.monotonic() + seconds
        while b"\n" not in self._rest:
            assert select.select([handle], [], [], max(0.0, until - time.monotonic()))[0], "silent"
            part = os.read(handle, 1 << 20)
            assert part, self.log()
            self._rest += part
        line, _, self._rest = self._rest.partition(b"\n")
        return json.loads(line.decode("utf-8"))

    def ask(self, method: str, **params: Any) -> Any:
        """The whole answer to one request."""
        self.number += 1
        asked = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        self.send(json.dumps(asked).encode())
        answer = self.answer()
        assert (answer["jsonrpc"], answer["id"]) == ("2.0", self.number)
        return answer

    def tell(self, method: str, **params: Any) -> None:
        """A notification."""
        self.send(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode())

    def hello(self, version: str = "2025-11-25") -> Self:
        """The handshake."""
        self.ask("initialize", **(HELLO | {"protocolVersion": version}))
        self.tell("notifications/initialized")
        return self

    def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """What a tool answers, as values; the same stands in the text."""
        result = self.ask("tools/call", name=tool, arguments=arguments)["result"]
        content: dict[str, Any] = result["structuredContent"]
        assert [json.loads(part["text"]) for part in result["content"]] == [content]
        assert result["isError"] == ("error" in content), content
        return content

    def code(self, tool: str, /, **arguments: Any) -> str:
        """The code of the error that a tool answers."""
        code: str = self.call(tool, **arguments)["error"]["code"]
        return code

    def end(self) -> int:
        """Close its input; the exit code."""
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.wait(SECONDS)
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()
        return self.process.returncode

    def log(self) -> str:
        """What it wrote to standard error, once it has ended."""
        assert self.process.stderr is not None
        return self.process.stderr.read().decode("utf-8", "replace")


def tool_errors(server: Server, calls: Mapping[str, Mapping[str, object]]) -> dict[str, str]:
    """The error code that each of several calls gets."""
    return {tool: server.code(tool, **arguments) for tool, arguments in calls.items()}


def asked(
    home: str | os.PathLike[str],
    talk: Callable[[Client], Awaitable[T]],
    *options: str,
    mode: str = "auto",
    cwd: Path | None = None,
) -> T:
    """What `talk` makes of the SDK's client on a stdio server of its own."""
    from mcp import Client, StdioServerParameters

    words = command(*options)
    started = StdioServerParameters(
        command=words[0], args=words[1:], env=environment(home), cwd=cwd
    )

    async def run() -> T:
        async with Client(started, mode=mode, read_timeout_seconds=SECONDS) as client:
            return await talk(client)

    return asyncio.run(run())


@dataclass(frozen=True)
class Website:
    """A server over HTTP."""

    url: str
    token: str
    log: str

    @property
    def port(self) -> int:
        return int(self.url.split(":")[2].split("/")[0])


@contextlib.contextmanager
def website(home: str | os.PathLike[str], *options: str) -> Iterator[Website]:
    """A server over HTTP on a free loopback port."""
    words = command("--http", "127.0.0.1:0", *options, strict=False)
    with subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(home),
    ) as process:
        assert process.stderr is not None
        log = b""
        try:
            while b"serving" not in log or not log.endswith(b"\n"):
                line = process.stderr.readline()
                assert line, log
                log += line
            said = log.decode()
            found = re.search(r"serving (\S+)", said)
            assert found is not None
            path = re.search(r"bearer token in (\S+)", said)
            token = "" if path is None else Path(path[1]).read_text("utf-8").strip()
            yield Website(found[1], token, said)
        finally:
            process.terminate()
            out, _ = process.communicate(timeout=SECONDS)
            assert out == b""
            assert process.returncode == 0
