"""Posting lists in blocks: how they look on disk, and adding and taking out postings.

A block holds up to 120 postings of one term, ascending by unit, as pairs of 32-bit little-endian
integers. Reading a list is then one join of byte strings and two slices of an array, all in C,
where a row for each posting cost 0.18 µs before anything was done with it; writing costs the same,
because a posting dirties one page either way. New memories have the highest units, so nearly
every write only extends a term's last block.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left, bisect_right, insort
from itertools import chain

import apsw

from memstone.storage.sqlite.connections import fetch_all
from memstone.storage.sqlite.rows import numbers
from memstone.types import PostingList

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    Posting = tuple[int, int]  # (unit, tf << 20 | length)

BLOCK = 120  # a WITHOUT ROWID row over 1,002 bytes would spill to a page of its own
SIZE = 8  # bytes of a posting
FULL = BLOCK * SIZE

LAST = """
    SELECT b.term_id, b.postings
    FROM carray(:terms) AS c
    CROSS JOIN lex_block AS b ON b.term_id = c.value
      AND b.first = (SELECT max(first) FROM lex_block WHERE term_id = c.value)
"""
# The blocks of those terms that can hold a unit between :low and :high.
BETWEEN = """
    SELECT b.term_id, b.first, b.postings
    FROM carray(:terms) AS c
    CROSS JOIN lex_block AS b ON b.term_id = c.value
      AND b.first >= ifnull(
          (SELECT max(first) FROM lex_block WHERE term_id = c.value AND first <= :low), :low)
      AND b.first <= :high
    ORDER BY b.term_id, b.first
"""
# The one block that a unit belongs into: the last that begins at or before it, or the first.
PLACE = """
    SELECT first, postings
    FROM lex_block
    WHERE term_id = :term AND first = ifnull(
        (SELECT max(first) FROM lex_block WHERE term_id = :term AND first <= :unit),
        (SELECT min(first) FROM lex_block WHERE term_id = :term))
"""
PUT = """
    INSERT INTO lex_block (term_id, first, postings)
    VALUES (?, ?, ?)
    ON CONFLICT (term_id, first) DO UPDATE SET postings = excluded.postings
"""
DROP_LISTS = "DELETE FROM lex_block WHERE term_id IN (SELECT value FROM carray(:terms))"
DROP = "DELETE FROM lex_block WHERE term_id = ? AND first = ?"


def encode(flat: Iterable[int]) -> bytes:
    """unit, posting, unit, posting, …, ascending by unit, as they are stored.

    >>> len(encode([4, 10, 5, 20]))
    16
    """
    try:
        packed = array("I", flat)  # also of an array: swapping it must not change the caller's
    except OverflowError as error:
        raise apsw.CorruptError("a unit's number is out of range") from error
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tobytes()


def _encode(postings: Iterable[Posting]) -> bytes:
    return encode(chain.from_iterable(postings))


def decode(blocks: Iterable[bytes]) -> PostingList:
    """The list behind one or more blocks in ascending order.

    >>> list(decode([encode([4, 10]), encode([5, 20])]))
    [(4, 10), (5, 20)]
    """
    flat = _flat(blocks)
    return PostingList(flat[::2], flat[1::2])


def _flat(blocks: Iterable[bytes]) -> array[int]:
    packed = b"".join(blocks)
    _check(packed)
    flat = array("I")
    flat.frombytes(packed)
    if sys.byteorder == "big":
        flat.byteswap()
    return flat


def _check(block: bytes) -> None:
    if len(block) % SIZE:
        raise apsw.CorruptError("a list of postings is torn")


def merged(lists: Iterable[PostingList]) -> PostingList:
    """One ascending list of several, as when a term stands in more than one partition.

    >>> list(merged([PostingList([1, 5], [10, 50]), PostingList([3], [30])]))
    [(1, 10), (3, 30), (5, 50)]
    """
    postings = sorted(chain.from_iterable(lists))
    return PostingList([unit for unit, _ in postings], [one for _, one in postings])


def add(connection: apsw.Connection, added: Mapping[int, Sequence[int]]) -> None:
    """Put postings into the lists of their terms: term number → unit, posting, unit, posting, …,
    ascending by unit.
    """
    last = dict(fetch_all(connection, LAST, {"terms": numbers(list(added))}))
    written: list[tuple[int, int, bytes]] = []
    between: list[tuple[int, Posting]] = []
    for term, flat in sorted(added.items()):
        tail = last.get(term, b"")
        _check(tail)
        if tail and flat[0] < _unit(tail[-SIZE:]):
            between += [(term, one) for one in zip(flat[::2], flat[1::2], strict=True)]
        else:
            block = encode(flat) if len(tail) == FULL else tail + encode(flat)
            parts = (block[at : at + FULL] for at in range(0, len(block), FULL))
            written += [(term, _unit(part), part) for part in parts]
    connection.executemany(PUT, written)
    for term, one in between:
        _insert(connection, term, one)


def _unit(block: bytes) -> int:
    """The unit of the first posting."""
    return int.from_bytes(block[: SIZE // 2], "little")


def _insert(connection: apsw.Connection, term: int, one: Posting) -> None:
    """Put a posting between others; a block that gets too long is halved."""
    found = fetch_all(connection, PLACE, {"term": term, "unit": one[0]})
    first, block = found[0]
    postings = list(decode([block]))
    insort(postings, one)
    half = len(postings) // 2 if len(postings) > BLOCK else len(postings)
    parts = [part for part in (postings[:half], postings[half:]) if part]
    connection.execute(DROP, (term, first))
    connection.executemany(PUT, [(term, part[0][0], _encode(part)) for part in parts])


def take(
    connection: apsw.Connection, terms: Sequence[int], units: Sequence[int]
) -> dict[int, array[int]]:
    """Delete the postings of those terms in those units; returns what they were: term number →
    unit, posting, unit, posting, …, ascending by unit.
    """
    low, high, chosen = min(units), max(units), set(units)
    values = {"terms": numbers(terms), "low": low, "high": high}
    taken: dict[int, array[int]] = {}
    dropped: list[tuple[int, int]] = []
    written: list[tuple[int, int, bytes]] = []
    for term, first, block in fetch_all(connection, BETWEEN, values):
        flat = _flat([block])
        held = flat[::2]
        begin = bisect_left(held, low)
        end = bisect_right(held, high, begin)
        if chosen.issuperset(held[begin:end]):
            gone, left = flat[2 * begin : 2 * end], flat[: 2 * begin] + flat[2 * end :]
        else:
            gone, left = _parted(flat, chosen)
        if not gone:
            continue
        taken[term] = taken[term] + gone if term in taken else gone
        if not left or left[0] != first:
            dropped.append((term, first))
        if left:
            written.append((term, left[0], encode(left)))
    connection.executemany(DROP, dropped)
    connection.executemany(PUT, written)
    return taken


def _parted(flat: Sequence[int], chosen: set[int]) -> tuple[array[int], array[int]]:
    """What a block loses and what it keeps, where the units in question stand among others."""
    gone, left = array("I"), array("I")
    for unit, one in zip(flat[::2], flat[1::2], strict=True):
        (gone if unit in chosen else left).extend((unit, one))
    return gone, left


def drop(connection: apsw.Connection, terms: Sequence[int]) -> None:
    """Delete the whole lists of those terms."""
    connection.execute(DROP_LISTS, {"terms": numbers(terms)})
