"""Where sentences end, and where a text may be cut at all.

A sentence ends after `。！？；…` with their closing quotes, at a line break, and after `.!?` before
a blank, unless the full stop belongs to an abbreviation, an initial or the number of a list. The
spans partition the text: put together they are the text again, blanks included, so an excerpt made
of sentences is made of the original.

`safe_cut` is the smaller grain, for a sentence too long to show: no border may split what a person
sees as one character (accents, variation selectors, joined emoji, flags, Hangul, surrogates).
Every step is linear in the text; no dictionary, no model.
"""

from __future__ import annotations

import re
import unicodedata

_BORDER = re.compile(
    r"\n\s*"
    r"|[。！？；…](?<![。！？；…][。！？；…])[。！？；…]*+[”’」』）》】\"']*+\s*"
    r"|[.!?](?<![.!?][.!?])[.!?]*+[\"'”’)\]]*+(?:\s+|(?=[\u3040-\u9fff\uac00-\ud7a3])(?<!\.))"
)
_LAST_WORD = re.compile(r"(?:[A-Za-z0-9]+\.)*[A-Za-z0-9]+\Z")
_LOOK_BACK = 24  # characters before a full stop that are read to tell an abbreviation
_ABBREVIATIONS = re.compile(
    "al|approx|apt|ave|capt|cf|corp|co|dept|dr|e\\.g|eq|etc|figs?|gen|gov|i\\.e|inc|jr|lt|ltd|mrs?"
    "|ms|mt|nos|pp?|prof|rev|sen|sgt|sr|st|vol|vs",
    re.IGNORECASE,
)
_ZERO_WIDTH_JOINER = "\u200d"


def sentences(text: str, start: int = 0, end: int | None = None) -> list[tuple[int, int]]:
    """Spans of the sentences of `text[start:end]`, in order, without a gap or an overlap.

    >>> text = "Dr. Wu paid 3.50. 预算改成二百。好的！"
    >>> [text[a:b] for a, b in sentences(text)]
    ['Dr. Wu paid 3.50. ', '预算改成二百。', '好的！']
    """
    end = len(text) if end is None else end
    spans: list[tuple[int, int]] = []
    at = start
    for match in _BORDER.finditer(text, start, end):
        border = match.end()
        if border > at and not (match.group()[0] == "." and _goes_on(text, at, match)):
            spans.append((at, border))
            at = border
    if at < end:
        spans.append((at, end))
    return spans


def _goes_on(text: str, start: int, stop: re.Match[str]) -> bool:
    """Whether the sentence begun at `start` goes on after this full stop."""
    following = text[stop.end() : stop.end() + 1]
    if following.islower() and following.isascii():
        return True
    if not stop.group()[1:].isspace():
        return False  # an ellipsis, a closing quote, the end
    before = _LAST_WORD.search(text, max(start, stop.start() - _LOOK_BACK), stop.start())
    if before is None:
        return False
    word = before.group()
    if word.isdecimal():
        return not text[start : before.start()].strip()  # the number of a list: "1. First"
    if word.lower() == "no":
        return following.isdecimal()
    initials = all(len(part) == 1 for part in word.split("."))
    return initials or _ABBREVIATIONS.fullmatch(word) is not None


def safe_cut(text: str, at: int) -> bool:
    """Whether cutting before `text[at]` leaves every character that a person sees in one piece.

    >>> [safe_cut("e\u0301a", at) for at in range(4)]
    [True, False, True, True]
    """
    if not 0 < at < len(text):
        return True
    before, after = text[at - 1], text[at]
    if after < "\u0300":
        return not (before == "\r" and after == "\n") and before != _ZERO_WIDTH_JOINER
    if _ZERO_WIDTH_JOINER in {before, after} or unicodedata.category(after)[0] == "M":
        return False
    if "\U0001f3fb" <= after <= "\U0001f3ff" or "\U000e0020" <= after <= "\U000e007f":
        return False  # a skin tone; the letters of a tagged flag
    if "\u1160" <= after <= "\u11ff" or (
        before <= "\udbff" < after <= "\udfff" and before >= "\ud800"
    ):
        return False  # the vowels and finals of Hangul; the second half of a surrogate pair
    return not (_regional(after) and _regional_before(text, at) % 2)


def _regional(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _regional_before(text: str, at: int) -> int:
    """How many letters of flags stand directly before `at`; two make one flag."""
    first = at
    while first and _regional(text[first - 1]):
        first -= 1
    return at - first
