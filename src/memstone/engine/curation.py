"""The engine's small edits: tags, pins, expiry, usage. They make no new version."""

from __future__ import annotations

from memstone import retrieval, wire
from memstone.engine.base import EngineBase

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from memstone.times import Instant
    from memstone.types import Memory, Scope


class Curation(EngineBase):
    """Operations on one memory that leave its text and its versions alone."""

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
