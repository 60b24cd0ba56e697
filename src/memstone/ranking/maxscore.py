"""Exact BM25 top-k over postings: MaxScore, and a plan for narrow filters, with the same bits.

Terms are taken in order of the most each can add. Once the k-th best memory so far beats the sum
of what is left, no new unit can enter, and the frequent terms are only probed for the few units
that still could. Before a long list is scanned, the most promising units are scored to the end by
probes: their true scores often show that the scan is not needed. What survives is scored again,
term by term in the query's order, so the sum is the same float64 however it was found (Turtle &
Flood, "Query evaluation: strategies and optimizations", 1995, for MaxScore).

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
    from memstone.types import TermStatistics

NARROW_SHARE = 0.02  # below this share of accepted units, starting from the filter is cheaper
NARROW_AFTER = 512  # units asked about before the share is believed
SLACK = 1.0 - 1e-9  # partial sums are added in another order than the final ones
CROWD = 8  # this many times more units left than wanted: worth a look at the threshold
PROBE_COST = 5  # a probe costs as much as adding this many postings of a list
SHORT = 400  # a list that is added sooner than the threshold is looked at


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory with its best unit, that unit's exact score and which query terms it holds."""

    unit: int
    row: int
    id: str
    score: float
    matched: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Term:
    statistics: TermStatistics
    weight: float
    bound: float


class _TooNarrow(Exception):
    """The filter rejects nearly everything."""


def lexical(
    terms: Sequence[str], postings: Postings, limit: int, formula: Bm25 | None = None
) -> list[Candidate]:
    """The `limit` best memories for `terms` that the postings' filter accepts, best first.

    Ties break by memory id; of one memory the best unit counts, of equal ones the first. The
    formula is ours unless another is given.
    """
    formula = formula or Bm25.of(postings.statistics())
    wanted = [_term(formula, found) for found in postings.terms(terms)]
    if not wanted:
        return []
    gate = _Gate(postings, limit)
    try:
        units: Iterable[int] = _Search(formula, wanted, postings, gate).run()
    except _TooNarrow:
        passing = postings.enumerate(max(NARROW_AFTER, int(formula.units * NARROW_SHARE)))
        gate.patient = True
        units = passing or _Search(formula, wanted, postings, gate).run()
    return _finish(formula, wanted, postings, gate.accepted(units), limit)


def _term(formula: Bm25, found: TermStatistics) -> _Term:
    weight = formula.weight(found.df)
    return _Term(found, weight, formula.bound(weight, found.max_frequency, found.min_length))


class _Gate:
    """Asks the filter about units, once each and only when they matter."""

    def __init__(self, postings: Postings, limit: int) -> None:
        self.limit = limit
        self.patient = False  # go on even if the filter rejects nearly everything
        self._postings = postings
        self._row: dict[int, int | None] = {}
        self._passed = 0

    def best(self, scores: dict[int, float], least: float) -> tuple[list[int], float]:
        """The best units of accepted memories that score `least` or more, about twice as many as
        wanted, and the score of the `limit`-th best memory; 0.0 if there are fewer.
        """
        good = [score for score in scores.values() if score >= least]
        size = 2 * self.limit
        while True:
            cut = nlargest(size, good)[-1] if size < len(good) else least
            ranked = [(score, unit) for unit, score in scores.items() if score >= cut]
            ranked.sort(reverse=True)
            units = [unit for _, unit in ranked]
            self._ask(units)
            threshold = self._threshold(ranked)
            if threshold or size >= len(good):
                return [unit for unit in units if self._row[unit] is not None], threshold
            size *= 4

    def _threshold(self, ranked: list[tuple[float, int]]) -> float:
        rows: set[int] = set()
        for score, unit in ranked:
            row = self._row[unit]
            if row is not None:
                rows.add(row)
                if len(rows) == self.limit:
                    return score
        return 0.0

    def accepted(self, units: Iterable[int]) -> dict[int, int]:
        """Unit → row of those of the units whose memory the filter lets through, ascending."""
        self.patient = True
        wanted = sorted(units)
        self._ask(wanted)
        rows = ((unit, self._row[unit]) for unit in wanted)
        return {unit: row for unit, row in rows if row is not None}

    def _ask(self, units: list[int]) -> None:
        new = [unit for unit in units if unit not in self._row]
        if not new:
            return
        accepted = self._postings.accept(new)
        self._row.update(dict.fromkeys(new))
        self._row.update(accepted)
        self._passed += len(accepted)
        asked = len(self._row)
        narrow = asked >= NARROW_AFTER and self._passed < asked * NARROW_SHARE
        if narrow and not self.patient:
            raise _TooNarrow


class _Search:
    """One MaxScore run; what it returns is a superset of the best units, cut by bounds only."""

    def __init__(self, formula: Bm25, wanted: list[_Term], postings: Postings, gate: _Gate) -> None:
        self._formula = formula
        self._order = sorted(wanted, key=lambda term: (-term.bound, term.statistics.term))
        self._postings = postings
        self._gate = gate
        self._scores: dict[int, float] = {}
        self._complete: dict[int, float] = {}  # units scored to the end ahead of the rest
        self._threshold = 0.0  # no memory below it can be among the best
        self._left = [0.0] * (len(wanted) + 1)  # what the terms from a position on can add
        for position in range(len(wanted) - 1, -1, -1):
            self._left[position] = self._left[position + 1] + self._order[position].bound

    def run(self) -> Iterable[int]:
        """Unit numbers; every unit of the `limit` best memories is among them."""
        position = 0
        while position < len(self._order):
            long = self._order[position].statistics.postings > SHORT
            if long and self._scores and self._is_settled(position):
                break
            self._add(position)
            position += 1
        self._cut(self._left[position])
        for rest in range(position, len(self._order)):
            if rest > position and len(self._scores) > CROWD * self._gate.limit:
                self._raise_threshold(self._scores)
                self._cut(self._left[rest])
            self._add_to_known(self._order[rest])
        self._raise_threshold(self._scores)
        self._cut(0.0)
        return self._scores

    def _is_settled(self, position: int) -> bool:
        """Whether no unit unseen so far can still be among the best."""
        best = self._raise_threshold(self._scores)
        if self._left[position] < self._threshold:
            return True
        rest = self._order[position:]
        new = [unit for unit in best if unit not in self._complete]
        if new and len(new) * len(rest) * PROBE_COST < rest[0].statistics.postings:
            complete = {unit: self._scores[unit] for unit in new}
            for term in rest:
                for unit, posting in self._postings.probe(term.statistics, new):
                    complete[unit] += self._formula.score(term.weight, posting)
            self._complete.update(complete)
            self._raise_threshold(self._complete)
        return self._left[position] < self._threshold

    def _raise_threshold(self, scores: dict[int, float]) -> list[int]:
        best, threshold = self._gate.best(scores, self._threshold)
        self._threshold = max(self._threshold, threshold * SLACK)
        return best

    def _add(self, position: int) -> None:
        """Add a term to every unit that has it; a new unit that cannot win is not taken in."""
        term, scores = self._order[position], self._scores
        found = self._postings.scan(term.statistics)
        score = self._formula.scores(term.weight, found.postings)
        least = self._threshold - self._left[position + 1]
        if least <= 0.0:
            new = dict(zip(found.units, map(score.__getitem__, found.postings), strict=True))
            for unit in new.keys() & scores.keys():
                scores[unit] += new.pop(unit)
        else:
            self._add_to_known(term)
            enough = {posting: value for posting, value in score.items() if value >= least}
            if not enough:
                return
            new = {unit: enough[posting] for unit, posting in found if posting in enough}
            for unit in new.keys() & scores.keys():
                del new[unit]
        scores.update(new)

    def _add_to_known(self, term: _Term) -> None:
        """Add a term to the units found so far."""
        scores, score, weight = self._scores, self._formula.score, term.weight
        for unit, posting in self._postings.probe(term.statistics, list(scores)):
            scores[unit] += score(weight, posting)

    def _cut(self, left: float) -> None:
        """Drop the units that cannot reach the best even if they had all that is left."""
        least = self._threshold - left
        if least > 0.0:
            self._scores = {unit: score for unit, score in self._scores.items() if score >= least}


def _finish(
    formula: Bm25, wanted: list[_Term], postings: Postings, accepted: dict[int, int], limit: int
) -> list[Candidate]:
    """The canonical score of every unit, then the best unit of each memory, in order."""
    scores: dict[int, float] = {}
    matched: dict[int, list[str]] = {}
    for term in wanted:  # the query's order: float addition is not associative
        for unit, posting in postings.probe(term.statistics, list(accepted)):
            scores[unit] = scores.get(unit, 0.0) + formula.score(term.weight, posting)
            matched.setdefault(unit, []).append(term.statistics.term)
    best: dict[int, int] = {}  # row → unit; of equal ones the first
    for unit in sorted(scores, key=lambda unit: (-scores[unit], unit)):
        best.setdefault(accepted[unit], unit)
    if len(best) > limit:  # what ties with the last one may still come before it
        least = scores[list(best.values())[limit - 1]]
        best = {row: unit for row, unit in best.items() if scores[unit] >= least}
    ids = postings.ids(list(best))
    candidates = [
        Candidate(unit, row, ids[row], scores[unit], frozenset(matched[unit]))
        for row, unit in best.items()
    ]
    return sorted(candidates, key=lambda found: (-found.score, found.id))[:limit]
