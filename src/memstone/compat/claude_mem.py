"""The second ancestor's three functions, in its shape, over one store of ours.

The store is the one that `~/.claude-mem/config.yaml` names (`CLAUDE_MEM_HOME` names another
folder), opened at the first call. Writing returns when the text is on disk; duplicates, conflicts
and cards are worked out by a thread of this process. Errors are those of `memstone`.
"""

from __future__ import annotations

import atexit
import threading
from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from memstone.engine.claude_mem import ClaudeMem
    from memstone.times import Instant

__all__ = ["Recalled", "forget", "recall", "remember"]


@dataclass(frozen=True, slots=True)
class Recalled:
    """What `recall` gives back of one memory."""

    content: str
    score: float  # 0..1: the evidence that it answers the question
    id: str


def remember(content: str, tags: Iterable[str] = (), session_id: str | None = None) -> str:
    """Store a text; returns its id. It is on disk when this returns."""
    return _store().remember(content, tags, session_id).id


def recall(query: str, top_k: int | None = None) -> list[Recalled]:
    """What matters for a question, best first; often nothing."""
    hits = _store().recall(query, top_k)
    return [Recalled(hit.text, hit.signals.evidence, hit.id) for hit in hits]


def forget(
    keyword: str | None = None,
    *,
    tag: str | None = None,
    before: Instant | None = None,
    after: Instant | None = None,
) -> int:
    """Remove every memory that holds all words of `keyword`, has the tag, and became true in that
    time; returns how many. Raises `InvalidInput` if nothing is given.
    """
    found = _store().forget(keyword, tag=tag, before=before, after=after)
    return len(found.forgotten)


_LOCK = threading.Lock()
_OPEN: list[ClaudeMem] = []


def _store() -> ClaudeMem:
    """The store, opened once a process."""
    with _LOCK:
        if not _OPEN:
            from memstone.engine.claude_mem import open_claude_mem  # noqa: PLC0415

            _OPEN.append(open_claude_mem(background=True))
            atexit.register(_close)
        return _OPEN[0]


def _close() -> None:
    """Close the store, so that the next call opens the one that the environment then names."""
    with _LOCK:
        while _OPEN:
            _OPEN.pop().close()
