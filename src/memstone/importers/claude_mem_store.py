"""A store of the second seed, read where it lies and left as it is.

A row is one memory, known by its number. Columns came one after another over there, so that any of
them may be missing. `content` is kept verbatim; a summary that says something else is a card beside
it. A row is its agent's own unless its scope is shared. What carries a role is a persona, unless
the role is one of a conversation: then it says who spoke. A superseded row is history; nothing
over there says by which one. Vectors are left behind: their model is not known here.
"""

from __future__ import annotations

import re
from dataclasses import replace

from memstone.errors import MemstoneError, SourceError
from memstone.importers.foreign_sqlite import Database, text_of
from memstone.importers.noted import labels, note_text
from memstone.importers.source import name_field, skipped, time_field
from memstone.types import Kind, Note, Skipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Collection, Iterator, Mapping

    from memstone.importers.foreign_sqlite import Value

NEEDED = frozenset({"id", "content"})
COLUMNS = (
    "id", "session_id", "content", "summary", "tags", "created_at", "updated_at",
    "role", "agent_id", "scope", "last_seen", "status",
)  # fmt: skip
SHARED = "shared"
SUPERSEDED = "superseded"
SPEAKERS = frozenset({"user", "human", "assistant", "system", "tool", "function"})
_COMMA = re.compile(r"[,，]")


def recognises(columns: Collection[str]) -> bool:
    """Whether a table `memories` with these columns is one of this seed.

    >>> recognises({"id", "session_id", "content", "tags"}), recognises({"id", "content"})
    (True, False)
    """
    return NEEDED.issubset(columns) and bool({"session_id", "tags"} & set(columns))


def read(path: str | os.PathLike[str]) -> Iterator[Note | Skipped]:
    """The memories of the database at `path`, by their numbers.

    `Skipped.line` counts rows in that order. Raises `SourceMissing` if there is no such file,
    `SourceError` if it is no database of this seed or cannot be read.
    """
    database = Database(path)
    if not NEEDED.issubset(database.columns):
        name = database.name
        database.close()
        raise SourceError(f"{name}: not a store of claude-mem: its columns are others", path=name)
    return _notes(database)


def _notes(database: Database) -> Iterator[Note | Skipped]:
    columns = [column for column in COLUMNS if column in database.columns]
    try:
        keys, error = database.listing((), "rowid")
        for number, key in enumerate(keys, start=1):
            try:
                yield from _of_row(database.row(key.number, columns), key.number)
            except MemstoneError as fault:
                yield skipped(number, fault)
        if error is not None:
            reason = f"{error.message}; rows behind this one were not found"
            yield Skipped(len(keys) + 1, reason)
    finally:
        database.close()


def _of_row(row: Mapping[str, Value], number: int) -> Iterator[Note]:
    """The memory of a row, then its summary; raises `SourceError`, `BlankText`."""
    content, summary = _text(row, "content"), _text(row, "summary")
    external_id = name_field(_text(row, "id"), "id") or f"row-{number}"
    role = (name_field(_text(row, "role"), "role") or "").strip()
    speaker = role if role.lower() in SPEAKERS else None
    shared = (_text(row, "scope") or "").strip().lower() == SHARED
    seen = [_time(row, name) for name in ("last_seen", "updated_at")]
    note = Note(
        text=note_text(content or "", "content"),
        kind=Kind.PERSONA if role and speaker is None else Kind.FACT,
        role=role if role and speaker is None else None,
        speaker=speaker,
        at=_time(row, "created_at"),
        seen_at=max((time for time in seen if time is not None), default=None),
        external_id=external_id,
        tags=labels(_COMMA.split(_text(row, "tags") or "")),
        session=name_field(_text(row, "session_id"), "session_id"),
        agent="" if shared else name_field(_text(row, "agent_id"), "agent_id") or "",
        superseded=(_text(row, "status") or "").strip().lower() == SUPERSEDED,
    )
    yield note
    if summary is not None and summary.strip() and summary.strip() != note.text.strip():
        card = note_text(summary, "summary")
        card_id = f"{external_id}:summary"
        yield replace(note, text=card, kind=Kind.CARD, role=None, speaker=None, external_id=card_id)


def _text(row: Mapping[str, Value], name: str) -> str | None:
    return text_of(row.get(name), name)


def _time(row: Mapping[str, Value], name: str) -> int | None:
    """When something was; a number stands for seconds or milliseconds, text is ISO-8601."""
    value = row.get(name)
    return time_field(value if isinstance(value, int | float) else text_of(value, name), name)
