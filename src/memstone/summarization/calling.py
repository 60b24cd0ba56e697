"""Cards by any Python callable: text in, text or an object out."""

from __future__ import annotations

from dataclasses import dataclass

from memstone.errors import SummarizerUnavailable
from memstone.summarization.prompt import VERSION, system_prompt, transcript
from memstone.summarization.schema import parse, summary_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memstone.types import SegmentTurn, Summary


@dataclass(frozen=True, slots=True)
class Calling:
    """A summarizer over `answer(prompt)`, which gives the card as JSON text or as a mapping."""

    answer: Callable[[str], str | Mapping[str, object]]
    name: str = "callable"

    @property
    def producer(self) -> str:
        return f"{self.name} {VERSION}"

    def summarize(self, turns: Sequence[SegmentTurn]) -> Summary:
        """See `protocols.Summarizer`."""
        try:
            said = self.answer(f"{system_prompt()}\n\n{transcript(turns)}")
        except Exception as error:
            raise SummarizerUnavailable(
                f"the summarizer raised {type(error).__name__}", hint="cards are made without it"
            ) from error
        value = parse(said) if isinstance(said, str) else dict(said)
        return summary_of(value, turns=len(turns), producer=self.producer)
