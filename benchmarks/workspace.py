"""Where benchmarks keep what is dear to build, and folders they throw away.

`MEMSTONE_BENCH_CACHE` names the folder; by default it is `.build/bench` in the project. A cached
entry is built under a partial name and renamed when complete, so a killed run leaves nothing that
looks finished. The key of a store holds everything that would change its bytes: analyser, corpus,
size, schema, and the source of the analyser itself.

Engines are opened with default settings, so `MEMSTONE_…` variables of whoever runs the benchmarks
are out of sight while one opens.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import memstone
from benchmarks import corpus
from memstone import analysis
from memstone.engine.base import wall_clock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from memstone.engine import Engine

SETTING_PREFIX = "MEMSTONE_"
OF_QUERIES = frozenset(
    {"focus.py", "plain.py", "query.py", "stopwords.py", "words.py"}
)  # what is stored is not theirs
CACHE_VARIABLE = "MEMSTONE_BENCH_CACHE"
PROJECT = Path(__file__).parent.parent
PACKAGE = Path(analysis.__file__).parent.parent


def cache_folder() -> Path:
    """The folder for cached stores; made if missing."""
    named = os.environ.get(CACHE_VARIABLE)
    folder = Path(named) if named else PROJECT / ".build" / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder on the cache's disk (a RAM disk would make `fsync` free), removed at the end."""
    with tempfile.TemporaryDirectory(dir=cache_folder(), prefix="scratch-") as folder:
        yield Path(folder)


def cached(key: str, build: Callable[[Path], None]) -> Path:
    """The folder of the entry `key`, built by `build` if it is not there yet."""
    final = cache_folder() / key
    if final.is_dir():
        return final
    partial = final.with_name(final.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(mode=0o700)
    build(partial)
    partial.rename(final)
    return final


def without_settings(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment without any `MEMSTONE_…` variable.

    >>> without_settings({"MEMSTONE_RECALL_LIMIT": "9", "LANG": "C"})
    {'LANG': 'C'}
    """
    return {name: value for name, value in environ.items() if not name.startswith(SETTING_PREFIX)}


@contextmanager
def default_engine(folder: Path, *, now: int | None = None) -> Iterator[Engine]:
    """An engine on the store in `folder`, with default settings whatever the environment says; for
    it the time stands still at `now` (microseconds), if given. What it would do in the background
    is left to `flush`, so that it falls into no other measurement.
    """
    kept = dict(os.environ)
    try:
        for name in set(kept) - set(without_settings(kept)):
            del os.environ[name]
        clock = wall_clock if now is None else lambda: now
        engine = memstone.open(folder, clock=clock, background=False)
    finally:
        os.environ.update(kept)
    with engine:
        yield engine


def store_key(size: int, *, package: Path = PACKAGE) -> str:
    """The cache key of a store of `size` synthetic memories."""
    digest = hashlib.sha256()
    analyser = (p for p in (package / "analysis").rglob("*.py") if p.name not in OF_QUERIES)
    schema = (package / "storage" / "sqlite").rglob("*.sql")
    for source in sorted([*analyser, *schema]):
        digest.update(source.read_bytes())
    made = f"corpus{corpus.VERSION}-seed{corpus.SEED}"
    return f"{analysis.INDEX}-{made}-{size}-{digest.hexdigest()[:12]}"
