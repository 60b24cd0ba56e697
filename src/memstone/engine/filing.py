"""`engine.files`: files kept as versioned memories, for surfaces that speak of paths.

A file belongs to exactly the engine's scope: what is shared with it or by it is recalled as ever,
but never listed, edited or deleted as one of its files. What a path may look like, what a folder
is and which words an error has is the surface's; here are reading and one atomic change.
"""

from __future__ import annotations

from memstone.engine.calling import without_secrets
from memstone.errors import MemstoneError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from memstone.ingestion import Cleaner
    from memstone.protocols import FileReader, Store
    from memstone.types import ChangeNote, FileChanges, Filed, Memory, Scope

    Answer = TypeVar("Answer")


class Files:
    """The files of one scope; made by `engine.files`."""

    def __init__(
        self,
        store: Store,
        scope: Scope,
        *,
        home: Scope,
        cleaner: Callable[[], Cleaner],
        note: Callable[[str], ChangeNote],
        clock: Callable[[], int],
    ) -> None:
        self._store = store
        self._scope = scope
        self._home = home
        self._cleaner = cleaner
        self._note = note
        self._clock = clock

    def read(self, path: str, *, limit: int | None = None) -> list[Memory]:
        """The current files at `path` and below it (`path/…`), in the order of their paths."""
        with self._store.read() as snapshot:
            return snapshot.files(self._scope, path, limit=limit)

    def change(
        self,
        operation: str,
        decide: Callable[[FileReader], tuple[FileChanges, Answer]],
        *,
        source: str,
        session: str | None = None,
    ) -> tuple[tuple[Filed, ...], Answer]:
        """Do what `decide` says, in one transaction; what was stored, and the answer of `decide`.

        `decide` is given a `read` of its own that sees the files as they are in that transaction,
        and calls nothing else of the engine. Raises what it raises, `SecretFound`,
        `MemoryTooLarge`, `TextNotUnicode` and `StoreError`s; then nothing has changed.
        """
        from memstone import ingestion

        desk = ingestion.Desk(
            scope=self._scope,
            home=self._home,
            cleaner=self._cleaner(),
            source=source,
            session=session,
        )
        note = self._note(operation)
        try:
            return ingestion.change_files(self._store, desk, decide, note=note, clock=self._clock)
        except MemstoneError as error:
            without_secrets(error)
            raise
