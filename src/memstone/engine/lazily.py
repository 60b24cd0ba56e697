"""Parts that most processes never need, behind functions that load them at the first call."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstone.protocols import TokenCounter
    from memstone.types import Excerpt


def excerpt_when_needed(
    text: str,
    *,
    focus: tuple[int, int],
    terms: Sequence[str],
    tokens: int,
    counter: TokenCounter,
    handle: str,
) -> Excerpt | None:
    """The excerpter, loaded by the first hit too large for its budget."""
    from memstone.compression.excerpt import excerpt

    return excerpt(text, focus=focus, terms=terms, tokens=tokens, counter=counter, handle=handle)


class TokensWhenCounted:
    """A `TokenCounter` of exact o200k counts where the extra `[o200k]` is installed, else of our
    estimate; which one is found out by the first text that is counted.
    """

    def __init__(self) -> None:
        self._counter: TokenCounter | None = None

    @property
    def basis(self) -> str:
        return self._loaded().basis

    def count(self, text: str) -> int:
        return self._loaded().count(text)

    def _loaded(self) -> TokenCounter:
        if self._counter is None:
            from memstone.o200k import O200kTokens
            from memstone.tokens import EstimatedTokens

            try:
                self._counter = O200kTokens()
            except ModuleNotFoundError:
                self._counter = EstimatedTokens()
        return self._counter
