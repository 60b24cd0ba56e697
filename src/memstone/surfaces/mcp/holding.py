"""The engine of a server that runs for days: opened at the first call that needs it, kept, renewed.

A call that only reads makes no store: where there is none it sees an empty one, and the next call
looks again. The first memory makes it. If the file was moved away or replaced in the meantime (a
restored backup, a fresh start), it is opened anew, so that no memory is acknowledged into a file
that nobody can find. One engine serves all threads of the process.
"""

from __future__ import annotations

import contextlib
import os
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memstone.engine import Engine

SURFACE = "mcp"


class Holder:
    """A store and scope by name, and the engine on it once somebody asked.

    `project` None is the project of the folder `started_in`, looked up when the engine is opened.
    """

    def __init__(
        self,
        home: str | None,
        *,
        user: str | None = None,
        project: str | None = "",
        agent: str = "",
        started_in: str = os.sep,
        note: Callable[[str], object],
    ) -> None:
        self.home = home
        self._user, self._project, self._agent = user, project, agent
        self._started_in = started_in
        self._note = note
        self._lock = threading.Lock()
        self._engine: Engine | None = None
        self._file: tuple[int, int] | None = None  # what the engine has open

    @property
    def folder(self) -> str:
        """The data folder, where the store and what belongs to it lie."""
        from memstone import engine
        from memstone.engine.opening import FILE_ENDINGS

        if self.home is None:
            return engine.data_home()
        path = os.path.abspath(self.home)
        return os.path.dirname(path) if path.endswith(FILE_ENDINGS) else path

    @property
    def project(self) -> str:
        """The project whose memories are served, "" for none."""
        from memstone import engine

        if self._project is None:
            self._project = engine.project_of(self._started_in)
        return self._project

    @contextlib.contextmanager
    def engine(self, *, making: bool = False) -> Iterator[Engine]:
        """The engine for one call; `making` if the call may make a store that is not there.

        Raises `Paused` where memory is switched off, and what opening a store raises.
        """
        from memstone.engine import switching

        switching.check_on(self.project, self.folder)
        held, passing = self._held(making=making)
        try:
            yield held
        finally:
            if passing:
                held.close()
            elif self._file is None:  # perhaps it was made now
                self._file = _identity(held.path)

    def close(self) -> None:
        """Close the store, if it was opened."""
        with self._lock:
            self._let_go()

    def _held(self, *, making: bool) -> tuple[Engine, bool]:
        """The engine, and whether it is only for now."""
        from memstone import engine

        with self._lock:
            if self._engine is not None and self._moved():
                self._note("the store's file was moved or replaced; opening it again")
                self._let_go()
            if not making and engine.missing(self.home) is not None:
                return self._opened(engine.open_existing), True
            if self._engine is None:
                self._engine = self._opened(engine.open_later)
                if self._engine.upgraded is not None:
                    self._note(self._engine.upgraded)
            return self._engine, False

    def _opened(self, opening: Callable[..., Engine]) -> Engine:
        return opening(
            self.home, surface=SURFACE, user=self._user, project=self.project, agent=self._agent
        )

    def _moved(self) -> bool:
        """Whether the file that the engine has open is no longer the store's file."""
        assert self._engine is not None
        return self._file is not None and _identity(self._engine.path) != self._file

    def _let_go(self) -> None:
        if self._engine is not None:
            self._engine.close()
        self._engine = self._file = None


def _identity(path: str) -> tuple[int, int] | None:
    """Which file stands at `path` now; None if there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino
