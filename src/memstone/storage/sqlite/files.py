"""The store's files on disk: who may read them, where they may stand, how the first one is made.

Folder 0700, file 0600; a symlink, another user's file and a folder that others may write are
refused, because whoever can replace the file owns the memory. The user's own private group is
nobody else. An existing store is never opened
here, not even to look at it: closing any descriptor of it drops the POSIX locks this process
holds (DESIGN.md section 4). Modes are changed by path, and the first file is made with O_EXCL,
which opens nothing that another connection could be using.
"""

from __future__ import annotations

import os
import stat

from memstone.errors import CannotCreate, StoreUnsafe

FILE_MODE = 0o600
FOLDER_MODE = 0o700
SMALLEST_STORE = 512  # SQLite's smallest page; it takes a shorter file for an empty one
COMPANIONS = ("", "-wal", "-shm")


def prepare(path: str) -> str:
    """Make the folder and the empty file of a store as needed; returns the resolved path.

    Raises `CannotCreate` when they cannot be made, `StoreUnsafe` when they are not safe to use.
    """
    folder, name = os.path.split(os.path.abspath(path))
    try:
        os.makedirs(folder, mode=FOLDER_MODE, exist_ok=True)
        folder = os.path.realpath(folder, strict=True)
    except OSError as error:
        raise CannotCreate(
            f"{folder}: cannot make the store's folder ({error.strerror})",
            hint="choose another one with MEMSTONE_HOME",
            path=folder,
        ) from error
    _check_folder(folder)
    resolved = os.path.join(folder, name)
    _make(resolved)
    for suffix in COMPANIONS:
        _check_file(resolved + suffix)
    return resolved


def _check_folder(folder: str) -> None:
    status = os.stat(folder)
    if not stat.S_ISDIR(status.st_mode):
        raise CannotCreate(f"{folder}: not a folder", path=folder)
    if os.name != "posix" or status.st_mode & stat.S_ISVTX:
        return
    by_group = status.st_mode & stat.S_IWGRP and not _is_own_group(status.st_gid)
    if by_group or status.st_mode & stat.S_IWOTH:
        raise StoreUnsafe(
            f"{folder}: other users may replace files in this folder",
            hint=f"run: chmod go-w {folder!r}",
            path=folder,
        )


def _is_own_group(number: int) -> bool:
    """Whether a group has nobody in it but this user: Debian, Ubuntu and Fedora give everybody one
    of that name, and let it write whatever its user makes (umask 002).
    """
    import grp  # noqa: PLC0415  (POSIX only, and only for a folder that a group may write)
    import pwd  # noqa: PLC0415

    try:
        user, group = pwd.getpwuid(os.geteuid()), grp.getgrgid(number)
    except KeyError:
        return False
    own = group.gr_gid == user.pw_gid and group.gr_name == user.pw_name
    return own and set(group.gr_mem) <= {user.pw_name}


def _make(path: str) -> None:
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, FILE_MODE))
    except FileExistsError:
        return
    except OSError as error:
        raise CannotCreate(
            f"{path}: cannot make the store ({error.strerror})",
            hint="check that the folder is yours to write",
            path=path,
        ) from error


def _check_file(path: str) -> None:
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return
    if not stat.S_ISREG(status.st_mode):
        raise StoreUnsafe(
            f"{path}: not a regular file", hint="a store is never a symlink", path=path
        )
    if path.endswith(".db") and 0 < status.st_size < SMALLEST_STORE:
        raise StoreUnsafe(
            f"{path}: {status.st_size} bytes are no store",
            hint="nothing was changed; move the file away or choose another one",
            path=path,
        )
    if os.name != "posix":
        return
    if status.st_uid not in {os.geteuid(), 0}:
        raise StoreUnsafe(f"{path}: belongs to another user", path=path)
    if status.st_mode & 0o077:
        try:
            os.chmod(path, FILE_MODE)
        except OSError as error:
            raise StoreUnsafe(
                f"{path}: others may read it and its mode cannot be changed ({error.strerror})",
                path=path,
            ) from error
