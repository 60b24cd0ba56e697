"""Files from elsewhere as turns, notes and memories: streaming, one module a format.

`read` opens a file, a zip, a folder or a database, tells its format by what is in it (never by its
name), and returns an iterator of entries in their order. Bad ones never stop the good ones: each
comes as `Skipped` with its line, or its number where a format has no useful lines, and a reason
that repeats nothing of the file. What concerns the whole file raises at the call, before the first
entry: missing, UTF-16, an unknown layout.

Importers store nothing and decide nothing about identity beyond naming it: the same file read
twice gives the same sessions, external ids and ordinals, and so the same turns.
"""

from __future__ import annotations

import contextlib

from memstone.errors import InvalidInput, brief
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
    from collections.abc import Iterator
    from types import TracebackType
    from typing import BinaryIO, Self

    from memstone.importers.detecting import DETECT_BYTES, FORMATS, Place
    from memstone.types import Memory, Note, Skipped, Turn

    Entry = Turn | Memory | Note | Skipped

__all__ = [
    "DETECT_BYTES",
    "FORMATS",
    "Reading",
    "TranscriptPart",
    "detect",
    "identity_source",
    "read",
    "read_from",
    "session_of",
]


def __getattr__(name: str) -> object:
    """The table of formats is loaded when it is asked for: a hook reads only transcripts."""
    if name not in {"DETECT_BYTES", "FORMATS"}:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from memstone.importers import detecting  # noqa: PLC0415

    return getattr(detecting, name)


class Reading:
    """The entries of one open file, once, in file order; closes it at the end.

    Also a context manager, for readers that may stop early. `format` is one of `FORMATS`.
    """

    def __init__(self, source: Place, format: str, entries: Iterator[Entry]) -> None:  # noqa: A002
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
        """The line of the entry yielded last, or its number; 0 if the format counts otherwise."""
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
    """The format of what lies at `path`, one of `FORMATS`, by its content.

    Raises `SourceMissing` if there is nothing, `SourceError` if it cannot be read or is of no known
    format.
    """
    from memstone.importers import detecting  # noqa: PLC0415

    with contextlib.closing(detecting.place_of(path)) as place:
        return detecting.format_of(place)


def read(
    file: str | os.PathLike[str] | BinaryIO,
    format: str | None = None,  # noqa: A002
    *,
    sample: str | None = None,
) -> Reading:
    """The entries of `file`, a path or a binary file object, in file order.

    `format` is one of `FORMATS`, None to detect it; `sample` picks one dialogue of a LoCoMo file,
    or one user of mem0. Raises as `detect` does, and `InvalidInput` for an unknown `format` or
    `sample`.

    >>> import io
    >>> list(read(io.BytesIO('{"role": "user", "content": "早", "session": "s"}'.encode())))
    ... # doctest: +ELLIPSIS
    [Turn(text='早', speaker='user', session='s', at=None, external_id=None, ...)]
    """
    from memstone.importers import detecting  # noqa: PLC0415

    if format is not None and format not in detecting.FORMATS:
        raise InvalidInput(
            f"format: {brief(format)!r} is not known",
            hint=detecting.hint(),
            name="format",
            value=brief(format),
        )
    with contextlib.ExitStack() as stack:
        place = detecting.place_of(file)
        stack.callback(place.close)
        chosen = format or detecting.format_of(place)
        reading = Reading(place, chosen, detecting.entries_of(place, chosen, sample))
        stack.pop_all()
    return reading
