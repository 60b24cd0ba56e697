"""`protocols.Transaction` over one BEGIN IMMEDIATE: rows, side tables, postings and the log.

Each mutator writes its row and its change row together. A transaction that changes nothing
leaves no change behind: the `change` is made by the first mutator that moves something. Services
decide what happens; this module only makes it happen whole.
"""

from __future__ import annotations

import json

from memstone.storage.sqlite import conversations, sessions
from memstone.storage.sqlite.connections import fetch_all
from memstone.storage.sqlite.conversing import ConversationWriting
from memstone.storage.sqlite.indexing import Indexer
from memstone.storage.sqlite.postings import ARCHIVED, CURRENT, HELD, PAST
from memstone.storage.sqlite.reading import MARK_PREFIX, SqliteSnapshot
from memstone.times import to_micros
from memstone.types import Kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    import apsw

    from memstone.protocols import Postings
    from memstone.types import (
        ChangeNote,
        Derivation,
        Draft,
        Filter,
        Memory,
        Scope,
        SessionCounts,
        Transcript,
        Unit,
        Verdict,
    )

Value = str | bytes | int | None

INTERN_NAMESPACE = """
    INSERT INTO namespace (user, project, agent)
    VALUES (:user, :project, :agent)
    RETURNING ns
"""
INSERT = """
    INSERT INTO memory (
        id, ns, kind, text, text_sha256, created_at, valid_from, valid_until,
        superseded_at, superseded_from, role, session, speaker, subject, attribute,
        external_id, turn_key, source, method, producer, trust
    )
    VALUES (
        :id, :ns, :kind, :text, :digest, :created_at, :valid_from, :valid_until,
        :superseded_at, :superseded_from, :role, :session, :speaker, :subject, :attribute,
        :external_id, :turn_key, :source, :method, :producer, :trust
    )
    RETURNING row
"""
INSERT_DERIVATION = """
    INSERT INTO derivation (row, source_row, start, "end")
    SELECT :row, m.row, :start, :end
    FROM memory AS m
    JOIN namespace AS n ON n.ns = m.ns
    WHERE m.id = :source AND n.user = (
        SELECT own.user
        FROM memory AS derived
        JOIN namespace AS own ON own.ns = derived.ns
        WHERE derived.row = :row
    )
"""
INSERT_TAG = """
    INSERT INTO memory_tag (row, tag)
    VALUES (:row, :tag)
    ON CONFLICT (row, tag) DO NOTHING
    RETURNING tag
"""
DELETE_TAG = "DELETE FROM memory_tag WHERE row = :row AND tag = :tag RETURNING tag"
TAGS_OF = "SELECT tag FROM memory_tag WHERE row = :row ORDER BY tag"
PIN = """
    INSERT INTO memory_pin (row, pinned_at)
    VALUES (:row, :at)
    ON CONFLICT (row) DO NOTHING
    RETURNING row
"""
UNPIN = "DELETE FROM memory_pin WHERE row = :row RETURNING row"
EXPIRY_OF = "SELECT expires FROM memory_expiry WHERE row = :row"
SET_EXPIRY = """
    INSERT INTO memory_expiry (row, expires)
    VALUES (:row, :expires)
    ON CONFLICT (row) DO UPDATE SET expires = excluded.expires
"""
CLEAR_EXPIRY = "DELETE FROM memory_expiry WHERE row = :row"
HOLD = "INSERT INTO memory_hold (row, held_at, approved_at) VALUES (:row, :at, NULL)"
APPROVE = """
    UPDATE memory_hold
    SET approved_at = :at
    WHERE row = :row AND approved_at IS NULL
    RETURNING row
"""
HOLD_AGAIN = """
    INSERT INTO memory_hold (row, held_at, approved_at)
    VALUES (:row, :at, NULL)
    ON CONFLICT (row) DO UPDATE
    SET held_at = excluded.held_at, approved_at = NULL
    WHERE approved_at IS NOT NULL
    RETURNING row
"""
ARCHIVE = """
    INSERT INTO memory_archive (row, archived_at)
    VALUES (:row, :at)
    ON CONFLICT (row) DO NOTHING
    RETURNING row
"""
UNARCHIVE = "DELETE FROM memory_archive WHERE row = :row RETURNING row"
VERDICT_OF = "SELECT verdict FROM feedback WHERE row = :row AND query = :query"
JUDGE = """
    INSERT INTO feedback (row, query, verdict, at)
    VALUES (:row, :query, :verdict, :at)
    ON CONFLICT (row, query) DO UPDATE SET verdict = excluded.verdict, at = excluded.at
"""
SEEN = """
    INSERT INTO memory_seen (row, seen_count, last_seen_at)
    VALUES (:row, :count, :at)
    ON CONFLICT (row) DO UPDATE
    SET seen_count = seen_count + 1, last_seen_at = max(last_seen_at, excluded.last_seen_at)
    RETURNING seen_count
"""
RESTORE_SEEN = "INSERT INTO memory_seen (row, seen_count, last_seen_at) VALUES (:row, :count, :at)"
RESTORE_USAGE = """
    INSERT INTO memory_usage (row, recall_count, last_recalled_at)
    VALUES (:row, :count, :at)
"""
CLOSE = """
    UPDATE memory
    SET superseded_at = :at, superseded_from = :valid_from, superseded_by = :by
    WHERE row = :row
"""
REOPEN = """
    UPDATE memory
    SET superseded_at = NULL, superseded_from = NULL, superseded_by = NULL
    WHERE row = :row
"""
UNLINK = "UPDATE memory SET supersedes = NULL WHERE row = :row AND supersedes = :older"
SUPERSEDE_LINK = "UPDATE memory SET supersedes = :older WHERE row = :row"
SUPERSEDED_LINK = "UPDATE memory SET superseded_by = :newer WHERE row = :row"
# by the row that goes, not by one neighbour: a merge closes several rows
SUCCESSOR_GONE = "UPDATE memory SET superseded_by = :newer WHERE superseded_by = :row"
PREDECESSOR_GONE = """
    UPDATE memory
    SET supersedes = :older
    WHERE row = :newer AND supersedes = :row
"""
LINKS_OF = "SELECT ns, supersedes, superseded_by FROM memory WHERE row = :row"
STATE_OF = """
    SELECT
        m.ns,
        EXISTS (SELECT 1 FROM memory_hold AS h WHERE h.row = m.row AND h.approved_at IS NULL),
        EXISTS (SELECT 1 FROM memory_archive AS a WHERE a.row = m.row),
        m.superseded_at IS NOT NULL
    FROM memory AS m
    WHERE m.row = :row
"""
PEND = """
    INSERT INTO lex_pending (idx, row, next_ordinal, touched_at)
    VALUES (:idx, :row, :next, :at)
    ON CONFLICT (idx, row) DO UPDATE
    SET next_ordinal = excluded.next_ordinal, touched_at = excluded.touched_at
"""
SET_MARK = """
    INSERT INTO meta (key, value)
    VALUES (:key, :value)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value
"""
UNPEND = "DELETE FROM lex_pending WHERE idx = :idx AND row = :row"
BLANK_LOG = "UPDATE change_row SET before = NULL, after = NULL WHERE row = :row"
DELETE = "DELETE FROM memory WHERE row = :row"
TOMBSTONE = "INSERT INTO tombstone (row, ns, forgotten_at) VALUES (:row, :ns, :at)"
CHANGE = """
    INSERT INTO change (at, surface, actor, operation, reason)
    VALUES (:at, :surface, :actor, :operation, :reason)
    RETURNING change
"""
CHANGE_ROW = """
    INSERT INTO change_row (change, row, field, before, after)
    VALUES (:change, :row, :field, :before, :after)
    ON CONFLICT (change, row, field) DO UPDATE SET after = excluded.after
"""


class SqliteTransaction(ConversationWriting, SqliteSnapshot):
    """A snapshot that writes; `finish` before the commit."""

    def __init__(self, connection: apsw.Connection, path: str, note: ChangeNote) -> None:
        super().__init__(connection, path)
        self._note = note
        self._change_number: int | None = None
        self._indexer = Indexer(connection, note.at)

    def finish(self) -> None:
        """Write what still waits in memory."""
        self._indexer.flush()

    def postings(self, index: str, filter: Filter) -> Postings:  # noqa: A002
        self._indexer.flush()
        return super().postings(index, filter)

    def holding(self, index: str, terms: Sequence[str], namespaces: Sequence[int]) -> list[int]:
        self._indexer.flush()
        return super().holding(index, terms, namespaces)

    def intern(self, scope: Scope) -> int:
        found = self._namespace(scope)
        if found is not None:
            return found
        values = {"user": scope.user, "project": scope.project, "agent": scope.agent}
        return int(self._one(INTERN_NAMESPACE, values))

    def insert(self, draft: Draft) -> int:
        values: dict[str, Value] = {
            "id": draft.id, "ns": draft.namespace, "kind": draft.kind.value, "text": draft.text,
            "digest": draft.digest, "created_at": draft.created_at,
            "valid_from": draft.valid_from, "valid_until": draft.valid_until,
            "superseded_at": None, "superseded_from": None,
            "role": draft.role, "session": draft.session, "speaker": draft.speaker,
            "subject": draft.subject, "attribute": draft.attribute,
            "external_id": draft.external_id, "turn_key": draft.turn_key,
            "source": draft.provenance.source, "method": draft.provenance.method.value,
            "producer": draft.provenance.producer, "trust": draft.provenance.trust.value,
        }  # fmt: skip
        row = int(self._one(INSERT, values))
        self._side_tables(row, draft.tags, draft.expires, draft.provenance.derived_from)
        at = draft.created_at
        if draft.pinned:
            self._run(PIN, {"row": row, "at": at})
        if draft.held:
            self._run(HOLD, {"row": row, "at": at})
        if draft.kind is Kind.TURN:
            key = (draft.namespace, draft.provenance.source, draft.session)
            note = conversations.NOTE_TURN
            conversations.note_turn(self._connection, note, row, key, self._note.at)
        elif draft.unsettled:
            self._run(conversations.UNSETTLE, {"row": row})
        self._record(row, "created", None, draft.kind.value)
        return row

    def restore(self, memory: Memory, namespace: int) -> int:
        source = memory.provenance
        values: dict[str, Value] = {
            "id": memory.id, "ns": namespace, "kind": memory.kind.value, "text": memory.text,
            "digest": bytes.fromhex(memory.text_sha256), "created_at": to_micros(memory.created_at),
            "valid_from": to_micros(memory.valid_from),
            "valid_until": _micros(memory.valid_until),
            "superseded_at": _micros(memory.superseded_at),
            "superseded_from": _micros(memory.superseded_from),
            "role": memory.role, "session": memory.session, "speaker": memory.speaker,
            "subject": memory.subject, "attribute": memory.attribute,
            "external_id": memory.external_id, "turn_key": memory.turn_key,
            "source": source.source, "method": source.method.value,
            "producer": source.producer, "trust": source.trust.value,
        }  # fmt: skip
        row = int(self._one(INSERT, values))
        self._side_tables(row, memory.tags, _micros(memory.expires), source.derived_from)
        at = to_micros(memory.created_at)
        for wanted, statement in (
            (memory.pinned, PIN),
            (memory.held, HOLD),
            (memory.archived, ARCHIVE),
        ):
            if wanted:
                self._run(statement, {"row": row, "at": at})
        if memory.last_seen_at is not None:
            seen_at = to_micros(memory.last_seen_at)
            self._run(RESTORE_SEEN, {"row": row, "count": memory.seen_count, "at": seen_at})
        if memory.last_recalled_at is not None:
            used = {"count": memory.recall_count, "at": to_micros(memory.last_recalled_at)}
            self._run(RESTORE_USAGE, {"row": row, **used})
        if memory.kind is Kind.TURN:
            key = (namespace, source.source, memory.session)
            note = conversations.NOTE_RESTORED
            conversations.note_turn(self._connection, note, row, key, self._note.at)
        self._record(row, "created", None, memory.kind.value)
        return row

    def _side_tables(
        self,
        row: int,
        tags: Sequence[str],
        expires: int | None,
        derived_from: Sequence[Derivation],
    ) -> None:
        for tag in tags:
            self._run(INSERT_TAG, {"row": row, "tag": tag})
        if expires is not None:
            self._run(SET_EXPIRY, {"row": row, "expires": expires})
        for span in derived_from:
            values = {"row": row, "source": span.source, "start": span.start, "end": span.end}
            self._run(INSERT_DERIVATION, values)

    def index(
        self, row: int, index: str, units: Sequence[Unit], *, complete: bool, next_ordinal: int = 0
    ) -> None:
        idx = self._indexer.index(index)
        namespace, state = self._state(row)
        self._indexer.add(self._indexer.part(idx, namespace, state), row, units)
        if complete:
            self._run(UNPEND, {"idx": idx, "row": row})
        else:
            self._run(PEND, {"idx": idx, "row": row, "next": next_ordinal, "at": self._note.at})
        self._change_key()

    def begin_index(self, index: str) -> None:
        self._indexer.begin(index)

    def complete_index(self, index: str) -> None:
        self._indexer.complete(index)

    def set_mark(self, name: str, value: str) -> None:
        self._run(SET_MARK, {"key": MARK_PREFIX + name, "value": value})

    def _state(self, row: int) -> tuple[int, int]:
        """Namespace and partition a row's postings belong to now."""
        found = fetch_all(self._connection, STATE_OF, {"row": row})
        namespace, held, archived, superseded = found[0]
        if held:
            return namespace, HELD
        if archived:
            return namespace, ARCHIVED
        return namespace, PAST if superseded else CURRENT

    def close(self, row: int, *, by: int, at: int, valid_from: int, beside: bool = False) -> None:
        values = {"row": row, "by": by, "at": at, "valid_from": valid_from}
        self._run(CLOSE, values)
        if not beside:
            self._run(SUPERSEDE_LINK, {"row": by, "older": row})
        self._indexer.move(row, self._state(row)[1])
        self._record(row, "superseded_by", None, str(by))

    def reopen(self, row: int) -> None:
        newer = fetch_all(self._connection, LINKS_OF, {"row": row})[0][2]
        self._run(REOPEN, {"row": row})
        if newer is not None:
            self._run(UNLINK, {"row": newer, "older": row})
        self._indexer.move(row, self._state(row)[1])
        self._record(row, "superseded_by", _text(newer), None)

    def link(self, row: int, *, by: int) -> None:
        self.relink(by, supersedes=row)

    def relink(self, row: int, *, supersedes: int, beside: bool = False) -> None:
        if not beside:
            self._run(SUPERSEDE_LINK, {"row": row, "older": supersedes})
        self._run(SUPERSEDED_LINK, {"row": supersedes, "newer": row})
        self._record(supersedes, "superseded_by", None, str(row))

    def forget(self, row: int) -> None:
        namespace, older, newer = fetch_all(self._connection, LINKS_OF, {"row": row})[0]
        self._indexer.remove(row)
        self._run(SUCCESSOR_GONE, {"row": row, "newer": newer})
        self._run(PREDECESSOR_GONE, {"row": row, "newer": newer, "older": older})
        self._run(BLANK_LOG, {"row": row})
        self._run(DELETE, {"row": row})
        self._run(TOMBSTONE, {"row": row, "ns": namespace, "at": self._note.at})
        self._record(row, "forgotten", None, None)

    def add_tags(self, row: int, tags: Sequence[str]) -> tuple[str, ...]:
        return self._edit_tags(INSERT_TAG, row, tags)

    def remove_tags(self, row: int, tags: Sequence[str]) -> tuple[str, ...]:
        return self._edit_tags(DELETE_TAG, row, tags)

    def _edit_tags(self, statement: str, row: int, tags: Sequence[str]) -> tuple[str, ...]:
        before = self._tags(row)
        moved = []
        for tag in sorted(set(tags)):
            moved += fetch_all(self._connection, statement, {"row": row, "tag": tag})
        if moved:
            self._record(row, "tags", before, self._tags(row))
        return tuple(sorted(tag for (tag,) in moved))

    def _tags(self, row: int) -> str:
        tags = [tag for (tag,) in fetch_all(self._connection, TAGS_OF, {"row": row})]
        return json.dumps(tags, ensure_ascii=False)

    def set_pinned(self, row: int, *, pinned: bool) -> bool:
        values = {"row": row, "at": self._note.at} if pinned else {"row": row}
        moved = fetch_all(self._connection, PIN if pinned else UNPIN, values)
        if moved:
            self._record(row, "pinned", _flag(not pinned), _flag(pinned))
        return bool(moved)

    def set_expires(self, row: int, expires: int | None) -> bool:
        found = fetch_all(self._connection, EXPIRY_OF, {"row": row})
        before = found[0][0] if found else None
        if before == expires:
            return False
        if expires is None:
            self._run(CLEAR_EXPIRY, {"row": row})
        else:
            self._run(SET_EXPIRY, {"row": row, "expires": expires})
        self._record(row, "expires", _text(before), _text(expires))
        return True

    def set_archived(self, row: int, *, archived: bool) -> bool:
        values = {"row": row, "at": self._note.at} if archived else {"row": row}
        moved = fetch_all(self._connection, ARCHIVE if archived else UNARCHIVE, values)
        return self._moved(row, "archived", archived, changed=bool(moved))

    def set_held(self, row: int, *, held: bool) -> bool:
        values = {"row": row, "at": self._note.at}
        moved = fetch_all(self._connection, HOLD_AGAIN if held else APPROVE, values)
        return self._moved(row, "held", held, changed=bool(moved))

    def _moved(self, row: int, field: str, value: bool, *, changed: bool) -> bool:  # noqa: FBT001
        """Move a row's postings to where they belong now, if it changed, and log it."""
        if changed:
            self._indexer.move(row, self._state(row)[1])
            self._record(row, field, _flag(not value), _flag(value))
        return changed

    def note_session(
        self,
        namespace: int,
        client: str,
        session: str,
        counts: SessionCounts,
        *,
        ended: bool = False,
    ) -> None:
        key = (namespace, client, session)
        sessions.note(self._connection, key, counts, self._note.at, ended=ended)

    def mark_transcript(self, namespace: int, transcript: Transcript) -> None:
        sessions.mark(self._connection, namespace, transcript, self._note.at)

    def judge(self, row: int, query: str, verdict: Verdict) -> bool:
        found = fetch_all(self._connection, VERDICT_OF, {"row": row, "query": query})
        before = found[0][0] if found else None
        if before == verdict.value:
            return False
        values = {"row": row, "query": query, "verdict": verdict.value, "at": self._note.at}
        self._run(JUDGE, values)
        self._record(row, "feedback", before, verdict.value)
        return True

    def seen(self, row: int, at: int) -> None:
        count = int(self._one(SEEN, {"row": row, "count": 2, "at": at}))
        self._record(row, "seen", str(count - 1), str(count))

    def _run(self, statement: str, values: Mapping[str, object]) -> None:
        fetch_all(self._connection, statement, values)

    def _one(self, statement: str, values: Mapping[str, object]) -> int:
        return int(fetch_all(self._connection, statement, values)[0][0])

    def _change_key(self) -> int:
        if self._change_number is None:
            note = self._note
            values = {
                "at": note.at, "surface": note.surface, "actor": note.actor,
                "operation": note.operation, "reason": note.reason,
            }  # fmt: skip
            self._change_number = self._one(CHANGE, values)
        return self._change_number

    def _record(self, row: int, field: str, before: str | None, after: str | None) -> None:
        values = {"row": row, "field": field, "before": before, "after": after}
        self._run(CHANGE_ROW, {"change": self._change_key(), **values})


def _micros(moment: datetime | None) -> int | None:
    return None if moment is None else to_micros(moment)


def _flag(value: bool) -> str:  # noqa: FBT001
    return "true" if value else "false"


def _text(value: int | None) -> str | None:
    return None if value is None else str(value)
