"""What agents and their clients leave behind: sessions, transcripts, held texts, undone changes.

Counts and names only; the texts are memories like any other.
"""

from __future__ import annotations

from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from memstone.types.memories import Memory, Scope
    from memstone.types.noting import SessionUse
    from memstone.types.writing import Skipped, Statistics


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """How far a client's transcript was read; more is pending up to `handed_bytes`."""

    client: str
    path: str
    session: str
    scope: Scope
    head: bytes = b""  # SHA-256 of how the file began; b"" while nothing was read
    read_bytes: int = 0
    handed_bytes: int = 0

    @property
    def pending(self) -> bool:
        """Whether a part of it was handed over and not read yet."""
        return self.read_bytes < self.handed_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Captured:
    """What reading on in a transcript did. With `handed_over` there was too much for a hook:
    nothing was read, and a worker will.
    """

    read: int = 0
    created: int = 0
    known: int = 0
    redacted: int = 0
    skipped: tuple[Skipped, ...] = ()
    handed_over: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """Work that waits for a worker; truthy if there is any."""

    transcripts: int = 0
    unindexed: int = 0  # memories whose postings are not complete
    conversations: int = 0  # that are over and have no cards yet
    unsettled: int = 0  # memories not yet compared with the others

    def __bool__(self) -> bool:
        return bool(self.transcripts or self.unindexed or self.conversations or self.unsettled)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkReport:
    """What a worker did. `ran` is false if another one held the lock."""

    ran: bool
    transcripts: int = 0
    turns: int = 0
    indexed: int = 0
    conversations: int = 0  # of which cards were made
    cards: int = 0
    statements: int = 0  # facts, preferences and decisions drawn from them
    settled: int = 0  # memories compared with the others
    replaced: tuple[str, ...] = ()  # ids that became earlier versions
    conflicts: tuple[str, ...] = ()  # ids that may contradict another memory
    merged: tuple[str, ...] = ()  # ids of which one memory was made of two
    skipped: tuple[Skipped, ...] = ()
    left: Pending


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldMemory:
    """A memory that is held back, and why it reads like an instruction."""

    memory: Memory
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoResult:
    """What an undo did, or with `dry_run` would do; ids. `blocked` names what stands against it,
    and then nothing is done.
    """

    change: int | None  # number of the new change; None if nothing was to be done
    archived: tuple[str, ...] = ()
    reopened: tuple[str, ...] = ()  # current again
    restored: tuple[str, ...] = ()  # taken out of the archive
    edited: tuple[str, ...] = ()  # tags, pin, expiry, hold as before
    kept: tuple[str, ...] = ()  # left as they are, because the same was said again since
    blocked: tuple[str, ...] = ()
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSession:
    """A session by the memories that name it, whoever stored them and in whatever project; what
    was archived, as by an undo, is not counted. The times are those of storing.
    """

    session: str
    memories: int
    first_at: datetime
    last_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """What runs on a store: its counts, the latest sessions of clients and those that memories
    name, what waits, what is switched off.
    """

    path: str
    statistics: Statistics
    sessions: tuple[SessionUse, ...]
    stored: tuple[StoredSession, ...]  # what `undo(session=…)` can take back
    pending: Pending
    off: str | None  # why hooks and tools are off here: `paused` or `incognito`
