"""How much a sentence matters later, and which sentences of a conversation are worth keeping.

The score of a sentence is a sum of documented parts (`Weights`): how much it says (content words),
what it names (numbers, names), what it does (`cues`), who says it; questions and talk about the
person addressed count against it, and small talk is out at once. It is no probability. `KEEP` is
the score from which a sentence is kept; weights and threshold were set on the development sets
(`benchmarks/data`, LoCoMo) and are few on purpose.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from math import sqrt

from memstone.analysis.sentences import sentences
from memstone.extraction.cues import Cue, cue_of
from memstone.extraction.entities import names, numbers
from memstone.extraction.personal import is_personal
from memstone.extraction.phatic_english import EMPTY_ENGLISH
from memstone.extraction.register import chat_marks
from memstone.extraction.small_talk import remains
from memstone.extraction.unsaid import asks_for_amusement, is_bot_talk, is_redacted, recites

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

KEEP = 0.4
FULL_WORDS = 9.0  # content words from which a sentence says as much as one can
INFORMATION = 0.9  # weight of what it says
NUMBER = 0.5  # or a day or a time of day, which is one
NAME = 0.35  # each, at most two
PERSONAL = 0.2  # about the speaker or their own: "I", "my", "we", 我, 我们
QUESTION = -0.9
CHATTY = (
    -0.25
)  # each mark of chat (`register`) in a sentence that names nothing: may it stay at all?
CUE_WORDS = 2.0  # content words from which a cue counts wholly in a sentence that names nothing
BARE = 0.6  # of the score of a number that stands alone ("29!"): it counts as an answer only
ANSWER = 0.15  # what comes first after a question that was more than courtesy
ADDRESSED = -0.5  # about the other person: "you should be proud"
OF_AGENT = -0.35  # assistants talk much; what the user says is about the user
CUES = {
    Cue.DECISION: 0.9,
    Cue.TASK: 0.8,
    Cue.PREFERENCE: 0.8,
    Cue.APPOINTMENT: 0.7,
    Cue.IDENTITY: 0.8,
    Cue.CHANGE: 0.8,
    Cue.CAUSE: 0.6,
    Cue.PLAN: 0.6,
    Cue.EVENT: 0.5,
}
AGENTS = frozenset({"assistant", "agent", "ai", "bot", "model", "助手"})
MAX_SENTENCE = 600  # characters; a longer "sentence" is a paste, a table, a log
_FIRM = frozenset({Cue.DECISION, Cue.TASK})  # said of a person, too, they remain what they are
_WHEN = re.compile(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august"
    r"|september|october|november|december|noon|midnight|daily|weekly|monthly|yearly"
    r"|(?<!good )(?<!last )nights|night shift|at night)s?\b"
    r"|(?:周|星期|礼拜)[一二三四五六日天]|中午|半夜|凌晨|傍晚|每[天周月年晚]|夜班|[一二三四]季度",
    re.IGNORECASE,
)
_QUESTION = re.compile(r"(?:怎么样|怎样|如何|[吗呢么])[。~～ ]*\Z|[?？][\"'”’」』)）\s]*\Z")
_PERSONAL = re.compile(
    r"\b(?:i|i'm|i've|i'll|i'd|my|mine|me|we|we're|we've|we'll|our|us)\b|[我咱]", re.IGNORECASE
)
_ADDRESSED = re.compile(
    r"\A(?:you(?:'re|'ve|'d|'ll|r)?|that(?:'s| is| sounds| must)|it(?:'s| is) (?:so "
    r"|really )?(?:great|good|nice|wonderful|amazing)|what a|such a|how)\b|\A(?:你|您)"
    r"(?!要|得|的|把|帮)|\A[^我咱]*[你您][^我咱]*\Z",
    re.IGNORECASE,
)
# Openers that carry nothing and may be cut from a kept sentence.
_FILLER = re.compile(
    r"\A(?:\s*(?:(?:yeah|yes|yep|no|nope|well|so|oh|ah|hmm|wow|ok|okay|sure|right"
    r"|thanks|hey|hi|hello|haha|anyway|actually|also|and|but|btw|by the way|you know"
    r"|i mean|absolutely|definitely|totally|exactly|agreed|good idea|great)"
    r"(?: [A-Z][a-z]+)?[,!—–-]+\s*"
    r"|(?:嗯+|哦+|噢|啊|呃|额|诶|哎呀?|唉|好的?呀?|好嘞|行吧?|对了?|是的?|是啊|没错|哈+|嘿嘿|那个|话说|不过|另外|其实|然后|所以"
    r"|谢谢你?|你好|早上好|抱歉|不好意思)[，,、！~～ ]+))+",
    re.IGNORECASE,
)
_LATIN_NAME = re.compile(
    r"(?<![A-Za-z0-9./@-])[A-Za-z][A-Za-z0-9+#.-]*[A-Za-z0-9+#](?![A-Za-z0-9@])"
)
_NOTHING = frozenset({"0"})  # "zero energy"
_HAN = re.compile(r"[\u3400-\u9fff]")
_MARKUP = re.compile(r"\A\s*(?:[-*•·]|\d{1,2}[.)、]|#{1,6})\s+")
_NOT_SAID = re.compile(r"```.*?(?:```|\Z)|^[ \t]*>[^\n]*", re.DOTALL | re.MULTILINE)
_TABLE_ROW = re.compile(r"\s*\|")


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of a turn: where it stands in the turn's text (code points, trimmed), what it
    does, and its score.
    """

    turn: int
    start: int
    end: int
    text: str
    cue: Cue | None
    score: float
    asks: bool = False


@dataclass(frozen=True, slots=True)
class Said:
    """A turn as extraction reads it. `at` in microseconds."""

    text: str
    speaker: str
    at: int | None = None

    @property
    def by_agent(self) -> bool:
        """Whether an assistant said it."""
        return self.speaker.strip().lower() in AGENTS


def statements(turns: Sequence[Said]) -> list[Statement]:
    """Every sentence that says something, in order, scored; small talk is not among them.

    >>> [s.text for s in statements([Said("Hi! My name is Lin. 你好呀！我对花生过敏。", "user")])]
    ['My name is Lin.', '我对花生过敏。']
    """
    addressed = frozenset(word.lower() for turn in turns for word in turn.speaker.split() if word)
    found: list[Statement] = []
    amusing = False
    for number, turn in enumerate(turns):
        if not (turn.by_agent and (amusing or recites(turn.text))):
            said = list(_of_turn(turn, number, addressed))
            if said and found and found[-1].asks and found[-1].turn == number - 1:
                said[0] = replace(said[0], score=said[0].score + ANSWER)
            found += said
        amusing = asks_for_amusement(turn.text) and not turn.by_agent
    return found


def _of_turn(turn: Said, number: int, addressed: frozenset[str]) -> Iterator[Statement]:
    for start, end in _spans(turn.text):
        sentence = turn.text[start:end]
        left = remains(sentence, addressed)
        cue = cue_of(sentence)
        personal = not turn.by_agent and is_personal(sentence)
        if personal and cue not in _FIRM:
            cue = Cue.IDENTITY
        elif left.nothing:
            continue
        if is_redacted(sentence) or (turn.by_agent and is_bot_talk(sentence)):
            continue
        asks = _QUESTION.search(sentence) is not None
        score = _score(sentence, cue, left.weight, addressed, plain=not personal)
        score += QUESTION * asks + OF_AGENT * turn.by_agent
        yield Statement(number, start, end, sentence, cue, score, asks)


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """The trimmed sentences of a text, code, tables and quoted lines left out."""
    blank = [(m.start(), m.end()) for m in _NOT_SAID.finditer(text)]
    for first, last in sentences(text):
        if any(begin < last and first < stop for begin, stop in blank):
            continue
        if _TABLE_ROW.match(text, first, last):
            continue
        start = _after(_FILLER, text, _after(_MARKUP, text, first, last), last)
        start += len(text[start:last]) - len(text[start:last].lstrip())
        end = start + len(text[start:last].rstrip())
        if start < end <= start + MAX_SENTENCE:
            yield start, end


def _after(opening: re.Pattern[str], text: str, start: int, end: int) -> int:
    """Where a sentence begins behind what opens it."""
    found = opening.match(text[start:end])
    return start + (found.end() if found else 0)


def _score(
    sentence: str,
    cue: Cue | None,
    said: float,
    addressed: frozenset[str],
    *,
    plain: bool,  # it says nothing lasting about a person
) -> float:
    named = {name for name in names(sentence) if name.lower() not in addressed}
    if _HAN.search(sentence):
        latin = _LATIN_NAME.findall(sentence)  # a tool, a brand: vim, Brevo
        named.update(
            word
            for word in latin
            if word.lower() not in EMPTY_ENGLISH and word.lower() not in addressed
        )
    figure = bool(numbers(sentence).keys() - _NOTHING)
    names_something = figure or named or not plain
    score = INFORMATION * sqrt(min(said, FULL_WORDS) / FULL_WORDS)
    score += NUMBER * (figure or _WHEN.search(sentence) is not None)
    score += NAME * min(len(named), 2)
    if cue is not None:
        score += CUES[cue] * (1.0 if names_something else min(said / CUE_WORDS, 1.0))
    score += PERSONAL * (_PERSONAL.search(sentence) is not None)
    score += ADDRESSED * (_ADDRESSED.match(sentence) is not None)
    if cue is None and not said and not named:
        score *= BARE
    if not names_something:
        # chatty people say what matters too: the marks decide whether it stays, not its rank
        chatty = score + CHATTY * chat_marks(sentence)
        return score if chatty >= KEEP else chatty
    return score
