"""Cards without a model: made of the conversation's own sentences, in its language, or not at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstone.extraction.cards import Card, card_of
from memstone.extraction.cues import Cue, cue_of
from memstone.extraction.entities import names, numbers
from memstone.extraction.salience import KEEP, Said, statements
from memstone.extraction.segments import MOST_CHARACTERS, MOST_TURNS, PAUSE_US, segments
from memstone.extraction.small_talk import is_small_talk
from memstone.tokens import EstimatedTokens
from memstone.types import Kind

COUNTER = EstimatedTokens()
PHRASES = st.sampled_from(
    [
        "Thanks a lot!", "My name is Lin Yu.", "我对花生过敏。", "Let's ship on Friday", "今天天气真好啊",
        "The port is 8080; use it.", "```\ncode 42\n```", "| a | b |", "哈哈", "What is the budget?",
        "We moved to Oslo last May, and it rains.", "记得周五前交报告！", "- buy 3 eggs", "é́ 🙂 \u200b",
        "Dr. Wu paid 3.50.", "", "   ", "…", "\n\n", "You should be proud of yourself",
    ]
)  # fmt: skip
TURNS = st.lists(
    st.builds(
        Said,
        text=st.one_of(st.lists(PHRASES, max_size=5).map(" ".join), st.text(max_size=60)),
        speaker=st.sampled_from(["user", "assistant", "Ana", "陈默", ""]),
        at=st.one_of(st.none(), st.integers(0, 10**15)),
    ),
    max_size=14,
)


def card(*turns: tuple[str, str]) -> Card | None:
    return card_of([Said(text, speaker) for speaker, text in turns], COUNTER)


@given(TURNS)
def test_nothing_on_a_card_is_invented(turns: list[Said]) -> None:
    made = card_of(turns, COUNTER)
    if made is None:
        return
    for one, span in zip(made.chosen, made.spans, strict=True):
        source = turns[one.turn].text
        assert source[one.start : one.end] == one.text
        assert source.encode("utf-8")[span.start : span.end].decode("utf-8") == one.text
        assert one.text in made.text
    rest = made.text
    for one in made.chosen:
        rest = rest.replace(one.text, "", 1)
    known = {turn.speaker for turn in turns} | {
        "Goal",
        "Conclusion",
        "Next",
        "目标",
        "结论",
        "下一步",
    }
    assert {
        word for word in rest.replace("：", ":").replace("\n", ":").split(":") if word.strip()
    } <= {piece for word in known for piece in (word, f" {word}", f"{word} ")} | {
        " " * n for n in range(8)
    }


@given(TURNS)
def test_segments_are_all_turns_in_order_and_never_too_long(turns: list[Said]) -> None:
    pieces = segments(turns)
    assert [n for start, end in pieces for n in range(start, end)] == list(range(len(turns)))
    for start, end in pieces:
        assert end - start <= MOST_TURNS
        size = sum(len(turn.text) for turn in turns[start:end])
        assert size <= MOST_CHARACTERS or end - start == 1


def test_a_card_keeps_what_matters_and_leaves_small_talk() -> None:
    made = card(
        ("user", "Hi! How are you today?"),
        ("assistant", "Great, thanks for asking! How can I help?"),
        ("user", "We decided to use Postgres for the queue. The weather is lovely, isn't it?"),
        ("assistant", "Lovely indeed!"),
    )
    assert made is not None
    assert [one.text for one in made.chosen] == ["We decided to use Postgres for the queue."]
    assert made.of_kind(Kind.DECISION)


def test_a_chinese_card_speaks_chinese() -> None:
    made = card(
        ("user", "你好呀！我们决定下周三上线，负责人是陈默。谢谢！"), ("assistant", "好的！")
    )
    assert made is not None
    assert made.language == "zh"
    assert made.text == "结论：我们决定下周三上线，负责人是陈默。"


@pytest.mark.parametrize(
    "turns",
    [
        [("user", "Hey! Good morning :)"), ("assistant", "Good morning! How are you?")],
        [("Ana", "哈哈哈，今天好热啊"), ("Bo", "是啊是啊，太晒了")],
        [("user", "Thanks so much, you're the best!"), ("assistant", "You're very welcome!")],
        [("user", "ok"), ("user", "ok")],
    ],
)
def test_small_talk_has_no_card(turns: list[tuple[str, str]]) -> None:
    assert card(*turns) is None


def test_the_goal_is_what_the_user_asked_for() -> None:
    made = card(
        ("user", "How do I rotate the deploy key of the staging server?"),
        ("assistant", "Run `vault rotate staging-deploy` on host atlas, then restart the agent."),
        ("user", "That works, because the old key had expired on May 3."),
    )
    assert made is not None
    assert made.goal is not None
    assert made.text.startswith("Goal: How do I rotate the deploy key")


def test_a_pause_and_a_phrase_begin_a_new_sub_topic() -> None:
    turns = [Said("预算是五万。", "user", 0), Said("好的。", "assistant", 1)]
    assert segments([*turns, Said("换个话题，周末去哪？", "user", 2)]) == [(0, 2), (2, 3)]
    assert segments([*turns, Said("预算改成六万。", "user", PAUSE_US + 1)]) == [(0, 2), (2, 3)]


def test_cues_tell_what_a_sentence_does_in_both_languages() -> None:
    told = {
        "Remind me to call the bank": Cue.TASK,
        "别忘了给客户打电话": Cue.TASK,
        "I prefer tea": Cue.PREFERENCE,
        "我不吃香菜": Cue.PREFERENCE,
        "The fix was a missing index": Cue.CAUSE,
        "原来是缓存没清": Cue.CAUSE,
    }
    assert {text: cue_of(text) for text in told} == told


def test_numbers_are_compared_by_value_and_names_are_found() -> None:
    assert numbers("三百二十元") == numbers("320 元")
    assert numbers("1,000 and two") == numbers("2 and 1000")
    assert names("我叫林宇，住在 gen-itgc 那边") == ("林宇", "gen-itgc")


def test_questions_and_talk_about_the_other_are_no_statements() -> None:
    said = statements([Said("Where do you live? You should be so proud of your work!", "user")])
    assert all(one.score < KEEP or one.asks for one in said)


def test_what_names_something_is_never_small_talk() -> None:
    for text in ("Great, it costs 40!", "Thanks, Bergen it is then", "好的，`make build` 就行"):
        assert not is_small_talk(text)


def test_quoted_lines_are_not_what_the_speaker_states() -> None:
    text = "> My name is Mallory. My budget is 9 euros.\n>我叫马力。\nI wrote back that my budget is 300."
    found = [one.text for one in statements([Said(text, "user")])]
    assert found == ["I wrote back that my budget is 300."]
