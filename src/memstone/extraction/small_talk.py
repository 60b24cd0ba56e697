"""Sentences in which nothing is said that could matter later: greetings, thanks, praise, weather.

A sentence is small talk when nothing is left of it after the phrases of politeness and the words
of mere appraisal ("wow, that sounds really great!") are taken away; how much is left is also what
it weighs (`salience`). What names a number, a person who is not addressed, a place or a thing keeps
it from that, so the lists (`phatic_english`, `phatic_chinese`) may be generous. Words drawn out
("soooo"), numbers that only stress ("100 %", 666) and the name of whoever is spoken to ("thanks,
Tom!") say nothing either.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memstone.analysis.stopwords import ENGLISH
from memstone.extraction.phatic_chinese import (
    CHINESE_PHRASES,
    EMPTY_CHINESE,
    LONGEST_CHINESE,
    THINGS,
)
from memstone.extraction.phatic_english import EMPTY_ENGLISH, ENGLISH_PHRASES

LEFT_OVER = 1  # character of Chinese that may remain: a particle
HAN_A_WORD = 2.0  # characters of Chinese that say as much as one English word
MANY = 8  # content words from which phrases are not looked for: it says something anyway
_STRESS = re.compile(
    r"\b(?:100|110|1000)\s?(?:%|percent\b)|\b24/7\b|\b10/10\b|<3|\b(?:xd|:d|:p)\b|[:;=8]-?[)(dpo3]"
    r"(?![\w])|\A\W*(?:6{3,}|2?3{3,}|886)\W*\Z|百分百|万分|千万别",
    re.IGNORECASE,
)
_SPECIFIC = re.compile(
    r"\d|[A-Za-z0-9]{2,}[._/\\@:][A-Za-z0-9]{2,}|[A-Z0-9]+-[A-Za-z0-9]|[A-Za-z]+-[A-Z0-9]"
    r"|[二两三四五六七八九十百千]+(?:点|号|月|块|元|岁|楼|层|斤|公里|米|倍|折|度|年级)|[\"“「《`]"
)
_STRETCHED = re.compile(r"([a-z])\1{2,}", re.IGNORECASE)
_VOCATIVE = re.compile(
    r"(?:(?<=,)|(?<=, )|\b(?i:thanks?|thank you|hi|hey|hello|bye|(?:good )?(?:morning|night)"
    r"|love you"
    r"|dear|sorry|welcome(?: back)?|congrats|congratulations|happy birthday|oh|aww?|wow|you too)"
    r",? )[A-Z][a-z]{1,14}(?=\s*(?:[!.?~,:)]|\Z|[^\w\s']))",
)
_NAME_INSIDE = re.compile(r"(?<=[a-z,;] )(?!I\b|I'|OK\b)[A-Z][a-z]{2,}")
_WORD = re.compile(r"[a-z']+")
_LATIN = re.compile(r"[a-z]+(?:['-][a-z]+)*", re.IGNORECASE)
_HAN = re.compile(r"[\u3400-\u9fff]")
_HAN_RUN = re.compile(r"[\u3400-\u9fff]+")


@dataclass(frozen=True, slots=True)
class Remains:
    """What is left of a sentence: whether nothing is, and its weight in content words."""

    nothing: bool
    weight: float


def remains(sentence: str, addressed: frozenset[str] = frozenset()) -> Remains:
    """What a sentence says beside politeness and praise.

    `addressed` are the names, in lower case, of those who talk here.

    >>> remains("Haha, the boiler leaks!").weight, remains("哈哈，锅炉漏水了！").weight
    (2.0, 2.0)
    """
    plain = _STRESS.sub(" ", sentence.replace("’", "'"))
    specific = _SPECIFIC.search(plain) is not None
    if _HAN.search(plain):
        return _remains_chinese(plain, addressed, specific=specific)
    if _STRETCHED.search(plain):
        plain = _shortened(plain)
    words = content(plain.lower()) - addressed
    if 0 < len(words) < MANY:
        plain = ENGLISH_PHRASES.sub(" ", _VOCATIVE.sub("", plain))
        words = content(plain.lower()) - addressed
    names = {name.lower() for name in _NAME_INSIDE.findall(plain)} - addressed - EMPTY_ENGLISH
    return Remains(not (words or names or specific), float(len(words)))


def is_small_talk(sentence: str, addressed: frozenset[str] = frozenset()) -> bool:
    """Whether nothing remains of a sentence without its politeness and praise.

    >>> is_small_talk("Wow, that sounds really great!"), is_small_talk("I bought a red bike.")
    (True, False)
    >>> is_small_talk("哈哈，今天天气真好啊"), is_small_talk("我对花生过敏。")
    (True, False)
    """
    return remains(sentence, addressed).nothing


def content(lowered: str) -> set[str]:
    """The words of an English text, in lower case, that are neither grammar nor appraisal."""
    words = {word.strip("'").removesuffix("'s") for word in _WORD.findall(lowered)}
    return {
        word
        for word in words
        if len(word) > 1 and word not in ENGLISH and word not in EMPTY_ENGLISH
    }


def _shortened(text: str) -> str:
    """The text without drawn-out letters: "soooo goood" is "so good"."""

    def shorten(match: re.Match[str]) -> str:
        word = match.group()
        once, twice = _STRETCHED.sub(r"\1", word), _STRETCHED.sub(r"\1\1", word)
        known = twice.lower() in EMPTY_ENGLISH or twice.lower() in ENGLISH
        return twice if known else once

    return _LATIN.sub(shorten, text)


def _remains_chinese(plain: str, addressed: frozenset[str], *, specific: bool) -> Remains:
    lowered = plain.lower()
    for name in addressed:
        lowered = lowered.replace(name, " ")
    rest = CHINESE_PHRASES.sub(" ", lowered)
    han = [piece for run in _HAN_RUN.findall(rest) for piece in _kept(run)]
    latin = [word for word in _LATIN.findall(rest) if len(word) > 1 and word not in EMPTY_ENGLISH]
    a_thing = len(han) == 1 and han[0] in THINGS
    nothing = not (specific or latin or a_thing) and len(han) <= LEFT_OVER
    return Remains(nothing, len(han) / HAN_A_WORD + len(latin))


def _kept(run: str) -> list[str]:
    """The characters of Chinese that belong to no empty word; the longest word is read first."""
    kept: list[str] = []
    at = 0
    while at < len(run):
        for length in range(min(LONGEST_CHINESE, len(run) - at), 0, -1):
            if run[at : at + length] in EMPTY_CHINESE:
                at += length
                break
        else:
            kept.append(run[at])
            at += 1
    return kept
