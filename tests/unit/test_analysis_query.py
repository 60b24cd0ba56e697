"""Queries: what is dropped, what ranks, and what counts as evidence."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memstone.analysis import Evidence, Query, analyze_query, surfaces, tokenize
from memstone.analysis.stopwords import CHINESE, ENGLISH, KEPT

NOTHING = Query((), ())


def coverage(query: str, text: str) -> float:
    """The floor's share with every term weighing the same, to see what evidence can tell."""
    indexed = {term for token in tokenize(text) for term in token.terms}
    words = surfaces(text)
    pieces = analyze_query(query).evidence
    covered = 0.0
    for piece in pieces:
        if any(term in indexed for term in piece.full):
            covered += 1.0 if piece.surface is None or piece.surface in words else 0.5
        elif piece.half:
            covered += 0.5 * sum(term in indexed for term in piece.half) / len(piece.half)
    return covered / len(pieces) if pieces else 0.0


@pytest.mark.parametrize(
    "query",
    [
        "", " ", "?!", "what is it", "When did you do that?", "Who are they and where?", "don’t",
        "什么", "你是谁？", "我们的是什么", "在哪里", "什么时候", "怎么了", "為什麼", "哪个是你的", "请问有没有",
    ],
)  # fmt: skip
def test_a_query_of_stop_words_finds_nothing(query: str) -> None:
    assert analyze_query(query) == NOTHING


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("When did Ana deploy the API?", "ana deploy api"),
        ("What's the user's plan", "user plan"),
        ("what happened in May", "happen may"),
        ("部署在哪里？", "部 部署 署"),
        ("我们的目的是什么", "目 目的 的"),
        ("怎么了解首都", "了 了解 解 解首 首 首都 都"),
        ("回复的语气", "回 回复 复 语 语气 气"),
        ("猫", "猫"),
        ("gen-itgc的50条", "gen-itgc gen itgc 50 条"),
        ("follow-up", "follow-up follow"),
        ("🙂?", "🙂"),
        ("deploy deploys DEPLOY", "deploy"),
    ],
)
def test_ranking_terms_are_distinct_and_without_stop_words(query: str, expected: str) -> None:
    assert analyze_query(query).terms == tuple(expected.split())


def test_evidence_of_a_word_asks_for_its_surface() -> None:
    assert analyze_query("the deployments").evidence == (
        Evidence(("deploy",), ("deploy",), (), "deployments"),
    )


def test_evidence_of_an_identifier_is_its_whole_or_half_its_parts() -> None:
    assert analyze_query("gen-itgc").evidence == (
        Evidence(("gen-itgc",), ("gen-itgc",), ("gen", "itgc"), None),
    )


def test_evidence_of_camel_case_is_also_a_word() -> None:
    assert analyze_query("NumPy").evidence == (
        Evidence(("numpi",), ("numpi",), ("num", "py"), "numpy"),
    )
    assert coverage("NumPy", "we use numpy") == coverage("numpy", "we use NumPy") == 1.0


def test_evidence_of_chinese_is_one_piece_a_character() -> None:
    assert analyze_query("轻松语").evidence == (
        Evidence(("轻松",), ("轻松",), (), None),
        Evidence(("轻松", "松语"), ("轻松", "松语"), (), None),
        Evidence(("松语",), ("松语",), (), None),
    )
    assert analyze_query("猫").evidence == (Evidence(("猫",), ("猫",), (), None),)


def test_evidence_of_a_number_is_the_number() -> None:
    assert analyze_query("٣٤٥").evidence == (Evidence(("345",), ("345",), (), None),)


def test_repeated_evidence_counts_once() -> None:
    assert len(analyze_query("atlas atlas ATLAS 猫 猫").evidence) == 2


@pytest.mark.parametrize("query", ["语气", "回复语气", "轻松"])
def test_case_42_chinese_queries_cover_the_sentence(query: str) -> None:
    text = "用户要求所有回复使用轻松的语气，技术名词保留英文"
    assert coverage(query, text) == 1.0
    assert coverage(query, "部署流程：先 make build，再 kubectl apply") == 0.0


@pytest.mark.parametrize("query", ["itgc", "gen-itgc", "悬空"])
def test_case_43_glued_identifiers_are_covered(query: str) -> None:
    assert coverage(query, "步2 重跑gen-itgc后50条悬空引用清零") == 1.0


@pytest.mark.parametrize("query", ["设备", "部署", "猫"])
def test_case_44_short_chinese_words_are_covered_and_unrelated_notes_are_not(query: str) -> None:
    assert coverage(query, f"昨天的{query}记录") == 1.0
    assert coverage(query, "周五下午评审预算") == 0.0


def test_case_26_half_of_the_words_is_evidence() -> None:
    query = "when does the nightly backup job run, and where?"
    text = "backup runs nightly at 02:00 on host atlas"
    assert coverage(query, text) == pytest.approx((1 + 1 + 0 + 0.5) / 4)
    assert coverage(query, "the kitchen tap drips at night") < 0.2


def test_case_23_names_are_their_own_evidence() -> None:
    assert coverage("Ilmari", "Ilmari asked to move the review") == 1.0
    assert coverage("Ilmari Koskela", "Ilmari asked to move the review") == 0.5
    assert coverage("Ilmari", "500 generic notes") == 0.0


def test_case_83_and_84_small_talk_covers_no_unrelated_note() -> None:
    for note in (
        "the deploy key is in the vault",
        "what is left is the review",
        "说到语气，用轻松的",
    ):
        assert coverage("what is the weather in Oslo", note) == 0.0


def test_case_71_query_syntax_is_text() -> None:
    assert analyze_query("foo AND (").terms == ("foo",)
    assert analyze_query("NEAR/0").terms == ("near/0", "near", "0")
    assert analyze_query("'; DROP TABLE memories;--").terms == ("drop", "tabl", "memori")


def test_stop_lists_do_not_contradict_each_other() -> None:
    assert not CHINESE & KEPT
    assert all(word == word.casefold() for word in ENGLISH)
    for word in KEPT:
        assert analyze_query(word).terms, word


@given(st.text(max_size=60))
def test_a_query_is_a_function_of_its_text(query: str) -> None:
    assert analyze_query(query) == analyze_query(query)


@settings(deadline=None)
@given(st.text("abc 中文的了目é-_.1\u0301🙂", max_size=40))
def test_query_terms_are_terms_of_the_same_text(query: str) -> None:
    indexed = {term for token in tokenize(query) for term in token.terms}
    found = analyze_query(query)
    assert set(found.terms) <= indexed
    assert len(set(found.terms)) == len(found.terms)
    for piece in found.evidence:
        assert set(piece.full) | set(piece.half) | set(piece.mass) <= set(found.terms)
        assert piece.full
