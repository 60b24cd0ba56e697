"""One conversation of an export: its turns, and what of it is left out.

The importers of chat services say who said what; here it becomes a turn. A message is known by its
id, which counts beyond its conversation if it is a UUID (a conversation that was branched off
copies them); without an id, or with one given twice, by its place. Places count every message, bad
ones too, so that the others keep theirs when it is repaired. A message without a time has that of
the one before it. Blocks of our own notes are taken out: what was recalled is not learnt again.

A long conversation loses hundreds of messages on purpose (results of tools, hidden ones). These are
counted and reported once a reason; only what is faulty comes singly. No report repeats a text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memstone.errors import MemstoneError, SourceError
from memstone.importers.source import name_field, time_field, turn_text
from memstone.types import Skipped, Trust, Turn
from memstone.wire import without_own_blocks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

TRUST = {"user": Trust.USER, "assistant": Trust.AGENT}
BLANK = "blank"
OWN_NOTES = "nothing but notes from memory"
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What somebody said, as the export tells it; nothing of it checked yet."""

    role: str
    text: str
    at: object = None
    keys: tuple[object, ...] = ()  # its id; what it is called if that was given before


class Conversation:
    """Makes the turns of one conversation, which is a session; `number` is its place."""

    def __init__(self, session: str, number: int, at: int | None = None) -> None:
        self.session = session
        self.number = number
        self.at = at  # of the last message that had a time
        self.place = 0  # of the message now read; whoever reads counts it
        self._used: set[str] = set()
        self._left: dict[tuple[str, str], int] = {}

    def tell_time(self, value: object) -> str | None:
        """Take over when something was said; why not, if that cannot be read."""
        try:
            at = time_field(value, "time")
        except SourceError as error:
            return error.message
        self.at = self.at if at is None else at
        return None

    def turns(self, message: Message) -> Iterator[Turn | Skipped]:
        """The turn of a message, or why there is none, if that is not only counted."""
        text = without_own_blocks(message.text)
        if not text.strip():
            self.leave_out("message", OWN_NOTES if message.text.strip() else BLANK)
            return
        try:
            turn_text(text, "text")
        except MemstoneError as error:
            yield self.fault(error.message)
            return
        fault = self.tell_time(message.at)
        key, unique = self.key(*message.keys)
        yield Turn(
            text=text,
            speaker=message.role,
            session=self.session,
            at=self.at,
            external_id=key,
            unique_id=unique,
            ordinal=self.place,
            trust=TRUST.get(message.role, Trust.EXTERNAL),
        )
        if fault:
            yield self.fault(f"{fault}; it has that of the one before it")

    def key(self, *keys: object) -> tuple[str | None, bool]:
        """The first of `keys` that may be an id and is new here; whether it is one everywhere."""
        for place, key in enumerate(keys):
            try:
                name = name_field(key, "id")
            except SourceError:  # the next one, or the place, will do
                continue
            if name is not None and name not in self._used:
                self._used.add(name)
                return name, place == 0 and _UUID.fullmatch(name) is not None
        return None, False

    def fault(self, reason: str) -> Skipped:
        """The report of something bad in the message now read."""
        return Skipped(self.number, f"message {self.place}: {reason}")

    def leave_out(self, what: str, why: str, count: int = 1) -> None:
        """Count something that is left out on purpose."""
        if count:
            self._left[what, why] = self._left.get((what, why), 0) + count

    def left_out(self) -> Iterator[Skipped]:
        """What was counted, one entry a reason.

        >>> conversation = Conversation("s", 7)
        >>> conversation.leave_out("message", "hidden", 2)
        >>> list(conversation.left_out())
        [Skipped(line=7, reason='2 messages left out: hidden', bad=False)]
        """
        for (what, why), count in self._left.items():
            things = f"1 {what}" if count == 1 else f"{count} {what}s"
            yield Skipped(self.number, f"{things} left out: {why}", bad=False)


def session_name(values: tuple[object, ...], default: str) -> tuple[str, str | None]:
    """The first of `values` that may name a session, else `default`; what is wrong with one."""
    fault = None
    for value in values:
        try:
            name = name_field(value, "id")
        except SourceError as error:
            fault = error.message
            continue
        if name is not None:
            return name, None
    return default, fault
