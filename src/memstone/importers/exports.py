"""What somebody exported from a chat service: conversations of one file, a zip or a folder.

Here is what the formats have in common: the files of an export in their order, their conversations
one at a time (`elements`), each numbered over the whole export, because a JSON value has no useful
lines; only a file with a conversation a line is numbered by its lines. A file that is damaged is
reported, and the next one is read.
"""

from __future__ import annotations

import contextlib

from memstone.errors import SourceError
from memstone.importers.elements import elements
from memstone.importers.source import Source
from memstone.types import Skipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Protocol

    from memstone.importers.archive import Archive, Folder, Member, Wanted
    from memstone.importers.elements import Element
    from memstone.types import Note, Turn

    Entry = Turn | Note | Skipped

    class Reader(Protocol):
        """Makes entries of one conversation after another."""

        def entries(self, value: object, default: str, number: int, /) -> Iterator[Entry]:
            """Those of the conversation `number`, called `default` if it names no session."""

    class Layout(Protocol):
        """What the module of a service brings."""

        FILES: Wanted  # read, in this order
        LEFT_OUT: Wanted  # not even opened, but mentioned
        EXPECTED: str  # what it is that is read

        def recognises(self, value: object, /) -> bool: ...

        def recognises_start(self, head: bytes, /) -> bool: ...

        def Reader(self) -> Reader: ...  # noqa: N802


LOOK_BYTES = 1024 * 1024  # a conversation that begins with a long title is still known
LOOK_FILES = 3  # the first may hold nothing


def recognises(export: Archive | Folder, layout: Layout) -> bool:
    """Whether an export is one of this service. Raises `SourceError` if it cannot be read."""
    members, _ = export.find(layout.FILES)
    for member in members[:LOOK_FILES]:
        with contextlib.suppress(SourceError), contextlib.closing(member.open()) as source:
            if layout.recognises_start(source.head(LOOK_BYTES)):
                return True
    return False


def read(place: Source | Archive | Folder, layout: Layout) -> Iterator[Entry]:
    """The entries of a file or of an export, in order; bad ones come as `Skipped`.

    Raises `SourceError` if there is nothing in it that could be read.
    """
    reader = layout.Reader()
    if isinstance(place, Source):
        return _entries(elements(place), place.stem, place, reader)
    members, refused = place.find(layout.FILES)
    if not members:
        raise SourceError(
            f"{place.name}: {refused[0] if refused else 'there is no export in it'}",
            hint=f"expected is {layout.EXPECTED}",
            path=place.name,
        )
    left_out, _ = place.find(layout.LEFT_OUT)
    return _export(place, members, reader, (refused, len(left_out)))


def _entries(
    found: Iterator[Element], stem: str, counter: Source | Archive | Folder, reader: Reader
) -> Iterator[Entry]:
    """The entries of one file; `counter` tells the number of the last conversation."""
    before = counter.line
    for element in found:
        counter.line = number = before + element.number
        if element.fault is not None:
            yield Skipped(number, element.fault)
        else:
            yield from reader.entries(element.value, f"{stem}-{element.number}", number)


def _export(
    export: Archive | Folder, members: list[Member], reader: Reader, left: tuple[list[str], int]
) -> Iterator[Entry]:
    refused, left_out = left
    for member in members:
        try:
            with contextlib.closing(member.open()) as source:
                yield from _entries(elements(source), source.stem, export, reader)
        except SourceError as error:
            export.line += 1
            yield Skipped(export.line, error.message)
    for reason in refused:
        yield Skipped(export.line, reason)
    if left_out:
        files = "1 file" if left_out == 1 else f"{left_out} files"
        yield Skipped(export.line, f"{files} of projects left out: no conversations", bad=False)
