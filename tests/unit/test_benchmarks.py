"""The benchmarks' own arithmetic: metrics by hand, refusals, determinism, the table's honesty."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from benchmarks import __main__ as command
from benchmarks import baselines, corpus, loaders, metrics, quality, report, workspace
from benchmarks.loaders import beam, cmrc, locomo, memdaily
from benchmarks.pools import DataSet, Item, Pool, Question

if TYPE_CHECKING:
    from pathlib import Path


def test_recall_counts_every_gold_item_and_any_hit_only_one() -> None:
    gold, ranked = ["a", "b", "c"], ["x", "a", "y", "b", "z", "c"]
    assert metrics.recall_at(1, gold, ranked) == 0
    assert metrics.recall_at(4, gold, ranked) == pytest.approx(2 / 3)
    assert metrics.recall_at(20, gold, ranked) == 1
    assert metrics.any_hit_at(1, gold, ranked) == 0
    assert metrics.any_hit_at(2, gold, ranked) == 1
    assert metrics.reciprocal_rank(gold, ranked) == 0.5
    assert metrics.reciprocal_rank(gold, []) == 0


def test_a_gold_id_named_twice_counts_once() -> None:
    assert metrics.recall_at(1, ["a", "a"], ["a"]) == 1


def test_a_session_ranks_where_its_best_item_ranks() -> None:
    items = tuple(Item(f"i{n}", "文", session=f"s{n // 2}") for n in range(14))
    question = Question("q", "?", ("i11",), "c")
    pool = Pool("p", items, (question,), turns=True)
    ranked = ["i0", "i1", "i2", "i3", "i4", "i6", "i10"]  # sessions 0 0 1 1 2 3 5
    outcome = quality._outcome(pool, question, ranked)
    assert outcome.ranked_sessions == ("s0", "s1", "s2", "s3", "s5")
    assert metrics.MEASURES["session any-hit@5"](outcome) == 1
    assert metrics.MEASURES["any-hit@5"](outcome) == 0


def test_an_interval_is_the_same_every_time_and_holds_the_mean() -> None:
    values = [1.0] * 30 + [0.0] * 20
    low, high = metrics.bootstrap_interval(values)
    assert (low, high) == metrics.bootstrap_interval(values)
    assert low < 0.6 < high
    assert low > 0.4
    assert high < 0.8


def test_quantiles_interpolate() -> None:
    assert metrics.quantile([4.0, 1.0, 3.0, 2.0], 0.5) == 2.5
    assert metrics.quantile([5.0], 0.95) == 5.0
    assert metrics.quantile([0.0, 10.0], 0.95) == 9.5


@pytest.mark.parametrize(("k", "smallest"), [(20, 79), (6, 23), (1, 3)])
def test_case_80_a_depth_above_a_quarter_of_the_smallest_pool_is_refused(
    k: int, smallest: int
) -> None:
    with pytest.raises(metrics.PoolTooSmallError, match="25%"):
        metrics.check_depth(k, smallest)


def test_case_80_a_quarter_exactly_is_allowed() -> None:
    metrics.check_depth(20, 80)


def test_case_80_a_run_over_a_small_pool_fails_before_any_store_is_made() -> None:
    items = tuple(Item(str(n), f"第{n}条") for n in range(40))
    pool = Pool("small", items, (Question("q", "第3条", ("3",), "c"),), turns=False)
    with pytest.raises(metrics.PoolTooSmallError):
        quality.run(DataSet("small", (pool,)))


def test_the_smallest_pool_is_one_that_is_asked() -> None:
    empty = Pool("empty", (Item("1", "一"),), (), turns=False)
    items = tuple(Item(str(n), str(n)) for n in range(8))
    asked = Pool("asked", items, (Question("q", "3", ("3",), "c"),), turns=False)
    assert DataSet("d", (empty, asked)).smallest_pool == 8


RETRIEVED = re.compile(r"R@\d+( over all questions)?|MRR|(session )?any-hit@5|share( that .*)?")
COST = frozenset(
    {"ms CPU", "ms wall", "a second (wall)", "turns/s wall", "bytes a memory", "estimated"}
)
DECIDED = frozenset({"facts", ""})  # counts of what was done rightly or wrongly


def test_case_81_every_committed_figure_is_about_what_was_retrieved_decided_or_paid() -> None:
    figures = report.figures_of(report.read_results(report.LATEST))
    assert len(figures) > 100
    for figure in figures.values():  # an answer judged by a model would need a unit of its own
        assert RETRIEVED.fullmatch(figure.unit) or figure.unit in COST | DECIDED, figure.key


def test_case_82_the_corpus_is_a_function_of_its_seed() -> None:
    first = list(corpus.memories(200))
    assert first == list(corpus.memories(200))
    assert first == list(corpus.memories(300))[:200]
    assert first != list(corpus.memories(200, seed=1))
    # the bytes themselves: a change of generator must raise corpus.VERSION
    assert corpus.VERSION == 1
    assert corpus.memory_text(3).startswith("pura tito tito lufargu the keruvu. gikin lolar larza")


def test_the_corpus_has_the_mix_it_claims() -> None:
    texts = list(corpus.memories(2_000))
    latin = [bool(re.search("[a-z]", text)) for text in texts]
    chinese = [bool(re.search("[一-鿿]", text)) for text in texts]
    mixed = sum(a and b for a, b in zip(latin, chinese, strict=True)) / len(texts)
    assert 0.12 < mixed < 0.18
    assert 0.57 < sum(latin) / len(texts) - mixed < 0.63
    english = [text for text, cjk in zip(texts, chinese, strict=True) if not cjk]
    words = sum(len(text.split()) for text in english) / len(english)
    assert 38 < words < 42


def test_words_of_different_ranks_are_spelled_differently() -> None:
    ranks = [*range(3_000), *range(9_500, 9_700), *range(950_000, 951_500)]
    assert len({corpus._spell(rank) for rank in ranks}) == len(set(ranks))


def test_queries_have_exactly_six_terms_of_one_memory() -> None:
    probes = corpus.queries(20, size=500)
    assert probes == corpus.queries(20, size=500)
    for probe in probes:
        assert len(set(probe.terms)) == 6
        assert set(probe.terms) <= set(
            baselines.term_text(corpus.memory_text(probe.source)).split()
        )


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Hello, WORLD! foo_bar baz123", ["hello", "world", "foo", "bar", "baz123"]),
        ("H₂O x² ½ Ⅷ", ["h", "o", "x"]),
        ("cafe\u0301", ["cafe"]),
        ("İstanbul ISTANBUL", ["istanbul", "istanbul"]),
        ("ΑΣ οδος ΟΔΟΣ", ["ασ", "οδος", "οδοσ"]),
        ("数据库端口是5432", ["数据库端口是5432"]),
        ("数据库 端口 是 5432", ["数据库", "端口", "是", "5432"]),
        ("what is the 東京タワー", ["東京タワー"]),
        ("🧑‍🚀", []),
    ],
)
def test_the_seed_tokenizer_follows_its_description(text: str, tokens: list[str]) -> None:
    assert baselines.seed_tokens(text) == tokens


def test_the_seed_ranks_by_score_then_id_and_drops_what_is_below_its_threshold() -> None:
    index = baselines.SeedBm25()
    index.add([("b", "budget 200"), ("a", "budget 200"), ("c", "other words"), ("d", "更多 文字")])
    assert index.search("budget", 5) == ["a", "b"]
    assert index.search("budget", 1) == ["a"]
    crowd = baselines.SeedBm25()
    crowd.add([(str(n), "same word") for n in range(5)])
    assert crowd.search("word", 5) == []  # 0.087: the seed's small-corpus cliff
    assert baselines.SeedBm25().search("anything", 5) == []


def test_fts5_finds_chinese_through_the_terms_it_is_fed() -> None:
    index = baselines.Fts5()
    index.add([("zh", "数据库端口是5432"), ("en", 'the "quoted" budget')])
    assert index.search("端口", 5) == ["zh"]
    assert index.search("budgets", 5) == ["en"]
    assert index.search("。。。", 5) == []
    index.close()


def test_locomo_evidence_lists_are_split_and_matched(tmp_path: Path) -> None:
    turns = [{"speaker": "Ann", "dia_id": f"D1:{n}", "text": f"turn {n}"} for n in range(1, 4)]
    turns[1]["blip_caption"] = "一只狗"
    entries = [
        {"question": "Which?", "evidence": ["D1:1; D1:02", "D9:9"], "category": 4},
        {"question": "Nothing?", "evidence": [], "category": 3},
        {"question": "Swapped?", "evidence": ["D1:3"], "category": 5},
    ]
    conversation = {"session_1": turns, "session_1_date_time": "1:56 pm on 8 May, 2023"}
    path = tmp_path / "locomo-own.json"
    dialogue = {"sample_id": "conv-1", "conversation": conversation, "qa": entries}
    path.write_text(json.dumps([dialogue], ensure_ascii=False), encoding="utf-8")
    data = locomo.load(path)
    (pool,) = data.pools
    assert [(q.gold, q.category) for q in pool.questions] == [
        (("D1:1", "D1:2"), "single-hop"),
        (("D1:3",), "adversarial"),
    ]
    assert data.without_gold == 1
    assert pool.items[1].text == "turn 2 [image: 一只狗]"
    assert pool.items[0].session == "conv-1/session_1"
    assert pool.items[0].at == 1_683_554_160_000_000


def test_memdaily_pools_hold_twenty_users(tmp_path: Path) -> None:
    message = {
        "mid": 0,
        "message": "我叫赵雅琳。",
        "time": "2024年04月01日 周一 08:12",
        "place": "",
    }
    question = {"qid": 0, "question": "我叫什么？", "target_step_id": [0]}
    users = [
        {"tid": tid, "message_list": [message], "question_list": [question]} for tid in range(21)
    ]
    path = tmp_path / "memdaily-own.json"
    path.write_text(json.dumps({"simple": users}, ensure_ascii=False), encoding="utf-8")
    data = memdaily.load(path)
    assert [len(pool.items) for pool in data.pools] == [20, 1]
    assert data.pools[0].questions[3].gold == ("3:0",)
    assert memdaily.moment("昨天") is None


def test_cmrc_paragraphs_with_one_text_are_one_item(tmp_path: Path) -> None:
    paragraphs = [
        {"id": f"P{n}", "context": "同一段", "qas": [{"id": f"Q{n}", "question": "什么？"}]}
        for n in range(2)
    ]
    path = tmp_path / "cmrc-own.json"
    path.write_text(json.dumps({"data": [{"paragraphs": paragraphs}]}), encoding="utf-8")
    (pool,) = cmrc.load(path).pools
    assert [item.id for item in pool.items] == ["P0"]
    assert [question.gold for question in pool.questions] == [("P0",), ("P0",)]


def test_beam_sources_are_gathered_from_any_nesting(tmp_path: Path) -> None:
    messages = [
        {"role": "user", "id": 0, "content": "one", "time_anchor": "March-15-2024"},
        {"role": "assistant", "id": 1, "content": "二"},
    ]
    chat = {
        "id": "7",
        "chat": [{"batch_number": 1, "turns": [messages], "time_anchor": None}],
        "probing_questions": {
            "abstention": [{"question": "?"}],
            "event_ordering": [{"question": "order?", "source_chat_ids": [0, [1, 9]]}],
        },
    }
    path = tmp_path / "beam-own.json"
    path.write_text(json.dumps([chat]), encoding="utf-8")
    data = beam.load(path)
    (pool,) = data.pools
    assert data.without_gold == 1
    assert pool.questions[0].gold == ("0", "1")
    assert pool.items[1].at == pool.items[0].at == 1_710_460_800_000_000


def test_missing_data_is_said_in_the_row(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv(loaders.DATA_VARIABLE, raising=False)
    monkeypatch.setattr(report, "LATEST", tmp_path / "latest.json")
    assert command.main(["cmrc", "--output", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "| cmrc | not run |" in out
    assert "MEMSTONE_BENCH_DATA" in out


def test_not_run_never_replaces_a_committed_figure() -> None:
    measured = report.Figure(key="cmrc.dev.R@1", what="dev", unit="R@1", value=0.96, least=0.95)
    last = report.merge({"sections": {}}, {"cmrc": [measured]}, stamp="abc")
    missing = [report.not_run("cmrc", "cmrc", "no folder")]
    kept = report.merge(last, {"cmrc": missing}, stamp="def")
    assert report.figures_of(kept) == {"cmrc.dev.R@1": measured}
    assert kept["sections"]["cmrc"]["commit"] == "abc"
    (row,) = command._with_last("cmrc", missing, last)
    table = report.render_table([row], report.figures_of(last))
    assert "| dev, R@1 | not run |" in table
    assert "| 0.960 |" in table  # the last committed figure stands beside it


def test_the_table_shows_value_interval_baselines_ratio_last_and_verdict() -> None:
    figure = report.Figure(
        key="k",
        what="top 20",
        unit="ms CPU",
        value=8.0,
        fts5=25.0,
        ratio=3.1,
        least=2.5,
        aim=4,
        judged="ratio",
    )
    last = {"k": report.Figure(key="k", what="top 20", unit="ms CPU", value=9.0, ratio=2.8)}
    row = report.render_table([figure], last).splitlines()[-1]
    assert row == "| top 20, ms CPU | 8.00 | 25.0 |  | 3.1× | 9.00 (2.8×) | ≥ 2.5×, aim 4× | met |"
    hidden = report.Figure(key="h", what="hidden", unit="R@5", value=0.5, detail=True)
    assert "hidden" not in report.render_table([hidden])


@pytest.mark.parametrize(
    ("value", "lower", "expected"),
    [(5, True, "met"), (3, True, "aim met"), (9, True, "**missed**"), (9, False, "aim met")],
)
def test_a_verdict_looks_in_the_right_direction(
    value: float, expected: str, *, lower: bool
) -> None:
    least, aim = (8.0, 3.0) if lower else (3.0, 8.0)
    figure = report.Figure(
        key="k", what="w", unit="u", value=value, least=least, aim=aim, lower_is_better=lower
    )
    assert report.verdict(figure) == expected


def test_the_machine_is_described_without_names_or_paths() -> None:
    facts = report.machine()
    assert set(facts) == {"cpus", "architecture", "system", "python", "sqlite"}
    assert not any("/" in str(value) for value in facts.values())


def test_engines_are_opened_with_default_settings_whatever_the_environment_says(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(loaders.DATA_VARIABLE, str(tmp_path))
    monkeypatch.setenv("MEMSTONE_RECALL_LIMIT", "1")
    with workspace.default_engine(tmp_path / "store") as engine:
        for number in range(3):
            engine.remember(f"关于预算的第{number}条笔记")
        assert len(engine.recall("预算", min_score=0)) == 3
    assert loaders.data_folder() == tmp_path


def test_case_79_a_retrieval_run_goes_through_the_public_api_with_baselines_beside(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(workspace.CACHE_VARIABLE, str(tmp_path))
    texts = [f"{name}住在{place}，喜欢{thing}。" for name, place, thing in _people(90)]
    items = tuple(Item(str(number), text) for number, text in enumerate(texts))
    asked = Question("q", "谁喜欢茶杯17？", ("17",), "paragraph")
    runs = quality.run(DataSet("own", (Pool("own", items, (asked,), turns=False),)))
    figures = {figure.key: figure for figure in quality.figures("cmrc", runs)}
    assert runs.missing == 0
    assert figures["cmrc.own.R@1"].value == 1
    assert figures["cmrc.own.R@1"].seed == 0  # a whole clause is one token for the ancestor
    assert figures["cmrc.own.R@1"].fts5 == 1
    (line,) = quality.rank_lines(runs)
    assert line["ranks"] == {
        "memstone": [1],
        "memstone, default floor": [1],
        "memstone, 2,000 tokens": [1],
        "fts5": [1],
        "seed": [None],
    }


def _people(count: int) -> list[tuple[str, str, str]]:
    return [(f"张{number}", f"城{number}", f"茶杯{number}") for number in range(count)]


def test_a_cached_build_that_dies_leaves_nothing_that_looks_finished(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(workspace.CACHE_VARIABLE, str(tmp_path))

    def dies(folder: Path) -> None:
        (folder / "half").write_text("x", encoding="utf-8")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        workspace.cached("key", dies)
    built = workspace.cached("key", lambda folder: (folder / "whole").touch())
    assert [path.name for path in built.iterdir()] == ["whole"]
    assert workspace.cached("key", dies) == built
