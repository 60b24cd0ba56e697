"""Coverage: the share of a query's idf mass that a memory answers. The floor stands on it.

BM25 ranks but does not know when nothing fits: its scale moves with the corpus. Coverage is in
0..1 for every query. Each piece of evidence (a word, an identifier, a CJK character) has a mass,
the idf of its terms; terms that no memory holds keep their full mass in the denominator, so a
question about something never mentioned stays uncovered. An exact match counts whole, a stem or
a part of an identifier half, a word that only a neighbouring turn has a little more than half; a
memory that has none of the question's words itself covers nothing, whatever stands around it.

A long question is measured by its informative part: covering as much as a few words that nobody
else has is enough, however much was said around them.

Whether anything is relevant is a matter of the whole question before it is one of each memory:
one memory that covers it well shows that the store knows the subject, and then its companions
need less to be worth showing. `evidence` joins both, and is what `min_score` is compared with.
"""

from __future__ import annotations

from dataclasses import dataclass

from memstone.ranking.arithmetic import total
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
INFORMATIVE = 5.0  # absent words' worth of mass that a question is measured by at most
INFORMATIVE_CJK = 1.75  # the same in CJK: no list tells filler from content there, and half the
# pairs of characters in a question are no words, so that a long one can hardly be covered
SUPPORT = 0.8  # the share of a memory's evidence that comes from the best-covering candidate
SUPPORTERS = 10  # candidates, best first, among which that one is looked for
MAX_QUERY_TERMS = 96  # more is a pasted document; the rarest ones carry the question


@dataclass(frozen=True, slots=True)
class Corpus:
    """How rare terms are: `dfs` of the known ones (absent ones count 0) among `units`."""

    dfs: Mapping[str, int]
    units: int

    def mass(self, piece: Evidence) -> float:
        """The idf mass of one piece of evidence."""
        units = self.units + BACKGROUND_UNITS
        mass = min(idf(units, self.dfs.get(term, 0)) for term in piece.mass)
        return mass * CJK_MASS if piece.is_cjk else mass

    @property
    def absent(self) -> float:
        """The mass of a word that no memory holds."""
        return idf(self.units + BACKGROUND_UNITS, 0)


class Coverage:
    """How much of one question each memory covers."""

    def __init__(self, evidence: Sequence[Evidence], corpus: Corpus) -> None:
        self._pieces = [(piece, corpus.mass(piece)) for piece in evidence]
        whole = total(mass for _, mass in self._pieces)
        if whole > 0.0:
            cjk = total(mass for piece, mass in self._pieces if piece.is_cjk) / whole
            most = INFORMATIVE * (1.0 - cjk) + INFORMATIVE_CJK * cjk
            whole = min(whole, most * corpus.absent)
        self._whole = whole

    def of(self, matched: frozenset[str], lent: frozenset[str], words: Container[str]) -> float:
        """The covered share in 0..1, for a memory that holds the terms `matched` and whose
        neighbours lend `lent`. `words` is asked only to tell an exact word from its stem.
        """
        if not self._pieces or not matched:
            return 0.0  # neighbours support what a memory says; they do not speak for it
        covered = total(mass * _credit(piece, matched, lent, words) for piece, mass in self._pieces)
        return min(covered / self._whole, 1.0)


def evidence(coverage: float, best: float) -> float:
    """In 0..1: how sure it is that a memory answers, from its own coverage and the best of the
    first candidates'. A memory that covers nothing has none.

    >>> evidence(0.5, 0.5), evidence(0.0, 0.9)
    (0.5, 0.0)
    """
    if coverage <= 0.0:
        return 0.0
    return coverage + SUPPORT * max(best - coverage, 0.0)


def _credit(
    piece: Evidence, matched: frozenset[str], lent: frozenset[str], words: Container[str]
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
