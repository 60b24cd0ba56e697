"""Anthropic's memory tool (`memory_20250818`) over our store: files as versioned memories.

`MemoryFiles` does the six commands with plain values and needs no SDK; `memory_tool` and
`async_memory_tool` make of it what the Python SDK's tool runner takes (extra `anthropic`). Answers
and errors have the words of the SDK's own file-system backend, so a model cannot tell them apart.

One file is one chain of memories in the engine's scope, known by its path: an edit or a rename
supersedes, a deletion forgets every version, a text equal to another file's is still a file of its
own. A folder is there while something lies in it; one that was emptied is kept as a blank row
whose path ends with a slash. Every command is one transaction on the files as they are at that
moment, so two tools on one store lose nothing.

What the store refuses, the tool refuses: a secret (its kind is named, never the value), a text over
262,144 bytes, a path that is none. Recall finds the files' texts like any other memory.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

from memstone.engine.calling import without_secrets
from memstone.errors import MemoryFileRefused, MemoryTooLarge, MemstoneError, StoreError
from memstone.integrations import _memory_paths as paths
from memstone.integrations import _memory_texts as texts
from memstone.types import FileChanges, FileVersion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeVar

    from anthropic.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool
    from anthropic.types.beta import BetaCacheControlEphemeralParam

    from memstone.engine import Engine
    from memstone.protocols import FileReader
    from memstone.types import Filed, Memory

    Answer = TypeVar("Answer")
    Decision = tuple[FileChanges, Answer]

SOURCE = "memory-tool"
FILE_TAG = "memory-file"
FOLDER_TAG = "memory-folder"
NOTHING = FileChanges()


class MemoryFiles:
    r"""The six commands on the memory files of an engine's scope; each returns the tool's answer.

    Raises `MemoryFileRefused` in the words a model expects, `SecretFound`, `TextNotUnicode` and
    `StoreError`s; then nothing has changed. `session` is noted on what is written.

    >>> import memstone
    >>> with memstone.open(":memory:") as engine:
    ...     files = MemoryFiles(engine)
    ...     print(files.create("/memories/计划.md", "Ship on Friday"))
    ...     files.view("/memories/计划.md").splitlines()[1:]
    File created successfully at: /memories/计划.md
    ['     1\tShip on Friday']
    """

    def __init__(self, engine: Engine, *, session: str | None = None) -> None:
        self._engine = engine
        self._session = session

    def view(self, path: str, view_range: Sequence[int] | None = None) -> str:
        """A file with line numbers (or a range of them, -1 = the end), or a folder's listing."""
        name = paths.canonical(path)
        rows = self._engine.files.read(name)
        file = _file_of(rows, name)
        if file is None and not rows and name != paths.ROOT:
            raise MemoryFileRefused(f"The path {path} does not exist. Please provide a valid path.")
        if file is None:
            below = len(name) + 1
            entries = ((_path_of(row)[below:], len(row.text.encode("utf-8"))) for row in rows)
            return texts.listing(path, entries)
        shown = texts.content(path, _readable(file, path).text, view_range)
        with contextlib.suppress(StoreError):  # usage; a view never fails for want of it
            self._engine.touch([file.id])
        return shown

    def create(self, path: str, file_text: str) -> str:
        """A new file; one that is there is never overwritten."""
        name = paths.canonical(path)

        def decide(read: FileReader) -> Decision[None]:
            if _exists(read, name):
                raise MemoryFileRefused(f"File {path} already exists")
            above = _file_above(read, name)
            if above is not None:
                raise MemoryFileRefused(f"File {path} cannot be created: {above} is a file")
            file = FileVersion(path=name, text=file_text, tags=(FILE_TAG,))
            return FileChanges(write=(file,)), None

        filed, _ = self._change("remember", path, decide)
        return f"File created successfully at: {path}{_taken_out(filed)}"

    def str_replace(self, path: str, old_str: str, new_str: str) -> str:
        """The file with the one place of `old_str` replaced; the answer shows the lines around."""
        name = paths.canonical(path)

        def decide(read: FileReader) -> Decision[texts.Replacement]:
            file = _require_file(read, path, name)
            done = texts.replacement(path, file.text, old_str, new_str)
            return _edit(file, name, done.text), done

        filed, done = self._change("supersede", path, decide)
        stored = filed[0].text if filed else done.text
        return texts.edited(stored, done.line) + _taken_out(filed)

    def insert(self, path: str, insert_line: int, insert_text: str) -> str:
        """The file with a text inserted after line `insert_line`, 0 for its beginning."""
        name = paths.canonical(path)

        def decide(read: FileReader) -> Decision[None]:
            file = _require_file(read, path, name)
            return _edit(file, name, texts.insertion(file.text, insert_line, insert_text)), None

        filed, _ = self._change("supersede", path, decide)
        return f"The file {path} has been edited.{_taken_out(filed)}"

    def delete(self, path: str) -> str:
        """A file, or a folder with all that is in it, forgotten with every version."""
        name = paths.canonical(path)
        if name == paths.ROOT:
            raise MemoryFileRefused(f"Cannot delete the {paths.ROOT} directory itself")

        def decide(read: FileReader) -> Decision[None]:
            rows = read(name)
            if not rows:
                raise MemoryFileRefused(f"The path {path} does not exist")
            return FileChanges(remove=tuple(rows), write=_emptied(read, name, rows)), None

        self._change("forget", path, decide)
        return f"Successfully deleted {path}"

    def rename(self, old_path: str, new_path: str) -> str:
        """A file or folder under a new path, as the next version of each file in it."""
        old, new = paths.canonical(old_path), paths.canonical(new_path)
        if old == paths.ROOT:
            raise MemoryFileRefused(f"Cannot rename the {paths.ROOT} directory itself")

        def decide(read: FileReader) -> Decision[bool]:
            if _exists(read, new):
                raise MemoryFileRefused(f"The destination {new_path} already exists")
            rows = read(old)
            if not rows:
                return FileChanges(write=_made_in_vain(read, old, new)), False
            above = _file_above(read, new)
            if above is not None:
                raise MemoryFileRefused(f"{new_path} cannot be made: {above} is a file")
            if paths.is_below(new, old):
                raise MemoryFileRefused(f"{old_path} cannot be moved into itself")
            moved = tuple(_moved(row, new + _path_of(row)[len(old) :]) for row in rows)
            left = () if paths.is_below(new, paths.parent(old)) else _emptied(read, old, rows)
            return FileChanges(write=moved + left), True

        filed, found = self._change("supersede", old_path, decide)
        if not found:
            raise MemoryFileRefused(f"The path {old_path} does not exist")
        return f"Successfully renamed {old_path} to {new_path}{_taken_out(filed)}"

    def clear_all_memory(self) -> str:
        """All memory files of the scope forgotten, and nothing else."""

        def decide(read: FileReader) -> Decision[None]:
            return FileChanges(remove=tuple(read(paths.ROOT))), None

        self._change("forget", paths.ROOT, decide)
        return "All memory cleared"

    def execute(self, command: Mapping[str, object]) -> str:
        """The answer to a tool call's input, as the model sent it.

        Raises what the commands raise, and `MemoryFileRefused` for an unknown command or a field
        that is missing or has the wrong type.
        """
        given = _Fields(command)
        try:
            match command.get("command"):
                case "view":
                    return self.view(given.text("path"), given.lines("view_range"))
                case "create":
                    return self.create(given.text("path"), given.text("file_text"))
                case "str_replace":
                    return self.str_replace(
                        given.text("path"), given.text("old_str"), given.text("new_str")
                    )
                case "insert":
                    return self.insert(
                        given.text("path"), given.number("insert_line"), given.text("insert_text")
                    )
                case "delete":
                    return self.delete(given.text("path"))
                case "rename":
                    return self.rename(given.text("old_path"), given.text("new_path"))
                case unknown:
                    raise MemoryFileRefused(f"Unknown command: {unknown}")
        except MemstoneError as error:
            without_secrets(error)
            raise

    def _change(
        self, operation: str, path: str, decide: Callable[[FileReader], Decision[Answer]]
    ) -> tuple[tuple[Filed, ...], Answer]:
        try:
            return self._engine.files.change(
                operation, decide, source=SOURCE, session=self._session
            )
        except MemoryTooLarge as error:
            found, most = error.fields.get("bytes"), error.fields.get("limit")
            raise MemoryFileRefused(
                f"The file {path} would have {found} bytes, at most {most} are allowed. "
                "Split it into several files."
            ) from error


def memory_tool(
    engine: Engine,
    *,
    session: str | None = None,
    cache_control: BetaCacheControlEphemeralParam | None = None,
) -> BetaAbstractMemoryTool:
    """The tool for the SDK's `client.beta.messages.tool_runner`; needs the extra `anthropic`."""
    from memstone.integrations._memory_sdk import sync_tool

    return sync_tool(MemoryFiles(engine, session=session), cache_control)


def async_memory_tool(
    engine: Engine,
    *,
    session: str | None = None,
    cache_control: BetaCacheControlEphemeralParam | None = None,
) -> BetaAsyncAbstractMemoryTool:
    """The same for `async` clients: each command in a worker thread."""
    from memstone.integrations._memory_sdk import async_tool

    return async_tool(MemoryFiles(engine, session=session), cache_control)


@dataclass(frozen=True, slots=True)
class _Fields:
    """A command as the model sent it, its fields by type."""

    command: Mapping[str, object]

    def text(self, name: str) -> str:
        value = self.command.get(name)
        if not isinstance(value, str):
            raise self._wrong(name, "text")
        return value

    def number(self, name: str) -> int:
        value = self.command.get(name)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self._wrong(name, "a whole number")
        return value

    def lines(self, name: str) -> list[int] | None:
        values = self.command.get(name)
        if values is None:
            return None
        if not isinstance(values, list):
            raise self._wrong(name, "a list of two line numbers")
        if not all(isinstance(value, int) and not isinstance(value, bool) for value in values):
            raise self._wrong(name, "a list of two line numbers")
        return values

    def _wrong(self, name: str, wanted: str) -> MemoryFileRefused:
        return MemoryFileRefused(f"{self.command.get('command')}: `{name}` must be {wanted}")


def _path_of(row: Memory) -> str:
    return row.external_id or ""


def _file_of(rows: Sequence[Memory], name: str) -> Memory | None:
    """The file at exactly that path; it comes before what lies below."""
    return rows[0] if rows and _path_of(rows[0]) == name else None


def _readable(file: Memory, path: str) -> Memory:
    """The file, unless its newest version is held: such a text reaches no model on any surface."""
    if file.held:
        raise MemoryFileRefused(f"The file {path} is held until somebody approves its text")
    return file


def _require_file(read: FileReader, path: str, name: str) -> Memory:
    """The file at that path as it is now; raises `MemoryFileRefused` if there is none."""
    rows = read(name, limit=1)
    file = _file_of(rows, name)
    if file is None and not rows and name != paths.ROOT:
        raise MemoryFileRefused(f"The path {path} does not exist. Please provide a valid path.")
    if file is None:
        raise MemoryFileRefused(f"The path {path} is not a file.")
    return _readable(file, path)


def _exists(read: FileReader, name: str) -> bool:
    return name == paths.ROOT or bool(read(name, limit=1))


def _file_above(read: FileReader, name: str) -> str | None:
    """The file that stands where a path needs a folder, if one does."""
    return next((folder for folder in paths.folders_above(name) if _is_file(read, folder)), None)


def _is_file(read: FileReader, name: str) -> bool:
    return _file_of(read(name, limit=1), name) is not None


def _edit(file: Memory, name: str, text: str) -> FileChanges:
    """The next version of a file; none if nothing changes."""
    if text == file.text:
        return NOTHING
    return FileChanges(write=(FileVersion(path=name, text=text, after=file),))


def _folder(name: str) -> FileVersion:
    """The row that keeps an empty folder."""
    return FileVersion(path=f"{name}/", text="", tags=(FOLDER_TAG,))


def _moved(row: Memory, path: str) -> FileVersion:
    fault = paths.check_length(path)
    if fault is not None:
        raise MemoryFileRefused(f"Path {path} is refused: {fault}")
    return FileVersion(path=path, text=row.text, after=row)


def _made_in_vain(read: FileReader, old: str, new: str) -> tuple[FileVersion, ...]:
    """The folder that the SDK's backend leaves behind when there is nothing to rename: it makes
    the new place before it looks for the old one. A model that lists the files sees it there.
    """
    folder = paths.parent(new)
    fails = paths.is_below(new, old) or _file_above(read, old) or _file_above(read, new)
    return () if fails or _exists(read, folder) else (_folder(folder),)


def _emptied(read: FileReader, name: str, going: Sequence[Memory]) -> tuple[FileVersion, ...]:
    """The row for the folder of `name` if nothing is left in it once those rows are gone."""
    folder = paths.parent(name)
    if folder == paths.ROOT:
        return ()
    gone = {row.row for row in going}
    left = any(row.row not in gone for row in read(folder, limit=len(gone) + 1))
    return () if left else (_folder(folder),)


def _taken_out(filed: Sequence[Filed]) -> str:
    """What a text lost on its way into the store; empty if nothing, as by default."""
    kinds = dict.fromkeys(one.kind for file in filed for one in file.redactions)
    return f"\nNot stored as given; taken out: {', '.join(kinds)}." if kinds else ""
