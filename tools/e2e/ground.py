"""The throw-away place of one run: a home, two projects, the clients on PATH, nothing else.

Everything a client or memstone writes lands under one temporary folder, because HOME points there
and no other variable is handed down. memstone itself is found as a user has it: by the command
words given, its store at the default place below that home.
"""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

COMMAND_SECONDS = 120


@dataclass(frozen=True, slots=True)
class Done:
    """A finished command."""

    code: int
    out: str
    err: str
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Ground:
    """The folders of one run and the words that start memstone."""

    root: Path
    memstone: tuple[str, ...]

    @classmethod
    def made(cls, root: Path, memstone: tuple[str, ...], binaries: dict[str, Path]) -> Ground:
        """A fresh home with two repositories in it, the clients on its PATH."""
        ground = cls(root, memstone)
        for project in (ground.project, ground.other_project):
            (project / ".git").mkdir(parents=True)
            (project / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="ascii")
        ground.bin.mkdir()
        for name, binary in binaries.items():
            (ground.bin / name).symlink_to(binary)
        return ground

    @property
    def home(self) -> Path:
        """The home of the user who does not exist."""
        return self.root / "home"

    @property
    def project(self) -> Path:
        """The repository that the conversation is about."""
        return self.home / "shop"

    @property
    def other_project(self) -> Path:
        """A repository that has nothing to do with it."""
        return self.home / "garden"

    @property
    def bin(self) -> Path:
        """Where the clients' commands are."""
        return self.root / "bin"

    def environment(self, **more: str) -> dict[str, str]:
        """All variables that a process of this run gets."""
        path = f"{self.bin}:/usr/bin:/bin"
        return {"HOME": str(self.home), "PATH": path, "LANG": "C.UTF-8", "TERM": "dumb", **more}

    def run(self, *words: str) -> Done:
        """What a memstone command says, in the project's folder."""
        return run([*self.memstone, *words], self.environment(), self.project)

    def read(self, *words: str) -> dict[str, Any]:
        """The JSON object that a memstone command prints; empty if it failed or printed none."""
        done = self.run(*words, "--json")
        try:
            value = json.loads(done.out)
        except ValueError:
            return {}
        return value if done.code == 0 and isinstance(value, dict) else {}

    def exported(self) -> list[dict[str, Any]]:
        """Every memory in the store, of all projects, as the export writes it."""
        rows = [json.loads(line) for line in self.run("export").out.splitlines()]
        return [row for row in rows if "text" in row]


def run(command: list[str], environment: dict[str, str], folder: Path) -> Done:
    """The command's end; code 124 if it did not end in time."""
    before = os.times().elapsed
    try:
        done = subprocess.run(
            command,
            env=environment,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=COMMAND_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Done(124, "", f"no end after {COMMAND_SECONDS} s", COMMAND_SECONDS)
    return Done(done.returncode, done.stdout, done.stderr, os.times().elapsed - before)
