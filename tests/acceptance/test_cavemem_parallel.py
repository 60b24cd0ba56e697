"""Many `cavemem` processes at once: nothing acknowledged is lost, nothing fails for want of a lock."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING

import pytest

from memstone import open as open_engine
from memstone.engine.cavemem import Cavemem as Operations
from memstone.engine.cavemem import make_whole
from tests.acceptance.cavemem import Cavemem, id_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

MANY = 24


@pytest.fixture
def cavemem(tmp_path: Path) -> Cavemem:
    return Cavemem(tmp_path, tmp_path / "caveman")


def all_at_once(cavemem: Cavemem, calls: Sequence[Sequence[str]]) -> list[dict[str, object]]:
    """The answers of processes started together; every one must succeed."""
    running = [cavemem.start(*words) for words in calls]
    ends = [process.communicate(timeout=300) for process in running]
    assert [process.returncode for process in running] == [0] * len(calls), [e for _, e in ends]
    return [json.loads(out) for out, _ in ends]


def test_24_remembers_into_a_fresh_home(cavemem: Cavemem) -> None:
    texts = [f"parallel fact number {number} 并行" for number in range(MANY)]
    answers = all_at_once(cavemem, [["remember", text] for text in texts])
    assert [answer["id"] for answer in answers] == [id_of(text) for text in texts]
    assert {hit["text"] for hit in cavemem.hits(" ".join(texts), "100", "0")} == set(texts)


def test_24_supersedes_and_24_forgets(cavemem: Cavemem) -> None:
    changing = [f"the limit of team{number} is 100" for number in range(MANY)]
    going = [f"a passing remark {number}" for number in range(MANY)]
    cavemem.fill([*changing, *going])
    calls = [["supersede", id_of(text), text.replace("100", "200")] for text in changing]
    calls += [["forget", id_of(text)] for text in going]
    answers = all_at_once(cavemem, calls)
    assert all(answer.get("forgotten", True) for answer in answers)
    words = " ".join(f"team{number}" for number in range(MANY))
    current = {hit["text"] for hit in cavemem.hits(f"{words} passing remark", "100", "0")}
    assert current == {text.replace("100", "200") for text in changing}
    stats = cavemem.memstone("stats", "--json").ok().document
    assert (stats["current"], stats["superseded"], stats["forgotten"]) == (MANY, MANY, MANY)


def test_of_several_versions_of_one_fact_exactly_one_wins(cavemem: Cavemem) -> None:
    id_ = cavemem.remember("the limit is 100")
    running = [cavemem.start("supersede", id_, f"the limit is {number}") for number in range(8)]
    ends = [process.communicate(timeout=300) for process in running]
    assert sorted(process.returncode for process in running) == [0, *[1] * 7]
    assert sum(b"not current" in err for _, err in ends) == 7
    assert len(cavemem.history(id_)) == 2


def test_32_threads_remember_in_one_process(tmp_path: Path) -> None:
    with open_engine(tmp_path / "mem.db") as engine:
        make_whole(engine.store, lambda: 10**15)
        operations = Operations(engine, lambda: 10**15)
        failures: list[BaseException] = []

        def remember(number: int) -> None:
            try:
                operations.remember(f"threaded fact {number} 线程")
            except BaseException as error:
                failures.append(error)
                raise

        threads = [threading.Thread(target=remember, args=(number,)) for number in range(32)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == []
        assert engine.count() == 32
