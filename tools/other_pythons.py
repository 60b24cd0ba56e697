"""Run a selection of the tests on every other supported Python that this machine has.

An interpreter counts if it starts: a version manager's placeholder that only prints an error does
not. Each gets an environment under `.build/`, renewed when `pyproject.toml` changes. The whole
suite runs on the interpreter of `.venv`; here the slow tests are left out and properties see fewer
examples, so that four Pythons fit into one CI run. What a missing package of the platform keeps
from installing is reported and passed over; a failing test fails.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

SUPPORTED = ((3, 11), (3, 12), (3, 13), (3, 14))
ROOT = Path(__file__).resolve().parent.parent
SELECTION = ("-m", "not slow", "-p", "no:cacheprovider", "tests/unit")
SELECTION_IF_PRESENT = (
    "tests/property/test_ranking.py",
    "tests/integration/test_conformance.py",
    "tests/integration/test_recall_bits.py",
    "src",
)
PROBE = "import ssl, sys, venv; print('%d.%d' % sys.version_info[:2])"
TEST_SECONDS = 600


def main() -> int:
    """The exit code: 1 if tests failed anywhere, else 0."""
    failed = False
    for version in SUPPORTED:
        if version == sys.version_info[:2]:
            continue
        name = f"python{version[0]}.{version[1]}"
        interpreter = find(version)
        if interpreter is None:
            print(f"{name}: not on this machine")
            continue
        print(f"{name}: {interpreter}", flush=True)
        environment = prepare(name, interpreter)
        if environment is None:
            print(f"{name}: NOT TESTED, the packages could not be installed")
        elif not passes(environment):
            print(f"{name}: tests FAILED")
            failed = True
    return int(failed)


def find(version: tuple[int, int]) -> Path | None:
    """An interpreter of exactly this version that starts, or None."""
    name = f"python{version[0]}.{version[1]}"
    for folder in folders(version):
        candidate = folder / name
        if candidate.is_file() and starts(candidate, version):
            return candidate
    return None


def folders(version: tuple[int, int]) -> list[Path]:
    """Where interpreters live: PATH first, then what pyenv and uv keep outside it."""
    release = f"{version[0]}.{version[1]}"
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    uv = Path.home() / ".local" / "share" / "uv" / "python"
    kept = [*sorted(pyenv.glob(f"{release}.*/bin")), *sorted(uv.glob(f"cpython-{release}.*/bin"))]
    return [Path(entry) for entry in os.get_exec_path()] + kept


def starts(candidate: Path, version: tuple[int, int]) -> bool:
    """Whether it runs, says it is this version, and can make environments."""
    try:
        probe = subprocess.run(
            [candidate, "-c", PROBE], capture_output=True, timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return probe.returncode == 0 and probe.stdout.split() == [b"%d.%d" % version]


def prepare(name: str, interpreter: Path) -> Path | None:
    """The Python of an environment with memstone and its tests' packages; None if it failed."""
    folder = ROOT / ".build" / f"venv-{name.removeprefix('python')}"
    stamp = folder / ".installed"
    wanted = hashlib.sha256((ROOT / "pyproject.toml").read_bytes()).hexdigest()
    python = folder / "bin" / "python"
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted:
        return python
    steps = (
        [str(interpreter), "-m", "venv", "--clear", str(folder)],
        [str(python), "-m", "pip", "install", "--quiet", "--editable", ".[test]"],
    )
    for step in steps:
        if subprocess.run(step, cwd=ROOT, check=False).returncode != 0:
            return None
    stamp.write_text(wanted, encoding="utf-8")
    return python


def passes(python: Path) -> bool:
    """Whether the selection passes under `python`; prints what pytest prints."""
    present = [folder for folder in SELECTION_IF_PRESENT if (ROOT / folder).exists()]
    command = [str(python), "-m", "pytest", *SELECTION, *present]
    environment = {
        **os.environ,
        "HYPOTHESIS_PROFILE": "quick",
        "PYTHONWARNDEFAULTENCODING": "1",
    }
    try:
        done = subprocess.run(command, cwd=ROOT, env=environment, timeout=TEST_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        print(f"no end after {TEST_SECONDS} s")
        return False
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
