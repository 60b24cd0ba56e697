"""Questions and notes about conversations, statements and contradictions, in memory.

Mixed into the snapshot and the transaction, which would grow too long with them.
"""

from __future__ import annotations

from dataclasses import replace

from memstone.storage.inmemory.state import Contradiction, searchable
from memstone.times import from_micros
from memstone.types import Conversation, Kind, PossibleConflict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memstone.storage.inmemory.state import State
    from memstone.types import ChangeNote, Memory


class ConversationReading:
    """The part of `protocols.Snapshot` about what is found out after a memory was stored."""

    _state: State

    def beside(self, rows: Sequence[int]) -> list[Memory]:
        kept = self._state.rows
        found = [
            number
            for number, row in kept.items()
            if row.superseded_by in rows
            and row.superseded_by in kept
            and kept[row.superseded_by].supersedes != number
        ]
        return [self._state.memory(kept[number]) for number in sorted(found)]

    def imported(self, namespace: int, source: str, external_id: str) -> list[Memory]:
        return [
            self._state.memory(row)
            for row in self._state.within((namespace,))
            if row.memory.external_id == external_id
            and row.memory.provenance.source == source
            and row.memory.kind is not Kind.TURN
        ]

    def holding(self, index: str, terms: Sequence[str], namespaces: Sequence[int]) -> list[int]:
        held: dict[int, set[str]] = {}
        for entry in self._state.units.values():
            if entry.index == index:
                held.setdefault(entry.row, set()).update(term for term, _ in entry.unit.frequencies)
        wanted = set(terms)
        rows = self._state.rows
        return sorted(
            row for row, own in held.items() if wanted <= own and rows[row].namespace in namespaces
        )

    def conversations(
        self, namespaces: Sequence[int], *, pending: bool = True, limit: int
    ) -> list[Conversation]:
        found = [
            one
            for one in self._state.conversations.values()
            if one.namespace in namespaces and (one.carded_row < one.last_row or not pending)
        ]
        found.sort(key=lambda one: (one.touched_at, one.namespace, one.source, one.session or ""))
        return found[:limit]

    def turns(self, conversation: Conversation) -> list[Memory]:
        wanted = conversation
        return [
            self._state.memory(row)
            for row in self._state.within((wanted.namespace,))
            if row.memory.kind is Kind.TURN
            and row.memory.turn_key is not None
            and row.memory.provenance.source == wanted.source
            and (row.memory.session or "") == (wanted.session or "")
            and wanted.carded_row < row.memory.row <= wanted.last_row
            and _alive(row.memory)
        ]

    def unsettled(self, namespaces: Sequence[int], *, limit: int) -> list[int]:
        rows = self._state.rows
        found = (row for row in self._state.unsettled if rows[row].namespace in namespaces)
        return sorted(found)[:limit]

    def about(
        self, namespace: int, subject: str, attribute: str | None = None
    ) -> list[tuple[int, str]]:
        return sorted(
            (number, name)
            for number, stated in self._state.about.items()
            for whom, name in stated
            if whom == subject
            and attribute in {None, name}
            and self._state.rows[number].namespace == namespace
            and _alive(self._state.rows[number].memory)
        )

    def conflicts(
        self,
        namespaces: Sequence[int],
        *,
        rows: Sequence[int] | None = None,
        resolved: bool = False,
    ) -> list[PossibleConflict]:
        found = [
            self._shown(one)
            for one in self._state.conflicts
            if self._state.rows[one.newer].namespace in namespaces
            and (rows is None or one.older in rows or one.newer in rows)
        ]
        return [one for one in found if resolved or one.open]

    def conflict(self, number: int, namespaces: Sequence[int]) -> PossibleConflict | None:
        found = self.conflicts(namespaces, resolved=True)
        return next((one for one in found if one.number == number), None)

    def sources(self, rows: Sequence[int]) -> dict[int, tuple[int, ...]]:
        numbers = {row.memory.id: number for number, row in self._state.rows.items()}
        found = {}
        for row in sorted(set(rows) & set(self._state.rows)):
            spans = self._state.rows[row].memory.provenance.derived_from
            if spans:
                found[row] = tuple(sorted({numbers[span.source] for span in spans}))
        return found

    def derived(self, rows: Sequence[int]) -> list[int]:
        wanted = set(rows)
        every = self.sources(list(self._state.rows))
        return sorted(row for row, sources in every.items() if wanted & set(sources))

    def _shown(self, one: Contradiction) -> PossibleConflict:
        rows = self._state.rows
        return PossibleConflict(
            number=one.number,
            older=self._state.memory(rows[one.older]),
            newer=self._state.memory(rows[one.newer]),
            reason=one.reason,
            found_at=from_micros(one.found_at),
            resolution=one.resolution,
            resolved_at=None if one.resolved_at is None else from_micros(one.resolved_at),
        )


class ConversationWriting:
    """The same part of `protocols.Transaction`."""

    _state: State
    _note: ChangeNote
    if TYPE_CHECKING:

        def _record(self, row: int, field: str, before: str | None, after: str | None) -> None:
            """The transaction's own."""

    def end_conversations(
        self, namespace: int, source: str, sessions: Sequence[str | None]
    ) -> None:
        for key in self._keys(namespace, source, sessions):
            known = self._state.conversations.get(key)
            if known is not None:
                self._state.conversations[key] = replace(known, ended=True)

    def mark_carded(self, conversation: Conversation) -> bool:
        key = (conversation.namespace, conversation.source, conversation.session or "")
        known = self._state.conversations.get(key)
        if known is None or known.carded_row != conversation.carded_row:
            return False
        self._state.conversations[key] = replace(known, carded_row=conversation.last_row)
        return True

    def settle(self, row: int) -> None:
        self._state.unsettled.discard(row)

    def set_about(self, row: int, stated: Sequence[tuple[str, str]]) -> None:
        self._state.row(row)
        self._state.about[row] = tuple(dict.fromkeys(stated))

    def note_conflict(self, older: int, newer: int, reason: str) -> bool:
        known = self._state.conflicts
        if any((one.older, one.newer) == (older, newer) for one in known):
            return False
        self._state.last_conflict += 1
        number = self._state.last_conflict
        known.append(Contradiction(number, older, newer, reason, self._note.at))
        self._record(newer, "conflict", None, str(older))
        return True

    def resolve(self, number: int, resolution: str | None) -> None:
        at = None if resolution is None else self._note.at
        for place, one in enumerate(self._state.conflicts):
            if one.number == number:
                settled = replace(one, resolution=resolution, resolved_at=at)
                self._state.conflicts[place] = settled
                self._record(one.newer, f"conflict {number}", None, resolution)

    def _note_turn(self, memory: Memory, namespace: int) -> None:
        """A turn was added: its conversation waits for cards and goes on."""
        source, session = memory.provenance.source, memory.session
        key = (namespace, source, session or "")
        known = self._state.conversations.get(key)
        touched_at = from_micros(self._note.at)
        if known is None:
            known = Conversation(
                namespace=namespace,
                source=source,
                session=session or None,
                last_row=memory.row,
                carded_row=0,
                touched_at=touched_at,
                ended=False,
            )
        self._state.conversations[key] = replace(
            known,
            last_row=max(known.last_row, memory.row),
            touched_at=max(known.touched_at, touched_at),
            ended=False,
        )

    def _note_restored(self, memory: Memory, namespace: int) -> None:
        """A restored turn has its cards already; turns that wait here go on waiting."""
        key = (namespace, memory.provenance.source, memory.session or "")
        known = self._state.conversations.get(key)
        if known is None:
            self._note_turn(memory, namespace)
            known = self._state.conversations[key]
            carded, ended = memory.row, True
        else:
            waiting = known.carded_row != known.last_row
            carded, ended = known.carded_row if waiting else memory.row, known.ended
        self._state.conversations[key] = replace(
            known, last_row=max(known.last_row, memory.row), carded_row=carded, ended=ended
        )

    def _drop_notes(self, row: int) -> None:
        """Nothing is noted of a row that was forgotten."""
        self._state.unsettled.discard(row)
        self._state.about.pop(row, None)
        self._state.conflicts = [
            one for one in self._state.conflicts if row not in {one.older, one.newer}
        ]

    @staticmethod
    def _keys(
        namespace: int, source: str, sessions: Sequence[str | None]
    ) -> Iterator[tuple[int, str, str]]:
        return ((namespace, source, session or "") for session in sessions)


def _alive(memory: Memory) -> bool:
    return memory.current and searchable(memory)
