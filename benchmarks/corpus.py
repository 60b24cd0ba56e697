"""A synthetic bilingual corpus: 60 % English, 25 % Chinese, 15 % mixed, about 40 words a memory.

Words follow Zipf's law, so the corpus is hard where real ones are: stop words aside, twelve terms
stand in 15 to 45 % of all memories, half of all queries of six terms touch more than 0.22 N
postings, and new words never stop coming (560 k distinct terms in 100 k memories). Words are
spelled from their rank, so no word list is needed and no text of anybody is quoted. Memory `i` of
a seed is a function of (seed, i): a query can be drawn from any memory without building the
others, and a small corpus is the beginning of a large one.

One fifth of the English words are real stop words, as in prose; the rest is content. A Chinese
"word" here is one or two characters; a Chinese memory has about 40 characters in short clauses.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from memstone import analysis

if TYPE_CHECKING:
    from collections.abc import Iterator

VERSION = 1  # part of every cache key: raise it when a text would change
SEED = 20261130
ENGLISH_SHARE = 0.60
CHINESE_SHARE = 0.25  # what is left, 15 %, is mixed
STOP_WORD_SHARE = 0.20
MEAN_WORDS = 40

# Zipf-Mandelbrot: P(rank) ~ 1 / (rank + shift). The shift flattens the head to natural size.
ENGLISH_RANKS = 600_000
ENGLISH_SHIFT = 2.0
CHINESE_RANKS = 20_000
CHINESE_SHIFT = 2.5
CHINESE_SINGLE_RANKS = 60  # the most frequent Chinese words are one character long
CHINESE_CHARACTERS = 2_000
FIRST_CHINESE_CHARACTER = 0x4E00

_STOP_WORDS = """
the of and a to in is it that for on was with as are be at by this from or an what which when where
"""
STOP_WORDS = tuple(_STOP_WORDS.split())
CONSONANTS = "bdfgklmnprstvz"
SYLLABLES = [c + rest for c in CONSONANTS for rest in ("a", "e", "i", "o", "u", "ar", "in")]
SCRAMBLE = 7_919  # a prime: neighbours in rank do not look alike


@dataclass(frozen=True, slots=True)
class Probe:
    """A query drawn from one memory: its text and the distinct terms it is analysed into."""

    text: str
    terms: tuple[str, ...]
    source: int  # index of the memory


def memory_text(index: int, seed: int = SEED) -> str:
    """The text of memory `index` (>= 0) of the corpus `seed`.

    >>> memory_text(7) == memory_text(7), memory_text(7) == memory_text(8)
    (True, False)
    """
    return _join(_pieces(Random(f"{seed}:{index}")))


def memories(size: int, seed: int = SEED) -> Iterator[str]:
    """The first `size` texts of the corpus, in order."""
    return (memory_text(index, seed) for index in range(size))


def queries(count: int, size: int, *, terms: int = 6, seed: int = SEED) -> list[Probe]:
    """`count` queries of exactly `terms` distinct terms, drawn from the first `size` memories.

    Each takes pieces of one random memory at random, so frequent terms come as often as in text.

    Raises `ValueError` when the corpus cannot give that many terms a query.

    >>> [len(probe.terms) for probe in queries(3, size=50)]
    [6, 6, 6]
    """
    random = Random(f"{seed}:queries:{size}")
    found: list[Probe] = []
    for _attempt in range(count * 50):
        if len(found) == count:
            return found
        source = int(random.random() * size)
        probe = _draw(source, terms, seed, random)
        if probe is not None:
            found.append(probe)
    if len(found) == count:
        return found
    raise ValueError(f"no {count} queries of {terms} terms in {size} memories")


def _draw(source: int, terms: int, seed: int, random: Random) -> Probe | None:
    pieces = [piece for piece in _pieces(Random(f"{seed}:{source}")) if piece not in "。."]
    pieces = list(dict.fromkeys(pieces))
    # sorted by random keys: `shuffle` does not promise the same order in every Python version
    pieces = [piece for _, piece in sorted((random.random(), piece) for piece in pieces)]
    chosen: list[str] = []
    reached = 0
    for piece in pieces:
        text = " ".join([*chosen, piece])
        found = analysis.analyze_query(text).terms
        if reached < len(found) <= terms:  # a stop word adds nothing and is left out
            chosen.append(piece)
            reached = len(found)
        if reached == terms:
            return Probe(text, tuple(found), source)
    return None


def _pieces(random: Random) -> list[str]:
    """The words of one memory, with full stops between its clauses."""
    draw = random.random()
    words = MEAN_WORDS // 2 + int(random.random() * (MEAN_WORDS + 1))  # 20 to 60, mean 40
    if draw < ENGLISH_SHARE:
        return _clauses(random, words, chinese=False)
    if draw < ENGLISH_SHARE + CHINESE_SHARE:
        return _clauses(random, words, chinese=True)
    half = words // 2
    return [
        *_clauses(random, half, chinese=False),
        *_clauses(random, words - half, chinese=True),
    ]


def _clauses(random: Random, size: int, *, chinese: bool) -> list[str]:
    """Words worth `size` (English: words, Chinese: characters), a stop every ten or so."""
    pieces: list[str] = []
    written = 0
    until_stop = 0
    while written < size:
        if until_stop <= 0 and pieces:
            pieces.append("。" if chinese else ".")
        if until_stop <= 0:
            until_stop = 6 + int(random.random() * 9)
        word = _chinese_word(random) if chinese else _english_word(random)
        pieces.append(word)
        cost = len(word) if chinese else 1
        written += cost
        until_stop -= cost
    return pieces


def _rank(random: Random, ranks: int, shift: float) -> int:
    """A rank in 0..ranks-1 with P(rank) ~ 1 / (rank + shift), by inverting the integral."""
    return int(shift * math.exp(random.random() * math.log((ranks + shift) / shift)) - shift)


def _english_word(random: Random) -> str:
    if random.random() < STOP_WORD_SHARE:
        return STOP_WORDS[_rank(random, len(STOP_WORDS), ENGLISH_SHIFT)]
    return _spell(_rank(random, ENGLISH_RANKS, ENGLISH_SHIFT))


def _spell(rank: int) -> str:
    """The word of a rank: two syllables for the first 9,604 ranks, then three, then four.

    The scramble is a bijection within each length, so two ranks never share a spelling.
    """
    base = len(SYLLABLES)
    length, first, room = 2, 0, base**2
    while rank >= first + room:
        first += room
        length += 1
        room = base**length
    number = (rank - first) * SCRAMBLE % room
    parts: list[str] = []
    for _ in range(length):
        number, digit = divmod(number, base)
        parts.append(SYLLABLES[digit])
    return "".join(parts)


def _chinese_word(random: Random) -> str:
    rank = _rank(random, CHINESE_RANKS, CHINESE_SHIFT)
    if rank < CHINESE_SINGLE_RANKS:
        return _character(rank)
    # A word's characters depend on its rank alone, and frequent characters make most words.
    spelling = Random(rank)
    first = _rank(spelling, CHINESE_CHARACTERS, 40.0)
    return _character(first) + _character(_rank(spelling, CHINESE_CHARACTERS, 40.0))


def _character(rank: int) -> str:
    return chr(FIRST_CHINESE_CHARACTER + rank * SCRAMBLE % 20_000)


def _join(pieces: list[str]) -> str:
    """Latin words parted by spaces, Chinese ones not."""
    parts: list[str] = []
    for piece in pieces:
        if parts and piece.isascii() and piece != ".":
            parts.append(" ")
        parts.append(piece)
    return "".join(parts)
