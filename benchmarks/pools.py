"""What a retrieval data set is made of: pools of items and questions with gold item ids.

A pool is everything one question may be answered from; each becomes one store. Loaders turn a
public layout into these values and nothing else happens to a text on the way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memstone.types import Kind, Trust

ADVERSARIAL = "adversarial"  # the category whose questions have no true answer in their pool
NO_ANSWER = "no-answer"  # questions without any gold: asked to see whether something comes back


@dataclass(frozen=True, slots=True)
class Item:
    """One candidate: what becomes one memory. `at` in microseconds since 1970, UTC."""

    id: str  # unique in its pool
    text: str
    session: str | None = None
    speaker: str | None = None
    at: int | None = None
    trust: Trust | None = None
    kind: Kind | None = None  # None: a turn where the pool holds turns, else a fact
    supersedes: str | None = None  # the earlier item whose place it takes; never a turn


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the ids of the items that answer it: at least one, none for `NO_ANSWER`."""

    id: str  # unique in its data set
    text: str
    gold: tuple[str, ...]
    category: str
    language: str = ""  # "en", "zh"; empty where a set has only one


@dataclass(frozen=True, slots=True)
class ImportSource:
    """A file that the product's own importer reads, instead of the items given one by one."""

    path: str
    format: str
    sample: str | None = None


@dataclass(frozen=True, slots=True)
class Pool:
    """Everything one question may be answered from; one store each."""

    name: str
    items: tuple[Item, ...]
    questions: tuple[Question, ...]
    turns: bool  # whether all items are turns of a conversation, else facts or their own `kind`
    source: ImportSource | None = None


@dataclass(frozen=True, slots=True)
class DataSet:
    """A file of pools. `without_gold` counts questions left out because nothing answers them."""

    name: str
    pools: tuple[Pool, ...]
    without_gold: int = 0

    @property
    def smallest_pool(self) -> int:
        return min((len(pool.items) for pool in self.pools if pool.questions), default=0)

    @property
    def fewest_sessions(self) -> int:
        asked = (pool for pool in self.pools if pool.questions)
        return min((len({item.session for item in pool.items}) for pool in asked), default=0)
