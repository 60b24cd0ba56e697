"""MemDaily in its public layout: Chinese messages of simulated users, gold by step id.

The file maps a question type to trajectories (users). All messages of one type form one pool, so
that a question has near-twins of other users to tell apart; a trajectory is a session.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Any

from benchmarks.loaders.reading import numbers_in, read_json
from benchmarks.pools import DataSet, Item, Pool, Question
from memstone.times import to_micros
from memstone.types import Trust

if TYPE_CHECKING:
    from pathlib import Path

POOL_SIZE = 20  # trajectories a pool; the development file holds 20 a type, the public one more
TIME = re.compile(r"(\d+)年(\d+)月(\d+)日\D*(\d+):(\d+)")


def load(path: Path) -> DataSet:
    """One pool for each 20 trajectories of a type; ids are `tid:mid`."""
    pools = []
    without_gold = 0
    for kind, trajectories in read_json(path).items():
        for start in range(0, len(trajectories), POOL_SIZE):
            pool, missing = _pool(f"{kind}/{start}", kind, trajectories[start : start + POOL_SIZE])
            pools.append(pool)
            without_gold += missing
    return DataSet(path.stem, tuple(pools), without_gold)


def _pool(name: str, kind: str, trajectories: list[dict[str, Any]]) -> tuple[Pool, int]:
    items: list[Item] = []
    asked: list[Question] = []
    without_gold = 0
    for trajectory in trajectories:
        tid = trajectory["tid"]
        session = f"{kind}/{tid}"
        for message in trajectory["message_list"]:
            key = f"{tid}:{message['mid']}"
            at = moment(message["time"])
            items.append(Item(key, message["message"], session, "user", at, Trust.USER))
        known = {message["mid"] for message in trajectory["message_list"]}
        for entry in trajectory["question_list"]:
            steps = [step for step in numbers_in(entry["target_step_id"]) if step in known]
            if not steps:
                without_gold += 1
                continue
            gold = tuple(f"{tid}:{step}" for step in steps)
            asked.append(Question(f"{kind}/{tid}/{entry['qid']}", entry["question"], gold, kind))
    return Pool(name, tuple(items), tuple(asked), turns=True), without_gold


def moment(text: str) -> int | None:
    """Microseconds of a MemDaily time, read as UTC; None when it has another shape.

    >>> moment("1970年01月01日 周四 00:01")
    60000000
    """
    match = TIME.match(text)
    if match is None:
        return None
    year, month, day, hour, minute = map(int, match.groups())
    return to_micros(datetime(year, month, day, hour, minute))  # noqa: DTZ001  (read as UTC)
