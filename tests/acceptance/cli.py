"""Ways to call the command line from a test: in this process, as a process, on a terminal."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memstone.surfaces.cli.app import main

if TYPE_CHECKING:
    from collections.abc import Mapping

MIXED = "café 猫 🙂"
NOBODY = "mem_0000000000000000"
SOURCES = Path(__file__).parents[2] / "src"
SYSTEM = ("PATH", "HOME", "SYSTEMROOT", "TEMP", "TMP", "LOCPATH")


@dataclass(frozen=True)
class Answer:
    """What a call gave back, as bytes."""

    code: int
    out: bytes
    err: bytes

    @property
    def document(self) -> Any:
        """Standard output as one JSON document."""
        assert self.out.endswith(b"\n")
        return json.loads(self.out.decode("utf-8"))

    @property
    def lines(self) -> list[Any]:
        """Standard output as JSON lines."""
        return [json.loads(line) for line in self.out.decode("utf-8").splitlines()]

    @property
    def error(self) -> dict[str, Any]:
        """The error that stands as JSON on the last line of standard error."""
        error: dict[str, Any] = json.loads(self.err.decode("utf-8").splitlines()[-1])["error"]
        return error

    def ok(self) -> Answer:
        """This answer, if the call succeeded."""
        assert self.code == 0, self.err.decode("utf-8", "replace")
        return self


class _Terminal(io.TextIOWrapper):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def call(*arguments: str, stdin: bytes = b"", terminal: str | None = None) -> Answer:
    """The command line run in this process.

    Its streams are pipes, or with `terminal` a terminal of that encoding.
    """
    kind = io.TextIOWrapper if terminal is None else _Terminal
    encoding = terminal or "ascii"  # what a pipe says must not matter
    out = kind(io.BytesIO(), encoding=encoding)
    err = kind(io.BytesIO(), encoding=encoding, errors="backslashreplace")
    before = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(arguments)
    finally:
        sys.stdin = before
    return Answer(code, _bytes_of(out), _bytes_of(err))


def _bytes_of(stream: io.TextIOWrapper) -> bytes:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue()


def remember(text: str, *options: str) -> str:
    """The id of a text remembered."""
    identity: str = call("remember", text, *options).ok().document["id"]
    return identity


def recalled(query: str, *options: str) -> list[str]:
    """The texts that a recall gives back."""
    return [hit["text"] for hit in call("recall", query, *options).ok().document["hits"]]


def seen(*words: str, encoding: str = "utf-8", code: int = 0) -> str:
    """What a terminal shows, without its colours."""
    answer = call(*words, terminal=encoding)
    assert answer.code == code, answer.err
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", (answer.out + answer.err).decode(encoding))


def environment(home: str | os.PathLike[str], **more: str) -> dict[str, str]:
    """A bare environment for a child process whose store is in `home`."""
    kept = {name: os.environ[name] for name in SYSTEM if name in os.environ}
    return kept | {"PYTHONPATH": str(SOURCES), "MEMSTONE_HOME": os.fspath(home)} | more


def process(
    *arguments: str | bytes,
    env: Mapping[str, str],
    stdin: bytes = b"",
    cwd: str | os.PathLike[str] | None = None,
) -> Answer:
    """The command line run as a process of its own, warnings being errors."""
    done = subprocess.run(
        [
            sys.executable,
            "-W",
            "error",
            "-X",
            "warn_default_encoding",
            "-m",
            "memstone",
            *arguments,
        ],
        input=stdin,
        capture_output=True,
        env=dict(env),
        cwd=cwd,
        timeout=60,
        check=False,
    )
    return Answer(done.returncode, done.stdout, done.stderr)


def on_terminal(*arguments: str, env: Mapping[str, str]) -> Answer:
    """The command line run with a pseudo-terminal for both output streams (POSIX only)."""
    import pty

    leader, follower = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-W", "error", "-m", "memstone", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=follower,
        stderr=follower,
        env={"TERM": "xterm", "COLUMNS": "120", "LINES": "40"} | dict(env),
    ) as child:
        os.close(follower)
        parts = []
        with contextlib.suppress(OSError):  # Linux reports the end of a terminal as EIO
            while part := os.read(leader, 65536):
                parts.append(part)
        os.close(leader)
    return Answer(child.returncode, b"".join(parts).replace(b"\r\n", b"\n"), b"")
