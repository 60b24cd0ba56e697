"""Exact BM25 top-k over postings: MaxScore, and a plan for narrow filters, with the same bits.

Terms are taken in order of the most each can add. Once the k-th best memory so far beats the sum
of what is left, no new unit can enter, and the frequent terms are only probed for the few units
that still could. What survives is scored again, term by term in the query's order, so the sum is
the same float64 however it was found (Turtle & Flood, "Query evaluation", 1995, for MaxScore).

A filter is asked lazily, only about units good enough to matter. If it turns out to reject nearly
everything, the second plan starts from the filter's own units and probes every term for them.
Both end in the same `_finish`; `naive` is the definition they must equal.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import nlargest

from memstone.ranking.bm25 import Bm25

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memstone.protocols import Postings
    from memstone.types import TermStatistics, UnitSpan

NARROW_SHARE = 0.02  # below this share of accepted units, starting from the filter is cheaper
NARROW_AFTER = 512  # units asked about before the share is believed
SLACK = 1.0 - 1e-9  # partial sums are added in another order than the final ones
PROBE_COST = 8  # a probe costs about as much as scanning this many postings (measured)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory's best unit, its exact score and which query terms it holds."""

    span: UnitSpan
    score: float
    matched: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Term:
    statistics: TermStatistics
    weight: float
    bound: float


class _TooNarrow(Exception):
    """The filter rejects nearly everything."""


def lexical(terms: Sequence[str], postings: Postings, limit: int) -> list[Candidate]:
    """The `limit` best memories for `terms` that the postings' filter accepts, best first.

    Ties break by memory id; of one memory the best unit counts, of equal ones the first.
    """
    formula = Bm25.of(postings.statistics())
    wanted = [_term(formula, found) for found in postings.terms(terms)]
    if not wanted:
        return []
    gate = _Gate(postings, limit)
    try:
        units = _survivors(formula, wanted, postings, gate)
    except _TooNarrow:
        passing = postings.enumerate(max(NARROW_AFTER, int(formula.units * NARROW_SHARE)))
        gate.patient = True
        units = passing or _survivors(formula, wanted, postings, gate)
    return _finish(formula, wanted, postings, units, limit)


def _term(formula: Bm25, found: TermStatistics) -> _Term:
    weight = formula.weight(found.df)
    return _Term(found, weight, formula.bound(weight, found.max_frequency, found.min_length))


class _Gate:
    """Asks the filter about units, once each and only when they matter."""

    def __init__(self, postings: Postings, limit: int) -> None:
        self._postings = postings
        self._limit = limit
        self._row: dict[int, int | None] = {}
        self._accepted = 0
        self.patient = False  # go on even if the filter rejects nearly everything

    def threshold(self, scores: dict[int, float]) -> float:
        """The score of the `limit`-th best accepted memory, 0.0 if there are fewer."""
        size = 2 * self._limit
        while True:
            cut = nlargest(size, scores.values())[-1] if size < len(scores) else 0.0
            best = sorted(
                ((score, unit) for unit, score in scores.items() if score >= cut), reverse=True
            )
            self._ask([unit for _, unit in best])
            rows: set[int] = set()
            for score, unit in best:
                row = self._row[unit]
                if row is not None:
                    rows.add(row)
                    if len(rows) == self._limit:
                        return score
            if size >= len(scores):
                return 0.0
            size *= 4

    def _ask(self, units: list[int]) -> None:
        new = [unit for unit in units if unit not in self._row]
        accepted = self._postings.accept(new)
        self._row.update(dict.fromkeys(new))
        self._row.update(accepted)
        self._accepted += len(accepted)
        asked = len(self._row)
        narrow = asked >= NARROW_AFTER and self._accepted < asked * NARROW_SHARE
        if narrow and not self.patient:
            raise _TooNarrow


def _survivors(
    formula: Bm25, wanted: list[_Term], postings: Postings, gate: _Gate
) -> Iterable[int]:
    """Units that can be among the best; a superset, cut by bounds only."""
    order = sorted(wanted, key=lambda term: (-term.bound, term.statistics.term))
    left = [0.0] * (len(order) + 1)
    for position in range(len(order) - 1, -1, -1):
        left[position] = left[position + 1] + order[position].bound
    scores: dict[int, float] = {}
    position = 0
    while position < len(order):
        if scores and left[position] < gate.threshold(scores):
            break
        _accumulate(formula, order[position], postings, scores)
        position += 1
    return _probe_rest(formula, order[position:], postings, gate, scores)


def _accumulate(formula: Bm25, term: _Term, postings: Postings, scores: dict[int, float]) -> None:
    get, weight, base, slope = scores.get, term.weight, formula.base, formula.slope
    for unit, posting in postings.scan(term.statistics):
        frequency = posting >> 20  # formula.score, unrolled: this line runs N times
        scores[unit] = get(unit, 0.0) + weight * frequency / (
            frequency + base + slope * (posting & 0xFFFFF)
        )


def _probe_rest(
    formula: Bm25,
    rest: list[_Term],
    postings: Postings,
    gate: _Gate,
    scores: dict[int, float],
) -> Iterable[int]:
    """Cut `scores` to what can still win while adding the frequent terms."""
    left = sum(term.bound for term in rest)
    for term in rest:
        scores = _cut(scores, gate, left)
        if len(scores) * PROBE_COST < term.statistics.postings:
            found = postings.probe(term.statistics, list(scores))
        else:
            found = postings.scan(term.statistics)
        for unit, posting in found:
            if unit in scores:
                scores[unit] += formula.score(term.weight, posting)
        left -= term.bound
    return _cut(scores, gate, 0.0)


def _cut(scores: dict[int, float], gate: _Gate, left: float) -> dict[int, float]:
    threshold = gate.threshold(scores) * SLACK
    return {unit: score for unit, score in scores.items() if score + max(left, 0.0) >= threshold}


def _finish(
    formula: Bm25, wanted: list[_Term], postings: Postings, units: Iterable[int], limit: int
) -> list[Candidate]:
    """The canonical score of every unit, then the best unit of each memory, in order."""
    accepted = sorted(postings.accept(sorted(units)))
    scores: dict[int, float] = {}
    matched: dict[int, list[str]] = {}
    for term in wanted:  # the query's order: float addition is not associative
        for unit, posting in postings.probe(term.statistics, accepted):
            scores[unit] = scores.get(unit, 0.0) + formula.score(term.weight, posting)
            matched.setdefault(unit, []).append(term.statistics.term)
    spans = postings.spans(sorted(scores))
    best: dict[int, Candidate] = {}
    for unit in sorted(scores, key=lambda unit: (-scores[unit], spans[unit].start)):
        candidate = Candidate(spans[unit], scores[unit], frozenset(matched[unit]))
        best.setdefault(spans[unit].row, candidate)
    ordered = sorted(best.values(), key=lambda found: (-found.score, found.span.id))
    return ordered[:limit]
