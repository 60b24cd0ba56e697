"""Where `cavemem` keeps its memories, and what becomes of a database of its ancestor."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import stat
import sys
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from memstone.engine.cavemem import open_cavemem
from memstone.storage.sqlite import cavemem as legacy
from tests.acceptance.cavemem import (
    RECOVERIES,
    SEVEN_COLUMNS,
    Cavemem,
    call,
    chain,
    handle_of,
    id_of,
    make_database,
    opened,
    seed_scores,
)

if TYPE_CHECKING:
    from pathlib import Path

AT = "2026-01-02T03:04:05Z"
SECRET = "AKIA" + "IOSFODNN7EXAMPLQ"
posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX modes")


@pytest.fixture
def cavemem(tmp_path: Path) -> Cavemem:
    return Cavemem(tmp_path, tmp_path / "caveman")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def bytes_in(folder: Path) -> dict[str, str]:
    """Every file with the digest of its content."""
    return {
        file.name: hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.iterdir())
    }


def plain_row(text: str, at: str = AT) -> tuple[object, ...]:
    return (id_of(text), text, at, at, None, None, None)


FACT = chain(
    ("the region is eu-west-1", "2026-01-02T03:04:05.123456789Z"),
    ("the region is eu-central-1", "2026-02-02T00:00:00.5Z"),
    ("the region is eu-north-1", "2026-03-02T00:00:00Z"),
)


@posix
def test_folders_are_0700_and_files_0600(cavemem: Cavemem) -> None:
    cavemem.remember("a fact")
    assert mode(cavemem.database.parent) == 0o700
    assert mode(cavemem.database) == 0o600


@posix
def test_a_loose_file_is_tightened_and_an_existing_folder_left(cavemem: Cavemem) -> None:
    cavemem.remember("a fact")
    folder = cavemem.database.parent
    os.chmod(cavemem.database, 0o666)
    os.chmod(folder, 0o750)
    cavemem.remember("another")
    assert (mode(cavemem.database), mode(folder)) == (0o600, 0o750)


@posix
def test_a_symlink_in_place_of_the_database_is_refused(cavemem: Cavemem, tmp_path: Path) -> None:
    cavemem.database.parent.mkdir(parents=True)
    target = tmp_path / "elsewhere.db"
    cavemem.database.symlink_to(target)
    answer = cavemem("remember", "a fact")
    assert (answer.code, answer.out) == (1, b"")
    assert answer.err.startswith(b"remember: ")
    assert not target.exists()


@posix
@pytest.mark.parametrize(("loose", "code"), [(0o777, 1), (0o1777, 0), (0o755, 0)])
def test_a_folder_that_others_may_write_is_refused_unless_sticky(
    cavemem: Cavemem, loose: int, code: int
) -> None:
    cavemem.database.parent.mkdir(parents=True)
    os.chmod(cavemem.database.parent, loose)
    assert cavemem("remember", "a fact").code == code
    assert cavemem.database.exists() == (code == 0)


@posix
def test_a_symlinked_folder_is_resolved(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    Cavemem(tmp_path, tmp_path / "link").remember("a fact")
    assert (tmp_path / "real" / "mem" / "mem.db").is_file()


def test_without_the_variable_it_is_the_store_of_memstone(tmp_path: Path) -> None:
    cavemem = Cavemem(tmp_path)
    id_ = cavemem.memstone("remember", "the port is 5432", "--shared").ok().document["id"]
    assert [hit["id"] for hit in cavemem.hits("port")] == [id_]
    cavemem.remember("the host is db1")
    found = cavemem.memstone("recall", "which host", "--shared", "--json").ok().document["hits"]
    assert [hit["text"] for hit in found] == ["the host is db1"]
    assert not (tmp_path / ".caveman").exists()


def test_with_the_variable_memstone_of_the_same_folder_sees_it(cavemem: Cavemem) -> None:
    cavemem.remember("the host is db1")
    found = cavemem.memstone("recall", "which host", "--shared", "--json").ok().document["hits"]
    assert [hit["text"] for hit in found] == ["the host is db1"]


@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_a_database_of_three_columns_becomes_a_store(cavemem: Cavemem, journal: str) -> None:
    text = "legacy deployment fact"
    make_database(cavemem.database, [("mem_legacy", text, AT)], columns=3)
    if journal == "delete":
        with closing(sqlite3.connect(cavemem.database)) as connection:
            connection.execute("PRAGMA journal_mode = DELETE").fetchall()
    answer = cavemem("history", "mem_legacy").ok()
    (version,) = answer.document["history"]
    assert version == {
        "id": "mem_legacy",
        "text": text,
        "created_at": "2026-01-02T03:04:05.000000Z",
        "valid_from": "2026-01-02T03:04:05.000000Z",
    }
    assert answer.err.startswith(b"history: ")
    assert b"1 memories" in answer.err
    again = cavemem("recall", text).ok()
    assert again.err == b""
    (hit,) = again.document["hits"]
    assert (hit["id"], hit["score"]) == ("mem_legacy", pytest.approx(0.863046, abs=5e-7))


def test_a_full_database_keeps_ids_times_links_and_scores(cavemem: Cavemem) -> None:
    others = [plain_row(f"note {number} about the port 端口 {number}") for number in range(150)]
    make_database(cavemem.database, [*FACT, *others])
    ids = [str(row[0]) for row in FACT]
    first, second, third = cavemem.history(ids[1])
    assert [first["id"], second["id"], third["id"]] == ids
    assert first["created_at"] == first["valid_from"] == "2026-01-02T03:04:05.123456Z"
    assert first["valid_until"] == second["created_at"] == "2026-02-02T00:00:00.500000Z"
    assert (first["superseded_by"], third["supersedes"]) == (ids[1], ids[1])
    assert "valid_until" not in third
    current = {str(row[0]): str(row[1]) for row in [FACT[-1], *others]}
    for query in ("region eu", "端口 note 7", "port"):
        wanted = {k: s for k, s in seed_scores(current, query).items() if s >= 0.1}
        found = {hit["id"]: hit["score"] for hit in cavemem.hits(query, "1000", "0")}
        assert found == pytest.approx(wanted, rel=0, abs=1e-12)
    assert cavemem.remember(str(others[3][1])) == others[3][0]
    assert b"expired historical version" in cavemem("remember", "the region is eu-west-1").err
    newer = cavemem("supersede", ids[2], "the region is eu-west-1").ok().document
    assert len(cavemem.history(newer["id"])) == 4
    with_memstone = cavemem.memstone("recall", "which region", "--shared", "--json").ok()
    assert with_memstone.document["hits"][0]["text"] == "the region is eu-west-1"


def test_the_original_is_kept_beside_it(cavemem: Cavemem) -> None:
    make_database(cavemem.database, FACT)
    said = cavemem("recall", "region").ok().err.decode("utf-8")
    (copy,) = cavemem.database.parent.glob("mem.db.before-upgrade-*")
    assert str(copy) in said
    if sys.platform != "win32":
        assert mode(copy) == 0o600
    with closing(sqlite3.connect(copy)) as connection:
        rows = connection.execute("SELECT * FROM memories ORDER BY created_at").fetchall()
    assert rows == FACT
    cavemem.hits("region")
    assert len(list(cavemem.database.parent.glob("mem.db.before-upgrade-*"))) == 1


def test_a_database_with_an_unfinished_log_is_taken_whole(cavemem: Cavemem) -> None:
    import subprocess

    folder = cavemem.database.parent
    folder.mkdir(parents=True, mode=0o700)
    script = (
        "import os, sqlite3, sys\n"
        "c = sqlite3.connect(sys.argv[1])\n"
        "c.execute('PRAGMA journal_mode = WAL')\n"
        "c.executescript(sys.argv[2])\n"
        "c.execute('INSERT INTO memories VALUES (?, ?, ?, ?, NULL, NULL, NULL)', sys.argv[3:])\n"
        "c.commit()\n"
        "os._exit(0)\n"
    )
    row = ["mem_1", "only in the log 日志", AT, AT]
    arguments = [sys.executable, "-c", script, str(cavemem.database), SEVEN_COLUMNS, *row]
    subprocess.run(arguments, check=True)
    assert (folder / "mem.db-wal").stat().st_size
    assert [hit["id"] for hit in cavemem.hits("log")] == ["mem_1"]


def test_old_handles_resolve_as_long_as_their_memory_is_there(cavemem: Cavemem) -> None:
    text, gone = "line of a log\n" * 50, "forgotten before, but its original was kept"
    make_database(cavemem.database, [*FACT, plain_row(text)])
    with closing(sqlite3.connect(cavemem.database.parent / "ccr.db")) as connection:
        connection.executescript(RECOVERIES)
        for original in (text, gone, str(FACT[0][1])):
            row = (handle_of(original), AT, "text", "log", 9, 3, original.encode("utf-8"), None)
            connection.execute("INSERT INTO recoveries VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
        connection.commit()
    before = bytes_in(cavemem.database.parent)["ccr.db"]
    assert cavemem("recover", handle_of(text)).ok().out == text.encode("utf-8")
    assert cavemem("recover", handle_of(str(FACT[0][1]))).ok().out.decode("utf-8") == FACT[0][1]
    assert cavemem("recover", handle_of(gone)).code == 1
    cavemem("forget", id_of(text)).ok()
    assert cavemem("recover", handle_of(text)).code == 1
    assert bytes_in(cavemem.database.parent)["ccr.db"] == before


def test_broken_links_of_a_database_lose_no_memory(cavemem: Cavemem) -> None:
    rows = [
        ("mem_a", "alpha zebra", AT, "", None, "mem_missing", None),
        ("mem_b", "beta zebra", AT, AT, AT, None, "mem_missing"),
        ("mem_c", "gamma zebra", AT, AT, AT, "mem_d", "mem_d"),
        ("mem_d", "delta zebra", AT, AT, AT, "mem_c", "mem_c"),
        ("mem_e", "epsilon zebra", AT, AT, None, None, "mem_a"),
        ("mem_f", "zeta zebra", AT, AT, None, "mem_f", "mem_f"),
    ]
    make_database(cavemem.database, rows)
    assert sorted(hit["id"] for hit in cavemem.hits("alpha epsilon zeta")) == [
        "mem_a", "mem_e", "mem_f",
    ]  # fmt: skip
    assert "valid_until" in cavemem.history("mem_b")[0]
    assert [version["id"] for version in cavemem.history("mem_c")] in (
        ["mem_c", "mem_d"],
        ["mem_d", "mem_c"],
    )


def test_what_a_text_may_not_hold_is_said_and_the_rest_stays(cavemem: Cavemem) -> None:
    key = f"the key is {SECRET}"
    rows = [
        plain_row(key),
        plain_row("<private>all of it</private>"),
        *chain(("one zebra", AT), ("<private>two</private>", AT), ("three zebra", AT)),
        plain_row("nul \0 zebra"),
    ]
    make_database(cavemem.database, rows)
    with closing(sqlite3.connect(cavemem.database)) as connection:
        latin = ("mem_latin", b"caf\xe9 zebra", AT, AT)
        connection.execute(
            "INSERT INTO memories VALUES (?, CAST(? AS TEXT), ?, ?, NULL, NULL, NULL)", latin
        )
        connection.commit()
    answer = cavemem("recall", "zebra", "9", "0").ok()
    texts = {hit["text"] for hit in answer.document["hits"]}
    assert texts == {"three zebra", "nul \0 zebra", "caf\ufffd zebra"}
    said = answer.err.decode("utf-8")
    assert said.count("left out") == 2
    assert "secret" in said
    assert "UTF-8" in said
    assert SECRET not in said
    (stored,) = cavemem.history(id_of(key))
    assert SECRET not in stored["text"]
    assert [version["text"] for version in cavemem.history(id_of("one zebra"))] == [
        "one zebra", "three zebra",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "rows",
    [
        [("mem_a", "alpha", "yesterday", AT, None, None, None)],
        [plain_row("fine"), ("mem_b", "beta", AT, AT, "soon", None, None)],
    ],
)
def test_a_database_that_cannot_be_understood_stays_as_it_is(
    cavemem: Cavemem, rows: list[tuple[object, ...]]
) -> None:
    make_database(cavemem.database, rows)
    before = bytes_in(cavemem.database.parent)
    answer = cavemem("recall", "alpha")
    assert (answer.code, answer.out) == (1, b"")
    assert str(rows[-1][0]).encode() in answer.err
    assert bytes_in(cavemem.database.parent) == before


@pytest.mark.parametrize(
    "content", [b"not a database " * 100, b"SQLite format 3\0" + b"\xff" * 4096]
)
def test_a_file_that_is_no_database_stays_as_it_is(cavemem: Cavemem, content: bytes) -> None:
    cavemem.database.parent.mkdir(parents=True, mode=0o700)
    cavemem.database.write_bytes(content)
    answer = cavemem("remember", "a fact")
    assert (answer.code, answer.out) == (1, b"")
    assert answer.err.startswith(b"remember: ")
    assert cavemem.database.read_bytes() == content


def test_a_database_of_another_program_stays_as_it_is(cavemem: Cavemem) -> None:
    cavemem.database.parent.mkdir(parents=True, mode=0o700)
    with closing(sqlite3.connect(cavemem.database)) as connection:
        connection.execute("CREATE TABLE memories (id INTEGER, body TEXT)")
    before = bytes_in(cavemem.database.parent)
    assert cavemem("remember", "a fact").code == 1
    assert bytes_in(cavemem.database.parent) == before


def test_several_processes_adopt_a_database_once(cavemem: Cavemem) -> None:
    rows = [plain_row(f"note {number} zebra{number % 7}") for number in range(200)]
    make_database(cavemem.database, rows)
    running = [cavemem.start("remember", f"new fact {number}") for number in range(6)]
    ends = [process.communicate() for process in running]
    assert [process.returncode for process in running] == [0] * 6, [err for _, err in ends]
    assert len(list(cavemem.database.parent.glob("mem.db.before-upgrade-*"))) == 1
    stats = cavemem.memstone("stats", "--json").ok().document
    assert stats["current"] == 206


def test_the_home_of_the_ancestor_is_taken_in_once_and_left_alone(tmp_path: Path) -> None:
    cavemem = Cavemem(tmp_path)
    legacy = tmp_path / ".caveman" / "mem" / "mem.db"
    make_database(legacy, [*FACT, plain_row("the zebra is striped 斑马")])
    before = bytes_in(legacy.parent)
    kept = cavemem.memstone("remember", "known before", "--shared").ok().document["id"]
    answer = cavemem("recall", "zebra").ok()
    assert b"took in 4 memories" in answer.err
    assert [hit["id"] for hit in answer.document["hits"]] == [id_of("the zebra is striped 斑马")]
    assert len(cavemem.history(str(FACT[1][0]))) == 3
    assert len(cavemem.history(kept)) == 1
    assert bytes_in(legacy.parent) == before
    cavemem("forget", id_of("the zebra is striped 斑马")).ok()
    assert cavemem("recall", "zebra").ok().err == b""
    assert cavemem.hits("zebra") == []
    assert bytes_in(legacy.parent) == before


def test_taking_in_respects_what_is_known_here_already(tmp_path: Path) -> None:
    cavemem = Cavemem(tmp_path)
    same, old = "said in both places", "the port is 1"
    cavemem.memstone("remember", same, "--shared").ok()
    here = cavemem.memstone("remember", old, "--shared").ok().document["id"]
    cavemem.memstone("supersede", here, "the port is 2").ok()
    make_database(tmp_path / ".caveman" / "mem" / "mem.db", [plain_row(same), plain_row(old)])
    answer = cavemem("recall", "port").ok()
    assert [hit["text"] for hit in answer.document["hits"]] == ["the port is 2"]
    assert b"took in 0 memories" in answer.err  # both are known, one of them as history
    assert len(cavemem.history(id_of(same))) == 1


def test_the_server_takes_it_in_as_well_and_says_so_on_stderr(tmp_path: Path) -> None:
    cavemem = Cavemem(tmp_path)
    make_database(tmp_path / ".caveman" / "mem" / "mem.db", [plain_row("the zebra is striped")])
    (reply,) = cavemem.talk(call(1, "cavemem_recall", query="zebra"))
    assert len(opened(reply)[1]["hits"]) == 1


def test_a_damaged_home_of_the_ancestor_is_an_error_that_names_it(tmp_path: Path) -> None:
    cavemem = Cavemem(tmp_path)
    legacy = tmp_path / ".caveman" / "mem" / "mem.db"
    legacy.parent.mkdir(parents=True)
    legacy.write_bytes(b"not a database " * 100)
    answer = cavemem("recall", "zebra")
    assert (answer.code, answer.out) == (1, b"")
    assert str(legacy).encode() in answer.err
    assert legacy.read_bytes() == b"not a database " * 100


def test_a_database_adopted_between_two_looks_at_it_is_opened(
    cavemem: Cavemem, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process adopts it after ours was refused and before ours looks whose it is."""
    make_database(cavemem.database, [plain_row("an old note about zebras")])

    def adopt_first(place: str) -> bool:
        cavemem("remember", "first fact")
        return their_own(place)

    their_own = legacy.is_theirs
    monkeypatch.setattr(legacy, "is_theirs", adopt_first)
    opened = open_cavemem({"CAVEMAN_HOME": str(cavemem.database.parent.parent)})
    try:
        assert opened.engine.count() == 2
    finally:
        opened.engine.close()
