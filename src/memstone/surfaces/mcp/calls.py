"""What the tools do: checked arguments in, the JSON that every surface gives out.

Each function is one line through the engine and `wire`. Answers are brief, because a model pays
for every token of them, unless `full` asks for everything. Loaded at the first call of a tool, and
with it the engine. What comes over MCP is a model's own, so it is stored with trust `agent` at
most; the model may lower that for what it read elsewhere, never raise it.
"""

from __future__ import annotations

from hashlib import sha256

from memstone import wire
from memstone.errors import InvalidInput, NotFound
from memstone.surfaces.mcp import showing
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
    brief, lower = _brief(given), _trusted(given)
    replaced, shared = given.pop("supersedes", None), given.pop("shared", False)
    scope = Scope(engine.scope.user) if shared else None
    if replaced is None:
        answer = engine.remember(**given, trust=lower, scope=scope)
        return wire.remembered_to_json(answer, brief=brief)
    if shared:
        raise InvalidInput(
            "shared: a new version stays where the old one is",
            hint="leave out shared or supersedes",
            name="shared",
        )
    replaced = showing.id_of(engine, replaced)
    memory = engine.supersede(replaced, **given, trust=lower)
    return {**wire.changed_to_json(memory, brief=brief), "outcome": Outcome.CREATED.value}


def recall(engine: Engine, given: dict[str, Any]) -> Json:
    """What matters for the question."""
    brief = _brief(given)
    return wire.recall_to_json(engine.recall(**given), brief=brief)


def supersede(engine: Engine, given: dict[str, Any]) -> Json:
    """The new version."""
    brief, lower = _brief(given), _trusted(given)
    replaced = showing.id_of(engine, given.pop("id"))
    return wire.changed_to_json(engine.supersede(replaced, **given, trust=lower), brief=brief)


def history(engine: Engine, given: dict[str, Any]) -> Json:
    """Every version, oldest first."""
    brief = _brief(given)
    found = showing.versions(engine, given)
    return {"versions": [wire.memory_to_json(memory, brief=brief) for memory in found]}


def forget(engine: Engine, given: dict[str, Any]) -> Json:
    """What is gone and what was not there; raises `NotFound` if none of it was. A selection that
    takes more than one memory is only shown until the call says `confirm`.
    """
    only_say, agreed = given.pop("dry_run", False), given.pop("confirm", False)
    ids = dict.fromkeys(given.pop("ids", ()))
    if ids and given:
        raise InvalidInput(
            "forget: ids and a selection do not go together", hint="give one", name="ids"
        )
    most = None  # a caller that named them knows how many they are
    if ids:
        result = engine.forget(*ids, dry_run=only_say)
    else:
        most = LIST_LIMIT
        result = engine.forget_where(**given, dry_run=True)
        only_say = only_say or (len(result.forgotten) > 1 and not agreed)
        if result.forgotten and not only_say:
            result = engine.forget(*result.forgotten)
    if not result.forgotten:
        raise NotFound(
            f"not found: {', '.join(result.missing) or 'nothing meets the selection'}",
            hint="it may belong to another user, project or agent; list shows what is here",
            missing=result.missing,
        )
    if not only_say:
        return wire.forget_to_json(result, most=most)
    return wire.forgetting_to_json(showing.without_held(result), most=most)


def recover(engine: Engine, given: dict[str, Any]) -> Json:
    """The exact text behind a handle."""
    text = engine.recover(given["handle"])
    digest = sha256(text.encode("utf-8")).hexdigest()
    return {"handle": given["handle"], "text": text, "text_sha256": digest}


def list_memories(engine: Engine, given: dict[str, Any]) -> Json:
    """Memories, newest first."""
    brief = _brief(given)
    limit = wire.parse_limit(given.pop("limit", LIST_LIMIT))
    found = showing.listed(engine, given, limit)
    return {"memories": [wire.memory_to_json(memory, brief=brief) for memory in found]}


def tag(engine: Engine, given: dict[str, Any]) -> Json:
    """The memory with its tags as they are now."""
    brief = _brief(given)
    added, removed = given.get("tags", ()), given.get("remove", ())
    if not added and not removed:
        raise InvalidInput(
            "tags: no tag was named", hint="give tags to add, or remove", name="tags"
        )
    memory = showing.memory(engine, given["id"])
    memory = engine.tag(memory.id, *added) if added else memory
    memory = engine.untag(memory.id, *removed) if removed else memory
    return wire.changed_to_json(memory, brief=brief)


def status(engine: Engine, given: dict[str, Any]) -> Json:  # noqa: ARG001  (as the others)
    """What runs on the store."""
    return wire.status_to_json(engine.status())


def _brief(given: dict[str, Any]) -> bool:
    """Whether the answer is to be brief; takes `full` out of the arguments."""
    return not given.pop("full", False)


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
