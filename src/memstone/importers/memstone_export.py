"""Our own export: a header line, then one memory a line as `wire.memory_to_json` spells it.

The header, `{"memstone_export": 1, …}`, states the layout's version: a newer one ends the import
before anything is stored, because guessing at unknown fields would lose them. A header that is
missing or damaged does not cost the memories behind it, and several exports may follow each
other in one file.

`wire` checks every text against its `text_sha256`, so that a bit that flipped on the way is
reported instead of becoming what somebody is said to have said.
"""

from __future__ import annotations

from memstone.errors import MemstoneError, SourceError
from memstone.importers.source import JsonObject, Source, parse_line, skipped, turn_text
from memstone.wire import memory_from_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstone.types import Memory, Skipped

HEADER = "memstone_export"
VERSION = 1  # the layout this importer reads


def recognises(entry: JsonObject) -> bool:
    """Whether one parsed line is a header or a memory of an export.

    >>> recognises({"memstone_export": 1})
    True
    """
    return HEADER in entry or {"id", "text", "scope", "created_at"} <= entry.keys()


def read(source: Source) -> Iterator[Memory | Skipped]:
    """The memories of `source` in file order; a line that is none comes as `Skipped`.

    Raises `SourceError` on an export of a newer layout.
    """
    for line in source.lines():
        try:
            entry = parse_line(line)
            if HEADER not in entry:
                yield _memory(entry)
                continue
        except MemstoneError as error:
            yield skipped(line.number, error)
            continue
        _check_version(entry[HEADER], source.name)


def _memory(entry: JsonObject) -> Memory:
    try:
        memory = memory_from_json(entry)
    except MemstoneError as error:
        raise SourceError(_without_value(error)) from error
    if not memory.is_file:  # a file may be blank
        turn_text(memory.text, "text")
    return memory


def _without_value(error: MemstoneError) -> str:
    """The message with no value of the file in it, which may be a secret out of place."""
    value = error.fields.get("value")
    return error.message if value is None else error.message.replace(repr(value), "its value")


def _check_version(version: object, name: str) -> None:
    if version != VERSION or isinstance(version, bool):
        raise SourceError(
            f"{name}: an export of another layout than {VERSION}, the one this memstone reads",
            hint="import it with the memstone that wrote it, or a newer one",
            path=name,
        )
