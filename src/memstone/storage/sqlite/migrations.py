"""From whatever schema a file has to the schema this version writes.

The file's schema is compared object by object with `schema.sql`, never by a counter alone: a
counter can run ahead of a half-done upgrade. Migrations are numbered `.sql` files, forward only;
a step and its record land in one transaction, which also counts the memories before and after and
refuses to lose any. Before the first write to an existing store a copy is kept beside it.
`user_version` is the schema number; `meta.min_reader` and `meta.min_writer` say which schema
numbers may still read or write the file, so that two versions can share one folder.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from functools import cache

import apsw

from memstone.errors import CannotCreate, StoreDamaged, StoreNewer, StoreOlder
from memstone.storage.sqlite.connections import (
    APPLICATION_ID,
    begin_immediate,
    connect,
    fetch_all,
    refuse_foreign,
    roll_back,
    sqlite_name,
)
from memstone.storage.sqlite.faults import damaged

SQL = os.path.join(os.path.dirname(__file__), "sql")
SCHEMA_NUMBER = 3
MIN_READER = 1  # the oldest schema number whose code may read a file of this schema
MIN_WRITER = 3  # schema 2 does not note which conversations and statements still wait

Objects = dict[str, str]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Column = tuple[Any, ...]  # name, type, NOT NULL, position in the primary key


@dataclass(frozen=True, slots=True)
class Migration:
    """One forward step: its number, its name (recorded) and its statements."""

    number: int
    name: str
    sql: str


@dataclass(frozen=True, slots=True)
class Upgrade:
    """What opening a file did: the steps applied, memories before and after, the copy kept."""

    applied: tuple[str, ...]
    rows_before: int
    rows_after: int
    copy: str | None


@cache
def shipped() -> tuple[Migration, ...]:
    """The migrations of this version, in order."""
    folder = SQL
    steps = []
    for name in sorted(os.listdir(folder)):
        if name[:4].isdigit():
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                steps.append(Migration(int(name[:4]), name.removesuffix(".sql"), file.read()))
    return tuple(steps)


@cache
def target() -> Objects:
    """The objects of `schema.sql`, by name."""
    with open(os.path.join(SQL, "schema.sql"), encoding="utf-8") as file:
        script = file.read()
    scratch = apsw.Connection(":memory:")
    scratch.execute(script).fetchall()
    found = objects(scratch)
    scratch.close()
    return found


def objects(connection: apsw.Connection) -> Objects:
    """Name → normalised SQL of every table and index that has any.

    >>> scratch = apsw.Connection(":memory:")
    >>> _ = scratch.execute("CREATE TABLE t ( x  INTEGER )")
    >>> objects(scratch)
    {'t': 'CREATE TABLE t ( x INTEGER )'}
    """
    query = """
        SELECT name, sql
        FROM sqlite_schema
        WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
        ORDER BY name
    """
    return {name: " ".join(sql.split()) for name, sql in connection.execute(query)}


def ensure(connection: apsw.Connection, path: str, *, upgrading: bool = True) -> Upgrade | None:
    """Bring the file to `SCHEMA_NUMBER`; None when it was there already.

    Raises `StoreNewer` when a newer version forbids reading it, `StoreDamaged` when the schema
    cannot be completed, and without `upgrading` `StoreOlder` for a file that needs it.
    """
    number = schema_number(connection)
    if number <= SCHEMA_NUMBER:
        refuse_foreign(connection, path)
    if number > SCHEMA_NUMBER:
        check_reader(connection, path, number)
        if not is_complete(connection):
            raise damaged(path, f"schema {number} lacks tables that this version reads")
        return None
    if number == SCHEMA_NUMBER and is_complete(connection):
        return None
    if not upgrading:
        raise StoreOlder(
            f"{path}: the store has schema {number}, this version needs {SCHEMA_NUMBER}",
            hint="`memstone status` upgrades it, keeping a copy",
            path=path,
            schema=number,
        )
    return upgrade(connection, path, shipped())


def is_complete(connection: apsw.Connection) -> bool:
    """Whether every object of the target is there as it should be (others are left alone).

    A table may have been completed by ALTER TABLE, which spells it differently: then its columns
    are what counts.
    """
    have = objects(connection)
    for name, sql in target().items():
        if have.get(name) == sql:
            continue
        if name not in have or not sql.startswith("CREATE TABLE"):
            return False
        if missing_columns(connection, name, sql):
            return False
    return True


def columns(connection: apsw.Connection, table: str) -> list[Column]:
    query = 'SELECT name, type, "notnull", pk FROM pragma_table_info(:table) ORDER BY cid'
    return fetch_all(connection, query, {"table": table})


def missing_columns(connection: apsw.Connection, table: str, sql: str) -> list[Column]:
    """The columns that `sql` defines and the file's table lacks."""
    scratch = apsw.Connection(":memory:")
    scratch.execute(sql).fetchall()
    have = {name for name, *_ in columns(connection, table)}
    missing = [column for column in columns(scratch, table) if column[0] not in have]
    scratch.close()
    return missing


def schema_number(connection: apsw.Connection) -> int:
    return int(fetch_all(connection, "PRAGMA user_version")[0][0])


def check_reader(connection: apsw.Connection, path: str, number: int) -> None:
    """Raise `StoreNewer` unless the newer file still allows this version to read."""
    _check(connection, path, number, "min_reader", "read")


def check_writer(connection: apsw.Connection, path: str) -> None:
    """Raise `StoreNewer` when a newer version upgraded the file and forbids older writers."""
    number = schema_number(connection)
    if number != SCHEMA_NUMBER:
        _check(connection, path, number, "min_writer", "write to")


def _check(connection: apsw.Connection, path: str, number: int, key: str, verb: str) -> None:
    query = "SELECT value FROM meta WHERE key = :key"
    try:
        found = fetch_all(connection, query, {"key": key})
    except apsw.SQLError:  # a file of a later design without this table
        found = []
    needed = int(found[0][0]) if found else number
    if needed > SCHEMA_NUMBER:
        raise StoreNewer(
            f"{path}: a newer memstone upgraded this store to schema {number}; "
            f"this version (schema {SCHEMA_NUMBER}) may not {verb} it",
            hint="upgrade memstone here too: pip install --upgrade memstone",
            path=path,
            schema=number,
        )


def upgrade(connection: apsw.Connection, path: str, steps: tuple[Migration, ...]) -> Upgrade:
    """Apply what is missing in one transaction and verify the result, or change nothing.

    The lock comes first: of several processes that open an old store at once, one upgrades it.
    """
    begin_immediate(connection)
    copy: str | None = None
    try:
        if steps is shipped() and is_complete(connection) and _recorded(connection):
            done = Upgrade((), 0, 0, None)  # another process was first
        else:
            names = _recorded(connection)
            pending = any(step.name not in names for step in steps)
            if objects(connection) and (pending or not is_complete(connection)):
                copy = keep_copy(path)
            done = _apply(connection, path, steps, copy)
        connection.execute("COMMIT")
    except BaseException:  # whatever ends it, Ctrl-C too, must not leave the lock held
        roll_back(connection)
        if copy is not None:
            os.unlink(copy)  # the store is as it was; a copy for each try would fill the disk
        raise
    return done


def install(connection: apsw.Connection, path: str) -> None:
    """Make this version's schema beside what the file holds, in the caller's transaction."""
    _apply(connection, path, shipped(), None)


def _apply(
    connection: apsw.Connection, path: str, steps: tuple[Migration, ...], copy: str | None
) -> Upgrade:
    before = _count(connection)
    names = _recorded(connection)
    applied = []
    for step in steps:
        if step.name not in names:
            fetch_all(connection, step.sql)
            _record(connection, step)
            applied.append(step.name)
    if steps is shipped():
        _complete(connection, path)
        number, reader, writer = SCHEMA_NUMBER, MIN_READER, MIN_WRITER
    else:
        number = reader = writer = steps[-1].number
    after = _count(connection)
    if after < before:
        raise StoreDamaged(
            f"{path}: an upgrade would have lost {before - after} of {before} memories; "
            "it was undone",
            hint="please report this; the store is as it was",
            path=path,
        )
    _stamp(connection, number, reader, writer)
    return Upgrade(tuple(applied), before, after, copy)


def _recorded(connection: apsw.Connection) -> set[str]:
    if "migration" not in objects(connection):
        return set()
    return {name for (name,) in connection.execute("SELECT name FROM migration ORDER BY name")}


def _record(connection: apsw.Connection, step: Migration) -> None:
    connection.execute(
        "INSERT INTO migration (name, applied_at) VALUES (:name, :at)",
        {"name": step.name, "at": time.time_ns() // 1000},
    )


def _stamp(connection: apsw.Connection, number: int, reader: int, writer: int) -> None:
    for key, value in (("min_reader", reader), ("min_writer", writer)):
        connection.execute(
            "INSERT INTO meta (key, value) VALUES (:key, :value) "
            "ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            {"key": key, "value": str(value)},
        )
    fetch_all(connection, f"PRAGMA user_version = {number:d}")
    fetch_all(connection, f"PRAGMA application_id = {APPLICATION_ID:d}")


def _count(connection: apsw.Connection) -> int:
    if "memory" not in objects(connection):
        return 0
    return int(fetch_all(connection, "SELECT count(*) FROM memory")[0][0])


def _complete(connection: apsw.Connection, path: str) -> None:
    """Add what a half-done upgrade left out: missing tables and indexes, nullable columns."""
    have = objects(connection)
    for name, sql in sorted(target().items(), key=lambda item: not item[1].startswith("CREATE T")):
        if name not in have:
            fetch_all(connection, sql)
        elif have[name] != sql and sql.startswith("CREATE TABLE"):
            for column, kind, not_null, key in missing_columns(connection, name, sql):
                if not_null or key:
                    raise damaged(path, f"table {name} has no column {column}")
                fetch_all(connection, f'ALTER TABLE "{name}" ADD COLUMN "{column}" {kind}')


def keep_copy(path: str) -> str:
    """A copy of the store as it was last committed, beside it; returns its path.

    Made by the backup API over a connection of its own: the one that upgrades holds the lock, and
    readers still see what was before.
    """
    stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
    copy = f"{path}.before-upgrade-{stamp}-{time.time_ns() % 1_000_000_000:09d}"
    try:
        os.close(os.open(copy, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except OSError as error:
        raise CannotCreate(
            f"{copy}: cannot keep a copy of the store before upgrading it ({error.strerror})",
            hint="make the folder writable or free some space; the store is as it was",
            path=copy,
        ) from error
    source, destination = connect(path), apsw.Connection(sqlite_name(copy))
    with destination.backup("main", source, "main") as backup:
        while not backup.done:
            backup.step(1000)
    destination.close()
    source.close()
    return copy
