"""Packing: greedy in rank order, never over the budget, nothing dropped in silence."""

from __future__ import annotations

import hashlib
from collections import Counter
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstone.compression.excerpt import excerpt
from memstone.packing import Packed, pack
from memstone.tokens import EstimatedTokens
from memstone.types import Budget, Kind, Memory, Ranked, Scope, Signals

COUNTER = EstimatedTokens()
FILLER = "Nothing of interest happened on this day. "
BORN = datetime(2026, 8, 13, tzinfo=UTC)


class CountingCounter:
    """The estimator, remembering how many characters it was asked to read."""

    basis = "estimated"

    def __init__(self) -> None:
        self.characters: Counter[int] = Counter()

    def count(self, text: str) -> int:
        self.characters[len(text)] += 1
        return COUNTER.count(text)


def ranked(*texts: str, word: str = "quokka") -> list[Ranked]:
    """Candidates in rank order, best unit around `word`."""
    found = []
    for row, text in enumerate(texts, start=1):
        memory = Memory(
            row=row,
            id=f"mem_{row:016x}",
            scope=Scope("ana"),
            kind=Kind.FACT,
            text=text,
            text_sha256=hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
            created_at=BORN,
            valid_from=BORN,
        )
        at = max(text.find(word), 0)
        unit = max(at - 300, 0), min(at + 300, len(text))
        found.append(Ranked(memory, 100.0 - row, Signals(100.0 - row, 1.0), *unit))
    return found


def packed(candidates: list[Ranked], tokens: int | None, *terms: str) -> Packed:
    return pack(
        candidates,
        Budget(tokens),
        terms=terms or ("quokka",),
        counter=COUNTER,
        excerpter=excerpt,
    )


def test_everything_that_fits_comes_whole_in_rank_order() -> None:
    candidates = ranked(
        "The quokka sleeps.", "预算改成了二百。", "短尾矮袋鼠 is quokka in Chinese."
    )
    result = packed(candidates, 2000)
    assert [hit.text for hit in result.hits] == [c.memory.text for c in candidates]
    assert result.omitted == ()
    assert result.tokens == sum(COUNTER.count(c.memory.text) for c in candidates)
    assert all(hit.handle is None and hit.tokens == hit.full_tokens for hit in result.hits)


def test_what_does_not_fit_is_skipped_and_smaller_ones_still_get_in() -> None:
    candidates = ranked("A quokka.", FILLER * 40, "Small.", FILLER * 50, "预算。")
    result = packed(candidates, 30)
    assert [hit.memory.row for hit in result.hits] == [1, 3, 5]
    assert result.omitted == (candidates[1].memory.id, candidates[3].memory.id)


def test_a_best_memory_that_uses_the_whole_budget_is_taken_whole() -> None:
    text = FILLER * 20
    candidates = ranked(text, "Small.")
    result = packed(candidates, COUNTER.count(text))
    assert [hit.text for hit in result.hits] == [text]
    assert result.omitted == (candidates[1].memory.id,)


def test_an_oversized_best_memory_is_shortened_with_a_handle() -> None:
    text = FILLER * 200 + "The quokka sleeps at noon. " + FILLER * 200
    result = packed(ranked(text, "Small."), 200)
    best = result.hits[0]
    assert "The quokka sleeps at noon." in best.text
    assert best.handle == best.memory.handle == f"ccr_{best.memory.text_sha256[:32]}"
    assert best.handle in best.text
    assert best.tokens == COUNTER.count(best.text) <= 200
    assert best.full_tokens == COUNTER.count(text)
    assert best.memory.text == text


def test_smaller_memories_still_fill_what_the_excerpt_left() -> None:
    text = ("山" * 180 + "。") * 30 + "quokka 睡觉。" + ("河" * 180 + "。") * 30
    candidates = ranked(text, FILLER * 30, "Small.")
    result = packed(candidates, 220)
    assert [hit.memory.row for hit in result.hits] == [1, 3]
    assert result.omitted == (candidates[1].memory.id,)


def test_a_lower_ranked_oversized_memory_is_skipped_never_cut() -> None:
    large = FILLER * 200 + "quokka " + FILLER * 200
    candidates = ranked(large, large + "again", "Small.")
    result = packed(candidates, 60)
    assert all(hit.memory.row != 2 for hit in result.hits)
    assert candidates[1].memory.id in result.omitted


@pytest.mark.parametrize("tokens", [1, 5, 20])
def test_a_budget_too_small_for_an_excerpt_omits_and_reports(tokens: int) -> None:
    candidates = ranked(FILLER * 50 + "quokka " + FILLER * 50)
    assert packed(candidates, tokens) == Packed((), (candidates[0].memory.id,), 0)


def test_no_budget_gives_everything_whole() -> None:
    texts = [FILLER * 500, "预算" * 9000]
    result = packed(ranked(*texts), None)
    assert [hit.text for hit in result.hits] == texts
    assert all(hit.handle is None for hit in result.hits)


def test_an_empty_budget_holds_nothing() -> None:
    candidates = ranked("A quokka.", "预算。")
    assert packed(candidates, 0) == Packed((), tuple(c.memory.id for c in candidates), 0)


def test_case_50_a_hit_of_two_and_a_half_megabytes_stays_within_the_default_budget() -> None:
    text = FILLER * 30_000 + "The quokka lives in cell 9. " + FILLER * 30_000
    result = pack(ranked(text), Budget(), terms=("quokka",), counter=COUNTER, excerpter=excerpt)
    assert result.tokens <= 2000
    assert "The quokka lives in cell 9." in result.hits[0].text
    assert result.hits[0].full_tokens > 400_000


def test_a_huge_memory_is_read_whole_at_most_once() -> None:
    huge = FILLER * 50_000
    counter = CountingCounter()
    candidates = ranked(huge, huge + "again", huge[:300_000], "Small.")
    pack(candidates, Budget(2000), terms=("quokka",), counter=counter, excerpter=excerpt)
    large = {size: times for size, times in counter.characters.items() if size > 100_000}
    assert large == {len(huge): 1}


SHORT = st.one_of(
    st.text(min_size=1, max_size=30),
    st.sampled_from(["A quokka.", "预算改成了二百。", "👩‍👩‍👧‍👦", FILLER]),
)
LONG = st.builds(
    lambda part, times, tail: part * times + "The quokka sleeps. " + tail * times,
    SHORT,
    st.integers(1, 60),
    SHORT,
)


@given(st.lists(st.one_of(SHORT, LONG), max_size=8), st.one_of(st.none(), st.integers(0, 600)))
def test_packing_never_exceeds_its_budget_and_accounts_for_everything(
    texts: list[str], tokens: int | None
) -> None:
    candidates = ranked(*texts)
    result = packed(candidates, tokens)
    assert result == packed(candidates, tokens)
    assert result.tokens == sum(hit.tokens for hit in result.hits)
    if tokens is not None:
        assert result.tokens <= tokens
    rows = [hit.memory.row for hit in result.hits]
    assert rows == sorted(rows)
    order = [candidate.memory.id for candidate in candidates]
    taken = {hit.id for hit in result.hits}
    assert list(result.omitted) == [id_ for id_ in order if id_ not in taken]
    for hit in result.hits:
        assert hit.tokens == COUNTER.count(hit.text)
        assert hit.full_tokens == COUNTER.count(hit.memory.text)
        assert (hit.handle is None) == (hit.text == hit.memory.text)
        assert hit.handle is None or hit.memory.row == 1


@given(st.lists(SHORT, max_size=8), st.integers(0, 200))
def test_packing_is_greedy(texts: list[str], tokens: int) -> None:
    candidates = ranked(*texts)
    left, expected = tokens, []
    for candidate in candidates:
        cost = COUNTER.count(candidate.memory.text)
        if cost <= left:
            expected.append(candidate.memory.id)
            left -= cost
    result = packed(candidates, tokens)
    assert [hit.id for hit in result.hits if hit.handle is None] == expected or result.hits[
        0
    ].handle
