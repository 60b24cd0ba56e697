"""An Obsidian vault: Markdown with links between notes, tags, fields, tasks and comments.

A section is one memory, as it is shown and not as it is written: a link by its alias or the name of
its note, no embedded files, no ids of blocks, no comments, callouts as plain text. Tags of the
front matter and of the text become tags. Besides, an open task is a `task`, a done one a fact that
keeps its `[x]`, so that the tick is a new version which ends the task; `key:: value` on a line of
its own is a fact about its note.

A day in the name of a file (`2026-11-20`, and what may follow it) is when its notes were written;
else the front matter says it, else the file's own time. Links are not relations here: in a vault
they are how one writes, thousands of them.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from memstone.errors import InvalidTime
from memstone.importers import markdown
from memstone.importers.folder import ENDINGS
from memstone.importers.markdown import Document, Line, Piece
from memstone.importers.noted import about, known_as
from memstone.times import parse_time
from memstone.types import Kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstone.types import Note, Skipped

SETTINGS = ".obsidian"  # the folder that makes one a vault
MAX_ALIASES = 5  # of a note, over each of its sections
DONE = frozenset("xX")
CANCELLED = "-"
_DAY = re.compile(r"([0-9]{4})[-._]?([0-9]{2})[-._]?([0-9]{2})(?![0-9])")
_TASK = re.compile(r"\s*(?:>\s*)*(?:[-*+]|[0-9]{1,9}[.)])\s+\[(.)\]\s+(\S.*)")
_FIELD = re.compile(r"\s*(?:[-*+]\s+)?(?:\*\*|__)?(\w[\w \-/]{0,79}?)(?:\*\*|__)?::\s+(\S.*)")
_INLINE_FIELD = re.compile(r"[\[(](\w[\w \-]{0,79})::\s*([^\[\]()\n]{1,1000})[\])]")
_MARKS_IN_CODE = re.compile(r"`[^`\n]*%%[^`\n]*`")
_CALLOUT = re.compile(r"\s*(?:>\s*)+\[!([\w-]{1,60})[^\]\n]{0,200}\][+-]?\s*(.*)")
_UNFILLED = re.compile(  # what a template left: an item, a task or a field without anything in it
    r"\s*(?:(?:[-*+]|[0-9]{1,9}[.)])(?:\s+\[.\])?|\w[\w \-/]{0,79}::)(?:\s+#[\w/-]{1,200})*\s*"
)
_QUOTED = re.compile(r"\s*>\s?")
_BLOCK_ID = re.compile(r"(?:^|(?<=\s))\^[A-Za-z0-9-]+[ \t]*$")
_DATED = re.compile(r"([➕✅❌📅⏳🛫])\ufe0f?[ \t]*([0-9]{4}-[0-9]{2}-[0-9]{2})")
_WRITTEN = "➕"  # before the day on which a task was written
_ENDED = frozenset("✅❌")


@dataclass(frozen=True, slots=True)
class _Place:
    """The note in which a line stands."""

    title: str
    path: str
    at: int | None  # its day, if it is the note of one


def recognises(folder: str | os.PathLike[str]) -> bool:
    """Whether a folder is a vault, or one could be opened there: it has notes at its top."""
    try:
        with os.scandir(folder) as entries:
            return any(
                entry.name == SETTINGS or entry.name.lower().endswith(ENDINGS) for entry in entries
            )
    except (OSError, ValueError):
        return False


def read(folder: str | os.PathLike[str]) -> Iterator[Note | Skipped]:
    """The memories of `folder`, file by file in the order of their paths.

    Raises `SourceMissing` if there is no such folder, `SourceError` if it cannot be read or holds
    no Markdown file.
    """
    return markdown.read(folder, pieces)


def pieces(document: Document) -> Iterator[Piece]:
    """What one file holds, in its order: of each section its items, then its text."""
    day = _DAY.match(document.stem)
    at = _day("-".join(day.groups())) if day else None
    place = _Place(document.stem, document.path, at)
    names = markdown.words_of(document.front.get("aliases"))
    aliases = [name for name in names if len(name) <= markdown.MAX_HEADING][:MAX_ALIASES]
    title = f"{place.title} ({', '.join(aliases)})" if aliases else place.title
    lines = _without_comments(markdown.lines_of(document.body))
    for section in markdown.sections(lines):
        left: list[Line] = []
        tags: list[str] = []
        in_callout = False
        for line in section.lines:
            item = None if line.code else _task(line.text, place) or _field(line.text, place)
            if item is not None:
                yield item
                continue
            tags += [] if line.code else markdown.tags_in(line.text)
            shown, in_callout = _shown(line, in_callout=in_callout)
            if shown.code or not _UNFILLED.fullmatch(shown.text):
                left.append(shown)
        text = markdown.prose(left)
        if text.strip():
            yield Piece(
                text=text,
                id="#".join(filter(None, (place.path, "/".join(section.headings)))),
                subject=place.title,
                above=markdown.headline(title, (h for h in section.headings if h != place.title)),
                tags=tuple(tags),
                at=place.at,
            )


def _without_comments(lines: list[Line]) -> list[Line]:
    """Lines without what stands between `%%`; a comment that is never closed goes to the end."""
    kept: list[Line] = []
    inside = False
    for line in lines:
        if line.code and not inside:
            kept.append(line)
            continue
        parts = _MARKS_IN_CODE.sub(_masked, line.text).split("%%")
        text = "".join(part for at, part in enumerate(parts) if (at % 2 == 1) == inside)
        text = text.replace("\0", "%")  # no text of a vault holds a NUL
        began_inside, inside = inside, inside ^ (len(parts) % 2 == 0)
        if text.strip() or not (began_inside or len(parts) > 1):
            kept.append(Line(text))
    return kept


def _masked(code: re.Match[str]) -> str:
    return code[0].replace("%", "\0")


def _shown(line: Line, *, in_callout: bool) -> tuple[Line, bool]:
    """A line as it is shown, and whether a callout goes on in the next one."""
    if line.code:
        return line, in_callout
    callout = _CALLOUT.fullmatch(line.text)
    if callout is not None:
        return Line(_plain(callout[2]) or callout[1].replace("-", " ").capitalize()), True
    quoted = _QUOTED.match(line.text)
    if in_callout and quoted is not None:
        return Line(_plain(line.text[quoted.end() :])), True
    return Line(_plain(line.text)), False


def _plain(text: str) -> str:
    return markdown.outside_code(_BLOCK_ID.sub("", text), _read_out).rstrip()


def _read_out(text: str) -> str:
    return _INLINE_FIELD.sub(r"\1: \2", markdown.shown_links(text))


def _task(text: str, place: _Place) -> Piece | None:
    """The task of a line; it stays the same one whatever is ticked, tagged or dated on it."""
    found = _TASK.fullmatch(text)
    if found is None:
        return None
    said = markdown.without_tags(_plain(found[2]))
    if not said:
        return None
    state = found[1]
    ended = state in DONE or state == CANCELLED
    days = {sign: _day(day) for sign, day in _DATED.findall(said)}
    written = next((days[sign] for sign in (_ENDED if ended else _WRITTEN) if sign in days), None)
    name = " ".join(_DATED.sub("", said).split())
    about_it = said if place.at is not None else about(place.title, said)
    tags = markdown.tags_in(found[2])
    label = ("done" if state in DONE else "cancelled") if ended else None
    return Piece(
        text=f"[{state}] {about_it}" if ended else about_it,
        id=known_as(f"{place.path}#task", name),
        subject=place.title,
        kind=Kind.FACT if ended else Kind.TASK,
        tags=(label, *tags) if label else tuple(tags),
        at=written if written is not None else place.at,
    )


def _day(day: str) -> int | None:
    """Microseconds of a day, None if no calendar has it."""
    try:
        return parse_time(day)
    except InvalidTime:
        return None


def _field(text: str, place: _Place) -> Piece | None:
    """The field of a line: what its note says of itself."""
    found = _FIELD.fullmatch(text)
    if found is None:
        return None
    key, value = found[1].strip(), markdown.without_tags(_plain(found[2]))
    if not value:
        return None
    return Piece(
        text=about(place.title, f"{key}: {value}"),
        id=f"{place.path}#{key.lower()}::",
        subject=place.title,
        tags=tuple(markdown.tags_in(found[2])),
        at=place.at,
    )
