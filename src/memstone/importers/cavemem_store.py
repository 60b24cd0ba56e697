"""A store of the first seed, `mem.db`, read where it lies and left as it is.

Its memories are versions: a row that was superseded has `valid_until`, and both ends of a chain
name each other. All versions of a chain get one external id, that of its oldest row, and come
oldest first: an id with another text is a newer version here. All but the last one are marked as
history. A chain that grows over there keeps its id, so that a second import adds what is new.

The recovery store beside it (`ccr.db`) holds copies of the same texts and is not read. A link that
only one end knows leads nowhere.
"""

from __future__ import annotations

from dataclasses import dataclass

from memstone.errors import MemstoneError, SourceError
from memstone.importers.foreign_sqlite import Database, text_of
from memstone.importers.noted import note_text
from memstone.importers.source import name_field, skipped, time_field
from memstone.types import Note, Skipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from memstone.importers.foreign_sqlite import Key

NEEDED = frozenset({"id", "text", "created_at"})
LATER = ("valid_from", "valid_until", "supersedes", "superseded_by")  # not in the oldest files
NOT_THEIRS = frozenset({"content", "kind", "user_id"})  # of other programs with such a table


@dataclass(frozen=True, slots=True)
class _Version:
    """What of a row says where it belongs; ids are compared as bytes, whatever is in them."""

    row: int
    id: bytes
    closed: bool
    supersedes: bytes
    superseded_by: bytes


def recognises(columns: Collection[str]) -> bool:
    """Whether a table `memories` with these columns is one of this seed.

    >>> recognises({"id", "text", "created_at"}), recognises({"id", "content", "created_at"})
    (True, False)
    """
    return NEEDED.issubset(columns) and NOT_THEIRS.isdisjoint(columns)


def read(path: str | os.PathLike[str]) -> Iterator[Note | Skipped]:
    """The versions of every chain of the database at `path`, oldest first.

    `Skipped.line` counts rows in the order in which they were written. Raises `SourceMissing` if
    there is no such file, `SourceError` if it is no database of this seed or cannot be read.
    """
    database = Database(path)
    if not recognises(database.columns):
        name = database.name
        database.close()
        raise SourceError(f"{name}: not a store of cavemem: its columns are others", path=name)
    return _notes(database)


def _notes(database: Database) -> Iterator[Note | Skipped]:
    try:
        versions, error = _versions(database)
        number = 0
        for number, (version, first) in enumerate(_in_order(versions), start=1):
            try:
                yield _note(database, version, first)
            except MemstoneError as fault:
                yield skipped(number, fault)
        if error is not None:
            yield Skipped(number + 1, f"{error.message}; rows behind this one were not found")
    finally:
        database.close()


def _versions(database: Database) -> tuple[list[_Version], SourceError | None]:
    """Every row, oldest first, and why there may be more."""
    columns = [column if column in database.columns else "NULL" for column in LATER[1:]]
    keys, error = database.listing(("id", *columns), "created_at")
    return [_version(key) for key in keys], error


def _version(key: Key) -> _Version:
    id_, closed, older, newer = key.values
    return _Version(key.number, id_, bool(closed), older, newer)


def _in_order(versions: Sequence[_Version]) -> Iterator[tuple[_Version, _Version]]:
    """Each version with the first one of its chain, none before the one that it follows."""
    older = _links(versions)
    first_of: dict[int, _Version] = {}
    for version in versions:
        path = [version]
        on_path = {version.row}
        while path[-1].row not in first_of and path[-1].row in older:
            before = older[path[-1].row]
            if before.row in on_path:  # a circle is cut where it is noticed
                break
            path.append(before)
            on_path.add(before.row)
        first = first_of.get(path[-1].row, path[-1])
        for each in reversed(path):
            if each.row not in first_of:
                first_of[each.row] = first
                yield each, first


def _links(versions: Sequence[_Version]) -> Mapping[int, _Version]:
    """The version before each one, where both agree that it is."""
    by_id: dict[bytes, _Version] = {}
    for version in versions:
        by_id.setdefault(version.id, version)
    found: dict[int, _Version] = {}
    for version in versions:
        before = by_id.get(version.supersedes) if version.supersedes else None
        if before is not None and before.closed and before.superseded_by == version.id:
            found[version.row] = before
    return found


def _note(database: Database, version: _Version, first: _Version) -> Note:
    """The note of one row; raises `SourceError`, `BlankText`."""
    later = [column for column in LATER[:1] if column in database.columns]
    row = database.row(version.row, ("text", "created_at", *later))
    text = text_of(row["text"], "text")
    if text is None:
        raise SourceError("text: missing")
    valid_from = text_of(row.get("valid_from"), "valid_from")
    at = time_field(valid_from, "valid_from")
    if at is None:
        at = time_field(text_of(row["created_at"], "created_at"), "created_at")
    return Note(
        text=note_text(text, "text"),
        at=at,
        external_id=name_field(text_of(first.id, "id"), "id") or f"row-{first.row}",
        superseded=version.closed,
    )
