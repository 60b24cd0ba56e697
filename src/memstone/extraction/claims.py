"""What a memory claims: the assertions that another memory may contradict.

A subject and an attribute given by whoever stored it stand for the whole text; otherwise the
sentences are read (`assertions`). An attribute that may have several values at once (pets,
languages) claims nothing: one more pet contradicts no other.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memstone.analysis.stemming import stem
from memstone.extraction.assertions import (
    FRAME,
    HAN,
    NAMED,
    assertions,
    says_one_thing,
    subject_key,
    value_key,
)
from memstone.extraction.entities import numbers
from memstone.extraction.vocabulary import table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

HOLDS = "holds"
NO = "no"  # the value of what is denied
FEWEST_DENIED = 3  # characters of a Chinese statement that may take others along
MOST_ADDED = 4  # words of an English one beyond it
FAMILIES = ("favourite", "use")  # "my favourite is …" may mean any favourite named before
NOBODY = "it"  # "the budget": nobody says whose
_CHINESE = table(  # names of attributes that a list in English means as well
    """
    likes: 喜好 喜欢
    hobbies: 爱好
    interests: 兴趣
    pets: 宠物
    languages: 语言
    skills: 技能
    allergies: 过敏 过敏原
    children: 孩子 子女
    friends: 朋友
    """
)


@dataclass(frozen=True, slots=True)
class Claim:
    """One assertion of a memory. `value` is a key for comparison; `replaces` the value that the
    text itself calls gone; `alone` whether the memory says nothing else.
    """

    subject: str
    attribute: str
    value: str
    replaces: str | None = None
    alone: bool = True
    soft: bool = False
    changing: bool = False
    was: str | None = None

    @property
    def family(self) -> str:
        """The first word of its attribute."""
        return self.attribute.partition(" ")[0]

    @property
    def plain(self) -> bool:
        """Whether it names an attribute, and is not the statement itself."""
        return self.family != HOLDS and not self.framed

    @property
    def framed(self) -> bool:
        """Whether it is read off a whole statement with blanks (`frames`)."""
        return self.family in {FRAME, NAMED}

    @property
    def bare(self) -> bool:
        """Whether it names only the family: "my favourite is …" without saying which."""
        return self.attribute in FAMILIES


@dataclass(frozen=True, slots=True)
class Said:
    """What is read for claims: the text, who said it, and what the caller gave."""

    text: str
    speaker: str | None = None
    subject: str | None = None
    attribute: str | None = None


def claims(said: Said, multi_valued: Collection[str] = ()) -> tuple[Claim, ...]:
    """What a memory claims, each subject and attribute once; the last sentence counts.
    `multi_valued` holds the keys (`plural_key`) of attributes that claim nothing.

    >>> [(c.subject, c.attribute) for c in claims(Said("Tea.", subject="Ana", attribute="Drink"))]
    [('ana', 'drink')]
    >>> claims(Said("A cat.", subject="Ana", attribute="宠物"), {plural_key("pets")})
    ()
    """
    if said.subject and said.attribute:
        attribute = attribute_key(said.attribute)
        if plural_key(_CHINESE.get(attribute, attribute)) in multi_valued:
            return ()
        value = value_key(said.text) or said.text
        subject = subject_key(said.subject) or said.subject
        return (Claim(subject, attribute, value, changing=True),)
    alone = says_one_thing(said.text)
    found = {}
    for one in assertions(said.text, said.speaker or ""):
        subject = subject_key(said.subject) if said.subject else one.subject
        if plural_key(one.attribute) not in multi_valued:
            found[subject, one.attribute] = Claim(
                subject,
                one.attribute,
                one.value,
                one.replaces,
                alone and one.whole,
                soft=one.soft,
                changing=one.changing,
                was=one.was,
            )
    return tuple(found.values())


_USE = re.compile(
    r"\b(?:use|uses|used|using|with|in|on|via|through|is|are|run|runs)\b|用|采用|是|通过|在|跑",
    re.IGNORECASE,
)


def may_use(text: str, was: str) -> bool:
    """Whether a text that says one thing says that `was` is what is used.

    >>> may_use("We deploy with Ansible.", "Ansible"), may_use("Ansible is new.", "Ansible")
    (True, False)
    """
    at = text.casefold().find(was.casefold())
    if at <= 0 or not says_one_thing(text):
        return False
    before = text[max(at - 12, 0) : at]
    return _USE.search(before) is not None


def says_same(one: str, two: str) -> bool:
    """Whether one of two values is the other in more detail; both as keys.

    >>> says_same("berlin", "flat berlin"), says_same("900", "900 eur"), says_same("500", "600")
    (True, True, False)
    """
    if numbers(one) != numbers(two):
        return False
    short, long = sorted((one, two), key=len)
    if HAN.search(short):
        return short in long
    return set(short.split()) <= set(long.split())


def denies(denied: str, held: str) -> bool:
    """Whether a statement that is no longer so takes along one that adds to it: who has stopped
    drinking coffee drinks none in the morning. Both are attributes of the family `HOLDS`; English
    adds behind, Chinese in front.

    >>> denies("holds drink coffe", "holds drink coffe everi morn")
    True
    >>> denies("holds work friday", "holds work acm friday")
    False
    """
    gone, there = denied.removeprefix(HOLDS).strip(), held.removeprefix(HOLDS).strip()
    if not held.startswith(HOLDS) or gone == there:
        return False
    if HAN.search(gone):
        return len(gone) >= FEWEST_DENIED and there.endswith(gone)
    return there.startswith(f"{gone} ") and len(there.split()) - len(gone.split()) <= MOST_ADDED


def attribute_key(attribute: str) -> str:
    """A given attribute for comparison.

    >>> attribute_key(" Favourite  Player ")
    'favourite player'
    """
    return " ".join(attribute.casefold().split())


def plural_key(attribute: str) -> str:
    """An attribute for the question whether it has several values: one, or many of it.

    >>> plural_key("Hobby") == plural_key("hobbies")
    True
    """
    return " ".join(stem(word) for word in attribute_key(attribute).split())
