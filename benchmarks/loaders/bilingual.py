"""Our own set: memories of a person and of a team in English and Chinese, written for this.

It ships with the project, so this figure never says "not run". Two pools, each one store in both
languages: turns of dated conversations, facts, preferences, decisions, some of which supersede an
earlier one. A question is in the language of its gold. A changed fact was either superseded, or
only contradicted by a later turn; its gold is the newest either way. Nothing in a pool answers a
`no-answer` question, though its everyday words are there.

A changed text makes figures that cannot be compared: raise `VERSION`, it is part of the name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.loaders.reading import read_lines
from benchmarks.pools import DataSet, Item, Pool, Question
from memstone.times import parse_time
from memstone.types import Kind

if TYPE_CHECKING:
    from pathlib import Path

VERSION = 1
MEMORIES, QUESTIONS = "memories.jsonl", "questions.jsonl"


def load(path: Path) -> DataSet:
    """One pool for each pool named in the folder `path`; ids are unique in the whole set."""
    memories = read_lines(path / MEMORIES)
    asked = read_lines(path / QUESTIONS)
    pools = tuple(
        Pool(
            name,
            tuple(_item(entry) for entry in memories if entry["pool"] == name),
            tuple(_question(entry) for entry in asked if entry["pool"] == name),
            turns=False,
        )
        for name in dict.fromkeys(entry["pool"] for entry in memories)
    )
    return DataSet(f"{path.name}-{VERSION}", pools)


def _item(entry: dict[str, Any]) -> Item:
    return Item(
        id=entry["id"],
        text=entry["text"],
        session=entry.get("session"),
        speaker=entry.get("speaker"),
        at=parse_time(entry["at"]),
        kind=Kind(entry["kind"]),
        supersedes=entry.get("supersedes"),
    )


def _question(entry: dict[str, Any]) -> Question:
    gold = tuple(entry["gold"])
    return Question(entry["id"], entry["text"], gold, entry["category"], entry["language"])
