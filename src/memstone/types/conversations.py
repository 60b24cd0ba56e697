"""Conversations as stored, and what settling their statements left open."""

from __future__ import annotations

from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from memstone.types.memories import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """The turns of one session from one source. Cards are made up to `carded_row`; the turns of
    higher rows, up to `last_row`, still wait.
    """

    namespace: int
    source: str
    session: str | None
    last_row: int
    carded_row: int
    touched_at: datetime  # when its newest turn was stored
    ended: bool  # whether somebody said that it is complete


@dataclass(frozen=True, slots=True, kw_only=True)
class PossibleConflict:
    """Two current memories that may contradict one another; a person decides."""

    number: int
    older: Memory
    newer: Memory
    reason: str  # a word such as `same-subject`; never a text of a memory
    found_at: datetime
    resolution: str | None = None  # `kept-older`, `kept-newer`, `both`
    resolved_at: datetime | None = None

    @property
    def open(self) -> bool:
        """Whether it still waits for a person: nobody settled it, and both may be recalled."""
        return self.resolution is None and all(
            memory.current and not memory.archived and not memory.held
            for memory in (self.older, self.newer)
        )
