"""Numbers of an inverted index as a backend hands them to ranking; see `protocols.Postings`."""

from __future__ import annotations

from dataclasses import dataclass

POSTING_LENGTH_BITS = 20  # a posting is tf << 20 | unit length; a unit is ~600 characters
POSTING_LENGTH_MASK = (1 << POSTING_LENGTH_BITS) - 1


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
    """Where a unit stands: its memory and its code points in the original text."""

    unit: int
    row: int
    id: str  # the memory's; ties in ranking break by it
    start: int
    end: int


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
    valid_from: int
    first_unit: int
    last_unit: int
