"""Reading on in a transcript that its client is still writing.

`read_from` begins at a byte offset and ends behind the last complete line; a line that is still
being written is left for the next time. However a file is cut into parts, its parts hold the same
turns, under the same ids, as the whole file imported. An offset that no line begins at belongs to
another file that once had this name: then reading begins anew, which stores nothing twice.

Nothing but a plain file is opened: a path comes from a client, and a pipe would never end.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import stat
from dataclasses import dataclass

from memstone.errors import InvalidInput, SourceError, SourceMissing, brief
from memstone.importers import claude_code, codex
from memstone.importers.source import (
    CHUNK_BYTES,
    MAX_LINE_BYTES,
    UTF8_BOM,
    Line,
    name_field,
    parse_line,
)
from memstone.types import Skipped, Turn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import BinaryIO, Protocol, TypeVar

    from memstone.importers.source import JsonObject

    class Reader(Protocol):
        """What a layout brings: it sees how the file begins, then lines in their order."""

        def begin(self, line: Line, head: bytes) -> None: ...

        def turns(self, line: Line) -> Iterator[Turn | Skipped]: ...

    T = TypeVar("T")


READERS: Mapping[str, Callable[[str], Reader]] = {
    "claude-code": claude_code.Reader,
    "codex": codex.Reader,
}
NAMERS: Mapping[str, Callable[[JsonObject], object]] = {
    "claude-code": claude_code.session_in,
    "codex": codex.session_in,
}
SESSION_LINES = 50  # in which a transcript must have named its session


@dataclass(frozen=True, slots=True)
class TranscriptPart:
    """What one reading found. `skipped` counts lines from where it began, the first being 1."""

    turns: tuple[Turn, ...]
    offset: int  # behind the last complete line read: where to go on
    skipped: tuple[Skipped, ...] = ()
    more: bool = False  # a limit ended it; complete lines may follow


@dataclass(slots=True)
class _Limits:
    """How much is left to read."""

    turns: int | None
    end: int | None  # byte offset

    def over(self, turns: int, offset: int) -> bool:
        many = self.turns is not None and turns >= self.turns
        return many or (self.end is not None and offset >= self.end)


def identity_source(client: str) -> str:
    """The source by which turns of a client's transcripts are known, imported or captured.

    >>> identity_source("codex")
    'transcript:codex'
    """
    return f"transcript:{client}"


def read_from(
    path: str | os.PathLike[str],
    client: str,
    offset: int = 0,
    *,
    most_turns: int | None = None,
    most_bytes: int | None = None,
) -> TranscriptPart:
    """The turns of complete lines from `offset` on; at least one line, then until a limit.

    Raises `SourceMissing` if there is no such file, `SourceError` if it cannot be read or is no
    plain file, `InvalidInput` for a client without transcripts that can be read.
    """
    reader = _of(READERS, client)(_stem(path))
    name = os.fspath(path)
    found: list[Turn] = []
    skipped: list[Skipped] = []
    with _opened(name) as stream:
        position = start = _start(stream, offset)
        limits = _Limits(most_turns, None if most_bytes is None else start + most_bytes)
        head = stream.read(codex.LOOK_BYTES)
        for line, _ in _complete_lines(stream, 0):
            if _says_anything(line):
                reader.begin(line, head)
                break
        for line, end in _complete_lines(stream, start):
            if position > start and limits.over(len(found), position):
                return TranscriptPart(tuple(found), position, tuple(skipped), more=True)
            position = end
            for entry in reader.turns(line) if _says_anything(line) else ():
                if isinstance(entry, Turn):
                    found.append(entry)
                else:
                    skipped.append(entry)
    return TranscriptPart(tuple(found), position, tuple(skipped))


def session_of(path: str | os.PathLike[str], client: str) -> str | None:
    """What a transcript calls its session, None if its beginning does not say; raises as
    `read_from` does.
    """
    session_in = _of(NAMERS, client)
    with _opened(os.fspath(path)) as stream:
        for line, _ in itertools.islice(_complete_lines(stream, 0), SESSION_LINES):
            with contextlib.suppress(SourceError):  # a damaged line names nothing
                session = name_field(session_in(parse_line(line)), "session")
                if session is not None:
                    return session
    return None


def _of(known: Mapping[str, T], client: str) -> T:
    if client not in known:
        raise InvalidInput(
            f"client: there is no reader for transcripts of {brief(client)!r}",
            hint=f"one of {', '.join(known)}",
            name="client",
            value=brief(client),
        )
    return known[client]


def _stem(path: str | os.PathLike[str]) -> str:
    """The file's name without its ending: the session of lines that name none."""
    return os.fsencode(os.path.splitext(os.path.basename(path))[0]).decode("utf-8", "replace")


@contextlib.contextmanager
def _opened(name: str) -> Iterator[BinaryIO]:
    """The file `name`, for reading; whatever fails while it is open is its fault."""
    try:
        if not stat.S_ISREG(os.stat(name).st_mode):
            raise SourceError(f"{name}: not a plain file", path=name)
        with open(name, "rb", buffering=0) as stream:
            yield stream
    except FileNotFoundError as error:
        raise SourceMissing(f"{name}: no such file", path=name) from error
    except OSError as error:
        message = f"{name}: cannot be read: {error.strerror or error}"
        raise SourceError(message, path=name) from error
    except ValueError as error:  # a NUL byte or half a surrogate pair: no file has such a name
        raise SourceMissing(f"{name!r}: no file can have this name", path=name) from error


def _start(stream: BinaryIO, offset: int) -> int:
    """`offset` if a line begins there, else the start of the file."""
    if not 0 < offset <= os.fstat(stream.fileno()).st_size:
        return 0
    stream.seek(offset - 1)
    return offset if stream.read(1) == b"\n" else 0


def _complete_lines(stream: BinaryIO, start: int) -> Iterator[tuple[Line, int]]:
    """Every line from `start` on that has its end, blank ones too, and where the next one begins.

    An over-long one comes without its data, which is dropped while it streams past.
    """
    stream.seek(start)
    parts: list[bytes] = []
    size, number, position = 0, 1, start
    while chunk := stream.read(CHUNK_BYTES):
        *ended, rest = chunk.split(b"\n")
        for piece in ended:
            size += len(piece)
            data = b"".join((*parts, piece)) if size <= MAX_LINE_BYTES else None
            if position == 0 and data is not None:
                data = data.removeprefix(UTF8_BOM)
            position += size + 1
            yield Line(number, data), position
            parts, size, number = [], 0, number + 1
        size += len(rest)
        if size <= MAX_LINE_BYTES:
            parts.append(rest)
        else:
            parts.clear()


def _says_anything(line: Line) -> bool:
    return line.data is None or bool(line.data.strip())
