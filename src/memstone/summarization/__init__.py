"""Models that write cards, opt-in: two HTTP protocols and any callable behind one protocol.

Nothing here is loaded or called unless `summarizer.provider` says so. Keys come from the
environment only and stand in no setting, log or error. What is handed to a summarizer must be
redacted already: nothing is blanked here. The texts of the store are, before they are stored.
"""

from __future__ import annotations

import os

from memstone.errors import ConfigError, brief

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

    Raises `ConfigError` for another provider or an address that is none, without a model, and
    without a key where one is needed or with one that no header can hold.
    """
    if provider not in KEYS:
        raise ConfigError(
            f"summarizer.provider: {brief(provider)!r} is none of {', '.join(KEYS)}",
            key="summarizer.provider",
        )
    environ = os.environ if environ is None else environ
    key = environ.get(KEYS[provider], "").strip()
    if not (key.isascii() and key.isprintable()) or " " in key:  # http.client would quote it
        raise ConfigError(
            f"{KEYS[provider]}: not a key: it holds a blank, a line end or a letter beyond ASCII",
            hint="copy the key again",
            key="summarizer.provider",
        )
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
