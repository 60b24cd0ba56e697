"""The second index: made when it is first needed, whole before it is asked, kept by every write."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from memstone import analysis, ingestion
from memstone import open as open_engine
from memstone.analysis import plain
from memstone.engine.cavemem import Cavemem, make_whole
from memstone.ingestion import indexing
from memstone.types import ChangeNote, Filter, Reach, Turn, Validity
from tests.acceptance.cavemem import seed_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memstone.engine import Engine

NOW = 1_790_000_000_000_000


class Clock:
    """A clock that goes a second a look, and further when told."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> int:
        self.now += 1_000_000
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["in memory", "sqlite"])
def engine(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> Iterator[Engine]:
    path = ":memory:" if request.param == "in memory" else str(tmp_path / "mem.db")
    with open_engine(path, clock=clock, background=False) as opened:
        yield opened


def whole(engine: Engine) -> dict[str, bool]:
    with engine.store.read() as snapshot:
        return snapshot.indexes()


def counted(engine: Engine, index: str = plain.INDEX) -> tuple[int, int]:
    """How many units the index counts as current, and how many words they have."""
    with engine.store.read() as snapshot:
        namespaces = snapshot.namespaces_of(engine.scope.user)
        wanted = Filter(
            namespaces=namespaces, reach=Reach.RECALLABLE, validity=Validity(NOW, NOW, NOW)
        )
        found = snapshot.postings(index, wanted).statistics()
    return found.units, found.total_length


def expected(engine: Engine) -> tuple[int, int]:
    current = engine.list(limit=None)
    return len(current), sum(len(seed_tokens(memory.text)) for memory in current)


def found(engine: Engine, clock: Clock, query: str) -> list[str]:
    return [hit.text for hit in Cavemem(engine, clock).recall(query, limit=100, budget=0)]


def test_memstone_alone_makes_no_second_index(engine: Engine) -> None:
    engine.remember("预算 是 100")
    assert whole(engine) == {analysis.INDEX: True}


def test_the_index_is_filled_with_what_was_there_and_then_whole(
    engine: Engine, clock: Clock
) -> None:
    ids = [engine.remember(f"note {number} 端口 {number}").id for number in range(230)]
    engine.supersede(ids[0], "changed 端口")
    engine.forget(ids[1])
    make_whole(engine.store, clock)
    assert whole(engine) == {analysis.INDEX: True, plain.INDEX: True}
    assert counted(engine) == expected(engine) == (229, 228 * 4 + 2)
    assert found(engine, clock, "changed") == ["changed 端口"]


def test_the_index_of_an_empty_store_is_whole_at_once(engine: Engine, clock: Clock) -> None:
    make_whole(engine.store, clock)
    assert whole(engine) == {plain.INDEX: True}
    engine.remember("端口 5432")
    assert found(engine, clock, "端口") == ["端口 5432"]


def test_making_it_whole_again_writes_nothing(engine: Engine, clock: Clock) -> None:
    engine.remember("端口 5432")
    make_whole(engine.store, clock)
    with engine.store.read() as snapshot:
        before = snapshot.generation()
    make_whole(engine.store, clock)
    with engine.store.read() as snapshot:
        assert snapshot.generation() == before


def test_every_way_of_writing_keeps_it(engine: Engine, clock: Clock) -> None:
    make_whole(engine.store, clock)
    first = engine.remember("one 端口")
    engine.supersede(first.id, "two 端口")
    gone = engine.remember("three 端口")
    engine.forget(gone.id)
    engine.remember("back 端口", at="2026-01-01")
    engine.ingest([Turn(text=f"said 端口 {n}", speaker="ana", session="s") for n in range(5)])
    engine.remember("word " * 5_000 + "猫")  # indexed after its row
    lines: list[str] = []
    engine.export(lines.append)
    assert counted(engine) == expected(engine)
    assert set(found(engine, clock, "端口")) == {
        "two 端口", "back 端口", *(f"said 端口 {n}" for n in range(5)),
    }  # fmt: skip
    assert len(found(engine, clock, "猫")) == 1


def test_an_import_keeps_it(engine: Engine, clock: Clock, tmp_path: Path) -> None:
    make_whole(engine.store, clock)
    with open_engine(":memory:", clock=clock) as other:
        old = other.remember("the port is 1 端口")
        other.supersede(old.id, "the port is 2 端口")
        lines: list[str] = []
        other.export(lines.append)
    file = tmp_path / "export.jsonl"
    file.write_text("".join(lines), encoding="utf-8")
    engine.import_file(str(file))
    assert counted(engine) == expected(engine) == (1, 3)
    assert found(engine, clock, "端口 port") == ["the port is 2 端口"]


def test_a_long_text_is_seen_when_both_indexes_have_it(
    engine: Engine, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_whole(engine.store, clock)

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(indexing, "_finish", killed)
        with pytest.raises(KeyboardInterrupt):
            engine.remember("word 端口 " * 3_000)
    assert found(engine, clock, "端口") == []
    clock.now += 60_000_000
    assert ingestion.finish_interrupted(engine.store, clock) == 1
    assert len(found(engine, clock, "端口")) == 1
    with engine.store.read() as snapshot:
        assert snapshot.pending_index(plain.INDEX) == snapshot.pending_index(analysis.INDEX) == []


def test_a_long_text_half_done_is_finished_by_the_next_remember(
    engine: Engine, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_whole(engine.store, clock)
    finish = indexing._finish

    def killed(store: object, place: indexing.Place, *rest: object) -> None:
        if place.index == plain.INDEX:
            raise KeyboardInterrupt
        finish(store, place, *rest)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(indexing, "_finish", killed)
        with pytest.raises(KeyboardInterrupt):
            engine.remember("word 端口 " * 3_000)
    clock.now += 60_000_000
    engine.remember("another one")
    assert len(found(engine, clock, "端口")) == 1


def test_filling_can_be_killed_and_begun_again(
    engine: Engine, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(250):
        engine.remember(f"note {number} 端口")
    engine.remember("long 端口 " * 3_000)
    fill_page, pages = indexing._fill_page, iter((True, True, False))

    def some(*given: object) -> int:
        if not next(pages):
            raise KeyboardInterrupt
        return fill_page(*given)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(indexing, "_fill_page", some)
        with pytest.raises(KeyboardInterrupt):
            make_whole(engine.store, clock)
    assert whole(engine)[plain.INDEX] is False
    engine.remember("written in between 端口")
    make_whole(engine.store, clock)
    assert whole(engine)[plain.INDEX] is True
    assert counted(engine) == expected(engine)


def test_several_fill_it_at_once(tmp_path: Path, clock: Clock) -> None:
    path = str(tmp_path / "mem.db")
    with open_engine(path, clock=clock, background=False) as engine:
        engine.ingest(Turn(text=f"note {n} 端口", session="s") for n in range(400))
        failures: list[BaseException] = []

        def work() -> None:
            try:
                with open_engine(path, clock=clock) as other:
                    make_whole(other.store, clock)
            except BaseException as error:
                failures.append(error)
                raise

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for number in range(20):
            engine.remember(f"meanwhile {number} 端口")
        for thread in threads:
            thread.join()
        assert failures == []
        assert counted(engine) == expected(engine) == (420, 420 * 3)


def test_an_index_of_a_newer_version_is_left_alone(engine: Engine, clock: Clock) -> None:
    with engine.store.write(ChangeNote("index", NOW)) as transaction:
        transaction.begin_index("std-99")
    engine.remember("端口 5432")
    make_whole(engine.store, clock)
    assert whole(engine) == {analysis.INDEX: True, plain.INDEX: True, "std-99": False}


def test_what_memstone_recalls_does_not_change_by_it(engine: Engine, clock: Clock) -> None:
    for number in range(30):
        engine.remember(f"the budget of project {number} is {number * 100} 预算")
    before = [(hit.id, hit.score) for hit in engine.recall("budget 预算 of project 7")]
    make_whole(engine.store, clock)
    assert [(hit.id, hit.score) for hit in engine.recall("budget 预算 of project 7")] == before
