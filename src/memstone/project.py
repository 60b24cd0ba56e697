"""Which project a directory belongs to, read from git's own files without starting git.

A project is named by the real path of its main worktree's root, so that every linked worktree of
a repository shares one memory. Starting `git` would cost more than a whole recall; its layout is
small and documented (gitrepository-layout(5)): `.git` is a directory, or a file `gitdir: …`
pointing to one, and a linked worktree's directory names the common one in `commondir`.

A `.git` file travels in archives, so what it claims is checked before it is believed: a directory
counts as a worktree of another project only if that project's own files point back to it.
Otherwise an unpacked archive could read the memories of any project whose path it guesses.
What cannot be verified, or is broken, is a project of its own.
"""

from __future__ import annotations

import os

__all__ = ["project_of"]

POINTER_BYTES = 8192  # a `.git` file holds one path; PATH_MAX is 4096 on Linux
CONFIG_BYTES = 256 * 1024  # only the [core] section matters, and git writes it first


def project_of(directory: str) -> str:
    r"""The real path of the root of the project that holds `directory`, "" outside a repository.

    Bytes of a path that are not UTF-8 appear as `\xNN`, so that the name can be stored.

    >>> project_of(os.sep)
    ''
    """
    here = os.path.realpath(directory)
    while True:
        root = _root_at(here)
        if root is not None:
            return os.fsencode(root).decode("utf-8", "backslashreplace")
        parent = os.path.dirname(here)
        if parent == here:
            return ""
        here = parent


def _root_at(folder: str) -> str | None:
    """The project's root if a repository starts at `folder`, else None."""
    dot_git = os.path.join(folder, ".git")
    if os.path.isfile(dot_git):
        return _root_of_pointer(folder, dot_git)
    if _is_file(dot_git, "HEAD"):  # git passes over a `.git` directory that holds no repository
        return folder
    if _is_git_directory(folder):  # bare, or we stand inside `.git`
        return _main_root(folder)
    return None


def _root_of_pointer(folder: str, dot_git: str) -> str:
    """The root for a `.git` file: the main worktree's if both sides agree, else `folder`."""
    git_directory = _pointed(dot_git)
    if git_directory is None:
        return folder
    common = _read_path(os.path.join(git_directory, "commondir"), git_directory)
    if common is None:  # a submodule, or `git init --separate-git-dir`
        return folder
    back = _read_path(os.path.join(git_directory, "gitdir"), git_directory)
    registered = os.path.dirname(git_directory) == os.path.join(common, "worktrees")
    if not registered or back != os.path.realpath(dot_git):
        return folder
    return _main_root(common)


def _main_root(common: str) -> str:
    """The main worktree's root of the repository directory `common`; itself if it is bare."""
    beside = os.path.dirname(common)
    if os.path.basename(common) == ".git":
        return beside
    claimed = _core_worktree(common)
    for root in (claimed, beside):  # a submodule; a hidden bare repository beside its `.git` file
        if root is not None and _pointed(os.path.join(root, ".git")) == common:
            return root
    return common


def _is_git_directory(folder: str) -> bool:
    return (
        _is_file(folder, "HEAD")
        and os.path.isdir(os.path.join(folder, "objects"))
        and os.path.isdir(os.path.join(folder, "refs"))
    )


def _is_file(folder: str, name: str) -> bool:
    return os.path.isfile(os.path.join(folder, name))


def _pointed(dot_git: str) -> str | None:
    """The real path a `.git` file names, None if it names none."""
    content = _read(dot_git, POINTER_BYTES)
    if not content.startswith(b"gitdir:"):
        return None
    return _resolve(content[len(b"gitdir:") :], os.path.dirname(dot_git))


def _read_path(file: str, base: str) -> str | None:
    return _resolve(_read(file, POINTER_BYTES), base)


def _resolve(content: bytes, base: str) -> str | None:
    """The path in `content`, relative ones taken from `base`; None if there is none."""
    path = content.strip()
    if not path or b"\0" in path:
        return None
    return os.path.realpath(os.path.join(base, os.fsdecode(path)))


def _core_worktree(common: str) -> str | None:
    """The real path of `core.worktree` in a repository's config, which submodules carry."""
    section = b""
    for line in _read(os.path.join(common, "config"), CONFIG_BYTES).splitlines():
        text = line.strip()
        if text.startswith(b"["):
            section = text.lower()
        elif section == b"[core]":
            name, equals, value = text.partition(b"=")
            if equals and name.strip().lower() == b"worktree":
                return _resolve(value.strip().strip(b'"'), common)
    return None


def _read(file: str, limit: int) -> bytes:
    """The first `limit` bytes of a regular file; nothing if it is missing or unreadable."""
    if not os.path.isfile(file):  # opening a pipe that somebody left there would wait for ever
        return b""
    try:
        with open(file, "rb") as stream:
            return stream.read(limit)
    except OSError:
        return b""
