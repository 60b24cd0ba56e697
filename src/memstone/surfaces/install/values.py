"""What an installation is made of: what a file shall hold, what changes, what a receipt keeps.

A `Target` says what one file of a client shall hold; a `Change` what that does to one value; a
`Record` what has to be known later to take exactly that out again. A receipt is the records of
one client. The whole content of a person's file is kept only where taking our values out of the
file would not give the same bytes, since such files hold keys of other services.
"""

from __future__ import annotations

from dataclasses import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

Pointer = tuple[str | int, ...]

JSON, TOML, WHOLE = "json", "toml", "whole"


@dataclass(frozen=True, slots=True)
class Entry:
    """Our MCP server in a file; keys in `once` are written with a new entry and then left alone."""

    pointer: tuple[str, ...]
    value: Mapping[str, object]
    once: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Hook:
    """One hook of ours: the event in the client's words, the command, and the whole element."""

    event: str
    command: str
    value: object


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What one file of a client shall hold; links from it must stay below `root`."""

    path: str
    root: str
    kind: str = JSON
    entry: Entry | None = None
    hooks: tuple[Hook, ...] = ()
    version: bool = False  # whether a new file of hooks needs Cursor's `"version": 1`
    content: bytes = b""  # of a file that is wholly ours
    by: tuple[str, ...] = ()  # the client's own command that adds the entry


@dataclass(frozen=True, slots=True)
class Change:
    """One value of a file, before and after; None is absent. `by` is the command that makes it."""

    file: str
    pointer: str
    old: object
    new: object
    by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Traces:
    """What the file was like where our values went."""

    created: tuple[Pointer, ...] = ()  # containers that were not there
    inner: Mapping[Pointer, str] = field(default_factory=dict)  # white space of empty ones
    replaced: Mapping[Pointer, str] = field(default_factory=dict)  # what stood in our place


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What a receipt keeps of one file; digests are SHA-256."""

    path: str
    root: str
    kind: str
    before: str | None  # digest; None: there was no file
    copy: bytes | None  # the bytes before, if they cannot be had from the file itself
    after: tuple[str, ...]  # digests of what we left, and of what we were about to leave
    ours: tuple[str, ...]  # fingerprints of the commands that we wrote
    entry: tuple[str, ...] = ()
    traces: Traces = Traces()
    folders: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """Everything that was done for one client."""

    client: str
    version: str
    plugin: bool
    records: tuple[Record, ...]
