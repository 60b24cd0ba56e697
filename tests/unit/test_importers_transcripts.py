"""Transcripts of Claude Code and Codex: only what was said, under ids that any reading agrees on."""

from __future__ import annotations

import io
import json
import os
import tracemalloc
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstone.errors import InvalidInput, SourceError, SourceMissing
from memstone.importers import (
    DETECT_BYTES,
    TranscriptPart,
    detect,
    identity_source,
    read,
    read_from,
    session_of,
)
from memstone.importers.source import MAX_LINE_BYTES
from memstone.times import parse_time
from memstone.types import MAX_NAME_BYTES, NOTES_NAME, Skipped, Trust, Turn

if TYPE_CHECKING:
    from pathlib import Path

    from memstone.engine import Engine

SESSION = "6f1d2c3b-1111-4a4a-9b9b-000000000001"
AT = "2026-11-30T09:15:{:02d}.250Z"
NOTES = (
    f'<{NOTES_NAME} id="00112233445566aa">\nNotes.\n'
    f'- [2026-04-01, fact, from cli, trust user, mem_00000000] 预算是 200\n</{NOTES_NAME} id="00112233445566aa">'
)
Entry = dict[str, object]


def uuid(number: int) -> str:
    return f"aaaaaaaa-0000-4000-8000-{number:012d}"


def claude(number: int, role: str, content: object, **more: object) -> Entry:
    """A line as Claude Code 2.1 writes it, other keys as `more` says."""
    message: Entry = {"role": role, "content": content}
    if role == "assistant":
        message |= {"id": "msg_1", "type": "message", "model": "claude-opus-5-5", "usage": {}}
    return {
        "parentUuid": uuid(number - 1),
        "isSidechain": False,
        "type": role,
        "message": message,
        "uuid": uuid(number),
        "timestamp": AT.format(number % 60),
        "userType": "external",
        "cwd": "/home/lin/atlas",
        "sessionId": SESSION,
        "version": "2.1.327",
        **more,
    }


def answer(number: int, text: str, **more: object) -> Entry:
    return claude(number, "assistant", [{"type": "text", "text": text}], **more)


def attached(number: int, kind: str, **more: object) -> Entry:
    entry = claude(number, "attachment", None, attachment={"type": kind, **more})
    return {**entry, "rendered": [{"content": f"<system-reminder>\n{NOTES}\n</system-reminder>"}]}


def conversation() -> list[Entry]:
    """A session with everything in it that must not be stored."""
    return [
        {"type": "queue-operation", "operation": "enqueue", "sessionId": SESSION, "content": "甲"},
        attached(1, "hook_success", stdout=NOTES),
        attached(2, "hook_additional_context", content=[NOTES]),
        claude(3, "user", "把按钮改成蓝色", promptSource="sdk"),
        {"type": "api-request", "sessionId": SESSION, "params": {"messages": ["乙"]}},
        claude(4, "assistant", [{"type": "thinking", "thinking": "想", "signature": "x"}]),
        answer(5, "I'll change it."),
        claude(6, "assistant", [{"type": "tool_use", "id": "t", "name": "Write", "input": {}}]),
        claude(7, "user", [{"type": "tool_result", "tool_use_id": "t", "content": "key sk-1"}]),
        answer(8, "改好了，蓝色。"),
        {**claude(9, "system", None), "subtype": "compact_boundary", "content": "Conversation compacted"},
        claude(10, "user", "This session is continued …", isCompactSummary=True),
        claude(11, "user", "Caveat: …", isMeta=True),
        claude(12, "user", "<command-name>/compact</command-name>"),
        claude(13, "user", "<local-command-stdout>Compacted</local-command-stdout>"),
        claude(14, "user", "only in the transcript", isVisibleInTranscriptOnly=True),
        claude(15, "user", "look into it", isSidechain=True),
        answer(16, "A sub-agent says", isSidechain=True),
        claude(17, "user", [{"type": "text", "text": "[Request interrupted by user]"}]),
        answer(18, "API Error: 529", isApiErrorMessage=True),
        claude(19, "user", [{"type": "text", "text": "再大一点"}, {"type": "text", "text": "谢谢"}]),
        {"type": "from-the-future", "sessionId": SESSION, "message": {"content": "?"}},
        {"type": "last-prompt", "lastPrompt": "再大一点", "sessionId": SESSION},
    ]  # fmt: skip


CLAUDE_SAID = [
    ("user", "把按钮改成蓝色", uuid(3)),
    ("assistant", "I'll change it.", uuid(5)),
    ("assistant", "改好了，蓝色。", uuid(8)),
    ("user", "再大一点\n谢谢", uuid(19)),
]


def event(ordinal: int, kind: str, item: Entry | None = None, **more: object) -> Entry:
    payload: Entry = {"type": kind, "thread_id": SESSION, **more}
    if item is not None:
        payload["item"] = item
    return {
        "timestamp": AT.format(ordinal % 60),
        "ordinal": ordinal,
        "type": "event_msg",
        "payload": payload,
    }


def completed(ordinal: int, kind: str, text: str, id_: str) -> Entry:
    name = "text" if kind == "UserMessage" else "Text"
    item: Entry = {"type": kind, "id": id_, "content": [{"type": name, "text": text}]}
    return event(ordinal, "item_completed", item)


def meta(**more: object) -> Entry:
    payload = {"session_id": SESSION, "id": SESSION, "source": "exec", "thread_source": "user"}
    return {
        "timestamp": AT.format(0),
        "ordinal": 0,
        "type": "session_meta",
        "payload": {**payload, **more},
    }


def sent(ordinal: int, role: str, text: str) -> Entry:
    content = [{"type": "input_text", "text": text}]
    payload = {"type": "message", "id": "msg_x", "role": role, "content": content}
    return {**event(ordinal, ""), "type": "response_item", "payload": payload}


def rollout() -> list[Entry]:
    return [
        meta(),
        event(1, "task_started"),
        sent(2, "developer", "<permissions instructions>"),
        sent(3, "user", "<environment_context>"),
        sent(4, "developer", NOTES),
        sent(5, "user", "把按钮改成蓝色"),
        completed(6, "UserMessage", "把按钮改成蓝色", uuid(6)),
        event(7, "item_completed", {"type": "CommandExecution", "id": "c", "aggregated_output": "x"}),
        event(8, "item_completed", {"type": "Reasoning", "id": "r", "summary": ["想"]}),
        completed(9, "AgentMessage", "Decided: blue.", "msg_1"),
        sent(10, "assistant", "Decided: blue."),
        completed(11, "AgentMessage", "改好了。", "msg_68c9f3a1b2c48191a0d4e5f60718"),
        completed(12, "AgentMessage", "Anything else?", "msg_1"),
        {**event(13, ""), "type": "world_state", "payload": {"full": True}},
        event(14, "task_complete", last_agent_message="Anything else?"),
    ]  # fmt: skip


CODEX_SAID = [
    ("user", "把按钮改成蓝色", uuid(6)),
    ("assistant", "Decided: blue.", "ordinal-9"),
    ("assistant", "改好了。", "msg_68c9f3a1b2c48191a0d4e5f60718"),
    ("assistant", "Anything else?", "ordinal-12"),
]
LAYOUTS = [("claude-code", conversation, CLAUDE_SAID), ("codex", rollout, CODEX_SAID)]


def encoded(*lines: Entry) -> bytes:
    texts = (json.dumps(line, ensure_ascii=False) for line in lines)
    return b"".join(text.encode("utf-8", "backslashreplace") + b"\n" for text in texts)


def written(folder: Path, *lines: Entry, name: str = "t.jsonl") -> Path:
    file = folder / name
    file.write_bytes(encoded(*lines))
    return file


def said(turns: object) -> list[tuple[str | None, str, str | None]]:
    assert isinstance(turns, (list, tuple))
    return [(t.speaker, t.text, t.external_id) for t in turns if isinstance(t, Turn)]


def imported(*lines: Entry, layout: str = "claude-code") -> list[object]:
    return list(read(io.BytesIO(encoded(*lines)), layout))


@pytest.mark.parametrize(("client", "lines", "expected"), LAYOUTS)
def test_only_what_was_said_becomes_a_turn(
    tmp_path: Path, client: str, lines: object, expected: object
) -> None:
    assert callable(lines)
    file = written(tmp_path, *lines())
    assert detect(file) == client
    with read(file) as reading:
        found = list(reading)
        assert reading.format == client
        assert reading.identity_source == identity_source(client) == f"transcript:{client}"
    assert said(found) == expected
    assert all(isinstance(turn, Turn) for turn in found)


def test_a_turn_has_its_session_time_and_trust() -> None:
    mine, its = imported(claude(1, "user", "早"), answer(2, "你好"))
    assert isinstance(mine, Turn)
    assert isinstance(its, Turn)
    assert (mine.session, mine.at) == (SESSION, parse_time(AT.format(1), name="at"))
    assert (mine.trust, its.trust) == (Trust.USER, Trust.AGENT)
    assert mine.unique_id
    assert its.unique_id
    assert mine.ordinal is None


def test_other_formats_have_no_source_of_their_own() -> None:
    with read(io.BytesIO(b'{"role": "user", "content": "x"}')) as reading:
        assert reading.identity_source is None


@pytest.mark.parametrize(("client", "lines", "expected"), LAYOUTS)
def test_case_36_however_a_file_is_cut_its_parts_hold_the_same_turns(
    tmp_path: Path, client: str, lines: object, expected: object
) -> None:
    assert callable(lines)
    whole = encoded(*lines())
    file = tmp_path / "t.jsonl"
    for step in (1, 97, 1_000, len(whole)):
        found: list[Turn] = []
        offset = 0
        for end in (*range(step, len(whole), step), len(whole)):
            if step == 1 and end % 53:
                continue
            file.write_bytes(whole[:end])
            part = read_from(file, client, offset)
            assert part.skipped == ()
            assert part.offset == whole.rfind(b"\n", 0, end) + 1
            offset, found = part.offset, [*found, *part.turns]
        file.write_bytes(whole)
        found += read_from(file, client, offset).turns
        assert said(found) == expected
    assert read_from(file, client, len(whole)) == TranscriptPart((), len(whole))


@pytest.mark.parametrize(("client", "lines", "expected"), LAYOUTS)
def test_a_limit_ends_a_part_behind_a_line(
    tmp_path: Path, client: str, lines: object, expected: object
) -> None:
    assert callable(lines)
    file = written(tmp_path, *lines())
    for limits in ({"most_turns": 1}, {"most_bytes": 1}, {"most_turns": 2, "most_bytes": 600}):
        found: list[Turn] = []
        offset, more = 0, True
        while more:
            part = read_from(file, client, offset, **limits)
            assert len(part.turns) <= limits.get("most_turns", 1)
            assert part.offset > offset
            offset, more, found = part.offset, part.more, [*found, *part.turns]
        assert said(found) == expected
        assert offset == file.stat().st_size


def test_a_cut_last_line_is_read_when_it_is_complete(tmp_path: Path) -> None:
    first, second = encoded(claude(1, "user", "先")), encoded(claude(2, "user", "后"))
    file = tmp_path / "t.jsonl"
    for cut in (1, 50, len(second) - 1):
        file.write_bytes(first + second[:cut])
        part = read_from(file, "claude-code")
        assert (said(part.turns), part.offset) == ([("user", "先", uuid(1))], len(first))
    file.write_bytes(first + second)
    assert said(read_from(file, "claude-code", len(first)).turns) == [("user", "后", uuid(2))]


def test_an_offset_of_another_file_begins_anew(tmp_path: Path) -> None:
    file = written(tmp_path, claude(1, "user", "甲"), claude(2, "user", "乙"))
    size = file.stat().st_size
    for offset in (-1, 0, 5, size - 3, size + 1):
        assert len(read_from(file, "claude-code", offset).turns) == 2
    assert read_from(file, "claude-code", size).turns == ()


def test_bad_lines_are_named_and_the_others_come(tmp_path: Path) -> None:
    long = b'{"x": "' + b"x" * MAX_LINE_BYTES + b'"}\n'
    good = encoded(claude(1, "user", "好"))
    file = tmp_path / "t.jsonl"
    file.write_bytes(b'\xef\xbb\xbf{"cut": \n\n' + b"\xff\n" + long + b"[1]\r\n" + good)
    part = read_from(file, "claude-code")
    assert said(part.turns) == [("user", "好", uuid(1))]
    assert [each.line for each in part.skipped] == [1, 3, 4, 5]
    assert all(each.bad for each in part.skipped)
    assert part.offset == file.stat().st_size
    assert [e.line for e in read(file, "claude-code") if isinstance(e, Skipped)] == [1, 3, 4, 5]


def test_fields_that_are_wrong_cost_their_line_only() -> None:
    found = imported(
        claude(1, "user", "a", uuid="x" * (MAX_NAME_BYTES + 1)),
        claude(2, "user", "b", timestamp="gestern"),
        claude(3, "user", "c", sessionId=["s"]),
        claude(4, "user", "\ud800"),
        claude(5, "user", None),
        claude(6, "user", [None, 7, {"type": 3}, {"type": "text"}]),
        {**claude(7, "user", "d"), "message": "d"},
        claude(8, "user", "e"),
    )
    assert said(found) == [("user", "e", uuid(8))]
    assert [e.line for e in found if isinstance(e, Skipped)] == [1, 2, 3, 4]


def test_case_41_our_own_notes_are_never_learnt() -> None:
    found = imported(
        claude(1, "user", f"{NOTES}\n\n预算改成 300"),
        claude(2, "user", f"<system-reminder>\nhook: {NOTES}\n</system-reminder>\n早"),
        claude(3, "user", NOTES),
        answer(4, f"> {NOTES}"),
        answer(5, f"The notes say:\n{NOTES.replace(chr(10), chr(13) + chr(10))}"),
    )
    assert [text for _, text, _ in said(found)] == ["预算改成 300", "早", "The notes say:"]
    left = [entry for entry in found if isinstance(entry, Skipped)]
    assert [(entry.line, entry.bad) for entry in left] == [(3, False), (4, False)]
    (codex,) = imported(meta(), completed(1, "UserMessage", NOTES, uuid(1)), layout="codex")
    assert isinstance(codex, Skipped)


def test_an_image_beside_a_text_is_reported() -> None:
    image = {"type": "image", "source": {}}
    turn, left = imported(claude(1, "user", [image, {"type": "text", "text": "看"}]))
    assert said([turn]) == [("user", "看", uuid(1))]
    assert left == Skipped(
        1, "content: 1 block without text left out; the turn was kept", bad=False
    )
    _, left = imported(claude(1, "user", [image, image, {"type": "text", "text": "看"}]))
    assert isinstance(left, Skipped)
    assert left.reason.startswith("content: 2 blocks")


def test_what_the_client_made_up_is_nobodys_word() -> None:
    made_up = answer(1, "No response requested.")
    assert isinstance(made_up["message"], dict)
    made_up["message"]["model"] = "<synthetic>"
    assert imported(made_up, answer(2, "(no content)"), claude(3, "user", "<bash-input>ls")) == []


def test_a_line_without_an_id_is_known_by_itself(tmp_path: Path) -> None:
    line = claude(1, "user", "无名")
    del line["uuid"], line["sessionId"]
    file = written(tmp_path, claude(2, "user", "甲"), line, name="会话.jsonl")
    (_, whole), (_, part) = list(read(file, "claude-code")), read_from(file, "claude-code").turns
    assert whole == part
    assert isinstance(part, Turn)
    assert part.external_id is not None
    assert part.external_id.startswith("line-")
    assert part.session == "会话"
    assert not part.unique_id


def test_lines_of_older_layouts_do_no_harm() -> None:
    old: list[Entry] = [
        {"type": "summary", "summary": "蓝色按钮", "leafUuid": uuid(1)},
        claude(2, "assistant", [{"type": "thinking", "thinking": "…"}, {"type": "text", "text": "好"},
                                {"type": "tool_use", "id": "t", "name": "x", "input": {}}]),
        {"type": "file-history-snapshot", "messageId": uuid(1), "snapshot": {}},
    ]  # fmt: skip
    found = list(read(io.BytesIO(encoded(*old))))
    assert said(found) == [("assistant", "好", uuid(2))]
    assert len(found) == 1


def test_the_file_of_a_sub_agent_of_codex_is_left_out(tmp_path: Path) -> None:
    turn = completed(1, "UserMessage", "find it", uuid(1))
    for more in ({"thread_source": "subagent"}, {"source": {"subagent": "review"}}):
        file = written(tmp_path, meta(**more), turn)
        assert read_from(file, "codex").turns == ()
        assert list(read(file)) == []
    renamed = written(tmp_path, {**meta(), "payload": {"id": "only-id"}}, turn)
    assert [each.session for each in read_from(renamed, "codex").turns] == ["only-id"]


def test_a_rollout_without_its_first_line_has_the_name_of_its_file(tmp_path: Path) -> None:
    turn = completed(1, "UserMessage", "早", uuid(1))
    file = written(tmp_path, turn, name="rollout-1.jsonl")
    file.write_bytes(b"{cut\n" + file.read_bytes())
    assert [each.session for each in read_from(file, "codex").turns] == ["rollout-1"]
    no_ordinal = completed(2, "AgentMessage", "早", "msg_1")
    del no_ordinal["ordinal"]
    (entry,) = imported(no_ordinal, layout="codex")
    assert isinstance(entry, Turn)
    assert (entry.external_id or "").startswith("line-")
    odd = [event(3, "item_completed"), {**meta(), "type": "event_msg", "payload": []}]
    unknown = event(4, "item_completed", {"type": "AgentMessage", "id": "m", "content": "text"})
    assert imported(*odd, unknown, layout="codex") == []


def test_a_transcript_names_its_session(tmp_path: Path) -> None:
    assert session_of(written(tmp_path, *conversation()), "claude-code") == SESSION
    assert session_of(written(tmp_path, *rollout()), "codex") == SESSION
    nothing: Entry = {"type": "summary"}
    nameless = written(tmp_path, *[nothing] * 60)
    nameless.write_bytes(b"{cut\n" + nameless.read_bytes())
    assert session_of(nameless, "claude-code") is None
    assert session_of(nameless, "codex") is None
    assert session_of(written(tmp_path), "codex") is None


def test_a_first_line_larger_than_the_look_ahead_is_recognised() -> None:
    text = "长" * DETECT_BYTES
    with read(io.BytesIO(encoded(claude(1, "user", text)))) as reading:
        assert reading.format == "claude-code"
        assert [turn.text for turn in reading if isinstance(turn, Turn)] == [text]


def test_what_cannot_be_read_says_so(tmp_path: Path) -> None:
    with pytest.raises(SourceMissing):
        read_from(tmp_path / "没有.jsonl", "codex")
    with pytest.raises(SourceMissing):
        session_of("a\0b", "codex")
    with pytest.raises(SourceError, match="not a plain file"):
        read_from(tmp_path, "claude-code")
    with pytest.raises(InvalidInput, match="cursor"):
        read_from(tmp_path, "cursor")
    with pytest.raises(SourceError, match="cannot be read"):
        read_from(tmp_path / ("长" * 300), "codex")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names are of POSIX")
def test_a_pipe_is_refused_instead_of_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SourceError, match="not a plain file"):
        read_from(tmp_path / "pipe", "claude-code")


def test_an_endless_line_takes_no_memory(tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    with file.open("wb") as stream:
        stream.truncate(3 * MAX_LINE_BYTES)  # NUL bytes, and no end of line
    tracemalloc.start()
    part = read_from(file, "claude-code")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert part == TranscriptPart((), 0)
    assert peak < 2 * MAX_LINE_BYTES


@given(st.lists(st.binary(max_size=60) | st.sampled_from(conversation()).map(encoded), max_size=8))
def test_any_bytes_are_read_and_both_entries_agree(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes]
) -> None:
    file = tmp_path_factory.getbasetemp() / "any.jsonl"
    file.write_bytes(b"".join(pieces) + b"\n")
    for client in ("claude-code", "codex"):
        part = read_from(file, client)
        assert part.offset == file.stat().st_size
        if b"\0" not in file.read_bytes()[:4] and not file.read_bytes().startswith(
            (b"\xff", b"\xfe")
        ):
            found = list(read(file, client))
            assert [e for e in found if isinstance(e, Turn)] == list(part.turns)
            assert [e for e in found if isinstance(e, Skipped)] == list(part.skipped)


def test_case_36_the_same_transcript_nine_times_is_one_set(engine: Engine, tmp_path: Path) -> None:
    file = written(tmp_path, *conversation())
    created = [engine.import_file(file).created for _ in range(9)]
    assert created == [len(CLAUDE_SAID), *[0] * 8]


def test_a_forked_session_stores_its_copies_once(engine: Engine, tmp_path: Path) -> None:
    copies = [{**line, "sessionId": "another"} for line in conversation()]
    engine.import_file(written(tmp_path, *conversation()))
    new = claude(40, "user", "在分支里说的", sessionId="another")
    report = engine.import_file(written(tmp_path, *copies, new, name="fork.jsonl"))
    assert (report.created, report.known) == (1, len(CLAUDE_SAID))
