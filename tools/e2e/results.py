"""What a run found: checks that hold or do not, and figures; printed as tables, kept as JSON.

A check says what was seen in its own words, also when it holds, because the documents quote it.
`None` means that it could not be judged, and `seen` says why. The file holds no path, address or
user name, and keeps the sections of an earlier run that this one did not measure.
"""

from __future__ import annotations

import json
import os
import platform
import re
import statistics
import subprocess
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
RESULTS = ROOT / "benchmarks" / "results"
MARKS = {True: "ok", False: "FAILED", None: "n/a"}


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that must hold, and what was seen of it."""

    what: str
    holds: bool | None
    seen: str


@dataclass(frozen=True, slots=True)
class Note:
    """Something seen that is worth knowing and binds nobody."""

    what: str
    seen: str


@dataclass(frozen=True, slots=True)
class Figure:
    """A measured value: the median of `n` with the lowest and the highest."""

    what: str
    unit: str
    median: float
    lowest: float
    highest: float
    n: int

    @classmethod
    def of(cls, what: str, unit: str, values: list[float]) -> Figure:
        """The figure of one or more values."""
        middle = round(statistics.median(values), 1)
        return cls(what, unit, middle, min(values), max(values), len(values))


@dataclass(slots=True)
class Section:
    """All that was found about one client or one transport."""

    name: str
    version: str = ""
    checks: list[Check] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)

    def check(self, what: str, seen: object, *, holds: bool | None) -> bool:
        """Record it; True if it holds. None: nothing to judge here, and `seen` says why."""
        self.checks.append(Check(what, holds, str(seen)))
        print(f"  {MARKS[holds]:8}{what}: {seen}", flush=True)
        return bool(holds)

    def note(self, what: str, seen: object) -> None:
        """Record something seen that nobody promised."""
        self.notes.append(Note(what, str(seen)))
        print(f"  {'':8}{what}: {seen}", flush=True)

    def figure(self, what: str, unit: str, values: list[float]) -> None:
        """Record the median of `values`, if there are any."""
        if values:
            made = Figure.of(what, unit, values)
            self.figures.append(made)
            print(f"  {'':8}{what}: {made.median} {unit} ({made.lowest} to {made.highest})")

    @property
    def failed(self) -> int:
        """How many checks do not hold."""
        return sum(check.holds is False for check in self.checks)


def table(sections: list[Section]) -> str:
    """All sections as Markdown."""
    lines: list[str] = []
    for section in sections:
        lines += [f"### {section.name} {section.version}".rstrip(), ""]
        lines += ["| what | | seen |", "|---|---|---|"]
        lines += [
            f"| {_cell(c.what)} | {MARKS[c.holds]} | {_cell(c.seen)} |" for c in section.checks
        ]
        lines += [f"| {n.what} | | {_cell(n.seen)} |" for n in section.notes]
        if section.figures:
            lines += ["", "| figure | median | lowest to highest | n |", "|---|---|---|---|"]
        lines += [
            f"| {f.what} | {f.median:g} {f.unit} | {f.lowest:g} to {f.highest:g} | {f.n} |"
            for f in section.figures
        ]
        lines.append("")
    return "\n".join(lines)


def write(file: str, sections: list[Section]) -> None:
    """Put the sections into `benchmarks/results/<file>`, each with its commit and machine."""
    path = RESULTS / file
    kept = json.loads(path.read_text(encoding="utf-8"))["sections"] if path.is_file() else {}
    made = {
        section.name: {"commit": _commit(), "machine": _machine(), **asdict(section)}
        for section in sections
    }
    text = json.dumps({"schema": 1, "sections": kept | made}, indent=1, ensure_ascii=False)
    path.write_text(_without_paths(text) + "\n", encoding="utf-8")


def _without_paths(text: str) -> str:
    """`text` without the folders of this machine: errors that are quoted name them."""
    text = text.replace(str(ROOT), "PROJECT")
    return re.sub(re.escape(tempfile.gettempdir()) + r"/[\w-]+", "ROOT", text)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _commit() -> str:
    done = subprocess.run(
        ["git", "describe", "--always", "--abbrev=12", "--dirty=, and what was not committed"],
        capture_output=True,
        encoding="utf-8",
        cwd=ROOT,
        check=False,
    )
    return done.stdout.strip() or "unknown"


def _machine() -> dict[str, object]:
    return {
        "cpus": os.cpu_count(),
        "architecture": platform.machine(),
        "system": platform.system(),
        "python": platform.python_version(),
    }
