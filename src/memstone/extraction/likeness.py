"""Whether two texts say the same in nearly the same words, and what they say together.

`similarity` compares normalised terms: words stemmed and without articles, Chinese by character
without particles, so that case, punctuation, inflection and politeness do not count. It is the
Dice coefficient, 2·|A∩B| / (|A|+|B|) over multisets, or, where one text only adds to the other,
the share of the shorter one that the longer one holds. Above `SAME` (the seed's 0.92) two texts
are near duplicates, but only if nothing that matters differs: numbers, names, dates, negation and
direction must agree, no word may stand in the place of another, and the order must be the same up
to one phrase that moved ("on Fridays she swims", "she swims on Fridays"). What one adds goes on
where the other ends, or is a word or two in a long statement: "the spare key" is not the key. That
is strict on purpose: a duplicate kept is clutter, two facts merged are a loss.
"""

from __future__ import annotations

import re
from collections import Counter

from memstone.analysis.sentences import sentences
from memstone.analysis.stemming import stem
from memstone.analysis.tokenizer import tokenize
from memstone.extraction.entities import names, numbers
from memstone.extraction.vocabulary import words

SAME = 0.92  # similarity from which two texts are near duplicates; the seed's number
FEWEST_TERMS = 2  # a shorter text is compared by its exact words only
FEWEST_KEPT = 3  # terms of a text that another may hold and add to: two words are a topic
MOST_INSERTED = 2  # words that a long text may have in between beyond another
MOST_INSERTED_HAN = 3  # characters, in Chinese
INSERTED_INTO = 4  # times as many terms as that has the shorter text at least
MOST_ADDED = 0.6  # of its terms that the longer text may have beyond the shorter one
MOST_TERMS = 400  # texts longer than this are no statements
_DROPPED = words(
    """
    a an the i me my mine we us our you your he him his she her it its they them their this that
    these those user is are was were be been being am do does did has have had will would shall
    please very really quite just also too so well oh ok okay yes yeah actually basically simply
    currently now always generally usually of at there here which who and then like kindly note
    remember ve re ll m s d
    """
)
_ALIKE = {
    "each": "every", "every": "every", "e-mail": "email", "mails": "email", "wanna": "want",
    "gonna": "go",
    "cannot": "not", "can't": "not", "don't": "not", "doesn't": "not", "didn't": "not",
    "won't": "not", "isn't": "not", "aren't": "not", "wasn't": "not", "weren't": "not",
    "shouldn't": "not", "couldn't": "not", "wouldn't": "not", "haven't": "not", "hasn't": "not",
    "hadn't": "not", "dont": "not", "doesnt": "not", "no": "not", "never": "not", "nor": "not",
    "without": "not", "mustn't": "not", "mum": "mom", "favourite": "favorite", "colour": "color",
}  # fmt: skip
# A text that adds one of these says something else, whatever else it adds.
_DECIDING = frozenset(
    map(
        stem,
        words(
            """
            not only if unless except today tomorrow yesterday monday tuesday wednesday thursday
            friday saturday sunday january february march april may june july august september
            october november december am pm
            """
        ),
    )
)
# These turn a statement round by themselves, and are harmless in an added phrase.
_TURNING = frozenset(
    map(
        stem,
        words(
            """
            before after until since from to into onto over under above below up down on off in
            out more less than most least first last all none between during by for with against
            morning afternoon evening night weekday weekend
            """
        ),
    )
)
_LIGHT = words(
    """
    in on at to for with by
    """
)  # may come or go with a phrase, not be traded
# What an addition at the end begins with; another noun would make a word of the last one.
_LEADING = frozenset(
    map(
        stem,
        words(
            """
    in on at for with to from by because since when while after before during every each
    around near about as per daily weekly monthly yearly once twice together alone outside
    inside using via if unless until instead plus both
    """
        ),
    )
) | {"every"}
_SOFTENING = frozenset(map(stem, words("often regularly mostly mainly definitely certainly still")))
_THIRD = re.compile(r"(?P<m>\b(?:he|him|his)\b|他)|(?P<f>\b(?:she|her|hers)\b|她)", re.IGNORECASE)
_HAN = re.compile(r"[\u3400-\u9fff]")
_PARTICLES = frozenset(
    "的了呢吧啊呀哦嘛哈嗯噢啦喔着过地得是在就都也还很我你您他她它们这那个有会把被给让请"
)
_POLITE = re.compile(
    r"用户|请(?:记住|注意)|我们|咱们|目前|现在|一直|平时|一般|通常|非常|特别|比较|其实|的话"
)
_OPENING = re.compile(
    r"\A\s*(?:(?:by the way|just so you know|for the record|fyi|btw|as i said|remember"
    r"|note(?: that)?|also)[,:]? "
    r"|(?:顺便说一下|顺便|对了|记住|备注|话说|另外|补充一下)[，,：:]?\s*|该(?=用户))",
    re.IGNORECASE,
)
_DECIDING_HAN = re.compile(r"[不没别未非无勿莫零〇二两三四五六七八九十百千万亿]")
_TURNING_HAN = re.compile(r"[前后上下左右内外东西南北开关进出先早晚多少大小高低增减升降只仅最]")
_GLUE = re.compile(r"(\d)\s+(?=[A-Za-z\u4e00-\u9fff])")


def near_duplicates(first: str, second: str) -> bool:
    """Whether two texts are one statement, said twice.

    >>> near_duplicates("The user prefers dark mode.", "prefers dark mode")
    True
    >>> near_duplicates("预算上限 100 元", "预算上限 200 元")
    False
    """
    return similarity(first, second) > SAME


def similarity(first: str, second: str) -> float:
    """How much two texts say the same, 0 to 1; 0 where anything that matters differs. Texts of
    several sentences are compared sentence by sentence, in order, and are as like as the two that
    are least so; sentences that only one of them has are an addition.

    >>> similarity("Ana pays Ben", "Ben pays Ana")
    0.0
    >>> similarity("Ana swims. She has a cap.", "Ana swims. She has a cap with stars.")
    1.0
    """
    one, other = _parts(first), _parts(second)
    if len(one) == len(other) == 1:
        return _alike(first, second)
    fewer, more = sorted((one, other), key=len)
    pairs = _aligned(fewer, more)
    if pairs is None or not _little_added(fewer, more):
        return _alike(first, second)
    return min(_alike(fewer[i], more[j]) for i, j in pairs)


def union(first: str, second: str) -> str:
    """What two near duplicates say together: of each sentence the one that says more, and the
    sentences that only one of them has.

    >>> union("Ana swims at six every day. 她用雨水浇花。", "Ana swims at six. 她用雨水浇花和菜。")
    'Ana swims at six every day. 她用雨水浇花和菜。'
    """
    one, other = _parts(first), _parts(second)
    fewer, more = (one, other) if len(one) < len(other) else (other, one)
    told = list(more)
    for partner, place in _aligned(fewer, more) or ():
        told[place] = _richer(more[place], fewer[partner])
    if told == one:
        return first
    if told == other:
        return second
    joint = "" if _HAN.search(told[0]) and told[0].endswith(("。", "！", "？")) else " "
    return joint.join(told)


def _parts(text: str) -> list[str]:
    """The sentences of a text; one without any is a sentence by itself."""
    return [text[a:b].strip() for a, b in sentences(text) if text[a:b].strip()] or [text]


def _aligned(fewer: list[str], more: list[str]) -> list[tuple[int, int]] | None:
    """For each sentence of one text the next one of the other that says the same; None if one of
    them has none.
    """
    pairs, start = [], 0
    for number, sentence in enumerate(fewer):
        found = (j for j in range(start, len(more)) if _alike(sentence, more[j]) > SAME)
        place = next(found, None)
        if place is None:
            return None
        pairs.append((number, place))
        start = place + 1
    return pairs


def _little_added(fewer: list[str], more: list[str]) -> bool:
    """Whether the longer text is not mostly something else."""
    sizes = [sum(len(_terms(part)) for part in parts) for parts in (fewer, more)]
    shorter, longer = sorted(sizes)
    return longer > 0 and (longer - shorter) / longer <= MOST_ADDED


def _richer(one: str, other: str) -> str:
    """The one that says more; the first of two that say as much."""
    return other if len(_terms(other)) > len(_terms(one)) else one


def _alike(first: str, second: str) -> float:
    """`similarity` of two sentences."""
    one, other = _terms(first), _terms(second)
    if not _same_people(first, second):
        return 0.0
    if one == other:
        return 1.0
    if min(len(one), len(other)) < FEWEST_TERMS or max(len(one), len(other)) > MOST_TERMS:
        return 0.0
    agree = _agree(first, second, Counter(one), Counter(other))
    if not agree or not _only_adds(one, other) or _owned(first, second):
        return 0.0
    common = Counter(one) & Counter(other)
    if not _same_order(_only(one, common), _only(other, common)):
        return 0.0
    shared = sum(common.values())
    dice = 2 * shared / (len(one) + len(other))
    shorter, longer = sorted((len(one), len(other)))
    added = (longer - shorter) / longer
    holds = shorter >= FEWEST_KEPT and added <= MOST_ADDED
    return max(dice, shared / shorter) if holds else dice


def _terms(text: str) -> list[str]:
    """The terms of a text in order, without those that do not count."""
    text = _OPENING.sub("", text)
    folded = _GLUE.sub(r"\1", _POLITE.sub("", text.replace("’", "'")))
    found: list[str] = []
    for token in tokenize(folded):
        if _HAN.match(token.surface):
            character = _ALIKE.get(token.surface[:1], token.surface[:1])
            found += [character] if character not in _PARTICLES else []
        elif token.surface in _ALIKE:
            found.append(_ALIKE[token.surface])
        elif token.surface not in _DROPPED:
            found.append(token.terms[0])
    return found


def _agree(first: str, second: str, one: Counter[str], other: Counter[str]) -> bool:
    """Whether numbers, names, negation and direction are the same, and no term replaces another."""
    if numbers(first) != numbers(second):
        return False
    only_one, only_other = one - other, other - one
    if set(only_one) - _LIGHT and set(only_other) - _LIGHT:
        return False  # a word in the place of another
    if only_one and only_other:
        return False
    differing = set(only_one) | set(only_other)
    if differing & _DECIDING or any(_DECIDING_HAN.match(term) for term in differing):
        return False
    turning = {term for term in differing if term in _TURNING or _TURNING_HAN.match(term)}
    if turning - _LIGHT and turning == differing:
        return False
    named = {part for name in (*names(first), *names(second)) for part in _terms(name)}
    return not differing & named


def _only_adds(one: list[str], other: list[str]) -> bool:
    """Whether the longer one only goes on where the shorter ends: "spare" before "key" makes it
    another key, "every morning" behind it does not.
    """
    shorter, longer = sorted((one, other), key=len)
    extra = Counter(longer) - Counter(shorter)
    if not set(extra) - _LIGHT - _SOFTENING:
        return True
    wide = sum(_HAN.match(term) is not None for term in shorter) > len(shorter) / 2
    most = MOST_INSERTED_HAN if wide else MOST_INSERTED
    if sum(extra.values()) <= most and len(shorter) >= INSERTED_INTO * most:
        return True  # in a long statement one more word is a detail
    first = longer[len(shorter)]
    return longer[: len(shorter)] == shorter and (
        first in _LEADING or _HAN.match(first) is not None
    )


def _owned(first: str, second: str) -> bool:
    """Whether the longer one goes on with what belongs to the last thing of the shorter."""
    shorter, longer = sorted((first.strip(" .!。！"), second.strip(" .!。！")), key=len)
    return re.search(re.escape(shorter[-3:]) + r"(?:'s?\b|’s?\b|的)", longer) is not None and not (
        re.search(re.escape(shorter[-3:]) + r"(?:'s?\b|’s?\b|的)", shorter)
    )


def _same_people(first: str, second: str) -> bool:
    """Whether those called he and she stand in the same places, where both texts have them."""
    one, other = ([found.lastgroup for found in _THIRD.finditer(t)] for t in (first, second))
    return not one or not other or one == other


def _only(terms: list[str], common: Counter[str]) -> list[str]:
    """The terms that both have, in the order of one of them."""
    left = Counter(common)
    kept = []
    for term in terms:
        if left[term] > 0:
            left[term] -= 1
            kept.append(term)
    return kept


def _same_order(one: list[str], other: list[str]) -> bool:
    """Whether the terms stand in the same order, or one phrase has moved."""
    if one == other:
        return True
    start = 0
    while one[start] == other[start]:
        start += 1
    end = len(one)
    while one[end - 1] == other[end - 1]:
        end -= 1
    left, right = one[start:end], other[start:end]
    return any(left[cut:] + left[:cut] == right for cut in range(1, len(left)))
