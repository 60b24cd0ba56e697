"""What every part of the engine stands on: the store, the settings, the scope and the clock."""

from __future__ import annotations

import os
import time

from memstone import retrieval, wire
from memstone.engine.lazily import excerpt_when_needed
from memstone.errors import AmbiguousId, SourceError
from memstone.tokens import EstimatedTokens
from memstone.types import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import TracebackType
    from typing import Self

    from memstone.config import Settings
    from memstone.engine.background import Background
    from memstone.ingestion import Cleaner
    from memstone.protocols import Store, SummarizerLike
    from memstone.types import ChangeNote, View

STORE_SUFFIXES = ("", "-wal", "-shm", "-journal")
SHOWN_IDS = 5  # of those that share a prefix, named in the error


def wall_clock() -> int:
    """Microseconds since 1970 UTC, now."""
    return time.time_ns() // 1000


def refuse_own_files(store: Store, path: object) -> None:
    """Raise `SourceError` if `path` names a file of the store itself: whoever opens a live store
    by its path and closes it again drops its locks.
    """
    own = getattr(store, "path", "")
    if not own or not isinstance(path, str | os.PathLike):
        return
    try:
        named = os.path.realpath(os.fsdecode(path))
    except ValueError:  # no file has such a name, and whoever opens it says so
        return
    if named in {os.path.realpath(own) + suffix for suffix in STORE_SUFFIXES}:
        raise SourceError(
            f"{named} belongs to the store itself",
            hint="memories of another store come through `memstone export` there",
            path=named,
        )


class EngineBase:
    """A store opened for one scope; see `Engine`."""

    def __init__(
        self,
        store: Store,
        settings: Settings,
        scope: Scope,
        *,
        home: Scope | None = None,
        surface: str = "python",
        clock: Callable[[], int] = wall_clock,
        background: bool = False,
        summarizer: SummarizerLike | None = None,
    ) -> None:
        self.store = store
        self.settings = settings
        self.scope = scope
        self._home = home or Scope(settings.user)  # where a text gets its short id
        self._surface = surface
        self._clock = clock
        self._works_behind = background
        self._background: Background | None = None
        self._summarizer = summarizer
        self._packer = retrieval.Packer(EstimatedTokens(), excerpt_when_needed)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.path or 'in memory'} {self.scope}>"

    @property
    def path(self) -> str:
        """The store's file; empty for a store in memory."""
        return getattr(self.store, "path", "")

    @property
    def upgraded(self) -> str | None:
        """What opening an older store did to it, in one sentence; None if nothing."""
        done = getattr(self.store, "upgrade", None)
        if done is None or not done.rows_before:
            return None
        counts = f"{done.rows_before} memories before, {done.rows_after} after"
        return f"the store was upgraded: {counts}; a copy of it as it was is {done.copy}"

    def close(self) -> None:
        """Close the store; the file alone is then complete."""
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _view(self, scope: Scope | None, agents: Iterable[str] = ()) -> View:
        return wire.view(scope, agents, own=self.scope)

    def _known(self, id: str, view: View) -> str:  # noqa: A002
        """The whole id that `id` names: itself, or the only one here that begins with it.

        A prefix is `mem_` and at least 8 hex digits. Raises `AmbiguousId`.
        """
        name = wire.unicode_text(id, name="id")
        if not wire.is_short_id(name):
            return name
        with self.store.read() as snapshot:
            found = snapshot.ids_from(name, snapshot.namespaces(view), limit=SHOWN_IDS)
        if len(found) < 2 or found[0] == name:
            return found[0] if found else name
        raise AmbiguousId(
            f"{name} begins more than one id here: {', '.join(found)}",
            hint="give more of its digits",
            id=name,
            ids=found,
        )

    def _note(self, operation: str) -> ChangeNote:
        from memstone.types import ChangeNote  # a recall writes nothing; see `memstone.types`

        return ChangeNote(operation, self._clock(), self._surface, self.scope.user)

    def _cleaner(self) -> Cleaner:
        from memstone import ingestion

        return ingestion.Cleaner(self.settings.redaction)
