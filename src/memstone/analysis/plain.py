"""The first ancestor's analyser, for the second index: words as they are, no language at all.

A word is a run of letters and decimal digits, in lower case; 29 English stop words fall away, in
texts and in questions alike. There is no stem, no pair of characters for Chinese, no folding of
accents: the `cavemem` command ranks by it, because whoever calls that command is owed the scores
they always had. `memstone` itself never asks this index.

The unit is the whole memory, so that frequency and length are those of the ancestor's formula. Only
a text that is too large for that command (a turn of an imported conversation) is cut into parts.
"""

from __future__ import annotations

import re
from collections import Counter

from memstone.types import MAX_TEXT_BYTES, Unit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

INDEX = "plain"  # what is indexed under this name never changes
STOP_WORDS = frozenset({
    "a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "how", "in", "is", "it", "of",
    "on", "or", "that", "the", "this", "to", "was", "what", "when", "where", "which", "who", "why",
    "with",
})  # fmt: skip
PART_CHARACTERS = MAX_TEXT_BYTES // 4  # whatever they are, they fit into a memory
WORD = re.compile(r"[^\W_]+")  # letters and digits, but also ² ½ Ⅷ, which are neither


def words(text: str) -> list[str]:
    """Every word of `text` in order, repeats and all, without the stop words.

    >>> words("Hello, WORLD! foo_bar x² 数据库 端口")
    ['hello', 'world', 'foo', 'bar', 'x', '数据库', '端口']
    """
    # Character by character each lower-case letter is the simple one. `lower` of a whole text
    # differs in two: a final Σ looks at its neighbours, and İ becomes two characters.
    lowered = text.replace("Σ", "σ").replace("İ", "i").lower()
    found: list[str] = []
    for word in WORD.findall(lowered):
        found += [word] if word.isascii() else _letters_and_decimals(word)
    return [word for word in found if word not in STOP_WORDS]


def _letters_and_decimals(word: str) -> list[str]:
    """The parts of a word between numbers that are no decimal digits."""
    if all(char.isalpha() or char.isdecimal() for char in word):
        return [word]
    kept = "".join(char if char.isalpha() or char.isdecimal() else " " for char in word)
    return kept.split()


def terms(query: str) -> tuple[str, ...]:
    """What a question looks for: its distinct words, in the order in which scores are added.

    >>> terms("where is the deploy key? the key!")
    ('deploy', 'key')
    """
    return tuple(sorted(set(words(query))))


def units(text: str) -> list[Unit]:
    """The memory as one unit, or its parts if it is larger than a memory of the ancestor's.

    >>> [(unit.length, unit.frequencies) for unit in units("Key, key and 钥匙")]
    [(3, (('key', 2), ('钥匙', 1)))]
    """
    return [_unit(ordinal, text, span) for ordinal, span in enumerate(_spans(text))]


def frequency(text: str, term: str) -> int:
    """How often `term` stands in `text`."""
    return words(text).count(term)


def _unit(ordinal: int, text: str, span: tuple[int, int]) -> Unit:
    start, end = span
    found = words(text[start:end])
    return Unit(ordinal, start, end, len(found), tuple(sorted(Counter(found).items())))


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Where the parts stand; a cut lies between two words unless one is as long as a part."""
    size = len(text)
    if size <= PART_CHARACTERS or len(text.encode("utf-8")) <= MAX_TEXT_BYTES:
        yield 0, size
        return
    start = 0
    while start < size:
        end = min(start + PART_CHARACTERS, size)
        if end < size:
            end = _last_blank(text, start, end)
        yield start, end
        start = end


def _last_blank(text: str, start: int, end: int) -> int:
    """The last place in `start..end` that stands in no word; `end` if there is none."""
    place = end
    while place > start and (text[place].isalpha() or text[place].isdecimal()):
        place -= 1
    return place if place > start else end
