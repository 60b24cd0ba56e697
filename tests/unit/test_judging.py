"""Verdicts on what was recalled: recorded, exported, cleaned like any other field, never used."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memstone import wire
from memstone.errors import InvalidInput, NotFound, SecretFound
from memstone.judging import MAX_QUERY_BYTES
from memstone.types import Scope, Verdict
from tests.unit.engines import ATLAS, HOUR, Clock, exported, hours

if TYPE_CHECKING:
    from memstone.engine import Engine


def test_a_verdict_says_what_was_said_of_what_and_when(engine: Engine) -> None:
    one = engine.remember("预算是 200", external_id="D1:3", scope=ATLAS)
    said = engine.judge(one.id, "  预算是多少？\n", "right", scope=ATLAS)
    assert engine.feedback() == [said]
    assert wire.feedback_to_json(said) == {
        "query": "预算是多少？",
        "id": one.id,
        "external_id": "D1:3",
        "verdict": "right",
        "at": "2026-08-13T12:00:00.000000Z",
        "user": "ana",
        "project": "atlas",
        "agent": "",
    }


def test_a_later_verdict_replaces_the_earlier(engine: Engine, clock: Clock) -> None:
    one = engine.remember("The budget is 200 预算")
    engine.judge(one.id, "budget?", Verdict.RIGHT)
    clock.passes(HOUR)
    engine.judge(one.id, "budget?", Verdict.WRONG)
    clock.passes(HOUR)
    again = engine.judge(one.id, "budget?", "wrong")
    assert again.at == hours(1)
    assert [each.verdict for each in engine.feedback()] == [Verdict.WRONG]
    operations = [change.operation for change in engine.log()]
    assert operations == ["judge", "judge", "remember"]


def test_a_verdict_moves_no_ranking_and_no_export(engine: Engine) -> None:
    one, _two = engine.remember("cat 猫 one"), engine.remember("cat 猫 two")
    before = engine.recall("cat 猫", touch=False), exported(engine)
    engine.judge(one.id, "cat 猫", "wrong")
    assert (engine.recall("cat 猫", touch=False), exported(engine)) == before


def test_a_secret_in_the_question_is_refused_and_a_private_part_cut(engine: Engine) -> None:
    one = engine.remember("The budget is 200 预算")
    with pytest.raises(SecretFound) as caught:
        engine.judge(one.id, "my password is hunter2-Blue!", "wrong")
    assert caught.value.exit_code == 77
    assert caught.value.fields["field"] == "query"
    assert "hunter2" not in str(caught.value)
    with pytest.raises(InvalidInput, match="blank"):
        engine.judge(one.id, "<private>病历</private>", "wrong")
    said = engine.judge(one.id, "budget <private>病历</private>of whom?", "wrong")
    assert said.query == "budget of whom?"
    assert engine.feedback() == [said]


@pytest.mark.parametrize("query", ["", " \n", "猫" * MAX_QUERY_BYTES])
def test_what_is_no_question_is_refused(engine: Engine, query: str) -> None:
    one = engine.remember("cat 猫")
    with pytest.raises(InvalidInput, match="query"):
        engine.judge(one.id, query, "wrong")
    with pytest.raises(InvalidInput, match="verdict"):
        engine.judge(one.id, "cat?", "perhaps")
    assert engine.feedback() == []


def test_what_cannot_be_seen_cannot_be_judged(engine: Engine) -> None:
    hers = engine.remember("cat 猫", scope=ATLAS)
    for scope in (Scope("ana"), Scope("bo", "atlas")):
        with pytest.raises(NotFound) as caught:
            engine.judge(hers.id, "cat?", "wrong", scope=scope)
        with pytest.raises(NotFound) as plain:
            engine.get(hers.id, scope=scope)
        assert str(caught.value) == str(plain.value)
        assert caught.value.hint == plain.value.hint
    assert engine.feedback() == []


def test_forgetting_takes_the_verdict_and_superseding_leaves_it(engine: Engine) -> None:
    old = engine.remember("The budget is 100 预算")
    engine.judge(old.id, "budget?", "right")
    new = engine.supersede(old.id, "The budget is 200 预算")
    assert [each.id for each in engine.feedback()] == [old.id]
    engine.judge(new.id, "budget?", "right")
    engine.forget(old.id)
    assert [each.id for each in engine.feedback()] == [new.id]
    engine.forget(new.id)
    engine.remember("The budget is 100 预算")
    assert engine.feedback() == []
    assert all(row.after is None for row in engine.log(limit=9)[-1].rows)
