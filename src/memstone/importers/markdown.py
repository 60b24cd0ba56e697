"""Notes in Markdown: front matter, sections, links, and the ids that both kinds of vault share.

Only what decides where a note begins is understood here: front matter, headings, and fences of
code, in which nothing is a heading. Front matter is read as text, lists and mappings; what would
make YAML build anything else is left as text. When it cannot be read, the file is still imported
and the report says so.

A section becomes one memory, under the title of its file and its headings, because "200 CNY" says
nothing without them; one over the limit of a memory is cut at paragraphs. Its id is the path of its
file and its headings, so that an edited section is a new version of what it was. Where two pieces
of a file would have one id, both get the digest of their text instead of a number: a number would
move with every piece that is put before it.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from dataclasses import dataclass, field, replace

from memstone.errors import MemstoneError, SourceError
from memstone.importers.folder import Found, markdown_files, text_of
from memstone.importers.noted import known_as, labels, note_text, relation, short_id
from memstone.importers.source import name_field, skipped, time_field
from memstone.times import NEVER_US
from memstone.types import MAX_TEXT_BYTES, Kind, Note, Skipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

MAX_FRONT_CHARACTERS = 64 * 1024
MAX_HEADING = 200  # characters; a longer one is a paragraph
CREATED = ("date", "created", "created_at", "creation_date")  # the first that is there
UPDATED = ("updated", "modified", "updated_at", "last_modified")
NOTHING = frozenset({"", "~", "null", "none"})  # no value, as YAML spells it, read as text
_END = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.MULTILINE)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(\S.*)")
_CLOSING = re.compile(r"[ \t]+#+[ \t]*\Z")
_TAG = re.compile(r"(?:(?<=\s)|^)#([\w/-]{1,200})")
_CODE = re.compile(r"(`[^`\n]*`)")
_EMBED = re.compile(r"!\[\[[^\[\]\n]{0,1000}\]\]")
_LINK = re.compile(r"\[\[([^\[\]\n]{1,1000})\]\]")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a file, and whether it is code."""

    text: str
    code: bool = False


@dataclass(slots=True)
class Section:
    """What stands under one heading, up to the next one of any level."""

    headings: tuple[str, ...] = ()  # from the outermost one inwards
    lines: list[Line] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Document:
    """One file of a vault, its front matter taken off."""

    path: str
    front: Mapping[str, object]
    body: str
    at: int | None  # microseconds
    seen_at: int | None = None
    faults: tuple[str, ...] = ()  # of its front matter

    @property
    def stem(self) -> str:
        """The name of the file without folder and ending."""
        return os.path.splitext(self.path.rpartition("/")[2])[0]

    def named(self, key: str) -> str:
        """A text of the front matter, "" if there is none."""
        value = self.front.get(key)
        return value.strip() if isinstance(value, str) and value.lower() not in NOTHING else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """What becomes one note, or several if it is too long for one; nothing of it checked yet."""

    text: str
    id: str
    subject: str
    above: str = ""  # a line that stands over each note of it
    kind: Kind = Kind.FACT
    tags: tuple[str, ...] = ()
    at: int | None = None  # if it is not that of the file
    related: tuple[str, str] | None = None  # verb and target; then `text` is the context


def read(
    folder: str | os.PathLike[str], pieces: Callable[[Document], Iterable[Piece]]
) -> Iterator[Note | Skipped]:
    """The notes of every Markdown file of `folder`, file by file in the order of their paths.

    `Skipped.line` is the number of a file in that order. Raises as `markdown_files` does.
    """
    return _read(markdown_files(folder), pieces)


def _read(
    files: Iterable[Found], pieces: Callable[[Document], Iterable[Piece]]
) -> Iterator[Note | Skipped]:
    for found in files:
        for entry in _entries(found, pieces):
            if isinstance(entry, Note):
                yield entry
            else:
                yield Skipped(found.number, f"{found.shown}: {entry.reason}", bad=entry.bad)


def _entries(
    found: Found, pieces: Callable[[Document], Iterable[Piece]]
) -> Iterator[Note | Skipped]:
    """The notes of one file; a `Skipped` does not know its file yet."""
    if found.refused:
        yield Skipped(0, found.refused, bad=found.bad)
        return
    try:
        document = document_of(found)
    except SourceError as error:
        yield skipped(0, error)
        return
    for fault in document.faults:
        yield Skipped(0, f"{fault}; the text was kept", bad=False)
    shared = labels(tag.lstrip("#") for tag in words(document.front.get("tags")))
    for piece in _distinct(pieces(document)):
        try:
            yield from _notes(piece, document, shared)
        except MemstoneError as error:
            yield skipped(0, error)


def _distinct(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """The pieces of a file, none under the id of another one."""
    known = list(pieces)
    counts = Counter(piece.id for piece in known)
    for piece in known:
        several = counts[piece.id] > 1 and piece.related is None
        yield replace(piece, id=known_as(piece.id, piece.text)) if several else piece


def _notes(piece: Piece, document: Document, shared: tuple[str, ...]) -> Iterator[Note]:
    """The notes of one piece; raises `SourceError`, `BlankText`."""
    at = document.at if piece.at is None else piece.at
    if piece.related is not None:
        verb, target = piece.related
        note = relation(piece.subject, verb, target, context=piece.text)
        yield replace(note, at=at, seen_at=document.seen_at, tags=labels((*note.tags, *shared)))
        return
    subject = name_field(piece.subject, "title")  # first: it bounds what stands above
    above = f"{piece.above}\n" if piece.above else ""
    parts = cut(piece.text, MAX_TEXT_BYTES - len(above.encode("utf-8")))
    for number, part in enumerate(parts, start=1):
        yield Note(
            text=note_text(above + part, "text"),
            kind=piece.kind,
            at=at,
            seen_at=document.seen_at,
            subject=subject,
            tags=labels((*piece.tags, *shared)),
            external_id=short_id(piece.id if number == 1 else f"{piece.id}/{number}"),
        )


def cut(text: str, most: int, separators: tuple[str, ...] = ("\n\n", "\n")) -> list[str]:
    r"""`text` in parts of at most `most` bytes, cut between paragraphs, else lines, else signs.

    >>> cut("甲乙\n\n丙", 7)
    ['甲乙', '丙']
    """
    if len(text.encode("utf-8")) <= most:
        return [text]
    if not separators:
        return list(_between_signs(text.encode("utf-8"), most))
    separator, *finer = separators
    parts: list[str] = []
    sizes: list[int] = []
    for unit in text.split(separator):
        for part in cut(unit, most, tuple(finer)):
            size = len(part.encode("utf-8")) + len(separator)
            if parts and sizes[-1] + size <= most:
                parts[-1] += separator + part
                sizes[-1] += size
            elif part.strip():
                parts.append(part)
                sizes.append(size - len(separator))
    return parts


def _between_signs(data: bytes, most: int) -> Iterator[str]:
    start = 0
    while start < len(data):
        end = min(start + most, len(data))
        while end < len(data) and data[end] & 0xC0 == 0x80:  # inside a code point
            end -= 1
        yield data[start:end].decode("utf-8")
        start = end


# -- front matter


def document_of(found: Found) -> Document:
    """A file, read; raises `SourceError` if it is no text."""
    text, written = text_of(found)
    faults: list[str] = []
    front: Mapping[str, object] = {}
    block, body = _split(text)
    if block is not None:
        try:
            front = front_matter(block)
        except SourceError as error:
            faults.append(error.message)
    given = _time_in(front, CREATED, faults)
    at = given if given is not None or not 0 <= written < NEVER_US else written
    return Document(found.path, front, body, at, _time_in(front, UPDATED, faults), tuple(faults))


def _split(text: str) -> tuple[str | None, str]:
    """The front matter of a text, None if it has none, and what follows it."""
    first, _, rest = text.partition("\n")
    if first.rstrip() != "---":
        return None, text
    found = _END.search(rest)
    return (rest[: found.start()], rest[found.end() :]) if found else (None, text)


def front_matter(block: str) -> Mapping[str, object]:
    r"""The values of a YAML block, every scalar as text; raises `SourceError`.

    >>> front_matter("created: 2026-11-01\ntags: [ui, 项目]")
    {'created': '2026-11-01', 'tags': ['ui', '项目']}
    """
    import yaml  # noqa: PLC0415  most imports read no vault

    if len(block) > MAX_FRONT_CHARACTERS:
        raise SourceError(f"front matter: more than {MAX_FRONT_CHARACTERS} characters")
    try:
        # it builds text, lists and mappings only, where `safe_load` fails on a day like 2026-02-30
        value = yaml.load(block, Loader=yaml.BaseLoader)  # noqa: S506
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise SourceError("front matter: not valid YAML") from error
    if isinstance(value, dict):
        return {key: each for key, each in value.items() if isinstance(key, str)}
    if value is None or value == "":
        return {}
    raise SourceError("front matter: not a list of keys and values")


def _time_in(front: Mapping[str, object], keys: tuple[str, ...], faults: list[str]) -> int | None:
    for key in keys:
        value = front.get(key)
        if value is None or (isinstance(value, str) and value.lower() in NOTHING):
            continue
        try:
            return time_field(value, key)
        except SourceError as error:
            faults.append(error.message)
            return None
    return None


def words(value: object) -> list[str]:
    """A list of the front matter, or what stands in for one: `a, b` or `a b`.

    >>> words("ui, 项目"), words(["a b"]), words(None)
    (['ui', '项目'], ['a b'], [])
    """
    if isinstance(value, str):
        found = value.split(",") if "," in value else value.split()
    else:
        found = [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
    return [word.strip() for word in found if word.strip().lower() not in NOTHING]


def words_of(value: object) -> list[str]:
    """Names of the front matter, which may hold spaces: `a b, c` or a list.

    >>> words_of("Project X, 项目X")
    ['Project X', '项目X']
    """
    return words(value.split(",") if isinstance(value, str) else value)


# -- lines and sections


def lines_of(body: str) -> list[Line]:
    """The lines of a body; those of a fenced block, its fences too, are code."""
    lines: list[Line] = []
    fence = ""
    for text in body.split("\n"):
        found = _FENCE.match(text)
        mark = found[1] if found else ""
        code = bool(fence or mark)
        if fence:
            ends = mark[:1] == fence[0] and len(mark) >= len(fence)
            fence = "" if ends and not text.strip().strip(mark[:1]) else fence
        else:
            fence = mark
        lines.append(Line(text, code))
    return lines


def sections(lines: Iterable[Line]) -> list[Section]:
    """What stands before the first heading, then under each one."""
    found = [Section()]
    open_headings: list[tuple[int, str]] = []
    for line in lines:
        heading = None if line.code else _HEADING.fullmatch(line.text)
        if heading is None or len(heading[2]) > MAX_HEADING:
            found[-1].lines.append(line)
            continue
        level, text = len(heading[1]), outside_code(_CLOSING.sub("", heading[2]), shown_links)
        open_headings = [each for each in open_headings if each[0] < level]
        open_headings.append((level, text.strip()))
        found.append(Section(tuple(text for _, text in open_headings)))
    return found


def headline(title: str, headings: Iterable[str]) -> str:
    """What stands over the notes of a section.

    >>> headline("Project X", ["Project X", "决定"])
    'Project X > 决定'
    """
    return " > ".join(dict.fromkeys(filter(None, (title, *headings))))


def prose(lines: Iterable[Line]) -> str:
    """Lines as the text of a note: no blank ones around them, no more than one between."""
    text = "\n".join(line.text.rstrip() for line in lines)
    return re.sub(r"\n{3,}", "\n\n", text).strip("\n")


# -- within a line


def outside_code(text: str, change: Callable[[str], str]) -> str:
    """`text` with `change` made to what is no code between backticks."""
    pieces = _CODE.split(text)
    return "".join(piece if at % 2 else change(piece) for at, piece in enumerate(pieces))


def shown_links(text: str) -> str:
    """`text` with links to notes as they are shown, and without embedded files.

    >>> shown_links("见 [[Daily/2026-11-20#晚上|那天]] 和 [[Project X#^b]] ![[a.png]]")
    '见 那天 和 Project X '
    """
    return _LINK.sub(lambda found: _shown(found[1]), _EMBED.sub("", text))


def link_targets(text: str) -> list[str]:
    """The notes that a text links to, by name.

    >>> link_targets("见 [[Daily/2026-11-20|那天]]")
    ['2026-11-20']
    """
    named = (_target(found[1]) for found in _LINK.finditer(_EMBED.sub("", _CODE.sub("", text))))
    return [name for name in named if name]


def _shown(link: str) -> str:
    _, _, alias = link.partition("|")
    return alias.strip() or _target(link) or link.partition("#")[2].strip().lstrip("#^")


def _target(link: str) -> str:
    note = link.partition("|")[0].rstrip("\\").partition("#")[0]
    return note.rpartition("/")[2].strip()


def tags_in(text: str) -> list[str]:
    """The tags in a text, as they are written; a number alone is none.

    >>> tags_in("修复 #budget/change，见 #12 `#x`")
    ['budget/change']
    """
    found = (match[1].strip("/") for match in _TAG.finditer(_CODE.sub("", text)))
    return [tag for tag in found if not tag.isdigit() and tag.strip("-_")]


def without_tags(text: str) -> str:
    """A line whose tags are kept elsewhere.

    >>> without_tags("Blue #ui, see #12 (confirmed)")
    'Blue , see #12 (confirmed)'
    """
    found = outside_code(text, lambda piece: _TAG.sub(_unless_tag, piece))
    return re.sub(r"(?<=\S)[ \t]{2,}", " ", found).strip()


def _unless_tag(found: re.Match[str]) -> str:
    return "" if tags_in(found[0]) else found[0]
