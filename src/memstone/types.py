"""The values of memstone: frozen, typed, without behaviour that touches the world.

Everything a service returns or a store holds is one of these. Instants are aware UTC `datetime`s
here and integer microseconds in options that travel to a store (`memstone.times`). Limits stand
here with their reasons, because every layer needs the same ones.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from memstone.errors import InvalidBudget, InvalidScope

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

MAX_TEXT_BYTES = (
    256 * 1024
)  # a memory is a fact, not a file: one 2.5 MB row once cost 440 000 tokens
MAX_TURN_BYTES = 16 * 1024 * 1024  # an imported turn is kept verbatim even when it carries a log
MAX_NAME_BYTES = 1024  # scope parts, session, speaker, external id, subject …: names, not texts
MAX_TAG_BYTES = 256
MAX_TAGS = 64  # per memory; a tag is a label, more than this is a text
DEFAULT_LIMIT = 5  # hits of a recall; the seed's number
MAX_LIMIT = 10_000
DEFAULT_BUDGET = 2_000  # estimated tokens of a recall; the seed's number
HANDLE_PREFIX = "ccr_"  # recovery handle: prefix + first 16 bytes of the text's SHA-256, in hex
ID_PREFIX = "mem_"


class Kind(StrEnum):
    """What a memory is; `fact` unless said otherwise."""

    TURN = "turn"
    CARD = "card"
    FACT = "fact"
    PREFERENCE = "preference"
    DECISION = "decision"
    TASK = "task"
    PERSONA = "persona"


class Trust(StrEnum):
    """Where a text came from, most trusted first; derived trust is the lowest of its sources."""

    USER = "user"
    AGENT = "agent"
    TOOL = "tool"
    EXTERNAL = "external"


class Method(StrEnum):
    """How a row's text came to be."""

    VERBATIM = "verbatim"
    CARD = "card"
    MERGE = "merge"


class Outcome(StrEnum):
    """What `remember` did with the text."""

    CREATED = "created"  # a new memory
    KNOWN = "known"  # the same text is current already; seen again
    RETURNED = "returned"  # an older text came back as the newest version of its chain
    REVIVED = "revived"  # the same text had expired; it is visible again


@dataclass(frozen=True, slots=True, order=True)
class Scope:
    """Who a memory belongs to. `user` is a wall; an empty project or agent is shared there.

    Raises `InvalidScope` on an empty user, an over-long part or one that is not Unicode.

    >>> Scope("ana", project="atlas")
    Scope(user='ana', project='atlas', agent='')
    """

    user: str
    project: str = ""
    agent: str = ""

    def __post_init__(self) -> None:
        if not self.user:
            raise InvalidScope("user: an empty name is not a scope", hint="name the user")
        for name, value in (("user", self.user), ("project", self.project), ("agent", self.agent)):
            try:
                size = len(value.encode("utf-8"))
            except UnicodeEncodeError as error:
                raise InvalidScope(f"{name}: {value!r} is not valid Unicode", name=name) from error
            if size > MAX_NAME_BYTES:
                raise InvalidScope(
                    f"{name}: {size} bytes, at most {MAX_NAME_BYTES} are allowed", name=name
                )


@dataclass(frozen=True, slots=True)
class View:
    """What a reader may see: its own scope, and for a lead also the agents it names."""

    scope: Scope
    agents: tuple[str, ...] = ()

    def scopes(self) -> tuple[Scope, ...]:
        """The namespaces in reach: the user's, project and agent each empty or own.

        >>> [s.agent for s in View(Scope("ana"), agents=("tester",)).scopes()]
        ['', 'tester']
        """
        projects = dict.fromkeys(("", self.scope.project))
        agents = dict.fromkeys(("", self.scope.agent, *self.agents))
        return tuple(Scope(self.scope.user, p, a) for p in projects for a in agents)


@dataclass(frozen=True, slots=True)
class Derivation:
    """One source of a derived row: a memory and the byte span taken from it."""

    source: str  # memory id
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a row came from: surface or importer, method, model + prompt version, trust."""

    source: str = "python"
    method: Method = Method.VERBATIM
    producer: str | None = None
    trust: Trust = Trust.USER
    derived_from: tuple[Derivation, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One row, whole: text, identity, both clocks, provenance and what may change on it.

    `valid_from`/`valid_until` say when it is true in the world, `created_at`/`superseded_at` when
    we knew. `row` is the internal number that logs use; `id` is opaque after birth.
    """

    row: int
    id: str
    scope: Scope
    kind: Kind
    text: str
    text_sha256: str  # 64 hex digits over the UTF-8 bytes of `text`
    created_at: datetime
    valid_from: datetime
    valid_until: datetime | None = None
    expires: datetime | None = None
    superseded_at: datetime | None = None
    superseded_from: datetime | None = None  # valid time at which the successor took over
    supersedes: str | None = None
    superseded_by: str | None = None
    tags: tuple[str, ...] = ()  # sorted
    role: str | None = None
    session: str | None = None
    speaker: str | None = None
    subject: str | None = None
    attribute: str | None = None
    external_id: str | None = None
    turn_key: str | None = None  # a turn's identity inside (namespace, source, session)
    provenance: Provenance = field(default_factory=Provenance)
    pinned: bool = False
    held: bool = False
    archived: bool = False
    seen_count: int = 1
    last_seen_at: datetime | None = None
    recall_count: int = 0
    last_recalled_at: datetime | None = None

    @property
    def current(self) -> bool:
        """Whether no newer version has superseded it (it may still be expired or not yet valid)."""
        return self.superseded_at is None

    @property
    def handle(self) -> str:
        """The recovery handle of its text."""
        return HANDLE_PREFIX + self.text_sha256[:32]


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
class Unit:
    """A chunk as it is indexed: its span in the text (code points) and its term counts."""

    ordinal: int
    start: int
    end: int
    length: int  # number of terms, repeats counted
    frequencies: tuple[tuple[str, int], ...]  # (term, how often), sorted by term


@dataclass(frozen=True, slots=True)
class Validity:
    """The two instants a read looks from, in microseconds; `historic` when either was asked for."""

    now: int
    as_of: int
    known_at: int
    historic: bool = False


class Reach(StrEnum):
    """Which rows a selection may return at all."""

    RECALLABLE = "recallable"  # what recall may inject: valid, not expired, held or archived
    CURRENT = "current"  # not superseded; expired, held and archived rows included
    ALL = "all"  # history too
    HELD = "held"


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Conditions on rows; every one applies before any cut. Empty means "not asked"."""

    namespaces: tuple[int, ...]
    reach: Reach
    validity: Validity
    kinds: tuple[Kind, ...] = ()
    tags_all: tuple[str, ...] = ()
    tags_any: tuple[str, ...] = ()
    session: str | None = None
    since: int | None = None  # valid_from >= since
    until: int | None = None  # valid_from < until

    @property
    def narrows(self) -> bool:
        """Whether anything beyond scope and validity is asked for."""
        return bool(
            self.kinds
            or self.tags_all
            or self.tags_any
            or self.session is not None
            or self.since is not None
            or self.until is not None
        )


@dataclass(frozen=True, slots=True)
class Budget:
    """A token budget; `None` is unlimited. Raises `InvalidBudget` below zero.

    >>> Budget(2000).tokens
    2000
    """

    tokens: int | None = DEFAULT_BUDGET

    def __post_init__(self) -> None:
        if self.tokens is not None and self.tokens < 0:
            raise InvalidBudget(
                f"budget: {self.tokens} is negative",
                hint="give a positive number of tokens, or 0 for unlimited",
                value=self.tokens,
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallOptions:
    """How to recall. Outside spellings (0 = unlimited) are translated by `wire` and `engine`."""

    limit: int = DEFAULT_LIMIT
    budget: Budget = field(default_factory=Budget)
    min_score: float = 0.0
    kinds: tuple[Kind, ...] = ()
    tags_all: tuple[str, ...] = ()
    tags_any: tuple[str, ...] = ()
    session: str | None = None
    since: int | None = None
    until: int | None = None
    as_of: int | None = None
    known_at: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """What to list: a reach and the conditions of a recall, without a question."""

    reach: Reach = Reach.CURRENT
    kinds: tuple[Kind, ...] = ()
    tags_all: tuple[str, ...] = ()
    tags_any: tuple[str, ...] = ()
    session: str | None = None
    since: int | None = None
    until: int | None = None


@dataclass(frozen=True, slots=True)
class Signals:
    """What spoke for a hit. `bm25` ≥ 0 is its exact lexical score; `coverage` in 0..1 the share
    of the query's idf mass that its best unit covers.
    """

    bm25: float
    coverage: float


@dataclass(frozen=True, slots=True)
class Ranked:
    """A memory in rank order, before packing; `start`/`end` is its best unit in code points."""

    memory: Memory
    score: float
    signals: Signals
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A shortened text. `spans` are the code points of the original that it shows verbatim,
    ascending and apart; everything else in `text` is marks that say what was cut.
    """

    text: str
    tokens: int  # of `text`, marks included
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """A recalled memory as it is injected. `text` may be shortened; then `handle` recovers it."""

    memory: Memory
    text: str
    score: float
    signals: Signals
    tokens: int  # estimated tokens of `text`, marks included
    full_tokens: int  # of the whole text
    handle: str | None = None  # set only when `text` is shortened

    @property
    def id(self) -> str:
        return self.memory.id


@dataclass(frozen=True, slots=True)
class RecallResult:
    """Hits in rank order within the budget, and everything that was left out or missing."""

    query: str
    hits: tuple[Hit, ...]
    tokens: int  # sum of the hits' tokens
    budget: int | None  # tokens that were allowed; None = unlimited
    omitted: tuple[str, ...] = ()  # ids ranked within the limit that the budget had no room for
    degraded: tuple[str, ...] = ()
    signals: tuple[str, ...] = ("bm25", "coverage")
    basis: str = "estimated"  # how tokens were counted

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)


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
    """A line or entry an import left out, and why; `bad` tells a fault of the file from a choice."""

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
