"""A plain conversation, one turn a line: `{"role", "content", "at", "session"}`.

Optional keys: `speaker` or `name` (else the role speaks), `id` or `external_id`, `tags`; `content`
may be called `text`, and `at` as in `TIME_KEYS`. `content` is text or a list of blocks, of which
those with text are joined by line breaks; when others (images, tool calls) stand beside them, the
turn is kept and the report says how many blocks were left out.
A system prompt is not something anyone said, and would come back as a memory in every session
(97.8 % of one peer's store was that): it is skipped, and the report says so.

The ordinal of a turn is its place in its session, counted over lines, bad ones included: a line
that is repaired later, or a second import, leaves the identity of all others as it was. A line
too damaged to name its session counts in the session before it.
"""

from __future__ import annotations

import re

from memstone.errors import MemstoneError, SourceError
from memstone.importers.source import (
    JsonObject,
    Line,
    Source,
    name_field,
    parse_line,
    skipped,
    tags_field,
    time_field,
    turn_text,
    values_in,
)
from memstone.types import Skipped, Trust, Turn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

TRUST = {
    "user": Trust.USER,
    "assistant": Trust.AGENT,
    "tool": Trust.TOOL,
    "function": Trust.TOOL,
}
TIME_KEYS = ("at", "timestamp", "created_at", "time", "date")  # the first that is there
INSTRUCTION_ROLES = frozenset({"system", "developer"})
CALLS = ("tool_calls", "function_call")  # beside them a message has no content
TEXT_BLOCKS = frozenset({"text", "input_text", "output_text"})
_FIRST_KEYS = re.compile(rb'"(?:role|speaker|content)"\s*:')
_SESSION = re.compile(rb'"session"\s*:\s*"([^"\\]{1,1024})"')


def recognises(entry: JsonObject) -> bool:
    """Whether one parsed line looks like a turn of this layout.

    >>> recognises({"role": "user", "content": "你好"})
    True
    """
    return ("content" in entry or "text" in entry) and ("role" in entry or "speaker" in entry)


def recognises_start(head: bytes) -> bool:
    """Whether the head of a line too long to parse holds a key of this layout."""
    return _FIRST_KEYS.search(head) is not None


def read(source: Source) -> Iterator[Turn | Skipped]:
    """The turns of `source` in file order; a line that is none comes as `Skipped`."""
    counts: dict[str, int] = {}
    session = source.stem
    for line in source.lines():
        try:
            entry = parse_line(line)
            session = name_field(entry.get("session"), "session") or source.stem
        except SourceError as error:
            session = _named_session(line) or session
            counts[session] = counts.get(session, 0) + values_in(line)
            yield skipped(line.number, error)
            continue
        counts[session] = counts.get(session, 0) + 1
        yield from entries(entry, session, counts[session], line.number)


def entries(entry: JsonObject, session: str, ordinal: int, number: int) -> Iterator[Turn | Skipped]:
    """The turn of one message, then what was left out of it; or why it is none."""
    try:
        role = _role(entry)
        if role in INSTRUCTION_ROLES:
            reason = f"role: {role} prompts are instructions, not conversation"
            yield Skipped(number, reason, bad=False)
            return
        if entry.get("content") is None and any(entry.get(key) for key in CALLS):
            yield Skipped(number, "content: none, only a tool call", bad=False)
            return
        turn, left_out = _turn(entry, TRUST.get(role, Trust.EXTERNAL), session, ordinal)
    except MemstoneError as error:
        yield skipped(number, error)
        return
    yield turn
    if left_out:
        blocks = "1 block" if left_out == 1 else f"{left_out} blocks"
        reason = f"content: {blocks} without text left out; the turn was kept"
        yield Skipped(number, reason, bad=False)


def _role(entry: JsonObject) -> str:
    return (name_field(entry.get("role"), "role") or "").strip().lower()


def _turn(entry: JsonObject, trust: Trust, session: str, ordinal: int) -> tuple[Turn, int]:
    """The turn and how many blocks without text it lost; raises `SourceError`, `BlankText`."""
    names = (name_field(entry.get(key), key) for key in ("speaker", "name", "role"))
    speaker = next((name for name in names if name is not None), None)
    if speaker is None:
        raise SourceError("role: missing")
    text, left_out = _content(entry.get("content", entry.get("text")))
    external_id = name_field(entry.get("external_id"), "external_id")
    turn = Turn(
        text=turn_text(text, "content"),
        speaker=speaker,
        session=session,
        at=said_at(entry),
        external_id=external_id or name_field(entry.get("id"), "id"),
        ordinal=ordinal,
        trust=trust,
        tags=tags_field(entry.get("tags")),
    )
    return turn, left_out


def said_at(entry: JsonObject) -> int | None:
    """When the turn was said, under the name its writer gave it; losing it would date it today."""
    for name in TIME_KEYS:
        if entry.get(name) is not None:
            return time_field(entry[name], name)
    return None


def _content(value: object) -> tuple[str, int]:
    if isinstance(value, str):
        return value, 0
    if value is None:
        raise SourceError("content: missing")
    if not isinstance(value, list):
        raise SourceError("content: neither text nor a list of blocks")
    texts = [text for text in map(_block_text, value) if text is not None]
    return "\n".join(texts), len(value) - len(texts)


def _block_text(block: object) -> str | None:
    if isinstance(block, str):
        return block
    kind = block.get("type") if isinstance(block, dict) else None
    if not isinstance(block, dict) or not isinstance(kind, str) or kind not in TEXT_BLOCKS:
        return None
    text = block.get("text")
    if not isinstance(text, str):
        raise SourceError("content: a text block without text")
    return text


def _named_session(line: Line) -> str | None:
    """The session a damaged line still spells out; escaped quotes inside texts never match."""
    found = _SESSION.search(line.data or b"")
    return found[1].decode("utf-8", "replace") if found else None
