"""One memory in the place of another, without anybody having said which: what both rules share.

A conflict and a near duplicate end alike: one row is closed by another. Here is which of two became
true later, and how a row is closed so that the chain of versions stays a path.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from memstone.ingestion.remembering import after
from memstone.times import to_micros
from memstone.types import Trust, View

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memstone.protocols import Snapshot, Transaction
    from memstone.types import Memory, PossibleConflict, Scope

UNDONE, BOTH = "undone", "both"  # reason and resolution of a replacement that was taken back
RANKS = {trust: -place for place, trust in enumerate(Trust)}  # the highest trust first
BY_ATTRIBUTE, BY_TAGS, NEVER = "attribute", "tags", "never"  # of the setting `conflicts.rule`


@dataclass(frozen=True, slots=True)
class Rules:
    """How conflicts are decided: the settings, and the scope of a default store's ids."""

    home: Scope
    multi_valued: tuple[str, ...]
    rule: str = BY_ATTRIBUTE


@dataclass(slots=True)
class Settled:
    """What settling one or more rows did, by id."""

    replaced: list[str] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)
    merged: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Work:
    """One transaction that settles rows: by which rules, when, and what came of it."""

    transaction: Transaction
    rules: Rules
    now: int
    done: Settled


def open_row(snapshot: Snapshot, row: int) -> Memory | None:
    """The row if it is one that recall may return."""
    memory = next(iter(snapshot.memories([row])), None)
    if memory is None or not memory.current or memory.archived or memory.held:
        return None
    return memory


def became_true(memory: Memory) -> tuple[int, int, int]:
    """By which of two memories is the later one."""
    return to_micros(memory.valid_from), to_micros(memory.created_at), memory.row


def is_doubted(newer: Memory, older: Memory) -> bool:
    """Whether the newer one comes from a source that may not overrule the older one's: what an
    agent gathered does not change by itself what its user said.
    """
    return RANKS[newer.provenance.trust] < RANKS[older.provenance.trust]


def keep_both(transaction: Transaction, one: Memory, two: Memory) -> None:
    """Note that somebody decided that those two stand side by side, so that nobody decides it again
    without being asked.
    """
    older, newer = sorted((one, two), key=became_true)
    transaction.note_conflict(older.row, newer.row, UNDONE)
    found = _between(transaction, older, newer)
    if found is not None:
        transaction.resolve(found.number, BOTH)


def is_decided(snapshot: Snapshot, one: Memory, two: Memory) -> bool:
    """Whether somebody settled already what becomes of those two."""
    found = _between(snapshot, one, two)
    return found is not None and found.resolution is not None


def _between(snapshot: Snapshot, one: Memory, two: Memory) -> PossibleConflict | None:
    """The possible conflict of two memories, settled or open."""
    namespaces = snapshot.namespaces(View(one.scope))
    known = snapshot.conflicts(namespaces, rows=[one.row], resolved=True)
    pair = {one.id, two.id}
    return next((each for each in known if {each.older.id, each.newer.id} == pair), None)


def replace_by(transaction: Transaction, older: Memory, newer: Memory, now: int) -> None:
    """Close `older` as the version before `newer`; beside its chain if that follows another, or was
    known before `older` was: along a chain what we knew only grows.
    """
    (current,) = transaction.memories([newer.row])
    late = older.created_at >= newer.created_at
    transaction.close(
        older.row,
        by=newer.row,
        at=max(after(older, now), to_micros(newer.created_at)),
        valid_from=to_micros(newer.valid_from),
        beside=late or current.supersedes is not None,
    )


def set_beside(transaction: Transaction, gone: Memory, kept: Memory, now: int) -> None:
    """Close `gone` because `kept` says the same; neither is a version of the other."""
    transaction.close(
        gone.row,
        by=kept.row,
        at=max(after(gone, now), to_micros(kept.created_at)),
        valid_from=max(to_micros(gone.valid_from), to_micros(kept.valid_from)),
        beside=True,
    )
