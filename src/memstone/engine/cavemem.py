"""The first ancestor's operations over an engine, and where their store lies.

`open_cavemem` decides the place, turns a database of theirs into a store of ours or takes it in
once, and sees to it that the index `plain` is whole. `Cavemem` then answers the six operations of
the `cavemem` command with our values; how they are spelt is the surface's business. An id means
exactly itself here: an abbreviation that `memstone` would understand names nothing.
"""

from __future__ import annotations

import dataclasses
import os
from dataclasses import replace

from memstone import config, plain_recall, retrieval
from memstone.analysis import plain
from memstone.engine.base import wall_clock
from memstone.engine.calling import checked_operations
from memstone.engine.lazily import TokensWhenCounted
from memstone.engine.opening import STORE_FILE
from memstone.engine.opening import open as open_engine
from memstone.errors import NotCurrent, NotFound, StoreError, StoreUnsafe
from memstone.types import (
    DEFAULT_BUDGET,
    DEFAULT_LIMIT,
    MAX_TURN_BYTES,
    Budget,
    ChangeNote,
    RecallOptions,
    Scope,
    View,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from types import TracebackType
    from typing import Self

    from memstone.config import Settings
    from memstone.engine.core import Engine
    from memstone.ingestion import Cleaner
    from memstone.protocols import Store
    from memstone.types import Memory, RecallResult, Skipped, Trust

    Clock = Callable[[], int]

HOME_VARIABLE = "CAVEMAN_HOME"
FOLDER = ".caveman"  # their home, below the user's
PLACE = os.path.join("mem", STORE_FILE)  # their database, below their home
SURFACE = "cavemem"
TAKEN_IN = "took in ~/.caveman"  # the mark of a store that has done so


@checked_operations
class Cavemem:
    """The six operations on one store, and in `notes` what opening it did, a sentence each."""

    def __init__(self, engine: Engine, clock: Clock, notes: Iterable[str] = ()) -> None:
        # the first ancestor never decided by itself what replaces what
        engine.settings = replace(engine.settings, conflict_rule="never")
        self.engine = engine
        self.notes = tuple(notes)
        self._clock = clock
        self._view = View(engine.scope)
        self._counter = TokensWhenCounted()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the store."""
        self.engine.close()

    def remember(self, text: str, *, trust: Trust | None = None) -> Memory:
        """The memory that holds `text`, new or known; raises what `Engine.remember` raises."""
        return self.engine.remember(text, trust=trust)

    def recall(self, query: str, *, limit: int = 0, budget: int | None = None) -> RecallResult:
        """What scores 0.1 or more, best first. `limit` below 1 means 5; `budget` None is 2,000
        tokens, 0 unlimited. Raises `InvalidBudget` below 0.
        """
        options = RecallOptions(
            limit=limit if limit > 0 else DEFAULT_LIMIT,
            budget=Budget(DEFAULT_BUDGET if budget is None else budget or None),
            min_score=plain_recall.FLOOR,
        )
        now = self._clock()
        result = plain_recall.recall(
            self.engine.store, query, options, self._view, now=now, counter=self._counter
        )
        return self._touched(result, now) if result.hits else result

    def supersede(
        self,
        id: str,  # noqa: A002
        text: str,
        *,
        trust: Trust | None = None,
    ) -> Memory:
        """The new version of the current memory `id`; raises `NotCurrent`, for an unknown id too,
        and what `Engine.supersede` raises.
        """
        if not self._knows(id):
            raise NotCurrent(f"{id!r} is not current here", hint="recall names ids", id=id)
        return self.engine.supersede(id, text, trust=trust)

    def history(self, id: str) -> list[Memory]:  # noqa: A002
        """All versions that are not held back, oldest first; raises `NotFound`."""
        found = retrieval.history(self.engine.store, id, self._view)
        shown = [memory for memory in found if not memory.held]
        if not shown:
            raise NotFound.memory(id)
        return shown

    def forget(self, id: str) -> bool:  # noqa: A002
        """Whether there was such a memory; it is gone now, and so is its handle."""
        return self._knows(id) and bool(self.engine.forget(id))

    def recover(self, handle: str) -> str:
        """The whole text behind a handle; raises `InvalidHandle`, `NotFound`."""
        return self.engine.recover(handle)

    def _knows(self, id: str) -> bool:  # noqa: A002
        try:
            retrieval.get(self.engine.store, id, self._view)
        except NotFound:
            return False
        return True

    def _touched(self, result: RecallResult, now: int) -> RecallResult:
        """Record usage; the answer stands whether or not that can be written now."""
        try:
            self.engine.store.touch([hit.memory.row for hit in result.hits], now)
        except StoreError as error:
            return dataclasses.replace(result, degraded=(f"usage_not_recorded: {error.code}",))
        return result


def open_cavemem(environ: Mapping[str, str], *, clock: Clock = wall_clock) -> Cavemem:
    """The operations on the store that the environment names, made if missing.

    `CAVEMAN_HOME` is their home, and a database of theirs in it becomes a store of ours there,
    with a copy of what it was beside it. Without the variable it is the store of `memstone`,
    which takes `~/.caveman` in once and leaves it as it is. Raises `StoreError`s, `ConfigError`.
    """
    named = environ.get(HOME_VARIABLE, "")
    if named:
        place = os.path.join(os.path.abspath(named), PLACE)
    else:
        place = os.path.join(config.data_home(environ), STORE_FILE)
    notes: list[str] = []
    try:
        engine = open_engine(place, surface=SURFACE, clock=clock, background=False)
    except StoreUnsafe:
        from memstone.storage.sqlite import cavemem

        if cavemem.is_theirs(place):  # else another process may have adopted it just now
            notes += _adopt(place, clock)
        engine = open_engine(place, surface=SURFACE, clock=clock, background=False)
    try:
        if engine.upgraded is not None:
            notes.append(engine.upgraded)
        make_whole(engine.store, clock)
        if not named:
            notes += _take_in(engine, clock)
    except BaseException:  # Ctrl-C too: nobody else would close it
        engine.close()
        raise
    return Cavemem(engine, clock, notes)


def make_whole(store: Store, clock: Clock) -> None:
    """See to it that every memory is in both indexes; quick when it is so already."""
    with store.read() as snapshot:
        indexes = snapshot.indexes()
    missing = [name for name, whole in indexes.items() if not whole]
    if plain.INDEX not in indexes:
        missing.append(plain.INDEX)
    if missing:
        from memstone import ingestion

        for name in missing:
            if name in ingestion.KNOWN_INDEXES:
                ingestion.fill(store, name, clock)


def _adopt(place: str, clock: Clock) -> list[str]:
    """Turn a database of theirs into a store of ours where it lies; says what it did."""
    from memstone import ingestion
    from memstone.storage.sqlite import cavemem

    settings = config.load(os.path.dirname(place))
    home = Scope(settings.user)
    note = ChangeNote("import", clock(), SURFACE, home.user, "adopted a database of cavemem")
    with cavemem.adopting(place, home.user, note) as found:
        if found is None:
            return []
        legacy, transaction = found
        done = ingestion.adopt(transaction, legacy.memories, _cleaner(settings), home=home)
    said = f"{place} became a store of memstone with {done.memories} memories; copy: {legacy.copy}"
    return [said, *_reservations(legacy.mended, done.redacted, done.left_out)]


def _take_in(engine: Engine, clock: Clock) -> list[str]:
    """Take in the memories below `~/.caveman`, unless that was done before; says what it did."""
    source = os.path.join(os.path.expanduser("~"), FOLDER, PLACE)
    if not os.path.isfile(source):
        return []
    with engine.store.read() as snapshot:
        if snapshot.mark(TAKEN_IN) is not None:
            return []
    from memstone import ingestion
    from memstone.storage.sqlite import cavemem

    if not cavemem.is_theirs(source):
        return []
    home = Scope(engine.settings.user)
    legacy = cavemem.read(source, home.user)
    note = ChangeNote("import", clock(), SURFACE, home.user, "took in a database of cavemem")
    importer = ingestion.Importer(
        engine.store, home, _cleaner(engine.settings), home=home, note=note, clock=clock
    )
    report = importer.run(legacy.memories, source=source, format_name=SURFACE)
    with engine.store.write(ChangeNote("import", clock(), SURFACE)) as transaction:
        transaction.set_mark(TAKEN_IN, str(note.at))
    said = f"took in {report.created} memories from {source}, which stays as it is"
    return [said, *_reservations(legacy.mended, report.redacted, report.skipped)]


def _cleaner(settings: Settings) -> Cleaner:
    from memstone import ingestion

    return ingestion.Cleaner(
        settings.redaction,
        importing=settings.import_policy == "redact",
        max_bytes=MAX_TURN_BYTES,
    )


def _reservations(mended: int, redacted: int, left_out: Iterable[Skipped]) -> list[str]:
    """What of the old texts is not as it was."""
    said = [f"left out: {skipped.reason}" for skipped in left_out]
    if redacted:
        said.append(f"in {redacted} memories a secret was blanked")
    if mended:
        said.append(f"in {mended} memories bytes that are no UTF-8 became U+FFFD")
    return said
