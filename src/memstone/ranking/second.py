"""The second stage: the exact best units and their visible neighbours, weighed once more.

A conversation says things across turns: the question in one, the answer in the next. So the best
memories are scored again with what the turns around them say, and those turns become candidates
too. Neighbours lend from their own postings; no memory ever indexes another one's words, so a
forgotten or hidden neighbour helps nobody. Signals that are not about words (session, speaker, who
said it, importance) are small shares of the best score; age is a factor near 1.

Everything is a function of postings and profiles; sums run in the query's order, so equal stores
give equal bits.
"""

from __future__ import annotations

from dataclasses import dataclass

from memstone.errors import StoreDamaged
from memstone.ranking import signals
from memstone.ranking.arithmetic import total
from memstone.ranking.bm25 import Bm25
from memstone.ranking.maxscore import Candidate
from memstone.types import Signals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from memstone.protocols import Postings
    from memstone.types import Profile

    Contributions = dict[str, float]  # term → BM25 score in one unit, in the query's order


@dataclass(frozen=True, slots=True)
class Aspect:
    """How to look: the question's words and how a name is spelt in words, the instant of ranking
    in microseconds; `decays` is off when somebody looks at the past.
    """

    words: frozenset[str]
    spelt: Callable[[str], frozenset[str]]
    now: int
    decays: bool = True


@dataclass(frozen=True, slots=True)
class Weighed:
    """A candidate after the second stage, with its signals and the terms its neighbours lend."""

    candidate: Candidate
    score: float
    signals: Signals
    lent: frozenset[str]


def second_stage(
    candidates: Sequence[Candidate],
    terms: Sequence[str],
    postings: Postings,
    aspect: Aspect,
    *,
    windows: int = signals.WINDOWS,
) -> Iterator[Weighed]:
    """All candidates and the neighbours of the first `windows`, best first; ties break by id."""
    pool = _Pool(candidates, terms, postings, windows)
    if pool.rows:
        yield from _Weighing(pool, aspect).ordered()


class _Pool:
    """The memories to weigh: per row its profile, its best unit, and who stands around it."""

    def __init__(
        self,
        candidates: Sequence[Candidate],
        terms: Sequence[str],
        postings: Postings,
        windows: int,
    ) -> None:
        self.terms = terms
        self.postings = postings
        rows = [candidate.row for candidate in candidates]
        found = postings.around(rows[:windows], signals.REACH)
        self.near = {row: found[row] for row in rows[:windows] if row in found}
        around = dict.fromkeys(row for window in self.near.values() for _, row in window)
        self.profiles = postings.profiles(list(dict.fromkeys([*rows, *around])))
        for row in rows:
            if row not in self.profiles:
                raise StoreDamaged.entry(row)
        self.unit = {candidate.row: candidate.unit for candidate in candidates}
        units = set(self.unit.values())
        for profile in self.profiles.values():
            units |= {profile.first_unit, profile.last_unit}
        self.words = self._words(sorted(units))
        self._mute = {term for term in terms if not signals.lends(term)}
        for row in around:
            if row in self.profiles and row not in self.unit:
                self.unit[row] = self._better_border(self.profiles[row])
        self._see_each_other()
        self.rows = list(self.unit)

    def _words(self, units: Sequence[int]) -> dict[int, Contributions]:
        formula = Bm25.of(self.postings.statistics())
        found: dict[int, Contributions] = {}
        for term in self.postings.terms(self.terms):
            weight = formula.weight(term.df)
            for unit, posting in self.postings.probe(term, units):
                found.setdefault(unit, {})[term.term] = formula.score(weight, posting)
        return found

    def _better_border(self, profile: Profile) -> int:
        first = total(self.words.get(profile.first_unit, {}).values())
        last = total(self.words.get(profile.last_unit, {}).values())
        return profile.last_unit if last > first else profile.first_unit

    def _see_each_other(self) -> None:
        """A neighbour sees what its candidate's window shows, itself excepted."""
        for origin, window in list(self.near.items()):
            whole = [*window, (0, origin)]
            for offset, row in window:
                if row not in self.near:
                    self.near[row] = [
                        (other - offset, found)
                        for other, found in whole
                        if found != row and abs(other - offset) <= signals.REACH
                    ]

    def own(self, row: int) -> Contributions:
        """Term → score in the row's best unit."""
        return self.words.get(self.unit[row], {})

    def lent(self, row: int) -> Contributions:
        """Term → the most that one of the turns around a row lends it."""
        found: Contributions = {}
        for offset, other in self.near.get(row, ()):
            profile = self.profiles.get(other)
            if profile is None:
                continue
            words = self.words.get(profile.first_unit if offset > 0 else profile.last_unit)
            if words:
                factor = signals.LEND_DECAY[abs(offset) - 1]
                for term, score in words.items():
                    if factor * score > found.get(term, 0.0) and term not in self._mute:
                        found[term] = factor * score
        return found


class _Weighing:
    """Scores of a pool's memories."""

    def __init__(self, pool: _Pool, aspect: Aspect) -> None:
        self._pool = pool
        self._aspect = aspect
        self._lent = {row: pool.lent(row) for row in pool.rows}
        self._bm25 = {row: total(pool.own(row).values()) for row in pool.rows}
        self._context = {row: self._of_context(row) for row in pool.rows}
        totals = {row: self._bm25[row] + self._context[row] for row in pool.rows}
        self._best = max(totals.values())
        self._sessions = self._of_sessions(totals)
        self._named = self._named_speaker()

    def ordered(self) -> Iterator[Weighed]:
        """The memories the filter lets through, best first."""
        accepted = self._pool.postings.accept(sorted(set(self._pool.unit.values())))
        rows = [row for row in self._pool.rows if self._pool.unit[row] in accepted]
        scores = {row: self._score(row) for row in rows}
        ids = {row: self._pool.profiles[row].id for row in rows}
        for row in sorted(rows, key=lambda row: (-scores[row], ids[row])):
            unit, matched = self._pool.unit[row], frozenset(self._pool.own(row))
            candidate = Candidate(unit, row, ids[row], self._bm25[row], matched)
            lent = frozenset(self._lent[row])
            yield Weighed(candidate, scores[row], self._signals(row), lent)

    def _score(self, row: int) -> float:
        profile = self._pool.profiles[row]
        words = self._bm25[row] + self._context[row]
        shares = self._session(profile) + self._speaker(profile)
        shares += self._source(profile) + self._importance(profile)
        asking = signals.asking(profile.kind, asks=profile.asks)
        return (words + shares) * self._freshness(profile) * asking

    def _signals(self, row: int) -> Signals:
        profile = self._pool.profiles[row]
        return Signals(
            bm25=self._bm25[row],
            coverage=0.0,  # measured later, and only for what may be shown
            context=self._context[row],
            session=self._session(profile),
            speaker=self._speaker(profile),
            source=self._source(profile),
            importance=self._importance(profile),
            freshness=self._freshness(profile),
            asking=signals.asking(profile.kind, asks=profile.asks),
        )

    def _of_context(self, row: int) -> float:
        """What the neighbours add: terms the memory lacks, and some of those it has."""
        own, lent = self._pool.own(row), self._lent[row]
        if not lent:
            return 0.0
        known = missing = 0.0
        for term in self._pool.terms:  # the query's order: float addition is not associative
            if term in own:
                known += lent.get(term, 0.0)
            else:
                missing += lent.get(term, 0.0)
        return signals.LEND * (missing + signals.LEND_KNOWN * known)

    def _of_sessions(self, totals: Mapping[int, float]) -> dict[object, float]:
        """How well each conversation matches: the mean of its best memories."""
        members: dict[object, list[float]] = {}
        for row, score in totals.items():
            members.setdefault(_conversation(self._pool.profiles[row]), []).append(score)
        best = {key: sorted(scores)[-signals.SESSION_BEST :] for key, scores in members.items()}
        return {key: total(scores) / len(scores) for key, scores in best.items()}

    def _named_speaker(self) -> str | None:
        """The one speaker among the candidates whom the question names."""
        speakers = {self._pool.profiles[row].speaker for row in self._pool.rows}
        named = [
            speaker
            for speaker in speakers
            if speaker is not None
            and speaker.lower() not in signals.ROLES
            and not self._aspect.spelt(speaker).isdisjoint(self._aspect.words)
        ]
        return named[0] if len(named) == 1 else None

    def _session(self, profile: Profile) -> float:
        return signals.SESSION * self._sessions[_conversation(profile)]

    def _speaker(self, profile: Profile) -> float:
        named = self._named is not None and profile.speaker == self._named
        return signals.SPEAKER * self._best if named else 0.0

    def _source(self, profile: Profile) -> float:
        return signals.SAID_BY_USER * self._best if profile.trust == "user" else 0.0

    def _importance(self, profile: Profile) -> float:
        share = signals.importance(profile.kind, pinned=profile.pinned)
        return signals.IMPORTANCE * self._best * share

    def _freshness(self, profile: Profile) -> float:
        if not self._aspect.decays:
            return 1.0
        return signals.freshness(profile.kind, profile.valid_from, self._aspect.now)


def _conversation(profile: Profile) -> object:
    """What counts as one conversation; a memory outside any is one of its own."""
    return profile.row if profile.session is None else (profile.namespace, profile.session)
