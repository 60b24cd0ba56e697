"""Memories of an export back into a store: rows with their times, counts and version links.

A row that is here already is recognised; one whose chain went another way here is left out, with
everything that follows it, because a chain is a path; and an older value never comes in as a
current one. A file may come from anywhere, so every field is cleaned as if it had been typed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from memstone.errors import Conflict, InvalidTime, TextIsHistory
from memstone.ingestion import identity
from memstone.ingestion.cleaning import Request
from memstone.times import DAY_US, format_time, to_micros
from memstone.types import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memstone.ingestion.cleaning import Cleaner
    from memstone.protocols import Transaction
    from memstone.types import Memory, Redaction


ID = re.compile(r"mem_[0-9a-f]{16,64}")
CLOCK_SKEW_US = DAY_US  # how far another machine's clock may have been ahead


@dataclass(frozen=True, slots=True)
class Row:
    """An exported memory after cleaning; its scope is the importer's."""

    memory: Memory
    redactions: tuple[Redaction, ...]


@dataclass(frozen=True, slots=True)
class Restored:
    """The row that now holds the memory, and whether it was written just now."""

    row: int
    created: bool


class Restorer:
    """Restores the rows of one export, in the order in which they stand there."""

    def __init__(self, cleaner: Cleaner, user: str, *, home: Scope) -> None:
        self._cleaner = cleaner
        self._user = user
        self._home = home
        self._rows: dict[str, int] = {}  # id in the export → row here
        self._written: set[int] = set()  # rows that this import made
        self._beside: dict[str, list[Memory]] = {}  # by what closes them, and is not here yet
        self._left_out: set[str] = set()  # ids in the export whose successors stay out too

    def clean(self, memory: Memory) -> Row:
        """The memory with every field checked and scrubbed.

        The exporter's user becomes the importer's: a file never writes behind another's wall.
        """
        source = memory.provenance
        request = self._cleaner.clean(
            Request(
                text=memory.text,
                scope=Scope(self._user, memory.scope.project, memory.scope.agent),
                kind=memory.kind,
                tags=memory.tags,
                role=memory.role,
                session=memory.session,
                speaker=memory.speaker,
                subject=memory.subject,
                attribute=memory.attribute,
                external_id=memory.external_id,
                source=source.source,
                file=memory.is_file,
            )
        )
        cleaned = replace(
            memory,
            text=request.text,
            text_sha256=identity.digest(request.text).hex(),
            scope=request.scope,
            tags=request.tags or (),
            role=request.role,
            session=request.session,
            speaker=request.speaker,
            subject=request.subject,
            attribute=request.attribute,
            external_id=request.external_id,
            turn_key=self._clean_key(memory.turn_key),
            provenance=replace(
                source,
                source=request.source,
                producer=self._cleaner.name("producer", source.producer),
            ),
        )
        return Row(cleaned, request.redactions)

    def _clean_key(self, key: str | None) -> str | None:
        cleaned = self._cleaner.name("turn_key", key)
        if key is None or cleaned == key:
            return cleaned
        return f"~{identity.digest(key).hex()[:32]}"

    def restore(self, transaction: Transaction, row: Row, now: int) -> Restored:
        """Write the memory unless it is here.

        Raises `Conflict` if it has no place here, `InvalidTime` if it was recorded in the future.
        """
        memory = row.memory
        recorded = max(moment for moment in (memory.created_at, memory.superseded_at) if moment)
        if to_micros(recorded) > now + CLOCK_SKEW_US:
            raise InvalidTime(
                f"memory {memory.id}: recorded on {format_time(recorded)}, which is yet to come",
                name="created_at",
            )
        try:
            return self._restore(transaction, memory)
        except Conflict:
            self._left_out.add(memory.id)
            raise

    def _restore(self, transaction: Transaction, memory: Memory) -> Restored:
        if memory.supersedes in self._left_out:
            raise Conflict(
                f"memory {memory.id} follows {memory.supersedes}, which was left out",
                id=memory.id,
            )
        namespace = transaction.intern(memory.scope)
        here = self._same(transaction, namespace, memory)
        if here is not None:
            self._rows[memory.id] = here.row
            self._link_before(transaction, here, memory)
            self._link_beside(transaction, here.row, memory)
            return Restored(here.row, created=False)
        older = self._predecessor(transaction, namespace, memory)
        if memory.is_file:
            _refuse_second_file(transaction, memory, older)
        row = transaction.restore(replace(memory, id=self._id(transaction, memory)), namespace)
        self._rows[memory.id] = row
        self._written.add(row)
        if older is not None:
            _link(transaction, older, row, memory)
        self._link_beside(transaction, row, memory)
        return Restored(row, created=True)

    def _link_before(self, transaction: Transaction, here: Memory, memory: Memory) -> None:
        """Join a version written just now with the one it preceded, which was here before."""
        row = self._rows.get(memory.supersedes or "")
        if row not in self._written:
            return
        (older,) = transaction.memories([row])
        if older.superseded_by is None and not older.current:
            grows = older.created_at < here.created_at and here.supersedes is None
            transaction.relink(here.row, supersedes=row, beside=not grows)

    def _link_beside(self, transaction: Transaction, row: int, memory: Memory) -> None:
        """Join what stands beside a chain with what closed it, whichever of the two comes later."""
        for waiting in self._beside.pop(memory.id, ()):
            here = self._rows[waiting.id]
            if memory.supersedes != waiting.id and here in self._written:
                transaction.relink(row, supersedes=here, beside=True)
        if memory.superseded_by is None or memory.current:
            return
        closer = self._rows.get(memory.superseded_by)
        if closer is not None:  # a version is always written before the one that follows it
            transaction.relink(closer, supersedes=row, beside=True)
        else:
            self._beside.setdefault(memory.superseded_by, []).append(memory)

    def _id(self, transaction: Transaction, memory: Memory) -> str:
        """The memory's own id; a new one if another memory has it, or it does not look like one
        of ours (an id is shown everywhere, so it is no place for what a file likes to put there).
        """
        if ID.fullmatch(memory.id) and not transaction.taken(memory.id):
            return memory.id
        digest = bytes.fromhex(memory.text_sha256)
        context = ("import", memory.id)
        return identity.new_id(transaction, digest, memory.scope, home=self._home, context=context)

    def _same(self, transaction: Transaction, namespace: int, memory: Memory) -> Memory | None:
        """The row that holds this memory here, if any."""
        found = transaction.memory(memory.id, (namespace,))
        if found is not None and found.text == memory.text:
            return found
        digest = bytes.fromhex(memory.text_sha256)
        if not identity.known_by_text(memory):
            if memory.turn_key is None:
                return None  # people say "ok" often: a turn is never known by its text alone
            source = memory.provenance.source
            return transaction.turn(namespace, source, memory.session, memory.turn_key, digest)
        if not memory.current:
            return None
        twins = transaction.by_digest(digest, (namespace,))
        return next(
            (
                twin
                for twin in twins
                if twin.current and twin.kind is memory.kind and identity.known_by_text(twin)
            ),
            None,
        )

    def _predecessor(
        self, transaction: Transaction, namespace: int, memory: Memory
    ) -> Memory | None:
        """The version here that this memory follows; raises `Conflict` if there is no place."""
        known = self._rows.get(memory.supersedes or "")
        if known is not None:
            (older,) = transaction.memories([known])
            if older.superseded_by is not None:
                raise Conflict(
                    f"memory {memory.id} follows {older.id}, which has another successor here",
                    id=memory.id,
                )
            if known not in self._written and memory.created_at <= older.created_at:
                raise Conflict(
                    f"memory {memory.id} was recorded before {older.id} was stated here",
                    id=memory.id,
                )
            return older
        if memory.current and identity.known_by_text(memory):
            return self._head_that_replaced(transaction, namespace, memory)
        return None

    def _head_that_replaced(
        self, transaction: Transaction, namespace: int, memory: Memory
    ) -> Memory | None:
        """The current version that replaced this text here: a later statement of the old value
        follows it, an older one is a replay and raises `TextIsHistory`.
        """
        digest = bytes.fromhex(memory.text_sha256)
        for twin in transaction.by_digest(digest, (namespace,)):
            head = transaction.chain(twin.row)[-1]
            if not identity.known_by_text(twin) or not head.current or head.text == memory.text:
                continue
            if memory.valid_from <= head.valid_from or memory.created_at <= head.created_at:
                raise TextIsHistory(
                    f"memory {memory.id} is an older version of {head.id} here", id=memory.id
                )
            return head
        return None


def _refuse_second_file(transaction: Transaction, memory: Memory, older: Memory | None) -> None:
    """Raise `Conflict` if another file has the path that this one would be current at."""
    if not memory.current or memory.archived or not memory.external_id:
        return
    for other in transaction.files(memory.scope, memory.external_id, limit=1):
        if other.external_id == memory.external_id and (older is None or other.row != older.row):
            raise Conflict(f"memory {memory.id}: another file is at its path here", id=memory.id)


def _link(transaction: Transaction, older: Memory, row: int, memory: Memory) -> None:
    if not older.current:
        transaction.relink(row, supersedes=older.row)
        return
    at = max(to_micros(memory.created_at), to_micros(older.created_at) + 1)
    transaction.close(older.row, by=row, at=at, valid_from=to_micros(memory.valid_from))
