"""The README's transcript: real commands in a fresh home, with what they really print.

    python tools/transcript.py            prints the transcript
    python tools/transcript.py --write    puts it into README.md

Ids are hashes of the text and the same everywhere; times are given, so the output is too.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

README = Path(__file__).resolve().parent.parent / "README.md"
BLOCK = re.compile(
    r"(<!-- transcript: .*? -->\n```console\n).*?(```\n<!-- end of transcript -->)", re.S
)
COMMANDS = (
    'memstone remember "The monthly cloud budget is 100 euros" --at 2026-03-01 --shared',
    'memstone remember "周会改到每周四下午三点，地点在三号会议室" --shared',
    'memstone recall "周会几点开？" --shared',
    'memstone supersede {budget} "The monthly cloud budget is 200 euros" --at 2026-04-01 --shared',
    'memstone recall "what is the cloud budget?" --shared',
    'memstone recall "what is the cloud budget?" --as-of 2026-03-15 --shared',
    'memstone recall "who won the chess match?" --shared',
    'memstone remember "my password is hunter2-Blue!" --shared',
)


def run(command: str, home: str) -> tuple[str, str]:
    """What the command prints on both streams."""
    words = [sys.executable, "-m", *shlex.split(command)]
    env = {key: value for key, value in os.environ.items() if not key.startswith("MEMSTONE_")}
    done = subprocess.run(
        words,
        capture_output=True,
        encoding="utf-8",
        env={**env, "MEMSTONE_HOME": home},
        cwd=home,
        check=False,
    )
    return done.stdout, done.stderr


def transcript() -> str:
    """Every command, and of its JSON the fields a reader looks at."""
    lines, budget = [], ""
    with tempfile.TemporaryDirectory() as folder:
        for template in COMMANDS:
            command = template.format(budget=budget)
            out, err = run(command, folder)
            answer = json.loads(out or err)
            lines.append(f"$ {command.removesuffix(' --shared')}")
            if "hits" in answer:
                lines += [hit["text"] for hit in answer["hits"]] or ["(no hits)"]
            elif "error" in answer:
                lines.append(f"memstone: {answer['error']['message']}")
            else:
                lines.append(answer["id"])
                budget = budget or answer["id"]
    return "\n".join(lines) + "\n"


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
