"""What the tests of hooks share: sessions of every client in their own layouts, real processes.

Inputs and transcripts are made here, in the layouts that the clients write; none is a copy. A
`Talk` is one session of one client in a folder; it writes its transcript as the client would,
bookkeeping and injected notes included, and gives the JSON of each of its hooks.
"""

from __future__ import annotations

import json
import time
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from tests.acceptance.cli import Answer, environment, process

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping
    from pathlib import Path

CLIENTS = ("claude-code", "codex", "cursor", "gemini")
OWN_NAMES = {
    "claude-code": {"session-start": "SessionStart", "prompt": "UserPromptSubmit", "pre-compact": "PreCompact", "post-compact": "PostCompact", "stop": "Stop", "session-end": "SessionEnd"},
    "codex": {"session-start": "SessionStart", "prompt": "UserPromptSubmit", "pre-compact": "PreCompact", "post-compact": "PostCompact", "stop": "Stop"},
    "cursor": {"session-start": "sessionStart", "prompt": "beforeSubmitPrompt", "answer": "afterAgentResponse", "pre-compact": "preCompact", "stop": "stop", "session-end": "sessionEnd"},
    "gemini": {"session-start": "SessionStart", "prompt": "BeforeAgent", "answer": "AfterAgent", "pre-compact": "PreCompress", "session-end": "SessionEnd"},
}  # fmt: skip
BEGAN = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
SECONDS = 2.0  # in which a hook has ended whatever is wrong


@dataclass(frozen=True)
class Ran(Answer):
    """What a hook gave back, and how long it took by the clock."""

    seconds: float = 0.0

    @property
    def said(self) -> dict[str, Any]:
        """Standard output: one JSON object, or {} for nothing."""
        if not self.out:
            return {}
        document = json.loads(self.out.decode("utf-8"))
        assert isinstance(document, dict)
        return document

    @property
    def context(self) -> str:
        """What the model gets to see."""
        nested = self.said.get("hookSpecificOutput", {}).get("additionalContext", "")
        return str(nested or self.said.get("additional_context", ""))

    @property
    def message(self) -> str:
        """What the person gets to see."""
        return str(self.said.get("systemMessage", ""))

    @property
    def lines(self) -> list[str]:
        """Standard error."""
        return self.err.decode("utf-8").splitlines()

    def fine(self) -> Ran:
        """This answer of a hook with which nothing was wrong."""
        assert (self.code, self.lines) == (0, [])
        return self

    def told(self, words: str) -> Ran:
        """This answer of a hook that told the person something, wherever its client shows it."""
        assert self.code == 0
        assert words in self.message + "\n".join(self.lines)
        return self

    def failed(self, words: str) -> Ran:
        """This answer of a hook that told in one line what was wrong, in time."""
        assert self.code == 0
        assert len(self.lines) == 1, self.err
        assert words in self.lines[0]
        assert self.said == {} or set(self.said) <= {"systemMessage", "suppressOutput"}
        assert self.seconds < SECONDS
        return self


def run(
    event: str,
    data: object,
    *words: str,
    env: Mapping[str, str],
    cwd: str | os.PathLike[str] | None = None,
) -> Ran:
    """A hook as a process of its own. `data` is its input, bytes as they are, else as JSON."""
    given = data if isinstance(data, bytes) else json.dumps(data, ensure_ascii=False).encode()
    began = time.monotonic()
    answer = process("hook", event, *words, env=env, stdin=given, cwd=cwd)
    return Ran(answer.code, answer.out, answer.err, time.monotonic() - began)


@dataclass
class Talk:
    """One session of a client that works in `folder`, with the store in `home`."""

    client: str
    home: Path
    folder: Path
    session: str = field(default_factory=lambda: str(uuid.uuid4()))
    variables: dict[str, str] = field(default_factory=dict)
    number: int = 0

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.place = self.folder.parent / f".{self.client}" / "sessions"
        self.place.mkdir(parents=True, exist_ok=True)
        name = (
            f"rollout-2026-11-30T09-00-00-{self.session}"
            if self.client == "codex"
            else self.session
        )
        self.transcript = self.place / f"{name}.jsonl"
        self.parent: str | None = None
        if self.client == "codex":
            self._line({"type": "session_meta", "payload": {"id": self.session, "cwd": str(self.folder), "originator": "codex_exec"}})  # fmt: skip

    # -- what the client writes

    def user(self, text: str) -> None:
        """The person says something."""
        if self.client == "codex":
            self._item({"type": "UserMessage", "id": self._id(), "content": [{"type": "text", "text": text}]})  # fmt: skip
        else:
            self._claude("user", {"role": "user", "content": text}, promptSource="typed")

    def agent(self, text: str) -> None:
        """The agent answers."""
        if self.client == "codex":
            self._item({"type": "AgentMessage", "id": self._id(), "content": [{"type": "Text", "text": text}]})  # fmt: skip
        else:
            block = {"type": "text", "text": text}
            message = {"id": f"msg_{self._id()}", "type": "message", "role": "assistant", "content": [block]}  # fmt: skip
            self._claude("assistant", message)

    def tool(self, result: str, command: str = "make") -> None:
        """The agent runs a command and gets its output."""
        call = f"call_{self._id()}"
        if self.client == "codex":
            self._line({"type": "response_item", "payload": {"type": "function_call", "call_id": call, "name": "shell", "arguments": json.dumps({"command": command})}})  # fmt: skip
            self._line({"type": "response_item", "payload": {"type": "function_call_output", "call_id": call, "output": result}})  # fmt: skip
            return
        use = {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": command}}
        self._claude("assistant", {"id": f"msg_{call}", "role": "assistant", "content": [use]})
        answer = {"tool_use_id": call, "type": "tool_result", "content": result}
        self._claude(
            "user", {"role": "user", "content": [answer]}, toolUseResult={"stdout": result}
        )

    def injected(self, block: str, event: str = "UserPromptSubmit") -> None:
        """The client notes what a hook of ours gave it."""
        if not block:
            return
        if self.client == "codex":
            content = [{"type": "input_text", "text": block}]
            kinds = ["hooks.additional_context"]
            self._line({"type": "response_item", "payload": {"type": "message", "role": "developer", "content": content}, "metadata": {"content_item_kinds": kinds}})  # fmt: skip
            return
        found = {"type": "hook_additional_context", "content": [block], "hookName": event, "hookEvent": event}  # fmt: skip
        rendered = [{"content": f"<system-reminder>\n{block}\n</system-reminder>"}]
        self._claude_line({"attachment": found, "type": "attachment", "rendered": rendered})

    def meta(self, text: str) -> None:
        """An entry in the person's name that no person wrote: an identity file, a command."""
        if self.client == "codex":
            content = [{"type": "input_text", "text": text}]
            self._line({"type": "response_item", "payload": {"type": "message", "role": "user", "content": content}})  # fmt: skip
        else:
            self._claude("user", {"role": "user", "content": text}, isMeta=True)

    def _id(self) -> str:
        self.number += 1
        return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{self.session}/{self.number}"))

    def _now(self) -> str:
        moment = BEGAN + timedelta(seconds=self.number)
        return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def _claude(self, kind: str, message: Mapping[str, object], **more: object) -> None:
        self._claude_line({"type": kind, "message": message} | more)

    def _claude_line(self, entry: Mapping[str, object]) -> None:
        mine = self._id()
        frame = {"parentUuid": self.parent, "isSidechain": False, "uuid": mine}
        rest = {"timestamp": self._now(), "cwd": str(self.folder), "sessionId": self.session, "version": "2.1.327"}  # fmt: skip
        self._write({**frame, **entry, **rest})
        self.parent = mine

    def _item(self, item: Mapping[str, object]) -> None:
        payload = {
            "type": "item_completed",
            "thread_id": self.session,
            "turn_id": "t",
            "item": item,
        }
        self._line({"type": "event_msg", "payload": payload})

    def _line(self, entry: Mapping[str, object]) -> None:
        self.number += 1
        self._write({"timestamp": self._now(), "ordinal": self.number, **entry})

    def _write(self, entry: Mapping[str, object]) -> None:
        with self.transcript.open("ab") as stream:
            stream.write(json.dumps(entry, ensure_ascii=False).encode() + b"\n")

    # -- what the client tells its hooks

    def input(self, event: str, **more: object) -> dict[str, object]:
        """The JSON of one hook of this session."""
        name = OWN_NAMES[self.client].get(event, event)
        data: dict[str, object] = {"hook_event_name": name}
        if self.client == "cursor":
            data |= {"conversation_id": self.session, "generation_id": "gen-1", "model": "default", "cursor_version": "3.20", "workspace_roots": [str(self.folder)], "user_email": "ana@example.com", "transcript_path": None}  # fmt: skip
        else:
            data |= {"session_id": self.session, "transcript_path": str(self.transcript), "cwd": str(self.folder)}  # fmt: skip
        if self.client == "codex":
            data |= {"turn_id": "turn-1", "model": "gpt-5.2-codex", "permission_mode": "default"}
        if self.client == "gemini":
            data["timestamp"] = "2026-11-30T09:00:00.000Z"
        if event == "session-start":
            data["source"] = "startup"
        return data | more

    def hook(self, event: str, *words: str, **more: object) -> Ran:
        """Run one hook of this session as its client would."""
        env = environment(self.home, **self.variables)
        own = OWN_NAMES[self.client].get(event, event)
        return run(own, self.input(event, **more), "--client", self.client, *words, env=env, cwd=self.folder)  # fmt: skip


def secret_free(folder: Path, *secrets: str) -> bool:
    """Whether none of the secrets stands in any file under `folder`, in any of three encodings."""
    spelt = [s.encode(e) for s in secrets for e in ("utf-8", "utf-16-le", "utf-16-be")]
    return not any(
        wanted in path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
        for wanted in spelt
    )
