"""The stores of the two seeds: read where they lie, whole, and left as they were to the byte."""

from __future__ import annotations

import os
import subprocess
import sys
from hashlib import sha256
from typing import TYPE_CHECKING

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstone.errors import SourceError, SourceMissing
from memstone.importers import cavemem_store, claude_mem_store, foreign_sqlite
from memstone.times import parse_time
from memstone.types import MAX_TEXT_BYTES, Kind, Note, Skipped, Trust

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

CAVEMEM = (
    "CREATE TABLE memories (id TEXT PRIMARY KEY, text TEXT NOT NULL, created_at TEXT NOT NULL,"
    " valid_from TEXT NOT NULL, valid_until TEXT, supersedes TEXT, superseded_by TEXT)"
)
OLD_CAVEMEM = "CREATE TABLE memories (id TEXT PRIMARY KEY, text TEXT, created_at TEXT)"
CLAUDE_MEM = (
    "CREATE TABLE memories (id INTEGER PRIMARY KEY, session_id TEXT, content TEXT NOT NULL,"
    " summary TEXT, tags TEXT, created_at DATETIME DEFAULT CURRENT_TIMESTAMP,"
    " updated_at DATETIME DEFAULT CURRENT_TIMESTAMP, last_recalled_at DATETIME, embedding BLOB{})"
)
LATER = ", role TEXT, agent_id TEXT, scope TEXT, last_seen DATETIME, status TEXT"
FULL = (
    "INSERT INTO memories (id, session_id, content, summary, tags, created_at, updated_at, role,"
    " agent_id, scope, last_seen, status) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
DAY = "2026-03-0{}T08:00:00.5Z"
Value = str | int | float | bytes | None


def micros(text: str) -> int:
    return parse_time(text, name="at")


def made(file: Path, schema: str, insert: str = "", rows: Iterable[tuple[Value, ...]] = ()) -> Path:
    connection = apsw.Connection(str(file))
    connection.execute(schema)
    for row in rows:
        connection.execute(insert, row)
    connection.close()
    return file


def version_id(text: str) -> str:
    return "mem_" + sha256(text.encode()).hexdigest()[:16]


def chain(*texts: str) -> list[tuple[Value, ...]]:
    """The rows of one chain as they are after superseding each text by the next."""
    ids = [version_id(text) for text in texts]
    return [
        (
            ids[at], text, DAY.format(at + 1), DAY.format(at + 1),
            DAY.format(at + 2) if at + 1 < len(texts) else None,
            ids[at - 1] if at else None,
            ids[at + 1] if at + 1 < len(texts) else None,
        )
        for at, text in enumerate(texts)
    ]  # fmt: skip


def cavemem(file: Path, rows: Iterable[tuple[Value, ...]]) -> Path:
    return made(file, CAVEMEM, "INSERT INTO memories VALUES (?, ?, ?, ?, ?, ?, ?)", rows)


def notes(found: Iterable[Note | Skipped]) -> list[Note]:
    return [entry for entry in found if isinstance(entry, Note)]


def left_out(found: Iterable[Note | Skipped]) -> list[Skipped]:
    return [entry for entry in found if isinstance(entry, Skipped)]


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


# -- cavemem


def test_a_memory_of_cavemem_keeps_its_text_time_and_id(tmp_path: Path) -> None:
    file = cavemem(tmp_path / "mem.db", chain("部署密钥在 vault\n"))
    assert list(cavemem_store.read(file)) == [
        Note(
            text="部署密钥在 vault\n",
            at=micros("2026-03-01T08:00:00.5Z"),
            external_id=version_id("部署密钥在 vault\n"),
            trust=Trust.EXTERNAL,
        )
    ]


def test_a_chain_comes_oldest_first_under_one_id_and_only_its_head_is_current(
    tmp_path: Path,
) -> None:
    rows = [*chain("预算 100", "预算 200", "预算 300"), *chain("other")]
    file = cavemem(tmp_path / "mem.db", rows[::-1])  # whatever the order of the rows
    found = notes(cavemem_store.read(file))
    budget = [note for note in found if "预算" in note.text]
    assert [note.text for note in budget] == ["预算 100", "预算 200", "预算 300"]
    assert [note.superseded for note in budget] == [True, True, False]
    assert {note.external_id for note in budget} == {version_id("预算 100")}
    assert len(found) == 4


def test_a_version_dated_before_the_one_it_follows_still_comes_after_it(tmp_path: Path) -> None:
    first, second = chain("一", "二")
    file = cavemem(
        tmp_path / "mem.db", [first, (*second[:2], "2020-01-01T00:00:00Z", "", *second[4:])]
    )
    assert [note.text for note in notes(cavemem_store.read(file))] == ["一", "二"]


def test_a_chain_that_grew_keeps_its_id(tmp_path: Path) -> None:
    before = notes(cavemem_store.read(cavemem(tmp_path / "a.db", chain("一", "二"))))
    after = notes(cavemem_store.read(cavemem(tmp_path / "b.db", chain("一", "二", "三"))))
    assert {note.external_id for note in before} == {note.external_id for note in after}


def test_links_of_one_end_and_circles_lead_nowhere(tmp_path: Path) -> None:
    (lone,) = chain("独")
    rows = [(*lone[:5], "mem_gone", None), ("a", "甲", DAY.format(1), "", "x", "b", "b"),
            ("b", "乙", DAY.format(2), "", "x", "a", "a"), ("c", "丙", DAY.format(3), "", None, "c", "c")]  # fmt: skip
    found = list(cavemem_store.read(cavemem(tmp_path / "mem.db", rows)))
    assert sorted(note.text for note in notes(found)) == ["丙", "乙", "独", "甲"]
    assert left_out(found) == []


def test_the_oldest_files_have_three_columns(tmp_path: Path) -> None:
    file = made(tmp_path / "m.db", OLD_CAVEMEM, "INSERT INTO memories VALUES (?, ?, ?)",
                [(None, "无名", DAY.format(1)), (None, "也", DAY.format(2))])  # fmt: skip
    found = notes(cavemem_store.read(file))
    assert [(note.text, note.external_id) for note in found] == [("无名", "row-1"), ("也", "row-2")]


# -- claude-mem


def claude_mem(file: Path, *rows: tuple[Value, ...]) -> Path:
    return made(file, CLAUDE_MEM.format(LATER), FULL, rows)


def row(id_: int, content: Value, **more: Value) -> tuple[Value, ...]:
    names = ("session_id", "content", "summary", "tags", "created_at", "updated_at", "role",
             "agent_id", "scope", "last_seen", "status")  # fmt: skip
    return (id_, *({"content": content, **more}.get(name) for name in names))


def test_a_row_of_claude_mem_keeps_everything_that_has_a_place(tmp_path: Path) -> None:
    file = claude_mem(
        tmp_path / "memory.db",
        row(7, "用户要求轻松的语气", session_id="s-1", tags="语气, style，ui,,", agent_id="writer",
            scope="private", created_at="2026-03-01 08:00:00", updated_at="2026-03-02 08:00:00",
            last_seen="2026-03-03 08:00:00"),
    )  # fmt: skip
    assert list(claude_mem_store.read(file)) == [
        Note(
            text="用户要求轻松的语气",
            at=micros("2026-03-01T08:00:00Z"),
            seen_at=micros("2026-03-03T08:00:00Z"),
            external_id="7",
            tags=("语气", "style", "ui"),
            session="s-1",
            agent="writer",
        )
    ]


def test_what_is_shared_superseded_or_a_role_is_told(tmp_path: Path) -> None:
    file = claude_mem(
        tmp_path / "memory.db",
        row(1, "目标", agent_id="lead", scope="shared"),
        row(2, "budget 100", status="superseded"),
        row(3, "budget 200", status="current"),
        row(4, "你是评审员", role="reviewer"),
        row(5, "说的话", role="user"),
    )
    found = notes(claude_mem_store.read(file))
    assert [note.agent for note in found] == [""] * 5
    assert [note.superseded for note in found] == [False, True, False, False, False]
    assert [(note.kind, note.role, note.speaker) for note in found[3:]] == [
        (Kind.PERSONA, "reviewer", None),
        (Kind.FACT, None, "user"),
    ]


def test_a_summary_that_says_something_else_is_a_card_beside_its_memory(tmp_path: Path) -> None:
    file = claude_mem(
        tmp_path / "memory.db",
        row(1, "长长的对话", summary="决定：蓝色", tags="ui", session_id="s"),
        row(2, "一样", summary=" 一样\n"),
        row(3, "空", summary=" "),
    )
    found = notes(claude_mem_store.read(file))
    assert [(note.text, note.kind, note.external_id) for note in found] == [
        ("长长的对话", Kind.FACT, "1"),
        ("决定：蓝色", Kind.CARD, "1:summary"),
        ("一样", Kind.FACT, "2"),
        ("空", Kind.FACT, "3"),
    ]
    assert (found[1].tags, found[1].session) == (("ui",), "s")


def test_a_table_without_the_later_columns_is_read(tmp_path: Path) -> None:
    insert = "INSERT INTO memories (id, content, created_at, embedding) VALUES (?, ?, ?, ?)"
    rows: list[tuple[Value, ...]] = [
        (1, "旧", 1_770_000_000, b"\0\xff" * 8),
        (2, "数", 1.77e9, None),
    ]
    found = notes(
        claude_mem_store.read(made(tmp_path / "m.db", CLAUDE_MEM.format(""), insert, rows))
    )
    assert [(note.text, note.at) for note in found] == [
        ("旧", 1_770_000_000_000_000),
        ("数", 1_770_000_000_000_000),
    ]


# -- what both must bear


def test_which_store_it_is_is_told_by_the_columns(tmp_path: Path) -> None:
    first = cavemem(tmp_path / "a.db", chain("一"))
    second = claude_mem(tmp_path / "b.db", row(1, "二"))
    assert cavemem_store.recognises(foreign_sqlite.columns_of(first))
    assert not claude_mem_store.recognises(foreign_sqlite.columns_of(first))
    assert claude_mem_store.recognises(foreign_sqlite.columns_of(second))
    assert not cavemem_store.recognises(foreign_sqlite.columns_of(second))
    with pytest.raises(SourceError, match="not a store of cavemem"):
        cavemem_store.read(second)
    with pytest.raises(SourceError, match="not a store of claude-mem"):
        claude_mem_store.read(first)


@pytest.mark.parametrize("value", [b"\xff\xfe\x00sk-secret", " ", "x" * (MAX_TEXT_BYTES + 1)])
def test_a_row_that_cannot_be_kept_is_named_by_its_place(tmp_path: Path, value: Value) -> None:
    file = claude_mem(tmp_path / "m.db", row(10, "好"), row(20, value), row(30, "也好"))
    found = list(claude_mem_store.read(file))
    assert [note.text for note in notes(found)] == ["好", "也好"]
    (report,) = left_out(found)
    assert (report.line, report.bad) == (2, value != " ")
    assert "secret" not in report.reason


def test_text_that_is_not_utf_8_costs_its_row(tmp_path: Path) -> None:
    file = cavemem(tmp_path / "m.db", [*chain("好"), *chain("坏"), *chain("也好")])
    connection = apsw.Connection(str(file))
    connection.execute("UPDATE memories SET text = CAST(x'ff6162' AS TEXT) WHERE text = '坏'")
    connection.close()
    found = list(cavemem_store.read(file))
    assert sorted(note.text for note in notes(found)) == ["也好", "好"]
    assert [each.reason for each in left_out(found)] == ["a text in it is not UTF-8"]


def test_bytes_that_are_text_are_text(tmp_path: Path) -> None:
    file = claude_mem(tmp_path / "m.db", row(1, "字节".encode()), row(2, 200))
    assert [note.text for note in notes(claude_mem_store.read(file))] == ["字节", "200"]


def test_a_bad_time_or_name_costs_its_row(tmp_path: Path) -> None:
    file = claude_mem(
        tmp_path / "m.db",
        row(1, "x", created_at="gestern"),
        row(2, "x", session_id="长" * 2_000),
        row(3, "好"),
    )
    found = list(claude_mem_store.read(file))
    assert [each.line for each in left_out(found)] == [1, 2]
    assert [note.text for note in notes(found)] == ["好"]


def test_a_huge_value_is_refused_without_being_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(foreign_sqlite, "MAX_VALUE_BYTES", 100_000)
    file = claude_mem(tmp_path / "m.db", row(1, "x" * 200_000), row(2, "好"))
    found = list(claude_mem_store.read(file))
    assert [note.text for note in notes(found)] == ["好"]
    assert "a value of more than" in left_out(found)[0].reason


def test_a_database_in_utf_16_is_read(tmp_path: Path) -> None:
    connection = apsw.Connection(str(tmp_path / "m.db"))
    connection.execute("PRAGMA encoding = 'UTF-16le'")
    connection.close()
    file = cavemem(tmp_path / "m.db", chain("预算 100", "预算 200"))
    found = notes(cavemem_store.read(file))
    assert [(note.text, note.superseded) for note in found] == [
        ("预算 100", True),
        ("预算 200", False),
    ]
    assert {note.external_id for note in found} == {version_id("预算 100")}


def test_a_damaged_page_costs_what_is_on_it_and_is_said(tmp_path: Path) -> None:
    file = cavemem(tmp_path / "m.db", chain(*(f"{number} " + "长" * 900 for number in range(8))))
    data = bytearray(file.read_bytes())
    last = len(data) - 4096
    data[last : last + 4096] = b"\xa5" * 4096
    file.write_bytes(data)
    found = list(cavemem_store.read(file))
    assert any("damaged" in each.reason for each in left_out(found))
    assert all(each.bad for each in left_out(found))


def test_a_damaged_table_gives_what_stands_before_the_damage(tmp_path: Path) -> None:
    rows = [row(number, f"{number} " + "长" * 300) for number in range(1, 60)]
    file = claude_mem(tmp_path / "m.db", *rows)
    data = bytearray(file.read_bytes())
    for page in range(len(data) // 2 // 4096, len(data) // 4096):
        data[page * 4096 : page * 4096 + 8] = b"\xa5" * 8
    file.write_bytes(data)
    found = list(claude_mem_store.read(file))
    texts = [note.text for note in notes(found)]
    assert 0 < len(texts) < 59
    assert texts == [str(each[2]) for each in rows[: len(texts)]]
    assert found[-1] == Skipped(
        len(texts) + 1,
        "the database is damaged, or encrypted; rows behind this one were not found",
    )


@given(st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.binary(min_size=1, max_size=4)),
                min_size=1, max_size=4))  # fmt: skip
def test_no_damage_is_more_than_an_error_or_a_report(
    tmp_path_factory: pytest.TempPathFactory, blows: list[tuple[float, bytes]]
) -> None:
    file = tmp_path_factory.getbasetemp() / "damaged.db"
    file.unlink(missing_ok=True)
    data = bytearray(cavemem(file, chain(*(f"{n} 预算" for n in range(6)))).read_bytes())
    for place, bytes_ in blows:
        start = int(place * len(data))
        data[start : start + len(bytes_)] = bytes_
    file.write_bytes(data)
    try:
        found = list(cavemem_store.read(file))
    except SourceError:
        return
    assert all(isinstance(entry, Note | Skipped) for entry in found)


def test_a_version_without_a_text_is_named(tmp_path: Path) -> None:
    file = made(tmp_path / "m.db", OLD_CAVEMEM, "INSERT INTO memories VALUES (?, ?, ?)",
                [("a", None, DAY.format(1)), ("b", "好", DAY.format(2))])  # fmt: skip
    found = list(cavemem_store.read(file))
    assert [note.text for note in notes(found)] == ["好"]
    assert left_out(found) == [Skipped(1, "text: missing")]


@pytest.mark.parametrize("data", [b"", b"no database", b"SQLite format 3\0" + b"\xff" * 4_080])
def test_what_is_no_database_says_so(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "m.db"
    file.write_bytes(data)
    with pytest.raises(SourceError, match=r"no SQLite database|damaged"):
        cavemem_store.read(file)
    assert contents(tmp_path) == {"m.db": data}


def test_a_missing_file_or_table_says_so(tmp_path: Path) -> None:
    with pytest.raises(SourceMissing):
        claude_mem_store.read(tmp_path / "没有.db")
    with pytest.raises(SourceMissing):
        claude_mem_store.read("a\0b")
    with pytest.raises(SourceError, match="cannot be read"):
        claude_mem_store.read(tmp_path)
    for at, schema in enumerate(
        ["CREATE TABLE t (x)", "CREATE VIEW memories AS SELECT 1 AS id, 2 AS text, 3 AS created_at"]
    ):
        file = made(tmp_path / f"{at}.db", schema)
        with pytest.raises(SourceError, match="no table 'memories'"):
            cavemem_store.read(file)
        assert not (tmp_path / f"{at}.db-wal").exists()


def test_a_path_with_every_sign_in_it_is_found(tmp_path: Path) -> None:
    folder = tmp_path / "a b?mode=rwc&x#%41 目录"
    folder.mkdir()
    file = cavemem(folder / "mem?.db", chain("一"))
    assert [note.text for note in notes(cavemem_store.read(file))] == ["一"]
    assert list(contents(folder)) == ["mem?.db"]


# -- no trace

WRITER = f"""
import apsw, os, sys
connection = apsw.Connection(sys.argv[1])
connection.execute("PRAGMA journal_mode = WAL")
connection.execute("PRAGMA wal_autocheckpoint = 0")
connection.execute({CAVEMEM!r})
connection.execute("INSERT INTO memories VALUES ('a', '在日志里', '2026-03-01', '2026-03-01', NULL, NULL, NULL)")
if sys.argv[2] == "wait":
    print("ready", flush=True)
    sys.stdin.read()
if sys.argv[2] == "kill":
    os._exit(0)
connection.close()
"""


@pytest.mark.parametrize("without", [(), ("-shm",)])
@pytest.mark.parametrize("end", ["close", "kill"])
def test_a_store_in_wal_mode_is_read_whole_and_left_as_it_was(
    tmp_path: Path, end: str, without: tuple[str, ...]
) -> None:
    file = tmp_path / "mem.db"
    subprocess.run([sys.executable, "-c", WRITER, str(file), end], check=True)
    for suffix in without:
        (tmp_path / f"mem.db{suffix}").unlink(missing_ok=True)
    before = contents(tmp_path)
    assert ("mem.db-wal" in before) == (end == "kill")
    assert [note.text for note in notes(cavemem_store.read(file))] == ["在日志里"]
    assert contents(tmp_path) == before


def test_a_store_that_its_program_has_open_is_read_whole(tmp_path: Path) -> None:
    file = tmp_path / "mem.db"
    command = [sys.executable, "-c", WRITER, str(file), "wait"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        names = set(contents(tmp_path))
        assert [note.text for note in notes(cavemem_store.read(file))] == ["在日志里"]
        assert set(contents(tmp_path)) == names
        writer.communicate()
    assert [note.text for note in notes(cavemem_store.read(file))] == ["在日志里"]


def test_a_store_that_is_locked_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foreign_sqlite, "BUSY_MS", 10)
    file = cavemem(tmp_path / "mem.db", chain("一"))
    connection = apsw.Connection(str(file))
    connection.execute("BEGIN EXCLUSIVE")
    with pytest.raises(SourceError, match="another program is writing"):
        cavemem_store.read(file)
    connection.close()
    assert len(list(cavemem_store.read(file))) == 1


def test_a_reading_that_is_given_up_closes_the_file(tmp_path: Path) -> None:
    file = cavemem(tmp_path / "mem.db", [*chain("一"), *chain("二")])
    next(iter(cavemem_store.read(file)))
    os.rename(file, tmp_path / "moved.db")
    assert len(list(claude_mem_store.read(claude_mem(tmp_path / "c.db", row(1, "三"))))) == 1


TEXTS = st.text("ab 预算\n100\U0001f642", min_size=1, max_size=6).filter(str.strip)


@given(st.lists(st.lists(TEXTS, min_size=1, max_size=4), max_size=5))
def test_no_version_is_lost_or_put_before_the_one_it_follows(
    tmp_path_factory: pytest.TempPathFactory, chains: list[list[str]]
) -> None:
    file = tmp_path_factory.getbasetemp() / "chains.db"
    file.unlink(missing_ok=True)
    marked = [[f"{at}.{n} {text}" for n, text in enumerate(each)] for at, each in enumerate(chains)]
    found = list(
        cavemem_store.read(cavemem(file, [row for each in marked for row in chain(*each)]))
    )
    assert found == list(cavemem_store.read(file))
    for each in marked:
        own = [note for note in notes(found) if note.external_id == version_id(each[0])]
        assert [note.text for note in own] == each
        assert [note.superseded for note in own] == [True] * (len(each) - 1) + [False]
    assert len(found) == sum(map(len, marked))
