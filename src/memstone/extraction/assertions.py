"""What a sentence asserts: of whom or what, which attribute, which value.

"My name is Lin", 我叫林宇 and "call me Lin" all say that the *name* of the *user* is *lin*. Two
assertions with the same subject and attribute and different values contradict one another, and the
newer is the valid one; nothing less is a contradiction. So a sentence asserts something only when a
phrase says plainly what: hypothetical, quoted, asked, planned and past statements assert nothing,
and a statement about somebody else is about somebody else.

Keys are normalised (folded, stemmed, without articles), so that both languages and both spellings
meet; they are never shown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from memstone.analysis.sentences import sentences
from memstone.analysis.tokenizer import tokenize
from memstone.extraction.frames import framed
from memstone.extraction.vocabulary import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from memstone.extraction.asserted import Asserted

USER = "user"
FRAME, NAMED = "frame", "named"  # of an attribute that is a whole statement with blanks (`frames`)
MAX_READ = 2_000  # characters of a text; a longer one is no statement
FEWEST_HELD, MOST_HELD = 2, 24  # terms of a statement that is compared as a whole
MAX_CHARACTERS = 400  # of a sentence that is read for an assertion; a longer one says too much
HAN = re.compile(r"[\u3400-\u9fff]")
_QUESTION = re.compile(r"[?？]\W*\Z")
_OPEN = re.compile(  # nobody can tell later what such a statement is about
    r"(?:it|that|this|there|these|those|he|she|they)\b|[它他她这那]", re.IGNORECASE
)
_SPEAKING = re.compile(r"\A(?:我们?|咱们?|用户)(?:在|正在)?(?=.)")
_DROPPED = words(
    """
    a an the my our your his her their its this that some any really very so just now currently
    these days anymore any more at all in of for to on
    """
)
_PARTICLES = re.compile(r"[的了呢吧啊呀哦嘛]|这个|那个|一个|一种|[\s，。！？、；：“”‘’《》「」]")


@dataclass(frozen=True, slots=True)
class Assertion:
    """The `value` of an `attribute` of a `subject`, as keys. `replaces` is the value that the
    sentence itself says is gone ("from A to B", "instead of A"), if it does.
    """

    subject: str
    attribute: str
    value: str
    replaces: str | None = None
    whole: bool = True  # whether the sentence says nothing else
    soft: bool = False  # read off the form alone: it contradicts only where a change is told
    changing: bool = False  # the sentence itself says that something is other than it was
    was: str | None = None  # the replaced value as written

    @property
    def key(self) -> tuple[str, str]:
        """What must be equal for two assertions to be about the same thing."""
        return self.subject, self.attribute


def assertions(text: str, speaker: str = "") -> list[Assertion]:
    """What each sentence of `text` asserts; sentences that assert nothing are left out.

    `speaker` is who says "I"; somebody without a name is the user.

    >>> assertions("My name is Lin Yu.")[0].value, assertions("我叫林宇")[0].attribute
    ('lin yu', 'name')
    >>> [a.attribute.split()[0] for a in assertions("If I moved, my budget would be 100.")]
    ['holds']
    """
    me = subject_key(speaker) if speaker and speaker.lower() not in _ROLES else USER
    return [found for sentence in _sentences(text[:MAX_READ]) for found in _of(sentence, me)]


_BEING = frozenset({"is", "are", "am", "be", "do", "doe", "s", "i", "we", "i'm", "we're"})
SPEAKERS = frozenset({"user", "the user", "用户", "我", "我们"})  # whoever speaks, told by an agent
_ROLES = frozenset({"user", "human", "assistant", "agent", "ai", "bot", "用户"})


def says_one_thing(text: str) -> bool:
    """Whether a text is one sentence: superseding it then retires nothing else."""
    return len([*_sentences(text)]) == 1


def _sentences(text: str) -> Iterator[str]:
    for start, end in sentences(text):
        sentence = text[start:end].strip()
        if sentence:
            yield sentence


def _of(sentence: str, me: str) -> Iterator[Assertion]:
    """What a sentence asserts: by patterns, and as something that is so or not."""
    if len(sentence) > MAX_CHARACTERS or _QUESTION.search(sentence):
        return
    language = _language(sentence)
    changing = language.changes(sentence)
    found = language.read(sentence)
    for one in found:
        made = _keyed(one, me, changing=changing)
        if made is not None:
            yield made if len(found) == 1 else replace(made, whole=False)
    frame = framed(sentence) if language.is_settled(sentence) else None
    if frame is not None:
        yield Assertion(
            me,
            f"{NAMED if frame.named else FRAME} {frame.key}",
            frame.filling,
            whole=len(found) <= 1,
            soft=True,
            changing=frame.changed,
        )
    held = _held(language.affirmed(sentence), me)
    if held is not None:
        yield held


def _language(sentence: str) -> ModuleType:
    """The module of the sentence's language; each is loaded by its first sentence (30 ms)."""
    if HAN.search(sentence):
        from memstone.extraction import mandarin  # noqa: PLC0415

        return mandarin
    from memstone.extraction import english  # noqa: PLC0415

    return english


def _keyed(found: Asserted, me: str, *, changing: bool) -> Assertion | None:
    subject = me if found.subject in {"", "i"} else _about(found.subject, me)
    value = found.value if found.literal else value_key(found.value)
    attribute = found.attribute
    if found.object_ and (key := value_key(found.object_)):
        attribute = f"{attribute} {key}"
    replaces = None if found.replaces is None else value_key(found.replaces)
    if not value or not subject:
        return None
    return Assertion(
        subject,
        attribute,
        value,
        replaces,
        found.whole,
        soft=found.soft,
        changing=changing,
        was=found.replaces,
    )


def _held(said: tuple[str, bool], me: str) -> Assertion | None:
    """That something is so, or is not: "we allow force pushes", "we no longer allow force pushes".
    The key is the statement itself without the negation.
    """
    positive, negated = said
    if _OPEN.match(positive):
        return None
    key = " ".join(word for word in value_key(positive).split() if word not in _BEING)
    key = _SPEAKING.sub("", key)
    terms = key.split() if not HAN.search(key) else list(key)
    if not FEWEST_HELD <= len(terms) <= MOST_HELD:
        return None
    return Assertion(me, f"holds {key}", "no" if negated else "yes", whole=True, changing=negated)


def _about(subject: str, me: str) -> str:
    """The key of a subject named in the sentence; "my brother" is the speaker's brother."""
    if subject.lower() in SPEAKERS:
        return me
    own = re.sub(
        r"\A(?:my|our)\s+|\A(?:我们|我|咱们?|用户)(?:的|家)?", "", subject, flags=re.IGNORECASE
    )
    key = subject_key(own)
    return f"{me} {key}" if own != subject and key else key


def subject_key(name: str) -> str:
    """A name of somebody or something, for comparison.

    >>> subject_key("The API "), subject_key("Ana's")
    ('api', 'ana')
    """
    return value_key(name)


def value_key(text: str) -> str:
    """A value for comparison: terms without articles and particles.

    >>> value_key("the Sichuan food"), value_key("四川 菜的")
    ('sichuan food', '四川菜')
    """
    if HAN.search(text):
        return _PARTICLES.sub("", text).casefold()
    words = (token.terms[0] for token in tokenize(text) if token.surface not in _DROPPED)
    return " ".join(words)
