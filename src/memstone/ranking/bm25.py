"""BM25: the formula, its constants, and the one place where its numbers are computed.

Robertson & Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with the
always-positive idf of Lucene. Every caller sums term scores in the query's term order, so that a
score is the same float64 whichever plan found the unit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from memstone.ranking.arithmetic import rounded
from memstone.types import POSTING_LENGTH_BITS, POSTING_LENGTH_MASK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from memstone.types import CorpusStatistics

K1 = 1.2  # term saturation; 0.9 wins on short turns and loses badly on long messages (DESIGN.md 4)
B = 0.75  # length normalisation, the textbook value; measured together with K1
SEED_K1 = 1.5  # the first ancestor's, which the index `plain` keeps; its B is the same


def idf(units: int, df: int) -> float:
    """Inverse document frequency, > 0, of a term in `df` of `units` units.

    >>> round(idf(units=100, df=1), 4)
    4.2097
    """
    return rounded(_idf(units, df))


def _idf(units: int, df: int) -> float:
    return math.log(1.0 + (units - df + 0.5) / (df + 0.5))


@dataclass(frozen=True, slots=True)
class Bm25:
    """The formula for one corpus: `base` and `slope` give k1·(1 − b + b·length/average)."""

    units: int
    base: float
    slope: float
    k1: float = K1
    rounds: bool = True  # whether idf is rounded, so that every platform has the same bits

    @classmethod
    def of(cls, statistics: CorpusStatistics) -> Bm25:
        """The formula for a corpus; an empty one gets an average length of 1."""
        average = statistics.total_length / statistics.units if statistics.units else 1.0
        return cls(statistics.units, K1 * (1.0 - B), K1 * B / max(average, 1.0))

    @classmethod
    def seed(cls, statistics: CorpusStatistics) -> Bm25:
        """The first ancestor's formula for a corpus: another k1, nothing rounded."""
        units, total = statistics.units, statistics.total_length
        slope = SEED_K1 * B * units / total if total else 0.0  # where no text has a word
        return cls(units, SEED_K1 * (1.0 - B), slope, SEED_K1, rounds=False)

    def weight(self, df: int) -> float:
        """What a term's saturated frequency is multiplied with: idf · (k1 + 1)."""
        measure = idf if self.rounds else _idf
        return measure(self.units, min(df, self.units)) * (self.k1 + 1.0)

    def score(self, weight: float, posting: int) -> float:
        """The score of one posting (tf << 20 | length) of a term with that `weight`."""
        frequency = posting >> POSTING_LENGTH_BITS
        length = posting & POSTING_LENGTH_MASK
        return weight * frequency / (frequency + self.base + self.slope * length)

    def bound(self, weight: float, max_frequency: int, min_length: int) -> float:
        """An upper bound of `score` over all postings of a term."""
        saturated = max_frequency / (max_frequency + self.base + self.slope * min_length)
        return weight * saturated * (1.0 + 1e-12)

    def scores(self, weight: float, postings: Iterable[int]) -> dict[int, float]:
        """`score` of each distinct posting. There are few pairs of frequency and length, so that
        a list of thousands of postings is then only looked up.
        """
        base, slope, bits, mask = self.base, self.slope, POSTING_LENGTH_BITS, POSTING_LENGTH_MASK
        return {  # `score` written out, to the bit: it is called a thousand times a question
            posting: weight * tf / (tf + base + slope * (posting & mask))
            for posting in set(postings)
            for tf in (posting >> bits,)
        }
