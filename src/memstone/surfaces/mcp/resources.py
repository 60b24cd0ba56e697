"""Resources: single memories and the session block, by `memory://` address, with completion.

`memory://item/ID` is one memory as JSON, if this scope may see it and it is not held back; an id
of somebody else's is not found, exactly like one that never was. `memory://session-block` is the
text that a session starts with. Both are read through the engine; nothing here is a path.
"""

from __future__ import annotations

import json

from memstone.surfaces.jsonrpc import INVALID_PARAMS, RpcError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memstone.engine import Engine
    from memstone.surfaces.mcp.schemas import Json

ITEM = "memory://item/"
ITEM_TEMPLATE = ITEM + "{id}"
BLOCK = "memory://session-block"
MOST_VALUES = 100  # of a completion, as the protocol has it
LOOKED_AT = 500  # newest memories whose ids are completed; a prefix of 8 digits finds any

RESOURCES: tuple[Json, ...] = (
    {
        "uri": BLOCK,
        "name": "session-block",
        "title": "Session block",
        "description": "What a session starts with: personas, pinned preferences, open tasks",
        "mimeType": "text/plain",
    },
)
TEMPLATES: tuple[Json, ...] = (
    {
        "uriTemplate": ITEM_TEMPLATE,
        "name": "memory",
        "title": "One memory",
        "description": "One memory with everything known about it, by id",
        "mimeType": "application/json",
    },
)


def read(engine: Engine, uri: str) -> Json:
    """The contents behind an address; raises `RpcError` where there is nothing."""
    if uri == BLOCK:
        return _contents(uri, "text/plain", engine.session_block().text)
    from memstone import wire
    from memstone.errors import InvalidInput, NotFound
    from memstone.surfaces.mcp import showing

    if not uri.startswith(ITEM) or len(uri) == len(ITEM):
        raise not_found(uri)
    try:
        memory = showing.memory(engine, uri.removeprefix(ITEM))
    except (NotFound, InvalidInput) as error:  # an id that names several is no address either
        raise not_found(uri, error.message) from error
    text = json.dumps(wire.memory_to_json(memory), ensure_ascii=False)
    return _contents(uri, "application/json", text)


def not_found(uri: str, why: str | None = None) -> RpcError:
    """The error for an address that leads nowhere."""
    return RpcError(INVALID_PARAMS, why or "Resource not found", {"uri": uri})


def complete_id(engine: Engine, value: str) -> list[str]:
    """Ids that begin with `value`, newest first; enough digits find an old one too."""
    from memstone import wire
    from memstone.errors import AmbiguousId, NotFound
    from memstone.surfaces.mcp import showing

    if wire.is_short_id(value):
        try:
            return [showing.memory(engine, value).id]
        except NotFound:
            return []
        except AmbiguousId as error:
            return [str(id_) for id_ in _listed(error.fields.get("ids"))]
    found = engine.list(limit=LOOKED_AT)
    return [memory.id for memory in found if memory.id.startswith(value)]


def _listed(value: object) -> tuple[object, ...]:
    return tuple(value) if isinstance(value, list | tuple) else ()


def _contents(uri: str, kind: str, text: str) -> Json:
    return {"contents": [{"uri": uri, "mimeType": kind, "text": text}]}
