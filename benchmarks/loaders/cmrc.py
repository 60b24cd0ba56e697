"""CMRC 2018 and DRCD in their public (SQuAD) layout: a question asks for its paragraph.

All paragraphs form one pool of facts. Two paragraphs with the same text are one item, because a
store keeps one memory for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.loaders.reading import read_json
from benchmarks.pools import DataSet, Item, Pool, Question

if TYPE_CHECKING:
    from pathlib import Path


def load(path: Path) -> DataSet:
    """One pool; ids are the paragraphs' own."""
    by_text: dict[str, str] = {}
    asked: list[Question] = []
    for article in read_json(path)["data"]:
        for paragraph in article["paragraphs"]:
            own = str(paragraph.get("id") or f"{article.get('id')}/{len(by_text)}")
            key = by_text.setdefault(paragraph["context"], own)
            asked += [
                Question(str(entry["id"]), entry["question"], (key,), "paragraph")
                for entry in paragraph["qas"]
            ]
    items = tuple(Item(key, text) for text, key in by_text.items())
    return DataSet(path.stem, (Pool(path.stem, items, tuple(asked), turns=False),))
