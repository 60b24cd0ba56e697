r"""A text as the scanners see it, with the way back to the original.

Secrets are ASCII in disguise: full-width digits from a Chinese keyboard, mathematical letters, a
zero-width space pasted along from a chat window. Scanning sees the NFKC form without invisible
characters; findings are spans of the *original*, so every folded character remembers where it
came from. A text that needs no folding, nearly every one, costs one pass and no table: the common
one-to-one changes (full-width forms, no-break space) go through `str.translate`.

Tool output carries secrets a second time in disguise, as URLs (`%20`), quoted JSON (`\u005f`) and
HTML (`&#95;`). `unescape` undoes that, for a second scan beside the first: what is a secret as it
stands stays one.

Two marks are folded otherwise than NFKC does. Full-width `，；！？` become `、` and `。`, for
`hunter2，` ends a password where `hunter2,` may not; and `…` becomes `•`, a mask like `***`, not
three dots.
"""

from __future__ import annotations

import re
from bisect import bisect_right
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


_TAIL_BYTE = "%[89ABab][0-9A-Fa-f]"
# One character at a time, each written in bytes of UTF-8 or by its number; half pairs stay.
_ESCAPE = (
    rf"(%[0-7][0-9A-Fa-f]|%[CDcd][0-9A-Fa-f]{_TAIL_BYTE}|%[Ee][0-9A-Fa-f](?:{_TAIL_BYTE}){{2}})"
    r"|\\{1,8}(?:u(?![Dd][89A-Fa-f])([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2}))"
    r"|&#(?:[xX]([0-9A-Fa-f]{1,5})|([0-9]{1,6}));"
)
MAX_LAYERS = 3  # an escaped escape (`%2520`, `\\\\u005cu005f`) is undone as often


@dataclass(eq=False, repr=False)  # light: see `findings`
class Unescaped:
    """The text without its escapes; `places` are where one stood, here, there and how long."""

    text: str
    places: tuple[tuple[int, int, int], ...]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Code points of the original behind the non-empty span `start`..`end`.

        >>> escaped = "a%20b"
        >>> undone = unescape(escaped)
        >>> undone.text, undone.span(1, 2)
        ('a b', (1, 4))
        """
        first, _ = self._original(start)
        last, length = self._original(end - 1)
        return first, last + length

    def _original(self, position: int) -> tuple[int, int]:
        """Where a character stood in the original, and how long it was there."""
        index = bisect_right(self.places, (position, len(self.text) * 20, 0)) - 1
        if index < 0:
            return position, 1
        here, there, length = self.places[index]
        if here == position:
            return there, length
        return there + length + position - here - 1, 1


def unescape(text: str) -> Unescaped | None:
    """The text with its escapes undone, once; None if there are none."""
    if not ("%" in text or "\\" in text or "&#" in text):
        return None
    pieces: list[str] = []
    places: list[tuple[int, int, int]] = []
    position = size = 0
    for match in _escape().finditer(text):
        start, end = match.span()
        pieces += text[position:start], _character(match)
        size += start - position
        places.append((size, start, end - start))
        size, position = size + 1, end
    if not places:
        return None
    pieces.append(text[position:])
    return Unescaped("".join(pieces), tuple(places))


@cache
def _escape() -> re.Pattern[str]:
    return re.compile(_ESCAPE)


def _character(match: re.Match[str]) -> str:
    octets, *numbers, decimal = match.groups()
    if octets:
        return bytes.fromhex(octets.replace("%", "")).decode("utf-8", "replace")[:1]
    number = int(decimal) if decimal else int(next(filter(None, numbers)), 16)
    return chr(number) if number < 0xD800 or 0xDFFF < number < 0x110000 else "\ufffd"
