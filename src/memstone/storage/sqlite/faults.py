"""The one seam where SQLite's errors become ours, with the file named and the way out.

Every block that runs SQL stands inside `translating(path)`. Nothing else in memstone catches an
apsw exception, so that no fault is translated twice or swallowed in between.
"""

from __future__ import annotations

import errno
import os
from contextlib import contextmanager

import apsw

from memstone.errors import (
    CannotCreate,
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreUnsafe,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

BUSY = (apsw.BusyError, apsw.LockedError)
# SQLite calls only ENOSPC "full"; a quota and a limit on a file's size are plain I/O errors to it
NO_SPACE = frozenset({errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)})

RESTORE_HINT = (
    "nothing was changed; stop what uses the file, keep a copy of it, then put back a backup of "
    "mem.db (with no mem.db-wal beside it) or move the file away and `memstone import` an export"
)


def damaged(path: str, detail: str) -> StoreDamaged:
    """The error for a file that is not, or no longer, a sound store."""
    return StoreDamaged(f"{path}: the store is damaged ({detail})", hint=RESTORE_HINT, path=path)


@contextmanager
def noting_cause(connection: apsw.Connection) -> Iterator[None]:
    """Keep what the operating system said with an I/O error; only its connection knows it."""
    try:
        yield
    except apsw.IOError as error:
        vars(error)["errno"] = connection.system_errno
        raise


def full(path: str, detail: str) -> StoreFull:
    """The error for a write that found no room."""
    return StoreFull(
        f"{path}: no space left to write ({detail})",
        hint="free some space, or raise the quota or file size limit, and repeat the write; "
        "nothing acknowledged was lost",
        path=path,
    )


@contextmanager
def translating(path: str) -> Iterator[None]:
    """Run a block of SQL on the store at `path`; raises only memstone's errors."""
    try:
        yield
    except BUSY as error:
        raise StoreBusy(
            f"{path}: another process is writing ({error})", hint="try again", path=path
        ) from error
    except apsw.FullError as error:
        raise full(path, str(error)) from error
    except apsw.IOError as error:
        cause = vars(error).get("errno")
        if cause in NO_SPACE:
            raise full(path, os.strerror(cause)) from error
        raise StoreError(f"{path}: {error}", path=path) from error
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise damaged(path, str(error)) from error
    except UnicodeDecodeError as error:  # a text column that is no longer UTF-8
        raise damaged(path, "a text is not UTF-8") from error
    except apsw.CantOpenError as error:
        raise CannotCreate(
            f"{path}: cannot open or create the store ({error})",
            hint="check that the folder exists and is yours to write",
            path=path,
        ) from error
    except (apsw.ReadOnlyError, apsw.PermissionsError, apsw.AuthError) as error:
        raise StoreUnsafe(
            f"{path}: the store cannot be written ({error})",
            hint="check the owner and mode of the file and its folder",
            path=path,
        ) from error
    except apsw.Error as error:
        raise StoreError(f"{path}: {error}", path=path) from error
