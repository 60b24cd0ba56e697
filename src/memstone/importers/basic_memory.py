"""A folder of basic-memory: Markdown with observations and relations as list items.

`- [category] text #tag (context)` is an observation and becomes a memory of its own, about the
entity that its file describes; the category is its kind where it plainly names one, else a tag.
`- works_on [[Target]] (context)` under "Relations", or with a verb of one word anywhere, is a
relation; any other link is one called `links_to`. What is left of a section is one memory.

Files are known by their permalink. An observation that is the only one of its category in its file
is known by the category, so that an edited one is a new version; else it is known by its text, and
an edited one is new: nothing in the file says which of several it was.
"""

from __future__ import annotations

import re

from memstone.errors import SourceError
from memstone.importers import markdown
from memstone.importers.folder import some_files
from memstone.importers.markdown import Document, Line, Piece, Section
from memstone.importers.noted import about, kind_named
from memstone.types import Kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from memstone.types import Note, Skipped

LOOK_AT = 20  # files, of which half must have its front matter
MAX_ITEM = 16 * 1024  # characters: a longer line is prose, and would be searched for long
LINK = "links_to"
RELATIONS = "relations"  # the heading
_OBSERVATION = re.compile(r"\s*[-*+]\s+\[([^\[\]()\n]{1,100})\]\s+(\S.*)")
_RELATION = re.compile(
    r"\s*[-*+]\s+(?:([^\[\]\n]{1,200}?)\s+)?(\[\[[^\[\]\n]{1,500}\]\])\s*(?:\((.{1,2000})\))?\s*"
)
_BOXES = frozenset(" xX-/")  # of tasks


def recognises(folder: str | os.PathLike[str]) -> bool:
    """Whether most Markdown files of a folder have a title, a type and a permalink."""
    found = some_files(folder, LOOK_AT)
    named = 0
    for each in found:
        try:
            front = markdown.document_of(each).front
        except SourceError:  # another file may say what the folder is
            continue
        named += {"title", "type", "permalink"} <= front.keys()
    return bool(found) and 2 * named >= len(found)


def read(folder: str | os.PathLike[str]) -> Iterator[Note | Skipped]:
    """The memories of `folder`, file by file in the order of their paths.

    Raises `SourceMissing` if there is no such folder, `SourceError` if it cannot be read or holds
    no Markdown file.
    """
    bases: set[str] = set()
    return markdown.read(folder, lambda document: pieces(document, bases))


def pieces(document: Document, bases: set[str]) -> Iterator[Piece]:
    """What one file holds, in its order; `bases` are the names that other files are known by."""
    title = document.named("title") or document.stem
    base = document.named("permalink")
    if (
        not base or base in bases
    ):  # a copy of a file has its permalink too, and is not its successor
        base = document.path
    bases.add(base)
    kind = document.named("type")
    type_tag = (kind,) if kind.lower() not in {"", "note"} else ()
    related: set[tuple[str, str]] = set()
    for section in markdown.sections(markdown.lines_of(document.body)):
        left: list[Line] = []
        tags: list[str] = []
        links: list[Piece] = []
        for line in section.lines:
            found = None if line.code else _item(line.text, section, title, base)
            if found is not None:
                yield found
            else:
                left.append(_shown(line))
                tags += [] if line.code else markdown.tags_in(line.text)
            if not line.code and (found is None or found.related is None):
                links += _links(line.text, title, base)
            elif found is not None and found.related is not None:
                related.add(found.related)
        yield from _rest(Section(section.headings, left), title, base, (*tags, *type_tag))
        for link in links:
            if link.related is not None and link.related not in related:
                related.add(link.related)
                yield link


def _item(text: str, section: Section, title: str, base: str) -> Piece | None:
    """The observation or relation of a line, None if it is neither."""
    if len(text) > MAX_ITEM:
        return None
    relation = _RELATION.fullmatch(text)
    if relation is not None:
        verb = (relation[1] or "").strip()
        named = [heading.lower() for heading in section.headings[-1:]] == [RELATIONS]
        target = "".join(markdown.link_targets(relation[2]))
        if target and (named or (verb and " " not in verb)):
            context = relation[3] or ""
            parts = (verb or LINK, target)
            return Piece(text=context, id=base, subject=title, related=parts)
    observation = _OBSERVATION.fullmatch(text)
    if observation is None or observation[1] in _BOXES:
        return None
    category = observation[1].strip()
    said = markdown.without_tags(markdown.outside_code(observation[2], markdown.shown_links))
    kind = kind_named(category)
    tags = markdown.tags_in(observation[2])
    return Piece(
        text=about(title, said) if said else "",
        id=f"{base}#[{category.lower()}]",
        subject=title,
        kind=kind or Kind.FACT,
        tags=tuple(tags) if kind else (category, *tags),
    )


def _shown(line: Line) -> Line:
    return line if line.code else Line(markdown.outside_code(line.text, markdown.shown_links))


def _links(text: str, title: str, base: str) -> list[Piece]:
    return [
        Piece(text="", id=base, subject=title, related=(LINK, target))
        for target in markdown.link_targets(text)
        if target != title
    ]


def _rest(section: Section, title: str, base: str, tags: tuple[str, ...]) -> Iterator[Piece]:
    """What is left of a section when its items are taken out."""
    text = markdown.prose(section.lines)
    if text.strip():
        yield Piece(
            text=text,
            id="#".join((base, "/".join(section.headings))) if section.headings else base,
            subject=title,
            above=markdown.headline(title, section.headings),
            tags=tags,
        )
