"""Writing postings: adding, moving and removing the units of a memory.

Terms are counted per batch before they are written, so a transaction of 500 turns upserts each
distinct term once. A unit keeps the term numbers of its postings; removing it needs no analyser,
which matters when the analyser that wrote it has since changed. Moving or removing is one
transaction however long the text is, so it must be cheap: all units of a row leave each of its
terms' lists in one step, and a term that stands in no other row (most terms of a long text) goes
as a whole, without a look at its postings.
"""

from __future__ import annotations

import json
from array import array
from collections import Counter

import apsw

from memstone.storage.sqlite import blocks
from memstone.storage.sqlite.connections import fetch_all
from memstone.storage.sqlite.rows import numbers
from memstone.types import POSTING_LENGTH_BITS, POSTING_LENGTH_MASK, posting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memstone.types import Unit

INTERN_INDEX = """
    INSERT INTO lex_index (name, state, created_at)
    VALUES (:index, 'live', :at)
    ON CONFLICT (name) DO NOTHING
"""
INDEX = "SELECT idx FROM lex_index WHERE name = :index"
BEGIN_INDEX = """
    INSERT INTO lex_index (name, state, created_at)
    VALUES (:index, 'building', :at)
    ON CONFLICT (name) DO NOTHING
"""
COMPLETE_INDEX = "UPDATE lex_index SET state = 'live' WHERE name = :index"
INTERN_PART = """
    INSERT INTO lex_part (idx, ns, state, units, total_length)
    VALUES (:idx, :ns, :state, 0, 0)
    ON CONFLICT (idx, ns, state) DO NOTHING
"""
PART = "SELECT part FROM lex_part WHERE idx = :idx AND ns = :ns AND state = :state"
GROW_PART = """
    UPDATE lex_part
    SET units = units + :units, total_length = total_length + :length
    WHERE part = :part
"""
KNOWN_TERMS = """
    SELECT t.term, t.term_id
    FROM json_each(:terms) AS c
    CROSS JOIN lex_term AS t ON t.part = :part AND t.term = c.value
"""
ADD_TERM = """
    INSERT INTO lex_term (part, term, df, max_tf, min_len)
    VALUES (?, ?, ?, ?, ?)
"""
GROW_TERM = """
    UPDATE lex_term
    SET df = df + ?, max_tf = max(max_tf, ?), min_len = min(min_len, ?)
    WHERE term_id = ?
"""
ADD_UNIT = """
    INSERT INTO lex_unit (part, row, ordinal, start, "end", length)
    VALUES (:part, :row, :ordinal, :start, :end, :length)
    RETURNING unit
"""
MOVE_UNIT = "UPDATE lex_unit SET part = ? WHERE unit = ?"
SET_TERMS = """
    INSERT INTO lex_unit_terms (unit, terms)
    VALUES (?, ?)
    ON CONFLICT (unit) DO UPDATE SET terms = excluded.terms
"""
UNITS_OF = """
    SELECT u.unit, u.part, p.idx, p.ns, u.length, t.terms
    FROM lex_unit AS u
    JOIN lex_part AS p ON p.part = u.part
    JOIN lex_unit_terms AS t ON t.unit = u.unit
    WHERE u.row = :row
    ORDER BY u.unit
"""
SPELLINGS = """
    SELECT t.term_id, t.term
    FROM carray(:terms) AS c
    CROSS JOIN lex_term AS t ON t.term_id = c.value
"""
HELD_TWICE = """
    SELECT t.term_id
    FROM carray(:terms) AS c
    CROSS JOIN lex_term AS t ON t.term_id = c.value
    WHERE t.df > 1
"""
TOTALS = """
    SELECT t.term_id, t.df
    FROM carray(:terms) AS c
    CROSS JOIN lex_term AS t ON t.term_id = c.value
"""
# A term that the partition has already stays where it is: its lists must be joined.
MOVE_TERMS = """
    UPDATE OR IGNORE lex_term
    SET part = :part
    WHERE term_id IN (SELECT value FROM carray(:terms))
"""
NOT_IN_PART = """
    SELECT t.term_id
    FROM carray(:terms) AS c
    CROSS JOIN lex_term AS t ON t.term_id = c.value
    WHERE t.part <> :part
"""
DROP_TERMS = "DELETE FROM lex_term WHERE term_id IN (SELECT value FROM carray(:terms))"
SHRINK_TERM = "UPDATE lex_term SET df = df - ? WHERE term_id = ?"
DROP_TERM = "DELETE FROM lex_term WHERE term_id = ? AND df <= 0"
DROP_TERMS_OF = "DELETE FROM lex_unit_terms WHERE unit = ?"
DROP_UNIT = "DELETE FROM lex_unit WHERE unit = ?"


class Indexer:
    """The index writes of one transaction. Additions wait in memory until `flush`."""

    def __init__(self, connection: apsw.Connection, at: int) -> None:
        self._connection = connection
        self._at = at
        self._indexes: dict[str, int] = {}
        self._parts: dict[tuple[int, int, int], int] = {}
        self._waiting: dict[int, list[tuple[int, int, Sequence[tuple[str, int]]]]] = {}

    def index(self, name: str) -> int:
        """The number of the index called `name`, made live if new."""
        if name not in self._indexes:
            self._connection.execute(INTERN_INDEX, {"index": name, "at": self._at})
            self._indexes[name] = fetch_all(self._connection, INDEX, {"index": name})[0][0]
        return self._indexes[name]

    def begin(self, name: str) -> None:
        """Make the index called `name`, to be built beside the others, if there is none."""
        self._connection.execute(BEGIN_INDEX, {"index": name, "at": self._at})

    def complete(self, name: str) -> None:
        """Declare the index called `name` live."""
        self._connection.execute(COMPLETE_INDEX, {"index": name})

    def part(self, idx: int, namespace: int, state: int) -> int:
        """The partition of a namespace, made if new."""
        key = (idx, namespace, state)
        if key not in self._parts:
            values = {"idx": idx, "ns": namespace, "state": state}
            self._connection.execute(INTERN_PART, values)
            self._parts[key] = fetch_all(self._connection, PART, values)[0][0]
        return self._parts[key]

    def add(self, part: int, row: int, units: Sequence[Unit]) -> None:
        """Put units into a partition; their postings are written by `flush`."""
        waiting = self._waiting.setdefault(part, [])
        for unit in units:
            values = {
                "part": part,
                "row": row,
                "ordinal": unit.ordinal,
                "start": unit.start,
                "end": unit.end,
                "length": unit.length,
            }
            number = fetch_all(self._connection, ADD_UNIT, values)[0][0]
            waiting.append((number, unit.length, unit.frequencies))

    def flush(self) -> None:
        """Write what waits: each distinct term of a partition once, then the postings."""
        for part, units in self._waiting.items():
            units.sort()
            lists = _lists_of(units)
            keys = self._upsert_terms(part, lists)
            blocks.add(self._connection, {keys[term]: flat for term, flat in lists.items()})
            self._connection.executemany(SET_TERMS, [
                (unit, array("I", [keys[term] for term, _ in frequencies]).tobytes())
                for unit, _, frequencies in units
            ])  # fmt: skip
            total = sum(length for _, length, _ in units)
            self._grow(part, len(units), total)
        self._waiting.clear()

    def _upsert_terms(self, part: int, lists: Mapping[str, Sequence[int]]) -> dict[str, int]:
        """The numbers of all terms of `lists`, their statistics brought up to date."""
        tallies = {term: _tally(flat[1::2]) for term, flat in lists.items()}
        keys = self._known_terms(part, sorted(tallies))
        known = [(*tallies[term], key) for term, key in keys.items()]
        new = [term for term in tallies if term not in keys]
        self._connection.executemany(GROW_TERM, known)
        self._connection.executemany(ADD_TERM, [(part, term, *tallies[term]) for term in new])
        return keys | self._known_terms(part, new)

    def _known_terms(self, part: int, terms: list[str]) -> dict[str, int]:
        """The numbers of those terms that the partition has."""
        if not terms:
            return {}
        values = {"part": part, "terms": json.dumps(terms)}
        return dict(fetch_all(self._connection, KNOWN_TERMS, values))

    def _grow(self, part: int, units: int, length: int) -> None:
        self._connection.execute(GROW_PART, {"part": part, "units": units, "length": length})

    def move(self, row: int, state: int) -> None:
        """Move all units of a row, in every index, to its namespace's partition `state`."""
        self.flush()
        for (old, idx, namespace), units in self._parts_of(row).items():
            new = self.part(idx, namespace, state)
            if new == old:
                continue
            counts = _counts(terms for _, _, terms in units)
            staying = self._move_whole(counts, new)
            renamed = self._move_postings(staying, units, new)
            self._connection.executemany(SET_TERMS, _renamed(units, renamed))
            self._connection.executemany(MOVE_UNIT, [(new, unit) for unit, _, _ in units])
            self._grow(old, -len(units), -_length(units))
            self._grow(new, len(units), _length(units))

    def _move_whole(self, counts: Mapping[int, int], new: int) -> list[int]:
        """Move the terms that nobody else holds, lists and all, by renaming their partition;
        returns the terms that stay behind.
        """
        own, shared = self._split(counts)
        values = {"terms": numbers(own), "part": new}
        self._connection.execute(MOVE_TERMS, values)
        if self._connection.changes() == len(own):
            return shared
        left = [key for (key,) in fetch_all(self._connection, NOT_IN_PART, values)]
        return sorted(shared + left)

    def _move_postings(
        self, keys: Sequence[int], units: Sequence[tuple[int, int, bytes]], new: int
    ) -> dict[int, int]:
        """Move the postings of some terms to their namesakes in another partition; returns the
        numbers of those.
        """
        if not keys:
            return {}
        spelt = dict(fetch_all(self._connection, SPELLINGS, {"terms": numbers(keys)}))
        taken = self._take(keys, units)
        named = self._upsert_terms(new, {spelt[key]: flat for key, flat in taken.items()})
        renamed = {key: named[spelt[key]] for key in taken}
        blocks.add(self._connection, {renamed[key]: flat for key, flat in taken.items()})
        return renamed

    def remove(self, row: int) -> None:
        """Delete all units of a row with their postings, and terms nobody holds any more."""
        self.flush()
        for (part, _, _), units in self._parts_of(row).items():
            own, shared = self._split(_counts(terms for _, _, terms in units))
            blocks.drop(self._connection, own)
            self._connection.execute(DROP_TERMS, {"terms": numbers(own)})
            self._take(shared, units)
            numbered = [(unit,) for unit, _, _ in units]
            self._connection.executemany(DROP_TERMS_OF, numbered)
            self._connection.executemany(DROP_UNIT, numbered)
            self._grow(part, -len(units), -_length(units))

    def _parts_of(self, row: int) -> dict[tuple[int, int, int], list[tuple[int, int, bytes]]]:
        """Units of a row as (unit, length, term numbers), by (partition, index, namespace)."""
        found: dict[tuple[int, int, int], list[tuple[int, int, bytes]]] = {}
        for unit, part, idx, ns, length, terms in fetch_all(
            self._connection, UNITS_OF, {"row": row}
        ):
            found.setdefault((part, idx, ns), []).append((unit, length, terms))
        return found

    def _split(self, counts: Mapping[int, int]) -> tuple[list[int], list[int]]:
        """Those of a row's terms that only this row holds, and the others, both ascending. Most
        terms of a long text are rare, and theirs need no look at a single posting.
        """
        once = sorted(key for key, count in counts.items() if count == 1)
        often = sorted(key for key, count in counts.items() if count > 1)
        found = fetch_all(self._connection, HELD_TWICE, {"terms": numbers(once)})
        shared = {key for (key,) in found}
        totals = fetch_all(self._connection, TOTALS, {"terms": numbers(often)})
        shared.update(key for key, df in totals if df > counts[key])
        return sorted(counts.keys() - shared), sorted(shared)

    def _take(
        self, keys: Sequence[int], units: Sequence[tuple[int, int, bytes]]
    ) -> dict[int, array[int]]:
        """Delete the postings of some terms in some units of one row; returns what they were:
        term → unit, posting, unit, posting.
        """
        if not keys:
            return {}
        taken = blocks.take(self._connection, keys, [unit for unit, _, _ in units])
        lost = [(len(flat) // 2, key) for key, flat in taken.items()]
        self._connection.executemany(SHRINK_TERM, lost)
        self._connection.executemany(DROP_TERM, [(key,) for _, key in lost])
        return taken


def _lists_of(
    units: Iterable[tuple[int, int, Sequence[tuple[str, int]]]],
) -> dict[str, list[int]]:
    """Term → unit, posting, unit, posting, …, ascending as the units are."""
    lists: dict[str, list[int]] = {}
    for unit, length, frequencies in units:
        once = posting(1, length)
        for term, count in frequencies:
            pair = (unit, once if count == 1 else posting(count, length))
            if term in lists:
                lists[term] += pair
            else:
                lists[term] = [*pair]
    return lists


def _tally(postings: Sequence[int]) -> tuple[int, int, int]:
    """How many they are, the highest frequency and the smallest length among them."""
    least = min(map(POSTING_LENGTH_MASK.__and__, postings))
    return len(postings), max(postings) >> POSTING_LENGTH_BITS, least


def _counts(packed: Iterable[bytes]) -> Counter[int]:
    """In how many units each term number stands."""
    every = array("I")
    try:
        for terms in packed:
            every.frombytes(terms)
    except ValueError as error:
        raise apsw.CorruptError("the terms of a unit are torn") from error
    return Counter(every)


def _length(units: Iterable[tuple[int, int, bytes]]) -> int:
    return sum(length for _, length, _ in units)


def _renamed(
    units: Iterable[tuple[int, int, bytes]], names: Mapping[int, int]
) -> Iterator[tuple[int, bytes]]:
    """Each unit's term numbers under their new names, where that changes any."""
    if not names:
        return
    for unit, _, terms in units:
        own = array("I")
        own.frombytes(terms)
        renamed = array("I", map(names.get, own, own))
        if renamed != own:
            yield unit, renamed.tobytes()
