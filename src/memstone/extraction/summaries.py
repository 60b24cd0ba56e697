"""A model's card as text, and how much of it the conversation bears out.

A model may add, guess or be misled by what it reads, so a sentence of its card stands only if the
turns it names contain most of its content words and every number in it (`is_borne_out`). That
refuses inventions; it cannot tell whether the words were put together rightly.
"""

from __future__ import annotations

from dataclasses import replace

from memstone.analysis.query import analyze_query
from memstone.extraction.cards import labelled
from memstone.extraction.entities import numbers
from memstone.types import CJK_BEGINS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstone.types import SegmentTurn, Summary

BORNE_OUT = 0.5  # share of a sentence's terms that its turns must contain


def is_borne_out(sentence: str, source: str) -> bool:
    """Whether `source` contains every number of a sentence and at least half of its terms.

    >>> is_borne_out("The budget is 300 euros.", "ok, let us say 300 euros, that is our budget")
    True
    >>> is_borne_out("The budget is 400 euros.", "ok, let us say 300 euros, that is our budget")
    False
    """
    if not set(numbers(sentence)) <= set(numbers(source)):
        return False
    terms = set(analyze_query(sentence).terms)
    return len(terms & set(analyze_query(source).terms)) >= BORNE_OUT * len(terms)


def borne_out(summary: Summary, turns: Sequence[SegmentTurn]) -> Summary:
    """The summary without what its turns do not bear out."""
    whole = "\n".join(turn.text for turn in turns)

    def kept(sentence: str) -> str:
        return sentence if is_borne_out(sentence, whole) else ""

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
        tags=tuple(word for word in summary.tags if kept(word)),
        entities=tuple(word for word in summary.entities if word.lower() in whole.lower()),
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
