"""A conversation cut into sub-topics, in any language.

A border is where somebody says so ("by the way", 另外, 换个话题), where a pause lies between two
turns, or where the words before and after have least in common: cohesion at a gap is the cosine of
the terms of a few turns on either side (TextTiling; Hearst, 1997), and a border is a valley that is
deep against its surroundings. No piece grows over `MOST_TURNS` or `MOST_CHARACTERS`, so that a card
stays an index card.
"""

from __future__ import annotations

import re
from collections import Counter
from math import sqrt

from memstone.analysis.query import analyze_query

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstone.extraction.salience import Said

PAUSE_US = 30 * 60 * 1_000_000  # half an hour: people have left the table
WINDOW = 3  # turns on either side of a gap
FEWEST_TURNS = 3  # of a piece cut by cohesion alone
MOST_TURNS = 12
MOST_CHARACTERS = 4_000
DEPTH = 0.12  # of a valley, in cosine, from which it is a border
_READ_CHARACTERS = 600  # of a turn: its topic shows at its beginning and end
_SHIFT = re.compile(
    r"\A\W*(?:(?:oh|hey|so|ok|okay|alright|well|and|thanks|great)\W+)*"
    r"(?:by the way|btw|anyway|on (?:another|a different|a separate) (?:note|topic|subject)"
    r"|(?:changing|change) (?:the )?(?:topic|subject|gears)|new (?:topic|question"
    r"|subject)|speaking of"
    r"|one more thing|another thing|before i forget|switching gears|moving on"
    r"|separately|unrelated|next (?:topic|question|up)"
    r"|something else|different (?:topic|question|subject)|while i have you|that reminds me)\b"
    r"|\A\W*(?:嗯|好的?|哦|哈+|谢谢|行)?[，,。！ ]*"
    r"(?:另外|对了|顺便(?:问|说|提)?|换个话题|换个?问题|说起|说到|话说(?:回来)?|还有(?:一件|个|一个)?(?:事|问题)|另一件事|再问|题外话|突然想(?:起|到)|言归正传|下一个问题|接下来(?:说|聊|问)"
    r"|除此之外|不说这个了?)",
    re.IGNORECASE,
)


def segments(turns: Sequence[Said]) -> list[tuple[int, int]]:
    """Spans of turns that belong together, in order, without a gap: [(0, 5), (5, 12)].

    >>> from memstone.extraction.salience import Said
    >>> segments([Said("预算多少？", "ana"), Said("五万。", "bo"), Said("换个话题，吃啥？", "ana")])
    [(0, 2), (2, 3)]
    """
    if not turns:
        return []
    borders = sorted({0, *_told(turns), *_valleys(turns)})
    pieces = list(zip(borders, [*borders[1:], len(turns)], strict=True))
    return [piece for start, end in pieces for piece in _bounded(turns, start, end)]


def _told(turns: Sequence[Said]) -> list[int]:
    """Where a pause or a phrase announces something new."""
    found = []
    for number in range(1, len(turns)):
        before, here = turns[number - 1].at, turns[number].at
        paused = before is not None and here is not None and here - before >= PAUSE_US
        if paused or _SHIFT.match(turns[number].text):
            found.append(number)
    return found


def _valleys(turns: Sequence[Said]) -> list[int]:
    """Where the words change: local minima of cohesion that are deep enough."""
    if len(turns) < 2 * FEWEST_TURNS:
        return []
    terms = [_terms(turn.text) for turn in turns]
    cohesion = [_cohesion(terms, gap) for gap in range(1, len(turns))]  # gap g lies before turn g
    found: list[int] = []
    for gap in range(FEWEST_TURNS, len(turns) - FEWEST_TURNS + 1):
        here = cohesion[gap - 1]
        depth = _peak(cohesion, gap - 1, -1) + _peak(cohesion, gap - 1, 1) - 2 * here
        lowest = here <= min(cohesion[max(gap - 3, 0) : gap + 2])
        if lowest and depth / 2 >= DEPTH and (not found or gap - found[-1] >= FEWEST_TURNS):
            found.append(gap)
    return found


def _terms(text: str) -> Counter[str]:
    if len(text) > 2 * _READ_CHARACTERS:
        text = f"{text[:_READ_CHARACTERS]}\n{text[-_READ_CHARACTERS:]}"
    return Counter(analyze_query(text).terms)


def _cohesion(terms: Sequence[Counter[str]], gap: int) -> float:
    before: Counter[str] = sum(terms[max(gap - WINDOW, 0) : gap], Counter())
    after: Counter[str] = sum(terms[gap : gap + WINDOW], Counter())
    shared = sum(count * after[term] for term, count in before.items())
    norms = sum(c * c for c in before.values()) * sum(c * c for c in after.values())
    return shared / sqrt(norms) if norms else 0.0


def _peak(cohesion: Sequence[float], at: int, step: int) -> float:
    """The height that cohesion climbs to on one side of a valley."""
    height = cohesion[at]
    place = at + step
    while 0 <= place < len(cohesion) and cohesion[place] >= height:
        height = cohesion[place]
        place += step
    return height


def _bounded(turns: Sequence[Said], start: int, end: int) -> list[tuple[int, int]]:
    """The piece in parts that are not too long; a turn is never cut."""
    parts: list[tuple[int, int]] = []
    begin, size = start, 0
    for number in range(start, end):
        length = len(turns[number].text)
        full = number - begin >= MOST_TURNS or size + length > MOST_CHARACTERS
        if number > begin and full:
            parts.append((begin, number))
            begin, size = number, 0
        size += length
    return [*parts, (begin, end)]
