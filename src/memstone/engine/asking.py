"""The engine's questions: what matters (`recall`), and why a memory came or did not (`explain`).

Both take the same options and turn them into one `RecallOptions`, so that an explanation is always
of the recall that was meant.
"""

from __future__ import annotations

import dataclasses

from memstone import retrieval, wire
from memstone.engine.curation import Curation
from memstone.errors import StoreError
from memstone.types import Budget, Kind, RecallOptions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from memstone.times import Instant
    from memstone.types import Block, Explanation, RecallResult, Scope

BLOCK_TOKENS = 1_500  # of a section of memories in a prompt; the number of the product's ancestor
CAP_SHARE = 15  # per cent of the context window that memories may take, whatever was asked for


class Asking(Curation):
    """Operations that read what matters for a question."""

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
        not_session: str | None = None,
        since: Instant | None = None,
        until: Instant | None = None,
        as_of: Instant | None = None,
        known_at: Instant | None = None,
        scope: Scope | None = None,
        agents: Iterable[str] = (),
        skip_questions: bool = False,
        touch: bool = True,
    ) -> RecallResult:
        """What matters for `query`, best first, within `budget` estimated tokens; often nothing.

        `budget` None is the default (2,000), 0 unlimited. `min_score` in 0..1 is the evidence that
        must speak for a memory (`Signals.evidence`); 0 turns the floor off. `tags` must all be
        there, of `any_tags` one. Nothing of `not_session` is in the answer: what was said in it is
        known where it is asked. `as_of` looks at what was true then, `known_at` at what was
        known then. With `skip_questions` turns that only ask are left out, and of others that say
        the same one is shown, an assistant's echo of it never. Of a query over 65,536 characters
        the beginning and the end are read, and `degraded` says `query_shortened`. Raises
        `InvalidInput`s and `StoreError`.
        """
        now = self._clock()
        options = self._options(
            limit=limit,
            budget=budget,
            min_score=min_score,
            tags=tags,
            any_tags=any_tags,
            kinds=kinds,
            session=session,
            not_session=not_session,
            since=since,
            until=until,
            as_of=as_of,
            known_at=known_at,
        )
        options = dataclasses.replace(options, skip_questions=skip_questions)
        view = self._view(scope, agents)
        question, unread = wire.question(query)
        result = retrieval.recall(self.store, question, options, view, now=now, packer=self._packer)
        if unread:
            result = dataclasses.replace(result, query=query, degraded=(*unread, *result.degraded))
        return self._touched(result, now) if touch and result.hits else result

    def block(
        self,
        query: str,
        *,
        limit: int | None = None,
        max_tokens: int = BLOCK_TOKENS,
        not_session: str | None = None,
        scope: Scope | None = None,
        agents: Iterable[str] = (),
    ) -> Block:
        """What matters for `query` as a delimited section for a prompt; "" if nothing does.

        At most `max_tokens` estimated tokens, and never more than 15 % of `context_window`; what is
        least relevant is left out first. The section is dated, names sources, and says that it is
        data, not instructions. What it shows counts as used. Raises what `recall` raises.
        """
        most = min(
            wire.parse_count(max_tokens, name="max_tokens"),
            self.settings.context_window * CAP_SHARE // 100,
        )
        found = self.recall(
            query,
            limit=limit,
            budget=most,
            not_session=not_session,
            scope=scope,
            agents=agents,
            skip_questions=True,  # earlier questions are most like this one, and answer nothing
            touch=False,
        )
        hits = list(found.hits)
        block = wire.notes_block(hits)
        while hits and self._packer.counter.count(block.text) > most:
            hits.pop()
            block = wire.notes_block(hits)
        if block:
            self.touch(block.shown, scope=scope)
        return block

    def explain(
        self,
        id: str,  # noqa: A002
        query: str,
        *,
        limit: int | None = None,
        budget: int | None = None,
        min_score: float | None = None,
        tags: Iterable[str] = (),
        any_tags: Iterable[str] = (),
        kinds: Iterable[Kind | str] = (),
        session: str | None = None,
        not_session: str | None = None,
        since: Instant | None = None,
        until: Instant | None = None,
        as_of: Instant | None = None,
        known_at: Instant | None = None,
        scope: Scope | None = None,
        agents: Iterable[str] = (),
    ) -> Explanation:
        """Why a memory is or is not in the answer of `recall` to `query` with the same options.

        Says it in one sentence (`verdict`) and stage by stage. Counts as no use. Raises `NotFound`
        for a memory this scope cannot see, and what `recall` raises.
        """
        from memstone import explaining

        options = self._options(
            limit=limit,
            budget=budget,
            min_score=min_score,
            tags=tags,
            any_tags=any_tags,
            kinds=kinds,
            session=session,
            not_session=not_session,
            since=since,
            until=until,
            as_of=as_of,
            known_at=known_at,
        )
        view = self._view(scope, agents)
        read, _ = wire.question(query)
        question = explaining.Question(read, options, view, self._clock(), self._packer)
        return explaining.explain(self.store, self._known(id, view), question)

    def _options(
        self,
        *,
        limit: int | None,
        budget: int | None,
        min_score: float | None,
        tags: Iterable[str],
        any_tags: Iterable[str],
        kinds: Iterable[Kind | str],
        session: str | None,
        not_session: str | None,
        since: Instant | None,
        until: Instant | None,
        as_of: Instant | None,
        known_at: Instant | None,
    ) -> RecallOptions:
        """A caller's spellings as values, what is not given from the settings."""
        settings = self.settings
        return RecallOptions(
            limit=wire.parse_limit(settings.recall_limit if limit is None else limit),
            budget=self._budget(budget),
            min_score=wire.parse_share(settings.min_score if min_score is None else min_score),
            kinds=wire.several_kinds(kinds),
            tags_all=wire.words(tags, name="tags"),
            tags_any=wire.words(any_tags, name="any_tags"),
            session=wire.optional_text(session, name="session"),
            not_session=wire.optional_text(not_session, name="not_session"),
            since=wire.instant(since, name="since"),
            until=wire.instant(until, name="until", end_of_day=True),
            as_of=wire.instant(as_of, name="as_of"),
            known_at=wire.instant(known_at, name="known_at"),
        )

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
