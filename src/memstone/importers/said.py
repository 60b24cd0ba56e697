"""What somebody said, as the line of a transcript tells it, made into a turn.

Both readers of transcripts come through here, so that they agree on what a turn is: our own blocks
of notes are taken out of its text first, for what was recalled must never be learnt again; a turn
of which nothing is left is none. It is known again by the id its client gave it; without one by the
digest of its line, which is the same wherever the reading began.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

from memstone.errors import MemstoneError
from memstone.importers.source import (
    JsonObject,
    Line,
    name_field,
    skipped,
    time_field,
    turn_text,
)
from memstone.types import Skipped, Trust, Turn
from memstone.wire import without_own_blocks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

TRUST = {"user": Trust.USER, "assistant": Trust.AGENT}


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One line of a transcript in which somebody says something; nothing of it checked yet."""

    role: str
    text: str
    session: object
    at: object
    key: object  # the client's own id for it
    unique: bool = False  # the id is no other turn's in any session
    left_out: int = 0  # images and the like


def turns(said: Said, line: Line, default_session: str) -> Iterator[Turn | Skipped]:
    """The turn of what was said, then what was left out of it; or why there is none."""
    text = without_own_blocks(said.text)
    if not text.strip():
        if said.text.strip():
            yield Skipped(line.number, "content: nothing but notes from memory", bad=False)
        return
    try:
        key = name_field(said.key, "id")
        turn = Turn(
            text=turn_text(text, "content"),
            speaker=said.role,
            session=name_field(said.session, "session") or default_session,
            at=time_field(said.at, "timestamp"),
            external_id=key or line_key(line),
            trust=TRUST[said.role],
            unique_id=said.unique and key is not None,
        )
    except MemstoneError as error:
        yield skipped(line.number, error)
        return
    yield turn
    if said.left_out:
        blocks = "1 block" if said.left_out == 1 else f"{said.left_out} blocks"
        reason = f"content: {blocks} without text left out; the turn was kept"
        yield Skipped(line.number, reason, bad=False)


def line_key(line: Line) -> str:
    r"""The id of a turn whose client gave it none.

    >>> line_key(Line(7, b'{"type": "user"}')) == line_key(Line(1, b'{"type": "user"}\r'))
    True
    """
    return f"line-{sha256((line.data or b'').strip()).hexdigest()[:32]}"


def blocks_with_text(blocks: Iterable[object]) -> list[str]:
    """The texts among the blocks of a message, in their order."""
    return [text for block in blocks if (text := block_text(block)) is not None]


def block_text(block: object) -> str | None:
    """The text of one block, None if it is of another type."""
    if not isinstance(block, dict) or kind_of(block) != "text":
        return None
    text = block.get("text")
    return text if isinstance(text, str) else None


def kind_of(block: JsonObject) -> str:
    """The type of a block or an entry, in lower case; "" if it names none."""
    kind = block.get("type")
    return kind.lower() if isinstance(kind, str) else ""
