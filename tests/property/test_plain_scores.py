"""The recall of `cavemem` against the ancestor's definition, scored without any index."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstone import open as open_engine
from memstone import plain_recall
from memstone.analysis import plain
from memstone.engine.cavemem import Cavemem, make_whole
from memstone.tokens import EstimatedTokens
from memstone.types import Budget, RecallOptions, View
from tests.acceptance.cavemem import seed_scores, seed_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memstone.engine import Engine
    from memstone.types import RecallResult

FLOOR = 0.1
WORDS = [
    "deploy",
    "Key",
    "the",
    "vault",
    "端口",
    "数据库",
    "猫",
    "x²",
    "İzmir",
    "ΟΔΟΣ",
    "don't",
    "🙂",
]
TEXT = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)
QUERY = st.lists(st.sampled_from([*WORDS, "absent"]), max_size=6).map(" ".join)


@pytest.fixture(params=["in memory", "sqlite"])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    with tempfile.TemporaryDirectory() as folder:
        path = ":memory:" if request.param == "in memory" else os.path.join(folder, "mem.db")
        with open_engine(path, clock=iter(range(10**15, 2 * 10**15, 10**6)).__next__) as opened:
            make_whole(opened.store, lambda: 10**15)
            yield opened


def recall(
    engine: Engine, query: str, *, limit: int = 10**6, budget: int | None = None
) -> RecallResult:
    options = RecallOptions(limit=limit, budget=Budget(budget), min_score=FLOOR)
    return plain_recall.recall(
        engine.store, query, options, View(engine.scope), now=10**16, counter=EstimatedTokens()
    )


def expected(engine: Engine, query: str) -> list[tuple[str, float]]:
    """What the ancestor would return, best first; ids of equal scores ascend."""
    current = {memory.id: memory.text for memory in engine.list(limit=None)}
    scores = seed_scores(current, query)
    kept = [(score, id_) for id_, score in scores.items() if score >= FLOOR]
    return [(id_, score) for score, id_ in sorted(kept, key=lambda one: (-one[0], one[1]))]


def agree(engine: Engine, query: str) -> None:
    found = {hit.id: hit.score for hit in recall(engine, query)}
    wanted = dict(expected(engine, query))
    assert found == pytest.approx(wanted, rel=0, abs=1e-12)
    # mathematically equal scores may differ in the last bit of either sum, so no order of ids here
    assert list(found.values()) == sorted(found.values(), reverse=True)


@given(
    texts=st.lists(TEXT, min_size=1, max_size=25),
    gone=st.sets(st.integers(0, 24)),
    changed=st.sets(st.integers(0, 24)),
    queries=st.lists(QUERY, min_size=1, max_size=4),
)
def test_scores_are_those_of_the_ancestor_whatever_happened(
    texts: Sequence[str], gone: set[int], changed: set[int], queries: Sequence[str]
) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        open_engine(os.path.join(folder, "m.db")) as engine,
    ):
        ids = [engine.remember(text).id for text in texts[: len(texts) // 2]]
        make_whole(engine.store, lambda: 10**15)
        ids += [engine.remember(text).id for text in texts[len(texts) // 2 :]]
        for number, id_ in enumerate(dict.fromkeys(ids)):
            if number in gone:
                engine.forget(id_)
            elif number in changed:
                engine.supersede(id_, f"{number} new 端口")
        for query in queries:
            agree(engine, query)


@given(
    st.lists(st.sampled_from(WORDS)).flatmap(lambda w: st.tuples(st.just(w), st.permutations(w)))
)
def test_the_order_of_the_words_of_a_question_changes_no_bit(
    orders: tuple[list[str], list[str]],
) -> None:
    one, other = orders
    assert plain.terms(" ".join(one)) == plain.terms(" ".join(other))


@pytest.mark.parametrize("many", [4_094, 4_095, 4_096, 20_000])
def test_a_word_said_very_often_is_counted_exactly(engine: Engine, many: int) -> None:
    texts = ["key " * many + "vault", "key vault", "vault key key", "猫 " * 6_000 + "key"]
    for text in texts:
        engine.remember(text)
    for query in ("key", "vault key", "猫 key"):
        agree(engine, query)


def test_texts_without_a_word_count_as_memories(engine: Engine) -> None:
    for text in ("hello there", "the of to", "🙂", "🙂🙂", "who?"):
        engine.remember(text)
    agree(engine, "hello")
    assert [hit.text for hit in recall(engine, "hello")] == ["hello there"]
    assert list(recall(engine, "the")) == []


def test_nothing_scores_where_no_text_has_a_word(engine: Engine) -> None:
    engine.remember("🙂")
    assert list(recall(engine, "hello")) == []


@given(
    texts=st.lists(TEXT, min_size=1, max_size=12),
    query=QUERY,
    limit=st.integers(1, 8),
    budget=st.integers(1, 40),
)
def test_packing_is_greedy_in_rank_order_and_keeps_the_budget(
    texts: Sequence[str], query: str, limit: int, budget: int
) -> None:
    with open_engine(":memory:") as engine:
        make_whole(engine.store, lambda: 10**15)
        for text in texts:
            engine.remember(text)
        whole = list(recall(engine, query, limit=limit))
        packed = recall(engine, query, limit=limit, budget=budget)
        assert packed.tokens == sum(hit.tokens for hit in packed) <= budget
        if whole and whole[0].tokens > budget:
            (hit,) = packed
            assert hit.handle == hit.memory.handle
            assert hit.memory.text.startswith(hit.text)
            assert hit.text != hit.memory.text
            return
        left = budget
        for hit in whole:
            fits = hit.tokens <= left
            assert (hit.id in [shown.id for shown in packed]) == fits
            left -= hit.tokens * fits


@given(text=st.text(min_size=1, max_size=60), most=st.integers(0, 30))
def test_a_head_is_the_longest_beginning_that_fits(text: str, most: int) -> None:
    counter = EstimatedTokens()
    head = plain_recall.head(text, most, counter)
    assert text.startswith(head)
    assert counter.count(head) <= most or not head


def test_the_reference_scorer_finds_the_worked_example() -> None:
    text = "the deploy key lives in vault under ops/deploy"
    assert len(seed_tokens(text)) == 7
    assert seed_scores({"one": text}, "where is the deploy key")["one"] == pytest.approx(
        0.698656, abs=1e-6
    )


def test_a_call_needs_a_text(engine: Engine) -> None:
    cavemem = Cavemem(engine, lambda: 10**15)
    assert cavemem.recall("").hits == ()
