"""Files of other programs, read whole and replaced whole.

A file is written beside itself and put in place in one step, so that a reader sees the old one or
the new one and a kill leaves one of them. Its mode stays. A symbolic link is written through, as
people who keep their settings in one repository expect, but only to a place below the folder that
the client's settings belong to: a link that leads out of there is refused, because somebody else
may have laid it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from dataclasses import dataclass

from memstone.errors import CannotCreate, ClientFileRefused, Conflict

MAX_BYTES = 64 * 1024 * 1024  # Claude Code's state file has been seen at megabytes, never near this
NEW_FILE_MODE = 0o600
NEW_FOLDER_MODE = 0o700
BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Found:
    """What stands at a path: the file meant once links are followed, and its bytes, if any."""

    path: str
    real: str
    content: bytes | None

    @property
    def digest(self) -> str | None:
        return None if self.content is None else digest(self.content)


def decoded(content: bytes | None) -> tuple[bytes, str]:
    """The byte order mark that begins a file, if any, and its text; raises `ClientFileRefused`."""
    content = content or b""
    mark = BOM if content.startswith(BOM) else b""
    try:
        return mark, content[len(mark) :].decode("utf-8")
    except UnicodeDecodeError as error:
        raise ClientFileRefused(f"it is not UTF-8 (at byte {error.start + 1})") from error


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def look(path: str, root: str) -> Found:
    """The file at `path`, which must lie below `root` once every link is followed.

    Raises `ClientFileRefused` on a link that leads out and on anything that is no file.
    """
    real = os.path.realpath(path)
    if not _is_below(real, os.path.realpath(root)):
        raise ClientFileRefused(f"it is a link that leads out of {root}, to {real}")
    try:
        status = os.stat(real)
    except (FileNotFoundError, NotADirectoryError):
        return Found(path, real, None)
    except OSError as error:
        raise ClientFileRefused(f"it cannot be read: {error.strerror}") from error
    if not stat.S_ISREG(status.st_mode):
        raise ClientFileRefused("it is no file")
    if status.st_size > MAX_BYTES:
        raise ClientFileRefused(f"it is larger than {MAX_BYTES} bytes")
    try:
        with open(real, "rb") as stream:
            return Found(path, real, stream.read())
    except OSError as error:
        raise ClientFileRefused(f"it cannot be read: {error.strerror}") from error


def replace(found: Found, content: bytes | None) -> None:
    """Put `content` where `found` was, or nothing; folders are made as needed.

    Raises `Conflict` if the file is no longer what was found, `CannotCreate` if it cannot be put.
    """
    if _read(found.real) != found.content:
        raise Conflict(
            f"{found.path} was changed by another program just now",
            hint="run the command again",
            path=found.path,
        )
    try:
        if content is None:
            with contextlib.suppress(FileNotFoundError):
                os.remove(found.real)
        else:
            make_folders(os.path.dirname(found.real))
            write(found.real, content)
    except OSError as error:
        raise CannotCreate(
            f"{found.path} cannot be written: {error.strerror}",
            hint="check that the file and its folder are yours to write",
            path=found.path,
        ) from error


def missing_folders(folder: str) -> tuple[str, ...]:
    """`folder` and those above it as far as they are missing, deepest first."""
    missing: list[str] = []
    while not os.path.lexists(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    return tuple(missing)


def make_folders(folder: str) -> None:
    """Make `folder` and those above it that are missing, for their owner only."""
    for each in reversed(missing_folders(folder)):
        os.mkdir(each, NEW_FOLDER_MODE)


def remove_folders(folders: tuple[str, ...]) -> None:
    """Remove those folders as far as they are empty, deepest first."""
    for folder in sorted(folders, key=len, reverse=True):
        with contextlib.suppress(OSError):  # not empty, or gone: then it is not ours any more
            os.rmdir(folder)


def write(path: str, content: bytes, *, mode: int | None = None) -> None:
    """`content` at `path` in one step; the mode of a file that is there stays, unless given."""
    try:
        before: os.stat_result | None = os.stat(path)
    except FileNotFoundError:
        before = None
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{name}.{os.getpid()}.{os.urandom(4).hex()}.memstone")
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0)
    descriptor = os.open(temporary, flags, NEW_FILE_MODE)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        if before is not None:
            mode = stat.S_IMODE(before.st_mode) if mode is None else mode
        if mode is not None:
            os.chmod(temporary, mode)
        if before is not None and os.name == "posix" and os.geteuid() == 0:
            os.chown(temporary, before.st_uid, before.st_gid)  # root edits somebody's file
        os.replace(temporary, path)
    except BaseException:  # Ctrl-C too: nothing of ours stays beside the file
        with contextlib.suppress(FileNotFoundError):
            os.remove(temporary)
        raise
    _sync_folder(folder)


def _sync_folder(folder: str) -> None:
    """Have the renaming itself on disk; a file system that cannot is left alone."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as stream:
            return stream.read()
    except (FileNotFoundError, NotADirectoryError):
        return None


def _is_below(path: str, root: str) -> bool:
    try:
        return os.path.commonpath([path, root]) == root
    except ValueError:  # on two drives
        return False
