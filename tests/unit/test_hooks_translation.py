"""What each client says and wants to hear, without any store: the tables and the small parts."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from memstone.errors import InvalidInput, UsageError
from memstone.surfaces.hooks import clients, notices, process, working
from memstone.surfaces.hooks.events import Event, HookInput

if TYPE_CHECKING:
    from pathlib import Path

BLOCK = '<memstone-notes id="0123456789abcdef">\n- 按钮是蓝色的\n</memstone-notes>'
CLAUDE = {
    "session_id": "c0ffee00-0000-4000-8000-000000000001",
    "transcript_path": "/home/ana/.claude/projects/-home-ana-atlas/c0ffee00.jsonl",
    "cwd": "/home/ana/atlas",
    "prompt_id": "p-1",
    "permission_mode": "default",
}
CODEX = {
    "session_id": "01a2-codex",
    "turn_id": "turn-7",
    "transcript_path": "/home/ana/.codex/sessions/2026/11/30/rollout-2026-11-30T20-45-21-01a2.jsonl",
    "cwd": "/home/ana/atlas",
    "model": "gpt-5.2-codex",
    "permission_mode": "default",
}
CURSOR = {
    "conversation_id": "conv-3",
    "generation_id": "gen-9",
    "model": "default",
    "cursor_version": "3.20",
    "workspace_roots": ["/home/ana/atlas", "/home/ana/other"],
    "user_email": "ana@example.com",
    "transcript_path": None,
}
GEMINI = {
    "session_id": "gem-4",
    "transcript_path": "/home/ana/.gemini/tmp/x/chats/session.json",
    "cwd": "/home/ana/atlas",
    "timestamp": "2026-11-30T20:45:21.000Z",
}
CASES: list[tuple[str, str, Event, dict[str, Any], dict[str, str]]] = [
    ("claude-code", "SessionStart", Event.SESSION_START, CLAUDE | {"source": "compact"}, {"source": "compact"}),
    ("claude-code", "UserPromptSubmit", Event.PROMPT, CLAUDE | {"prompt": "预算多少？"}, {"prompt": "预算多少？", "key": "p-1"}),
    ("claude-code", "PreCompact", Event.PRE_COMPACT, CLAUDE | {"trigger": "auto", "custom_instructions": None}, {}),
    ("claude-code", "PostCompact", Event.POST_COMPACT, CLAUDE | {"compact_summary": "完"}, {"summary": "完"}),
    ("claude-code", "Stop", Event.STOP, CLAUDE | {"stop_hook_active": False, "background_tasks": []}, {}),
    ("claude-code", "SessionEnd", Event.SESSION_END, CLAUDE | {"reason": "logout"}, {}),
    ("codex", "SessionStart", Event.SESSION_START, CODEX | {"source": "startup"}, {"source": "startup"}),
    ("codex", "UserPromptSubmit", Event.PROMPT, CODEX | {"prompt": "run it"}, {"prompt": "run it", "key": "turn-7"}),
    ("codex", "Stop", Event.STOP, CODEX | {"transcript_path": None}, {"transcript": ""}),
    ("cursor", "sessionStart", Event.SESSION_START, CURSOR | {"composer_mode": "agent"}, {}),
    ("cursor", "beforeSubmitPrompt", Event.PROMPT, CURSOR | {"prompt": "改", "attachments": []}, {"prompt": "改", "key": "gen-9"}),
    ("cursor", "afterAgentResponse", Event.ANSWER, CURSOR | {"text": "好"}, {"answer": "好"}),
    ("cursor", "stop", Event.STOP, CURSOR | {"status": "completed", "loop_count": 0}, {}),
    ("cursor", "sessionEnd", Event.SESSION_END, CURSOR | {"reason": "user_close"}, {}),
    ("gemini", "SessionStart", Event.SESSION_START, GEMINI | {"source": "clear"}, {"source": "clear"}),
    ("gemini", "BeforeAgent", Event.PROMPT, GEMINI | {"prompt": "hi"}, {"prompt": "hi"}),
    ("gemini", "AfterAgent", Event.ANSWER, GEMINI | {"prompt": "hi", "prompt_response": "你好"}, {"prompt": "hi", "answer": "你好"}),
    ("gemini", "PreCompress", Event.PRE_COMPACT, GEMINI | {"trigger": "manual"}, {}),
    ("codex", "SessionEnd", Event.SESSION_END, CODEX | {"reason": "other"}, {}),
    ("gemini", "SessionEnd", Event.SESSION_END, GEMINI | {"reason": "exit"}, {}),
]  # fmt: skip
SESSIONS = {"claude-code": CLAUDE["session_id"], "codex": "01a2-codex", "cursor": "conv-3", "gemini": "gem-4"}  # fmt: skip


@pytest.mark.parametrize(("client", "name", "event", "data", "told"), CASES)
def test_each_client_is_recognised_and_understood(
    client: str, name: str, event: Event, data: dict[str, Any], told: dict[str, str]
) -> None:
    whole = data | {"hook_event_name": name}
    assert clients.guessed(whole).name == client
    assert clients.event_named(name) is event
    assert clients.event_named(event.value) is event
    given = clients.heard(whole, clients.CLIENTS[client], event, windows=False)
    assert given.session == SESSIONS[client]
    assert given.cwd == "/home/ana/atlas"
    assert {field: getattr(given, field) for field in told} == told
    assert "ana@example.com" not in repr(given)


@pytest.mark.parametrize(("client", "name", "event", "data", "told"), CASES)
def test_the_answer_has_the_shape_of_its_client(
    client: str, name: str, event: Event, data: dict[str, Any], told: dict[str, str]
) -> None:
    table = clients.CLIENTS[client]
    assert clients.spelt(table, event) == {}
    answer = clients.spelt(table, event, BLOCK, "说明")
    takes_context = event in (Event.SESSION_START, Event.PROMPT)
    if client == "cursor":
        assert answer == ({"additional_context": BLOCK} if takes_context else {})
        return
    assert answer["systemMessage"] == "说明"
    if takes_context:
        assert answer["hookSpecificOutput"] == {"hookEventName": name, "additionalContext": BLOCK}
    else:  # a stop with context would make the agent go on; others have no room for it
        assert "hookSpecificOutput" not in answer
    assert set(answer) <= {"hookSpecificOutput", "systemMessage", "suppressOutput"}
    assert {"continue", "decision", "reason", "stopReason"}.isdisjoint(answer)
    json.dumps(answer, ensure_ascii=False).encode("utf-8")


def test_codex_gets_only_the_keys_of_its_strict_schema() -> None:
    for event in Event:
        answer = clients.spelt(clients.CODEX, event, BLOCK, "m")
        assert set(answer) <= {"systemMessage", "hookSpecificOutput"}


def test_events_without_work_for_us_are_known_and_strangers_are_refused() -> None:
    for name in ("PostToolUse", "PreToolUse", "SubagentStop", "AfterTool", "afterFileEdit"):
        assert clients.event_named(name) is None
    with pytest.raises(InvalidInput, match="上课"):
        clients.event_named("上课")
    with pytest.raises(InvalidInput, match="emacs"):
        clients.client_named("emacs")


@pytest.mark.parametrize("value", [7, ["x"], {"a": 1}, True])
def test_a_field_of_a_wrong_type_is_named(value: object) -> None:
    with pytest.raises(InvalidInput, match="prompt: a text is expected"):
        clients.heard(CLAUDE | {"prompt": value}, clients.CLAUDE_CODE, Event.PROMPT)


def test_half_a_character_is_replaced_and_a_folder_with_nul_refused() -> None:
    given = clients.heard(CLAUDE | {"prompt": "猫\ud83d"}, clients.CLAUDE_CODE, Event.PROMPT)
    assert given.prompt == "猫?"
    with pytest.raises(InvalidInput, match="cwd"):
        clients.heard(CLAUDE | {"cwd": "/a\0b"}, clients.CLAUDE_CODE, Event.PROMPT)


def test_a_workspace_of_cursor_on_windows_loses_its_leading_slash() -> None:
    data = CURSOR | {"workspace_roots": ["/c:/Users/安娜/shop"]}
    assert clients.heard(data, clients.CURSOR, Event.STOP, windows=True).cwd == "c:/Users/安娜/shop"
    assert clients.heard(data, clients.CURSOR, Event.STOP, windows=False).cwd[0] == "/"
    none = CURSOR | {"workspace_roots": []}
    assert clients.heard(none, clients.CURSOR, Event.STOP).cwd == ""


def test_there_is_nothing_to_do_without_a_text() -> None:
    def concerned(client: str, event: Event, **said: str) -> bool:
        given = HookInput(event=event, client=client, **said)
        return clients.concerned(given, clients.CLIENTS[client])

    assert concerned("claude-code", Event.SESSION_START)
    assert concerned("cursor", Event.SESSION_END)
    assert concerned("claude-code", Event.STOP, transcript="/t.jsonl")
    assert not concerned("claude-code", Event.STOP)
    assert not concerned("codex", Event.STOP)
    assert not concerned("cursor", Event.STOP, transcript="/t.jsonl")
    assert not concerned("gemini", Event.PRE_COMPACT, transcript="/t.jsonl")
    assert not concerned("claude-code", Event.PROMPT, prompt=" \n", transcript="/t.jsonl")
    assert concerned("claude-code", Event.POST_COMPACT, summary="总结")
    assert concerned("gemini", Event.ANSWER, answer="好")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["stop"], process.Options(event="stop")),
        (["stop", "--client", "codex", "--work"], process.Options(event="stop", client="codex", work=True)),
        (["--home", "/m", "prompt"], process.Options(event="prompt", home="/m")),
        (["--client=gemini", "--check", "--json", "BeforeAgent"], process.Options(event="BeforeAgent", client="gemini", check=True)),
        ([], process.Options()),
    ],
)  # fmt: skip
def test_the_words_of_a_hook_are_read_without_argparse(
    words: list[str], told: process.Options
) -> None:
    assert process.parse(words) == told


@pytest.mark.parametrize("words", [["stop", "again"], ["--nonsense"], ["--client"], ["-x"]])
def test_wrong_words_are_a_usage_error(words: list[str]) -> None:
    with pytest.raises(UsageError):
        process.parse(words)


def test_only_the_verb_is_taken_for_a_hook() -> None:
    assert process.words_of(["hook", "stop", "--client", "codex"]) == ["stop", "--client", "codex"]
    assert process.words_of(["--home", "hook", "hook", "stop"]) == ["--home", "hook", "stop"]
    for other in (["recall", "hook"], ["--home", "hook"], ["hook", "--help"], ["help", "hook"], []):
        assert process.words_of(other) is None


def notice(code: str, when: str = "2026-11-30T20:45:21Z", message: str = "店 is busy") -> notices.Notice:  # fmt: skip
    return notices.Notice(code, message, "prompt", "claude-code", 1, when, when)


def test_notices_of_one_code_are_merged_and_told_once(tmp_path: Path) -> None:
    home = str(tmp_path)
    assert notices.waiting(home) == ()
    for hour in range(3):
        assert notices.add(home, notice("store_busy", f"2026-11-30T1{hour}:00:00Z", f"busy {hour}"))
    assert notices.add(home, notice("store_damaged"))
    busy, damaged = notices.waiting(home)
    assert (busy.count, busy.first, busy.last) == (
        3,
        "2026-11-30T10:00:00Z",
        "2026-11-30T12:00:00Z",
    )
    assert busy.message == "busy 2"
    told = notices.sentence((busy, damaged))
    assert "3 times" in told
    assert "店 is busy" in told
    assert len(told.splitlines()) == 2
    assert notices.told(home, (busy, damaged))
    assert notices.waiting(home) == ()
    assert os.listdir(home) == []
    assert notices.told(home, (busy,)), "nothing to forget is no failure"


def test_a_notice_that_came_while_telling_stays(tmp_path: Path) -> None:
    home = str(tmp_path)
    notices.add(home, notice("store_busy"))
    seen = notices.waiting(home)
    notices.add(home, notice("store_busy", "2026-12-01T00:00:00Z"))
    notices.add(home, notice("config_error"))
    notices.told(home, seen)
    assert [one.code for one in notices.waiting(home)] == ["store_busy", "config_error"]


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b'{"notices": 7}', b'{"notices": [{"code": "x"}]}', b"\xff", b"[" * 100_000,
     b'{"notices": [{"code": 1, "message": "", "event": "", "client": "", "count": 1, "first": "", "last": ""}]}'],
)  # fmt: skip
def test_a_damaged_file_of_notices_counts_as_empty(tmp_path: Path, content: bytes) -> None:
    home = str(tmp_path)
    (tmp_path / notices.FILE).write_bytes(content)
    assert notices.waiting(home) == ()
    assert notices.add(home, notice("store_busy"))
    assert len(notices.waiting(home)) == 1


def test_no_folder_is_made_for_a_notice_and_the_list_stays_short(tmp_path: Path) -> None:
    missing = str(tmp_path / "没有")
    assert not notices.add(missing, notice("store_busy"))
    assert not os.path.exists(missing)
    for number in range(notices.MOST_KINDS + 5):
        notices.add(str(tmp_path), notice(f"code_{number}"))
    kept = notices.waiting(str(tmp_path))
    assert len(kept) == notices.MOST_KINDS
    assert kept[-1].code == f"code_{notices.MOST_KINDS + 4}"
    assert os.listdir(tmp_path) == [notices.FILE]
    assert replace(kept[0], count=2).count == 2


def test_the_worker_is_the_command_itself_with_a_limit() -> None:
    words = working.command("")
    assert words[1:] == ["-I", "-m", "memstone", "work", "--max-seconds", "60"]
    assert working.command("/m 记")[-2:] == ["--home", "/m 记"]
