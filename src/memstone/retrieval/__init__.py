"""The read path: recall, history, recover, list. Reading first, then only arithmetic.

`recall` opens one snapshot, finds the exact best memories for the query's terms among those the
filter lets through, drops those without evidence that the store answers the question, and packs
the rest into the budget. It never writes: usage is the caller's own small write afterwards. The
same store, query, options and instant give the same answer to the bit.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import islice

from memstone import analysis, packing, ranking
from memstone.errors import InvalidHandle, NotFound, StoreDamaged
from memstone.retrieval.showing import Shown, is_outdated, outdated
from memstone.times import NEVER_US, to_micros
from memstone.types import (
    HANDLE_PREFIX,
    Filter,
    Kind,
    Ranked,
    Reach,
    RecallResult,
    Validity,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memstone.protocols import Excerpter, Postings, Snapshot, Store, TokenCounter
    from memstone.ranking import Coverage, Weighed
    from memstone.types import Hit, Listing, Memory, Query, RecallOptions, UnitSpan, View

SECOND_STAGE = 20  # candidates that get a second look, if the limit is not larger
BESIDE_QUESTIONS = 40  # as many where questions are left out: they resemble the next one most
HANDLE = re.compile(r"ccr_[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class Packer:
    """What packing needs from outside: how tokens are counted and how a text is shortened."""

    counter: TokenCounter
    excerpter: Excerpter


def recall(
    store: Store, query: str, options: RecallOptions, view: View, *, now: int, packer: Packer
) -> RecallResult:
    """The memories that matter for `query`, best first, within the budget; often none."""
    asked = analysis.informative(query)
    question = analysis.analyze_query(asked)
    ranked: list[Ranked] = []
    disputes: dict[str, list[str]] = {}
    reduced = asked != query
    if question.terms:
        with store.read() as snapshot:
            wanted = recall_filter(options, snapshot.namespaces(view), now)
            weighing = weigh(snapshot, wanted, question, asked, options)
            reading = _Reading.of(snapshot, weighing, wanted)
            ranked = _over_the_floor(reading, weighing, options)
            reduced = reduced or len(weighing.terms) < len(weighing.dfs)
            disputes = _disputes(snapshot, ranked, wanted.namespaces)
    packed = packing.pack(
        ranked,
        options.budget,
        terms=question.terms,
        counter=packer.counter,
        excerpter=packer.excerpter,
    )
    return RecallResult(
        query=query,
        hits=_marked(packed.hits, disputes),
        tokens=packed.tokens,
        budget=options.budget.tokens,
        omitted=packed.omitted,
        degraded=("query_reduced",) if reduced else (),
    )


def _disputes(
    snapshot: Snapshot, ranked: Sequence[Ranked], namespaces: tuple[int, ...]
) -> dict[str, list[str]]:
    """Id → ids of the current memories that it may contradict, of those that were found."""
    found: dict[str, list[str]] = {}
    rows = [one.memory.row for one in ranked]
    for one in snapshot.conflicts(namespaces, rows=rows) if rows else ():
        found.setdefault(one.older.id, []).append(one.newer.id)
        found.setdefault(one.newer.id, []).append(one.older.id)
    return found


def _marked(hits: tuple[Hit, ...], disputes: Mapping[str, Sequence[str]]) -> tuple[Hit, ...]:
    """The hits, each with what it may contradict."""
    if not disputes:
        return hits
    return tuple(replace(hit, conflicts=tuple(disputes.get(hit.id, ()))) for hit in hits)


def recall_filter(options: RecallOptions, namespaces: tuple[int, ...], now: int) -> Filter:
    """The conditions of a recall. One of the two instants alone stands for both: what was known
    on a day is what was held true that day, unless `as_of` says otherwise.
    """
    return Filter(
        namespaces=namespaces,
        reach=Reach.RECALLABLE,
        validity=validity(options.as_of, options.known_at, now),
        kinds=options.kinds,
        tags_all=options.tags_all,
        tags_any=options.tags_any,
        session=options.session,
        not_session=options.not_session,
        since=options.since,
        until=options.until,
    )


def validity(as_of: int | None, known_at: int | None, now: int) -> Validity:
    """The instants to look from. `known_at` alone also sets `as_of`.

    Without `known_at`, everything recorded counts, also what a clock set back makes future.

    >>> validity(None, 5, now=9)
    Validity(now=9, as_of=5, known_at=5, historic=True)
    """
    historic = as_of is not None or known_at is not None
    known = NEVER_US if known_at is None else known_at  # all we know, whatever the clock says
    then = as_of if as_of is not None else min(now, known)
    return Validity(now, then, known, historic)


@dataclass(frozen=True, slots=True)
class Weighing:
    """A question put to the postings: itself and as text, its terms as read, those of them that
    were looked for, how many units hold each known one, and the candidates, best first.
    """

    question: Query
    asked: str
    terms: tuple[str, ...]
    dfs: Mapping[str, int]
    postings: Postings
    candidates: Iterable[Weighed]


def weigh(
    snapshot: Snapshot, wanted: Filter, question: Query, asked: str, options: RecallOptions
) -> Weighing:
    """Rank what the filter lets through for a question, which is `asked` analysed."""
    postings = snapshot.postings(analysis.INDEX, wanted)
    known = {found.term: found.df for found in postings.terms(question.terms)}
    terms = ranking.reduce_terms(question.terms, known)
    aspect = ranking.Aspect(
        words=analysis.surfaces(asked),
        spelt=analysis.surfaces,
        now=wanted.validity.now,
        decays=options.as_of is None and options.known_at is None,
    )
    looked_at = BESIDE_QUESTIONS if options.skip_questions else SECOND_STAGE
    best = ranking.lexical(terms, postings, max(looked_at, options.limit))
    weighed = ranking.second_stage(best, terms, postings, aspect)
    return Weighing(question, asked, terms, known, postings, weighed)


@dataclass(frozen=True, slots=True)
class _Reading:
    """Where the floor finds what it needs to know of a memory."""

    snapshot: Snapshot
    postings: Postings
    coverage: Coverage
    wanted: Filter

    @classmethod
    def of(cls, snapshot: Snapshot, weighing: Weighing, wanted: Filter) -> _Reading:
        units = weighing.postings.statistics().units
        corpus = ranking.Corpus(weighing.dfs, units)
        coverage = ranking.Coverage(weighing.question.evidence, corpus)
        return cls(snapshot, weighing.postings, coverage, wanted)

    def read(self, page: Sequence[Weighed]) -> list[tuple[Weighed, Memory, UnitSpan, float]]:
        """Each of the page with its memory, its best unit and its coverage of the question."""
        memories = {m.row: m for m in self.snapshot.memories([one.candidate.row for one in page])}
        spans = self.postings.spans([one.candidate.unit for one in page])
        read = []
        for one in page:
            candidate = one.candidate
            memory, span = memories.get(candidate.row), spans.get(candidate.unit)
            if memory is None or span is None:
                raise StoreDamaged.entry(candidate.row)
            words = analysis.Words(_shown_words(memory, span))
            covered = self.coverage.of(candidate.matched, one.lent, words)
            read.append((one, memory, span, covered))
        return read


def _over_the_floor(reading: _Reading, weighing: Weighing, options: RecallOptions) -> list[Ranked]:
    """The first `limit` of the weighed memories for which there is evidence enough."""
    ranked: list[Ranked] = []
    waiting = iter(weighing.candidates)
    shown = Shown(weighing.asked, only_news=options.skip_questions)
    best: float | None = None
    size = max(options.limit, ranking.SUPPORTERS)
    while size > 0 and (page := list(islice(waiting, size))):
        read = reading.read(page)
        past = outdated(reading.snapshot, [memory for _, memory, *_ in read], reading.wanted)
        shown.replaced(past.texts)
        if best is None:
            best = max(coverage for *_, coverage in read[: ranking.SUPPORTERS])
        for one, memory, span, coverage in read:
            if shown.repeats(memory, asks=one.signals.asking < 1.0):
                continue
            evidence = ranking.evidence(coverage, best)
            hidden = shown.covers(memory) or is_outdated(memory, past)
            if evidence >= options.min_score and not hidden:
                shown.add(memory)
                signals = replace(one.signals, coverage=coverage, evidence=evidence)
                ranked.append(Ranked(memory, one.score, signals, span.start, span.end))
        size = options.limit - len(ranked)
    return ranked[: options.limit]


def _shown_words(memory: Memory, span: UnitSpan) -> str:
    """The text of a unit, and the header it was indexed with."""
    day = to_micros(memory.valid_from) if memory.kind is Kind.TURN else None
    return f"{analysis.header(memory.speaker, day)}\n{memory.text[span.start : span.end]}"


def get(store: Store, id: str, view: View) -> Memory:  # noqa: A002
    """One memory by id, whatever its state; raises `NotFound` for what this caller cannot see."""
    with store.read() as snapshot:
        return _require(snapshot, id, snapshot.namespaces(view))


def history(
    store: Store,
    id: str,  # noqa: A002
    view: View,
    *,
    as_of: int | None = None,
    known_at: int | None = None,
) -> list[Memory]:
    """All versions of a memory, oldest first; any id will do. What was closed without being a
    version (the other source of a merge, an older value that came late) stands before what closed
    it. `known_at` leaves out what was not known then, `as_of` what was not valid then.

    Raises `NotFound`, or `LineageBroken` rather than show part of a chain.
    """
    with store.read() as snapshot:
        chain = snapshot.chain(_require(snapshot, id, snapshot.namespaces(view)).row)
        beside = snapshot.beside([memory.row for memory in chain])
    chain = [each for memory in chain for each in (*_closed_by(memory, beside), memory)]
    known = [m for m in chain if known_at is None or to_micros(m.created_at) <= known_at]
    return [m for m in known if as_of is None or _was_valid(m, as_of, known_at)]


def _closed_by(memory: Memory, beside: Iterable[Memory]) -> list[Memory]:
    return [each for each in beside if each.superseded_by == memory.id]


def _was_valid(memory: Memory, as_of: int, known_at: int | None) -> bool:
    """Whether a version was true at `as_of`, as far as was known at `known_at`."""
    ends = [memory.valid_until]
    if memory.superseded_at is not None and (
        known_at is None or to_micros(memory.superseded_at) <= known_at
    ):
        ends.append(memory.superseded_from)
    begun = to_micros(memory.valid_from) <= as_of
    return begun and all(end is None or as_of < to_micros(end) for end in ends)


def _require(snapshot: Snapshot, id: str, namespaces: Sequence[int]) -> Memory:  # noqa: A002
    memory = snapshot.memory(id, namespaces)
    if memory is None:
        raise NotFound.memory(id)
    return memory


def recover(store: Store, handle: str, view: View) -> str:
    """The exact text behind a recovery handle.

    Raises `InvalidHandle` when it is not one, `NotFound` when no memory here has that text.
    """
    if not HANDLE.fullmatch(handle):
        raise InvalidHandle(
            f"{handle!r} is not a recovery handle",
            hint=f"a handle is {HANDLE_PREFIX} and 32 hex digits, as recall printed it",
        )
    prefix = bytes.fromhex(handle.removeprefix(HANDLE_PREFIX))
    with store.read() as snapshot:
        known = snapshot.by_digest(prefix, snapshot.namespaces(view))
    found = [memory for memory in known if not memory.held]  # held text has no handle to find it by
    if not found:
        raise NotFound(
            f"no text for {handle} here",
            hint="it was forgotten, is held back (`memstone review`), or is of another scope",
            handle=handle,
        )
    return found[0].text


def _filter(wanted: Listing, namespaces: tuple[int, ...], now: int) -> Filter:
    return Filter(
        namespaces=namespaces,
        reach=wanted.reach,
        validity=validity(wanted.as_of, wanted.known_at, now),
        kinds=wanted.kinds,
        tags_all=wanted.tags_all,
        tags_any=wanted.tags_any,
        session=wanted.session,
        since=wanted.since,
        until=wanted.until,
        pinned=wanted.pinned,
    )


def listing(
    store: Store, wanted: Listing, view: View, *, now: int, limit: int | None
) -> list[Memory]:
    """The memories of a listing, newest first."""
    with store.read() as snapshot:
        return snapshot.select(_filter(wanted, snapshot.namespaces(view), now), limit=limit)


def count(store: Store, wanted: Listing, view: View, *, now: int) -> int:
    """How many memories a listing has."""
    with store.read() as snapshot:
        return snapshot.count(_filter(wanted, snapshot.namespaces(view), now))


def session_memories(store: Store, role: str, view: View, *, now: int) -> list[Memory]:
    """What every session starts with, by id: personas of `role` and of none, pinned preferences,
    and open tasks. Only what recall could return.
    """
    with store.read() as snapshot:
        namespaces = snapshot.namespaces(view)
        found = [
            memory
            for kind, pinned in ((Kind.PERSONA, False), (Kind.PREFERENCE, True), (Kind.TASK, False))
            for memory in snapshot.select(
                Filter(
                    namespaces=namespaces,
                    reach=Reach.RECALLABLE,
                    validity=validity(None, None, now),
                    kinds=(kind,),
                    pinned=pinned,
                ),
                limit=None,
            )
        ]
    of_role = (m for m in found if m.kind is not Kind.PERSONA or m.role in {None, "", role})
    return sorted(of_role, key=lambda memory: memory.id)


def rows_of(store: Store, ids: Sequence[str], view: View) -> list[int]:
    """Row numbers of those ids that this caller sees, in their order."""
    with store.read() as snapshot:
        namespaces = snapshot.namespaces(view)
        found = (snapshot.memory(id_, namespaces) for id_ in dict.fromkeys(ids))
        return [memory.row for memory in found if memory is not None]
