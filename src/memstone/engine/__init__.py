"""The composition root: `open(…) -> Engine`. Wires adapters to services and reads the clock."""

from memstone.config import data_home
from memstone.engine.base import wall_clock
from memstone.engine.core import Engine
from memstone.engine.opening import (
    describe_settings,
    initialize,
    missing,
    open,  # noqa: A004
    open_existing,
    open_later,
)
from memstone.project import project_of

__all__ = [
    "Engine",
    "data_home",
    "describe_settings",
    "initialize",
    "missing",
    "open",
    "open_existing",
    "open_later",
    "project_of",
    "wall_clock",
]
