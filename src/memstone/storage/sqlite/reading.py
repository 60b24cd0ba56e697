"""`protocols.Snapshot` over one SQLite read transaction.

Queries only: what a row means, and who may see it, is decided by the caller through namespaces
and filters. Every list has a total order, so equal stores give equal answers.
"""

from __future__ import annotations

import json
import os

from memstone import types
from memstone.errors import LineageBroken
from memstone.storage.sqlite import conversations, filtering, holding, rows
from memstone.storage.sqlite.connections import fetch_all
from memstone.storage.sqlite.faults import damaged
from memstone.storage.sqlite.postings import SqlitePostings
from memstone.storage.sqlite.sessions import SessionReading
from memstone.times import NEVER_US, from_micros
from memstone.types import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    import apsw

    from memstone.protocols import Postings
    from memstone.types import (
        Change,
        Conversation,
        Feedback,
        Filter,
        Memory,
        PossibleConflict,
        Statistics,
        View,
    )

NAMESPACE = """
    SELECT ns
    FROM namespace
    WHERE user = :user AND project = :project AND agent = :agent
"""
NAMESPACES_OF = "SELECT ns FROM namespace WHERE user = :user ORDER BY ns"
TAKEN = "SELECT 1 FROM memory WHERE id = :id"
# `:beyond` is the prefix with its last character raised: every id that begins so lies before it
IDS_FROM = """
    SELECT m.id
    FROM memory AS m
    WHERE m.id >= :prefix AND m.id < :beyond
      AND m.ns IN (SELECT value FROM json_each(:namespaces))
    ORDER BY m.id
    LIMIT :limit
"""
SELECT_ROWS = """
    SELECT m.row
    FROM memory AS m
    WHERE {condition}{after}
    ORDER BY {order}
    LIMIT :limit
"""
COUNT = "SELECT count(*) FROM memory AS m WHERE {condition}"
CHAIN = """
    WITH RECURSIVE
        back (row, older, depth) AS (
            SELECT row, supersedes, 0 FROM memory WHERE row = :row
            UNION
            SELECT m.row, m.supersedes, back.depth - 1
            FROM back JOIN memory AS m ON m.row = back.older
            WHERE back.depth > -:most
        ),
        forth (row, newer, depth) AS (
            SELECT row, superseded_by, 0 FROM memory WHERE row = :row
            UNION
            SELECT m.row, m.superseded_by, forth.depth + 1
            FROM forth JOIN memory AS m ON m.row = forth.newer
            WHERE forth.depth < :most
        )
    SELECT row, depth FROM back
    UNION
    SELECT row, depth FROM forth
    ORDER BY depth
"""
LINKS = """
    SELECT m.row, m.supersedes, m.superseded_by
    FROM carray(:rows) AS c
    CROSS JOIN memory AS m ON m.row = c.value
"""
NEXT_ORDINAL = """
    SELECT count(*)
    FROM memory
    WHERE ns = :ns AND source = :source AND ifnull(session, '') = :session
      AND turn_key IS NOT NULL
"""
# one range of the index on external_id; `:below` and `:beyond` are the path with "/" and with what
# follows "/" behind it. The + keeps SQLite from walking the whole namespace instead.
FILES = f"""
    SELECT m.row
    FROM memory AS m
    WHERE m.external_id >= :path AND m.external_id < :beyond
      AND (m.external_id = :path OR m.external_id >= :below)
      AND +m.ns = :ns AND m.kind <> 'turn' AND m.turn_key IS NOT NULL
      AND m.superseded_at IS NULL AND NOT {filtering.ARCHIVED}
    ORDER BY m.external_id, m.row DESC
    LIMIT :limit
"""
INDEXES = "SELECT name, state = 'live' FROM lex_index ORDER BY name"
MARK = "SELECT value FROM meta WHERE key = :key"
MARK_PREFIX = "mark:"  # apart from what the migrations keep there
INTERRUPTED = """
    SELECT w.row, w.next_ordinal
    FROM lex_pending AS w
    JOIN lex_index AS i ON i.idx = w.idx
    WHERE i.name = :index AND w.touched_at <= :idle_since
    ORDER BY w.row
"""
NEVER_INDEXED = """
    SELECT m.row, 0
    FROM {rows}
    WHERE NOT EXISTS (
        SELECT 1
        FROM lex_unit AS u
        JOIN lex_part AS p ON p.part = u.part
        JOIN lex_index AS i ON i.idx = p.idx
        WHERE u.row = m.row AND i.name = :index
    )
    ORDER BY m.row
"""
EVERY_ROW = "memory AS m"
SOME_ROWS = "carray(:rows) AS c CROSS JOIN memory AS m ON m.row = c.value"
CHANGES = """
    SELECT DISTINCT c.change, c.at, c.surface, c.actor, c.operation, c.reason
    FROM change AS c
    JOIN change_row AS r ON r.change = c.change
    LEFT JOIN memory AS m ON m.row = r.row
    LEFT JOIN tombstone AS t ON t.row = r.row
    WHERE ifnull(m.ns, t.ns) IN (SELECT value FROM json_each(:namespaces))
      AND (:row IS NULL OR r.row = :row)
    ORDER BY c.change DESC
    LIMIT :limit
"""
CHANGE = """
    SELECT change, at, surface, actor, operation, reason
    FROM change
    WHERE change = :number
"""
CHANGE_ROWS = """
    SELECT r.row, m.id, r.field, r.before, r.after
    FROM change_row AS r
    LEFT JOIN memory AS m ON m.row = r.row
    LEFT JOIN tombstone AS t ON t.row = r.row
    WHERE r.change = :change
      AND ifnull(m.ns, t.ns) IN (SELECT value FROM json_each(:namespaces))
      AND (:row IS NULL OR r.row = :row)
    ORDER BY r.row, r.field
"""
FEEDBACK = """
    SELECT m.id, m.external_id, n.user, n.project, n.agent, f.query, f.verdict, f.at
    FROM feedback AS f
    JOIN memory AS m ON m.row = f.row
    JOIN namespace AS n ON n.ns = m.ns
    WHERE m.ns IN (SELECT value FROM json_each(:namespaces)) AND (:row IS NULL OR f.row = :row)
    ORDER BY f.at, f.row, f.query
"""
BY_KIND = f"""
    SELECT m.kind, count(*)
    FROM memory AS m
    WHERE m.ns IN (SELECT value FROM json_each(:namespaces)) AND m.superseded_at IS NULL
      AND NOT {filtering.HELD} AND NOT {filtering.ARCHIVED}
    GROUP BY m.kind
    ORDER BY m.kind
"""
TALLY = f"""
    WITH
        wanted (ns) AS (SELECT value FROM json_each(:namespaces)),
        mine (row, superseded_at, aside) AS (
            SELECT m.row, m.superseded_at, {filtering.HELD} OR {filtering.ARCHIVED}
            FROM memory AS m
            WHERE m.ns IN (SELECT ns FROM wanted)
        ),
        parts (part, units) AS (
            SELECT part, units FROM lex_part WHERE state = 0 AND ns IN (SELECT ns FROM wanted)
        )
    SELECT
        (SELECT count(*) FROM mine WHERE superseded_at IS NULL AND NOT aside),
        (SELECT count(*) FROM mine WHERE superseded_at IS NOT NULL),
        (SELECT count(*) FROM memory_expiry AS x JOIN mine ON mine.row = x.row
         WHERE x.expires <= :now AND mine.superseded_at IS NULL AND NOT mine.aside),
        (SELECT count(*) FROM memory_hold AS h JOIN mine ON mine.row = h.row
         WHERE h.approved_at IS NULL),
        (SELECT count(*) FROM memory_archive AS a JOIN mine ON mine.row = a.row),
        (SELECT count(*) FROM tombstone WHERE ns IN (SELECT ns FROM wanted)),
        (SELECT ifnull(sum(units), 0) FROM parts),
        (SELECT count(DISTINCT t.term) FROM lex_term AS t JOIN parts ON parts.part = t.part),
        (SELECT ifnull(sum(octet_length(m.text)), 0) FROM memory AS m
         WHERE m.ns IN (SELECT ns FROM wanted) AND m.kind = 'turn' AND NOT {filtering.ARCHIVED})
"""
LAST_CHANGE = "SELECT ifnull(max(change), 0) FROM change"
MAX_CHAIN = 100_000  # longer than any chain; only a cycle gets there


class SqliteSnapshot(SessionReading):
    """Reads of one transaction on one connection."""

    def __init__(self, connection: apsw.Connection, path: str) -> None:
        self._connection = connection
        self._path = path

    def namespaces(self, view: View) -> tuple[int, ...]:
        found = (self._namespace(scope) for scope in view.scopes())
        return tuple(sorted(ns for ns in found if ns is not None))

    def _namespace(self, scope: Scope) -> int | None:
        values = {"user": scope.user, "project": scope.project, "agent": scope.agent}
        found = fetch_all(self._connection, NAMESPACE, values)
        return found[0][0] if found else None

    def namespaces_of(self, user: str) -> tuple[int, ...]:
        return tuple(ns for (ns,) in fetch_all(self._connection, NAMESPACES_OF, {"user": user}))

    def taken(self, id: str) -> bool:  # noqa: A002
        return bool(fetch_all(self._connection, TAKEN, {"id": id}))

    def memory(self, id: str, namespaces: Sequence[int]) -> Memory | None:  # noqa: A002
        values = {"id": id, "namespaces": json.dumps(tuple(namespaces))}
        found = rows.fetch(self._connection, rows.BY_ID, values)
        return found[0] if found else None

    def ids_from(self, prefix: str, namespaces: Sequence[int], *, limit: int) -> list[str]:
        values = {
            "prefix": prefix,
            "beyond": prefix[:-1] + chr(ord(prefix[-1]) + 1),
            "namespaces": json.dumps(tuple(namespaces)),
            "limit": limit,
        }
        return [id_ for (id_,) in fetch_all(self._connection, IDS_FROM, values)]

    def memories(self, rows_: Sequence[int]) -> list[Memory]:
        if not rows_:
            return []
        found = rows.fetch(self._connection, rows.BY_ROWS, {"rows": rows.numbers(rows_)})
        by_row = {memory.row: memory for memory in found}
        return [by_row[row] for row in rows_ if row in by_row]

    def by_digest(self, prefix: bytes, namespaces: Sequence[int]) -> list[Memory]:
        values = {
            "low": prefix,
            "high": prefix.ljust(32, b"\xff"),
            "namespaces": json.dumps(tuple(namespaces)),
        }
        return rows.fetch(self._connection, rows.BY_DIGEST, values)

    def turn(
        self, namespace: int, source: str, session: str | None, key: str, digest: bytes
    ) -> Memory | None:
        values = {
            "ns": namespace,
            "source": source,
            "session": session or "",
            "key": key,
            "digest": digest,
        }
        found = rows.fetch(self._connection, rows.BY_TURN, values)
        return found[0] if found else None

    def turn_of_any_session(
        self, namespace: int, source: str, key: str, digest: bytes
    ) -> Memory | None:
        values = {"ns": namespace, "source": source, "key": key, "digest": digest}
        found = rows.fetch(self._connection, rows.BY_UNIQUE_TURN, values)
        return found[0] if found else None

    def next_turn_ordinal(self, namespace: int, source: str, session: str | None) -> int:
        values = {"ns": namespace, "source": source, "session": session or ""}
        return 1 + int(fetch_all(self._connection, NEXT_ORDINAL, values)[0][0])

    def chain(self, row: int) -> list[Memory]:
        values = {"row": self._on_the_line(row), "most": MAX_CHAIN}
        order = fetch_all(self._connection, CHAIN, values)
        path = [found for found, _ in order]
        if not path or len(set(path)) != len(path) or not self._is_linked(path):
            raise LineageBroken(
                f"the version chain of row {row} in {self._path} is not a path",
                hint="no part of it is shown; restore a backup or report this",
                row=row,
            )
        return self.memories(path)

    def _on_the_line(self, row: int) -> int:
        """The row itself, or for one that stands beside a chain the one that closed it."""
        for _ in range(MAX_CHAIN):
            found = fetch_all(self._connection, LINKS, {"rows": rows.numbers([row])})
            newer = found[0][2] if found else None
            if newer is None:
                return row
            beyond = fetch_all(self._connection, LINKS, {"rows": rows.numbers([newer])})
            if not beyond or beyond[0][1] == row:
                return row
            row = newer
        return row

    def holding(self, index: str, terms: Sequence[str], namespaces: Sequence[int]) -> list[int]:
        return holding.rows(self._connection, index, terms, namespaces)

    def conversations(
        self, namespaces: Sequence[int], *, pending: bool = True, limit: int
    ) -> list[Conversation]:
        return conversations.conversations(self._connection, namespaces, limit, pending=pending)

    def turns(self, conversation: Conversation) -> list[Memory]:
        return self.memories(conversations.turns(self._connection, conversation))

    def unsettled(self, namespaces: Sequence[int], *, limit: int) -> list[int]:
        return conversations.unsettled(self._connection, namespaces, limit)

    def about(
        self, namespace: int, subject: str, attribute: str | None = None
    ) -> list[tuple[int, str]]:
        return conversations.about(self._connection, namespace, subject, attribute)

    def conflicts(
        self,
        namespaces: Sequence[int],
        *,
        rows: Sequence[int] | None = None,
        resolved: bool = False,
    ) -> list[PossibleConflict]:
        found = conversations.conflicts(self._connection, namespaces, rows_=rows)
        return found if resolved else [one for one in found if one.open]

    def conflict(self, number: int, namespaces: Sequence[int]) -> PossibleConflict | None:
        found = conversations.conflicts(self._connection, namespaces, number=number)
        return found[0] if found else None

    def sources(self, rows: Sequence[int]) -> dict[int, tuple[int, ...]]:
        found: dict[int, tuple[int, ...]] = {}
        for row, source in conversations.pairs(self._connection, conversations.SOURCES, rows):
            found[row] = (*found.get(row, ()), source)
        return found

    def derived(self, rows: Sequence[int]) -> list[int]:
        found = conversations.pairs(self._connection, conversations.DERIVED, rows)
        return [row for (row,) in found]

    def beside(self, rows: Sequence[int]) -> list[Memory]:
        found = conversations.pairs(self._connection, conversations.BESIDE, rows)
        return self.memories([row for (row,) in found])

    def imported(self, namespace: int, source: str, external_id: str) -> list[Memory]:
        values = {"ns": namespace, "source": source, "id": external_id}
        found = fetch_all(self._connection, conversations.IMPORTED, values)
        return self.memories([row for (row,) in found])

    def _is_linked(self, path: list[int]) -> bool:
        found = fetch_all(self._connection, LINKS, {"rows": rows.numbers(path)})
        links = {row: (older, newer) for row, older, newer in found}
        expected = zip([None, *path], path, [*path[1:], None], strict=False)
        return all(links.get(row) == (older, newer) for older, row, newer in expected)

    def files(self, scope: Scope, path: str, *, limit: int | None = None) -> list[Memory]:
        values = {
            "ns": self._namespace(scope),
            "path": path,
            "below": f"{path}/",
            "beyond": f"{path}0",  # the character after "/"
            "limit": -1 if limit is None else limit,
        }
        return self.memories([row for (row,) in fetch_all(self._connection, FILES, values)])

    def select(
        self,
        filter: Filter,  # noqa: A002
        *,
        limit: int | None,
        after_row: int | None = None,
    ) -> list[Memory]:
        condition, values = filtering.condition(filter)
        after = "" if after_row is None else " AND m.row > :after_row"
        order = "m.created_at DESC, m.row DESC" if after_row is None else "m.row"
        query = SELECT_ROWS.format(condition=condition, after=after, order=order)
        values["limit"] = -1 if limit is None else limit
        if after_row is not None:
            values["after_row"] = after_row
        return self.memories([row for (row,) in fetch_all(self._connection, query, values)])

    def count(self, filter: Filter) -> int:  # noqa: A002
        condition, values = filtering.condition(filter)
        query = COUNT.format(condition=condition)
        return int(fetch_all(self._connection, query, values)[0][0])

    def postings(self, index: str, filter: Filter) -> Postings:  # noqa: A002
        return SqlitePostings(self._connection, index, filter)

    def indexes(self) -> dict[str, bool]:
        return {name: bool(live) for name, live in fetch_all(self._connection, INDEXES)}

    def mark(self, name: str) -> str | None:
        found = fetch_all(self._connection, MARK, {"key": MARK_PREFIX + name})
        return found[0][0] if found else None

    def pending_index(
        self, index: str, *, among: Sequence[int] | None = None
    ) -> list[tuple[int, int]]:
        begun = dict(self.interrupted_index(index))
        values: dict[str, object] = {"index": index}
        query = NEVER_INDEXED.format(rows=EVERY_ROW if among is None else SOME_ROWS)
        if among is not None:
            values["rows"] = rows.numbers(among)
            wanted = set(among)
            begun = {row: following for row, following in begun.items() if row in wanted}
        return sorted({**dict(fetch_all(self._connection, query, values)), **begun}.items())

    def interrupted_index(self, index: str, *, idle_since: int = NEVER_US) -> list[tuple[int, int]]:
        values = {"index": index, "idle_since": idle_since}
        return fetch_all(self._connection, INTERRUPTED, values)

    def changes(
        self, namespaces: Sequence[int], *, limit: int, row: int | None = None
    ) -> list[Change]:
        values = {"namespaces": json.dumps(tuple(namespaces)), "row": row, "limit": limit}
        found = fetch_all(self._connection, CHANGES, values)
        return [self._change(change, values) for change in found]

    def change(self, number: int, namespaces: Sequence[int]) -> Change | None:
        found = fetch_all(self._connection, CHANGE, {"number": number})
        values = {"namespaces": json.dumps(tuple(namespaces)), "row": None}
        change = self._change(found[0], values) if found else None
        return change if change is not None and change.rows else None

    def _change(self, change: tuple[Any, ...], values: Mapping[str, str | int | None]) -> Change:
        number, at, surface, actor, operation, reason = change
        moved = self._connection.execute(CHANGE_ROWS, {**values, "change": number})
        rows_ = tuple(types.ChangeRow(*row) for row in moved)
        return types.Change(number, from_micros(at), surface, actor, operation, reason, rows_)

    def feedback(self, namespaces: Sequence[int], *, row: int | None = None) -> list[Feedback]:
        values = {"namespaces": json.dumps(tuple(namespaces)), "row": row}
        found = fetch_all(self._connection, FEEDBACK, values)
        try:
            return [_feedback(said) for said in found]
        except (ValueError, TypeError, OverflowError) as error:
            raise damaged(self._path, f"a verdict does not read back: {error}") from error

    def statistics(self, namespaces: Sequence[int], now: int) -> Statistics:
        values = {"namespaces": json.dumps(tuple(namespaces)), "now": now}
        kinds = fetch_all(self._connection, BY_KIND, values)
        tally = fetch_all(self._connection, TALLY, values)[0]
        current, superseded, expired, held, archived, forgotten, units, terms, turns = tally
        return types.Statistics(
            current=current,
            superseded=superseded,
            expired=expired,
            held=held,
            archived=archived,
            forgotten=forgotten,
            by_kind=tuple(kinds),
            units=units,
            terms=terms,
            file_bytes=sum(_size(self._path + suffix) for suffix in ("", "-wal")),
            turn_bytes=turns,
        )

    def generation(self) -> int:
        return int(fetch_all(self._connection, LAST_CHANGE)[0][0])


def _feedback(said: tuple[Any, ...]) -> Feedback:
    id_, external_id, user, project, agent, query, verdict, at = said
    return types.Feedback(  # by its module: a recall need not load it
        id=id_,
        query=query,
        verdict=types.Verdict(verdict),
        at=from_micros(at),
        scope=Scope(user, project, agent),
        external_id=external_id,
    )


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except FileNotFoundError:  # the log is gone once the last connection closed
        return 0
