"""Faults found by breaking the store from outside; each test is named after what went wrong."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import apsw
import pytest

import memstone
from memstone.engine.background import Background
from memstone.errors import MemstoneError, StoreError, StoreFull
from memstone.storage.sqlite.faults import translating
from memstone.types import ChangeNote, Turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

posix = pytest.mark.skipif(os.name != "posix", reason="fork and FIFOs")
LONG_AGO = "2020-01-01T00:00:00.000000Z"
DOOM = "9999-12-31T23:59:59.999999Z"


def line(id_: str, text: str, **more: object) -> dict[str, Any]:
    """One memory of an export."""
    times = {"created_at": LONG_AGO, "valid_from": LONG_AGO}
    return {"id": id_, "text": text, "scope": {"user": "ana"}, **times, **more}


def export_file(folder: Path, *memories: dict[str, Any]) -> Path:
    file = folder / "export.jsonl"
    lines = [{"memstone_export": 1}, *memories]
    file.write_text("".join(json.dumps(each) + "\n" for each in lines), encoding="utf-8")
    return file


def in_child(work: Callable[[], object]) -> int:
    """The process id of a fork that runs `work` and ends with 0, or 1 if it raised."""
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        work()
        code = 0
    finally:
        os._exit(code)


def exit_code(pid: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def texts(folder: Path) -> set[str]:
    """What a fresh process finds in the store."""
    code = (
        "import memstone, sys, json; print(json.dumps([m.text for m in memstone.open(sys.argv[1])"
    )
    code += ".list(limit=None)]))"
    answer = subprocess.run(
        [sys.executable, "-c", code, str(folder)], capture_output=True, check=True, timeout=60
    )
    return set(json.loads(answer.stdout))


def code_of(work: Callable[[], object]) -> str:
    """The code of the error that `work` ends with, empty for none; what is not ours passes."""
    try:
        work()
    except MemstoneError as error:
        return error.code
    return ""


@posix
def test_a_childs_acknowledged_write_survives_its_parent_closing_the_store(tmp_path: Path) -> None:
    written_r, written_w = os.pipe()
    closed_r, closed_w = os.pipe()
    engine = memstone.open(tmp_path)
    engine.remember("said by the parent")

    def work() -> None:
        engine.remember("said by the child before")
        os.write(written_w, b"1")
        os.read(closed_r, 1)
        engine.remember("said by the child after")

    child = in_child(work)
    os.read(written_r, 1)
    engine.close()  # the last real lock on the file goes: the log is folded in and deleted
    os.write(closed_w, b"1")
    assert exit_code(child) == 0
    assert texts(tmp_path) >= {"said by the child before", "said by the child after"}


@posix
def test_a_child_forked_while_another_thread_writes_can_write_afterwards(tmp_path: Path) -> None:
    inside, leave = threading.Event(), threading.Event()
    ended_r, ended_w = os.pipe()
    with memstone.open(tmp_path) as engine:
        engine.remember("something first")

        def write() -> None:
            with engine.store.write(ChangeNote("test", 1)):
                inside.set()
                leave.wait(0.5)  # a fork that waits for writes to end may not wait for ever

        def work() -> None:
            os.read(ended_r, 1)
            engine.remember("said by the child")

        thread = threading.Thread(target=write)
        thread.start()
        inside.wait()
        child = in_child(work)
        leave.set()
        thread.join()
        os.write(ended_w, b"1")
        assert exit_code(child) == 0
    assert "said by the child" in texts(tmp_path)


@pytest.mark.parametrize("field", ["created_at", "superseded_at"])
def test_a_row_recorded_at_the_end_of_time_does_not_poison_the_store(
    tmp_path: Path, field: str
) -> None:
    file = export_file(tmp_path, line("mem_a", "the budget is 100", **{field: DOOM}))
    with memstone.open(tmp_path / "home", user="ana") as engine:
        engine.import_file(file)
        for memory in engine.list(limit=None, history=True):
            try:
                engine.supersede(memory.id, "the budget is 200")
            except MemstoneError:
                continue
        engine.list(limit=None, history=True)
        engine.export(lambda _: None)
        engine.recall("budget", known_at=DOOM)


@pytest.mark.parametrize("at", [300_000_000_000_000_000, -(10**17)])
def test_a_turn_outside_the_calendar_is_left_out_or_refused_and_poisons_nothing(
    tmp_path: Path, at: int
) -> None:
    turn = Turn(text="said when?", session="s", speaker=None, at=at, external_id=None)
    with memstone.open(tmp_path) as engine:
        try:
            engine.ingest([turn])
        except MemstoneError:
            assert engine.count() == 0
        engine.list(limit=None)
        engine.export(lambda _: None)


def test_a_secret_in_the_id_of_an_exported_memory_is_not_stored(tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    file = export_file(
        tmp_path, line(secret, "first version"), line("mem_b", "second", supersedes=secret)
    )
    with memstone.open(tmp_path / "home", user="ana") as engine:
        engine.import_file(file)
        written: list[str] = []
        engine.export(written.append)
        assert secret not in "".join(written)
        current = {memory.text: memory for memory in engine.list(limit=None)}
        if "second" in current:  # a new id, the chain kept
            assert len(engine.history(current["second"].id)) == 2


def test_an_endless_or_steering_id_of_an_exported_memory_is_not_stored(tmp_path: Path) -> None:
    file = export_file(tmp_path, line("m" * 100_000, "one"), line("mem_\x1b[2J\u202e", "two"))
    with memstone.open(tmp_path / "home", user="ana") as engine:
        engine.import_file(file)
        for memory in engine.list(limit=None):
            assert len(memory.id) <= 1024
            assert memory.id.isprintable()


def test_a_dry_run_of_a_chain_longer_than_a_batch_reports_what_the_import_then_does(
    tmp_path: Path,
) -> None:
    with memstone.open(tmp_path / "old", user="ana") as engine:
        memory: Any = engine.remember("version 0")
        for number in range(1, 300):
            memory = engine.supersede(memory.id, f"version {number}")
        lines: list[str] = []
        engine.export(lines.append)
    file = tmp_path / "export.jsonl"
    file.write_text("".join(lines), encoding="utf-8")
    with memstone.open(tmp_path / "new", user="ana") as engine:
        dry = engine.import_file(file, dry_run=True)
        assert engine.count() == 0
        real = engine.import_file(file)
    assert (dry.read, dry.created, dry.known, dry.skipped) == (
        real.read,
        real.created,
        real.known,
        real.skipped,
    )


def test_two_facts_with_one_turn_key_do_not_stop_the_import_of_the_others(tmp_path: Path) -> None:
    closed = {"superseded_at": LONG_AGO, "superseded_from": LONG_AGO}
    twins = [line(f"mem_{n}", "same", turn_key="#1", session="s", **closed) for n in range(2)]
    file = export_file(tmp_path, *twins, line("mem_good", "a good one"))
    with memstone.open(tmp_path / "home", user="ana") as engine:
        engine.import_file(file)
        assert "a good one" in {memory.text for memory in engine.list()}


def test_the_birth_id_does_not_tell_whether_another_user_has_the_text(tmp_path: Path) -> None:
    with memstone.open(tmp_path, user="ana") as ana, memstone.open(tmp_path, user="bob") as bob:
        ana.remember("the merger is on Friday")
        guessed = bob.remember("the merger is on Friday")
        other = bob.remember("the merger is on Monday")
    assert len(guessed.id) == len(other.id)


def test_a_database_of_another_program_is_refused_and_left_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "places.db"
    connection = apsw.Connection(str(file))
    connection.execute("CREATE TABLE bookmark (url); INSERT INTO bookmark VALUES ('mine')")
    connection.close()
    file.chmod(0o600)
    before = file.read_bytes()
    with pytest.raises(MemstoneError):
        memstone.open(file)
    assert file.read_bytes() == before


@posix
def test_many_processes_upgrading_one_store_at_once_all_succeed(tmp_path: Path) -> None:
    with memstone.open(tmp_path) as engine:
        engine.remember("kept over the upgrade")
    connection = apsw.Connection(str(tmp_path / "mem.db"))
    connection.execute("DROP TABLE memory_archive")
    connection.close()
    words = [sys.executable, "-m", "memstone", "stats", "--home", str(tmp_path)]
    running = [
        subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(8)
    ]
    answers = [process.communicate(timeout=60) for process in running]
    assert [(process.returncode, *answer) for process, answer in zip(running, answers, strict=True)
            if process.returncode] == []  # fmt: skip


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE memory SET text = CAST(x'41ff' AS TEXT)",
        "UPDATE memory SET trust = 'usar'",
        "UPDATE memory SET kind = 'fbct'",
        "UPDATE memory SET created_at = 300000000000000000",
        "DELETE FROM memory",  # its postings are still there
    ],
)
def test_a_damaged_row_is_named_as_damage_on_every_read(tmp_path: Path, damage: str) -> None:
    with memstone.open(tmp_path) as engine:
        id_ = engine.remember("the budget is 200").id
    connection = apsw.Connection(str(tmp_path / "mem.db"))
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute(damage)
    connection.close()
    with memstone.open(tmp_path) as engine:
        calls: list[Callable[[], object]] = [
            lambda: engine.recall("budget"),
            engine.list,
            lambda: engine.get(id_),
            lambda: engine.history(id_),
            lambda: engine.export(lambda _: None),
        ]
        codes = {code_of(each) for each in calls}
    assert codes <= {"", "store_damaged", "not_found", "lineage_broken"}


def test_a_file_repaired_after_two_lines_were_glued_is_not_stored_twice(tmp_path: Path) -> None:
    turns = [
        json.dumps({"role": "user", "content": f"turn {number}", "session": "s"})
        for number in range(10)
    ]
    file = tmp_path / "talk.jsonl"
    with memstone.open(tmp_path / "home") as engine:
        file.write_text("\n".join([*turns[:3], turns[3] + turns[4], *turns[5:]]), encoding="utf-8")
        engine.import_file(file, cards=False)
        file.write_text("\n".join(turns), encoding="utf-8")
        engine.import_file(file, cards=False)
        assert engine.count() == 10


FILL = """
import resource, sys, memstone
from memstone.errors import MemstoneError
engine = memstone.open(sys.argv[1])
engine.remember("acknowledged before the limit 猫")
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)
try:
    for number in range(500):
        engine.remember(f"{number} " + "字" * 900)
except MemstoneError as error:
    print(error.code, "quota" in (error.hint or ""), error)
"""


@posix
@pytest.mark.parametrize("limit", [1_000, 40_000, 1_000_000])
def test_k10_a_file_size_limit_is_a_full_store_and_costs_nothing_acknowledged(
    tmp_path: Path, limit: int
) -> None:
    home = tmp_path / "home"
    done = subprocess.run(
        [sys.executable, "-c", FILL, str(home), str(limit)],
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert done.stdout.startswith("store_full True"), done
    assert "File too large" in done.stdout
    assert "acknowledged before the limit 猫" in texts(home)


@pytest.mark.parametrize("cause", ["ENOSPC", "EFBIG", "EDQUOT"])
def test_k10_what_the_system_calls_no_room_is_a_full_store(cause: str) -> None:
    error = apsw.IOError("disk I/O error")
    vars(error)["errno"] = getattr(errno, cause)
    with pytest.raises(StoreFull, match=os.strerror(getattr(errno, cause))), translating("mem.db"):
        raise error


def test_k10_another_input_output_error_is_none() -> None:
    error = apsw.IOError("disk I/O error")
    vars(error)["errno"] = errno.EIO
    with pytest.raises(StoreError) as caught, translating("mem.db"):
        raise error
    assert caught.value.code == "store_error"


def test_k20_a_call_that_waits_while_the_engine_is_closed_says_so(tmp_path: Path) -> None:
    def work(number: int) -> None:
        try:
            while True:
                engine.remember(f"thread {number} 线程")
                engine.recall("线程")
        except MemstoneError as error:
            codes.append(error.code)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)  # more ways to meet the close
    try:
        for round_ in range(8):
            engine = memstone.open(tmp_path / str(round_))
            codes: list[str] = []
            threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
            for thread in threads:
                thread.start()
            while engine.count() < 3:
                pass
            engine.close()
            for thread in threads:
                thread.join(timeout=30)
            assert codes == ["store_closed"] * len(threads)
    finally:
        sys.setswitchinterval(before)


def test_k20_closing_a_store_inside_a_write_is_refused_and_hangs_nothing(tmp_path: Path) -> None:
    def turns() -> Iterator[Turn]:
        yield Turn(text="early 早")
        engine.close()

    with memstone.open(tmp_path) as engine:
        with pytest.raises(StoreError, match="inside a write"):
            engine.ingest(turns(), dry_run=True)
        assert engine.remember("still open 猫").text == "still open 猫"


def test_a_worker_is_closed_while_another_thread_starts_it() -> None:
    """Between the making and the starting of the thread; seen once in a run of all tests."""
    background = Background(lambda _: None)
    waking = threading.Thread(target=background.wake)
    made = threading.Event()

    class Slow(threading.Thread):
        def start(self) -> None:
            made.set()
            time.sleep(0.05)
            super().start()

    with pytest.MonkeyPatch.context() as patched:
        waking_started = waking.start
        patched.setattr(threading, "Thread", Slow)
        waking_started()
        assert made.wait(5)
        background.close()
        waking.join()
