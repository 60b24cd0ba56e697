"""One memory in the place of another, without anybody having said which: what both rules share.

A conflict and a near duplicate end alike: one row is closed by another. Here is which of two became
true later, and how a row is closed so that the chain of versions stays a path.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from memstone.ingestion.remembering import DOUBTED, after
from memstone.times import to_micros

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memstone.protocols import Snapshot, Transaction
    from memstone.types import Memory, Scope

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
    """Whether the newer one comes from a source that may not overrule the older one's."""
    return newer.provenance.trust in DOUBTED and older.provenance.trust not in DOUBTED


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
