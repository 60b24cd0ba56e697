"""Settling by hand what the rules leave open: two memories that may contradict one another."""

from __future__ import annotations

from memstone.errors import InvalidInput, NotFound
from memstone.ingestion.replacing import BOTH, replace_by

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memstone.protocols import Snapshot, Store
    from memstone.types import ChangeNote, PossibleConflict, View

KEPT_OLDER, KEPT_NEWER = "kept-older", "kept-newer"


def conflicts(store: Store, view: View, *, limit: int) -> list[PossibleConflict]:
    """The open possible conflicts that this caller sees, the oldest first."""
    with store.read() as snapshot:
        return snapshot.conflicts(snapshot.namespaces(view))[:limit]


def resolve(
    store: Store, number: int, keep: str, view: View, *, note: ChangeNote
) -> PossibleConflict:
    """Settle a possible conflict: `keep` is the id of the memory that stands, or `both`.

    The other one becomes an earlier version beside it. Raises `NotFound`, `InvalidInput`.
    """
    with store.write(note) as transaction:
        found = _open(transaction, number, view)
        if keep == BOTH:
            resolution = BOTH
        elif keep in (found.older.id, found.newer.id):
            kept, gone = found.newer, found.older
            resolution = KEPT_NEWER
            if keep == found.older.id:
                kept, gone, resolution = found.older, found.newer, KEPT_OLDER
            replace_by(transaction, gone, kept, note.at)
        else:
            raise InvalidInput(
                f"keep: {keep} is not one of the two",
                hint=f"{found.older.id}, {found.newer.id} or both",
                name="keep",
            )
        transaction.resolve(number, resolution)
        settled = transaction.conflict(number, transaction.namespaces(view))
        assert settled is not None  # it was there a moment ago, in this transaction
        return settled


def _open(snapshot: Snapshot, number: int, view: View) -> PossibleConflict:
    """The open conflict of that number; raises `NotFound`, `InvalidInput`."""
    found = snapshot.conflict(number, snapshot.namespaces(view))
    if found is None:
        raise NotFound(
            f"no possible conflict {number} here",
            hint="`memstone conflicts` lists those that are open",
            conflict=number,
        )
    if found.resolution is not None:
        raise InvalidInput(
            f"conflict {number} is settled already: {found.resolution}",
            hint="`memstone log` has the change, `memstone undo` takes it back",
            name="conflict",
        )
    if not (found.older.current and found.newer.current):
        raise InvalidInput(
            f"conflict {number} is settled already: one of the two has a newer version",
            hint="`memstone history` shows it",
            name="conflict",
        )
    return found
