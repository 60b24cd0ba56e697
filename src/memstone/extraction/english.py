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
from memstone.extraction.asserted import grained, is_code
from memstone.extraction.english_patterns import READERS
from memstone.extraction.english_ranges import fits, form_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstone.extraction.asserted import Asserted

_QUOTED = re.compile(r"\A\W*[\"“”].*[\"“”]\W*\Z|[\"“][^\"”]{12,}[\"”]")
_CLAUSES = re.compile(
    r"[,;]\s+(?:(?:so|and|but|as)\s+)?|\s+(?:so|and|but)\s+|\s+[-–—]\s+", re.IGNORECASE
)
_TITLES = re.compile(r"\b(dr|mr|mrs|ms|prof|st)\. (?=[A-Z])", re.IGNORECASE)

_ME = re.compile(r"(?:i|we)\b", re.IGNORECASE)
_GOES_ON = re.compile(  # a verb whose subject is that of the first clause; nobody else is named
    r"(?!(?:i|we|you|he|she|it|they|there|the|my|our|your|his|her|their|its|an?|this|that|these"
    r"|those|then|so|because|if|when|please)\b)[a-z]+ ",
)


def read(sentence: str) -> list[Asserted]:
    """What an English sentence asserts, clause by clause; each thing once.

    >>> [found.value for found in read("No, actually my budget is now $200.")]
    ['$200']
    """
    text = _TITLES.sub(r"\1 ", sentence.replace("’", "'")).strip().rstrip(".!。！ ")
    if not is_plain(text):
        return []
    made: dict[tuple[str, str, str], Asserted] = {}
    for start, clause in _clauses(text):
        found = None if words.NOT_NOW.search(_first_part(clause)) else _read_clause(clause)
        if found is not None:
            key = (found.subject.lower(), found.attribute, found.object_)
            made.setdefault(key, replace(found, whole=found.whole and start == 0))
    return list(made.values())


def is_plain(sentence: str) -> bool:
    """Whether a sentence states something at all: no condition, hearsay, quotation, code."""
    doubtful = words.DOUBTFUL.search(sentence) or _QUOTED.search(sentence)
    return not (doubtful or is_code(sentence))


def is_settled(sentence: str) -> bool:
    """Whether a sentence is about how things are, and not about plans or the past."""
    return is_plain(sentence) and words.NOT_NOW.search(sentence) is None


def _read_clause(clause: str) -> Asserted | None:
    """What the first pattern that fits makes of a clause."""
    for pattern, build in READERS:
        match = pattern.match(clause)
        found = build(match) if match else None
        if found is None or not found.value:
            continue
        if found.literal or fits(
            found.attribute, found.subject, found.value, form_of(found.value, clause)
        ):
            return grained(found)
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
    me = _ME.match(text[first:])
    for start in starts[1:]:
        if start > first:
            more = words.OPENER.match(text[start:])
            clause = text[start + (more.end() if more else 0) :]
            yield start, f"{me[0]} {clause}" if me and _GOES_ON.match(clause) else clause


def _its(text: str) -> str:
    """As in "We renamed the app, its name is …" with the app in the place of "its"."""
    topic = re.search(
        r"\b(?:renamed|changed|updated|rebranded|rewrote|moved) ((?:the|our) [\w -]+?)(?=[,;])",
        text,
    )
    return re.sub(r"\bits (?=\w)", f"{topic[1]}'s ", text) if topic else text


def _first_part(clause: str) -> str:
    return _CLAUSES.split(clause, maxsplit=1)[0]
