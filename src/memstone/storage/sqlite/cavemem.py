"""The first ancestor's database: read where it lies, or turned into a store of ours in its place.

Theirs is one table `memories`, of three columns in old files and of seven in newer ones, times and
links as text. Reading it changes nothing, not even the files beside it. Adopting happens inside the
file itself, in one transaction that makes our tables, takes the rows over and drops theirs: there
is no moment in which the memories are in neither shape, and of several processes one does it. What
the file was is copied beside it first.

Their second file, `ccr.db`, is never read: it keeps originals under the digest of their text, and
the same digest finds them here for as long as the memory exists.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256

import apsw

from memstone.errors import InvalidTime
from memstone.storage.sqlite import files, migrations
from memstone.storage.sqlite.connections import (
    APPLICATION_ID,
    BUSY_TIMEOUT_MS,
    begin_immediate,
    fetch_all,
    retry_busy,
    roll_back,
    sqlite_name,
)
from memstone.storage.sqlite.faults import damaged, noting_cause, translating
from memstone.storage.sqlite.writing import SqliteTransaction
from memstone.times import from_micros, parse_time
from memstone.types import Kind, Memory, Provenance, Scope, Trust

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from memstone.protocols import Transaction
    from memstone.types import ChangeNote

SOURCE = "cavemem"  # what the rows say where they come from
NEEDED = frozenset({"id", "text", "created_at"})
LATER = ("valid_from", "valid_until", "supersedes", "superseded_by")  # not in the oldest files
ROWS = "SELECT {columns} FROM memories ORDER BY created_at, rowid"


@dataclass(frozen=True, slots=True)
class Legacy:
    """The memories of one of their databases, each after the version it follows.

    `mended` texts held bytes that are no UTF-8; each of those is U+FFFD now, as they showed it.
    """

    memories: tuple[Memory, ...]
    mended: int = 0
    copy: str | None = None  # where the database as it was is kept


@dataclass(frozen=True, slots=True)
class _Row:
    """One of their rows, as text; "" is nothing."""

    id: str
    text: str
    created_at: str
    valid_from: str
    valid_until: str
    supersedes: str
    superseded_by: str


def is_theirs(path: str) -> bool:
    """Whether a database of theirs lies there. Raises `StoreError`s if it cannot be looked at."""
    if not os.path.isfile(path):
        return False
    with translating(path), _visiting(path) as connection:
        return _has_their_table(connection)


def read(path: str, user: str) -> Legacy:
    """Their memories, for `user`; the file and what lies beside it stay as they are.

    Raises `StoreDamaged` for what cannot be read, `InvalidTime` for a time that is none.
    """
    with translating(path), _visiting(path) as connection:
        connection.execute("BEGIN")
        try:
            return _read(connection, path, user)
        finally:
            roll_back(connection)


@contextmanager
def adopting(path: str, user: str, note: ChangeNote) -> Iterator[tuple[Legacy, Transaction] | None]:
    """Their memories and the transaction in which the block takes them over; None if another
    process was first. What the block raises leaves the file as it was.
    """
    resolved = files.prepare(path)
    with translating(resolved):
        connection = apsw.Connection(sqlite_name(resolved), flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            with noting_cause(connection):
                yield from _adopting(connection, resolved, user, note)
        finally:
            connection.close()


def _adopting(
    connection: apsw.Connection, path: str, user: str, note: ChangeNote
) -> Iterator[tuple[Legacy, Transaction] | None]:
    connection.set_busy_timeout(BUSY_TIMEOUT_MS)
    if not _has_their_table(connection):
        yield None
        return
    _read(connection, path, user)  # what cannot be read is refused before a byte changes
    retry_busy(lambda: connection.execute("PRAGMA journal_mode = WAL").fetchall())
    connection.execute("PRAGMA synchronous = FULL").fetchall()
    connection.execute("PRAGMA foreign_keys = ON").fetchall()
    begin_immediate(connection)
    copy: str | None = None
    try:
        if not _has_their_table(connection):
            yield None
        else:
            legacy = _read(connection, path, user)
            copy = migrations.keep_copy(path)
            migrations.install(connection, path)
            transaction = SqliteTransaction(connection, path, note)
            yield Legacy(legacy.memories, legacy.mended, copy), transaction
            transaction.finish()
            fetch_all(connection, "DROP TABLE memories")
        connection.execute("COMMIT")
    except BaseException:  # Ctrl-C too: nothing of it stays, and the copy would be one too many
        roll_back(connection)
        if copy is not None:
            os.unlink(copy)
        raise


@contextmanager
def _visiting(path: str) -> Iterator[apsw.Connection]:
    """A connection that leaves no trace. One that may only read cannot tidy up behind itself; one
    that may write would, on closing, move what waits in the log into the file.
    """
    waiting = os.path.exists(path + "-wal") and os.stat(path + "-wal").st_size > 0
    folder = os.path.dirname(path)
    may_write = not waiting and os.access(path, os.W_OK) and os.access(folder, os.W_OK)
    flags = apsw.SQLITE_OPEN_READWRITE if may_write else apsw.SQLITE_OPEN_READONLY
    connection = apsw.Connection(sqlite_name(path), flags=flags)
    try:
        with noting_cause(connection):
            connection.set_busy_timeout(BUSY_TIMEOUT_MS)
            connection.execute("PRAGMA query_only = ON").fetchall()
            yield connection
    finally:
        connection.close()


def _has_their_table(connection: apsw.Connection) -> bool:
    mark = fetch_all(connection, "PRAGMA application_id")[0][0]
    columns = {name for name, *_ in migrations.columns(connection, "memories")}
    return mark != APPLICATION_ID and columns >= NEEDED


def _read(connection: apsw.Connection, path: str, user: str) -> Legacy:
    columns = {name for name, *_ in migrations.columns(connection, "memories")}
    wanted = ["id", "text", "created_at", *(c if c in columns else "NULL" for c in LATER)]
    bytes_of = ", ".join(f"CAST({column} AS BLOB)" for column in wanted)
    rows: list[_Row] = []
    mended = 0
    for values in connection.execute(ROWS.format(columns=bytes_of)):
        spelt = [(value or b"").decode("utf-8", "replace") for value in values]
        mended += spelt[1].encode("utf-8") != (values[1] or b"")
        # a TEXT primary key may be NULL, and then several rows of theirs have no id
        id_ = spelt[0] or f"row-{len(rows) + 1}"
        rows.append(_Row(id_, *spelt[1:]))
    by_id = {row.id: row for row in rows}
    links = _links(by_id)
    ordered = _in_order(by_id, links)
    return Legacy(tuple(_memory(row, links, user, path) for row in ordered), mended)


def _links(by_id: Mapping[str, _Row]) -> dict[str, str]:
    """Newer id → older id, for links that both ends agree on; others lead nowhere."""
    return {
        row.id: row.supersedes
        for row in by_id.values()
        if row.supersedes in by_id
        and by_id[row.supersedes].superseded_by == row.id
        and by_id[row.supersedes].valid_until
    }


def _in_order(by_id: Mapping[str, _Row], links: dict[str, str]) -> list[_Row]:
    """The rows, each after its predecessor; a link that closes a circle is taken out."""
    done: dict[str, _Row] = {}
    for id_ in by_id:
        path = [id_]
        while (older := links.get(path[-1])) is not None and older not in done:
            if older in path:
                del links[path[-1]]
                break
            path.append(older)
        done.update((each, by_id[each]) for each in reversed(path) if each not in done)
    return list(done.values())


def _memory(row: _Row, links: Mapping[str, str], user: str, path: str) -> Memory:
    created_at = _moment(row, "created_at", row.created_at, path)
    closed = _moment(row, "valid_until", row.valid_until, path) if row.valid_until else None
    return Memory(
        row=0,
        id=row.id,
        scope=Scope(user),
        kind=Kind.FACT,
        text=row.text,
        text_sha256=sha256(row.text.encode("utf-8")).hexdigest(),
        created_at=created_at,
        valid_from=_moment(row, "valid_from", row.valid_from, path)
        if row.valid_from
        else created_at,
        superseded_at=closed,
        superseded_from=closed,
        supersedes=links.get(row.id),
        provenance=Provenance(source=SOURCE, trust=Trust.AGENT),
    )


def _moment(row: _Row, name: str, value: str, path: str) -> datetime:
    try:
        return from_micros(parse_time(value, name=name))
    except InvalidTime as error:
        raise damaged(path, f"memory {row.id}: {error.message}") from error
