"""Small values for tests: drafts, units, filters, and the two or three writes every test makes.

The analyser here splits at white space and nothing more, so that a test reads off its text which
terms it indexed. Instants are microseconds and count from `START`; nothing reads a clock.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import TYPE_CHECKING

from memstone.types import (
    ChangeNote,
    Draft,
    Filter,
    Kind,
    Reach,
    Scope,
    Unit,
    Validity,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstone.protocols import Store

START = 1_786_579_200_000_000  # 2026-08-13T00:00:00Z, in microseconds
DAY = 86_400_000_000
INDEX = "words-1"  # the index that `units_of` fills


def digest_of(text: str) -> bytes:
    """The 32 bytes by which duplicates are found."""
    return hashlib.sha256(text.encode("utf-8")).digest()


def draft(text: str, namespace: int, *, at: int = START) -> Draft:
    """A fact true and known from `at` on; change the rest with `dataclasses.replace`.

    >>> draft("预算是 100", 1).kind
    <Kind.FACT: 'fact'>
    """
    birth = digest_of(f"{namespace}\0{at}\0{text}")  # two rows of one text need two ids
    return Draft(
        id=f"mem_{birth[:16].hex()}",
        namespace=namespace,
        kind=Kind.FACT,
        text=text,
        digest=digest_of(text),
        created_at=at,
        valid_from=at,
    )


def units_of(text: str, *, words: int = 8) -> list[Unit]:
    """The text's words as they are, case and all, cut into units of `words` each.

    A text without a word is one unit without a term, for a complete row has at least one.

    >>> [unit.frequencies for unit in units_of("a b a 猫", words=3)]
    [(('a', 2), ('b', 1)), (('猫', 1),)]
    """
    units: list[Unit] = []
    spans: list[tuple[int, int]] = []
    position = 0
    for word in text.split():
        start = text.index(word, position)
        position = start + len(word)
        spans.append((start, position))
    for first in range(0, len(spans), words):
        chunk = spans[first : first + words]
        counts = Counter(text[start:end] for start, end in chunk)
        units.append(
            Unit(
                ordinal=len(units),
                start=chunk[0][0],
                end=chunk[-1][1],
                length=len(chunk),
                frequencies=tuple(sorted(counts.items())),
            )
        )
    return units or [Unit(ordinal=0, start=0, end=len(text), length=0, frequencies=())]


def note(operation: str = "remember", *, at: int = START) -> ChangeNote:
    """The head of a write."""
    return ChangeNote(operation, at=at, surface="test", actor="ana", reason="因为")


def wanted(
    *namespaces: int,
    reach: Reach = Reach.RECALLABLE,
    now: int = START + DAY,
    as_of: int | None = None,
    known_at: int | None = None,
) -> Filter:
    """A filter on reach and instants; change the rest with `dataclasses.replace`.

    Naming `as_of` or `known_at` makes it historic; the one not named is `now`.
    """
    validity = Validity(
        now=now,
        as_of=now if as_of is None else as_of,
        known_at=now if known_at is None else known_at,
        historic=as_of is not None or known_at is not None,
    )
    return Filter(namespaces=namespaces, reach=reach, validity=validity)


def home(store: Store, user: str = "ana", *, project: str = "", agent: str = "") -> int:
    """The number of that namespace, made if new."""
    with store.write(note("intern")) as transaction:
        return transaction.intern(Scope(user, project, agent))


def add(store: Store, *drafts: Draft, index: str = INDEX) -> list[int]:
    """Insert and index the drafts in one write; their row numbers."""
    rows = []
    with store.write(note(at=max(each.created_at for each in drafts))) as transaction:
        for each in drafts:
            row = transaction.insert(each)
            transaction.index(row, index, units_of(each.text), complete=True)
            rows.append(row)
    return rows


def supersede(store: Store, row: int, by: Draft) -> int:
    """Insert `by` and close `row` with it, valid and known from the times of `by`; its row."""
    with store.write(note("supersede", at=by.created_at)) as transaction:
        newer = transaction.insert(by)
        transaction.index(newer, INDEX, units_of(by.text), complete=True)
        transaction.close(row, by=newer, at=by.created_at, valid_from=by.valid_from)
    return newer


def found_by(store: Store, term: str, selection: Filter, *, index: str = INDEX) -> set[int]:
    """Rows that recall would find by that one term: scanned, then accepted."""
    with store.read() as snapshot:
        postings = snapshot.postings(index, selection)
        units = [
            unit for statistics in postings.terms([term]) for unit, _ in postings.scan(statistics)
        ]
        return set(postings.accept(units).values())


def texts(store: Store, selection: Filter, *, limit: int | None = None) -> Sequence[str]:
    """The texts that the filter lets through, in the store's order."""
    with store.read() as snapshot:
        return [memory.text for memory in snapshot.select(selection, limit=limit)]
