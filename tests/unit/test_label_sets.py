"""The labelled sets for duplicates and conflicts keep their shape: counts, shares, labels, no entry twice.

Whether a rule agrees with the labels is measured by the benchmarks; here only the data is judged. A set that has
quietly lost its held quarter, or lists one pair twice, would give figures that look right and are not.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).resolve().parents[2] / "benchmarks" / "data"
CHINESE = re.compile("[一-鿿]")
LABELS: dict[str, tuple[str, set[Any]]] = {
    "conflicts": ("action", {"supersede", "keep", "possible"}),
    "near_duplicates": ("duplicate", {True, False}),
}
SMALLEST = {"conflicts": 120, "near_duplicates": 140}
COMMON = {"id", "language", "split", "category", "first", "second"}
GIVEN_ALONG = {"subject", "attribute", "speaker", "at"}

Entry = dict[str, Any]


def entries_of(name: str) -> list[Entry]:
    lines = (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def metas_of(entry: Entry) -> list[dict[str, str]]:
    return [entry[key] for key in ("first_meta", "second_meta") if key in entry]


@pytest.fixture(scope="module", params=sorted(LABELS))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def entries(name: str) -> list[Entry]:
    return entries_of(name)


def test_a_set_is_large_enough_and_ids_are_unique(name: str, entries: list[Entry]) -> None:
    assert len(entries) >= SMALLEST[name]
    assert len({entry["id"] for entry in entries}) == len(entries)
    assert all(re.fullmatch(r"[cd]\d{3}", entry["id"]) for entry in entries)


def test_fields_and_labels_are_the_allowed_ones(name: str, entries: list[Entry]) -> None:
    key, allowed = LABELS[name]
    extra = {"first_meta", "second_meta", "replay"} if name == "conflicts" else set()
    for entry in entries:
        assert COMMON | {key} <= entry.keys() <= COMMON | {key} | extra, entry["id"]
        assert entry[key] in allowed, entry["id"]
        assert entry["split"] in {"dev", "held"}, entry["id"]
        assert entry["category"].strip(), entry["id"]


def test_both_texts_are_there_trimmed_and_different(entries: list[Entry]) -> None:
    for entry in entries:
        for text in (entry["first"], entry["second"]):
            assert text, entry["id"]
            assert text == text.strip(), entry["id"]
        assert entry["first"] != entry["second"], entry["id"]


def test_no_pair_and_no_text_stands_twice(entries: list[Entry]) -> None:
    pairs = Counter(frozenset((entry["first"], entry["second"])) for entry in entries)
    assert max(pairs.values()) == 1
    texts = Counter(text for entry in entries for text in (entry["first"], entry["second"]))
    assert [text for text, times in texts.items() if times > 1] == []


def test_half_is_chinese_and_the_language_is_the_one_named(entries: list[Entry]) -> None:
    share = sum(entry["language"] == "zh" for entry in entries) / len(entries)
    assert 0.4 <= share <= 0.6
    for entry in entries:
        assert entry["language"] in {"en", "zh"}, entry["id"]
        for text in (entry["first"], entry["second"]):
            assert bool(CHINESE.search(text)) == (entry["language"] == "zh"), entry["id"]


def test_exactly_a_quarter_is_held_in_each_language_over_all_categories(
    entries: list[Entry],
) -> None:
    held = [entry for entry in entries if entry["split"] == "held"]
    assert len(held) * 4 == len(entries)
    assert Counter(entry["language"] for entry in held) == Counter(
        en=len(held) // 2, zh=len(held) // 2
    )
    assert {entry["category"] for entry in held} == {entry["category"] for entry in entries}


def test_about_half_of_the_labels_ask_for_a_change_in_each_split_and_language(
    name: str, entries: list[Entry]
) -> None:
    key, _ = LABELS[name]
    for field in ("split", "language"):
        for value in {entry[field] for entry in entries}:
            part = [entry for entry in entries if entry[field] == value]
            positive = sum(entry[key] in ("supersede", True) for entry in part)
            assert 0.4 <= positive / len(part) <= 0.6, (field, value)


def test_what_was_given_along_is_readable_and_every_replay_has_its_two_dates() -> None:
    entries = entries_of("conflicts")
    for entry in entries:
        for meta in metas_of(entry):
            assert meta, entry["id"]
            assert meta.keys() <= GIVEN_ALONG, entry["id"]
            assert all(value.strip() for value in meta.values()), entry["id"]
            if "at" in meta:
                assert date.fromisoformat(meta["at"]).isoformat() == meta["at"]
    replays = [entry for entry in entries if entry.get("replay")]
    assert len(replays) >= 8
    for entry in replays:
        assert entry["action"] == "keep"
        assert entry["first_meta"]["at"] < entry["second_meta"]["at"], entry["id"]


def test_the_readme_beside_the_sets_names_their_sizes() -> None:
    text = (DATA / "README.md").read_text(encoding="utf-8")
    for name, (key, _) in LABELS.items():
        entries = entries_of(name)
        (row,) = [line for line in text.splitlines() if line.startswith(f"| `{name}.jsonl`")]
        held = sum(entry["split"] == "held" for entry in entries)
        counts = Counter(entry[key] for entry in entries)
        for number in (len(entries), len(entries) - held, held, *counts.values()):
            assert re.search(rf"\b{number}\b", row), (name, number)
