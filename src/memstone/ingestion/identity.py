"""Ids: opaque after birth, decided once, inside the transaction that writes the row.

A non-turn memory in the default scope gets `mem_` + the first 8 bytes of its text's SHA-256, the
rule of the product's ancestor, so that old ids keep meaning the same text. Everywhere else (other
scope, an older text coming back, a turn, a collision) the inputs are hashed in, length-prefixed
and tagged, and the id grows to 16 bytes. Two different texts never share a row.
"""

from __future__ import annotations

import hashlib

from memstone.types import ID_PREFIX, Kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memstone.protocols import Snapshot
    from memstone.types import Memory, Scope

SHORT_BYTES = 8
LONG_BYTES = 16


def digest(text: str) -> bytes:
    """SHA-256 of the exact UTF-8 bytes; 32 bytes."""
    return hashlib.sha256(text.encode("utf-8")).digest()


def birth_id(text_digest: bytes) -> str:
    """The id of a text's first memory in the default scope.

    >>> birth_id(digest("a"))
    'mem_ca978112ca1bbdca'
    """
    return ID_PREFIX + text_digest[:SHORT_BYTES].hex()


def tagged_id(tag: str, *parts: str | bytes) -> str:
    """An id over several inputs; `("ab", "c")` and `("a", "bc")` differ.

    >>> tagged_id("turn", "ab", "c") == tagged_id("turn", "a", "bc")
    False
    """
    state = hashlib.sha256()
    for part in ("memstone", tag, *parts):
        data = part.encode("utf-8") if isinstance(part, str) else part
        state.update(len(data).to_bytes(8, "big"))
        state.update(data)
    return ID_PREFIX + state.digest()[:LONG_BYTES].hex()


def known_by_text(memory: Memory) -> bool:
    """Whether the same text again is the same memory: not for a turn, which is known by where it
    stands, nor for a file, which is known by its path.
    """
    return memory.kind is not Kind.TURN and not memory.is_file


def new_id(
    snapshot: Snapshot, text_digest: bytes, scope: Scope, *, home: Scope, context: tuple[str, ...]
) -> str:
    """A free id for a text. `context` is what makes this row another than the text's first:
    the parent's id for a new version of an old text, the identity of a turn; empty at birth.
    """
    where = (scope.user, scope.project, scope.agent)
    if not context and scope == home:
        candidate = birth_id(text_digest)
    else:
        candidate = tagged_id("memory", *where, *context, text_digest)
    generation = 0
    while snapshot.taken(candidate):
        generation += 1
        candidate = tagged_id("memory", *where, *context, text_digest, str(generation))
    return candidate
