"""The second stage's signals: each a pure function with a range and a reason.

All weights stand here, few and round, tuned on development data only (`benchmarks/`, the ablation
has a row for each). A share is relative to the best candidate of the question, so that the signals
keep their proportion whatever the scale of BM25.
"""

from __future__ import annotations

from memstone.ranking.arithmetic import rounded
from memstone.types import CJK_BEGINS

DAY_US = 86_400_000_000

REACH = 2  # turns before and after that lend evidence: further away the talk has moved on
WINDOWS = 10  # candidates whose neighbours are looked at; 20 cost time and found nothing more
LEND = 0.5  # what a term in a neighbouring turn is worth against the same term in the turn itself
LEND_KNOWN = 0.3  # of that, when the turn has the term itself: it is confirmed, not added
LEND_DECAY = (1.0, 0.5)  # by distance in turns
SESSION = 0.3  # share for the conversation that matches best
SESSION_BEST = 3  # its best memories whose mean says how well it matches
SPEAKER = 0.2  # share for turns of the one person the question names
SAID_BY_USER = 0.2  # share for what the user said, against what an assistant or a tool said
IMPORTANCE = 0.04  # share for pinned memories and for what was put down as more than a turn
DECAY = 0.05  # the most that age takes away
ASKING = 0.8  # factor for a turn that ends with a question: it asks for what the question asks for
RETOLD = 0.9  # factor for a card: it cites what was said, it is not what was said
HALF_LIFE_DAYS = {
    "turn": 90.0,
    "task": 30.0,
    "card": 180.0,
    "fact": 365.0,
    "decision": 365.0,
    "preference": 730.0,
    "persona": 3650.0,
}
ROUND_NOW_US = 600_000_000  # `now` enters ranking rounded down to 10 minutes (invariant 7)
ROLES = frozenset({"user", "assistant", "system", "tool", "human", "ai"})  # nobody's name


def freshness(kind: str, valid_from: int, now: int) -> float:
    """Factor in (1 − DECAY, 1]: newer before older among equals, never more than that.

    >>> freshness("turn", 0, 0)
    1.0
    >>> round(freshness("turn", 0, 90 * DAY_US), 4)
    0.975
    """
    age_days = max(now // ROUND_NOW_US * ROUND_NOW_US - valid_from, 0) / DAY_US
    halved = rounded(float(0.5 ** (age_days / HALF_LIFE_DAYS.get(kind, 365.0))))
    return 1.0 - DECAY * (1.0 - halved)


def importance(kind: str, *, pinned: bool) -> float:
    """In 0..1: half for a pin, half for a kind that somebody chose to put down.

    >>> importance("decision", pinned=True)
    1.0
    """
    return 0.5 * pinned + 0.5 * (kind in {"decision", "preference", "task", "persona"})


def asking(kind: str, *, asks: bool) -> float:
    """Factor in 0..1: a turn that asks repeats the question's words and seldom answers them, and a
    card says again what turns say, which therefore come before it among equals.

    >>> asking("turn", asks=True), asking("fact", asks=True), asking("card", asks=False)
    (0.8, 1.0, 0.9)
    """
    if kind == "card":
        return RETOLD
    return ASKING if asks and kind == "turn" else 1.0


def lends(term: str) -> bool:
    """Whether a neighbour's occurrence of a term is evidence: single CJK characters are not.

    >>> lends("budget"), lends("预算"), lends("预")
    (True, True, False)
    """
    return len(term) > 1 or term < CJK_BEGINS
