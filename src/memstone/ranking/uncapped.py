"""Postings without the limit of their 32 bits: a term that stands very often in one unit.

A posting counts to 4,095. Units of `memstone`'s own index are short and never come near; where the
unit is a whole memory, a text may well say one word ten thousand times. Such a posting is counted
again in the text, which costs only whoever asks for that word.
"""

from __future__ import annotations

from dataclasses import replace

from memstone.types import (
    POSTING_FREQUENCY_MASK,
    POSTING_LENGTH_BITS,
    POSTING_LENGTH_MASK,
    PostingList,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from memstone.protocols import Postings
    from memstone.types import CorpusStatistics, Profile, TermStatistics, UnitSpan

    Count = Callable[[str, Sequence[int]], Mapping[int, int]]

MOST = POSTING_LENGTH_MASK  # a term stands in a unit as often as the unit has terms, at most


class Uncapped:
    """`postings` with true frequencies; `count` tells how often a term stands in each unit."""

    def __init__(self, postings: Postings, count: Count) -> None:
        self._postings = postings
        self._count = count

    @staticmethod
    def needed(found: Iterable[TermStatistics]) -> bool:
        """Whether any of those terms may stand in a unit more often than a posting can say."""
        return any(term.max_frequency >= POSTING_FREQUENCY_MASK for term in found)

    def statistics(self) -> CorpusStatistics:
        return self._postings.statistics()

    def terms(self, terms: Sequence[str]) -> list[TermStatistics]:
        return [
            replace(term, max_frequency=MOST) if self.needed([term]) else term
            for term in self._postings.terms(terms)
        ]

    def scan(self, term: TermStatistics) -> PostingList:
        found = self._postings.scan(term)
        if not self.needed([term]):
            return found
        exact = dict(self._exact(term, found))
        return PostingList(found.units, [exact[unit] for unit in found.units])

    def probe(self, term: TermStatistics, units: Sequence[int]) -> Iterable[tuple[int, int]]:
        found = self._postings.probe(term, units)
        return self._exact(term, found) if self.needed([term]) else found

    def _exact(
        self, term: TermStatistics, found: Iterable[tuple[int, int]]
    ) -> list[tuple[int, int]]:
        pairs = list(found)
        capped = [
            unit for unit, one in pairs if one >> POSTING_LENGTH_BITS == POSTING_FREQUENCY_MASK
        ]
        counts = self._count(term.term, capped) if capped else {}
        return [
            (unit, counts[unit] << POSTING_LENGTH_BITS | one & POSTING_LENGTH_MASK)
            if unit in counts
            else (unit, one)
            for unit, one in pairs
        ]

    def accept(self, units: Sequence[int]) -> dict[int, int]:
        return self._postings.accept(units)

    def enumerate(self, at_most: int) -> list[int] | None:
        return self._postings.enumerate(at_most)

    def ids(self, rows: Sequence[int]) -> dict[int, str]:
        return self._postings.ids(rows)

    def spans(self, units: Sequence[int]) -> dict[int, UnitSpan]:
        return self._postings.spans(units)

    def profiles(self, rows: Sequence[int]) -> dict[int, Profile]:
        return self._postings.profiles(rows)

    def around(self, rows: Sequence[int], reach: int) -> dict[int, list[tuple[int, int]]]:
        return self._postings.around(rows, reach)
