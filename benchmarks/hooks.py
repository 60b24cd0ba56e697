"""What a hook costs: the whole process of each, beside bare Python, idle and during an import.

A hook runs at every prompt of a session, so its process is what a person pays for memory. CPU is
user plus system time of the finished child. The store is a copy, because hooks record what they
injected and what was said. For the last figures another process imports turns into the same store
all the while; its time is not part of them, its lock is.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import corpus
from benchmarks.metrics import quantile
from benchmarks.report import Figure
from benchmarks.speed import SESSION_LENGTH, built_store
from benchmarks.start import AIM_MS, LEAST_MS, Cost, child_cost
from benchmarks.workspace import PACKAGE, PROJECT, default_engine, scratch, without_settings
from memstone.types import Turn

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

OTHER_SEED = 11  # texts that no cached store holds
IMPORT_CODE = "import sys; from benchmarks.hooks import keep_importing; keep_importing(sys.argv[1])"
SESSION = "5c1d2e3f-0000-4000-8000-00000000000a"


def measure(size: int, *, runs: int = 15) -> list[Figure]:
    """Medians over `runs` of the hooks of Claude Code on a store of `size` memories."""
    with scratch() as folder:
        home = folder / "store"
        shutil.copytree(built_store(size) / "store", home)
        with default_engine(home) as engine:  # brings an older copy up to date
            engine.remember("Answer in Chinese, 用中文回答", kind="persona")
        environ = _environment(home)
        figures = []
        for event in ("prompt", "session-start", "stop"):
            figures += _figures(size, event, _run(event, size, runs, folder, environ))
        with importing(home, environ):
            costs = _run("prompt", size, runs, folder, environ)
        figures += _figures(
            size, "prompt", costs, where=" while a bulk import runs", key=".importing"
        )
    return figures


def _environment(home: Path) -> dict[str, str]:
    environ = without_settings(os.environ)
    environ["MEMSTONE_HOME"] = str(home)
    # an installed package has its bytecode; the first, uncounted run makes it here
    environ.pop("PYTHONDONTWRITEBYTECODE", None)
    environ["PYTHONPATH"] = os.pathsep.join((str(PACKAGE.parent), str(PROJECT)))
    return environ


def _run(
    event: str, size: int, runs: int, folder: Path, environ: Mapping[str, str]
) -> list[tuple[Cost, Cost]]:
    """Each run's cost of the hook and of bare Python beside it. Raises `RuntimeError` for a hook
    that failed, or one at a prompt that hardly ever had anything to say.
    """
    transcript = folder / f"{SESSION}.jsonl"
    command = [sys.executable, "-m", "memstone", "hook", event, "--client", "claude-code"]
    costs: list[tuple[Cost, Cost]] = []
    spoke = 0
    for number, probe in enumerate(corpus.queries(runs + 1, size)):
        _say(transcript, f"{number} {probe.text}")
        data = {"session_id": SESSION, "transcript_path": str(transcript), "cwd": str(folder)}
        given = json.dumps(data | {"prompt": probe.text}).encode()
        cost, done = child_cost(command, environ, folder, given=given)
        empty, _ = child_cost([sys.executable, "-c", "pass"], environ, folder)
        if done.stderr:
            raise RuntimeError(f"hook {event}: {done.stderr.decode()}")
        spoke += bool(done.stdout)
        if number:  # the first one writes byte code and caches
            costs.append((cost, empty))
    if event != "stop" and 2 * spoke < runs:
        raise RuntimeError(f"hook {event}: only {spoke} of {runs + 1} had anything to say")
    return costs


def _say(transcript: Path, text: str) -> None:
    """Another turn of the person in the transcript, in the layout of Claude Code."""
    line = {
        "type": "user",
        "uuid": f"u-{text[:40]}",
        "sessionId": SESSION,
        "timestamp": "2026-11-30T09:00:00.000Z",
        "message": {"role": "user", "content": text},
    }
    with transcript.open("ab") as stream:
        stream.write(json.dumps(line).encode() + b"\n")


def _figures(
    size: int, event: str, costs: list[tuple[Cost, Cost]], *, where: str = "", key: str = ""
) -> list[Figure]:
    what = f"hook {event}, whole process, {size:,} memories{where}, p50"
    return [
        Figure(
            key=f"hooks.{size}.{event}{key}.cpu",
            what=what,
            unit="ms CPU",
            value=quantile([cost.cpu_ms for cost, _ in costs], 0.5),
            n=len(costs),
            least=LEAST_MS,
            aim=AIM_MS,
            lower_is_better=True,
            note=f"bare `python -c pass` {quantile([b.cpu_ms for _, b in costs], 0.5):.0f} ms",
        ),
        Figure(
            key=f"hooks.{size}.{event}{key}.wall",
            what=what,
            unit="ms wall",
            value=quantile([cost.wall_ms for cost, _ in costs], 0.5),
            n=len(costs),
            lower_is_better=True,
            note=f"bare `python -c pass` {quantile([b.wall_ms for _, b in costs], 0.5):.0f} ms",
        ),
    ]


@contextmanager
def importing(home: Path, environ: Mapping[str, str]) -> Iterator[None]:
    """Another process imports turns into the store meanwhile, from before the first moment on.

    Raises `RuntimeError` if it ended by itself.
    """
    with subprocess.Popen(
        [sys.executable, "-c", IMPORT_CODE, str(home)],
        env=dict(environ),
        cwd=PROJECT,
        stdout=subprocess.PIPE,
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        yield
        ended = child.poll()
        child.terminate()
        child.stdout.read()
    if ended is not None:
        raise RuntimeError(f"the import beside it ended with {ended}")


def keep_importing(home: str) -> None:
    """Import turns into the store until somebody ends the process; says when it has begun."""
    with default_engine(Path(home)) as engine:
        engine.ingest(_turns(), source="benchmark")


def _turns() -> Iterator[Turn]:
    number = 0
    while True:
        text = corpus.memory_text(number, OTHER_SEED)
        session = f"import-{number // SESSION_LENGTH}"
        yield Turn(text=text, session=session, ordinal=number % SESSION_LENGTH)
        number += 1
        if number == 2_000:  # some batches are in: it is running
            sys.stdout.write("running\n")
            sys.stdout.flush()
