"""What a model answers is taken by its shape only: nothing it can write raises anything else than
`SummaryInvalid`, passes a limit, or takes long.
"""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstone.errors import SummaryInvalid
from memstone.summarization import schema
from memstone.summarization.schema import parse, summary_of
from memstone.types import Kind, Summary

TURNS = 3
FIELDS = ("goal", "conclusion", "next_action", "items", "tags", "entities")
ITEM = {"kind": "fact", "text": "预算是 300 元", "turns": [0]}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)
HOSTILE_ITEMS = st.fixed_dictionaries(
    {},
    optional={
        "kind": st.sampled_from([kind.value for kind in Kind]) | JSON,
        "text": st.text(max_size=900) | JSON,
        "turns": st.lists(st.integers(-3, 6) | JSON, max_size=6) | JSON,
        "subject": st.text(max_size=120) | JSON,
        "attribute": st.text(max_size=120) | JSON,
    },
)
ANSWERS = st.dictionaries(
    st.sampled_from((*FIELDS, "other")), JSON | st.lists(HOSTILE_ITEMS, max_size=5), max_size=7
)


def taken(value: object, tokens: tuple[int, int] = (0, 0)) -> Summary:
    return summary_of(value, turns=TURNS, producer="test", tokens=tokens)


def items(*values: Any) -> list[str]:
    return [item.text for item in taken({"items": list(values)}).items]


@given(answer=ANSWERS)
def test_whatever_a_model_answers_is_a_summary_within_the_limits_or_refused(answer: object) -> None:
    try:
        summary = taken(answer)
    except SummaryInvalid:
        return
    texts = [summary.goal, summary.conclusion, summary.next_action]
    texts += [item.text for item in summary.items]
    words = [*summary.tags, *summary.entities]
    words += [word for item in summary.items for word in (item.subject, item.attribute) if word]
    assert len(summary.items) <= schema.MOST_ITEMS
    assert all(len(text) <= schema.MOST_CHARACTERS for text in texts)
    assert all(0 < len(word) <= schema.MOST_NAME_CHARACTERS for word in words)
    assert all(0 <= number < TURNS for item in summary.items for number in item.turns)
    assert all(item.text and item.turns and item.kind in schema.KINDS for item in summary.items)
    for text in (*texts, *words):
        assert text.encode("utf-8").decode("utf-8") == " ".join(text.split())


@given(value=JSON)
def test_what_is_no_card_at_all_is_refused(value: object) -> None:
    if isinstance(value, dict) and set(value) & set(FIELDS):
        return
    with pytest.raises(SummaryInvalid):
        taken(value)


def test_an_answer_of_another_shape_is_no_empty_card() -> None:
    others: list[object] = [{}, {"summary": "预算是 300 元"}, {"error": "busy"}, [], "goal", None]
    for other in others:
        with pytest.raises(SummaryInvalid):
            taken(other)
    assert taken({"goal": ""}).items == ()  # nothing matters: said so by a field of a card


@pytest.mark.parametrize(
    "wrong",
    [
        {"goal": 3}, {"goal": ["x"]}, {"conclusion": {"text": "x"}}, {"items": {"0": ITEM}},
        {"items": "none"}, {"tags": "预算"}, {"entities": {"Lin": 1}}, {"items": 10**40},
    ],
)  # fmt: skip
def test_a_field_of_another_type_refuses_the_answer(wrong: object) -> None:
    with pytest.raises(SummaryInvalid):
        taken(wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        None, "text", [ITEM], {}, {**ITEM, "kind": "persona"}, {**ITEM, "kind": ["fact"]},
        {**ITEM, "kind": {}}, {**ITEM, "kind": None}, {**ITEM, "text": " \u200b\n"},
        {**ITEM, "text": 300}, {**ITEM, "turns": []}, {**ITEM, "turns": [TURNS]},
        {**ITEM, "turns": [-1]}, {**ITEM, "turns": ["0"]}, {**ITEM, "turns": [True]},
        {**ITEM, "turns": [0.0]}, {**ITEM, "turns": [[0]]}, {**ITEM, "turns": "0"},
        {**ITEM, "turns": 0},
    ],
)  # fmt: skip
def test_an_item_that_is_none_is_dropped_and_the_others_stay(wrong: object) -> None:
    assert items(wrong, ITEM) == ["预算是 300 元"]


def test_turns_that_do_not_exist_are_not_cited() -> None:
    (item,) = taken({"items": [{**ITEM, "turns": [7, 2, -1, 2, 0, 10**30]}]}).items
    assert item.turns == (2, 0)


def test_ten_thousand_items_and_words_are_cut_to_the_limits() -> None:
    summary = taken(
        {
            "goal": "长" * 100_000,
            "items": [{**ITEM, "text": f"预算是 {n} 元"} for n in range(10_000)],
            "tags": [f"tag{n}" for n in range(10_000)],
            "entities": [[], {}, None, "x" * 5_000, "林雨", "林雨"],
        }
    )
    assert len(summary.goal) == schema.MOST_CHARACTERS
    assert (len(summary.items), len(summary.tags)) == (schema.MOST_ITEMS, schema.MOST_WORDS)
    assert summary.entities == ("林雨",)


def test_hidden_characters_and_line_ends_do_not_come_through() -> None:
    summary = taken({"goal": "a\x00b\u202e\n\nc\ud800 \x1b[31m林\u200b雨", "tags": ["预\n算"]})
    assert (summary.goal, summary.tags) == ("ab c\ufffd 林雨", ("预 算",))
    assert taken({"next_action": "\u202e\x00\x1b[2J"}).next_action == ""


def test_a_subject_that_is_no_name_is_left_out() -> None:
    (item,) = taken({"items": [{**ITEM, "subject": "林雨", "attribute": "x" * 81}]}).items
    assert (item.subject, item.attribute) == ("林雨", None)
    (item,) = taken({"items": [{**ITEM, "subject": ["林雨"], "attribute": ""}]}).items
    assert (item.subject, item.attribute) == (None, None)


def test_token_counts_that_a_server_claims_have_bounds() -> None:
    summary = taken({"goal": "x"}, tokens=(10**4000, -5))
    assert (summary.input_tokens, summary.output_tokens) == (schema.MOST_COUNTED, 0)


CARD = json.dumps({"goal": "要一台相机 {300}", "items": []}, ensure_ascii=False)


@pytest.mark.parametrize(
    "text",
    [
        CARD,
        f"  \n{CARD}\n",
        f"```json\n{CARD}\n```",
        f"Here is the card:\n```\n{CARD}\n```\nAnything else?",
        f"<think>the user {{wants}} a camera</think>\n{CARD}",
        f"the template opened the thought {{x}} </think>{CARD}",
        '<think>{"goal": "a draft"}</think>' + CARD,
        f"<THINK>\n</THINK>\n```json\n{CARD}",
        f"As {{asked}}, {{}} and [1]: {CARD} – 好了",
        '{"note": {"goal": "inner"}} ' + CARD,
    ],
)
def test_a_card_is_found_in_whatever_stands_around_it(text: str) -> None:
    assert parse(text) == json.loads(CARD)


def test_a_card_that_quotes_the_mark_of_a_thought_is_whole() -> None:
    card = {"goal": "explain </think> {}", "items": []}
    assert parse(json.dumps(card)) == card


@pytest.mark.parametrize(
    "text",
    [
        "", "I'm sorry, I can't.", "{", "[]", "null", '"goal"', "{}", '{"goal": "x"',
        '{"goal": "x", "items": [{"kind": "fact", "text": "预算"}', "{'goal': 'x'}",
        '[[{"kind": "fact", "text": "预算", "turns": [0]}]]', '{"goal": ' + "9" * 5_000 + "}",
    ],
)  # fmt: skip
def test_a_text_without_a_whole_card_is_refused(text: str) -> None:
    with pytest.raises(SummaryInvalid):
        parse(text)


@pytest.mark.parametrize(
    "unit",
    ["<think>", "</think>", "```{", "```{}", "{", "}", '{"a":', '{"goal":', "[", '{"', "{}", "\\"],
)
def test_a_long_text_of_nothing_but_marks_is_refused_in_no_time(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    began = time.process_time()
    with pytest.raises(SummaryInvalid):
        parse(text)
    assert time.process_time() - began < 2.0  # a pattern once took 26 s for a quarter of it
