"""What a candidate adds to the hits that stand above it, if anything.

A memory is left out where better hits say most of it (a card and the turns it was made of), where
newer statements have replaced most of it, and, for whoever wants only news, where it is a question,
the same words again, or an assistant's echo of what is shown.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from memstone import analysis
from memstone.types import Kind, Method, Trust

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memstone.protocols import Snapshot
    from memstone.types import Filter, Memory

MOSTLY = 0.4  # share of a memory that other hits may say before it adds too little to be shown
OUTDATED = 0.6  # share of a turn that newer statements have replaced before it is only history
OUTDATED_CARD = 0.25  # and of a card: what else it says stands in the turns it cites
ECHOED = 0.7  # share of an assistant's words that better hits may have before it only repeats them
ECHO_CHARACTERS = 600  # a longer answer is no echo
READ_CHARACTERS = 2_000  # of a hit, for its words


class Shown:
    """What the hits so far say. `asked` is the question; `only_news` as in `skip_questions`."""

    def __init__(self, asked: str = "", *, only_news: bool = False) -> None:
        self._asked = asked.strip()
        self._only_news = only_news
        self._ids: set[str] = set()
        self._quoted: dict[str, list[tuple[int, int]]] = {}  # turn id → spans of it that are shown
        self._said: set[str] = set()  # digests of turns that ask, or of all turns for news
        self._texts: list[str] = []  # of hits whose words were not looked at yet
        self._words: set[str] = set()

    def replaced(self, texts: Iterable[str]) -> None:
        """Note statements that were replaced: an echo of one says nothing either."""
        self._texts += [text[:READ_CHARACTERS] for text in texts]

    def add(self, memory: Memory) -> None:
        """Note a hit."""
        self._ids.add(memory.id)
        self._texts.append(memory.text[:READ_CHARACTERS])
        for source in memory.provenance.derived_from:
            self._quoted.setdefault(source.source, []).append((source.start, source.end))

    def repeats(self, memory: Memory, *, asks: bool) -> bool:
        """Whether a turn answers nothing, or says the same words as one before it."""
        if memory.kind is not Kind.TURN:
            return False
        if self._only_news and (asks or memory.text.strip() == self._asked):
            return True
        if not (asks or self._only_news):
            return False
        known = memory.text_sha256 in self._said
        self._said.add(memory.text_sha256)
        return known or (self._only_news and self._is_echo(memory))

    def covers(self, memory: Memory) -> bool:
        """Whether most of what a memory says is shown already."""
        sources = memory.provenance.derived_from
        if sources:
            whole = sum(source.end - source.start for source in sources)
            seen = sum(self._seen(source.source, source.start, source.end) for source in sources)
            return seen >= MOSTLY * whole
        size = len(memory.text.encode("utf-8"))
        return self._seen(memory.id, 0, size) >= MOSTLY * size > 0

    def _seen(self, id_: str, start: int, end: int) -> int:
        """Bytes of that span of a turn that are shown, with the turn or quoted."""
        if id_ in self._ids:
            return end - start
        return overlap(self._quoted.get(id_, ()), start, end)

    def _is_echo(self, memory: Memory) -> bool:
        """Whether an assistant only repeats what better hits say."""
        if memory.provenance.trust is not Trust.AGENT or len(memory.text) > ECHO_CHARACTERS:
            return False
        while self._texts:
            self._words.update(analysis.analyze_query(self._texts.pop()).terms)
        own = set(analysis.analyze_query(memory.text).terms)
        return len(own & self._words) >= ECHOED * len(own) > 0


@dataclass(frozen=True, slots=True)
class Past:
    """What newer statements have replaced: turn id → spans of it, and the texts."""

    spans: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)


def outdated(snapshot: Snapshot, memories: Sequence[Memory], wanted: Filter) -> Past:
    """What was replaced of those memories and of what they were made of; nothing when the past
    itself is asked for.
    """
    past = Past()
    if wanted.validity.historic:
        return past
    turns = [one.row for one in memories if one.kind is Kind.TURN]
    cards = [one.row for one in memories if one.kind is Kind.CARD]
    for sources in snapshot.sources(cards).values() if cards else ():
        turns += sources
    for told in snapshot.memories(snapshot.derived(turns)) if turns else ():
        if told.superseded_by is None or told.kind is Kind.CARD:
            continue
        newer = snapshot.memory(told.superseded_by, wanted.namespaces)
        if newer is None or newer.provenance.method is Method.MERGE:
            continue  # what was merged is as true as before
        if newer.supersedes == told.id:
            past.texts.append(told.text)
            for source in told.provenance.derived_from:
                past.spans.setdefault(source.source, []).append((source.start, source.end))
    return past


def is_outdated(memory: Memory, past: Past) -> bool:
    """Whether so much of a turn or a card was replaced that the rest is not worth showing."""
    if not past.spans or memory.kind not in {Kind.TURN, Kind.CARD}:
        return False
    spans = [(one.source, one.start, one.end) for one in memory.provenance.derived_from]
    share = OUTDATED_CARD
    if memory.kind is Kind.TURN:
        spans, share = [(memory.id, 0, len(memory.text.encode("utf-8")))], OUTDATED
    whole = sum(end - start for _, start, end in spans)
    gone = sum(overlap(past.spans.get(id_, ()), start, end) for id_, start, end in spans)
    return gone >= share * whole > 0


def overlap(spans: Iterable[tuple[int, int]], start: int, end: int) -> int:
    """Bytes of `start` to `end` that lie in one of the spans.

    >>> overlap([(0, 4), (2, 6), (8, 20)], 1, 10)
    7
    """
    seen, at = 0, start
    for first, last in sorted(spans):
        seen += max(min(last, end) - max(first, at), 0)
        at = max(at, last)
    return seen
