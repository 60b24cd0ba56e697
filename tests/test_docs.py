"""The documents say what is: commands are run, paths exist, tables come from their source."""

from __future__ import annotations

import ast
import doctest
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
DOCUMENTS = sorted(
    [README, ROOT / "CHANGELOG.md", *ROOT.glob("docs/**/*.md"), *ROOT.glob("*/README.md")]
)
FIGURES = re.compile(r"<!-- figures: .*? -->\n(.*?)<!-- end of figures -->", re.DOTALL)


def printed(*arguments: str) -> str:
    """What a Python command prints, run in the project's folder."""
    env = {key: value for key, value in os.environ.items() if not key.startswith("MEMSTONE_")}
    done = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        encoding="utf-8",
        cwd=ROOT,
        check=True,
        env=env,
    )
    return done.stdout


def test_docs_the_readme_transcript_is_what_the_commands_print() -> None:
    spec = importlib.util.spec_from_file_location("transcript", ROOT / "tools" / "transcript.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    block = module.BLOCK.search(README.read_text(encoding="utf-8"))
    assert block is not None
    shown = block[0].removeprefix(block[1]).removesuffix(block[2])
    # a score falls by a hair with every day that passes
    score = re.compile(r"^\d+\.\d\d ", re.MULTILINE)
    assert score.sub("#", shown) == score.sub("#", module.transcript()), (
        "run: python tools/transcript.py --write"
    )


def test_docs_the_readme_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    tmp_path.chmod(0o700)
    found = doctest.testfile(str(README), module_relative=False, encoding="utf-8")
    assert found.attempted > 8
    assert found.failed == 0


def test_docs_the_command_reference_is_generated() -> None:
    made = printed("-m", "memstone.surfaces.cli.reference")
    assert (ROOT / "docs" / "CLI.md").read_text(encoding="utf-8") == made, (
        "run: python -m memstone.surfaces.cli.reference > docs/CLI.md"
    )


def test_docs_the_settings_are_generated() -> None:
    made = printed("-m", "memstone.config.reference")
    assert (ROOT / "docs" / "SETTINGS.md").read_text(encoding="utf-8") == made, (
        "run: python -m memstone.config.reference > docs/SETTINGS.md"
    )


def test_docs_the_readme_figures_are_the_committed_ones() -> None:
    block = FIGURES.search(README.read_text(encoding="utf-8"))
    assert block is not None
    assert block[1].strip() == printed("-m", "benchmarks", "--committed", "--promised").strip()


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_docs_relative_links_and_named_paths_exist(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#:]+)\)", text)
    missing = [link for link in links if not (document.parent / link).exists()]
    named = re.findall(r"`((?:src|tests|docs|tools|benchmarks|examples)/[\w./-]+)", text)
    local = {"benchmarks/results/local"}  # made by the first run
    missing += [
        path for path in named if path.rstrip("/") not in local and not (ROOT / path).exists()
    ]
    assert missing == []


def test_docs_every_invariant_names_tests_that_exist() -> None:
    text = (ROOT / "docs" / "invariants.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if re.match(r"\| \d+ \|", line)]
    assert [int(line.split("|")[1]) for line in rows] == list(range(1, 13))
    for file, name in re.findall(r"`([\w/.]+\.py)::(\w+)`", text):
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        names = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        assert name in names, f"{file} has no {name}"


def test_docs_every_decision_is_numbered_without_gaps_and_has_its_three_parts() -> None:
    files = sorted((ROOT / "docs" / "adr").glob("*.md"))
    assert [int(file.name[:4]) for file in files] == list(range(1, len(files) + 1))
    for file in files:
        text = file.read_text(encoding="utf-8")
        assert all(part in text for part in ("**Context.**", "**Decision.**", "**Consequence.**"))
