"""What a new process costs: `memstone recall QUERY --json`, whole process, beside bare Python.

A hook or a command-line call is a new process, so start-up is part of every recall. CPU is user
plus system time of the finished child, imports and shutdown included.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks import corpus
from benchmarks.metrics import quantile
from benchmarks.report import Figure
from benchmarks.speed import built_store
from benchmarks.workspace import PACKAGE, scratch, without_settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

LEAST_MS, AIM_MS = 150.0, 100.0


@dataclass(frozen=True, slots=True)
class Cost:
    """Of one child process, in milliseconds."""

    cpu_ms: float
    wall_ms: float


def child_cost(
    command: Sequence[str], environ: Mapping[str, str], cwd: Path, *, given: bytes = b""
) -> tuple[Cost, subprocess.CompletedProcess[bytes]]:
    """Run `command` to its end on that standard input: what it cost and what it said.

    Raises `CalledProcessError` when it fails.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    done = subprocess.run(
        command, check=True, capture_output=True, env=dict(environ), cwd=cwd, input=given
    )
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return Cost(cpu * 1_000, wall * 1_000), done


def measure(size: int, *, runs: int = 15) -> list[Figure]:
    """Medians over `runs` of a recall by the command line on a store of `size` memories."""
    home = built_store(size) / "store"
    environ = without_settings(os.environ)
    environ["MEMSTONE_HOME"] = str(home)
    # an installed package has its bytecode; the first, uncounted run makes it here
    environ.pop("PYTHONDONTWRITEBYTECODE", None)
    environ["PYTHONPATH"] = str(PACKAGE.parent)
    recall, bare = [], []
    with scratch() as elsewhere:  # outside any repository: the default project is empty
        for number, probe in enumerate(corpus.queries(runs + 1, size)):
            command = [sys.executable, "-m", "memstone", "recall", probe.text, "--json"]
            cost, _ = child_cost(command, environ, elsewhere)
            empty, _ = child_cost([sys.executable, "-c", "pass"], environ, elsewhere)
            if number:  # the first one writes byte code and caches
                recall.append(cost)
                bare.append(empty)
    cpu = quantile([cost.cpu_ms for cost in recall], 0.5)
    bare_cpu = quantile([cost.cpu_ms for cost in bare], 0.5)
    return [
        Figure(
            key=f"start.{size}.cpu",
            what=f"new process, `recall --json` on {size:,} memories, p50",
            unit="ms CPU",
            value=cpu,
            n=len(recall),
            least=LEAST_MS,
            aim=AIM_MS,
            lower_is_better=True,
            note=f"bare `python -c pass` {bare_cpu:.0f} ms",
        ),
        Figure(
            key=f"start.{size}.wall",
            what=f"new process, `recall --json` on {size:,} memories, p50",
            unit="ms wall",
            value=quantile([cost.wall_ms for cost in recall], 0.5),
            n=len(recall),
            lower_is_better=True,
            note=f"bare `python -c pass` {quantile([c.wall_ms for c in bare], 0.5):.0f} ms",
        ),
    ]
