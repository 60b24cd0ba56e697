"""A statement with its numbers, moments and names left blank: what its versions have in common.

"I go to bed at eleven" and "I go to bed at ten now" name no attribute that anybody could list, yet
they are one statement about the same thing with another value. The frame, "i go bed #", is the
attribute, the filling is the value. A frame is weaker than an attribute: without a word of change
the two may both be so, which is left to a person; with a name in the blank nothing is said at all,
because people have many of most things ("I speak French", "I now speak German").

Only what holds from now on has a frame: a sentence that narrates ("I ran 5 km", 昨天跑了五公里),
or is true for a day ("tomorrow at nine"), says nothing about the next one like it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memstone.analysis.tokenizer import tokenize
from memstone.extraction.vocabulary import words

NAME = "@"  # of which one has many: names, parts of the day
# kinds of blank, as they stand in a frame
BLANKS = ("@name", "@part", "#span", "#day", "#time", "#number")
FEWEST, MOST = 1, 14  # words of a frame beside its blanks; a longer one is a story
FEWEST_HAN, MOST_HAN = 2, 28  # characters
MOST_BLANKS = 2
_HAN = re.compile(r"[\u3400-\u9fff]")
_CHANGES = re.compile(  # what only says that something is new, and is no part of the frame
    r"\b(?:instead of|rather than|not|no longer) [^,.;]+"
    r"|\b(?:now|these days|nowadays|from now on|as of (?:now|today|\w+day)|instead|any ?more"
    r"|new|actually|correction|sorry|oops|update(?=:)|no,)(?!\w)[,:]?",
    re.IGNORECASE,
)
_FILLERS = re.compile(
    r"\b(?:no more than|at most|up to|at least|a maximum of|as many as"
    r"|currently|again|already|still|usually|normally|generally)\b",
    re.IGNORECASE,
)
_NARRATES = re.compile(
    r"\b(?:was|were|had|did|went|got|bought|ate|ran|saw|met|took|made|came|gave|paid|spent|won"
    r"|lost|found|left(?! (?:side|hand))"
    r"|sent|told|thought|felt|slept|woke|drove|flew|wrote|said|spoke|began|broke"
    r"|caught|chose|fell|grew|heard|held|knew|rode|sold|taught|wore|been|\w{2,}[^e\W]ed|just"
    r"|today|tonight|tomorrow|yesterday|ago|once|(?:last|next|this) \w+|will|going to|would"
    r"|could|might|may(?! \d)|if|when|another|also|too|as well|one of|some|minutes? late)\b"
    r"|'ll\b|\?",
    re.IGNORECASE,
)
_NARRATES_HAN = re.compile(
    r"昨|前天|今[天早晚年]|明[天早晚年]|后天|刚|曾|以前|[上下这本]个?(?:周|星期|礼拜|月)(?!会)|去年|过(?!敏|去|程|期)|了(?!\Z)|如果|要是|要不|可能|也许"
    r"|也|还有|另外|[?？吗]"
)
_CHANGES_HAN = re.compile(
    r"\A新|现在|目前|如今|了\Z|改(?:成|为|到|在|约)?|换(?:成|到)?|[降升涨调减加变](?:成|到|为|至)|从此|以后|更正(?:一下)?[，,：:]?|不对[，,]"
)
_FILLERS_HAN = re.compile(r"[是为]|已经?|都|就|只|才|大概|大约|左右|一般|通常|平时|[的得地]")
_NAMES = re.compile(
    r"(?<![.!?:] )(?<!^)\b(?!(?:I|OK|PM|AM|[A-Z]{3}(?<=EUR|USD|GBP|CHF|CNY|RMB))\b"
    r"|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
    r"|(?:Jan|Feb|March|April|May|June|July|Aug|Sept|Oct|Nov|Dec)\w*\b)"
    r"[A-Z][\w'-]*(?: [A-Z0-9][\w'-]*|\.\w+)*"
    r"(?: v?\d[\w.]*)?|[\w.+-]+@[\w.-]+\w|\b[a-z][\w-]*\d\w*\b"
)
_MANY = re.compile(  # one of many: another name replaces none
    r"\b(?:speaks?|knows?|ha(?:ve|s)|owns?|uses?|supports?|likes?|loves?|reads?|visits?|plays?"
    r"|offers?|follows?|watch(?:es)?|collects?|learn(?:s|ing)?|sells?|teach(?:es)?|accepts?"
    r"|includes?|needs?|wants? to|enjoys?|hates?|met|meets?|cans?|contains?|adds?|added"
    r"|tr(?:y|ies|ied)"
    r"|works? on)\b"
    r"|会|去过|认识|支持|喜欢|爱|有|养|学|读|看|加|包括|想|需要",
    re.IGNORECASE,
)
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december)"
)
_SPELT = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty"
    r"|fifty|sixty|hundred|thousand|twice|half|second|third|fourth|fifth|sixth|seventh|eighth"
    r"|ninth|tenth)"
)
_FILLED = re.compile(
    r"(?P<span>\b(?:every (?:(?:\w+ )?(?:day|week|month|year|hour|minute|quarter)s?|other \w+)"
    r"|daily|weekly|biweekly|monthly|quarterly|yearly|hourly|(?:once|twice|\w+ times) an? \w+)\b)"
    r"|(?P<part>\b(?:in the (?:morning|afternoon|evening)|at night|left|right)\b)"
    rf"|(?P<day>\b(?:{_WEEKDAY}(?:(?:,| and| to)+ {_WEEKDAY})*"
    rf"|(?:\d{{1,2}}(?:st|nd|rd|th)? )?{_MONTH}"
    r"(?: \d{1,2}(?:st|nd|rd|th)?)?|\d{1,2}(?:st|nd|rd|th)|\d{4}-\d\d-\d\d)\b)"
    r"|(?P<time>\b(?:at )?\d{1,2}(?::\d\d| ?[ap]\.?m\b)(?: ?[ap]\.?m\b)?"
    r"|\bat (?:\d{1,2}|noon|midnight)\b(?![.,:/]?\d)|\b(?:noon|midnight)\b)"
    rf"|(?P<number>[$€£¥]?(?<![\w.])\d[\d.,:/]*(?:k|%)?(?!\w)|\b{_SPELT}\b)",
    re.IGNORECASE,
)
_DROPPED = words("a an the my our i we is are am be at on in by to of for around about and")
_PIECES = re.compile(r"(@(?:name|part)|#(?:span|day|time|number))")
_NUMERAL = r"(?:(?<=[十百千])一|一(?![般起定直样些点下])|[\d二两三四五六七八九十百千万亿半])"
_FILLED_HAN = re.compile(
    rf"(?P<span>(?<!每)(?:每|隔)(?:{_NUMERAL}|隔)?个?(?:天|日|(?:周|星期)(?![一二三四五六日天末])|月|年|季度?|小时)"
    rf"|{_NUMERAL}个?(?:周|星期)(?!半))"
    rf"|(?P<day>\d{{4}}年(?:{_NUMERAL}+月)?(?:{_NUMERAL}+[号日])?|(?:周|星期|礼拜)[一二三四五六日天末]+|(?:{_NUMERAL}+月)?{_NUMERAL}+[号日]|{_NUMERAL}+月)"
    rf"|(?P<time>(?:早上|上午|中午|下午|晚上|凌晨|傍晚|早|晚)?{_NUMERAL}+(?:点半?(?:{_NUMERAL}+分)?|[:：]\d\d))"
    rf"|(?P<name>[A-Za-z][\w.+@-]*(?: [A-Z\d][\w.]*)*)"
    rf"|(?P<number>{_NUMERAL}+[\d,.:/]*[%％]?)"
)


@dataclass(frozen=True, slots=True)
class Frame:
    """A statement with blanks (`key`), what fills them, and whether it says that this is new."""

    key: str
    filling: str
    changed: bool

    @property
    def named(self) -> bool:
        """Whether a name is among what is left blank."""
        return NAME in self.key


def framed(sentence: str) -> Frame | None:
    """The frame of a sentence that holds from now on; None if it has none.

    >>> framed("I go to bed at 11."), framed("I now go to bed at 10 pm.").changed
    (Frame(key='go bed #time', filling='11', changed=False), True)
    >>> framed("I ran 5 km yesterday.") is None
    True
    """
    if _HAN.search(sentence):
        return _framed_han(sentence)
    text = sentence.replace("’", "'").rstrip(" .!")
    if _NARRATES.search(text):
        return None
    bare = _FILLERS.sub(" ", _CHANGES.sub(" ", text)).strip()
    filling: list[str] = []
    named = _NAMES.sub(lambda match: _left_blank("name", match[0], filling), bare)
    blank = _FILLED.sub(lambda match: _left_blank(match.lastgroup, match[0], filling), named)
    frame: list[str] = []
    for piece in _PIECES.split(blank):
        if piece in BLANKS:
            frame.append(piece)
            continue
        tokens = tokenize(piece)
        frame += [token.terms[0] for token in tokens if token.surface.lower() not in _DROPPED]
    if not _is_sized(frame, FEWEST, MOST):
        return None
    return _made(" ".join(frame), filling, text, _CHANGES)


def _left_blank(kind: str | None, filled: str, filling: list[str]) -> str:
    """The mark of a blank; what stood there goes to `filling`."""
    filling.append(re.sub(r"\Aat ", "", filled.lower()))
    return f" @{kind} " if kind in {"name", "part"} else f" #{kind} "


def _framed_han(sentence: str) -> Frame | None:
    text = sentence.strip(" 。！!.~～")
    if _NARRATES_HAN.search(text):
        return None
    filling: list[str] = []
    bare = _FILLERS_HAN.sub("", _CHANGES_HAN.sub("", text))
    blank = _FILLED_HAN.sub(lambda match: _left_blank(match.lastgroup, match[0], filling), bare)
    frame: list[str] = []
    for piece in _PIECES.split(blank):
        kept = re.sub(r"[\s，,；;、我们咱]+", "", piece)
        frame += [piece] if piece in BLANKS else list(kept)
    if not _is_sized(frame, FEWEST_HAN, MOST_HAN):
        return None
    return _made("".join(frame), filling, text, _CHANGES_HAN)


def _made(key: str, filling: list[str], text: str, changes: re.Pattern[str]) -> Frame:
    changed = changes.search(text) is not None
    if NAME in key and _MANY.search(text):
        changed = False
    return Frame(key, " ".join(filling), changed)


def _is_sized(frame: list[str], fewest: int, most: int) -> bool:
    blanks = sum(piece in BLANKS for piece in frame)
    return 1 <= blanks <= MOST_BLANKS and fewest <= len(frame) - blanks <= most
