"""`explain` says of each stage what `recall` did; the two are held against each other at random."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from memstone import wire
from memstone.errors import NotFound
from memstone.retrieval import SECOND_STAGE
from memstone.testing import INDEX as OTHER_INDEX
from memstone.testing import draft, note, units_of
from memstone.types import Condition, Fate, Kind, Obstacle, Scope, Stage, Turn
from tests.unit.engines import ATLAS, DAY, NOON, Clock, empty, hours, restore

if TYPE_CHECKING:
    from memstone.engine import Engine
    from memstone.types import Explanation


def stopped(told: Explanation) -> tuple[Stage, tuple[str, ...]]:
    """Where it ended, and what stood in the way."""
    assert not told.recalled
    assert told.verdict.startswith("Not recalled: ")
    return told.decided_by, told.obstacles or told.rejected_by or ()


class TestVisible:
    def test_a_superseded_one_is_named_with_its_state(self, engine: Engine) -> None:
        old = engine.remember("The budget is 100 预算", at=hours(-2))
        new = engine.supersede(old.id, "The budget is 200 预算", at=hours(-1))
        told = engine.explain(old.id, "budget")
        assert stopped(told) == (Stage.VISIBLE, (Obstacle.SUPERSEDED,))
        assert told.memory.superseded_by == new.id
        assert (told.terms, told.floor, told.rank, told.budget) == (None,) * 4
        assert engine.explain(old.id, "budget", as_of=hours(-1.5)).recalled
        past = engine.explain(new.id, "budget", as_of=hours(-1.5))
        assert stopped(past) == (Stage.VISIBLE, (Obstacle.NOT_YET_VALID,))

    def test_expired_ended_and_future_ones_are_told_apart(
        self, engine: Engine, clock: Clock
    ) -> None:
        expired = engine.remember("budget expired 过期", expires=hours(1))
        ended = engine.remember("budget ended 结束", at=hours(-5), valid_until=hours(1))
        coming = engine.remember("budget coming 将来", at=hours(100))
        clock.passes(DAY)
        for memory, obstacle in (
            (expired, Obstacle.EXPIRED),
            (ended, Obstacle.NO_LONGER_VALID),
            (coming, Obstacle.NOT_YET_VALID),
        ):
            assert stopped(engine.explain(memory.id, "budget")) == (Stage.VISIBLE, (obstacle,))
        known = engine.explain(expired.id, "budget", known_at=hours(-1))
        assert Obstacle.NOT_YET_KNOWN in known.obstacles
        assert Obstacle.EXPIRED in known.obstacles

    def test_held_and_archived_ones_are_told_apart(self, engine: Engine) -> None:
        one = engine.remember("budget 预算")
        line = wire.memory_to_json(engine.get(one.id))
        engine.forget(one.id)
        del line["id"], line["text_sha256"]
        for field, obstacle in (("held", Obstacle.HELD), ("archived", Obstacle.ARCHIVED)):
            changed = {**line, field: True, "text": f"budget 预算 {field}", "id": f"mem_{field}"}
            report = restore(engine, '{"memstone_export": 1}\n' + json.dumps(changed) + "\n")
            assert report.created == 1
            (stored,) = engine.list(held=field == "held", archived=field == "archived")
            told = engine.explain(stored.id, "budget")
            assert stopped(told) == (Stage.VISIBLE, (obstacle,))

    def test_one_whose_index_is_not_complete_is_not_found_yet(self, engine: Engine) -> None:
        with engine.store.write(note()) as transaction:
            written = draft("budget 预算", transaction.intern(Scope("ana")))
            row = transaction.insert(written)
            transaction.index(row, OTHER_INDEX, units_of(written.text), complete=True)
        told = engine.explain(written.id, "budget")
        assert stopped(told) == (Stage.VISIBLE, (Obstacle.NOT_INDEXED,))

    def test_what_the_caller_cannot_see_is_not_found_as_by_get(self, engine: Engine) -> None:
        hers = engine.remember("budget 预算", scope=ATLAS)
        for scope in (Scope("ana"), Scope("bo", "atlas")):
            with pytest.raises(NotFound) as told:
                engine.explain(hers.id, "budget", scope=scope)
            with pytest.raises(NotFound) as got:
                engine.get(hers.id, scope=scope)
            assert wire.error_to_json(told.value) == wire.error_to_json(got.value)
        lead = engine.remember("budget of the tester", scope=Scope("ana", agent="tester"))
        assert engine.explain(lead.id, "budget", agents=["tester"]).recalled


@pytest.mark.parametrize(
    ("options", "rejecting"),
    [
        ({"kinds": ["task"]}, (Condition.KINDS,)),
        ({"tags": ["钱", "x"]}, (Condition.TAGS,)),
        ({"any_tags": ["x", "y"]}, (Condition.ANY_TAGS,)),
        ({"session": "s2"}, (Condition.SESSION,)),
        ({"since": hours(1)}, (Condition.SINCE,)),
        ({"until": hours(-30)}, (Condition.UNTIL,)),
        ({"kinds": ["fact"], "tags": "钱", "session": "s1"}, ()),
        (
            {"kinds": ["task"], "tags": "钱", "session": "s2"},
            (Condition.KINDS, Condition.SESSION),
        ),
    ],
)
def test_the_rejecting_conditions_are_named(
    engine: Engine, options: dict[str, Any], rejecting: tuple[Condition, ...]
) -> None:
    one = engine.remember("The budget is 200 预算", tags=["钱"], session="s1")
    told = engine.explain(one.id, "budget", **options)
    assert told.rejected_by == rejecting
    assert told.recalled is not bool(rejecting)
    assert (told.decided_by is Stage.FILTER) is bool(rejecting)


class TestTerms:
    def test_words_it_has_and_misses_are_the_question_s_own(self, engine: Engine) -> None:
        one = engine.remember("The deploys go to 上海 every week")
        told = engine.explain(one.id, "deployed budgets 上海?", min_score=0)
        assert told.terms is not None
        assert told.terms.own == ("deployed", "上", "上海", "海")
        assert told.terms.missing == ("budgets",)
        assert told.signals == engine.recall("deployed budgets 上海?", min_score=0).hits[0].signals

    def test_words_of_the_turns_around_it_are_lent(self, engine: Engine) -> None:
        report = engine.ingest(
            Turn(text=text, session="s", external_id=str(number), at=NOON)
            for number, text in enumerate(("which wine do you like?", "the red one 红", "noted"))
        )
        assert report.created == 3
        red = next(m for m in engine.list() if m.text.startswith("the red"))
        told = engine.explain(red.id, "red wine", min_score=0)
        assert told.recalled
        assert told.terms is not None
        assert (told.terms.own, told.terms.lent) == (("red",), ("wine",))
        assert told.signals is not None
        assert told.signals.context > 0

    def test_none_of_its_words_or_no_word_at_all(self, engine: Engine) -> None:
        one = engine.remember("The budget is 200 预算")
        told = engine.explain(one.id, "who won the chess match?")
        assert stopped(told) == (Stage.TERMS, ())
        assert "chess" in told.verdict
        told = engine.explain(one.id, "what is the")
        assert stopped(told) == (Stage.TERMS, ())
        assert "no word to look for" in told.verdict

    def test_a_long_question_says_which_words_it_did_not_look_for(self, engine: Engine) -> None:
        one = engine.remember("The deploy key lies in the vault 密钥")
        boilerplate = "Be kind and brief, cite sources, answer in Chinese 中文. " * 9
        told = engine.explain(one.id, f"{boilerplate} Where is the deploy key?")
        assert told.recalled
        assert told.terms is not None
        assert told.terms.own == ("deploy", "key")
        assert {"kind", "cite", "中文"} <= set(told.terms.ignored)
        (hit,) = engine.recall(f"{boilerplate} Where is the deploy key?").hits
        assert told.signals == hit.signals

    def test_a_word_in_another_part_of_a_long_memory_is_told(self, engine: Engine) -> None:
        filler = "Nothing of interest was said here at all. " * 40
        one = engine.remember(f"The quagga 斑驴 came. {filler} The zebra went.")
        told = engine.explain(one.id, "quagga 斑驴 zebra", min_score=0)
        assert told.terms is not None
        assert (told.terms.own[0], told.terms.elsewhere) == ("quagga", ("zebra",))


def test_below_the_floor_the_numbers_are_the_recall_s(engine: Engine) -> None:
    one = engine.remember("The cat 猫 sleeps")
    question = "which cat won the yearly chess match in Oslo?"
    told = engine.explain(one.id, question, min_score=0.9)
    assert stopped(told) == (Stage.FLOOR, ())
    assert told.floor is not None
    (hit,) = engine.recall(question, min_score=0)
    assert (told.floor.coverage, told.floor.evidence) == (
        hit.signals.coverage,
        hit.signals.evidence,
    )
    assert told.rank is not None
    assert (told.rank.place, told.rank.last_score) == (1, None)


def test_behind_the_limit_the_last_score_within_is_told(engine: Engine) -> None:
    for number in range(4):
        engine.remember("cat " * (4 - number) + f"and dog{number} 猫")
    hits = engine.recall("cat", limit=4, min_score=0).hits
    told = engine.explain(hits[2].id, "cat", limit=2, min_score=0)
    assert stopped(told) == (Stage.RANK, ())
    assert told.rank is not None
    assert (told.rank.place, told.rank.of, told.rank.limit) == (3, 4, 2)
    assert (told.rank.score, told.rank.last_score) == (hits[2].score, hits[1].score)


def test_too_far_down_to_be_looked_at_is_told(engine: Engine) -> None:
    for number in range(SECOND_STAGE + 5):
        engine.remember("猫 cat" + " filler" * number + f" n{number}")
    last = next(m for m in engine.list(limit=None) if m.text.endswith(f"n{SECOND_STAGE + 4}"))
    told = engine.explain(last.id, "cat", min_score=0)
    assert stopped(told) == (Stage.RANK, ())
    assert told.rank is not None
    assert (told.rank.place, told.rank.weighed) == (SECOND_STAGE + 5, False)
    assert told.floor is None


def test_the_budget_includes_shortens_or_omits(engine: Engine) -> None:
    long = engine.remember("A quagga 斑驴 came. " + "It went on and on, and then some. " * 200)
    other = engine.remember("quagga, briefly")
    for budget, fate in ((0, Fate.INCLUDED), (200, Fate.SHORTENED), (3, Fate.OMITTED)):
        told = engine.explain(long.id, "quagga 斑驴", budget=budget, min_score=0)
        assert told.budget is not None
        assert told.budget.fate is fate
        assert told.recalled is (fate is not Fate.OMITTED)
        assert told.decided_by is Stage.BUDGET
        found = engine.recall("quagga 斑驴", budget=budget, min_score=0, touch=False)
        assert (told.budget.used, told.budget.budget) == (found.tokens, found.budget)
        assert told.budget.full_tokens > 1000
    assert engine.get(other.id).recall_count == 0


WORDS = ("cat", "dog", "预算", "budget", "上海", "the", "deploys")
memories: st.SearchStrategy[dict[str, Any]] = st.builds(
    dict,
    text=st.lists(st.sampled_from(WORDS), min_size=1, max_size=30).map(" ".join),
    kind=st.sampled_from((Kind.TURN, Kind.FACT, Kind.DECISION)),
    session=st.sampled_from((None, "s", "会话")),
    tags=st.sampled_from(((), ("x",), ("x", "y"))),
    speaker=st.sampled_from((None, "Ana")),
)
asked: st.SearchStrategy[dict[str, Any]] = st.builds(
    dict,
    limit=st.integers(1, 6),
    budget=st.sampled_from((0, 5, 20, 2_000)),
    min_score=st.sampled_from((0.0, 0.2, 0.5, 0.9)),
    tags=st.sampled_from(((), (), ("x",))),
    session=st.sampled_from((None, None, "s")),
)
BOILERPLATE = "You are kind, brief and cite a cat in Chinese 中文 with every answer given. " * 4
questions = st.tuples(
    st.sampled_from(("", "", BOILERPLATE)),
    st.lists(st.sampled_from((*WORDS, "chess")), max_size=4).map(" ".join),
).map("".join)


@settings(max_examples=60)
@given(st.lists(memories, min_size=1, max_size=40), questions, asked)
def test_every_explanation_agrees_with_the_recall(
    made: list[dict[str, Any]], query: str, options: dict[str, Any]
) -> None:
    engine = empty(Clock())
    for number, one in enumerate(made):
        engine.remember(**{**one, "text": f"{one['text']} n{number}"})
    result = engine.recall(query, touch=False, **options)
    ranks = engine.recall(
        query, touch=False, **{**options, "limit": 10_000, "min_score": 0.0, "budget": 0}
    )
    hits = {hit.id: hit for hit in result}
    matching = {hit.id for hit in ranks}
    for memory in engine.list(limit=None):
        told = engine.explain(memory.id, query, **options)
        assert told.recalled is (memory.id in hits)
        omitted = told.decided_by is Stage.BUDGET and not told.recalled
        assert omitted is (memory.id in result.omitted)
        seen = told.decided_by not in {Stage.VISIBLE, Stage.FILTER}
        assert (seen and told.decided_by is not Stage.TERMS) is (memory.id in matching)
        if told.recalled:
            hit = hits[memory.id]
            assert told.rank is not None
            assert told.budget is not None
            assert (told.signals, told.rank.score) == (hit.signals, hit.score)
            assert told.budget.tokens == hit.tokens
            assert (told.budget.fate is Fate.SHORTENED) is (hit.handle is not None)
        if told.floor is not None and not told.floor.passed:
            assert told.floor.evidence < options["min_score"]
        assert wire.explanation_to_json(told)["recalled"] is told.recalled


def test_an_explanation_leaves_no_trace(engine: Engine) -> None:
    one = engine.remember("cat 猫")
    before = engine.get(one.id), engine.log()
    assert engine.explain(one.id, "cat").recalled
    assert (engine.get(one.id), engine.log()) == before
