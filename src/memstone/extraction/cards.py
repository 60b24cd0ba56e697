"""The index card of one segment, made of its own sentences; nothing on it is invented.

A card keeps the sentences that matter (`salience`), best first, until it holds `SHARE` of what the
segment costs in tokens, and shows them in the order they were said: the goal (what the user asked
for), the conclusion (the last decision or finding), the next action, then the rest by speaker. A
segment in which nothing matters has no card. Each sentence knows the turn and the place it was
taken from; labels are in the language of the sentences.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from memstone.analysis.query import analyze_query
from memstone.extraction.claims import Said as Told
from memstone.extraction.claims import claims
from memstone.extraction.cues import Cue
from memstone.extraction.echoes import is_echo
from memstone.extraction.entities import names, numbers
from memstone.extraction.labels import is_conclusion, is_goal, is_next
from memstone.extraction.salience import AGENTS, KEEP, Statement, statements
from memstone.extraction.small_talk import remains
from memstone.types import CJK_BEGINS, Kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memstone.extraction.salience import Said
    from memstone.protocols import TokenCounter

SHARE = 0.30  # of a segment's tokens that its card may hold
FEWEST_TOKENS = 60  # that it may hold however short the segment is: two statements or three
FIRM_SHARE = 0.6  # that it may hold of sentences surely worth it: dense talk is not cut short
FIRM_TOKENS = 120  # the same, however short the segment is
FIRM = 1.2  # score from which a sentence is surely worth it
WORTH = 1.0  # score up to which a sentence is taken only while the card holds few tokens
SAME = 0.8  # share of its terms from which a sentence says what another has said
RIVAL = 0.5  # share of their terms that two sentences have in common when one corrects the other
GOAL_WITHIN = 3  # turns of the beginning among which the goal is looked for
GOAL_WORDS = 3.0  # content words that a goal has at least
MOST_TAGS = 6
MOST_ENTITIES = 8
KIND_OF = {Cue.DECISION: Kind.DECISION, Cue.PREFERENCE: Kind.PREFERENCE, Cue.TASK: Kind.TASK}
_ENDED = re.compile(r"[.!?…。！？；;:：][\"'”’)\]」』》）]*\Z")
_LABELS = {
    "en": ("Goal: ", "Conclusion: ", "Next: "),
    "zh": ("目标：", "结论：", "下一步："),
}


@dataclass(frozen=True, slots=True)
class Span:
    """Bytes `start` to `end` of the text of turn number `turn` of the segment."""

    turn: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Card:
    """An index card: its sentences by what they do, and all of them as shown in `text`."""

    goal: Statement | None
    conclusion: Statement | None
    next_action: Statement | None
    chosen: tuple[Statement, ...]  # every sentence on it, in the order said
    kept: tuple[Statement, ...]  # every sentence that matters, on it or not, in the order said
    tags: tuple[str, ...]
    entities: tuple[str, ...]
    language: str  # `en` or `zh`, of its labels
    text: str
    spans: tuple[Span, ...]

    def of_kind(self, kind: Kind) -> tuple[Statement, ...]:
        """Its sentences of one kind; `Kind.FACT` is whatever is no decision, preference or task."""
        return tuple(one for one in self.chosen if not one.asks and kind_of(one) is kind)


def kind_of(statement: Statement) -> Kind:
    """What kind of memory a sentence would be."""
    return Kind.FACT if statement.cue is None else KIND_OF.get(statement.cue, Kind.FACT)


def card_of(turns: Sequence[Said], counter: TokenCounter) -> Card | None:
    """The card of a segment, None if nothing in it matters.

    >>> from memstone.extraction.salience import Said
    >>> from memstone.tokens import EstimatedTokens
    >>> card = card_of([Said("Hi!", "user"), Said("We moved to Oslo.", "user")], EstimatedTokens())
    >>> card.text, card.spans
    ('We moved to Oslo.', (Span(turn=1, start=0, end=17),))
    """
    said = statements(turns)
    kept = _without_echoes([one for one in said if one.score >= KEEP and not one.asks], said, turns)
    if not kept:
        return None
    whole = sum(counter.count(turn.text) for turn in turns)
    goal = _goal(said, turns)
    taken = _take(kept, turns, whole, counter)
    if goal is not None and goal not in taken and _fits(goal, taken, whole, counter):
        taken.append(goal)
    chosen = tuple(sorted(taken, key=lambda one: (one.turn, one.start)))
    return _assemble(chosen, goal if goal in chosen else None, tuple(kept), turns)


def _without_echoes(
    kept: Iterable[Statement], said: Iterable[Statement], turns: Sequence[Said]
) -> list[Statement]:
    """The statements without those of an assistant that repeat what a person has stated."""
    told: dict[int, list[str]] = {}
    for one in said:
        if not one.asks and not turns[one.turn].by_agent:
            told.setdefault(one.turn, []).append(one.text)
    stated = {turn: "\n".join(texts) for turn, texts in told.items()}

    def repeats(one: Statement) -> bool:
        before = (text for turn, text in stated.items() if turn < one.turn)
        return turns[one.turn].by_agent and is_echo(one.text, before)

    return [one for one in kept if not repeats(one)]


def _goal(said: Iterable[Statement], turns: Sequence[Said]) -> Statement | None:
    """What the user wants of the segment: their first question or request in it."""
    if not any(turn.by_agent for turn in turns):
        return None  # people who chat want nothing of each other
    for one in said:
        if one.turn >= GOAL_WITHIN:
            return None
        if is_goal(one) and not turns[one.turn].by_agent and remains(one.text).weight >= GOAL_WORDS:
            return one
    return None


@dataclass(frozen=True, slots=True)
class _Gist:
    """What a sentence says, for the question whether another says it too."""

    figures: Counter[str]
    names: frozenset[str]
    terms: frozenset[str]

    def says(self, other: _Gist) -> bool:
        """Whether it says what the other does: most of its words, all of its numbers and names."""
        if other.figures - self.figures or other.names - self.names:
            return False
        return len(other.terms & self.terms) >= SAME * len(other.terms) > 0

    def rivals(self, other: _Gist) -> bool:
        """Whether it may give another value to what the other speaks of."""
        fewer = min(len(self.terms), len(other.terms))
        return len(other.terms & self.terms) >= RIVAL * fewer > 0


def _gist(text: str) -> _Gist:
    return _Gist(numbers(text), frozenset(names(text)), frozenset(analyze_query(text).terms))


def _take(
    kept: Sequence[Statement], turns: Sequence[Said], whole: int, counter: TokenCounter
) -> list[Statement]:
    """The best sentences that fit, of equal ones the later; none that says what another says, or
    what a later one has put right.
    """
    taken: list[tuple[Statement, _Gist]] = []
    used = 0
    for one in sorted(kept, key=lambda one: (-one.score, -one.turn, -one.start)):
        cost = counter.count(one.text)
        if taken and used + cost > _most(one.score, whole):
            continue
        gist = _gist(one.text)
        if any(other.says(gist) for _, other in taken):
            continue
        rivals = [
            (other, its)
            for other, its in taken
            if gist.rivals(its) and _contradict(one, other, turns)
        ]
        if any((other.turn, other.start) > (one.turn, one.start) for other, _ in rivals):
            continue  # said anew since
        taken = [pair for pair in taken if pair not in rivals]
        used -= sum(counter.count(other.text) for other, _ in rivals)
        taken.append((one, gist))
        used += cost
    return [one for one, _ in taken]


def _contradict(one: Statement, other: Statement, turns: Sequence[Said]) -> bool:
    """Whether the same person gives the same attribute of the same thing two values."""
    if turns[one.turn].speaker != turns[other.turn].speaker:
        return False
    values = {(c.subject, c.attribute): c.value for c in claims(Told(one.text)) if c.plain}
    return any(
        values.get((c.subject, c.attribute), c.value) != c.value for c in claims(Told(other.text))
    )


def _most(score: float, whole: int) -> float:
    """Tokens that a card may hold when a sentence of that score joins it."""
    if score >= FIRM:
        return max(FIRM_SHARE * whole, min(FIRM_TOKENS, whole))
    allowance = max(SHARE * whole, FEWEST_TOKENS)
    return allowance if score >= WORTH else min(allowance, FEWEST_TOKENS)


def _fits(goal: Statement, taken: Iterable[Statement], whole: int, counter: TokenCounter) -> bool:
    used = sum(counter.count(one.text) for one in taken)
    return used + counter.count(goal.text) <= _most(max(goal.score, WORTH), whole)


def _assemble(
    chosen: tuple[Statement, ...],
    goal: Statement | None,
    kept: tuple[Statement, ...],
    turns: Sequence[Said],
) -> Card:
    plain = [one for one in chosen if one is not goal]
    # what people decide goes before what an assistant proposes
    latest = sorted(plain, key=lambda one: (turns[one.turn].by_agent, -one.turn, -one.start))
    conclusion = next((one for one in latest if is_conclusion(one)), None)
    next_action = next((one for one in latest if is_next(one) and one is not conclusion), None)
    language = _language(chosen)
    parts = (goal, conclusion, next_action)
    lines = labelled(language, *("" if one is None else _with_speaker(one, turns) for one in parts))
    shown = [one for one in parts if one is not None]
    lines += _by_speaker([one for one in chosen if one not in shown], turns)
    return Card(
        goal=goal,
        conclusion=conclusion,
        next_action=next_action,
        chosen=chosen,
        kept=kept,
        tags=_tags(chosen, turns),
        entities=_entities(chosen, turns),
        language=language,
        text="\n".join(lines),
        spans=tuple(_span(one, turns[one.turn].text) for one in chosen),
    )


def labelled(language: str, goal: str, conclusion: str, next_action: str) -> list[str]:
    """The lines a card begins with, those without a text left out.

    >>> labelled("en", "", "We moved.", "")
    ['Conclusion: We moved.']
    """
    parts = zip(_LABELS[language], (goal, conclusion, next_action), strict=True)
    return [label + part for label, part in parts if part]


def _language(chosen: Iterable[Statement]) -> str:
    text = "".join(one.text for one in chosen)
    wide = sum(character >= CJK_BEGINS for character in text)
    return "zh" if 3 * wide > len(text) else "en"


def _with_speaker(one: Statement, turns: Sequence[Said]) -> str:
    """The sentence, with the name of whoever said it where it is a name."""
    speaker = turns[one.turn].speaker
    plain = _is_plain(speaker) or speaker.lower() in AGENTS
    return one.text if plain else f"{speaker}: {one.text}"


def _is_plain(speaker: str) -> bool:
    """Whether a speaker goes without a name: it is the user's memory."""
    return not speaker or speaker.lower() == "user"


def _by_speaker(rest: Sequence[Statement], turns: Sequence[Said]) -> list[str]:
    """The sentences in lines, one for as long as the same person goes on and ends what they say."""
    lines: list[tuple[str, str]] = []
    for one in rest:
        speaker = turns[one.turn].speaker
        if lines and lines[-1][0] == speaker and _ENDED.search(lines[-1][1]):
            before = lines[-1][1]
            wide = before[-1] >= CJK_BEGINS and one.text[0] >= CJK_BEGINS
            lines[-1] = speaker, before + ("" if wide else " ") + one.text
        else:
            lines.append((speaker, one.text))
    return [text if _is_plain(speaker) else f"{speaker}: {text}" for speaker, text in lines]


def _tags(chosen: Iterable[Statement], turns: Sequence[Said]) -> tuple[str, ...]:
    """What the card is about: the words of its sentences that the segment repeats most."""
    speakers = {word.lower() for turn in turns for word in turn.speaker.split()}
    wanted = [
        piece.surface
        for one in chosen
        for piece in analyze_query(one.text).evidence
        if piece.surface and len(piece.surface) > 3 and piece.surface not in speakers
    ]
    segment = Counter(
        piece.surface
        for turn in turns
        for piece in analyze_query(turn.text[:2000]).evidence
        if piece.surface
    )
    ranked = sorted(dict.fromkeys(wanted), key=lambda word: (-segment[word], wanted.index(word)))
    return tuple(word for word in ranked if segment[word] > 1)[:MOST_TAGS]


def _entities(chosen: Iterable[Statement], turns: Sequence[Said]) -> tuple[str, ...]:
    speakers = {turn.speaker.lower() for turn in turns}
    found = [name for one in chosen for name in names(one.text) if name.lower() not in speakers]
    return tuple(dict.fromkeys(found))[:MOST_ENTITIES]


def _span(one: Statement, text: str) -> Span:
    start = len(text[: one.start].encode("utf-8"))
    return Span(one.turn, start, start + len(one.text.encode("utf-8")))
