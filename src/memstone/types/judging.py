"""What somebody said of a memory as the answer to a question. Recorded and exported, never used
silently: no ranking reads it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from memstone.types.memories import Scope


class Verdict(StrEnum):
    """Whether a memory belongs into the answer to a question."""

    RIGHT = "right"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """One verdict on one memory for one question; `query` as it was stored, secrets blanked."""

    id: str
    query: str
    verdict: Verdict
    at: datetime
    scope: Scope
    external_id: str | None = None
