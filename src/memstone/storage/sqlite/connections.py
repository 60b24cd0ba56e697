"""Connections to one store file, and the settings every one of them has.

WAL, so that readers never wait for a writer; `busy_timeout` 5 s below a retry of our own, since
SQLite's lock is not fair (an unlucky one of 32 writers waited 2.9 s); `synchronous=FULL` where
something is acknowledged. No mmap: a truncated file would be a SIGBUS instead of an error.
"""

from __future__ import annotations

import os
import time

import apsw

from memstone.errors import CannotCreate, StoreUnsafe
from memstone.storage.sqlite.faults import BUSY, noting_cause

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

APPLICATION_ID = 0x6D656D73  # "mems": tells `file` and us what the file is
BUSY_TIMEOUT_MS = 5_000
WRITE_BUDGET_S = 15.0  # how long a write keeps asking for the lock before the caller hears of it
RETRY_PAUSE_S = 0.01
CACHE_KIB = (
    32 * 1024
)  # grows only as pages are used; an import into a large store is a third faster


def connect(path: str, *, patience_s: float = WRITE_BUDGET_S) -> apsw.Connection:
    """A connection in WAL mode with every setting in place; raises apsw's errors."""
    connection = apsw.Connection(sqlite_name(path), flags=apsw.SQLITE_OPEN_READWRITE)
    with noting_cause(connection):
        _configure(connection, path, patience_s)
    return connection


def library_version() -> str:
    """The version of SQLite that is built in."""
    return apsw.sqlite_lib_version()


def busy_timeout_ms(patience_s: float) -> int:
    """How long SQLite itself waits for a lock before we decide whether to ask again."""
    return min(BUSY_TIMEOUT_MS, int(patience_s * 1000))


def _configure(connection: apsw.Connection, path: str, patience_s: float) -> None:
    connection.set_busy_timeout(busy_timeout_ms(patience_s))
    if fetch_all(connection, "PRAGMA journal_mode")[0][0] != "wal":
        refuse_foreign(connection, path)  # before the first byte of the file changes
        retry_busy(lambda: connection.execute("PRAGMA journal_mode = WAL").fetchall(), patience_s)
    connection.execute("PRAGMA synchronous = FULL").fetchall()
    connection.execute("PRAGMA foreign_keys = ON").fetchall()
    connection.execute("PRAGMA trusted_schema = OFF").fetchall()
    connection.execute("PRAGMA temp_store = MEMORY").fetchall()
    connection.execute(f"PRAGMA cache_size = -{CACHE_KIB:d}").fetchall()


def refuse_foreign(connection: apsw.Connection, path: str) -> None:
    """Raise `StoreUnsafe` for another program's database: ours bears our mark from birth on."""
    mark = fetch_all(connection, "PRAGMA application_id")[0][0]
    if mark != APPLICATION_ID and fetch_all(connection, "SELECT 1 FROM sqlite_schema LIMIT 1"):
        raise StoreUnsafe(
            f"{path}: a SQLite file of another program",
            hint="nothing was changed; choose another file or folder for memstone",
            path=path,
        )


def sqlite_name(path: str) -> str:
    """The path as SQLite wants it: UTF-8, whatever encoding this process reads names in.

    Raises `CannotCreate` for a name that is not UTF-8.
    """
    try:
        return os.fsencode(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise CannotCreate(
            f"{path!a}: the name of the store's folder is not UTF-8",
            hint="choose another one with MEMSTONE_HOME",
        ) from error


def retry_busy(action: Callable[[], object], patience_s: float = WRITE_BUDGET_S) -> None:
    """Run `action`, again and again while the store is busy, for at most `patience_s`."""
    deadline = time.monotonic() + patience_s
    while True:
        try:
            action()
        except BUSY:
            if time.monotonic() >= deadline:
                raise
            time.sleep(RETRY_PAUSE_S)
        else:
            return


def begin_immediate(connection: apsw.Connection, patience_s: float = WRITE_BUDGET_S) -> None:
    """Take the write lock before reading anything: a reader that upgrades loses the race."""
    retry_busy(lambda: connection.execute("BEGIN IMMEDIATE"), patience_s)


def roll_back(connection: apsw.Connection) -> None:
    """End a failed transaction; SQLite may have ended it already (disk full)."""
    if connection.in_transaction:
        connection.execute("ROLLBACK")


def fetch_all(
    connection: apsw.Connection, statement: str, values: Mapping[str, Any] | None = None
) -> list[tuple[Any, ...]]:
    """All rows of one statement, which is thereby run to its end.

    The one untyped seam to SQLite: what a column holds is known from the schema beside it.
    """
    return connection.execute(statement, values).fetchall()
