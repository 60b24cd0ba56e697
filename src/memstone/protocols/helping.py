"""The seams of memstone beside the store: token counters, excerpts, stems, cards, settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memstone.types import Excerpt, SegmentTurn, Summary


class TokenCounter(Protocol):
    """Estimated or exact tokens of a text; `basis` says which (`estimated`, `o200k`, …)."""

    @property
    def basis(self) -> str: ...

    def count(self, text: str) -> int: ...


class Excerpter(Protocol):
    """Shortens a text to a budget; an excerpt shows only whole characters of the original."""

    def __call__(
        self,
        text: str,
        *,
        focus: tuple[int, int],
        terms: Sequence[str],
        tokens: int,
        counter: TokenCounter,
        handle: str,
    ) -> Excerpt | None:
        """At most `tokens` of `text` around `focus` (code points), marked where it is cut and
        naming `handle` for the whole; None if nothing meaningful fits.
        """
        ...


class Summarizer(Protocol):
    """A model that writes index cards. `producer` names it and the version of its prompt."""

    @property
    def producer(self) -> str: ...

    def summarize(self, turns: Sequence[SegmentTurn]) -> Summary:
        """The card of a segment. Raises `SummaryInvalid`, or `SummarizerUnavailable`: with
        `unpaid=True` if the call cannot have cost tokens, else its estimate stays booked.
        """
        ...


SummarizerLike: TypeAlias = "Summarizer | Callable[[str], str | Mapping[str, object]]"
"""A summarizer, or a function from a prompt to a card as JSON text or as a mapping."""


class Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802  (PyStemmer's name)


class Settings(Protocol):
    """What services and the root read of the configuration; see `memstone.config`."""

    @property
    def user(self) -> str: ...

    @property
    def context_window(self) -> int: ...

    @property
    def recall_limit(self) -> int: ...

    @property
    def recall_budget(self) -> int: ...

    @property
    def min_score(self) -> float: ...

    @property
    def role(self) -> str: ...

    @property
    def redaction(self) -> Mapping[str, str]: ...
