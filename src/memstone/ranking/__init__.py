"""Candidates to ordered hits: exact BM25 over postings, evidence, floor, order.

`lexical` finds the exact best memories for a set of terms; `naive` is the same definition without
any cleverness, kept beside it so that a property test can demand equal bits. `second_stage` weighs
the best of them again with the turns around them, who said it and when (`signals` has every weight
and its reason). `Coverage` measures how much of a query a memory answers, and `evidence` whether
that is enough to show it.
Nothing in this package touches a store: numbers come in through `protocols.Postings`.
"""

from memstone.ranking.bm25 import K1, B, Bm25, idf
from memstone.ranking.coverage import SUPPORTERS, Corpus, Coverage, evidence, reduce_terms
from memstone.ranking.maxscore import Candidate, lexical
from memstone.ranking.naive import naive
from memstone.ranking.second import Aspect, Weighed, second_stage
from memstone.ranking.uncapped import Uncapped

__all__ = [
    "K1",
    "SUPPORTERS",
    "Aspect",
    "B",
    "Bm25",
    "Candidate",
    "Corpus",
    "Coverage",
    "Uncapped",
    "Weighed",
    "evidence",
    "idf",
    "lexical",
    "naive",
    "reduce_terms",
    "second_stage",
]
