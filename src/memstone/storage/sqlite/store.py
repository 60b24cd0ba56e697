"""The SQLite store: one file, one writer connection a process, readers from a small pool.

A `write` block is one BEGIN IMMEDIATE; a `read` block is one snapshot. Connections never cross a
fork (`forking`), and nothing here opens the file by itself while it is in use: any descriptor of
it that is closed drops this process's locks.
"""

from __future__ import annotations

from contextlib import contextmanager

from memstone.errors import StoreError
from memstone.storage.sqlite import files, forking, migrations
from memstone.storage.sqlite.connections import (
    WRITE_BUDGET_S,
    begin_immediate,
    busy_timeout_ms,
    retry_busy,
    roll_back,
)
from memstone.storage.sqlite.faults import translating
from memstone.storage.sqlite.pool import Pool
from memstone.storage.sqlite.reading import SqliteSnapshot
from memstone.storage.sqlite.writing import SqliteTransaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import apsw

    from memstone.protocols import Snapshot, Transaction
    from memstone.storage.sqlite.migrations import Upgrade
    from memstone.types import ChangeNote

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


class SqliteStore:
    """A store in one SQLite file; `path` is its resolved name, `upgrade` what opening it did."""

    def __init__(
        self, path: str, *, patience_s: float = WRITE_BUDGET_S, upgrading: bool = True
    ) -> None:
        self.path = files.prepare(path)
        self.upgrade: Upgrade | None = None
        forking.refuse_if_tainted(self.path)
        self._pool = Pool(self.path, patience_s=patience_s)
        forking.watch(self._pool)
        with translating(self.path), self._pool.reader() as connection:
            self.upgrade = migrations.ensure(connection, self.path, upgrading=upgrading)

    @contextmanager
    def read(self) -> Iterator[Snapshot]:
        """One consistent view; the connection goes back to the pool afterwards."""
        forking.refuse_if_tainted(self.path)
        with translating(self.path), self._pool.reader() as connection:
            try:
                retry_busy(lambda: connection.execute("BEGIN"), self._pool.patience_s)
                number = migrations.schema_number(connection)
                if number > migrations.SCHEMA_NUMBER:
                    migrations.check_reader(connection, self.path, number)
                yield SqliteSnapshot(connection, self.path)
            finally:
                if self._pool.owns(connection):
                    roll_back(connection)

    @contextmanager
    def write(self, note: ChangeNote) -> Iterator[Transaction]:
        """One BEGIN IMMEDIATE around the block; the block's exception rolls everything back."""
        forking.refuse_if_tainted(self.path)
        pool = self._pool
        with translating(self.path), pool.writer() as connection:
            begin_immediate(connection, pool.patience_s)
            try:
                migrations.check_writer(connection, self.path)
                transaction = SqliteTransaction(connection, self.path, note)
                yield transaction
                self._refuse_after_fork(connection)
                transaction.finish()
                connection.execute("COMMIT")
            except BaseException:  # whatever ends the block, Ctrl-C too, nothing of it stays
                if pool.owns(connection):
                    roll_back(connection)
                raise

    def touch(self, rows: Sequence[int], at: int) -> None:
        """Usage of recalled rows; bookkeeping, so it may be lost in a power cut, and nobody waits
        long for it.
        """
        forking.refuse_if_tainted(self.path)
        with translating(self.path), self._pool.writer() as connection:
            connection.execute("PRAGMA synchronous = NORMAL").fetchall()
            connection.set_busy_timeout(TOUCH_TIMEOUT_MS)
            try:
                connection.execute("BEGIN IMMEDIATE")
                migrations.check_writer(connection, self.path)
                connection.executemany(TOUCH, [{"row": row, "at": at} for row in rows])
                connection.execute("COMMIT")
            except BaseException:  # Ctrl-C too: the lock must not stay held
                roll_back(connection)
                raise
            finally:
                connection.execute("PRAGMA synchronous = FULL").fetchall()
                connection.set_busy_timeout(busy_timeout_ms(self._pool.patience_s))

    def _refuse_after_fork(self, connection: apsw.Connection) -> None:
        if not self._pool.owns(connection):
            raise StoreError(
                f"{self.path}: this process was forked inside a write; nothing was written here",
                hint="finish the write before forking",
            )

    def close(self) -> None:
        """Close every connection; the last one checkpoints, so the file alone is complete."""
        with translating(self.path):
            self._pool.close()


def open_store(
    path: str, *, patience_s: float = WRITE_BUDGET_S, upgrading: bool = True
) -> SqliteStore:
    """Open or make the store at `path`, bringing its schema up to date.

    Nothing waits longer than `patience_s` for a lock; without `upgrading` an older store is left
    as it is and refused. Raises `CannotCreate`, `StoreUnsafe`, `StoreDamaged`, `StoreNewer`,
    `StoreOlder` or `StoreBusy`.
    """
    return SqliteStore(path, patience_s=patience_s, upgrading=upgrading)
