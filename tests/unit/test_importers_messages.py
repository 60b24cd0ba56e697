"""Message arrays (finding L7): the commonest chat files are read as they are."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memstone
from memstone.errors import SourceError
from memstone.importers import read
from memstone.times import parse_time
from memstone.types import Skipped, Trust, Turn

if TYPE_CHECKING:
    from pathlib import Path

    from memstone.importers import Entry

ASKED = {"role": "user", "content": "我的猫叫什么名字？"}
ANSWERED = {"role": "assistant", "content": [{"type": "text", "text": "Your cat is called Miu."}]}
TALK = [{"role": "system", "content": "Be brief."}, ASKED, ANSWERED]


def entries(value: object, *, indent: int | None = None) -> list[Entry]:
    data = value if isinstance(value, str) else json.dumps(value, indent=indent)
    reading = read(io.BytesIO(data.encode()))
    assert reading.format == "messages"
    return list(reading)


def told(found: list[Entry]) -> list[tuple[str, str | None, int | None]]:
    return [(one.text, one.session, one.ordinal) for one in found if isinstance(one, Turn)]


def reasons(found: list[Entry]) -> list[tuple[int, str, bool]]:
    return [(one.line, one.reason, one.bad) for one in found if isinstance(one, Skipped)]


@pytest.mark.parametrize("indent", [None, 0, 2])
@pytest.mark.parametrize("shape", ["array", "object"])
def test_l7_messages_of_a_chat_program_are_turns(shape: str, indent: int | None) -> None:
    found = entries(TALK if shape == "array" else {"model": "x", "messages": TALK}, indent=indent)
    assert told(found) == [
        ("我的猫叫什么名字？", "stream-1", 2),
        ("Your cat is called Miu.", "stream-1", 3),
    ]
    trusts = [one.trust for one in found if isinstance(one, Turn)]
    assert trusts == [Trust.USER, Trust.AGENT]
    assert reasons(found) == [(1, "role: system prompts are instructions, not conversation", False)]


def test_l7_an_array_with_one_message_a_line_is_one_conversation() -> None:
    lines = ",\n".join(map(json.dumps, (ASKED, ASKED)))
    assert [ordinal for *_, ordinal in told(entries(f"[\n{lines}\n]\n"))] == [1, 2]


def test_l7_a_conversation_a_line_is_a_session_a_line() -> None:
    lines = [{"messages": TALK}, {"messages": [ASKED], "id": "后来"}, {"messages": [ASKED]}]
    found = entries("\n".join(map(json.dumps, lines)))
    assert [session for _, session, _ in told(found)] == [
        "stream-1",
        "stream-1",
        "后来",
        "stream-3",
    ]


def test_l7_several_conversations_of_one_file_are_several_sessions() -> None:
    found = entries([{"messages": TALK}, {"thread_id": 7, "messages": [ASKED]}])
    assert [(session, ordinal) for _, session, ordinal in told(found)] == [
        ("stream-1", 2),
        ("stream-1", 3),
        ("7", 1),
    ]


def test_l7_turns_in_an_array_may_name_their_own_session_and_time() -> None:
    found = entries([{**ASKED, "session": "s1", "at": "2026-03-01"}, {**ASKED, "session": "s2"}])
    assert [(s, n) for _, s, n in told(found)] == [("s1", 1), ("s2", 1)]
    (first, _) = found
    assert isinstance(first, Turn)
    assert first.at == parse_time("2026-03-01")


@pytest.mark.parametrize("stamp", [1_772_323_200, 1_772_323_200_000, "2026-03-01T00:00:00Z"])
def test_l7_a_message_without_a_time_has_that_of_its_conversation(stamp: object) -> None:
    found = entries({"created_at": stamp, "messages": [ASKED, {**ASKED, "at": "2026-03-02"}]})
    times = [one.at for one in found if isinstance(one, Turn)]
    assert times == [parse_time("2026-03-01"), parse_time("2026-03-02")]


def test_l7_a_tool_call_is_left_out_and_its_result_is_kept() -> None:
    call = {"role": "assistant", "content": None, "tool_calls": [{"id": "c1"}]}
    result = {"role": "tool", "tool_call_id": "c1", "content": "晴 21 degrees"}
    found = entries([ASKED, call, result])
    assert [text for text, *_ in told(found)] == ["我的猫叫什么名字？", "晴 21 degrees"]
    assert reasons(found) == [(2, "content: none, only a tool call", False)]


def test_l7_a_bad_message_is_named_by_its_number_and_stops_no_other() -> None:
    found = entries([ASKED, 5, {"role": "user"}, {"content": "nobody 无人"}, ASKED])
    assert [(line, bad) for line, _, bad in reasons(found)] == [(2, True), (3, True), (4, True)]
    assert len(told(found)) == 2


def test_l7_a_damaged_line_is_named_and_stops_no_other() -> None:
    lines = [json.dumps({"messages": [ASKED]}), "{cut", '{"other": 1}', json.dumps([ASKED])]
    found = entries("\n".join(lines))
    assert [line for line, *_ in reasons(found)] == [2, 3]
    assert [session for _, session, _ in told(found)] == ["stream-1", "stream-4"]


@pytest.mark.parametrize(
    "value", ['[{"role": "user", "content": "cut', '[{"author": {"role": "user"}}]']
)
def test_l7_an_array_that_is_cut_off_or_of_another_kind_is_refused(value: str) -> None:
    with pytest.raises(SourceError):
        entries(value)


def test_l7_text_is_as_good_a_name_as_content() -> None:
    reading = read(io.BytesIO(json.dumps({"role": "user", "text": "早上好"}).encode()))
    assert reading.format == "chat"
    assert told(list(reading)) == [("早上好", "stream", 1)]


def test_l7_importing_the_file_again_changes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "talk.json"
    file.write_text(json.dumps({"messages": TALK}, indent=2), encoding="utf-8")
    with memstone.open(tmp_path / "home") as engine:
        first = engine.import_file(file)
        again = engine.import_file(file)
        assert (first.created, first.format, again.created, again.known) == (2, "messages", 0, 2)
        assert [hit.text for hit in engine.recall("what is my cat called?")] == [
            "Your cat is called Miu."
        ]


@given(st.lists(st.text(min_size=1).filter(str.strip), min_size=1, max_size=8))
def test_l7_every_text_of_an_array_comes_through_whole(texts: list[str]) -> None:
    found = entries([{"role": "user", "content": text} for text in texts])
    assert [text for text, *_ in told(found)] == texts


@pytest.mark.parametrize("by_line", [True, False])
def test_a_file_that_grows_keeps_the_names_of_its_conversations(by_line: bool) -> None:
    first, second = {"messages": TALK}, {"messages": [ANSWERED]}

    def written(*conversations: object) -> list[Entry]:
        if by_line:
            return entries("\n".join(map(json.dumps, conversations)))
        return entries(list(conversations))

    assert told(written(first, second))[: len(told(written(first)))] == told(written(first))


@pytest.mark.parametrize("bad", [None, {"role": "user", "content": "b", "session": {"x": 1}}, 5])
def test_a_message_that_is_repaired_leaves_the_others_their_places(bad: object) -> None:
    repaired = {"role": "user", "content": "b"}
    before, after = (told(entries([ASKED, one, ANSWERED])) for one in (bad, repaired))
    assert [one for one in after if one[0] != "b"] == before


def test_a_damaged_first_line_costs_only_itself() -> None:
    lines = ["bro", *map(json.dumps, [{"messages": [ASKED]}, {"messages": [ANSWERED]}])]
    found = entries("\n".join(lines))
    assert len(told(found)) == 2
    assert [one.line for one in found if isinstance(one, Skipped)] == [1]
