"""A text as the scanners see it, with the way back to the original.

Secrets are ASCII in disguise: full-width digits from a Chinese keyboard, mathematical letters, a
zero-width space pasted along from a chat window. Scanning sees the NFKC form without invisible
characters; findings are spans of the *original*, so every folded character remembers where it
came from. A text that needs no folding, nearly every one, costs one pass and no table: the common
one-to-one changes (full-width forms, no-break space) go through `str.translate`.

Two marks are folded otherwise than NFKC does. Full-width `，；！？` become `、` and `。`, for
`hunter2，` ends a password where `hunter2,` may not; and `…` becomes `•`, a mask like `***`, not
three dots.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from unicodedata import is_normalized, normalize

_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff"
)
_WIDE = {
    **{0xFF01 + offset: 0x21 + offset for offset in range(94)},
    0x00A0: 0x20,
    0x3000: 0x20,
    0xFF01: 0x3002,
    0xFF0C: 0x3001,
    0xFF1B: 0x3001,
    0xFF1F: 0x3002,
    0x2026: 0x2022,
}


@dataclass(eq=False, repr=False)  # light: see `findings`
class Folded:
    """The folded text; `offsets[i]` is where its character `i` stands in the original."""

    text: str
    offsets: tuple[int, ...] | None = None  # None: every character stands where it stood

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Code points of the original behind the non-empty folded span `start`..`end`.

        >>> fold("ab\u200bc").span(1, 3)
        (1, 4)
        """
        if self.offsets is None:
            return start, end
        return self.offsets[start], self.offsets[end - 1] + 1


def fold(text: str) -> Folded:
    """The text in NFKC without invisible characters, and how to find the original spans.

    >>> fold("１１０\u200b１０５").text
    '110105'
    """
    if text.isascii():
        return Folded(text)
    wide = text.translate(_WIDE)
    if is_normalized("NFKC", wide) and not _invisible().search(wide):
        return Folded(wide)
    pieces: list[str] = []
    offsets: list[int] = []
    for position, character in enumerate(wide):
        piece = _folded_character(character)
        pieces.append(piece)
        offsets.extend([position] * len(piece))
    return Folded("".join(pieces), tuple(offsets))


@cache
def _invisible() -> re.Pattern[str]:
    return re.compile(f"[{_INVISIBLE}]")


@lru_cache(maxsize=4096)
def _folded_character(character: str) -> str:
    if _invisible().match(character):
        return ""
    return normalize("NFKC", character)
