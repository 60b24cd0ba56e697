"""The export of Claude.ai: what was said, in its order and its branch; memories as notes."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstone.errors import SourceError
from memstone.importers import read
from memstone.times import parse_time
from memstone.types import MAX_TEXT_BYTES, NOTES_NAME, Kind, Note, Skipped, Trust, Turn

if TYPE_CHECKING:
    from memstone.importers import Entry

AT = "2026-11-20T08:00:00.000000Z"
ROOT = "00000000-0000-4000-8000-000000000000"
NOTES = (
    f'<{NOTES_NAME} id="00112233445566aa">\nNotes.\n'
    f'- [2026-04-01, fact, from cli, trust user, mem_00000000] 按钮是蓝色的\n</{NOTES_NAME} id="00112233445566aa">'
)
SECRET = "sk-ant-" + "not-a-key-" * 4


def said(
    sender: str, text: object, key: str = "m", parent: str = ROOT, **more: object
) -> dict[str, Any]:
    """A message as the service writes it."""
    return {
        "uuid": key,
        "text": text,
        "content": [{"type": "text", "text": text, "citations": []}],
        "sender": sender,
        "created_at": AT,
        "updated_at": AT,
        "attachments": [],
        "files": [],
        "parent_message_uuid": parent,
        **more,
    }


def conversation(*messages: object, **more: object) -> dict[str, Any]:
    whole = {
        "uuid": "c-1",
        "name": "标题",
        "summary": "",
        "created_at": AT,
        "account": {"uuid": "a"},
    }
    return {**whole, "chat_messages": list(messages), **more}


def chain(*texts: str) -> list[dict[str, Any]]:
    """Messages that answer one another, in turns."""
    keys = [ROOT, *(f"m{number}" for number in range(1, len(texts) + 1))]
    senders = ("human", "assistant")
    return [said(senders[n % 2], text, keys[n + 1], keys[n]) for n, text in enumerate(texts)]


def entries(*conversations: object, lines: bool = False, **options: Any) -> list[Entry]:
    if lines:
        data = "\n".join(json.dumps(one, **options) for one in conversations)
    else:
        data = json.dumps(list(conversations), **options)
    return list(read(io.BytesIO(data.encode()), "claude-ai"))


def turns(found: list[Entry]) -> list[Turn]:
    return [entry for entry in found if isinstance(entry, Turn)]


def texts(found: list[Entry]) -> list[str]:
    return [turn.text for turn in turns(found)]


def notes(found: list[Entry]) -> list[Note]:
    return [entry for entry in found if isinstance(entry, Note)]


def reports(found: list[Entry]) -> list[str]:
    return [entry.reason for entry in found if isinstance(entry, Skipped)]


def bad(found: list[Entry]) -> list[tuple[int, str]]:
    return [(one.line, one.reason) for one in found if isinstance(one, Skipped) and one.bad]


# -- turns


def test_a_message_becomes_a_turn_with_its_time_id_session_and_trust() -> None:
    uuid = "0a1b2c3d-0000-4000-8000-00000000000f"
    found = entries(
        conversation(said("human", "预算 200 元", uuid), said("assistant", "好的", "m2", uuid))
    )
    assert found[0] == Turn(
        text="预算 200 元",
        speaker="user",
        session="c-1",
        at=parse_time(AT),
        external_id=uuid,
        unique_id=True,
        ordinal=1,
        trust=Trust.USER,
    )
    assert isinstance(found[1], Turn)
    assert (found[1].speaker, found[1].trust, found[1].unique_id) == (
        "assistant",
        Trust.AGENT,
        False,
    )
    assert len(found) == 2


def test_text_blocks_count_when_tools_or_thinking_stand_beside_them() -> None:
    placeholder = "```\nThis block is not supported on your current device yet.\n```"
    blocks = [
        {"type": "thinking", "thinking": "嗯"},
        {"type": "text", "text": "我查一下。"},
        {"type": "tool_use", "name": "search", "input": {"uuid": "x", "name": "y"}},
        {"type": "tool_result", "content": [{"type": "text", "text": "结果"}], "text": "结果"},
        {"type": "text", "text": "查到了:蓝色。"},
    ]
    only_tools = [{"type": "tool_use", "name": "search", "input": {}}]
    found = entries(
        conversation(
            said("assistant", f"我查一下。\n{placeholder}\n查到了", content=blocks),
            said("assistant", placeholder, "m2", "m", content=only_tools),
        )
    )
    assert texts(found) == ["我查一下。\n查到了:蓝色。"]
    assert reports(found) == [
        "4 blocks left out: reasoning, calls of tools and the like",
        "1 message left out: nothing but reasoning and calls of tools",
    ]
    assert bad(found) == []


@pytest.mark.parametrize(
    "content", [None, [], "x", [{"type": "flag"}], [{"type": "text", "text": ""}]]
)
def test_without_text_blocks_the_text_counts(content: object) -> None:
    assert texts(entries(conversation(said("human", "只有这个", content=content)))) == ["只有这个"]


def test_a_text_that_stands_only_in_the_blocks_is_read() -> None:
    blocks = [{"type": "text", "text": "第一段"}, {"type": "voice_note", "text": "第二段"}]
    assert texts(entries(conversation(said("human", "", content=blocks)))) == ["第一段\n第二段"]


def test_attachments_and_files_are_left_out_and_counted() -> None:
    pasted = {"file_name": "b.txt", "extracted_content": "很长的预算表"}
    files = [{"file_name": "p.png"}, {"file_name": "q.png"}]
    found = entries(conversation(said("human", "看看", attachments=[pasted], files=files)))
    assert texts(found) == ["看看"]
    assert reports(found) == [
        "1 attached document left out: not what somebody said",
        "2 attached files left out: not what somebody said",
    ]


def test_a_message_that_is_none_is_reported_by_its_place_and_the_others_keep_theirs() -> None:
    for broken in (None, "text", said("human", 7, content=None), said("human", [], content={})):
        found = entries(conversation(said("human", "一"), broken, said("human", "三", "m3")))
        assert [(turn.text, turn.ordinal) for turn in turns(found)] == [("一", 1), ("三", 3)]
        ((number, reason),) = bad(found)
        assert number == 1
        assert reason.startswith("message 2: ")


def test_a_conversation_that_is_none_never_stops_the_others() -> None:
    good = conversation(said("human", "好"))
    found = entries({"uuid": "x"}, good, 7, {"chat_messages": {}}, good, conversation())
    assert texts(found) == ["好", "好"]
    assert [number for number, _ in bad(found)] == [1, 3, 4]


def test_times_senders_and_ids_that_are_missing_or_odd_lose_no_turn() -> None:
    found = entries(
        conversation(
            said("human", "一", created_at=None),
            said("Human", "二", created_at="2026-11-20T09:00:00Z"),
            said("bot", "三", created_at="yesterday"),
            said("", "四", "x" * 2_000),
            uuid=None,
        )
    )
    hour = parse_time("2026-11-20T09:00:00Z")
    assert [turn.at for turn in turns(found)] == [parse_time(AT), hour, hour, parse_time(AT)]
    assert [turn.speaker for turn in turns(found)] == ["user", "user", "bot", "unknown"]
    assert turns(found)[2].trust is Trust.EXTERNAL
    assert [turn.external_id for turn in turns(found)] == ["m", None, None, None]
    assert {turn.session for turn in turns(found)} == {"stream-1"}
    assert [reason[:16] for _, reason in bad(found)] == ["message 3: time:"]


def test_nothing_reported_repeats_a_text() -> None:
    found = entries(
        conversation(said("human", [SECRET], content=SECRET), uuid=[SECRET], created_at=SECRET),
        {SECRET: SECRET},
        {"conversations_memory": [SECRET], "project_memories": SECRET},
        conversation(said("human", "x", created_at=SECRET, attachments=[SECRET])),
    )
    assert texts(found) == ["x"]
    assert len(bad(found)) == 7
    assert not any("not-a-key" in reason for reason in reports(found))


def test_case_41_what_was_recalled_into_a_message_is_not_learnt_again() -> None:
    found = entries(
        conversation(said("human", f"{NOTES}\n按钮呢?"), said("human", NOTES, "m2", "m"))
    )
    assert [text.strip() for text in texts(found)] == ["按钮呢?"]
    assert reports(found) == ["1 message left out: nothing but notes from memory"]


# -- branches


def forked() -> list[dict[str, Any]]:
    """`二` was written anew: m2 and m3 are abandoned."""
    first = chain("一", "旧二", "旧三")
    return [*first, said("assistant", "新二", "m4", "m1"), said("human", "新三", "m5", "m4")]


def test_the_branch_of_the_last_message_is_read_and_the_other_counted() -> None:
    found = entries(conversation(*forked()))
    assert [(turn.text, turn.ordinal) for turn in turns(found)] == [
        ("一", 1),
        ("新二", 4),
        ("新三", 5),
    ]
    assert reports(found) == ["2 messages left out: of another branch"]


def test_the_branch_that_was_open_is_read_if_the_file_names_it() -> None:
    found = entries(conversation(*forked(), current_leaf_message_uuid="m3"))
    assert texts(found) == ["一", "旧二", "旧三"]
    assert texts(entries(conversation(*forked(), current_leaf_message_uuid="gone"))) == [
        "一",
        "新二",
        "新三",
    ]


def test_a_first_message_that_was_edited_is_a_branch_too() -> None:
    both = [
        said("human", "旧", "m1"),
        said("assistant", "旧答", "m2", "m1"),
        said("human", "新", "m3"),
    ]
    assert texts(entries(conversation(*both))) == ["新"]
    for one in both:
        one["parent_message_uuid"] = None if one["parent_message_uuid"] == ROOT else "m1"
    assert texts(entries(conversation(*both))) == ["新"]


@pytest.mark.parametrize(
    ("place", "key", "value"),
    [
        (4, "parent_message_uuid", "gone"),
        (0, "parent_message_uuid", "m5"),
        (3, "uuid", "m2"),
        (3, "uuid", None),
        (3, "parent_message_uuid", 7),
    ],
)
def test_where_branches_cannot_be_told_nothing_is_left_out(
    place: int, key: str, value: object
) -> None:
    messages = forked()
    messages[place][key] = value
    expected = ["一", "旧二", "旧三", "新二", "新三"]
    assert texts(entries(conversation(*messages))) == expected
    del messages[place]["parent_message_uuid"]
    assert texts(entries(conversation(*messages))) == expected


# -- memories and what else there is


def test_memories_become_a_note_a_section_known_by_its_heading() -> None:
    def memories(work: str) -> dict[str, object]:
        text = f"Prefers Chinese.\n\n**Work context**\n{work}\n\n## 爱好\n下棋\n\n**Empty**\n\n**Work context**\n副业"
        return {
            "conversations_memory": text,
            "project_memories": {"p1": "按钮是蓝色的", "p2": ""},
            "account_uuid": "a",
        }

    found = notes(entries(memories("前端开发")))
    assert [note.text for note in found] == [
        "Prefers Chinese.",
        "**Work context**\n前端开发",
        "## 爱好\n下棋",
        "**Work context**\n副业",
        "按钮是蓝色的",
    ]
    assert {(note.kind, note.trust) for note in found} == {(Kind.FACT, Trust.EXTERNAL)}
    ids = [note.external_id for note in found]
    assert len(set(ids)) == len(ids)
    assert [note.external_id for note in notes(entries(memories("后端开发")))] == ids
    assert set(ids).isdisjoint(
        note.external_id for note in notes(entries({**memories("x"), "account_uuid": "b"}))
    )


def test_a_memory_that_cannot_be_stored_is_reported_and_a_blank_one_is_none() -> None:
    found = entries({"conversations_memory": "大" * MAX_TEXT_BYTES}, {"conversations_memory": " "})
    assert notes(found) == []
    assert [number for number, _ in bad(found)] == [1]


def test_projects_and_people_are_left_out_and_said_so() -> None:
    project = {"uuid": "p1", "name": "Shop", "prompt_template": "回复用中文", "docs": []}
    person = {"uuid": "a", "full_name": "Dev", "email_address": "dev@example.invalid"}
    found = entries(project, person)
    assert [type(entry) for entry in found] == [Skipped, Skipped]
    assert bad(found) == []
    assert "example" not in "".join(reports(found))


# -- the file


@pytest.mark.parametrize("layout", ["array", "indented", "lines", "one", "long"])
def test_the_format_is_known_by_its_content(layout: str) -> None:
    whole = [
        conversation(said("human", "早" * (500_000 if layout == "long" else 1))),
        conversation(said("human", "晚")),
    ]
    data = {
        "array": json.dumps(whole),
        "indented": json.dumps(whole, indent=2, ensure_ascii=False),
        "lines": "\n".join(map(json.dumps, whole)),
        "one": json.dumps(whole[1], indent=1),
        "long": json.dumps(whole),
    }[layout]
    with read(io.BytesIO(data.encode())) as reading:
        assert reading.format == "claude-ai"
        assert texts(list(reading))[-1] == "晚"


def test_memories_alone_are_known_too() -> None:
    data = json.dumps([{"conversations_memory": "喜欢蓝色", "project_memories": {}}], indent=1)
    with read(io.BytesIO(data.encode())) as reading:
        assert reading.format == "claude-ai"
        assert [note.text for note in notes(list(reading))] == ["喜欢蓝色"]


def test_case_08_a_cut_line_and_a_glued_one_are_reported_by_line() -> None:
    one, two, three, four = (
        json.dumps(conversation(said("human", f"第{n}个"), uuid=f"c-{n}"), ensure_ascii=False)
        for n in range(4)
    )
    data = f"{one}\n{two}{three}\n\n{four}\n".encode() + one.encode()[:100]
    with read(io.BytesIO(data)) as reading:
        found, lines = [], []
        for entry in reading:
            found.append(entry)
            lines.append(reading.line)
    assert texts(found) == ["第0个", "第1个", "第2个", "第3个"]
    assert [number for number, _ in bad(found)] == [2, 5]
    assert lines == [1, 2, 2, 2, 4, 5]


words = st.text('猫a ok"\\[]{}\n', min_size=1, max_size=6).filter(str.strip)
talks_of = st.lists(st.lists(words, max_size=8), max_size=5)


@given(talks=talks_of, lines=st.booleans(), ascii_only=st.booleans())
def test_no_turn_is_lost_or_reordered_and_the_same_file_gives_the_same_entries(
    talks: list[list[str]], lines: bool, ascii_only: bool
) -> None:
    whole = [conversation(*chain(*talk), uuid=f"c-{n}") for n, talk in enumerate(talks)]
    if lines and not whole:
        return
    found = entries(*whole, lines=lines, ensure_ascii=ascii_only)
    expected = [(f"c-{n}", text) for n, talk in enumerate(talks) for text in talk]
    assert [(turn.session, turn.text) for turn in turns(found)] == expected
    ids = [(turn.session, turn.external_id) for turn in turns(found)]
    assert len(set(ids)) == len(ids)
    assert reports(found) == []
    assert found == entries(*whole, lines=lines, ensure_ascii=ascii_only)


@given(parents=st.lists(st.integers(-1, 6), min_size=1, max_size=8), leaf=st.integers(0, 9))
def test_any_tree_of_messages_gives_a_branch_or_everything(parents: list[int], leaf: int) -> None:
    keys = [f"m{number}" for number in range(len(parents))]
    messages = [
        said("human", f"第{n}句", keys[n], ROOT if parent < 0 else f"m{parent}")
        for n, parent in enumerate(parents)
    ]
    found = entries(conversation(*messages, current_leaf_message_uuid=f"m{leaf}"))
    kept = [turn.external_id or "" for turn in turns(found)]
    assert kept
    assert kept == [key for key in keys if key in kept]
    if len(kept) < len(keys):
        parent_of = dict(zip(keys, parents, strict=True))
        tops = [key for key in kept if parent_of[key] < 0 or f"m{parent_of[key]}" not in keys]
        assert len(tops) == 1
        assert all(f"m{parent_of[key]}" in kept for key in kept if key not in tops)


@given(
    talks=st.lists(st.lists(words, min_size=1, max_size=4), min_size=1, max_size=4),
    cut=st.integers(0, 5_000),
    lines=st.booleans(),
)
def test_a_file_cut_anywhere_gives_entries_or_a_source_error(
    talks: list[list[str]], cut: int, lines: bool
) -> None:
    whole = [conversation(*chain(*talk), uuid=f"c-{n}") for n, talk in enumerate(talks)]
    data = ("\n".join(map(json.dumps, whole)) if lines else json.dumps(whole)).encode()
    try:
        found = list(read(io.BytesIO(data[:cut]), "claude-ai"))
    except SourceError:
        assert not data[:cut].strip()
        return
    complete = [(f"c-{n}", text) for n, talk in enumerate(talks) for text in talk]
    kept = [(turn.session, turn.text) for turn in turns(found)]
    assert kept == complete[: len(kept)]
    between = lines and b"\n" in (data[cut - 1 : cut], data[cut : cut + 1])
    assert bad(found) or cut >= len(data) or between
