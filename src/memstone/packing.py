"""Ranked memories and a token budget → what is injected.

Greedy in rank order: a memory that fits into what is left is taken whole; one that does not is
skipped, and smaller ones after it still get their chance. Only the best-ranked memory is worth
cutting: if it is larger than the whole budget, an excerpt around the query's words stands for it,
with visible marks and the handle that recovers every byte. A lower one is never cut, because half
an answer to the question costs more than the whole answer next to it.

Nothing disappears silently: what had no room is listed in `omitted`, in rank order. Marks count,
and every hit's tokens are what the counter says of the very text that is handed out.
"""

from __future__ import annotations

from dataclasses import dataclass

from memstone.types import Hit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstone.protocols import Excerpter, TokenCounter
    from memstone.types import Budget, Ranked

# A memory this much longer than its room is first judged by its head alone: four to six characters
# are a token in prose, so 16 MiB of it need not be counted to see that they do not fit.
HEAD_CHARACTERS_PER_TOKEN = 12
# No token of a known vocabulary is longer (o200k's longest is 128 blanks).
MAX_CHARACTERS_PER_TOKEN = 128


@dataclass(frozen=True, slots=True)
class Packed:
    """Hits in rank order, ids that had no room in rank order, and the sum of the hits' tokens."""

    hits: tuple[Hit, ...]
    omitted: tuple[str, ...]
    tokens: int


def pack(
    ranked: Sequence[Ranked],
    budget: Budget,
    *,
    terms: Sequence[str],
    counter: TokenCounter,
    excerpter: Excerpter,
) -> Packed:
    """What of `ranked` (best first) is injected within `budget`; whole texts if it is unlimited.

    `terms` are the query's, for the excerpt of a best memory that is larger than the budget.

    >>> from memstone.tokens import EstimatedTokens
    >>> from memstone.types import Budget
    >>> pack([], Budget(2000), terms=(), counter=EstimatedTokens(), excerpter=lambda *a, **k: None)
    Packed(hits=(), omitted=(), tokens=0)
    """
    hits: list[Hit] = []
    omitted: list[str] = []
    used = 0
    for rank, candidate in enumerate(ranked):
        left = None if budget.tokens is None else budget.tokens - used
        hit = _whole(candidate, left, counter)
        if hit is None and left and rank == 0:
            hit = _shortened(candidate, left, terms, counter, excerpter)
        if hit is None:
            omitted.append(candidate.memory.id)
        else:
            hits.append(hit)
            used += hit.tokens
    return Packed(tuple(hits), tuple(omitted), used)


def _whole(candidate: Ranked, left: int | None, counter: TokenCounter) -> Hit | None:
    """The candidate uncut, or None if it needs more than `left` tokens."""
    text = candidate.memory.text
    if left is not None and _surely_over(text, left, counter):
        return None
    tokens = counter.count(text)
    if left is not None and tokens > left:
        return None
    return Hit(
        candidate.memory,
        text,
        candidate.score,
        candidate.signals,
        tokens=tokens,
        full_tokens=tokens,
    )


def _surely_over(text: str, left: int, counter: TokenCounter) -> bool:
    """Whether a glance is enough to see that `text` needs more than `left` tokens."""
    if len(text) > MAX_CHARACTERS_PER_TOKEN * left:
        return True
    head = HEAD_CHARACTERS_PER_TOKEN * (left + 1)
    # Twice the room, since a head cut inside a word can count a little more than the whole.
    return len(text) > 2 * head and counter.count(text[:head]) > 2 * left


def _shortened(
    candidate: Ranked,
    left: int,
    terms: Sequence[str],
    counter: TokenCounter,
    excerpter: Excerpter,
) -> Hit | None:
    """The excerpt of a memory that is too large, or None if not even that fits."""
    memory = candidate.memory
    found = excerpter(
        memory.text,
        focus=(candidate.start, candidate.end),
        terms=terms,
        tokens=left,
        counter=counter,
        handle=memory.handle,
    )
    if found is None:
        return None
    return Hit(
        memory,
        found.text,
        candidate.score,
        candidate.signals,
        tokens=found.tokens,
        full_tokens=counter.count(memory.text),
        handle=memory.handle,
    )
