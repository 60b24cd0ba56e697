"""The direction of imports (DESIGN.md, section 2) and the lock rule of section 4, read off the code.

Every file is parsed; imports inside functions and under `TYPE_CHECKING` count, and so do modules
named to `import_module`. Only in the search for cycles those under `TYPE_CHECKING` are left out:
they are never run. The last tests feed this checker code that breaks each rule.
"""

from __future__ import annotations

import ast
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SOURCE = Path(__file__).resolve().parent.parent / "src"

MODULES = {
    "core": "errors types protocols times version",
    "pure": "analysis ranking packing compression redaction extraction graph wire tokens screening",
    "adapters": "storage embedding summarization importers config project o200k worklock",
    "services": "ingestion retrieval plain_recall explaining judging maintenance",
    "root": "engine aio default",  # and the package itself
    "surfaces": "surfaces integrations compat __main__",
    "kit": "testing",
}
LAYER_OF = {name: layer for layer, names in MODULES.items() for name in names.split()}
MAY_IMPORT = {
    "core": {"core"},
    "pure": {"core"},
    "adapters": {"pure", "core"},
    "services": {"pure", "core"},
    "root": {"services", "adapters", "pure", "core", "root"},
    "surfaces": {"core", "root", "surfaces"},  # and wire, below
    "kit": {"core", "pure"},
}
BESIDES = {  # single modules that a table row names on top
    "compression": {"analysis"},
    "extraction": {"analysis"},
    "graph": {"analysis"},
    "explaining": {"retrieval"},  # it runs the recall that it explains
    "plain_recall": {"retrieval"},  # another ranking behind the same filter
    "surfaces": {"wire"},
    "integrations": {"wire"},
    "__main__": {"wire"},
}
THIRD_PARTY = {  # one package a job, and where the job is done
    "apsw": {"storage", "importers"},  # importers read stores of other programs
    "yaml": {"config", "importers"},
    "platformdirs": {"config"},
    "Stemmer": {"analysis"},
    "rich": {"surfaces"},
    "mcp": {"surfaces"},
    "uvicorn": {"surfaces"},
    "anyio": {"surfaces"},
    "pydantic": {"surfaces"},
    "shtab": {"surfaces"},
    "bpe_openai": {"o200k"},
    "anthropic": {"integrations"},
    "pytest": {"testing"},
    "hypothesis": {"testing"},
}
MODULES_THAT_READ_BYTES = {"open", "io.open", "os.open", "codecs.open"}
METHODS_THAT_READ_BYTES = {"read_bytes", "read_text", "write_bytes", "write_text"}
MAY_OPEN = {  # storage opens no file by path but these, none of them a live store
    "memstone.storage.sqlite.migrations": "SQL text that ships in the package; new empty files",
    "memstone.storage.sqlite.files": "creates files that did not exist (O_EXCL)",
}


@dataclass(frozen=True)
class Module:
    """A parsed file: its dotted name and what it imports, as (dotted name, line)."""

    name: str
    tree: ast.Module
    package: bool
    imports: list[tuple[str, int]] = field(default_factory=list)
    imports_run: set[str] = field(default_factory=set)  # without those for type checkers

    @property
    def top(self) -> str:
        """The name that the layer table knows: `storage` for `memstone.storage.sqlite.rows`."""
        return part_of(self.name)


def part_of(name: str) -> str:
    """`analysis` for `memstone.analysis.terms`; the package itself counts as the root."""
    parts = name.split(".")
    return parts[1] if len(parts) > 1 else "engine"


def load(source: Path = SOURCE) -> dict[str, Module]:
    """Every module of the package, imports resolved to modules that exist."""
    files = sorted((source / "memstone").rglob("*.py"))
    modules: dict[str, Module] = {}
    for file in files:
        parts = file.relative_to(source).with_suffix("").parts
        package = parts[-1] == "__init__"
        name = ".".join(parts[:-1] if package else parts)
        modules[name] = Module(name, ast.parse(file.read_text(encoding="utf-8")), package)
    for module in modules.values():
        known = set(modules)
        module.imports.extend(imports_of(module, ast.walk(module.tree), known))
        module.imports_run.update(name for name, _ in imports_of(module, run(module.tree), known))
    return modules


def run(node: ast.AST) -> Iterator[ast.AST]:
    """Every node below `node` but those that only type checkers see."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING"):
            continue
        yield child
        yield from run(child)


def imports_of(module: Module, nodes: Iterable[ast.AST], known: set[str]) -> list[tuple[str, int]]:
    """What a module imports at the given nodes."""
    found: list[tuple[str, int]] = []
    for node in nodes:
        if isinstance(node, ast.Import):
            found += [(alias.name, node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = absolute(module, node)
            for alias in node.names:
                whole = f"{base}.{alias.name}"
                found.append((whole if whole in known else base, node.lineno))
        elif isinstance(node, ast.Call) and called(node) in {
            "__import__",
            "import_module",
            "importlib.import_module",
        }:
            found += [
                (argument.value, node.lineno)
                for argument in node.args[:1]
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
            ]
    return found


def absolute(module: Module, node: ast.ImportFrom) -> str:
    """The dotted name an import statement starts from, dots resolved."""
    if not node.level:
        return node.module or ""
    parts = module.name.split(".")
    if not module.package:
        parts = parts[:-1]
    parts = parts[: len(parts) - (node.level - 1)]
    return ".".join([*parts, node.module] if node.module else parts)


def called(node: ast.Call) -> str:
    """`os.open` for `os.open(…)`, "" for anything that is not a plain name."""
    return ast.unparse(node.func) if isinstance(node.func, (ast.Name, ast.Attribute)) else ""


def layer_faults(modules: dict[str, Module]) -> list[str]:
    """Imports that go the wrong way, and files that no layer knows."""
    faults: list[str] = []
    for module in modules.values():
        layer = LAYER_OF.get(module.top)
        if layer is None:
            faults.append(f"{module.name}: no layer; say in DESIGN.md and here where it belongs")
            continue
        for name, line in module.imports:
            if name.split(".")[0] != "memstone":
                faults += third_party_fault(module, layer, name, line)
                continue
            target = part_of(name)
            allowed = (
                target == module.top
                or LAYER_OF.get(target) in MAY_IMPORT[layer]
                or target in BESIDES.get(module.top, set())
            )
            if not allowed:
                faults.append(f"{module.name}:{line} ({layer}) imports {name}")
    return faults


def third_party_fault(module: Module, layer: str, name: str, line: int) -> list[str]:
    """The fault of importing a package that is not this module's to use, if it is one."""
    package = name.split(".", maxsplit=1)[0]
    if package in sys.stdlib_module_names:
        return []
    if layer != "core" and module.top in THIRD_PARTY.get(package, set()):
        return []
    return [f"{module.name}:{line} ({layer}) imports {package}"]


def lock_faults(modules: dict[str, Module]) -> list[str]:
    """Ways to drop the locks we hold: a second SQLite, or opening a live file by path."""
    faults: list[str] = []
    for module in modules.values():
        faults += [
            f"{module.name}:{line} imports sqlite3, which opens and closes files behind apsw's back"
            for name, line in module.imports
            if name.split(".")[0] in {"sqlite3", "_sqlite3"}
        ]
        if module.top != "storage" or module.name in MAY_OPEN:
            continue
        for node in ast.walk(module.tree):
            if not isinstance(node, ast.Call):
                continue
            name = called(node)
            method = name.rpartition(".")[2]
            opens = name in MODULES_THAT_READ_BYTES or method in METHODS_THAT_READ_BYTES
            if opens or name.startswith("shutil."):
                faults.append(f"{module.name}:{node.lineno} calls {name} inside storage")
    return faults


def find_cycle(modules: dict[str, Module]) -> list[str]:
    """The modules of one import cycle, or nothing. Depth first; grey nodes are on the path."""
    graph = {
        module.name: module.imports_run & set(modules) - {module.name}
        for module in modules.values()
    }
    done: set[str] = set()
    path: list[str] = []

    def visit(name: str) -> list[str]:
        if name in path:
            return [*path[path.index(name) :], name]
        if name in done:
            return []
        path.append(name)
        for target in sorted(graph[name]):
            cycle = visit(target)
            if cycle:
                return cycle
        path.pop()
        done.add(name)
        return []

    for name in sorted(graph):
        cycle = visit(name)
        if cycle:
            return cycle
    return []


@pytest.fixture(scope="module")
def modules() -> dict[str, Module]:
    """The package as it is."""
    return load()


def test_every_import_follows_the_layer_table(modules: dict[str, Module]) -> None:
    assert modules
    assert layer_faults(modules) == []


def test_no_code_can_drop_the_locks_of_an_open_store(modules: dict[str, Module]) -> None:
    assert lock_faults(modules) == []


def test_no_import_cycle(modules: dict[str, Module]) -> None:
    assert find_cycle(modules) == []


def fabricate(folder: Path, **files: str) -> dict[str, Module]:
    """A package of the given files; `storage__bad` becomes `storage/bad.py`."""
    for name, text in files.items():
        path = folder / "memstone" / (name.replace("__", "/") + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return load(folder)


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ("errors", "import yaml"),
        ("types", "import memstone.analysis"),
        ("ranking", "from memstone import storage"),
        ("ranking", "from memstone.analysis import tokenize"),
        ("packing", "def f():\n    from memstone.config import load"),
        ("ingestion", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import apsw"),
        ("ingestion", "from .retrieval import recall"),
        ("storage__bad", "from ..config import load"),
        ("storage__bad", "from importlib import import_module\nimport_module('memstone.engine')"),
        ("surfaces__cli", "from memstone.storage import sqlite"),
        ("surfaces__cli", "import memstone.packing as 打包"),
        ("importers__chat", "import requests"),
        ("testing__kit", "import memstone.engine"),
        ("helpers", "x = 1"),
    ],
)
def test_the_checker_catches_a_wrong_import(tmp_path: Path, place: str, text: str) -> None:
    others = dict.fromkeys(
        ["analysis", "config", "packing", "retrieval", "engine", "ingestion", "storage__sqlite"], ""
    )
    assert len(layer_faults(fabricate(tmp_path, **{**others, place: text}))) == 1


def test_the_checker_accepts_what_the_table_allows(tmp_path: Path) -> None:
    modules = fabricate(
        tmp_path,
        errors="import json",
        wire="from memstone.errors import MemstoneError",
        compression__excerpt="from memstone.analysis import tokenize",
        analysis="import Stemmer",
        storage__sqlite="import apsw\nfrom memstone.errors import StoreError",
        engine="from memstone import storage, errors\nfrom memstone.storage import sqlite",
        surfaces__cli="from memstone import engine, wire\nimport rich.table",
    )
    assert layer_faults(modules) == []


@pytest.mark.parametrize(
    "text",
    [
        "def copy(path):\n    return open(path, 'rb').read()",
        "import os\nos.open('mem.db', os.O_RDONLY)",
        "import shutil\nshutil.copyfile('mem.db', '副本.db')",
        "from pathlib import Path\nPath('mem.db').read_bytes()",
        "import sqlite3",
    ],
)
def test_the_checker_catches_a_file_opened_behind_the_store(tmp_path: Path, text: str) -> None:
    assert len(lock_faults(fabricate(tmp_path, storage__bad=text))) == 1


def test_the_checker_finds_a_cycle_through_a_function(tmp_path: Path) -> None:
    closing = "import memstone.ranking.one"
    files = {
        "ranking__one": "from memstone.ranking import two",
        "ranking__two": "def late():\n    from memstone.ranking.three import x",
    }
    modules = fabricate(tmp_path, **files, ranking__three=closing)
    assert set(find_cycle(modules)) == {f"memstone.ranking.{n}" for n in ("one", "two", "three")}
    modules = fabricate(tmp_path, **files, ranking__three=f"if TYPE_CHECKING:\n    {closing}")
    assert find_cycle(modules) == []
