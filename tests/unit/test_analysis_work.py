"""Analysis is linear: counted in lines of Python run, which no loaded machine makes more of.

A clock made an earlier version of this test fail at random. What the regular expressions do in C
is not seen here; each of theirs begins at a border and never goes back.
"""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING

import pytest

from memstone import analysis

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Any

    TraceFunction = Callable[[FrameType, str, Any], Any]

PIECES = {
    "english": "The budget was moved from March to May, said Ana. ",
    "chinese": "预算从三月改到五月，安娜说。部署在周五。",
    "one chinese word": "预",
    "one long word": "x",
    "dashes": "a-",
    "identifiers": "gen-itgc_v2.1/path ",
    "accents": "e\u0301",
    "joined emoji": "👩\u200d💻",
    "marks alone": "\u0301",
    "invisible": "\u200b",
    "thai": "สวัสดี",
    "line breaks": "\r\n",
    "full width": "Ａ１",
    "stops": ". ",
    "half pairs": "\ud83d",
}
SMALL = 1_200  # characters: over the size of a unit


def lines_run(work: Callable[[], object]) -> int:
    """How many lines of Python `work` runs, in whatever module."""
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> TraceFunction:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def growth(analyse: Callable[[str], object], piece: str, size: int) -> float:
    """How much more the work grows from twice to four times the size than from once to twice: 2 if
    it is linear, 4 if it is a square, whatever a call costs once.
    """
    texts = [piece * size * times for times in (1, 2, 4)]
    analyse(texts[0])  # what is loaded or remembered on first use is no part of it
    once, twice, four_times = (lines_run(partial(analyse, text)) for text in texts)
    return (four_times - twice) / max(twice - once, size / 100)


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize("function", ["tokenize", "units", "analyze_query", "surfaces"])
def test_the_work_grows_with_the_text_not_with_its_square(function: str, piece: str) -> None:
    assert growth(getattr(analysis, function), PIECES[piece], SMALL // len(PIECES[piece])) < 2.5


def test_the_count_would_notice_a_square() -> None:
    def square(text: str) -> int:
        found = 0
        for first in text:
            for second in text:
                found += first == second
        return found

    assert growth(square, "猫", 40) > 3.5
