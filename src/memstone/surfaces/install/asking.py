"""The clients' own commands, run to change their own settings.

A client knows its files best, so where it has a command to add a server that command is run, with
a limit on its time, nothing to read, and from the home folder, so that no project's settings are
meant. Whether it worked is judged by the file alone. On Windows such commands are batch files,
which cannot be given an argument with quotes safely; there the file is edited instead.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstone.surfaces.install.clients import Machine

SECONDS = 60
SHOWN = 300  # characters of what a command complained


@dataclass(frozen=True, slots=True)
class Asked:
    """How a client's command ended; `problem` is None if it ended well."""

    words: tuple[str, ...]
    problem: str | None


def can_ask(words: Sequence[str], machine: Machine) -> bool:
    """Whether the client's command is there and can be given these words."""
    program = machine.which(words[0]) if words else None
    return program is not None and not program.lower().endswith((".cmd", ".bat"))


def ask(words: Sequence[str], machine: Machine) -> Asked:
    """Run a client's command to its end."""
    program = machine.which(words[0])
    if program is None:
        return Asked(tuple(words), f"{words[0]} is not on PATH")
    try:
        done = subprocess.run(  # noqa: S603  (the client that the user named, no shell)
            [program, *words[1:]],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=dict(machine.environ),
            cwd=machine.home,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Asked(tuple(words), f"{words[0]} did not end within {SECONDS} seconds")
    except OSError as error:
        return Asked(tuple(words), f"{words[0]} could not be run: {error.strerror}")
    if done.returncode == 0:
        return Asked(tuple(words), None)
    said = (done.stderr or done.stdout).decode("utf-8", "replace").strip()[:SHOWN]
    return Asked(tuple(words), f"{words[0]} ended with {done.returncode}: {said}")
