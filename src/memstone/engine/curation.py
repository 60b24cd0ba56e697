"""The engine's small edits: tags, pins, expiry, usage, verdicts. They make no new version."""

from __future__ import annotations

from memstone import retrieval, wire
from memstone.engine.base import EngineBase
from memstone.errors import InvalidInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from memstone.times import Instant
    from memstone.types import Feedback, Memory, Scope, Verdict


class Curation(EngineBase):
    """Operations on one memory that leave its text and its versions alone."""

    def touch(self, ids: Iterable[str], *, scope: Scope | None = None) -> None:
        """Record that those memories were used; unknown ids are ignored."""
        rows = retrieval.rows_of(self.store, wire.words(ids, name="ids"), self._view(scope))
        if rows:
            self.store.touch(rows, self._clock())

    def tag(self, id: str, *tags: str, scope: Scope | None = None) -> Memory:  # noqa: A002
        """Add tags; returns the memory. Raises `NotFound`."""
        clean = self._cleaner().tags(_some(tags))
        return self._edit(id, scope, "tag", add_tags=clean)

    def untag(self, id: str, *tags: str, scope: Scope | None = None) -> Memory:  # noqa: A002
        """Remove tags; returns the memory. Raises `NotFound`."""
        return self._edit(id, scope, "untag", remove_tags=_some(tags))

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

    def judge(
        self,
        id: str,  # noqa: A002
        query: str,
        verdict: Verdict | str,
        *,
        scope: Scope | None = None,
    ) -> Feedback:
        """Record that a memory is the `right` or a `wrong` answer to `query`; returns what stands.

        A later verdict on the same two replaces the earlier one. It is exported by `feedback` and
        used by nothing silently. Raises `NotFound`, `SecretFound`, `InvalidInput`.
        """
        from memstone import judging
        from memstone.types import Verdict

        said = wire.parse_choice(Verdict, verdict, name="verdict")
        asked = judging.check_query(wire.unicode_text(query, name="query"))
        clean = self._cleaner().name("query", asked, judging.MAX_QUERY_BYTES) or ""
        asked = judging.check_query(clean)  # what was private in it is gone
        view, note = self._view(scope), self._note("judge")
        named = self._known(id, view)
        return judging.judge(self.store, named, view, (asked, said), note=note)

    def feedback(self) -> list[Feedback]:
        """Every verdict on this user's memories, in whatever project and agent, oldest first."""
        from memstone import judging

        return judging.feedback(self.store, self.scope.user)

    def _edit(
        self,
        id: str,  # noqa: A002
        scope: Scope | None,
        operation: str,
        **change: Any,
    ) -> Memory:
        from memstone import ingestion

        view = self._view(scope)
        target = ingestion.Target(self._known(id, view), view)
        wanted = ingestion.Edit(**change)
        return ingestion.edit(self.store, target, wanted, note=self._note(operation))


def _some(tags: tuple[str, ...]) -> tuple[str, ...]:
    """The tags that are named; raises `InvalidInput` if none is."""
    named = wire.words(tags, name="tags")
    if not named:
        raise InvalidInput("tags: no tag was named", hint="name at least one", name="tags")
    return named
