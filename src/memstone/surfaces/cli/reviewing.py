"""`undo`, `restore`, `review`, `approve`, `block`: what a person decides about stored texts."""

from __future__ import annotations

from memstone import wire
from memstone.errors import UsageError
from memstone.surfaces.cli.call import agents_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memstone.surfaces.cli.call import Call
    from memstone.types import PossibleConflict, UndoResult

REVIEW_LIMIT = 20


def undo(call: Call) -> int:
    """Take back a change or a session."""
    given = call.arguments
    with call.open() as engine:
        result = engine.undo(
            given.change,
            session=given.session,
            dry_run=given.dry_run,
            agents=agents_of(given)[1:],
        )
        call.output.document(wire.undo_to_json(result), lambda: _undone(result))
    return 0


def restore(call: Call) -> int:
    """Bring an archived memory back."""
    with call.open() as engine:
        memory = engine.restore(call.arguments.id)
        call.output.document(wire.memory_to_json(memory), lambda: f"restored: {memory.id}")
    return 0


def review(call: Call) -> int:
    """Print what is held back, and why."""
    given = call.arguments
    with call.open() as engine:
        held = engine.review(limit=given.limit or REVIEW_LIMIT, agents=agents_of(given)[1:])

        def show() -> str:
            from memstone.surfaces.cli import tables

            return tables.held(held)

        call.output.records(map(wire.held_to_json, held), show)
    return 0


def approve(call: Call) -> int:
    """Let held memories be recalled."""
    with call.open() as engine:
        approved = engine.approve(*call.arguments.ids)
        ids = ", ".join(memory.id for memory in approved)
        call.output.document(wire.approved_to_json(approved), lambda: f"approved: {ids}")
    return 0


def conflicts(call: Call) -> int:
    """Print pairs of memories that may contradict one another."""
    given = call.arguments
    with call.open() as engine:
        found = engine.conflicts(limit=given.limit or REVIEW_LIMIT, agents=agents_of(given)[1:])

        def show() -> str:
            from memstone.surfaces.cli import tables

            return tables.conflicts(found)

        call.output.records(map(wire.conflict_to_json, found), show)
    return 0


def resolve(call: Call) -> int:
    """Settle a possible conflict."""
    given = call.arguments
    with call.open() as engine:
        if given.both == (given.keep is not None):
            raise UsageError(
                "resolve: say which memory stands, or that both do",
                hint="--keep ID, or --both",
            )
        settled = engine.resolve(given.conflict, keep="both" if given.both else given.keep)
        call.output.document(wire.conflict_to_json(settled), lambda: _settled(settled))
    return 0


def _settled(settled: PossibleConflict) -> str:
    if settled.resolution == "both":
        return f"both stay: {settled.older.id}, {settled.newer.id}"
    older_stands = settled.resolution == "kept-older"
    kept, gone = settled.older, settled.newer
    if not older_stands:
        kept, gone = gone, kept
    return f"kept: {kept.id}\nnow history: {gone.id}"


def block(call: Call) -> int:
    """Print the session block."""
    given = call.arguments
    with call.open() as engine:
        found = engine.session_block(role=given.role, agents=agents_of(given)[1:])
        nothing = "no personas, pinned preferences or open tasks here"
        call.output.document(wire.block_to_json(found), lambda: found.text or nothing)
    return 0


def _undone(result: UndoResult) -> str:
    said = "would be" if result.dry_run else "done:"
    lines = [
        f"{said} {what}: {', '.join(ids)}"
        for what, ids in (
            ("archived", result.archived),
            ("current again", result.reopened),
            ("restored", result.restored),
            ("as before", result.edited),
            ("kept, for it was said again since", result.kept),
        )
        if ids
    ]
    lines += [f"in the way: {reason}" for reason in result.blocked]
    if result.change is not None:
        lines.append(f"undo this again: memstone undo {result.change}")
    return "\n".join(lines) or "nothing to undo"
