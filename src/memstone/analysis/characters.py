r"""Character classes and folding: what a code point is to the tokeniser, and what it is equal to.

`CLASSES` maps every code point to one class sign, so that `text.translate(CLASSES)` is a string as
long as the text over a small alphabet, and the grammar of tokens is one short regular expression
over that alphabet instead of Unicode ranges spelt out in a pattern (which cost milliseconds to
compile). Classes come from code point ranges where a script decides, and from `unicodedata`
otherwise; they are looked up once and remembered.

    a letter, A upper-case letter, 0 digit, m mark of the character before it,
    c character of a script without spaces, e emoji, r half of a flag, z not visible,
    _ - . / \ @ : ' + # , and other ASCII signs: themselves; everything else: a space

`fold` refuses to guess languages: it drops accents where they are variants (Latin, Greek, Hebrew
and Arabic points) and keeps marks that are letters (Devanagari, kana, й).
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right

_REMEMBERED = 1 << 16  # classes kept in memory; a text of every code point must not cost 100 MB
_MARKS_PER_CHARACTER = 30  # the stream-safe limit of UAX #15; sorting more is quadratic


def _ranges(spec: str) -> tuple[int, ...]:
    """Flat ascending borders [start, end, start, end, …), from 'hex-hex' words, ends included."""
    borders: list[int] = []
    for word in spec.split():
        first, _, last = word.partition("-")
        borders += (int(first, 16), int(last or first, 16) + 1)
    return tuple(borders)


def _within(code: int, borders: tuple[int, ...]) -> bool:
    return bisect_right(borders, code) % 2 == 1


# Han with extensions, compatibility forms and radicals, kana, bopomofo, Hangul, Yi; planes 2 and 3
# whole, so that ideographs of a later Unicode version are known already.
_CJK = _ranges(
    "1100-115E 2E80-2FDF 3005-3007 3021-3029 3031-3035 3038-303C 3041-3096 309D-309F 30A1-30FA "
    "30FC-30FF 3105-312F 3131-3163 3165-318E 31A0-31BF 31F0-31FF 3200-33FF 3400-4DBF 4E00-9FFF "
    "A000-A48C A960-A97C AC00-D7A3 F900-FAFF FF66-FF9D FFA1-FFDC 1AFF0-1B16F 20000-3FFFF"
)
_ENCLOSED_CJK = _ranges("3200-33FF")  # ㈱, ㍿, but ㎏ too
_HANGUL_TAIL = _ranges("1161-11FF D7B0-D7FB")  # vowel and final jamo complete the one before
_UNSPACED = _ranges("E00-EFF 1000-109F 1780-17FF A9E0-A9FF AA60-AA7F")  # Thai, Lao, Myanmar, Khmer
_EMOJI = _ranges("2300-23FF 2600-27BF 2B00-2BFF 1F000-1F3FA 1F400-1FBFF")
_FLAGS = _ranges("1F1E6-1F1FF")
# Format characters are found by category; these are invisible too but have another one. Skin tones
# are here so that 👍🏽 finds 👍.
_INVISIBLE = _ranges(
    "34F 115F-1160 17B4-17B5 180B-180F 3164 FE00-FE0F FFA0 1F3FB-1F3FF E0000-E0FFF"
)
_DIACRITICS = _ranges("300-36F 1AB0-1AFF 1DC0-1DFF 20D0-20FF FE20-FE2F")
_POINTS = _ranges("591-5BD 5BF 5C1-5C2 5C4-5C5 5C7 610-61A 64B-652 670 6D6-6DC 6DF-6E4 6E7-6ED")
_PLAIN_BASES = _ranges("0-3FF 1D00-1FFF 2C60-2C7F A720-A7FF AB30-AB6F")  # Latin, Greek, digits
_CYRILLIC = _ranges("400-52F 1C80-1C8F A640-A69F")

_SPELLINGS = {
    "‘": "'", "’": "'", "ʼ": "'", "＇": "'", "‐": "-", "‑": "-", "﹣": "-", "－": "-", "＿": "_",
    "．": ".", "／": "/", "＼": "\\", "＠": "@",
}  # fmt: skip
# Letters that no decomposition brings home, and the Arabic stretcher, which is no letter.
_LETTERS = {
    "ı": "i", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "æ": "ae", "œ": "oe", "þ": "th",
    "ـ": "",
}  # fmt: skip
_FOLDED = str.maketrans(_SPELLINGS | _LETTERS)
_TRADE_MARKS = frozenset("™℠℡")  # NFKC makes letters of them, and `Foo™` another word


class _Classes(dict[int, str]):
    """Code point → class sign, worked out on first sight."""

    def __missing__(self, code: int) -> str:
        sign = _classify(code)
        if len(self) < _REMEMBERED:
            self[code] = sign
        return sign


def _classify(code: int) -> str:
    character = chr(code)
    category = unicodedata.category(character)
    if character in _SPELLINGS:
        return _SPELLINGS[character]
    if category == "Cf" or _within(code, _INVISIBLE):
        return "z"
    if _within(code, _EMOJI):
        return "r" if _within(code, _FLAGS) else "e"
    if category[0] == "M" or _within(code, _HANGUL_TAIL):
        return "m"
    if _within(code, _CJK):
        return _classify_enclosed(character) if _within(code, _ENCLOSED_CJK) else "c"
    return _classify_by_category(character, category)


def _classify_enclosed(character: str) -> str:
    """㎏ is Latin written small, ㍿ is four ideographs."""
    form = unicodedata.normalize("NFKC", character)
    return CLASSES[ord(form[0])] if form.isascii() and form.isalnum() else "c"


def _classify_by_category(character: str, category: str) -> str:
    form = unicodedata.normalize("NFKC", character)
    if form != character:
        whole = all(unicodedata.category(part)[0] in "LMN" for part in form)
        return CLASSES[ord(form[0])] if whole and character not in _TRADE_MARKS else " "
    if category[0] == "L":
        if _within(ord(character), _UNSPACED):
            return "c"
        return "A" if category in {"Lu", "Lt"} else "a"
    return "0" if category == "Nd" else " "


def _classify_ascii(code: int) -> str:
    character = chr(code)
    if character.isalpha():
        return "A" if character.isupper() else "a"
    if character.isdigit():
        return "0"
    return character if character.isprintable() else " "


CLASSES = _Classes((code, _classify_ascii(code)) for code in range(128))


def fold(text: str) -> str:
    r"""The form in which equal words are equal: NFKC, case-folded, accents and points dropped,
    decimal digits as ASCII. Folding twice changes nothing.

    >>> fold("İSTANBUL"), fold("Straße"), fold("Cafe\u0301"), fold("٣٤٥"), fold("が")
    ('istanbul', 'strasse', 'cafe', '345', 'が')
    """
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    if not text.isascii():
        text = "".join(_without_variants(text)).translate(_FOLDED)
    return unicodedata.normalize("NFC", text)


def _without_variants(decomposed: str) -> list[str]:
    kept: list[str] = []
    base = ""
    for character in decomposed:
        if unicodedata.category(character)[0] == "M":
            if not _is_variant(character, base):
                kept.append(character)
            continue
        base = character
        digit = -1 if character.isascii() else unicodedata.decimal(character, -1)
        kept.append(character if digit < 0 else str(digit))
    return kept


def _is_variant(mark: str, base: str) -> bool:
    """Whether `mark` on `base` is an accent one may leave out, not a letter of its own."""
    code = ord(mark)
    if not _within(code, _DIACRITICS):
        return _within(code, _POINTS)
    if base and _within(ord(base), _CYRILLIC):
        # Stress goes and ё is е, but й, ї, ў and Macedonian ѓ, ќ are letters.
        return (mark in "\u0300\u0301" and base not in "гк") or (mark == "\u0308" and base == "е")
    return not base or _within(ord(base), _PLAIN_BASES) or _within(ord(base), _CJK)


def bounded_marks(text: str, classes: str) -> tuple[str, str]:
    r"""Both strings with at most 30 marks on a character; more is an attack on normalisation.

    >>> bounded_marks("a" + "\u0301" * 99 + "b", "a" + "m" * 99 + "a")[1].count("m")
    30
    """
    if "m" * (_MARKS_PER_CHARACTER + 1) not in classes:
        return text, classes
    kept: list[int] = []
    marks = 0
    for index, sign in enumerate(classes):
        marks = marks + 1 if sign == "m" else 0
        if marks <= _MARKS_PER_CHARACTER:
            kept.append(index)
    return "".join(text[i] for i in kept), "".join(classes[i] for i in kept)
