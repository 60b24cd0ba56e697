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
