"""The second ancestor's verbs over a store of ours: what its module and its command share.

Its file says where the store lies (`~/.claude-mem/config.yaml`). A database of its own kind found
there stays as it is: its memories are imported once into a store beside it, and `notes` says so.
Its floor was a raw cosine; here it is the share of evidence that means about the same, so that its
default gives ours.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from memstone.config.claude_mem import FILE, FOLDER, MIN_SCORE, TEMPLATE, load_ancestor
from memstone.engine.base import wall_clock
from memstone.engine.opening import FILE_ENDINGS, open_apart
from memstone.errors import CannotCreate
from memstone.types import DEFAULT_MIN_SCORE

TYPE_CHECKING = False
if TYPE_CHECKING:
    import builtins
    from collections.abc import Callable, Iterable
    from typing import Self

    from memstone.config.claude_mem import AncestorSettings
    from memstone.engine.core import Engine
    from memstone.times import Instant
    from memstone.types import ForgetResult, Memory, RecallResult, WorkReport

    Clock = Callable[[], int]

SURFACE = "claude-mem"
BESIDE = ".memstone.db"  # of the store beside a database of theirs
CONFIG_VARIABLE = "CLAUDE_MEM_HOME"


@dataclass(frozen=True, slots=True)
class ClaudeMem:
    """The verbs on one store, and in `notes` what opening it did, a sentence each."""

    engine: Engine
    settings: AncestorSettings
    notes: tuple[str, ...] = ()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the store."""
        self.engine.close()

    def remember(
        self, content: str, tags: Iterable[str] = (), session_id: str | None = None
    ) -> Memory:
        """The memory that holds `content`; raises what `Engine.remember` raises."""
        return self.engine.remember(content, tags=tags, session=session_id)

    def recall(self, query: str, top_k: int | None = None) -> RecallResult:
        """What matters for `query`, by the ancestor's limit, floor and budget."""
        settings = self.settings
        floor = min(settings.min_score / MIN_SCORE * DEFAULT_MIN_SCORE, 1.0)
        return self.engine.recall(
            query,
            limit=settings.top_k if top_k is None else top_k,
            budget=settings.max_recall_tokens,
            min_score=floor,
        )

    def list(self, limit: int) -> builtins.list[Memory]:
        """The newest memories."""
        return self.engine.list(limit=limit)

    def forget(
        self,
        keyword: str | None = None,
        *,
        tag: str | None = None,
        before: Instant | None = None,
        after: Instant | None = None,
        dry_run: bool = False,
    ) -> ForgetResult:
        """Remove what meets all that is given; raises `InvalidInput` if nothing is."""
        return self.engine.forget_where(
            words=keyword,
            tags=[tag] if tag else (),
            since=after,
            until=before,
            dry_run=dry_run,
        )

    def work(self) -> WorkReport:
        """Do what is pending, as far as the ancestor's settings want it."""
        return self.engine.flush(cards=self.settings.makes_cards)


def open_claude_mem(
    folder: str | None = None, *, clock: Clock = wall_clock, background: bool = False
) -> ClaudeMem:
    """The verbs on the store that the settings in `folder` name, made if missing.

    Raises `ConfigError`, `StoreError`s.
    """
    settings = load_ancestor(home_of(folder))
    place = settings.path if settings.path.endswith(FILE_ENDINGS) else f"{settings.path}.db"
    theirs = next((path for path in (settings.path, place) if _is_theirs(path)), None)
    engine = open_apart(
        place if theirs is None else f"{theirs}{BESIDE}",
        surface=SURFACE,
        clock=clock,
        background=background,
        cards_make="auto" if settings.makes_cards else "never",
        session_end_timeout=settings.session_end_timeout,
    )
    taken = [] if theirs is None else _take_in(engine, theirs)
    return ClaudeMem(engine, settings, (*settings.notes, *taken))


def _take_in(engine: Engine, path: str) -> list[str]:
    """Import a database of theirs; what is known is not stored twice."""
    report = engine.import_file(path, format="claude-mem")
    if not report.created:
        return []
    kept = f"{path} is a database of claude-mem and stays as it is"
    return [f"{kept}; its {report.created} memories were imported into {engine.path}"]


def _is_theirs(path: str) -> bool:
    """Whether there is a database of the second ancestor at `path`."""
    from memstone import importers
    from memstone.errors import SourceError

    if not os.path.isfile(path):
        return False
    try:
        return importers.detect(path) == "claude-mem"
    except SourceError:
        return False


def home_of(folder: str | None) -> str:
    """The folder of the ancestor's settings: given, else the variable, else below the home."""
    named = folder or os.environ.get(CONFIG_VARIABLE) or os.path.join("~", FOLDER)
    return os.path.abspath(os.path.expanduser(named))


def initialize_claude_mem(folder: str | None = None) -> tuple[str, bool]:
    """Write the ancestor's settings file with its defaults, unless it is there; its path, and
    whether it was written.
    """
    home = home_of(folder)
    path = os.path.join(home, FILE)
    try:
        os.makedirs(home, mode=0o700, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path, False
    except OSError as error:
        raise CannotCreate(f"{path}: cannot be written: {error.strerror}", path=path) from error
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(TEMPLATE.format(path=os.path.join(home, "memory.db")).encode("utf-8"))
    return path, True
