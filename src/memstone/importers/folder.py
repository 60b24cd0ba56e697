"""The Markdown files of a folder, found without ever leaving it.

A vault is somebody's folder, and what lies in it may have been put there by others: a link to the
whole disk, a link back to its own parent, a pipe that never ends, a hundred thousand files. So no
link is followed: what one inside the folder leads to is found under its own name anyway, and one
that leads outside is reported. Hidden files and folders (`.obsidian`, `.trash`, `.git`) are no
notes. Files come in one order on every machine, sorted by their paths, and are numbered in it.

What concerns the whole folder raises at once: missing, no folder, too many files, none at all.
"""

from __future__ import annotations

import os
import stat
import unicodedata
from dataclasses import dataclass
from itertools import islice

from memstone.errors import SourceError, SourceMissing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import FileIO

    _Seen = tuple[str, str, str, bool]  # path, file, why refused, whether that is a fault

ENDINGS = (".md", ".markdown")
MAX_FILES = 100_000
MAX_FOLDERS = 100_000
MAX_FILE_BYTES = 16 * 1024 * 1024  # nobody writes a note of that size by hand
SHOWN_CHARACTERS = 200  # of a path, in a report
UTF8_BOM = "\ufeff"
_OPENING = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_BINARY = getattr(os, "O_BINARY", 0)


@dataclass(frozen=True, slots=True)
class Found:
    """One file of the folder, or what stands in its place."""

    number: int  # from 1, in the order of the paths
    path: str  # below the folder, with slashes, in NFC: the same on every machine
    file: str  # how it is opened
    refused: str = ""  # why it is none
    bad: bool = True

    @property
    def shown(self) -> str:
        """The path as a report may print it: no signs that a terminal obeys, and not endless."""
        text = "".join(sign if sign.isprintable() else "\ufffd" for sign in self.path)
        return text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + "…"


def markdown_files(folder: str | os.PathLike[str], most: int = MAX_FILES) -> list[Found]:
    """Every Markdown file below `folder`, and what was found in place of one, by path.

    Raises `SourceMissing` if there is no such folder, `SourceError` if it is none, cannot be read,
    or holds no such file or more than `most`.
    """
    name = os.fspath(folder)
    try:
        if not stat.S_ISDIR(os.stat(name).st_mode):
            raise SourceError(f"{name}: not a folder", path=name)
    except FileNotFoundError as error:
        raise SourceMissing(f"{name}: no such folder", path=name) from error
    except OSError as error:
        message = f"{name}: cannot be read: {error.strerror or error}"
        raise SourceError(message, path=name) from error
    except ValueError as error:  # a NUL byte or half a surrogate pair: nothing has such a name
        raise SourceMissing(f"{name!r}: no folder can have this name", path=name) from error
    found: list[_Seen] = []
    for each in _below(os.path.realpath(name), name):
        found.append(each)
        if len(found) > most:
            raise SourceError(
                f"{name}: more than {most} Markdown files",
                hint="import its folders one by one",
                path=name,
            )
    if not found:
        raise SourceError(f"{name}: there is no Markdown file in it", path=name)
    found.sort(key=lambda each: (each[0].split("/"), each[1]))
    return [Found(number, *each) for number, each in enumerate(found, start=1)]


def some_files(folder: str | os.PathLike[str], most: int) -> list[Found]:
    """Up to `most` Markdown files below `folder`, enough to tell what it is; none if it is none."""
    try:
        below = _below(os.path.realpath(folder), os.fspath(folder))
        readable = (each for each in below if not each[2])
        return [Found(number, *each) for number, each in enumerate(islice(readable, most), start=1)]
    except (OSError, ValueError, SourceError):
        return []


def _below(root: str, name: str) -> Iterator[_Seen]:
    """Everything below `root` that is or ought to be a Markdown file, in no order."""
    waiting = [(root, "")]
    visited = 0
    while waiting:
        folder, prefix = waiting.pop()
        visited += 1
        if visited > MAX_FOLDERS:
            raise SourceError(f"{name}: more than {MAX_FOLDERS} folders in it", path=name)
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.name.startswith("."):
                        continue
                    path = prefix + _portable(entry.name)
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append((entry.path, f"{path}/"))
                    else:
                        yield from _one(root, entry, path)
        except OSError as error:
            reason = f"cannot be read: {error.strerror or error}"
            if not prefix:
                raise SourceError(f"{name}: {reason}", path=name) from error
            yield (prefix.rstrip("/"), folder, reason, True)


def _one(root: str, entry: os.DirEntry[str], path: str) -> Iterator[_Seen]:
    if entry.is_symlink():
        yield from _link(root, entry, path)
    elif entry.name.lower().endswith(ENDINGS):
        is_file = entry.is_file(follow_symlinks=False)
        yield (path, entry.path, "" if is_file else "not a plain file", True)


def _link(root: str, entry: os.DirEntry[str], path: str) -> Iterator[_Seen]:
    """Nothing for a link to what is found anyway, else why it was not followed."""
    target = os.path.realpath(entry.path)
    is_note = entry.name.lower().endswith(ENDINGS)
    if not os.path.exists(target):
        if is_note:
            yield (path, entry.path, "a link that leads nowhere", True)
        return
    if not is_note and not os.path.isdir(target):
        return
    if target != root and not target.startswith(root.rstrip(os.sep) + os.sep):
        yield (path, entry.path, "a link that leads out of the folder", False)
    elif any(part.startswith(".") for part in target[len(root) :].split(os.sep)):
        yield (path, entry.path, "a link to something hidden", False)


def _portable(name: str) -> str:
    """A name as every machine spells it: some file systems decompose letters."""
    return unicodedata.normalize("NFC", os.fsencode(name).decode("utf-8", "replace"))


def text_of(found: Found) -> tuple[str, int]:
    """The text of a file and when it was last written, in microseconds since 1970.

    Raises `SourceError` if it cannot be read, is no plain file, too large or not UTF-8.
    """
    try:
        descriptor = os.open(found.file, _OPENING | _BINARY)
        with open(descriptor, "rb", buffering=0) as stream:
            status = os.fstat(stream.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise SourceError("not a plain file")
            data = _all_of(stream)
    except OSError as error:
        raise SourceError(f"cannot be read: {error.strerror or error}") from error
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise SourceError(f"not UTF-8 at byte {error.start + 1}") from error
    if "\0" in text:
        raise SourceError("not text: there is a NUL in it")
    return text.removeprefix(UTF8_BOM).replace("\r\n", "\n"), status.st_mtime_ns // 1_000


def _all_of(stream: FileIO) -> bytes:
    data = bytearray()
    while chunk := stream.read(MAX_FILE_BYTES + 1 - len(data)):
        data += chunk
        if len(data) > MAX_FILE_BYTES:
            raise SourceError(f"more than {MAX_FILE_BYTES} bytes, which is no note")
    return bytes(data)
