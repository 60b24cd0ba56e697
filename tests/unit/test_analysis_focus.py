"""Which part of a long message is the question."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstone.analysis import informative
from memstone.analysis.focus import LONG_WORDS, _sentences, content_words

BOILERPLATE = (
    "You are a careful assistant. Read the conversation below with attention, think step by step, "
    "keep your answer short and polite, never invent anything, and tell the reader honestly when "
    "you are not sure. Avoid bullet points and long lists, prefer plain language, and remember that "
    "readers are in a hurry. Thank you for your support, your patience and your time!\n"
)
CHATTER = (
    "今天天气真好，公园里的花开得特别漂亮，散步的时候还碰到了邻居家的小狗。昨晚看的电视剧结局让人意外，"
    "楼下咖啡店新出的饮料也值得尝尝，周末想约朋友去爬山，顺便拍些照片。"
)


@pytest.mark.parametrize(
    "message",
    ["", " ", "?", "Where is the key?", "钥匙在哪里？", "When did Ana move? And to which city?"],
)
def test_a_short_message_is_taken_whole(message: str) -> None:
    assert informative(message) == message


@pytest.mark.parametrize(
    ("before", "question", "after"),
    [
        (BOILERPLATE, "When did Ana move to Berlin?", ""),
        (BOILERPLATE * 40, "When did Ana move to Berlin?", " Thanks a lot."),
        ("", "What does Marta say about the main.py rewrite?", "\n" + BOILERPLATE * 3),
        (CHATTER, "上海办公室什么时候搬家？", ""),
        (CHATTER * 3, "上海办公室什么时候搬家？", CHATTER),
    ],
)
def test_the_question_is_found_in_a_long_message(before: str, question: str, after: str) -> None:
    assert informative(before + question + after) == question


def test_two_questions_are_both_kept() -> None:
    found = informative(BOILERPLATE + "When did Ana move to Berlin? " + "Who paid for the van?")
    assert found == "When did Ana move to Berlin? Who paid for the van?"


def test_a_question_of_one_word_takes_the_sentence_before_it() -> None:
    found = informative(BOILERPLATE + "Ana moved the Berlin office to Hamburg. Why?")
    assert found == "Ana moved the Berlin office to Hamburg. Why?"


def test_without_a_question_the_first_and_the_last_sentence_say_what_is_wanted() -> None:
    lines = "".join(f"worker {n} restarted pod alpha{n} after crash loop.\n" for n in range(30))
    found = informative(f"Fix the login bug of Atlas.\n{lines}Keep the tests green.")
    assert found == "Fix the login bug of Atlas. Keep the tests green."


@given(st.text(alphabet="ab猫?.!:\n。？： ", max_size=80))
def test_sentences_cover_the_text(text: str) -> None:
    assert "".join(_sentences(text)) == text


@given(
    st.lists(st.sampled_from(["Ana moved.", "Berlin?", "预算", "什么？", "\n", " "]), max_size=60)
)
def test_what_is_kept_stands_in_the_message(parts: list[str]) -> None:
    message = "".join(parts)
    found = informative(message)
    assert "".join(found.split()) in "".join(message.split()) or "?" in found or "？" in found
    if content_words(message) <= LONG_WORDS:
        assert found == message


def test_a_question_before_or_behind_a_huge_message_is_found() -> None:
    middle = "pod alpha crashed again. " * 20_000
    assert informative(f"Who owns the Atlas pager? {middle}") == "Who owns the Atlas pager?"
    assert informative(f"{middle}Who owns the Atlas pager?") == "Who owns the Atlas pager?"


def test_sentences_without_words_cost_no_more_than_their_number() -> None:
    opening = " ".join(f"word{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(60))
    assert informative(f"{opening}. {'! ' * 28_000}deploy?").endswith("deploy?")
