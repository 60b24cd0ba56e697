"""Forgetting for good: the named memories, or all that a selection takes.

One transaction over everything that held the text: rows, postings, and what was derived from them,
for a card repeats the words of its turns. The chain closes over the gap and no older version
revives; only where a merge goes because of one of its two sources, the other source is current
again, unless a version that stays has followed the merge. What another user or agent keeps is
never taken, whatever it says it was made of. Words select exactly: a memory qualifies if its text
holds every term of them, whatever its state or rank, found by the index and then read.
"""

from __future__ import annotations

from dataclasses import dataclass

from memstone import analysis
from memstone.errors import InvalidInput
from memstone.types import Filter, ForgetResult, Method, Reach, Validity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memstone.protocols import Snapshot, Store, Transaction
    from memstone.types import ChangeNote, Kind, Memory, View

SHOWN = 20  # memories of a selection that a dry run shows
STATES = ("current", "superseded", "held", "archived")


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which memories to forget; every condition given must hold. Instants in microseconds."""

    words: str | None = None
    kinds: tuple[Kind, ...] = ()
    tags_all: tuple[str, ...] = ()
    tags_any: tuple[str, ...] = ()
    session: str | None = None
    source: str | None = None
    since: int | None = None
    until: int | None = None

    @property
    def is_empty(self) -> bool:
        """Whether it would take everything."""
        return self == Selection()


def forget(
    store: Store, ids: Sequence[str], view: View, *, note: ChangeNote, dry_run: bool = False
) -> ForgetResult:
    """Remove those memories for good, all in one transaction; names what was not there.

    With `dry_run` nothing is removed and the answer says what would be.
    """
    found, missing = [], []
    with store.write(note) as transaction:
        namespaces = transaction.namespaces(view)
        for id_ in dict.fromkeys(ids):
            memory = transaction.memory(id_, namespaces)
            if memory is None:
                missing.append(id_)
            else:
                found.append(memory)
        derived = _forget(transaction, found, namespaces, dry_run=dry_run)
    return ForgetResult(
        tuple(memory.id for memory in found), tuple(missing), derived=tuple(derived)
    )


def forget_where(
    store: Store, selection: Selection, view: View, *, note: ChangeNote, dry_run: bool = False
) -> ForgetResult:
    """Remove what a selection takes, all in one transaction; with `dry_run` only says what.

    Raises `InvalidInput` for a selection that would take everything.
    """
    if selection.is_empty:
        raise InvalidInput(
            "forget: nothing says which memories are meant",
            hint="name ids, or select by words, tag, session, source, kind or time",
            name="ids",
        )
    with store.write(note) as transaction:
        namespaces = transaction.namespaces(view)
        found = select(transaction, selection, namespaces, note.at)
        derived = _forget(transaction, found, namespaces, dry_run=dry_run)
    return ForgetResult(
        tuple(memory.id for memory in found),
        derived=tuple(derived),
        shown=tuple(found[:SHOWN]) if dry_run else (),
        states=_states(found),
    )


def select(
    snapshot: Snapshot, selection: Selection, namespaces: tuple[int, ...], now: int
) -> list[Memory]:
    """What a selection takes, in whatever state it is, oldest row first."""
    rows = None
    terms: tuple[str, ...] = ()
    if selection.words is not None:
        terms = _terms(selection.words)
        rows = snapshot.holding(analysis.INDEX, terms, namespaces)
    wanted = Filter(
        namespaces=namespaces,
        reach=Reach.ALL,
        validity=Validity(now, now, now),
        kinds=selection.kinds,
        tags_all=selection.tags_all,
        tags_any=selection.tags_any,
        session=selection.session,
        since=selection.since,
        until=selection.until,
    )
    if rows is not None and not wanted.narrows:
        found = snapshot.memories(rows)
    else:
        among = None if rows is None else set(rows)
        every = snapshot.select(wanted, limit=None, after_row=0)
        found = [memory for memory in every if among is None or memory.row in among]
    return [
        memory
        for memory in found
        if selection.source in {None, *_sources(memory.provenance.source)}
        and (not terms or _holds(memory.text, terms))
    ]


def _sources(source: str) -> tuple[str, str]:
    """The names of a source: with and without what says that it was imported."""
    return source, source.removeprefix("import:")


def _states(found: Iterable[Memory]) -> tuple[tuple[str, int], ...]:
    """How many there are in each state; a memory counts once."""
    counts = dict.fromkeys(STATES, 0)
    for memory in found:
        if memory.held:
            counts["held"] += 1
        elif memory.archived:
            counts["archived"] += 1
        else:
            counts["current" if memory.current else "superseded"] += 1
    return tuple((state, count) for state, count in counts.items() if count)


def _terms(words: str) -> tuple[str, ...]:
    """The terms that a memory must hold; raises `InvalidInput` if there are none."""
    terms = analysis.analyze_query(words).terms
    if not terms:
        raise InvalidInput(
            "words: nothing in them is a word to look for",
            hint="name what the memories say; words such as 'the' or 什么 are in all of them",
            name="words",
        )
    return terms


def _holds(text: str, terms: Iterable[str]) -> bool:
    own = {term for token in analysis.tokenize(text) for term in token.terms}
    return own.issuperset(terms)


def _forget(
    transaction: Transaction,
    found: Sequence[Memory],
    namespaces: tuple[int, ...],
    *,
    dry_run: bool,
) -> list[str]:
    """Forget rows and what was derived from them; the ids of the latter."""
    going = {memory.row: memory for memory in found}
    newest = list(going)
    while newest:
        more = [row for row in transaction.derived(newest) if row not in going]
        seen = [
            memory
            for memory in transaction.memories(more)
            if transaction.memory(memory.id, namespaces) is not None
        ]
        going.update((memory.row, memory) for memory in seen)
        newest = [memory.row for memory in seen]
    if not dry_run:
        _reopen_sources(transaction, going)
        for row in sorted(going, reverse=True):
            transaction.forget(row)
    return [memory.id for memory in going.values()][len(found) :]


def _reopen_sources(transaction: Transaction, going: Mapping[int, Memory]) -> None:
    """What a merge had joined stands by itself again, if the merge goes with one of its sources."""
    merges = [row for row, one in going.items() if one.provenance.method is Method.MERGE]
    sources = transaction.sources(merges)
    undone = {
        going[row].id: going[row] for row in merges if going.keys() & set(sources.get(row, ()))
    }
    for id_, merge in undone.items():
        if _is_followed(merge, undone):
            continue
        staying = [row for row in sources[merge.row] if row not in going]
        for memory in transaction.memories(staying):
            if memory.superseded_by == id_:
                transaction.reopen(memory.row)


def _is_followed(merge: Memory, undone: Mapping[str, Memory]) -> bool:
    """Whether a version that was no mere merge of this one came after it: that one stands."""
    newer = merge.superseded_by
    while newer is not None and newer in undone:
        newer = undone[newer].superseded_by
    return newer is not None
