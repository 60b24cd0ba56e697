"""Units: chunks that cover a text, cut between tokens, in linear time."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memstone.analysis import tokenize, units
from memstone.analysis.characters import CLASSES
from memstone.types import Unit

PIECES = st.sampled_from(
    [
        "word", " ", "\n\n", "。", "中文分词没有空格", "gen-itgc", ". ", "e\u0301", "👩\u200d💻", "🙂",
        "a-" * 90, "x" * 700, "\u0301" * 40, "한국어", "สวัสดี", "https://example.com/a/b?c=d",
        "-" * 50, "\u200b", "！”", "㍿", " \u0301", "\ud83d", "…", "\r\n",
    ]
)  # fmt: skip
long_text = st.lists(PIECES, min_size=1, max_size=400).map("".join)


def check_partition(text: str, found: list[Unit]) -> None:
    assert [unit.ordinal for unit in found] == list(range(len(found)))
    assert found[0].start == 0
    assert found[-1].end == len(text)
    assert all(a.end == b.start for a, b in pairwise(found))
    assert all(unit.start < unit.end for unit in found)


def test_a_short_text_is_one_unit_with_its_counts() -> None:
    [unit] = units("deploy deployed 部署")
    assert unit == Unit(0, 0, 18, 5, (("deploy", 2), ("署", 1), ("部", 1), ("部署", 1)))


def test_only_an_empty_text_has_no_unit() -> None:
    assert units("") == []
    assert units("", header="Ana") == []
    assert units("?!") == [Unit(0, 0, 2, 0, ())]


def test_the_header_is_counted_in_every_unit() -> None:
    text = "Moved the review to Friday. " * 60
    found = units(text, header="Ana 2026-08-13")
    assert len(found) > 1
    for plain, headed in zip(units(text), found, strict=True):
        assert headed.length == plain.length + 5
        assert {"ana", "2026-08-13", "08"} <= {term for term, _ in headed.frequencies}
        assert (plain.start, plain.end) == (headed.start, headed.end)


def test_paragraphs_are_preferred_to_sentences_and_sentences_to_words() -> None:
    sentence = "The nightly backup runs on host atlas at two. "
    text = sentence * 8 + "\n\n" + sentence * 8
    first, second = units(text)
    assert text[first.start : first.end].endswith("\n\n")
    cuts = [unit.end for unit in units(sentence * 40)[:-1]]
    assert all((sentence * 40)[cut - 2 : cut] == ". " for cut in cuts)
    assert second.end == len(text)


def test_chinese_is_cut_after_its_full_stops_and_closing_quotes() -> None:
    sentence = "用户说：“所有回复使用轻松的语气，技术名词保留英文。”"
    text = sentence * 60
    assert all(text[unit.end - 2 : unit.end] == "。”" for unit in units(text))


def test_units_are_about_600_characters_long() -> None:
    text = "用户要求所有回复使用轻松的语气，技术名词保留英文。The review moved to Friday. " * 400
    lengths = [unit.end - unit.start for unit in units(text)]
    assert max(lengths) <= 700
    assert min(lengths) >= 280


def test_case_4_the_last_line_of_a_long_text_is_in_a_unit_of_its_own_size() -> None:
    text = ("Filler about nothing in particular, line after line. 没有重点的句子。\n" * 900)[
        :60_000
    ]
    text += "\nthe code word is zanzibar-7731"
    holders = [u for u in units(text) if "zanzibar-7731" in {t for t, _ in u.frequencies}]
    assert len(holders) == 1
    assert "zanzibar-7731" in text[holders[0].start : holders[0].end]
    assert holders[0].end - holders[0].start <= 700


def test_a_token_longer_than_a_unit_is_not_cut() -> None:
    text = "before " + "x" * 5_000 + " after"
    holders = [u for u in units(text) if text[u.start : u.end].count("x") > 0]
    assert len(holders) == 1
    assert text[holders[0].start : holders[0].end].count("x") == 5_000


def test_text_without_borders_is_cut_between_characters() -> None:
    text = "e\u0301" * 10 + "中\u0301" * 2_000
    found = units(text)
    check_partition(text, found)
    assert all(text[unit.start] != "\u0301" for unit in found)
    assert all(unit.end - unit.start <= 700 for unit in found)


def test_emoji_sequences_stay_together_in_text_without_borders() -> None:
    text = "👩\u200d💻" * 1_000
    assert all(text[u.start] == "👩" for u in units(text))


@settings(max_examples=60, deadline=None)
@given(long_text)
def test_units_cover_the_text_and_each_token_is_in_exactly_one(text: str) -> None:
    found = units(text)
    check_partition(text, found)
    tokens = tokenize(text)
    for token in tokens:
        assert sum(u.start <= token.start and token.end <= u.end for u in found) == 1
    counts: Counter[str] = Counter()
    for unit in found:
        assert unit.length == sum(count for _, count in unit.frequencies)
        assert list(unit.frequencies) == sorted(unit.frequencies)
        counts.update(dict(unit.frequencies))
    assert counts == Counter(term for token in tokens for term in token.terms)
    for unit in found[1:]:
        assert CLASSES[ord(text[unit.start])] not in "mz"


def test_a_block_border_leaves_no_mark_behind() -> None:
    text = "a" * 65_000 + " \u0301" * 700 + "b"
    found = units(text)
    check_partition(text, found)
    assert all(text[unit.start] != "\u0301" for unit in found)


@pytest.mark.parametrize(
    "piece",
    [
        "a", "中", "\u0301", "-", "_", "a-", "a_", ",000", "1.", "aB", "'", "a'", "\u200b",
        "a\u200b", "👩\u200d", "://", "a://", "\u0301\u0316", "हि", "\ud800", "! ", "++", "?",
    ],
)  # fmt: skip
def test_hostile_repetition_is_cut_into_units_in_order(piece: str) -> None:
    text = "a" + piece * ((1 << 16) // len(piece))
    check_partition(text, units(text))


def test_the_length_of_a_unit_fits_a_posting() -> None:
    for text in (
        "a-" * 9_000,
        "a/b.c" * 4_000,
        "aB1" * 9_000,
        "http://a" + "/b" * 9_000,
        "👩\u200d" * 9_000,
    ):
        assert max(unit.length for unit in units(text)) < 4_000
