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
    replaced: tuple[str, ...] = ()  # ids of memories that it made earlier versions
    conflicts: tuple[str, ...] = ()  # ids of memories that it may contradict
    change: int | None = None  # number of the change that replaced one by the other; see `undo`


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
    unsettled: bool = False  # nobody has looked yet what it repeats or contradicts


@dataclass(frozen=True, slots=True)
class ForgetResult:
    """What `forget` removed and what was not there; truthy when something was removed.

    `derived` went along because it repeated what was forgotten. A dry run of a selection shows the
    first memories that it takes; `states` tells how many of a selection were current, superseded,
    held or archived.
    """

    forgotten: tuple[str, ...]
    missing: tuple[str, ...] = ()
    derived: tuple[str, ...] = ()
    shown: tuple[Memory, ...] = ()
    states: tuple[tuple[str, int], ...] = ()

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
    turn_bytes: int = 0  # texts of turns that are not archived
    turn_quota_bytes: int = 0  # `turns.quota_mb`; 0 = no limit
    summarizer_tokens: int = 0  # read and written by models today (UTC)
    summarizer_calls: int = 0


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One memory of another program before it is stored, as an importer gives it.

    Instants are as in `Turn`. It is known again by its `external_id` in its source, and by its
    text; the same id with another text is a newer version of it.
    """

    text: str
    kind: Kind = Kind.FACT
    at: Instant | int | None = None
    expires: Instant | int | None = None
    external_id: str | None = None
    tags: tuple[str, ...] = ()
    session: str | None = None
    speaker: str | None = None
    subject: str | None = None
    attribute: str | None = None
    role: str | None = None  # of a persona
    agent: str = ""  # whose it is; "" is the scope of the import
    seen_at: Instant | int | None = None  # when it was written last, if later than `at`
    superseded: bool = False  # history over there already: kept as past, never recalled
    trust: Trust = Trust.EXTERNAL


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
    cards: int = 0  # made of its conversations
    statements: int = 0  # facts, preferences and decisions drawn from them
    replaced: int = 0  # older memories that became earlier versions
    merged: int = 0  # pairs that said the same
    conflicts: int = 0  # pairs that may contradict one another
    skipped: tuple[Skipped, ...] = ()
    dry_run: bool = False
