"""The first ancestor's recall, which the `cavemem` command owes its callers, over our postings.

Exact BM25 with k1 1.5 over the index `plain`, a floor of 0.1, ties by id, then a greedy packing
that skips what has no room. If the best hit alone is larger than the budget, its beginning is the
whole answer, with a handle for the rest. Everything that `memstone recall` knows beyond that
(neighbours, evidence, excerpts around the answer) is left out on purpose: the same store and the
same question give the scores that they gave there.

The filter is ours: what is held, archived, expired or not yet valid is not recalled here either.
"""

from __future__ import annotations

from memstone import ranking
from memstone.analysis import plain
from memstone.errors import StoreDamaged
from memstone.retrieval import recall_filter
from memstone.types import Hit, RecallResult, Signals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memstone.protocols import Postings, Snapshot, Store, TokenCounter
    from memstone.ranking import Candidate
    from memstone.types import Filter, Memory, RecallOptions, View

ESTIMATED = "estimated"
FLOOR = 0.1  # BM25 below it is noise; the ancestor's number


def recall(
    store: Store, query: str, options: RecallOptions, view: View, *, now: int, counter: TokenCounter
) -> RecallResult:
    """The memories that score `options.min_score` or more, best first, within the budget.

    Of the options the limit, the floor and the budget count, and the conditions of the filter.
    """
    hits: list[Hit] = []
    terms = plain.terms(query)
    if terms:
        with store.read() as snapshot:
            wanted = recall_filter(options, snapshot.namespaces(view), now)
            hits = _ranked(snapshot, wanted, terms, options, counter)
    shown, omitted = _packed(hits, options.budget.tokens, counter)
    return RecallResult(
        query=query,
        hits=tuple(shown),
        tokens=sum(hit.tokens for hit in shown),
        budget=options.budget.tokens,
        omitted=tuple(omitted),
        signals=("bm25",),
        basis=counter.basis if hits else ESTIMATED,  # a counter may be dear to load
    )


def _ranked(
    snapshot: Snapshot,
    wanted: Filter,
    terms: Sequence[str],
    options: RecallOptions,
    counter: TokenCounter,
) -> list[Hit]:
    """Every hit over the floor, whole, at most `options.limit`."""
    best = candidates(snapshot, wanted, terms, options.limit)
    over = [one for one in best if one.score >= options.min_score]
    memories = {memory.row: memory for memory in snapshot.memories([one.row for one in over])}
    hits = []
    for one in over:
        memory = memories.get(one.row)
        if memory is None:
            raise StoreDamaged.entry(one.row)
        tokens = counter.count(memory.text)
        signals = Signals(bm25=one.score, coverage=0.0)
        hits.append(Hit(memory, memory.text, one.score, signals, tokens, tokens))
    return hits


def candidates(
    snapshot: Snapshot, wanted: Filter, terms: Sequence[str], limit: int
) -> list[Candidate]:
    """The `limit` best memories by the ancestor's formula, floor or not."""
    postings = snapshot.postings(plain.INDEX, wanted)
    formula = ranking.Bm25.seed(postings.statistics())
    if ranking.Uncapped.needed(postings.terms(terms)):
        postings = ranking.Uncapped(postings, _Counting(snapshot, postings).count)
    return ranking.lexical(terms, postings, limit, formula)


class _Counting:
    """How often a term stands in units whose postings cannot tell."""

    def __init__(self, snapshot: Snapshot, postings: Postings) -> None:
        self._snapshot = snapshot
        self._postings = postings

    def count(self, term: str, units: Sequence[int]) -> Mapping[int, int]:
        """Unit → frequency of `term`, of those units that can be recalled."""
        rows = self._postings.accept(units)
        spans = self._postings.spans(list(rows))
        memories: dict[int, Memory] = {
            memory.row: memory for memory in self._snapshot.memories(list(set(rows.values())))
        }
        return {
            unit: plain.frequency(memories[row].text[spans[unit].start : spans[unit].end], term)
            for unit, row in rows.items()
            if row in memories and unit in spans
        }


def _packed(
    hits: Sequence[Hit], budget: int | None, counter: TokenCounter
) -> tuple[list[Hit], list[str]]:
    """What is shown of the ranked hits within `budget` tokens, and the ids left out."""
    if budget is None or not hits:
        return list(hits), []
    first, *rest = hits
    if first.tokens > budget:
        return [_beginning(first, budget, counter)], [hit.id for hit in rest]
    shown, omitted, left = [], [], budget
    for hit in hits:
        if hit.tokens <= left:
            shown.append(hit)
            left -= hit.tokens
        else:
            omitted.append(hit.id)
    return shown, omitted


def _beginning(hit: Hit, budget: int, counter: TokenCounter) -> Hit:
    """As much of the beginning of a hit as the budget allows, perhaps nothing, with its handle."""
    text = head(hit.text, budget, counter)
    tokens = counter.count(text)
    return Hit(hit.memory, text, hit.score, hit.signals, tokens, hit.full_tokens, hit.memory.handle)


def head(text: str, most: int, counter: TokenCounter) -> str:
    """The longest beginning of `text` that counts at most `most` tokens, found by bisection.

    >>> from memstone.tokens import EstimatedTokens
    >>> head("one two three four", 3, EstimatedTokens())
    'one two'
    """
    data = text.encode("utf-8")
    low, high = 0, len(data)
    while low < high:
        middle = (low + high + 1) // 2
        if counter.count(data[:middle].decode("utf-8", "replace")) <= most:
            low = middle
        else:
            high = middle - 1
    found = data[:low].decode("utf-8", "ignore")  # half a character at the cut goes
    while found and counter.count(found) > most:  # counts do not grow with every byte
        found = found[:-1]
    return found
