"""What the engine machine draws: scopes that look alike, texts with a past, wishes and questions.

The words are few, so that the same text comes again, in other scopes, as history and as a turn.
Whoever asks gives little: mostly no filter and no date, as callers do.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, TypeVar

import hypothesis.strategies as st

from memstone.testing import START
from memstone.times import from_micros
from memstone.types import MAX_LIMIT, Kind, Scope, Trust, Turn
from tests.property.model import Look, Wish

if TYPE_CHECKING:
    from datetime import datetime

Answer = TypeVar("Answer")

SECOND = 1_000_000
HOME = Scope("ana_")
SCOPES = (
    HOME,
    Scope("ana_", "项目"),
    Scope("ana_", "项目", "o'\"\0"),
    Scope("ana_", "", "🤖"),
    Scope("ana%", "项目"),
    Scope("anab"),
)
USERS = tuple(dict.fromkeys(scope.user for scope in SCOPES))
FILLER = "Rain fell on the harbour all day and nobody came. 下了一整天的雨，没有人来。" * 12
LONG = f"The budget of the long report: {FILLER} 猫 sleeps."
TEXTS = (
    "budget 100",
    "budget 200",
    "budget 300 猫",
    "预算 100",
    " budget 100",
    "ok",
    "'; DROP TABLE memory; --\0\u202e🤖",
    LONG,
)
SPEAKERS = ("Ana", "猫咪")
TAGS = ("x", "50%", "x_", "标签")
# a query, and what any text must hold to be found by it
QUERIES = {
    "budget 预 100 猫": ("budget", "预", "100", "猫"),
    "budget": ("budget",),
    "the long report about a 猫": ("long", "report", "猫"),
    "What is the budget?": ("budget",),
    "100 猫": ("100", "猫"),
    "预算": ("预", "算"),
    "drop table": ("DROP", "TABLE"),
    "the": (),
    "": (),
    "submarine": (),
}
# thousands of small commits: what survives a crash is tested elsewhere, so no disk need turn here
MEMORY_DISK = "/dev/shm" if os.path.isdir("/dev/shm") else None

choices = st.integers(0, 30)
waits = st.sampled_from((0, 0, 1, 1, 2))
scopes = st.sampled_from((HOME, HOME, *SCOPES))
instants = st.builds(
    lambda second, offset: START + second * SECOND + offset,
    st.integers(0, 30),
    st.sampled_from((0, 0, 0, -1, 1)),
)
some_tags = st.lists(st.sampled_from(TAGS), max_size=2, unique=True).map(tuple)
sessions = st.sampled_from(("s", "S", "会话"))


def mostly(
    often: st.SearchStrategy[Answer], seldom: st.SearchStrategy[Answer]
) -> st.SearchStrategy[Answer]:
    """Three times of four the first; `one_of` would count a strategy given twice only once."""
    drawn = st.tuples(st.sampled_from((False, False, False, True)), often, seldom)
    return drawn.map(lambda each: each[2] if each[0] else each[1])


def rarely(strategy: st.SearchStrategy[Answer]) -> st.SearchStrategy[Answer | None]:
    """Mostly None, which is what most callers give."""
    return mostly(st.none(), strategy)


facts = st.builds(
    Wish,
    text=st.sampled_from(TEXTS),
    kind=rarely(st.sampled_from((Kind.FACT, Kind.TASK, Kind.PREFERENCE))),
    tags=st.none() | some_tags,
    role=rarely(st.just("editor")),
    session=rarely(sessions),
    speaker=rarely(st.sampled_from(SPEAKERS)),
    subject=rarely(st.just("budget")),
    attribute=rarely(st.just("amount")),
    external_id=rarely(st.just("e1")),
    trust=rarely(st.sampled_from(Trust)),
    pinned=rarely(st.booleans()),
    at=st.none() | instants,
    valid_until=rarely(instants),
    expires=rarely(instants),
)
plain_facts = st.builds(Wish, text=st.sampled_from(TEXTS[:4]), at=st.none() | instants)
spoken = st.builds(
    Wish,
    text=st.sampled_from(("ok", "budget 100", "预算 100")),
    kind=st.just(Kind.TURN),
    session=st.none() | sessions,
    speaker=rarely(st.sampled_from(SPEAKERS)),
    external_id=st.sampled_from((None, "t1", "t2")),
    at=st.none() | instants,
)
turns = st.builds(
    Turn,
    text=st.sampled_from(("ok", "budget 200", "猫", " ")),
    speaker=st.none() | st.sampled_from(SPEAKERS),
    session=st.none() | sessions,
    at=st.none() | instants,
    external_id=st.sampled_from((None, "t1", "t2")),
    ordinal=st.integers(1, 3),
    trust=st.sampled_from(Trust),
    tags=some_tags,
)
readers = rarely(st.sampled_from(SCOPES))  # None: the scope of the row in question
narrow_looks = st.one_of(
    st.builds(Look, reader=scopes, tags=some_tags, since=rarely(instants)),
    st.builds(Look, reader=scopes, any_tags=some_tags, until=rarely(instants)),
    st.builds(Look, reader=scopes, session=sessions),
    st.builds(Look, reader=scopes, kinds=st.just((Kind.FACT, Kind.TASK))),
    st.builds(Look, reader=scopes, kinds=st.just((Kind.TURN,)), agents=st.just(("🤖", "o'\"\0"))),
    st.builds(Look, reader=scopes, since=instants, until=instants),
)
looks = mostly(st.builds(Look, reader=scopes), narrow_looks)


@dataclass(frozen=True)
class Cut:
    """What a recall may leave out of its answer."""

    limit: int
    budget: int | None
    floor: float | None


questions = st.tuples(
    mostly(
        st.sampled_from(("budget", "100 猫", "预算", "the long report about a 猫")),
        st.sampled_from(tuple(QUERIES)),
    ),
    looks,
    rarely(instants),
    rarely(instants),
    st.builds(
        Cut,
        limit=st.sampled_from((MAX_LIMIT, 1, 3)),
        budget=st.sampled_from((None, 0, 8, 60, 60)),
        floor=st.sampled_from((None, 0.0, 0.5)),
    ),
)


def moment(micros: int | None) -> datetime | None:
    return None if micros is None else from_micros(micros)


def arguments(wish: Wish) -> dict[str, object]:
    """The keyword arguments of a wish; what it does not give is not passed."""
    given = {each.name: getattr(wish, each.name) for each in fields(Wish) if each.name != "text"}
    dates = {name: moment(given[name]) for name in ("at", "valid_until", "expires")}
    return {name: value for name, value in {**given, **dates}.items() if value is not None}


def filters(look: Look) -> dict[str, object]:
    instants = ("since", "until", "as_of", "known_at")
    dates = {name: moment(getattr(look, name)) for name in instants}
    names = ("agents", "tags", "any_tags", "kinds", "session")
    return {name: getattr(look, name) for name in names} | dates | {"scope": look.reader}
