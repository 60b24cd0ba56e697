"""The export of Claude.ai: `conversations.json`, an array or a conversation a line, and memories.

A conversation holds its messages in the order they were written, those of abandoned branches too.
Where their parents tell the branches apart, the one that was open last is read: the one that
`current_leaf_message_uuid` ends, else the one of the last message. Where they do not, all are read
in file order: a branch too many is better than a turn lost.

`text` of a message with calls of tools holds placeholders, so that its text blocks count. Attached
files and pasted documents are not what somebody said; they are left out and counted. What
`memories.json` says of the person becomes a note a section, known by its heading: a rewritten
section is a newer version. `projects.json` (instructions and documents of projects) is left out:
documents are no memories. `users.json` is never opened: it holds only the person's address.
"""

from __future__ import annotations

import re

from memstone.errors import MemstoneError
from memstone.importers.conversation import Conversation, Message, session_name
from memstone.importers.noted import known_as, note_text
from memstone.importers.said import kind_of
from memstone.importers.source import JsonObject, skipped
from memstone.types import Note, Skipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstone.importers.archive import Wanted
    from memstone.types import Turn

    Entry = Turn | Note | Skipped

FILES: Wanted = (
    re.compile(r"(?:^|/)conversations(?:-(?P<number>[0-9]{1,9}))?\.jsonl?$"),
    re.compile(r"(?:^|/)memories(?:/[^/]+)?\.json$"),
)
LEFT_OUT: Wanted = (re.compile(r"(?:^|/)projects(?:/[^/]+)?\.json$"),)
EXPECTED = "conversations.json, conversations.jsonl or memories.json"

ROLES = {"human": "user", "assistant": "assistant"}
ROOT = "00000000-0000-4000-8000-000000000000"  # the parent of a first message
SILENT = ("thinking", "redacted_thinking", "tool_use", "tool_result", "token_budget")
ALL_MEMORIES = "conversations_memory"
PROJECT_MEMORIES = "project_memories"
NO_CONVERSATIONS = {  # by a key of what else an export holds
    "prompt_template": "a project, not a conversation",
    "docs": "a project, not a conversation",
    "email_address": "a person, not a conversation",
}

_START = re.compile(
    rb'(?<!\\)"(?:chat_messages"\s*:\s*\[|conversations_memory"\s*:|project_memories"\s*:)'
)
_HEADING = re.compile(
    r"^(?:\*\*([^*\n]{1,200})\*\*:?|#{1,6}[ \t]+([^\n]{1,200}))[ \t]*$", re.MULTILINE
)


def recognises(value: object) -> bool:
    """Whether one parsed value is a conversation or memories of this layout, or holds some.

    >>> recognises({"uuid": "c", "chat_messages": []}), recognises([{"messages": []}])
    (True, False)
    """
    entries = value if isinstance(value, list) else [value]
    keys = ("chat_messages", ALL_MEMORIES, PROJECT_MEMORIES)
    return any(isinstance(one, dict) and any(key in one for key in keys) for one in entries)


def recognises_start(head: bytes) -> bool:
    """Whether the head of a file opens a conversation or memories of this layout."""
    return head.lstrip()[:1] in (b"[", b"{") and _START.search(head) is not None


class Reader:
    """Reads one conversation after another of an export."""

    def entries(self, value: object, default: str, number: int) -> Iterator[Entry]:
        """What one conversation holds, from its first message to its last; or a set of memories."""
        if not isinstance(value, dict):
            yield Skipped(number, "no conversation: not an object")
        elif isinstance(value.get("chat_messages"), list):
            yield from _conversation(value, value["chat_messages"], default, number)
        elif ALL_MEMORIES in value or PROJECT_MEMORIES in value:
            yield from _memories(value, number)
        else:
            known = (why for key, why in NO_CONVERSATIONS.items() if key in value)
            why = next(known, None)
            reason = why or "no conversation: there are no chat_messages in it"
            yield Skipped(number, reason, bad=why is None)


def _conversation(
    value: JsonObject, messages: list[object], default: str, number: int
) -> Iterator[Entry]:
    session, fault = session_name((value.get("uuid"),), default)
    if fault:
        yield Skipped(number, f"{fault}; the session is called after the file")
    conversation = Conversation(session, number)
    fault = conversation.tell_time(value.get("created_at"))
    if fault:
        yield Skipped(number, f"{fault}; the conversation was kept")
    open_last = _open_branch(messages, value.get("current_leaf_message_uuid"))
    for message in messages:
        conversation.place += 1
        if not isinstance(message, dict):
            yield conversation.fault("not an object")
        elif open_last is None or message.get("uuid") in open_last:
            yield from _message(message, conversation)
        else:
            conversation.leave_out("message", "of another branch")
    yield from conversation.left_out()


def _open_branch(messages: list[object], leaf: object) -> set[object] | None:
    """The messages of the branch that was open last; None if that cannot be told, or is all."""
    parents: dict[str, str | None] = {}
    for message in messages:
        if not isinstance(message, dict) or "parent_message_uuid" not in message:
            return None
        key, parent = message.get("uuid"), message["parent_message_uuid"]
        if not isinstance(key, str) or key in parents or not isinstance(parent, str | None):
            return None
        parents[key] = parent
    answered = set(parents.values())
    if len(answered) == len(parents):  # no message has two answers
        return None
    ends = [key for key in parents if key not in answered]
    at: object = leaf if leaf in parents else next(reversed(ends), None)
    branch: set[object] = set()
    while isinstance(at, str) and at in parents and at not in branch:
        branch.add(at)
        at = parents[at]
    begins = at not in branch and at in (None, ROOT, next(iter(parents.values())))
    return branch if branch and begins else None


def _message(message: JsonObject, conversation: Conversation) -> Iterator[Turn | Skipped]:
    """The turn of one message, or why it is none; what hangs on it is counted."""
    for name, what in (("attachments", "attached document"), ("files", "attached file")):
        things = message.get(name)
        count = len(things) if isinstance(things, list) else 0
        conversation.leave_out(what, "not what somebody said", count)
    text, blocks = _text(message)
    conversation.leave_out("block", "reasoning, calls of tools and the like", blocks)
    if text is None:
        yield conversation.fault("neither text nor content in it")
        return
    if blocks and not text.strip():
        conversation.leave_out("message", "nothing but reasoning and calls of tools")
        return
    sender = message.get("sender")
    role = sender.strip().lower() if isinstance(sender, str) else ""
    said = Message(
        role=ROLES.get(role, role) or "unknown",
        text=text,
        at=message.get("created_at"),
        keys=(message.get("uuid"),),
    )
    yield from conversation.turns(said)


def _text(message: JsonObject) -> tuple[str | None, int]:
    """What a message says, None if it has no place for that; and how many blocks say nothing."""
    text, content = message.get("text"), message.get("content")
    blocks = content if isinstance(content, list) else []
    found = [part for block in blocks if (part := _spoken(block)) is not None]
    others = len(blocks) - len(found)
    spoken = "\n".join(part for part in found if part.strip())
    if others or not isinstance(text, str) or not text.strip():
        placeholders = any(isinstance(one, dict) and kind_of(one) in SILENT for one in blocks)
        if spoken or placeholders:
            return spoken, others
    if isinstance(text, str):
        return text, others
    return (None if text is not None or not isinstance(content, list) else spoken), others


def _spoken(block: object) -> str | None:
    text = block.get("text") if isinstance(block, dict) and kind_of(block) not in SILENT else None
    return text if isinstance(text, str) else None


def _memories(value: JsonObject, number: int) -> Iterator[Note | Skipped]:
    """A note for each section of what Claude remembers, in general and of each project."""
    account = value.get("account_uuid")
    owner = account if isinstance(account, str) else ""
    projects = value.get(PROJECT_MEMORIES)
    texts = {("", ALL_MEMORIES): value.get(ALL_MEMORIES)}
    if isinstance(projects, dict):
        texts.update({(PROJECT_MEMORIES, key): text for key, text in projects.items()})
    elif projects is not None:
        yield Skipped(number, f"{PROJECT_MEMORIES}: not an object")
    for (group, key), text in texts.items():
        if text is None:
            continue
        if not isinstance(text, str):
            yield Skipped(number, f"{group or key}: not text")
            continue
        for heading, section in _sections(text):
            try:
                yield Note(
                    text=note_text(section, "memory"),
                    external_id=known_as("memory", owner, group, key, heading),
                )
            except MemstoneError as error:
                yield skipped(number, error)


def _sections(text: str) -> Iterator[tuple[str, str]]:
    r"""Each section with something below its heading: the heading, and its text with it.

    >>> list(_sections("**Work**\n前端开发\n\n**Home**\nHangzhou"))
    [('Work', '**Work**\n前端开发'), ('Home', '**Home**\nHangzhou')]
    """
    headings = list(_HEADING.finditer(text))
    parts = [("", text[: headings[0].start() if headings else len(text)], 0)]
    ends = [each.start() for each in headings[1:]] + [len(text)]
    for found, end in zip(headings, ends, strict=False):
        whole = text[found.start() : end]
        parts.append((found[1] or found[2], whole, found.end() - found.start()))
    seen: dict[str, int] = {}
    for heading, whole, head in parts:
        name = heading.strip()
        seen[name] = seen.get(name, 0) + 1
        if whole[head:].strip():
            yield (name if seen[name] == 1 else f"{name} {seen[name]}"), whole.strip()
