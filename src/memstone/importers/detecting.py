"""What is read, and by which module: the table of formats, and the way from a path to its entry.

A format is told by content, never by a name: a text by its lines, by the whole of it or by how it
begins; a zip and a folder by the files in it; a database by its columns. The first entry of a table
that knows it reads it, so that those that ask for least stand last. To add a format is to add its
entry. Nothing here is loaded by a hook, which reads only transcripts and knows of which client.
"""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import dataclass

from memstone.errors import InvalidInput, SourceError
from memstone.importers import (
    basic_memory,
    cavemem_store,
    chat,
    chatgpt,
    claude_ai,
    claude_code,
    claude_mem_store,
    codex,
    exports,
    locomo,
    mcp_memory,
    mem0,
    memstone_export,
    messages,
    obsidian,
)
from memstone.importers.archive import MAGIC as ZIP_MAGIC
from memstone.importers.archive import Archive, Folder
from memstone.importers.foreign_sqlite import MAGIC as DATABASE_MAGIC
from memstone.importers.foreign_sqlite import columns_of
from memstone.importers.source import UTF8_BOM, Line, Source, parse_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import BinaryIO, Protocol

    from memstone.types import Memory, Note, Skipped, Turn

    Entry = Turn | Memory | Note | Skipped

    class _Lines(Protocol):
        """What a module of a format with one entry a line brings."""

        def recognises(self, entry: dict[str, object], /) -> bool: ...

        def read(self, source: Source, /) -> Iterator[Entry]: ...


DETECT_BYTES = 1024 * 1024  # LoCoMo's questions stand before its conversation: 60 KB and more
DETECT_LINES = 50
MESSAGES = "messages"


def _never(_: object) -> bool:
    return False


class Database:
    """A file of SQLite, not held open: whoever closes such a file drops the locks on it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.line = 0  # its rows have numbers of their own

    def close(self) -> None:
        """Nothing to close."""


Place = Source | Archive | Folder | Database


@dataclass(frozen=True, slots=True, kw_only=True)
class _Text:
    """A format of text. `knows` is asked about the value of a line, and with `whole` about that of
    a short file; `starts` about the head of a longer or a damaged one.
    """

    name: str
    read: Callable[[Source, str | None], Iterator[Entry]]
    knows: Callable[[object], bool] = _never
    whole: bool = False
    starts: Callable[[bytes], bool] = _never
    starts_line: Callable[[bytes], bool] = _never  # the same, of a file that is one long line
    samples: bool = False  # it holds several, and one may be picked


@dataclass(frozen=True, slots=True)
class _Export:
    """A format of several files, in a zip or unpacked; one of them alone is a text."""

    name: str
    layout: exports.Layout

    @property
    def text(self) -> _Text:
        return _Text(
            name=self.name,
            read=lambda source, _: exports.read(source, self.layout),
            knows=self.layout.recognises,
            whole=True,
            starts=self.layout.recognises_start,
        )


@dataclass(frozen=True, slots=True)
class _Path:
    """A format that is a folder or a database; both functions take its path."""

    name: str
    knows: Callable[[str], bool]
    read: Callable[[str], Iterator[Entry]]


def _by_line(name: str, module: _Lines, starts_line: Callable[[bytes], bool] = _never) -> _Text:
    """A format whose module knows it by any of its lines."""
    return _Text(
        name=name,
        read=lambda source, _: module.read(source),
        knows=lambda value: isinstance(value, dict) and module.recognises(value),
        starts_line=starts_line,
    )


EXPORTS = (_Export("chatgpt", chatgpt), _Export("claude-ai", claude_ai))
TEXTS = (
    *(export.text for export in EXPORTS),
    _Text(name="mem0", read=mem0.read, knows=mem0.recognises, whole=True, samples=True),
    _Text(name="locomo", read=locomo.read, starts=locomo.recognises, samples=True),
    _Text(
        name=MESSAGES,
        read=lambda source, _: messages.read(source, by_line=_is_by_line(source)),
        knows=messages.recognises,
        starts=messages.recognises_start,
    ),
    _by_line("memstone", memstone_export),
    _by_line("claude-code", claude_code, claude_code.recognises_start),
    _by_line("codex", codex),
    _by_line("mcp-memory", mcp_memory),
    _by_line("chat", chat, chat.recognises_start),
)
FOLDERS = (
    _Path("basic-memory", basic_memory.recognises, basic_memory.read),
    _Path("obsidian", obsidian.recognises, obsidian.read),
)
DATABASES = (
    _Path("cavemem", lambda path: cavemem_store.recognises(columns_of(path)), cavemem_store.read),
    _Path(
        "claude-mem",
        lambda path: claude_mem_store.recognises(columns_of(path)),
        claude_mem_store.read,
    ),
)
FORMATS: tuple[str, ...] = (
    *(text.name for text in TEXTS),
    *(path.name for path in (*FOLDERS, *DATABASES)),
)


def place_of(file: str | os.PathLike[str] | BinaryIO) -> Place:
    """What lies at a path, or in a binary file object, opened; whoever asks closes it.

    Raises `SourceMissing` if there is nothing, `SourceError` if it cannot be read.
    """
    if isinstance(file, str | os.PathLike) and os.path.isdir(file):
        return Folder(os.fspath(file))
    with ExitStack() as stack:
        source = Source(file)
        stack.callback(source.close)
        if source.head(4) in ZIP_MAGIC:
            archive = Archive(source)
            stack.pop_all()
            return archive
        if source.head(len(DATABASE_MAGIC)) == DATABASE_MAGIC:
            if source.is_path:
                return Database(source.name)
            raise SourceError(
                f"{source.name}: a database cannot be read from a stream",
                hint="name its file",
                path=source.name,
            )
        stack.pop_all()
    return source


def format_of(place: Place) -> str:
    """The name of the format of what is there; raises `SourceError` if none knows it."""
    if isinstance(place, Source):
        return _format_of_text(place)
    if isinstance(place, Archive):
        return _format_of_archive(place)
    if isinstance(place, Folder):
        for export in EXPORTS:
            if exports.recognises(place, export.layout):
                return export.name
    for path in _paths(place):
        if path.knows(place.name):
            return path.name
    raise _unknown(place.name)


def entries_of(place: Place, name: str, sample: str | None) -> Iterator[Entry]:
    """The entries of a place, read as the format `name`.

    Raises `SourceError` if it is nothing that is read so, `InvalidInput` if there are no samples.
    """
    text = next((each for each in TEXTS if each.name == name), None)
    if sample is not None and not (text is not None and text.samples):
        with_samples = ", ".join(each.name for each in TEXTS if each.samples)
        raise InvalidInput(
            f"sample: a file of format {name} holds one conversation, not several samples",
            hint=f"leave it out; it belongs to {with_samples}",
            name="sample",
            value=sample,
        )
    if isinstance(place, Source) and text is not None:
        return text.read(place, sample)
    if isinstance(place, Archive | Folder):
        for export in EXPORTS:
            if export.name == name:
                return exports.read(place, export.layout)
    for path in _paths(place):
        if path.name == name:
            return path.read(place.name)
    raise SourceError(
        f"{place.name}: {_KINDS[type(place)]}, of which no {name} is read",
        hint=hint(),
        path=place.name,
    )


def _paths(place: Place) -> tuple[_Path, ...]:
    if isinstance(place, Folder):
        return FOLDERS
    return DATABASES if isinstance(place, Database) else ()


_KINDS: Mapping[type, str] = {
    Source: "a text",
    Archive: "a zip",
    Folder: "a folder",
    Database: "a database",
}


def hint() -> str:
    """The way out of an unknown format."""
    return f"name it with --format, one of {', '.join(FORMATS)}"


def _unknown(name: str) -> SourceError:
    return SourceError(f"{name}: its format is not recognised", hint=hint(), path=name)


def _format_of_archive(archive: Archive) -> str:
    refused: list[str] = []
    held = 0
    for export in EXPORTS:
        members, faults = archive.find(export.layout.FILES)
        refused += faults
        held += len(members)
        if exports.recognises(archive, export.layout):
            return export.name
    if held:
        raise _unknown(archive.name)
    expected = "; ".join(f"{export.name}: {export.layout.EXPECTED}" for export in EXPORTS)
    raise SourceError(
        f"{archive.name}: {refused[0] if refused else 'there is no known export in the zip'}",
        hint=f"expected is one with {expected}",
        path=archive.name,
    )


def _format_of_text(source: Source) -> str:
    head = source.head(DETECT_BYTES).removeprefix(UTF8_BOM)
    if not head.strip():
        raise SourceError(f"{source.name}: there is nothing in it", hint=hint(), path=source.name)
    lines = [line for line in head.split(b"\n") if line.strip()]
    found = list(filter(None, map(_format_of_line, lines[:DETECT_LINES])))
    # The last line of a pretty-printed array parses on its own; one line of many is no layout.
    if found and (len(lines) == 1 or 2 * len(found) >= min(len(lines), DETECT_LINES)):
        return max(FORMATS, key=found.count)
    value = _value(head) if len(head) < DETECT_BYTES else None
    for text in TEXTS:
        if text.starts(head) or (text.whole and text.knows(value)):
            return text.name
        if len(lines) == 1 and text.starts_line(head):
            return text.name
    raise _unknown(source.name)


def _value(data: bytes) -> object:
    """The JSON value of a line or of a short file, None if it is none: that says nothing."""
    try:
        return parse_value(Line(0, data))
    except SourceError:
        return None


def _format_of_line(data: bytes) -> str | None:
    value = _value(data)
    return next((text.name for text in TEXTS if text.knows(value)), None)


def _is_by_line(source: Source) -> bool:
    """Whether most lines are a conversation of their own, and not the only one."""
    lines = source.head(DETECT_BYTES).removeprefix(UTF8_BOM).strip().split(b"\n")
    found = [_format_of_line(line) == MESSAGES for line in lines[:DETECT_LINES]]
    return len(lines) > 1 and 2 * sum(found) >= len(found)
