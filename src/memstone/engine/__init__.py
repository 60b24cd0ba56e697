"""The composition root: `open(…) -> Engine`. Wires adapters to services and reads the clock."""

from memstone.config import data_home
from memstone.engine.base import wall_clock
from memstone.engine.core import Engine
from memstone.engine.opening import describe_settings, initialize, open  # noqa: A004
from memstone.project import project_of

__all__ = [
    "Engine",
    "data_home",
    "describe_settings",
    "initialize",
    "open",
    "project_of",
    "wall_clock",
]
