"""What a text hides from the person who reads it: invisible characters, and words in base64."""

from __future__ import annotations

import re
from base64 import b64decode
from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_RUNS = 64  # base64 runs looked into; a text with more is a file, and its first ones will do
MOST_RUN_CHARACTERS = 4_096
_ZERO_WIDTH = "\u180e\u200b-\u200d\u2060-\u2064\ufeff"
_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff"
)
_HIDDEN = (
    "[\u202d\u202e]"  # turns the direction of letters; other marks stand in honest Arabic
    f"|[{_ZERO_WIDTH}]{{4}}"
    f"|(?:[A-Za-z]\u200b[A-Za-z].{{0,12}}){{3}}"  # to break up words that a filter knows
    "|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{3}"
    "|(?<![\U0001f3f4\U000e0020-\U000e007f])[\U000e0020-\U000e007f]{2}"  # but for the flags
    "|[\U000e0020-\U000e007f]{8}"
)
_BASE64 = r"[A-Za-z0-9+/_-]{24,}={0,2}"


def seen(text: str) -> str:
    """`text` without invisible characters, as a model reads it."""
    return text if text.isascii() else _invisible().sub("", text)


def hides(text: str) -> bool:
    """Whether `text` has invisible characters in a way no writing needs.

    >>> hides("a\U000e0069\U000e0067b"), hides("🏴\U000e0067\U000e0062 می‌خواهم 👩‍👩‍👧")
    (True, False)
    """
    return not text.isascii() and _hidden().search(text) is not None


def decoded(text: str) -> Iterator[str]:
    """What the base64 runs of `text` say, those that say anything."""
    for number, match in enumerate(_base64().finditer(text)):
        if number >= MOST_RUNS:
            return
        run = match[0].rstrip("=")[:MOST_RUN_CHARACTERS].translate({0x2D: "+", 0x5F: "/"})
        whole = run[: len(run) - (len(run) % 4 == 1)]  # no byte ends after one character
        inner = b64decode(whole + "=" * (-len(whole) % 4)).decode("utf-8", "replace")
        if "\ufffd" not in inner[:-1] and sum(map(str.isprintable, inner)) >= 0.9 * len(inner):
            yield inner


@cache
def _invisible() -> re.Pattern[str]:
    return re.compile(f"[{_INVISIBLE}]")


@cache
def _hidden() -> re.Pattern[str]:
    return re.compile(_HIDDEN)


@cache
def _base64() -> re.Pattern[str]:
    return re.compile(_BASE64)
