"""Writes: one durable remember, and the rate of an import in batches.

A remember is timed by the clock on the wall, because waiting for the disk is most of it: the
engine is open, `synchronous` is FULL, the text has 40 words. FTS5 beside it writes the same terms
into its index, also FULL, and nothing else (no row, no lineage, no log), so it shows the floor of
the disk, not a rival.
"""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

from benchmarks import corpus
from benchmarks.baselines import Fts5
from benchmarks.metrics import quantile
from benchmarks.report import Figure
from benchmarks.speed import turns
from benchmarks.workspace import default_engine, scratch

if TYPE_CHECKING:
    from collections.abc import Callable

WARM_UP = 5
REMEMBER_LEAST_MS, REMEMBER_AIM_MS = 8.0, 3.0
IMPORT_LEAST, IMPORT_AIM = 500.0, 1_500.0
OTHER_SEED = 7  # texts that no cached store holds


def measure(*, remembers: int = 200, imported: int = 10_000) -> list[Figure]:
    """The figures of `remembers` single writes and of importing `imported` turns."""
    return [*_remember_figures(remembers), _import_figure(imported)]


def _remember_figures(count: int) -> list[Figure]:
    texts = [corpus.memory_text(index, OTHER_SEED) for index in range(count + WARM_UP)]
    with scratch() as folder:
        fts5 = Fts5(str(folder / "fts5.db"), synchronous="FULL")
        with default_engine(folder / "store") as engine:
            ours: list[float] = []
            theirs: list[float] = []
            for number, text in enumerate(texts):
                theirs.append(_wall_ms(partial(fts5.insert, [(number + 1, text)])))
                ours.append(_wall_ms(partial(engine.remember, text)))
        fts5.close()
    ours, theirs = ours[WARM_UP:], theirs[WARM_UP:]
    return [
        Figure(
            key=f"writes.remember.{label}",
            what=f"one durable remember of 40 words, {label}",
            unit="ms wall",
            value=quantile(ours, share),
            fts5=quantile(theirs, share),
            n=count,
            least=REMEMBER_LEAST_MS if label == "p50" else None,
            aim=REMEMBER_AIM_MS if label == "p50" else None,
            lower_is_better=True,
        )
        for label, share in (("p50", 0.5), ("p95", 0.95))
    ]


def _wall_ms(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1_000


def _import_figure(count: int) -> Figure:
    batch = list(turns(count))  # making the texts is not part of the import
    with scratch() as folder, default_engine(folder / "store") as engine:
        wall, cpu = time.perf_counter(), time.process_time()
        report = engine.ingest(batch, source="benchmark")
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    if report.created != count:
        raise RuntimeError(f"{report.created} of {count} turns were stored")
    return Figure(
        key=f"writes.import.{count}",
        what=f"import of {count:,} turns in batches",
        unit="a second (wall)",
        value=count / wall,
        n=count,
        least=IMPORT_LEAST,
        aim=IMPORT_AIM,
        note=f"{count / cpu:,.0f} a CPU second",
    )
