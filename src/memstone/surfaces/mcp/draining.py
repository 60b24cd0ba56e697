"""Pending work, done beside the conversation: transcripts handed over by hooks, unfinished indexes,
cards, duplicates and conflicts.

A server that runs anyway takes that work off the next `memstone work`. Looking costs one query, so
it is done after a call and while nothing else happens, once a minute at most. Only if something is
pending a thread starts; it works in short slices, stops between two of them when the server ends,
and never keeps a process alive. Where another worker is at it, or nothing moves, it leaves it.
"""

from __future__ import annotations

import threading
import time

from memstone.errors import MemstoneError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memstone.surfaces.mcp.holding import Holder
    from memstone.types import WorkReport

EVERY_SECONDS = 60.0
SLICE_SECONDS = 0.5
PATIENCE_SECONDS = 2.0  # for the slice under way when the server ends


class Drainer:
    """The background worker of one server."""

    def __init__(self, holder: Holder, note: Callable[[str], object]) -> None:
        self._holder = holder
        self._note = note
        self._next = 0.0
        self._ending = threading.Event()
        self._thread: threading.Thread | None = None

    def look(self) -> None:
        """Start working if something is pending and it is time to look again."""
        now = time.monotonic()
        working = self._thread is not None and self._thread.is_alive()
        if working or self._ending.is_set() or now < self._next:
            return
        self._next = now + EVERY_SECONDS
        try:
            with self._holder.engine() as engine:
                pending = engine.pending()
        except MemstoneError:  # switched off, busy or broken: the next call says so to its caller
            return
        if pending:
            self._thread = threading.Thread(target=self._work, name="memstone-work", daemon=True)
            self._thread.start()

    def end(self) -> None:
        """Stop after the slice under way."""
        self._ending.set()
        if self._thread is not None:
            self._thread.join(PATIENCE_SECONDS)

    def _work(self) -> None:
        try:
            going = True
            while going and not self._ending.is_set():
                with self._holder.engine() as engine:  # anew each time: it may have been paused
                    going = _is_worth_more(engine.work(max_seconds=SLICE_SECONDS))
        except MemstoneError as error:
            self._note(f"pending work is left for later: {error.message}")


def _is_worth_more(report: WorkReport) -> bool:
    """Whether another slice will get further."""
    moved = report.turns or report.indexed or report.conversations or report.settled
    return report.ran and bool(report.left) and bool(moved)
