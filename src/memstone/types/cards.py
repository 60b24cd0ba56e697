"""A segment of a conversation as a model gets it, and what comes back."""

from __future__ import annotations

from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memstone.types.memories import Kind


@dataclass(frozen=True, slots=True)
class SegmentTurn:
    """One turn handed to a summarizer; `number` is its place in the segment, from 0."""

    number: int
    speaker: str
    text: str
    at: str | None  # ISO date


@dataclass(frozen=True, slots=True)
class SummaryItem:
    """One statement of a model's card, and the turns it was made of."""

    kind: Kind
    text: str
    turns: tuple[int, ...]
    subject: str | None = None
    attribute: str | None = None


@dataclass(frozen=True, slots=True)
class Summary:
    """What a model made of one segment. A text may be empty, and so may be the whole."""

    goal: str
    conclusion: str
    next_action: str
    items: tuple[SummaryItem, ...]
    tags: tuple[str, ...]
    entities: tuple[str, ...]
    producer: str  # provider, model and version of the prompt
    input_tokens: int  # as the provider counted them
    output_tokens: int
