"""What a language module finds in a sentence, before keys are made of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

WHEN = "when"
_DAY = re.compile(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct"
    r"|nov|dec)[a-z]*\b|\d(?:st|nd|rd|th)\b|\d{4}-\d|\d/\d|today|tomorrow|week|month|day\b"
    r"|[周月日号天年]|星期|礼拜",
    re.IGNORECASE,
)
_CLOCK = re.compile(
    r"\d:\d\d|\d ?[ap]m\b|\bnoon\b|\bmidnight\b|morning|evening|o'clock|[点时]"
    r"|[上下中]午|早上|晚上|半夜|\A\d{1,2}\Z",
    re.IGNORECASE,
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


def grained(found: Asserted) -> Asserted:
    """A moment by its grain: what is on a Monday may well be at nine.

    >>> grained(Asserted("when", "9:30")).attribute, grained(Asserted("when", "周三")).attribute
    ('time', 'day')
    """
    if found.attribute != WHEN:
        return found
    day, clock = _DAY.search(found.value), _CLOCK.search(found.value)
    if bool(day) == bool(clock):
        return found
    return replace(found, attribute="day" if day else "time")
