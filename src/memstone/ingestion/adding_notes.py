"""Memories of another program into the store: known again by their id there, and by their text.

The same file again changes nothing, not even a count. An entry whose text has changed since is a
new version of what its id stands for; one that says what is stored already under another id, or
was remembered by hand, is known. What was history over there is kept in the archive, out of recall.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from memstone.errors import OlderVersion
from memstone.ingestion import identity
from memstone.ingestion.cleaning import Request
from memstone.ingestion.remembering import Place, Written, join_tags, put
from memstone.ingestion.superseding import inherit, take_over
from memstone.times import to_micros
from memstone.types import MAX_TAGS, Outcome, Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memstone.protocols import Transaction
    from memstone.times import Instant
    from memstone.types import Memory, Note, Unit


@dataclass(frozen=True, slots=True)
class NoteRequest:
    """A note as the request that stores it."""

    request: Request
    superseded: bool
    seen_at: int | None


def note_request(
    note: Note, scope: Scope, source: str, *, micros: Callable[[Instant | int | None], int | None]
) -> NoteRequest:
    """A note as a request, not yet clean; `micros` turns its instants into microseconds."""
    request = Request(
        text=note.text,
        scope=Scope(scope.user, scope.project, note.agent) if note.agent else scope,
        kind=note.kind,
        tags=tuple(dict.fromkeys(note.tags))[:MAX_TAGS],
        role=note.role,
        session=note.session,
        speaker=note.speaker,
        subject=note.subject,
        attribute=note.attribute,
        external_id=note.external_id,
        at=micros(note.at),
        expires=micros(note.expires),
        trust=note.trust,
        source=source,
    )
    return NoteRequest(request, note.superseded, micros(note.seen_at))


def put_note(
    transaction: Transaction,
    wanted: NoteRequest,
    units: Sequence[Unit],
    *,
    home: Scope,
    now: int,
) -> Written:
    """Store a note inside a transaction, or recognise it.

    Raises `TextIsHistory` for a text that something newer has replaced, `OlderVersion` for an
    earlier version of an entry than the one stored.
    """
    request = wanted.request
    namespace = transaction.intern(request.scope)
    place = Place(namespace, home, now)
    digest = identity.digest(request.text)
    versions = _versions(transaction, namespace, request)
    same = next((m for m in versions if m.text_sha256 == digest.hex()), None)
    if same is None:
        same = _current_twin(transaction, namespace, digest)
    if same is not None:
        if same.current and not same.archived:
            join_tags(transaction, same, request.tags or ())
        return Written(same.row, Outcome.KNOWN)
    head = next((m for m in reversed(versions) if m.current and not m.archived), None)
    if wanted.superseded or head is None:
        written = put(transaction, request, units, home=home, now=now)
        if wanted.superseded and written.outcome is Outcome.CREATED:
            transaction.set_archived(written.row, archived=True)
    else:
        _refuse_older(head, wanted)
        heir = inherit(_as_version(wanted), head)
        row, indexed = take_over(transaction, head, heir, units, place)
        written = Written(row, Outcome.CREATED, indexed=indexed)
    if wanted.seen_at is not None and written.outcome is Outcome.CREATED and not head:
        transaction.seen(written.row, wanted.seen_at)
    return written


def _versions(transaction: Transaction, namespace: int, request: Request) -> list[Memory]:
    """What is stored under the entry's id, oldest first."""
    if request.external_id is None:
        return []
    return transaction.imported(namespace, request.source, request.external_id)


def _current_twin(transaction: Transaction, namespace: int, digest: bytes) -> Memory | None:
    twins = transaction.by_digest(digest, (namespace,))
    return next((m for m in twins if m.current and identity.known_by_text(m)), None)


def _refuse_older(head: Memory, wanted: NoteRequest) -> None:
    """Raise `OlderVersion` if the entry was written before what is stored under its id."""
    written_at = wanted.seen_at or wanted.request.at
    if written_at is not None and written_at < to_micros(head.valid_from):
        raise OlderVersion(
            f"an earlier version of {head.id}, which is stored in a newer one",
            hint="nothing to do",
            id=head.id,
        )


def _as_version(wanted: NoteRequest) -> Request:
    """The request with the time at which the entry got its present text."""
    request = wanted.request
    return replace(request, at=wanted.seen_at or request.at)
