"""LoCoMo in its public layout: dialogues of numbered sessions, questions with evidence turns.

Gold is `qa.evidence`, a list of `dia_id`s; some entries hold several ("D8:6; D9:17") or a zero
too many ("D30:05"), so ids are picked out by their shape. Questions whose gold names no turn of
the dialogue are left out and counted. Category 5 is adversarial: its "gold" is about the other
speaker, and it is reported apart.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Any

from benchmarks.loaders.reading import read_json
from benchmarks.pools import ADVERSARIAL, DataSet, ImportSource, Item, Pool, Question
from memstone.times import to_micros

if TYPE_CHECKING:
    from pathlib import Path

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: ADVERSARIAL}
SESSION = re.compile(r"session_(\d+)")
DIALOGUE_ID = re.compile(r"D(\d+):(\d+)")
SESSION_TIME = "%I:%M %p on %d %B, %Y"


def load(path: Path) -> DataSet:
    """One pool a dialogue; the items' ids are their `dia_id`s."""
    pools = []
    without_gold = 0
    for dialogue in read_json(path):
        items = tuple(_items(dialogue))
        known = {item.id for item in items}
        asked: list[Question] = []
        for number, entry in enumerate(dialogue["qa"]):
            gold = evidence(entry.get("evidence") or [], known)
            if not gold:
                without_gold += 1
                continue
            name = f"{dialogue['sample_id']}/{number}"
            category = CATEGORIES[entry["category"]]
            asked.append(Question(name, str(entry["question"]), gold, category))
        sample = str(dialogue["sample_id"])
        source = ImportSource(str(path), "locomo", sample)
        pools.append(Pool(sample, items, tuple(asked), turns=True, source=source))
    return DataSet(path.stem, tuple(pools), without_gold)


def evidence(entries: list[str], known: set[str]) -> tuple[str, ...]:
    """The distinct turns that `entries` name, those of the dialogue only, in their order.

    >>> evidence(["D8:6; D9:17", "D30:05", "D"], {"D8:6", "D9:17", "D30:5"})
    ('D8:6', 'D9:17', 'D30:5')
    """
    named = [
        f"D{int(session)}:{int(turn)}"
        for entry in entries
        for session, turn in DIALOGUE_ID.findall(entry)
    ]
    return tuple(dict.fromkeys(name for name in named if name in known))


def _items(dialogue: dict[str, Any]) -> list[Item]:
    conversation = dialogue["conversation"]
    numbers = sorted(int(match[1]) for key in conversation if (match := SESSION.fullmatch(key)))
    items = []
    for number in numbers:
        time = conversation[f"session_{number}_date_time"]
        # a time without a zone is read as UTC by `to_micros`, as the importer does
        at = to_micros(datetime.strptime(time.upper(), SESSION_TIME))  # noqa: DTZ007
        for turn in conversation[f"session_{number}"]:
            caption = turn.get("blip_caption")
            text = turn["text"] + (f" [image: {caption}]" if caption else "")
            session = f"{dialogue['sample_id']}/session_{number}"
            items.append(Item(turn["dia_id"], text, session, turn["speaker"], at))
    return items
