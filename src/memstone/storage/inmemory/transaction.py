"""Writing the in-memory store: a snapshot over a private copy that its mutators change.

The store takes `result()` when the block succeeds and drops the whole copy when it does not.
A mutator that finds nothing to change records nothing, so a block without effect leaves neither
a change nor a new generation. The log gets field names and values, never a text of a memory.
"""

from __future__ import annotations

import json
from dataclasses import fields, replace

from memstone.errors import Conflict
from memstone.storage.inmemory.conversations import ConversationWriting
from memstone.storage.inmemory.snapshot import InMemorySnapshot
from memstone.storage.inmemory.state import IndexedUnit, LoggedChange, Row, Tombstone, latest, plain
from memstone.times import from_micros, to_micros
from memstone.types import ChangeRow, Kind, Memory, SessionCounts, SessionUse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from memstone.storage.inmemory.state import State
    from memstone.types import (
        ChangeNote,
        Derivation,
        Draft,
        Provenance,
        Scope,
        Transcript,
        Unit,
        Verdict,
    )


class InMemoryTransaction(ConversationWriting, InMemorySnapshot):
    """One write in the making; `state` is its own copy."""

    def __init__(self, state: State, note: ChangeNote) -> None:
        super().__init__(state)
        self._note = note
        self._recorded: dict[tuple[int, str], ChangeRow] = {}
        self._changed = False

    def result(self) -> State:
        """The state after this write, apart from the transaction: later calls do not reach it."""
        state = self._state.copy()
        if self._changed:
            state.generation += 1
        if self._recorded:
            number = state.changes[-1].number + 1 if state.changes else 1
            rows = tuple(entry for _, entry in sorted(self._recorded.items()))
            state.changes.append(LoggedChange(number, self._note, rows))
        return state

    def intern(self, scope: Scope) -> int:
        known = self._state.namespaces
        return known.setdefault(scope, len(known) + 1)

    def insert(self, draft: Draft) -> int:
        memory = Memory(
            row=0,
            id=draft.id,
            scope=self._scope_of(draft.namespace),
            kind=draft.kind,
            text=draft.text,
            text_sha256=draft.digest.hex(),
            created_at=from_micros(draft.created_at),
            valid_from=from_micros(draft.valid_from),
            valid_until=_moment(draft.valid_until),
            expires=_moment(draft.expires),
            tags=tuple(sorted(set(draft.tags))),
            role=draft.role,
            session=draft.session,
            speaker=draft.speaker,
            subject=draft.subject,
            attribute=draft.attribute,
            external_id=draft.external_id,
            turn_key=draft.turn_key,
            provenance=draft.provenance,
            pinned=draft.pinned,
            held=draft.held,
        )
        row = self._add(memory, draft.namespace)
        if draft.kind is Kind.TURN:
            self._note_turn(self._state.rows[row].memory, draft.namespace)
        elif draft.unsettled:
            self._state.unsettled.add(row)
        return row

    def restore(self, memory: Memory, namespace: int) -> int:
        tags = tuple(sorted(set(memory.tags)))
        scope = self._scope_of(namespace)
        unlinked = plain(memory, scope=scope, tags=tags, supersedes=None, superseded_by=None)
        row = self._add(unlinked, namespace)
        if memory.kind is Kind.TURN:
            self._note_restored(self._state.rows[row].memory, namespace)
        return row

    def index(
        self, row: int, index: str, units: Sequence[Unit], *, complete: bool, next_ordinal: int = 0
    ) -> None:
        self._state.row(row)
        self._state.indexes.setdefault(index, True)
        for unit in units:
            self._state.last_unit += 1
            self._state.units[self._state.last_unit] = IndexedUnit(index, row, unit)
        self._state.progress[index, row] = None if complete else next_ordinal
        self._state.worked_on[index, row] = self._note.at
        self._changed = True

    def begin_index(self, index: str) -> None:
        self._state.indexes.setdefault(index, False)

    def complete_index(self, index: str) -> None:
        if index in self._state.indexes:
            self._state.indexes[index] = True

    def set_mark(self, name: str, value: str) -> None:
        self._state.marks[name] = value

    def close(self, row: int, *, by: int, at: int, valid_from: int, beside: bool = False) -> None:
        memory = replace(
            self._state.row(row).memory,
            superseded_at=from_micros(at),
            superseded_from=from_micros(valid_from),
        )
        self._state.rows[row] = replace(self._state.row(row), memory=memory)
        self._join(row, by, beside=beside)

    def reopen(self, row: int) -> None:
        before = self._state.row(row)
        memory = replace(before.memory, superseded_at=None, superseded_from=None)
        newer = before.superseded_by
        self._state.rows[row] = replace(before, memory=memory, superseded_by=None)
        after = None if newer is None else self._state.rows.get(newer)
        if newer is not None and after is not None and after.supersedes == row:
            self._state.rows[newer] = replace(after, supersedes=None)
        self._record(row, "superseded_by", None if newer is None else str(newer), None)

    def link(self, row: int, *, by: int) -> None:
        self._join(row, by)

    def relink(self, row: int, *, supersedes: int, beside: bool = False) -> None:
        self._join(supersedes, row, beside=beside)

    def forget(self, row: int) -> None:
        gone = self._state.row(row)
        rows = self._state.rows
        del rows[row]
        for number, other in list(rows.items()):
            # the predecessor keeps superseded_at: an old version never revives
            if other.superseded_by == row:
                rows[number] = replace(other, superseded_by=gone.superseded_by)
            if other.supersedes == row:
                rows[number] = replace(other, supersedes=gone.supersedes)
        self._drop_derivations(gone.memory.id)
        self._state.units = {n: unit for n, unit in self._state.units.items() if unit.row != row}
        self._state.progress = {
            key: ordinal for key, ordinal in self._state.progress.items() if key[1] != row
        }
        self._state.feedback = {
            key: said for key, said in self._state.feedback.items() if key[0] != row
        }
        self._drop_notes(row)
        self._blank(row)
        self._state.tombstones[row] = Tombstone(gone.namespace, self._note.at)
        self._record(row, "forgotten", None, None)

    def add_tags(self, row: int, tags: Sequence[str]) -> tuple[str, ...]:
        present = self._state.row(row).memory.tags
        added = tuple(sorted(set(tags).difference(present)))
        self._set_tags(row, {*present, *added})
        return added

    def remove_tags(self, row: int, tags: Sequence[str]) -> tuple[str, ...]:
        present = self._state.row(row).memory.tags
        removed = tuple(sorted(set(tags).intersection(present)))
        self._set_tags(row, set(present).difference(removed))
        return removed

    def set_pinned(self, row: int, *, pinned: bool) -> bool:
        before = self._state.row(row).memory
        if before.pinned == pinned:
            return False
        self._replace(row, replace(before, pinned=pinned))
        self._record(row, "pinned", json.dumps(before.pinned), json.dumps(pinned))
        return True

    def set_expires(self, row: int, expires: int | None) -> bool:
        before = self._state.row(row).memory
        moment = _moment(expires)
        if before.expires == moment:
            return False
        self._replace(row, replace(before, expires=moment))
        was = None if before.expires is None else str(to_micros(before.expires))
        self._record(row, "expires", was, None if expires is None else str(expires))
        return True

    def set_archived(self, row: int, *, archived: bool) -> bool:
        before = self._state.row(row).memory
        if before.archived == archived:
            return False
        self._replace(row, replace(before, archived=archived))
        self._record(row, "archived", json.dumps(before.archived), json.dumps(archived))
        return True

    def set_held(self, row: int, *, held: bool) -> bool:
        before = self._state.row(row).memory
        if before.held == held:
            return False
        self._replace(row, replace(before, held=held))
        self._record(row, "held", json.dumps(before.held), json.dumps(held))
        return True

    def note_session(
        self,
        namespace: int,
        client: str,
        session: str,
        counts: SessionCounts,
        *,
        ended: bool = False,
    ) -> None:
        now = from_micros(self._note.at)
        key = (namespace, client, session)
        before = self._state.sessions.get(key)
        first = now if before is None else before.first_at
        last = now if before is None else max(before.last_at, now)
        sums = counts if before is None else _sum(before.counts, counts)
        self._state.sessions[key] = SessionUse(
            client=client,
            session=session,
            scope=self._scope_of(namespace),
            first_at=first,
            last_at=last,
            ended_at=now if ended else None,
            counts=sums,
        )

    def mark_transcript(self, namespace: int, transcript: Transcript) -> None:
        key = (namespace, transcript.client, transcript.path)
        placed = replace(transcript, scope=self._scope_of(namespace))
        self._state.transcripts[key] = (placed, self._note.at)

    def judge(self, row: int, query: str, verdict: Verdict) -> bool:
        self._state.row(row)
        before, _ = self._state.feedback.get((row, query), (None, 0))
        if before is verdict:
            return False
        self._state.feedback[row, query] = (verdict, self._note.at)
        was = None if before is None else before.value
        self._record(row, "feedback", was, verdict.value)
        return True

    def seen(self, row: int, at: int) -> None:
        before = self._state.row(row).memory
        count, last = before.seen_count + 1, latest(before.last_seen_at, at)
        self._replace(row, replace(before, seen_count=count, last_seen_at=last))
        self._record(row, "seen", str(before.seen_count), str(count))

    def _scope_of(self, namespace: int) -> Scope:
        return next(s for s, number in self._state.namespaces.items() if number == namespace)

    def _add(self, memory: Memory, namespace: int) -> int:
        if self.taken(memory.id):
            raise Conflict(f"{memory.id} is the id of another row", id=memory.id)
        self._state.last_row += 1
        number = self._state.last_row
        origin = replace(
            memory.provenance,
            derived_from=self._known_sources(memory.provenance, memory.scope.user),
        )
        self._state.rows[number] = Row(namespace, replace(memory, row=number, provenance=origin))
        self._record(number, "created", None, memory.kind.value)
        return number

    def _known_sources(self, origin: Provenance, user: str) -> tuple[Derivation, ...]:
        """The sources that are in the store, by row and place; one that is gone is no source, nor
        is another user's: its forgetting must take nothing of this one.
        """
        rows = {
            row.memory.id: number
            for number, row in self._state.rows.items()
            if row.memory.scope.user == user
        }
        known = (span for span in origin.derived_from if span.source in rows)
        return tuple(sorted(known, key=lambda span: (rows[span.source], span.start)))

    def _join(self, older: int, newer: int, *, beside: bool = False) -> None:
        before, after = self._state.row(older), self._state.row(newer)
        self._state.rows[older] = replace(before, superseded_by=newer)
        if not beside:
            self._state.rows[newer] = replace(after, supersedes=older)
        was = None if before.superseded_by is None else str(before.superseded_by)
        self._record(older, "superseded_by", was, str(newer))

    def _set_tags(self, row: int, tags: set[str]) -> None:
        before = self._state.row(row).memory
        after = tuple(sorted(tags))
        if before.tags != after:
            self._replace(row, replace(before, tags=after))
            self._record(row, "tags", _listed(before.tags), _listed(after))

    def _replace(self, row: int, memory: Memory) -> None:
        self._state.rows[row] = replace(self._state.row(row), memory=memory)

    def _drop_derivations(self, source: str) -> None:
        for number, row in list(self._state.rows.items()):
            origin = row.memory.provenance
            kept = tuple(each for each in origin.derived_from if each.source != source)
            if kept != origin.derived_from:
                self._replace(
                    number, replace(row.memory, provenance=replace(origin, derived_from=kept))
                )

    def _blank(self, row: int) -> None:
        """Empty the row's values in the log, tags above all; that it was there stays."""

        def blanked(entry: ChangeRow) -> ChangeRow:
            return replace(entry, before=None, after=None) if entry.row == row else entry

        self._recorded = {key: blanked(entry) for key, entry in self._recorded.items()}
        self._state.changes = [
            replace(change, rows=tuple(blanked(entry) for entry in change.rows))
            for change in self._state.changes
        ]

    def _record(self, row: int, field: str, before: str | None, after: str | None) -> None:
        """Note a field's move; one that moves again in the same write keeps its first `before`."""
        self._changed = True
        earlier = self._recorded.get((row, field))
        first = before if earlier is None else earlier.before
        self._recorded[row, field] = ChangeRow(row, None, field, first, after)


def _sum(one: SessionCounts, other: SessionCounts) -> SessionCounts:
    names = [each.name for each in fields(SessionCounts)]
    return SessionCounts(**{name: getattr(one, name) + getattr(other, name) for name in names})


def _moment(micros: int | None) -> datetime | None:
    return None if micros is None else from_micros(micros)


def _listed(tags: tuple[str, ...]) -> str:
    return json.dumps(tags, ensure_ascii=False)
