"""What a language module finds in a sentence, before keys are made of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

WHEN, NUMBER = "when", "number"
_DAY = re.compile(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct"
    r"|nov|dec)[a-z]*\b|\d(?:st|nd|rd|th)\b|\d{4}-\d|\d/\d"
    r"|\b(?:today|tomorrow|(?:mid)?week(?:end|day)?s?|months?|days?)\b"
    r"|周[一二三四五六日天末]|星期|礼拜|[\d一二三四五六七八九十][月日号]|[今明后]天|[月年周][初中底]|每[天日周月年]"
    r"|工作日|下个?[周月]|\d年",
    re.IGNORECASE,
)
_CLOCK = re.compile(
    r"\d:\d\d|\d ?[ap]m\b|\bnoon\b|\bmidnight\b|morning|evening|o'clock"
    r"|[\d一二两三四五六七八九十][点时]"
    r"|[上下中]午|早上|晚上|半夜|\A\d{1,2}\Z",
    re.IGNORECASE,
)
_MONEY = re.compile(
    r"[$€£¥￥元块]|\b(?:dollars?|euros?|pounds?|bucks|yuan|usd|eur|gbp|cny|rmb)\b", re.IGNORECASE
)
_DIGIT = r"[\d一二两三四五六七八九十百千万亿]"
_UNIT = re.compile(rf"{_DIGIT}(?!{_DIGIT}) ?([A-Za-z%％]+|[\u4e00-\u9fff]{{1,2}})\b")
_CODE = re.compile(
    r"\A\s*(?:#|//|/\*)|[{};]\s*\Z|[{}]|[\w)\]]\(|[=:] ?[\"'`\[]|\w\[[\"'\d]|[:=]\s*\S+,\Z"
    r"|-> |=>|\$\{|</?\w+[ >]|\A@\w+ \("
    r"|\A\s*(?:const|let|var|def|return|import|from \S+ import|class|elif|print)\b"
    r"|\A\s*- \w+: |\A[a-z]+-[a-z-]+: \S|\A[a-z-]+: -?[\d.]+(?:px|r?em|%|vh|vw)"
)


@dataclass(frozen=True, slots=True)
class Asserted:
    """The parts of an assertion as written. An empty subject is whoever speaks. `object_` belongs
    to the attribute ("favourite *player*"); a `literal` value is a key already. A `soft` one is
    read off the form of the sentence alone, not off a word known to have one value at a time.
    """

    attribute: str
    value: str
    subject: str = ""
    object_: str = ""
    replaces: str | None = None
    literal: bool = False
    whole: bool = True
    soft: bool = False


def is_code(text: str) -> bool:
    """Whether a line is source code or data rather than a sentence: nothing is stated there.

    >>> is_code("padding: 20px;"), is_code("name = form['name']"), is_code("Port: 8080.")
    (True, True, False)
    """
    return _CODE.search(text) is not None


def has_moment(value: str) -> bool:
    """Whether a value names a day or a time of day.

    >>> has_moment("next Friday"), has_moment("9:30"), has_moment("Ana")
    (True, True, False)
    """
    return _DAY.search(value) is not None or _CLOCK.search(value) is not None


def grained(found: Asserted) -> Asserted:
    """A moment by its grain, and a number by its unit: what is on a Monday may well be at nine, and
    what is three years old may weigh two tons. A day with a time is a day.

    >>> grained(Asserted("when", "9:30")).attribute, grained(Asserted("when", "周三下午")).attribute
    ('time', 'day')
    >>> grained(Asserted("number", "12 years old")).attribute
    'number year'
    """
    if found.attribute == NUMBER:
        return replace(found, attribute=f"{NUMBER} {_unit(found.value)}".strip())
    if found.attribute != WHEN:
        return found
    return replace(found, attribute=grain_of(found.value) or WHEN)


def grain_of(value: str) -> str | None:
    """Whether a value is a `day` (with a time or not) or a `time` of day; None if neither."""
    if _DAY.search(value):
        return "day"
    return "time" if _CLOCK.search(value) else None


def _unit(value: str) -> str:
    """What an amount is counted in, as a word; currencies are one unit."""
    if _MONEY.search(value):
        return "money"
    match = _UNIT.search(value)
    return "" if match is None else match[1].lower().removesuffix("s")
