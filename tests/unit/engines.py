"""Engines for tests of the write path: both stores, a clock that stands at noon until moved."""

from __future__ import annotations

import io
from contextlib import contextmanager
from typing import TYPE_CHECKING

from memstone.config import load
from memstone.engine import Engine
from memstone.storage.inmemory import InMemoryStore
from memstone.storage.sqlite.store import open_store
from memstone.times import from_micros, parse_time
from memstone.types import Scope, Turn

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

    from memstone.types import ImportReport, Memory

NOON = parse_time("2026-08-13T12:00:00Z")
HOUR = 3_600_000_000
DAY = 24 * HOUR
STORES = ("sqlite", "inmemory")
ATLAS = Scope("ana", "atlas")


class Clock:
    """Tells the time it was last set to, in microseconds."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> int:
        return self.now

    def passes(self, microseconds: int) -> None:
        self.now += microseconds


def hours(number: float) -> datetime:
    """That many hours after noon."""
    return from_micros(NOON + int(number * HOUR))


def empty(clock: Clock) -> Engine:
    """An engine in memory with nothing in it."""
    chosen = load("/nowhere", overrides={"user": "ana"}, environ={})
    return Engine(InMemoryStore(), chosen, Scope("ana"), clock=clock)


@contextmanager
def opened(store: str, folder: Path, clock: Clock) -> Iterator[Engine]:
    """An empty engine on one of `STORES`, closed at the end."""
    sqlite = store == "sqlite"
    if not sqlite:
        engine = empty(clock)
    else:  # as `user: ana` in config.yaml makes it: ana is the local user here
        own = load(str(folder), overrides={"user": "ana"}, environ={})
        engine = Engine(open_store(str(folder / "mem.db")), own, Scope("ana"), clock=clock)
    with engine:
        yield engine


def texts(memories: list[Memory]) -> list[str]:
    return [memory.text for memory in memories]


def recalled(engine: Engine, query: str, **options: object) -> list[str]:
    """The texts that a recall finds without a floor, best first."""
    found = engine.recall(query, min_score=0, **options)  # type: ignore[arg-type]
    return [hit.memory.text for hit in found]


def exported(engine: Engine) -> str:
    lines: list[str] = []
    engine.export(lines.append)
    return "".join(lines)


def restore(engine: Engine, lines: str) -> ImportReport:
    """Import what `exported` gave."""
    return engine.import_file(io.BytesIO(lines.encode("utf-8")))


def said(text: str, *, external_id: str | None = None, ordinal: int | None = None) -> Turn:
    """A turn of Ana's in session 一."""
    return Turn(
        text=text,
        speaker="Ana",
        session="一",
        at=NOON,
        external_id=external_id,
        ordinal=ordinal,
    )
