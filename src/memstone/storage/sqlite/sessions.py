"""What the store knows of clients' sessions and of how far their transcripts were read.

Bookkeeping beside the memories: it moves no row of one, so it is not in the change log. A session
adds up counts; a transcript says where to read on.
"""

from __future__ import annotations

import json

from memstone import types
from memstone.storage.sqlite.connections import fetch_all
from memstone.times import from_micros

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    import apsw

    from memstone.types import SessionCounts, SessionUse, StoredSession, Transcript

SESSIONS = """
    SELECT
        s.client, s.session, n.user, n.project, n.agent, s.first_at, s.last_at, s.ended_at,
        s.blocks, s.injected_memories, s.injected_tokens,
        s.stored, s.known, s.skipped, s.redacted
    FROM session AS s
    JOIN namespace AS n ON n.ns = s.ns
    WHERE s.ns IN (SELECT value FROM json_each(:namespaces))
      AND (:session IS NULL OR s.session = :session)
    ORDER BY s.last_at DESC, s.client, s.session, s.ns
    LIMIT :limit
"""
STORED_SESSIONS = """
    SELECT m.session, count(*), min(m.created_at), max(m.created_at)
    FROM memory AS m
    WHERE m.session IS NOT NULL
      AND m.ns IN (SELECT value FROM json_each(:namespaces))
      AND NOT EXISTS (SELECT 1 FROM memory_archive AS a WHERE a.row = m.row)
    GROUP BY m.session
    ORDER BY max(m.created_at) DESC, m.session
    LIMIT :limit
"""
NOTE_SESSION = """
    INSERT INTO session (
        ns, client, session, first_at, last_at, ended_at,
        blocks, injected_memories, injected_tokens, stored, known, skipped, redacted
    )
    VALUES (
        :ns, :client, :session, :at, :at, :ended_at,
        :blocks, :injected_memories, :injected_tokens, :stored, :known, :skipped, :redacted
    )
    ON CONFLICT (ns, client, session) DO UPDATE
    SET last_at = max(last_at, excluded.last_at),
        ended_at = excluded.ended_at,
        blocks = blocks + excluded.blocks,
        injected_memories = injected_memories + excluded.injected_memories,
        injected_tokens = injected_tokens + excluded.injected_tokens,
        stored = stored + excluded.stored,
        known = known + excluded.known,
        skipped = skipped + excluded.skipped,
        redacted = redacted + excluded.redacted
"""
_TRANSCRIPT_COLUMNS = """
    t.client, t.path, t.session, n.user, n.project, n.agent, t.head, t.read_bytes, t.handed_bytes
"""
TRANSCRIPT = f"""
    SELECT {_TRANSCRIPT_COLUMNS}
    FROM transcript AS t
    JOIN namespace AS n ON n.ns = t.ns
    WHERE t.ns = :ns AND t.client = :client AND t.path = :path
"""
PENDING = f"""
    SELECT {_TRANSCRIPT_COLUMNS}
    FROM transcript AS t
    JOIN namespace AS n ON n.ns = t.ns
    WHERE t.read_bytes < t.handed_bytes AND t.ns IN (SELECT value FROM json_each(:namespaces))
    ORDER BY t.touched_at, t.path, t.client, t.ns
"""
MARK = """
    INSERT INTO transcript (
        ns, client, path, session, head, read_bytes, handed_bytes, touched_at
    )
    VALUES (:ns, :client, :path, :session, :head, :read_bytes, :handed_bytes, :at)
    ON CONFLICT (ns, client, path) DO UPDATE
    SET session = excluded.session,
        head = excluded.head,
        read_bytes = excluded.read_bytes,
        handed_bytes = excluded.handed_bytes,
        touched_at = excluded.touched_at
"""


class SessionReading:
    """The part of `protocols.Snapshot` about sessions and transcripts, mixed into the snapshot."""

    _connection: apsw.Connection

    def sessions(
        self, namespaces: Sequence[int], *, session: str | None = None, limit: int
    ) -> list[SessionUse]:
        return sessions(self._connection, namespaces, session, limit)

    def stored_sessions(self, namespaces: Sequence[int], *, limit: int) -> list[StoredSession]:
        return stored_sessions(self._connection, namespaces, limit)

    def transcript(self, namespace: int, client: str, path: str) -> Transcript | None:
        return transcript(self._connection, namespace, client, path)

    def pending_transcripts(self, namespaces: Sequence[int]) -> list[Transcript]:
        return pending(self._connection, namespaces)


def sessions(
    connection: apsw.Connection, namespaces: Sequence[int], session: str | None, limit: int
) -> list[SessionUse]:
    values = {
        "namespaces": json.dumps(tuple(namespaces)),
        "session": session,
        "limit": limit,
    }
    return [_session(row) for row in fetch_all(connection, SESSIONS, values)]


def stored_sessions(
    connection: apsw.Connection, namespaces: Sequence[int], limit: int
) -> list[StoredSession]:
    values = {"namespaces": json.dumps(tuple(namespaces)), "limit": limit}
    return [
        types.StoredSession(
            session=session,
            memories=memories,
            first_at=from_micros(first_at),
            last_at=from_micros(last_at),
        )
        for session, memories, first_at, last_at in fetch_all(connection, STORED_SESSIONS, values)
    ]


def note(
    connection: apsw.Connection, key: tuple[int, str, str], counts: SessionCounts, at: int, *,
    ended: bool,
) -> None:  # fmt: skip
    namespace, client, session = key
    values = {
        "ns": namespace, "client": client, "session": session,
        "at": at, "ended_at": at if ended else None,
        "blocks": counts.blocks, "injected_memories": counts.injected_memories,
        "injected_tokens": counts.injected_tokens, "stored": counts.stored,
        "known": counts.known, "skipped": counts.skipped, "redacted": counts.redacted,
    }  # fmt: skip
    fetch_all(connection, NOTE_SESSION, values)


def transcript(
    connection: apsw.Connection, namespace: int, client: str, path: str
) -> Transcript | None:
    values = {"ns": namespace, "client": client, "path": path}
    found = fetch_all(connection, TRANSCRIPT, values)
    return _transcript(found[0]) if found else None


def pending(connection: apsw.Connection, namespaces: Sequence[int]) -> list[Transcript]:
    values = {"namespaces": json.dumps(tuple(namespaces))}
    return [_transcript(row) for row in fetch_all(connection, PENDING, values)]


def mark(connection: apsw.Connection, namespace: int, said: Transcript, at: int) -> None:
    values = {
        "ns": namespace, "client": said.client, "path": said.path, "session": said.session,
        "head": said.head, "read_bytes": said.read_bytes, "handed_bytes": said.handed_bytes,
        "at": at,
    }  # fmt: skip
    fetch_all(connection, MARK, values)


def _session(row: tuple[Any, ...]) -> SessionUse:
    client, session, user, project, agent, first_at, last_at, ended_at, *counts = row
    blocks, memories, tokens, stored, known, skipped, redacted = counts
    return types.SessionUse(  # by its module: a recall need not load it
        client=client,
        session=session,
        scope=types.Scope(user, project, agent),
        first_at=from_micros(first_at),
        last_at=from_micros(last_at),
        ended_at=None if ended_at is None else from_micros(ended_at),
        counts=types.SessionCounts(
            blocks=blocks,
            injected_memories=memories,
            injected_tokens=tokens,
            stored=stored,
            known=known,
            skipped=skipped,
            redacted=redacted,
        ),
    )


def _transcript(row: tuple[Any, ...]) -> Transcript:
    client, path, session, user, project, agent, head, read_bytes, handed_bytes = row
    return types.Transcript(
        client=client,
        path=path,
        session=session,
        scope=types.Scope(user, project, agent),
        head=head,
        read_bytes=read_bytes,
        handed_bytes=handed_bytes,
    )
