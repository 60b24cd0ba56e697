"""The composition root: `open(…) -> Engine`. Wires adapters to services and reads the clock."""

from memstone.config import data_home
from memstone.engine.base import wall_clock
from memstone.engine.calling import holds_secret
from memstone.engine.core import Engine
from memstone.engine.opening import (
    describe_settings,
    initialize,
    missing,
    open,  # noqa: A004
    open_existing,
    open_hook,
    open_later,
    storage_versions,
    unknown_variables,
)
from memstone.engine.switching import (
    Switches,
    check_on,
    pause,
    resume,
    set_incognito,
    switches,
)
from memstone.project import project_of

__all__ = [
    "Engine",
    "Switches",
    "check_on",
    "data_home",
    "describe_settings",
    "holds_secret",
    "initialize",
    "missing",
    "open",
    "open_existing",
    "open_hook",
    "open_later",
    "pause",
    "project_of",
    "resume",
    "set_incognito",
    "storage_versions",
    "switches",
    "unknown_variables",
    "wall_clock",
]
