"""Public cases on installing: no network, no key, no undeclared package, no loadable extension."""

from __future__ import annotations

import ast
import json
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.acceptance.casekit import bare_python
from tests.acceptance.cli import environment

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
KIT = "memstone.testing"  # for authors of backends; comes with the extra `test`
OPTIONAL = {  # package of an extra, and the extra
    "shtab": "completion",
    "bpe_openai": "o200k",
    "anthropic": "anthropic",
    **dict.fromkeys(("mcp", "uvicorn", "anyio", "pydantic"), "mcp"),
}

# Raised by the interpreter itself before any byte leaves, whichever library asks.
GUARD = """
import sys
FORBIDDEN = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto",
             "socket.bind", "subprocess.Popen", "os.system", "os.posix_spawn", "os.fork",
             "urllib.Request", "sqlite3.connect")
def guard(event, arguments):
    if event in FORBIDDEN:
        raise RuntimeError(f"{event} {arguments!r:.80}")
sys.addaudithook(guard)
"""
EVERYTHING = """
import memstone, os, sys
with memstone.open(sys.argv[1]) as engine:
    one = engine.remember("The backup runs nightly \\u5907\\u4efd", tags=["ops"])
    two = engine.supersede(one.id, "The backup runs hourly \\u5907\\u4efd")
    assert [hit.id for hit in engine.recall("\\u5907\\u4efd")] == [two.id]
    assert len(engine.history(one.id)) == 2
    engine.forget(two.id)
from memstone import remember, recall
remember("cats sleep \\u732b")
assert recall("\\u732b").hits
from memstone.__main__ import main
for words in (["remember", "by command \\u547d\\u4ee4", "--shared"], ["recall", "command"],
              ["list"], ["stats"], ["log"], ["init"], ["config", "show"], ["export"]):
    sys.argv = ["memstone", *words]
    assert main() == 0, words
"""
MODULES = """
import importlib, json, pkgutil, sys
import memstone
names = ["memstone", *(found.name for found in pkgutil.walk_packages(
    memstone.__path__, "memstone.", onerror=lambda name: sys.exit(f"cannot import {name}")))]
kit = [name for name in names if name.startswith("memstone.testing")]
class Closed:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in CLOSED:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Closed())
failed = {}
for name in names:
    if name in kit and not WITH_KIT:
        continue
    try:
        importlib.import_module(name)
    except BaseException as error:
        failed[name] = repr(error)
print(json.dumps({"failed": failed, "count": len(names), "sqlite3": "_sqlite3" in sys.modules}))
"""


def project() -> dict[str, Any]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        described: dict[str, Any] = tomllib.load(file)["project"]
    return described


def normal(name: str) -> str:
    """A distribution's name as registries compare them."""
    return re.sub(r"[-_.]+", "-", name).lower()


def names_of(requirements: list[str]) -> set[str]:
    return {normal(re.split(r"[\s<>=!~\[;]", each, maxsplit=1)[0]) for each in requirements}


def imports(file: Path) -> Iterator[str]:
    """Top-level packages that a file imports anywhere, by statement or by name."""
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module.partition(".")[0]
        elif isinstance(node, ast.Call) and "import" in ast.unparse(node.func):
            for argument in node.args[:1]:
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    yield argument.value.partition(".")[0]


def third_party() -> dict[str, set[str]]:
    """Package → modules of ours that import it."""
    found: dict[str, set[str]] = {}
    for file in sorted(SOURCE.rglob("*.py")):
        name = ".".join(file.relative_to(SOURCE).with_suffix("").parts)
        for package in imports(file):
            if package not in sys.stdlib_module_names and package != "memstone":
                found.setdefault(package, set()).add(name)
    return found


def test_case_60_a_first_run_needs_no_network_no_key_and_no_helper(tmp_path: Path) -> None:
    env = environment(tmp_path / "家")
    done = bare_python(GUARD + EVERYTHING, str(tmp_path / "other"), **env)
    assert done.code == 0, done.err.decode("utf-8", "replace")


def test_case_60_the_guard_would_have_noticed() -> None:
    for code in (
        "import socket; socket.create_connection(('127.0.0.1', 9))",
        "import urllib.request; urllib.request.urlopen('http://memory.invalid/')",
        "import subprocess, sys; subprocess.run([sys.executable, '-c', ''])",
    ):
        done = bare_python(GUARD + code, **environment("unused"))
        assert done.code == 1
        assert b"RuntimeError" in done.err


def test_case_60_the_readme_asks_for_no_key() -> None:
    for file in sorted(SOURCE.rglob("*.py")):
        assert not re.search(r"environ\S*[\"'\[(](?!MEMSTONE)\w*API_KEY", file.read_text("utf-8"))


def test_case_61_what_is_imported_is_declared_and_what_is_declared_is_imported() -> None:
    described = project()
    declared = names_of(described["dependencies"])
    extras = described["optional-dependencies"]
    distributions = packages_distributions()
    used = set()
    for package, modules in third_party().items():
        owners = {normal(owner) for owner in distributions.get(package, [package])}
        outside_kit = {module for module in modules if not module.startswith(KIT)}
        if package in OPTIONAL:
            assert owners & names_of(extras[OPTIONAL[package]]), package
        elif outside_kit:
            assert owners & declared, (package, sorted(outside_kit))
            used |= owners
        else:
            assert owners & (declared | names_of(extras["test"])), package
    assert declared <= used


@pytest.mark.parametrize("with_kit", [False, True], ids=["without the extras", "with them"])
def test_case_61_every_module_imports_in_a_fresh_interpreter(
    tmp_path: Path, *, with_kit: bool
) -> None:
    described = project()
    allowed = names_of(described["dependencies"])
    ours = set(third_party())
    closed = set() if with_kit else set(OPTIONAL)
    for package, owners in packages_distributions().items():
        owner_names = {normal(owner) for owner in owners}
        if not with_kit and package in ours and not owner_names & allowed:
            closed.add(package)
    code = GUARD + MODULES.replace("CLOSED", repr(closed)).replace("WITH_KIT", repr(with_kit))
    done = bare_python(code, **environment(tmp_path / "home")).ok()
    report = json.loads(done.out)
    assert report["failed"] == {}
    assert report["count"] > 60
    assert list(tmp_path.iterdir()) == []


def test_case_92_nothing_uses_the_standard_sqlite_module_or_a_loadable_extension() -> None:
    loading = {"enable_load_extension", "load_extension", "enableloadextension", "loadextension"}
    for file in sorted(SOURCE.rglob("*.py")):
        assert not {"sqlite3", "_sqlite3", "pysqlite2"} & set(imports(file)), file
        for node in ast.walk(ast.parse(file.read_bytes())):
            named = getattr(node, "attr", getattr(node, "id", None))
            text = node.value if isinstance(node, ast.Constant) else ""
            assert named not in loading, (file, node)
            assert not (isinstance(text, str) and "load_extension(" in text), (file, node)
    for file in sorted(SOURCE.rglob("*.sql")):
        assert "load_extension" not in file.read_text("utf-8"), file


def test_case_92_an_interpreter_without_the_sqlite_module_gives_the_same_answers(
    tmp_path: Path,
) -> None:
    without = "import sys\nsys.modules['sqlite3'] = sys.modules['_sqlite3'] = None\n"
    answers = []
    for number, opening in enumerate(("", without)):
        env = environment(tmp_path / f"home {number}")
        code = (
            "import memstone, sys\n"
            "with memstone.open(sys.argv[1], clock=lambda: 1786579200000000) as engine:\n"
            "    for n in range(20): engine.remember(f'fact {n} \\u4e8b\\u5b9e of the house')\n"
            "    for query in ('fact 7', '\\u4e8b\\u5b9e', 'house'):\n"
            "        print([(hit.id, hit.score) for hit in engine.recall(query)])\n"
        )
        done = bare_python(opening + code, str(tmp_path / f"store {number}"), **env)
        assert done.code == 0, done.err.decode("utf-8", "replace")
        answers.append(done.out)
    assert answers[0] == answers[1] != b""
