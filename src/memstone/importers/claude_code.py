"""Transcripts of Claude Code (2.1, and what 1.x shares with it): what was said, nothing else.

A line is one entry; an answer of several blocks is written as several lines. Each line with text is
a turn of its own under its `uuid`, never merged with its neighbours: wherever a hook stopped
reading, and a file read whole, give the same turns. A forked session copies lines with their ids
into a new file, so that an id counts beyond its session.

The client's own words are no conversation: what it injected (`isMeta`, system reminders), summaries
of a compacted session, slash commands and their output, notices of an interruption, made-up answers
to a failed request. Neither are tool results, thinking, attachments and every type not known here.
Sub-agents talk to the agent, not to the person: what stands in their lines as a user's words was
written by an agent, and their answer is a tool's result. Their lines are left out, and a file that
holds nothing else (`agent-….jsonl`) is reported as one.
"""

from __future__ import annotations

import contextlib
import re
from functools import cache

from memstone.errors import SourceError
from memstone.importers.said import Said, blocks_with_text, kind_of, turns
from memstone.importers.source import JsonObject, Line, Source, parse_line, skipped
from memstone.types import Skipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstone.types import Turn

NOT_SAID = ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isSidechain")
NOT_ANSWERED = ("isApiErrorMessage", "isSidechain")
COMMANDS = ("<command-", "<local-command", "<bash-", "<task-notification")  # a text begins so
INTERRUPTIONS = ("[Request interrupted by user]", "[Request interrupted by user for tool use]")
MADE_UP = "<synthetic>"  # the model of an answer that no model gave
NO_TEXT = "(no content)"
CONTINUED = "This session is being continued from a previous conversation"  # 1.x has no mark for it
OF_A_SUBAGENT = "isSidechain: the file of a sub-agent, whom no person talks to; all of it left out"
_REMINDER = r"<system-reminder>.*?(?:</system-reminder>|\Z)"
_SILENT = frozenset({"tool_use", "tool_result", "thinking", "redacted_thinking"})


def recognises(entry: JsonObject) -> bool:
    """Whether one parsed line looks like one of these transcripts.

    >>> recognises({"type": "user", "sessionId": "s", "message": {}})
    True
    """
    if not isinstance(entry.get("type"), str):
        return False
    message = entry.get("message")
    if isinstance(message, dict) and kind_of(entry) == message.get("role"):
        return True
    old = ("leafUuid", "messageId")  # of entries of 1.x that name no session
    return isinstance(entry.get("sessionId"), str) or any(
        isinstance(entry.get(key), str) for key in old
    )


def recognises_start(head: bytes) -> bool:
    """Whether the head of a line too long to parse holds a key that only this layout has."""
    return head.lstrip()[:1] == b"{" and (b'"parentUuid"' in head or b'"isSidechain"' in head)


def read(source: Source) -> Iterator[Turn | Skipped]:
    """The turns of `source` in file order; a line that cannot be read comes as `Skipped`."""
    reader = Reader(source.stem)
    for line in source.lines():
        reader.begin(line, b"")
        yield from reader.turns(line)


class Reader:
    """Reads the lines of one transcript, from wherever it is begun."""

    def __init__(self, session: str) -> None:
        self._session = session
        self._begun = False
        self._subagent: Line | None = None  # the first line of the file of one

    def begin(self, line: Line, head: bytes) -> None:  # noqa: ARG002  `head` is for other layouts
        """Look at the first line of the file: it says whether the file is a sub-agent's."""
        if self._begun:
            return
        self._begun = True
        with contextlib.suppress(SourceError):  # `turns` reports it
            self._subagent = line if parse_line(line).get("isSidechain") is True else None

    def turns(self, line: Line) -> Iterator[Turn | Skipped]:
        """The turn of a line if somebody says something in it."""
        try:
            entry = parse_line(line)
        except SourceError as error:
            yield skipped(line.number, error)
            return
        if line == self._subagent:
            yield Skipped(line.number, OF_A_SUBAGENT, bad=False)
        said = _said(entry)
        if said is not None:
            yield from turns(said, line, self._session)


def session_in(entry: JsonObject) -> object:
    """What an entry calls its session."""
    return entry.get("sessionId")


def _said(entry: JsonObject) -> Said | None:
    """What is said in an entry, None if that is nobody's words."""
    role = kind_of(entry)
    message = entry.get("message")
    if role not in {"user", "assistant"} or not isinstance(message, dict):
        return None
    if any(entry.get(mark) for mark in (NOT_SAID if role == "user" else NOT_ANSWERED)):
        return None
    if message.get("model") == MADE_UP:
        return None
    content = message.get("content")
    blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
    kinds = [kind_of(block) for block in blocks if isinstance(block, dict)]
    if role == "user" and "tool_result" in kinds:
        return None
    text = "\n".join(blocks_with_text(blocks))
    if role == "user":
        text = _own_words(text)
    return Said(
        role=role,
        text="" if text.strip() == NO_TEXT else text,
        session=session_in(entry),
        at=entry.get("timestamp"),
        key=entry.get("uuid"),
        unique=True,
        left_out=sum(kind not in _SILENT | {"text"} for kind in kinds),
    )


def _own_words(text: str) -> str:
    """What the person typed of a text, "" if it is the client's."""
    if "<system-reminder>" in text:
        text = _reminder().sub("", text).strip()
    typed = text.strip()
    made_up = typed.startswith((*COMMANDS, CONTINUED)) or typed in INTERRUPTIONS
    return "" if made_up else text


@cache
def _reminder() -> re.Pattern[str]:
    return re.compile(_REMINDER, re.DOTALL)
