"""Steps of the store machine around conversations, settling and conflicts, and what they show."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import hypothesis.strategies as st

from memstone.types import Reach

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstone.protocols import Snapshot, Transaction
    from memstone.types import Memory

KEYS = (("user", "budget"), ("user", "name"), ("api", "port"))
ALL = 99


class Recorder(Protocol):
    """What a step needs of the machine's writer."""

    reading: Transaction

    def call(self, name: str, *args: object, **named: object) -> int: ...
    def rows(self, reach: Reach = Reach.ALL) -> list[Memory]: ...
    def row(self, choice: int) -> Memory | None: ...


@dataclass(frozen=True)
class Learn:
    """One thing that settling, carding or resolving writes."""

    what: str
    which: int
    other: int
    stated: tuple[tuple[str, str], ...]
    flag: bool

    def run(self, writer: Recorder) -> None:
        memory = writer.row(self.which)
        if memory is None:
            return
        namespace = writer.call("intern", memory.scope)
        if self.what == "settle":
            writer.call("settle", memory.row)
        elif self.what == "set_about":
            writer.call("set_about", memory.row, self.stated)
        elif self.what == "conflict":
            self._conflict(writer, memory)
        elif self.what == "resolve":
            self._resolve(writer, namespace)
        elif self.what == "end":
            source = memory.provenance.source
            writer.call("end_conversations", namespace, source, [memory.session])
        else:
            self._card(writer, namespace)

    def _conflict(self, writer: Recorder, memory: Memory) -> None:
        beside = [row for row in writer.rows() if row.scope == memory.scope and row != memory]
        if beside:
            writer.call("note_conflict", beside[self.other % len(beside)].row, memory.row, "reason")

    def _resolve(self, writer: Recorder, namespace: int) -> None:
        found = writer.reading.conflicts((namespace,), resolved=True)
        if found:
            number = found[self.other % len(found)].number
            writer.call("resolve", number, "both" if self.flag else None)

    def _card(self, writer: Recorder, namespace: int) -> None:
        waiting = writer.reading.conversations((namespace,), limit=ALL)
        if waiting:
            one = waiting[self.other % len(waiting)]
            last = one.last_row if self.flag else one.carded_row
            writer.call("mark_carded", replace(one, last_row=last))


learnt = st.builds(
    Learn,
    what=st.sampled_from(("settle", "set_about", "conflict", "conflict", "resolve", "end", "card")),
    which=st.integers(0, 30),
    other=st.integers(0, 30),
    stated=st.lists(st.sampled_from(KEYS), max_size=2, unique=True).map(tuple),
    flag=st.booleans(),
)


def learning(snapshot: Snapshot, namespaces: tuple[int, ...], rows: Sequence[int]) -> list[Any]:
    """All that a snapshot shows of what was learnt."""
    told: list[Any] = [
        snapshot.unsettled(namespaces, limit=limit) if namespaces else [] for limit in (ALL, 2)
    ]
    for resolved in (False, True):
        told.append(snapshot.conflicts(namespaces, resolved=resolved))
        told.append(snapshot.conflicts(namespaces, rows=rows[:2], resolved=resolved))
    told += [snapshot.conflict(number, namespaces) for number in (1, 2)]
    for pending in (False, True):
        found = snapshot.conversations(namespaces, pending=pending, limit=ALL)
        told += [found, [snapshot.turns(one) for one in found]]
    told += [snapshot.about(space, *key) for space in namespaces for key in KEYS]
    told += [snapshot.about(space, "user") for space in namespaces]
    told += [snapshot.sources(rows), snapshot.derived(rows), snapshot.beside(rows)]
    return told
