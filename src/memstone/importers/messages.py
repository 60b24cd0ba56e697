"""Conversations as chat programs keep them: an array of messages, or `{"messages": […]}`.

A file holds one conversation (a JSON array of messages, or one object with `messages`), several in
an array, or one a line, as training files have them. A message is read as a line of the plain
layout is (`chat`). A conversation is a session: it is named by its `session`, `id`,
`conversation_id` or `thread_id`, else by the file and its number there, so that a file that grows
keeps its names; a message may name its own. A bad message counts like a good one, so that the
others keep their places when it is repaired. A message without a time has that of its conversation,
if that has one.

Entries are numbered over the whole file, because a JSON value has no useful lines; with a
conversation a line, it is the line.
"""

from __future__ import annotations

import re
from dataclasses import replace

from memstone.errors import MemstoneError, SourceError
from memstone.importers import chat
from memstone.importers.source import (
    JsonObject,
    Line,
    Source,
    name_field,
    parse_json,
    parse_value,
    skipped,
)
from memstone.types import Skipped, Turn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

NAMES = ("session", "id", "conversation_id", "thread_id")  # the first that is there
_KEY = re.compile(rb'(?<!\\)"(?:messages"\s*:\s*\[|(?:role|speaker)"\s*:)')
_MESSAGES = re.compile(rb'(?<!\\)"messages"\s*:\s*\[')


def recognises(value: object) -> bool:
    """Whether one parsed value is a conversation, or several.

    >>> recognises([{"role": "user", "content": "你好"}]), recognises({"messages": []})
    (True, True)
    """
    if isinstance(value, dict):
        return isinstance(value.get("messages"), list)
    if not isinstance(value, list):
        return False
    return any(isinstance(one, dict) and _is_entry(one) for one in value)


def recognises_start(head: bytes) -> bool:
    """Whether the head of a file too long to parse opens a conversation of this layout."""
    opening = head.lstrip()[:1]
    if opening == b"[":
        return _KEY.search(head) is not None
    return opening == b"{" and _MESSAGES.search(head) is not None


def read(source: Source, *, by_line: bool) -> Iterator[Turn | Skipped]:
    """The turns of `source` in file order; a message that is none comes as `Skipped`.

    `by_line` if each line is a conversation of its own. Raises `SourceError` if the file is not of
    this layout.
    """
    if by_line:
        return _lines(source)
    try:
        value = parse_json(source.document())
    except SourceError as error:
        raise SourceError(f"{source.name}: {error.message}", path=source.name) from error
    if not recognises(value):
        raise SourceError(
            f"{source.name}: no entry of it is a message or a conversation",
            hint='a message is written {"role": …, "content": …}',
            path=source.name,
        )
    return _entries(source, list(_conversations(value)))


def _is_entry(value: JsonObject) -> bool:
    return "role" in value or "speaker" in value or isinstance(value.get("messages"), list)


def _conversations(value: object) -> Iterator[JsonObject]:
    """Every conversation of a value, as an object; messages that stand alone are one together."""
    if isinstance(value, dict):
        yield value
        return
    entries = value if isinstance(value, list) else []
    if not any(isinstance(one, dict) and isinstance(one.get("messages"), list) for one in entries):
        yield {"messages": entries}
        return
    for one in entries:
        yield one if isinstance(one, dict) else {"messages": None}


def _entries(source: Source, conversations: list[JsonObject]) -> Iterator[Turn | Skipped]:
    counts: dict[str, int] = {}
    for number, conversation in enumerate(conversations, start=1):
        default = f"{source.stem}-{number}"
        for message in _messages(conversation):
            source.line += 1
            yield from _turns(message, conversation, default, (counts, source.line))


def _lines(source: Source) -> Iterator[Turn | Skipped]:
    counts: dict[str, int] = {}
    for line in source.lines():
        try:
            conversations = list(_conversations(_value_of(line)))
        except SourceError as error:
            yield skipped(line.number, error)
            continue
        for conversation in conversations:
            for message in _messages(conversation):
                default = f"{source.stem}-{line.number}"
                yield from _turns(message, conversation, default, (counts, line.number))


def _value_of(line: Line) -> object:
    value = parse_value(line)
    if not recognises(value):
        raise SourceError('the line is no conversation: no "messages" in it')
    return value


def _messages(conversation: JsonObject) -> Iterable[object]:
    messages = conversation.get("messages")
    return messages if isinstance(messages, list) else [None]


def _turns(
    message: object, conversation: JsonObject, default: str, place: tuple[dict[str, int], int]
) -> Iterator[Turn | Skipped]:
    """The turn of one message, or why there is none; `place` is (turns by session, number)."""
    counts, number = place
    session = default
    try:
        session = _name(conversation) or default
        said_at = chat.said_at(conversation)
        if not isinstance(message, dict):
            raise SourceError("a message is not an object")
        session = name_field(message.get("session"), "session") or session
    except MemstoneError as error:
        counts[session] = counts.get(session, 0) + 1
        yield skipped(number, error)
        return
    counts[session] = counts.get(session, 0) + 1
    for entry in chat.entries(message, session, counts[session], number):
        dated = isinstance(entry, Turn) and entry.at is None
        yield replace(entry, at=said_at) if isinstance(entry, Turn) and dated else entry


def _name(conversation: JsonObject) -> str | None:
    names = (name_field(conversation.get(key), key) for key in NAMES)
    return next((name for name in names if name is not None), None)
