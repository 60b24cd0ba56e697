"""The labelled snippets for what matters and for small talk keep their shape; see
`test_label_sets.py` for why only the data is judged here.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).resolve().parents[2] / "benchmarks" / "data"
EACH_LANGUAGE = {"small_talk": 30, "important": 60}


def entries_of(name: str) -> list[dict[str, Any]]:
    lines = (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("name", sorted(EACH_LANGUAGE))
def test_both_languages_have_as_many_snippets_and_a_quarter_is_held(name: str) -> None:
    entries = entries_of(name)
    assert len({entry["id"] for entry in entries}) == len(entries)
    assert len({json.dumps(entry["turns"]) for entry in entries}) == len(entries)
    counts = Counter((entry["language"], entry["split"]) for entry in entries)
    for language in ("en", "zh"):
        whole = counts[language, "dev"] + counts[language, "held"]
        assert whole == EACH_LANGUAGE[name]
        assert counts[language, "held"] == round(whole / 4)
    assert sum(counts.values()) == 2 * EACH_LANGUAGE[name]


def test_each_important_statement_stands_in_its_turn_and_every_category_is_held_too() -> None:
    entries = entries_of("important")
    for entry in entries:
        statement = entry["statement"]
        assert statement["text"] in entry["turns"][statement["turn"]]["text"]
    categories = Counter((entry["language"], entry["category"]) for entry in entries)
    assert set(categories.values()) == {10}
    assert {(e["language"], e["category"]) for e in entries if e["split"] == "held"} == set(
        categories
    )
