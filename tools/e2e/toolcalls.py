"""One call of each memory tool, in an order in which each finds what the one before left.

A `Step` computes its arguments from the ids of earlier answers and says what its answer must hold.
The handle is computed from the text: its first 16 bytes of SHA-256 are a public rule, and nothing
short enough for a command line would be shortened in a recall.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

TEXT = "The release train leaves on Thursdays; 发布列车每周四出发。"
NEWER = "The release train leaves on Fridays; 发布列车每周五出发。"
HANDLE = f"ccr_{sha256(NEWER.encode()).hexdigest()[:32]}"

Answer = dict[str, Any]
Ids = dict[str, str]


@dataclass(frozen=True, slots=True)
class Step:
    """A call: its tool, its arguments out of the ids so far, and what makes its answer right."""

    tool: str
    arguments: Callable[[Ids], dict[str, str]]
    right: Callable[[Answer], bool]
    seen: str
    keeps: str = ""  # under this name the answer's id is kept


STEPS = (
    Step(
        "remember",
        lambda _: {"text": TEXT},
        lambda answer: answer.get("outcome") == "created" and "text" not in answer,
        "created; the answer does not repeat the text",
        keeps="old",
    ),
    Step(
        "recall",
        lambda _: {"query": "发布列车什么时候出发 release train"},
        lambda answer: [hit["text"] for hit in answer.get("hits", [])] == [TEXT],
        "one hit, the text",
    ),
    Step(
        "supersede",
        lambda ids: {"id": ids["old"], "text": NEWER},
        lambda answer: "supersedes" in answer and "text" not in answer,
        "a newer version",
        keeps="new",
    ),
    Step(
        "history",
        lambda ids: {"id": ids["new"]},
        lambda answer: [version["text"] for version in answer.get("versions", [])] == [TEXT, NEWER],
        "both versions, oldest first",
    ),
    Step(
        "list",
        lambda _: {"limit": "5"},
        lambda answer: NEWER in json.dumps(answer, ensure_ascii=False),
        "the newer text is in it",
    ),
    Step(
        "tag",
        lambda ids: {"id": ids["new"], "tags": '["release", "发布"]'},
        lambda answer: {"release", "发布"} <= set(answer.get("tags", [])),
        "both tags",
    ),
    Step(
        "recover",
        lambda _: {"handle": HANDLE},
        lambda answer: NEWER in json.dumps(answer, ensure_ascii=False),
        "the whole text by its handle",
    ),
    Step("status", lambda _: {}, bool, "an answer"),
    Step(
        "forget",
        lambda ids: {"ids": json.dumps([ids["new"]])},
        bool,
        "an answer",
    ),
)
