"""Public cases on the store's file, seen from the command line: upgrades, damage, kills, locks."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import apsw
import pytest

import memstone
from memstone.storage.sqlite import migrations
from tests.acceptance.casekit import bare_python, turns
from tests.acceptance.cli import call, environment, process

pytestmark = [
    pytest.mark.usefixtures("home"),
    pytest.mark.skipif(os.name != "posix", reason="SIGKILL and POSIX locks"),
]
SESSIONS, PER_SESSION = 10, 50
# what a half-done upgrade leaves: the counter is high, tables, indexes and a column are missing
HALF_DONE = (
    "DROP INDEX memory_by_kind",
    "DROP TABLE memory_archive",
    "DROP INDEX memory_by_subject",
    "ALTER TABLE memory DROP COLUMN subject",
    "ALTER TABLE memory DROP COLUMN redacted_at",
)


def change(home: Path, *statements: str) -> None:
    """Alter the closed store behind memstone's back."""
    connection = apsw.Connection(str(home / "mem.db"))
    for statement in statements:
        connection.execute(statement).fetchall()
    connection.close()


def half_upgraded(home: Path) -> None:
    with memstone.open(home) as engine:
        for session in range(SESSIONS):
            spoken = [f"text{session}x{n} 第{session}段 {n} 条" for n in range(PER_SESSION)]
            turns(engine, spoken, session=f"session {session}")
    change(home, *HALF_DONE)


def test_case_1_an_upgrade_keeps_all_500_rows_a_copy_and_says_what_it_did(home: Path) -> None:
    half_upgraded(home)
    answer = process("stats", env=environment(home), cwd=home.parent).ok()
    assert answer.document["current"] == SESSIONS * PER_SESSION
    (copy,) = [entry for entry in home.iterdir() if "before-upgrade" in entry.name]
    saved = apsw.Connection(str(copy))
    assert saved.execute("SELECT count(*) FROM memory").fetchall() == [(500,)]
    saved.close()
    with memstone.open(home) as engine:
        for session in range(SESSIONS):
            for number in range(PER_SESSION):
                (hit,) = engine.recall(f"text{session}x{number}", limit=1, touch=False)
                assert hit.memory.session == f"session {session}"


def test_case_1_an_upgrade_prints_the_counts_before_and_after(home: Path) -> None:
    half_upgraded(home)
    answer = process("stats", env=environment(home), cwd=home.parent).ok()
    assert answer.err.count(b"500") >= 2, answer.err


def test_case_75_a_half_upgraded_store_answers_and_a_second_open_changes_nothing(
    home: Path,
) -> None:
    half_upgraded(home)
    for query in ("text7x33", "第7段"):
        assert call("recall", query, "--no-touch", "--shared").ok().document["hits"]
    before = {entry.name: entry.read_bytes() for entry in home.iterdir()}
    words = ("recall", "text0x0", "--no-touch", "--shared")
    answer = process(*words, env=environment(home), cwd=home.parent).ok()
    assert answer.document["hits"][0]["text"].startswith("text0x0")
    assert {entry.name: entry.read_bytes() for entry in home.iterdir()} == before


@pytest.mark.parametrize("counter", [0, migrations.SCHEMA_NUMBER])
def test_case_75_the_counter_alone_decides_nothing(home: Path, counter: int) -> None:
    half_upgraded(home)
    change(home, f"PRAGMA user_version = {counter}")
    assert call("recall", "text3x3", "--no-touch", "--shared").ok().document["hits"]
    call("remember", "after the upgrade 升级之后", "--shared").ok()


def test_case_75_a_counter_of_the_future_on_half_a_schema_is_refused_by_its_name(
    home: Path,
) -> None:
    half_upgraded(home)
    change(home, "PRAGMA user_version = 999")
    for words in (["recall", "text3x3"], ["remember", "after the upgrade 升级之后"]):
        answer = call(*words, "--shared")
        if answer.code != 0:
            assert answer.error["code"] in {"store_newer", "store_damaged"}, words
            assert answer.error["hint"], words


# --- 7: damage -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of a store of 400 memories."""
    home = tmp_path_factory.mktemp("sound")
    with memstone.open(home) as engine:
        turns(engine, [f"note {n} 笔记 with some words to fill a page" for n in range(400)])
    return (home / "mem.db").read_bytes()


def write_private(path: Path, data: bytes) -> None:
    path.parent.mkdir(mode=0o700, exist_ok=True)
    path.write_bytes(data)
    path.chmod(0o600)


VERBS = (
    ["recall", "note 笔记", "--no-touch", "--shared"],
    ["list", "--limit", "1000", "--shared"],
    ["export"],
    ["stats"],
    ["remember", "one more 再一条", "--shared"],
)


def test_case_7_no_damaged_page_deletes_the_store_or_gives_a_wrong_answer(
    home: Path, sound: bytes
) -> None:
    file = home / "mem.db"
    write_private(file, sound)
    reading = VERBS[:-1]
    right = [call(*words).ok().out for words in reading]
    refused = 0
    pages = len(sound) // 4096
    for page in range(1, pages, max(1, pages // 12)):
        damaged = sound[: page * 4096] + b"\xa5" * 4096 + sound[(page + 1) * 4096 :]
        for number, words in enumerate(VERBS):
            for companion in ("-wal", "-shm"):
                Path(f"{file}{companion}").unlink(missing_ok=True)
            write_private(file, damaged)
            answer = call(*words)
            assert answer.code in {0, 74}, (page, words, answer.err)
            assert file.stat().st_size >= len(sound)
            if answer.code == 74:
                refused += 1
                assert answer.error["code"] == "store_damaged"
                assert str(file) in answer.error["message"]
                assert "backup" in answer.error["hint"]
            elif words in reading:
                assert answer.out == right[number], (page, words)
    assert refused > 0


@pytest.mark.parametrize("harm", ["cut in half", "header gone", "zeros", "somebody's notes"])
def test_case_7_a_file_beyond_reading_is_left_as_it_is(home: Path, sound: bytes, harm: str) -> None:
    data = {
        "cut in half": sound[: len(sound) // 2],
        "header gone": b"\xa5" * 100 + sound[100:],
        "zeros": bytes(len(sound)),
        "somebody's notes": "这是我的笔记，不是数据库\n".encode() * 400,
    }[harm]
    file = home / "mem.db"
    write_private(file, data)
    for words in VERBS:
        answer = call(*words)
        assert (answer.code, answer.error["code"]) == (74, "store_damaged"), (words, answer.err)
        assert str(file) in answer.error["message"]
        assert answer.error["hint"]
        assert file.read_bytes() == data
    separate = process("recall", "note", env=environment(home), cwd=home.parent)
    assert (separate.code, separate.error["code"]) == (74, "store_damaged")
    assert file.read_bytes() == data


def test_case_7_what_a_killed_process_left_behind_just_opens(home: Path) -> None:
    killed = bare_python(
        "import memstone, os, signal, sys\n"
        "engine = memstone.open(sys.argv[1])\n"
        "engine.remember('left in the log \\u65e5\\u5fd7')\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n",
        str(home),
        **environment(home),
    )
    assert killed.code == -signal.SIGKILL
    assert (home / "mem.db-wal").stat().st_size > 0
    answer = process("recall", "日志", "--shared", env=environment(home), cwd=home.parent).ok()
    assert len(answer.document["hits"]) == 1
    assert not (home / "mem.db-wal").exists()


# --- 9, 13, 17, 18: processes --------------------------------------------------------------------


def start(home: Path, *words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "memstone", *words],
        env=environment(home),
        cwd=home.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def test_case_9_what_the_command_line_acknowledged_survives_its_kill(home: Path) -> None:
    for number in range(4):
        with start(home, "remember", f"fact 事实 {number}", "--shared") as child:
            assert child.stdout is not None
            acknowledged = json.loads(child.stdout.readline())
            child.kill()
        assert acknowledged["text"] == f"fact 事实 {number}"
    answer = process("list", "--shared", env=environment(home), cwd=home.parent).ok()
    assert {line["text"] for line in answer.lines} == {f"fact 事实 {n}" for n in range(4)}


@pytest.mark.parametrize("end", ["os._exit(0)", "os.kill(os.getpid(), signal.SIGKILL)"])
def test_case_9_every_kind_of_acknowledged_write_is_on_disk(home: Path, end: str) -> None:
    code = f"""
import io, os, signal, sys
import memstone
engine = memstone.open(sys.argv[1])
first = engine.remember("one")
second = engine.supersede(first.id, "two \\u4e8c")
third = engine.remember("three")
engine.tag(second.id, "kept")
engine.pin(second.id)
engine.expire(second.id, "2900-01-01")
engine.forget(third.id)
engine.import_file(io.BytesIO(b'{{"role": "user", "content": "four", "session": "s"}}'))
print(first.id, second.id, flush=True)
{end}
"""
    done = bare_python(code, str(home), **environment(home))
    first, second = done.out.decode().split()
    with memstone.open(home) as engine:
        assert {memory.text for memory in engine.list()} == {"two 二", "four"}
        assert [memory.id for memory in engine.history(first)] == [first, second]
        got = engine.get(second)
        assert (got.tags, got.pinned, got.expires is not None) == (("kept",), True, True)


def test_case_13_32_command_lines_at_once_on_a_fresh_home_all_succeed(home: Path) -> None:
    children = [start(home, "remember", f"fact{n} 事实 {n}", "--shared") for n in range(32)]
    ids = set()
    for child in children:
        out, err = child.communicate(timeout=60)
        assert child.returncode == 0, err
        assert err == b""
        ids.add(json.loads(out)["id"])
    assert len(ids) == 32
    with memstone.open(home) as engine:
        assert {memory.id for memory in engine.list(limit=None)} == ids
        for number in range(32):
            (hit,) = engine.recall(f"fact{number}", limit=1, min_score=1)
            assert hit.text == f"fact{number} 事实 {number}"


HOLDER = """
import apsw, sys, time
connection = apsw.Connection(sys.argv[1])
connection.execute("BEGIN IMMEDIATE")
print("held", flush=True)
time.sleep(60)
"""


def holder_of(home: Path) -> subprocess.Popen[bytes]:
    """A process that holds the write lock."""
    child = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(home / "mem.db")], stdout=subprocess.PIPE
    )
    assert child.stdout is not None
    assert child.stdout.readline() == b"held\n"
    return child


def test_case_17_the_lock_of_a_killed_process_keeps_nobody_waiting(home: Path) -> None:
    with memstone.open(home) as engine:
        engine.remember("kept 保留")
    with holder_of(home) as child:
        child.kill()
    # files such as other programs leave, naming a live process that has nothing to do with it
    for name in ("mem.db.pid", "mem.db.lock", "memstone.pid", "lock"):
        (home / name).write_text(f"{os.getppid()}\n", encoding="utf-8")
    started = time.monotonic()
    answer = process("recall", "保留", "--shared", env=environment(home), cwd=home.parent).ok()
    assert len(answer.document["hits"]) == 1
    assert answer.document["degraded"] == []
    assert time.monotonic() - started < 2
    process("remember", "and on", "--shared", env=environment(home), cwd=home.parent).ok()


def test_case_17_a_hanging_writer_does_not_block_reading(home: Path) -> None:
    with memstone.open(home) as engine:
        engine.remember("kept 保留")
    with holder_of(home) as child:
        try:
            for words in (["recall", "保留", "--no-touch"], ["list"], ["recall", "保留"]):
                started = time.monotonic()
                answer = call(*words, "--shared").ok()
                assert "保留".encode() in answer.out
                assert time.monotonic() - started < 2, words
        finally:
            child.kill()


def test_case_18_an_older_version_may_read_a_newer_store_and_never_writes_it(home: Path) -> None:
    with memstone.open(home) as engine:
        one = engine.remember("written before 之前").id
    newer = migrations.SCHEMA_NUMBER + 1
    change(
        home,
        f"UPDATE meta SET value = '{newer}' WHERE key = 'min_writer'",
        f"PRAGMA user_version = {newer}",
    )
    found = process("recall", "之前", "--shared", env=environment(home), cwd=home.parent).ok()
    assert [hit["id"] for hit in found.document["hits"]] == [one]
    for words in (
        ["remember", "never 不会"],
        ["supersede", one, "never 不会"],
        ["forget", one],
        ["tag", one, "never"],
        ["pin", one],
        ["expire", one, "2026-01-01"],
    ):
        answer = call(*words, "--shared")
        assert (answer.code, answer.error["code"]) == (74, "store_newer"), words
        assert "upgrade memstone" in answer.error["hint"]
    (shown,) = call("list", "--history", "--shared").ok().lines
    assert (shown["text"], shown["tags"], shown["recall_count"]) == ("written before 之前", [], 0)
