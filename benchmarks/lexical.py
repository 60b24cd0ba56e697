"""The lexical part of a recall alone: terms in, postings, MaxScore, exact top k out.

The one place that looks below the public API: the promise about ranking speed is about this
part, and `Engine.recall` (timed beside it) does more: analysis, coverage, rows, packing. The
filter is the very one that a plain recall of the engine's own scope uses.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from memstone import analysis, ranking, retrieval
from memstone.types import RecallOptions, View

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memstone.engine import Engine
    from memstone.ranking import Candidate


def lexical_part(engine: Engine) -> Callable[[Sequence[str], int], list[Candidate]]:
    """A function (terms, limit) that ranks and nothing else, on a snapshot of its own."""
    view = View(engine.scope)
    now = time.time_ns() // 1_000

    def rank(terms: Sequence[str], limit: int) -> list[Candidate]:
        with engine.store.read() as snapshot:
            namespaces = snapshot.namespaces(view)
            seen = retrieval.recall_filter(RecallOptions(limit=limit), namespaces, now)
            return ranking.lexical(terms, snapshot.postings(analysis.INDEX, seen), limit)

    return rank
