"""Which conversations wait for cards, what rows state, which may contradict one another.

Bookkeeping for what is found out about a memory after it was stored. A turn notes its conversation
in its own transaction, so that nothing that waits is ever lost.
"""

from __future__ import annotations

import json

from memstone import types
from memstone.storage.sqlite import filtering, rows
from memstone.storage.sqlite.connections import fetch_all
from memstone.times import from_micros

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    import apsw

    from memstone.types import Conversation, Memory, PossibleConflict

_ALIVE = f"""
    m.superseded_at IS NULL AND NOT {filtering.HELD} AND NOT {filtering.ARCHIVED}
"""
CONVERSATIONS = """
    SELECT ns, source, session, last_row, touched_at, ended, carded_row
    FROM conversation
    WHERE {condition} AND ns IN (SELECT value FROM json_each(:namespaces))
    ORDER BY touched_at, ns, source, session
    LIMIT :limit
"""
WAITING, ALL = "carded_row < last_row", "1"
TURNS = f"""
    SELECT m.row
    FROM memory AS m
    WHERE m.ns = :ns AND m.source = :source AND ifnull(m.session, '') = :session
      AND m.kind = 'turn' AND m.turn_key IS NOT NULL
      AND m.row > :carded AND m.row <= :last AND {_ALIVE}
    ORDER BY m.row
"""
UNSETTLED = """
    SELECT u.row
    FROM unsettled AS u
    JOIN memory AS m ON m.row = u.row
    WHERE m.ns IN (SELECT value FROM json_each(:namespaces))
    ORDER BY u.row
    LIMIT :limit
"""
ABOUT = f"""
    SELECT a.row, a.attribute
    FROM about AS a
    JOIN memory AS m ON m.row = a.row
    WHERE a.ns = :ns AND a.subject = :subject
      AND (:attribute IS NULL OR a.attribute = :attribute) AND {_ALIVE}
    ORDER BY a.row, a.attribute
"""
_CONFLICTS = """
    SELECT c.conflict, c.older, c.newer, c.reason, c.found_at, c.resolution, c.resolved_at
    FROM conflict AS c
    JOIN memory AS o ON o.row = c.older
    JOIN memory AS n ON n.row = c.newer
    WHERE n.ns IN (SELECT value FROM json_each(:namespaces))
"""
CONFLICT = f"{_CONFLICTS} AND c.conflict = :number"
CONFLICTS = f"{_CONFLICTS} ORDER BY c.conflict"
CONFLICTS_OF = f"""
    {_CONFLICTS}
      AND (c.older IN (SELECT value FROM carray(:rows))
           OR c.newer IN (SELECT value FROM carray(:rows)))
    ORDER BY c.conflict
"""
SOURCES = """
    SELECT DISTINCT d.row, d.source_row
    FROM derivation AS d
    WHERE d.row IN (SELECT value FROM carray(:rows))
    ORDER BY d.row, d.source_row
"""
DERIVED = """
    SELECT DISTINCT d.row
    FROM derivation AS d
    WHERE d.source_row IN (SELECT value FROM carray(:rows))
    ORDER BY d.row
"""
BESIDE = """
    SELECT m.row
    FROM memory AS m
    JOIN memory AS n ON n.row = m.superseded_by
    WHERE m.superseded_by IN (SELECT value FROM carray(:rows))
      AND n.supersedes IS NOT m.row
    ORDER BY m.row
"""
IMPORTED = """
    SELECT m.row
    FROM memory AS m
    WHERE m.external_id = :id AND +m.ns = :ns AND m.source = :source AND m.kind <> 'turn'
    ORDER BY m.row
"""
NOTE_TURN = """
    INSERT INTO conversation (ns, source, session, last_row, touched_at, ended, carded_row)
    VALUES (:ns, :source, :session, :row, :at, 0, 0)
    ON CONFLICT (ns, source, session) DO UPDATE
    SET last_row = max(last_row, excluded.last_row),
        touched_at = max(touched_at, excluded.touched_at),
        ended = 0
"""
# what an export brings has its cards with it; turns that wait here go on waiting
NOTE_RESTORED = """
    INSERT INTO conversation (ns, source, session, last_row, touched_at, ended, carded_row)
    VALUES (:ns, :source, :session, :row, :at, 1, :row)
    ON CONFLICT (ns, source, session) DO UPDATE
    SET carded_row = iif(carded_row = last_row, excluded.last_row, carded_row),
        last_row = max(last_row, excluded.last_row)
"""
END = """
    UPDATE conversation
    SET ended = 1
    WHERE ns = :ns AND source = :source AND session IN (SELECT value FROM json_each(:sessions))
"""
MARK_CARDED = """
    UPDATE conversation
    SET carded_row = :last
    WHERE ns = :ns AND source = :source AND session = :session AND carded_row = :carded
    RETURNING carded_row
"""
UNSETTLE = "INSERT INTO unsettled (row) VALUES (:row) ON CONFLICT (row) DO NOTHING"
SETTLE = "DELETE FROM unsettled WHERE row = :row"
CLEAR_ABOUT = "DELETE FROM about WHERE row = :row"
SET_ABOUT = """
    INSERT INTO about (row, ns, subject, attribute)
    SELECT m.row, m.ns, :subject, :attribute
    FROM memory AS m
    WHERE m.row = :row
    ON CONFLICT DO NOTHING
"""
NOTE_CONFLICT = """
    INSERT INTO conflict (older, newer, reason, found_at)
    SELECT :older, :newer, :reason, :at
    WHERE NOT EXISTS (SELECT 1 FROM conflict WHERE older = :older AND newer = :newer)
    RETURNING conflict
"""  # a known pair costs no number
RESOLVE = """
    UPDATE conflict
    SET resolution = :resolution, resolved_at = :at
    WHERE conflict = :number
    RETURNING newer
"""


def conversations(
    connection: apsw.Connection, namespaces: Sequence[int], limit: int, *, pending: bool
) -> list[Conversation]:
    query = CONVERSATIONS.format(condition=WAITING if pending else ALL)
    values = {"namespaces": json.dumps(tuple(namespaces)), "limit": limit}
    return [_conversation(row) for row in fetch_all(connection, query, values)]


def turns(connection: apsw.Connection, wanted: Conversation) -> list[int]:
    values = {
        "ns": wanted.namespace, "source": wanted.source, "session": wanted.session or "",
        "carded": wanted.carded_row, "last": wanted.last_row,
    }  # fmt: skip
    return [row for (row,) in fetch_all(connection, TURNS, values)]


def unsettled(connection: apsw.Connection, namespaces: Sequence[int], limit: int) -> list[int]:
    values = {"namespaces": json.dumps(tuple(namespaces)), "limit": limit}
    return [row for (row,) in fetch_all(connection, UNSETTLED, values)]


def about(
    connection: apsw.Connection, namespace: int, subject: str, attribute: str | None
) -> list[tuple[int, str]]:
    values = {"ns": namespace, "subject": subject, "attribute": attribute}
    return [(row, name) for row, name in fetch_all(connection, ABOUT, values)]


def conflicts(
    connection: apsw.Connection,
    namespaces: Sequence[int],
    *,
    rows_: Sequence[int] | None = None,
    number: int | None = None,
) -> list[PossibleConflict]:
    """Every possible conflict there, or those of some rows, or the one of that number."""
    values: dict[str, object] = {"namespaces": json.dumps(tuple(namespaces))}
    query = CONFLICTS
    if number is not None:
        query, values["number"] = CONFLICT, number
    elif rows_ is not None:
        if not rows_:
            return []
        query, values["rows"] = CONFLICTS_OF, rows.numbers(rows_)
    found = fetch_all(connection, query, values)
    wanted = sorted({row for each in found for row in each[1:3]})
    if not wanted:
        return []
    read = rows.fetch(connection, rows.BY_ROWS, {"rows": rows.numbers(wanted)})
    memories = {memory.row: memory for memory in read}
    return [_conflict(each, memories) for each in found]


def pairs(connection: apsw.Connection, query: str, rows_: Sequence[int]) -> list[tuple[Any, ...]]:
    """The rows of a query over some rows of memories."""
    return fetch_all(connection, query, {"rows": rows.numbers(rows_)}) if rows_ else []


def note_turn(
    connection: apsw.Connection, statement: str, row: int, key: tuple[int, str, str | None], at: int
) -> None:
    """Note that a turn was added to its conversation."""
    namespace, source, session = key
    values = {"ns": namespace, "source": source, "session": session or "", "row": row, "at": at}
    fetch_all(connection, statement, values)


def _conversation(row: tuple[Any, ...]) -> Conversation:
    namespace, source, session, last_row, touched_at, ended, carded_row = row
    return types.Conversation(
        namespace=namespace,
        source=source,
        session=session or None,
        last_row=last_row,
        carded_row=carded_row,
        touched_at=from_micros(touched_at),
        ended=bool(ended),
    )


def _conflict(row: tuple[Any, ...], memories: dict[int, Memory]) -> PossibleConflict:
    number, older, newer, reason, found_at, resolution, resolved_at = row
    return types.PossibleConflict(
        number=number,
        older=memories[older],
        newer=memories[newer],
        reason=reason,
        found_at=from_micros(found_at),
        resolution=resolution,
        resolved_at=None if resolved_at is None else from_micros(resolved_at),
    )
