"""What an import may change: late, forked and repeated files beside memories that are here already.

A restored chain is a path whose recorded time grows, an older value never becomes current, and
nothing in the file is lost without a word.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest

from memstone.types import Scope
from tests.unit.engines import (
    HOUR,
    Clock,
    empty,
    exported,
    hours,
    recalled,
    restore,
    said,
    texts,
)

if TYPE_CHECKING:
    from memstone.engine import Engine


@pytest.fixture
def elsewhere(clock: Clock) -> Engine:
    """Another machine's memory, by the same clock."""
    return empty(clock)


def check_lineage(engine: Engine) -> None:
    for memory in engine.list(limit=None, history=True):
        chain = engine.history(memory.id)
        recorded = [version.created_at for version in chain]
        assert recorded == sorted(set(recorded))
        assert all(older.superseded_at is not None for older in chain[:-1])
        for older in chain:
            assert older.superseded_at is None or older.created_at < older.superseded_at


def test_an_export_restores_chains_turns_and_marks_byte_for_byte(
    engine: Engine, elsewhere: Engine, clock: Clock
) -> None:
    first = elsewhere.remember("预算是 100", tags=["钱"], pinned=True, expires=hours(90))
    clock.passes(HOUR)
    second = elsewhere.supersede(first.id, "预算是 200")
    clock.passes(HOUR)
    third = elsewhere.supersede(second.id, "预算是 100")
    elsewhere.forget(second.id)
    elsewhere.ingest([said("ok", ordinal=1), said("ok", ordinal=2)], source="chat")
    elsewhere.remember("the server is red", scope=Scope("ana", "o'\0%", "🤖"))
    elsewhere.recall("预算", min_score=0)
    lines = exported(elsewhere)
    clock.passes(HOUR)
    assert restore(engine, lines).created == 5
    assert exported(engine) == lines
    assert restore(engine, lines).known == 5
    assert exported(engine) == lines
    assert texts(engine.history(third.id)) == ["预算是 100", "预算是 100"]


def test_two_turns_that_came_to_the_same_words_stay_two(engine: Engine, elsewhere: Engine) -> None:
    for text in ("yes", "好的"):
        elsewhere.supersede(elsewhere.remember(text, kind="turn").id, "ok")
    lines = exported(elsewhere)
    assert restore(engine, lines).created == 4
    assert exported(engine) == lines


def test_the_exporters_user_becomes_the_importers(engine: Engine, clock: Clock) -> None:
    other = empty(clock)
    other.remember("Bob 的猫", scope=Scope("ana", "atlas"))
    lines = exported(other).replace('"user": "ana"', '"user": "bob"')
    restore(engine, lines)
    assert engine.count(scope=Scope("bob", "atlas")) == 0
    assert texts(engine.list(scope=Scope("ana", "atlas"))) == ["Bob 的猫"]


def test_a_replay_under_another_id_is_left_out_and_said(
    engine: Engine, elsewhere: Engine, clock: Clock
) -> None:
    before = elsewhere.remember("The budget is 100", at=hours(-10))
    between = elsewhere.supersede(before.id, "budget unknown", at=hours(-9))
    elsewhere.supersede(between.id, "The budget is 100", at=hours(-8))
    elsewhere.forget(before.id, between.id)
    first = engine.remember("The budget is 100", at=hours(-7))
    clock.passes(HOUR)
    engine.supersede(first.id, "The budget is 200")
    report = restore(engine, exported(elsewhere))
    assert (report.created, len(report.skipped)) == (0, 1)
    assert recalled(engine, "budget") == ["The budget is 200"]


def test_a_later_statement_elsewhere_goes_on_from_what_is_here(
    engine: Engine, elsewhere: Engine, clock: Clock
) -> None:
    first = engine.remember("预算是 100")
    clock.passes(HOUR)
    restore(elsewhere, exported(engine))
    elsewhere.supersede(first.id, "预算是 200")
    clock.passes(HOUR)
    assert restore(engine, exported(elsewhere)).created == 1
    assert texts(engine.history(first.id)) == ["预算是 100", "预算是 200"]
    assert recalled(engine, "预算") == ["预算是 200"]
    check_lineage(engine)


def test_a_correction_made_elsewhere_comes_in(
    engine: Engine, elsewhere: Engine, clock: Clock
) -> None:
    first = engine.remember("Ana was born in Porto", at=hours(-5))
    restore(elsewhere, exported(engine))
    clock.passes(HOUR)
    elsewhere.supersede(first.id, "Ana was born in Braga", at=hours(-9))
    restore(engine, exported(elsewhere))
    assert recalled(engine, "Ana born") == ["Ana was born in Braga"]
    check_lineage(engine)


def test_a_chain_that_forked_is_left_out_with_all_that_follows(
    engine: Engine, elsewhere: Engine, clock: Clock
) -> None:
    first = engine.remember("预算是 100")
    restore(elsewhere, exported(engine))
    clock.passes(HOUR)
    engine.supersede(first.id, "预算是 200")
    fork = elsewhere.supersede(first.id, "预算是 300")
    clock.passes(HOUR)
    elsewhere.supersede(fork.id, "预算是 400")
    report = restore(engine, exported(elsewhere))
    assert (report.created, report.known, len(report.skipped)) == (0, 1, 2)
    assert texts(engine.list(history=True)) == ["预算是 200", "预算是 100"]


def test_a_chain_recorded_before_what_is_here_does_not_replace_it(
    engine: Engine, elsewhere: Engine, clock: Clock
) -> None:
    first = elsewhere.remember("The budget is 100")
    clock.passes(HOUR)
    second = elsewhere.supersede(first.id, "The budget is 200")
    clock.passes(HOUR)
    elsewhere.supersede(second.id, "The budget is 300")
    clock.passes(HOUR)
    engine.remember("The budget is 100")
    report = restore(engine, exported(elsewhere))
    assert recalled(engine, "budget") == ["The budget is 100"]
    assert report.read == report.created + report.known + len(report.skipped)
    check_lineage(engine)


def test_recorded_time_grows_when_an_import_returns_to_an_older_text(
    engine: Engine, elsewhere: Engine, clock: Clock
) -> None:
    before = elsewhere.remember("预算未定")
    elsewhere.supersede(before.id, "预算是 100", at=hours(0))
    elsewhere.forget(before.id)
    first = engine.remember("预算是 100", at=hours(-9))
    clock.passes(HOUR)
    engine.supersede(first.id, "预算是 200", at=hours(-8))
    restore(engine, exported(elsewhere))
    check_lineage(engine)


def test_a_dry_run_of_an_import_says_what_it_would_do_and_writes_nothing(
    engine: Engine, elsewhere: Engine
) -> None:
    elsewhere.supersede(elsewhere.remember("猫叫咪咪").id, "猫叫花花")
    before = exported(engine)
    file = io.BytesIO(exported(elsewhere).encode("utf-8"))
    report = engine.import_file(file, dry_run=True)
    assert (report.created, report.dry_run) == (2, True)
    assert exported(engine) == before
    assert engine.log() == []


def test_an_import_joins_older_versions_with_the_one_that_is_here_already(
    engine: Engine, elsewhere: Engine, clock: Clock
) -> None:
    for text in ("My budget is 900 EUR", "My budget is 1200 EUR", "My budget is 1500 EUR"):
        elsewhere.remember(text)
        clock.passes(HOUR)
    here = engine.remember("My budget is 1500 EUR")
    restore(engine, exported(elsewhere))
    assert recalled(engine, "budget") == ["My budget is 1500 EUR"]
    assert len(engine.history(here.id)) == 3
    check_lineage(engine)
    for memory in engine.list(limit=None, history=True):
        assert memory.current or memory.superseded_by is not None
    again = restore(engine, exported(elsewhere))
    assert again.created == 0


def test_an_import_into_a_store_that_knew_the_newest_earlier_names_it(
    engine: Engine, elsewhere: Engine, clock: Clock
) -> None:
    here = engine.remember("My budget is 1500 EUR")
    clock.passes(HOUR)
    for text in ("My budget is 900 EUR", "My budget is 1500 EUR"):
        elsewhere.remember(text)
        clock.passes(HOUR)
    restore(engine, exported(elsewhere))
    (older,) = (one for one in engine.list(limit=None, history=True) if not one.current)
    assert older.superseded_by == here.id  # beside its chain: it was recorded later
    assert recalled(engine, "budget") == ["My budget is 1500 EUR"]
