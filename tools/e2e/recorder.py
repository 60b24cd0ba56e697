"""Stands in front of a hook command, and writes down what it cost and what it said.

    python recorder.py LOG EVENT -- COMMAND...

Standard input, output and the exit code pass through unchanged. One JSON line a run: wall and CPU
seconds (user and system, of the command and its children), exit code, the beginning of both
outputs. Standard library only, and run by its path: it must work where memstone cannot be imported.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from pathlib import Path

MOST_KEPT = 2_000  # characters of each output


def main() -> int:
    """The exit code of the command."""
    log, event, _, *command = sys.argv[1:]
    given = sys.stdin.buffer.read()
    start = time.monotonic()
    done = subprocess.run(command, input=given, capture_output=True, check=False)
    wall = time.monotonic() - start
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    line = {
        "event": event,
        "wall_ms": round(1000 * wall, 1),
        "cpu_ms": round(1000 * (used.ru_utime + used.ru_stime), 1),
        "exit": done.returncode,
        "stdout": done.stdout.decode("utf-8", "replace")[:MOST_KEPT],
        "stderr": done.stderr.decode("utf-8", "replace")[:MOST_KEPT],
    }
    with Path(log).open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(line) + "\n")
    sys.stdout.buffer.write(done.stdout)
    sys.stderr.buffer.write(done.stderr)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
