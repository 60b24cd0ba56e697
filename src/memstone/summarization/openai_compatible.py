"""Cards by anything that speaks the OpenAI chat API: Ollama, vLLM, llama.cpp, the API itself.

Servers differ in what they know of `response_format`: one that refuses a JSON schema is asked for a
JSON object, and one that refuses that for a text, in which the object is then found.
"""

from __future__ import annotations

from dataclasses import dataclass

from memstone.errors import SummarizerUnavailable, SummaryInvalid
from memstone.summarization.addresses import OPENAI, OWN
from memstone.summarization.http import Endpoint, Refused, post
from memstone.summarization.prompt import VERSION, system_prompt, transcript
from memstone.summarization.schema import SCHEMA, parse, summary_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstone.types import SegmentTurn, Summary

BASE_URL = OWN[OPENAI]
MOST_TOKENS = 2_048
FORMATS: tuple[dict[str, object] | None, ...] = (
    {
        "type": "json_schema",
        "json_schema": {"name": "card", "strict": True, "schema": SCHEMA},
    },
    {"type": "json_object"},
    None,
)
NOT_UNDERSTOOD = frozenset({400, 404, 422, 501})


@dataclass(frozen=True, slots=True)
class OpenAiCompatible:
    """A summarizer. What it is given goes to the server at its address."""

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
    ) -> OpenAiCompatible:
        """The server at `base_url`; a local one needs no key."""
        url = f"{(base_url or BASE_URL).rstrip('/')}/chat/completions"
        headers = {"authorization": f"Bearer {key}"} if key else {}
        endpoint = Endpoint(url=url, headers=headers, timeout_s=timeout_s, plain_http=plain_http)
        return cls(model, endpoint)

    @property
    def producer(self) -> str:
        return f"openai:{self.model} {VERSION}"

    def summarize(self, turns: Sequence[SegmentTurn]) -> Summary:
        """See `protocols.Summarizer`."""
        answer = self._asked(turns)
        choices = answer.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = choice.get("message") if isinstance(choice, dict) else None
        if not isinstance(choice, dict) or not isinstance(message, dict):
            raise SummaryInvalid("the answer has no message")
        if message.get("refusal") or choice.get("finish_reason") == "content_filter":
            raise SummaryInvalid("the model refused")
        if choice.get("finish_reason") == "length":
            raise SummaryInvalid("the model's answer was cut off")
        content = message.get("content")
        if not isinstance(content, str):
            raise SummaryInvalid("the answer has no text")
        return summary_of(
            parse(content),
            turns=len(turns),
            producer=self.producer,
            tokens=_used(answer.get("usage")),
        )

    def _asked(self, turns: Sequence[SegmentTurn]) -> dict[str, object]:
        """The answer in the strictest format that the server knows."""
        refused: Refused | None = None
        unpaid = True  # over all formats: a refusal costs nothing, an answer broken off before may
        for wanted in FORMATS:
            try:
                return post(self.endpoint, self.body(turns, wanted))
            except SummarizerUnavailable as error:
                unpaid = unpaid and error.fields["unpaid"] is True
                error.fields["unpaid"] = unpaid
                if not isinstance(error, Refused) or error.status not in NOT_UNDERSTOOD:
                    raise
                refused = error
        assert refused is not None  # every format was refused
        raise refused

    def body(
        self, turns: Sequence[SegmentTurn], wanted: dict[str, object] | None
    ) -> dict[str, object]:
        """The request for a segment."""
        own = self.endpoint.url.startswith(f"{BASE_URL}/")  # its newer models refuse `max_tokens`
        asked: dict[str, object] = {
            "model": self.model,
            "max_completion_tokens" if own else "max_tokens": MOST_TOKENS,
            "messages": [
                {"role": "system", "content": f"{system_prompt()}\n\nAnswer with one JSON object."},
                {"role": "user", "content": transcript(turns)},
            ],
        }
        return asked if wanted is None else {**asked, "response_format": wanted}


def _used(usage: object) -> tuple[int, int]:
    told = usage if isinstance(usage, dict) else {}
    read, written = told.get("prompt_tokens"), told.get("completion_tokens")
    return (
        read if isinstance(read, int) and read > 0 else 0,
        written if isinstance(written, int) and written > 0 else 0,
    )
