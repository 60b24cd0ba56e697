"""BM25 and coverage against numbers worked out by hand."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memstone import analysis
from memstone.ranking import (
    K1,
    B,
    Bm25,
    Corpus,
    Coverage,
    evidence,
    idf,
    lexical,
    reduce_terms,
)
from memstone.ranking.coverage import BACKGROUND_UNITS
from memstone.storage.inmemory import InMemoryStore
from memstone.testing.building import DAY, INDEX, START, draft, note, units_of
from memstone.types import CorpusStatistics, Evidence, Filter, Reach, Scope, Validity

if TYPE_CHECKING:
    from collections.abc import Sequence


def test_idf_is_the_always_positive_form_rounded_to_two_to_the_minus_32() -> None:
    exact = math.log(1 + (1000 - 10 + 0.5) / 10.5)
    assert abs(idf(1000, 10) - exact) <= 2**-33
    assert (idf(1000, 10) * 2**32).is_integer()
    assert idf(5, 5) > 0


def test_a_score_is_the_textbook_formula() -> None:
    formula = Bm25.of(CorpusStatistics(units=4, total_length=40))
    posting = 3 << 20 | 20
    expected = idf(4, 2) * 3 * (K1 + 1) / (3 + K1 * (1 - B + B * 20 / 10))
    assert formula.score(formula.weight(2), posting) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize(("frequency", "length"), [(1, 1), (2, 7), (9, 500), (1, 600)])
def test_the_bound_of_a_term_is_never_below_a_score(frequency: int, length: int) -> None:
    formula = Bm25.of(CorpusStatistics(units=9, total_length=300))
    weight = formula.weight(3)
    bound = formula.bound(weight, max_frequency=9, min_length=1)
    assert formula.score(weight, frequency << 20 | length) <= bound


def test_an_empty_corpus_has_a_formula_too() -> None:
    assert Bm25.of(CorpusStatistics(0, 0)).weight(0) > 0


def test_three_documents_rank_as_worked_out_by_hand() -> None:
    store = InMemoryStore()
    texts = ["budget cloud budget", "cloud 预算", "nothing of it here at all"]
    with store.write(note()) as transaction:
        space = transaction.intern(Scope("ana"))
        for number, text in enumerate(texts):
            row = transaction.insert(draft(text, space, at=START + number))
            transaction.index(row, INDEX, units_of(text), complete=True)
    now = START + DAY
    view = Filter(namespaces=(space,), reach=Reach.RECALLABLE, validity=Validity(now, now, now))
    with store.read() as snapshot:
        found = lexical(["budget", "cloud"], snapshot.postings(INDEX, view), 10)
    average = (3 + 2 + 6) / 3
    budget = idf(3, 1) * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 3 / average))
    cloud = [idf(3, 2) * 2.2 / (1 + 1.2 * (0.25 + 0.75 * n / average)) for n in (3, 2)]
    assert [candidate.row for candidate in found] == [1, 2]
    assert found[0].score == pytest.approx(budget + cloud[0], rel=1e-12)
    assert found[1].score == pytest.approx(cloud[1], rel=1e-12)
    assert found[0].matched == {"budget", "cloud"}


NOTHING: frozenset[str] = frozenset()


class TestCoverage:
    known = Evidence(("deploy",), ("deploy",), (), "deployed")
    absent = Evidence(("zanzibar",), ("zanzibar",), (), "zanzibar")
    corpus = Corpus({"deploy": 3, "gen": 1, "itgc": 1, "gen-itgc": 1}, units=10)

    def covered(
        self,
        evidence: Sequence[Evidence],
        matched: set[str],
        *,
        lent: frozenset[str] = NOTHING,
        words: frozenset[str] = NOTHING,
    ) -> float:
        return Coverage(evidence, self.corpus).of(frozenset(matched), lent, words)

    def test_an_exact_word_counts_whole_and_a_stem_half(self) -> None:
        assert self.covered([self.known], {"deploy"}, words=frozenset({"deployed"})) == 1.0
        assert self.covered([self.known], {"deploy"}, words=frozenset({"deploys"})) == 0.5

    def test_absent_words_stay_in_the_denominator(self) -> None:
        mass, lost = self.corpus.mass(self.known), self.corpus.mass(self.absent)
        assert lost == idf(10 + BACKGROUND_UNITS, 0)
        found = self.covered([self.known, self.absent], {"deploy"}, words=frozenset({"deployed"}))
        assert found == pytest.approx(mass / (mass + lost))

    def test_parts_of_an_identifier_count_half_of_their_share(self) -> None:
        identifier = [Evidence(("gen-itgc",), ("gen-itgc",), ("gen", "itgc"), None)]
        assert self.covered(identifier, {"gen-itgc"}) == 1.0
        assert self.covered(identifier, {"itgc"}) == 0.25
        assert self.covered(identifier, {"itgc", "gen"}) == 0.5

    def test_what_neighbours_lend_counts_less_and_never_alone(self) -> None:
        pieces = [self.known, self.absent]
        alone = self.covered(pieces, {"deploy"}, words=frozenset({"deployed"}))
        lent = self.covered(
            pieces, {"deploy"}, lent=frozenset({"zanzibar"}), words=frozenset({"deployed"})
        )
        assert alone < lent < 1.0
        assert self.covered(pieces, set(), lent=frozenset({"zanzibar", "deploy"})) == 0.0

    def test_a_chinese_question_is_covered_by_pairs_not_by_accident_of_borders(self) -> None:
        question = analysis.analyze_query("回复语气")
        matched = {"回", "回复", "复", "语", "语气", "气"}
        assert self.covered(question.evidence, matched) == 1.0

    def test_single_shared_characters_are_no_evidence(self) -> None:
        question = analysis.analyze_query("量子计算")
        assert self.covered(question.evidence, set("量子计算")) == 0.0

    def test_a_long_question_is_measured_by_its_informative_part(self) -> None:
        rare = [Evidence((f"w{n}",), (f"w{n}",), (), None) for n in range(40)]
        assert self.covered(rare, {"w0", "w1", "w2", "w3", "w4"}) == pytest.approx(1.0)
        assert self.covered(rare, {"w0"}) == pytest.approx(1 / 5)

    def test_a_long_chinese_question_is_measured_by_less(self) -> None:
        question = analysis.analyze_query("甲乙丙丁戊己庚辛壬癸子丑寅卯辰巳午未申酉戌亥")
        assert self.covered(question.evidence, {"甲乙", "丙丁"}) == pytest.approx(1.0)
        assert self.covered(question.evidence, {"甲乙"}) == pytest.approx(1 / 1.75)

    def test_one_memory_that_answers_well_speaks_for_its_companions(self) -> None:
        assert evidence(0.6, 0.6) == 0.6
        assert 0.2 < evidence(0.2, 0.6) < 0.6
        assert evidence(0.7, 0.6) == 0.7
        assert evidence(0.0, 1.0) == 0.0

    def test_no_evidence_is_no_coverage(self) -> None:
        assert self.covered([], {"deploy"}) == 0.0

    def test_words_are_not_asked_for_when_nothing_depends_on_them(self) -> None:
        class Never(frozenset[str]):
            def __contains__(self, word: object) -> bool:
                raise AssertionError(word)

        assert self.covered([self.absent], {"other"}, words=Never()) == 0.0


def test_a_long_question_is_reduced_to_its_rarest_terms_in_its_own_order() -> None:
    dfs = {f"t{number}": number + 1 for number in range(300)}
    reduced = reduce_terms([f"t{number}" for number in reversed(range(300))], dfs, most=96)
    assert reduced == tuple(f"t{number}" for number in reversed(range(96)))


def test_an_answer_says_when_the_question_was_reduced() -> None:
    import memstone

    with tempfile.TemporaryDirectory() as folder, memstone.open(Path(folder)) as engine:
        engine.remember(" ".join(f"word{number}" for number in range(150)))
        result = engine.recall(" ".join(f"word{number}" for number in range(150)))
        assert result.degraded == ("query_reduced",)
        assert engine.recall("word7").degraded == ()
