"""The edits that do not make a new version: tags, pin, expiry, approval.

They touch side tables only and are in the change log.
"""

from __future__ import annotations

from dataclasses import dataclass

from memstone.errors import NotHeld
from memstone.ingestion.remembering import join_tags
from memstone.ingestion.superseding import Target, require

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstone.protocols import Store
    from memstone.types import ChangeNote, Memory, View


def approve(store: Store, ids: Sequence[str], view: View, *, note: ChangeNote) -> list[Memory]:
    """Let memories that were held back be recalled, all or none of them.

    Raises `NotFound`, and `NotHeld` for one that is not held.
    """
    with store.write(note) as transaction:
        held = [require(transaction, Target(id_, view)) for id_ in dict.fromkeys(ids)]
        for memory in held:
            if not memory.held:
                raise NotHeld(f"{memory.id} is not held back", hint="nothing to do", id=memory.id)
            transaction.set_held(memory.row, held=False)
        return transaction.memories([memory.row for memory in held])


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """What to change on one memory; instants in microseconds, `expires` None clears it."""

    add_tags: tuple[str, ...] = ()
    remove_tags: tuple[str, ...] = ()
    pinned: bool | None = None
    sets_expiry: bool = False
    expires: int | None = None


def edit(store: Store, target: Target, change: Edit, *, note: ChangeNote) -> Memory:
    """Apply an edit; returns the memory as it is now. Raises `NotFound`."""
    with store.write(note) as transaction:
        memory = require(transaction, target)
        join_tags(transaction, memory, change.add_tags)
        if change.remove_tags:
            transaction.remove_tags(memory.row, change.remove_tags)
        if change.pinned is not None:
            transaction.set_pinned(memory.row, pinned=change.pinned)
        if change.sets_expiry:
            transaction.set_expires(memory.row, change.expires)
        return transaction.memories([memory.row])[0]
