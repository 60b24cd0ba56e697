"""Our memory tool beside the SDK's own file-system backend: random commands, the same answers.

Both get the same command through the SDK's own door, `call`. Where the backend answers or refuses
with a `ToolError`, ours has the same words; where it fails in a way of its own (an `OSError` with
a path of the machine in it), ours refuses and changes nothing. At the end both hold the same files
and folders, byte for byte. Only the sizes of folders differ: a disk counts blocks.
"""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, example, given, settings

import memstone
from memstone.integrations.memory_tool import memory_tool
from tests.property.drawing import MEMORY_DISK

pytest.importorskip("anthropic")

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstone.engine import Engine

Command = dict[str, Any]
Outcome = tuple[str, str]

NAMES = ("a", "b", "a.b", "猫.md", ".hidden", "%41", "Ａ")
ODD = (
    "/memories",
    "/memories/",
    "/memories//a",
    "/memories/a/",
    "/memories/./a/b",
    "/memories/../a",
    "/memories/a/../../../b",
    "/memorie/a",
    "/etc/passwd",
    "memories/a",
    "",
)
TEXTS = (
    "",
    "\n",
    " ",
    "\t\n\n",
    "a",
    "a\n",
    "aaa\nb\n",
    "one\ntwo\nthree\nfour\nfive\nsix",
    "一\r\n二\r\n三",
    "x y x\n\nx\n",
    "x" * 1_536,
    "line\u2028still the same\x0cline\n",
)
PIECES = ("", "a", "aa", "x", "two", "三", "\n", "\r\n", "one\ntwo\nthree\nfour\nfive\nsix", "Z")

# few paths come often, so that commands meet files and folders that are there
FEW = ("a", "b", "a/b", "b/a", "a/b/a")
paths = st.one_of(
    st.sampled_from(FEW).map("/memories/{}".format),
    st.sampled_from(FEW).map("/memories/{}".format),
    st.lists(st.sampled_from(NAMES), min_size=1, max_size=3).map(
        lambda parts: "/memories/" + "/".join(parts)
    ),
    st.sampled_from(ODD),
)
texts, pieces = st.sampled_from(TEXTS), st.sampled_from(PIECES)
ranges = st.one_of(
    st.none(),
    st.lists(st.integers(-2, 7), min_size=2, max_size=2),
    st.lists(st.integers(1, 3), max_size=3),
)


def one(name: str, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Command]:
    return st.fixed_dictionaries({"command": st.just(name), **fields})


commands = st.one_of(
    one("create", path=paths, file_text=texts),
    one("create", path=paths, file_text=texts),
    one("view", path=paths),
    one("view", path=paths, view_range=ranges),
    one("str_replace", path=paths, old_str=pieces, new_str=pieces),
    one("insert", path=paths, insert_line=st.integers(-1, 7), insert_text=texts),
    one("delete", path=paths),
    one("rename", old_path=paths, new_path=paths),
)


class Pair:
    """The SDK's backend in a folder of its own, and ours on an engine."""

    def __init__(self, folder: Path, engine: Engine) -> None:
        from anthropic.lib.tools import ToolError
        from anthropic.tools import BetaLocalFilesystemMemoryTool

        self._refusal = ToolError
        self._root = folder / "memories"
        self._theirs = BetaLocalFilesystemMemoryTool(str(folder))
        self._ours = memory_tool(engine)
        self._engine = engine

    def does_the_same(self, command: Command) -> None:
        folders = set(self._folders())
        theirs = self._outcome(self._theirs, command)
        ours = self._outcome(self._ours, command)
        if theirs[0] == "failed":
            for folder in sorted(set(self._folders()) - folders, reverse=True):
                (self._root / folder).rmdir()  # made on the way to failing
            assert ours[0] == "refused", (command, theirs, ours)
        else:
            assert ours == theirs, command
        assert self.ours() == self.theirs(), command

    def _outcome(self, tool: Any, command: Command) -> Outcome:
        try:
            return "done", without_folder_sizes(tool.call(command))
        except self._refusal as error:
            return "refused", str(error)
        except OSError as error:
            return "failed", type(error).__name__

    def _folders(self) -> Iterator[str]:
        for folder, names, _ in os.walk(self._root):
            yield from (str(Path(folder, name).relative_to(self._root)) for name in names)

    def theirs(self) -> dict[str, bytes | None]:
        """Every file with its bytes, every folder with None."""
        held: dict[str, bytes | None] = dict.fromkeys(self._folders())
        for folder, _, names in os.walk(self._root):
            for name in names:
                path = Path(folder, name)
                held[str(path.relative_to(self._root))] = path.read_bytes()
        return held

    def ours(self) -> dict[str, bytes | None]:
        held: dict[str, bytes | None] = {}
        for row in self._engine.files.read("/memories"):
            path = (row.external_id or "").removeprefix("/memories/")
            above = path.split("/")[:-1]
            held.update(dict.fromkeys("/".join(above[: n + 1]) for n in range(len(above))))
            if not path.endswith("/"):
                held[path] = row.text.encode("utf-8")
        return held


def without_folder_sizes(answer: str) -> str:
    """A listing with `-` for the size of the folder itself and of those in it."""
    if not answer.startswith("Here're the files"):
        return answer
    header, own, *lines = answer.split("\n")
    kept = [
        "-\t" + line.partition("\t")[2] if line.endswith("/") else line
        for line in ["-\t" + own.partition("\t")[2], *lines]
    ]
    return "\n".join([header, *kept])


def run(sequence: list[Command], store: str) -> None:
    folder = Path(tempfile.mkdtemp(prefix="memstone-memory-tool-", dir=MEMORY_DISK))
    try:
        where = ":memory:" if store == "inmemory" else folder / "home"
        with memstone.open(where, user="ana") as engine:
            pair = Pair(folder, engine)
            for command in sequence:
                pair.does_the_same(command)
            every_version_reads_back(engine)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def every_version_reads_back(engine: Engine) -> None:
    """Each file is the end of its own chain, and each version's handle gives its bytes."""
    for file in engine.files.read("/memories"):
        chain = engine.history(file.id)
        assert chain[-1].id == file.id
        assert all(engine.recover(version.handle) == version.text for version in chain)


def made(path: str, text: str) -> Command:
    return {"command": "create", "path": path, "file_text": text}


GOING_BACK = [
    made("/memories/a", "x"),
    made("/memories/b", "x"),
    {"command": "str_replace", "path": "/memories/a", "old_str": "x", "new_str": "a"},
    {"command": "str_replace", "path": "/memories/a", "old_str": "a", "new_str": "x"},
    {"command": "delete", "path": "/memories/b"},
    made("/memories/b", "x"),
    {"command": "rename", "old_path": "/memories/a", "new_path": "/memories/c/d"},
    made("/memories/a", "x"),
]
FOLDERS = [
    made("/memories/a/b/a", "x"),
    {"command": "delete", "path": "/memories/a/b/a"},
    {"command": "view", "path": "/memories"},
    {"command": "rename", "old_path": "/memories/a/b", "new_path": "/memories/b/a"},
    {"command": "view", "path": "/memories"},
    {"command": "rename", "old_path": "/memories/Z", "new_path": "/memories/Y/Z"},
    {"command": "rename", "old_path": "/memories/a", "new_path": "/memories/a/b/c"},
    {"command": "view", "path": "/memories"},
    {"command": "delete", "path": "/memories/b"},
    {"command": "view", "path": "/memories"},
]


KINDS = ("create", "view", "edit", "insert", "delete", "rename")
WEIGHTS = (4, 3, 6, 5, 1, 2)


def drawn(seed: int) -> list[Command]:
    """Sixty commands; more of them work out than of those that shrink well."""
    dice = random.Random(seed)

    def path() -> str:
        above = [dice.choice("ab") for _ in range(dice.choice((0, 0, 0, 1, 1, 2)))]
        name = dice.choice(("x", "x", "x", "y", "y", dice.choice(NAMES)))
        whole = "/memories/" + "/".join([*above, name])
        return dice.choice((dice.choice(ODD), *[whole] * 19))

    def command() -> Command:
        match dice.choices(KINDS, WEIGHTS)[0]:
            case "create":
                return made(path(), dice.choice(TEXTS))
            case "view":
                lines = [dice.randint(-2, 7) for _ in range(dice.choice((0, 2, 2, 2, 3)))]
                return {"command": "view", "path": path(), "view_range": lines}
            case "edit":
                old, new = dice.choice(PIECES), dice.choice(TEXTS)
                return {"command": "str_replace", "path": path(), "old_str": old, "new_str": new}
            case "insert":
                text, line = dice.choice(TEXTS), dice.choice((0, 0, 1, 1, 2, 3, 7, -1))
                return {
                    "command": "insert",
                    "path": path(),
                    "insert_line": line,
                    "insert_text": text,
                }
            case "delete":
                return {"command": "delete", "path": path()}
            case _:
                return {"command": "rename", "old_path": path(), "new_path": path()}

    return [command() for _ in range(60)]


@given(seed=st.integers(0, 2**32))
@settings(suppress_health_check=list(HealthCheck))
def test_long_sequences_of_random_commands_have_them_too(seed: int) -> None:
    run(drawn(seed), "inmemory")


@given(sequence=st.lists(commands, min_size=1, max_size=40))
@settings(max_examples=150)
@example(sequence=GOING_BACK)
@example(sequence=FOLDERS)
def test_random_commands_have_the_answers_of_the_sdks_own_backend(sequence: list[Command]) -> None:
    run(sequence, "inmemory")


@given(sequence=st.lists(commands, min_size=10, max_size=40))
@settings(max_examples=15)
@example(sequence=GOING_BACK)
@example(sequence=FOLDERS)
def test_random_commands_on_a_store_on_disk_have_them_too(sequence: list[Command]) -> None:
    run(sequence, "sqlite")
