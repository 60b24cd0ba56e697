"""The first ancestor's analyser: which words a text has, and what the unit of its index is."""

from __future__ import annotations

import sys
import unicodedata

import pytest

from memstone.analysis import plain
from memstone.types import MAX_TEXT_BYTES
from tests.acceptance.cavemem import STOP_WORDS, seed_tokens

LETTERS = {"Lu", "Ll", "Lt", "Lm", "Lo", "Nd"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Hello, WORLD! foo_bar baz123", ["hello", "world", "foo", "bar", "baz123"]),
        ("don't stop", ["don", "t", "stop"]),
        ("H₂O x² ½ Ⅷ", ["h", "o", "x"]),
        ("cafe\u0301", ["cafe"]),
        ("café", ["café"]),
        ("İstanbul ISTANBUL", ["istanbul", "istanbul"]),
        ("Straße STRASSE", ["straße", "strasse"]),
        ("ΑΣ οδος ΟΔΟΣ", ["ασ", "οδος", "οδοσ"]),
        ("٣٤٥", ["٣٤٥"]),
        ("हिन्दी", ["ह", "न", "द"]),
        ("数据库端口是5432", ["数据库端口是5432"]),
        ("数据库 端口 是 5432", ["数据库", "端口", "是", "5432"]),
        ("東京タワー 도쿄 타워", ["東京タワー", "도쿄", "타워"]),
        ("🙂🧑\u200d🚀", []),
        ("a\0b c.d/e:f-g", ["b", "c", "d", "e", "f", "g"]),
        ("The THE tHe to of", []),
        ("", []),
    ],
)
def test_a_text_has_the_words_that_the_ancestor_found(text: str, words: list[str]) -> None:
    assert plain.words(text) == words
    assert seed_tokens(text) == words


def test_there_are_29_stop_words() -> None:
    assert len(plain.STOP_WORDS) == 29
    assert plain.STOP_WORDS == STOP_WORDS


def test_every_character_is_read_as_the_definition_says() -> None:
    for first in range(0, sys.maxunicode + 1, 4096):
        points = [p for p in range(first, first + 4096) if not 0xD800 <= p < 0xE000]
        text = " ".join(f"z{chr(point)}z" for point in points)
        assert plain.words(text) == seed_tokens(text), hex(first)


def test_a_word_consists_of_letters_and_decimal_digits_only() -> None:
    for point in range(sys.maxunicode + 1):
        char = chr(point)
        is_kept = char.isalpha() or char.isdecimal()
        assert is_kept == (unicodedata.category(char) in LETTERS), hex(point)


def test_a_question_is_a_set_of_words_in_one_fixed_order() -> None:
    assert plain.terms("port the PORT 端口 Port key") == ("key", "port", "端口")
    assert plain.terms("key 端口 port") == ("key", "port", "端口")
    assert plain.terms("where is it?") == ()


def test_a_memory_is_one_unit_whatever_its_length() -> None:
    (unit,) = plain.units("key Key 钥匙 and more\n" * 3)
    assert (unit.ordinal, unit.start, unit.end, unit.length) == (0, 0, 60, 12)
    assert unit.frequencies == (("key", 6), ("more", 3), ("钥匙", 3))
    for largest in ("x " * (MAX_TEXT_BYTES // 2), "猫" * (MAX_TEXT_BYTES // 3)):
        assert len(plain.units(largest)) == 1


@pytest.mark.parametrize("text", ["", "the", "🙂"])
def test_a_memory_without_a_word_is_a_unit_without_a_term(text: str) -> None:
    (unit,) = plain.units(text)
    assert (unit.start, unit.end, unit.length, unit.frequencies) == (0, len(text), 0, ())


@pytest.mark.parametrize("word", ["word 猫 ", "无空格的很长文本", "a" * 70])
def test_what_is_larger_than_a_memory_is_cut_into_parts(word: str) -> None:
    text = word * (5 * MAX_TEXT_BYTES // len(word))
    units = plain.units(text)
    assert [unit.ordinal for unit in units] == list(range(len(units)))
    assert [unit.start for unit in units] == [0, *(unit.end for unit in units[:-1])]
    assert units[-1].end == len(text)
    assert all(len(text[u.start : u.end].encode("utf-8")) <= MAX_TEXT_BYTES for u in units)
    if " " in word:
        assert sum(unit.length for unit in units) == len(plain.words(text))
