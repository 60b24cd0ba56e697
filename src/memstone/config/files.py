"""Settings files as bytes, and the compiled form that saves reading YAML at every start.

Reading YAML costs more than the rest of a start, so the flat form of a file is kept in the data
folder, together with the text it was made from, and serves while the file still says just that.
A time of change would be cheaper by microseconds, but it misses a file edited twice within one
tick or restored with its old times. The compiled form is only ever an economy: missing, damaged,
of another version, unreadable or not writable, it is passed over and the file itself is read.

A settings file is small and regular. Pipes, devices and folders are refused, and in a repository
symbolic links too.
"""

from __future__ import annotations

import errno
import json
import os
import stat
from dataclasses import dataclass

from memstone.errors import ConfigError
from memstone.version import VERSION

MAX_FILE_BYTES = 64 * 1024  # the template with every key is under 4 KiB
MAX_COMPILED_BYTES = 16 * MAX_FILE_BYTES  # escapes take up to 6 bytes a byte, in two copies
Scalar = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Entry:
    """A value as the file has it, and the line (from 1) its key stands on."""

    value: Scalar
    line: int


def read_bytes(path: str, *, follow: bool) -> bytes | None:
    """The content of the settings file at `path`; None if there is no such file.

    Without `follow` a symbolic link is refused: a repository must not make us read, and quote in a
    message, a file outside it. Raises `ConfigError` on anything that is not a small file.
    """
    # O_NONBLOCK: opening a pipe that a repository put there must not wait for a writer
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        if not follow and os.path.islink(path):
            raise refuse(path, None, "is a symbolic link; a project's settings must be a file")
        descriptor = os.open(path, flags)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            return None  # no folder can have that name; whoever wants to write there says so
        raise refuse(path, None, f"cannot be read: {error.strerror}") from error
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise refuse(path, None, "is not a file")
        with os.fdopen(descriptor, "rb", closefd=False) as stream:
            source = stream.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise refuse(path, None, f"cannot be read: {error.strerror}") from error
    finally:
        os.close(descriptor)
    if len(source) > MAX_FILE_BYTES:
        raise refuse(path, None, f"is larger than {MAX_FILE_BYTES} bytes")
    return source


def refuse(path: str, line: int | None, problem: str) -> ConfigError:
    """The error for the file at `path`, to be raised where the problem is found."""
    where = path if line is None else f"{path}, line {line}"
    return ConfigError(f"{where}: {problem}", file=path, line=line)


def load_compiled(cache: str, source: bytes) -> dict[str, Entry] | None:
    """The compiled form if it was made from `source`, else None."""
    try:
        with open(cache, "rb") as stream:
            content = json.loads(stream.read(MAX_COMPILED_BYTES))
        if content["version"] != VERSION or content["source"].encode("utf-8") != source:
            return None
        entries = {key: Entry(value, line) for key, (value, line) in content["entries"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None  # damaged, or another program's: the file itself has the answer
    sound = all(
        isinstance(entry.line, int)
        and (entry.value is None or isinstance(entry.value, (str, int, float)))
        for entry in entries.values()
    )
    return entries if sound else None


def store_compiled(cache: str, source: bytes, entries: dict[str, Entry]) -> None:
    """Write the compiled form, whole or not at all; a folder that forbids it costs only time."""
    rows = {key: [entry.value, entry.line] for key, entry in entries.items()}
    text = source.decode("utf-8")
    content = json.dumps({"version": VERSION, "source": text, "entries": rows})
    try:
        write_private(cache, content.encode("ascii"))
    except OSError:
        return  # no folder yet, a read-only one, or a full disk


def write_private(path: str, data: bytes) -> None:
    """Write a file that only its owner reads, whole or not at all; raises `OSError`."""
    temporary = f"{path}.{os.getpid()}.{os.urandom(4).hex()}"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
        os.replace(temporary, path)
    except OSError:
        _remove(temporary)
        raise


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return  # it could not be written either; nothing depends on it
