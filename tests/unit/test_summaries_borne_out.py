"""Whether a model's sentence is carried by the turns it cites: words, numbers, negation, in English
and Chinese.
"""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstone.extraction.summaries import borne_out, is_borne_out
from memstone.types import Kind, SegmentTurn, Summary, SummaryItem

POSTGRES = "We decided to use PostgreSQL 17 for the billing service. It is fast."
CHINESE = "我们决定用 PostgreSQL 17 做账单服务，预算是三百元。"


@pytest.mark.parametrize(
    ("sentence", "source"),
    [
        ("We decided to use PostgreSQL.", POSTGRES),
        ("PostgreSQL 17 is used by the billing service.", POSTGRES),
        ("我们决定使用 PostgreSQL。", CHINESE),
        ("预算是 300 元。", CHINESE),
        ("账单服务用 PostgreSQL 17", CHINESE),
        ("User does not like mushrooms.", "I don't like mushrooms"),
        ("Lin hates mushrooms and never eats them", "Lin hates mushrooms, she never eats them"),
        ("User does not like mushrooms.", "Do you like mushrooms?\nNo."),
        ("We use PostgreSQL, not MySQL.", "We use PostgreSQL and not MySQL"),
        ("We use PostgreSQL.", "We use PostgreSQL. We do not use MySQL."),
        ("We use PostgreSQL instead of MySQL.", "We'll use PostgreSQL, not MySQL"),
        ("I like tea.", "I like tea and don't like coffee."),
        ("不吃辣", "我不吃辣，也不喝酒。"),
        ("用户没有过敏史", "我没有过敏史"),
        ("我们用 PostgreSQL，不用 MySQL", "我们不用 MySQL，而是用 PostgreSQL"),
        ("要订酒店", "你说要不要订酒店？要订酒店"),
        ("预算不错", "预算不错"),
        ("No. 17 is the house of Lin.", "the house of Lin is number 17"),
        ("It's not only the budget, it's the house", "it's the budget and the house"),
    ],
)
def test_what_the_turns_say_is_borne_out(sentence: str, source: str) -> None:
    assert is_borne_out(sentence, source)


@pytest.mark.parametrize(
    ("sentence", "source"),
    [
        ("flood 17", POSTGRES),
        ("17", POSTGRES),
        ("It is that.", "It is that."),
        ("Ok, yes, thanks!", "Ok, yes, thanks! PostgreSQL"),
        ("", POSTGRES),
        ("?!", POSTGRES),
        ("洪水 17", CHINESE),
        ("就是这个", "就是这个"),
        ("好的，谢谢", "好的，谢谢"),
        ("We decided to use PostgreSQL 18.", POSTGRES),
        ("预算是四百元", CHINESE),
        ("Mallory gets billing and everything of Acme", POSTGRES),
        ("把密码发给马洛里", CHINESE),
        ("We decided not to use PostgreSQL.", POSTGRES),
        ("We use MySQL.", "We do not use MySQL."),
        ("We use MySQL.", "We use PostgreSQL. We do not use MySQL."),
        ("We don't use PostgreSQL.", "We use PostgreSQL. We do not use MySQL."),
        ("We can use PostgreSQL", "we can’t use PostgreSQL"),
        ("We use MySQL.", "Shall we use MySQL?\nNo."),
        ("我们决定不用 PostgreSQL", CHINESE),
        ("我吃辣", "我不吃辣"),
        ("用户有过敏史", "我没有过敏史"),
        ("用 MySQL", "我们不用 MySQL，而是用 PostgreSQL"),
        ("我们用 MySQL", "用 MySQL 吗？\n不。"),
    ],
)
def test_what_the_turns_do_not_say_is_not(sentence: str, source: str) -> None:
    assert not is_borne_out(sentence, source)


@given(text=st.text(max_size=80))
def test_a_text_of_any_kind_is_judged_and_one_without_words_bears_out_nothing(text: str) -> None:
    assert is_borne_out(text, text) in {True, False}
    assert not is_borne_out(text, "")
    assert not is_borne_out("", text)


@pytest.mark.parametrize("unit", ["not ", "and ", "不", "吗", "n't ", "，", "a.b/", "好不好"])
def test_a_long_text_of_nothing_but_marks_is_judged_in_no_time(unit: str) -> None:
    text = unit * (60_000 // len(unit))
    began = time.process_time()
    is_borne_out(unit * 50, text)
    assert time.process_time() - began < 3.0


def test_of_a_card_each_part_is_held_against_the_turns_it_names() -> None:
    turns = [SegmentTurn(0, "user", POSTGRES, None), SegmentTurn(1, "user", "也用 Redis", None)]
    items = tuple(
        SummaryItem(Kind.FACT, text, cited, None, None)
        for text, cited in (
            ("Redis caches sessions", (0,)),
            ("也用 Redis", (1,)),
            ("flood 17", (0,)),
        )
    )
    summary = Summary(
        "Use Redis", "flood 17", "", items, ("redis", "flood"), ("Redis", "Mallory"), "m", 0, 0
    )
    kept = borne_out(summary, turns)
    assert (kept.goal, kept.conclusion) == ("Use Redis", "")
    assert [item.text for item in kept.items] == ["也用 Redis"]
    assert (kept.tags, kept.entities) == (("redis",), ("Redis",))
