"""Every rule of identity, time and scope as an example that can be read: DESIGN.md section 3.

Each test runs on both stores. The clock stands at noon and moves only when a test moves it.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memstone.errors import (
    BlankText,
    InvalidTime,
    MemstoneError,
    NotCurrent,
    NotFound,
    TextIsCurrent,
    TextIsHistory,
    TextUnchanged,
)
from memstone.types import Kind, Outcome, Scope, Trust
from tests.unit.engines import (
    ATLAS,
    DAY,
    HOUR,
    Clock,
    exported,
    hours,
    recalled,
    said,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from memstone.engine import Engine


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def test_an_id_in_the_default_scope_is_the_first_eight_bytes_of_the_digest(engine: Engine) -> None:
    for text in ("The budget is 200", "预算是 200"):
        memory = engine.remember(text)
        assert memory.id == f"mem_{sha256(text)[:16]}"
        assert memory.text_sha256 == sha256(text)


@pytest.mark.parametrize("scope", [ATLAS, Scope("ana", "", "测试"), Scope("bob")])
def test_an_id_in_another_scope_has_sixteen_bytes_of_its_own(engine: Engine, scope: Scope) -> None:
    here = engine.remember("预算是 200")
    there = engine.remember("预算是 200", scope=scope)
    assert len(there.id) == len("mem_") + 32
    assert there.outcome is Outcome.CREATED
    assert not there.id.startswith(here.id)


def test_a_forgotten_text_gets_its_birth_id_back(engine: Engine, clock: Clock) -> None:
    first = engine.remember("猫叫咪咪")
    elsewhere = engine.remember("猫叫咪咪", scope=ATLAS)
    engine.forget(first.id)
    engine.forget(elsewhere.id, scope=ATLAS)
    clock.passes(HOUR)
    again = engine.remember("猫叫咪咪")
    assert (again.id, again.outcome) == (first.id, Outcome.CREATED)
    assert again.created_at == hours(1)
    assert engine.remember("猫叫咪咪", scope=ATLAS).id == elsewhere.id


def test_the_same_text_again_is_counted_and_keeps_its_first_instant(
    engine: Engine, clock: Clock
) -> None:
    first = engine.remember("Ana lives in Lisbon")
    clock.passes(HOUR)
    again = engine.remember("Ana lives in Lisbon")
    assert (again.id, again.outcome, again.unchanged) == (first.id, Outcome.KNOWN, ())
    assert (again.created_at, again.last_seen_at) == (hours(0), hours(1))
    assert again.seen_count == 2
    assert engine.count(history=True) == 1


def test_new_tags_join_and_the_log_records_it(engine: Engine) -> None:
    engine.remember("预算是 200", tags=["钱", "work"])
    again = engine.remember("预算是 200", tags=["2026", "work"])
    assert again.tags == ("2026", "work", "钱")
    newest = engine.log(id=again.id)[0]
    assert newest.operation == "remember"
    change = {row.field: (row.before, row.after) for row in newest.rows}
    assert change["tags"] == ('["work", "钱"]', '["2026", "work", "钱"]')
    assert change["seen"] == ("1", "2")


def test_what_differs_from_the_stored_memory_is_named_as_unchanged(engine: Engine) -> None:
    first = engine.remember("Ana cooks", speaker="Bob", kind="preference", at=hours(-2))
    again = engine.remember(
        "Ana cooks",
        speaker="小王",
        kind="fact",
        at=hours(-1),
        valid_until=hours(5),
        expires=hours(6),
        trust="tool",
        pinned=True,
        external_id="e7",
    )
    assert again.unchanged == (
        "at",
        "expires",
        "external_id",
        "kind",
        "pinned",
        "speaker",
        "trust",
        "valid_until",
    )
    assert (again.speaker, again.kind, again.valid_from) == ("Bob", Kind.PREFERENCE, hours(-2))
    assert engine.get(first.id).pinned is False


def test_turns_are_not_merged_by_text(engine: Engine) -> None:
    turns = [engine.remember("好的", kind="turn", session="一") for _ in range(3)]
    assert len({turn.id for turn in turns}) == 3
    assert all(turn.outcome is Outcome.CREATED for turn in turns)


def test_a_turn_is_known_by_source_session_key_and_text(engine: Engine) -> None:
    turns = [said("ok", external_id="t1"), said("ok", external_id="t2")]
    assert engine.ingest(turns, source="chat").created == 2
    assert engine.ingest(turns, source="chat").known == 2
    assert engine.ingest(turns, source="other").created == 2
    assert engine.ingest([replace(turns[0], session="二")], source="chat").created == 1
    assert engine.ingest([replace(turns[0], text="不")], source="chat").created == 1
    assert engine.ingest(turns, source="chat", scope=ATLAS).created == 2


def test_a_turn_without_an_id_is_known_by_its_place(engine: Engine) -> None:
    turns = [said("ok", ordinal=1), said("ok", ordinal=2)]
    assert engine.ingest(turns, source="chat").created == 2
    assert engine.ingest(turns, source="chat").known == 2


def test_a_value_goes_to_another_and_back(engine: Engine, clock: Clock) -> None:
    first = engine.remember("The budget is 100")
    clock.passes(HOUR)
    second = engine.supersede(first.id, "The budget is 200")
    clock.passes(HOUR)
    third = engine.supersede(second.id, "The budget is 100")
    assert len({first.id, second.id, third.id}) == 3
    chain = engine.history(first.id)
    assert texts(chain) == ["The budget is 100", "The budget is 200", "The budget is 100"]
    assert [memory.current for memory in chain] == [False, False, True]
    assert [memory.superseded_at for memory in chain] == [hours(1), hours(2), None]
    assert recalled(engine, "budget") == ["The budget is 100"]


def test_a_text_remembered_as_true_later_is_a_return(engine: Engine, clock: Clock) -> None:
    first = engine.remember("预算是 100")
    clock.passes(HOUR)
    engine.supersede(first.id, "预算是 200")
    clock.passes(HOUR)
    back = engine.remember("预算是 100", at=hours(1.5))
    assert back.outcome is Outcome.RETURNED
    assert texts(engine.history(back.id)) == ["预算是 100", "预算是 200", "预算是 100"]
    assert recalled(engine, "预算") == ["预算是 100"]
    assert recalled(engine, "预算", as_of=hours(1.2)) == ["预算是 200"]


@pytest.mark.parametrize("at", [None, hours(0.5), hours(1)])
def test_a_replay_is_refused_with_the_chain_named(
    engine: Engine, clock: Clock, at: datetime | None
) -> None:
    first = engine.remember("The budget is 100")
    clock.passes(HOUR)
    second = engine.supersede(first.id, "The budget is 200")
    clock.passes(HOUR)
    before = exported(engine)
    with pytest.raises(TextIsHistory, match=second.id) as refused:
        engine.remember("The budget is 100", at=at)
    assert refused.value.fields["chain"] == [first.id, second.id]
    assert "supersede" in str(refused.value.hint)
    assert exported(engine) == before


def test_a_return_cannot_be_announced_for_the_future(engine: Engine, clock: Clock) -> None:
    first = engine.remember("预算是 100")
    clock.passes(HOUR)
    engine.supersede(first.id, "预算是 200")
    with pytest.raises(InvalidTime):
        engine.remember("预算是 100", at=hours(48))
    assert recalled(engine, "预算") == ["预算是 200"]


def test_a_coming_repeat_does_not_end_what_is_true_today(engine: Engine) -> None:
    engine.remember("The sale runs", valid_until=hours(24))
    with pytest.raises(InvalidTime):
        engine.remember("The sale runs", at=hours(48))
    assert recalled(engine, "sale") == ["The sale runs"]


def test_a_coming_fact_waits_for_its_time(engine: Engine, clock: Clock) -> None:
    engine.remember("Ana moves to Porto", at=hours(24))
    assert recalled(engine, "Porto") == []
    clock.passes(DAY)
    assert recalled(engine, "Porto") == ["Ana moves to Porto"]


def test_an_expired_text_said_again_is_revived(engine: Engine, clock: Clock) -> None:
    first = engine.remember("会议在三楼", expires=hours(1))
    clock.passes(HOUR)
    assert recalled(engine, "会议") == []
    assert recalled(engine, "会议", as_of=hours(0.5)) == []
    assert texts(engine.list()) == ["会议在三楼"]
    again = engine.remember("会议在三楼", expires=hours(3))
    assert (again.id, again.outcome, again.expires) == (first.id, Outcome.REVIVED, hours(3))
    assert recalled(engine, "会议") == ["会议在三楼"]


def test_a_text_whose_validity_ended_comes_again_as_a_new_version(
    engine: Engine, clock: Clock
) -> None:
    first = engine.remember("The sale runs", at=hours(0), valid_until=hours(1))
    clock.passes(2 * HOUR)
    assert recalled(engine, "sale") == []
    again = engine.remember("The sale runs")
    assert again.outcome is Outcome.RETURNED
    assert [memory.id for memory in engine.history(again.id)] == [first.id, again.id]
    assert recalled(engine, "sale") == ["The sale runs"]
    assert recalled(engine, "sale", as_of=hours(1.5)) == []
    assert len(recalled(engine, "sale", as_of=hours(0.5))) == 1


@pytest.mark.parametrize("at", [None, hours(0)])
def test_a_validity_that_ended_before_it_began_is_refused(
    engine: Engine, at: datetime | None
) -> None:
    with pytest.raises(InvalidTime):
        engine.remember("促销还在", at=at, valid_until=hours(-1))
    first = engine.remember("The sale runs")
    with pytest.raises(InvalidTime):
        engine.supersede(first.id, "The sale is over", at=at, valid_until=hours(-1))
    assert engine.count(history=True) == 1


def test_a_correction_with_an_earlier_at_rewrites_what_was_true(
    engine: Engine, clock: Clock
) -> None:
    first = engine.remember("Ana was born in Porto", at=hours(-10))
    clock.passes(HOUR)
    engine.supersede(first.id, "Ana was born in Braga", at=hours(-20))
    assert recalled(engine, "Ana born", as_of=hours(-5)) == ["Ana was born in Braga"]
    before = recalled(engine, "Ana born", as_of=hours(-5), known_at=hours(0.5))
    assert before == ["Ana was born in Porto"]
    assert recalled(engine, "Ana born", as_of=hours(-15), known_at=hours(0.5)) == []


def test_supersede_refuses_what_is_not_a_change(engine: Engine, clock: Clock) -> None:
    first = engine.remember("The budget of 上海 is 100")
    other = engine.remember("The budget of 北京 is 300")
    clock.passes(HOUR)
    second = engine.supersede(first.id, "The budget is 200")
    before = exported(engine)
    refused: list[tuple[type[MemstoneError], Callable[[], object]]] = [
        (NotFound, lambda: engine.supersede("mem_0000000000000000", "x")),
        (NotFound, lambda: engine.supersede(first.id, "x", scope=Scope("bob"))),
        (NotCurrent, lambda: engine.supersede(first.id, "x")),
        (TextUnchanged, lambda: engine.supersede(second.id, "The budget is 200")),
        (TextIsCurrent, lambda: engine.supersede(second.id, other.text)),
        (InvalidTime, lambda: engine.supersede(second.id, "x", at=hours(2))),
        (BlankText, lambda: engine.supersede(second.id, "　")),
    ]
    for error, act in refused:
        with pytest.raises(error):
            act()
    assert exported(engine) == before


def test_a_turn_may_not_become_a_second_current_fact_of_one_text(engine: Engine) -> None:
    engine.remember("预算是 200")
    turn = engine.remember("so it is 200 then", kind="turn")
    with pytest.raises(TextIsCurrent):
        engine.supersede(turn.id, "预算是 200", kind="fact")


def test_a_new_version_inherits_what_belongs_to_the_fact_only(engine: Engine, clock: Clock) -> None:
    first = engine.remember(
        "Ana likes tea",
        kind="preference",
        tags=["饮料"],
        role="guest",
        subject="Ana",
        attribute="drink",
        pinned=True,
        scope=ATLAS,
        session="s1",
        speaker="Ana",
        external_id="e1",
        expires=hours(9),
        trust="tool",
    )
    clock.passes(HOUR)
    second = engine.supersede(first.id, "Ana likes coffee", scope=ATLAS)
    kept = (second.kind, second.tags, second.role, second.subject, second.attribute)
    assert kept == (Kind.PREFERENCE, ("饮料",), "guest", "Ana", "drink")
    assert (second.pinned, second.scope) == (True, ATLAS)
    assert (second.session, second.speaker, second.external_id, second.expires) == (None,) * 4
    assert second.provenance.trust is Trust.USER
    third = engine.supersede(second.id, "Ana likes 茶", tags=[], pinned=False, scope=ATLAS)
    assert (third.tags, third.pinned) == ((), False)


def test_recorded_time_grows_along_a_chain_when_the_clock_goes_back(
    engine: Engine, clock: Clock
) -> None:
    first = engine.remember("v1 猫")
    clock.passes(-HOUR)
    second = engine.supersede(first.id, "v2 猫")
    clock.passes(-HOUR)
    third = engine.supersede(second.id, "v3 猫")
    instants = [memory.created_at for memory in engine.history(third.id)]
    assert instants == sorted(set(instants))
    assert recalled(engine, "猫") == ["v3 猫"]


def test_forgetting_repairs_the_chain_and_revives_nothing(engine: Engine, clock: Clock) -> None:
    first = engine.remember("预算 100")
    ids = [first.id]
    for amount in (200, 300):
        clock.passes(HOUR)
        ids.append(engine.supersede(ids[-1], f"预算 {amount}").id)
    handle = engine.get(ids[1]).handle
    assert engine.recover(handle) == "预算 200"
    assert engine.forget(ids[1], "mem_none").missing == ("mem_none",)
    assert texts(engine.history(ids[0])) == ["预算 100", "预算 300"]
    assert recalled(engine, "预算", as_of=hours(1.5)) == []
    with pytest.raises(NotFound):
        engine.recover(handle)
    engine.forget(ids[2])
    clock.passes(HOUR)
    assert recalled(engine, "预算") == []
    assert recalled(engine, "预算", as_of=hours(2.5)) == []
    with pytest.raises(NotCurrent):
        engine.supersede(ids[0], "预算 400")
    assert engine.remember("预算 100").outcome is Outcome.RETURNED


def test_a_reader_sees_its_own_and_what_is_shared(engine: Engine) -> None:
    lead, tester = Scope("ana", "atlas", "lead"), Scope("ana", "atlas", "测试")
    engine.remember("the server is red", scope=Scope("ana"))
    engine.remember("the server is green", scope=ATLAS)
    engine.remember("the server is blue", scope=tester)
    engine.remember("the server is black", scope=Scope("an_"))
    engine.remember("the server is white", scope=Scope("ana", "ATLAS"))
    shared = ["the server is green", "the server is red"]
    assert sorted(recalled(engine, "server", scope=lead)) == shared
    named = recalled(engine, "server", scope=lead, agents=["测试"])
    assert sorted(named) == ["the server is blue", *shared]
    assert recalled(engine, "server") == ["the server is red"]
