"""Speed of an exact top 20 for six terms, beside FTS5 `bm25()`, and the rate of loading.

The store is filled through `Engine.ingest` and kept in the cache folder. Per query FTS5, our
lexical part and the whole `Engine.recall` are timed one after the other, their order rotating,
so that machine noise falls on all alike. Times are CPU time of the process; every contender has
warm caches and answers the same six terms.
"""

from __future__ import annotations

import gc
import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks import corpus
from benchmarks.baselines import COMMIT_EVERY, Fts5
from benchmarks.lexical import lexical_part
from benchmarks.metrics import quantile
from benchmarks.report import Figure, progress
from benchmarks.workspace import cached, default_engine, store_key
from memstone.types import Turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from benchmarks.corpus import Probe

TERMS = 6
LIMIT = 20
WARM_UP = 10  # queries that are run and not counted
SESSION_LENGTH = 40
FIRST_TURN = 1_704_067_200_000_000  # 2024-01-01: a million minutes later is still past
TURN_STEP = 60_000_000  # one turn a minute
# What a part promises: (part, size) -> (at least, aim), × FTS5
TARGETS = {
    ("lexical", 100_000): (2.5, 4.0),
    ("lexical", 1_000_000): (8.0, 15.0),
    ("recall", 100_000): (1.5, 2.5),
    ("recall", 1_000_000): (4.0, 8.0),
}


@dataclass(frozen=True, slots=True)
class Loading:
    """What filling the store cost. Rates are memories a second."""

    memories: int
    wall_s: float
    cpu_s: float
    fts5_cpu_s: float
    file_bytes: int
    fts5_bytes: int


def turns(size: int) -> Iterator[Turn]:
    """The corpus as turns of sessions, a minute apart."""
    for index, text in enumerate(corpus.memories(size)):
        yield Turn(
            text=text,
            speaker=None,
            session=f"session-{index // SESSION_LENGTH}",
            at=FIRST_TURN + index * TURN_STEP,
            ordinal=index % SESSION_LENGTH,
        )


def built_store(size: int) -> Path:
    """The folder with `store/` (ours), `fts5.db` and `loading.json`; built when missing."""
    return cached(store_key(size), lambda folder: _build(folder, size))


def _build(folder: Path, size: int) -> None:
    progress(f"building a store of {size:,} memories (kept for the next run)")
    wall, cpu = time.perf_counter(), time.process_time()
    with default_engine(folder / "store") as engine:
        report = engine.ingest(turns(size), source="benchmark")
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    if report.created != size:
        raise RuntimeError(f"{report.created} of {size} memories were stored: {report.skipped[:3]}")
    fts5_cpu = time.process_time()
    _build_fts5(folder / "fts5.db", size)
    fts5_cpu = time.process_time() - fts5_cpu
    loading = {
        "memories": size,
        "wall_s": wall,
        "cpu_s": cpu,
        "fts5_cpu_s": fts5_cpu,
        "file_bytes": (folder / "store" / "mem.db").stat().st_size,
        "fts5_bytes": (folder / "fts5.db").stat().st_size,
    }
    (folder / "loading.json").write_text(json.dumps(loading), encoding="utf-8")


def _build_fts5(path: Path, size: int) -> None:
    index = Fts5(str(path))
    rows: list[tuple[int, str]] = []
    for row, text in enumerate(corpus.memories(size), 1):
        rows.append((row, text))
        if len(rows) == COMMIT_EVERY or row == size:
            index.insert(rows)
            rows = []
    index.optimize()
    index.close()


def interleave(
    queries: Sequence[Probe], contenders: Sequence[tuple[str, Callable[[Probe], object]]]
) -> dict[str, list[float]]:
    """CPU milliseconds of every contender for every query after the warm-up, by name."""
    times: dict[str, list[float]] = {name: [] for name, _ in contenders}
    for number, query in enumerate(queries):
        turn = number % len(contenders)
        for name, answer in [*contenders[turn:], *contenders[:turn]]:
            gc.collect(0)
            started = time.process_time()
            answer(query)
            elapsed = (time.process_time() - started) * 1_000
            if number >= WARM_UP:
                times[name].append(elapsed)
    return times


def read_through(file: Path) -> None:
    """Read a file once, so that nobody is measured while the system fetches it from the disk."""
    with file.open("rb") as stream:
        while stream.read(1 << 20):
            pass


def measure(size: int, *, queries: int = 150) -> list[Figure]:
    """The figures of a store of `size` memories."""
    folder = built_store(size)
    loading = Loading(**json.loads((folder / "loading.json").read_text(encoding="utf-8")))
    probes = corpus.queries(queries + WARM_UP, size, terms=TERMS)
    for file in (folder / "fts5.db", folder / "store" / "mem.db"):
        read_through(file)
    fts5 = Fts5(str(folder / "fts5.db"))
    with default_engine(folder / "store") as engine:
        lexical = lexical_part(engine)
        times = interleave(
            probes,
            [
                ("fts5", lambda probe: fts5.top(probe.terms, LIMIT)),
                ("lexical", lambda probe: lexical(probe.terms, LIMIT)),
                (
                    "recall",
                    lambda probe: engine.recall(
                        probe.text, limit=LIMIT, budget=0, min_score=0, touch=False
                    ),
                ),
            ],
        )
        # By itself: half a second of it at a million leaves whoever comes next a cold processor.
        by_rank = [("fts5 rank", lambda probe: fts5.top_by_rank(probe.terms, LIMIT))]
        times |= interleave(probes, by_rank)
    fts5.close()
    return [*_query_figures(size, times), *_loading_figures(size, loading)]


def _query_figures(size: int, times: dict[str, list[float]]) -> list[Figure]:
    parts = (
        ("lexical", f"{size:,} memories, exact top {LIMIT} for {TERMS} terms"),
        ("recall", f"{size:,} memories, whole recall(limit={LIMIT})"),
    )
    statistics: tuple[tuple[str, Callable[[list[float]], float]], ...] = (
        ("p50", lambda values: quantile(values, 0.5)),
        ("p95", lambda values: quantile(values, 0.95)),
        ("mean", lambda values: sum(values) / len(values)),
    )
    by_rank = quantile(times["fts5 rank"], 0.5)
    made = []
    for name, what in parts:
        for label, statistic in statistics:
            ours, theirs = statistic(times[name]), statistic(times["fts5"])
            promised = label == "p50"
            least, aim = TARGETS.get((name, size), (None, None))
            made.append(
                Figure(
                    key=f"speed.{size}.{name}.{label}",
                    what=f"{what}, {label}",
                    unit="ms CPU",
                    value=ours,
                    fts5=theirs,
                    ratio=theirs / ours,
                    n=len(times[name]),
                    least=least if promised else None,
                    aim=aim if promised else None,
                    judged="ratio",
                    lower_is_better=True,
                    note=f"FTS5 with `ORDER BY rank`: {by_rank:.1f} ms" if promised else "",
                )
            )
    return made


def _loading_figures(size: int, loading: Loading) -> list[Figure]:
    return [
        Figure(
            key=f"speed.{size}.loading",
            what=f"loading {size:,} memories",
            unit="a second (wall)",
            value=size / loading.wall_s,
            note=f"CPU {loading.cpu_s:.0f} s; FTS5 and analysis alone {loading.fts5_cpu_s:.0f} s",
        ),
        Figure(
            key=f"speed.{size}.disk",
            what=f"{size:,} memories on disk",
            unit="bytes a memory",
            value=loading.file_bytes / size,
            fts5=loading.fts5_bytes / size,
            lower_is_better=True,
            note="FTS5: its index alone, without any text",
        ),
    ]
