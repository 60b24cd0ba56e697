"""From a path to its format: folders, databases and files by what is in them."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from memstone import importers
from memstone.errors import InvalidInput, SourceError
from memstone.importers import FORMATS, detect, read
from memstone.types import Note, Skipped

if TYPE_CHECKING:
    from pathlib import Path

STORES = {
    "cavemem": (
        "CREATE TABLE memories (id TEXT PRIMARY KEY, text TEXT NOT NULL, created_at TEXT NOT NULL,"
        " valid_from TEXT, valid_until TEXT, supersedes TEXT, superseded_by TEXT)",
        "INSERT INTO memories (id, text, created_at) VALUES ('1', '喜欢蓝色', '2026-03-01T08:00:00Z')",
    ),
    "claude-mem": (
        "CREATE TABLE memories (id INTEGER PRIMARY KEY, session_id TEXT, content TEXT NOT NULL,"
        " summary TEXT, tags TEXT, created_at DATETIME, updated_at DATETIME,"
        " last_recalled_at DATETIME, embedding BLOB)",
        "INSERT INTO memories (id, content, created_at) VALUES (1, '喜欢蓝色', '2026-03-01 08:00:00')",
    ),
}


def database(file: Path, *statements: str) -> Path:
    connection = sqlite3.connect(file)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()
    return file


def test_every_name_stands_once_in_the_table() -> None:
    assert len(set(FORMATS)) == len(FORMATS) >= 14
    assert {"chatgpt", "claude-ai", "chat", "memstone"} <= set(FORMATS)
    assert importers.DETECT_BYTES > 0
    with pytest.raises(AttributeError):
        _ = importers.NOTHING


def test_a_vault_is_known_by_its_notes_and_a_knowledge_base_by_its_front_matter(
    tmp_path: Path,
) -> None:
    note = tmp_path / "项目.md"
    note.write_text("# 项目\n\n按钮是蓝色的\n", encoding="utf-8")
    assert detect(tmp_path) == "obsidian"
    with read(tmp_path) as reading:
        assert (reading.format, reading.line) == ("obsidian", 0)
        assert [type(entry) for entry in reading] == [Note]
    note.write_text(
        "---\ntitle: 项目\ntype: note\npermalink: x\n---\n- [fact] 蓝色\n", encoding="utf-8"
    )
    assert detect(tmp_path) == "basic-memory"
    assert [type(entry) for entry in read(tmp_path, "obsidian")] == [Note]


def test_a_folder_of_nothing_known_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x", encoding="utf-8")
    with pytest.raises(SourceError, match="not recognised"):
        read(tmp_path)
    with pytest.raises(SourceError, match="no Markdown file"):
        read(tmp_path, "obsidian")


@pytest.mark.parametrize("name", STORES)
def test_a_database_is_known_by_its_columns(tmp_path: Path, name: str) -> None:
    file = database(tmp_path / "store.bin", *STORES[name])
    assert detect(file) == name
    found = list(read(file))
    assert [entry.text for entry in found if not isinstance(entry, Skipped)] == ["喜欢蓝色"]
    with pytest.raises(InvalidInput, match="sample"):
        read(file, sample="x")


def test_another_database_is_refused_and_so_is_one_under_a_wrong_name(tmp_path: Path) -> None:
    other = database(tmp_path / "a.db", "CREATE TABLE memories (a TEXT)")
    with pytest.raises(SourceError, match="not recognised"):
        read(other)
    with pytest.raises(SourceError, match="a database, of which no chat is read"):
        read(other, "chat")
    with pytest.raises(SourceError, match="no table"):
        read(database(tmp_path / "b.db", "CREATE TABLE x (a TEXT)"))


def test_a_text_is_not_read_as_a_folder_or_a_database(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text("# 项目", encoding="utf-8")
    for name in ("obsidian", "cavemem"):
        with pytest.raises(SourceError, match=f"a text, of which no {name} is read"):
            read(file, name)


def test_a_hook_does_not_load_the_table_of_formats() -> None:
    code = "import sys, memstone.importers; print(*(n for n in sys.modules if n == 'zipfile' or 'detecting' in n))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True
    )
    assert done.stdout.split() == []
