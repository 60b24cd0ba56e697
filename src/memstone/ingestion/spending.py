"""What models cost in a day, and the hard stop at the cap.

The sum stands in the store, so that every process on it shares the cap. A call is paid for before
it is made, by an estimate, and corrected after it: workers side by side cannot pass the cap
together, and a call that a kill cut off stays counted.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from memstone.errors import TokenCapReached
from memstone.times import from_micros

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memstone.protocols import Snapshot, Store, Transaction
    from memstone.types import ChangeNote

MARK = "summarizer_spending"


@dataclass(frozen=True, slots=True)
class Spending:
    """Tokens, read and written, and calls on one day (UTC)."""

    day: str = ""
    tokens: int = 0
    calls: int = 0

    def on(self, day: str) -> Spending:
        """The spending of that day: this one, or none yet.

        >>> Spending("2026-05-01", 900, 2).on("2026-05-02")
        Spending(day='2026-05-02', tokens=0, calls=0)
        """
        return self if self.day == day else Spending(day)


def spent(snapshot: Snapshot, now: int) -> Spending:
    """What was spent on the day of `now` (microseconds) so far."""
    kept = snapshot.mark(MARK)
    last = Spending() if kept is None else Spending(*json.loads(kept))
    return last.on(from_micros(now).date().isoformat())


def reserve(store: Store, tokens: int, *, cap: int, note: ChangeNote) -> None:
    """Pay for one call of about so many tokens. Raises `TokenCapReached`, and pays nothing, if the
    day's sum would pass `cap`.
    """
    with store.write(note) as transaction:
        before = spent(transaction, note.at)
        if before.tokens + tokens > cap:
            raise TokenCapReached(
                f"summarizer.daily_tokens: {before.tokens} of {cap} tokens are used today, "
                f"and a call takes about {tokens}",
                hint="cards are made without a model until tomorrow (UTC); or raise the setting",
            )
        _keep(transaction, Spending(before.day, before.tokens + tokens, before.calls + 1))


def correct(store: Store, estimated: int, used: int, *, note: ChangeNote) -> None:
    """Put what a call really took in the place of its estimate. Over midnight the new day bears
    the difference only if there was more than was paid for.
    """
    with store.write(note) as transaction:
        before = spent(transaction, note.at)
        tokens = max(before.tokens + used - estimated, 0)
        _keep(transaction, Spending(before.day, tokens, before.calls))


def _keep(transaction: Transaction, spending: Spending) -> None:
    transaction.set_mark(MARK, json.dumps([spending.day, spending.tokens, spending.calls]))
