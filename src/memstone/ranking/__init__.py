"""Candidates to ordered hits: exact BM25 over postings, evidence, floor, order.

`lexical` finds the exact best memories for a set of terms; `naive` is the same definition without
any cleverness, kept beside it so that a property test can demand equal bits. `coverage` measures
how much of a query a unit answers. The second stage (neighbours, speakers, time) joins here.
Nothing in this package touches a store: numbers come in through `protocols.Postings`.
"""

from memstone.ranking.bm25 import K1, B, Bm25, idf
from memstone.ranking.coverage import coverage, reduce_terms
from memstone.ranking.maxscore import Candidate, lexical
from memstone.ranking.naive import naive

__all__ = ["K1", "B", "Bm25", "Candidate", "coverage", "idf", "lexical", "naive", "reduce_terms"]
