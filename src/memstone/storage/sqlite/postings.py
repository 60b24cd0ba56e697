"""The lexical index of one store, seen through one filter: `protocols.Postings` over SQL.

A visible term is the sum of its partitions: df, N and length are added over the `current`
partitions of the visible namespaces; the maximum frequency is a maximum and the minimum length a
minimum over every partition read, so the bounds stay safe when history is read too. This module
counts and fetches; it never scores.
"""

from __future__ import annotations

import json
from array import array
from dataclasses import replace

import apsw

from memstone.storage.sqlite import filtering
from memstone.storage.sqlite.blocks import decode, merged
from memstone.storage.sqlite.connections import fetch_all
from memstone.storage.sqlite.faults import damaged
from memstone.types import (
    BLANKS,
    CorpusStatistics,
    Profile,
    Reach,
    TermStatistics,
    UnitSpan,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memstone.types import Filter, PostingList

CURRENT, PAST, HELD, ARCHIVED = range(4)

PARTS = """
    SELECT p.part, p.state, p.units, p.total_length, p.idx
    FROM lex_part AS p
    JOIN lex_index AS i ON i.idx = p.idx
    WHERE i.name = :index AND p.ns IN (SELECT value FROM json_each(:namespaces))
      AND p.state IN (0, 1)
    ORDER BY p.part
"""
TERMS = """
    SELECT c.value, t.term_id, t.part, t.df, t.max_tf, t.min_len
    FROM json_each(:terms) AS c
    CROSS JOIN json_each(:parts) AS p
    CROSS JOIN lex_term AS t ON t.part = p.value AND t.term = c.value
    ORDER BY c.key, t.term_id
"""
SCAN = "SELECT postings FROM lex_block WHERE term_id = :term ORDER BY first"
# The blocks of a term in which the units can be; the same block comes once for each of them.
PROBE = """
    SELECT DISTINCT b.first, b.postings
    FROM carray(:units) AS c
    CROSS JOIN lex_block AS b ON b.term_id = :term
      AND b.first = (SELECT max(first) FROM lex_block WHERE term_id = :term AND first <= c.value)
    ORDER BY b.first
"""
MOST_DF = 1 << 32  # units have 32 bits
SEEK_COST = 400  # finding a block costs as much as reading so many postings of a list
ACCEPT = """
    SELECT u.unit, u.row
    FROM carray(:units) AS c
    CROSS JOIN lex_unit AS u ON u.unit = c.value
    CROSS JOIN memory AS m ON m.row = u.row
    WHERE NOT EXISTS (SELECT 1 FROM lex_pending AS w WHERE w.idx = :idx AND w.row = m.row)
      AND {condition}
"""
ROWS = """
    SELECT u.unit, u.row, u.part
    FROM carray(:units) AS c
    CROSS JOIN lex_unit AS u ON u.unit = c.value
"""
# Rows of the current partition that are not to be recalled now: few, until maintenance moves them.
EXCLUDED = """
    SELECT row FROM memory_expiry WHERE expires <= :now
    UNION ALL
    SELECT row FROM memory WHERE valid_until IS NOT NULL AND valid_until <= :now
    UNION ALL
    SELECT row FROM memory WHERE valid_from > created_at AND valid_from > :now
    UNION ALL
    SELECT row FROM lex_pending WHERE idx = :idx
    UNION ALL
    SELECT row FROM memory WHERE session = :not_session
    LIMIT :most
"""
MOST_EXCLUDED = 2_000  # more than that are not worth a set; the condition is asked instead

ENUMERATE = """
    SELECT u.unit
    FROM memory AS m
    JOIN lex_unit AS u ON u.row = m.row
    WHERE u.part IN (SELECT value FROM json_each(:parts)) AND {condition}
    LIMIT :at_most
"""
# units first: joined to them, a text of megabytes would be looked at once for each of its thousands
PROFILES = """
    WITH held (row, first_unit, last_unit) AS MATERIALIZED (
        SELECT u.row, min(u.unit), max(u.unit)
        FROM carray(:rows) AS c
        CROSS JOIN lex_unit AS u ON u.row = c.value
        WHERE u.part IN (SELECT value FROM json_each(:parts))
        GROUP BY u.row
    )
    SELECT m.row, m.id, m.ns, m.kind, m.trust, m.session, m.speaker,
        EXISTS (SELECT 1 FROM memory_pin AS p WHERE p.row = m.row),
        -- as bytes, because `substr` of a text ends at a NUL
        substr(CAST(rtrim(m.text, :blanks) AS BLOB), -1) = x'3f'
          OR substr(CAST(rtrim(m.text, :blanks) AS BLOB), -3) = x'efbc9f',
        m.valid_from, h.first_unit, h.last_unit
    FROM held AS h
    CROSS JOIN memory AS m ON m.row = h.row
"""
# Step by step from each origin to the turn before it and after it; `way` is -1 or 1.
AROUND = """
    WITH RECURSIVE walk (origin, session, ns, way, step, row) AS (
        SELECT m.row, m.session, m.ns, w.value, 0, m.row
        FROM carray(:rows) AS c
        CROSS JOIN memory AS m ON m.row = c.value
        CROSS JOIN json_each('[-1, 1]') AS w
        WHERE m.kind = 'turn' AND m.session IS NOT NULL
        UNION ALL
        SELECT walk.origin, walk.session, walk.ns, walk.way, walk.step + 1,
            CASE walk.way
                WHEN -1 THEN (
                    SELECT m.row
                    FROM memory AS m
                    WHERE m.session = walk.session AND m.ns = walk.ns AND m.kind = 'turn'
                      AND m.row < walk.row AND {condition}
                    ORDER BY m.row DESC
                    LIMIT 1
                )
                ELSE (
                    SELECT m.row
                    FROM memory AS m
                    WHERE m.session = walk.session AND m.ns = walk.ns AND m.kind = 'turn'
                      AND m.row > walk.row AND {condition}
                    ORDER BY m.row
                    LIMIT 1
                )
            END
        FROM walk
        WHERE walk.step < :reach AND walk.row IS NOT NULL
    )
    SELECT origin, way * step, row
    FROM walk
    WHERE step > 0 AND row IS NOT NULL
    ORDER BY origin, way * step
"""
IDS = "SELECT m.row, m.id FROM carray(:rows) AS c CROSS JOIN memory AS m ON m.row = c.value"
SPANS = """
    SELECT u.unit, u.start, u."end"
    FROM carray(:units) AS c
    CROSS JOIN lex_unit AS u ON u.unit = c.value
"""


def units_array(units: Sequence[int]) -> object:
    return apsw.carray(array("q", units))


class SqlitePostings:
    """`Postings` on one connection; valid as long as the snapshot that made it."""

    def __init__(self, connection: apsw.Connection, index: str, wanted: Filter) -> None:
        self._connection = connection
        self._filter = wanted
        states = (CURRENT, PAST) if wanted.validity.historic else (CURRENT,)
        values = {"index": index, "namespaces": json.dumps(wanted.namespaces)}
        parts = fetch_all(connection, PARTS, values)
        current = [part for part in parts if part[1] == CURRENT]
        self._current = {part[0] for part in current}
        self._read = [part[0] for part in parts if part[1] in states]
        self._statistics = CorpusStatistics(
            units=sum(part[2] for part in current), total_length=sum(part[3] for part in current)
        )
        self._condition, self._values = filtering.condition(wanted)
        self._values["idx"] = parts[0][4] if parts else None
        self._exclusions: frozenset[int] | None = None
        self._rows: dict[int, int] = {}  # unit → row, of units of the partitions read
        self._terms: dict[str, TermStatistics | None] = {}
        self._lists: dict[str, PostingList] = {}

    def statistics(self) -> CorpusStatistics:
        return self._statistics

    def terms(self, terms: Sequence[str]) -> list[TermStatistics]:
        new = [term for term in terms if term not in self._terms]
        if new:
            values = {"terms": json.dumps(new), "parts": json.dumps(self._read)}
            rows: dict[str, list[tuple[int, ...]]] = {term: [] for term in new}
            for term, *row in fetch_all(self._connection, TERMS, values):
                rows[term].append(tuple(row))
            for term, found in rows.items():
                self._terms[term] = self._summed(term, found) if found else None
        known = (self._terms[term] for term in dict.fromkeys(terms))
        return [found for found in known if found is not None]

    def _summed(self, term: str, rows: list[tuple[int, ...]]) -> TermStatistics:
        """One term over its partitions; only current ones count for df."""
        if any(not 0 <= df <= MOST_DF for _, _, df, _, _ in rows):
            raise damaged(self._connection.filename, "the count of a term is out of range")
        return TermStatistics(
            term=term,
            df=sum(df for _, part, df, _, _ in rows if part in self._current),
            postings=sum(df for _, _, df, _, _ in rows),
            max_frequency=max(most for _, _, _, most, _ in rows),
            min_length=min(least for _, _, _, _, least in rows),
            key=tuple(key for key, *_ in rows),
        )

    def scan(self, term: TermStatistics) -> PostingList:
        found = self._lists.get(term.term)
        if found is None:
            lists = [
                decode([block for (block,) in fetch_all(self._connection, SCAN, {"term": key})])
                for key in term.key
            ]
            found = lists[0] if len(lists) == 1 else merged(lists)
            self._lists[term.term] = found
        return found

    def probe(self, term: TermStatistics, units: Sequence[int]) -> Iterable[tuple[int, int]]:
        if not units:
            return []
        if term.term in self._lists or len(units) * SEEK_COST >= term.postings:
            return self.scan(term).among(units)
        bound = units_array(units)
        return [
            found
            for key in term.key
            for found in decode(
                block
                for _, block in fetch_all(self._connection, PROBE, {"units": bound, "term": key})
            ).among(units)
        ]

    def accept(self, units: Sequence[int]) -> dict[int, int]:
        if not units:
            return {}
        excluded = self._excluded()
        if excluded is not None:
            rows = self._rows_of(units)
            return {
                unit: rows[unit] for unit in units if unit in rows and rows[unit] not in excluded
            }
        query = ACCEPT.format(condition=self._condition)
        values = {**self._values, "units": units_array(units)}
        return dict(fetch_all(self._connection, query, values))

    def _rows_of(self, units: Sequence[int]) -> dict[int, int]:
        new = [unit for unit in units if unit not in self._rows]
        if new:
            found = fetch_all(self._connection, ROWS, {"units": units_array(new)})
            self._rows.update((unit, row) for unit, row, part in found if part in self._read)
        return self._rows

    def _excluded(self) -> frozenset[int] | None:
        """The rows a plain recall must leave out, read once; None if the condition is needed."""
        plain = self._filter.reach is Reach.RECALLABLE and not self._filter.narrows
        if not plain or self._filter.validity.historic:
            return None
        if self._exclusions is None:
            values = {
                "now": self._filter.validity.now,
                "not_session": self._filter.not_session,
                "idx": self._values["idx"],
                "most": MOST_EXCLUDED + 1,
            }
            rows = fetch_all(self._connection, EXCLUDED, values)
            self._exclusions = frozenset(row for (row,) in rows)
        return self._exclusions if len(self._exclusions) <= MOST_EXCLUDED else None

    def enumerate(self, at_most: int) -> list[int] | None:
        if not self._filter.narrows:
            return None
        query = ENUMERATE.format(condition=self._condition)
        values = {**self._values, "parts": json.dumps(self._read), "at_most": at_most + 1}
        units = [unit for (unit,) in fetch_all(self._connection, query, values)]
        return None if len(units) > at_most else units

    def ids(self, rows: Sequence[int]) -> dict[int, str]:
        if not rows:
            return {}
        found = dict(fetch_all(self._connection, IDS, {"rows": units_array(rows)}))
        if len(found) < len(set(rows)):
            raise damaged(self._connection.filename, "an index entry has lost its memory")
        return found

    def spans(self, units: Sequence[int]) -> dict[int, UnitSpan]:
        if not units:
            return {}
        found = fetch_all(self._connection, SPANS, {"units": units_array(units)})
        return {unit: UnitSpan(start, end) for unit, start, end in found}

    def profiles(self, rows: Sequence[int]) -> dict[int, Profile]:
        if not rows:
            return {}
        values = {
            "rows": units_array(rows),
            "parts": json.dumps(self._read),
            "blanks": BLANKS,
        }
        found = [Profile(*row) for row in fetch_all(self._connection, PROFILES, values)]
        for profile in found:
            if profile.namespace not in self._filter.namespaces:
                raise damaged(self._connection.filename, "an index entry is of another scope")
            self._rows[profile.first_unit] = self._rows[profile.last_unit] = profile.row
        return {profile.row: profile for profile in found}

    def around(self, rows: Sequence[int], reach: int) -> dict[int, list[tuple[int, int]]]:
        visible = replace(
            self._filter, kinds=(), tags_all=(), tags_any=(), session=None, since=None, until=None,
            not_session=None,
        )  # fmt: skip
        if not rows:
            return {}
        condition, values = filtering.condition(visible)
        query = AROUND.format(condition=condition)
        found = fetch_all(
            self._connection, query, {**values, "rows": units_array(rows), "reach": reach}
        )
        windows: dict[int, list[tuple[int, int]]] = {}
        for origin, offset, row in found:
            windows.setdefault(origin, []).append((offset, row))
        return windows
