"""Public cases on what recall finds: filters before cuts, floors, names, fresh facts, duplicates."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any

import pytest

import memstone
from memstone.types import Kind, Outcome, Scope
from tests.acceptance.casekit import Clock, addressed, everywhere, restore, row, texts, turns
from tests.acceptance.cli import call

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstone import Engine

NEARER = 4_100
WANTED = (
    "Among other things the quarterly forecast 季度预测 came up; " + "nothing was decided. " * 9
)
RETIRED = 820  # of each way in which a memory stops being recallable


@pytest.fixture
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with memstone.open(tmp_path_factory.mktemp("case") / "记忆", user="ana") as opened:
        yield opened


@pytest.fixture(scope="module")
def nearer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """4,100 memories nearer to "quarterly forecast" than the one that passes the filters."""
    with memstone.open(tmp_path_factory.mktemp("nearer"), user="ana") as opened:
        restore(
            opened,
            [
                row(
                    f"quarterly forecast 季度预测 {number}",
                    tags=["other", "noise"],
                    session="other",
                    kind="decision",
                    valid_from="2026-06-01T00:00:00.000000Z",
                    created_at="2026-06-01T00:00:00.000000Z",
                )
                for number in range(NEARER)
            ],
        )
        restore(opened, [row(WANTED, tags=["mine", "第一"], session="会话", kind="preference")])
        yield opened


@pytest.fixture(scope="module")
def retired(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """4,100 nearer memories that are forgotten, superseded, expired, over, or not true yet."""
    with memstone.open(tmp_path_factory.mktemp("retired"), user="ana") as opened:
        rows = []
        for number in range(RETIRED):
            near = f"quarterly forecast 季度预测 {number}"
            old = row(
                f"{near} old",
                superseded_at="2026-03-01T00:00:00.000000Z",
                superseded_from="2026-03-01T00:00:00.000000Z",
            )
            new = row(
                f"number {number} was withdrawn",
                supersedes=old["id"],
                created_at="2026-03-01T00:00:00.000000Z",
                valid_from="2026-03-01T00:00:00.000000Z",
            )
            rows += [
                row(f"{near} forgotten"),
                old | {"superseded_by": new["id"]},
                new,
                row(f"{near} expired", expires="2026-02-01T00:00:00.000000Z"),
                row(f"{near} over", valid_until="2026-02-01T00:00:00.000000Z"),
                row(f"{near} to come", valid_from="2900-01-01T00:00:00.000000Z"),
            ]
        rows.append(row(WANTED))
        restore(opened, rows)
        gone = [str(each["id"]) for each in rows if str(each["text"]).endswith("forgotten")]
        assert len(opened.forget(*gone).forgotten) == RETIRED
        yield opened


@pytest.mark.parametrize(
    "asked",
    [
        {"tags": ["mine"]},
        {"tags": ["mine", "第一"]},
        {"any_tags": ["absent", "第一"]},
        {"session": "会话"},
        {"kinds": ["preference"]},
        {"kinds": ["preference", "task"]},
        {"until": "2026-02-01"},
        {"since": "2025-12-31", "until": "2026-05-31"},
        {"as_of": "2026-05-01"},
        {"known_at": "2026-05-01"},
        {"as_of": "2026-05-01", "known_at": "2026-05-01", "tags": ["mine"]},
    ],
    ids=str,
)
@pytest.mark.parametrize("limit", [1, 5])
def test_case_20_filters_apply_before_any_cut(
    nearer: Engine, asked: dict[str, Any], limit: int
) -> None:
    assert texts(everywhere(nearer, "quarterly forecast", limit=limit, **asked)) == [WANTED]
    assert texts(everywhere(nearer, "季度预测", limit=limit, **asked)) == [WANTED]


def test_case_20_the_unfiltered_answer_really_is_nearer(nearer: Engine) -> None:
    result = everywhere(nearer, "quarterly forecast", limit=100, budget=0, separate=True)
    assert len(result) == 100
    assert WANTED not in texts(result)


def test_case_20_another_scope_s_memories_never_use_up_the_limit(nearer: Engine) -> None:
    mine = Scope("ben")
    nearer.remember(WANTED, scope=mine)
    try:
        assert texts(nearer.recall("quarterly forecast", scope=mine, touch=False)) == [WANTED]
        shown = call(
            "recall", "季度预测", "--home", nearer.path.removesuffix("/mem.db"), "--user", "ben"
        )
        assert [hit["text"] for hit in shown.ok().document["hits"]] == [WANTED]
    finally:
        nearer.forget(*(memory.id for memory in nearer.list(scope=mine)), scope=mine)


@pytest.mark.parametrize("query", ["quarterly forecast", "季度预测"])
def test_case_20_what_is_no_longer_true_never_uses_up_the_limit(
    retired: Engine, query: str
) -> None:
    assert texts(everywhere(retired, query, limit=5)) == [WANTED]
    assert texts(everywhere(retired, query, limit=1, separate=True)) == [WANTED]
    assert texts(everywhere(retired, query, limit=5, since="2026-01-01")) == [WANTED]


def test_case_20_a_look_back_sees_what_was_true_then_and_never_what_was_forgotten(
    retired: Engine,
) -> None:
    then = everywhere(retired, "quarterly forecast", as_of="2026-01-15", limit=5_000, budget=0)
    ends = {text.rsplit(" ", 1)[1] for text in texts(then)} - {"decided. "}
    assert ends == {"old", "over", ""}
    assert len(then) == 2 * RETIRED + 1
    later = everywhere(retired, "quarterly forecast", as_of="2900-02-01", limit=5_000, budget=0)
    assert {text.rsplit(" ", 1)[1] for text in texts(later)} == {"come", ""}


GENERIC = [
    f"{subject} {verb} {thing} during week {week}"
    for subject in ("The team", "Operations", "Finance", "A customer", "小组")
    for verb in ("discussed", "reviewed", "moved", "asked about", "讨论了")
    for thing in (
        "the roadmap",
        "a review",
        "the invoice",
        "the release",
        "预算表",
        "the deploy key",
    )
    for week in range(1, 8)
]
BACKUP = "backup runs nightly at 02:00 on host atlas"
NIGHTLY = "数据库备份每晚两点在主机 atlas 上运行"
TONE = "用户要求所有回复使用轻松的语气，技术名词保留英文"
ILMARI = "Ilmari asked to move the review"
PEOPLE = {
    "Ilmari": ILMARI,
    "Saoirse Kowalczyk": "Saoirse Kowalczyk wrote the minutes of the review",
    "Nguyễn Thảo": "Nguyễn Thảo moved to the release team",
    "王小明": "王小明说要推迟评审",
    "Łukasz": "Łukasz is on leave",
    "O'Brien": "O'Brien reviewed the invoice twice",
}


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """More than a thousand memories, most of them of the kind that vectors like for any query."""
    with memstone.open(tmp_path_factory.mktemp("crowd"), user="ana") as opened:
        turns(opened, GENERIC)
        restore(opened, [row(text) for text in (BACKUP, NIGHTLY, TONE, *PEOPLE.values())])
        assert opened.count() > 1_000
        yield opened


DIFFERENT = {
    "roadmap": True,
    "invoice": True,
    "release": True,
    "deploy key": True,
    "预算表": True,
    "小组": True,
    "讨论": True,
    "customer": True,
    "operations": True,
    "finance": True,
    "Ilmari": True,
    "王小明": True,
    "nightly backup": True,
    "语气": True,
    "host atlas": True,
    "xqzzvwk": False,
    "qwrtzp blorfle snarkubi": False,
    "颮麤龘": False,
    "!!! ??? …": False,
    "the of and to is": False,
}


def test_case_22_twenty_questions_get_different_answers_and_nonsense_none(crowd: Engine) -> None:
    answers = {}
    for query, has_answer in DIFFERENT.items():
        result = everywhere(crowd, query)
        answers[query] = tuple(hit.id for hit in result.hits)
        assert bool(answers[query]) is has_answer, query
    found = [ids for ids in answers.values() if ids]
    assert len(found) == 15
    assert len(set(found)) == 15
    scores = [hit.score for query in answers for hit in crowd.recall(query, touch=False)]
    assert len(set(scores)) > 5
    assert texts(everywhere(crowd, "xqzzvwk", separate=True)) == []


def test_case_22_without_a_floor_nonsense_still_gives_nothing(crowd: Engine) -> None:
    for query, has_answer in DIFFERENT.items():
        if not has_answer:
            assert texts(everywhere(crowd, query, min_score=0)) == [], query


def test_case_23_a_proper_name_is_the_first_hit(crowd: Engine) -> None:
    for name, note in PEOPLE.items():
        assert texts(everywhere(crowd, name))[0] == note, name
        assert texts(everywhere(crowd, name.upper()))[0] == note, name
    assert texts(everywhere(crowd, "Ilmari", separate=True))[0] == ILMARI


@pytest.mark.parametrize(
    ("query", "note"),
    [
        ("What did Ilmari ask about the review?", ILMARI),
        ("did Ilmari move the review", ILMARI),
        ("Kowalczyk", PEOPLE["Saoirse Kowalczyk"]),
        ("nguyen thao", PEOPLE["Nguyễn Thảo"]),
        ("小明要推迟什么？", PEOPLE["王小明"]),
    ],
)
def test_case_23_a_name_among_common_words_still_decides(
    crowd: Engine, query: str, note: str
) -> None:
    assert texts(everywhere(crowd, query))[0] == note


@pytest.mark.parametrize(
    ("query", "note"),
    [
        ("when does the nightly backup job run, and where?", BACKUP),
        ("When do backups run?", BACKUP),
        ("On which host is the nightly backup running?", BACKUP),
        ("backup schedule please", BACKUP),
        ("备份任务每晚几点运行，在哪台主机？", NIGHTLY),
        ("数据库的备份在什么时候运行", NIGHTLY),
    ],
)
def test_case_26_a_question_need_not_be_matched_word_for_word(
    crowd: Engine, query: str, note: str
) -> None:
    assert texts(everywhere(crowd, query))[0] == note


def test_case_26_holds_in_a_store_of_one(engine: Engine) -> None:
    engine.remember(BACKUP)
    question = "when does the nightly backup job run, and where?"
    assert texts(everywhere(engine, question, separate=True)) == [BACKUP]


@pytest.mark.parametrize("kind", list(Kind))
def test_case_32_a_fresh_memory_is_found_at_once_and_later(
    tmp_path_factory: pytest.TempPathFactory, kind: Kind
) -> None:
    clock = Clock()
    home = tmp_path_factory.mktemp("fresh")
    with memstone.open(home, user="ana", clock=clock) as engine:
        text = "The cat sleeps on the server 猫在服务器上睡觉"
        one = engine.remember(text, kind=kind, session="s", tags=["pets"])
        for pause in (0, 10, 86_400):
            clock.now += pause * 1_000_000
            gc.collect()
            for query in ("cat", "猫", "server"):
                assert [hit.id for hit in engine.recall(query, limit=1)] == [one.id]
                assert [hit.id for hit in engine.recall(query, tags=["pets"])] == [one.id]


def test_case_32_every_write_is_visible_to_the_next_question_on_both_surfaces(
    engine: Engine,
) -> None:
    one = engine.remember("The budget is 100 预算")
    assert texts(everywhere(engine, "budget")) == ["The budget is 100 预算"]
    two = engine.supersede(one.id, "The budget is 200 预算")
    assert texts(everywhere(engine, "预算")) == ["The budget is 200 预算"]
    engine.tag(two.id, "钱")
    assert len(everywhere(engine, "budget", tags=["钱"])) == 1
    engine.expire(two.id, "2026-01-01")
    assert len(everywhere(engine, "budget")) == 0
    engine.expire(two.id, None)
    assert len(everywhere(engine, "budget", separate=True)) == 1
    turns(engine, ["budget talk 预算"])
    assert len(everywhere(engine, "budget")) == 2
    engine.forget(two.id)
    assert texts(everywhere(engine, "budget")) == ["budget talk 预算"]
    call("remember", "The budget is 300 预算", *addressed(engine)).ok()
    assert len(engine.recall("budget")) == 2


WEATHER = (
    "what is the weather in Oslo",
    "what's the weather like today?",
    "奥斯陆今天天气怎么样？",
)


def test_case_83_a_word_inside_a_chinese_sentence_is_found_and_small_talk_is_not(
    engine: Engine,
) -> None:
    for text in (TONE, "The deploy key is in the vault", "what is in the box is the printer"):
        engine.remember(text)
    assert texts(everywhere(engine, "语气")) == [TONE]
    for query in WEATHER:
        assert texts(everywhere(engine, query)) == [], query
    assert texts(everywhere(engine, WEATHER[0], separate=True)) == []


def test_case_83_the_same_text_twice_is_one_row(engine: Engine) -> None:
    first = engine.remember(TONE)
    again = engine.remember(TONE)
    shown = call("remember", TONE, *addressed(engine)).ok().document
    assert (again.outcome, shown["outcome"]) == (Outcome.KNOWN, "known")
    assert {first.id, again.id, shown["id"]} == {first.id}
    assert (engine.count(history=True), engine.get(first.id).seen_count) == (1, 3)
    assert len(everywhere(engine, "语气")) == 1


def test_case_84_the_chinese_note_comes_first_and_small_talk_gives_nothing(crowd: Engine) -> None:
    for query in ("语气", "回复语气", "轻松的语气", "回复用什么语气？"):
        assert texts(everywhere(crowd, query))[0] == TONE, query
    for query in WEATHER:
        assert texts(everywhere(crowd, query)) == [], query


def test_case_84_in_a_store_of_three(engine: Engine) -> None:
    for text in (TONE, "The deploy key is in the vault", "部署密钥在保险库里"):
        engine.remember(text)
    for query in ("语气", "回复语气"):
        assert texts(everywhere(engine, query)) == [TONE], query
    for query in WEATHER:
        assert texts(everywhere(engine, query)) == [], query
