"""`engine.aio`: the engine's operations for `async` callers, one line each, over a thread.

SQLite is local, so there is nothing to await but a thread; the core stays synchronous and there
is no second implementation. Cancelling the task does not undo a write that has begun.
"""

from __future__ import annotations

import asyncio

TYPE_CHECKING = False
if TYPE_CHECKING:
    import builtins
    from typing import Any

    from memstone.engine import Engine
    from memstone.types import (
        Change,
        ForgetResult,
        ImportReport,
        Memory,
        RecallResult,
        Remembered,
        Statistics,
    )


class AsyncEngine:
    """Every method takes what the engine's method of that name takes."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def remember(self, text: str, **options: Any) -> Remembered:
        return await asyncio.to_thread(self._engine.remember, text, **options)

    async def supersede(self, id: str, text: str, **options: Any) -> Memory:  # noqa: A002
        return await asyncio.to_thread(self._engine.supersede, id, text, **options)

    async def recall(self, query: str, **options: Any) -> RecallResult:
        return await asyncio.to_thread(self._engine.recall, query, **options)

    async def history(self, id: str, **options: Any) -> builtins.list[Memory]:  # noqa: A002
        return await asyncio.to_thread(self._engine.history, id, **options)

    async def forget(self, *ids: str, **options: Any) -> ForgetResult:
        return await asyncio.to_thread(self._engine.forget, *ids, **options)

    async def recover(self, handle: str, **options: Any) -> str:
        return await asyncio.to_thread(self._engine.recover, handle, **options)

    async def get(self, id: str, **options: Any) -> Memory:  # noqa: A002
        return await asyncio.to_thread(self._engine.get, id, **options)

    async def list(self, **options: Any) -> builtins.list[Memory]:
        return await asyncio.to_thread(self._engine.list, **options)

    async def count(self, **options: Any) -> int:
        return await asyncio.to_thread(self._engine.count, **options)

    async def touch(self, ids: builtins.list[str], **options: Any) -> None:
        return await asyncio.to_thread(self._engine.touch, ids, **options)

    async def tag(self, id: str, *tags: str, **options: Any) -> Memory:  # noqa: A002
        return await asyncio.to_thread(self._engine.tag, id, *tags, **options)

    async def untag(self, id: str, *tags: str, **options: Any) -> Memory:  # noqa: A002
        return await asyncio.to_thread(self._engine.untag, id, *tags, **options)

    async def pin(self, id: str, **options: Any) -> Memory:  # noqa: A002
        return await asyncio.to_thread(self._engine.pin, id, **options)

    async def unpin(self, id: str, **options: Any) -> Memory:  # noqa: A002
        return await asyncio.to_thread(self._engine.unpin, id, **options)

    async def expire(self, id: str, when: Any, **options: Any) -> Memory:  # noqa: A002
        return await asyncio.to_thread(self._engine.expire, id, when, **options)

    async def import_file(self, path: Any, **options: Any) -> ImportReport:
        return await asyncio.to_thread(self._engine.import_file, path, **options)

    async def ingest(self, turns: Any, **options: Any) -> ImportReport:
        return await asyncio.to_thread(self._engine.ingest, turns, **options)

    async def stats(self) -> Statistics:
        return await asyncio.to_thread(self._engine.stats)

    async def log(self, **options: Any) -> builtins.list[Change]:
        return await asyncio.to_thread(self._engine.log, **options)
