"""A text cut into the units that are indexed and ranked: chunks of about 600 characters.

A long memory ranks by its best chunk, because one score over 60,000 characters drowns its last
line. Cuts fall on the best border in reach: paragraph, then sentence, clause, space, and only in
text without any of them between two tokens; never inside a token or between a character and its
marks. Units cover the text without gaps or overlaps, so each token is in exactly one of them. Very
long texts are taken block by block, which keeps memory small and time linear.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter

from memstone.analysis.characters import CLASSES
from memstone.analysis.tokenizer import blocks, scan, scan_block
from memstone.types import Unit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memstone.analysis.tokenizer import Analysis

    Scanned = tuple[int, int, Analysis]

UNIT_CHARACTERS = 600
_BORDERS = (
    ("\n\n", "\r\n\r\n"),
    ("\n", "。", "！", "？", ". ", "! ", "? ", "…"),  # bare ? and ! stand inside URLs
    ("；", "，", "、", "; ", ", ", ": "),
    (" ", "\t", "\u3000"),
)
_CLOSING = frozenset("”’\"')]}」』）】》 \t\r\n")
_JOINER = "\u200d"  # holds the parts of 👩‍💻 together


def units(text: str, *, header: str = "") -> list[Unit]:
    """The units of `text` with their term counts; none only for an empty text.

    Spans are code points, cover the text in order and are about 600 long, longer only where a
    single token is. The terms of `header` (a speaker and a date, say) are counted in every unit.

    >>> [(u.start, u.end, u.length) for u in units("Ana moved the review. 评审改到周五。")]
    [(0, 29, 15)]
    """
    shared = [term for _, _, analysis in scan(header) for term in analysis.terms]
    return [
        _unit(ordinal, span, terms)
        for ordinal, (span, terms) in enumerate(_cut_with_terms(text, shared))
    ]


def _unit(ordinal: int, span: tuple[int, int], terms: list[str]) -> Unit:
    frequencies = tuple(sorted(Counter(terms).items()))
    return Unit(ordinal, span[0], span[1], len(terms), frequencies)


def _cut_with_terms(
    text: str, shared: Sequence[str]
) -> Iterator[tuple[tuple[int, int], list[str]]]:
    for start, end in blocks(text):
        tokens = scan_block(text[start:end], start)
        index = 0
        for span in _spans(text, (start, end), tokens):
            terms = list(shared)
            while index < len(tokens) and tokens[index][0] < span[1]:
                terms += tokens[index][2].terms
                index += 1
            yield span, terms


def _spans(
    text: str, block: tuple[int, int], tokens: Sequence[Scanned]
) -> Iterable[tuple[int, int]]:
    start, size = block
    if size - start <= UNIT_CHARACTERS:
        return [block]
    starts = [token[0] for token in tokens]
    spans: list[tuple[int, int]] = []
    while size - start > UNIT_CHARACTERS:
        # Equal shares of what remains, so that no stump of ten characters is left at the end.
        share = -(-(size - start) // -(-(size - start) // UNIT_CHARACTERS))
        low, high = start + share // 2, min(start + share + share // 8, size)
        cut = _border(text, low, high) or _forced(text, (start, high, size), tokens, starts)
        spans.append((start, cut))
        start = cut
    if start < size:
        spans.append((start, size))
    return spans


def _border(text: str, low: int, high: int) -> int | None:
    """The last border of the best sort in `low`..`high`, after closing quotes and spaces."""
    for separators in _BORDERS:
        cut = max(text.rfind(sep, low, high) + len(sep) for sep in separators)
        if cut <= low:
            continue
        while cut < high and text[cut] in _CLOSING:
            cut += 1
        if not _continues(text, cut):
            return cut
    return None


def _continues(text: str, index: int) -> bool:
    """Whether the character there belongs to the one before it."""
    return index < len(text) and CLASSES[ord(text[index])] in "mz"


def _forced(
    text: str, reach: tuple[int, int, int], tokens: Sequence[Scanned], starts: Sequence[int]
) -> int:
    """A cut near `high` between two tokens, or behind the token that is longer than a unit."""
    start, cut, size = reach
    index = bisect_left(starts, cut) - 1  # the last token that starts before the cut
    inside = index >= 0 and tokens[index][1] > cut
    if not inside and not _held(text, cut):
        return cut
    back = index
    while back >= 0 and starts[back] > start and _held(text, starts[back]):
        back -= 1
    if back >= 0 and starts[back] > start:
        return starts[back]
    if inside:
        cut = tokens[index][1]
    while cut < size and _continues(text, cut):
        cut += 1
    return cut


def _held(text: str, index: int) -> bool:
    """Whether a cut there would part a character from its marks, or 👩 from its 💻."""
    return _continues(text, index) or text[index - 1] == _JOINER
