"""`supersede`, `history`, `forget`, `recover`: versions of a memory, their end and their text."""

from __future__ import annotations

from hashlib import sha256

from memstone import wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memstone.surfaces.cli.call import Call


def supersede(call: Call) -> int:
    """Replace a memory by a newer version."""
    given = call.arguments
    text = call.text()
    tags = wire.all_given(given.tag)
    with call.open() as engine:
        memory = engine.supersede(
            given.id,
            text,
            at=given.at,
            valid_until=given.valid_until,
            expires=given.expires,
            tags=tags or None,
            kind=given.kind,
            role=given.role,
            session=given.session,
            speaker=given.speaker,
            subject=given.subject,
            attribute=given.attribute,
            trust=given.trust,
            pinned=given.pin or None,
            external_id=given.external_id,
        )
        call.output.document(
            wire.changed_to_json(memory, brief=given.brief),
            lambda: f"superseded {memory.supersedes}; current is {memory.id}",
        )
    return 0


def history(call: Call) -> int:
    """Print every version, oldest first."""
    given = call.arguments
    with call.open() as engine:
        versions = engine.history(given.id, as_of=given.as_of, known_at=given.known_at)

        def show() -> str:
            from memstone.surfaces.cli import tables

            return tables.versions(versions)

        call.output.records(
            (wire.memory_to_json(memory, brief=given.brief) for memory in versions), show
        )
    return 0


def recover(call: Call) -> int:
    """Write the exact bytes behind a handle."""
    handle = call.arguments.handle
    with call.open() as engine:
        text = engine.recover(handle)
        data = text.encode("utf-8")
        if call.output.as_json:
            answer = {"handle": handle, "text": text, "text_sha256": sha256(data).hexdigest()}
            call.output.document(answer, lambda: text)
        else:
            call.output.raw(data)
    return 0
