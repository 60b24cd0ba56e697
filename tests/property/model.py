"""What memstone should do, a third time: DESIGN.md section 3 as plain lists and loops.

The model holds rows in one list, in the order they were stored, and answers every operation from
the rules alone: what is refused, what becomes current, what is history, what may be recalled. It
shares no code with ingestion, retrieval or a store; only the values of `memstone.types`. It does
not rank and does not make up ids: an id is told to it after the fact, and it judges whether that id
was due.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from memstone.times import to_micros
from memstone.types import Kind, Memory, Outcome, Scope, Trust


@dataclass(frozen=True, kw_only=True)
class Wish:
    """A memory somebody wants written; None is "not given", instants in microseconds."""

    text: str
    kind: Kind | None = None
    tags: tuple[str, ...] | None = None
    role: str | None = None
    session: str | None = None
    speaker: str | None = None
    subject: str | None = None
    attribute: str | None = None
    external_id: str | None = None
    trust: Trust | None = None
    pinned: bool | None = None
    at: int | None = None
    valid_until: int | None = None
    expires: int | None = None


@dataclass(frozen=True, kw_only=True)
class Shown:
    """What anybody may see of a memory, apart from its neighbours' ids and its usage."""

    id: str
    scope: Scope
    kind: Kind
    text: str
    created_at: int
    valid_from: int
    valid_until: int | None
    expires: int | None
    superseded_at: int | None
    superseded_from: int | None
    supersedes: str | None
    superseded_by: str | None
    tags: tuple[str, ...]
    names: tuple[str | None, ...]  # role, session, speaker, subject, attribute, external id
    trust: Trust
    pinned: bool
    seen: int
    last_seen: int | None
    recalled: int
    last_recalled: int | None


@dataclass(eq=False, kw_only=True)
class Row:
    """One memory of the model; `older` and `newer` are its neighbours in the chain."""

    scope: Scope
    kind: Kind
    text: str
    created_at: int
    valid_from: int
    valid_until: int | None
    expires: int | None
    tags: set[str]
    role: str | None
    session: str | None
    speaker: str | None
    subject: str | None
    attribute: str | None
    external_id: str | None
    trust: Trust
    pinned: bool
    turn: tuple[str, ...] | None = None  # source, session, key; what a turn is known by
    origin: tuple[object, ...] | None = None  # what the id at birth depends on; None: anything
    id: str = ""
    superseded_at: int | None = None
    superseded_from: int | None = None
    older: Row | None = None
    newer: Row | None = None
    repaired: bool = False  # its first successor was forgotten
    seen: int = 1
    last_seen: int | None = None
    recalled: int = 0
    last_recalled: int | None = None

    @property
    def current(self) -> bool:
        return self.superseded_at is None

    @property
    def known_since(self) -> int:
        """The last recorded instant of the row."""
        return self.created_at if self.superseded_at is None else self.superseded_at

    def chain(self) -> list[Row]:
        """All versions, oldest first."""
        path = [self]
        while (older := path[0].older) is not None:
            path.insert(0, older)
        while (newer := path[-1].newer) is not None:
            path.append(newer)
        return path

    def shown(self) -> Shown:
        return Shown(
            id=self.id,
            scope=self.scope,
            kind=self.kind,
            text=self.text,
            created_at=self.created_at,
            valid_from=self.valid_from,
            valid_until=self.valid_until,
            expires=self.expires,
            superseded_at=self.superseded_at,
            superseded_from=self.superseded_from,
            supersedes=None if self.older is None else self.older.id,
            superseded_by=None if self.newer is None else self.newer.id,
            tags=tuple(sorted(self.tags)),
            names=(
                self.role,
                self.session,
                self.speaker,
                self.subject,
                self.attribute,
                self.external_id,
            ),
            trust=self.trust,
            pinned=self.pinned,
            seen=self.seen,
            last_seen=self.last_seen,
            recalled=self.recalled,
            last_recalled=self.last_recalled,
        )


def shown(memory: Memory) -> Shown:
    """The same of a memory that an engine returned."""
    return Shown(
        id=memory.id,
        scope=memory.scope,
        kind=memory.kind,
        text=memory.text,
        created_at=to_micros(memory.created_at),
        valid_from=to_micros(memory.valid_from),
        valid_until=None if memory.valid_until is None else to_micros(memory.valid_until),
        expires=None if memory.expires is None else to_micros(memory.expires),
        superseded_at=None if memory.superseded_at is None else to_micros(memory.superseded_at),
        superseded_from=(
            None if memory.superseded_from is None else to_micros(memory.superseded_from)
        ),
        supersedes=memory.supersedes,
        superseded_by=memory.superseded_by,
        tags=memory.tags,
        names=(
            memory.role,
            memory.session,
            memory.speaker,
            memory.subject,
            memory.attribute,
            memory.external_id,
        ),
        trust=memory.provenance.trust,
        pinned=memory.pinned,
        seen=memory.seen_count,
        last_seen=None if memory.last_seen_at is None else to_micros(memory.last_seen_at),
        recalled=memory.recall_count,
        last_recalled=(
            None if memory.last_recalled_at is None else to_micros(memory.last_recalled_at)
        ),
    )


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What should happen: one of `refusals`, or else `outcome` on `row`."""

    refusals: frozenset[str] = frozenset()
    outcome: Outcome | None = None
    row: Row | None = None
    unchanged: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Look:
    """A question to the store without its words: who asks, from when, about what."""

    reader: Scope
    agents: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    any_tags: tuple[str, ...] = ()
    kinds: tuple[Kind, ...] = ()
    session: str | None = None
    since: int | None = None
    until: int | None = None
    as_of: int | None = None
    known_at: int | None = None


@dataclass
class Model:
    """The whole memory of everybody. `home` is the default scope, where ids are short."""

    home: Scope
    rows: list[Row] = field(default_factory=list)
    births: dict[tuple[object, ...], str] = field(default_factory=dict)

    def visible(self, reader: Scope, agents: tuple[str, ...] = ()) -> list[Row]:
        """The rows a reader may see, in the order they were stored."""
        return [
            row
            for row in self.rows
            if row.scope.user == reader.user
            and row.scope.project in ("", reader.project)
            and row.scope.agent in ("", reader.agent, *agents)
        ]

    def find(self, id: str, reader: Scope) -> Row | None:  # noqa: A002
        return next((row for row in self.visible(reader) if row.id == id), None)

    def remember(self, wish: Wish, scope: Scope, now: int) -> Verdict:
        refusals = _faults(wish, now)
        if refusals:
            return Verdict(refusals=frozenset(refusals))
        if wish.kind is Kind.TURN:
            return self.turn(wish, scope, ("python", wish.session or "", wish.external_id), now)
        same = [
            row
            for row in self.rows
            if row.scope == scope and row.text == wish.text and row.kind is not Kind.TURN
        ]
        current = next((row for row in same if row.current), None)
        begins = now if wish.at is None else wish.at
        if current is not None and (current.valid_until is None or begins < current.valid_until):
            return _see_again(current, wish, now)
        if same:
            return self._return(wish, (current or same[-1]).chain()[-1], now)
        row = self._add(wish, scope, now, parent=None)
        return Verdict(outcome=Outcome.CREATED, row=row)

    def _return(self, wish: Wish, head: Row, now: int) -> Verdict:
        """An older text again: it follows the newest version of its chain, or is a replay."""
        begins = now if wish.at is None else wish.at
        refusals = set()
        replay = wish.at is None or wish.at <= head.valid_from
        if head.current and head.text != wish.text and replay:
            refusals.add("text_is_history")
        if head.current and begins > now:
            refusals.add("invalid_time")  # would close today what is true until then
        if refusals:
            return Verdict(refusals=frozenset(refusals))
        row = self._add(wish, head.scope, now, parent=head)
        return Verdict(outcome=Outcome.RETURNED, row=row)

    def turn(
        self, wish: Wish, scope: Scope, place: tuple[str, str, str | None], now: int
    ) -> Verdict:
        """A turn is known by source, session, key and text; without a key it is always new."""
        source, session, key = place
        identity = None if key is None else (source, session, key)
        for row in self.rows:
            if identity and (row.scope, row.turn, row.text) == (scope, identity, wish.text):
                unchanged = _unchanged(row, wish)
                row.tags.update(wish.tags or ())
                return Verdict(outcome=Outcome.KNOWN, row=row, unchanged=unchanged)
        row = self._add(wish, scope, now, parent=None)
        row.turn = identity
        row.origin = None if identity is None else (scope, "turn", *identity, wish.text)
        return Verdict(outcome=Outcome.CREATED, row=row)

    def supersede(self, id: str, wish: Wish, reader: Scope, now: int) -> Verdict:  # noqa: A002
        refusals = _faults(wish, now)
        old = self.find(id, reader)
        if old is None:
            return Verdict(refusals=frozenset([*refusals, "not_found"]))
        kind = wish.kind or old.kind
        if not old.current:
            refusals.add("not_current")
        if old.text == wish.text:
            refusals.add("text_unchanged")
        if wish.at is not None and wish.at > now:
            refusals.add("invalid_time")
        twins = (
            row
            for row in self.rows
            if row is not old
            and (row.scope, row.text, row.current) == (old.scope, wish.text, True)
            and row.kind is not Kind.TURN
        )
        if kind is not Kind.TURN and any(twins):
            refusals.add("text_is_current")
        if refusals:
            return Verdict(refusals=frozenset(refusals))
        row = self._add(wish, old.scope, now, parent=old)
        row.kind = kind
        row.role = old.role if wish.role is None else wish.role
        row.tags = set(old.tags if wish.tags is None else wish.tags)
        row.subject = old.subject if wish.subject is None else wish.subject
        row.attribute = old.attribute if wish.attribute is None else wish.attribute
        row.pinned = old.pinned if wish.pinned is None else wish.pinned
        return Verdict(row=row)

    def forget(self, ids: list[str], reader: Scope) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Which of the ids are gone now and which were not there, each named once."""
        forgotten, missing = [], []
        for id_ in dict.fromkeys(ids):
            row = self.find(id_, reader)
            if row is None:
                missing.append(id_)
                continue
            forgotten.append(id_)
            self.rows.remove(row)
            if row.older is not None:
                row.older.newer, row.older.repaired = row.newer, True
            if row.newer is not None:
                row.newer.older = row.older
        return tuple(forgotten), tuple(missing)

    def named(self, row: Row, id: str) -> None:  # noqa: A002
        """Take the id that the engine gave, if it was due."""
        assert all(other.id != id for other in self.rows), "an id stands for one row"
        digest = hashlib.sha256(row.text.encode("utf-8")).hexdigest()
        at_home = row.origin == (self.home, row.text)
        digits = id.removeprefix("mem_")
        assert len(digits) == (16 if at_home else 32)
        assert set(digits) <= set("0123456789abcdef")
        if at_home:
            assert digits == digest[:16], "the birth id of a text"
        if row.origin is not None:
            assert self.births.setdefault(row.origin, id) == id, "born again under its own id"
        row.id = id

    def recallable(self, look: Look, now: int) -> list[Row]:
        """What a recall may return at all."""
        return [
            row
            for row in self.visible(look.reader, look.agents)
            if _asked_for(row, look)
            and (row.expires is None or now < row.expires)
            and (_valid(row, now) if _is_plain(look) else _held_true(row, look, now))
        ]

    def listed(self, look: Look, now: int, *, history: bool) -> list[Row]:
        """What a listing shows, newest first; expired rows as well."""
        numbered = [
            (row.created_at, self.rows.index(row), row)
            for row in self.visible(look.reader, look.agents)
            if _asked_for(row, look)
            and (history or (row.current if _is_plain(look) else _held_true(row, look, now)))
        ]
        return [row for *_, row in sorted(numbered, key=lambda each: each[:2], reverse=True)]

    def touch(self, ids: list[str], reader: Scope, now: int) -> None:
        for row in self.visible(reader):
            if row.id in ids:
                row.recalled += 1
                row.last_recalled = max(now, row.last_recalled or now)

    def _add(self, wish: Wish, scope: Scope, now: int, *, parent: Row | None) -> Row:
        created_at = _recorded(now, parent)
        said_before = any(row.scope == scope and row.text == wish.text for row in self.rows)
        of_its_own = parent is None or not said_before
        row = Row(
            scope=scope,
            kind=wish.kind or Kind.FACT,
            text=wish.text,
            created_at=created_at,
            valid_from=created_at if wish.at is None else wish.at,
            valid_until=wish.valid_until,
            expires=wish.expires,
            tags=set(wish.tags or ()),
            role=wish.role,
            session=wish.session,
            speaker=wish.speaker,
            subject=wish.subject,
            attribute=wish.attribute,
            external_id=wish.external_id,
            trust=wish.trust or Trust.USER,
            pinned=bool(wish.pinned),
            origin=(scope, wish.text) if of_its_own else (scope, parent and parent.id, wish.text),
        )
        if parent is not None:
            if parent.current:
                parent.superseded_at, parent.superseded_from = created_at, row.valid_from
            parent.newer, row.older = row, parent
        self.rows.append(row)
        return row


def _recorded(now: int, parent: Row | None) -> int:
    """When a new row is known of: now, but always after its parent."""
    return now if parent is None else max(now, parent.known_since + 1)


def _faults(wish: Wish, now: int) -> set[str]:
    """What is wrong with a wish whatever is stored: nothing said, or over before it begins."""
    faults = set()
    if not wish.text.strip():
        faults.add("blank_text")
    if wish.valid_until is not None and wish.valid_until <= (now if wish.at is None else wish.at):
        faults.add("invalid_time")
    return faults


def _see_again(row: Row, wish: Wish, now: int) -> Verdict:
    """The same text is current: counted, its new tags joined, the rest reported."""
    outcome = Outcome.KNOWN
    if row.expires is not None and row.expires <= now:
        row.expires = wish.expires
        if wish.expires is None or wish.expires > now:
            outcome = Outcome.REVIVED
    unchanged = _unchanged(row, wish)
    row.tags.update(wish.tags or ())
    row.seen += 1
    row.last_seen = max(now, row.last_seen or now)
    return Verdict(outcome=outcome, row=row, unchanged=unchanged)


def _unchanged(row: Row, wish: Wish) -> tuple[str, ...]:
    """What was given and differs, and stays as it is on the row."""
    pairs = (
        ("at", wish.at, row.valid_from),
        ("valid_until", wish.valid_until, row.valid_until),
        ("expires", wish.expires, row.expires),
        ("kind", wish.kind, row.kind),
        ("trust", wish.trust, row.trust),
        ("pinned", wish.pinned, row.pinned),
        ("role", wish.role, row.role),
        ("session", wish.session, row.session),
        ("speaker", wish.speaker, row.speaker),
        ("subject", wish.subject, row.subject),
        ("attribute", wish.attribute, row.attribute),
        ("external_id", wish.external_id, row.external_id),
    )
    differing = (name for name, given, own in pairs if given is not None and given != own)
    return tuple(sorted(differing))


def _is_plain(look: Look) -> bool:
    return look.as_of is None and look.known_at is None


def _valid(row: Row, now: int) -> bool:
    """Current and true now; what was true when written stays so if the clock is set back."""
    begun = row.valid_from <= max(now, row.created_at)
    return row.current and begun and (row.valid_until is None or now < row.valid_until)


def _held_true(row: Row, look: Look, now: int) -> bool:
    """Whether, with what was known at `known_at` (else all), the row was true at `as_of`."""
    known_at = look.known_at
    as_of = look.as_of
    if as_of is None:
        as_of = now if known_at is None else min(now, known_at)
    ends = [] if row.valid_until is None else [row.valid_until]
    if row.superseded_at is not None and (known_at is None or row.superseded_at <= known_at):
        assert row.superseded_from is not None
        ends.append(row.superseded_from)
    known = known_at is None or row.created_at <= known_at
    return known and row.valid_from <= as_of and all(as_of < end for end in ends)


def _asked_for(row: Row, look: Look) -> bool:
    return (
        row.tags >= set(look.tags)
        and (not look.any_tags or bool(row.tags & set(look.any_tags)))
        and (not look.kinds or row.kind in look.kinds)
        and (look.session is None or row.session == look.session)
        and (look.since is None or look.since <= row.valid_from)
        and (look.until is None or row.valid_from < look.until)
    )
