"""Coverage: the share of a query's idf mass that a unit answers. The floor stands on it.

BM25 ranks but does not know when nothing fits: its scale moves with the corpus. Coverage is in
0..1 for every query. Each piece of evidence (a word, an identifier, a CJK character) has a mass,
the idf of its terms; terms that no memory holds keep their full mass in the denominator, so a
question about something never mentioned stays uncovered. An exact match counts whole, a stem or
a part of an identifier half.
"""

from __future__ import annotations

from memstone.ranking.bm25 import idf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memstone.types import Evidence

BACKGROUND_UNITS = 1_000
"""Units added to N before idf is taken. In a store of one memory every present term would have
idf 0.29 and every absent one 1.39, so that a single extra word in the question sank the answer;
with a background corpus present and absent words weigh nearly the same until there is data."""
PARTIAL = 0.5  # what a stem or a part is worth against the exact word
MAX_QUERY_TERMS = 96  # more is a pasted document; the rarest ones carry the question


def coverage(
    evidence: Sequence[Evidence],
    matched: frozenset[str],
    dfs: Mapping[str, int],
    units: int,
    surfaces: Callable[[], frozenset[str]],
) -> float:
    """The covered share in 0..1 of the evidence's idf mass, for a unit that holds `matched`.

    `dfs` maps known terms to their document frequency (absent ones count 0); `surfaces` is called
    only when an exact word must be told from its stem.
    """
    total = covered = 0.0
    for piece in evidence:
        mass = min(idf(units + BACKGROUND_UNITS, dfs.get(term, 0)) for term in piece.mass)
        total += mass
        covered += mass * _credit(piece, matched, surfaces)
    return covered / total if total else 0.0


def _credit(
    piece: Evidence, matched: frozenset[str], surfaces: Callable[[], frozenset[str]]
) -> float:
    if any(term in matched for term in piece.full):
        exact = piece.surface is None or piece.surface in surfaces()
        return 1.0 if exact else PARTIAL
    if not piece.half:
        return 0.0
    return PARTIAL * sum(term in matched for term in piece.half) / len(piece.half)


def reduce_terms(
    terms: Sequence[str], dfs: Mapping[str, int], most: int = MAX_QUERY_TERMS
) -> tuple[str, ...]:
    """At most `most` of the terms, the rarest known ones, in the query's order.

    >>> reduce_terms(["a", "b", "c"], {"a": 9, "b": 1, "c": 2}, most=2)
    ('b', 'c')
    """
    known = [term for term in terms if term in dfs]
    if len(known) <= most:
        return tuple(known)
    rarest = set(sorted(known, key=lambda term: (dfs[term], term))[:most])
    return tuple(term for term in known if term in rarest)
