"""LongMemEval in its public layout: each question brings the chat sessions it is asked over.

One pool a question. Gold are the turns marked `has_answer`; a question of which no turn is marked
is left out and counted. A question whose id ends in `_abs` has no answer in its sessions, whatever
is marked. Item ids are the places of session and turn, because a session's own id may come twice.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Any

from benchmarks.loaders.reading import read_json
from benchmarks.pools import NO_ANSWER, DataSet, Item, Pool, Question
from memstone.times import to_micros
from memstone.types import Trust

if TYPE_CHECKING:
    from pathlib import Path

TIME = re.compile(r"(\d+)/(\d+)/(\d+)\D+(\d+):(\d+)")
ABSTENTION = "_abs"


def load(path: Path) -> DataSet:
    """One pool a question; ids are `session:turn`, counted from 0."""
    pools = []
    without_gold = 0
    for entry in read_json(path):
        name = str(entry["question_id"])
        items, marked = _read(entry)
        if name.endswith(ABSTENTION):
            question = Question(name, entry["question"], (), NO_ANSWER)
        elif marked:
            question = Question(name, entry["question"], marked, entry["question_type"])
        else:
            without_gold += 1
            continue
        pools.append(Pool(name, items, (question,), turns=True))
    return DataSet(path.stem, tuple(pools), without_gold)


def _read(entry: dict[str, Any]) -> tuple[tuple[Item, ...], tuple[str, ...]]:
    """The turns of all sessions, and the ids of those that hold the answer."""
    items: list[Item] = []
    marked: list[str] = []
    sessions = zip(
        entry["haystack_session_ids"],
        entry["haystack_dates"],
        entry["haystack_sessions"],
        strict=True,
    )
    for place, (session, date, turns) in enumerate(sessions):
        at = moment(date)
        for number, turn in enumerate(turns):
            key = f"{place}:{number}"
            role = str(turn["role"])
            trust = Trust.USER if role == "user" else Trust.AGENT
            items.append(Item(key, turn["content"], str(session), role, at, trust))
            if turn.get("has_answer"):
                marked.append(key)
    return tuple(items), tuple(marked)


def moment(text: str) -> int | None:
    """Microseconds of a LongMemEval date, read as UTC; None when it has another shape.

    >>> moment("1970/01/01 (Thu) 00:01")
    60000000
    """
    match = TIME.match(text)
    if match is None:
        return None
    year, month, day, hour, minute = map(int, match.groups())
    return to_micros(datetime(year, month, day, hour, minute))  # noqa: DTZ001  (read as UTC)
