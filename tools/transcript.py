"""The README's transcript: real commands in a fresh home, with what they really print.

    python tools/transcript.py            prints the transcript
    python tools/transcript.py --write    puts it into README.md

Ids are hashes of the text and the same everywhere; times are given, so the output is too.
"""

from __future__ import annotations

import os
import pty
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ID = re.compile(r"mem_[0-9a-f]+")
README = Path(__file__).resolve().parent.parent / "README.md"
BLOCK = re.compile(
    r"(<!-- transcript: .*? -->\n```console\n).*?(```\n<!-- end of transcript -->)", re.DOTALL
)
COMMANDS = (
    'memstone remember "The monthly cloud budget is 100 euros" --at 2026-03-01',
    'memstone remember "周会改到每周四下午三点，地点在三号会议室" --at 2026-03-02',
    'memstone recall "周会几点开？"',
    'memstone supersede {budget} "The monthly cloud budget is 200 euros" --at 2026-04-01',
    'memstone recall "what is the cloud budget?"',
    'memstone recall "what is the cloud budget?" --as-of 2026-03-15',
    'memstone recall "who won the chess match?"',
    'memstone remember "my password is hunter2-Blue!"',
)


def run(command: str, home: str) -> str:
    """What a person sees on a terminal of 100 columns without colours."""
    words = [sys.executable, "-m", *shlex.split(command)]
    kept = {key: value for key, value in os.environ.items() if not key.startswith("MEMSTONE_")}
    env = {**kept, "MEMSTONE_HOME": home, "COLUMNS": "100", "TERM": "dumb", "NO_COLOR": "1"}
    ours, theirs = pty.openpty()
    process = subprocess.Popen(words, stdout=theirs, stderr=theirs, env=env, cwd=home)
    os.close(theirs)
    seen = b""
    while chunk := _read(ours):
        seen += chunk
    os.close(ours)
    process.wait()
    lines = seen.decode("utf-8").replace("\r\n", "\n").splitlines()
    return "".join(line.rstrip() + "\n" for line in lines)


def _read(terminal: int) -> bytes:
    """What was printed; nothing once the program has ended (Linux then answers EIO)."""
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""


def transcript() -> str:
    """Every command and everything it prints."""
    shown, budget = "", ""
    with tempfile.TemporaryDirectory() as folder:
        for template in COMMANDS:
            command = template.format(budget=budget)
            printed = run(command, folder)
            shown += f"$ {command}\n{printed}"
            found = ID.search(printed)
            budget = budget or (found[0] if found else "")
    return shown


def main() -> None:
    """Print the transcript, or write it into the README."""
    made = transcript()
    if "--write" not in sys.argv[1:]:
        sys.stdout.write(made)
        return
    text = README.read_text(encoding="utf-8")
    README.write_text(BLOCK.sub(lambda m: m[1] + made + m[2], text), encoding="utf-8")


if __name__ == "__main__":
    main()
