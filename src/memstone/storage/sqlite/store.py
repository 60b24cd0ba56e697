"""The SQLite store: one file, one writer connection a process, readers from a small pool.

A `write` block is one BEGIN IMMEDIATE; a `read` block is one snapshot. Connections never cross a
fork: a commit on an inherited one can be acknowledged and lost (DESIGN.md section 4), so every
call compares the process id, and a child drops what it inherited without closing it (closing
would checkpoint and delete the log under the parent) and starts anew.
"""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager

from memstone.errors import StoreClosed, StoreError
from memstone.storage.sqlite import files, migrations
from memstone.storage.sqlite.connections import (
    BUSY_TIMEOUT_MS,
    begin_immediate,
    connect,
    retry_busy,
    roll_back,
)
from memstone.storage.sqlite.faults import translating
from memstone.storage.sqlite.reading import SqliteSnapshot
from memstone.storage.sqlite.writing import SqliteTransaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import apsw

    from memstone.protocols import Snapshot, Transaction
    from memstone.storage.sqlite.migrations import Upgrade
    from memstone.types import ChangeNote

_INHERITED: list[object] = []  # what a child must neither use nor close; see `_leak`

TOUCH_TIMEOUT_MS = 100  # a recall has its answer already; it does not wait for bookkeeping
TOUCH = """
    INSERT INTO memory_usage (row, recall_count, last_recalled_at)
    SELECT row, 1, :at
    FROM memory
    WHERE row = :row
    ON CONFLICT (row) DO UPDATE
    SET recall_count = recall_count + 1,
        last_recalled_at = max(last_recalled_at, excluded.last_recalled_at)
"""


class _Process:
    """What belongs to one process: its writer, its idle readers and the locks around them."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.write_lock = threading.Lock()
        self.pool_lock = threading.Lock()
        self.writer: apsw.Connection | None = None
        self.writing_thread: int | None = None
        self.readers: list[apsw.Connection] = []
        self.opened: list[apsw.Connection] = []  # all of them, also those in use right now

    def connect(self, path: str) -> apsw.Connection:
        connection = connect(path)
        self.opened.append(connection)
        return connection


class SqliteStore:
    """A store in one SQLite file; `path` is its resolved name, `upgrade` what opening it did."""

    def __init__(self, path: str) -> None:
        self.path = files.prepare(path)
        self.upgrade: Upgrade | None = None
        self._closed = False
        self._process = _Process()
        with translating(self.path):
            connection = self._process.connect(self.path)
            self.upgrade = migrations.ensure(connection, self.path)
            self._process.readers.append(connection)

    def _own(self) -> _Process:
        """This process's connections; a forked child gets new ones and leaks the parent's."""
        if self._closed:
            raise StoreClosed(f"{self.path}: the store was closed", hint="open it again")
        if self._process.pid != os.getpid():
            _leak(self._process)
            self._process = _Process()
        return self._process

    @contextmanager
    def read(self) -> Iterator[Snapshot]:
        """One consistent view; the connection goes back to the pool afterwards."""
        process = self._own()
        with translating(self.path):
            connection = self._take_reader(process)
            try:
                retry_busy(lambda: connection.execute("BEGIN"))
                number = migrations.schema_number(connection)
                if number > migrations.SCHEMA_NUMBER:
                    migrations.check_reader(connection, self.path, number)
                yield SqliteSnapshot(connection, self.path)
            finally:
                if process.pid == os.getpid():
                    roll_back(connection)
                    self._give_back(process, connection)

    def _take_reader(self, process: _Process) -> apsw.Connection:
        with process.pool_lock:
            if process.readers:
                return process.readers.pop()
        return process.connect(self.path)

    def _give_back(self, process: _Process, connection: apsw.Connection) -> None:
        with process.pool_lock:
            if not self._closed:
                process.readers.append(connection)
                return
        connection.close()

    @contextmanager
    def write(self, note: ChangeNote) -> Iterator[Transaction]:
        """One BEGIN IMMEDIATE around the block; the block's exception rolls everything back."""
        with self._writer() as connection:
            begin_immediate(connection)
            try:
                migrations.check_writer(connection, self.path)
                transaction = SqliteTransaction(connection, self.path, note)
                yield transaction
                transaction.finish()
                self._refuse_after_fork()
                connection.execute("COMMIT")
            except BaseException:
                if self._process.pid == os.getpid():
                    roll_back(connection)
                raise

    def touch(self, rows: Sequence[int], at: int) -> None:
        """Usage of recalled rows; bookkeeping, so it may be lost in a power cut, and nobody waits
        long for it.
        """
        with self._writer() as connection:
            connection.execute("PRAGMA synchronous = NORMAL").fetchall()
            connection.set_busy_timeout(TOUCH_TIMEOUT_MS)
            try:
                connection.execute("BEGIN IMMEDIATE")
                migrations.check_writer(connection, self.path)
                connection.executemany(TOUCH, [{"row": row, "at": at} for row in rows])
                connection.execute("COMMIT")
            except BaseException:
                roll_back(connection)
                raise
            finally:
                connection.execute("PRAGMA synchronous = FULL").fetchall()
                connection.set_busy_timeout(BUSY_TIMEOUT_MS)

    @contextmanager
    def _writer(self) -> Iterator[apsw.Connection]:
        process = self._own()
        if process.writing_thread == threading.get_ident():
            raise StoreError(f"{self.path}: a write inside a write", path=self.path)
        with process.write_lock:
            process.writing_thread = threading.get_ident()
            try:
                with translating(self.path):
                    if process.writer is None:
                        process.writer = process.connect(self.path)
                    yield process.writer
            finally:
                process.writing_thread = None

    def _refuse_after_fork(self) -> None:
        if self._process.pid != os.getpid():
            raise StoreError(
                f"{self.path}: this process was forked inside a write; nothing was written here",
                hint="finish the write before forking",
            )

    def close(self) -> None:
        """Close every connection; the last one checkpoints, so the file alone is complete."""
        process = self._process
        if self._closed or process.pid != os.getpid():
            self._closed = True
            return
        with process.write_lock, process.pool_lock, translating(self.path):
            self._closed = True
            if process.writer is not None:
                process.writer.close()
            for connection in process.readers:
                connection.close()
            process.readers.clear()


def _leak(process: _Process) -> None:
    """Keep the parent's connections alive for ever: even interpreter shutdown must not close them.

    A plain reference would be dropped, and the connection closed, when module globals go.
    """
    import ctypes  # noqa: PLC0415  (only a forked child pays for it)

    _INHERITED.append(process)
    for connection in process.opened:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))


def open_store(path: str) -> SqliteStore:
    """Open or make the store at `path`, bringing its schema up to date.

    Raises `CannotCreate`, `StoreUnsafe`, `StoreDamaged`, `StoreNewer` or `StoreBusy`.
    """
    return SqliteStore(path)
