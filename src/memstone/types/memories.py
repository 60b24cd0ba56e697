"""A memory and what it is made of: scope, kind, provenance, both clocks, and how it is written.

Frozen values without behaviour that touches the world. Instants are aware UTC `datetime`s on what
users see, integer microseconds on what travels to a store.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from memstone.errors import InvalidScope
from memstone.types.limits import HANDLE_PREFIX, MAX_NAME_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime


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
            if not isinstance(value, str):
                raise InvalidScope(f"{name}: {value!r} is not text", name=name)
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
    # what tells it from others of the same text: a turn's place in its session, a file's version
    turn_key: str | None = None
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
    def is_file(self) -> bool:
        """Whether it is a version of a file: known by its path (`external_id`), not by its text."""
        return self.turn_key is not None and self.kind is not Kind.TURN

    @property
    def handle(self) -> str:
        """The recovery handle of its text."""
        return HANDLE_PREFIX + self.text_sha256[:32]


@dataclass(frozen=True, slots=True)
class Unit:
    """A chunk as it is indexed: its span in the text (code points) and its term counts."""

    ordinal: int
    start: int
    end: int
    length: int  # number of terms, repeats counted
    frequencies: tuple[tuple[str, int], ...]  # (term, how often), sorted by term
