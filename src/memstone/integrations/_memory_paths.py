r"""Paths of memory files: from what a model wrote to one canonical name, or a refusal.

There is no file system behind these paths, so nothing can be reached through them; they are refused
all the same where they would mean something else on one: a way out of the root, an encoded or a
foreign separator, a name that some platform cuts, a character that makes a listing lie. One file
has one name: `/memories//a/` and `/memories/a` are the same.

A refusal uses the words of Anthropic's own file-system backend where that backend refuses as well.
It is stricter than that backend, which makes a file `_backup/x` out of `/memories_backup/x`.
"""

from __future__ import annotations

import posixpath
import re

from memstone import wire
from memstone.errors import MemoryFileRefused
from memstone.types import MAX_NAME_BYTES

ROOT = "/memories"
MAX_PART_BYTES = 255  # what file systems take, so that a folder of memories can be written out
# a dot, a slash, a backslash or a NUL, percent-encoded once or more
_ENCODED = re.compile(r"%(?:25)*(?:2e|2f|5c|00)", re.IGNORECASE)
# control characters, line separators and what turns the direction of a line
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def canonical(path: str) -> str:
    """The one name of the file or folder that `path` means. Raises `MemoryFileRefused`.

    >>> canonical("/memories//notes/./计划.md")
    '/memories/notes/计划.md'
    """
    wire.unicode_text(path, name="path")
    if path != ROOT and not path.startswith(f"{ROOT}/"):
        raise MemoryFileRefused(f"Path must start with {ROOT}, got: {path}")
    parts = [part for part in path.removeprefix(ROOT).split("/") if part]
    if ".." in parts:
        meant = posixpath.normpath(path)
        if meant != ROOT and not meant.startswith(f"{ROOT}/"):
            raise MemoryFileRefused(f"Path {path} would escape {ROOT} directory")
        raise MemoryFileRefused(f"Path {path} is refused: '..' is not allowed in it")
    fault = _fault(path, parts)
    if fault is not None:
        shown = _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", path)
        raise MemoryFileRefused(f"Path {_short(shown)} is refused: {fault}")
    return "/".join((ROOT, *(part for part in parts if part != ".")))


def _fault(path: str, parts: list[str]) -> str | None:
    """What is wrong with the parts of a path, if anything."""
    names = [part for part in parts if part != "."]
    faults = (
        (_UNPRINTABLE.search(path), "it holds a character that cannot be shown"),
        ("\\" in path, "a backslash is not allowed in it"),
        (_ENCODED.search(path), "an encoded separator is not allowed in it"),
        (parts[-1:] == ["."], "it ends with a dot"),
        (any(name[-1] in ". " for name in names), "a name in it ends with a dot or a space"),
        (
            any(len(name.encode("utf-8")) > MAX_PART_BYTES for name in names),
            f"a name in it has more than {MAX_PART_BYTES} bytes",
        ),
    )
    return next((fault for wrong, fault in faults if wrong), check_length(path))


def check_length(path: str) -> str | None:
    """What is wrong with the length of a canonical path, if anything."""
    longest = MAX_NAME_BYTES - 1  # a folder's own name ends with a slash
    return f"it has more than {longest} bytes" if len(path.encode("utf-8")) > longest else None


def parent(path: str) -> str:
    """The folder that a canonical path, not the root, lies in."""
    return posixpath.dirname(path)


def folders_above(path: str) -> list[str]:
    """The folders that a canonical path lies in, from below the root down.

    >>> folders_above("/memories/a/b/c.md")
    ['/memories/a', '/memories/a/b']
    """
    parts = path.removeprefix(ROOT).split("/")[1:-1]
    return ["/".join((ROOT, *parts[: depth + 1])) for depth in range(len(parts))]


def is_below(path: str, folder: str) -> bool:
    """Whether a path lies in that folder, at whatever depth."""
    return path.startswith(f"{folder}/")


def _short(path: str) -> str:
    return path if len(path) <= 200 else path[:200] + "…"
