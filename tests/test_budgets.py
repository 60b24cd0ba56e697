"""Deterministic budgets on our own code and texts: sizes, handlers, error codes, paths.

Limits come from the house style: a function fits on a screen, a module holds one concept, no
handler swallows what it does not know. Time and memory are measured in `benchmarks/`, never here.
"""

from __future__ import annotations

import ast
import io
import os
import re
import tokenize
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memstone import errors
from memstone.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
CODE_FOLDERS = ("src", "tests", "benchmarks", "examples", "tools")
MAX_FUNCTION_LINES = 60
MAX_MODULE_LINES = 500
MAX_TEST_LINES = 800  # tables of cases are long and easy to read
MAX_POSITIONAL = 5
MAY_CATCH_ALL = ("src/memstone/surfaces/", "src/memstone/__main__.py")  # their main loops
BROAD = {"Exception", "BaseException"}
NOT_OURS = {  # folders that tools make, none of them in the repository
    ".git", ".venv", ".build", "build", "dist", "__pycache__", ".mypy_cache", ".ruff_cache",
    ".pytest_cache", ".hypothesis", "node_modules",
}  # fmt: skip
TEXT_SUFFIXES = {
    "", ".py", ".pyi", ".md", ".toml", ".yaml", ".yml", ".json", ".jsonl", ".sql", ".txt", ".cfg",
    ".sh", ".ini", ".csv", ".tsv",
}  # fmt: skip
# written so that no pattern matches its own line
MACHINE_PATHS = re.compile(
    r"(?<![\w.])[/](work/(main|shared|plan)\b|root/)|[/]tmp/bash_jobs|C:[/]Users/"
)
REGISTRIES = re.compile(
    r"pypi[.]org|python[h]osted[.]org|registry[.]npmjs|[-]index-url|index[-_]url\s*="
)
PATH_IN_TEXT = re.compile(r"`((?:src|tests|docs|benchmarks|examples|tools|\.ci)/[\w./-]+)`")
EXIT_CODES = {1, 2, 65, 66, 69, 73, 74, 75, 77, 78}
PUBLISHED_CODES = {  # the public contract: a name keeps its code and exit code for ever
    "BlankText": ("blank_text", 65),
    "CannotCreate": ("cannot_create", 73),
    "ConfigError": ("config_error", 78),
    "Conflict": ("conflict", 1),
    "InvalidBudget": ("invalid_budget", 2),
    "InvalidFilter": ("invalid_filter", 2),
    "InvalidHandle": ("invalid_handle", 2),
    "InvalidInput": ("invalid_input", 2),
    "InvalidScope": ("invalid_scope", 2),
    "InvalidText": ("invalid_text", 65),
    "InvalidTime": ("invalid_time", 2),
    "LineageBroken": ("lineage_broken", 1),
    "MemoryTooLarge": ("memory_too_large", 65),
    "MemstoneError": ("error", 1),
    "NotCurrent": ("not_current", 1),
    "NotFound": ("not_found", 1),
    "OutputFailed": ("output_failed", 74),
    "SecretFound": ("secret_found", 77),
    "SourceError": ("source_malformed", 65),
    "SourceMissing": ("source_missing", 66),
    "StoreBusy": ("store_busy", 75),
    "StoreClosed": ("store_closed", 74),
    "StoreDamaged": ("store_damaged", 74),
    "StoreError": ("store_error", 74),
    "StoreFull": ("store_full", 74),
    "StoreNewer": ("store_newer", 74),
    "StoreUnsafe": ("store_unsafe", 77),
    "TextIsCurrent": ("text_is_current", 1),
    "TextIsHistory": ("text_is_history", 1),
    "TextNotUnicode": ("text_not_unicode", 65),
    "TextUnchanged": ("text_unchanged", 1),
    "UsageError": ("usage", 2),
}

Function = ast.FunctionDef | ast.AsyncFunctionDef


def our_files() -> Iterator[Path]:
    """Every file of the repository, without what tools made."""
    for folder, folders, names in os.walk(ROOT):
        if "pyvenv.cfg" in names:  # an environment under a name of somebody's choice
            folders.clear()
            continue
        folders[:] = sorted(
            name for name in folders if name not in NOT_OURS and not name.endswith(".egg-info")
        )
        for name in sorted(set(names) - NOT_OURS):  # in a worktree .git is a file
            path = Path(folder, name)
            if "benchmarks/results/local" not in path.as_posix():
                yield path


def python_files(*folders: str) -> list[Path]:
    wanted = tuple(str(ROOT / folder) + os.sep for folder in folders)
    return [path for path in our_files() if path.suffix == ".py" and str(path).startswith(wanted)]


def texts() -> Iterator[tuple[str, str]]:
    """Name and content of every text file of the repository."""
    for path in our_files():
        if path.suffix in TEXT_SUFFIXES and b"\0" not in (content := path.read_bytes()):
            yield name_of(path), content.decode("utf-8", errors="replace")


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def functions(tree: ast.Module) -> Iterator[Function]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node


def long_functions(tree: ast.Module, limit: int = MAX_FUNCTION_LINES) -> list[str]:
    """Functions over the limit, counted from `def` to their last line."""
    return [
        f"{node.lineno} {node.name}: {length} lines"
        for node in functions(tree)
        if (length := (node.end_lineno or node.lineno) - node.lineno + 1) > limit
    ]


def wide_functions(tree: ast.Module) -> list[str]:
    """Functions with too many positional parameters; `self` and `cls` are not counted."""
    faults: list[str] = []
    for node in functions(tree):
        names = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
        count = len(names) - (names[:1] in (["self"], ["cls"]))
        if count > MAX_POSITIONAL:
            faults.append(f"{node.lineno} {node.name}: {count} positional parameters")
    return faults


def broad_handlers(tree: ast.Module) -> list[str]:
    """Handlers for everything that do not end by raising (our own error, or the same again)."""
    return [
        f"{node.lineno} catches everything"
        for node in ast.walk(tree)
        if isinstance(node, ast.ExceptHandler)
        and catches_all(node.type)
        and not isinstance(node.body[-1], ast.Raise)
    ]


def catches_all(kind: ast.expr | None) -> bool:
    kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    return any(
        entry is None or (isinstance(entry, ast.Name) and entry.id in BROAD) for entry in kinds
    )


def bare_exemptions(source: str) -> list[str]:
    """`type: ignore` and `noqa` comments that do not say which rule they lift."""
    bare = re.compile(r"type:\s*ignore(?!\[)|noqa(?!:\s*[A-Z]+\d)", re.IGNORECASE)
    return [
        f"{token.start[0]} {token.string}"
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT and bare.search(token.string)
    ]


def unfinished(source: str) -> list[str]:
    """Comments that promise work, and stubs."""
    marks = re.compile(r"\b(TO" r"DO|FIX" r"ME|HA" r"CK)\b")
    found = [
        f"{token.start[0]} {token.string}"
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT and marks.search(token.string)
    ]
    stub = "NotImplementedError"
    return found + [
        f"{stub} on line {n}" for n, line in enumerate(source.splitlines(), 1) if stub in line
    ]


def faults_in(files: list[Path], check: object) -> list[str]:
    """What `check` finds, each headed by its file."""
    assert files
    assert callable(check)
    return [
        f"{name_of(path)}:{fault}"
        for path in files
        for fault in check(ast.parse(path.read_text(encoding="utf-8")))
    ]


def test_functions_fit_on_a_screen() -> None:
    assert faults_in(python_files(*CODE_FOLDERS), long_functions) == []


def test_modules_hold_one_concept() -> None:
    sizes = {name_of(path): path.read_bytes().count(b"\n") for path in python_files(*CODE_FOLDERS)}
    faults = {
        name: size
        for name, size in sizes.items()
        if size > (MAX_TEST_LINES if name.startswith("tests/") else MAX_MODULE_LINES)
    }
    assert faults == {}


def test_functions_take_few_positional_parameters() -> None:
    assert faults_in(python_files("src"), wide_functions) == []


def test_only_the_main_loops_of_surfaces_catch_everything() -> None:
    files = [path for path in python_files("src") if not name_of(path).startswith(MAY_CATCH_ALL)]
    assert faults_in(files, broad_handlers) == []


def test_every_exemption_names_its_rule() -> None:
    faults = {
        name_of(path): found
        for path in python_files(*CODE_FOLDERS)
        if (found := bare_exemptions(path.read_text(encoding="utf-8")))
    }
    assert faults == {}


def test_nothing_is_left_unfinished() -> None:
    faults = {
        name_of(path): found
        for path in python_files("src", "examples", "tools")
        if (found := unfinished(path.read_text(encoding="utf-8")))
    }
    assert faults == {}


def test_the_checkers_catch_what_they_look_for() -> None:
    long = "def f():\n" + "    x = 1\n" * MAX_FUNCTION_LINES
    wide = "class C:\n    def f(self, a, b, c, d, e, f): ...\n    def g(self, a, b, c, d, e, *, f): ..."
    broad = "try:\n    f()\nexcept (ValueError, Exception):\n    pass\n"
    bare = "try:\n    f()\nexcept:\n    log()\n"
    raising = "try:\n    f()\nexcept Exception as error:\n    raise Ours() from error\n"
    assert len(long_functions(ast.parse(long))) == 1
    assert [fault.split()[1] for fault in wide_functions(ast.parse(wide))] == ["f:"]
    assert [len(broad_handlers(ast.parse(text))) for text in (broad, bare, raising)] == [1, 1, 0]
    exempt = "x = 1  # type: ignore\ny = 1  # noqa\nz = 1  # type: ignore[misc]\n"
    assert len(bare_exemptions(exempt)) == 2
    assert len(unfinished("# TODO: 以后\nraise NotImplementedError\n")) == 2
    assert MACHINE_PATHS.search("/{}/x".format("root"))
    assert REGISTRIES.search("https://pypi{}/simple".format(".org"))
    assert PATH_IN_TEXT.findall("see `src/memstone/a.py` and `tests/*`") == ["src/memstone/a.py"]


@pytest.mark.parametrize("name", errors.__all__)
def test_every_public_error_has_a_code_of_its_own(name: str) -> None:
    error = getattr(errors, name)
    assert issubclass(error, errors.MemstoneError)
    assert "code" in vars(error), "a code is never inherited"
    codes = [getattr(errors, other).code for other in errors.__all__]
    assert codes.count(error.code) == 1
    assert re.fullmatch(r"[a-z]+(_[a-z]+)*", error.code)
    assert error.exit_code in EXIT_CODES
    assert name in (errors.__doc__ or ""), "the tree in the docstring lacks it"


def test_no_error_stands_outside_the_public_list() -> None:
    defined = {
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, Exception)
    }
    assert defined == set(errors.__all__)


def test_published_codes_never_change() -> None:
    now = {
        name: (getattr(errors, name).code, getattr(errors, name).exit_code)
        for name in errors.__all__
    }
    assert {name: now.get(name) for name in PUBLISHED_CODES} == PUBLISHED_CODES


def test_no_text_names_a_machine_or_a_registry() -> None:
    faults = [
        f"{name}:{number}: {line.strip()[:100]}"
        for name, text in texts()
        for number, line in enumerate(text.splitlines(), 1)
        if MACHINE_PATHS.search(line) or REGISTRIES.search(line)
    ]
    assert faults == []


def test_every_path_that_a_document_names_exists() -> None:
    missing = [
        f"{name}: {path}"
        for name, text in texts()
        if name.endswith(".md")
        for path in PATH_IN_TEXT.findall(text)
        if not (ROOT / path).exists()
    ]
    assert missing == []


def test_the_version_stands_the_same_in_both_places() -> None:
    with (ROOT / "pyproject.toml").open("rb") as stream:
        assert tomllib.load(stream)["project"]["version"] == VERSION
