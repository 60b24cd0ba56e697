"""Forgetting, and the edits that do not make a new version: tags, pin, expiry.

Forgetting is one transaction over everything that held the text; the chain closes over the gap
and no older version revives. Edits touch side tables only and are in the change log.
"""

from __future__ import annotations

from dataclasses import dataclass

from memstone.errors import NotHeld
from memstone.ingestion.remembering import join_tags
from memstone.ingestion.superseding import Target, require
from memstone.types import ForgetResult

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstone.protocols import Store
    from memstone.types import ChangeNote, Memory, View


def forget(
    store: Store, ids: Sequence[str], view: View, *, note: ChangeNote, dry_run: bool = False
) -> ForgetResult:
    """Remove those memories for good, all in one transaction; names what was not there.

    With `dry_run` nothing is removed and the answer says what would be.
    """
    forgotten, missing = [], []
    with store.write(note) as transaction:
        namespaces = transaction.namespaces(view)
        for id_ in dict.fromkeys(ids):
            memory = transaction.memory(id_, namespaces)
            if memory is None:
                missing.append(id_)
                continue
            if not dry_run:
                transaction.forget(memory.row)
            forgotten.append(id_)
    return ForgetResult(tuple(forgotten), tuple(missing))


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
