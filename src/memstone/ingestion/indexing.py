"""From a memory's text to its postings, at once or in slices.

A short memory is indexed in the transaction that stores it. A long one (over 16 KiB) is stored
first and its postings follow in transactions of at most 2,000 rows, so that no writer waits long
behind it; recall sees it when the last slice is in. A process killed in between leaves a note of
how far it came, and whoever writes next finishes the work.
"""

from __future__ import annotations

from memstone import analysis
from memstone.times import to_micros
from memstone.types import ChangeNote, Kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from memstone.ingestion.cleaning import Request
    from memstone.protocols import Store, Transaction
    from memstone.types import Memory, Unit

    Clock = Callable[[], int]

SLICE_POSTINGS = 2_000
AT_ONCE_BYTES = 16 * 1024
IDLE_US = 20_000_000  # longer than a writer ever waits for the lock between two slices
SHORT_CHARACTERS = 256 * 1024  # what a remember finishes in passing for somebody else


def units_of(text: str, kind: Kind, speaker: str | None, said_at: int) -> list[Unit]:
    """The units of a memory: its text, each with who said it and, for a turn, on which day."""
    day = said_at if kind is Kind.TURN else None
    return analysis.units(text, header=analysis.header(speaker, day))


def units_of_memory(memory: Memory) -> list[Unit]:
    """The units of a row as it stands in the store."""
    return units_of(memory.text, memory.kind, memory.speaker, to_micros(memory.valid_from))


def units_of_request(request: Request, now: int) -> list[Unit]:
    """The units of a row about to be written at `now`."""
    kind = request.kind or Kind.FACT
    return units_of(request.text, kind, request.speaker, now if request.at is None else request.at)


def index_new(transaction: Transaction, row: int, text: str, units: Sequence[Unit]) -> bool:
    """Index a row just inserted; False when the text is long and `finish_row` must follow."""
    at_once = len(text) <= AT_ONCE_BYTES // 4 or len(text.encode("utf-8")) <= AT_ONCE_BYTES
    transaction.index(row, analysis.INDEX, units if at_once else (), complete=at_once)
    return at_once


def finish_interrupted(store: Store, clock: Clock, *, largest: int | None = None) -> int:
    """Finish what a killed process left half indexed; returns how many memories it was.

    A memory that somebody worked on in the last `IDLE_US` is left to them. With `largest`, longer
    texts are left to an import or to maintenance: a short remember must not pay for them.
    """
    idle_since = clock() - IDLE_US
    with store.read() as snapshot:
        begun = snapshot.interrupted_index(analysis.INDEX, idle_since=idle_since)
        memories = {memory.row: memory for memory in snapshot.memories([row for row, _ in begun])}
    finished = 0
    for row, following in begun:
        memory = memories.get(row)
        if memory is not None and (largest is None or len(memory.text) <= largest):
            finish_row(store, row, units_of_memory(memory), following, clock)
            finished += 1
    return finished


def finish_row(store: Store, row: int, units: Sequence[Unit], following: int, clock: Clock) -> None:
    """Write a long memory's postings from unit `following` on, a slice a transaction."""
    for part in _slices(units[following:]):
        with store.write(ChangeNote("index", clock())) as transaction:
            begun = dict(transaction.interrupted_index(analysis.INDEX))
            if begun.get(row) != part[0].ordinal:
                return  # another process is further on, or the memory was forgotten
            last = part[-1].ordinal + 1
            done = last >= len(units)
            transaction.index(row, analysis.INDEX, part, complete=done, next_ordinal=last)


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
