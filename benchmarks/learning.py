"""What becomes of statements: changed facts, near duplicates, on sets written for this purpose.

The sets in `benchmarks/data` were labelled by somebody who had not seen the rules; a quarter of
each (`held`) was set aside and is measured with the rest only at the end. Everything goes through
the public API: two remembers and a flush, then a look at what is current.
"""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import memstone

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

DATA = Path(__file__).parent / "data"
DEV, HELD = "dev", "held"
SUPERSEDE, KEEP, POSSIBLE = "supersede", "keep", "possible"


@dataclass(slots=True)
class Tally:
    """Right and wrong decisions, and the ids of the wrong ones."""

    right: int = 0
    wrong: list[str] = field(default_factory=list)
    retired: list[str] = field(default_factory=list)  # a true fact became history

    @property
    def total(self) -> int:
        return self.right + len(self.wrong)

    @property
    def share(self) -> float:
        return self.right / self.total


def entries(name: str, *splits: str) -> Iterator[dict[str, Any]]:
    """The entries of a set, in those splits."""
    with (DATA / name).open(encoding="utf-8") as file:
        for line in file:
            entry = json.loads(line)
            if entry["split"] in splits:
                yield entry


def judge_conflicts(wanted: Iterable[dict[str, Any]]) -> Tally:
    """Whether each pair came out as it is labelled."""
    tally = Tally()
    for entry in wanted:
        superseded = _superseded(entry)
        right = superseded == (entry["action"] == SUPERSEDE)
        if right:
            tally.right += 1
        else:
            tally.wrong.append(entry["id"])
            if superseded:
                tally.retired.append(entry["id"])
    return tally


def _superseded(entry: dict[str, Any]) -> bool:
    """Whether the first text became history when the second came; for a replay, whether the second
    became history when the first came again.
    """
    with memstone.open(":memory:", background=False) as engine:
        first = engine.remember(entry["first"], **_given(entry.get("first_meta")))
        if entry.get("replay"):
            second = engine.supersede(first.id, entry["second"])
            with contextlib.suppress(memstone.TextIsHistory):
                engine.remember(entry["first"], **_given(entry.get("first_meta")))
            engine.flush()
            return not engine.get(second.id).current
        engine.remember(entry["second"], **_given(entry.get("second_meta")))
        report = engine.flush()
        gone = not engine.get(first.id).current
        return gone and first.id not in report.merged


def _given(meta: dict[str, Any] | None) -> dict[str, Any]:
    return {name: value for name, value in (meta or {}).items() if value is not None}


def judge_duplicates(wanted: Iterable[dict[str, Any]]) -> Counter[str]:
    """How many pairs were joined and should be, and so on: `tp`, `fp`, `fn`, `tn`; and ids."""
    found: Counter[str] = Counter()
    for entry in wanted:
        with memstone.open(":memory:", background=False) as engine:
            engine.remember(entry["first"])
            engine.remember(entry["second"])
            joined = bool(engine.flush().merged)
        label = ("tp" if joined else "fn") if entry["duplicate"] else ("fp" if joined else "tn")
        found[label] += 1
        if label in {"fp", "fn"}:
            found[f"{label}:{entry['id']}"] = 1
    return found
