"""Reading the in-memory store: every question of the `Snapshot` protocol over one state.

A snapshot holds the state it was given and nothing else, so it is consistent by construction. It
opens no door around the wall: questions that take namespaces or a filter see only those; row
numbers and postings come from such questions.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from memstone.errors import LineageBroken
from memstone.storage.inmemory.conversations import ConversationReading
from memstone.storage.inmemory.postings import InMemoryPostings
from memstone.storage.inmemory.state import searchable
from memstone.times import NEVER_US, from_micros, to_micros
from memstone.types import Change, Feedback, Kind, Statistics, StoredSession

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from memstone.storage.inmemory.state import LoggedChange, Row, State
    from memstone.types import (
        ChangeRow,
        Filter,
        Memory,
        Scope,
        SessionUse,
        Transcript,
        View,
    )


class InMemorySnapshot(ConversationReading):
    """One consistent view of one state."""

    def __init__(self, state: State) -> None:
        self._state = state

    def namespaces(self, view: View) -> tuple[int, ...]:
        known = self._state.namespaces
        return tuple(sorted(known[scope] for scope in view.scopes() if scope in known))

    def namespaces_of(self, user: str) -> tuple[int, ...]:
        known = self._state.namespaces
        return tuple(sorted(number for scope, number in known.items() if scope.user == user))

    def taken(self, id: str) -> bool:  # noqa: A002
        return any(row.memory.id == id for row in self._state.rows.values())

    def memory(self, id: str, namespaces: Sequence[int]) -> Memory | None:  # noqa: A002
        for row in self._state.within(namespaces):
            if row.memory.id == id:
                return self._state.memory(row)
        return None

    def ids_from(self, prefix: str, namespaces: Sequence[int], *, limit: int) -> list[str]:
        ids = (row.memory.id for row in self._state.within(namespaces))
        return sorted(id_ for id_ in ids if id_.startswith(prefix))[:limit]

    def memories(self, rows: Sequence[int]) -> list[Memory]:
        kept = self._state.rows
        return [self._state.memory(kept[row]) for row in rows if row in kept]

    def by_digest(self, prefix: bytes, namespaces: Sequence[int]) -> list[Memory]:
        return [
            self._state.memory(row)
            for row in self._state.within(namespaces)
            if bytes.fromhex(row.memory.text_sha256).startswith(prefix)
        ]

    def turn(
        self, namespace: int, source: str, session: str | None, key: str, digest: bytes
    ) -> Memory | None:
        for row in self._turns(namespace, source, session):
            if row.memory.turn_key == key and row.memory.text_sha256 == digest.hex():
                return self._state.memory(row)
        return None

    def next_turn_ordinal(self, namespace: int, source: str, session: str | None) -> int:
        return 1 + len(self._turns(namespace, source, session))

    def chain(self, row: int) -> list[Memory]:
        rows = self._state.rows
        path = [self._on_the_line(row)]
        while path[0] in rows and (older := rows[path[0]].supersedes) is not None:
            path.insert(0, older)
            _refuse_cycle(row, path)
        while path[-1] in rows and (newer := rows[path[-1]].superseded_by) is not None:
            path.append(newer)
            _refuse_cycle(row, path)
        for older, each, newer in zip([None, *path], path, [*path[1:], None], strict=False):
            kept = rows.get(each)
            if kept is None or (kept.supersedes, kept.superseded_by) != (older, newer):
                raise LineageBroken(f"the chain of row {row} breaks off at row {each}", row=row)
        return self.memories(path)

    def _on_the_line(self, row: int) -> int:
        """The row itself, or for one that stands beside a chain the one that closed it."""
        rows = self._state.rows
        passed = {row}
        while True:
            newer = rows[row].superseded_by if row in rows else None
            if newer is None or newer not in rows or rows[newer].supersedes == row:
                return row
            if newer in passed:
                return row
            passed.add(newer)
            row = newer

    def files(self, scope: Scope, path: str, *, limit: int | None = None) -> list[Memory]:
        namespace = self._state.namespaces.get(scope)
        rows = () if namespace is None else self._state.within((namespace,))
        found = [row for row in rows if _is_file_at(row.memory, path)]
        found.sort(key=lambda row: row.memory.row, reverse=True)
        found.sort(key=lambda row: row.memory.external_id or "")
        return [self._state.memory(row) for row in found[:limit]]

    def select(
        self,
        filter: Filter,  # noqa: A002
        *,
        limit: int | None,
        after_row: int | None = None,
    ) -> list[Memory]:
        rows = list(self._state.visible(filter))
        if after_row is None:
            rows.sort(key=lambda row: (row.memory.created_at, row.memory.row), reverse=True)
        else:
            rows = [row for row in rows if row.memory.row > after_row]
        return [self._state.memory(row) for row in rows[:limit]]

    def count(self, filter: Filter) -> int:  # noqa: A002
        return sum(1 for _ in self._state.visible(filter))

    def postings(self, index: str, filter: Filter) -> InMemoryPostings:  # noqa: A002
        return InMemoryPostings(self._state, index, filter)

    def indexes(self) -> dict[str, bool]:
        return dict(sorted(self._state.indexes.items()))

    def mark(self, name: str) -> str | None:
        return self._state.marks.get(name)

    def pending_index(
        self, index: str, *, among: Sequence[int] | None = None
    ) -> list[tuple[int, int]]:
        rows = set(self._state.rows) & set(self._state.rows if among is None else among)
        progress = ((row, self._state.progress.get((index, row), 0)) for row in rows)
        return sorted((row, ordinal) for row, ordinal in progress if ordinal is not None)

    def interrupted_index(self, index: str, *, idle_since: int = NEVER_US) -> list[tuple[int, int]]:
        worked_on = self._state.worked_on
        return [
            each
            for each in self.pending_index(index)
            if (index, each[0]) in worked_on and worked_on[index, each[0]] <= idle_since
        ]

    def changes(
        self, namespaces: Sequence[int], *, limit: int, row: int | None = None
    ) -> list[Change]:
        seen: list[Change] = []
        for change in reversed(self._state.changes):
            rows = tuple(
                self._named(entry)
                for entry in change.rows
                if row in {None, entry.row} and self._state.namespace_of(entry.row) in namespaces
            )
            if rows:
                seen.append(_change(change, rows))
        return seen[:limit]

    def feedback(self, namespaces: Sequence[int], *, row: int | None = None) -> list[Feedback]:
        state = self._state
        said = sorted((at, number, query) for (number, query), (_, at) in state.feedback.items())
        return [
            Feedback(
                id=state.rows[number].memory.id,
                query=query,
                verdict=state.feedback[number, query][0],
                at=from_micros(at),
                scope=state.rows[number].memory.scope,
                external_id=state.rows[number].memory.external_id,
            )
            for at, number, query in said
            if row in {None, number} and state.rows[number].namespace in namespaces
        ]

    def statistics(self, namespaces: Sequence[int], now: int) -> Statistics:
        rows = [row.memory for row in self._state.within(namespaces)]
        current = [memory for memory in rows if memory.current and searchable(memory)]
        searched = {memory.row for memory in current if searchable(memory)}
        units = [entry.unit for entry in self._state.units.values() if entry.row in searched]
        graves = self._state.tombstones.values()
        return Statistics(
            current=len(current),
            superseded=sum(1 for memory in rows if not memory.current),
            expired=sum(1 for m in current if m.expires and to_micros(m.expires) <= now),
            held=sum(1 for memory in rows if memory.held),
            archived=sum(1 for memory in rows if memory.archived),
            forgotten=sum(1 for grave in graves if grave.namespace in namespaces),
            by_kind=tuple(sorted(Counter(memory.kind.value for memory in current).items())),
            units=len(units),
            terms=len({term for unit in units for term, _ in unit.frequencies}),
            file_bytes=0,
            turn_bytes=sum(
                len(memory.text.encode("utf-8"))
                for memory in rows
                if memory.kind is Kind.TURN and not memory.archived
            ),
        )

    def generation(self) -> int:
        return self._state.generation

    def sessions(
        self, namespaces: Sequence[int], *, session: str | None = None, limit: int
    ) -> list[SessionUse]:
        known = sorted(self._state.sessions.items(), key=lambda item: (*item[0][1:], item[0][0]))
        uses = [
            use
            for (namespace, _, name), use in known
            if namespace in namespaces and session in {None, name}
        ]
        return sorted(uses, key=lambda use: use.last_at, reverse=True)[:limit]

    def stored_sessions(self, namespaces: Sequence[int], *, limit: int) -> list[StoredSession]:
        stored: dict[str, list[datetime]] = {}
        for row in self._state.within(namespaces):
            memory = row.memory
            if memory.session is not None and not memory.archived:
                stored.setdefault(memory.session, []).append(memory.created_at)
        found = [
            StoredSession(session=name, memories=len(at), first_at=min(at), last_at=max(at))
            for name, at in sorted(stored.items())
        ]
        return sorted(found, key=lambda one: one.last_at, reverse=True)[:limit]

    def transcript(self, namespace: int, client: str, path: str) -> Transcript | None:
        found = self._state.transcripts.get((namespace, client, path))
        return None if found is None else found[0]

    def pending_transcripts(self, namespaces: Sequence[int]) -> list[Transcript]:
        waiting = [
            (at, path, client, namespace, transcript)
            for (namespace, client, path), (transcript, at) in self._state.transcripts.items()
            if namespace in namespaces and transcript.pending
        ]
        return [transcript for *_, transcript in sorted(waiting, key=lambda one: one[:4])]

    def change(self, number: int, namespaces: Sequence[int]) -> Change | None:
        found = self.changes(namespaces, limit=len(self._state.changes))
        return next((change for change in found if change.number == number), None)

    def turn_of_any_session(
        self, namespace: int, source: str, key: str, digest: bytes
    ) -> Memory | None:
        for row in self._state.within((namespace,)):
            memory = row.memory
            if (
                memory.external_id == memory.turn_key == key
                and memory.provenance.source == source
                and memory.text_sha256 == digest.hex()
            ):
                return self._state.memory(row)
        return None

    def _turns(self, namespace: int, source: str, session: str | None) -> list[Row]:
        return [
            row
            for row in self._state.within((namespace,))
            if row.memory.turn_key is not None
            and row.memory.provenance.source == source
            and (row.memory.session or "") == (session or "")
        ]

    def _named(self, entry: ChangeRow) -> ChangeRow:
        row = self._state.rows.get(entry.row)
        return entry if row is None else replace(entry, id=row.memory.id)


def _is_file_at(memory: Memory, path: str) -> bool:
    """Whether it is a current file at that path or below it."""
    name = memory.external_id or ""
    there = name == path or name.startswith(f"{path}/")
    return there and memory.is_file and memory.current and not memory.archived


def _refuse_cycle(row: int, path: list[int]) -> None:
    if len(set(path)) != len(path):
        raise LineageBroken(f"the chain of row {row} leads back into itself", row=row)


def _change(logged: LoggedChange, rows: tuple[ChangeRow, ...]) -> Change:
    return Change(
        number=logged.number,
        at=from_micros(logged.note.at),
        surface=logged.note.surface,
        actor=logged.note.actor,
        operation=logged.note.operation,
        reason=logged.note.reason,
        rows=rows,
    )
