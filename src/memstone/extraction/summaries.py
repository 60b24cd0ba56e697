"""A model's card as text, and how much of it the conversation bears out.

A model may add, guess or be misled by what it reads, so a sentence of its card stands only if the
turns it names contain every number in it and half of its content words, at least one; a sentence of
stop words or of numbers alone says nothing that could be checked. And what it denies must be denied
there: each clause is held against the clauses of the turns that share most of its words, and one of
those must be negated if it is, and not if it is not. Whether the words were put together rightly
cannot be told.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from memstone.analysis.query import analyze_query
from memstone.analysis.tokenizer import scan
from memstone.extraction.cards import labelled
from memstone.extraction.entities import numbers
from memstone.types import CJK_BEGINS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstone.types import Evidence, SegmentTurn, Summary

BORNE_OUT = 0.5  # share of a sentence's content words that its turns must contain
_NEGATION = re.compile(
    r"\b(?:not(?! only\b)|never|none|nobody|nothing|nowhere|neither|nor|without|cannot"
    r"|no(?! (?:problem|worries|doubt)\b|\. ?\d)|\w+n['’]t|(?:do|does|did|is|are|was|were|have"
    r"|has|had|ca|could|wo|would|should)nt|instead of|rather than)\b"
    r"|(?<![特分级級区區类類性个個告离離])[别別](?![人名的墅致处處])"
    r"|[没沒](?!问题|問題|关系|關係|事|收)|未(?![来來必])|[无無](?![线線论論锡人机機疑])"
    r"|并非|並非|绝非|絕非|而非|(?<!除)非(?![常洲法])(?=[是要得])"
    r"|[勿莫](?!名)|(?<!要)不(?![过過错錯仅僅但只断斷管论論锈鏽妨如同少久止好]|客气|客氣)",
    re.IGNORECASE,
)
_ASKED = re.compile(r"(\w)[不没沒]\1|是否|能否|可否|[吗嗎]")  # 要不要: a question denies nothing
_CLAUSE = re.compile(
    r"[。！？；，：!?;\n]+|[.,:](?=\s|\Z)|\s[-–—]+\s|\b(?=(?:but|however|instead of|rather than)\b)"
    r"|但是?|而是|可是|不[过過]|(?=而[不非])"
    r"|\band\b(?=[^.,;!?。]{0,80}(?:\bnot?\b|\bnever\b|n['’]t\b))",
    re.IGNORECASE,
)


def text_of(summary: Summary) -> str:
    r"""The card as it is stored; empty if nothing is on it.

    >>> from memstone.types import Summary
    >>> text_of(Summary("要一台相机", "", "下单", (), (), (), "m", 0, 0))
    '目标：要一台相机\n下一步：下单'
    """
    parts = (summary.goal, summary.conclusion, summary.next_action)
    said = [part for part in parts if part] + [item.text for item in summary.items]
    text = "".join(said)
    wide = sum(character >= CJK_BEGINS for character in text)
    lines = labelled("zh" if 3 * wide > len(text) else "en", *parts)
    lines += [item.text for item in summary.items if item.text not in parts]
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class _Clause:
    terms: frozenset[str]
    negated: bool


@dataclass(frozen=True, slots=True)
class _Source:
    """The turns that a sentence is held against, read once."""

    terms: frozenset[str]
    numbers: frozenset[str]
    clauses: tuple[_Clause, ...]


def is_borne_out(sentence: str, source: str) -> bool:
    """Whether `source` carries a sentence: its numbers, half of its content words, its negation.

    >>> is_borne_out("The budget is 300 euros.", "ok, let us say 300 euros, that is our budget")
    True
    >>> is_borne_out("The budget is 400 euros.", "ok, let us say 300 euros, that is our budget")
    False
    >>> is_borne_out("我们用 MySQL。", "我们不用 MySQL。")
    False
    """
    return _carries(_read(source), sentence)


def borne_out(summary: Summary, turns: Sequence[SegmentTurn]) -> Summary:
    """The summary without what its turns do not bear out."""
    whole = "\n".join(turn.text for turn in turns)
    source = _read(whole)

    def kept(sentence: str) -> str:
        return sentence if _carries(source, sentence) else ""

    items = (
        item
        for item in summary.items
        if is_borne_out(item.text, "\n".join(turns[number].text for number in item.turns))
    )
    return replace(
        summary,
        goal=kept(summary.goal),
        conclusion=kept(summary.conclusion),
        next_action=kept(summary.next_action),
        items=tuple(items),
        tags=tuple(word for word in summary.tags if _names(source, word)),
        entities=tuple(word for word in summary.entities if word.lower() in whole.lower()),
    )


def _read(text: str) -> _Source:
    return _Source(_terms(text), frozenset(numbers(text)), tuple(_clauses(text)))


def _carries(source: _Source, sentence: str) -> bool:
    return _names(source, sentence) and all(_agrees(source, one) for one in _parts(sentence))


def _names(source: _Source, sentence: str) -> bool:
    """Whether all numbers and half of the content words, at least one, are in the source."""
    if not set(numbers(sentence)) <= source.numbers:
        return False
    words = _content(sentence)
    there = sum(_is_in(word, source.terms) for word in words)
    return there > 0 and there >= BORNE_OUT * len(words)


def _agrees(source: _Source, clause: str) -> bool:
    """Whether a clause is denied where its source denies it, and only there."""
    words = _content(clause)
    shared = [sum(_is_in(word, one.terms) for word in words) for one in source.clauses]
    most = max(shared, default=0)
    if most == 0:
        return True  # nothing there to compare it with; `_names` judges the sentence as a whole
    negated = _is_negated(clause)
    nearest = zip(source.clauses, shared, strict=True)
    return any(one.negated == negated for one, count in nearest if count == most)


def _clauses(text: str) -> list[_Clause]:
    """The clauses of a text. A bare "no" denies the clause before it, as an answer does."""
    found: list[_Clause] = []
    after_words = False
    for part in _parts(text):
        negated, has_words = _is_negated(part), bool(_content(part))
        if has_words:
            found.append(_Clause(_terms(part), negated))
        elif negated and after_words:
            found[-1] = replace(found[-1], negated=True)
        after_words = has_words
    return found


def _parts(text: str) -> list[str]:
    return [part for part in _CLAUSE.split(text) if part and part.strip()]


def _is_negated(clause: str) -> bool:
    return bool(_NEGATION.search(_ASKED.sub(" ", clause)))


def _content(text: str) -> list[Evidence]:
    """The content words of a text (in Chinese: characters with their neighbours), no numbers."""
    return [
        one
        for one in analyze_query(_NEGATION.sub(" ", _ASKED.sub(" ", text))).evidence
        if not _is_number(one)
    ]


def _is_number(word: Evidence) -> bool:
    written = word.surface or word.mass[0]
    return not any(map(str.isalpha, written)) or (written.isascii() and bool(numbers(written)))


def _is_in(word: Evidence, terms: frozenset[str]) -> bool:
    """Whether a word is there: as it is, or more than half of what it is put together of, which is
    two parts at least: the "SQL" of PostgreSQL is not MySQL.
    """
    if not terms.isdisjoint(word.full):
        return True
    there = len(terms.intersection(word.half))
    return there > 1 and there > BORNE_OUT * len(word.half)


def _terms(text: str) -> frozenset[str]:
    return frozenset(term for _, _, analysis in scan(text) for term in analysis.terms)
