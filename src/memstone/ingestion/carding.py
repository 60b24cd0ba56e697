"""Index cards of a conversation, made after its turns are safe, and what it states as facts.

Which turns wait is a query (`Snapshot.conversations`), so a kill loses nothing: the cards of some
segments and the mark behind them land in one transaction, and a second worker on the same
conversation finds the mark moved and stops. A card is made of the conversation's own sentences, or
by a model if one was configured (`summarizing`); where the model gives no card, one is made of the
sentences, and its producer says so. What is not learnt: tool output, texts that come again in other
sessions (prompts, boot files), our own notes (taken out before a turn is stored), small talk.

Statements that may change later (a name, a budget, a preference), what lasts about a person (an
allergy, a pet, a job) and decisions also become rows of their own, so that they can be superseded;
the card stays as it was.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from memstone.errors import InvalidInput, SummarizerError, TextHeld, TextIsHistory
from memstone.extraction.cards import card_of
from memstone.extraction.claims import Said as Told
from memstone.extraction.claims import claims
from memstone.extraction.cues import Cue
from memstone.extraction.personal import is_personal
from memstone.extraction.salience import AGENTS, Said
from memstone.extraction.segments import segments
from memstone.ingestion import indexing, summarizing
from memstone.ingestion.cleaning import Request
from memstone.ingestion.remembering import put
from memstone.times import to_micros
from memstone.types import (
    MAX_TAG_BYTES,
    Derivation,
    Kind,
    Method,
    Outcome,
    Trust,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from memstone.extraction.cards import Card
    from memstone.extraction.salience import Statement
    from memstone.ingestion.cleaning import Cleaner
    from memstone.ingestion.replacing import Rules
    from memstone.ingestion.summarizing import Model
    from memstone.protocols import Snapshot, Store, TokenCounter
    from memstone.types import ChangeNote, Conversation, Memory, Scope

PRODUCER = "memstone cards 2"  # rules and weights of `extraction`; counts up when they change
AT_ONCE = 8  # segments in one transaction
READ_CHARACTERS = 64 * 1024  # of a turn: what follows is a paste, not a statement
REPEATED_CHARACTERS = 120  # a text this long that other sessions hold too was not said, but pasted
STRONG = 1.6  # score of a decision that becomes a row of its own
LIKINGS = frozenset({"opinion", "prefer", "favourite", "answer"})
_BOOT = re.compile(
    r"\A\s*(?:<[a-z_-]+>\s*)?(?:#+ .*\n+)?"
    r"(?:you are (?:an? |the |now )?\w+|你(?:是|将扮演)(?:一[个名位])?)",
    re.IGNORECASE,
)
BOOT_CHARACTERS = 300
_TASK = re.compile(
    r"\b(?:remind me|to-?do\b|don'?t (?:let me )?forget|remember to|i (?:need|have"
    r"|must|still (?:need|have)) to)\b"
    r"|提醒我|待办|别忘了|记得(?:要|去|给|把|在)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Maker:
    """What cards are made with."""

    cleaner: Cleaner
    counter: TokenCounter
    rules: Rules
    model: Model | None = None

    @property
    def at_once(self) -> int:
        """Segments in one transaction; what a model was paid for is stored at once."""
        return AT_ONCE if self.model is None else 1


@dataclass(slots=True)
class Carded:
    """What came of one or more conversations."""

    conversations: int = 0
    cards: int = 0
    statements: int = 0


@dataclass(frozen=True, slots=True)
class Batch:
    """What was made of some segments, of which rows, and where it goes."""

    requests: Sequence[Request]
    turns: Sequence[int]
    home: Scope
    done: Carded


def ready(store: Store, user: str, *, idle_since: int, limit: int) -> list[Conversation]:
    """Conversations whose turns wait for cards and that are over: somebody said so, or nothing was
    added since `idle_since` (microseconds).
    """
    with store.read() as snapshot:
        waiting = snapshot.conversations(snapshot.namespaces_of(user), limit=limit)
    return [one for one in waiting if one.ended or to_micros(one.touched_at) <= idle_since]


def card_conversation(
    store: Store,
    conversation: Conversation,
    maker: Maker,
    note: Callable[[], ChangeNote],
    *,
    going_on: Callable[[], bool] = lambda: True,
) -> Carded:
    """Make the cards of the turns that wait; returns what was made. Stops between two batches when
    `going_on` says so, and goes on there the next time.
    """
    done = Carded()
    with store.read() as snapshot:
        turns = snapshot.turns(conversation)
        learnt = _learnt(snapshot, turns)
    pieces = segments([_said(turn) for turn in learnt])
    left = conversation
    for first in range(0, max(len(pieces), 1), maker.at_once):
        now = pieces[first : first + maker.at_once]
        last = first + maker.at_once >= len(pieces)
        until = conversation.last_row if last else learnt[now[-1][1] - 1].row
        made = [
            request
            for start, end in now
            for request in _requests(learnt[start:end], conversation, maker)
        ]
        rows = [turn.row for start, end in now for turn in learnt[start:end]]
        batch = Batch(made, rows, maker.rules.home, done)
        if not _write(store, replace(left, last_row=until), batch, note()):
            return done  # another worker is at it, or a turn is gone: the next run reads anew
        left = replace(left, carded_row=until)
        if not going_on() and not last:
            return done
    done.conversations += 1
    return done


def _learnt(snapshot: Snapshot, turns: Sequence[Memory]) -> list[Memory]:
    """The turns that may be learnt from."""
    return [
        turn
        for turn in turns
        if turn.provenance.trust is not Trust.TOOL and not _is_pasted(snapshot, turn)
    ]


def _is_pasted(snapshot: Snapshot, turn: Memory) -> bool:
    """Whether a turn is a prompt or a boot file: it reads like one, or other sessions begin with
    the same text.
    """
    text = turn.text
    if len(text) >= BOOT_CHARACTERS and _BOOT.match(text):
        return True
    if len(text) < REPEATED_CHARACTERS:
        return False
    namespaces = snapshot.namespaces_of(turn.scope.user)
    same = snapshot.by_digest(bytes.fromhex(turn.text_sha256), namespaces)
    return any(one.kind is Kind.TURN and one.session != turn.session for one in same)


def _said(turn: Memory) -> Said:
    return Said(turn.text[:READ_CHARACTERS], turn.speaker or "", to_micros(turn.valid_from))


def _requests(turns: Sequence[Memory], conversation: Conversation, maker: Maker) -> list[Request]:
    """The card of a segment and its statements, ready to be stored; the card first, and none that
    holds one statement only.
    """
    producer = PRODUCER
    wanted: list[Request] | None = None
    if maker.model is not None:
        try:
            wanted = summarizing.requests(maker.model.card_of(turns), turns, conversation)
        except SummarizerError as error:
            model = maker.model.summarizer.producer
            producer = summarizing.failed(error, PRODUCER, model)
    if wanted is None:
        wanted = _own_requests(turns, conversation, maker, producer)
    cleaned = []
    for request in wanted:
        try:
            cleaned.append(maker.cleaner.clean(request))
        except InvalidInput:  # nothing is left of it without what is private
            continue
    own = {request.text for request in cleaned if request.kind is not Kind.CARD}
    return [one for one in cleaned if one.kind is not Kind.CARD or one.text not in own]


def _own_requests(
    turns: Sequence[Memory], conversation: Conversation, maker: Maker, producer: str
) -> list[Request]:
    """The card of a segment and its statements, made without a model."""
    card = card_of([_said(turn) for turn in turns], maker.counter)
    if card is None:
        return []
    wanted = [_card_request(card, turns, conversation)]
    for one in card.kept:
        kind = _own_kind(one, turns[one.turn], maker)
        if kind is not None:
            wanted.append(_statement_request(one, kind, turns[one.turn], conversation))
    return [replace(request, producer=producer) for request in wanted]


def _card_request(card: Card, turns: Sequence[Memory], conversation: Conversation) -> Request:
    cited = [turns[span.turn] for span in card.spans]
    return Request(
        text=card.text,
        scope=turns[0].scope,
        kind=Kind.CARD,
        tags=_labels((*card.tags, *card.entities)),
        session=conversation.session,
        at=max(to_micros(turn.valid_from) for turn in cited),
        trust=summarizing.lowest_trust(cited),
        source=conversation.source,
        method=Method.CARD,
        derived_from=tuple(
            Derivation(turns[span.turn].id, span.start, span.end) for span in card.spans
        ),
    )


def _labels(words: Iterable[str]) -> tuple[str, ...]:
    """Words as tags, each once whatever its case."""
    kept: dict[str, str] = {}
    for word in words:
        if len(word.encode("utf-8")) <= MAX_TAG_BYTES:
            kept.setdefault(word.casefold(), word)
    return tuple(kept.values())


def _own_kind(one: Statement, turn: Memory, maker: Maker) -> Kind | None:
    """The kind of memory that a sentence becomes by itself, None if it stays on the card only.

    Only what people say counts: an assistant that repeats, guesses or quotes states nothing.
    """
    if one.asks or (turn.speaker or "").lower() in AGENTS:
        return None
    told = claims(Told(one.text, turn.speaker), maker.rules.multi_valued)
    stated = next((claim for claim in told if claim.plain), None)
    if stated is not None:
        return Kind.PREFERENCE if stated.family in LIKINGS else Kind.FACT
    if one.cue is Cue.IDENTITY and is_personal(one.text):
        return Kind.FACT
    if one.cue is Cue.DECISION and one.score >= STRONG:
        return Kind.DECISION
    return Kind.TASK if one.cue is Cue.TASK and _TASK.search(one.text) else None


def _statement_request(
    one: Statement, kind: Kind, turn: Memory, conversation: Conversation
) -> Request:
    start = len(turn.text[: one.start].encode("utf-8"))
    end = start + len(one.text.encode("utf-8"))
    named = turn.speaker is not None and turn.speaker.lower() != "user"
    return Request(
        text=one.text,
        scope=turn.scope,
        kind=kind,
        session=conversation.session,
        speaker=turn.speaker if named else None,
        at=to_micros(turn.valid_from),
        trust=turn.provenance.trust,
        source=conversation.source,
        method=Method.CARD,
        derived_from=(Derivation(turn.id, start, end),),
    )


def _write(store: Store, step: Conversation, batch: Batch, note: ChangeNote) -> bool:
    """Store what was made of some segments and move the mark. False if it has moved already, or if
    a turn was forgotten meanwhile: its words must not come back on a card.
    """
    ready_units = [indexing.units_of_request(request, note.at) for request in batch.requests]
    done = batch.done
    with store.write(note) as transaction:
        there = transaction.memories(batch.turns)
        if len(there) < len(batch.turns) or any(turn.archived or turn.held for turn in there):
            return False
        if not transaction.mark_carded(step):
            return False
        for request, units in zip(batch.requests, ready_units, strict=True):
            try:
                written = put(transaction, request, units, home=batch.home, now=note.at)
            except (TextIsHistory, TextHeld):  # an old value told again; nothing new
                continue
            is_card = request.kind is Kind.CARD
            if written.outcome is Outcome.CREATED:
                done.cards += is_card
                done.statements += not is_card
    return True
