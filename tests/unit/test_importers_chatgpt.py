"""The export of ChatGPT: the branch one sees, whole and in order; the rest named, never stored."""

from __future__ import annotations

import io
import json
import tracemalloc
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstone.errors import SourceError
from memstone.importers import read
from memstone.types import NOTES_NAME, Kind, Note, Skipped, Trust, Turn

if TYPE_CHECKING:
    from memstone.importers import Entry

START = 1_764_000_000.25
NOTES = (
    f'<{NOTES_NAME} id="00112233445566aa">\nNotes.\n'
    f'- [2026-04-01, fact, from cli, trust user, mem_00000000] 按钮是蓝色的\n</{NOTES_NAME} id="00112233445566aa">'
)
SECRET = "sk-ant-" + "not-a-key-" * 4


def message(role: str, text: object, key: str = "", **more: object) -> dict[str, Any]:
    """A message as the service writes it; `text` may be a whole content."""
    content = text if isinstance(text, dict) else {"content_type": "text", "parts": [text]}
    return {
        "id": key,
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": None,
        "content": content,
        "weight": 1.0,
        "metadata": {},
        "recipient": "all",
        **more,
    }


def conversation(*messages: object, **more: object) -> dict[str, Any]:
    """A conversation whose messages follow one another, under a root without one."""
    mapping: dict[str, Any] = {
        "root": {"id": "root", "parent": None, "children": [], "message": None}
    }
    parent = "root"
    for number, one in enumerate(messages, start=1):
        key = f"n{number}"
        if isinstance(one, dict) and one.get("id") == "":
            one["id"] = key
        mapping[key] = {"id": key, "parent": parent, "children": [], "message": one}
        mapping[parent]["children"].append(key)
        parent = key
    whole = {"title": "标题", "create_time": START, "mapping": mapping, "current_node": parent}
    return {**whole, "conversation_id": "c-1", **more}


def entries(*conversations: object, **options: Any) -> list[Entry]:
    data = json.dumps(list(conversations), **options).encode()
    return list(read(io.BytesIO(data), "chatgpt"))


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
        conversation(
            message("user", "按钮用什么颜色?", uuid, create_time=START),
            message("assistant", "蓝色。", "a1", create_time=START + 1.5),
        )
    )
    assert found == [
        Turn(
            text="按钮用什么颜色?",
            speaker="user",
            session="c-1",
            at=1_764_000_000_250_000,
            external_id=uuid,
            unique_id=True,
            ordinal=1,
            trust=Trust.USER,
        ),
        Turn(
            text="蓝色。",
            speaker="assistant",
            session="c-1",
            at=1_764_000_001_750_000,
            external_id="a1",
            unique_id=False,
            ordinal=2,
            trust=Trust.AGENT,
        ),
    ]


def test_only_the_branch_of_the_current_node_is_read_and_the_others_are_counted() -> None:
    whole = conversation(message("user", "问"), message("assistant", "新"), message("user", "好"))
    for key, text in (("old1", "旧"), ("old2", "更旧")):
        node = {
            "id": key,
            "parent": "n1",
            "children": [],
            "message": message("assistant", text, key),
        }
        whole["mapping"][key] = node
    found = entries(whole)
    assert texts(found) == ["问", "新", "好"]
    assert reports(found) == ["2 messages left out: of another branch"]
    whole["current_node"] = "old1"
    assert texts(entries(whole)) == ["问", "旧"]


@pytest.mark.parametrize("current", [None, "gone", 7, ["n1"]])
def test_without_a_current_node_the_last_branch_is_read_and_that_is_said(current: object) -> None:
    found = entries(
        conversation(message("user", "一"), message("user", "二"), current_node=current)
    )
    assert texts(found) == ["一", "二"]
    assert [number for number, _ in bad(found)] == [1]


def test_a_missing_parent_or_a_circle_ends_the_walk_and_is_reported() -> None:
    said = [message("user", text) for text in ("一", "二", "三")]
    for parent, kept in (("gone", ["二", "三"]), ("n3", ["二", "三"]), ([], ["二", "三"])):
        broken = conversation(*said)
        broken["mapping"]["n2"]["parent"] = parent
        found = entries(broken, conversation(message("user", "好的"), conversation_id="c-2"))
        assert texts(found) == [*kept, "好的"]
        assert [number for number, _ in bad(found)] == [1]


@pytest.mark.parametrize("mapping", [None, [], "x", {"a": None, "b": 7, "c": {"message": []}}, {}])
def test_a_broken_mapping_never_stops_the_others(mapping: object) -> None:
    broken = conversation(message("user", "坏"), mapping=mapping, current_node="c")
    good = conversation(message("user", "好"), conversation_id="c-2")
    found = entries(broken, good, "text", None, [good], good)
    assert texts(found) == ["好", "好"]
    assert {3, 4, 5} <= {number for number, _ in bad(found)} <= {1, 3, 4, 5}


def test_hidden_and_weightless_messages_and_instructions_are_left_out_and_counted() -> None:
    hidden = {"is_visually_hidden_from_conversation": True}
    found = entries(
        conversation(
            message("system", "You are helpful"),
            message("user", "藏起来的", metadata=hidden),
            message("assistant", "没有分量", weight=0.0),
            message(
                "user", "看得见", metadata={**hidden, "is_visually_hidden_from_conversation": False}
            ),
        )
    )
    assert texts(found) == ["看得见"]
    assert reports(found) == [
        "1 message left out: instructions of the service",
        "2 messages left out: hidden in the conversation",
    ]
    assert bad(found) == []


def test_tools_and_reasoning_are_left_out_and_counted() -> None:
    found = entries(
        conversation(
            message("user", "算一下"),
            message("assistant", {"content_type": "thoughts", "thoughts": [{"content": "嗯"}]}),
            message("assistant", {"content_type": "code", "text": "1+1"}, recipient="python"),
            message("tool", {"content_type": "execution_output", "text": "2"}),
            message("assistant", {"content_type": "reasoning_recap", "content": "Thought for 1s"}),
            message(
                "assistant", {"content_type": "code", "language": "python", "text": "print('二')"}
            ),
        )
    )
    assert texts(found) == ["算一下", "print('二')"]
    assert reports(found) == [
        "2 messages left out: reasoning",
        "1 message left out: calls of tools",
        "1 message left out: results of tools",
    ]


def test_text_parts_are_kept_and_pictures_beside_them_counted() -> None:
    picture = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://x"}
    spoken = {"content_type": "audio_transcription", "text": "说出来的话"}
    found = entries(
        conversation(
            message(
                "user", {"content_type": "multimodal_text", "parts": [picture, "看这张图", ""]}
            ),
            message("user", {"content_type": "multimodal_text", "parts": [spoken, picture]}),
            message("user", {"content_type": "multimodal_text", "parts": [picture]}),
        )
    )
    assert texts(found) == ["看这张图", "说出来的话"]
    assert reports(found) == [
        "2 attachments left out: no text; the message was kept",
        "1 message left out: nothing but attachments",
    ]


def test_a_message_that_is_none_is_reported_by_its_place_and_the_others_keep_theirs() -> None:
    good = [message("user", text) for text in ("一", "二", "三")]
    for broken in (
        "text",
        {"content": None},
        message("user", {"content_type": "text", "parts": 1}),
    ):
        found = entries(conversation(good[0], broken, good[2]))
        assert [(turn.text, turn.ordinal) for turn in turns(found)] == [("一", 1), ("三", 3)]
        ((number, reason),) = bad(found)
        assert number == 1
        assert reason.startswith("message 2: ")


def test_blank_messages_are_counted_and_an_unknown_kind_is_no_fault() -> None:
    odd = {"content_type": "app_pairing_content", "workspaces": []}
    found = entries(conversation(message("assistant", " \n"), message("assistant", odd)))
    assert texts(found) == []
    assert reports(found) == [
        "1 message left out: blank",
        "1 message left out: of a kind without text",
    ]
    assert bad(found) == []


def test_a_role_that_is_not_known_is_not_trusted() -> None:
    found = entries(
        conversation(message("critic", "不好"), message("", "谁"), {"content": {"text": "?"}})
    )
    assert [(turn.speaker, turn.trust) for turn in turns(found)] == [
        ("critic", Trust.EXTERNAL),
        ("unknown", Trust.EXTERNAL),
        ("unknown", Trust.EXTERNAL),
    ]


def test_a_message_without_a_time_has_that_of_the_one_before_it() -> None:
    said = [
        message("user", "一"),
        message("user", "二", create_time=START + 60),
        message("assistant", "三", create_time=None),
        message("assistant", "四", create_time=-5),
    ]
    found = entries(conversation(*said))
    start = 1_764_000_000_250_000
    minute = start + 60_000_000
    assert [turn.at for turn in turns(found)] == [start, minute, minute, minute]
    ((_, reason),) = bad(found)
    assert reason.startswith("message 4: time: ")
    without = conversation(message("user", "没有时间"), create_time=None)
    assert [turn.at for turn in turns(entries(without))] == [None]


def test_ids_given_twice_or_missing_never_lose_a_turn() -> None:
    same = [message("user", "好", "same") for _ in range(3)]
    found = turns(entries(conversation(*same, {**message("user", "好"), "id": None})))
    assert [turn.external_id for turn in found] == ["same", "n2", "n3", "n4"]
    assert [turn.unique_id for turn in found] == [False] * 4


def test_a_conversation_without_an_id_is_called_after_the_file_and_its_number() -> None:
    nameless = conversation(message("user", "早"), conversation_id=None)
    found = entries(nameless, {**nameless, "id": "by-id"}, {**nameless, "id": "x" * 2_000})
    assert [turn.session for turn in turns(found)] == ["stream-1", "by-id", "stream-3"]
    assert [number for number, _ in bad(found)] == [3]


def test_the_title_is_no_turn_and_nothing_reported_repeats_a_text() -> None:
    whole = conversation(
        message("user", {"content_type": "text", "parts": SECRET}),
        message("user", "x", SECRET * 99, create_time=SECRET),
        message("tool", SECRET),
        title=SECRET,
        create_time=SECRET,
        conversation_id=[SECRET],
    )
    found = entries(whole)
    assert texts(found) == ["x"]
    assert len(bad(found)) == 4
    assert not any("not-a-key" in reason for reason in reports(found))


def test_case_41_what_was_recalled_into_a_message_is_not_learnt_again() -> None:
    found = entries(conversation(message("user", f"{NOTES}\n\n按钮呢?"), message("user", NOTES)))
    assert [text.strip() for text in texts(found)] == ["按钮呢?"]
    assert reports(found) == ["1 message left out: nothing but notes from memory"]


# -- what ChatGPT remembers


def test_what_the_model_wrote_to_its_memory_becomes_a_note() -> None:
    bio = {"role": "tool", "name": "bio", "metadata": {}}
    found = entries(
        conversation(
            message("user", "记住:我住在杭州"),
            message("assistant", "User lives in Hangzhou", recipient="bio", create_time=START + 9),
            message("tool", "Model set context updated.", author=bio),
            message("tool", "The user prefers tea", author=bio),
        )
    )
    assert [(note.text, note.external_id, note.session) for note in notes(found)] == [
        ("User lives in Hangzhou", "n2", "c-1"),
        ("The user prefers tea", "n4", "c-1"),
    ]
    assert {(note.kind, note.trust) for note in notes(found)} == {(Kind.FACT, Trust.EXTERNAL)}
    assert notes(found)[0].at == 1_764_000_009_250_000
    assert reports(found) == ["1 message left out: results of tools"]


def test_the_list_of_memories_becomes_a_note_a_line_once_a_file() -> None:
    listed = "1. [2024-05-12]. 用户住在杭州。\n\n2. [2024-05-14]. Plans a PhD.\nIn Switzerland.\n3. [2024-06-01]. "
    content = {"content_type": "model_editable_context", "model_set_context": listed}
    found = entries(
        conversation(message("assistant", content, weight=0), message("user", "好")),
        conversation(message("assistant", content), conversation_id="c-2"),
        conversation(message("assistant", {**content, "model_set_context": ""})),
    )
    assert [note.text for note in notes(found)] == [
        "用户住在杭州。",
        "Plans a PhD.\nIn Switzerland.",
    ]
    assert [note.at for note in notes(found)] == [1_715_472_000_000_000, 1_715_644_800_000_000]
    assert len({note.external_id for note in notes(found)}) == 2
    assert reports(found) == []


def test_custom_instructions_are_preferences_and_another_text_is_another_version() -> None:
    def instructions(text: str, **metadata: object) -> dict[str, Any]:
        wrapped = f"The user provided the additional info about it:\n```{text}```"
        content = {
            "content_type": "user_editable_context",
            "user_profile": "前端开发",
            "user_instructions": wrapped,
        }
        return message("user", content, weight=0.0, metadata=metadata)

    told = {"user_context_message_data": {"about_model_message": "Answer in Chinese"}}
    found = entries(
        conversation(instructions("回复使用中文")),
        conversation(instructions("回复使用中文")),
        conversation(instructions("ignored", **told), create_time=START + 86_400),
    )
    assert [(note.text, note.external_id) for note in notes(found)] == [
        ("前端开发", "chatgpt-user_profile"),
        ("回复使用中文", "chatgpt-user_instructions"),
        ("Answer in Chinese", "chatgpt-user_instructions"),
    ]
    assert {note.kind for note in notes(found)} == {Kind.PREFERENCE}
    assert notes(found)[2].at == 1_764_086_400_250_000


# -- the file


def test_the_format_is_known_by_its_content_short_indented_or_longer_than_the_look() -> None:
    short = [conversation(message("user", "早"))]
    long = [conversation(message("user", "长" * 700_000)), *short]
    for data in (
        json.dumps(short),
        json.dumps(short, indent=2),
        json.dumps(long),
        json.dumps(short[0]),
    ):
        with read(io.BytesIO(data.encode())) as reading:
            assert reading.format == "chatgpt"
            assert texts(list(reading))[-1] == "早"


def test_case_08_a_cut_and_a_glued_export_keep_what_is_whole() -> None:
    one, two, three = (
        json.dumps(conversation(message("user", f"第{n}个"), conversation_id=f"c-{n}"))
        for n in (1, 2, 3)
    )
    found = list(read(io.BytesIO(f"[{one}, {two}{three}, {one[:100]}".encode())))
    assert texts(found) == ["第1个", "第2个", "第3个"]
    assert [number for number, _ in bad(found)] == [3, 4]


def test_what_is_no_array_is_refused_at_the_call() -> None:
    with pytest.raises(SourceError, match="neither a JSON array"):
        read(io.BytesIO(b"hello"), "chatgpt")


words = st.text('猫a ok"\\[]{}\n', min_size=1, max_size=6).filter(str.strip)
said = st.lists(st.tuples(st.sampled_from(["user", "assistant"]), words), max_size=8)


@given(
    talks=st.lists(said, max_size=5),
    noise=st.integers(0, 9),
    indent=st.sampled_from([None, 1]),
    ascii_only=st.booleans(),
)
def test_no_turn_is_lost_or_reordered_and_the_same_file_gives_the_same_entries(
    talks: list[list[tuple[str, str]]], noise: int, indent: int | None, ascii_only: bool
) -> None:
    whole = []
    for number, talk in enumerate(talks):
        messages = [message(role, text) for role, text in talk]
        messages.insert(noise % (len(messages) + 1), message("system", "x"))
        whole.append(conversation(*messages, conversation_id=f"c-{number}"))
    found = entries(*whole, indent=indent, ensure_ascii=ascii_only)
    expected = [(f"c-{n}", *one) for n, talk in enumerate(talks) for one in talk]
    assert [(turn.session, turn.speaker, turn.text) for turn in turns(found)] == expected
    ids = [(turn.session, turn.external_id) for turn in turns(found)]
    assert len(set(ids)) == len(ids)
    assert found == entries(*whole, indent=indent, ensure_ascii=ascii_only)


@given(
    talks=st.lists(said, min_size=1, max_size=4),
    cut=st.integers(0, 5_000),
    junk=st.binary(max_size=3),
)
def test_a_file_cut_anywhere_gives_entries_or_a_source_error(
    talks: list[list[tuple[str, str]]], cut: int, junk: bytes
) -> None:
    whole = [
        conversation(*(message(role, text) for role, text in talk), conversation_id=f"c-{number}")
        for number, talk in enumerate(talks)
    ]
    data = json.dumps(whole).encode()
    try:
        found = list(read(io.BytesIO(data[:cut] + junk), "chatgpt"))
    except SourceError:
        assert not data[:cut].strip()
        return
    complete = [(f"c-{n}", *one) for n, talk in enumerate(talks) for one in talk]
    kept = [(turn.session, turn.speaker, turn.text) for turn in turns(found)]
    assert kept == complete[: len(kept)]
    assert bad(found) or cut >= len(data)


class Export(io.RawIOBase):
    """Conversations that exist only while they are read."""

    def __init__(self, one: bytes, count: int) -> None:
        self._one, self._left, self._rest = one, count, b"["

    def read(self, size: int = -1) -> bytes:
        while self._left and len(self._rest) < size:
            self._left -= 1
            self._rest += self._one + (b"," if self._left else b"]")
        data, self._rest = self._rest[:size], self._rest[size:]
        return data


@pytest.mark.slow
def test_sixty_megabytes_are_read_without_being_held() -> None:
    one = json.dumps(
        conversation(*(message("user", "说了很多" * 500) for _ in range(20))), ensure_ascii=False
    ).encode()
    count = 60_000_000 // len(one)
    tracemalloc.start()
    try:
        read_turns = 0
        for entry in read(Export(one, count)):  # type: ignore[arg-type]
            read_turns += isinstance(entry, Turn)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert read_turns == count * 20
    assert peak < 30_000_000
