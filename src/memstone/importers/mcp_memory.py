"""The file of the MCP memory server: JSON Lines of entities with observations, and of relations.

Every observation is a memory of its own, about its entity, with the entity's type as a tag; every
relation is one of three parts. Neither has an id, so that each is known by what it says.

That server rewrites its file while others may be writing it: a record cut in half with the next
one glued to it is what its users meet, and it refuses the whole file then. Here each whole object
on such a line is read, and the rest of the line is reported. Quotation marks inside a text are
escaped, which is why the beginning of a record cannot be found inside another one's text.
"""

from __future__ import annotations

import json
import re

from memstone.errors import MemstoneError, SourceError
from memstone.importers.noted import about, known_as, labels, note_text, relation
from memstone.importers.source import (
    JsonObject,
    Line,
    Source,
    name_field,
    parse_json,
    parse_value,
    skipped,
)
from memstone.types import Note, Skipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

ENTITY = "entity"
RELATION = "relation"
BEGINNING = '{"type":'  # as every program writes a record
MAX_FAILURES = 100  # on one line: a hostile one has millions of beginnings
_SIGN = re.compile(r"\S")


def recognises(entry: JsonObject) -> bool:
    """Whether one parsed line is a record of this layout.

    >>> recognises({"type": "entity", "name": "张伟", "entityType": "person", "observations": []})
    True
    """
    if entry.get("type") == ENTITY:
        return "name" in entry and "observations" in entry
    return entry.get("type") == RELATION and "relationType" in entry


def read(source: Source) -> Iterator[Note | Skipped]:
    """The observations and relations of `source` in file order; what is neither as `Skipped`."""
    for line in source.lines():
        for record in _records(line):
            if isinstance(record, Skipped):
                yield record
            else:
                yield from _notes(record, line.number)


def _records(line: Line) -> Iterator[JsonObject | Skipped]:
    """The objects of a line: one as a rule, each whole one of a damaged line."""
    try:
        value = parse_value(line)
    except SourceError as error:
        found, complete = _whole_objects((line.data or b"").decode("utf-8", "surrogateescape"))
        yield from found
        if not complete:
            rest = "; what is whole on the line was read" if found else ""
            yield Skipped(line.number, error.message + rest)
        return
    if isinstance(value, dict):
        yield value
    else:
        yield Skipped(line.number, "the line is JSON, but not an object")


def _whole_objects(text: str) -> tuple[list[JsonObject], bool]:
    """The records of a damaged line that can be read, and whether nothing else is on it."""
    decoder = json.JSONDecoder(strict=False)
    found: list[JsonObject] = []
    complete, failures, done = bool(text.strip()), 0, 0
    position = len(text) - len(text.lstrip())
    while 0 <= position < len(text) and failures < MAX_FAILURES:
        try:
            _, end = decoder.raw_decode(text, position)
            value = parse_json(text[position:end].encode("utf-8", "surrogateescape"))
        except (ValueError, RecursionError, SourceError):
            failures += 1
            position = text.find(BEGINNING, position + 1)
            continue
        complete = complete and not text[done:position].strip() and isinstance(value, dict)
        found += [value] if isinstance(value, dict) else []
        done = end
        position = _next_sign(text, end)
    return found, complete and failures == 0


def _next_sign(text: str, position: int) -> int:
    """The place of the next character that is no space."""
    found = _SIGN.search(text, position)
    return found.start() if found else len(text)


def _notes(record: JsonObject, number: int) -> Iterator[Note | Skipped]:
    try:
        if record.get("type") == ENTITY:
            yield from _observations(record, number)
        elif record.get("type") == RELATION:
            yield relation(record.get("from"), record.get("relationType"), record.get("to"))
        else:
            yield Skipped(number, "type: neither an entity nor a relation")
    except MemstoneError as error:
        yield skipped(number, error)


def _observations(record: JsonObject, number: int) -> Iterator[Note | Skipped]:
    """What is known of one entity; raises `SourceError` if it has no name."""
    name = name_field(record.get("name"), "name")
    if name is None:
        raise SourceError("name: missing")
    kind = name_field(record.get("entityType"), "entityType")
    observations = record.get("observations")
    if not isinstance(observations, list):
        raise SourceError("observations: not a list")
    if not observations:
        yield Skipped(number, "observations: there are none", bad=False)
    for place, observation in enumerate(observations, start=1):
        try:
            yield _observation(observation, name.strip(), labels([kind or ""]))
        except MemstoneError as error:
            yield Skipped(number, f"observation {place}: {error.message}", skipped(0, error).bad)


def _observation(observation: object, name: str, tags: tuple[str, ...]) -> Note:
    if not isinstance(observation, str):
        raise SourceError("not text")
    text = note_text(observation, "text")
    return Note(
        text=note_text(about(name, text), "text"),
        subject=name,
        tags=tags,
        external_id=known_as("observation", name, observation),
    )
