"""Cards by the Anthropic Messages API: one forced tool call whose input is the card."""

from __future__ import annotations

from dataclasses import dataclass

from memstone.errors import SummaryInvalid
from memstone.summarization.addresses import ANTHROPIC, OWN
from memstone.summarization.http import Endpoint, post
from memstone.summarization.prompt import VERSION, system_prompt, transcript
from memstone.summarization.schema import SCHEMA, summary_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstone.types import SegmentTurn, Summary

BASE_URL = OWN[ANTHROPIC]
API_VERSION = "2023-06-01"
MOST_TOKENS = 2_048  # of an answer
TOOL = "write_card"


@dataclass(frozen=True, slots=True)
class Anthropic:
    """A summarizer. What it is given leaves this machine."""

    model: str
    endpoint: Endpoint

    @classmethod
    def at(
        cls,
        model: str,
        key: str,
        *,
        base_url: str = "",
        timeout_s: float = 60.0,
        plain_http: bool = False,
    ) -> Anthropic:
        """The API at `base_url`, else at its own address."""
        url = f"{(base_url or BASE_URL).rstrip('/')}/v1/messages"
        headers = {"x-api-key": key, "anthropic-version": API_VERSION}
        endpoint = Endpoint(url=url, headers=headers, timeout_s=timeout_s, plain_http=plain_http)
        return cls(model, endpoint)

    @property
    def producer(self) -> str:
        return f"anthropic:{self.model} {VERSION}"

    def summarize(self, turns: Sequence[SegmentTurn]) -> Summary:
        """See `protocols.Summarizer`."""
        answer = post(self.endpoint, self.body(turns))
        if answer.get("stop_reason") == "refusal":
            raise SummaryInvalid("the model refused")
        if answer.get("stop_reason") == "max_tokens":
            raise SummaryInvalid("the model's answer was cut off")
        content = answer.get("content")
        blocks = content if isinstance(content, list) else []
        for block in blocks:
            if isinstance(block, dict) and block.get("type") == "tool_use":
                return summary_of(
                    block.get("input"),
                    turns=len(turns),
                    producer=self.producer,
                    tokens=_used(answer.get("usage")),
                )
        raise SummaryInvalid("the model did not write a card")

    def body(self, turns: Sequence[SegmentTurn]) -> dict[str, object]:
        """The request for a segment."""
        return {
            "model": self.model,
            "max_tokens": MOST_TOKENS,
            "system": [{"type": "text", "text": system_prompt()}],
            "messages": [{"role": "user", "content": transcript(turns)}],
            "tools": [
                {"name": TOOL, "description": "Write the index card.", "input_schema": SCHEMA}
            ],
            "tool_choice": {"type": "tool", "name": TOOL},
        }


def _used(usage: object) -> tuple[int, int]:
    """Tokens read and written, as the provider counts them."""
    told = usage if isinstance(usage, dict) else {}
    read = sum(_count(told.get(name)) for name in _READ)
    return read, _count(told.get("output_tokens"))


_READ = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def _count(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0
