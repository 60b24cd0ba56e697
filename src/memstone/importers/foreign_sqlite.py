"""Another program's SQLite database, read without leaving a trace.

A connection that may only read still makes `-wal` and `-shm` files beside a database in WAL mode,
and cannot take them away. So how it is opened depends on what lies there: without a log nobody is
writing, and the file is read as it is; with a log and its index both are used and neither is
changed; a log without its index (the database was copied, or its program killed and tidied up
after) needs an index, which is made beside a private copy. Nothing is ever recovered, migrated or
locked for long in somebody else's file.

A row that cannot be read costs that row: it is fetched by its number, alone. The schema may be
hostile like any file, so that nothing of it is run: `memories` must be a plain table.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from memstone.errors import SourceError, SourceMissing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import apsw

MAGIC = b"SQLite format 3\0"
TABLE = "memories"  # of both seeds
BUSY_MS = 5_000
MAX_VALUE_BYTES = 64 * 1024 * 1024
WAL_MODE = 2  # the write version in byte 18 of the file

Value = str | int | float | bytes | None


@dataclass(frozen=True, slots=True)
class Key:
    """A row by its number, with values that are only compared: as bytes, whatever is in them."""

    number: int
    values: tuple[bytes, ...]


class Database:
    """An open database with a table `memories`; what its columns are called is `columns`.

    Raises `SourceMissing` if there is no such file, `SourceError` if it is no database, cannot be
    read or has no such table.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.name = os.fspath(path)
        file, options = self._how()
        self._connection = self._opened(file, options)
        try:
            self.columns = self._columns()
        except SourceError:
            self.close()
            raise

    def close(self) -> None:
        """Close it; closing again does nothing."""
        self._connection.close()

    def listing(self, columns: Sequence[str], order: str) -> tuple[list[Key], SourceError | None]:
        """The number and `columns` of every row, ordered by `order` and then by number; and why
        there may be more, if the database is damaged.
        """
        chosen = ", ".join(("rowid", *(f"CAST({column} AS BLOB)" for column in columns)))
        sql = f"SELECT {chosen} FROM {TABLE} ORDER BY {order}, rowid"  # noqa: S608  our constants
        found: list[Key] = []
        try:
            for number, *values in self._run(sql):
                as_bytes = (value if isinstance(value, bytes) else b"" for value in values)
                found.append(Key(number if isinstance(number, int) else 0, tuple(as_bytes)))
        except SourceError as error:
            return found, error
        return found, None

    def row(self, number: int, columns: Sequence[str]) -> Mapping[str, Value]:
        """The values of a row by its number; raises `SourceError` if they cannot be read."""
        chosen = ", ".join(f'"{column}"' for column in columns)
        sql = f"SELECT {chosen} FROM {TABLE} WHERE rowid = ?"  # noqa: S608  our constants
        for values in self._run(sql, (number,)):
            return dict(zip(columns, values, strict=True))
        raise SourceError("the row is gone")

    def _run(self, sql: str, values: tuple[Value, ...] = ()) -> Iterator[tuple[Value, ...]]:
        import apsw  # noqa: PLC0415  most imports read no database

        try:
            yield from self._connection.execute(sql, values)
        except UnicodeDecodeError as error:
            raise SourceError("a text in it is not UTF-8") from error
        except apsw.Error as error:
            raise SourceError(_said(error)) from error

    def _columns(self) -> frozenset[str]:
        kinds = self._checked("SELECT type FROM sqlite_schema WHERE name = ?", TABLE)
        if kinds != [("table",)]:
            raise SourceError(f"{self.name}: no table {TABLE!r} in it", path=self.name)
        found = self._checked("SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0", TABLE)
        return frozenset(str(name).lower() for (name,) in found)

    def _checked(self, sql: str, value: str) -> list[tuple[Value, ...]]:
        try:
            return list(self._run(sql, (value,)))
        except SourceError as error:
            raise SourceError(f"{self.name}: {error.message}", path=self.name) from error

    def _opened(self, file: str, options: str) -> apsw.Connection:
        import apsw  # noqa: PLC0415

        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        try:
            connection = apsw.Connection(f"{Path(file).as_uri()}?mode=ro{options}", flags=flags)
        except apsw.Error as error:
            raise SourceError(f"{self.name}: {_said(error)}", path=self.name) from error
        connection.set_busy_timeout(BUSY_MS)
        connection.limit(apsw.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
        connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
        return connection

    def _how(self) -> tuple[str, str]:
        """The file to open, and the options that leave no trace beside it."""
        head = _head(self.name)
        if not head.startswith(MAGIC):
            raise SourceError(f"{self.name}: no SQLite database, or encrypted", path=self.name)
        file = os.path.realpath(self.name)
        log = _size(f"{file}-wal")
        if len(head) < 20 or head[18] != WAL_MODE:
            return file, ""
        if log is None or (log == 0 and _size(f"{file}-shm") is None):
            return file, "&immutable=1"
        if _size(f"{file}-shm") is not None:
            return file, "&readonly_shm=1"
        return self._copied(file), ""

    def _copied(self, file: str) -> str:
        folder = tempfile.mkdtemp(prefix="memstone-import-")
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        copy = os.path.join(folder, "copy.db")
        try:
            shutil.copyfile(file, copy)
            shutil.copyfile(f"{file}-wal", f"{copy}-wal")
        except OSError as error:
            message = f"{self.name}: cannot be copied to be read: {error.strerror or error}"
            raise SourceError(message, path=self.name) from error
        return copy


def columns_of(path: str | os.PathLike[str]) -> frozenset[str]:
    """The columns of the table `memories` of a database; raises as `Database` does."""
    with closing(Database(path)) as database:
        return database.columns


def text_of(value: Value, name: str) -> str | None:
    """A value as text: many programs store text as bytes, or a number where text should be.

    Raises `SourceError` for bytes that are no text.
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bytes):
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError as error:
            raise SourceError(f"{name}: bytes that are not UTF-8") from error
    return str(value)


def _head(name: str) -> bytes:
    try:
        with open(name, "rb") as stream:
            return stream.read(20)
    except FileNotFoundError as error:
        raise SourceMissing(f"{name}: no such file", path=name) from error
    except OSError as error:
        message = f"{name}: cannot be read: {error.strerror or error}"
        raise SourceError(message, path=name) from error
    except ValueError as error:  # a NUL byte or half a surrogate pair: no file has such a name
        raise SourceMissing(f"{name!r}: no file can have this name", path=name) from error


def _size(name: str) -> int | None:
    """The size of a file in bytes, None if there is none."""
    try:
        return os.stat(name).st_size
    except OSError:
        return None


def _said(error: apsw.Error) -> str:
    """What went wrong, without SQLite's message, which may name things of the file."""
    import apsw  # noqa: PLC0415

    if isinstance(error, (apsw.CorruptError, apsw.NotADBError)):
        return "the database is damaged, or encrypted"
    if isinstance(error, (apsw.BusyError, apsw.LockedError)):
        return "another program is writing to the database"
    if isinstance(error, apsw.TooBigError):
        return f"a value of more than {MAX_VALUE_BYTES} bytes"
    return f"SQLite cannot read it ({type(error).__name__.removesuffix('Error')})"
