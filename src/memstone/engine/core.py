"""`Engine`: what users hold.

The engine wires adapters to services, turns the caller's spellings (dates, 0 = unlimited, kind
names) into values, reads the clock, and does nothing else. It is safe to share between threads,
survives a fork, and works in any number of processes on the same file.

The write path and upkeep are imported by the calls that need them: a recall on the command line is
a new process each time, and loads neither.
"""

from __future__ import annotations

from collections.abc import Sequence

from memstone import retrieval, wire
from memstone.engine.base import refuse_own_files
from memstone.engine.calling import checked_operations
from memstone.engine.learning import Learning
from memstone.errors import InvalidInput
from memstone.types import (
    MAX_TURN_BYTES,
    Kind,
    Scope,
    Trust,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import builtins
    import os
    from collections.abc import Callable, Iterable
    from typing import BinaryIO

    from memstone.aio import AsyncEngine
    from memstone.engine.filing import Files
    from memstone.ingestion import Importer
    from memstone.times import Instant
    from memstone.types import (
        Change,
        ForgetResult,
        ImportReport,
        Memory,
        Remembered,
        Turn,
    )

    Progress = Callable[[int], None]


@checked_operations
class Engine(Learning):
    """Long-term memory on one store. Close it, or use it in a `with` block."""

    @property
    def aio(self) -> AsyncEngine:
        """The same operations for `async` callers, each in a worker thread."""
        from memstone.aio import AsyncEngine

        return AsyncEngine(self)

    @property
    def files(self) -> Files:
        """Files kept as versioned memories in this scope, for surfaces that speak of paths."""
        from memstone.engine.filing import Files

        return Files(
            self.store,
            self.scope,
            home=self._home,
            cleaner=self._cleaner,
            note=self._note,
            clock=self._clock,
        )

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
            settled=self.settings.conflict_rule == "never",
            **wire.dates(at, valid_until, expires),
        )
        note = self._note("remember")
        clean = self._cleaner().clean(request)
        clock = self._clock
        remembered = ingestion.remember(self.store, clean, home=self._home, note=note, clock=clock)
        ingestion.finish_interrupted(self.store, clock, largest=ingestion.SHORT_CHARACTERS)
        self._wake()
        return self._decided(remembered)

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
        view = self._view(scope)
        target = ingestion.Target(self._known(id, view), view)
        clean = self._cleaner().clean(request)
        note = self._note("supersede")
        return ingestion.supersede(
            self.store, target, clean, home=self._home, note=note, clock=self._clock
        )

    def history(
        self,
        id: str,  # noqa: A002
        *,
        as_of: Instant | None = None,
        known_at: Instant | None = None,
        scope: Scope | None = None,
    ) -> builtins.list[Memory]:
        """All versions of a memory, oldest first; any id will do. `known_at` leaves out what was
        not known then, `as_of` what was not valid then. Raises `NotFound`.
        """
        view, known = self._view(scope), wire.instant(known_at, name="known_at")
        then = wire.instant(as_of, name="as_of")
        named = self._known(id, view)
        return retrieval.history(self.store, named, view, as_of=then, known_at=known)

    def forget(self, *ids: str, scope: Scope | None = None, dry_run: bool = False) -> ForgetResult:
        """Remove memories for good, in one transaction; names those that were not there.

        No older version revives. With `dry_run`, only says what would go. Unlike other operations
        it does not raise for an id that is not there: what is wanted gone is gone.
        """
        from memstone import ingestion

        if not ids:
            raise InvalidInput("id: no memory was named", hint="name what to forget", name="id")
        view, note = self._view(scope), self._note("forget")
        names = [self._known(id_, view) for id_ in ids]
        return ingestion.forget(self.store, names, view, note=note, dry_run=dry_run)

    def forget_where(
        self,
        *,
        words: str | None = None,
        tags: Iterable[str] = (),
        any_tags: Iterable[str] = (),
        kinds: Iterable[Kind | str] = (),
        session: str | None = None,
        source: str | None = None,
        since: Instant | None = None,
        until: Instant | None = None,
        scope: Scope | None = None,
        dry_run: bool = False,
    ) -> ForgetResult:
        """Remove for good what meets every condition given, in whatever state it is; at least one.

        `words` takes memories whose text holds every term of them, without ranking or a limit.
        What was derived from them (cards, facts) goes along and is named in `derived`. With
        `dry_run`, only says what would go and shows the first. Raises `InvalidInput` without a
        condition.
        """
        from memstone import ingestion

        selection = ingestion.Selection(
            words=wire.optional_text(words, name="words"),
            kinds=wire.several_kinds(kinds),
            tags_all=wire.words(tags, name="tags"),
            tags_any=wire.words(any_tags, name="any_tags"),
            session=wire.optional_text(session, name="session"),
            source=wire.optional_text(source, name="source"),
            since=wire.instant(since, name="since"),
            until=wire.instant(until, name="until", end_of_day=True),
        )
        view, note = self._view(scope), self._note("forget")
        ingestion.finish_interrupted(self.store, self._clock)  # words are looked for in the index
        return ingestion.forget_where(self.store, selection, view, note=note, dry_run=dry_run)

    def recover(self, handle: str, *, scope: Scope | None = None) -> str:
        """The exact text behind a handle. Raises `InvalidHandle`, `NotFound`."""
        return retrieval.recover(
            self.store, wire.unicode_text(handle, name="handle"), self._view(scope)
        )

    def get(self, id: str, *, scope: Scope | None = None) -> Memory:  # noqa: A002
        """One memory, whatever its state. Raises `NotFound` for what this scope cannot see."""
        view = self._view(scope)
        return retrieval.get(self.store, self._known(id, view), view)

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
        archived: bool = False,
        pinned: bool = False,
        as_of: Instant | None = None,
        known_at: Instant | None = None,
        scope: Scope | None = None,
        agents: Iterable[str] = (),
    ) -> builtins.list[Memory]:
        """Current memories, newest first; with `history` older versions too; `limit` None is all.

        Expired ones are shown here (recall never returns them), held ones only with `held` and
        archived ones only with `archived`. `as_of` and `known_at` list what was valid and known
        then; with `history`, `held` or `archived` only `known_at` has a meaning, and `as_of` raises
        `InvalidFilter`.
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
            archived=archived,
            pinned=pinned,
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
        since: Instant | None = None,
        until: Instant | None = None,
        history: bool = False,
        held: bool = False,
        archived: bool = False,
        pinned: bool = False,
        as_of: Instant | None = None,
        known_at: Instant | None = None,
        scope: Scope | None = None,
        agents: Iterable[str] = (),
    ) -> int:
        """How many memories `list` would show without a limit."""
        wanted = wire.listing(
            tags=tags,
            any_tags=any_tags,
            kinds=kinds,
            session=session,
            since=since,
            until=until,
            history=history,
            held=held,
            archived=archived,
            pinned=pinned,
            as_of=as_of,
            known_at=known_at,
        )
        return retrieval.count(self.store, wanted, self._view(scope, agents), now=self._clock())

    def log(
        self,
        *,
        limit: int = 20,
        id: str | None = None,  # noqa: A002
        scope: Scope | None = None,
        agents: Iterable[str] = (),
    ) -> builtins.list[Change]:
        """The newest changes of what this scope may see, or those of one memory.

        No text of a memory is in them. Raises `NotFound`.
        """
        from memstone import maintenance

        most = wire.parse_limit(limit)
        view = self._view(scope, agents)
        named = self._known(id, view) if id else None
        return maintenance.changes(self.store, view, limit=most, id=named)

    def import_file(
        self,
        path: str | os.PathLike[str] | BinaryIO,
        *,
        format: str | None = None,  # noqa: A002
        sample: str | None = None,
        cards: bool = True,
        dry_run: bool = False,
        scope: Scope | None = None,
        progress: Progress | None = None,
    ) -> ImportReport:
        """Import a conversation, an export or a folder; the format is detected unless given.

        Turns are stored verbatim with secrets blanked, an export is restored as it was; the same
        file again changes nothing. Then, with `cards`, the cards of its conversations are made and
        duplicates and conflicts are looked for. Raises `SourceError`, `StoreError`; bad lines are
        in the report's `skipped`.
        """
        from memstone import importers

        refuse_own_files(self.store, path)
        if cards and not dry_run:
            self._learner()  # raises what the settings of a model lack before anything is read
        with importers.read(path, format, sample=sample) as reading:
            importer = self._importer(scope)
            report = importer.run(
                reading,
                source=reading.name,
                format_name=reading.format,
                identity_source=reading.identity_source,
                line=lambda: reading.line,
                dry_run=dry_run,
                progress=progress,
            )
        return report if dry_run else self._finished(importer, report, cards=cards)

    def ingest(
        self,
        turns: Iterable[Turn],
        *,
        session_id: str | None = None,
        end: bool = False,
        source: str = "python",
        scope: Scope | None = None,
        dry_run: bool = False,
    ) -> ImportReport:
        """Store turns of a conversation verbatim, in batches; known ones are recognised.

        `session_id` is the session of turns that name none. Their cards are made in the background
        once the conversation is over: when `end` says so, or a minute after its last turn
        (`cards.session_end_timeout`); `flush` makes them now. Our own notes are taken out of a
        turn, and system prompts are left out.

        A turn that is none, or has a field of a wrong kind, raises `InvalidInput` naming both; of a
        list nothing is stored then, of an iterator perhaps some before it (`fields["stored"]`).
        What was *said* raises nothing: a blank, too large or refused text is in the report's
        `skipped`, so that no words of a user end a bot's loop.
        """
        from memstone.ingestion.importing import check_turns, said_by_people

        session = wire.optional_text(session_id, name="session_id")
        if isinstance(turns, Sequence):
            check_turns(turns, self._view(scope).scope)
        importer = self._importer(scope, strict=True)
        named = said_by_people(turns, session)
        report = importer.run(named, source=source, format_name=source, dry_run=dry_run)
        if end and not dry_run:
            importer.end_conversations()
        self._wake()
        return report

    def export(
        self,
        write: Callable[[str], object],
        *,
        as_of: Instant | None = None,
        known_at: Instant | None = None,
    ) -> int:
        """Write all of this user's memories as JSON lines; returns how many there were.

        With `as_of` or `known_at` only what was valid and known then, each as the current memory
        that it was, without its versions.
        """
        from memstone import maintenance

        then, known = wire.instant(as_of, name="as_of"), wire.instant(known_at, name="known_at")
        now = self._clock()
        if then is None and known is None:
            return maintenance.export(self.store, self.scope.user, write, now=now)
        validity = retrieval.validity(then, known, now)
        return maintenance.export_then(self.store, self.scope.user, write, validity=validity)

    def _importer(self, scope: Scope | None, *, strict: bool = False) -> Importer:
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
            strict=strict,
        )
