"""`Engine`: what users hold.

The engine wires adapters to services, turns the caller's spellings (dates, 0 = unlimited, kind
names) into values, reads the clock, and does nothing else. It is safe to share between threads,
survives a fork, and works in any number of processes on the same file.

The write path and upkeep are imported by the calls that need them: a recall on the command line is
a new process each time, and loads neither.
"""

from __future__ import annotations

import dataclasses
import time

from memstone import retrieval, wire
from memstone.engine.lazily import excerpt_when_needed
from memstone.errors import InvalidInput, StoreError
from memstone.tokens import EstimatedTokens
from memstone.types import (
    MAX_TURN_BYTES,
    Budget,
    ChangeNote,
    Kind,
    RecallOptions,
    Scope,
    Trust,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import builtins
    import os
    from collections.abc import Callable, Iterable
    from types import TracebackType
    from typing import Any, BinaryIO, Self

    from memstone.aio import AsyncEngine
    from memstone.config import Settings
    from memstone.ingestion import Cleaner, Importer
    from memstone.protocols import Store
    from memstone.times import Instant
    from memstone.types import (
        Change,
        ForgetResult,
        ImportReport,
        Memory,
        RecallResult,
        Remembered,
        Statistics,
        Turn,
        View,
    )

    Progress = Callable[[int], None]

CAP_SHARE = 15  # per cent of the context window that memories may take, whatever was asked for


def wall_clock() -> int:
    """Microseconds since 1970 UTC, now."""
    return time.time_ns() // 1000


class Engine:
    """Long-term memory on one store. Close it, or use it in a `with` block."""

    def __init__(
        self,
        store: Store,
        settings: Settings,
        scope: Scope,
        *,
        home: Scope | None = None,
        surface: str = "python",
        clock: Callable[[], int] = wall_clock,
    ) -> None:
        self.store = store
        self.settings = settings
        self.scope = scope
        self._home = home or Scope(settings.user)  # where a text gets its short id
        self._surface = surface
        self._clock = clock
        self._packer = retrieval.Packer(EstimatedTokens(), excerpt_when_needed)

    @property
    def path(self) -> str:
        """The store's file; empty for a store in memory."""
        return getattr(self.store, "path", "")

    @property
    def upgraded(self) -> str | None:
        """What opening an older store did to it, in one sentence; None if nothing."""
        done = getattr(self.store, "upgrade", None)
        if done is None or not done.rows_before:
            return None
        counts = f"{done.rows_before} memories before, {done.rows_after} after"
        return f"the store was upgraded: {counts}; a copy of it as it was is {done.copy}"

    @property
    def aio(self) -> AsyncEngine:
        """The same operations for `async` callers, each in a worker thread."""
        from memstone.aio import AsyncEngine

        return AsyncEngine(self)

    def remember(
        self,
        text: str,
        *,
        kind: Kind | str | None = None,
        tags: Iterable[str] = (),
        role: str | None = None,
        session: str | None = None,
        speaker: str | None = None,
        subject: str | None = None,
        attribute: str | None = None,
        scope: Scope | None = None,
        at: Instant | None = None,
        valid_until: Instant | None = None,
        expires: Instant | None = None,
        trust: Trust | str | None = None,
        pinned: bool | None = None,
        external_id: str | None = None,
        source: str | None = None,
    ) -> Remembered:
        """Store `text` (kind `fact` unless said) and return it; it is on disk when this returns.

        `at` is when it became true (default now), `valid_until` when it ends being true,
        `expires` when to stop recalling it. The same text again is recognised: see `outcome` and
        `unchanged`. Raises `BlankText`, `MemoryTooLarge` (over 262,144 bytes), `SecretFound`,
        `TextIsHistory`, `InvalidInput`, `StoreError`.
        """
        from memstone import ingestion

        request = ingestion.Request(
            text=text,
            scope=self._view(scope).scope,
            kind=wire.optional_choice(Kind, kind, name="kind"),
            tags=wire.words(tags, name="tags"),
            role=role,
            session=session,
            speaker=speaker,
            subject=subject,
            attribute=attribute,
            external_id=external_id,
            trust=wire.optional_choice(Trust, trust, name="trust"),
            pinned=pinned,
            source=source or self._surface,
            **wire.dates(at, valid_until, expires),
        )
        note = self._note("remember")
        clean = self._cleaner().clean(request)
        clock = self._clock
        remembered = ingestion.remember(self.store, clean, home=self._home, note=note, clock=clock)
        ingestion.finish_interrupted(self.store, clock, largest=ingestion.SHORT_CHARACTERS)
        return remembered

    def supersede(
        self,
        id: str,  # noqa: A002
        text: str,
        *,
        kind: Kind | str | None = None,
        tags: Iterable[str] | None = None,
        role: str | None = None,
        session: str | None = None,
        speaker: str | None = None,
        subject: str | None = None,
        attribute: str | None = None,
        scope: Scope | None = None,
        at: Instant | None = None,
        valid_until: Instant | None = None,
        expires: Instant | None = None,
        trust: Trust | str | None = None,
        pinned: bool | None = None,
        external_id: str | None = None,
        source: str | None = None,
    ) -> Memory:
        """Replace the current memory `id` by `text`; the old version stays in its history.

        What is not given is inherited (kind, role, tags, pin, subject, attribute). Raises
        `NotFound`, `NotCurrent`, `TextUnchanged`, `TextIsCurrent` and what `remember` raises.
        """
        from memstone import ingestion

        request = ingestion.Request(
            text=text,
            scope=self._view(scope).scope,
            kind=wire.optional_choice(Kind, kind, name="kind"),
            tags=None if tags is None else wire.words(tags, name="tags"),
            role=role,
            session=session,
            speaker=speaker,
            subject=subject,
            attribute=attribute,
            external_id=external_id,
            trust=wire.optional_choice(Trust, trust, name="trust"),
            pinned=pinned,
            source=source or self._surface,
            **wire.dates(at, valid_until, expires),
        )
        target = ingestion.Target(wire.unicode_text(id, name="id"), self._view(scope))
        clean = self._cleaner().clean(request)
        note = self._note("supersede")
        return ingestion.supersede(
            self.store, target, clean, home=self._home, note=note, clock=self._clock
        )

    def recall(
        self,
        query: str,
        *,
        limit: int | None = None,
        budget: int | None = None,
        min_score: float | None = None,
        tags: Iterable[str] = (),
        any_tags: Iterable[str] = (),
        kinds: Iterable[Kind | str] = (),
        session: str | None = None,
        since: Instant | None = None,
        until: Instant | None = None,
        as_of: Instant | None = None,
        known_at: Instant | None = None,
        scope: Scope | None = None,
        agents: Iterable[str] = (),
        touch: bool = True,
    ) -> RecallResult:
        """What matters for `query`, best first, within `budget` estimated tokens; often nothing.

        `budget` None is the default (2,000), 0 unlimited. `min_score` in 0..1 is the share of
        the question's weight a memory must cover; 0 turns the floor off. `tags` must all be
        there, of `any_tags` one. `as_of` looks at what was true then, `known_at` at what was
        known then. Raises `InvalidInput`s and `StoreError`.
        """
        now = self._clock()
        settings = self.settings
        share = settings.min_score if min_score is None else min_score
        options = RecallOptions(
            limit=wire.parse_limit(settings.recall_limit if limit is None else limit),
            budget=self._budget(budget),
            min_score=wire.parse_share(share),
            kinds=wire.several_kinds(kinds),
            tags_all=wire.words(tags, name="tags"),
            tags_any=wire.words(any_tags, name="any_tags"),
            session=wire.optional_text(session, name="session"),
            since=wire.instant(since, name="since"),
            until=wire.instant(until, name="until", end_of_day=True),
            as_of=wire.instant(as_of, name="as_of"),
            known_at=wire.instant(known_at, name="known_at"),
        )
        view = self._view(scope, agents)
        question = wire.unicode_text(query, name="query")
        result = retrieval.recall(self.store, question, options, view, now=now, packer=self._packer)
        return self._touched(result, now) if touch and result.hits else result

    def history(
        self,
        id: str,  # noqa: A002
        *,
        known_at: Instant | None = None,
        scope: Scope | None = None,
    ) -> builtins.list[Memory]:
        """All versions of a memory, oldest first, or those known at `known_at`; any id will do.

        Raises `NotFound`.
        """
        name, known = wire.unicode_text(id, name="id"), wire.instant(known_at, name="known_at")
        return retrieval.history(self.store, name, self._view(scope), known_at=known)

    def forget(self, *ids: str, scope: Scope | None = None, dry_run: bool = False) -> ForgetResult:
        """Remove memories for good, in one transaction; names those that were not there.

        No older version revives. With `dry_run`, only says what would go.
        """
        from memstone import ingestion

        names = [wire.unicode_text(id_, name="id") for id_ in ids]
        if not names:
            raise InvalidInput("id: no memory was named", hint="name what to forget", name="id")
        view, note = self._view(scope), self._note("forget")
        return ingestion.forget(self.store, names, view, note=note, dry_run=dry_run)

    def recover(self, handle: str, *, scope: Scope | None = None) -> str:
        """The exact text behind a handle. Raises `InvalidHandle`, `NotFound`."""
        return retrieval.recover(
            self.store, wire.unicode_text(handle, name="handle"), self._view(scope)
        )

    def get(self, id: str, *, scope: Scope | None = None) -> Memory:  # noqa: A002
        """One memory, whatever its state. Raises `NotFound` for what this scope cannot see."""
        return retrieval.get(self.store, wire.unicode_text(id, name="id"), self._view(scope))

    def list(
        self,
        *,
        limit: int | None = 20,
        tags: Iterable[str] = (),
        any_tags: Iterable[str] = (),
        kinds: Iterable[Kind | str] = (),
        session: str | None = None,
        since: Instant | None = None,
        until: Instant | None = None,
        history: bool = False,
        held: bool = False,
        as_of: Instant | None = None,
        known_at: Instant | None = None,
        scope: Scope | None = None,
        agents: Iterable[str] = (),
    ) -> builtins.list[Memory]:
        """Current memories, newest first; with `history` older versions too; `limit` None is all.

        Expired and held ones are shown here (recall never returns them). `as_of` and `known_at`
        list what was valid and known then.
        """
        wanted = wire.listing(
            tags=tags,
            any_tags=any_tags,
            kinds=kinds,
            session=session,
            since=since,
            until=until,
            history=history,
            held=held,
            as_of=as_of,
            known_at=known_at,
        )
        most = None if limit is None else wire.parse_limit(limit)
        view = self._view(scope, agents)
        return retrieval.listing(self.store, wanted, view, now=self._clock(), limit=most)

    def count(
        self,
        *,
        tags: Iterable[str] = (),
        any_tags: Iterable[str] = (),
        kinds: Iterable[Kind | str] = (),
        session: str | None = None,
        history: bool = False,
        held: bool = False,
        scope: Scope | None = None,
    ) -> int:
        """How many memories `list` would show without a limit."""
        wanted = wire.listing(
            tags=tags, any_tags=any_tags, kinds=kinds, session=session, history=history, held=held
        )
        return retrieval.count(self.store, wanted, self._view(scope), now=self._clock())

    def touch(self, ids: Iterable[str], *, scope: Scope | None = None) -> None:
        """Record that those memories were used; unknown ids are ignored."""
        rows = retrieval.rows_of(self.store, wire.words(ids, name="ids"), self._view(scope))
        if rows:
            self.store.touch(rows, self._clock())

    def tag(self, id: str, *tags: str, scope: Scope | None = None) -> Memory:  # noqa: A002
        """Add tags; returns the memory. Raises `NotFound`."""
        clean = self._cleaner().tags(wire.words(tags, name="tags"))
        return self._edit(id, scope, "tag", add_tags=clean)

    def untag(self, id: str, *tags: str, scope: Scope | None = None) -> Memory:  # noqa: A002
        """Remove tags; returns the memory. Raises `NotFound`."""
        return self._edit(id, scope, "untag", remove_tags=wire.words(tags, name="tags"))

    def pin(self, id: str, *, scope: Scope | None = None) -> Memory:  # noqa: A002
        """Pin a memory; returns it. Raises `NotFound`."""
        return self._edit(id, scope, "pin", pinned=True)

    def unpin(self, id: str, *, scope: Scope | None = None) -> Memory:  # noqa: A002
        """Take the pin away; returns the memory. Raises `NotFound`."""
        return self._edit(id, scope, "unpin", pinned=False)

    def expire(
        self,
        id: str,  # noqa: A002
        when: Instant | None,
        *,
        scope: Scope | None = None,
    ) -> Memory:
        """Stop recalling a memory from `when` on; None lets it stay. Raises `NotFound`."""
        instant = wire.instant(when, name="expires")
        return self._edit(id, scope, "expire", sets_expiry=True, expires=instant)

    def stats(self) -> Statistics:
        """Counts over all of this user's scopes."""
        from memstone import maintenance

        return maintenance.statistics(self.store, self.scope.user, now=self._clock())

    def log(self, *, limit: int = 20, id: str | None = None) -> builtins.list[Change]:  # noqa: A002
        """The newest changes, or those of one memory. No text of a memory is in them."""
        from memstone import maintenance

        most = wire.parse_limit(limit)
        named = wire.optional_text(id, name="id")
        return maintenance.changes(self.store, self._view(None), limit=most, id=named)

    def import_file(
        self,
        path: str | os.PathLike[str] | BinaryIO,
        *,
        format: str | None = None,  # noqa: A002
        sample: str | None = None,
        dry_run: bool = False,
        scope: Scope | None = None,
        progress: Progress | None = None,
    ) -> ImportReport:
        """Import a conversation or an export; the format is detected unless given.

        Turns are stored verbatim with secrets blanked, an export is restored as it was; the same
        file again changes nothing. Raises `SourceError`, `StoreError`; bad lines are in the
        report's `skipped`.
        """
        from memstone import importers

        with importers.read(path, format, sample=sample) as reading:
            return self._importer(scope).run(
                reading,
                source=reading.name,
                format_name=reading.format,
                line=lambda: reading.line,
                dry_run=dry_run,
                progress=progress,
            )

    def ingest(
        self,
        turns: Iterable[Turn],
        *,
        source: str = "python",
        scope: Scope | None = None,
        dry_run: bool = False,
    ) -> ImportReport:
        """Store turns of a conversation verbatim, in batches; known ones are recognised."""
        return self._importer(scope).run(turns, source=source, format_name=source, dry_run=dry_run)

    def export(self, write: Callable[[str], object]) -> int:
        """Write all of this user's memories as JSON lines; returns how many there were."""
        from memstone import maintenance

        return maintenance.export(self.store, self.scope.user, write, now=self._clock())

    def close(self) -> None:
        """Close the store; the file alone is then complete."""
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _view(self, scope: Scope | None, agents: Iterable[str] = ()) -> View:
        return wire.view(scope, agents, own=self.scope)

    def _note(self, operation: str) -> ChangeNote:
        return ChangeNote(operation, self._clock(), self._surface, self.scope.user)

    def _cleaner(self) -> Cleaner:
        from memstone import ingestion

        return ingestion.Cleaner(self.settings.redaction)

    def _importer(self, scope: Scope | None) -> Importer:
        from memstone import ingestion

        cleaner = ingestion.Cleaner(
            self.settings.redaction,
            importing=self.settings.import_policy == "redact",
            max_bytes=MAX_TURN_BYTES,
        )
        return ingestion.Importer(
            self.store,
            self._view(scope).scope,
            cleaner,
            home=self._home,
            note=self._note("import"),
            clock=self._clock,
        )

    def _edit(
        self,
        id: str,  # noqa: A002
        scope: Scope | None,
        operation: str,
        **change: Any,
    ) -> Memory:
        from memstone import ingestion

        target = ingestion.Target(wire.unicode_text(id, name="id"), self._view(scope))
        wanted = ingestion.Edit(**change)
        return ingestion.edit(self.store, target, wanted, note=self._note(operation))

    def _budget(self, budget: int | None) -> Budget:
        """The asked budget under the cap of the context window; 0 lifts the cap as well."""
        most = self.settings.context_window * CAP_SHARE // 100
        return wire.budget_under(budget, self.settings.recall_budget, most)

    def _touched(self, result: RecallResult, now: int) -> RecallResult:
        """Record usage; a recall never fails because that small write could not be made."""
        try:
            self.store.touch([hit.memory.row for hit in result.hits], now)
        except StoreError as error:
            reason = f"usage_not_recorded: {error.code}"
            return dataclasses.replace(result, degraded=(*result.degraded, reason))
        return result
