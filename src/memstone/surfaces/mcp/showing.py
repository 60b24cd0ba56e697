"""What a model may be shown: everything in its scope that is not held back.

A held memory came from a tool or from outside and reads like an instruction, so it is a person who
looks at it: with `memstone review`, or through the prompt of that name. No tool and no address
gives its text, not among older versions either. For a model it is not there, save that `forget`
removes it; whoever names its id is told why, since that id came from our own answer.
"""

from __future__ import annotations

from dataclasses import replace

from memstone.errors import NotFound
from memstone.types import MAX_LIMIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memstone.engine import Engine
    from memstone.types import ForgetResult, Memory

HINT = (
    "it reads like an instruction and is held back until a person approves it: "
    "`memstone review` shows it"
)


def memory(engine: Engine, id_: str) -> Memory:
    """The memory of that id; raises `NotFound`, also for one that is held."""
    found = engine.get(id_)
    if found.held:
        raise _held(f"memory {found.id}", id=found.id)
    return found


def id_of(engine: Engine, id_: str) -> str:
    """The id of a memory that may be changed; of a blank one the verb says what it thinks."""
    return memory(engine, id_).id if id_.strip() else id_


def versions(engine: Engine, given: dict[str, Any]) -> list[Memory]:
    """The versions of a memory without held ones; raises `NotFound` if those are all."""
    found = engine.history(**given)
    shown = [each for each in found if not each.held]
    if found and not shown:
        raise _held(f"memory {found[-1].id}", id=found[-1].id)
    return shown


def listed(engine: Engine, given: dict[str, Any], limit: int) -> Sequence[Memory]:
    """The newest memories that pass the filters; held ones take no place among them."""
    if not given.get("history"):
        return engine.list(**given, limit=limit)  # this one has none
    held = engine.count(**{**given, "history": False, "held": True})
    found = engine.list(**given, limit=min(limit + held, MAX_LIMIT))
    return [each for each in found if not each.held][:limit]


def without_held(would: ForgetResult) -> ForgetResult:
    """What a dry run shows, less the texts of held memories; they are counted in `states`."""
    return replace(would, shown=tuple(each for each in would.shown if not each.held))


def _held(what: str, **fields: str) -> NotFound:
    return NotFound(f"{what} is not shown here", hint=HINT, **fields)
