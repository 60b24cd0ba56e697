"""The answer of mem0's `get_all()`: `{"results": […], "relations": […]}`, or a bare list of them.

The open-source library and the platform write the same objects; the platform adds pages, categories
and an expiry. A memory keeps its id, its times, its run as session and its agent. A relation has no
id, and is known by its three parts.

Users are walls, there as here: a file with memories of several is refused until one is named,
because all of them would become one person's. Relations name no user, so that they are left out
where there is more than one. Entries are numbered over the whole file, memories first.
"""

from __future__ import annotations

import re
from dataclasses import replace

from memstone.errors import InvalidInput, MemstoneError, SourceError
from memstone.importers.noted import kind_named, known_as, note_text, relation
from memstone.importers.source import (
    JsonObject,
    Source,
    name_field,
    parse_json,
    skipped,
    tags_field,
    time_field,
)
from memstone.types import Kind, Note, Skipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MEMORY_KEYS = frozenset({"id", "hash", "user_id", "agent_id", "run_id", "created_at"})
RELATION_KEYS = frozenset({"source", "relationship"})
_START = re.compile(  # a memory right behind its bracket; `id` comes first in every version
    rb'\A\s*(?:\{[^\[\]]{0,2000}"results"\s*:\s*)?\[\s*\{\s*"id"\s*:[^{}]{0,2000}?"memory"\s*:\s*"'
)


def recognises(value: object) -> bool:
    """Whether one parsed value is such an answer.

    >>> recognises({"results": [{"id": "1", "memory": "喜欢蓝色"}]}), recognises([{"text": "x"}])
    (True, False)
    """
    if isinstance(value, dict):
        results, relations = value.get("results"), value.get("relations")
        if not isinstance(results, list):
            return False
        return _has(results, _is_memory) or (not results and _has(relations, _is_relation))
    return _has(value, _is_memory)


def recognises_start(head: bytes) -> bool:
    """Whether the head of a file too long to parse opens such an answer."""
    return head.lstrip()[:1] in {b"{", b"["} and _START.search(head) is not None


def read(source: Source, sample: str | None = None) -> Iterator[Note | Skipped]:
    """The memories of `source`, then its relations; of the user `sample` only, if given.

    Raises `SourceError` if the file is not of this layout or holds several users and none is
    named, `InvalidInput` if it holds nothing of `sample`.
    """
    try:
        value = parse_json(source.document())
    except SourceError as error:
        raise SourceError(f"{source.name}: {error.message}", path=source.name) from error
    if not recognises(value) and not (isinstance(value, dict) and value.get("results") == []):
        raise SourceError(
            f"{source.name}: no entry of it is a memory as mem0 writes one",
            hint='an answer of get_all() is written {"results": [{"id": …, "memory": …}]}',
            path=source.name,
        )
    results, relations = (value, None) if isinstance(value, list) else _both(value)
    users = _users(results)
    if sample is not None and sample not in users:
        raise InvalidInput(
            f"sample: no memory in {source.name} is of this user",
            hint=f"it holds memories of {len(users)}",
            name="sample",
            value=sample,
        )
    if sample is None and len(users) > 1:
        raise SourceError(
            f"{source.name}: memories of {len(users)} users, which one person's would become",
            hint="--sample USER picks one; import each into a scope of its own",
            path=source.name,
        )
    return _entries(source, results, relations, only=sample if len(users) > 1 else None)


def _has(value: object, is_one: Callable[[JsonObject], bool]) -> bool:
    return isinstance(value, list) and any(isinstance(one, dict) and is_one(one) for one in value)


def _is_memory(entry: JsonObject) -> bool:
    return isinstance(entry.get("memory"), str) and not MEMORY_KEYS.isdisjoint(entry)


def _is_relation(entry: JsonObject) -> bool:
    return entry.keys() >= RELATION_KEYS


def _both(value: object) -> tuple[list[object], object]:
    answer = value if isinstance(value, dict) else {}
    results = answer.get("results")
    return (results if isinstance(results, list) else []), answer.get("relations")


def _users(results: list[object]) -> set[str]:
    """Everybody whose memories these are; whose user cannot be read is reported with its entry."""
    found = (entry.get("user_id") for entry in results if isinstance(entry, dict))
    return {str(user) for user in found if isinstance(user, str | int) and str(user).strip()}


def _entries(
    source: Source, results: list[object], relations: object, *, only: str | None
) -> Iterator[Note | Skipped]:
    for entry in results:
        source.line += 1
        try:
            if only is None or _user(entry) == only:
                yield _memory(entry)
            else:
                yield Skipped(source.line, "user_id: not the user asked for", bad=False)
        except MemstoneError as error:
            yield skipped(source.line, error)
    if relations is not None and not isinstance(relations, list):
        source.line += 1
        yield Skipped(source.line, "relations: not a list")
        return
    for entry in relations or ():
        source.line += 1
        try:
            if only is None or _user(entry) == only:
                yield _relation(entry)
            else:
                yield Skipped(source.line, "relation: not of the user asked for", bad=False)
        except MemstoneError as error:
            yield skipped(source.line, error)


def _user(entry: object) -> str | None:
    return name_field(entry.get("user_id"), "user_id") if isinstance(entry, dict) else None


def _memory(entry: object) -> Note:
    if not isinstance(entry, dict):
        raise SourceError("a memory is not an object")
    text = entry.get("memory")
    if not isinstance(text, str):
        raise SourceError("memory: missing or not text")
    tags = _tags(entry)
    kinds = (kind for kind in map(kind_named, tags) if kind is not None)
    return Note(
        text=note_text(text, "memory"),
        kind=next(kinds, Kind.FACT),
        external_id=name_field(entry.get("id"), "id") or known_as("memory", text),
        at=time_field(entry.get("created_at"), "created_at"),
        seen_at=time_field(entry.get("updated_at"), "updated_at"),
        expires=time_field(entry.get("expiration_date"), "expiration_date"),
        session=name_field(entry.get("run_id"), "run_id"),
        agent=name_field(entry.get("agent_id"), "agent_id") or "",
        speaker=name_field(entry.get("actor_id") or entry.get("role"), "role"),
        tags=tags,
    )


def _tags(entry: JsonObject) -> tuple[str, ...]:
    """The platform's categories, and the one that many callers put into the metadata."""
    tags = tags_field(entry.get("categories"))
    metadata = entry.get("metadata")
    category = metadata.get("category") if isinstance(metadata, dict) else None
    own = tags_field([category]) if isinstance(category, str) and category.strip() else ()
    return tuple(dict.fromkeys((*tags, *own)))


def _relation(entry: object) -> Note:
    if not isinstance(entry, dict):
        raise SourceError("a relation is not an object")
    target = entry.get("target", entry.get("destination"))
    note = relation(entry.get("source"), entry.get("relationship"), target)
    return replace(note, at=time_field(entry.get("created_at"), "created_at"))
