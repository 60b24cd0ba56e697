"""Pausing and going incognito, as surfaces ask for it: where the switches lie, and their errors."""

from __future__ import annotations

import os

from memstone.config import data_home
from memstone.config import switches as files
from memstone.config.switches import INCOGNITO, PAUSED, Switches
from memstone.errors import InvalidInput, Paused

__all__ = ["Switches", "check_on", "pause", "resume", "set_incognito", "switches"]

_WAY_OUT = {
    PAUSED: "`memstone resume` switches it on again",
    INCOGNITO: "`memstone incognito off` in this project switches it on again",
}


def switches(home: str | None = None) -> Switches:
    """What is switched off in the data folder `home` (default: the usual one)."""
    return files.read(home or data_home(os.environ))


def pause(home: str | None = None) -> Switches:
    """Switch hooks and MCP tools off. Raises `CannotCreate`."""
    return files.set_paused(home or data_home(os.environ), paused=True)


def resume(home: str | None = None) -> Switches:
    """Switch hooks and MCP tools on again. Raises `CannotCreate`."""
    return files.set_paused(home or data_home(os.environ), paused=False)


def set_incognito(project: str, *, incognito: bool, home: str | None = None) -> Switches:
    """Switch hooks and MCP tools off, or on again, in one project. Raises `CannotCreate`,
    `InvalidInput` for an unnamed project.
    """
    if not project:
        raise InvalidInput(
            "project: outside a repository there is no project to switch",
            hint="go into one, or name it with --project; `memstone pause` switches all off",
            name="project",
        )
    return files.set_incognito(home or data_home(os.environ), project, incognito=incognito)


def check_on(project: str, home: str | None = None) -> None:
    """Raise `Paused` if hooks and tools are off in that project."""
    off = switches(home).off(project)
    if off is not None:
        raise Paused(f"memory is off here: {off}", hint=_WAY_OUT[off], reason=off)
