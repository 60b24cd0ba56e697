"""Float arithmetic whose bits are the same on every platform and Python version.

`sum` adds floats with compensation since Python 3.12 and without it before; `log` and `pow` differ
in their last bits between C libraries. What enters a score is therefore added one by one, from the
left, and what comes out of such a function is rounded to 2⁻³².
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

STEPS = 2.0**32


def total(values: Iterable[float]) -> float:
    """The sum, each value added to what stands to its left.

    >>> total([0.1] * 10)
    0.9999999999999999
    """
    result = 0.0
    for value in values:
        result += value
    return result


def rounded(value: float) -> float:
    """`value` to the nearest multiple of 2⁻³².

    >>> rounded(0.1) == round(0.1 * 2**32) / 2**32
    True
    """
    return round(value * STEPS) / STEPS
