"""Models that write cards, opt-in: two HTTP protocols and any callable behind one protocol.

Nothing here is loaded or called unless `summarizer.provider` says so. Keys come from the
environment only and stand in no setting, log or error; where one may go says `addresses`. What
is handed to a summarizer must be redacted already: nothing is blanked here. The texts of the store
are, before they are stored.
"""

from __future__ import annotations

import os
import re

from memstone.errors import ConfigError, brief
from memstone.summarization.addresses import ANTHROPIC, OPENAI, OWN, check, is_same_place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from memstone.protocols import Summarizer, SummarizerLike

KEYS = {ANTHROPIC: "ANTHROPIC_API_KEY", OPENAI: "OPENAI_API_KEY"}
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")


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
    key_variable: str = "",
    plain_http: bool = False,
    timeout_s: float = 60.0,
    environ: Mapping[str, str] | None = None,
) -> Summarizer:
    """The summarizer of that provider, `anthropic` or `openai`. Calls nobody yet.

    The key is that of the provider's own variable only at the provider's own address; elsewhere
    `key_variable` names one, or none is sent. Raises `ConfigError` for another provider or an
    address that is none or not safe (`addresses.check`), without a model, and without a key where
    one is needed or with one that no header can hold.
    """
    if provider not in KEYS:
        raise ConfigError(
            f"summarizer.provider: {brief(provider)!r} is none of {', '.join(KEYS)}",
            key="summarizer.provider",
        )
    if not model:
        raise ConfigError(
            "summarizer.model: a provider is set and no model",
            hint="name the model, or set summarizer.provider to none",
            key="summarizer.model",
        )
    if base_url:
        check(base_url, plain_http=plain_http)
    key = _key(provider, base_url, key_variable, os.environ if environ is None else environ)
    if provider == ANTHROPIC:
        from memstone.summarization.anthropic import Anthropic  # noqa: PLC0415

        return Anthropic.at(
            model, key, base_url=base_url, timeout_s=timeout_s, plain_http=plain_http
        )
    from memstone.summarization.openai_compatible import OpenAiCompatible  # noqa: PLC0415

    return OpenAiCompatible.at(
        model, key, base_url=base_url, timeout_s=timeout_s, plain_http=plain_http
    )


def _key(provider: str, base_url: str, key_variable: str, environ: Mapping[str, str]) -> str:
    """The key that may go to that address; empty if none needs to."""
    if key_variable and not _VARIABLE.fullmatch(key_variable):  # not shown: it may be the key
        raise ConfigError(
            "summarizer.key_variable: not the name of a variable",
            hint="put the key into a variable and its name, such as OPENROUTER_API_KEY, here",
            key="summarizer.key_variable",
        )
    own = not base_url or is_same_place(base_url, OWN[provider])
    variable = key_variable or (KEYS[provider] if own else "")
    key = environ.get(variable, "").strip() if variable else ""
    if not (key.isascii() and key.isprintable()) or " " in key:  # http.client would quote it
        raise ConfigError(
            f"{variable}: not a key: it holds a blank, a line end or a letter beyond ASCII",
            hint="copy the key again",
            key="summarizer.key_variable" if key_variable else "summarizer.provider",
        )
    if not key and variable:
        raise ConfigError(
            f"summarizer.provider: {provider} needs a key in {variable}",
            hint="set the variable, or set summarizer.provider to none",
            key="summarizer.key_variable" if key_variable else "summarizer.provider",
        )
    if not key and provider == ANTHROPIC:
        raise ConfigError(
            f"summarizer.key_variable: {KEYS[provider]} is sent to {OWN[provider]} only, and "
            "summarizer.base_url is another address",
            hint="name the variable whose key may go there in summarizer.key_variable",
            key="summarizer.key_variable",
        )
    return key
