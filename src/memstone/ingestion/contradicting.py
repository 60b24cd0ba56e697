"""Two memories that contradict one another: the later one stands, or a person decides.

Same scope, same subject and same attribute with another value: the one that became true later
stands and the other is its earlier version; a late import of an older value enters as past. Where
the older memory says more than that one thing, where nobody says whose the attribute is, or where
the newer one comes from a source of low trust, nothing is replaced: both stay as a *possible
conflict*. A sentence of a soft form (`extraction.claims`) contradicts only if it tells of a change.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from memstone import analysis, ranking
from memstone.extraction.asserted import grain_of
from memstone.extraction.assertions import NAMED, USER
from memstone.extraction.claims import (
    FAMILIES,
    HOLDS,
    NO,
    NOBODY,
    Claim,
    Said,
    claims,
    denies,
    may_use,
    says_same,
)
from memstone.extraction.entities import names
from memstone.extraction.ranges import Range, range_of
from memstone.ingestion.remembering import SETTLED_KINDS
from memstone.ingestion.replacing import (
    BY_TAGS,
    NEVER,
    Work,
    became_true,
    is_decided,
    is_doubted,
    open_row,
    replace_by,
)
from memstone.types import Filter, Reach, Validity, View

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memstone.ingestion.replacing import Rules
    from memstone.protocols import Snapshot
    from memstone.types import Memory

MANY = frozenset({NAMED, "is"})  # families in which a second value needs a word of change
GRAINS = frozenset({"day", "time"})
CANDIDATES = 8  # memories looked at that may say what another one replaces
VAGUE = {USER: (NOBODY,), NOBODY: (USER,)}  # "the budget" may be the user's own


@dataclass(frozen=True, slots=True)
class Side:
    """A memory and what it claims of the attribute in question."""

    memory: Memory
    claim: Claim
    plain: bool = False  # whether the memory names an attribute at all


def has_rivals(snapshot: Snapshot, memory: Memory, rules: Rules) -> bool:
    """Whether a memory just stored may replace another, so that it is worth looking at once."""
    if rules.rule == NEVER or memory.kind not in SETTLED_KINDS or not memory.current:
        return False
    if rules.rule == BY_TAGS and memory.tags:
        return True
    namespaces = snapshot.namespaces(View(memory.scope))
    here = [ns for ns in namespaces if snapshot.memory(memory.id, (ns,)) is not None]
    for claim in claims_of(memory, rules):
        open_ended = claim.family in FAMILIES or claim.attribute in GRAINS
        exact = None if open_ended else claim.attribute
        if claim.was is not None or _ends(claim):
            return True
        for subject in (claim.subject, *VAGUE.get(claim.subject, ())):
            found = [row for ns in here for row, _ in snapshot.about(ns, subject, exact)]
            if any(row != memory.row for row in found):
                return True
    return False


def claims_of(memory: Memory, rules: Rules) -> tuple[Claim, ...]:
    """What a stored memory claims."""
    said = Said(memory.text, memory.speaker, memory.subject, memory.attribute)
    return claims(said, rules.multi_valued)


def decide(work: Work, memory: Memory) -> None:
    """Decide what a memory replaces, and note what it states."""
    if work.rules.rule == NEVER or memory.kind not in SETTLED_KINDS:
        return
    namespace = work.transaction.intern(memory.scope)
    found = [_named(work, namespace, memory.row, c) for c in claims_of(memory, work.rules)]
    work.transaction.set_about(memory.row, [(claim.subject, claim.attribute) for claim in found])
    plain = any(claim.plain for claim in found)  # frames decide only where attributes do not
    for claim in found:
        for rival in _rivals(work, namespace, memory, claim):
            if rival.claim.value != claim.value and not (plain and rival.plain and claim.framed):
                _meet(work, Side(memory, claim), rival)
        if claim.was is not None and claim.family == "use":
            _take_over(work, memory, claim.was)
    if work.rules.rule == BY_TAGS:
        _decide_by_tags(work, memory)


def _named(work: Work, namespace: int, own: int, claim: Claim) -> Claim:
    """The claim with the attribute that it means: a bare favourite is the only one named before;
    what replaces a value has the attribute of what it replaces.
    """
    if claim.attribute in GRAINS and claim.changing:
        return _moment(work, namespace, own, claim)
    if claim.family not in FAMILIES:
        return claim
    stated = work.transaction.about(namespace, claim.subject)
    family = [(row, name) for row, name in stated if name.partition(" ")[0] == claim.family]
    if claim.replaces is not None:
        for row, name in family:
            for memory in work.transaction.memories([row]):
                told = _as_named(memory, name, work.rules)
                if any(c.attribute == name and _is_value(c.value, claim.replaces) for c in told):
                    return replace(claim, attribute=name)
    known = {name for _, name in family if name not in FAMILIES}
    if claim.bare and claim.family == "favourite" and len(known) == 1:
        return replace(claim, attribute=known.pop())
    if claim.bare and claim.family == "use":  # "we use git": one tool of many
        return replace(claim, attribute=f"use {claim.value}")
    return claim


def _moment(work: Work, namespace: int, own: int, claim: Claim) -> Claim:
    """The claim with the attribute that it means: what "was moved to 2 May" is the one moment known
    of the thing, its end or its deadline.
    """
    stated = work.transaction.about(namespace, claim.subject)
    moments = [
        (row, name)
        for row, name in stated
        if row != own and range_of(name, claim.subject) is Range.MOMENT
    ]
    names = {name for _, name in moments}
    if len(names) != 1 or claim.attribute in names:
        return claim
    (only,) = names
    for memory in work.transaction.memories([row for row, _ in moments]):
        for told in claims_of(memory, work.rules):
            if told.attribute == only and grain_of(told.value) == claim.attribute:
                return replace(claim, attribute=only)
    return claim


def _is_value(value: str, wanted: str) -> bool:
    return value == wanted or wanted in value.split() or value in wanted.split()


def _as_named(memory: Memory, name: str, rules: Rules) -> list[Claim]:
    """The claims of a memory, one of which got its attribute from what stood before it."""
    return [
        replace(claim, attribute=name) if claim.bare or name.startswith(claim.family) else claim
        for claim in claims_of(memory, rules)
    ]


def _rivals(work: Work, namespace: int, memory: Memory, claim: Claim) -> list[Side]:
    """Other memories that claim something of the same attribute and the same subject, or, where one
    of the two does not say whose it is, perhaps the same.
    """
    subjects = (claim.subject, *VAGUE.get(claim.subject, ()))
    stated = [
        row
        for subject in subjects
        for row, _ in work.transaction.about(namespace, subject, claim.attribute)
        if row != memory.row
    ]
    if _ends(claim):
        return _ended(work, namespace, claim, stated)
    found = []
    for other in work.transaction.memories(list(dict.fromkeys(stated))):
        named = _as_named(other, claim.attribute, work.rules)
        their = next((c for c in named if c.attribute == claim.attribute), None)
        if their is not None:
            found.append(Side(other, their, any(one.plain for one in named)))
    return found


def _ends(claim: Claim) -> bool:
    """Whether a claim says that something is no longer so."""
    return claim.family == HOLDS and claim.changing and claim.value == NO


def _ended(work: Work, namespace: int, claim: Claim, same: list[int]) -> list[Side]:
    """What states that which `claim` denies, with or without more to it."""
    wider = [
        row
        for row, attribute in work.transaction.about(namespace, claim.subject)
        if denies(claim.attribute, attribute)
    ]
    found = []
    for other in work.transaction.memories(list(dict.fromkeys([*same, *wider]))):
        for their in claims_of(other, work.rules):
            told = their.attribute == claim.attribute or denies(claim.attribute, their.attribute)
            if told and their.value != NO:
                found.append(Side(other, their))
                break
    return found


def _meet(work: Work, one: Side, two: Side) -> None:
    """Two memories give one attribute different values: the later one stands."""
    if any(open_row(work.transaction, side.memory.row) is None for side in (one, two)):
        return
    older, newer = sorted((one, two), key=lambda side: became_true(side.memory))
    if newer.claim.family in MANY and not newer.claim.changing:
        return  # people have many of most things
    if not newer.claim.changing and says_same(older.claim.value, newer.claim.value):
        return  # one says it in more detail
    if is_decided(work.transaction, older.memory, newer.memory):
        return
    reason = _why_not(older, newer)
    if reason is None:
        replace_by(work.transaction, older.memory, newer.memory, work.now)
        work.done.replaced.append(older.memory.id)
    elif work.transaction.note_conflict(older.memory.row, newer.memory.row, reason):
        work.done.conflicts.append(two.memory.id)


def _why_not(older: Side, newer: Side) -> str | None:
    """Why a contradiction is left to a person, None if it is plain."""
    if (older.claim.soft or newer.claim.soft) and not newer.claim.changing:
        return "both-possible"  # two things of one kind, as far as anybody says
    if older.claim.subject != newer.claim.subject:
        return "vague-subject"
    if is_doubted(newer.memory, older.memory):
        return "low-trust"
    return None if older.claim.alone else "says-more"


def _take_over(work: Work, memory: Memory, was: str) -> None:
    """A memory says that something is used instead of another thing: the one memory that says only
    that the other is used becomes history. Where several do, nobody says which is meant.
    """
    if open_row(work.transaction, memory.row) is None:
        return
    found = [
        other
        for other in _mentioning(work, memory, was)
        if may_use(other.text, was)
        and became_true(other) < became_true(memory)
        and not is_doubted(memory, other)
        and not is_decided(work.transaction, memory, other)
    ]
    for other in found:
        if len(found) == 1:
            replace_by(work.transaction, other, memory, work.now)
            work.done.replaced.append(other.id)
        elif work.transaction.note_conflict(other.row, memory.row, "several"):
            work.done.conflicts.append(other.id)


def _mentioning(work: Work, memory: Memory, words: str) -> list[Memory]:
    """Other memories of the same scope that hold those words."""
    terms = analysis.analyze_query(words).terms
    if not terms:
        return []
    wanted = _beside(work, memory)
    best = ranking.lexical(terms, work.transaction.postings(analysis.INDEX, wanted), CANDIDATES)
    rows = [candidate.row for candidate in best if candidate.row != memory.row]
    return work.transaction.memories(rows)


def _beside(work: Work, memory: Memory, tags: tuple[str, ...] = ()) -> Filter:
    """What may be recalled in a memory's own scope."""
    return Filter(
        namespaces=(work.transaction.intern(memory.scope),),
        reach=Reach.RECALLABLE,
        validity=Validity(work.now, work.now, work.now),
        kinds=SETTLED_KINDS,
        tags_all=tags,
    )


def _decide_by_tags(work: Work, memory: Memory) -> None:
    """The rule of the product's ancestor: same entity and same tags, the newer one is valid."""
    entity = _entity(memory)
    if not memory.tags or not entity:
        return
    for other in work.transaction.select(_beside(work, memory, memory.tags), limit=None):
        same = other.tags == memory.tags and _entity(other) == entity
        if other.row == memory.row or not same or open_row(work.transaction, memory.row) is None:
            continue
        if is_decided(work.transaction, memory, other):
            continue
        older, newer = sorted((memory, other), key=became_true)
        replace_by(work.transaction, older, newer, work.now)
        work.done.replaced.append(older.id)


def _entity(memory: Memory) -> frozenset[str]:
    """Whom or what a memory is about: the subject it was given, else the names in its text."""
    if memory.subject:
        return frozenset({memory.subject.casefold()})
    named = frozenset(name.casefold() for name in names(memory.text))
    stated = claims(Said(memory.text, memory.speaker))
    return named | {claim.subject for claim in stated if claim.plain}
