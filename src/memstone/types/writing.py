"""Writing: what heads a change, what comes back from one, and what an import yields and reports.

No value here holds a text that was removed or redacted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memstone.types.memories import Trust

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, slots=True)
class ForgetResult:
    """What `forget` removed and what was not there; truthy when something was removed."""

    forgotten: tuple[str, ...]
    missing: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.forgotten)


@dataclass(frozen=True, slots=True)
class ChangeNote:
    """Who writes, through which surface, which operation and why; heads every transaction."""

    operation: str
    at: int  # microseconds
    surface: str = "python"
    actor: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """One field of one row, before and after; never a text of a memory."""

    row: int
    id: str | None  # None once the row is forgotten
    field: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Change:
    """One write, as `memstone log` shows it."""

    number: int
    at: datetime
    surface: str
    actor: str
    operation: str
    reason: str
    rows: tuple[ChangeRow, ...]


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counts of a store as seen by one user; sizes in bytes."""

    current: int
    superseded: int
    expired: int
    held: int
    archived: int
    forgotten: int
    by_kind: tuple[tuple[str, int], ...]
    units: int
    terms: int
    file_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One turn of a conversation as an importer yields it, before it is stored."""

    text: str
    speaker: str | None
    session: str | None
    at: int | None  # microseconds
    external_id: str | None = None
    ordinal: int | None = None  # position in its session, when the source has no ids
    trust: Trust = Trust.EXTERNAL
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Skipped:
    """A line or entry an import left out, and why; `bad` is a fault of the file, not a choice."""

    line: int
    reason: str
    bad: bool = True  # False: left out on purpose (a system turn, a blank one)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """What an import did. Bad entries never stop the good ones; they are listed."""

    source: str
    format: str
    read: int = 0
    created: int = 0
    known: int = 0  # stored before; nothing changed
    redacted: int = 0  # entries in which a secret was blanked
    sessions: int = 0
    skipped: tuple[Skipped, ...] = ()
    dry_run: bool = False
