"""Writing: what heads a change, what comes back from one, and what an import yields and reports.

No value here holds a text that was removed or redacted.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from memstone.types.memories import Kind, Memory, Provenance, Trust

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from memstone.times import Instant


class Outcome(StrEnum):
    """What `remember` did with the text."""

    CREATED = "created"  # a new memory
    KNOWN = "known"  # the same text is current already; seen again
    RETURNED = "returned"  # an older text came back as the newest version of its chain
    REVIVED = "revived"  # the same text had expired; it is visible again


@dataclass(frozen=True, slots=True)
class Redaction:
    """One span that never reached the store; `kind` names what it was, never the value."""

    kind: str
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered(Memory):
    """The answer of `remember`: the memory, what happened, and what was left as it was."""

    outcome: Outcome = Outcome.CREATED
    unchanged: tuple[str, ...] = ()  # fields given that differ from the row, which keeps its own
    redactions: tuple[Redaction, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A row about to be written: identity decided, text already clean. Instants in microseconds."""

    id: str
    namespace: int
    kind: Kind
    text: str
    digest: bytes  # SHA-256 of the UTF-8 text, 32 bytes
    created_at: int
    valid_from: int
    valid_until: int | None = None
    expires: int | None = None
    supersedes: int | None = None  # row number
    tags: tuple[str, ...] = ()
    role: str | None = None
    session: str | None = None
    speaker: str | None = None
    subject: str | None = None
    attribute: str | None = None
    external_id: str | None = None
    turn_key: str | None = None
    provenance: Provenance = field(default_factory=Provenance)
    pinned: bool = False
    held: bool = False


@dataclass(frozen=True, slots=True)
class ForgetResult:
    """What `forget` removed and what was not there; truthy when something was removed."""

    forgotten: tuple[str, ...]
    missing: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.forgotten)


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
    """One turn of a conversation before it is stored, as an importer or a chat bot gives it.

    `at` is a date, a `datetime` or microseconds since 1970. The same turn given again is known by
    its `external_id`, else by its `ordinal`, within its session; a turn with neither is new each
    time, because people say "ok" often.
    """

    text: str
    speaker: str | None = None
    session: str | None = None
    at: Instant | int | None = None
    external_id: str | None = None
    unique_id: bool = False  # `external_id` is unique beyond its session, as a UUID is
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
