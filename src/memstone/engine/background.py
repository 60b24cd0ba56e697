"""The background thread of a long-lived process: pending work, done beside what the caller does.

It is started by the first write that leaves something to do and ends when nothing is left; while a
conversation goes on it sleeps until that is over. It never keeps a process alive, works in short
transactions, and stops between two of them when the engine is closed or the process forks: a child
must not inherit a lock that a thread it does not have is holding. What it does not get to is
pending for whoever comes next.
"""

from __future__ import annotations

import atexit
import logging
import os
import threading
import weakref

from memstone.errors import MemstoneError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

SETTLING_SECONDS = 0.05  # after a write before the work begins, so that a burst is not disturbed
PATIENCE_SECONDS = 2.0  # for the slice under way when the engine is closed or the process forks
SLICE_SECONDS = 0.2

_LOG = logging.getLogger("memstone")
_live: weakref.WeakSet[Background] = weakref.WeakSet()


class Background:
    """One engine's worker. `work` does one slice of at most so many seconds and returns when to
    come again: 0 at once, None if nothing waits.
    """

    def __init__(self, work: Callable[[float], float | None]) -> None:
        self._work = work
        self.renew()
        _live.add(self)

    def renew(self) -> None:
        """Nothing runs yet: at the beginning, and in a child that inherited no thread."""
        self._thread: threading.Thread | None = None
        self._ending = threading.Event()
        self._woken = threading.Event()
        self._starting = threading.Lock()
        self.slice = threading.Lock()  # held while a slice is under way

    def wake(self) -> None:
        """Have the work looked at soon."""
        self._woken.set()
        with self._starting:
            if self._ending.is_set() or (self._thread is not None and self._thread.is_alive()):
                return
            self._thread = threading.Thread(target=self._run, name="memstone-work", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Stop after the slice under way."""
        self._ending.set()
        self._woken.set()
        with self._starting:  # another thread may be about to start it
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(PATIENCE_SECONDS)

    def _run(self) -> None:
        wait: float | None = SETTLING_SECONDS
        while wait is not None:
            if wait > 0:
                self._woken.clear()
                self._ending.wait(min(wait, SETTLING_SECONDS))
                self._woken.wait(max(wait - SETTLING_SECONDS, 0))
            wait = self._slice()

    def _slice(self) -> float | None:
        """One slice of work; when to come again."""
        with self.slice:
            if self._ending.is_set():
                return None
            try:
                return self._work(SLICE_SECONDS)
            except MemstoneError as error:
                _LOG.warning("background work is left for later: %s", error.message)
                return None


_paused: list[Background] = []  # those whose slice the forking thread holds


def _before_fork() -> None:
    _paused[:] = [one for one in list(_live) if one.slice.acquire(timeout=PATIENCE_SECONDS)]


def _after_fork() -> None:
    for one in _paused:
        one.slice.release()
    _paused.clear()


def _in_child() -> None:
    _paused.clear()
    for one in list(_live):
        one.renew()


def _at_exit() -> None:
    for one in list(_live):
        one.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_in_child)
atexit.register(_at_exit)
