"""The rows of another memory store, taken over whole into an empty one of ours.

Ids, both clocks and version links stay what they were, because the people and programs that hold
those ids are the same ones as before. Every text goes through the same cleaning as an import's: a
secret that the old store held is blanked here. What nothing is left of is left out and reported;
its neighbours in the chain then follow each other.

Postings are not written here: taking over is one transaction, and `indexing.fill` follows in small
ones. Both indexes are marked as not yet whole, so that whoever opens the store next goes on.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from memstone import analysis
from memstone.analysis import plain
from memstone.errors import BlankText
from memstone.ingestion import identity
from memstone.ingestion.restoring import Restorer
from memstone.types import Skipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from memstone.ingestion.cleaning import Cleaner
    from memstone.protocols import Transaction
    from memstone.types import Memory, Scope

ID = re.compile("mem_[0-9A-Za-z_-]{1,64}")  # harmless wherever an id is shown


@dataclass(frozen=True, slots=True)
class Adopted:
    """What was taken over: how many memories, in how many a secret was blanked, what stayed out."""

    memories: int
    redacted: int
    left_out: tuple[Skipped, ...]


def adopt(
    transaction: Transaction, memories: Iterable[Memory], cleaner: Cleaner, *, home: Scope
) -> Adopted:
    """Write the memories, each after the one it supersedes, into the scope `home`."""
    restorer = Restorer(cleaner, home.user, home=home)
    rows: dict[str, int | None] = {}  # id there → row here; of one left out its predecessor's
    left_out: list[Skipped] = []
    redacted = written = 0
    for number, memory in enumerate(memories, 1):
        older = None if memory.supersedes is None else rows.get(memory.supersedes)
        try:
            cleaned = restorer.clean(memory)
        except BlankText as error:
            rows[memory.id] = older
            left_out.append(Skipped(number, f"{memory.id}: {error.message}", bad=False))
            continue
        row = _write(transaction, cleaned.memory, home)
        rows[memory.id] = row
        if older is not None:
            transaction.relink(row, supersedes=older)
        redacted += bool(cleaned.redactions)
        written += 1
    for index in (analysis.INDEX, plain.INDEX):
        transaction.begin_index(index)
    return Adopted(written, redacted, tuple(left_out))


def _write(transaction: Transaction, memory: Memory, home: Scope) -> int:
    namespace = transaction.intern(home)
    kept = ID.fullmatch(memory.id) and not transaction.taken(memory.id)
    digest = bytes.fromhex(memory.text_sha256)
    context = ("import", memory.id)
    id_ = (
        memory.id
        if kept
        else identity.new_id(transaction, digest, home, home=home, context=context)
    )
    return transaction.restore(replace(memory, id=id_), namespace)
