"""What each client calls its events and fields, and the shape in which it wants its answer.

One `Client` a client, all of it data; two functions read the tables, `heard` inwards and `spelt`
outwards. Nothing here touches the world. A field that a client does not have is an empty text; one
of a wrong type is refused by name, because a prompt that is no text means that we misread the
client. Half a character (a client cut a text between two UTF-16 units) is replaced, not refused.

Where a client has no room for a message to the person, `spelt` leaves it out and `shows` says so.
Codex refuses an answer with a key it does not know, so none is written that its schema lacks.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field

from memstone.errors import InvalidInput
from memstone.surfaces.hooks.events import Event, HookInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    Json = Mapping[str, object]

WITHOUT_WORK = {  # events of theirs in which there is nothing for us to do
    "PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "PermissionRequest",
    "PermissionDenied", "Notification", "SubagentStart", "SubagentStop", "StopFailure", "Interrupt",
    "BeforeModel", "AfterModel", "BeforeToolSelection", "BeforeTool", "AfterTool",
    "preToolUse", "postToolUse", "postToolUseFailure", "subagentStart", "subagentStop",
    "beforeShellExecution", "afterShellExecution", "beforeMCPExecution", "afterMCPExecution",
    "beforeReadFile", "afterFileEdit", "afterAgentThought", "beforeTabFileRead",
    "afterTabFileEdit",
}  # fmt: skip
_DRIVE = re.compile(r"/[A-Za-z]:[/\\]")  # how Cursor writes a folder of Windows: /c:/shop


@dataclass(frozen=True, eq=False, repr=False)  # as cheap as can be: made anew at every prompt
class Client:
    """The words of one client. `fields` names its key for each field of `HookInput`."""

    name: str
    events: Mapping[str, Event]
    fields: Mapping[str, str]
    with_context: frozenset[Event]  # events whose answer may hold something for the model
    with_message: frozenset[Event]  # and something for the person
    transcripts: bool = False  # whether it names a transcript that we can read
    told: frozenset[Event] = frozenset()  # else, events whose input holds what was said
    flat: bool = False  # the answer is one level deep
    always: Mapping[str, object] = field(default_factory=dict)  # part of every answer

    def own_name(self, event: Event) -> str:
        """What it calls `event`; the event itself where it has no word for it."""
        return next((name for name, ours in self.events.items() if ours is event), event.value)


_COMMON = {
    "session": "session_id",
    "cwd": "cwd",
    "prompt": "prompt",
    "transcript": "transcript_path",
    "source": "source",
}
_BOTH = frozenset({Event.SESSION_START, Event.PROMPT})

CLAUDE_CODE = Client(
    name="claude-code",
    events={
        "SessionStart": Event.SESSION_START,
        "UserPromptSubmit": Event.PROMPT,
        "PreCompact": Event.PRE_COMPACT,
        "PostCompact": Event.POST_COMPACT,
        "Stop": Event.STOP,
        "SessionEnd": Event.SESSION_END,
    },
    fields=_COMMON | {"summary": "compact_summary", "key": "prompt_id"},
    with_context=_BOTH,  # at a stop it would make the agent go on
    with_message=frozenset(Event),
    transcripts=True,
    always={"suppressOutput": True},
)
CODEX = Client(
    name="codex",
    events=CLAUDE_CODE.events,  # SessionEnd since 0.171
    fields=_COMMON | {"key": "turn_id"},
    with_context=_BOTH,
    with_message=frozenset(Event),
    transcripts=True,
)
CURSOR = Client(
    name="cursor",
    events={
        "sessionStart": Event.SESSION_START,
        "beforeSubmitPrompt": Event.PROMPT,
        "afterAgentResponse": Event.ANSWER,
        "preCompact": Event.PRE_COMPACT,
        "stop": Event.STOP,
        "sessionEnd": Event.SESSION_END,
    },
    fields={
        "session": "conversation_id",
        "cwd": "cwd",
        "prompt": "prompt",
        "answer": "text",
        "key": "generation_id",
    },
    with_context=_BOTH,
    with_message=frozenset(),
    told=frozenset({Event.PROMPT, Event.ANSWER}),
    flat=True,
)
GEMINI = Client(
    name="gemini",
    events={
        "SessionStart": Event.SESSION_START,
        "BeforeAgent": Event.PROMPT,
        "AfterAgent": Event.ANSWER,
        "PreCompress": Event.PRE_COMPACT,
        "SessionEnd": Event.SESSION_END,
    },
    fields=_COMMON | {"answer": "prompt_response", "key": "timestamp", "at": "timestamp"},
    with_context=_BOTH,
    with_message=frozenset(Event),
    told=frozenset({Event.ANSWER}),  # with its prompt, which thus waits for no store
    always={"suppressOutput": True},
)
CLIENTS = {client.name: client for client in (CLAUDE_CODE, CODEX, CURSOR, GEMINI)}


def event_named(name: str) -> Event | None:
    """The event that `name` means, ours or a client's; None for one without anything to do.

    Raises `InvalidInput` for a name that nobody uses.

    >>> event_named("beforeSubmitPrompt"), event_named("PostToolUse")
    (<Event.PROMPT: 'prompt'>, None)
    """
    for client in CLIENTS.values():
        if name in client.events:
            return client.events[name]
    if name in WITHOUT_WORK:
        return None
    try:
        return Event(name)
    except ValueError:
        raise InvalidInput(
            f"event: {name[:40]!r} is not known",
            hint=f"one of {', '.join(Event)}, or the client's own name",
            name="event",
        ) from None


def client_named(name: str) -> Client:
    """The client of that name; raises `InvalidInput`."""
    if name not in CLIENTS:
        raise InvalidInput(
            f"client: {name[:40]!r} has no hooks that we know",
            hint=f"one of {', '.join(CLIENTS)}",
            name="client",
        )
    return CLIENTS[name]


def guessed(data: Json) -> Client:
    """The client that writes such an input.

    >>> guessed({"conversation_id": "c", "generation_id": "g"}).name
    'cursor'
    """
    event = data.get("hook_event_name")
    transcript = str(data.get("transcript_path") or "").replace("\\", "/")
    if "conversation_id" in data or event in CURSOR.events:
        return CURSOR
    if "timestamp" in data or event in ("BeforeAgent", "AfterAgent", "PreCompress"):
        return GEMINI
    if "turn_id" in data or "/.codex/" in transcript or "/rollout-" in transcript:
        return CODEX
    return CLAUDE_CODE


def heard(
    data: Json, client: Client, event: Event, *, windows: bool = os.name == "nt"
) -> HookInput:
    """What the client says with `data`; raises `InvalidInput` for a field of a wrong type."""
    said = {ours: _text(data, theirs) for ours, theirs in client.fields.items()}
    said["session"] = said["session"] or _text(data, "session_id")
    said["cwd"] = _folder(said["cwd"] or _first(data, "workspace_roots"), windows=windows)
    return HookInput(event=event, client=client.name, **said)


def concerned(given: HookInput, client: Client) -> bool:
    """Whether there is anything to do: a session begins or ends, or there is a text to read.

    >>> concerned(HookInput(event=Event.STOP, client="cursor", transcript="/t"), CURSOR)
    False
    """
    if given.event in (Event.SESSION_START, Event.SESSION_END):
        return True
    said = {
        Event.PROMPT: given.prompt,
        Event.ANSWER: given.answer,
        Event.POST_COMPACT: given.summary,
    }
    readable = client.transcripts and bool(given.transcript) and given.event is not Event.PROMPT
    return readable or bool(said.get(given.event, "").strip())


def spelt(client: Client, event: Event, context: str = "", message: str = "") -> dict[str, object]:
    """The answer as JSON for the client: `context` for its model, `message` for the person.

    Empty where there is nothing that it would take.
    """
    context = context if event in client.with_context else ""
    message = message if event in client.with_message else ""
    if client.flat:
        return {"additional_context": context} if context else {}
    answer: dict[str, object] = {}
    if context:
        name = client.own_name(event)
        answer["hookSpecificOutput"] = {"hookEventName": name, "additionalContext": context}
    if message:
        answer["systemMessage"] = message
    return {**answer, **client.always} if answer else {}


def shows(client: Client, event: Event) -> bool:
    """Whether the client shows the person a message that comes with its answer."""
    return event in client.with_message


def _text(data: Json, name: str) -> str:
    """A field as text, "" where it is missing or null."""
    value = data.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        kind = type(value).__name__
        raise InvalidInput(f"{name}: a text is expected, not {kind}", name=name)
    return whole(value)


def whole(text: str) -> str:
    r"""`text` with every half of a character replaced.

    >>> whole("猫\ud83d")
    '猫?'
    """
    return text.encode("utf-8", "replace").decode("utf-8")


def _first(data: Json, name: str) -> str:
    """The first of a list of texts, "" where there is none."""
    value = data.get(name)
    if not isinstance(value, list) or not value:
        return ""
    return _text({name: value[0]}, name)


def _folder(path: str, *, windows: bool) -> str:
    """A folder as the system spells it."""
    if "\0" in path:
        raise InvalidInput("cwd: a name of a folder has no NUL", name="cwd")
    return path[1:] if windows and _DRIVE.match(path) else path
