"""What another program noted, made into a `Note`: the rules that all formats of notes share.

A memory is a fact and not a file, so that one over 256 KiB is refused and named. A block of our
own notes that somebody pasted is taken out, for what was recalled must never be learnt again. A
relation becomes a sentence of three parts with the tag `relation`; it is known again by them. What
has no id over there is known by the digest of what it says: a place in a list would move with every
line that is put before it, and then each memory would look like a new version of its neighbour.

An attribute is never set: it would say that there is one value, and "works on" has many.
"""

from __future__ import annotations

from hashlib import sha256

from memstone.errors import BlankText, SourceError
from memstone.importers.source import name_field, size_of
from memstone.types import (
    CJK_BEGINS,
    MAX_NAME_BYTES,
    MAX_TAG_BYTES,
    MAX_TAGS,
    MAX_TEXT_BYTES,
    Kind,
    Note,
)
from memstone.wire import without_own_blocks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

RELATION = "relation"  # the tag
KINDS = {
    "decision": Kind.DECISION,
    "decisions": Kind.DECISION,
    "决定": Kind.DECISION,
    "决策": Kind.DECISION,
    "preference": Kind.PREFERENCE,
    "preferences": Kind.PREFERENCE,
    "偏好": Kind.PREFERENCE,
    "task": Kind.TASK,
    "todo": Kind.TASK,
    "to-do": Kind.TASK,
    "任务": Kind.TASK,
    "待办": Kind.TASK,
}


def kind_named(label: str) -> Kind | None:
    """The kind a label plainly names, None if it is only a label.

    >>> kind_named("Decision"), kind_named("budget")
    (<Kind.DECISION: 'decision'>, None)
    """
    return KINDS.get(label.strip().lower())


def note_text(text: str, name: str) -> str:
    """`text` if it may be stored as a memory, without blocks of our own notes.

    Raises `BlankText` if nothing is left of it, `SourceError` if it is over 256 KiB or not Unicode.
    """
    size = size_of(text, name)
    if size > MAX_TEXT_BYTES:
        raise SourceError(f"{name}: {size} bytes, at most {MAX_TEXT_BYTES} are allowed in a memory")
    own = without_own_blocks(text)
    if not own.strip():
        nothing = "blank" if own == text else "nothing but notes from memory"
        raise BlankText(f"{name}: {nothing}")
    return own


def labels(values: Iterable[str]) -> tuple[str, ...]:
    """Tags of notes that people write: blank, over-long and surplus ones are left out.

    >>> labels(["ui", " ", "ui", "项目"])
    ('ui', '项目')
    """
    fitting = (value.strip() for value in values if len(value.encode("utf-8")) <= MAX_TAG_BYTES)
    return tuple(dict.fromkeys(filter(None, fitting)))[:MAX_TAGS]


def known_as(prefix: str, *parts: str) -> str:
    """The id of what has none over there: the digest of what it says.

    >>> known_as("relation", "a", "bc") == known_as("relation", "ab", "c")
    False
    """
    digest = sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(data) + data)
    return f"{prefix}-{digest.hexdigest()[:32]}"


def short_id(value: str) -> str:
    """`value` if it may be an id, else its digest: the path of a file may be longer."""
    return value if len(value.encode("utf-8")) <= MAX_NAME_BYTES else known_as("long", value)


def about(name: str, text: str) -> str:
    """`text`, with `name` before it unless it says itself what it is about.

    >>> about("project_x", "button is blue"), about("张伟", "张伟喜欢蓝色")
    ('project_x: button is blue', '张伟喜欢蓝色')
    """
    return text if not name or _names(text, name) else f"{name}: {text}"


def _names(text: str, name: str) -> bool:
    """Whether `name` stands in `text` as a word, which no script without spaces has."""
    folded, wanted = text.casefold(), name.casefold()
    place = folded.find(wanted)
    while place >= 0:
        end = place + len(wanted)
        before, after = folded[max(place - 1, 0) : place], folded[end : end + 1]
        if not _one_word(before, wanted[:1]) and not _one_word(wanted[-1:], after):
            return True
        place = folded.find(wanted, place + 1)
    return False


def _one_word(left: str, right: str) -> bool:
    return all((one.isalnum() or one == "_") and one < CJK_BEGINS for one in (left, right))


def relation(source: object, verb: object, target: object, *, context: str = "") -> Note:
    """What is related to what, as a sentence; raises `SourceError` unless all three are names.

    >>> relation("张伟", "works_on", "project_x").text
    '张伟 works_on project_x'
    """
    given = {"source": source, "relation": verb, "target": target}
    names = [name_field(value, name) for name, value in given.items()]
    parts = [part.strip() for part in names if part is not None]
    if len(parts) < 3:
        raise SourceError("a relation lacks its source, its target or its name")
    text = " ".join(parts)
    return Note(
        text=note_text(f"{text} ({context})" if context else text, "relation"),
        subject=parts[0],
        tags=(RELATION,),
        external_id=known_as(RELATION, *parts),
    )
