"""What the in-memory store holds, and which rows a filter lets through.

Tables are plain dicts of frozen values, so copying a `State` is copying its dicts. Links between
versions are row numbers here and become ids only when a `Memory` is handed out: an id may be born
again after its row was forgotten, a row number never.

`passes` is the one place that says what "recallable", "current" and "valid as of" mean.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace

from memstone.errors import NotFound
from memstone.times import from_micros, to_micros
from memstone.types import Memory, Reach

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from memstone.types import (
        ChangeNote,
        ChangeRow,
        Conversation,
        Filter,
        Scope,
        SessionUse,
        Transcript,
        Unit,
        Verdict,
    )


@dataclass(frozen=True, slots=True)
class Row:
    """A memory as it is kept: its links as row numbers, those of `memory` itself empty."""

    namespace: int
    memory: Memory
    supersedes: int | None = None
    superseded_by: int | None = None


@dataclass(frozen=True, slots=True)
class IndexedUnit:
    """A unit in the index of that name, and the row it was cut from."""

    index: str
    row: int
    unit: Unit


@dataclass(frozen=True, slots=True)
class Tombstone:
    """What is left of a forgotten row: where it was and when it went (microseconds)."""

    namespace: int
    at: int


@dataclass(frozen=True, slots=True)
class LoggedChange:
    """One write in the log; the ids of its rows are looked up when it is read."""

    number: int
    note: ChangeNote
    rows: tuple[ChangeRow, ...]


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A possible conflict, by row numbers."""

    number: int
    older: int
    newer: int
    reason: str
    found_at: int
    resolution: str | None = None
    resolved_at: int | None = None


@dataclass(slots=True)
class State:
    """Everything the store knows. A committed state is never written to again."""

    namespaces: dict[Scope, int] = field(default_factory=dict)
    indexes: dict[str, bool] = field(default_factory=dict)  # name → whether it is whole
    marks: dict[str, str] = field(default_factory=dict)
    rows: dict[int, Row] = field(default_factory=dict)
    units: dict[int, IndexedUnit] = field(default_factory=dict)
    # (index, row) → the ordinal to go on from, or None once all units are in
    progress: dict[tuple[str, int], int | None] = field(default_factory=dict)
    worked_on: dict[tuple[str, int], int] = field(default_factory=dict)  # when last, in µs
    tombstones: dict[int, Tombstone] = field(default_factory=dict)
    # (row, question) → what was said and when (microseconds)
    feedback: dict[tuple[int, str], tuple[Verdict, int]] = field(default_factory=dict)
    changes: list[LoggedChange] = field(default_factory=list)
    # (namespace, client, name) → what is known of a session, of a transcript
    sessions: dict[tuple[int, str, str], SessionUse] = field(default_factory=dict)
    transcripts: dict[tuple[int, str, str], tuple[Transcript, int]] = field(default_factory=dict)
    # (namespace, source, session or "") → how far its cards are made
    conversations: dict[tuple[int, str, str], Conversation] = field(default_factory=dict)
    unsettled: set[int] = field(default_factory=set)
    about: dict[int, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    conflicts: list[Contradiction] = field(default_factory=list)
    last_conflict: int = 0
    last_row: int = 0
    last_unit: int = 0
    generation: int = 0

    def copy(self) -> State:
        """A state of its own: what is done to one does not show in the other."""
        return replace(
            self,
            namespaces=dict(self.namespaces),
            indexes=dict(self.indexes),
            marks=dict(self.marks),
            rows=dict(self.rows),
            units=dict(self.units),
            progress=dict(self.progress),
            worked_on=dict(self.worked_on),
            tombstones=dict(self.tombstones),
            feedback=dict(self.feedback),
            changes=list(self.changes),
            sessions=dict(self.sessions),
            transcripts=dict(self.transcripts),
            conversations=dict(self.conversations),
            unsettled=set(self.unsettled),
            about=dict(self.about),
            conflicts=list(self.conflicts),
        )

    def row(self, number: int) -> Row:
        """The row of that number; raises `NotFound`."""
        try:
            return self.rows[number]
        except KeyError as error:
            raise NotFound(f"row {number} is not in the store", row=number) from error

    def memory(self, row: Row) -> Memory:
        """The row as callers see it, with the ids of its neighbours in the chain."""
        return replace(
            row.memory,
            supersedes=self._id_of(row.supersedes),
            superseded_by=self._id_of(row.superseded_by),
        )

    def within(self, namespaces: Sequence[int]) -> Iterator[Row]:
        """Rows of those namespaces, ascending by row number."""
        return (row for _, row in sorted(self.rows.items()) if row.namespace in namespaces)

    def is_complete(self, index: str, row: int) -> bool:
        """Whether all units of the row are in that index."""
        return self.progress.get((index, row), 0) is None

    def visible(self, selection: Filter) -> Iterator[Row]:
        """Rows that the filter lets through, ascending by row number."""
        within = self.within(selection.namespaces)
        return (row for row in within if passes(row.memory, selection))

    def namespace_of(self, number: int) -> int:
        """Where the row is, or was before it was forgotten."""
        row = self.rows.get(number)
        return row.namespace if row is not None else self.tombstones[number].namespace

    def _id_of(self, number: int | None) -> str | None:
        row = None if number is None else self.rows.get(number)
        return None if row is None else row.memory.id


def plain(memory: Memory, **values: object) -> Memory:
    """A `Memory` of exactly that class with some values replaced (`Remembered` is not stored)."""
    kept = {each.name: getattr(memory, each.name) for each in fields(Memory)}
    return Memory(**kept | values)


def latest(before: datetime | None, at: int) -> datetime:
    """The later of the two: a clock set back does not make a use look older than it was."""
    moment = from_micros(at)
    return moment if before is None else max(before, moment)


def searchable(memory: Memory) -> bool:
    """Whether recall may meet the row in some partition: held and archived ones are in none."""
    return not memory.held and not memory.archived


def passes(memory: Memory, selection: Filter) -> bool:
    """Whether the filter lets the memory through; its namespaces are checked by the caller."""
    return _within_reach(memory, selection) and _as_asked(memory, selection)


def _within_reach(memory: Memory, selection: Filter) -> bool:
    validity = selection.validity
    known = not validity.historic or _reached(memory.created_at, validity.known_at)
    match selection.reach:
        case Reach.ALL:
            return known
        case Reach.HISTORY:
            return known and searchable(memory)
        case Reach.HELD:
            return known and memory.held
        case Reach.ARCHIVED:
            return known and memory.archived
        case Reach.CURRENT:
            then = _held_true(memory, selection) if validity.historic else memory.current
            return then and searchable(memory)
        case Reach.RECALLABLE:
            return (
                searchable(memory)
                # expiry looks from now even under as_of: it hides, it does not date
                and not _reached(memory.expires, validity.now)
                and (
                    _held_true(memory, selection)
                    if validity.historic
                    else _valid(memory, selection)
                )
            )


def _valid(memory: Memory, selection: Filter) -> bool:
    now = selection.validity.now
    # valid since it was written counts as valid now, or a clock set back would hide fresh rows
    begun = to_micros(memory.valid_from) <= max(now, to_micros(memory.created_at))
    return memory.current and begun and not _reached(memory.valid_until, now)


def _held_true(memory: Memory, selection: Filter) -> bool:
    """Whether we held it true of `as_of`, with what we knew at `known_at`."""
    as_of, known_at = selection.validity.as_of, selection.validity.known_at
    taken_over = _reached(memory.superseded_at, known_at) and (
        memory.superseded_from is None or _reached(memory.superseded_from, as_of)
    )
    return (
        _reached(memory.created_at, known_at)
        and _reached(memory.valid_from, as_of)
        and not _reached(memory.valid_until, as_of)
        and not taken_over
    )


def _reached(moment: datetime | None, instant: int) -> bool:
    return moment is not None and to_micros(moment) <= instant


def _as_asked(memory: Memory, selection: Filter) -> bool:
    tags = set(memory.tags)
    valid_from = to_micros(memory.valid_from)
    return (
        (not selection.kinds or memory.kind in selection.kinds)
        and (memory.pinned or not selection.pinned)
        and tags.issuperset(selection.tags_all)
        and (not selection.tags_any or not tags.isdisjoint(selection.tags_any))
        and (selection.session is None or memory.session == selection.session)
        and (selection.not_session is None or memory.session != selection.not_session)
        and (selection.since is None or selection.since <= valid_from)
        and (selection.until is None or valid_from < selection.until)
    )
