"""Ways to run the command `cavemem` as a process, and to make the databases of its ancestor."""

from __future__ import annotations

import hashlib
import json
import math
import os
import sqlite3
import subprocess
import sys
import unicodedata
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.acceptance.cli import SOURCES, SYSTEM, Answer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

PROGRAM = [
    sys.executable, "-W", "error", "-X", "warn_default_encoding", "-m", "memstone.surfaces.compat",
]  # fmt: skip
CAP = 262_144
STOP_WORDS = {
    "a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "how", "in", "is", "it", "of",
    "on", "or", "that", "the", "this", "to", "was", "what", "when", "where", "which", "who", "why",
    "with",
}  # fmt: skip
SEVEN_COLUMNS = """
    CREATE TABLE memories (
        id TEXT PRIMARY KEY, text TEXT NOT NULL, created_at TEXT NOT NULL,
        valid_from TEXT NOT NULL, valid_until TEXT, supersedes TEXT, superseded_by TEXT
    );
    CREATE INDEX idx_memories_current ON memories (valid_until);
    CREATE INDEX idx_memories_supersedes ON memories (supersedes);
    CREATE INDEX idx_memories_superseded_by ON memories (superseded_by);
"""
THREE_COLUMNS = "CREATE TABLE memories (id TEXT PRIMARY KEY, text TEXT, created_at TEXT)"
RECOVERIES = """
    CREATE TABLE recoveries (
        handle TEXT PRIMARY KEY, created_at TEXT NOT NULL, content_type TEXT NOT NULL,
        compressor TEXT NOT NULL, tokens_before INTEGER NOT NULL, tokens_after INTEGER NOT NULL,
        original BLOB NOT NULL, metadata BLOB
    );
"""


def id_of(text: str | bytes) -> str:
    """The id that a text is born with."""
    data = text.encode("utf-8") if isinstance(text, str) else text
    return "mem_" + hashlib.sha256(data).hexdigest()[:16]


def handle_of(text: str) -> str:
    """The recovery handle of a text."""
    return "ccr_" + hashlib.sha256(text.encode("utf-8")).hexdigest()[:32]


@dataclass(frozen=True)
class Cavemem:
    """The command with `CAVEMAN_HOME` set, or without it if `base` is None."""

    folder: Path  # HOME
    base: Path | None = None
    more: Mapping[str, str] | None = None

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in SYSTEM if name in os.environ}
        named = {} if self.base is None else {"CAVEMAN_HOME": str(self.base)}
        home = {"HOME": str(self.folder), "USERPROFILE": str(self.folder)}
        data = {"MEMSTONE_HOME": str(self.folder / "memstone")}
        return kept | {"PYTHONPATH": str(SOURCES)} | home | data | named | dict(self.more or {})

    @property
    def database(self) -> Path:
        """Where the store lies."""
        if self.base is None:
            return self.folder / "memstone" / "mem.db"
        return self.base / "mem" / "mem.db"

    def __call__(self, *words: str | bytes, stdin: bytes = b"") -> Answer:
        done = subprocess.run(
            [*PROGRAM, *words],
            input=stdin,
            capture_output=True,
            env=self.environment,
            timeout=120,
            check=False,
        )
        return Answer(done.returncode, done.stdout, done.stderr)

    def memstone(self, *words: str) -> Answer:
        """The command `memstone` on the same store."""
        done = subprocess.run(
            [sys.executable, "-m", "memstone", *words, "--home", str(self.database.parent)],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            env=self.environment,
            timeout=120,
            check=False,
        )
        return Answer(done.returncode, done.stdout, done.stderr)

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        """The command started and not waited for."""
        return subprocess.Popen(
            [*PROGRAM, *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.environment,
        )

    def remember(self, text: str) -> str:
        """The id of a text remembered."""
        identity: str = self("remember", text).ok().document["id"]
        return identity

    def hits(self, query: str, *numbers: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self("recall", query, *numbers).ok().document["hits"]
        return found

    def history(self, id_: str) -> list[dict[str, Any]]:
        versions: list[dict[str, Any]] = self("history", id_).ok().document["history"]
        return versions

    def talk(self, *lines: bytes | str | Mapping[str, Any], words: Sequence[str] = ()) -> list[Any]:
        """What the MCP server answers to those lines, parsed."""
        sent = b"".join(
            (line if isinstance(line, bytes) else spelt(line).encode("utf-8")) + b"\n"
            for line in lines
        )
        answer = self(*words, stdin=sent).ok()
        return [json.loads(line) for line in answer.out.decode("utf-8").splitlines()]

    def tool(self, name: str, **arguments: object) -> tuple[bool, Any]:
        """Whether a tool call succeeded, and the document in its text item."""
        params = {"name": name, "arguments": arguments}
        (reply,) = self.talk({"id": 1, "method": "tools/call", "params": params})
        return opened(reply)

    def fill(self, texts: Iterable[str]) -> list[str]:
        """The ids of many texts remembered through one server."""
        calls = [call(n, "cavemem_remember", text=text) for n, text in enumerate(texts, 1)]
        return [opened(reply)[1]["id"] for reply in self.talk(*calls)]


def call(number: int, name: str, **arguments: object) -> dict[str, Any]:
    """A tool call as a request."""
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def opened(reply: Any) -> tuple[bool, Any]:
    """Whether a tool call succeeded, and the document in its text item."""
    (item,) = reply["result"]["content"]
    assert item["type"] == "text"
    return not reply["result"].get("isError", False), json.loads(item["text"])


def spelt(line: str | Mapping[str, Any]) -> str:
    return line if isinstance(line, str) else json.dumps(line, ensure_ascii=False)


def make_database(path: Path, rows: Iterable[Sequence[object]], *, columns: int = 7) -> None:
    """A database of the ancestor's, closed again; in a process that never opens it otherwise."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(SEVEN_COLUMNS if columns == 7 else THREE_COLUMNS)
        marks = ", ".join("?" * columns)
        connection.executemany(f"INSERT INTO memories VALUES ({marks})", list(rows))
        connection.commit()


def chain(*versions: tuple[str, str]) -> list[tuple[object, ...]]:
    """Rows of one fact that changed: texts with the times at which they were stored."""
    ids = [id_of(text) for text, _ in versions]
    rows: list[tuple[object, ...]] = []
    for number, (text, at) in enumerate(versions):
        last = number + 1 == len(versions)
        until, newer = (None, None) if last else (versions[number + 1][1], ids[number + 1])
        rows.append((ids[number], text, at, at, until, ids[number - 1] if number else None, newer))
    return rows


def seed_tokens(text: str) -> list[str]:
    """The ancestor's tokeniser, character by character, as its description says."""
    found: list[str] = []
    word = ""
    for char in text:
        lowered = "i" if char == "İ" else char.lower()
        for one in lowered:
            if unicodedata.category(one) in {"Lu", "Ll", "Lt", "Lm", "Lo", "Nd"}:
                word += one
            else:
                found.append(word)
                word = ""
    return [each for each in [*found, word] if each and each not in STOP_WORDS]


def seed_scores(texts: Mapping[str, str], query: str) -> dict[str, float]:
    """The ancestor's score of every text that has any, by its key."""
    tokens = {key: seed_tokens(text) for key, text in texts.items()}
    total = sum(map(len, tokens.values()))
    scores: dict[str, float] = {}
    if not total:
        return scores
    average = total / len(tokens)
    for term in set(seed_tokens(query)):
        df = sum(term in each for each in tokens.values())
        idf = math.log(1 + (len(tokens) - df + 0.5) / (df + 0.5))
        for key, each in tokens.items():
            count = Counter(each)[term]
            if count:
                norm = 1.5 * (1 - 0.75 + 0.75 * len(each) / average)
                scores[key] = scores.get(key, 0.0) + idf * count * 2.5 / (count + norm)
    return scores
