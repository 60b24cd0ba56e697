"""`remember`: one text in, one memory out, whatever was there before.

The same current text is seen again, not stored twice. An expired one is revived. A text that is
only history comes back as the newest version when the caller says it became true later, and is
refused with the chain named otherwise, so that a replayed transcript never undoes a correction.
Turns are never merged by text: people say "ok" often.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

from memstone.errors import InvalidInput, InvalidTime, TextHeld, TextIsHistory
from memstone.ingestion import identity, indexing
from memstone.times import NEVER_US, to_micros
from memstone.types import (
    MAX_TAGS,
    ChangeNote,
    Draft,
    Kind,
    Memory,
    Outcome,
    Provenance,
    Remembered,
    Trust,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstone.ingestion.cleaning import Request
    from memstone.ingestion.indexing import Clock
    from memstone.protocols import Snapshot, Store, Transaction
    from memstone.types import Scope, Unit

DOUBTED = (Trust.TOOL, Trust.EXTERNAL)
SETTLED_KINDS = (Kind.FACT, Kind.PREFERENCE, Kind.DECISION, Kind.TASK)  # may repeat or contradict
REPORTED = ("role", "session", "speaker", "subject", "attribute", "external_id")


@dataclass(frozen=True, slots=True)
class Written:
    """What one request did inside a transaction: the row, the outcome, what stayed as it was."""

    row: int
    outcome: Outcome
    unchanged: tuple[str, ...] = ()
    indexed: bool = True  # False: a long text whose postings must follow


@dataclass(frozen=True, slots=True)
class Place:
    """Where and when a new row is written."""

    namespace: int
    home: Scope
    now: int


def remember(
    store: Store, request: Request, *, home: Scope, note: ChangeNote, clock: Clock
) -> Remembered:
    """Store a clean request; returns the memory and what happened to it.

    Raises `TextIsHistory` when the text is only an older version of something newer.
    """
    units = indexing.units_of_request(request, note.at)
    with store.write(note) as transaction:
        written = put(transaction, request, units, home=home, now=note.at)
    if not written.indexed:
        indexing.finish_row(store, written.row, units, 0, clock)
    with store.read() as snapshot:
        return answer(snapshot, request, written)


def check_times(request: Request, now: int) -> None:
    """Raise `InvalidTime` if the memory would end being true before it begins."""
    begins = now if request.at is None else request.at
    if request.valid_until is not None and request.valid_until <= begins:
        raise InvalidTime(
            "valid_until: it would end before it begins",
            hint="give an earlier `at` as well if it was true in the past",
            name="valid_until",
        )


def answer(snapshot: Snapshot, request: Request, written: Written) -> Remembered:
    """The row as it is now, with the outcome beside it."""
    (memory,) = snapshot.memories([written.row])
    values = {field.name: getattr(memory, field.name) for field in fields(Memory)}
    return Remembered(
        **values,
        outcome=written.outcome,
        unchanged=written.unchanged,
        redactions=request.redactions,
    )


def put(
    transaction: Transaction, request: Request, units: Sequence[Unit], *, home: Scope, now: int
) -> Written:
    """Store one request inside a transaction, or recognise it."""
    check_times(request, now)
    place = Place(transaction.intern(request.scope), home, now)
    if request.kind is Kind.TURN:
        return _put_turn(transaction, request, units, place)
    digest = identity.digest(request.text)
    same = [
        memory
        for memory in transaction.by_digest(digest, (place.namespace,))
        if identity.known_by_text(memory)
    ]
    alive = [memory for memory in same if memory.current]
    alive.sort(key=lambda memory: (memory.archived, memory.held))  # what recall returns first
    current = alive[0] if alive else None
    if current is not None and not _is_over(current, request, now):
        return _see_again(transaction, current, request, now)
    older = current or (same[-1] if same else None)
    if older is None:
        return _create(transaction, request, units, place)
    return _return(transaction, request, units, place, older)


def _is_over(memory: Memory, request: Request, now: int) -> bool:
    """Whether a current memory's own validity had ended by the time the text came again."""
    at = now if request.at is None else request.at
    return memory.valid_until is not None and to_micros(memory.valid_until) <= at


def _see_again(transaction: Transaction, memory: Memory, request: Request, now: int) -> Written:
    """The same text is current: count it, join new tags, report what else differs."""
    transaction.seen(memory.row, now)
    restored = transaction.set_archived(memory.row, archived=False)
    if request.trust not in DOUBTED:  # a person or their agent says it themselves
        restored = transaction.set_held(memory.row, held=False) or restored
    join_tags(transaction, memory, request.tags or ())
    expired = memory.expires is not None and to_micros(memory.expires) <= now
    if expired:
        transaction.set_expires(memory.row, request.expires)
    revived = restored or (expired and (request.expires is None or request.expires > now))
    outcome = Outcome.REVIVED if revived else Outcome.KNOWN
    return Written(memory.row, outcome, _unchanged(memory, request, ignore_expiry=expired))


def join_tags(transaction: Transaction, memory: Memory, tags: Sequence[str]) -> None:
    """Add tags to a memory; raises `InvalidInput` if it then had more than `MAX_TAGS`."""
    total = len({*memory.tags, *tags})
    if total > MAX_TAGS:
        raise InvalidInput(
            f"tags: {memory.id} would have {total} tags, at most {MAX_TAGS} are allowed",
            hint="remove some with untag first",
            id=memory.id,
        )
    if tags:
        transaction.add_tags(memory.row, tags)


def _unchanged(memory: Memory, request: Request, *, ignore_expiry: bool) -> tuple[str, ...]:
    """Names of fields given with a value that the row does not have and does not take."""
    names = [
        name
        for name in REPORTED
        if getattr(request, name) is not None and getattr(request, name) != getattr(memory, name)
    ]
    if request.kind is not None and request.kind is not memory.kind:
        names.append("kind")
    if request.trust is not None and request.trust is not memory.provenance.trust:
        names.append("trust")
    if request.pinned is not None and request.pinned != memory.pinned:
        names.append("pinned")
    for name, given, own in (
        ("at", request.at, memory.valid_from),
        ("valid_until", request.valid_until, memory.valid_until),
        ("expires", None if ignore_expiry else request.expires, memory.expires),
    ):
        if given is not None and (own is None or given != to_micros(own)):
            names.append(name)
    return tuple(sorted(names))


def _return(
    transaction: Transaction,
    request: Request,
    units: Sequence[Unit],
    place: Place,
    older: Memory,
) -> Written:
    """An older text: the newest version again if it became true later, else a replay."""
    chain = transaction.chain(older.row)
    head = chain[-1]
    if head.current and request.at is not None and request.at > place.now:
        raise InvalidTime(
            f"at: {head.id} is current until then, and a change cannot be announced yet",
            hint="remember it when it has happened",
            name="at",
            current=head.id,
        )
    replaced = head.current and head.text != request.text
    if replaced and (request.at is None or request.at <= to_micros(head.valid_from)):
        raise TextIsHistory(
            f"this text is an older version of {head.id}, which replaced it",
            hint=f"to go back to it: supersede {head.id} with it, or remember it with a later `at`",
            id=older.id,
            current=head.id,
            chain=[memory.id for memory in chain],
        )
    return _succeed(transaction, request, units, place, head)


def _succeed(
    transaction: Transaction,
    request: Request,
    units: Sequence[Unit],
    place: Place,
    head: Memory,
) -> Written:
    """Insert the request as the version after `head`, closing it if it is still open."""
    row, indexed = insert(transaction, request, units, place, parent=head)
    if head.current:
        created_at = after(head, place.now)
        valid_from = created_at if request.at is None else request.at
        transaction.close(head.row, by=row, at=created_at, valid_from=valid_from)
    else:
        transaction.link(head.row, by=row)
    return Written(row, Outcome.RETURNED, indexed=indexed)


def after(head: Memory, now: int) -> int:
    """A recorded time later than everything known of `head`, whatever the clock says."""
    latest = to_micros(head.superseded_at or head.created_at)
    if latest >= NEVER_US:
        raise InvalidTime(f"{head.id} was recorded at the end of time", name="created_at")
    return max(now, latest + 1)


def _create(
    transaction: Transaction, request: Request, units: Sequence[Unit], place: Place
) -> Written:
    row, indexed = insert(transaction, request, units, place)
    return Written(row, Outcome.CREATED, indexed=indexed)


def insert(
    transaction: Transaction,
    request: Request,
    units: Sequence[Unit],
    place: Place,
    *,
    parent: Memory | None = None,
) -> tuple[int, bool]:
    """Write a row and its postings; returns its number and whether it is fully indexed."""
    created_at = place.now if parent is None else after(parent, place.now)
    digest = identity.digest(request.text)
    if request.turn_key is not None:
        context: tuple[str, ...] = (
            "turn",
            request.source,
            request.session or "",
            request.turn_key,
        )
    elif parent is not None and (
        request.file or transaction.by_digest(digest, (place.namespace,))
    ):  # another row had this text before; a new one has the id that its text gives it
        context = ("after", parent.id)
    else:
        context = ("file", request.external_id or "") if request.file else ()
    id_ = identity.new_id(transaction, digest, request.scope, home=place.home, context=context)
    draft = Draft(
        id=id_,
        namespace=place.namespace,
        kind=request.kind or Kind.FACT,
        text=request.text,
        digest=digest,
        created_at=created_at,
        valid_from=created_at if request.at is None else request.at,
        valid_until=request.valid_until,
        expires=request.expires,
        tags=request.tags or (),
        role=request.role,
        session=request.session,
        speaker=request.speaker,
        subject=request.subject,
        attribute=request.attribute,
        external_id=request.external_id,
        turn_key=id_ if request.file else request.turn_key,  # a version of a file is only itself
        provenance=Provenance(
            source=request.source,
            method=request.method,
            producer=request.producer,
            trust=request.trust or Trust.USER,
            derived_from=request.derived_from,
        ),
        pinned=bool(request.pinned),
        held=_is_held(request, parent),
        unsettled=_needs_settling(request),
    )
    row = transaction.insert(draft)
    if draft.unsettled:
        transaction.set_about(row, _stated(request))
    return row, indexing.index_new(transaction, row, request.text, units)


def _stated(request: Request) -> list[tuple[str, str]]:
    """The keys of what a text states, by which another one that contradicts it finds it."""
    from memstone.extraction.claims import Said, claims  # noqa: PLC0415  (a turn states nothing)

    said = Said(request.text, request.speaker, request.subject, request.attribute)
    return [(claim.subject, claim.attribute) for claim in claims(said, ())]


def _needs_settling(request: Request) -> bool:
    """Whether somebody has to look what the row repeats and contradicts."""
    return (request.kind or Kind.FACT) in SETTLED_KINDS and not (request.file or request.settled)


def _is_held(request: Request, parent: Memory | None) -> bool:
    """Whether the text is stored and not recalled: it comes from a tool or from outside, and reads
    like an instruction. Raises `TextHeld` for one that would take the place of a memory, because
    then neither would be recalled.
    """
    if request.trust not in DOUBTED:
        return False
    from memstone.screening import reasons  # noqa: PLC0415  (only a text of low trust needs it)

    said = [request.text, *(getattr(request, name) or "" for name in REPORTED)]
    said += request.tags or ()
    found = tuple(dict.fromkeys(reason for each in said for reason in reasons(each)))
    if found and parent is not None and parent.current:
        raise TextHeld(
            f"the text reads like an instruction ({', '.join(found)}) and comes from a source of "
            f"trust `{request.trust}`: it may not replace {parent.id}",
            hint="remember it by itself, then approve it; or supersede with a higher trust",
            id=parent.id,
            reasons=list(found),
        )
    return bool(found)


def _put_turn(
    transaction: Transaction, request: Request, units: Sequence[Unit], place: Place
) -> Written:
    """A turn is known by where it stands (source, session, key) plus its text."""
    key = request.turn_key or request.external_id
    digest = identity.digest(request.text)
    if key is None:
        key = _free_ordinal(transaction, request, place.namespace, digest)
    else:
        known = transaction.turn(place.namespace, request.source, request.session, key, digest)
        if known is None and request.unique_id:  # a forked session copies its turns
            known = transaction.turn_of_any_session(place.namespace, request.source, key, digest)
        if known is not None:
            join_tags(transaction, known, request.tags or ())
            unchanged = _unchanged(known, request, ignore_expiry=False)
            return Written(known.row, Outcome.KNOWN, unchanged)
    placed = replace(request, turn_key=key)
    row, indexed = insert(transaction, placed, units, place)
    return Written(row, Outcome.CREATED, indexed=indexed)


def _free_ordinal(transaction: Transaction, request: Request, namespace: int, digest: bytes) -> str:
    """The next position in the session; a forgotten turn may have left its number in use."""
    ordinal = transaction.next_turn_ordinal(namespace, request.source, request.session)
    while transaction.turn(
        namespace, request.source, request.session, ordinal_key(ordinal), digest
    ):
        ordinal += 1
    return ordinal_key(ordinal)


def ordinal_key(ordinal: int) -> str:
    """The key of a turn that its source gives no id.

    >>> ordinal_key(7)
    '#7'
    """
    return f"#{ordinal}"
