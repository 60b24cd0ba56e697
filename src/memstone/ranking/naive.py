"""The reference scorer: every posting, every unit, no bounds, no plans.

Slow on purpose. It exists so that a property test can demand that `lexical` returns the same
candidates with the same bits, and so that a reader can see the definition in one screen: the
best unit of each accepted memory, ordered by score, then by memory id.
"""

from __future__ import annotations

from memstone.ranking.bm25 import Bm25
from memstone.ranking.maxscore import Candidate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstone.protocols import Postings


def naive(
    terms: Sequence[str], postings: Postings, limit: int, formula: Bm25 | None = None
) -> list[Candidate]:
    """The `limit` best memories for `terms`, best first."""
    formula = formula or Bm25.of(postings.statistics())
    scores: dict[int, float] = {}
    matched: dict[int, list[str]] = {}
    for term in postings.terms(terms):
        weight = formula.weight(term.df)
        for unit, posting in postings.scan(term):
            scores[unit] = scores.get(unit, 0.0) + formula.score(weight, posting)
            matched.setdefault(unit, []).append(term.term)
    best: dict[int, tuple[float, int]] = {}
    for unit, row in postings.accept(sorted(scores)).items():
        best[row] = min(best.get(row, (0.0, 0)), (-scores[unit], unit))
    ids = postings.ids(sorted(best))
    candidates = [
        Candidate(unit, row, ids[row], -score, frozenset(matched[unit]))
        for row, (score, unit) in best.items()
    ]
    return sorted(candidates, key=lambda found: (-found.score, found.id))[:limit]
