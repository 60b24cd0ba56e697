"""What a model must answer, and how its answer is taken: strictly, and only as much as makes sense.

An answer that is no card, or whose texts are no texts, is refused (`SummaryInvalid`). Inside a good
one, an item without a text, of an unknown kind or of turns that do not exist is dropped; what is
too long is cut, what is too many is left out. A model may be wrong or misled, so nothing of its
answer is believed beyond its shape; and a text of any kind is read in linear time.
"""

from __future__ import annotations

import json

from memstone.errors import SummaryInvalid
from memstone.types import Kind, Summary, SummaryItem
from memstone.wire.visible import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST_ITEMS = 20
MOST_WORDS = 12  # tags, entities
MOST_CHARACTERS = 600  # of a sentence
MOST_NAME_CHARACTERS = 80
MOST_COUNTED = 100_000_000  # that a server may claim to have used; a number has no end in JSON
KINDS = (Kind.FACT, Kind.PREFERENCE, Kind.DECISION, Kind.TASK)
_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "goal": {**_TEXT, "description": "what the user wants, one sentence, or empty"},
        "conclusion": {**_TEXT, "description": "what was decided or found out, or empty"},
        "next_action": {**_TEXT, "description": "what is to be done next, or empty"},
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "kind": {"type": "string", "enum": [kind.value for kind in KINDS]},
                    "text": _TEXT,
                    "turns": {"type": "array", "items": {"type": "integer"}},
                    "subject": _TEXT,
                    "attribute": _TEXT,
                },
                "required": ["kind", "text", "turns", "subject", "attribute"],
                "additionalProperties": False,
            },
        },
        "tags": _TEXTS,
        "entities": _TEXTS,
    },
    "required": ["goal", "conclusion", "next_action", "items", "tags", "entities"],
    "additionalProperties": False,
}
_AFTER_THOUGHT = "</think>"
STARTS = 8  # braces in a text where the card is looked for


def parse(text: str) -> object:
    r"""The card in a model's text: the first JSON object with a field of a card, which may stand in
    a code fence, behind the model's thoughts or between words. Raises `SummaryInvalid`.

    >>> parse('<think>{hm}</think> Here:\n```json\n{"goal": "x"}\n```')
    {'goal': 'x'}
    """
    decoder = json.JSONDecoder()
    for part in (text[_behind_thoughts(text) :], text):  # a card may quote the mark of a thought
        start = part.find("{")
        for _ in range(STARTS):  # so that a text of nothing but braces costs little
            if start < 0:
                break
            try:
                found, end = decoder.raw_decode(part, start)
            except (ValueError, RecursionError):
                start = part.find("{", start + 1)
                continue
            if _is_card(found):
                return found
            start = part.find("{", end)
    raise SummaryInvalid("the model's answer is not a card in JSON")


def _behind_thoughts(text: str) -> int:
    end = text.lower().rfind(_AFTER_THOUGHT)
    return 0 if end < 0 else end + len(_AFTER_THOUGHT)


def _is_card(value: object) -> bool:
    """Whether it is an object with a field of a card; an object of another shape says nothing of
    the conversation, not even that nothing in it matters.
    """
    return isinstance(value, dict) and not SCHEMA["properties"].keys().isdisjoint(value)


def summary_of(
    value: object, *, turns: int, producer: str, tokens: tuple[int, int] = (0, 0)
) -> Summary:
    """A model's answer as a `Summary` of a segment of so many turns. Raises `SummaryInvalid`."""
    if not isinstance(value, dict) or not _is_card(value):
        raise SummaryInvalid("the model's answer is not a card")
    items = value.get("items", [])
    if not isinstance(items, list):
        raise SummaryInvalid("items: not a list")
    taken = (_item(item, turns) for item in items[: 10 * MOST_ITEMS])
    return Summary(
        goal=_text(value, "goal"),
        conclusion=_text(value, "conclusion"),
        next_action=_text(value, "next_action"),
        items=tuple(item for item in taken if item is not None)[:MOST_ITEMS],
        tags=_words(value, "tags"),
        entities=_words(value, "entities"),
        producer=producer,
        input_tokens=min(max(tokens[0], 0), MOST_COUNTED),
        output_tokens=min(max(tokens[1], 0), MOST_COUNTED),
    )


def _text(value: dict[str, object], name: str) -> str:
    text = value.get(name, "")
    if text is None:
        return ""
    if not isinstance(text, str):
        raise SummaryInvalid(f"{name}: not a text")
    return _sentence(text)


def _sentence(text: str) -> str:
    return " ".join(visible(text).split())[:MOST_CHARACTERS]


def _words(value: dict[str, object], name: str) -> tuple[str, ...]:
    words = value.get(name, [])
    if not isinstance(words, list):
        raise SummaryInvalid(f"{name}: not a list")
    named = (_sentence(word) for word in words[: 10 * MOST_WORDS] if isinstance(word, str))
    kept = (word for word in named if word and len(word) <= MOST_NAME_CHARACTERS)
    return tuple(dict.fromkeys(kept))[:MOST_WORDS]


def _item(value: object, turns: int) -> SummaryItem | None:
    """One item, None if it is not one."""
    if not isinstance(value, dict):
        return None
    text, kind, numbers = value.get("text"), value.get("kind"), value.get("turns")
    if not isinstance(text, str) or not isinstance(numbers, list) or not _sentence(text):
        return None
    if kind not in [each.value for each in KINDS]:  # a list: it may be no hashable value
        return None
    real = [n for n in numbers[:MOST_ITEMS] if type(n) is int and 0 <= n < turns]
    if not real:
        return None
    return SummaryItem(
        kind=Kind(kind),
        text=_sentence(text),
        turns=tuple(dict.fromkeys(real)),
        subject=_name(value.get("subject")),
        attribute=_name(value.get("attribute")),
    )


def _name(value: object) -> str | None:
    name = _sentence(value) if isinstance(value, str) else ""
    return name if 0 < len(name) <= MOST_NAME_CHARACTERS else None
