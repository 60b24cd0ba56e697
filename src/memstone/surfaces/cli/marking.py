"""`tag`, `untag`, `pin`, `unpin`, `expire`: what may change on a memory without a new version."""

from __future__ import annotations

from memstone import wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memstone.surfaces.cli.call import Call
    from memstone.types import Memory


def tag(call: Call) -> int:
    """Add tags."""
    with call.open() as engine:
        call.mind_commas(call.arguments.tags)
        return _changed(call, engine.tag(call.arguments.id, *call.arguments.tags))


def untag(call: Call) -> int:
    """Take tags away."""
    with call.open() as engine:
        return _changed(call, engine.untag(call.arguments.id, *call.arguments.tags))


def pin(call: Call) -> int:
    """Keep in the session block."""
    with call.open() as engine:
        return _changed(call, engine.pin(call.arguments.id))


def unpin(call: Call) -> int:
    """Undo `pin`."""
    with call.open() as engine:
        return _changed(call, engine.unpin(call.arguments.id))


def expire(call: Call) -> int:
    """Set or lift the time at which recall stops showing it."""
    with call.open() as engine:
        return _changed(call, engine.expire(call.arguments.id, call.arguments.when))


def _changed(call: Call, memory: Memory) -> int:
    data = wire.changed_to_json(memory, brief=call.arguments.brief)

    def show() -> str:
        tags = ", ".join(memory.tags) or "none"
        pinned = "yes" if memory.pinned else "no"
        return f"{memory.id}: tags {tags}; pinned {pinned}; expires {data.get('expires', 'never')}"

    call.output.document(data, show)
    return 0
