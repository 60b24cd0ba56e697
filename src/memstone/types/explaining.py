"""Why a memory was or was not recalled: the stages of a recall, and what each made of it.

A stage that was not reached is None. Numbers are those of the recall itself, never recomputed.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memstone.types.memories import Memory
    from memstone.types.reading import Signals


class Stage(StrEnum):
    """The stages of a recall, in order."""

    VISIBLE = "visible"  # in scope, current and valid, not expired, held or archived, indexed
    FILTER = "filter"  # the conditions of this call
    TERMS = "terms"  # a word of the question, its own or a neighbour's
    FLOOR = "floor"  # enough of the question covered
    RANK = "rank"  # among the first `limit`
    BUDGET = "budget"  # room in the token budget


class Obstacle(StrEnum):
    """What keeps a memory out of sight, whatever the question."""

    HELD = "held"
    ARCHIVED = "archived"
    EXPIRED = "expired"
    SUPERSEDED = "superseded"
    NOT_YET_VALID = "not_yet_valid"
    NO_LONGER_VALID = "no_longer_valid"
    NOT_YET_KNOWN = "not_yet_known"  # recorded after `known_at`
    NOT_INDEXED = "not_indexed"  # its postings are not complete yet


class Condition(StrEnum):
    """A condition of the call that may reject a memory."""

    KINDS = "kinds"
    TAGS = "tags"
    ANY_TAGS = "any_tags"
    SESSION = "session"
    NOT_SESSION = "not_session"
    SINCE = "since"
    UNTIL = "until"


class Fate(StrEnum):
    """What the budget did with a memory that ranked high enough."""

    INCLUDED = "included"
    SHORTENED = "shortened"
    OMITTED = "omitted"


@dataclass(frozen=True, slots=True, kw_only=True)
class WordMatch:
    """The question's words, each in one of five places, in the question's order."""

    own: tuple[str, ...] = ()  # the memory's best unit has it
    lent: tuple[str, ...] = ()  # only a turn around it has it
    elsewhere: tuple[str, ...] = ()  # another part of a long memory has it; the best one counts
    missing: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()  # not looked for: the part of a long question that does not ask

    @property
    def passed(self) -> bool:
        return bool(self.own or self.lent)


@dataclass(frozen=True, slots=True)
class FloorCheck:
    """The evidence (0..1) against the least that is asked for; it comes from the memory's own
    coverage of the question and that of the best candidate.
    """

    coverage: float
    evidence: float
    min_score: float
    passed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The place among all candidates. `score` is by words alone where `weighed` is false: recall
    looks closer only at the best. `last_score` is that of the last memory within the limit.
    """

    place: int  # from 1
    of: int  # memories that share a word with the question, and turns around the best
    limit: int
    score: float
    last_score: float | None
    weighed: bool
    passed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """What the budget did; `used` are the tokens of all hits together."""

    fate: Fate
    tokens: int  # of what is injected; 0 if omitted
    full_tokens: int
    used: int
    budget: int | None  # None = unlimited

    @property
    def passed(self) -> bool:
        return self.fate is not Fate.OMITTED


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why a memory was or was not recalled for a question; `verdict` says it in one sentence.

    `decided_by` is the first stage that stopped it, or the budget if none did.
    """

    query: str
    memory: Memory
    verdict: str
    recalled: bool
    decided_by: Stage
    obstacles: tuple[Obstacle, ...] = ()  # none: it is visible
    rejected_by: tuple[Condition, ...] | None = None
    terms: WordMatch | None = None
    floor: FloorCheck | None = None
    rank: Standing | None = None
    budget: Room | None = None
    signals: Signals | None = None

    @property
    def id(self) -> str:
        return self.memory.id
