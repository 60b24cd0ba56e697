"""`list`, `show`, `stats`, `log`: what is stored and what was done."""

from __future__ import annotations

from memstone import wire
from memstone.surfaces.cli.call import filters
from memstone.surfaces.cli.options import LIST_LIMIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memstone.surfaces.cli.call import Call


def list_memories(call: Call) -> int:
    """Print memories, newest first."""
    given = call.arguments
    with call.open() as engine:
        memories = engine.list(
            limit=given.limit or LIST_LIMIT,
            history=given.history,
            held=given.held,
            archived=given.archived,
            pinned=given.pinned,
            **filters(given),
        )

        def show() -> str:
            from memstone.surfaces.cli import tables

            return tables.memories(memories)

        call.output.records(
            (wire.memory_to_json(memory, brief=given.brief) for memory in memories), show
        )
    return 0


def show(call: Call) -> int:
    """Print one memory with everything known about it."""
    with call.open() as engine:
        memory = engine.get(call.arguments.id)

        def shown() -> str:
            from memstone.surfaces.cli import tables

            return tables.details(wire.memory_to_json(memory))

        call.output.document(wire.memory_to_json(memory), shown)
    return 0


def stats(call: Call) -> int:
    """Print counts of the store."""
    with call.open() as engine:
        counts = wire.statistics_to_json(engine.stats())

        def shown() -> str:
            from memstone.surfaces.cli import tables

            return tables.details(counts)

        call.output.document(counts, shown)
    return 0


def log(call: Call) -> int:
    """Print the change log, newest first."""
    given = call.arguments
    with call.open() as engine:
        changes = engine.log(limit=given.limit or LIST_LIMIT, id=given.id)

        def shown() -> str:
            from memstone.surfaces.cli import tables

            return tables.changes(changes)

        call.output.records(map(wire.change_to_json, changes), shown)
    return 0
