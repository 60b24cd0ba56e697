"""Cards by a model, where one was configured: asked segment by segment, within a daily cap.

What comes back is not trusted. It was checked for its shape by the adapter; here sentences that
the turns do not bear out are dropped, and what is left is cleaned and screened like any other text.
A sentence stands only if the turns it names contain every number in it and half of its content
words, at least one; a sentence of stop words or of numbers alone says nothing that could be
checked. And what it denies must be denied there: each clause is held against the clauses of the
turns that share most of its words, and one of those must be negated if it is, and not if it is
not. It cannot be told whether the words were put together rightly.

Whoever asked gets a `SummarizerError` when there is no card, or when nothing of it is borne out,
and makes one without a model. After an endpoint failed to answer it is left alone for the rest of
the run, so that a machine without a network waits once, not once a segment.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from memstone.analysis.query import analyze_query
from memstone.analysis.tokenizer import scan
from memstone.errors import SummarizerError, SummarizerUnavailable, SummaryInvalid
from memstone.extraction.entities import numbers
from memstone.extraction.salience import AGENTS
from memstone.extraction.summaries import text_of
from memstone.ingestion import spending
from memstone.ingestion.cleaning import Request
from memstone.times import to_micros
from memstone.types import Derivation, Kind, Method, SegmentTurn, Trust

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from memstone.protocols import Store, Summarizer, TokenCounter
    from memstone.types import ChangeNote, Conversation, Evidence, Memory, Summary

TURN_CHARACTERS = 8_000  # of a turn that are sent; what follows is a paste
ANSWER_TOKENS = 2_048  # the most that the adapters let a model write
PROMPT_TOKENS = 600  # the instruction and the schema

BORNE_OUT = 0.5  # share of a sentence's content words that its turns must contain
_NEGATION = re.compile(
    r"\b(?:not(?! only\b)|never|none|nobody|nothing|nowhere|neither|nor|without|cannot"
    r"|no(?! (?:problem|worries|doubt)\b|\. ?\d)|\w+n['’]t|(?:do|does|did|is|are|was|were|have"
    r"|has|had|ca|could|wo|would|should)nt|instead of|rather than)\b"
    r"|(?<![特分级級区區类類性个個告离離])[别別](?![人名的墅致处處])"
    r"|[没沒](?!问题|問題|关系|關係|事|收)|未(?![来來必])|[无無](?![线線论論锡人机機疑])"
    r"|并非|並非|绝非|絕非|而非|(?<!除)非(?![常洲法])(?=[是要得])"
    r"|[勿莫](?!名)|(?<!要)不(?![过過错錯仅僅但只断斷管论論锈鏽妨如同少久止好]|客气|客氣)",
    re.IGNORECASE,
)
_ASKED = re.compile(r"(\w)[不没沒]\1|是否|能否|可否|[吗嗎]")  # 要不要: a question denies nothing
_CLAUSE = re.compile(
    r"[。！？；，：!?;\n]+|[.,:](?=\s|\Z)|\s[-–—]+\s|\b(?=(?:but|however|instead of|rather than)\b)"
    r"|但是?|而是|可是|不[过過]|(?=而[不非])"
    r"|\band\b(?=[^.,;!?。]{0,80}(?:\bnot?\b|\bnever\b|n['’]t\b))",
    re.IGNORECASE,
)


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


@dataclass(frozen=True, slots=True)
class _Clause:
    terms: frozenset[str]
    negated: bool


@dataclass(frozen=True, slots=True)
class _Source:
    """The turns that a sentence is held against, read once."""

    terms: frozenset[str]
    numbers: frozenset[str]
    clauses: tuple[_Clause, ...]


def is_borne_out(sentence: str, source: str) -> bool:
    """Whether `source` carries a sentence: its numbers, half of its content words, its negation.

    >>> is_borne_out("The budget is 300 euros.", "ok, let us say 300 euros, that is our budget")
    True
    >>> is_borne_out("The budget is 400 euros.", "ok, let us say 300 euros, that is our budget")
    False
    >>> is_borne_out("我们用 MySQL。", "我们不用 MySQL。")
    False
    """
    return _carries(_read(source), sentence)


def borne_out(summary: Summary, turns: Sequence[SegmentTurn]) -> Summary:
    """The summary without what its turns do not bear out."""
    whole = "\n".join(turn.text for turn in turns)
    source = _read(whole)

    def kept(sentence: str) -> str:
        return sentence if _carries(source, sentence) else ""

    items = (
        item
        for item in summary.items
        if is_borne_out(item.text, "\n".join(turns[number].text for number in item.turns))
    )
    return replace(
        summary,
        goal=kept(summary.goal),
        conclusion=kept(summary.conclusion),
        next_action=kept(summary.next_action),
        items=tuple(items),
        tags=tuple(word for word in summary.tags if _names(source, word)),
        entities=tuple(word for word in summary.entities if word.lower() in whole.lower()),
    )


def _read(text: str) -> _Source:
    return _Source(_terms(text), frozenset(numbers(text)), tuple(_clauses(text)))


def _carries(source: _Source, sentence: str) -> bool:
    return _names(source, sentence) and all(_agrees(source, one) for one in _parts(sentence))


def _names(source: _Source, sentence: str) -> bool:
    """Whether all numbers and half of the content words, at least one, are in the source."""
    if not set(numbers(sentence)) <= source.numbers:
        return False
    words = _content(sentence)
    there = sum(_is_in(word, source.terms) for word in words)
    return there > 0 and there >= BORNE_OUT * len(words)


def _agrees(source: _Source, clause: str) -> bool:
    """Whether a clause is denied where its source denies it, and only there."""
    words = _content(clause)
    shared = [sum(_is_in(word, one.terms) for word in words) for one in source.clauses]
    most = max(shared, default=0)
    if most == 0:
        return True  # nothing there to compare it with; `_names` judges the sentence as a whole
    negated = _is_negated(clause)
    nearest = zip(source.clauses, shared, strict=True)
    return any(one.negated == negated for one, count in nearest if count == most)


def _clauses(text: str) -> list[_Clause]:
    """The clauses of a text. A bare "no" denies the clause before it, as an answer does."""
    found: list[_Clause] = []
    after_words = False
    for part in _parts(text):
        negated, has_words = _is_negated(part), bool(_content(part))
        if has_words:
            found.append(_Clause(_terms(part), negated))
        elif negated and after_words:
            found[-1] = replace(found[-1], negated=True)
        after_words = has_words
    return found


def _parts(text: str) -> list[str]:
    return [part for part in _CLAUSE.split(text) if part and part.strip()]


def _is_negated(clause: str) -> bool:
    return bool(_NEGATION.search(_ASKED.sub(" ", clause)))


def _content(text: str) -> list[Evidence]:
    """The content words of a text (in Chinese: characters with their neighbours), no numbers."""
    return [
        one
        for one in analyze_query(_NEGATION.sub(" ", _ASKED.sub(" ", text))).evidence
        if not _is_number(one)
    ]


def _is_number(word: Evidence) -> bool:
    written = word.surface or word.mass[0]
    return not any(map(str.isalpha, written)) or (written.isascii() and bool(numbers(written)))


def _is_in(word: Evidence, terms: frozenset[str]) -> bool:
    """Whether a word is there: as it is, or more than half of what it is put together of, which is
    two parts at least: the "SQL" of PostgreSQL is not MySQL.
    """
    if not terms.isdisjoint(word.full):
        return True
    there = len(terms.intersection(word.half))
    return there > 1 and there > BORNE_OUT * len(word.half)


def _terms(text: str) -> frozenset[str]:
    return frozenset(term for _, _, analysis in scan(text) for term in analysis.terms)
