"""The in-memory store itself: one state, one lock for writers, none for readers.

Readers take the state that is there; since a committed state is never written to, they need no
lock. Writers queue: each works on a copy of the state that the one before it left.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import replace
from threading import Lock, get_ident

from memstone.errors import StoreClosed, StoreError
from memstone.storage.inmemory.snapshot import InMemorySnapshot
from memstone.storage.inmemory.state import State, latest
from memstone.storage.inmemory.transaction import InMemoryTransaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memstone.types import ChangeNote


class InMemoryStore:
    """A `Store` in this process's memory; nothing of it outlives the process.

    >>> from memstone.types import ChangeNote, Scope, View
    >>> store = InMemoryStore()
    >>> with store.write(ChangeNote("remember", at=0)) as transaction:
    ...     transaction.intern(Scope("ana"))
    1
    >>> with store.read() as snapshot:
    ...     snapshot.namespaces(View(Scope("ana")))
    (1,)
    """

    def __init__(self) -> None:
        self._state = State()
        self._closed = False
        self._lock = Lock()
        self._process = os.getpid()
        self._writer: int | None = None  # the thread that holds the lock

    @contextmanager
    def read(self) -> Iterator[InMemorySnapshot]:
        yield InMemorySnapshot(self._committed())

    @contextmanager
    def write(self, note: ChangeNote) -> Iterator[InMemoryTransaction]:
        with self._writing():
            transaction = InMemoryTransaction(self._committed().copy(), note)
            yield transaction
            self._state = transaction.result()

    def touch(self, rows: Sequence[int], at: int) -> None:
        with self._writing():
            state = self._committed().copy()
            for number in set(rows).intersection(state.rows):
                row = state.rows[number]
                memory = replace(
                    row.memory,
                    recall_count=row.memory.recall_count + 1,
                    last_recalled_at=latest(row.memory.last_recalled_at, at),
                )
                state.rows[number] = replace(row, memory=memory)
            self._state = state

    def close(self) -> None:
        self._closed = True

    def _committed(self) -> State:
        if self._closed:
            raise StoreClosed("the store is closed", hint="open it again")
        return self._state

    @contextmanager
    def _writing(self) -> Iterator[None]:
        # a fork copies a lock that another thread of the parent held, and nobody will release it
        if os.getpid() != self._process:
            self._lock, self._process, self._writer = Lock(), os.getpid(), None
        if self._writer == get_ident():
            raise StoreError("a write inside a write", hint="finish the outer one first")
        with self._lock:
            self._writer = get_ident()
            try:
                yield
            finally:
                self._writer = None
