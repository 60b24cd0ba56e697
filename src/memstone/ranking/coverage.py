"""Coverage: the share of a query's idf mass that a memory answers. The floor stands on it.

BM25 ranks but does not know when nothing fits: its scale moves with the corpus. Coverage is in
0..1 for every query. Each piece of evidence (a word, an identifier, a CJK character) has a mass,
the idf of its terms; terms that no memory holds keep their full mass in the denominator, so a
question about something never mentioned stays uncovered. An exact match counts whole, a stem or
a part of an identifier half, a word that only a neighbouring turn has a little more than half; a
memory that has none of the question's words itself covers nothing, whatever stands around it.

A long question is measured by its informative part: covering as much as three words that nobody
else has is enough, however much was said around them.
"""

from __future__ import annotations

from dataclasses import dataclass

from memstone.ranking.bm25 import idf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from memstone.types import Evidence

BACKGROUND_UNITS = 1_000
"""Units added to N before idf is taken. In a store of one memory every present term would have
idf 0.29 and every absent one 1.39, so that a single extra word in the question sank the answer;
with a background corpus present and absent words weigh nearly the same until there is data."""
PARTIAL = 0.5  # what a stem or a part is worth against the exact word
LENT = 0.6  # what a word in a neighbouring turn is worth
CJK_MASS = 0.5  # a Chinese word has two characters, and each is a piece of evidence
INFORMATIVE = 3.0  # absent words' worth of mass that a question is measured by at most
MAX_QUERY_TERMS = 96  # more is a pasted document; the rarest ones carry the question
CJK_BEGINS = "\u2e80"


@dataclass(frozen=True, slots=True)
class Corpus:
    """How rare terms are: `dfs` of the known ones (absent ones count 0) among `units`."""

    dfs: Mapping[str, int]
    units: int

    def mass(self, piece: Evidence) -> float:
        """The idf mass of one piece of evidence."""
        units = self.units + BACKGROUND_UNITS
        mass = min(idf(units, self.dfs.get(term, 0)) for term in piece.mass)
        return mass * CJK_MASS if piece.mass[0] >= CJK_BEGINS else mass

    @property
    def most(self) -> float:
        """The mass by which a long question is measured."""
        return INFORMATIVE * idf(self.units + BACKGROUND_UNITS, 0)


def coverage(
    evidence: Sequence[Evidence],
    corpus: Corpus,
    matched: frozenset[str],
    lent: frozenset[str],
    words: Container[str],
) -> float:
    """The covered share in 0..1 of the evidence's mass, for a memory that holds `matched` and
    whose neighbours lend `lent`. `words` is asked only to tell an exact word from its stem.
    """
    if not evidence or not matched:
        return 0.0  # neighbours support what a memory says; they do not speak for it
    masses = [corpus.mass(piece) for piece in evidence]
    covered = sum(
        mass * _credit(piece, matched, lent, words)
        for mass, piece in zip(masses, evidence, strict=True)
    )
    return min(covered / min(sum(masses), corpus.most), 1.0)


def _credit(
    piece: Evidence,
    matched: frozenset[str],
    lent: frozenset[str],
    words: Container[str],
) -> float:
    if any(term in matched for term in piece.full):
        exact = piece.surface is None or piece.surface in words
        return 1.0 if exact else PARTIAL
    share = 0.0
    if piece.half:
        share = PARTIAL * sum(term in matched for term in piece.half) / len(piece.half)
    return max(share, LENT) if any(term in lent for term in piece.full) else share


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
