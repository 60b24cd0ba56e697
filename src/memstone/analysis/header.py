"""What belongs to a turn's own words besides its text: who said it, and on which day.

"What did Marta say in May?" is a question about words no turn contains. The speaker's name and the
date are therefore indexed with each unit of a turn, and nothing else is: not the session, not the
neighbours, or forgetting one memory would leave traces in another.
"""

from __future__ import annotations

from memstone.times import from_micros

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July",
    "August", "September", "October", "November", "December",
)  # fmt: skip


def header(speaker: str | None, said_at: int | None) -> str:
    """The words of a header; `said_at` in microseconds, None for what is not a turn.

    >>> header("Marta", 0)
    'Marta 1 January 1970'
    >>> header(None, None)
    ''
    """
    words = [speaker] if speaker else []
    if said_at is not None:
        day = from_micros(said_at)
        words.append(f"{day.day} {MONTHS[day.month - 1]} {day.year}")
    return " ".join(words)
