"""Off switches for hooks and MCP tools: all of memstone paused, or one project incognito.

They lie in a small file of the data folder, not in the store, so that a hook that is switched off
opens no store at all, not even one that is damaged or busy. A file that cannot be read counts as
"paused": who switched something off must not be recorded because a file broke.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace

from memstone.config.files import write_private
from memstone.errors import CannotCreate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

SWITCHES_FILE = "switches.json"
PAUSED = "paused"
INCOGNITO = "incognito"


@dataclass(frozen=True, slots=True)
class Switches:
    """What is switched off; the projects are the names that scopes bear."""

    paused: bool = False
    incognito: tuple[str, ...] = ()

    def off(self, project: str) -> str | None:
        """Why hooks and tools are off in that project: `paused`, `incognito`, or None if on.

        >>> Switches(incognito=("/home/ana/diary",)).off("/home/ana/diary")
        'incognito'
        """
        if self.paused:
            return PAUSED
        return INCOGNITO if project in self.incognito else None


def read(home: str) -> Switches:
    """The switches of a data folder."""
    try:
        with open(os.path.join(home, SWITCHES_FILE), "rb") as file:
            data = json.loads(file.read())
        return Switches(data["paused"] is not False, _names(data["incognito"]))
    except (FileNotFoundError, NotADirectoryError):
        return Switches()
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return Switches(paused=True)


def _names(values: object) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(name, str) for name in values):
        raise TypeError("projects are a list of names")
    return tuple(values)


def set_paused(home: str, *, paused: bool) -> Switches:
    """Switch everything off, or on again; raises `CannotCreate`."""
    return _write(home, replace(read(home), paused=paused))


def set_incognito(home: str, project: str, *, incognito: bool) -> Switches:
    """Switch one project off, or on again; raises `CannotCreate`."""
    before = read(home)
    others = [name for name in before.incognito if name != project]
    return _write(home, replace(before, incognito=_sorted([*others, *[project] * incognito])))


def _sorted(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(names))


def _write(home: str, switches: Switches) -> Switches:
    text = json.dumps(
        {"paused": switches.paused, "incognito": list(switches.incognito)}, ensure_ascii=False
    )
    path = os.path.join(home, SWITCHES_FILE)
    try:
        os.makedirs(home, mode=0o700, exist_ok=True)
        write_private(path, text.encode("utf-8", "surrogatepass"))
    except OSError as error:
        raise CannotCreate(
            f"{path}: cannot be written: {error.strerror or error}",
            hint="make the data folder writable; nothing was switched",
            path=path,
        ) from error
    return switches
