"""What heads every change, and what a session of a client used: written at every prompt.

A module of its own because a prompt hook is a new process each time and needs these three alone.
"""

from __future__ import annotations

from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from memstone.types.memories import Scope


@dataclass(frozen=True, slots=True)
class ChangeNote:
    """Who writes, through which surface, which operation and why; heads every transaction."""

    operation: str
    at: int  # microseconds
    surface: str = "python"
    actor: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionCounts:
    """What happened in a session, or in one step of it. `injected_tokens` are estimated."""

    blocks: int = 0  # times something was injected
    injected_memories: int = 0  # repeats counted
    injected_tokens: int = 0
    stored: int = 0  # turns that were new
    known: int = 0  # turns that were there already
    skipped: int = 0
    redacted: int = 0  # turns in which a secret was blanked


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionUse:
    """One session of a client, with what was put into it and taken out of it so far."""

    client: str
    session: str
    scope: Scope
    first_at: datetime
    last_at: datetime
    ended_at: datetime | None
    counts: SessionCounts
