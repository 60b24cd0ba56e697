"""The second stage: the exact best units and their visible neighbours, weighed once more.

A conversation says things across turns: the question in one, the answer in the next. So each of
the best ~50 memories is scored again with what its neighbours in the same session say, and the
neighbours themselves become candidates. Neighbours lend from their own postings; no memory ever
indexes another one's words, so a forgotten or hidden neighbour helps nobody. Signals that are not
about words (session, speaker, who said it, importance, age) are small shares of the best score.

Everything is a function of postings and profiles; sums run in the query's order, so equal stores
give equal bits.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from memstone.ranking import signals
from memstone.ranking.bm25 import Bm25
from memstone.ranking.maxscore import Candidate
from memstone.types import Signals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memstone.protocols import Postings
    from memstone.types import Profile

Contributions = dict[str, float]  # term → BM25 score in one unit, in the query's order


@dataclass(frozen=True, slots=True)
class Weighed:
    """A candidate after the second stage: its final score, its signals, what its neighbours
    lend.
    """

    candidate: Candidate
    score: float
    signals: Signals
    lent: frozenset[str]


@dataclass(slots=True)
class _Entry:
    """A memory in the pool: its best unit, its words' scores, the turns around it."""

    profile: Profile
    unit: int
    own: Contributions
    near: list[tuple[int, int]] = field(default_factory=list)  # (offset, row)

    @property
    def bm25(self) -> float:
        return sum(self.own.values())


@dataclass(frozen=True, slots=True)
class Aspect:
    """How to look: the question's words and how a name is spelt in words, the instant of ranking
    in microseconds; `decays` is off when somebody looks at the past.
    """

    words: frozenset[str]
    spelt: Callable[[str], frozenset[str]]
    now: int
    decays: bool = True


def second_stage(
    candidates: Sequence[Candidate],
    terms: Sequence[str],
    postings: Postings,
    aspect: Aspect,
) -> list[Weighed]:
    """All candidates and their visible neighbours, best first; ties break by id."""
    pool = _pool(candidates, terms, postings)
    if not pool.entries:
        return []
    lent = {row: pool.lent(entry) for row, entry in pool.entries.items()}
    return _weigh(pool, lent, aspect)


class _Pool:
    """The candidates, their neighbours, and everyone's words."""

    def __init__(
        self,
        entries: dict[int, _Entry],
        profiles: dict[int, Profile],
        words: dict[int, Contributions],
        postings: Postings,
        terms: Sequence[str],
    ) -> None:
        self.entries = entries
        self.postings = postings
        self.terms = terms
        self._profiles = profiles
        self._words = words  # by unit

    def lent(self, entry: _Entry) -> Contributions:
        """Term → what the turns around an entry lend it: the best of each distance."""
        found: Contributions = {}
        for offset, row in entry.near:
            profile = self._profiles.get(row)
            if profile is None or abs(offset) > signals.REACH:
                continue
            unit = profile.first_unit if offset > 0 else profile.last_unit
            factor = signals.LEND_DECAY[abs(offset) - 1]
            for term, score in self._words.get(unit, {}).items():
                if signals.lends(term):
                    found[term] = max(found.get(term, 0.0), factor * score)
        return found


def _pool(candidates: Sequence[Candidate], terms: Sequence[str], postings: Postings) -> _Pool:
    rows = [candidate.span.row for candidate in candidates]
    windows = postings.around(rows, 2 * signals.REACH)
    everyone = dict.fromkeys(rows)
    for window in windows.values():
        everyone.update(dict.fromkeys(row for _, row in window))
    profiles = postings.profiles(list(everyone))
    units = {candidate.span.unit for candidate in candidates}
    for profile in profiles.values():
        units |= {profile.first_unit, profile.last_unit}
    words = _words(terms, postings, sorted(units))
    entries = {
        candidate.span.row: _Entry(
            profiles[candidate.span.row],
            candidate.span.unit,
            words.get(candidate.span.unit, {}),
            windows.get(candidate.span.row, []),
        )
        for candidate in candidates
    }
    for row, window in windows.items():
        _take_neighbours(entries, [*window, (0, row)], profiles, words)
    return _Pool(entries, profiles, words, postings, terms)


def _take_neighbours(
    entries: dict[int, _Entry],
    window: list[tuple[int, int]],
    profiles: Mapping[int, Profile],
    words: Mapping[int, Contributions],
) -> None:
    """Make the near turns of a candidate candidates too, with the turns around them."""
    for offset, row in window:
        if abs(offset) > signals.REACH or row in entries or row not in profiles:
            continue
        profile = profiles[row]
        first, last = words.get(profile.first_unit, {}), words.get(profile.last_unit, {})
        unit, own = profile.first_unit, first
        if sum(last.values()) > sum(first.values()):
            unit, own = profile.last_unit, last
        near = [(other - offset, found) for other, found in window if found != row]
        entries[row] = _Entry(profile, unit, own, near)


def _words(
    terms: Sequence[str], postings: Postings, units: Sequence[int]
) -> dict[int, Contributions]:
    """Unit → term → score, for those units, terms in the query's order."""
    formula = Bm25.of(postings.statistics())
    found: dict[int, Contributions] = {}
    for term in postings.terms(terms):
        weight = formula.weight(term.df)
        for unit, posting in postings.probe(term, units):
            found.setdefault(unit, {})[term.term] = formula.score(weight, posting)
    return found


def _weigh(
    pool: _Pool,
    lent: Mapping[int, Contributions],
    aspect: Aspect,
) -> list[Weighed]:
    context = {row: _context(entry, lent[row], pool.terms) for row, entry in pool.entries.items()}
    totals = {row: entry.bm25 + context[row] for row, entry in pool.entries.items()}
    best = max(totals.values())
    sessions: dict[tuple[int, str | None, int], float] = {}
    for row, entry in pool.entries.items():
        key = _session(entry.profile)
        sessions[key] = max(sessions.get(key, 0.0), totals[row])
    named = _named(pool, aspect)
    accepted = pool.postings.accept(sorted({entry.unit for entry in pool.entries.values()}))
    spans = pool.postings.spans(sorted(accepted))
    weighed = []
    for row, entry in pool.entries.items():
        if entry.unit not in accepted:
            continue
        profile = entry.profile
        found = Signals(
            bm25=entry.bm25,
            coverage=0.0,
            context=context[row],
            session=signals.SESSION * sessions[_session(profile)],
            speaker=signals.SPEAKER * best * (named is not None and profile.speaker == named),
            source=signals.SAID_BY_USER * best * (profile.trust == "user"),
            importance=signals.IMPORTANCE
            * best
            * signals.importance(profile.kind, pinned=profile.pinned),
            freshness=signals.freshness(profile.kind, profile.valid_from, aspect.now)
            if aspect.decays
            else 1.0,
        )
        candidate = Candidate(spans[entry.unit], entry.bm25, frozenset(entry.own))
        weighed.append(Weighed(candidate, total(found), found, frozenset(lent[row])))
    return sorted(weighed, key=lambda one: (-one.score, one.candidate.span.id))


def total(found: Signals) -> float:
    """The final score of a memory's signals, in the scale of BM25."""
    words = found.bm25 + found.context
    shares = found.session + found.speaker + found.source + found.importance
    return (words + shares) * found.freshness


def _context(entry: _Entry, lent: Contributions, terms: Sequence[str]) -> float:
    """What the neighbours add: terms the memory lacks, and some of those it has."""
    known = missing = 0.0
    for term in terms:  # the query's order: float addition is not associative
        if term in entry.own:
            known += lent.get(term, 0.0)
        else:
            missing += lent.get(term, 0.0)
    return signals.LEND * (missing + signals.LEND_KNOWN * known)


def _session(profile: Profile) -> tuple[int, str | None, int]:
    """What counts as one conversation; a memory outside any is one of its own."""
    if profile.session is None:
        return (profile.namespace, None, profile.row)
    return (profile.namespace, profile.session, 0)


def _named(pool: _Pool, aspect: Aspect) -> str | None:
    """The one speaker among the candidates whom the question names."""
    speakers = {entry.profile.speaker for entry in pool.entries.values()}
    found = [
        speaker
        for speaker in speakers
        if speaker is not None
        and speaker.lower() not in signals.ROLES
        and not aspect.spelt(speaker).isdisjoint(aspect.words)
    ]
    return found[0] if len(found) == 1 else None
