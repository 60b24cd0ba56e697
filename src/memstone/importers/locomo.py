"""The public LoCoMo layout: a list of long dialogues, or one of them, as a single JSON value.

A dialogue holds `sample_id` and a `conversation` of `session_1`, `session_1_date_time`, … Each
turn becomes one memory: session `<sample_id>/session_N`, external id = `dia_id`, its text plus
` [image: caption]` where a picture was shared. The layout dates sessions, not turns ("1:56 pm on
8 May, 2023", read as UTC): all turns of a session get its time, and `ordinal` keeps their order.

Nothing else of the file is read: questions, summaries and observations are not conversation.
The layout names no roles, so nobody's word counts as the user's own: trust is `external`.
`Skipped.line` counts entries over the whole file, because a JSON value has no useful lines.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

from memstone.errors import InvalidInput, MemstoneError, SourceError
from memstone.importers.source import (
    JsonObject,
    Source,
    name_field,
    parse_json,
    skipped,
    time_field,
    turn_text,
)
from memstone.times import to_micros
from memstone.types import Skipped, Trust, Turn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_SESSION = re.compile(r"session_(0|[1-9][0-9]{0,8})")
_SESSION_KEY = re.compile(rb'"session_[0-9]{1,9}"\s*:')
_DATE_TIME = re.compile(
    r"([0-9]{1,2}):([0-9]{2})\s*([ap])m\s+on\s+([0-9]{1,2})\s+([a-z]{3,9})\.?,?\s+([0-9]{4})"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def recognises(head: bytes) -> bool:
    """Whether the head of a file holds a `session_N` key.

    >>> recognises(b'[{"conversation": {"session_1": []')
    True
    """
    return _SESSION_KEY.search(head) is not None


def read(source: Source, sample: str | None = None) -> Iterator[Turn | Skipped]:
    """The turns of all dialogues, or of the one called `sample`, in their order.

    Raises `SourceError` if the file is not of this layout, `InvalidInput` if it has no `sample`.
    """
    try:
        value = parse_json(source.document())
    except SourceError as error:
        raise SourceError(f"{source.name}: {error.message}", path=source.name) from error
    dialogues = _dialogues(value, source)
    if sample is not None and sample not in dialogues:
        raise InvalidInput(
            f"sample: {sample!r} is not in {source.name}",
            hint="it holds " + ", ".join(dialogues),
            name="sample",
            value=sample,
        )
    return _turns(dialogues if sample is None else {sample: dialogues[sample]})


def _dialogues(value: object, source: Source) -> dict[str, JsonObject]:
    """Each dialogue's conversation by sample id; a file may not give one id to two dialogues."""
    entries = value if isinstance(value, list) else [value]
    dialogues: dict[str, JsonObject] = {}
    for number, entry in enumerate(entries, start=1):
        conversation = entry.get("conversation", entry) if isinstance(entry, dict) else None
        if not isinstance(conversation, dict) or not any(map(_SESSION.fullmatch, conversation)):
            raise SourceError(
                f"{source.name}: dialogue {number} has no conversation with a session_1",
                path=source.name,
            )
        default = source.stem if len(entries) == 1 else f"{source.stem}-{number}"
        name = name_field(entry.get("sample_id"), "sample_id") or default
        if name in dialogues:
            raise SourceError(
                f"{source.name}: dialogue {number} repeats the sample_id of an earlier one",
                path=source.name,
            )
        dialogues[name] = conversation
    return dialogues


def _turns(dialogues: dict[str, JsonObject]) -> Iterator[Turn | Skipped]:
    entry = 0
    for sample, conversation in dialogues.items():
        for number in _session_numbers(conversation):
            for item in _session(conversation, f"session_{number}", sample):
                entry += 1
                yield item if isinstance(item, Turn) else skipped(entry, item)


def _session_numbers(conversation: JsonObject) -> list[int]:
    return sorted(int(found[1]) for found in map(_SESSION.fullmatch, conversation) if found)


def _session(conversation: JsonObject, key: str, sample: str) -> Iterator[Turn | MemstoneError]:
    """The turns of one session; what cannot be read comes as the error that says why."""
    name = f"{sample}/{key}"
    turns = conversation[key]
    if not isinstance(turns, list):
        yield SourceError(f"{name}: not a list of turns")
        return
    try:
        at = _session_time(conversation.get(f"{key}_date_time"))
    except SourceError as error:
        yield SourceError(f"{name}: {error.message}; the session was left out")
        return
    for ordinal, entry in enumerate(turns, start=1):
        try:
            yield _turn(entry, name, at, ordinal)
        except MemstoneError as error:
            yield type(error)(f"{name}, turn {ordinal}: {error.message}")


def _turn(entry: object, session: str, at: int | None, ordinal: int) -> Turn:
    if not isinstance(entry, dict):
        raise SourceError("not an object")
    return Turn(
        text=_text(entry),
        speaker=name_field(entry.get("speaker"), "speaker"),
        session=session,
        at=at,
        external_id=name_field(entry.get("dia_id"), "dia_id"),
        ordinal=ordinal,
        trust=Trust.EXTERNAL,
    )


def _text(entry: JsonObject) -> str:
    text, caption = entry.get("text") or "", entry.get("blip_caption") or ""
    if not isinstance(text, str) or not isinstance(caption, str):
        raise SourceError("text or blip_caption: not text")
    image = f"[image: {caption}]" if caption.strip() else ""
    return turn_text(f"{text} {image}" if text.strip() and image else image or text, "text")


def _session_time(value: object) -> int | None:
    """Microseconds of "1:56 pm on 8 May, 2023" or an ISO-8601 text; None if the file has none."""
    if not isinstance(value, str) or not (found := _DATE_TIME.fullmatch(value.strip().lower())):
        return time_field(value, "date_time")
    hour, minute, half, day, month, year = found.groups()
    try:
        if not 1 <= int(hour) <= 12:
            raise SourceError("date_time: no such hour")
        moment = datetime(
            int(year),
            _MONTHS.index(month[:3]) + 1,
            int(day),
            int(hour) % 12 + (12 if half == "p" else 0),
            int(minute),
            tzinfo=UTC,
        )
    except ValueError as error:
        raise SourceError("date_time: no such date") from error
    return to_micros(moment)
