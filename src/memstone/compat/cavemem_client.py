"""A drop-in Python client of the command `cavemem`: the five verbs of the first seed.

The command is `CAVEMEM_BIN`, else `cavemem` on PATH; a path that is set and missing fails, and
nothing else is tried. Every function runs the command once and hands back its JSON, whatever it
is. Text is UTF-8 in both directions, whatever the locale says.

What fails, fails as the standard library says it: `FileNotFoundError` without a command,
`subprocess.CalledProcessError` with its `returncode` (`MEMORY_TOO_LARGE_EXIT_CODE` for a text over
262,144 bytes), `json.JSONDecodeError` if the answer is not JSON. For errors with codes, more verbs
and no process a call, use `import memstone`.
"""

from __future__ import annotations

import json
import os
import subprocess

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Answer = dict[str, Any]  # the command's JSON, as it came

__all__ = [
    "MEMORY_TOO_LARGE_EXIT_CODE",
    "forget",
    "history",
    "recall",
    "remember",
    "supersede",
]

MEMORY_TOO_LARGE_EXIT_CODE = 65
BINARY_VARIABLE = "CAVEMEM_BIN"


def remember(text: str) -> Answer:
    """`{"basis", "created_at", "id"}` of the stored text, which travels on standard input."""
    return _parsed(
        subprocess.run(  # noqa: S603  (no shell; the caller names the program)
            [_binary(), "remember", "--stdin"],
            input=text,
            capture_output=True,
            text=True,
            check=True,
            encoding="utf-8",
        )
    )


def recall(query: str, limit: int | None = None, token_budget: int | None = None) -> Answer:
    """`{"basis", "hits"}`; a budget without a limit sends limit 0, the command's default."""
    words = ["recall", query]
    if token_budget is not None:
        words += [str(limit if limit is not None else 0), str(token_budget)]
    elif limit is not None:
        words.append(str(limit))
    return _call(*words)


def supersede(id: str, text: str) -> Answer:  # noqa: A002  (the seed's name)
    """`{"basis", "created_at", "id", "supersedes"}` of the version that replaces `id`."""
    return _call("supersede", id, text)


def history(id: str) -> Answer:  # noqa: A002
    """`{"basis", "history"}` with every version, oldest first."""
    return _call("history", id)


def forget(id: str) -> Answer:  # noqa: A002
    """`{"forgotten"}`: false if there was nothing of that id."""
    return _call("forget", id)


def _call(*words: str) -> Answer:
    return _parsed(
        subprocess.run(  # noqa: S603
            [_binary(), *words], capture_output=True, text=True, check=True, encoding="utf-8"
        )
    )


def _binary() -> str:
    return os.environ.get(BINARY_VARIABLE) or "cavemem"


def _parsed(done: subprocess.CompletedProcess[str]) -> Answer:
    answer: Answer = json.loads(done.stdout)
    return answer
