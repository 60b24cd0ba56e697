"""Rollouts of the Codex command line (0.171): what was said, nothing else.

A line is `{timestamp, ordinal, type, payload}`. What the person typed stands in the event
`item_completed` with a `UserMessage`, what Codex answered in one with an `AgentMessage`. The
`response_item` lines beside them are what the model was sent: the same words once more, and between
them instructions, the environment and what hooks injected. They are not read, and neither is any
type not known here.

The session is named by the file's first line. A turn is known by the id of its item where that is
one of its own; where a local model counts `msg_1` anew each time, by the line's ordinal. The file
of a sub-agent says so in its first line and is left out.
"""

from __future__ import annotations

import re

from memstone.errors import SourceError
from memstone.importers.said import Said, blocks_with_text, kind_of, turns
from memstone.importers.source import JsonObject, Line, Source, parse_line, skipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstone.types import Skipped, Turn

ROLES = {"usermessage": "user", "agentmessage": "assistant"}
SESSION_KEYS = ("session_id", "id")
_OWN_ID = re.compile(
    r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9A-Za-z]{1,8}_[0-9A-Za-z-]{24,}"
)


def recognises(entry: JsonObject) -> bool:
    """Whether one parsed line looks like one of these rollouts.

    >>> recognises({"timestamp": "2026-11-30T20:45:21Z", "type": "session_meta", "payload": {}})
    True
    """
    return (
        isinstance(entry.get("payload"), dict)
        and isinstance(entry.get("type"), str)
        and isinstance(entry.get("timestamp"), str)
    )


def read(source: Source) -> Iterator[Turn | Skipped]:
    """The turns of `source` in file order; a line that cannot be read comes as `Skipped`."""
    reader = Reader(source.stem)
    for line in source.lines():
        reader.begin(line)
        yield from reader.turns(line)


class Reader:
    """Reads the lines of one rollout; `begin` is given the first one, wherever it goes on."""

    def __init__(self, session: str) -> None:
        self._session: object = session
        self._default = session
        self._begun = False
        self._subagent = False

    def begin(self, line: Line) -> None:
        """Learn from the first line whose session the file holds."""
        if self._begun:
            return
        self._begun = True
        try:
            entry = parse_line(line)
        except SourceError:  # `turns` reports it; the file's name stands for the session
            return
        meta = entry.get("payload")
        if kind_of(entry) == "session_meta" and isinstance(meta, dict):
            self._session = session_in(entry) or self._default
            self._subagent = _is_subagent(meta)

    def turns(self, line: Line) -> Iterator[Turn | Skipped]:
        """The turn of a line if somebody says something in it."""
        try:
            entry = parse_line(line)
        except SourceError as error:
            yield skipped(line.number, error)
            return
        said = None if self._subagent else _said(entry, self._session)
        if said is not None:
            yield from turns(said, line, self._default)


def session_in(entry: JsonObject) -> object:
    """What an entry calls its session; only the first line of a file does."""
    meta = entry.get("payload")
    if kind_of(entry) != "session_meta" or not isinstance(meta, dict):
        return None
    return next((meta[key] for key in SESSION_KEYS if isinstance(meta.get(key), str)), None)


def _is_subagent(meta: JsonObject) -> bool:
    """Whether a file holds what one agent said to another, and not to a person."""
    source, thread = meta.get("source"), meta.get("thread_source")
    return isinstance(source, dict) or (isinstance(thread, str) and thread != "user")


def _said(entry: JsonObject, session: object) -> Said | None:
    """What is said in an entry, None if nobody says anything in it."""
    payload = entry.get("payload")
    if kind_of(entry) != "event_msg" or not isinstance(payload, dict):
        return None
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


def _own_id(value: object) -> str | None:
    """The id of an item if it cannot be another's: a UUID, or a long one like `msg_68c9…`."""
    return value if isinstance(value, str) and _OWN_ID.fullmatch(value) else None
