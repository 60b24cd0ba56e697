"""Why a memory was or was not recalled for a question, told by the recall itself.

Nothing is decided here a second time. One snapshot is held still and asked what `recall` asks it:
`retrieval.recall` runs with the caller's own options and says what came back; it runs once more
without floor and budget and says the coverage; the postings under one condition at a time say
which of them rejects the memory. Only whose words count, and the places of those that recall never
returns, are read off `ranking`, because a result does not hold them; tests compare both with it.

What cannot be seen by the caller is not found, whatever the question.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace

from memstone import analysis, ranking, retrieval
from memstone.errors import StoreDamaged
from memstone.retrieval import showing
from memstone.times import to_micros
from memstone.types import (
    Budget,
    Condition,
    Explanation,
    Fate,
    FloorCheck,
    Kind,
    Obstacle,
    Room,
    Stage,
    Standing,
    WordMatch,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from memstone.protocols import Postings, Snapshot, Store, Transaction
    from memstone.retrieval import Packer
    from memstone.types import (
        ChangeNote,
        Filter,
        Hit,
        Memory,
        RecallOptions,
        Signals,
        View,
    )

_NO_CONDITION: dict[str, Any] = {
    "kinds": (), "tags_all": (), "tags_any": (), "session": None, "since": None, "until": None,
    "not_session": None,
}  # fmt: skip
_FIELDS = {  # condition → the field of `Filter` that holds it
    Condition.KINDS: "kinds",
    Condition.TAGS: "tags_all",
    Condition.ANY_TAGS: "tags_any",
    Condition.SESSION: "session",
    Condition.NOT_SESSION: "not_session",
    Condition.SINCE: "since",
    Condition.UNTIL: "until",
}
_SAYS = {
    Obstacle.HELD: "it is held back until it is approved",
    Obstacle.ARCHIVED: "it is archived",
    Obstacle.EXPIRED: "it has expired",
    Obstacle.SUPERSEDED: "a newer version has superseded it",
    Obstacle.NOT_YET_VALID: "it becomes true only later",
    Obstacle.NO_LONGER_VALID: "it is no longer true then",
    Obstacle.NOT_YET_KNOWN: "it was recorded only later",
    Obstacle.NOT_INDEXED: "its index is not complete yet",
}


@dataclass(frozen=True, slots=True)
class Question:
    """One recall to be explained: its words, its options, who asks and when."""

    query: str
    options: RecallOptions
    view: View
    now: int
    packer: Packer


def explain(store: Store, id: str, question: Question) -> Explanation:  # noqa: A002
    """Why the memory `id` is or is not in the answer to `question`.

    Raises `NotFound` for what this caller cannot see.
    """
    with store.read() as snapshot:
        still = _Still(store, snapshot)
        memory = retrieval.get(still, id, question.view)
        return _Inquiry(still, memory, question).explanation()


@dataclass(frozen=True, slots=True)
class _Still:
    """A store in which every read sees the one snapshot."""

    store: Store
    snapshot: Snapshot

    @contextmanager
    def read(self) -> Iterator[Snapshot]:
        yield self.snapshot

    @contextmanager
    def write(self, note: ChangeNote) -> Iterator[Transaction]:
        with self.store.write(note) as transaction:
            yield transaction

    def touch(self, rows: Sequence[int], at: int) -> None:
        self.store.touch(rows, at)

    def close(self) -> None:
        self.store.close()


class _Weightless:
    """Counts nothing: where only the order matters, no text need be measured."""

    basis = "none"

    def count(self, text: str) -> int:  # noqa: ARG002  (the protocol's)
        return 0


class _Inquiry:
    """The stages of one explanation, each asked only if the one before was passed."""

    def __init__(self, still: _Still, memory: Memory, question: Question) -> None:
        self._still = still
        self._memory = memory
        self._question = question
        self._options = question.options
        namespaces = still.snapshot.namespaces(question.view)
        self._wanted = retrieval.recall_filter(question.options, namespaces, question.now)
        self._result = retrieval.recall(
            still,
            question.query,
            question.options,
            question.view,
            now=question.now,
            packer=question.packer,
        )
        self._made_it = (*(hit.id for hit in self._result.hits), *self._result.omitted)

    def explanation(self) -> Explanation:
        open_wide = replace(self._wanted, **_NO_CONDITION)
        if not self._accepts(open_wide):
            obstacles = self._obstacles()
            why = " and ".join(_SAYS[each] for each in obstacles)
            return self._stopped(Stage.VISIBLE, why, obstacles=obstacles)
        rejecting = tuple(
            condition
            for condition, field in _FIELDS.items()
            if not self._accepts(replace(open_wide, **{field: getattr(self._wanted, field)}))
        )
        if rejecting:
            why = f"the filter rejects it ({', '.join(rejecting)})"
            return self._stopped(Stage.FILTER, why, rejected_by=rejecting)
        return self._ranked()

    def _accepts(self, wanted: Filter) -> bool:
        """Whether recall lets the memory through under that filter, its index being complete."""
        row = self._memory.row
        postings = self._still.snapshot.postings(analysis.INDEX, wanted)
        profile = postings.profiles([row]).get(row)
        return profile is not None and row in postings.accept([profile.first_unit]).values()

    def _obstacles(self) -> tuple[Obstacle, ...]:
        """What hides the memory, read off its fields; if nothing does, its index is not ready."""
        memory, validity = self._memory, self._wanted.validity
        found = [Obstacle.HELD] * memory.held + [Obstacle.ARCHIVED] * memory.archived
        if memory.expires is not None and to_micros(memory.expires) <= validity.now:
            found.append(Obstacle.EXPIRED)
        if validity.historic and to_micros(memory.created_at) > validity.known_at:
            found.append(Obstacle.NOT_YET_KNOWN)
        if self._is_superseded():
            found.append(Obstacle.SUPERSEDED)
        begins = to_micros(memory.valid_from)
        # a clock set back does not hide what was true when it was written
        latest = (
            validity.as_of if validity.historic else max(validity.now, to_micros(memory.created_at))
        )
        if begins > latest:
            found.append(Obstacle.NOT_YET_VALID)
        if memory.valid_until is not None and to_micros(memory.valid_until) <= validity.as_of:
            found.append(Obstacle.NO_LONGER_VALID)
        return tuple(found) or (Obstacle.NOT_INDEXED,)

    def _is_superseded(self) -> bool:
        memory, validity = self._memory, self._wanted.validity
        if memory.superseded_at is None or not validity.historic:
            return memory.superseded_at is not None
        since = memory.superseded_from
        known = to_micros(memory.superseded_at) <= validity.known_at
        return known and (since is None or to_micros(since) <= validity.as_of)

    def _ranked(self) -> Explanation:
        ranks = _Ranks(self._still.snapshot, self._wanted, self._question)
        words = ranks.words(self._memory.row)
        look = self._unfloored(ranks.looked_at)
        seen = self._place(look)
        place = seen or ranks.place(self._memory.row)
        if place is None:
            return self._stopped(Stage.TERMS, _no_words(words), rejected_by=(), terms=words)
        weighed = seen is not None or ranks.weighs(self._memory.row)
        standing = Standing(
            place=place,
            of=max(ranks.count, len(look)),
            limit=self._options.limit,
            score=look[seen - 1].score if seen else ranks.score(self._memory.row),
            last_score=self._last_score(look, ranks),
            weighed=weighed,
            passed=self._memory.id in self._made_it,
        )
        known: dict[str, Any] = {"rejected_by": (), "terms": words, "rank": standing}
        if not weighed:
            return self._stopped(Stage.RANK, _too_low(standing), **known)
        signals = self._signals(look) or self._signals(self._unfloored(ranks.count))
        hidden = self._hidden(look, signals)
        if hidden is not None:
            return self._stopped(Stage.RANK, hidden, **known)
        if signals is None:
            raise StoreDamaged(f"row {self._memory.row} is a candidate that no recall returns")
        floor = self._floor(signals, came_through=standing.passed)
        known |= {"floor": floor, "signals": signals}
        if not floor.passed:
            return self._stopped(Stage.FLOOR, _too_little(floor), **known)
        if not standing.passed:
            return self._stopped(Stage.RANK, _too_low(standing), **known)
        return self._budgeted(standing, known)

    def _place(self, look: Sequence[Hit]) -> int | None:
        rows = [hit.memory.row for hit in look]
        return rows.index(self._memory.row) + 1 if self._memory.row in rows else None

    def _hidden(self, look: Sequence[Hit], signals: Signals | None) -> str | None:
        """Why a hit that others stand for is left out, None if it is not."""
        twin = self._twin(look)
        if twin is not None:
            return f"the same question stands higher as {twin.id}"
        shown = showing.Shown()
        for hit in look:
            shown.add(hit.memory)
        past = showing.outdated(self._still.snapshot, [self._memory], self._wanted)
        if signals is None and showing.is_outdated(self._memory, past):
            return "newer statements have replaced most of what it says"
        told = signals is None and shown.covers(self._memory)
        return "better hits show most of what it says" if told else None

    def _twin(self, look: Sequence[Hit]) -> Memory | None:
        """The turn that asks the same in the same words and stands for this one."""
        if self._memory.kind is not Kind.TURN:
            return None
        alike = (
            hit.memory
            for hit in look
            if hit.memory.kind is Kind.TURN
            and hit.signals.asking < 1.0
            and hit.memory.text_sha256 == self._memory.text_sha256
        )
        return next((memory for memory in alike if memory.row != self._memory.row), None)

    def _signals(self, look: Sequence[Hit]) -> Signals | None:
        return next((h.signals for h in look if h.memory.row == self._memory.row), None)

    def _last_score(self, look: Sequence[Hit], ranks: _Ranks) -> float | None:
        """The score of the last memory that came through."""
        if not self._made_it:
            return None
        last = self._made_it[-1]
        return next((hit.score for hit in look if hit.id == last), ranks.score_of(last))

    def _floor(self, signals: Signals, *, came_through: bool) -> FloorCheck:
        least = self._options.min_score
        # a list that is not full has room for everything that the floor lets through
        full = len(self._made_it) >= self._options.limit
        passed = came_through or (full and signals.evidence >= least)
        return FloorCheck(signals.coverage, signals.evidence, least, passed)

    def _unfloored(self, limit: int) -> tuple[Hit, ...]:
        """The candidates in order, as a recall without floor and budget returns them."""
        question = self._question
        found = retrieval.recall(
            self._still,
            question.query,
            replace(self._options, min_score=0.0, budget=Budget(None), limit=limit),
            question.view,
            now=question.now,
            packer=replace(question.packer, counter=_Weightless()),
        )
        return found.hits

    def _budgeted(self, standing: Standing, known: dict[str, Any]) -> Explanation:
        result = self._result
        hit = next((hit for hit in result.hits if hit.id == self._memory.id), None)
        fate = Fate.OMITTED if hit is None else Fate.SHORTENED if hit.handle else Fate.INCLUDED
        full = self._question.packer.counter.count(self._memory.text)
        known["budget"] = Room(
            fate=fate,
            tokens=0 if hit is None else hit.tokens,
            full_tokens=full,
            used=result.tokens,
            budget=result.budget,
        )
        if hit is None:
            why = f"it ranks high enough, but {result.budget} tokens had no room for its {full}"
            return self._stopped(Stage.BUDGET, why, **known)
        whole = "whole" if fate is Fate.INCLUDED else f"shortened to {hit.tokens} of {full} tokens"
        return Explanation(
            query=self._question.query,
            memory=self._memory,
            verdict=f"Recalled {whole}: number {standing.place} of {_counted(standing.of)}.",
            recalled=True,
            decided_by=Stage.BUDGET,
            **known,
        )

    def _stopped(self, stage: Stage, why: str, **known: Any) -> Explanation:
        return Explanation(
            query=self._question.query,
            memory=self._memory,
            verdict=f"Not recalled: {why}.",
            recalled=False,
            decided_by=stage,
            **known,
        )


class _Ranks:
    """The candidates of a question in order: those weighed closely, then the rest by words."""

    def __init__(self, snapshot: Snapshot, wanted: Filter, question: Question) -> None:
        """Ranks them as recall does."""
        options = question.options
        self._query = question.query
        self._asked = analysis.analyze_query(question.query).terms
        read = analysis.informative(question.query)
        analysed = analysis.analyze_query(read)
        weighing = retrieval.weigh(snapshot, wanted, analysed, read, options)
        self._read = frozenset(weighing.question.terms)
        self._known = weighing.dfs
        terms = weighing.terms
        self._sought = frozenset(terms)
        self._postings = postings = weighing.postings
        self.looked_at = max(retrieval.SECOND_STAGE, options.limit)
        self._pool = {one.candidate.row: one for one in weighing.candidates}
        everyone = ranking.lexical(terms, postings, _all_of(terms, postings))
        self._rest = {one.row: one for one in everyone if one.row not in self._pool}
        self._order = [*self._pool, *self._rest]

    @property
    def count(self) -> int:
        """How many candidates there are."""
        return len(self._order)

    def place(self, row: int) -> int | None:
        """The row's place from 1, None if it is no candidate."""
        return self._order.index(row) + 1 if row in self._pool or row in self._rest else None

    def weighs(self, row: int) -> bool:
        """Whether recall looked at the row closely."""
        return row in self._pool

    def score(self, row: int) -> float:
        """The row's score: weighed if recall looked closely, else by words alone."""
        weighed = self._pool.get(row)
        return self._rest[row].score if weighed is None else weighed.score

    def score_of(self, id: str) -> float | None:  # noqa: A002
        return next((one.score for one in self._pool.values() if one.candidate.id == id), None)

    def words(self, row: int) -> WordMatch:
        """Which of the question's words the row has, which it is lent, which it misses."""
        weighed, rest = self._pool.get(row), self._rest.get(row)
        own = weighed.candidate.matched if weighed else rest.matched if rest else frozenset()
        lent = weighed.lent if weighed else frozenset[str]()
        spelt = _spellings(self._query)
        places: dict[str, list[str]] = {}
        for term in self._asked:
            if term in own:
                place = "own"
            elif term in lent:
                place = "lent"
            elif term not in self._read or (term in self._known and term not in self._sought):
                place = "ignored"
            else:
                place = "elsewhere" if self._has(row, term) else "missing"
            places.setdefault(place, []).append(spelt.get(term, term))
        return WordMatch(**{place: tuple(words) for place, words in places.items()})

    def _has(self, row: int, term: str) -> bool:
        """Whether any part of the row's text has the term."""
        units = [
            unit for found in self._postings.terms([term]) for unit, _ in self._postings.scan(found)
        ]
        return row in self._postings.accept(units).values()


def _all_of(terms: Sequence[str], postings: Postings) -> int:
    """No fewer than the units that hold any of the terms."""
    return max(sum(found.postings for found in postings.terms(terms)), 1)


def _spellings(query: str) -> dict[str, str]:
    """Stem → the word of the question it stands for."""
    tokens = analysis.tokenize(query)
    return {token.terms[0]: token.surface for token in reversed(tokens) if token.terms}


def _no_words(words: WordMatch) -> str:
    if not words.missing:
        return "the question has no word to look for"
    return f"it has none of the question's words ({', '.join(words.missing)})"


def _too_little(floor: FloorCheck) -> str:
    what = f"it covers {floor.coverage:.2f} of the question"
    return f"{what}; the evidence is {floor.evidence:.2f}, the floor {floor.min_score:.2f}"


def _too_low(standing: Standing) -> str:
    place = f"it is number {standing.place} of {_counted(standing.of)}"
    if standing.weighed:
        return f"{place}, and the limit is {standing.limit}"
    return f"{place} by its words alone, too far down to be looked at closely"


def _counted(candidates: int) -> str:
    return f"{candidates} candidate{'' if candidates == 1 else 's'}"
