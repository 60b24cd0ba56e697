"""The engine's operations on conversations and on what they left behind.

The work itself is in `learner`, which reads texts and is loaded only when there is something to do.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace

from memstone import wire
from memstone.engine.agents import MICROSECONDS, Agents
from memstone.times import to_micros
from memstone.types import Outcome

LEAST_WAIT_SECONDS = 1.0

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from memstone.engine.capturing import Limits
    from memstone.engine.learner import Learner, Learnt
    from memstone.ingestion import Importer
    from memstone.ingestion.settling import Rules
    from memstone.ingestion.summarizing import Model
    from memstone.types import ImportReport, PossibleConflict, Remembered, Scope, WorkReport


class Learning(Agents):
    """Operations on what conversations left behind."""

    def conflicts(
        self,
        *,
        limit: int = 20,
        scope: Scope | None = None,
        agents: Iterable[str] = (),
    ) -> list[PossibleConflict]:
        """Pairs of current memories that may contradict one another, the oldest first."""
        from memstone.ingestion import resolving

        most, view = wire.parse_limit(limit), self._view(scope, agents)
        return resolving.conflicts(self.store, view, limit=most)

    def resolve(self, conflict: int, keep: str, *, scope: Scope | None = None) -> PossibleConflict:
        """Settle a possible conflict: `keep` is the id of the memory that stands, or `both`.

        The other one becomes history; `undo` takes it back. Raises `NotFound`, `InvalidInput`.
        """
        from memstone.ingestion import replacing, resolving

        number, view = wire.parse_count(conflict, name="conflict"), self._view(scope)
        kept = keep if keep == replacing.BOTH else self._known(keep, view)
        return resolving.resolve(self.store, number, kept, view, note=self._note("resolve"))

    def work(
        self,
        *,
        max_seconds: float | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> WorkReport:
        """Do what is pending, oldest first, in small writes, for at most `max_seconds`: transcripts
        handed over, unfinished indexes, cards of conversations that are over, duplicates and
        conflicts.

        One worker a store: a second one returns at once, and its report says so. `progress` is
        called with the number of turns read, or of conversations done, so far.
        """
        from memstone.engine import capturing

        seconds = wire.optional_seconds(max_seconds, name="max_seconds")
        limits = capturing.Limits.of(seconds, progress)
        job = capturing.Job(
            store=self.store,
            path=self.path,
            user=self.scope.user,
            capturer=self._capturer,
            learn=self._learn,
            left=self.pending,
        )
        return capturing.work(job, limits)

    def flush(self, *, cards: bool = True) -> WorkReport:
        """Finish what is pending now: cards of all conversations, those that go on included, then
        duplicates and conflicts. Returns when it is done.
        """
        from memstone.engine import capturing
        from memstone.types import WorkReport

        with nullcontext() if self._background is None else self._background.slice:
            learnt = self._learner(cards=cards).run(capturing.Limits(), whole=True)
        return capturing.with_learnt(WorkReport(ran=True, left=self.pending()), learnt)

    def _finished(self, importer: Importer, report: ImportReport, *, cards: bool) -> ImportReport:
        """An import's report, after the cards of its conversations and what follows from them."""
        from memstone.engine.capturing import Limits

        importer.end_conversations()
        if not cards and not report.created:
            return report
        learnt = self._learner(cards=cards).run(Limits())
        return replace(
            report,
            cards=learnt.cards,
            statements=learnt.statements,
            replaced=len(learnt.replaced),
            merged=len(learnt.merged) // 2,
            conflicts=len(learnt.conflicts),
        )

    def _decided(self, remembered: Remembered) -> Remembered:
        """A memory just stored, with what it replaced or may contradict."""
        from memstone.ingestion import settling

        rules = self._rules()
        if remembered.outcome is Outcome.KNOWN:
            return remembered
        with self.store.read() as snapshot:
            if not settling.has_rivals(snapshot, remembered, rules):
                return remembered
        from memstone.engine.learner import decide_at_once

        note = self._note("settle")
        return decide_at_once(self.store, remembered, rules, note)

    def close(self) -> None:
        """Close the store; the file alone is then complete. What is pending stays pending."""
        if self._background is not None:
            self._background.close()
        super().close()

    def _wake(self) -> None:
        """Have pending work done in the background, if this engine has any."""
        if not self._works_behind:
            return
        if self._background is None:
            from memstone.engine.background import Background

            self._background = Background(self._slice)
        self._background.wake()

    def _slice(self, seconds: float) -> float | None:
        """One slice of pending work; in how many seconds there is more, None if nothing waits."""
        report = self.work(max_seconds=seconds)
        if report.ran and report.left:
            moved = report.turns + report.indexed + report.conversations + report.settled
            return 0.0 if moved else self._next_look()
        return self._next_look()

    def _next_look(self) -> float | None:
        """When the first conversation that goes on will be over, None if there is none."""
        with self.store.read() as snapshot:
            namespaces = snapshot.namespaces_of(self.scope.user)
            waiting = snapshot.conversations(namespaces, limit=1)
        if not waiting or self.settings.cards_make != "auto":
            return None
        over = to_micros(waiting[0].touched_at) + self.settings.session_end_timeout * MICROSECONDS
        return max((over - self._clock()) / MICROSECONDS, LEAST_WAIT_SECONDS)

    def _learn(self, limits: Limits) -> Learnt:
        return self._learner().run(limits)

    def _rules(self) -> Rules:
        from memstone.extraction.claims import plural_key
        from memstone.ingestion.settling import Rules

        settings = self.settings
        names = (plural_key(name) for name in settings.multi_valued.split(","))
        return Rules(
            home=self._home,
            multi_valued=tuple(name for name in names if name),
            rule=settings.conflict_rule,
        )

    def _model(self) -> Model | None:
        """The model that writes cards, None (the default) if none does.

        Raises `ConfigError` for a provider without a model or a key, or an unsafe address.
        """
        summarizer, settings = self._summarizer, self.settings
        if summarizer is None and settings.summarizer_provider == "none":
            return None
        from memstone.ingestion.summarizing import Model
        from memstone.summarization import as_summarizer, open_summarizer

        if summarizer is None:
            opened = open_summarizer(
                settings.summarizer_provider,
                settings.summarizer_model,
                base_url=settings.summarizer_base_url,
                key_variable=settings.summarizer_key_variable,
                plain_http=settings.summarizer_plain_http == "anywhere",
                timeout_s=settings.summarizer_timeout,
            )
        else:
            opened = as_summarizer(summarizer)
        return Model(
            summarizer=opened,
            daily_tokens=settings.summarizer_daily_tokens,
            store=self.store,
            counter=self._packer.counter,
            note=lambda: self._note("summarizer"),
        )

    def _learner(self, *, cards: bool = True) -> Learner:
        from memstone.engine.learner import Learner
        from memstone.ingestion import Cleaner
        from memstone.ingestion.carding import Maker

        makes = cards and self.settings.cards_make == "auto"
        cleaner = Cleaner(self.settings.redaction, importing=True)
        return Learner(
            store=self.store,
            user=self.scope.user,
            maker=Maker(
                cleaner, self._packer.counter, self._rules(), self._model() if makes else None
            ),
            surface=self._surface,
            clock=self._clock,
            timeout_us=self.settings.session_end_timeout * MICROSECONDS,
            makes_cards=makes,
        )
