"""Files from elsewhere as turns and memories: streaming, one module a format.

`read` opens a file, tells its format by what is in it (never by its name), and returns an
iterator of turns or memories in file order. Bad lines never stop the good ones: each comes as
`Skipped` with its number and a reason that repeats nothing of the file. What concerns the whole
file raises at the call, before the first entry: missing, a folder, UTF-16, an unknown layout.

Importers store nothing and decide nothing about identity beyond naming it: the same file read
twice gives the same sessions, external ids and ordinals, and so the same turns.
"""

from __future__ import annotations

import contextlib

from memstone.errors import InvalidInput, SourceError, brief
from memstone.importers import chat, claude_code, codex, locomo, memstone_export, messages
from memstone.importers.source import UTF8_BOM, Line, Source, parse_value
from memstone.importers.transcripts import (
    READERS,
    TranscriptPart,
    identity_source,
    read_from,
    session_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping
    from types import TracebackType
    from typing import BinaryIO, Protocol, Self

    from memstone.importers.source import JsonObject
    from memstone.types import Memory, Skipped, Turn

    Entry = Turn | Memory | Skipped

    class _Layout(Protocol):
        """What a module of a format with one entry a line brings."""

        def recognises(self, entry: JsonObject, /) -> bool: ...

        def read(self, source: Source, /) -> Iterator[Entry]: ...


__all__ = [
    "FORMATS",
    "Reading",
    "TranscriptPart",
    "detect",
    "identity_source",
    "read",
    "read_from",
    "session_of",
]

CHAT = "chat"
LOCOMO = "locomo"
EXPORT = "memstone"
MESSAGES = "messages"
CLAUDE_CODE = "claude-code"
CODEX = "codex"
FORMATS = (CHAT, LOCOMO, EXPORT, MESSAGES, CLAUDE_CODE, CODEX)
DETECT_BYTES = 1024 * 1024  # LoCoMo's questions stand before its conversation: 60 KB and more
DETECT_LINES = 50


class Reading:
    """The entries of one open file, once, in file order; closes it at the end.

    Also a context manager, for readers that may stop early. `format` is one of `FORMATS`.
    """

    def __init__(self, source: Source, format: str, entries: Iterator[Entry]) -> None:  # noqa: A002
        self.name = source.name
        self.format = format
        self._source = source
        self._entries = entries

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Entry:
        with contextlib.ExitStack() as stack:
            stack.callback(self.close)  # at the end of the file, or on what ends the import
            entry = next(self._entries)
            stack.pop_all()
        return entry

    @property
    def identity_source(self) -> str | None:
        """The source by which its turns are known when a hook captures the same transcript; None
        if no hook reads this format.
        """
        return identity_source(self.format) if self.format in READERS else None

    @property
    def line(self) -> int:
        """The line of the entry yielded last; 0 if the format has no lines."""
        return self._source.line

    def close(self) -> None:
        self._source.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def detect(path: str | os.PathLike[str]) -> str:
    """The format of the file at `path`, one of `FORMATS`, by its content.

    Raises `SourceMissing` if there is no such file, `SourceError` if it cannot be read or is of
    no known format.
    """
    with contextlib.closing(Source(path)) as source:
        return _format_of(source)


def read(
    file: str | os.PathLike[str] | BinaryIO,
    format: str | None = None,  # noqa: A002
    *,
    sample: str | None = None,
) -> Reading:
    """The entries of `file`, a path or a binary file object, in file order.

    `format` is one of `FORMATS`, None to detect it; `sample` picks one dialogue of a LoCoMo file.
    Raises as `detect` does, and `InvalidInput` for an unknown `format` or `sample`.

    >>> import io
    >>> list(read(io.BytesIO('{"role": "user", "content": "早", "session": "s"}'.encode())))
    ... # doctest: +ELLIPSIS
    [Turn(text='早', speaker='user', session='s', at=None, external_id=None, ...)]
    """
    if format is not None and format not in FORMATS:
        raise InvalidInput(
            f"format: {brief(format)!r} is not known",
            hint=_format_hint(),
            name="format",
            value=brief(format),
        )
    with contextlib.ExitStack() as stack:
        source = Source(file)
        stack.callback(source.close)
        chosen = format or _format_of(source)
        reading = Reading(source, chosen, _entries(source, chosen, sample))
        stack.pop_all()
    return reading


_BY_LINE: Mapping[str, _Layout] = {  # the one that asks for least last
    EXPORT: memstone_export,
    CLAUDE_CODE: claude_code,
    CODEX: codex,
    CHAT: chat,
}


def _entries(source: Source, chosen: str, sample: str | None) -> Iterator[Entry]:
    if chosen == LOCOMO:
        return locomo.read(source, sample)
    if sample is not None:
        raise InvalidInput(
            f"sample: a file of format {chosen} holds one conversation, not several samples",
            hint=f"leave it out; it belongs to --format {LOCOMO}",
            name="sample",
            value=sample,
        )
    if chosen == MESSAGES:
        return messages.read(source, by_line=_is_by_line(source))
    return _BY_LINE[chosen].read(source)


def _format_of(source: Source) -> str:
    head = source.head(DETECT_BYTES).removeprefix(UTF8_BOM)
    if not head.strip():
        raise SourceError(
            f"{source.name}: there is nothing in it", hint=_format_hint(), path=source.name
        )
    lines = [line for line in head.split(b"\n") if line.strip()]
    found = list(filter(None, map(_format_of_line, lines[:DETECT_LINES])))
    # The last line of a pretty-printed array parses on its own; one line of many is no layout.
    if found and (len(lines) == 1 or 2 * len(found) >= min(len(lines), DETECT_LINES)):
        return max(FORMATS, key=found.count)
    if locomo.recognises(head):
        return LOCOMO
    if messages.recognises_start(head):
        return MESSAGES
    if len(lines) == 1 and claude_code.recognises_start(head):
        return CLAUDE_CODE
    if len(lines) == 1 and chat.recognises_start(head):
        return CHAT
    raise SourceError(
        f"{source.name}: its format is not recognised", hint=_format_hint(), path=source.name
    )


def _format_of_line(data: bytes) -> str | None:
    try:
        entry = parse_value(Line(0, data))
    except SourceError:  # a damaged line, or one of a pretty-printed value, says nothing
        return None
    if messages.recognises(entry):
        return MESSAGES
    if not isinstance(entry, dict):
        return None
    return next((name for name, layout in _BY_LINE.items() if layout.recognises(entry)), None)


def _is_by_line(source: Source) -> bool:
    """Whether most lines are a conversation of their own, and not the only one."""
    lines = source.head(DETECT_BYTES).removeprefix(UTF8_BOM).strip().split(b"\n")
    found = [_format_of_line(line) == MESSAGES for line in lines[:DETECT_LINES]]
    return len(lines) > 1 and 2 * sum(found) >= len(found)


def _format_hint() -> str:
    return f"name it with --format, one of {', '.join(FORMATS)}"
