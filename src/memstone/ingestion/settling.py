"""What a new memory means for the others: what it contradicts, then what it repeats.

Runs after the text is on disk, because no reading of a text may lose or delay it. A row that was
not settled yet says so since its own transaction and is found again by query, by whoever works
next; settling it twice changes nothing.
"""

from __future__ import annotations

from memstone.ingestion import contradicting, joining
from memstone.ingestion.contradicting import has_rivals
from memstone.ingestion.replacing import NEVER, Rules, Settled, Work, open_row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memstone.protocols import Store
    from memstone.types import ChangeNote

__all__ = ["Rules", "Settled", "has_rivals", "pending", "settle", "settle_conflicts"]


def settle_conflicts(store: Store, row: int, rules: Rules, *, note: ChangeNote) -> Settled:
    """Decide what a row replaces; near duplicates are left to `settle`."""
    with store.write(note) as transaction:
        work = Work(transaction, rules, note.at, Settled())
        memory = open_row(transaction, row)
        if memory is not None:
            contradicting.decide(work, memory)
    return work.done


def settle(store: Store, row: int, rules: Rules, *, note: ChangeNote) -> Settled:
    """Decide what a row replaces and what it repeats, and note that it is settled."""
    with store.write(note) as transaction:
        work = Work(transaction, rules, note.at, Settled())
        memory = open_row(transaction, row)
        if memory is not None:
            contradicting.decide(work, memory)
            left = open_row(transaction, row)
            if left is not None and rules.rule != NEVER:
                joining.join(work, left)
        transaction.settle(row)
    return work.done


def pending(store: Store, user: str, limit: int) -> list[int]:
    """Rows of a user that nobody has settled yet, the oldest first."""
    with store.read() as snapshot:
        return snapshot.unsettled(snapshot.namespaces_of(user), limit=limit)
