"""Opening: from a path and settings to an engine, and the settings file itself.

The only place that chooses adapters. Where the store lies and whose memories it shows is decided
here, before anything is opened.
"""

from __future__ import annotations

import os
import stat

from memstone import config, wire
from memstone.config import data_home
from memstone.engine.base import wall_clock
from memstone.engine.calling import checked
from memstone.engine.core import Engine
from memstone.errors import InvalidInput, StoreMissing
from memstone.storage.sqlite.store import open_store
from memstone.types import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from memstone.protocols import Snapshot, Store, SummarizerLike, Transaction
    from memstone.types import ChangeNote

STORE_FILE = "mem.db"
HOOK_PATIENCE_S = 1.0  # a hook ends within two seconds, whatever holds the lock
IN_MEMORY = ":memory:"
FILE_ENDINGS = (".db", ".sqlite", ".sqlite3")  # a name that ends so is the file itself


@checked
def open(  # noqa: A001  (`memstone.open`, as users call it)
    path: str | os.PathLike[str] | None = None,
    *,
    user: str | None = None,
    project: str = "",
    agent: str = "",
    surface: str = "python",
    clock: Callable[[], int] = wall_clock,
    background: bool = True,
    summarizer: SummarizerLike | None = None,
    **settings: object,
) -> Engine:
    """An engine on the store at `path`, made if missing: a folder, or a `.db` or `.sqlite` file.

    Without a path, `MEMSTONE_HOME` or the platform's data folder; `":memory:"` is a store in memory
    that is gone with the engine, for tests. Keyword settings are those of
    `config.yaml` (`recall_budget=500`). Raises `StoreError`s and `ConfigError`.

    Memories belong to `user` (the local one), `project` and `agent`; empty means shared at that
    level. The command line names the project after the repository it runs in: give
    `project=project_of(".")` (in `memstone.engine`) to see the same memories.

    Cards, duplicates and conflicts are worked out by a thread of this process that is there only
    while something is pending; without `background`, `flush` or `memstone work` does it. No model
    is called unless the settings name one or `summarizer` is given: a `protocols.Summarizer`, or a
    function that gets a prompt and returns a card as JSON.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, open(folder) as engine:
    ...     _ = engine.remember("The budget is 200")
    ...     [hit.text for hit in engine.recall("budget")]
    ['The budget is 200']
    """
    scope = {"user": user, "project": project, "agent": agent}
    surface = wire.unicode_text(surface, name="surface")
    return _engine(
        open_store,
        path,
        scope=scope,
        surface=surface,
        clock=clock,
        settings=settings,
        background=background,
        summarizer=summarizer,
    )


def open_apart(
    path: str,
    *,
    surface: str,
    clock: Callable[[], int] = wall_clock,
    background: bool = False,
    **settings: object,
) -> Engine:
    """As `open`, for a store beside which another program keeps its settings: ours are then those
    of the default data folder.
    """
    return _engine(
        open_store,
        path,
        scope={},
        surface=surface,
        clock=clock,
        settings=settings,
        background=background,
        config_home=data_home(os.environ),
    )


def open_existing(
    path: str | os.PathLike[str] | None = None,
    *,
    surface: str,
    clock: Callable[[], int] = wall_clock,
    **scope: str | None,
) -> Engine:
    """As `open`, but where there is no store the engine sees an empty one, and nothing is made:
    `missing` says so.
    """
    return _engine(_existing, path, scope=scope, surface=surface, clock=clock, settings={})


def open_later(
    path: str | os.PathLike[str] | None = None,
    *,
    surface: str,
    clock: Callable[[], int] = wall_clock,
    **scope: str | None,
) -> Engine:
    """As `open`, but a store that is not there is made by the first thing written or read, so
    that a text that is refused makes no file.
    """
    return _engine(_later, path, scope=scope, surface=surface, clock=clock, settings={})


def open_hook(
    path: str | os.PathLike[str] | None = None,
    *,
    surface: str,
    clock: Callable[[], int] = wall_clock,
    **scope: str | None,
) -> Engine:
    """As `open`, for a caller that must not wait, make or upgrade anything: no lock is waited for
    longer than `HOOK_PATIENCE_S`. Raises `StoreMissing`, `StoreOlder` and what `open` raises.
    """
    return _engine(_at_once, path, scope=scope, surface=surface, clock=clock, settings={})


def _engine(
    make: Callable[[str], Store],
    path: str | os.PathLike[str] | None,
    *,
    scope: Mapping[str, str | None],
    surface: str,
    clock: Callable[[], int],
    settings: Mapping[str, object],
    background: bool = False,
    config_home: str | None = None,
    summarizer: SummarizerLike | None = None,
) -> Engine:
    """The engine on the store that `make` gives for the file that `path` means. The settings are
    those beside it, or in `config_home`.
    """
    home, file = _locate(path)
    home = home if config_home is None else config_home
    project, agent = scope.get("project"), scope.get("agent")
    # only a project named by its root has a settings file; a bare name is not a path
    root = project if isinstance(project, str) and os.path.isabs(project) else ""
    root = "" if "\0" in root else root
    loaded = config.load(home, project=root, overrides=settings)
    seen = Scope(
        scope.get("user") or loaded.user,
        project="" if project is None else project,
        agent="" if agent is None else agent,
    )
    store: Store = make(file) if file else _in_memory()
    return Engine(
        store,
        loaded,
        seen,
        home=Scope(loaded.user),
        surface=surface,
        clock=clock,
        background=background,
        summarizer=summarizer,
    )


def missing(path: str | os.PathLike[str] | None = None) -> str | None:
    """The file that would hold the store at `path`, if there is none yet; else None."""
    file = _locate(path)[1]
    return file if file and _is_missing(file) else None


def _existing(file: str) -> Store:
    return _in_memory() if _is_missing(file) else open_store(file)


def _at_once(file: str) -> Store:
    if _is_missing(file):
        raise StoreMissing(
            f"no store at {file}",
            hint="`memstone remember` or `memstone install` makes it; MEMSTONE_HOME names another",
            path=file,
        )
    return open_store(file, patience_s=HOOK_PATIENCE_S, upgrading=False)


def _later(file: str) -> Store:
    return Awaited(file) if _is_missing(file) else open_store(file)


def _is_missing(file: str) -> bool:
    """Whether there is nothing of that name; what cannot be looked at is left to the store."""
    try:
        found = os.lstat(file)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return stat.S_ISREG(found.st_mode) and found.st_size == 0  # no store has been made in it


class Awaited:
    """A store that does not exist until it is first used."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._store: Store | None = None

    def _made(self) -> Store:
        if self._store is None:
            self._store = open_store(self.path)
        return self._store

    def read(self) -> AbstractContextManager[Snapshot]:
        return self._made().read()

    def write(self, note: ChangeNote) -> AbstractContextManager[Transaction]:
        return self._made().write(note)

    def touch(self, rows: Sequence[int], at: int) -> None:
        self._made().touch(rows, at)

    def close(self) -> None:
        if self._store is not None:
            self._store.close()


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


def unknown_variables(environ: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Every `MEMSTONE_…` variable that no setting has, with the way out."""
    return config.unknown_variables(environ)


def storage_versions() -> tuple[tuple[str, str], ...]:
    """What the store is made with: SQLite's version, and the number of our schema."""
    from memstone.storage.sqlite.connections import library_version
    from memstone.storage.sqlite.migrations import SCHEMA_NUMBER

    return (("SQLite", library_version()), ("schema", str(SCHEMA_NUMBER)))


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
