"""A session that ends while its store is out of order: a later hook of any session stores it."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

import memstone
from memstone.surfaces.hooks import missed
from memstone.types import Kind, Scope
from tests.acceptance.cli import call
from tests.acceptance.hookkit import Talk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def locked(home: Path) -> Iterator[None]:
    """Another program that lets nobody write the store."""
    connection = sqlite3.connect(home / "mem.db", isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    yield
    connection.execute("ROLLBACK")
    connection.close()


@pytest.fixture(autouse=True)
def store(home: Path) -> None:
    memstone.open(home).close()


def spoken(home: Path, client: str, folder: Path, text: str) -> Talk:
    talk = Talk(client, home, folder)
    talk.user(text)
    return talk


def turns(home: Path, project: str = "") -> list[str]:
    with memstone.open(home) as engine:
        scope = Scope(engine.scope.user, project)
        return sorted(m.text for m in engine.list(limit=None, kinds=[Kind.TURN], scope=scope))


@pytest.mark.parametrize("client", ["claude-code", "codex"])
def test_what_was_said_behind_a_lock_is_stored_once_by_the_next_session(
    home: Path, tmp_path: Path, client: str
) -> None:
    talk = spoken(home, client, tmp_path / "atlas", "暂存集群在 eu-west-1")
    with locked(home):
        assert talk.hook("stop").code == 0
        assert talk.hook("session-end", reason="other").code == 0
    (waits,) = missed.waiting(str(home))
    assert (waits.client, waits.path) == (client, str(talk.transcript))
    assert (home / "missed.json").stat().st_mode & 0o777 == 0o600
    other = spoken(home, client, tmp_path / "atlas", "another session")
    other.hook("stop").fine()
    other.hook("stop").fine()
    assert turns(home) == ["another session", "暂存集群在 eu-west-1"]
    assert missed.waiting(str(home)) == ()


def test_each_is_stored_in_its_own_project(home: Path, tmp_path: Path) -> None:
    projects = []
    for name in ("一", "二"):
        project = tmp_path / name
        (project / ".git").mkdir(parents=True)
        (project / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
        projects.append(str(project))
        talk = spoken(home, "claude-code", project, f"said in {name}")
        with locked(home):
            talk.hook("session-end", reason="other")
    spoken(home, "claude-code", tmp_path / "elsewhere", "third").hook("stop").fine()
    assert turns(home, projects[0]) == ["said in 一", "third"]
    assert turns(home, projects[1]) == ["said in 二", "third"]


def test_nothing_of_a_project_that_is_incognito_is_kept_or_stored(
    home: Path, tmp_path: Path
) -> None:
    project = tmp_path / "日记"
    (project / ".git").mkdir(parents=True)
    (project / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    talk = spoken(home, "claude-code", project, "private words")
    with locked(home):
        talk.hook("stop")
    assert len(missed.waiting(str(home))) == 1
    call("incognito", "on", "--project", str(project)).ok()
    with locked(home):
        talk.hook("stop").fine()
    spoken(home, "claude-code", tmp_path / "x", "other").hook("stop").fine()
    assert turns(home, str(project)) == ["other"]
    assert missed.waiting(str(home)) == ()


def test_a_transcript_that_is_gone_is_dropped(home: Path, tmp_path: Path) -> None:
    talk = spoken(home, "claude-code", tmp_path / "atlas", "gone")
    with locked(home):
        talk.hook("stop")
    talk.transcript.unlink()
    spoken(home, "claude-code", tmp_path / "atlas", "here").hook("stop").fine()
    assert turns(home) == ["here"]
    assert missed.waiting(str(home)) == ()


def test_one_that_cannot_be_read_holds_up_no_later_hook(home: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    bad = Talk("claude-code", home, tmp_path / "atlas")
    bad.transcript = pipe
    assert bad.hook("stop").code == 0
    assert missed.waiting(str(home)) == ()
    missed.add(str(home), missed.Missed("claude-code", str(pipe), "s", ""))
    missed.add(str(home), missed.Missed("nobody", "/转录/x", "s", ""))
    spoken(home, "claude-code", tmp_path / "atlas", "here").hook("stop")
    assert turns(home) == ["here"]
    assert missed.waiting(str(home)) == ()


def test_a_check_keeps_nothing(home: Path, tmp_path: Path) -> None:
    talk = spoken(home, "claude-code", tmp_path / "atlas", "x")
    with locked(home):
        talk.hook("stop", "--check")
    assert not (home / "missed.json").exists()


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"missed": [1]}', '{"missed": [["a", "b", "c", 4]]}', "null"]
)
def test_a_damaged_file_holds_nothing_and_is_written_anew(
    home: Path, tmp_path: Path, content: str
) -> None:
    (home / "missed.json").write_text(content, encoding="utf-8")
    assert missed.waiting(str(home)) == ()
    spoken(home, "claude-code", tmp_path / "atlas", "one").hook("stop").fine()
    assert turns(home) == ["one"]


def test_only_so_many_are_kept(home: Path) -> None:
    for number in range(missed.MOST + 5):
        missed.add(str(home), missed.Missed("codex", f"/转录/{number}", "s", ""))
    kept = json.loads((home / "missed.json").read_text(encoding="utf-8"))["missed"]
    assert len(kept) == missed.MOST
    assert kept[-1][1] == f"/转录/{missed.MOST + 4}"
