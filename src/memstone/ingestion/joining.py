"""Near duplicates: two memories that say the same in nearly the same words become one.

The one that says more stands, the other is closed beside it and the first is seen again. If each
holds a detail that the other lacks, a third memory says both, with the two as its sources.
Candidates come from the index, a few of any number, so that a batch costs what its memories cost
one by one.
"""

from __future__ import annotations

from memstone import analysis, ranking
from memstone.extraction import likeness
from memstone.ingestion import indexing
from memstone.ingestion.cleaning import Request
from memstone.ingestion.remembering import SETTLED_KINDS, Place, insert
from memstone.ingestion.replacing import became_true, replace_by, set_beside
from memstone.times import to_micros
from memstone.types import Derivation, Filter, Method, Reach, Trust, Validity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from memstone.ingestion.replacing import Work
    from memstone.types import Memory

CANDIDATES = 8  # memories looked at for one that says the same
PRODUCER = "memstone near-duplicate 1"


def join(work: Work, memory: Memory) -> None:
    """Join a memory with one that says the same, if there is one."""
    if memory.kind not in SETTLED_KINDS or memory.is_file:
        return
    twin = _twin(work, memory)
    if twin is None:
        return
    first, second = sorted((memory, twin), key=lambda one: (to_micros(one.created_at), one.row))
    said = likeness.union(first.text, second.text)
    if said == first.text:
        set_beside(work.transaction, second, first, work.now)
        _keep(work, first, (first, second))
    elif said == second.text:
        replace_by(work.transaction, first, second, work.now)
        _keep(work, second, (first, second))
    else:
        _merge(work, (first, second), said)
    work.done.merged += [first.id, second.id]


def _keep(work: Work, kept: Memory, pair: tuple[Memory, Memory]) -> None:
    """What the other one had joins the one that stays: its tags, and that it was said again."""
    later = max(pair, key=became_true)
    work.transaction.seen(kept.row, to_micros(later.valid_from))
    tags = sorted({*pair[0].tags, *pair[1].tags})
    if tags:
        work.transaction.add_tags(kept.row, tags)


def _twin(work: Work, memory: Memory) -> Memory | None:
    """The memory most like this one that says the same, by the index."""
    question = analysis.analyze_query(memory.text)
    if not question.terms:
        return None
    wanted = Filter(
        namespaces=(work.transaction.intern(memory.scope),),
        reach=Reach.RECALLABLE,
        validity=Validity(work.now, work.now, work.now),
        kinds=(memory.kind,),
    )
    postings = work.transaction.postings(analysis.INDEX, wanted)
    known = {found.term: found.df for found in postings.terms(question.terms)}
    terms = ranking.reduce_terms(question.terms, known)
    best = ranking.lexical(terms, postings, CANDIDATES + 1)
    rows = [candidate.row for candidate in best if candidate.row != memory.row]
    likely = [
        (likeness.similarity(memory.text, other.text), -other.row, other)
        for other in work.transaction.memories(rows)
        if _may_join(memory, other)
    ]
    if not likely:
        return None
    similarity, _, other = max(likely, key=lambda each: each[:2])
    return other if similarity > likeness.SAME else None


def _may_join(one: Memory, other: Memory) -> bool:
    """Whether two memories may become one: nothing that was given with them differs."""
    return (
        not other.is_file
        and one.speaker == other.speaker
        and one.subject == other.subject
        and one.attribute == other.attribute
        and one.valid_until == other.valid_until
        and one.expires == other.expires
        and one.role == other.role
    )


def _merge(work: Work, pair: tuple[Memory, Memory], text: str) -> None:
    """A third memory that says what both say; the older is its earlier version, the newer one
    stands beside it.
    """
    first, second = pair
    place = Place(work.transaction.intern(first.scope), work.rules.home, work.now)
    request = Request(
        text=text,
        scope=first.scope,
        kind=first.kind,
        tags=tuple(sorted({*first.tags, *second.tags})),
        role=first.role,
        speaker=first.speaker,
        subject=first.subject,
        attribute=first.attribute,
        at=min(to_micros(first.valid_from), to_micros(second.valid_from)),
        valid_until=None if first.valid_until is None else to_micros(first.valid_until),
        trust=_lowest(pair),
        pinned=first.pinned or second.pinned,
        source=first.provenance.source,
        method=Method.MERGE,
        producer=PRODUCER,
        derived_from=tuple(Derivation(one.id, 0, len(one.text.encode("utf-8"))) for one in pair),
        settled=True,
    )
    units = indexing.units_of_request(request, work.now)
    row, _ = insert(work.transaction, request, units, place, parent=first)
    (merged,) = work.transaction.memories([row])
    replace_by(work.transaction, first, merged, work.now)
    set_beside(work.transaction, second, merged, work.now)
    work.transaction.seen(row, max(to_micros(first.valid_from), to_micros(second.valid_from)))


def _lowest(memories: Iterable[Memory]) -> Trust:
    order = list(Trust)
    return max((memory.provenance.trust for memory in memories), key=order.index)
