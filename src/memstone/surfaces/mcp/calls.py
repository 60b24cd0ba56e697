"""What the tools do: checked arguments in, the JSON that every surface gives out.

Each function is one line through the engine and `wire`. Loaded at the first call of a tool, and
with it the engine. What comes over MCP is a model's own, so it is stored with trust `agent` at
most; the model may lower that for what it read elsewhere, never raise it.
"""

from __future__ import annotations

from hashlib import sha256

from memstone import wire
from memstone.errors import InvalidInput, NotFound
from memstone.surfaces.mcp.schemas import TRUSTS
from memstone.types import Outcome, Scope, Trust

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memstone.engine import Engine
    from memstone.surfaces.mcp.schemas import Json

LIST_LIMIT = 20


def remember(engine: Engine, given: dict[str, Any]) -> Json:
    """The memory and what became of it; with `supersedes`, the new version."""
    lower = _trusted(given)
    replaced, shared = given.pop("supersedes", None), given.pop("shared", False)
    scope = Scope(engine.scope.user) if shared else None
    if replaced is None:
        return wire.remembered_to_json(engine.remember(**given, trust=lower, scope=scope))
    if shared:
        raise InvalidInput(
            "shared: a new version stays where the old one is",
            hint="leave out shared or supersedes",
            name="shared",
        )
    memory = engine.supersede(replaced, **given, trust=lower)
    return {**wire.memory_to_json(memory), "outcome": Outcome.CREATED.value}


def recall(engine: Engine, given: dict[str, Any]) -> Json:
    """What matters for the question."""
    return wire.recall_to_json(engine.recall(**given))


def supersede(engine: Engine, given: dict[str, Any]) -> Json:
    """The new version."""
    lower = _trusted(given)
    return wire.memory_to_json(engine.supersede(**given, trust=lower))


def history(engine: Engine, given: dict[str, Any]) -> Json:
    """Every version, oldest first."""
    return {"versions": [wire.memory_to_json(memory) for memory in engine.history(**given)]}


def forget(engine: Engine, given: dict[str, Any]) -> Json:
    """What is gone and what was not there; raises `NotFound` if none of it was."""
    only_say = given.get("dry_run", False)
    result = engine.forget(*dict.fromkeys(given["ids"]), dry_run=only_say)
    if not result.forgotten:
        raise NotFound(
            f"not found: {', '.join(result.missing)}",
            hint="it may belong to another user, project or agent; list shows what is here",
            missing=result.missing,
        )
    answer = wire.forget_to_json(result)
    if not only_say:
        return answer
    return {"dry_run": True, "would_forget": answer["forgotten"], "missing": answer["missing"]}


def recover(engine: Engine, given: dict[str, Any]) -> Json:
    """The exact text behind a handle."""
    text = engine.recover(given["handle"])
    digest = sha256(text.encode("utf-8")).hexdigest()
    return {"handle": given["handle"], "text": text, "text_sha256": digest}


def list_memories(engine: Engine, given: dict[str, Any]) -> Json:
    """Memories, newest first."""
    found = engine.list(**{"limit": LIST_LIMIT, **given})
    return {"memories": [wire.memory_to_json(memory) for memory in found]}


def tag(engine: Engine, given: dict[str, Any]) -> Json:
    """The memory with its tags as they are now."""
    added, removed = given.get("tags", ()), given.get("remove", ())
    if not added and not removed:
        raise InvalidInput(
            "tags: no tag was named", hint="give tags to add, or remove", name="tags"
        )
    memory = engine.tag(given["id"], *added) if added else None
    memory = engine.untag(given["id"], *removed) if removed else memory
    assert memory is not None
    return wire.memory_to_json(memory)


def status(engine: Engine, given: dict[str, Any]) -> Json:  # noqa: ARG001  (as the others)
    """What runs on the store."""
    return wire.status_to_json(engine.status())


def _trusted(given: dict[str, Any]) -> Trust:
    """The trust of a text that a model hands over, taken out of the arguments."""
    name = given.pop("trust", Trust.AGENT.value)
    if name == Trust.USER.value:
        raise InvalidInput(
            "trust: over MCP nothing is stored with the trust of the user",
            hint=f"one of {', '.join(TRUSTS)}",
            name="trust",
        )
    return wire.parse_choice(Trust, name, name="trust")
