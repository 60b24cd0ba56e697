"""`supersede`: a fact changed. The new version stands, the old one stays readable behind it.

One transaction checks that the row is current and that the text is new, writes the successor and
closes the predecessor, so of several writers on one row exactly one wins and the others are told
which version is current now.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from memstone.errors import (
    InvalidInput,
    InvalidTime,
    NotCurrent,
    NotFound,
    TextIsCurrent,
    TextUnchanged,
)
from memstone.ingestion import identity, indexing
from memstone.ingestion.remembering import Place, after, check_times, insert
from memstone.types import Kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstone.ingestion.cleaning import Request
    from memstone.ingestion.indexing import Clock
    from memstone.protocols import Store, Transaction
    from memstone.types import ChangeNote, Memory, Scope, Unit, View


@dataclass(frozen=True, slots=True)
class Target:
    """The memory to supersede, by id, for a caller who sees `view`."""

    id: str
    view: View


def supersede(
    store: Store, target: Target, request: Request, *, home: Scope, note: ChangeNote, clock: Clock
) -> Memory:
    """Write `request` as the next version of `target`; what it does not give is inherited.

    Inherited: scope, kind, role, tags, pin, subject and attribute; not expiry, session, speaker
    or provenance. Raises `NotFound`, `NotCurrent`, `TextUnchanged`, `TextIsCurrent`.
    """
    if not target.id.strip():
        raise InvalidInput("id: the id of the memory to supersede is blank", name="id")
    with store.write(note) as transaction:
        old = require(transaction, target)
        _check(transaction, old, request, note.at)
        heir = inherit(request, old)
        units = indexing.units_of_request(heir, note.at)
        place = Place(transaction.intern(heir.scope), home, note.at)
        row, indexed = take_over(transaction, old, heir, units, place)
    if not indexed:
        indexing.finish_row(store, row, units, 0, clock)
    with store.read() as snapshot:
        return snapshot.memories([row])[0]


def take_over(
    transaction: Transaction, old: Memory, heir: Request, units: Sequence[Unit], place: Place
) -> tuple[int, bool]:
    """Write `heir` as the next version and close `old`; its row, and whether it is indexed."""
    row, indexed = insert(transaction, heir, units, place, parent=old)
    known_at = after(old, place.now)
    valid_from = known_at if heir.at is None else heir.at
    transaction.close(old.row, by=row, at=known_at, valid_from=valid_from)
    return row, indexed


def require(transaction: Transaction, target: Target) -> Memory:
    """The target's memory; raises `NotFound` when this caller sees none with that id."""
    memory = transaction.memory(target.id, transaction.namespaces(target.view))
    if memory is None:
        raise NotFound.memory(target.id)
    return memory


def _check(transaction: Transaction, old: Memory, request: Request, now: int) -> None:
    if not old.current:
        head = transaction.chain(old.row)[-1]
        raise NotCurrent(
            f"{old.id} is an older version",
            hint=f"supersede {head.id}, the newest" if head.current else "remember the text anew",
            id=old.id,
            current=head.id if head.current else None,
        )
    if old.archived:
        raise NotCurrent(
            f"{old.id} is archived",
            hint=f"`memstone restore {old.id}` brings it back; or remember the text anew",
            id=old.id,
            current=None,
        )
    if old.text == request.text:
        raise TextUnchanged(
            f"the new text is the text of {old.id} already", hint="nothing to supersede", id=old.id
        )
    if request.at is not None and request.at > now:
        raise InvalidTime(
            "at: a change cannot be announced for the future yet",
            hint="supersede when it has happened, or remember the coming fact with `at`",
            name="at",
        )
    check_times(request, now)
    if request.kind is Kind.TURN and old.kind is not Kind.TURN:
        raise InvalidInput(
            f"kind: {old.id} is a {old.kind.value}; only something said is a turn", name="kind"
        )
    if (request.kind or old.kind) is not Kind.TURN and not old.is_file:
        _refuse_twin(transaction, old, request)


def _refuse_twin(transaction: Transaction, old: Memory, request: Request) -> None:
    """Two memories that recall may return never hold the same text in one namespace."""
    namespace = transaction.intern(old.scope)
    for twin in transaction.by_digest(identity.digest(request.text), (namespace,)):
        visible = twin.current and not twin.archived and not twin.held
        if visible and identity.known_by_text(twin):
            raise TextIsCurrent(
                f"that text is current already, as {twin.id}",
                hint=f"forget {old.id} if {twin.id} replaces it",
                id=twin.id,
            )


def inherit(request: Request, old: Memory) -> Request:
    """The request with what it does not give taken from the version it replaces. A file stays the
    file it is: unless the request is one for a file, its path is that of the old version.
    """

    def given(value: object, own: object) -> object:
        return own if value is None else value

    inherited = {
        name: given(getattr(request, name), getattr(old, name))
        for name in ("kind", "role", "tags", "subject", "attribute", "pinned")
    }
    if old.is_file and not request.file:
        request = replace(request, file=True, external_id=old.external_id)
    return replace(request, scope=old.scope, **inherited)  # type: ignore[arg-type]
