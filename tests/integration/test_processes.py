"""Real processes on one store: many at once, and killed in the middle."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from typing import TYPE_CHECKING

import pytest

import memstone
from memstone.analysis import INDEX
from memstone.ingestion import finish_interrupted
from memstone.types import Filter, Reach, Validity

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(os.name != "posix", reason="SIGKILL and POSIX processes")

WORKERS = 32


def start(code: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


def finish(processes: list[subprocess.Popen[str]]) -> list[str]:
    outputs = []
    for process in processes:
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        outputs.append(out)
    return outputs


def every_row_has_its_postings(engine: memstone.Engine) -> None:
    """Each current memory is found by a word only it has."""
    for memory in engine.list(limit=None):
        (hit,) = engine.recall(memory.text.split()[0], limit=1, min_score=0, touch=False)
        assert hit.id == memory.id


def test_case_13_32_processes_on_a_fresh_home_write_32_memories(tmp_path: Path) -> None:
    code = """
        import sys, memstone
        with memstone.open(sys.argv[1]) as engine:
            print(engine.remember(f"unique{sys.argv[2]} fact 事实 of this process").id)
    """
    home = str(tmp_path / "home")
    ids = finish([start(code, home, str(number)) for number in range(WORKERS)])
    assert len(set(ids)) == WORKERS
    with memstone.open(home) as engine:
        assert engine.count() == WORKERS
        every_row_has_its_postings(engine)


def test_case_13_32_threads_on_a_fresh_home_write_32_memories(tmp_path: Path) -> None:
    code = """
        import sys, threading, memstone
        engine = memstone.open(sys.argv[1])
        threads = [
            threading.Thread(target=engine.remember, args=(f"unique{n} fact 事实",))
            for n in range(32)
        ]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        engine.close()
    """
    home = str(tmp_path / "home")
    finish([start(code, home)])
    with memstone.open(home) as engine:
        assert engine.count() == WORKERS
        every_row_has_its_postings(engine)


def test_of_32_superseding_one_memory_at_once_exactly_one_wins(tmp_path: Path) -> None:
    code = """
        import sys, memstone
        with memstone.open(sys.argv[1]) as engine:
            try:
                print("won", engine.supersede(sys.argv[2], f"budget 预算 {sys.argv[3]}").id)
            except memstone.MemstoneError as error:
                print(error.code)
    """
    home = str(tmp_path / "home")
    with memstone.open(home) as engine:
        first = engine.remember("budget 预算 is 100").id
    outcomes = finish([start(code, home, first, str(n)) for n in range(WORKERS)])
    won = [line for line in outcomes if line.startswith("won")]
    lost = [line.strip() for line in outcomes if not line.startswith("won")]
    assert len(won) == 1
    assert lost == ["not_current"] * (WORKERS - 1)
    with memstone.open(home) as engine:
        assert [memory.id for memory in engine.history(first)] == [first, won[0].split()[1]]


def test_32_superseding_and_forgetting_different_memories_at_once_all_succeed(
    tmp_path: Path,
) -> None:
    code = """
        import sys, memstone
        with memstone.open(sys.argv[1]) as engine:
            if int(sys.argv[3]) % 2:
                engine.supersede(sys.argv[2], f"newer{sys.argv[3]} 更新")
            else:
                assert engine.forget(sys.argv[2])
    """
    home = str(tmp_path / "home")
    with memstone.open(home) as engine:
        ids = [engine.remember(f"older{n} 旧事实").id for n in range(WORKERS)]
    finish([start(code, home, id_, str(n)) for n, id_ in enumerate(ids)])
    with memstone.open(home) as engine:
        assert sorted(memory.text for memory in engine.list(limit=None)) == sorted(
            f"newer{n} 更新" for n in range(1, WORKERS, 2)
        )
        assert engine.stats().forgotten == WORKERS // 2


@pytest.mark.parametrize("ending", ["os._exit(0)", "os.kill(os.getpid(), 9)"])
def test_case_9_what_was_acknowledged_is_on_disk_when_the_process_just_ends(
    tmp_path: Path, ending: str
) -> None:
    code = f"""
        import os, sys, memstone
        engine = memstone.open(sys.argv[1])
        for number in range(10):
            engine.remember(f"fact{{number}} 事实")
        {ending}
    """
    process = start(code, str(tmp_path / "home"))
    process.communicate(timeout=60)
    with memstone.open(tmp_path / "home") as engine:
        assert engine.count() == 10
        every_row_has_its_postings(engine)


def test_40_kills_in_the_middle_of_writes_lose_nothing_acknowledged(tmp_path: Path) -> None:
    code = """
        import sys, memstone
        engine = memstone.open(sys.argv[1])
        run, number = sys.argv[2], 0
        while True:
            number += 1
            name = f"r{run}n{number}"
            first = engine.remember(name + " plain 普通 text " + "word " * (number % 40))
            print("+", first.id, flush=True)
            if number % 3 == 0:
                newer = engine.supersede(first.id, name + "b newer 更新")
                print("+", newer.id, flush=True)
            if number % 7 == 0:
                long = "".join(f"{name}part{part} filler {part}. " for part in range(1500))
                print("+", engine.remember(name + "long " + long).id, flush=True)
            if number % 5 == 0:
                print("?", first.id, flush=True)
                engine.forget(first.id)
                print("-", first.id, flush=True)
    """
    home = str(tmp_path / "home")
    memstone.open(home).close()
    rng = random.Random(7)
    acknowledged: dict[str, str] = {}  # id → "+" stored, "-" forgotten, "?" being forgotten
    for run in range(40):
        process = start(code, home, str(run))
        assert process.stdout is not None
        first = process.stdout.readline()
        time.sleep(rng.uniform(0.0, 0.12))
        process.send_signal(signal.SIGKILL)
        rest, _ = process.communicate(timeout=60)
        for line in (first + rest).splitlines():
            if len(line.split()) == 2 and len(line.split()[1]) >= 20:
                sign, id_ = line.split()
                acknowledged[id_] = sign
    assert list(acknowledged.values()).count("+") > 40
    with memstone.open(home) as engine:
        engine.remember("closing writer 继续")
        soon = engine._clock() + 60_000_000  # whoever begun it is long idle by then
        finish_interrupted(engine.store, lambda: soon)
        with engine.store.read() as snapshot:
            assert snapshot.pending_index(INDEX) == []
        kept = {memory.id: memory for memory in engine.list(limit=None, history=True)}
        lost = [id_ for id_, sign in acknowledged.items() if sign == "+" and id_ not in kept]
        back = [id_ for id_, sign in acknowledged.items() if sign == "-" and id_ in kept]
        assert (lost, back) == ([], [])
        check_postings(engine)


def check_postings(engine: memstone.Engine) -> None:
    """Every current memory is found by its first word, in all its versions by nobody else's."""
    now = engine._clock()
    for memory in engine.list(limit=None):
        word = memory.text.split()[0]
        (hit,) = engine.recall(word, limit=1, min_score=0, touch=False, budget=0)
        assert hit.id == memory.id
    with engine.store.read() as snapshot:
        namespaces = snapshot.namespaces_of(engine.scope.user)
        view = Filter(
            namespaces=namespaces, reach=Reach.RECALLABLE, validity=Validity(now, now, now)
        )
        postings = snapshot.postings(INDEX, view)
        (found,) = postings.terms(["plain"])
        units = [unit for unit, _ in postings.scan(found)]
        assert found.df == len(units) == len(postings.spans(units))
