"""What the engine does with conversations after their turns are stored.

All of it is pending work found by query, done by whoever comes by: the background thread of a
long-lived process, `memstone work`, an import before it ends, `flush`. Nothing here is needed for a
memory to be safe or to be found.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace

from memstone.errors import StoreBusy
from memstone.ingestion import carding, settling
from memstone.times import to_micros
from memstone.types import ChangeNote, Memory, View

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from memstone.engine.capturing import Limits
    from memstone.ingestion.carding import Maker
    from memstone.ingestion.replacing import Rules
    from memstone.protocols import Snapshot, Store
    from memstone.types import Conversation, Remembered

LATEST = 8  # changes of a memory among which the one just made is looked for
PAGE = 64  # rows or conversations looked up together


@dataclass(slots=True)
class Learnt:
    """What a run made of what was pending."""

    conversations: int = 0
    cards: int = 0
    statements: int = 0
    settled: int = 0
    replaced: list[str] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)
    merged: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Learner:
    """One user's pending cards, duplicates and conflicts on one store."""

    store: Store
    user: str
    maker: Maker
    surface: str
    clock: Callable[[], int]
    timeout_us: int  # after the last turn, from which on a conversation is over
    makes_cards: bool = True

    @property
    def rules(self) -> Rules:
        """How conflicts are decided."""
        return self.maker.rules

    def run(self, limits: Limits, *, whole: bool = False) -> Learnt:
        """Do what is pending until it is done or the time is up; with `whole` also the cards of
        conversations that are not over.
        """
        done = Learnt()
        if self.makes_cards:
            self._make_cards(limits, done, whole=whole)
        self._settle(limits, done)
        return done

    def _ready(self, limit: int, *, whole: bool = False) -> list[Conversation]:
        now = self.clock()
        idle_since = now if whole else now - self.timeout_us
        return carding.ready(self.store, self.user, idle_since=idle_since, limit=limit)

    def _make_cards(self, limits: Limits, done: Learnt, *, whole: bool) -> None:
        for conversation in self._waiting(whole=whole):
            if limits.over:
                return
            made = carding.card_conversation(
                self.store,
                conversation,
                self.maker,
                lambda: self._note("cards"),
                going_on=lambda: not limits.over,
            )
            done.conversations += made.conversations
            done.cards += made.cards
            done.statements += made.statements
            if limits.progress is not None:
                limits.progress(done.conversations)

    def _waiting(self, *, whole: bool) -> Iterator[Conversation]:
        """The conversations that wait for cards, each once."""
        seen: set[tuple[int, str, str | None]] = set()
        while True:
            found = self._ready(PAGE + len(seen), whole=whole)
            new = [one for one in found if (one.namespace, one.source, one.session) not in seen]
            if not new:
                return
            for one in new:
                seen.add((one.namespace, one.source, one.session))
                yield one

    def _settle(self, limits: Limits, done: Learnt) -> None:
        for row in self._unsettled():
            if limits.over:
                return
            settled = settling.settle(self.store, row, self.rules, note=self._note("settle"))
            done.settled += 1
            done.replaced += settled.replaced
            done.conflicts += settled.conflicts
            done.merged += settled.merged

    def _unsettled(self) -> Iterator[int]:
        while rows := settling.pending(self.store, self.user, PAGE):
            yield from rows

    def _note(self, operation: str) -> ChangeNote:
        return ChangeNote(operation, self.clock(), self.surface, self.user)


def decide_at_once(
    store: Store, remembered: Remembered, rules: Rules, note: ChangeNote
) -> Remembered:
    """A memory just stored, with what it replaced or may contradict. A store that has no time now
    leaves that pending: the text is safe, and whoever works next decides the same.
    """
    try:
        done = settling.settle_conflicts(store, remembered.row, rules, note=note)
    except StoreBusy:
        return remembered
    if not done.replaced and not done.conflicts:
        return remembered
    with store.read() as snapshot:
        (memory,) = snapshot.memories([remembered.row])
        change = _change_of(snapshot, memory, done.replaced, note)
    now = {each.name: getattr(memory, each.name) for each in fields(Memory)}
    others = tuple(id_ for id_ in done.replaced if id_ != memory.id)  # it may be the past itself
    conflicts = tuple(done.conflicts)
    return replace(remembered, **now, replaced=others, conflicts=conflicts, change=change)


def _change_of(
    snapshot: Snapshot, memory: Memory, replaced: Sequence[str], note: ChangeNote
) -> int | None:
    """The number in the log under which those became earlier versions."""
    namespaces = snapshot.namespaces(View(memory.scope))
    found = (snapshot.memory(id_, namespaces) for id_ in replaced)
    closed = next((each for each in found if each is not None), None)
    if closed is None:  # nothing but possible conflicts, or forgotten by another process just now
        return None
    latest = snapshot.changes(namespaces, limit=LATEST, row=closed.row)
    made = (
        c.number for c in latest if c.operation == note.operation and to_micros(c.at) == note.at
    )
    return next(made, None)
