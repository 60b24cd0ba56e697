"""Older layouts of transcripts: what was said in them, once, in order, and as whose word."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstone.importers import detect, read, read_from, session_of
from memstone.times import parse_time
from memstone.types import Skipped, Trust, Turn

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from memstone.engine import Engine

Entry = dict[str, object]
SESSION = "0f0f0f0f-0000-4000-8000-00000000000a"
AT = "2025-08-15T09:{:02d}:{:02d}.000Z"


def at(number: int) -> str:
    return AT.format(number // 60 % 60, number % 60)


def uuid(number: int) -> str:
    return f"cccccccc-0000-4000-8000-{number:012d}"


def encoded(*lines: Entry) -> bytes:
    return b"".join(json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines)


def written(folder: Path, *lines: Entry, name: str = "会话.jsonl") -> Path:
    file = folder / name
    file.write_bytes(encoded(*lines))
    return file


def entries(*lines: Entry, layout: str | None = None) -> list[object]:
    return list(read(io.BytesIO(encoded(*lines)), layout))


def said(found: Iterable[object]) -> list[tuple[str | None, str]]:
    return [(each.speaker, each.text) for each in found if isinstance(each, Turn)]


# -- Claude Code


def claude(number: int, role: str, content: object, **more: object) -> Entry:
    return {
        "parentUuid": uuid(number - 1),
        "isSidechain": False,
        "sessionId": SESSION,
        "version": "1.0.80",
        "type": role,
        "message": {"role": role, "content": content},
        "uuid": uuid(number),
        "timestamp": at(number),
        **more,
    }


def answer(number: int, text: str, **more: object) -> Entry:
    return claude(number, "assistant", [{"type": "text", "text": text}], **more)


def test_claude_1x_a_summary_line_with_a_leaf_is_no_turn(tmp_path: Path) -> None:
    summary: Entry = {"type": "summary", "summary": "蓝色按钮方案", "leafUuid": uuid(9)}
    file = written(tmp_path, summary, summary, claude(1, "user", "预算改成 200"), answer(2, "好。"))
    assert detect(file) == "claude-code"
    assert said(read(file)) == [("user", "预算改成 200"), ("assistant", "好。")]
    assert session_of(file, "claude-code") == SESSION


def test_claude_1x_a_compacted_session_goes_on_without_its_summary() -> None:
    continued = (
        "This session is being continued from a previous conversation that ran out of context."
    )
    boundary = {**claude(3, "system", None), "subtype": "compact_boundary", "content": "Compacted"}
    found = entries(
        claude(1, "user", "先"),
        boundary,
        claude(4, "user", f"{continued} 用户要求蓝色。"),
        claude(5, "user", [{"type": "text", "text": continued}]),
        claude(6, "user", "摘要", isCompactSummary=True),
        claude(7, "user", "后"),
    )
    assert said(found) == [("user", "先"), ("user", "后")]
    assert len(found) == 2


def test_claude_lines_without_session_and_uuid_are_recognised_and_known(tmp_path: Path) -> None:
    bare: list[Entry] = [
        {"type": "user", "message": {"role": "user", "content": "早"}, "timestamp": at(1)},
        {"type": "user", "message": {"role": "user", "content": "早"}, "timestamp": at(2)},
    ]
    file = written(tmp_path, *bare)
    assert detect(file) == "claude-code"
    first, second = read(file)
    assert isinstance(first, Turn)
    assert isinstance(second, Turn)
    assert first.session == "会话"
    assert first.external_id != second.external_id
    assert [first, second] == list(read(file)) == list(read_from(file, "claude-code").turns)


def test_claude_the_file_of_a_sub_agent_is_reported_and_left_out(tmp_path: Path) -> None:
    lines = [
        claude(1, "user", "Find the owner of 按钮", isSidechain=True, agentId="a1"),
        answer(2, "It is 张伟.", isSidechain=True, agentId="a1"),
    ]
    file = written(tmp_path, *lines, name="agent-a1.jsonl")
    (notice,) = read(file)
    assert isinstance(notice, Skipped)
    assert (notice.line, notice.bad) == (1, False)
    assert "sub-agent" in notice.reason
    part = read_from(file, "claude-code")
    assert (part.turns, part.skipped) == ((), (notice,))
    assert read_from(file, "claude-code", part.offset).skipped == ()


def test_claude_no_word_of_a_sidechain_becomes_the_users() -> None:
    found = entries(
        claude(1, "user", "请查一下"),
        claude(2, "user", "look for it", isSidechain=True),
        answer(3, "found", isSidechain=True),
        answer(4, "查到了"),
    )
    assert said(found) == [("user", "请查一下"), ("assistant", "查到了")]
    trusts = [each.trust for each in found if isinstance(each, Turn)]
    assert trusts == [Trust.USER, Trust.AGENT]


def test_claude_a_resumed_session_copied_into_a_new_file_is_stored_once(
    engine: Engine, tmp_path: Path
) -> None:
    old = [claude(1, "user", "第一句"), answer(2, "第二句")]
    copies = [{**line, "sessionId": uuid(99)} for line in old]
    assert engine.import_file(written(tmp_path, *old, name="a.jsonl")).created == 2
    resumed = written(tmp_path, *copies, *copies, claude(3, "user", "第三句"), name="b.jsonl")
    assert engine.import_file(resumed).created == 1
    assert engine.import_file(resumed).created == 0


# -- Codex


def line_of(number: int, kind: str, payload: Entry) -> Entry:
    return {"timestamp": at(number), "type": kind, "payload": payload}


def old_meta() -> Entry:
    payload: Entry = {"id": SESSION, "timestamp": at(0), "cwd": "/x", "cli_version": "0.46.0"}
    return line_of(0, "session_meta", payload)


def told(number: int, event: str, text: str, **more: object) -> Entry:
    return line_of(number, "event_msg", {"type": event, "message": text, **more})


def message(role: str, text: str) -> Entry:
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def sent(number: int, role: str, text: str) -> Entry:
    return line_of(number, "response_item", message(role, text))


def test_codex_0_4x_events_are_read_and_the_items_beside_them_are_not(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        old_meta(),
        sent(1, "user", "<environment_context>\n  <cwd>/x</cwd>\n</environment_context>"),
        told(2, "user_message", "<user_instructions>…", kind="user_instructions"),
        sent(3, "user", "把按钮改成蓝色"),
        told(3, "user_message", "把按钮改成蓝色", kind="plain", images=["data:…"]),
        told(4, "agent_reasoning", "想一想"),
        told(5, "agent_message", "改好了。"),
        sent(5, "assistant", "改好了。"),
        line_of(6, "turn_context", {"cwd": "/x"}),
        told(7, "user_message", ""),
    )
    assert detect(file) == "codex"
    found = list(read(file))
    assert said(found) == [("user", "把按钮改成蓝色"), ("assistant", "改好了。")]
    first = found[0]
    assert isinstance(first, Turn)
    assert (first.session, first.at) == (SESSION, parse_time(at(3), name="at"))
    assert first.trust is Trust.USER
    assert [each.line for each in found if isinstance(each, Skipped)] == [5]
    part = read_from(file, "codex")
    assert [each for each in found if isinstance(each, Turn)] == list(part.turns)
    assert session_of(file, "codex") == SESSION


def test_codex_events_of_a_line_with_an_ordinal_are_not_read_twice() -> None:
    text = "预算 200"
    item = {"type": "UserMessage", "id": uuid(1), "content": [{"type": "text", "text": text}]}
    new = {**line_of(1, "event_msg", {"type": "item_completed", "item": item}), "ordinal": 1}
    beside = {**told(2, "user_message", text), "ordinal": 2}
    assert said(entries(old_meta(), new, beside)) == [("user", text)]


def test_codex_a_rollout_of_items_alone_gives_what_was_typed_and_answered(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        old_meta(),
        sent(1, "developer", "You are Codex."),
        sent(2, "user", "# AGENTS.md instructions for /x\n…"),
        sent(3, "user", "数据库用哪个？"),
        line_of(4, "response_item", {"type": "reasoning", "summary": []}),
        line_of(5, "response_item", {"type": "function_call", "call_id": "c", "arguments": "{}"}),
        sent(6, "assistant", 'PostgreSQL, says "event_msg".'),
    )
    assert detect(file) == "codex"
    expected = [("user", "数据库用哪个？"), ("assistant", 'PostgreSQL, says "event_msg".')]
    assert said(read(file)) == expected
    assert said(list(read_from(file, "codex").turns)) == expected


def test_codex_items_of_today_are_never_read_before_the_first_event(tmp_path: Path) -> None:
    """A hook reads while the file is written: the event with the same words is still to come."""
    file = written(tmp_path, {**old_meta(), "ordinal": 0}, {**sent(1, "user", "早"), "ordinal": 1})
    assert read_from(file, "codex").turns == ()
    assert list(read(file)) == []


def bare_meta() -> Entry:
    return {"id": SESSION, "timestamp": at(0), "instructions": None, "git": {"branch": "main"}}


def test_codex_the_oldest_files_are_bare_items_behind_a_line_of_their_session(
    tmp_path: Path,
) -> None:
    file = written(
        tmp_path,
        bare_meta(),
        {"record_type": "state"},
        message("user", "<environment_context>\nx\n</environment_context>"),
        message("user", "好"),
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c"},
        message("assistant", "Done."),
        message("user", "好"),
        {**message("assistant", "完成"), "id": "msg_68c9f3a1b2c48191a0d4e5f60718"},
    )
    assert detect(file) == "codex"
    found = [each for each in read(file) if isinstance(each, Turn)]
    assert said(found) == [
        ("user", "好"),
        ("assistant", "Done."),
        ("user", "好"),
        ("assistant", "完成"),
    ]
    assert {turn.session for turn in found} == {SESSION}
    assert {turn.at for turn in found} == {parse_time(at(0), name="at")}
    assert len({turn.external_id for turn in found}) == 4  # "ok" twice is said twice
    assert found == list(read_from(file, "codex").turns)
    assert session_of(file, "codex") == SESSION


def test_a_plain_chat_with_typed_blocks_is_no_rollout() -> None:
    chat: Entry = {**message("user", "早"), "session": "s"}
    with read(io.BytesIO(encoded(chat))) as reading:
        assert reading.format == "chat"


def test_blank_lines_before_the_first_one_hide_no_session(tmp_path: Path) -> None:
    file = written(tmp_path, old_meta(), told(1, "user_message", "早"))
    file.write_bytes(b"\n\r\n" + file.read_bytes())
    assert [turn.session for turn in read_from(file, "codex").turns] == [SESSION]
    assert list(read(file)) == list(read_from(file, "codex").turns)


# -- generated transcripts

TEXTS = st.text('ab好预算 12?\n"\\', min_size=1, max_size=12).filter(str.strip)
SPOKEN = st.lists(st.tuples(st.sampled_from(["user", "assistant"]), TEXTS), min_size=1, max_size=12)


def as_claude(spoken: list[tuple[str, str]]) -> list[Entry]:
    lines: list[Entry] = [{"type": "summary", "summary": "…", "leafUuid": uuid(0)}]
    for number, (role, text) in enumerate(spoken, start=1):
        lines.append(claude(number, role, [{"type": "text", "text": text}]))
        lines.append(claude(500 + number, "user", [{"type": "tool_result", "content": "噪音"}]))
    return lines


def as_codex_events(spoken: list[tuple[str, str]]) -> list[Entry]:
    lines = [old_meta()]
    for number, (role, text) in enumerate(spoken, start=1):
        lines.append(sent(number, role, text))
        lines.append(told(number, "user_message" if role == "user" else "agent_message", text))
    return lines


def as_codex_items(spoken: list[tuple[str, str]]) -> list[Entry]:
    return [old_meta(), *(sent(number, *each) for number, each in enumerate(spoken, start=1))]


def as_bare_codex(spoken: list[tuple[str, str]]) -> list[Entry]:
    return [bare_meta(), *(message(*each) for each in spoken)]


@pytest.mark.parametrize("layout", [as_claude, as_codex_events, as_codex_items, as_bare_codex])
@given(spoken=SPOKEN)
def test_no_turn_is_lost_or_reordered_and_twice_is_the_same(
    tmp_path_factory: pytest.TempPathFactory, layout: object, spoken: list[tuple[str, str]]
) -> None:
    assert callable(layout)
    file = written(tmp_path_factory.getbasetemp(), *layout(spoken), name="generated.jsonl")
    found = list(read(file))
    assert said(found) == spoken
    assert all(isinstance(each, Turn) for each in found)
    assert len({each.external_id for each in found if isinstance(each, Turn)}) == len(spoken)
    assert found == list(read(file)) == list(read_from(file, detect(file)).turns)
