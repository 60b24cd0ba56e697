"""Rollouts of the Codex command line: what was said, nothing else.

Since 0.171 a line is `{timestamp, ordinal, type, payload}`: what the person typed stands in the
event `item_completed` with a `UserMessage`, what Codex answered in one with an `AgentMessage`. In
0.4x lines have no ordinal and the events are `user_message` and `agent_message`. The
`response_item` lines beside the events are what the model was sent: the same words once more, and
between them instructions, the environment and what hooks injected. They are read only where there
is nothing else: in files that hold no event, and in the oldest ones, whose lines are those items
alone behind a line that names the session and its day; what the client put there is left out.

A turn is known by the id of its item where that is one of its own; where a local model counts
`msg_1` anew each time, by the line's ordinal, else by the line. The file of a sub-agent says so in
its first line and is left out.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from memstone.errors import SourceError
from memstone.importers.said import Said, blocks_with_text, kind_of, line_key, turns
from memstone.importers.source import JsonObject, Line, Source, parse_line, skipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstone.types import Skipped, Turn

ROLES = {"usermessage": "user", "agentmessage": "assistant"}
EVENTS = {"user_message": "user", "agent_message": "assistant"}  # of 0.4x
ROLES_SENT = frozenset({"user", "assistant"})  # others are the client's
SESSION_KEYS = ("session_id", "id")
LOOK_BYTES = 1024 * 1024  # in which a file with events has its first one
ITEMS = frozenset({"reasoning", "function_call", "function_call_output", "local_shell_call"})
BARE_KEYS = frozenset({"type", "id", "role", "content", "status", "phase"})
BLOCKS_SENT = frozenset({"input_text", "output_text"})
NOT_TYPED = (  # how a text begins that the client sent in the person's name
    "<environment_context>", "<ENVIRONMENT_CONTEXT>", "<user_instructions>", "<INSTRUCTIONS>",
    "<permissions instructions>", "<skills_instructions>", "<skill>", "<turn_aborted>",
    "<user_shell_command>", "<user_action>", "<subagent_notification>", "<collaboration_mode>",
    "<model_switch>", "# AGENTS.md instructions",
)  # fmt: skip
_OWN_ID = re.compile(
    r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9A-Za-z]{1,8}_[0-9A-Za-z-]{24,}"
)


def recognises(entry: JsonObject) -> bool:
    """Whether one parsed line looks like one of these rollouts.

    >>> recognises({"timestamp": "2026-11-30T20:45:21Z", "type": "session_meta", "payload": {}})
    True
    """
    if isinstance(entry.get("payload"), dict):
        return isinstance(entry.get("type"), str) and isinstance(entry.get("timestamp"), str)
    bare = kind_of(entry) in ITEMS and ("call_id" in entry or "summary" in entry)
    return bare or "record_type" in entry or _is_bare_meta(entry) or _is_bare_message(entry)


def read(source: Source) -> Iterator[Turn | Skipped]:
    """The turns of `source` in file order; a line that cannot be read comes as `Skipped`."""
    reader = Reader(source.stem)
    head = source.head(LOOK_BYTES)
    for line in source.lines():
        reader.begin(line, head)
        yield from reader.turns(line)


class Reader:
    """Reads the lines of one rollout; `begin` is given the first one, wherever it goes on."""

    def __init__(self, session: str) -> None:
        self._session: object = session
        self._default = session
        self._begun = False
        self._subagent = False
        self._events = True
        self._started: object = None  # when, in files whose lines have no time
        self._undated: Counter[str] = Counter()

    def begin(self, line: Line, head: bytes) -> None:
        """Learn from the first line whose session the file holds, from its head of what layout."""
        if self._begun:
            return
        self._begun = True
        self._events = b'"event_msg"' in head  # within a text the quotation marks are escaped
        try:
            entry = parse_line(line)
        except SourceError:  # `turns` reports it; the file's name stands for the session
            return
        self._session = session_in(entry) or self._default
        meta = entry.get("payload")
        if kind_of(entry) == "session_meta" and isinstance(meta, dict):
            self._subagent = _is_subagent(meta)
        elif _is_bare_meta(entry):
            self._started = entry.get("timestamp")

    def turns(self, line: Line) -> Iterator[Turn | Skipped]:
        """The turn of a line if somebody says something in it."""
        try:
            entry = parse_line(line)
        except SourceError as error:
            yield skipped(line.number, error)
            return
        said = None if self._subagent else self._said(entry, line)
        if said is not None:
            yield from turns(said, line, self._default)

    def _said(self, entry: JsonObject, line: Line) -> Said | None:
        """What is said in an entry, None if nobody says anything in it."""
        payload = entry.get("payload")
        if kind_of(entry) == "event_msg" and isinstance(payload, dict):
            old = "ordinal" not in entry and kind_of(payload) in EVENTS
            return (_announced if old else _completed)(entry, payload, self._session)
        if kind_of(entry) == "response_item" and isinstance(payload, dict):
            alone = not self._events and "ordinal" not in entry
            return _sent(payload, self._session, entry.get("timestamp")) if alone else None
        if not _is_bare_message(entry):
            return None
        said = _sent(entry, self._session, self._started)
        return None if said is None else self._told_apart(said, line)

    def _told_apart(self, said: Said, line: Line) -> Said:
        """Two lines without a time may be the same to the letter and not the same turn."""
        key = line_key(line)
        self._undated[key] += 1
        again = said.key is None and self._undated[key] > 1
        return replace(said, key=f"{key}-{self._undated[key]}") if again else said


def session_in(entry: JsonObject) -> object:
    """What an entry calls its session; only the first line of a file does."""
    if _is_bare_meta(entry):
        return entry.get("id")
    meta = entry.get("payload")
    if kind_of(entry) != "session_meta" or not isinstance(meta, dict):
        return None
    return next((meta[key] for key in SESSION_KEYS if isinstance(meta.get(key), str)), None)


def _is_subagent(meta: JsonObject) -> bool:
    """Whether a file holds what one agent said to another, and not to a person."""
    source, thread = meta.get("source"), meta.get("thread_source")
    return isinstance(source, dict) or (isinstance(thread, str) and thread != "user")


def _is_bare_meta(entry: JsonObject) -> bool:
    """Whether a line is the first one of the oldest files."""
    named = isinstance(entry.get("id"), str) and isinstance(entry.get("timestamp"), str)
    return named and "instructions" in entry and "type" not in entry and "role" not in entry


def _is_bare_message(entry: JsonObject) -> bool:
    """Whether a line is a message as the oldest files hold it, and not one of a plain chat."""
    content = entry.get("content")
    if kind_of(entry) != "message" or not isinstance(content, list):
        return False
    blocks = [block for block in content if isinstance(block, dict)]
    return entry.keys() <= BARE_KEYS and any(kind_of(block) in BLOCKS_SENT for block in blocks)


def _completed(entry: JsonObject, payload: JsonObject, session: object) -> Said | None:
    """What an event says that completes an item."""
    item = payload.get("item")
    if kind_of(payload) != "item_completed" or not isinstance(item, dict):
        return None
    role = ROLES.get(kind_of(item))
    content = item.get("content")
    if role is None or not isinstance(content, list):
        return None
    texts = blocks_with_text(content)
    own = _own_id(item.get("id"))
    ordinal = entry.get("ordinal")
    return Said(
        role=role,
        text="\n".join(texts),
        session=session,
        at=entry.get("timestamp"),
        key=own or (f"ordinal-{ordinal}" if isinstance(ordinal, int) else None),
        unique=own is not None,
        left_out=len(content) - len(texts),
    )


def _announced(entry: JsonObject, payload: JsonObject, session: object) -> Said | None:
    """What an event of 0.4x says; some of them carry instructions instead."""
    text, images = payload.get("message"), payload.get("images")
    if not isinstance(text, str) or payload.get("kind", "plain") not in {"plain", None}:
        return None
    return Said(
        role=EVENTS[kind_of(payload)],
        text="" if text.startswith(NOT_TYPED) else text,
        session=session,
        at=entry.get("timestamp"),
        key=None,
        left_out=len(images) if isinstance(images, list) else 0,
    )


def _sent(message: JsonObject, session: object, at: object) -> Said | None:
    """What a message says that the model was sent or gave."""
    role, content = message.get("role"), message.get("content")
    if kind_of(message) != "message" or role not in ROLES_SENT or not isinstance(content, list):
        return None
    blocks = [block for block in content if isinstance(block, dict)]
    texts = [block.get("text") for block in blocks if kind_of(block) in BLOCKS_SENT]
    own = _own_id(message.get("id"))
    typed = [t for t in texts if isinstance(t, str) and not t.lstrip().startswith(NOT_TYPED)]
    return Said(
        role=str(role),
        text="\n".join(typed),
        session=session,
        at=at,
        key=own,
        unique=own is not None,
        left_out=len(content) - len(texts),
    )


def _own_id(value: object) -> str | None:
    """The id of an item if it cannot be another's: a UUID, or a long one like `msg_68c9…`."""
    return value if isinstance(value, str) and _OWN_ID.fullmatch(value) else None
