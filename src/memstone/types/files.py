"""Files kept as versioned memories: what is asked to be done with them, and what was done.

A file is a chain of memories known by a path (`external_id`) and not by their text: two files may
hold the same bytes, a file may be empty, and going back to an earlier content is an edit like any
other. What a path means (folders, a root, what is forbidden) is the business of whoever keeps
the files; here it is a name with slashes.
"""

from __future__ import annotations

from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memstone.types.memories import Memory
    from memstone.types.writing import Redaction


@dataclass(frozen=True, slots=True, kw_only=True)
class FileVersion:
    """A file as it shall be. `after` is the version it takes over from, None for a new file;
    `tags` are those of a new file, a later version inherits.
    """

    path: str
    text: str
    after: Memory | None = None
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChanges:
    """What one transaction does with files: forget some with all their versions, write others."""

    remove: tuple[Memory, ...] = ()
    write: tuple[FileVersion, ...] = ()


@dataclass(frozen=True, slots=True)
class Filed:
    """A version as it was stored: `text` differs from what was given where `redactions` say so."""

    path: str
    text: str
    redactions: tuple[Redaction, ...] = ()
