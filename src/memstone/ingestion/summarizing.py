"""Cards by a model, where one was configured: asked segment by segment, within a daily cap.

What comes back is not trusted. It was checked for its shape by the adapter; here sentences that
the turns do not bear out are dropped, and what is left is cleaned and screened like any other text.

Whoever asked gets a `SummarizerError` when there is no card, or when nothing of it is borne out,
and makes one without a model. After an endpoint failed to answer it is left alone for the rest of
the run, so that a machine without a network waits once, not once a segment.
"""

from __future__ import annotations

from dataclasses import dataclass

from memstone.errors import SummarizerError, SummarizerUnavailable, SummaryInvalid
from memstone.extraction.salience import AGENTS
from memstone.extraction.summaries import borne_out, text_of
from memstone.ingestion import spending
from memstone.ingestion.cleaning import Request
from memstone.times import to_micros
from memstone.types import Derivation, Kind, Method, SegmentTurn, Trust

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from memstone.protocols import Store, Summarizer, TokenCounter
    from memstone.types import ChangeNote, Conversation, Memory, Summary

TURN_CHARACTERS = 8_000  # of a turn that are sent; what follows is a paste
ANSWER_TOKENS = 2_048  # the most that the adapters let a model write
PROMPT_TOKENS = 600  # the instruction and the schema


@dataclass(slots=True)
class Model:
    """A summarizer and what it may cost; one run's view of it."""

    summarizer: Summarizer
    daily_tokens: int
    store: Store
    counter: TokenCounter
    note: Callable[[], ChangeNote]
    silent: SummarizerUnavailable | None = None  # why it is not asked any more

    def card_of(self, turns: Sequence[Memory]) -> Summary:
        """The model's card of a segment, with what the turns bear out. Raises `SummarizerError`."""
        if self.silent is not None:
            raise self.silent
        given = [_given(number, turn) for number, turn in enumerate(turns)]
        reading = PROMPT_TOKENS + sum(self.counter.count(turn.text) for turn in given)
        estimate = reading + ANSWER_TOKENS
        spending.reserve(self.store, estimate, cap=self.daily_tokens, note=self.note())
        try:
            summary = self.summarizer.summarize(given)
        except SummarizerUnavailable as error:
            self.silent = error
            if error.fields.get("unpaid") is True:  # not reached, or refused: no work was done
                spending.correct(self.store, estimate, 0, note=self.note())
            raise
        used = summary.input_tokens + summary.output_tokens
        spending.correct(self.store, estimate, used or estimate, note=self.note())
        kept = borne_out(summary, given)
        if text_of(summary) and not text_of(kept):  # an empty card is an answer, an invented none
            raise SummaryInvalid("the turns bear out nothing of the model's card")
        return kept


def _given(number: int, turn: Memory) -> SegmentTurn:
    day = turn.valid_from.date().isoformat()
    return SegmentTurn(number, turn.speaker or "", turn.text[:TURN_CHARACTERS], day)


def requests(
    summary: Summary, turns: Sequence[Memory], conversation: Conversation
) -> list[Request]:
    """The card and the statements of a summary, not cleaned yet; the card first."""
    text = text_of(summary)
    if not text:
        return []
    cited = sorted({number for item in summary.items for number in item.turns})
    sources = [turns[number] for number in cited] or list(turns)
    tags = tuple(dict.fromkeys((*summary.tags, *summary.entities)))
    wanted = [_request(text, Kind.CARD, sources, conversation, summary, tags=tags)]
    for item in summary.items:
        sources = [turns[number] for number in item.turns]
        if any((turn.speaker or "").lower() not in AGENTS for turn in sources):
            named = (item.subject, item.attribute) if item.subject and item.attribute else None
            wanted.append(
                _request(item.text, item.kind, sources, conversation, summary, named=named)
            )
    return wanted


def _request(
    text: str,
    kind: Kind,
    sources: Sequence[Memory],
    conversation: Conversation,
    summary: Summary,
    *,
    tags: tuple[str, ...] | None = None,
    named: tuple[str, str] | None = None,
) -> Request:
    return Request(
        text=text,
        scope=sources[0].scope,
        kind=kind,
        tags=tags,
        session=conversation.session,
        subject=named[0] if named else None,
        attribute=named[1] if named else None,
        at=max(to_micros(turn.valid_from) for turn in sources),
        trust=lowest_trust(sources),
        source=conversation.source,
        method=Method.CARD,
        producer=summary.producer,
        derived_from=tuple(
            Derivation(turn.id, 0, len(turn.text.encode("utf-8"))) for turn in sources
        ),
    )


def lowest_trust(turns: Iterable[Memory]) -> Trust:
    """What a text made of several turns is trusted as: as the least trusted of them."""
    order = list(Trust)
    return max((turn.provenance.trust for turn in turns), key=order.index)


def failed(error: SummarizerError, producer: str, model: str) -> str:
    """The producer of a card made without the model that should have made it."""
    return f"{producer}, not {model}: {error.code}"
