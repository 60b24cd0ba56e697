"""Assertions in English sentences, by pattern.

A sentence is read clause by clause, after openers such as "No, actually". Each pattern stands for
one attribute and matches from the beginning of a clause; what follows the value is cut off at the
next clause. Patterns are tried in order, special before general. The general one reads "*thing* is
*value*": if the thing ends with a word that has one value at a time (`SINGLE`: port, deadline,
manager) that word is the attribute, otherwise the assertion is soft.
"""

from __future__ import annotations

import re
from dataclasses import replace

from memstone.extraction import english_words as words
from memstone.extraction.asserted import grained
from memstone.extraction.english_patterns import READERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstone.extraction.asserted import Asserted

_QUOTED = re.compile(r"\A\W*[\"“”].*[\"“”]\W*\Z|[\"“][^\"”]{12,}[\"”]")
_CLAUSES = re.compile(
    r"[,;]\s+(?:(?:so|and|but|as)\s+)?|\s+(?:so|and|but)\s+|\s+[-–—]\s+", re.IGNORECASE
)
_CLAUSE_END = re.compile(
    r"\s*(?:[,;!—–(]|\s-\s|\.(?=\s|\Z)"
    r"|\b(?:and|but|because|since|so|which|who|where|when|while|although|though|instead of"
    r"|rather than|not|no longer)\b).*\Z",
    re.IGNORECASE | re.DOTALL,
)


def read(sentence: str) -> Asserted | None:
    """What an English sentence asserts, None if nothing plainly.

    >>> read("No, actually my budget is now $200.").value
    '$200'
    """
    text = sentence.replace("’", "'").strip().rstrip(".!。！ ")
    if words.DOUBTFUL.search(text) or _QUOTED.search(text):
        return None
    for start, clause in _clauses(text):
        if words.NOT_NOW.search(_first_part(clause)):
            continue
        for pattern, build in READERS:
            match = pattern.match(clause)
            found = build(match) if match else None
            if found is not None and found.value:
                return replace(grained(found), whole=found.whole and start == 0)
    return None


def changes(sentence: str) -> bool:
    """Whether a sentence says itself that something is other than it was."""
    return words.CHANGE.search(sentence) is not None


def affirmed(sentence: str) -> tuple[str, bool]:
    """The sentence without its negation, and whether it had none.

    >>> affirmed("We no longer allow force pushes")
    ('We allow force pushes', True)
    """
    text = sentence.replace("’", "'")
    opened = words.OPENER.match(text)
    text = text[opened.end() :] if opened else text
    first = _CLAUSES.split(text, maxsplit=1)[0]
    positive = words.NEGATION.sub("", first, count=1)
    if positive == first:
        return text, False
    return " ".join(positive.split()), True


def _clauses(text: str) -> Iterator[tuple[int, str]]:
    """(0 for the first, else more; the text from there on), openers cut off."""
    text = _its(text)
    starts = [0, *(match.end() for match in _CLAUSES.finditer(text))]
    opened = words.OPENER.match(text)
    first = opened.end() if opened else 0
    yield 0, text[first:]
    for start in starts[1:]:
        if start > first:
            more = words.OPENER.match(text[start:])
            yield start, text[start + (more.end() if more else 0) :]


def _its(text: str) -> str:
    """As in "We renamed the app, its name is …" with the app in the place of "its"."""
    topic = re.search(
        r"\b(?:renamed|changed|updated|rebranded|rewrote|moved) ((?:the|our) [\w -]+?)(?=[,;])",
        text,
    )
    return re.sub(r"\bits (?=\w)", f"{topic[1]}'s ", text) if topic else text


def _first_part(clause: str) -> str:
    return _CLAUSES.split(clause, maxsplit=1)[0]
