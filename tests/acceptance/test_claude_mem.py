"""The second ancestor's module and command: its verbs, its folder, its settings, its database."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

import claude_mem
from memstone.compat import claude_mem as module
from memstone.errors import InvalidInput
from memstone.surfaces.compat.claude_mem import main
from tests.unit.test_importers_seeds import CLAUDE_MEM

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The ancestor's home, named by its variable."""
    monkeypatch.setenv("CLAUDE_MEM_HOME", str(tmp_path / "home"))
    yield tmp_path / "home"
    module._close()


def told(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> tuple[Any, str]:
    """The documents on standard output, and what stands on standard error."""
    assert main(words) == code
    captured = capsys.readouterr()
    return [json.loads(line) for line in captured.out.splitlines()], captured.err


def test_the_module_remembers_recalls_and_forgets(folder: Path) -> None:
    id_ = claude_mem.remember("用户喜欢简短的回答", tags=["偏好"], session_id="s")
    claude_mem.remember("The deploy key rotates in March.", tags=["temp"])
    (hit,) = claude_mem.recall("用户喜欢怎样的回答？", top_k=1)
    assert (hit.content, hit.id) == ("用户喜欢简短的回答", id_)
    assert 0.0 < hit.score <= 1.0
    assert claude_mem.recall("what is the capital of Peru?") == []
    assert claude_mem.forget(tag="temp") == 1
    assert claude_mem.forget("deploy key") == 0
    with pytest.raises(InvalidInput):
        claude_mem.forget()
    assert (folder / "memory.db").exists()


def test_the_command_has_its_verbs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ((written,), _) = told(capsys, "init")
    assert written == {"config": str(folder / "config.yaml"), "written": True}
    assert told(capsys, "init")[0][0]["written"] is False
    told(capsys, "remember", "My budget is 900 EUR.", "--tag", "money")
    told(capsys, "remember", "My budget is now 1200 EUR.")
    ((found,), _) = told(capsys, "recall", "what is my budget?")
    assert [hit["text"] for hit in found["hits"]] == ["My budget is now 1200 EUR."]
    listed, _ = told(capsys, "list", "--limit", "1")
    assert [memory["text"] for memory in listed] == ["My budget is now 1200 EUR."]
    ((plan,), _) = told(capsys, "forget", "--tag", "money", "--dry-run")
    assert (plan["dry_run"], len(plan["would_forget"])) == (True, 1)
    assert len(told(capsys, "forget", "budget")[0]) == 1
    assert told(capsys, "list")[0] == []


def test_an_export_holds_everything(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told(capsys, "remember", "one fact about zebras")
    target = folder.parent / "out.jsonl"
    ((said,), _) = told(capsys, "export", "--output", str(target))
    assert said == {"exported": 1, "path": str(target)}
    assert "zebras" in target.read_text(encoding="utf-8")


@pytest.mark.parametrize("words", [("forget",), ("gc", "--dry-run")])
def test_what_it_cannot_do_is_an_error_with_a_way_out(
    folder: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    assert main(words) != 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"claude-mem: {words[0]}")


def test_a_person_hears_that_there_is_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    for words in (("list",), ("recall", "what is the capital of Peru?")):
        assert main(words) == 0
        captured = capsys.readouterr()
        assert captured.out.strip() == ""
        assert captured.err.startswith("claude-mem: no")


def test_its_settings_are_read_as_they_are_written(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder.mkdir()
    (folder / "config.yaml").write_text(
        "storage:\n  path: notes/mine.db\nretrieval:\n  top_k: 1\nauto_remember:\n  enabled: true\n"
        "  summary_model: claude-haiku\nsomething:\n  else: 1\n",
        encoding="utf-8",
    )
    _, notes = told(capsys, "remember", "The first fact about the port is 8080")
    assert "summary_model: claude-haiku is called only if" in notes
    assert "something.else has no meaning here" in notes
    told(capsys, "remember", "The second fact about the harbour")
    ((found,), _) = told(capsys, "recall", "fact")
    assert len(found["hits"]) == 1
    assert (folder / "notes" / "mine.db").exists()


def test_a_wrong_setting_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder.mkdir()
    (folder / "config.yaml").write_text("retrieval:\n  top_k: none\n", encoding="utf-8")
    assert main(("list",)) == 78
    assert "retrieval.top_k: 'none' is not allowed" in capsys.readouterr().err


def test_a_database_of_the_ancestor_is_taken_in_and_stays(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder.mkdir()
    with closing(sqlite3.connect(folder / "memory.db")) as connection:
        connection.execute(CLAUDE_MEM.format(""))
        connection.execute(
            "INSERT INTO memories (id, session_id, content) VALUES (1, 's', 'the user likes jazz')"
        )
        connection.commit()
    before = (folder / "memory.db").read_bytes()
    ((found,), notes) = told(capsys, "recall", "what music does the user like? jazz?")
    assert [hit["text"] for hit in found["hits"]] == ["the user likes jazz"]
    assert "stays as it is; its 1 memories were imported" in notes
    assert told(capsys, "list")[1] == ""  # known by now
    assert (folder / "memory.db").read_bytes() == before
