"""`<private>…</private>`: what a person marks as not to be kept is cut out before anything is done.

Case, spaces inside the brackets, attributes, full-width brackets and invisible characters do not
matter. Spans nest. Everything fails towards cutting: an opening tag that is never closed cuts to
the end of the text, and so does an opening tag that only comes about where a cut joined two
halves. A closing tag with nothing to close is text.
"""

from __future__ import annotations

import re
from functools import cache

from memstone.redaction.folding import fold


@cache
def _tag() -> re.Pattern[str]:
    return re.compile(r"<\s{0,8}+(/?)\s{0,8}+private(?:\s[^<>]{0,200}+)?\s{0,8}>", re.IGNORECASE)


def strip_private(text: str) -> tuple[str, int]:
    """`text` without its private spans, and how many there were (nested ones count as one).

    >>> strip_private("deploy on Friday <private>door code 4711</private>, not before")
    ('deploy on Friday , not before', 1)
    >>> strip_private("a <private>never closed")
    ('a ', 1)
    """
    if not any(bracket in text for bracket in "<＜﹤"):
        return text, 0
    cut, count = _cut_spans(text)
    if count:
        _, more = _cut_spans(cut)
        if more:
            return cut[: _first_opening(cut)], count + 1
    return cut, count


def _cut_spans(text: str) -> tuple[str, int]:
    folded = fold(text)
    kept: list[str] = []
    depth = count = start = 0
    for tag in _tag().finditer(folded.text):
        first, last = folded.span(*tag.span())
        if tag[1]:
            if depth == 1:
                start = last
            depth = max(0, depth - 1)
        else:
            if depth == 0:
                kept.append(text[start:first])
                count += 1
            depth += 1
    if depth == 0:
        kept.append(text[start:])
    return "".join(kept), count


def _first_opening(text: str) -> int:
    folded = fold(text)
    tags = _tag().finditer(folded.text)
    return next(folded.span(*tag.span())[0] for tag in tags if not tag[1])
