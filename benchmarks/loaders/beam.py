"""BEAM chats in their public layout: long messages, probing questions with source message ids.

One pool a chat. A batch of the chat is a session; a batch's time anchor, where the file gives
one, is the time of its messages. Abstention questions have no source and are left out, counted.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from benchmarks.loaders.reading import numbers_in, read_json
from benchmarks.pools import DataSet, Item, Pool, Question
from memstone.times import to_micros
from memstone.types import Trust

if TYPE_CHECKING:
    from pathlib import Path

ANCHOR = "%B-%d-%Y"


def load(path: Path) -> DataSet:
    """One pool a chat; ids are the message ids, as text."""
    pools = []
    without_gold = 0
    for chat in read_json(path):
        items = tuple(_items(chat))
        known = {item.id for item in items}
        asked: list[Question] = []
        for category, entries in chat["probing_questions"].items():
            for number, entry in enumerate(entries):
                numbers = numbers_in(entry.get("source_chat_ids"))
                gold = tuple(str(key) for key in numbers if str(key) in known)
                if not gold:
                    without_gold += 1
                    continue
                name = f"{chat['id']}/{category}/{number}"
                asked.append(Question(name, entry["question"], gold, category))
        pools.append(Pool(f"chat {chat['id']}", items, tuple(asked), turns=True))
    return DataSet(path.stem, tuple(pools), without_gold)


def _items(chat: dict[str, Any]) -> list[Item]:
    items: list[Item] = []
    at: int | None = None
    for batch in chat["chat"]:
        session = f"{chat['id']}/batch_{batch['batch_number']}"
        for message in (message for turn in batch["turns"] for message in turn):
            anchor = message.get("time_anchor") or batch.get("time_anchor")
            if anchor:  # stands on the first message only; the others follow it
                at = to_micros(datetime.strptime(anchor, ANCHOR))  # noqa: DTZ007  (read as UTC)
            role = str(message["role"])
            trust = Trust.USER if role == "user" else Trust.AGENT
            key = str(message["id"])
            items.append(Item(key, message["content"], session, role, at, trust))
    return items
