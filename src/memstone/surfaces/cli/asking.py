"""`why`, `wrong`, `right`, `feedback`: why a memory was recalled or not, what was said of it."""

from __future__ import annotations

import json
import os

from memstone import wire
from memstone.errors import UsageError
from memstone.surfaces.cli.call import asked
from memstone.surfaces.cli.transfer import refuse_store_files, replacing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memstone.surfaces.cli.call import Call
    from memstone.types import Feedback


def why(call: Call) -> int:
    """Explain the recall of one memory; that it is not recalled is an answer, not an error."""
    given = call.arguments
    with call.open() as engine:
        told = engine.explain(given.id, given.query, **asked(given))

    def show() -> str:
        from memstone.surfaces.cli import tables

        return tables.explained(told)

    call.output.document(wire.explanation_to_json(told), show)
    return 0


def wrong(call: Call) -> int:
    """Record that a memory does not belong into the answer to a question."""
    return _judge(call, "wrong")


def right(call: Call) -> int:
    """Record that it does."""
    return _judge(call, "right")


def _judge(call: Call, verdict: str) -> int:
    given = call.arguments
    if given.query is None:
        raise UsageError("--query is missing", hint="name the question, in quotes")
    with call.open() as engine:
        said = engine.judge(given.id, given.query, verdict)
    call.output.document(
        wire.feedback_to_json(said), lambda: f"{said.verdict} for {said.query!r}: {said.id}"
    )
    return 0


def feedback(call: Call) -> int:
    """Write every verdict as JSON lines, to standard output or to a file replaced in one step."""
    target = call.arguments.output
    with call.open() as engine:
        found = engine.feedback()
        if target is None or target == "-":
            _list(call, found)
            return 0
        refuse_store_files(target, engine.path)
    with replacing(target) as stream:
        for said in found:
            line = json.dumps(wire.feedback_to_json(said), ensure_ascii=False) + "\n"
            stream.write(line.encode("utf-8"))
    answer = {"exported": len(found), "path": os.path.realpath(target)}
    call.output.document(answer, lambda: f"exported {len(found)} verdicts to {target}")
    return 0


def _list(call: Call, found: list[Feedback]) -> None:
    def show() -> str:
        from memstone.surfaces.cli import tables

        return tables.verdicts(found)

    call.output.records(map(wire.feedback_to_json, found), show)
