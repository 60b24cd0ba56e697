"""What hooks cost and say, and who tries to leave loopback, seen from outside the client.

Hooks are measured in sessions of their own, with `recorder` in front of each command of ours: the
sessions of the scenario run what `install` wrote, unchanged. A bare Python is measured the same
way, at the same time, because most of a short hook is the interpreter. Connections are read from a
session under `strace`.
"""

from __future__ import annotations

import contextlib
import json
import resource
import shlex
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tools.e2e import namespace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tools.e2e.results import Section
    from tools.e2e.stage import Stage

TRIALS = 5
RECORDER = Path(__file__).with_name("recorder.py")


@dataclass(frozen=True, slots=True)
class HookRun:
    """One run of a hook, as the recorder saw it."""

    event: str
    wall_ms: float
    cpu_ms: float
    exit: int
    stdout: str
    stderr: str


@contextlib.contextmanager
def recorded(stage: Stage) -> Iterator[Path]:
    """The recorder in front of every hook of ours; the file that it writes."""
    log = stage.ground.root / f"hooks-{time.monotonic_ns()}.jsonl"
    file = stage.client.hooks_file(stage.ground)
    written = file.read_bytes()
    file.write_text(_with_recorder(json.loads(written), log), encoding="utf-8")
    try:
        yield log
    finally:
        file.write_bytes(written)


def runs(log: Path) -> list[HookRun]:
    """What the recorder wrote, in the order in which the hooks ended."""
    if not log.is_file():
        return []
    return [HookRun(**json.loads(line)) for line in log.read_text(encoding="utf-8").splitlines()]


def _with_recorder(settings: dict[str, Any], log: Path) -> str:
    for event, groups in settings.get("hooks", {}).items():
        for hook in (hook for group in groups for hook in group["hooks"]):
            command = str(hook.get("command", ""))
            if " hook " in command:
                front = shlex.join([sys.executable, "-I", str(RECORDER), str(log), event, "--"])
                hook["command"] = f"{front} {command}"
    return json.dumps(settings)


def measured(stage: Stage, section: Section) -> None:
    """Wall and CPU of every hook, as the client starts it."""
    with recorded(stage) as log:
        for number in range(TRIALS):
            stage.ask(f"Where does the staging cluster run, asked for the {number}. time?")
    found = runs(log)
    failed = [run for run in found if run.exit != 0 or run.stderr]
    seen = f"{len(found)} runs, {len(failed)} with an error or a word on stderr"
    if failed:
        seen += f": {failed[0].event} exit {failed[0].exit} {failed[0].stderr[:300]}"
    section.check("hooks run and end with 0", seen, holds=bool(found) and not failed)
    for event in sorted({run.event for run in found}):
        mine = [run for run in found if run.event == event]
        section.figure(f"hook {event}, CPU", "ms", [run.cpu_ms for run in mine])
        section.figure(f"hook {event}, wall", "ms", [run.wall_ms for run in mine])
    section.figure("bare Python (-I -c pass), CPU", "ms", [_bare_python() for _ in range(TRIALS)])
    ends = [run for run in found if run.event == "SessionEnd"]
    if ends:
        told = sum("undo --session" in run.stdout for run in ends)
        seen = f"in {told} of {len(ends)} sessions"
        section.check("the end of a session names its undo command", seen, holds=told == len(ends))


def _bare_python() -> float:
    before = _children_ms()
    subprocess.run([sys.executable, "-I", "-c", "pass"], check=True)
    return round(_children_ms() - before, 1)


def _children_ms() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (used.ru_utime + used.ru_stime)


def connections(stage: Stage, section: Section) -> None:
    """Who tries to leave loopback: never a process of ours."""
    log = stage.ground.root / f"{stage.client.name}-strace.txt"
    prefix = namespace.traced(log)
    what = "no process of ours tries to leave loopback"
    if prefix is None:
        section.check(what, "strace is not on this machine", holds=None)
        return
    stage.ask("Say something about the weather.", before=prefix)
    if not log.is_file():
        section.check(what, "strace wrote nothing", holds=None)
        return
    ours, others, commands = namespace.outside(log, '", "'.join(stage.ground.memstone[-2:]))
    seen = ", ".join(sorted(ours)) or f"none tried, {commands} processes of ours seen"
    section.check(what, seen, holds=not ours and commands > 0)
    section.note("the client itself tried to reach", ", ".join(sorted(others)) or "nothing")
