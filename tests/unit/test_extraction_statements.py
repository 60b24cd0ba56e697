"""Assertions, claims and likeness: what two texts say of the same thing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstone.extraction import english, mandarin
from memstone.extraction.assertions import FRAME, NAMED, assertions
from memstone.extraction.claims import Said, claims, plural_key
from memstone.extraction.likeness import SAME, near_duplicates, similarity, union

TEXTS = st.one_of(
    st.text(max_size=80),
    st.lists(
        st.sampled_from(
            [
                "Ana",
                "pays",
                "Ben",
                "20",
                "euros",
                "on",
                "Friday",
                "not",
                "不",
                "预算",
                "是",
                "100",
                "元",
                "the",
                "my",
                "is",
                "budget",
                "from",
                "Oslo",
                "to",
            ]
        ),
        max_size=12,
    ).map(" ".join),
)


def plain(text: str) -> list[tuple[str, str, str]]:
    told = assertions(text)
    read = [a for a in told if a.attribute.split()[0] not in {"holds", FRAME, NAMED}]
    return [(a.subject, a.attribute, a.value) for a in read]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("My name is Lin Yu", "No, actually my name is Lin Song."),
        ("我叫林宇", "更正一下，我的名字是林松"),
        ("My name is Lin Yu", "我叫林松"),
        ("My budget is 100", "As of today my budget is now 200 euros"),
        ("预算上限 100 元", "预算上限改成 200 元"),
        ("The API port is 8080", "The API port has been changed to 9090"),
        ("I live in Oslo", "I moved from Oslo to Bergen last May"),
        ("我住在上海", "我上周从上海搬到杭州了"),
        ("The user lives in Oslo", "I live in Bergen now"),
    ],
)
def test_two_statements_of_one_attribute_have_one_key_and_two_values(
    first: str, second: str
) -> None:
    (one,), (other,) = plain(first), plain(second)
    assert one[:2] == other[:2]
    assert one[2] != other[2]


@pytest.mark.parametrize(
    "text",
    [
        "If I moved to Oslo, my budget would be 100.",
        "Maybe my name is Lin.",
        "She said my budget is 100",
        "What is my budget?",
        "I used to live in Oslo",
        "I want to move to Oslo",
        '"My name is Lin," he wrote',
        "要是我搬到上海，预算就是五万",
        "他说我的预算是五万",
        "我以前住在上海",
        "我打算搬到上海",
        "我的预算是多少？",
    ],
)
def test_what_is_supposed_quoted_asked_past_or_planned_asserts_nothing(text: str) -> None:
    assert plain(text) == []


def test_other_people_are_subjects_of_their_own() -> None:
    ((subject, attribute, _),) = plain("My brother's name is Tom")
    assert (subject, attribute) == ("user brother", "name")
    assert plain("My name is Tom")[0][0] == "user"


def test_several_values_at_once_claim_nothing() -> None:
    given = Said("a cat 猫", subject="Ana", attribute="Pets")
    assert claims(given, {plural_key("pet")}) == ()
    assert claims(given) != ()


@given(TEXTS)
def test_reading_a_text_never_fails(text: str) -> None:
    for one in assertions(text):
        assert one.subject
        assert one.value


@given(TEXTS, TEXTS)
def test_similarity_is_symmetric_and_within_its_range(one: str, other: str) -> None:
    assert similarity(one, other) == similarity(other, one)
    assert 0.0 <= similarity(one, other) <= 1.0
    assert similarity(one, one) == 1.0


@given(TEXTS, TEXTS)
def test_what_two_near_duplicates_say_together_holds_both(one: str, other: str) -> None:
    if near_duplicates(one, other):
        both = union(one, other)
        assert similarity(both, one) > SAME
        assert similarity(both, other) > SAME


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("budget 100", "budget 200"),
        ("Ana pays Ben", "Ben pays Ana"),
        ("We deploy on Thursday", "We deploy on Friday"),
        ("从北京飞上海", "从上海飞北京"),
        ("周三开会", "周四开会"),
        ("I eat meat", "I don't eat meat"),
        ("我吃肉", "我不吃肉"),
        ("Turn the heating on at night", "Turn the heating off at night"),
        ("The build needs 二十 minutes", "The build needs 二十二 minutes"),
    ],
)
def test_a_changed_number_name_day_direction_or_negation_is_no_duplicate(
    one: str, other: str
) -> None:
    assert similarity(one, other) < SAME


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The user prefers dark mode.", "user prefers dark mode"),
        ("On Fridays she swims", "She swims on Fridays"),
        ("预算上限 100 元", "预算上限１００元。"),
        ("他喜欢喝茶", "他喜欢喝茶的呀"),
    ],
)
def test_the_same_words_in_other_clothes_are_a_duplicate(one: str, other: str) -> None:
    assert similarity(one, other) > SAME


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The key is under the mat.", "The spare key is under the mat."),
        ("The API accepts JSON.", "The admin API accepts JSON."),
        ("Send the report to Maria.", "Send the report to Maria's assistant."),
        ("Backups run every hour.", "Backups run every other hour."),
        ("He lent the drill to her.", "She lent the drill to him."),
        ("她把书借给了他。", "他把书借给了她。"),
        ("我们支持安卓。", "我们曾经支持安卓。"),
        ("房租由父母付。", "房租一半由父母付。"),
        ("把报告发给小王。", "把报告发给小王的助理。"),
    ],
)
def test_a_word_put_in_makes_another_statement(first: str, second: str) -> None:
    assert not near_duplicates(first, second)
    assert not near_duplicates(second, first)


@pytest.mark.parametrize(
    ("first", "second", "keys"),
    [
        ("The standup is at 9:30.", "The standup is on Mondays.", ("time", "day")),
        ("例会在周三。", "例会在下午三点。", ("day", "time")),
    ],
)
def test_a_day_and_a_time_are_two_attributes(
    first: str, second: str, keys: tuple[str, str]
) -> None:
    readers = (mandarin if "会" in first else english).read
    found = tuple(one.attribute for text in (first, second) for one in readers(text))
    assert found == keys
