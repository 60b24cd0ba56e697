"""Cards by any Python callable: text in, text or an object out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memstone.errors import SummarizerError, SummarizerUnavailable
from memstone.summarization.prompt import VERSION, system_prompt, transcript
from memstone.summarization.schema import parse, summary_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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
        said: object
        try:
            said = self.answer(f"{system_prompt()}\n\n{transcript(turns)}")
        except SummarizerError:
            raise  # it says itself what went wrong
        except Exception as error:
            raise SummarizerUnavailable(
                f"the summarizer raised {type(error).__name__}", hint="cards are made without it"
            ) from error
        if isinstance(said, str):
            said = parse(said)
        elif isinstance(said, Mapping):
            said = dict(said)
        return summary_of(said, turns=len(turns), producer=self.producer)
