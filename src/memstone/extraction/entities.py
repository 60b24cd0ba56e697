"""Names, numbers and quoted terms in a text, found by their shape; no dictionary, no model.

What is found here keeps a sentence (numbers and names matter later), becomes the tags of a card,
and must agree between two texts before they may count as the same: "budget 100" is not
"budget 200". Chinese names have no capitals, so only those that a phrase announces are found
("我叫林宇", "张老师"); for the rest the characters themselves are compared.
"""

from __future__ import annotations

import re
from collections import Counter

from memstone.analysis.stopwords import ENGLISH
from memstone.extraction.vocabulary import table, words

_NUMBER = re.compile(
    r"(?<![\w.])[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)*"
    r"|[零〇一二两三四五六七八九十百千万亿]+(?=[点号日月年元块万千百天周岁人次分秒倍折楼层米公斤度％%个])"
)
_ARTICLES = frozenset({"一个", "一次", "一天", "一点", "一人", "一分", "一日", "一年"})
_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_UNITS = {"十": 10, "百": 100, "千": 1000}
_SPELT = table(
    """
    0: zero
    1: one
    2: two
    3: three
    4: four
    5: five
    6: six
    7: seven
    8: eight
    9: nine
    10: ten
    11: eleven
    12: twelve dozen
    13: thirteen
    14: fourteen
    15: fifteen
    16: sixteen
    17: seventeen
    18: eighteen
    19: nineteen
    20: twenty
    30: thirty
    40: forty
    50: fifty
    60: sixty
    70: seventy
    80: eighty
    90: ninety
    100: hundred
    1000: thousand
    1000000: million
    """
)
_SPELT_WORD = re.compile(
    rf"\b(?:{'|'.join(sorted(_SPELT, key=len, reverse=True))})\b", re.IGNORECASE
)
_IDENTIFIER = re.compile(
    r"`([^`\n]{1,80})`"
    r"|(?<![\w./\\-])((?:[A-Za-z0-9]+[._/\\@:-]){1,12}[A-Za-z0-9]+|[a-z]+[A-Z]\w+"
    r"|[A-Z]+\d+|[A-Z]{2,}[a-z]*)(?![\w])"
)
_QUOTED = re.compile(r"[“「『《\"]([^”」』》\"\n]{2,40})[”」』》\"]")
_CAPITALISED = re.compile(
    r"(?<![\w.'-])[A-Z][a-zà-öø-ÿ]+(?:[-'][A-Z]?[a-zà-öø-ÿ]+)?"
    r"(?: (?:(?:of|the|de|van|von|da|la) )?[A-Z][a-zà-öø-ÿ]+(?:[-'][A-Z]?[a-zà-öø-ÿ]+)?){0,3}"
)
_CALENDAR = words(
    """
    monday tuesday wednesday thursday friday saturday sunday january february march april may
    june july august september october november december mon tue wed thu fri sat sun jan feb mar
    apr jun jul aug sep sept oct nov dec today tomorrow yesterday christmas easter
    """
)
# Words that open an English sentence and are no names; a name there is known by standing elsewhere.
_OPENERS = words(
    """
    actually also although always another anyway because before both but did do does even every
    everyone first for from glad go good got great had has have he hello her here hey hi his how
    i if in instead is it its just keep last let like maybe me mine more most my never next nice
    no nope not now of oh ok okay on once one only or our out over perhaps please quick really
    remember right same say see she should since so some someone sometimes sorry speaking still
    sure take thank thanks that the their then there these they this those though to today
    tonight too try two under until up us use used using very wait was we well were what when
    where which while who why will with wow yeah yep yes yesterday yet you your
    """
)
_HAN_NAME = re.compile(
    r"(?:叫|名叫|姓名是|名字是|我是)([\u4e00-\u9fff]{2,4})(?=[，。！,.!]|$|的)"
    r"|([\u4e00-\u9fff])(老师|医生|经理|总监|同学|师傅|阿姨|叔叔|律师|教授|主任|工程师)"
    r"|((?:小|老|阿)[\u4e00-\u9fff])(?=[在说要的和跟把给负想去来会也是])"
)


def numbers(text: str) -> Counter[str]:
    """Every number in a text by its value; Chinese numerals count where a unit follows.

    >>> sorted(numbers("1,000 元，周三 三点, v2.10")), sorted(numbers("two of 12"))
    (['1000', '2.10', '3'], ['12', '2'])
    """
    found: Counter[str] = Counter()
    for match in _NUMBER.finditer(text):
        written = match.group()
        if written[0] in _DIGITS or written[0] in _UNITS or written[0] in "万亿":
            if text[match.start() : match.end() + 1] not in _ARTICLES:
                found[str(_chinese_number(written))] += 1
            continue
        found[written.replace(",", "").lstrip("+")] += 1
    for match in _SPELT_WORD.finditer(text):
        word = match.group().lower()
        if word != "one":
            found[_SPELT[word]] += 1
    return found


def _chinese_number(written: str) -> int:
    """The value of a Chinese numeral; a row of digits is read as such.

    >>> _chinese_number("三百二十"), _chinese_number("二〇二六"), _chinese_number("十五")
    (320, 2026, 15)
    """
    if all(c in _DIGITS for c in written):
        return int("".join(str(_DIGITS[c]) for c in written))
    total = section = digit = 0
    for c in written:
        if c in _DIGITS:
            digit = _DIGITS[c]
        elif c in _UNITS:
            section += (digit or 1) * _UNITS[c]
            digit = 0
        else:
            total = (total + section + digit) * (10_000 if c == "万" else 100_000_000)
            section = digit = 0
    return total + section + digit


def names(text: str) -> tuple[str, ...]:
    """Names of people, places, products and things, as written, in their order, each once.

    >>> names("We met Ana Ruiz in Oslo; the repo is gen-itgc.")
    ('Ana Ruiz', 'Oslo', 'gen-itgc')
    >>> names("我叫林宇，张老师推荐了《三体》")
    ('林宇', '张老师', '三体')
    """
    found: list[tuple[int, str]] = []
    for match in _CAPITALISED.finditer(text):
        name = match.group()
        if _opens_sentence(text, match.start()):
            first, _, rest = name.partition(" ")
            if first.lower() in _OPENERS or first.lower() in ENGLISH:
                name = rest
            elif not rest and not _stands_inside(text, first, match.start()):
                continue
        if name and name.lower() not in _CALENDAR and name.lower() not in ENGLISH:
            found.append((match.start(), name))
    for pattern in (_IDENTIFIER, _QUOTED, _HAN_NAME):
        for match in pattern.finditer(text):
            name = "".join(part for part in match.groups() if part)
            if not re.fullmatch(r"[\d.,:/-]+", name):
                found.append((match.start(), name))
    return tuple(dict.fromkeys(name for _, name in sorted(found)))


def _opens_sentence(text: str, at: int) -> bool:
    before = text[:at].rstrip(" \t\"'“(*-")
    return not before or before[-1] in ".!?。！？:：\n"


def _stands_inside(text: str, word: str, at: int) -> bool:
    """Whether a word that opens a sentence is seen capitalised inside one too, or has a name's
    company: a possessive, a verb of saying.
    """
    rest = text[at + len(word) :]
    if re.match(
        r"(?:'s|’s) |,? (?:said|says|is|was|has|and [A-Z]|works|lives|moved|wants|likes"
        r"|will|told|asked|prefers|thinks)\b",
        rest,
    ):
        return True
    elsewhere = re.compile(rf"(?<=[a-z,;] ){re.escape(word)}\b")
    return elsewhere.search(text) is not None
