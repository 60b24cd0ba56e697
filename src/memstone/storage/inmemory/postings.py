"""The postings of the in-memory store: read off the kept units, nothing stored beside them.

Statistics count the units of current rows in the visible namespaces. The filter decides only
which partitions are read and what `accept` and `enumerate` let through; it never moves a
statistic, or the same memory would score differently under another filter. A row whose units are
still being written is counted and scanned; only `accept` keeps it out.
"""

from __future__ import annotations

from dataclasses import replace

from memstone.storage.inmemory.state import passes, searchable
from memstone.times import to_micros
from memstone.types import (
    BLANKS,
    QUESTION_MARKS,
    CorpusStatistics,
    Kind,
    PostingList,
    Profile,
    TermStatistics,
    UnitSpan,
    posting,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memstone.storage.inmemory.state import IndexedUnit, State
    from memstone.types import Filter


class InMemoryPostings:
    """One index of one state, seen through one filter."""

    def __init__(self, state: State, index: str, selection: Filter) -> None:
        self._state = state
        self._filter = selection
        past_too = selection.validity.historic
        self._read: dict[int, IndexedUnit] = {}
        self._current: dict[int, IndexedUnit] = {}
        for number, entry in state.units.items():
            row = state.rows[entry.row]
            if (
                entry.index != index
                or row.namespace not in selection.namespaces
                or not searchable(row.memory)
            ):
                continue
            if row.memory.current:
                self._current[number] = entry
            if row.memory.current or past_too:
                self._read[number] = entry

    def statistics(self) -> CorpusStatistics:
        lengths = [entry.unit.length for entry in self._current.values()]
        return CorpusStatistics(units=len(lengths), total_length=sum(lengths))

    def terms(self, terms: Sequence[str]) -> list[TermStatistics]:
        found = []
        for term in dict.fromkeys(terms):
            postings = [
                (_frequency(entry, term), entry.unit.length)
                for entry in self._read.values()
                if _frequency(entry, term)
            ]
            if postings:
                found.append(
                    TermStatistics(
                        term=term,
                        df=sum(1 for entry in self._current.values() if _frequency(entry, term)),
                        postings=len(postings),
                        max_frequency=max(frequency for frequency, _ in postings),
                        min_length=min(length for _, length in postings),
                        key=(),
                    )
                )
        return found

    def scan(self, term: TermStatistics) -> PostingList:
        found = sorted(self.probe(term, list(self._read)))
        return PostingList([unit for unit, _ in found], [one for _, one in found])

    def probe(self, term: TermStatistics, units: Sequence[int]) -> Iterator[tuple[int, int]]:
        for number in dict.fromkeys(units):
            entry = self._read.get(number)
            frequency = 0 if entry is None else _frequency(entry, term.term)
            if entry is not None and frequency:
                yield number, posting(frequency, entry.unit.length)

    def accept(self, units: Sequence[int]) -> dict[int, int]:
        return {
            number: entry.row
            for number in units
            if (entry := self._read.get(number)) is not None
            and self._state.is_complete(entry.index, entry.row)
            and passes(self._state.rows[entry.row].memory, self._filter)
        }

    def enumerate(self, at_most: int) -> list[int] | None:
        if not self._filter.narrows:
            return None
        passing = sorted(self.accept(list(self._read)))
        return passing if len(passing) <= at_most else None

    def ids(self, rows: Sequence[int]) -> dict[int, str]:
        return {row: self._state.rows[row].memory.id for row in rows}

    def spans(self, units: Sequence[int]) -> dict[int, UnitSpan]:
        return {
            number: UnitSpan(entry.unit.start, entry.unit.end)
            for number in units
            if (entry := self._read.get(number)) is not None
        }

    def profiles(self, rows: Sequence[int]) -> dict[int, Profile]:
        wanted = set(rows)
        units: dict[int, list[int]] = {}
        for number, entry in self._read.items():
            if entry.row in wanted:
                units.setdefault(entry.row, []).append(number)
        return {row: self._profile(row, numbers) for row, numbers in units.items()}

    def _profile(self, row: int, units: list[int]) -> Profile:
        kept = self._state.rows[row]
        memory = kept.memory
        return Profile(
            row=row,
            id=memory.id,
            namespace=kept.namespace,
            kind=memory.kind.value,
            trust=memory.provenance.trust.value,
            session=memory.session,
            speaker=memory.speaker,
            pinned=memory.pinned,
            asks=memory.text.rstrip(BLANKS).endswith(QUESTION_MARKS),
            valid_from=to_micros(memory.valid_from),
            first_unit=min(units),
            last_unit=max(units),
        )

    def around(self, rows: Sequence[int], reach: int) -> dict[int, list[tuple[int, int]]]:
        visible = replace(
            self._filter, kinds=(), tags_all=(), tags_any=(), session=None, since=None, until=None
        )
        windows = {}
        for row in rows:
            own = self._state.rows[row]
            if own.memory.kind is not Kind.TURN or own.memory.session is None:
                continue
            said = [
                number
                for number, other in sorted(self._state.rows.items())
                if other.memory.kind is Kind.TURN
                and other.memory.session == own.memory.session
                and other.namespace == own.namespace
                and (number == row or passes(other.memory, visible))
            ]
            place = said.index(row)
            near = [
                (at - place, said[at])
                for at in range(max(place - reach, 0), min(place + reach + 1, len(said)))
                if at != place
            ]
            if near:
                windows[row] = near
        return windows


def _frequency(entry: IndexedUnit, term: str) -> int:
    return dict(entry.unit.frequencies).get(term, 0)
