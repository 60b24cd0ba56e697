"""How often `screening` would hold an ordinary text of low trust back: its false alarms.

Nobody gives a model orders in the public sets, so that every reason found in one of their texts is
a false alarm. What is missed cannot be measured like this; the tests keep hostile examples of ours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks import loaders
from benchmarks.report import Figure, not_run, progress
from memstone.screening import reasons

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SETS = ("locomo", "memdaily", "beam", "cmrc")
MOST_HELD = 0.005
WHAT = "ordinary texts of {} that screening would hold"


def measure(folder: Path | None, *, at_most: int | None = None) -> list[Figure]:
    """The share of texts with any reason, by set and over all of them in `folder`."""
    if folder is None:
        return [not_run("holding", "holding", f"`{loaders.DATA_VARIABLE}` names no folder")]
    held: dict[str, list[bool]] = {}
    for name in SETS:
        for path in loaders.files(name, folder):
            progress(f"holding: {path.stem} …")
            texts = [item.text for pool in loaders.load(name, path).pools for item in pool.items]
            held.setdefault(name, []).extend(bool(reasons(text)) for text in texts[:at_most])
    if not held:
        return [not_run("holding", "holding", "no data set found")]
    everything = [each for found in held.values() for each in found]
    total = _figure("holding", "all sets", everything, least=MOST_HELD)
    return [total, *(_figure(f"holding.{name}", name, found) for name, found in held.items())]


def _figure(key: str, name: str, held: Sequence[bool], *, least: float | None = None) -> Figure:
    return Figure(
        key=key,
        what=WHAT.format(name),
        unit="share",
        value=sum(held) / len(held),
        n=len(held),
        least=least,
        lower_is_better=True,
    )
