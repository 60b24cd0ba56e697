"""`engine.aio`: the engine's operations for `async` callers, each in a worker thread.

SQLite is local, so there is nothing to await but a thread; the core stays synchronous and there
is no second implementation. Every operation has the signature of the engine's. Cancelling the task
does not undo a write that has begun.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from memstone.engine.core import Engine

    Parameters = ParamSpec("Parameters")
    Answer = TypeVar("Answer")

OPERATIONS = frozenset(
    (
        "approve",
        "block",
        "capture",
        "capture_summary",
        "capture_turns",
        "conflicts",
        "count",
        "expire",
        "explain",
        "export",
        "feedback",
        "flush",
        "forget",
        "forget_where",
        "get",
        "history",
        "import_file",
        "ingest",
        "judge",
        "list",
        "log",
        "note_session",
        "pending",
        "pin",
        "recall",
        "recover",
        "remember",
        "resolve",
        "restore",
        "review",
        "session_block",
        "stats",
        "status",
        "supersede",
        "tag",
        "touch",
        "undo",
        "unpin",
        "untag",
        "work",
    )
)


class AsyncEngine:
    """The engine for `async` callers; made by `engine.aio`."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    if TYPE_CHECKING:

        @staticmethod
        def _in_thread(
            method: Callable[Concatenate[Engine, Parameters], Answer],
        ) -> Callable[Concatenate[AsyncEngine, Parameters], Coroutine[Any, Any, Answer]]: ...

        remember = _in_thread(Engine.remember)
        supersede = _in_thread(Engine.supersede)
        recall = _in_thread(Engine.recall)
        block = _in_thread(Engine.block)
        explain = _in_thread(Engine.explain)
        judge = _in_thread(Engine.judge)
        feedback = _in_thread(Engine.feedback)
        history = _in_thread(Engine.history)
        forget = _in_thread(Engine.forget)
        forget_where = _in_thread(Engine.forget_where)
        recover = _in_thread(Engine.recover)
        get = _in_thread(Engine.get)
        list = _in_thread(Engine.list)
        count = _in_thread(Engine.count)
        touch = _in_thread(Engine.touch)
        tag = _in_thread(Engine.tag)
        untag = _in_thread(Engine.untag)
        pin = _in_thread(Engine.pin)
        unpin = _in_thread(Engine.unpin)
        expire = _in_thread(Engine.expire)
        import_file = _in_thread(Engine.import_file)
        ingest = _in_thread(Engine.ingest)
        export = _in_thread(Engine.export)
        stats = _in_thread(Engine.stats)
        log = _in_thread(Engine.log)
        approve = _in_thread(Engine.approve)
        capture = _in_thread(Engine.capture)
        capture_summary = _in_thread(Engine.capture_summary)
        capture_turns = _in_thread(Engine.capture_turns)
        note_session = _in_thread(Engine.note_session)
        pending = _in_thread(Engine.pending)
        restore = _in_thread(Engine.restore)
        review = _in_thread(Engine.review)
        session_block = _in_thread(Engine.session_block)
        status = _in_thread(Engine.status)
        undo = _in_thread(Engine.undo)
        work = _in_thread(Engine.work)
        flush = _in_thread(Engine.flush)
        conflicts = _in_thread(Engine.conflicts)
        resolve = _in_thread(Engine.resolve)
    else:

        def __getattr__(self, name: str) -> Callable[..., Coroutine[Any, Any, Any]]:
            if name not in OPERATIONS:
                raise AttributeError(f"AsyncEngine has no operation {name!r}")
            method = getattr(self._engine, name)

            async def call(*arguments: Any, **options: Any) -> Any:
                return await asyncio.to_thread(method, *arguments, **options)

            return call
