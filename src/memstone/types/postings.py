"""Numbers of an inverted index as a backend hands them to ranking; see `protocols.Postings`."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# A posting is tf << 20 | unit length, in 32 bits. A unit is about 600 characters, so neither field
# comes near its end; where an analyser makes one unit of a whole memory, a term that stands there
# more than 4,095 times counts as 4,095 times.
POSTING_LENGTH_BITS = 20
POSTING_LENGTH_MASK = (1 << POSTING_LENGTH_BITS) - 1
POSTING_FREQUENCY_MASK = (1 << (32 - POSTING_LENGTH_BITS)) - 1

BISECT_COST = 10  # looking a unit up costs as much as passing over so many (0.35 to 0.03 µs)


def posting(frequency: int, length: int) -> int:
    """A term's frequency in a unit and the unit's length in terms, as one number.

    >>> divmod(posting(3, 70), 1 << POSTING_LENGTH_BITS)
    (3, 70)
    """
    tf = min(frequency, POSTING_FREQUENCY_MASK)
    return tf << POSTING_LENGTH_BITS | min(length, POSTING_LENGTH_MASK)


@dataclass(frozen=True, slots=True)
class PostingList:
    """The postings of one term: units in ascending order, and beside each its posting."""

    units: Sequence[int]
    postings: Sequence[int]

    def __len__(self) -> int:
        return len(self.units)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return zip(self.units, self.postings, strict=True)

    def among(self, wanted: Sequence[int]) -> list[tuple[int, int]]:
        """(unit, posting) for those of the `wanted` units that the list has, in any order.

        >>> PostingList([1, 4, 6], [10, 40, 60]).among([4, 5])
        [(4, 40)]
        """
        units, postings = self.units, self.postings
        size = len(units)
        if len(wanted) * BISECT_COST >= size:
            wanted = list(set(wanted).intersection(units))
        found = []
        for unit in wanted:
            place = bisect_left(units, unit)
            if place < size and units[place] == unit:
                found.append((unit, postings[place]))
        return found


@dataclass(frozen=True, slots=True)
class CorpusStatistics:
    """N and total length of the *current* units in the visible namespaces; never of a filter."""

    units: int
    total_length: int


@dataclass(frozen=True, slots=True)
class TermStatistics:
    """One query term in the visible namespaces. `df` counts current units; `max_frequency` and
    `min_length` bound every posting that `scan` can return (safe, not always tight).
    """

    term: str
    df: int
    postings: int  # how many postings `scan` will return, at most
    max_frequency: int
    min_length: int
    key: tuple[int, ...]  # the backend's own


@dataclass(frozen=True, slots=True)
class UnitSpan:
    """Where a unit stands: its code points in the original text of its memory."""

    start: int
    end: int


BLANKS = " \t\n\r\u3000"  # may follow the mark that ends a text
QUESTION_MARKS = ("?", "？")


@dataclass(frozen=True, slots=True)
class Profile:
    """What the second stage looks at, of one memory. `valid_from` in microseconds."""

    row: int
    id: str
    namespace: int
    kind: str
    trust: str
    session: str | None
    speaker: str | None
    pinned: bool
    asks: bool  # whether its text ends with a question mark
    valid_from: int
    first_unit: int
    last_unit: int
