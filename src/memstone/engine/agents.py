"""The engine's operations for agents and their clients: session block, review, undo, capture.

What a client's hooks, the MCP server and the command line share, so that none of them decides
anything by itself.
"""

from __future__ import annotations

from memstone import retrieval, wire
from memstone.engine.asking import Asking
from memstone.errors import InvalidInput, StoreError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from memstone.engine.capturing import Capturer
    from memstone.engine.noting import SessionName
    from memstone.types import (
        Block,
        Captured,
        HeldMemory,
        Memory,
        Pending,
        Scope,
        SessionUse,
        Statistics,
        Status,
        Turn,
        UndoResult,
    )

SHOWN_SESSIONS = 10
MICROSECONDS = 1_000_000
BYTES_PER_MEGABYTE = 1_000_000


class Agents(Asking):
    """Operations around sessions, and those that take something back."""

    def session_block(
        self, *, role: str | None = None, scope: Scope | None = None, agents: Iterable[str] = ()
    ) -> Block:
        """What every session starts with, as a delimited text of at most 9,000 characters:
        personas of `role` (default: the setting) and of none, pinned preferences, open tasks.

        The same memories give the same bytes, so that a prompt cache keeps it.
        """
        wanted = self.settings.role if role is None else role
        now = self._clock()
        view = self._view(scope, agents)
        found = retrieval.session_memories(self.store, wanted, view, now=now)
        return wire.session_notes(found)

    def review(
        self, *, limit: int = 20, scope: Scope | None = None, agents: Iterable[str] = ()
    ) -> list[HeldMemory]:
        """What is held back because it reads like an instruction, newest first, and why."""
        from memstone.screening import reasons
        from memstone.types import HeldMemory

        wanted = wire.listing(held=True)
        most, view = wire.parse_limit(limit), self._view(scope, agents)
        found = retrieval.listing(self.store, wanted, view, now=self._clock(), limit=most)
        return [HeldMemory(memory=memory, reasons=reasons(memory.text)) for memory in found]

    def approve(self, *ids: str, scope: Scope | None = None) -> list[Memory]:
        """Let memories that were held back be recalled, all or none of them; returns them.

        Raises `NotFound`, `NotHeld`.
        """
        from memstone import ingestion

        if not ids:
            raise InvalidInput("id: no memory was named", hint="name what to approve", name="id")
        view = self._view(scope)
        names = [self._known(id_, view) for id_ in ids]
        return ingestion.approve(self.store, names, view, note=self._note("approve"))

    def undo(
        self,
        change: int | None = None,
        *,
        session: str | None = None,
        dry_run: bool = False,
        scope: Scope | None = None,
        agents: Iterable[str] = (),
    ) -> UndoResult:
        """Take back one change of the log, or everything a session of this user stored.

        What was remembered is archived, what it replaced is current again; all or nothing. An undo
        is a change and can be undone. Raises `NotFound`, and `UndoBlocked` naming every row that
        has moved on since; with `dry_run` those are in the result instead.
        """
        from memstone import ingestion

        named = wire.optional_text(session, name="session")
        ingestion.one_of(change, named)
        note = self._note("undo")
        if named is not None:
            return ingestion.undo_session(
                self.store, named, self._view(scope).scope.user, note=note, dry_run=dry_run
            )
        number = wire.parse_count(change, name="change")
        view = self._view(scope, agents)
        return ingestion.undo_change(self.store, number, view, note=note, dry_run=dry_run)

    def restore(self, id: str, *, scope: Scope | None = None) -> Memory:  # noqa: A002
        """Bring an archived memory back; returns it. Raises `NotFound`, `NotArchived`."""
        from memstone import ingestion

        view = self._view(scope)
        target = ingestion.Target(self._known(id, view), view)
        return ingestion.restore(self.store, target, note=self._note("restore"))

    def note_session(
        self, client: str, session: str, *, injected: Block | None = None, ended: bool = False
    ) -> SessionUse:
        """Record what was injected into a client's session, and that it ended; returns its sums.

        What the block shows counts as used.
        """
        from memstone.engine import noting
        from memstone.types import SessionCounts

        counts = SessionCounts()
        if injected:
            counts = SessionCounts(
                blocks=1,
                injected_memories=len(injected.shown),
                injected_tokens=self._packer.counter.count(injected.text),
            )
        name = self._session(client, session)
        use = noting.add_up(
            self.store, self.scope, name, counts, self._note("session"), ended=ended
        )
        if injected:
            self._touch_quietly(injected.shown)
        return use

    def _touch_quietly(self, ids: tuple[str, ...]) -> None:
        """Count a use; one that the store had no time for is no failure of the session."""
        try:
            self.touch(ids)
        except StoreError:
            return  # the block is shown and its tokens are recorded; usage only steers gc

    def capture(self, transcript: str, client: str, session: str) -> Captured:
        """Store what is new in a client's transcript since it was last read, verbatim, secrets
        blanked; what was read before is recognised. Too much of it is handed to a worker.
        """
        from memstone.engine import capturing

        name = self._session(client, session)
        return capturing.capture(self._capturer(self.scope), transcript, name)

    def capture_turns(self, turns: Iterable[Turn], client: str, session: str) -> Captured:
        """Store turns that a client's hook told by itself, and count them for the session."""
        from memstone.engine import capturing

        name = self._session(client, session)
        return capturing.capture_turns(self._capturer(self.scope), turns, name)

    def capture_summary(self, text: str, client: str, session: str) -> Captured:
        """Store the summary that a client made of its session as a card of it; our own blocks are
        taken out first.
        """
        from memstone.errors import InvalidText, SecretFound
        from memstone.types import Captured, Outcome, SessionCounts, Skipped

        said = wire.without_own_blocks(wire.unicode_text(text, name="text")).strip()
        if not said:
            return Captured()
        name = self._session(client, session)
        capturer = self._capturer(self.scope)
        try:
            answer = capturer.card(said, name)
        except (InvalidText, SecretFound) as error:
            skipped = (Skipped(0, error.message),)
            return Captured(read=1, skipped=skipped)
        new = answer.outcome is Outcome.CREATED
        counts = SessionCounts(stored=int(new), known=int(not new))
        capturer.count(name, counts)
        return Captured(
            read=1, created=int(new), known=int(not new), redacted=bool(answer.redactions)
        )

    def pending(self) -> Pending:
        """What waits for a worker, over all of this user's scopes."""
        from memstone.engine import capturing

        idle_since = self._clock() - self.settings.session_end_timeout * MICROSECONDS
        return capturing.pending(self.store, self.scope.user, idle_since=idle_since)

    def stats(self) -> Statistics:
        """Counts over all of this user's scopes, and what models cost this store today."""
        from dataclasses import replace

        from memstone import maintenance
        from memstone.ingestion.spending import spent

        now = self._clock()
        counts = maintenance.statistics(self.store, self.scope.user, now=now)
        with self.store.read() as snapshot:
            today = spent(snapshot, now)
        return replace(
            counts,
            turn_quota_bytes=self.settings.turns_quota_mb * BYTES_PER_MEGABYTE,
            summarizer_tokens=today.tokens,
            summarizer_calls=today.calls,
        )

    def status(self, *, sessions: int = SHOWN_SESSIONS) -> Status:
        """What runs on this store: counts, the latest sessions of clients with what was injected
        into them, those that memories name, pending work, and whether hooks and tools are switched
        off in this project. `sessions` is how many there are of both at most.
        """
        import os

        from memstone.engine import capturing, switching
        from memstone.types import Status

        off = switching.switches(os.path.dirname(self.path)).off(self.scope.project)
        most, user = wire.parse_limit(sessions), self.scope.user
        return Status(
            path=self.path,
            statistics=self.stats(),
            sessions=capturing.sessions(self.store, user, most),
            stored=capturing.stored_sessions(self.store, user, most),
            pending=self.pending(),
            off=off if self.path else None,
        )

    def _capturer(self, scope: Scope) -> Capturer:
        from memstone.engine.capturing import Capturer

        return Capturer(
            store=self.store,
            scope=scope,
            home=self._home,
            settings=self.settings,
            surface=self._surface,
            clock=self._clock,
        )

    def _session(self, client: str, session: str) -> SessionName:
        from memstone.engine.noting import SessionName

        return SessionName(self._named("client", client), self._named("session", session))

    def _named(self, name: str, value: str) -> str:
        """A client's or session's name, without secrets; raises `InvalidInput` if it is empty."""
        from memstone.engine.noting import is_plain

        given = wire.unicode_text(value, name=name).strip()
        clean = given if is_plain(given) else self._cleaner().name(name, given)
        if clean is None:
            raise InvalidInput(f"{name}: it has no name", hint="give one", name=name)
        return clean
