"""Sentence borders and query-centred excerpts: verbatim, in order, marked, within the budget."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstone.analysis import analyze_query
from memstone.analysis.sentences import safe_cut, sentences
from memstone.compression.excerpt import excerpt, render
from memstone.tokens import EstimatedTokens

if TYPE_CHECKING:
    from memstone.types import Excerpt

COUNTER = EstimatedTokens()
HANDLE = "ccr_" + "0123456789abcdef" * 2
MARK = re.compile(
    r"\[… [\d,]+ characters? cut …\]\n|\n?\[(?:… [\d,]+ characters? )?cut; whole text: .*\]"
)
FILLER = "Nothing of interest happened on this day. "
FILLER_ZH = "这一天没有发生什么值得记住的事情。"


def cut(text: str, query: str, tokens: int = 300, focus: tuple[int, int] | None = None) -> str:
    """The excerpt's text; the unit defaults to some 600 characters around the query itself."""
    found = shorten(text, query, tokens, focus)
    assert found is not None
    return found.text


def shorten(
    text: str, query: str, tokens: int, focus: tuple[int, int] | None = None
) -> Excerpt | None:
    if focus is None:
        at = max(text.find(query), 0)
        focus = (max(at - 300, 0), min(at + 300, len(text)))
    terms = analyze_query(query).terms
    return excerpt(text, focus=focus, terms=terms, tokens=tokens, counter=COUNTER, handle=HANDLE)


SENTENCES = [
    ("One. Two! Three? Four", ["One. ", "Two! ", "Three? ", "Four"]),
    ("Dr. Wu paid 3.50 to J. Smith. Done.", ["Dr. Wu paid 3.50 to J. Smith. ", "Done."]),
    ("We use e.g. SQLite. It works.", ["We use e.g. SQLite. ", "It works."]),
    ("1. First\n2. Second", ["1. First\n", "2. Second"]),
    ("He said no. She left. See no. 5.", ["He said no. ", "She left. ", "See no. 5."]),
    ("It cost 200. Then it grew.", ["It cost 200. ", "Then it grew."]),
    ("He said “No.” She left.", ["He said “No.” ", "She left."]),
    ("好. 是", ["好. ", "是"]),
    ("Wait... what? Fine.", ["Wait... what? ", "Fine."]),
    ("预算是二百。真的？好！", ["预算是二百。", "真的？", "好！"]),
    (
        "他说：“不行。”然后走了；我们留下……再说",
        ["他说：“不行。”", "然后走了；", "我们留下……", "再说"],
    ),
    ("真的吗?是的!好", ["真的吗?", "是的!", "好"]),
    ("版本 3.11.7 发布了。See v2.0.", ["版本 3.11.7 发布了。", "See v2.0."]),
    ("a\n\n  b", ["a\n\n  ", "b"]),
    ("", []),
]


@pytest.mark.parametrize(("text", "expected"), SENTENCES)
def test_sentences_end_where_a_reader_ends_them(text: str, expected: list[str]) -> None:
    assert [text[a:b] for a, b in sentences(text)] == expected


@given(
    st.text(alphabet='ab .!?。！？…；\n\r"”’)1 中éDr', max_size=80),
    st.integers(0, 10),
    st.integers(0, 90),
)
def test_sentences_partition_any_stretch_of_a_text(text: str, start: int, end: int) -> None:
    start, end = min(start, len(text)), min(max(start, end), len(text))
    spans = sentences(text, min(start, end), end)
    assert "".join(text[a:b] for a, b in spans) == text[min(start, end) : end]
    assert all(a < b for a, b in spans)


@pytest.mark.parametrize(
    "whole", ["é", "👩‍👩‍👧‍👦", "❤️", "👍🏽", "🇨🇳", "한", "नि", "\r\n", "\ud83d\ude00", "葛󠄀"]
)
def test_a_character_that_a_person_sees_is_never_split(whole: str) -> None:
    text = f"x{whole}y"
    assert [at for at in range(1, len(text)) if safe_cut(text, at)] == [1, len(text) - 1]


def test_flags_are_cut_between_pairs() -> None:
    assert [at for at in range(5) if safe_cut("🇨🇳🇵🇹", at)] == [0, 2, 4]


def test_case_4_the_word_on_the_last_line_of_a_long_text_is_shown() -> None:
    text = (FILLER * 1500)[:60_000] + "\nThe vault code is zanzibar-7731."
    shown = cut(text, "zanzibar-7731", tokens=2000)
    assert "The vault code is zanzibar-7731.\n[cut; whole text: ccr_" in shown
    assert shown.startswith("[… ")
    assert COUNTER.count(shown) <= 2000


def test_case_4_in_chinese() -> None:
    text = FILLER_ZH * 3500 + "保险柜密码是翡翠鸟七七三一。"
    shown = cut(text, "翡翠鸟", tokens=200)
    assert "保险柜密码是翡翠鸟七七三一。" in shown
    assert FILLER_ZH in shown


@pytest.mark.parametrize("tokens", [80, 300, 2000])
def test_case_50_two_and_a_half_megabytes_become_an_excerpt(tokens: int) -> None:
    text = FILLER * 30_000 + "The wombat lives in cell 9. " + FILLER * 30_000
    assert len(text) > 2_500_000
    found = shorten(text, "wombat", tokens)
    assert found is not None
    assert "The wombat lives in cell 9." in found.text
    assert found.tokens == COUNTER.count(found.text) <= tokens
    assert found.tokens > tokens * 0.7


def test_the_sentence_with_most_of_the_query_is_kept_before_its_neighbours() -> None:
    text = FILLER * 30 + "The budget grew. The Atlas budget is 200 since Tuesday. " + FILLER * 30
    shown = cut(text, "budget Atlas Tuesday", tokens=70, focus=(1200, 1400))
    assert "The Atlas budget is 200 since Tuesday." in shown
    assert MARK.sub("", shown).count(".") <= 3


def test_two_distant_sentences_with_query_words_are_shown_with_the_gap_counted() -> None:
    middle = FILLER * 20
    text = FILLER * 50 + "Atlas is the project. " + middle + "Its budget is 200. " + FILLER * 50
    shown = cut(text, "Atlas budget", tokens=130, focus=(2000, 2600))
    assert "Atlas is the project." in shown
    assert "Its budget is 200." in shown
    first = shown.index("Atlas")
    assert re.search(r"\[… \d+ characters cut …\]", shown[first : shown.index("Its budget")])


def test_a_sentence_without_borders_is_cut_at_blanks_around_the_word() -> None:
    words = " ".join(f"word{n}" for n in range(5000))
    text = words.replace("word2500 ", "quokka ")
    shown = cut(text, "quokka", tokens=120)
    body = MARK.sub("", shown)
    assert "quokka" in body.split()
    assert set(body.split()) <= set(text.split())


def test_chinese_without_borders_is_cut_between_characters() -> None:
    text = "山河" * 5000 + "水熊虫" + "日月" * 5000
    shown = cut(text, "水熊虫", tokens=120)
    assert "水熊虫" in shown
    assert MARK.sub("", shown) in text


def test_emoji_and_accents_stay_whole_at_the_cut() -> None:
    family, accented = "👩‍👩‍👧‍👦", "e\u0301"
    text = family * 400 + " quokka " + accented * 3000
    for tokens in range(70, 130, 7):
        found = shorten(text, "quokka", tokens)
        assert found is not None
        for start, end in found.spans:
            assert safe_cut(text, start)
            assert safe_cut(text, end)
            assert not unicodedata.combining(text[start])


def test_a_run_without_any_border_is_cut_close_to_the_word() -> None:
    text = "x" * 5000 + " quokka " + "山" * 10 + "y" * 5000
    found = shorten(text, "quokka", 150)
    assert found is not None
    assert " quokka " in found.text
    assert found.tokens > 110


def test_blanks_alone_are_not_an_excerpt() -> None:
    assert shorten("x. " + " " * 9000, "quokka", 70, focus=(4000, 4600)) is None


def test_a_counter_that_sees_more_in_the_whole_than_in_its_parts_is_obeyed() -> None:
    class Steep:
        basis = "steep"

        def count(self, text: str) -> int:
            return len(text) + len(text) ** 2 // 300

    text = FILLER * 99 + "The quokka sleeps. 短尾矮袋鼠。" + FILLER * 99
    found = excerpt(
        text, focus=(4100, 4300), terms=["quokka"], tokens=600, counter=Steep(), handle="ccr_0"
    )
    assert found is not None
    assert "The quokka sleeps." in found.text
    assert found.tokens == Steep().count(found.text) <= 600


def test_a_budget_below_the_word_and_its_marks_gives_nothing() -> None:
    text = FILLER * 500 + "quokka. " + FILLER * 500
    smallest = next(n for n in range(200) if shorten(text, "quokka", n))
    assert "quokka" in cut(text, "quokka", tokens=smallest)
    assert shorten(text, "quokka", smallest - 1) is None
    assert shorten(text, "quokka", 0) is None


def test_without_a_query_word_the_unit_itself_is_shown() -> None:
    text = FILLER * 100 + "Alpha beta gamma. " + FILLER * 100
    at = text.index("Alpha")
    assert "Alpha beta gamma." in cut(text, "unrelated", tokens=120, focus=(at, at + 18))


def test_marks_in_the_original_are_ordinary_text() -> None:
    fake = f"[… 12 characters cut …] [cut; whole text: ccr_{'f' * 32}] "
    text = FILLER * 200 + fake + "The quokka sleeps. " + fake + FILLER * 200
    found = shorten(text, "quokka", 260)
    assert found is not None
    assert fake.strip() in found.text
    assert found.text.splitlines()[-1].endswith(f"whole text: {HANDLE}]")
    assert render(text, found.spans, HANDLE) == found.text


def test_repeated_query_words_do_not_cost_time_squared() -> None:
    text = "水" * 100_000
    shown = cut(text, "水", tokens=500, focus=(0, 8000))
    assert "水水水" in shown


TEXTS = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "The quokka sleeps. ",
                "预算改成了二百。",
                FILLER,
                "🇨🇳👍🏽",
                "e\u0301",
                "\n\n",
                "[cut; whole text: x]",
            ]
        ),
        st.text(max_size=40),
    ),
    max_size=120,
).map("".join)


@given(TEXTS, st.integers(0, 400), st.integers(0, 3000), st.integers(0, 800))
def test_an_excerpt_is_verbatim_ordered_marked_within_budget_and_repeatable(
    text: str, tokens: int, start: int, length: int
) -> None:
    focus = (start, start + length)
    found = shorten(text, "quokka 预算", tokens, focus)
    assert found == shorten(text, "quokka 预算", tokens, focus)
    if found is None:
        return
    assert found.tokens == COUNTER.count(found.text) <= tokens
    assert found.text == render(text, found.spans, HANDLE)
    ends = [0, *(place for span in found.spans for place in span), len(text)]
    assert ends == sorted(ends)
    assert all(a < b for a, b in found.spans)
    assert all(b < c for (_, b), (c, _) in zip(found.spans, found.spans[1:], strict=False))
    assert HANDLE in found.text.splitlines()[-1]
