"""Opening: from a path and settings to an engine, and the settings file itself.

The only place that chooses adapters. Where the store lies and whose memories it shows is decided
here, before anything is opened.
"""

from __future__ import annotations

import os

from memstone import config
from memstone.config import data_home
from memstone.engine.core import Engine, wall_clock
from memstone.storage.sqlite.store import open_store
from memstone.types import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

STORE_FILE = "mem.db"


def open(  # noqa: A001  (`memstone.open`, as users call it)
    path: str | os.PathLike[str] | None = None,
    *,
    user: str | None = None,
    project: str = "",
    agent: str = "",
    surface: str = "python",
    clock: Callable[[], int] = wall_clock,
    **settings: object,
) -> Engine:
    """An engine on the store at `path`: a folder, or a file ending in `.db`; made if missing.

    Without a path, `MEMSTONE_HOME` or the platform's data folder. Keyword settings are those of
    `config.yaml` (`recall_budget=500`). Raises `StoreError`s and `ConfigError`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, open(folder) as engine:
    ...     _ = engine.remember("The budget is 200")
    ...     [hit.text for hit in engine.recall("budget")]
    ['The budget is 200']
    """
    home, file = _locate(path)
    # only a project named by its root has a settings file; a bare name is not a path
    root = project if os.path.isabs(project) and "\0" not in project else ""
    loaded = config.load(home, project=root, overrides={"user": user, **settings})
    scope = Scope(loaded.user, project, agent)
    return Engine(open_store(file), loaded, scope, surface=surface, clock=clock)


def _locate(path: str | os.PathLike[str] | None) -> tuple[str, str]:
    """The data folder and the store's file."""
    if path is None:
        home = data_home(os.environ)
        return home, os.path.join(home, STORE_FILE)
    name = os.path.abspath(os.fspath(path))
    if name.endswith(".db"):
        return os.path.dirname(name), name
    return name, os.path.join(name, STORE_FILE)


def initialize(home: str | None = None) -> tuple[str, bool]:
    """Write a commented `config.yaml` with every default into the data folder.

    Returns its path and whether it was written now; a file that is there stays as it is.
    """
    return config.write_default(home or data_home(os.environ))


def describe_settings(
    home: str | None = None, *, project: str = ""
) -> tuple[tuple[str, object, str], ...]:
    """Every setting in force as (name, value, origin); opens no store. Raises `ConfigError`."""
    loaded = config.load(home, project=project)
    return tuple((line.name, line.value, line.origin) for line in config.describe(loaded))
