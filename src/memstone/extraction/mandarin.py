"""Assertions in Chinese sentences, by pattern; see `english`, whose attribute names are used here
too, so that a fact told in one language meets the same fact told in the other.

A later clause often leaves out what it is about ("新系统的代号换了，现在叫青鸾"), so it is read
with the topic of the first.
"""

from __future__ import annotations

import re
from dataclasses import replace

from memstone.extraction import mandarin_words as words
from memstone.extraction.asserted import grained, is_code
from memstone.extraction.mandarin_patterns import READERS
from memstone.extraction.mandarin_ranges import fits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstone.extraction.asserted import Asserted

_QUOTED = re.compile(r"\A\W*[“\"「].*[”\"」]\W*\Z|[“\"「][^”\"」]{8,}[”\"」]")
_CLAUSE = re.compile(r"[，,；;。]\s*")
_SELF = words.SELF
_ADVERB = (
    r"(?:现在|目前|如今|已经|已|最近|刚刚?|又|都|一直|平时|其实|真的?|特别|非常|很|最|超级?|还是?|挺|蛮|比较|也|就|改|正式|终于|后来"
    r"|这个月|上个月|上周|今年|去年|不再|再也)*"
)
_TOPIC = re.compile(
    rf"\A(?P<topic>{_SELF}|[^，,。；;]{{1,20}}?)(?:的)?(?:去\S{{1,6}})?(?:{_ADVERB})"
    r"(?:换了?|改了?|变了|调整了|搬家了?|换人了|换工作了?|跳槽了?|升职了|离职了|入职了|改名了?|离开\S{1,6}了)"
)
_LEADING_SELF = re.compile(rf"\A{_SELF}")


def read(sentence: str) -> list[Asserted]:
    """What a Chinese sentence asserts, clause by clause; each thing once.

    >>> [found.value for found in read("更正一下，预算上限改成 200 元")]
    ['200 元']
    """
    text = sentence.strip().rstrip("。！!.~～ ")
    if not is_plain(text):
        return []
    made: dict[tuple[str, str, str], Asserted] = {}
    done = -1
    for start, clause in _clauses(text):
        if start == done or words.NOT_NOW.search(_CLAUSE.split(clause, maxsplit=1)[0]):
            continue
        found = _read_clause(clause)
        if found is not None:
            done = start
            key = (found.subject, found.attribute, found.object_)
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
        if found is None or not found.value or words.PRONOUN.match(found.subject):
            continue
        if found.literal or fits(found.attribute, found.subject, found.value):
            return grained(found)
    return None


def changes(sentence: str) -> bool:
    """Whether a sentence says itself that something is other than it was."""
    return words.CHANGE.search(sentence) is not None


def affirmed(sentence: str) -> tuple[str, bool]:
    """The sentence without its negation, and whether it had none.

    >>> affirmed("我们组不再允许直接推主干")
    ('我们组允许直接推主干', True)
    """
    opened = words.OPENER.match(sentence)
    text = sentence[opened.end() :] if opened else sentence
    first = _CLAUSE.split(text, maxsplit=1)[0]
    positive = words.NEGATION.sub("", first, count=1)
    return (text, False) if positive == first else (positive, True)


def _clauses(text: str) -> Iterator[tuple[int, str]]:
    """(0 for the first, else where it starts; the text from there on), openers cut off; a later
    clause also with the topic that it leaves out.
    """
    opened = words.OPENER.match(text)
    first = opened.end() if opened else 0
    head = text[first:]
    yield 0, head
    topic = _TOPIC.match(head)
    me = _LEADING_SELF.match(head)
    lead = topic["topic"] if topic else me[0] if me else ""
    for match in _CLAUSE.finditer(text, first):
        start = match.end()
        rest = text[start:]
        more = words.OPENER.match(rest)
        bare = rest[more.end() :] if more else rest
        yield start, bare
        if lead and not bare.startswith(lead) and not words.PRONOUN.match(bare):
            yield start, lead + bare
