"""Files: several versions written and several files forgotten in one transaction.

What shall happen is decided by a function of the caller's that runs inside that transaction, on
the files as they are at that moment: two tools that edit one file at once lose nothing, because the
second decides on what the first has left. A decision that raises, a secret or a text too large
leaves everything as it was.

A version written after another takes over its tags, pin, kind and subject, and no more trust than
it had: an instruction that came in from outside does not become an agent's own note by being
moved to another path.
"""

from __future__ import annotations

from dataclasses import dataclass

from memstone.errors import SecretFound
from memstone.ingestion import indexing
from memstone.ingestion.cleaning import Request
from memstone.ingestion.remembering import Place, insert
from memstone.ingestion.superseding import inherit, take_over
from memstone.types import Filed, Trust

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from memstone.ingestion.cleaning import Cleaner
    from memstone.ingestion.indexing import Clock
    from memstone.protocols import FileReader, Store, Transaction
    from memstone.types import ChangeNote, FileChanges, FileVersion, Memory, Scope

    Answer = TypeVar("Answer")
    Decide = Callable[[FileReader], tuple[FileChanges, Answer]]

LEAST_FIRST = tuple(reversed(Trust))


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """Where files are written and as whose: scope, what is cleaned how, source and session."""

    scope: Scope
    home: Scope
    cleaner: Cleaner
    source: str
    session: str | None = None
    trust: Trust = Trust.AGENT


def change_files(
    store: Store, desk: Desk, decide: Decide[Answer], *, note: ChangeNote, clock: Clock
) -> tuple[tuple[Filed, ...], Answer]:
    """Do what `decide` says of the files it reads; what was stored, and its answer.

    Raises what `decide` raises, `SecretFound`, `MemoryTooLarge` and `TextNotUnicode`; then
    nothing has changed.
    """
    filed: list[Filed] = []
    unfinished: list[int] = []
    with store.write(note) as transaction:

        def read(path: str, *, limit: int | None = None) -> list[Memory]:
            return transaction.files(desk.scope, path, limit=limit)

        changes, answer = decide(read)
        for memory in changes.remove:
            _forget_all_versions(transaction, memory)
        for version in changes.write:
            request = _request(desk, version)
            row, indexed = _write(transaction, request, version.after, desk, note.at)
            filed.append(Filed(version.path, request.text, request.redactions))
            unfinished += () if indexed else (row,)
    _finish(store, unfinished, clock)
    return tuple(filed), answer


def _request(desk: Desk, version: FileVersion) -> Request:
    """The version as a clean request; its path may hold no secret, whatever the policy is."""
    request = desk.cleaner.clean(
        Request(
            text=version.text,
            scope=desk.scope,
            tags=None if version.after else version.tags,
            external_id=version.path,
            source=desk.source,
            session=desk.session,
            trust=_trust(desk.trust, version.after),
            file=True,
        )
    )
    if request.external_id != version.path:
        raise SecretFound("path: refused, it holds what looks like a secret", field="path")
    return request


def _trust(own: Trust, older: Memory | None) -> Trust:
    """The lower of the writer's and the older version's."""
    return min(own, older.provenance.trust, key=LEAST_FIRST.index) if older else own


def _write(
    transaction: Transaction, request: Request, older: Memory | None, desk: Desk, now: int
) -> tuple[int, bool]:
    heir = request if older is None else inherit(request, older)
    units = indexing.units_of_request(heir, now)
    place = Place(transaction.intern(heir.scope), desk.home, now)
    if older is None:
        return insert(transaction, heir, units, place)
    return take_over(transaction, older, heir, units, place)


def _forget_all_versions(transaction: Transaction, newest: Memory) -> None:
    """Forget a file from its newest version back, one version in memory at a time."""
    memory: Memory | None = newest
    namespace = transaction.intern(newest.scope)
    while memory is not None:
        transaction.forget(memory.row)
        older = memory.supersedes
        memory = None if older is None else transaction.memory(older, (namespace,))


def _finish(store: Store, rows: list[int], clock: Clock) -> None:
    """Index the long files that were stored; one that is gone again needs it no more."""
    if rows:
        with store.read() as snapshot:
            memories = snapshot.memories(rows)
        for memory in memories:
            indexing.finish_row(store, memory.row, indexing.units_of_memory(memory), 0, clock)
