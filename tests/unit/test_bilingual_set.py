"""The shipped evaluation set keeps its promises, and questions without an answer stand apart."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from benchmarks import __main__ as command
from benchmarks import loaders, quality, report, workspace
from benchmarks.loaders import bilingual, longmemeval
from benchmarks.pools import ADVERSARIAL, NO_ANSWER, DataSet, Item, Pool, Question
from memstone.redaction import DEFAULT_POLICIES, find
from memstone.types import Kind, Trust

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memstone.engine import Engine

CHINESE = re.compile("[一-鿿]")
CATEGORIES = {"paraphrase", "name", "number", "date", "changed-fact", "multi", NO_ANSWER}


@pytest.fixture(scope="module")
def shipped() -> DataSet:
    (path,) = loaders.files("bilingual", loaders.SHIPPED["bilingual"])
    return loaders.load("bilingual", path)


def items_of(data: DataSet) -> list[Item]:
    return [item for pool in data.pools for item in pool.items]


def questions_of(data: DataSet) -> list[Question]:
    return [question for pool in data.pools for question in pool.questions]


def test_the_set_is_as_large_as_promised(shipped: DataSet) -> None:
    assert len(items_of(shipped)) >= 320
    assert len(questions_of(shipped)) >= 150
    without = Counter(q.language for q in questions_of(shipped) if q.category == NO_ANSWER)
    assert without["en"] >= 20
    assert without["zh"] >= 20
    assert shipped.smallest_pool >= 4 * quality.LIMIT


def test_the_loader_gives_pools_of_turns_and_notes(shipped: DataSet) -> None:
    assert shipped.name == f"bilingual-{bilingual.VERSION}"
    assert [pool.name for pool in shipped.pools] == ["life", "team"]
    assert shipped.without_gold == 0
    for pool in shipped.pools:
        kinds = {item.kind for item in pool.items}
        assert kinds == {Kind.TURN, Kind.FACT, Kind.PREFERENCE, Kind.DECISION}
        times = [item.at for item in pool.items]
        assert all(time is not None for time in times)
        assert times == sorted(times, key=lambda time: time or 0)


def test_every_session_has_two_named_speakers(shipped: DataSet) -> None:
    speakers: dict[str | None, set[str | None]] = {}
    for item in items_of(shipped):
        if item.kind is Kind.TURN:
            speakers.setdefault(item.session, set()).add(item.speaker)
        else:
            assert item.session is None
            assert item.speaker is None
    assert None not in speakers
    assert len(speakers) >= 20
    assert all(len(named) == 2 and None not in named for named in speakers.values())


def test_ids_and_texts_are_unique(shipped: DataSet) -> None:
    for values in (
        [item.id for item in items_of(shipped)],
        [question.id for question in questions_of(shipped)],
        [item.text for item in items_of(shipped)],
        [question.text for question in questions_of(shipped)],
    ):
        assert [value for value, times in Counter(values).items() if times > 1] == []


def test_golds_are_current_items_of_the_same_pool(shipped: DataSet) -> None:
    for pool in shipped.pools:
        replaced = {item.supersedes for item in pool.items}
        current = {item.id for item in pool.items} - replaced
        for question in pool.questions:
            assert set(question.gold) <= current, question.id
            assert bool(question.gold) == (question.category != NO_ANSWER), question.id
            assert (len(question.gold) > 1) == (question.category == "multi"), question.id


def test_what_is_superseded_comes_earlier_and_is_a_note_of_the_same_kind(shipped: DataSet) -> None:
    chains = 0
    for pool in shipped.pools:
        earlier: dict[str, Item] = {}
        for item in pool.items:
            if item.supersedes is not None:
                before = earlier[item.supersedes]
                assert before.kind is item.kind is not Kind.TURN
                chains += 1
            earlier[item.id] = item
    assert chains >= 10


def test_every_category_has_both_languages_and_questions_speak_their_own(shipped: DataSet) -> None:
    texts = {item.id: item.text for item in items_of(shipped)}
    counts = Counter((q.category, q.language) for q in questions_of(shipped))
    assert set(counts) == {(name, lang) for name in CATEGORIES for lang in ("en", "zh")}
    assert min(counts.values()) >= 5
    for question in questions_of(shipped):
        chinese = question.language == "zh"
        assert bool(CHINESE.search(question.text)) == chinese
        assert all(bool(CHINESE.search(texts[key])) == chinese for key in question.gold)


def test_half_of_the_memories_are_chinese_and_some_are_mixed(shipped: DataSet) -> None:
    texts = [item.text for item in items_of(shipped)]
    chinese = [text for text in texts if CHINESE.search(text)]
    assert 0.4 < len(chinese) / len(texts) < 0.6
    assert sum(bool(re.search("[A-Za-z]{2}", text)) for text in chinese) >= 20


def test_no_question_is_a_copy_of_its_memory(shipped: DataSet) -> None:
    texts = {item.id: item.text.casefold() for item in items_of(shipped)}
    for question in questions_of(shipped):
        asked = question.text.casefold().rstrip("?？")
        assert not any(asked in texts[key] for key in question.gold), question.id


def test_no_memory_looks_like_a_secret(shipped: DataSet) -> None:
    refused = [item.id for item in items_of(shipped) if find(item.text)]
    assert DEFAULT_POLICIES
    assert refused == []


@pytest.fixture(scope="module")
def store(
    shipped: DataSet, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Engine, DataSet]]:
    """One store with both pools: more to tell apart than the benchmark asks for."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(workspace.CACHE_VARIABLE, str(tmp_path_factory.mktemp("bench")))
        pool = Pool("both", tuple(items_of(shipped)), (), turns=False)
        with quality.open_pool(pool) as (engine, missing):
            assert missing == 0
            yield engine, shipped


def test_every_memory_is_stored_and_superseded_ones_are_history(
    store: tuple[Engine, DataSet],
) -> None:
    engine, shipped = store
    replaced = sum(item.supersedes is not None for item in items_of(shipped))
    assert engine.count(history=True) == len(items_of(shipped))
    assert engine.count() == len(items_of(shipped)) - replaced


@pytest.mark.parametrize(
    "wanted",
    [
        "Which port is staging reachable on?",
        "Who is our product owner?",
        "Do I still drink coffee?",
        "外婆现在请的保姆是谁？",
        "宁波那份合同值多少钱？",
        "集群现在有几台机器？",
    ],
)
def test_a_loaded_store_answers_with_the_newest_memory(
    store: tuple[Engine, DataSet], wanted: str
) -> None:
    engine, shipped = store
    (question,) = [q for q in questions_of(shipped) if q.text == wanted]
    found = [
        hit.memory.external_id for hit in engine.recall(wanted, limit=10, min_score=0, touch=False)
    ]
    assert set(question.gold) <= set(found)
    replaced = {item.supersedes for item in items_of(shipped)} - {None}
    assert not replaced.intersection(found)


def test_the_shipped_set_runs_without_public_data(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv(loaders.DATA_VARIABLE, raising=False)
    monkeypatch.setenv(workspace.CACHE_VARIABLE, str(tmp_path))
    monkeypatch.setattr(report, "LATEST", tmp_path / "latest.json")
    assert command.main(["bilingual", "cmrc", "--quick", "--output", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert re.search(r"\| bilingual-\d+, R@10 \| [01]\.\d+ \[", out)
    assert re.search(r"\| bilingual-\d+, no answer in the store, share that injects", out)
    assert "| cmrc | not run |" in out
    assert "bilingual" in command.CHOICES


def test_questions_without_an_answer_have_their_own_figure_and_touch_no_other(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(workspace.CACHE_VARIABLE, str(tmp_path))
    items = tuple(
        Item(str(n), f"张{n}住在城{n}，养了一只叫阿福{n}的猫。", kind=Kind.FACT) for n in range(90)
    )
    asked = (
        Question("q1", "谁养了阿福17？", ("17",), "name", "zh"),
        Question("q2", "谁养了阿福17？", (), NO_ANSWER, "zh"),
        Question("q3", "how tall is the lighthouse?", (), NO_ANSWER, "en"),
        Question("q4", "谁养了阿福18？", ("3",), ADVERSARIAL, "zh"),
    )
    runs = quality.run(DataSet("own", (Pool("own", items, asked, turns=False),)))
    figures = {figure.key: figure for figure in quality.figures("set", runs)}
    assert figures["set.own.R@1"].n == 1
    assert figures["set.own.R@1"].value == 1
    assert figures["set.own.no-answer"].value == 0.5
    assert figures["set.own.no-answer"].n == 2
    assert figures["set.own.no-answer"].lower_is_better
    assert figures["set.own.no-answer.en"].value == 0
    assert figures["set.own.no-answer.zh"].value == 1
    assert "set.own.no-answer.R@10" not in figures
    *ranked, injecting, silent = quality.rank_lines(runs)
    assert [line["question"] for line in ranked] == ["q1", "q4"]
    assert "17" in str(injecting["injected"])
    assert silent == {"question": "q3", "category": NO_ANSWER, "injected": ()}


def test_an_unanswerable_pool_alone_gives_only_that_figure(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(workspace.CACHE_VARIABLE, str(tmp_path))
    items = tuple(Item(str(n), f"第{n}条消息") for n in range(80))
    asked = (Question("q", "zebra crossing?", (), NO_ANSWER),)
    runs = quality.run(DataSet("own", (Pool("own", items, asked, turns=True),)))
    assert [figure.key for figure in quality.figures("set", runs)] == ["set.own.no-answer"]


def test_an_item_takes_the_place_of_the_one_it_supersedes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(workspace.CACHE_VARIABLE, str(tmp_path))
    items = (
        Item("old", "预算是300元", at=1_700_000_000_000_000, kind=Kind.DECISION),
        Item("new", "预算是500元", at=1_710_000_000_000_000, supersedes="old"),
        Item("said", "好的，预算就这样", "s", "小林", 1_710_000_000_000_000, kind=Kind.TURN),
    )
    with quality.open_pool(Pool("p", items, (), turns=False)) as (engine, missing):
        assert missing == 0
        found = {memory.external_id: memory for memory in engine.list()}
        assert set(found) == {"new", "said"}
        assert found["new"].kind is Kind.DECISION
        assert found["said"].kind is Kind.TURN
        assert [memory.external_id for memory in engine.history(found["new"].id)] == ["old", "new"]


def longmemeval_entry(name: str, *, marked: bool) -> dict[str, object]:
    """One question in the public layout; a session's id comes twice on purpose."""
    answer = {"role": "user", "content": "我的猫叫年糕。", "has_answer": True}
    if not marked:
        del answer["has_answer"]
    return {
        "question_id": name,
        "question_type": "single-session-user",
        "question": "What is my cat called?",
        "answer": "年糕",
        "question_date": "2023/06/01 (Thu) 10:00",
        "haystack_session_ids": ["s_1", "s_1"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "someday"],
        "haystack_sessions": [
            [
                {"role": "user", "content": "Hello"},
                {"role": "assistant", "content": "Hi", "has_answer": False},
            ],
            [answer],
        ],
        "answer_session_ids": ["s_1"],
    }


def test_longmemeval_gold_is_the_marked_turns_and_abstentions_have_none(tmp_path: Path) -> None:
    path = tmp_path / "longmemeval_own.json"
    entries = [
        longmemeval_entry("a1", marked=True),
        longmemeval_entry("a2_abs", marked=True),
        longmemeval_entry("a3", marked=False),
    ]
    path.write_text(json.dumps(entries, ensure_ascii=False), encoding="utf-8")
    assert loaders.files("longmemeval", tmp_path) == [path]
    data = loaders.load("longmemeval", path)
    assert data.name == "longmemeval_own"
    assert data.without_gold == 1
    asked = questions_of(data)
    assert [(q.id, q.gold, q.category) for q in asked] == [
        ("a1", ("1:0",), "single-session-user"),
        ("a2_abs", (), NO_ANSWER),
    ]
    first, second, third = data.pools[0].items
    assert data.pools[0].turns
    assert (first.id, first.session, first.speaker) == ("0:0", "s_1", "user")
    assert first.at == second.at == 1_684_549_260_000_000
    assert (first.trust, second.trust) == (Trust.USER, Trust.AGENT)
    assert third.at is None
    assert third.text == "我的猫叫年糕。"
    assert longmemeval.moment("昨天") is None
