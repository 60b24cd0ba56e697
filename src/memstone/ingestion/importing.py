"""Entries of an importer into the store: turns verbatim, memories of an export as they were.

Batches of a few hundred entries a transaction: thousands of turns a second, and a kill loses at
most the batch that was not acknowledged. Importing the same file again changes nothing. Secrets
are blanked instead of refused and counted; bad entries are reported and never stop good ones.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace

from memstone.errors import Conflict, InvalidInput, SecretFound
from memstone.ingestion import identity, indexing
from memstone.ingestion.cleaning import Request
from memstone.ingestion.remembering import ordinal_key, put
from memstone.times import to_micros
from memstone.types import (
    ImportReport,
    Kind,
    Memory,
    Outcome,
    Scope,
    Skipped,
    Turn,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from memstone.ingestion.cleaning import Cleaner
    from memstone.protocols import Store, Transaction
    from memstone.types import ChangeNote, Unit

    Entry = Turn | Memory | Skipped
    Progress = Callable[[int], None]

BATCH_ENTRIES = 256
BATCH_CHARACTERS = 512 * 1024


class _DryRun(Exception):
    """Ends the transaction of a dry run."""


@dataclass(slots=True)
class _Tally:
    """Counts of a running import."""

    read: int = 0
    created: int = 0
    known: int = 0
    redacted: int = 0


@dataclass(frozen=True, slots=True)
class _Ready:
    """An entry cleaned and analysed, waiting for its batch."""

    number: int
    request: Request
    units: Sequence[Unit]
    memory: Memory | None = None  # set for a memory of an export


class Importer:
    """One import into one scope. `run` once."""

    def __init__(
        self, store: Store, scope: Scope, cleaner: Cleaner, *, home: Scope, note: ChangeNote
    ) -> None:
        self._store = store
        self._scope = scope
        self._cleaner = cleaner
        self._home = home
        self._note = note
        self._tally = _Tally()
        self._skipped: list[Skipped] = []
        self._sessions: set[str | None] = set()
        self._ids: dict[str, int] = {}  # id in the export → row here, for the version links
        self._long: list[tuple[int, Sequence[Unit]]] = []

    def run(
        self,
        entries: Iterable[Entry],
        *,
        source: str,
        format_name: str,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> ImportReport:
        """Store every entry; returns what happened. Entries are consumed as they come."""
        batch: list[_Ready] = []
        size = 0
        for entry in entries:
            self._tally.read += 1
            ready = self._prepare(entry, f"import:{format_name}")
            if ready is None:
                continue
            batch.append(ready)
            size += len(ready.request.text)
            if len(batch) >= BATCH_ENTRIES or size >= BATCH_CHARACTERS:
                self._write(batch, dry_run=dry_run)
                batch, size = [], 0
                if progress is not None:
                    progress(self._tally.read)
        self._write(batch, dry_run=dry_run)
        if progress is not None:
            progress(self._tally.read)
        return ImportReport(
            source=source,
            format=format_name,
            read=self._tally.read,
            created=self._tally.created,
            known=self._tally.known,
            redacted=self._tally.redacted,
            sessions=len(self._sessions),
            skipped=tuple(self._skipped),
            dry_run=dry_run,
        )

    def _prepare(self, entry: Entry, source: str) -> _Ready | None:
        if isinstance(entry, Skipped):
            self._skipped.append(entry)
            return None
        try:
            if isinstance(entry, Turn):
                request = self._cleaner.clean(turn_request(entry, self._scope, source))
                memory = None
            else:
                request = self._cleaner.clean(memory_request(entry, self._scope.user))
                memory = entry
        except (InvalidInput, SecretFound) as error:
            self._skipped.append(Skipped(self._tally.read, error.message))
            return None
        self._tally.redacted += bool(request.redactions)
        self._sessions.add(request.session)
        units = indexing.units_of(request.text, request.speaker)
        return _Ready(self._tally.read, request, units, memory)

    def _write(self, batch: list[_Ready], *, dry_run: bool) -> None:
        if not batch:
            return
        with contextlib.suppress(_DryRun), self._store.write(self._note) as transaction:
            for ready in batch:
                self._put(transaction, ready)
            _end(dry_run=dry_run)
        for row, units in self._long:
            if not dry_run:
                indexing.finish_row(self._store, row, units, 0, self._note.at)
        self._long.clear()

    def _put(self, transaction: Transaction, ready: _Ready) -> None:
        try:
            if ready.memory is None:
                self._put_turn(transaction, ready)
            else:
                self._put_memory(transaction, ready, ready.memory)
        except Conflict as error:
            self._skipped.append(Skipped(ready.number, error.message, bad=False))

    def _put_turn(self, transaction: Transaction, ready: _Ready) -> None:
        written = put(transaction, ready.request, ready.units, home=self._home, now=self._note.at)
        if written.outcome is Outcome.CREATED:
            self._tally.created += 1
        else:
            self._tally.known += 1
        if not written.indexed:
            self._long.append((written.row, ready.units))

    def _put_memory(self, transaction: Transaction, ready: _Ready, memory: Memory) -> None:
        """Restore a row of an export with its times and links, unless it is here already."""
        request = ready.request
        namespace = transaction.intern(request.scope)
        here = self._same(transaction, namespace, ready, memory)
        if here is not None:
            self._ids[memory.id] = here.row
            self._tally.known += 1
            return
        digest = identity.digest(request.text)
        id_ = memory.id
        if transaction.taken(id_):
            id_ = identity.new_id(
                transaction, digest, request.scope, home=self._home, context=("import", memory.id)
            )
        cleaned = replace(
            memory,
            id=id_,
            text=request.text,
            text_sha256=digest.hex(),
            tags=request.tags or (),
            role=request.role,
            session=request.session,
            speaker=request.speaker,
            subject=request.subject,
            attribute=request.attribute,
            external_id=request.external_id,
        )
        older = self._ids.get(memory.supersedes or "")
        if older is not None:
            self._check_fork(transaction, older, memory)
        row = transaction.restore(cleaned, namespace)
        self._ids[memory.id] = row
        if older is not None:
            self._link(transaction, older, row, memory)
        if not indexing.index_new(transaction, row, request.text, ready.units):
            self._long.append((row, ready.units))
        self._tally.created += 1

    def _same(
        self, transaction: Transaction, namespace: int, ready: _Ready, memory: Memory
    ) -> Memory | None:
        """The row that holds this memory here, if any."""
        found = transaction.memory(memory.id, (namespace,))
        if found is not None and found.text == ready.request.text:
            return found
        digest = identity.digest(ready.request.text)
        if memory.kind is Kind.TURN and memory.turn_key is not None:
            source = memory.provenance.source
            return transaction.turn(namespace, source, memory.session, memory.turn_key, digest)
        if not memory.current:
            return None
        twins = transaction.by_digest(digest, (namespace,))
        return next((twin for twin in twins if twin.current and twin.kind is memory.kind), None)

    def _check_fork(self, transaction: Transaction, older: int, memory: Memory) -> None:
        """A chain is a path: a predecessor that went another way here takes no second heir."""
        (predecessor,) = transaction.memories([older])
        if predecessor.superseded_by is not None:
            raise Conflict(
                f"memory {memory.id} follows {predecessor.id}, which has another successor here",
                id=memory.id,
            )

    def _link(self, transaction: Transaction, older: int, row: int, memory: Memory) -> None:
        (predecessor,) = transaction.memories([older])
        if not predecessor.current:
            transaction.relink(row, supersedes=older)
            return
        at = max(to_micros(memory.created_at), to_micros(predecessor.created_at) + 1)
        valid_from = to_micros(memory.valid_from)
        transaction.close(older, by=row, at=at, valid_from=valid_from)


def _end(*, dry_run: bool) -> None:
    """Leave a batch's transaction: by committing it, or, in a dry run, by rolling it back."""
    if dry_run:
        raise _DryRun


def turn_request(turn: Turn, scope: Scope, source: str) -> Request:
    """A turn as the request that stores it; its key is its own id, else its position."""
    key = turn.external_id
    if key is None and turn.ordinal is not None:
        key = ordinal_key(turn.ordinal)
    return Request(
        text=turn.text,
        scope=scope,
        kind=Kind.TURN,
        tags=turn.tags,
        session=turn.session,
        speaker=turn.speaker,
        external_id=turn.external_id,
        turn_key=key,
        at=turn.at,
        trust=turn.trust,
        source=source,
    )


def memory_request(memory: Memory, user: str) -> Request:
    """What of an exported memory must be cleaned before it is restored.

    The exporter's user becomes the importer's: a file never writes behind another user's wall.
    """
    return Request(
        text=memory.text,
        scope=Scope(user, memory.scope.project, memory.scope.agent),
        kind=memory.kind,
        tags=memory.tags,
        role=memory.role,
        session=memory.session,
        speaker=memory.speaker,
        subject=memory.subject,
        attribute=memory.attribute,
        external_id=memory.external_id,
        source=memory.provenance.source,
    )


__all__ = ["Importer", "memory_request", "turn_request"]
