"""What models cost in a day, and the hard stop at the cap."""

from __future__ import annotations

import json
from dataclasses import dataclass

from memstone.times import from_micros


@dataclass(frozen=True, slots=True)
class Spending:
    """Tokens read and written, and calls, on one day (UTC)."""

    day: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    calls: int = 0

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens

    def allows(self, cap: int, estimate: int) -> bool:
        """Whether a call of about so many tokens still fits under the cap of the day.

        >>> Spending("2026-05-01", 900, 50).allows(1_000, 100)
        False
        """
        return self.tokens + estimate <= cap

    def on(self, day: str) -> Spending:
        """The spending of that day: this one, or none yet."""
        return self if self.day == day else Spending(day)

    def more(self, input_tokens: int, output_tokens: int) -> Spending:
        """After one more call."""
        return Spending(
            self.day,
            self.input_tokens + input_tokens,
            self.output_tokens + output_tokens,
            self.calls + 1,
        )

    def to_text(self) -> str:
        """As a store keeps it.

        >>> Spending.from_text(Spending("2026-05-01", 1, 2, 3).to_text())
        Spending(day='2026-05-01', input_tokens=1, output_tokens=2, calls=3)
        """
        return json.dumps([self.day, self.input_tokens, self.output_tokens, self.calls])

    @classmethod
    def from_text(cls, text: str | None) -> Spending:
        """What `to_text` wrote; nothing spent where there is nothing."""
        return cls() if text is None else cls(*json.loads(text))


def day_of(now: int) -> str:
    """The UTC day of an instant in microseconds.

    >>> day_of(0)
    '1970-01-01'
    """
    return from_micros(now).date().isoformat()
