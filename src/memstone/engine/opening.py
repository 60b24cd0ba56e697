"""Opening: from a path and settings to an engine, and the settings file itself.

The only place that chooses adapters. Where the store lies and whose memories it shows is decided
here, before anything is opened.
"""

from __future__ import annotations

import os

from memstone import config
from memstone.config import data_home
from memstone.engine.base import wall_clock
from memstone.engine.core import Engine
from memstone.errors import InvalidInput
from memstone.storage.sqlite.store import open_store
from memstone.types import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memstone.protocols import Store

STORE_FILE = "mem.db"
IN_MEMORY = ":memory:"
FILE_ENDINGS = (".db", ".sqlite", ".sqlite3")  # a name that ends so is the file itself


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
    """An engine on the store at `path`, made if missing: a folder, or a `.db` or `.sqlite` file.

    Without a path, `MEMSTONE_HOME` or the platform's data folder; `":memory:"` is a store in memory
    that is gone with the engine, for tests. Keyword settings are those of
    `config.yaml` (`recall_budget=500`). Raises `StoreError`s and `ConfigError`.

    Memories belong to `user` (the local one), `project` and `agent`; empty means shared at that
    level. The command line names the project after the repository it runs in: give
    `project=project_of(".")` (in `memstone.engine`) to see the same memories.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, open(folder) as engine:
    ...     _ = engine.remember("The budget is 200")
    ...     [hit.text for hit in engine.recall("budget")]
    ['The budget is 200']
    """
    home, file = _locate(path)
    scope_of = {"project": project, "agent": agent}
    # only a project named by its root has a settings file; a bare name is not a path
    root = project if isinstance(project, str) and os.path.isabs(project) else ""
    root = "" if "\0" in root else root
    loaded = config.load(home, project=root, overrides=settings)
    own = Scope(loaded.user)
    scope = Scope(user or loaded.user, **scope_of)
    store: Store = open_store(file) if file else _in_memory()
    return Engine(store, loaded, scope, home=own, surface=surface, clock=clock)


def _in_memory() -> Store:
    from memstone.storage.inmemory import InMemoryStore

    return InMemoryStore()


def _locate(path: str | os.PathLike[str] | None) -> tuple[str, str]:
    """The data folder and the store's file; no file for a store in memory."""
    if path is None or path == IN_MEMORY:
        home = data_home(os.environ)
        return home, "" if path == IN_MEMORY else os.path.join(home, STORE_FILE)
    try:
        name = os.path.abspath(os.fsdecode(path))
        os.fsencode(name)
        named = "\0" not in name
    except (TypeError, UnicodeEncodeError):
        named = False
    if not named:
        raise InvalidInput(f"path: {path!r} is not the name of a file or folder", name="path")
    if name.endswith(FILE_ENDINGS):
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
