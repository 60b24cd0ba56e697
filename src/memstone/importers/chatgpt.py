"""The export of ChatGPT: `conversations.json`, or `conversations-000.json` and so on, in a zip.

A conversation is a tree, because a message can be edited and an answer made anew. What one reads
there is the branch that ends in `current_node`; it is walked up to the root, and other branches
drop out. Where the tree is broken (a parent that is missing, a circle) what hangs together below is
read and the fault reported. A conversation that is none does not stop the others.

Turns are what the person and the model said to each other. Hidden messages, those of weight 0,
instructions, reasoning, calls of tools and their results are none. Besides, an export tells what
ChatGPT remembered, which becomes notes: what the model wrote to its tool `bio`, the list of
memories that was put before a conversation, and the person's custom instructions. Most have no ids
there: a line of the list is known by its words; custom instructions are one thing that changes, so
that another text is another version of it.

The title is not a turn: nobody said it. Entries are numbered by conversation.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from hashlib import sha256

from memstone.errors import BlankText, MemstoneError
from memstone.importers.conversation import Conversation, Message, session_name
from memstone.importers.noted import known_as, note_text
from memstone.importers.source import JsonObject, name_field, time_field
from memstone.types import Kind, Note, Skipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstone.importers.archive import Wanted
    from memstone.types import Turn

    Entry = Turn | Note | Skipped

FILES: Wanted = (re.compile(r"(?:^|/)conversations(?:-(?P<number>[0-9]{1,9}))?\.json$"),)
LEFT_OUT: Wanted = ()
EXPECTED = "conversations.json, or conversations-000.json and so on"

BIO = "bio"  # the tool that remembers
BIO_DONE = "model set context updated"  # all that it answers
HIDDEN = "is_visually_hidden_from_conversation"
INSTRUCTIONS = frozenset({"system", "developer"})
REASONING = ("thoughts", "reasoning_recap")  # kinds of content
WITH_TEXT = ("text", "multimodal_text", "code")
CUSTOM_INSTRUCTIONS = "user_editable_context"
MEMORIES = "model_editable_context"
MAX_STATED = 100_000  # notes of which it is known that they were given before

_START = re.compile(rb'(?<!\\)"mapping"\s*:\s*\{')
_LISTED = re.compile(r"^\s*[0-9]{1,6}\.\s*\[([0-9]{4}-[0-9]{2}-[0-9]{2})\]\.?[ \t]*", re.MULTILINE)
_WRAPPED = re.compile(r"^The user provided .*?```(.*)```\s*$", re.DOTALL)


def recognises(value: object) -> bool:
    """Whether one parsed value is a conversation of this layout, or holds some.

    >>> recognises([{"title": "按钮", "mapping": {}, "current_node": "a"}])
    True
    """
    entries = value if isinstance(value, list) else [value]
    return any(isinstance(one, dict) and isinstance(one.get("mapping"), dict) for one in entries)


def recognises_start(head: bytes) -> bool:
    """Whether the head of a file opens a conversation of this layout."""
    return head.lstrip()[:1] in (b"[", b"{") and _START.search(head) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Noted:
    """Something ChatGPT remembered; nothing of it checked yet."""

    text: str
    kind: Kind = Kind.FACT
    at: object = None  # that of the message, if it has none of its own
    known_as: str = ""  # else by the id of its message


class Reader:
    """Reads one conversation after another of an export."""

    def __init__(self) -> None:
        self._stated: dict[str, bytes] = {}  # what a note said last, by its id

    def entries(self, value: object, default: str, number: int) -> Iterator[Entry]:
        """What one conversation holds, from its first message to its last."""
        mapping = value.get("mapping") if isinstance(value, dict) else None
        if not isinstance(value, dict) or not isinstance(mapping, dict):
            yield Skipped(number, "no conversation: there is no mapping in it")
            return
        session, fault = session_name((value.get("conversation_id"), value.get("id")), default)
        if fault:
            yield Skipped(number, f"{fault}; the session is called after the file")
        conversation = Conversation(session, number)
        fault = conversation.tell_time(value.get("create_time"))
        if fault:
            yield Skipped(number, f"{fault}; the conversation was kept")
        leaf, fault = _leaf(mapping, value.get("current_node"))
        if fault:
            yield Skipped(number, fault)
        branch, fault = _branch(mapping, leaf)
        if fault:
            yield Skipped(number, fault)
        for key in branch:
            yield from self._message(mapping[key], key, conversation)
        others = sum(_has_message(mapping[key]) for key in mapping.keys() - set(branch))
        conversation.leave_out("message", "of another branch", others)
        yield from conversation.left_out()

    def _message(self, node: object, key: str, conversation: Conversation) -> Iterator[Entry]:
        """What one message holds: a turn as a rule, or notes."""
        message = node.get("message") if isinstance(node, dict) else None
        if message is None:  # the root has none
            return
        conversation.place += 1
        content = message.get("content") if isinstance(message, dict) else None
        if not isinstance(message, dict) or not isinstance(content, dict):
            yield conversation.fault("not an object with content")
            return
        role, tool = _author(message)
        noted = _noted(message, content, role, tool)
        if noted is not None:
            for each in noted:
                yield from self._note(each, message, key, conversation)
            return
        why = _no_conversation(message, content, role)
        if why is not None:
            conversation.leave_out("message", why)
            return
        yield from _turns(message, content, key, conversation)

    def _note(
        self, noted: _Noted, message: JsonObject, key: str, conversation: Conversation
    ) -> Iterator[Note | Skipped]:
        """The note, unless it was given before: a new conversation repeats them all."""
        try:
            name = noted.known_as or name_field(message.get("id"), "id") or key
            text = note_text(noted.text, "memory")
            at = time_field(noted.at or message.get("create_time"), "time")
        except MemstoneError as error:
            report = conversation.fault(error.message)
            yield replace(report, bad=not isinstance(error, BlankText))
            return
        digest = sha256(text.encode("utf-8")).digest()
        if self._stated.get(name) == digest:
            return
        if len(self._stated) < MAX_STATED:
            self._stated[name] = digest
        yield Note(
            text=text,
            kind=noted.kind,
            at=conversation.at if at is None else at,
            external_id=name,
            session=None if noted.known_as else conversation.session,
        )


def _leaf(mapping: JsonObject, current: object) -> tuple[str | None, str | None]:
    """Where the branch ends that is read, and what is wrong with what the file says of it."""
    if isinstance(current, str) and current in mapping:
        return current, None
    nodes = [node for node in mapping.values() if isinstance(node, dict)]
    parents = {parent for node in nodes if isinstance(parent := node.get("parent"), str)}
    leaves = [key for key, node in mapping.items() if _has_message(node) and key not in parents]
    if not leaves:
        return None, None
    return leaves[-1], "current_node: missing or unknown; the last branch was read"


def _branch(mapping: JsonObject, leaf: str | None) -> tuple[list[str], str | None]:
    """The messages from the root to `leaf`, and why that is not all of them."""
    branch: dict[str, None] = {}
    fault = None
    key: object = leaf
    while key is not None and fault is None:
        node = mapping.get(key) if isinstance(key, str) else None
        if not isinstance(key, str) or not isinstance(node, dict):
            fault = "mapping: a parent is missing; what comes after it was read"
        elif key in branch:
            fault = "mapping: the messages form a circle; each was read once"
        else:
            branch[key] = None
            key = node.get("parent")
    return list(reversed(branch)), fault


def _has_message(node: object) -> bool:
    return isinstance(node, dict) and node.get("message") is not None


def _author(message: JsonObject) -> tuple[str, str]:
    """The role and the name of whoever a message is from."""
    author = message.get("author")
    parts = (author.get("role"), author.get("name")) if isinstance(author, dict) else (None, None)
    role, name = (part.strip().lower() if isinstance(part, str) else "" for part in parts)
    return role or "unknown", name


def _metadata(message: JsonObject) -> JsonObject:
    metadata = message.get("metadata")
    return metadata if isinstance(metadata, dict) else {}


def _no_conversation(message: JsonObject, content: JsonObject, role: str) -> str | None:
    """Why a message is nothing that one said to the other, None if it is."""
    if role == "tool":
        return "results of tools"
    if role in INSTRUCTIONS:
        return "instructions of the service"
    if message.get("weight") == 0 or _metadata(message).get(HIDDEN) is True:
        return "hidden in the conversation"
    if role == "assistant" and message.get("recipient") not in (None, "", "all"):
        return "calls of tools"
    if content.get("content_type") in REASONING:
        return "reasoning"
    return None


def _turns(
    message: JsonObject, content: JsonObject, key: str, conversation: Conversation
) -> Iterator[Turn | Skipped]:
    role, _ = _author(message)
    text, files = _text(content)
    if text is None:
        if content.get("content_type") in WITH_TEXT:
            yield conversation.fault("neither parts nor text in it")
        else:
            conversation.leave_out("message", "of a kind without text")
        return
    if files and not text.strip():
        conversation.leave_out("message", "nothing but attachments")
        return
    conversation.leave_out("attachment", "no text; the message was kept", files)
    keys = (message.get("id"), key)
    at = message.get("create_time")
    yield from conversation.turns(Message(role=role, text=text, at=at, keys=keys))


def _text(content: JsonObject) -> tuple[str | None, int]:
    """What a content says, None if it has no place for that, and how many parts say nothing."""
    parts = content.get("parts")
    if not isinstance(parts, list):
        text = content.get("text")  # code, and what programs wrote
        return (text if isinstance(text, str) else None), 0
    texts = [text for part in parts if (text := _part(part)) is not None]
    return "\n".join(text for text in texts if text.strip()), len(parts) - len(texts)


def _part(part: object) -> str | None:
    """The text of a part: what was typed, or what was understood of what was spoken."""
    text = part.get("text") if isinstance(part, dict) else part
    return text if isinstance(text, str) else None


def _noted(message: JsonObject, content: JsonObject, role: str, tool: str) -> list[_Noted] | None:
    """What ChatGPT remembers here, None if it is no message of that kind."""
    kind = content.get("content_type")
    if kind == CUSTOM_INSTRUCTIONS:
        return _instructions(content, _metadata(message).get("user_context_message_data"))
    if kind == MEMORIES:
        listed = content.get("model_set_context")
        return _listed(listed) if isinstance(listed, str) else []
    if message.get("recipient") == BIO or (role == "tool" and tool == BIO):
        text, _ = _text(content)
        if text is None or (role == "tool" and text.strip().lower().startswith(BIO_DONE)):
            return None
        return [_Noted(text=text)]
    return None


def _instructions(content: JsonObject, plain: object) -> list[_Noted]:
    """What the person told about themselves and about answers, for every conversation.

    Not a turn, for it stands in each of them; but it is what they most want to be remembered: a
    preference. It is imported as a note of low trust like the rest, so that what would tell a model
    what to do waits for a review.
    """
    given = plain if isinstance(plain, dict) else {}
    fields = (("about_user_message", "user_profile"), ("about_model_message", "user_instructions"))
    found = []
    for name, wrapped in fields:
        text = given.get(name) or content.get(wrapped)
        if isinstance(text, str) and text.strip():
            inner = _WRAPPED.match(text)
            text = inner[1] if inner else text
            found.append(_Noted(text=text, kind=Kind.PREFERENCE, known_as=f"chatgpt-{wrapped}"))
    return found


def _listed(text: str) -> list[_Noted]:
    """The memories of a numbered and dated list; a text that is none is one memory."""
    begun = list(_LISTED.finditer(text))
    if not begun:
        return [_Noted(text=text, known_as=known_as("memory", text))] if text.strip() else []
    ends = [each.start() for each in begun[1:]] + [len(text)]
    items = [
        (each[1], text[each.end() : end].strip()) for each, end in zip(begun, ends, strict=True)
    ]
    return [
        _Noted(text=item, at=day, known_as=known_as("memory", item)) for day, item in items if item
    ]
