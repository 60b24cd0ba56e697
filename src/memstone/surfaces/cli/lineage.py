"""`supersede`, `history`, `forget`, `recover`: versions of a memory, their end and their text."""

from __future__ import annotations

from hashlib import sha256

from memstone import wire
from memstone.errors import NotFound

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


def forget(call: Call) -> int:
    """Remove memories; exit code 1 if one of them was not there."""
    given = call.arguments
    ids = tuple(dict.fromkeys(given.ids))
    with call.open() as engine:
        result = engine.forget(*ids, dry_run=given.dry_run)
        verb = "would forget" if given.dry_run else "forgot"
        told = f"{verb}: {', '.join(result.forgotten) or 'nothing'}"
        answer = wire.forget_to_json(result)
        if given.dry_run:
            answer = {
                "dry_run": True,
                "would_forget": answer["forgotten"],
                "missing": answer["missing"],
            }
        call.output.document(answer, lambda: told)
    if not result.missing:
        return 0
    missing = NotFound(
        f"not found: {', '.join(result.missing)}",
        hint="it may belong to another user, project or agent; `memstone list` shows what is here",
        missing=result.missing,
    )
    call.output.error(missing)
    return missing.exit_code


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
