"""Models that write cards, opt-in: two HTTP protocols and any callable behind one protocol.

Nothing here is loaded or called unless `summarizer.provider` says so. Keys come from the
environment only and stand in no setting, log or error. The texts are those of the store: secrets
were blanked before they were stored.
"""

from __future__ import annotations

import os

from memstone.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from memstone.protocols import Summarizer, SummarizerLike

ANTHROPIC, OPENAI = "anthropic", "openai"
KEYS = {ANTHROPIC: "ANTHROPIC_API_KEY", OPENAI: "OPENAI_API_KEY"}


def as_summarizer(given: SummarizerLike) -> Summarizer:
    """What a caller gave as one: a summarizer, or any function from a prompt to a card.

    >>> as_summarizer(lambda prompt: '{"goal": "x"}').producer
    'callable card-1'
    """
    if callable(given):
        from memstone.summarization.calling import Calling  # noqa: PLC0415

        return Calling(given)
    return given


def open_summarizer(
    provider: str,
    model: str,
    *,
    base_url: str = "",
    timeout_s: float = 60.0,
    environ: Mapping[str, str] | None = None,
) -> Summarizer:
    """The summarizer of that provider, `anthropic` or `openai`. Calls nobody yet.

    Raises `ConfigError` without a model, or without a key where one is needed.
    """
    environ = os.environ if environ is None else environ
    key = environ.get(KEYS[provider], "").strip()
    if not model:
        raise ConfigError(
            "summarizer.model: a provider is set and no model",
            hint="name the model, or set summarizer.provider to none",
            key="summarizer.model",
        )
    if not key and (provider == ANTHROPIC or not base_url):
        raise ConfigError(
            f"summarizer.provider: {provider} needs a key in {KEYS[provider]}",
            hint="set the variable, or set summarizer.provider to none",
            key="summarizer.provider",
        )
    if provider == ANTHROPIC:
        from memstone.summarization.anthropic import Anthropic  # noqa: PLC0415

        return Anthropic.at(model, key, base_url=base_url, timeout_s=timeout_s)
    from memstone.summarization.openai_compatible import OpenAiCompatible  # noqa: PLC0415

    return OpenAiCompatible.at(model, key, base_url=base_url, timeout_s=timeout_s)
