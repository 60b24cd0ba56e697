r"""Values as the ancestor's programs spell them: which keys, in which order, escaped how.

An answer's own keys come in alphabetical order, those of a hit or a version in a fixed one, and
what is empty is left out. `<`, `>`, `&`, U+2028 and U+2029 are escaped, everything else above ASCII
stands as it is. `basis` is always `inferred`. Times have six digits of a second, always, so that
they sort as text; theirs had up to nine.
"""

from __future__ import annotations

import json

from memstone.errors import (
    MemoryTooLarge,
    NotCurrent,
    NotFound,
    TextIsHistory,
)
from memstone.times import format_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memstone.errors import MemstoneError
    from memstone.types import Hit, Memory, RecallResult

    Document = Mapping[str, object]

BASIS = "inferred"
ESCAPES = str.maketrans({char: f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"})
TOO_LARGE = "cave_memory_too_large"
INVALID_ARGUMENTS = "cave_invalid_arguments"


def spell(document: Document, *, indent: int | None = None) -> str:
    r"""A document as JSON: compact, or indented for the command line.

    >>> spell({"text": "a<b 猫", "hits": []})
    '{"text":"a\\u003cb 猫","hits":[]}'
    """
    separators = (",", ":") if indent is None else None
    text = json.dumps(
        document, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators
    )
    return text.translate(ESCAPES)  # outside of strings JSON has none of these characters


def remembered(memory: Memory) -> Document:
    return {"basis": BASIS, "created_at": format_time(memory.created_at), "id": memory.id}


def recalled(result: RecallResult) -> Document:
    return {"basis": BASIS, "hits": [_hit(hit) for hit in result.hits]}


def _hit(hit: Hit) -> Document:
    document: dict[str, object] = {
        "id": hit.id,
        "text": hit.text,
        "score": int(hit.score) if hit.score.is_integer() else hit.score,
        "tokens_added": hit.tokens,
        "basis": BASIS,
    }
    if hit.handle:
        document["recovery_handle"] = hit.handle
    return document


def superseded(memory: Memory) -> Document:
    return {**remembered(memory), "supersedes": memory.supersedes}


def history(versions: Sequence[Memory]) -> Document:
    return {"basis": BASIS, "history": [_version(memory) for memory in versions]}


def _version(memory: Memory) -> Document:
    document: dict[str, object] = {
        "id": memory.id,
        "text": memory.text,
        "created_at": format_time(memory.created_at),
        "valid_from": format_time(memory.valid_from),
    }
    if memory.superseded_at is not None:
        document["valid_until"] = format_time(memory.superseded_at)
    if memory.supersedes:
        document["supersedes"] = memory.supersedes
    if memory.superseded_by:
        document["superseded_by"] = memory.superseded_by
    return document


def forgotten(*, was_there: bool) -> Document:
    return {"forgotten": was_there}


def error_id(verb: str, error: MemstoneError) -> str:
    """The stable name of a failure, as their server gives it.

    >>> error_id("recall", NotFound("no"))
    'cave_recall_failed'
    """
    if verb == "remember" and isinstance(error, MemoryTooLarge):
        return TOO_LARGE
    return f"cave_{verb}_failed"


def message(verb: str, error: MemstoneError) -> str:
    """What went wrong, in words that those who read theirs will look for."""
    if isinstance(error, TextIsHistory):
        current = error.fields.get("current")
        return (
            "this text is an expired historical version; "
            f"to go back to it, supersede {current} with it"
        )
    if verb == "supersede" and isinstance(error, NotFound | NotCurrent):
        return f"memory {error.fields.get('id')} is not current"
    if isinstance(error, MemoryTooLarge):
        bytes_, limit = error.fields.get("bytes"), error.fields.get("limit")
        return f"{TOO_LARGE}: the text has {bytes_} bytes, at most {limit} are stored"
    return f"{error.message} ({error.hint})" if error.hint else error.message
