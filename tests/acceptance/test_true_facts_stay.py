"""No true fact is retired: what two statements have in common must be an attribute with one value,
and both values of its kind. Found by a newcomer, and by running every sentence of the development
dialogues through the rules (docs/LIMITS.md): "the server is down" once replaced "the server is in
Frankfurt", and every 其年龄 was one person's age.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import memstone
from memstone import Trust, Turn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstone.engine import Engine

VALUES = {  # thing → a sentence that gives it its value
    "server": "The server is db-7.",
    "office": "Our office is in Berlin.",
    "dentist": "My dentist is Dr. Weber.",
    "landlord": "My landlord is Mr Cole.",
    "manager": "My manager is Ana.",
    "name": "My name is Priya.",
    "database": "Our database is Postgres 16.",
    "gym": "My gym is FitX.",
    "deadline": "The deadline is 3 May.",
    "budget": "The budget is 900 EUR.",
    "rent": "My rent is 850 EUR.",
    "port": "The port is 8080.",
    "birthday": "My birthday is 4 June.",
    "meeting": "The meeting is on Monday at 9.",
    "car": "My car is a Golf.",
    "employer": "My employer is Acme.",
    "theme": "The theme is dark.",
    "email": "My email is ana@example.org.",
    "phone": "My phone is 555 0101.",
    "seat": "My seat is 12A.",
}
REMARKS = [
    "down", "slow", "closed on Mondays", "great", "on holiday", "hard to reach", "always late",
    "not what I expected", "very expensive", "too small", "about to change", "being repaired",
    "broken", "from Poland", "in my calendar", "spelled with a y", "Swiss", "nice to everybody",
    "important to me", "the best I ever had", "getting worse", "stressing me out", "a mess",
    "near the station", "open until late", "overdue", "what I like most here", "a bit of a problem",
    "owned by my uncle", "under construction", "wrong in the docs", "never on time", "huge",
]  # fmt: skip
VALUES_HAN = {
    "服务器": "服务器在法兰克福。",
    "办公室": "办公室在国贸。",
    "牙医": "我的牙医是王医生。",
    "老板": "我老板是李总。",
    "名字": "我的名字叫李明。",
    "预算": "预算是五千。",
    "截止日期": "截止日期是3月3日。",
    "端口": "端口是8080。",
    "数据库": "数据库是MySQL。",
    "例会": "例会在周三。",
    "生日": "我的生日是6月4日。",
    "车": "我的车是特斯拉。",
}
REMARKS_HAN = [
    "很慢", "在重启", "在装修", "在度假", "坏了", "挺好的", "让我头疼", "太贵了", "有点紧", "很难写", "是天津人",
    "是个好人", "特别重要", "还没定下来", "我很喜欢", "要换了", "正在维护", "是我最大的烦恼", "老是变", "写错了",
]  # fmt: skip


def store() -> Engine:
    return memstone.open(":memory:", background=False)


@pytest.fixture
def engine() -> Iterator[Engine]:
    with store() as opened:
        yield opened


def owner(sentence: str) -> str:
    return sentence.split(maxsplit=1)[0]


@pytest.mark.parametrize(("thing", "value"), VALUES.items())
def test_a_remark_about_a_thing_does_not_replace_its_value(thing: str, value: str) -> None:
    for remark in REMARKS:
        said = f"{owner(value)} {thing} is {remark}."
        for first, second in ((value, said), (said, value)):
            with store() as engine:
                engine.remember(first)
                assert engine.remember(second).replaced == (), (first, second)
                assert engine.flush().replaced == (), (first, second)


@pytest.mark.parametrize(("thing", "value"), VALUES_HAN.items())
def test_a_remark_about_a_thing_does_not_replace_its_value_in_chinese(
    thing: str, value: str
) -> None:
    mine = "我的" if value.startswith("我") else ""
    for remark in REMARKS_HAN:
        said = f"{mine}{thing}{remark}。"
        for first, second in ((value, said), (said, value)):
            with store() as engine:
                engine.remember(first)
                assert engine.remember(second).replaced == (), (first, second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("我叫李明", "我叫李明的朋友来帮忙"),
        ("我叫李明", "我叫了外卖"),
        ("My name is Priya", "Call me tomorrow"),
        ("李强是我的叔叔，其年龄是52岁。", "王思琪是我的上司，其年龄是43岁。"),
        ("我将要参加的设计论坛，它的规模是六百人。", "我将要参加的音乐节，它的规模是五百人。"),
        ("I talked to Ana, her budget is 500.", "I talked to Tom, his budget is 900."),
        ("我的上司是总裁。", "我的上司是做设计的。"),
        ("我住的那个小区叫世纪花园。", "我住的世纪花园真心不错，住着特别舒服。"),
        ("name: Deploy to production", "name: Run tests"),
        ("padding: 20px;", "padding: 10px;"),
        ("username = request.form['username']", "username = db.Column(db.String(80))"),
        ("The train takes 2 hours.", "The bus takes 4 hours."),
        ("My car is 12 years old.", "My car is 2 km away."),
        ("I speak French.", "I now speak German."),
        ("I work at Acme on Fridays.", "I no longer work on Fridays."),
        ("My wife drinks coffee every morning.", "I no longer drink coffee."),
        ("I live in Berlin.", "I live in a small flat."),
        ("My name is Lin.", "My name is Lin Yu."),
    ],
)
def test_what_only_looks_like_one_attribute_stays(first: str, second: str) -> None:
    for one, other in ((first, second), (second, first)):
        with store() as engine:
            engine.remember(one)
            assert engine.remember(other).replaced == (), (one, other)
            assert engine.flush().replaced == (), (one, other)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("My dentist is Dr. Weber.", "My dentist is now Dr. Klein."),
        ("The launch is on 15 June.", "The launch moved to 1 July."),
        ("The server runs Debian 11.", "The server runs Debian 12 now."),
        ("The server is in Frankfurt.", "The server moved to Dublin."),
        ("I go to bed at 11.", "I go to bed at 10 now."),
        ("We deploy on Fridays.", "We deploy on Mondays instead of Fridays."),
        ("Invoices go to billing@acme.io.", "Invoices go to finance@acme.io now."),
        ("I drink coffee every morning.", "I no longer drink coffee."),
        ("I'm learning Spanish.", "I stopped learning Spanish."),
        ("I have two kids.", "I have three kids now."),
        ("I drive a Golf.", "I drive a Zoe now."),
        ("My mother works at the library.", "My mother is retired now."),
        ("Our product is called Lumen.", "We renamed our product to Halo."),
        ("决定周会定在周二下午", "周会改到周四了"),
        ("我每天六点起床。", "我现在每天七点起床。"),
        ("我每天喝咖啡。", "我不喝咖啡了。"),
        ("我的心理医生是陈医生。", "我的心理医生换成了刘医生。"),
        ("我们用顺丰发货。", "我们改用京东发货了。"),
        ("项目用的是 Vue。", "项目改用 React 了。"),
    ],
)
def test_a_change_that_is_told_is_made(old: str, new: str) -> None:
    with store() as engine:
        first = engine.remember(old)
        engine.remember(new)
        engine.flush()
        assert not engine.get(first.id).current


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("I live in Leeds and work as a nurse.", "I moved to York."),
        ("我住在北京，在一家银行上班", "我搬到上海了"),
        ("I go to bed at 11.", "I go to bed at 10."),
        ("我一般十一点睡觉", "我一般十点睡觉"),
    ],
)
def test_what_may_be_a_change_is_flagged_and_both_stay(first: str, second: str) -> None:
    with store() as engine:
        one, two = engine.remember(first), engine.remember(second)
        engine.flush()
        assert engine.get(one.id).current
        assert engine.get(two.id).current
        (found,) = engine.conflicts()
        assert {found.older.id, found.newer.id} == {one.id, two.id}


def test_an_agent_does_not_overrule_its_user(engine: Engine) -> None:
    engine.remember("My budget is 900 EUR.")
    guessed = engine.remember("My budget is 1200 EUR.", trust="agent")
    assert guessed.replaced == ()
    (found,) = engine.conflicts()
    assert found.reason == "low-trust"
    told = engine.remember("My budget is 1500 EUR.")  # the user may overrule either
    assert len(told.replaced) == 2


def test_taking_back_a_statement_takes_back_what_it_replaced(engine: Engine) -> None:
    old = engine.remember("My budget is 900 EUR.")
    new = engine.remember("My budget is 1200 EUR.")
    number = next(change.number for change in engine.log() if change.operation == "remember")
    preview = engine.undo(number, dry_run=True)
    assert (preview.archived, preview.reopened) == ((new.id,), (old.id,))
    done = engine.undo(number)
    assert engine.get(old.id).current
    assert engine.get(new.id).archived
    assert done.change is not None
    engine.undo(done.change)  # and back
    assert not engine.get(old.id).current
    assert not engine.get(new.id).archived
    assert engine.get(old.id).superseded_by == new.id


def test_a_replacement_that_was_taken_back_is_not_made_again(engine: Engine) -> None:
    old = engine.remember("My budget is 900 EUR.")
    new = engine.remember("My budget is 1200 EUR.")
    number = next(change.number for change in engine.log() if change.operation == "settle")
    engine.undo(number)
    engine.flush()  # the background has not looked at either yet
    assert engine.get(old.id).current
    assert engine.get(new.id).current
    assert engine.conflicts() == []
    latest = engine.remember("My budget is 1500 EUR.")
    assert set(latest.replaced) == {old.id, new.id}


@pytest.mark.parametrize(
    ("old", "new", "question"),
    [
        ("My budget is 900 EUR.", "My budget is now 1200 EUR.", "what is my budget?"),
        ("我的预算是五千。", "我的预算改成八千了。", "我的预算是多少？"),
    ],
)
def test_a_turn_that_only_says_what_was_replaced_is_not_recalled(
    engine: Engine, old: str, new: str, question: str
) -> None:
    """It stays stored word for word, for whoever asks about the past."""
    first = Turn(text=old, speaker="user", ordinal=1, at="2026-05-01", trust=Trust.USER)
    later = Turn(text=new, speaker="user", ordinal=1, at="2026-06-01", trust=Trust.USER)
    engine.ingest([first], session_id="one", end=True)
    engine.flush()
    assert old in {hit.text for hit in engine.recall(question)}
    engine.ingest([later], session_id="two", end=True)
    assert engine.flush().replaced
    texts = {hit.text for hit in engine.recall(question)}
    assert texts
    assert old not in texts
    (turn,) = (one for one in engine.list(kinds=["turn"], limit=None) if one.text == old)
    told = engine.explain(turn.id, question)
    assert "newer statements have replaced" in told.verdict
    assert old in {hit.text for hit in engine.recall(question, as_of="2026-05-15")}
