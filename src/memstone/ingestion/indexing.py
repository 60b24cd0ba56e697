"""From a memory's text to its postings, at once or in slices, in every index that the store keeps.

A short memory is indexed in the transaction that stores it. A long one (over 16 KiB) is stored
first and its postings follow in transactions of at most 2,000 rows, so that no writer waits long
behind it; recall sees it when the last slice is in. A process killed in between leaves a note of
how far it came, and whoever writes next finishes the work.

The index that `memstone` asks is always there. Another one (`analysis.plain`) is made by whoever
first needs it: begun, so that new rows enter it from then on, then filled with what was there
before, then declared whole. From then on every write of every surface keeps it.
"""

from __future__ import annotations

from dataclasses import dataclass

from memstone import analysis
from memstone.analysis import plain
from memstone.times import to_micros
from memstone.types import ChangeNote, Kind, Unit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from memstone.ingestion.cleaning import Request
    from memstone.protocols import Snapshot, Store, Transaction
    from memstone.types import Memory

    Clock = Callable[[], int]

KNOWN_INDEXES = (analysis.INDEX, plain.INDEX)
SLICE_POSTINGS = 2_000
FILL_PAGE = 100  # memories in one transaction when an index is filled
AT_ONCE_BYTES = 16 * 1024
IDLE_US = 20_000_000  # longer than a writer ever waits for the lock between two slices
SHORT_CHARACTERS = 256 * 1024  # what a remember finishes in passing for somebody else


def units_of(text: str, kind: Kind, speaker: str | None, said_at: int) -> list[Unit]:
    """The units of a memory: its text, each with who said it and, for a turn, on which day."""
    day = said_at if kind is Kind.TURN else None
    units = analysis.units(text, header=analysis.header(speaker, day))
    return units or [Unit(0, 0, 0, 0, ())]  # an empty file; a complete row has at least one unit


def units_of_memory(memory: Memory) -> list[Unit]:
    """The units of a row as it stands in the store."""
    return units_of(memory.text, memory.kind, memory.speaker, to_micros(memory.valid_from))


def units_of_request(request: Request, now: int) -> list[Unit]:
    """The units of a row about to be written at `now`."""
    kind = request.kind or Kind.FACT
    return units_of(request.text, kind, request.speaker, now if request.at is None else request.at)


def units_in(index: str, memory: Memory) -> list[Unit]:
    """The units of a row in the index of that name, one of `kept`."""
    return plain.units(memory.text) if index == plain.INDEX else units_of_memory(memory)


def kept(snapshot: Snapshot) -> tuple[str, ...]:
    """The indexes that a write has to keep. What a newer version added beside them is its own to
    fill: we do not know how it reads a text.
    """
    others = (name for name in snapshot.indexes() if name == plain.INDEX)
    return (analysis.INDEX, *others)


def index_new(transaction: Transaction, row: int, text: str, units: Sequence[Unit]) -> bool:
    """Index a row just inserted; False when the text is long and `finish_row` must follow."""
    at_once = not _is_long(text)
    for name in kept(transaction):
        here = units if name == analysis.INDEX else plain.units(text)
        transaction.index(row, name, here if at_once else (), complete=at_once)
    return at_once


def finish_interrupted(store: Store, clock: Clock, *, largest: int | None = None) -> int:
    """Finish what a killed process left half indexed; returns how many memories it was.

    A memory that somebody worked on in the last `IDLE_US` is left to them. With `largest`, longer
    texts are left to an import or to maintenance: a short remember must not pay for them.
    """
    idle_since = clock() - IDLE_US
    with store.read() as snapshot:
        begun = [
            (row, name, following)
            for name in kept(snapshot)
            for row, following in snapshot.interrupted_index(name, idle_since=idle_since)
        ]
        rows = list(dict.fromkeys(row for row, _, _ in begun))
        memories = {memory.row: memory for memory in snapshot.memories(rows)}
    finished = set()
    for row, name, following in begun:
        memory = memories.get(row)
        if memory is not None and (largest is None or len(memory.text) <= largest):
            _finish(store, Place(row, name), units_in(name, memory), following, clock)
            finished.add(row)
    return len(finished)


def finish_row(store: Store, row: int, units: Sequence[Unit], following: int, clock: Clock) -> None:
    """Write a long memory's postings from unit `following` on, a slice a transaction, and then
    those in the other indexes.
    """
    _finish(store, Place(row, analysis.INDEX), units, following, clock)
    with store.read() as snapshot:
        memories = snapshot.memories([row])
        others = [name for name in kept(snapshot) if name != analysis.INDEX]
        begun = [(name, dict(snapshot.interrupted_index(name)).get(row)) for name in others]
    for memory in memories:  # none if it was forgotten meanwhile
        for name, ordinal in begun:
            if ordinal is not None:
                _finish(store, Place(row, name), units_in(name, memory), ordinal, clock)


@dataclass(frozen=True, slots=True)
class Place:
    """A memory in one index."""

    row: int
    index: str


def _finish(
    store: Store, place: Place, units: Sequence[Unit], following: int, clock: Clock
) -> None:
    for part in _slices(units[following:]):
        with store.write(ChangeNote("index", clock())) as transaction:
            begun = dict(transaction.interrupted_index(place.index))
            if begun.get(place.row) != part[0].ordinal:
                return  # another process is further on, or the memory was forgotten
            last = part[-1].ordinal + 1
            done = last >= len(units)
            transaction.index(place.row, place.index, part, complete=done, next_ordinal=last)


def is_whole(store: Store, index: str) -> bool:
    """Whether the store has that index and every memory is in it."""
    with store.read() as snapshot:
        return snapshot.indexes().get(index, False)


def fill(store: Store, index: str, clock: Clock) -> int:
    """Make an index whole, beginning it if need be; returns how many memories were added.

    Any number of processes may do it at once: every transaction looks again at what is missing.
    """
    if is_whole(store, index):
        return 0
    with store.write(ChangeNote("index", clock())) as transaction:
        transaction.begin_index(index)
    added = 0
    while True:
        with store.read() as snapshot:
            rows = [row for row, _ in snapshot.pending_index(index)]
        if not rows:
            break
        for start in range(0, len(rows), FILL_PAGE):
            added += _fill_page(store, index, rows[start : start + FILL_PAGE], clock)
    with store.write(ChangeNote("index", clock())) as transaction:
        transaction.complete_index(index)
    return added


def _fill_page(store: Store, index: str, rows: Sequence[int], clock: Clock) -> int:
    """Index those of the rows that are still missing; returns how many they were."""
    with store.read() as snapshot:
        memories = snapshot.memories(rows)
    ready: list[tuple[Memory, Sequence[Unit]]] = [(m, units_in(index, m)) for m in memories]
    with store.write(ChangeNote("index", clock())) as transaction:
        missing = dict(transaction.pending_index(index, among=rows))
        begun: list[tuple[Place, Sequence[Unit], int]] = []
        for memory, units in ready:
            following = missing.get(memory.row)
            if following == 0 and not _is_long(memory.text):
                transaction.index(memory.row, index, units, complete=True)
            elif following is not None:
                transaction.index(memory.row, index, (), complete=False, next_ordinal=following)
                begun.append((Place(memory.row, index), units, following))
    for place, units, following in begun:
        _finish(store, place, units, following, clock)
    return len(missing)


def _is_long(text: str) -> bool:
    """Whether a text is stored first and indexed afterwards."""
    return len(text) > AT_ONCE_BYTES // 4 and len(text.encode("utf-8")) > AT_ONCE_BYTES


def _slices(units: Sequence[Unit]) -> Iterator[Sequence[Unit]]:
    """Runs of units with at most `SLICE_POSTINGS` postings together, at least one unit each."""
    start = postings = 0
    for position, unit in enumerate(units):
        if position > start and postings + len(unit.frequencies) > SLICE_POSTINGS:
            yield units[start:position]
            start, postings = position, 0
        postings += len(unit.frequencies)
    if start < len(units):
        yield units[start:]
