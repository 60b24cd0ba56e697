"""What a hook is told and what it answers, in our own words whatever client it came from.

`Event` has one member for each moment that memory has something to do in. Clients have many more;
those are not ours, and a hook that is called for one does nothing. A `HookInput` holds only what a
flow needs: the rest of a client's JSON (a person's e-mail address, the tool calls) is never read.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

MISSED_FILE = "missed.json"  # transcripts that could not be stored; see `missed`


class Event(StrEnum):
    """A moment of a session, as `memstone hook EVENT` names it."""

    SESSION_START = "session-start"
    PROMPT = "prompt"
    ANSWER = "answer"
    PRE_COMPACT = "pre-compact"
    POST_COMPACT = "post-compact"
    STOP = "stop"
    SESSION_END = "session-end"


@dataclass(frozen=True, slots=True, kw_only=True)
class HookInput:
    """One call of a hook. An empty text means that the client did not say it."""

    event: Event
    client: str
    session: str = ""
    cwd: str = ""
    prompt: str = ""  # what the person wrote
    answer: str = ""  # what the agent said last
    summary: str = ""  # what is left of a conversation after compaction
    transcript: str = ""  # path of the conversation so far
    source: str = ""  # what started the session
    key: str = ""  # names one turn within its session: the same input again has the same
    at: str = ""  # when it was said, ISO-8601
