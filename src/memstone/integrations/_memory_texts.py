"""The answers of the memory tool, word for word those of Anthropic's file-system backend.

Pure functions over file texts and paths. What a model reads back must be what it was trained to
expect: the same headers, the same six columns for a line number, the same way to write a size. A
folder's size is the one number that differs: here it is what its files hold together, not the
blocks of a disk.
"""

from __future__ import annotations

from dataclasses import dataclass

from memstone.errors import MemoryFileRefused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

NUMBER_WIDTH = 6  # columns for a line number
AROUND = 2  # lines shown before and after a change
DEPTH = 2  # levels of a listing
UNITS = "BKMG"
MAX_OCCURRENCES = 10_000  # named in an error: one letter stands 100,000 times in a large file


def numbered(lines: Iterable[str], first: int) -> str:
    r"""Lines with their numbers, as the tool shows them.

    >>> numbered(["猫", ""], 9)
    '     9\t猫\n    10\t'
    """
    return "\n".join(
        f"{number:>{NUMBER_WIDTH}}\t{line}" for number, line in enumerate(lines, first)
    )


def content(path: str, text: str, view_range: Sequence[int] | None) -> str:
    """A file with line numbers, or those lines of it; -1 as the second is the end."""
    lines = text.split("\n")
    first = 0
    if view_range is not None and len(view_range) == 2:
        first, last = max(view_range[0], 1) - 1, view_range[1]
        lines = lines[first:] if last == -1 else lines[first:last]
    shown = numbered(lines, first + 1)
    return f"Here's the content of {path} with line numbers:\n{shown}"


def edited(text: str, line: int) -> str:
    """What a replacement answers: the lines around the one (from 0) where it begins."""
    lines = text.split("\n")
    first = max(line - AROUND, 0)
    shown = numbered(lines[first : line + AROUND + 1], first + 1)
    return (
        "The memory file has been edited. "
        f"Here is the snippet showing the change (with line numbers):\n{shown}"
    )


@dataclass(frozen=True, slots=True)
class Replacement:
    """A file's text with one piece replaced, and the line (from 0) where that piece began."""

    text: str
    line: int


def replacement(path: str, text: str, old: str, new: str) -> Replacement:
    """The one place of `old` in `text` replaced; raises `MemoryFileRefused` if it is not one."""
    found = text.count(old)
    if not found:
        raise MemoryFileRefused(
            f"No replacement was performed, old_str `{old}` did not appear verbatim in {path}."
        )
    if found > 1:
        raise MemoryFileRefused(
            f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: "
            f"{_lines_of(text, old)}. Please ensure it is unique"
        )
    before, _, after = text.partition(old) if old else ("", "", text)
    return Replacement(before + new + after, before.count("\n"))


def _lines_of(text: str, piece: str) -> str:
    """The lines (from 1) where `piece` begins, also where it overlaps itself."""
    lines: list[str] = []
    line, counted = 1, 0
    position = text.find(piece)
    while position != -1 and len(lines) < MAX_OCCURRENCES:
        line += text.count("\n", counted, position)
        lines.append(str(line))
        counted = position
        position = text.find(piece, position + 1)
    return ", ".join(lines) + ("" if position == -1 else ", and more")


def insertion(text: str, line: int, inserted: str) -> str:
    """The text with `inserted` after that many lines; raises `MemoryFileRefused` outside it.

    Lines end with LF alone, and the file with one.
    """
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    if not 0 <= line <= len(lines):
        raise MemoryFileRefused(
            f"Invalid `insert_line` parameter: {line}. "
            f"It should be within the range [0, {len(lines)}]."
        )
    lines.insert(line, inserted.rstrip("\n"))
    joined = "\n".join(lines)
    return joined if joined.endswith("\n") else joined + "\n"


def size(count: int) -> str:
    """A number of bytes as the tool writes it.

    >>> [size(count) for count in (0, 11, 1024, 1536, 262_144)]
    ['0B', '11B', '1K', '1.5K', '256K']
    """
    power = min(max(count.bit_length() - 1, 0) // 10, len(UNITS) - 1)
    scaled = count / 1024**power
    whole = scaled == int(scaled)
    return f"{int(scaled) if whole else format(scaled, '.1f')}{UNITS[power]}"


def listing(path: str, entries: Iterable[tuple[str, int]]) -> str:
    """A folder two levels deep. `entries` are what lies in it: paths relative to it with sizes in
    bytes; the path of a folder ends with a slash. Hidden names are counted and not shown.
    """
    sizes: dict[str, int] = {}
    total = 0
    for name, count in entries:
        total += count
        parts = name.split("/")
        for depth in range(1, len(parts)):
            folder = "/".join(parts[:depth]) + "/"
            sizes[folder] = sizes.get(folder, 0) + count
        if parts[-1]:
            sizes[name] = count
    shown = sorted(filter(_is_shown, sizes), key=lambda name: name.rstrip("/").split("/"))
    lines = [f"{size(total)}\t{path}", *(f"{size(sizes[name])}\t{path}/{name}" for name in shown)]
    header = f"Here're the files and directories up to {DEPTH} levels deep in {path}"
    return f"{header}, excluding hidden items:\n" + "\n".join(lines)


def _is_shown(name: str) -> bool:
    parts = name.rstrip("/").split("/")
    return len(parts) <= DEPTH and not any(part.startswith(".") for part in parts)
