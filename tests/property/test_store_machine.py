"""The SQLite store is the in-memory reference under any sequence of operations.

A rule draws a write as a list of steps. The steps run on the reference, choosing their rows by
what is there, and every call they make is noted; the same calls are then made on the SQLite
store, which must answer each one alike. After every rule all observables of both are compared;
only unit numbers are a backend's own, so postings are compared by the place of their unit.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from memstone.errors import LineageBroken
from memstone.storage.inmemory import InMemoryStore
from memstone.storage.sqlite.store import open_store
from memstone.testing import INDEX, START, digest_of, draft, units_of, wanted
from memstone.times import from_micros
from memstone.types import (
    POSTING_LENGTH_BITS,
    POSTING_LENGTH_MASK,
    ChangeNote,
    Derivation,
    Draft,
    Filter,
    Kind,
    Memory,
    Method,
    Provenance,
    Reach,
    Scope,
    SessionCounts,
    Transcript,
    Trust,
    Validity,
    Verdict,
    View,
)
from tests.property.learning_steps import Learn, learning, learnt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstone.protocols import Postings, Snapshot, Store, Transaction

Drawn = TypeVar("Drawn")
Usual = TypeVar("Usual")

SCOPES = (Scope("a_a"), Scope("a%a"), Scope("a_a", "项目"), Scope("a_a", "项目", "a'\0"))
EVERYWHERE = tuple(range(1, len(SCOPES) + 1))
WORDS = ("a", "b", "100", "预算")
INDEXES = (INDEX, "next")
WIDE = 5_000  # far above the units a run can make

# few instants, so that the borders of validity, expiry and knowledge meet often
instants = st.integers(0, 5).map(lambda second: START + second)
choices = st.integers(0, 30)
places = st.sampled_from((0, 0, 0, 1, 2, 3))  # rows meet more often in one namespace
words = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
tag_sets = st.lists(st.sampled_from(("x", "y", "50%", "标签")), max_size=3).map(tuple)
sessions = st.sampled_from((None, "s", "S", "会话"))
kinds = st.sampled_from((Kind.FACT, Kind.TASK, Kind.TURN))
sources = st.sampled_from(("python", "chat"))
turn_keys = st.sampled_from((None, None, "1", "2"))


def seldom(
    strategy: st.SearchStrategy[Drawn], otherwise: Usual
) -> st.SearchStrategy[Drawn | Usual]:
    """One time in three; `one_of` would count a strategy that is given twice only once."""
    drawn = st.tuples(st.sampled_from((False, False, True)), strategy)
    return drawn.map(lambda each: each[1] if each[0] else otherwise)


@dataclass(frozen=True)
class Call:
    """One call of a mutator, and what the reference answered."""

    name: str
    args: tuple[object, ...]
    named: dict[str, object]
    answer: object


class Writer:
    """A transaction of the reference, the calls made on it, and choices among its rows."""

    def __init__(self, transaction: Transaction, ids: Ids) -> None:
        self.reading: Transaction = transaction
        self.ids = ids
        self.calls: list[Call] = []

    def call(self, name: str, *args: object, **named: object) -> int:
        answer = getattr(self.reading, name)(*args, **named)
        self.calls.append(Call(name, args, named, answer))
        return answer if isinstance(answer, int) else 0

    def rows(self, reach: Reach = Reach.ALL) -> list[Memory]:
        return self.reading.select(wanted(*EVERYWHERE, reach=reach), limit=None, after_row=0)

    def row(self, choice: int) -> Memory | None:
        rows = self.rows()
        return rows[choice % len(rows)] if rows else None

    def namespace(self, choice: int) -> int:
        return self.call("intern", SCOPES[choice])

    def namespace_of(self, memory: Memory) -> int:
        return self.call("intern", memory.scope)

    def turn_key(self, key: str | None, written: Draft, source: str) -> str | None:
        """The key, unless a turn with that identity is there."""
        if key is None:
            return None
        same = self.reading.turn(written.namespace, source, written.session, key, written.digest)
        return key if same is None else None


class Ids:
    """Ids never given out before, or one whose row was forgotten."""

    def __init__(self) -> None:
        self.given = 0
        self.free: list[str] = []

    def next(self, *, reborn: bool) -> str:
        if reborn and self.free:
            return self.free.pop()
        self.given += 1
        return f"mem_{self.given}"


@dataclass(frozen=True)
class Insert:
    """A new row with whatever a draft can say, indexed wholly, in part or not at all."""

    where: int
    text: str
    at: int
    valid_from: int
    valid_until: int | None
    expires: int | None
    kind: Kind
    tags: tuple[str, ...]
    session: str | None
    source: str
    turn_key: str | None
    derived: tuple[int, ...]
    pinned: bool
    held: bool
    reborn: bool
    unsettled: bool
    indexed: int | None  # None: all units; else so many of them

    def run(self, writer: Writer) -> None:
        self.insert(writer, writer.namespace(self.where))

    def insert(self, writer: Writer, namespace: int) -> int:
        named = [row for row in map(writer.row, self.derived) if row is not None]
        spans = (Derivation(row.id, start, start + 1) for start, row in enumerate(named))
        written = replace(
            draft(self.text, namespace, at=self.at),
            id=writer.ids.next(reborn=self.reborn),
            kind=self.kind,
            valid_from=self.valid_from,
            valid_until=self.valid_until,
            expires=self.expires,
            tags=self.tags,
            session=self.session,
            provenance=Provenance(
                self.source, Method.MERGE, "模型", Trust.AGENT, derived_from=tuple(spans)
            ),
            pinned=self.pinned,
            held=self.held,
            unsettled=self.unsettled,
        )
        key = writer.turn_key(self.turn_key, written, self.source)
        row = writer.call("insert", replace(written, turn_key=key))
        units = units_of(self.text, words=2)
        if self.indexed is None:
            writer.call("index", row, INDEX, units, complete=True)
        elif self.indexed:
            part = units[: self.indexed]
            after = len(part)
            writer.call("index", row, INDEX, part, complete=False, next_ordinal=after)
        return row


inserts = st.builds(
    Insert,
    where=places,
    text=words,
    at=instants,
    valid_from=instants,
    valid_until=st.none() | instants,
    expires=st.none() | instants,
    kind=kinds,
    tags=tag_sets,
    session=sessions,
    source=sources,
    turn_key=turn_keys,
    derived=st.lists(choices, max_size=2).map(tuple),
    pinned=st.booleans(),
    held=st.sampled_from((False, False, True)),
    reborn=st.booleans(),
    unsettled=st.booleans(),
    indexed=st.sampled_from((None, None, 0, 1, 2)),
)


@dataclass(frozen=True)
class Supersede:
    """A new version of a row that is current."""

    which: int
    by: Insert

    def run(self, writer: Writer) -> None:
        current = writer.rows(Reach.CURRENT)
        if current:
            old = current[self.which % len(current)]
            new = self.by.insert(writer, writer.namespace_of(old))
            at, valid_from = self.by.at, self.by.valid_from
            writer.call("close", old.row, by=new, at=at, valid_from=valid_from)


@dataclass(frozen=True)
class Join:
    """Two rows of one namespace without a common chain: closed, linked or relinked."""

    how: str
    older: int
    newer: int
    at: int
    valid_from: int
    beside: bool

    def run(self, writer: Writer) -> None:
        older = [row for row in writer.rows() if row.superseded_by is None]
        older = [row for row in older if row.current == (self.how == "close")]
        if not older:
            return
        old = older[self.older % len(older)]
        path = {row.id for row in writer.reading.chain(old.row)}
        path |= self._closed_by(old, writer.rows())
        newer = [
            row
            for row in writer.rows()
            if row.scope == old.scope and row.supersedes is None and row.id not in path
        ]
        if not newer:
            return
        new = newer[self.newer % len(newer)]
        if self.how == "close":
            times = {"at": self.at, "valid_from": self.valid_from}
            writer.call("close", old.row, by=new.row, beside=self.beside, **times)
        elif self.how == "link":
            writer.call("link", old.row, by=new.row)
        else:
            writer.call("relink", new.row, supersedes=old.row, beside=self.beside)

    @staticmethod
    def _closed_by(old: Memory, rows: Sequence[Memory]) -> set[str]:
        """What `old` closed, beside its chain too, however far back: it can follow none of it."""
        found = {old.id}
        for _ in rows:
            found |= {row.id for row in rows if row.superseded_by in found}
        return found


@dataclass(frozen=True)
class Restore:
    """A row as an export holds it, in any state a row can be in."""

    where: int
    text: str
    times: tuple[int, int]
    closed: tuple[int, int] | None
    expires: int | None
    seen: tuple[int, int] | None
    used: tuple[int, int] | None
    tags: tuple[str, ...]
    session: str | None
    pinned: bool
    held: bool
    archived: bool
    indexed: bool

    def run(self, writer: Writer) -> None:
        namespace = writer.namespace(self.where)
        closed = self.closed and tuple(map(from_micros, self.closed))
        memory = Memory(
            row=1,
            id=writer.ids.next(reborn=False),
            scope=Scope("exported"),
            kind=Kind.PREFERENCE,
            text=self.text,
            text_sha256=digest_of(self.text).hex(),
            created_at=from_micros(self.times[0]),
            valid_from=from_micros(self.times[1]),
            expires=None if self.expires is None else from_micros(self.expires),
            superseded_at=closed[0] if closed else None,
            superseded_from=closed[1] if closed else None,
            supersedes="mem_1",
            superseded_by="mem_2" if closed else None,
            tags=self.tags,
            session=self.session,
            pinned=self.pinned,
            held=self.held,
            archived=self.archived,
            seen_count=self.seen[0] if self.seen else 1,
            last_seen_at=from_micros(self.seen[1]) if self.seen else None,
            recall_count=self.used[0] if self.used else 0,
            last_recalled_at=from_micros(self.used[1]) if self.used else None,
        )
        row = writer.call("restore", memory, namespace)
        if self.indexed:
            writer.call("index", row, INDEX, units_of(self.text, words=2), complete=True)


@dataclass(frozen=True)
class Forget:
    which: int

    def run(self, writer: Writer) -> None:
        memory = writer.row(self.which)
        if memory is not None:
            writer.call("forget", memory.row)
            writer.ids.free.append(memory.id)


@dataclass(frozen=True)
class Edit:
    """A change of one of the side tables."""

    what: str
    which: int
    tags: tuple[str, ...]
    at: int | None
    pinned: bool

    def run(self, writer: Writer) -> None:
        memory = writer.row(self.which)
        if memory is None:
            return
        if self.what in {"add_tags", "remove_tags"}:
            writer.call(self.what, memory.row, self.tags)
        elif self.what == "set_pinned":
            writer.call("set_pinned", memory.row, pinned=self.pinned)
        elif self.what == "set_expires":
            writer.call("set_expires", memory.row, self.at)
        elif self.what == "set_archived":
            writer.call("set_archived", memory.row, archived=self.pinned)
        elif self.what == "set_held":
            writer.call("set_held", memory.row, held=self.pinned)
        elif self.what == "reopen":
            if not memory.current:
                writer.call("reopen", memory.row)
        elif self.what == "judge":
            verdict = Verdict.RIGHT if self.pinned else Verdict.WRONG
            writer.call("judge", memory.row, " ".join(self.tags), verdict)
        else:
            writer.call("seen", memory.row, self.at or START)


@dataclass(frozen=True)
class IndexMore:
    """Units for a row that an index lacks: all that are left, or one."""

    index: str
    which: int
    one: bool

    def run(self, writer: Writer) -> None:
        pending = writer.reading.pending_index(self.index)
        if not pending:
            return
        row, ordinal = pending[self.which % len(pending)]
        (memory,) = writer.reading.memories([row])
        left = units_of(memory.text, words=2)[ordinal:]
        if self.one and left:
            after = ordinal + 1
            writer.call("index", row, self.index, left[:1], complete=False, next_ordinal=after)
        else:
            writer.call("index", row, self.index, left, complete=True)


@dataclass(frozen=True)
class Note:
    """What a client's session used, or how far its transcript was read."""

    where: int
    client: str
    name: str
    numbers: tuple[int, int]
    flag: bool

    def run(self, writer: Writer) -> None:
        namespace = writer.namespace(self.where)
        read, handed = self.numbers
        if self.flag:
            counts = SessionCounts(blocks=1, injected_tokens=read, stored=handed)
            ended = read > handed
            writer.call("note_session", namespace, self.client, self.name, counts, ended=ended)
        else:
            transcript = Transcript(
                client=self.client,
                path=f"/转录/{self.name}.jsonl",
                session=self.name,
                scope=SCOPES[self.where],
                head=bytes([read]),
                read_bytes=read,
                handed_bytes=handed,
            )
            writer.call("mark_transcript", namespace, transcript)


Step = Note | Insert | Supersede | Join | Restore | Forget | Edit | IndexMore | Learn
pairs = st.tuples(instants, instants)
counts = st.tuples(st.integers(2, 9), instants)
versions = st.builds(Supersede, which=choices, by=inserts)
joins = st.builds(
    Join,
    how=st.sampled_from(("close", "link", "relink")),
    older=choices,
    newer=choices,
    at=instants,
    valid_from=instants,
    beside=st.booleans(),
)
restored = st.builds(
    Restore,
    where=places,
    text=words,
    times=pairs,
    closed=st.none() | pairs,
    expires=st.none() | instants,
    seen=st.none() | counts,
    used=st.none() | counts,
    tags=tag_sets,
    session=sessions,
    pinned=st.booleans(),
    held=st.booleans(),
    archived=st.booleans(),
    indexed=st.booleans(),
)
forgotten = st.builds(Forget, which=choices)
EDITS = (
    *("add_tags", "remove_tags", "set_pinned", "set_expires", "judge", "seen"),
    *("set_archived", "set_held", "reopen"),
)
edits = st.builds(
    Edit,
    what=st.sampled_from(EDITS),
    which=choices,
    tags=tag_sets,
    at=st.none() | instants,
    pinned=st.booleans(),
)
more_units = st.builds(IndexMore, index=st.sampled_from(INDEXES), which=choices, one=st.booleans())
notes = st.builds(
    Note,
    where=places,
    client=st.sampled_from(("codex", "claude-code")),
    name=st.sampled_from(("s", "S", "会话")),
    numbers=st.tuples(st.integers(0, 9), st.integers(0, 9)),
    flag=st.booleans(),
)
steps: st.SearchStrategy[Step] = st.one_of(
    inserts, versions, joins, restored, forgotten, edits, more_units, notes, learnt
)
filters = st.builds(
    Filter,
    namespaces=st.just(EVERYWHERE)
    | st.sets(st.sampled_from(EVERYWHERE)).map(lambda found: tuple(sorted(found))),
    reach=st.sampled_from(Reach),
    validity=st.builds(
        Validity, now=instants, as_of=instants, known_at=instants, historic=st.booleans()
    ),
    # most conditions left out: all at once let nothing through, and nothing is easy to agree on
    kinds=seldom(st.lists(kinds, max_size=2).map(tuple), ()),
    tags_all=seldom(tag_sets, ()),
    tags_any=seldom(tag_sets, ()),
    session=seldom(sessions, None),
    since=seldom(instants, None),
    until=seldom(instants, None),
    pinned=seldom(st.just(True), False),
    not_session=seldom(sessions, None),
)


class StoreMachine(RuleBasedStateMachine):
    """Every rule does the same to both stores; `agree` looks at everything they show."""

    def __init__(self) -> None:
        super().__init__()
        self.stack = ExitStack()
        folder = self.stack.enter_context(tempfile.TemporaryDirectory())
        self.reference: Store = InMemoryStore()
        self.other: Store = open_store(f"{folder}/mem.db")
        self.stack.callback(self.other.close)
        self.ids = Ids()
        self.generations = (0, 0)

    def teardown(self) -> None:
        self.stack.close()

    @initialize(made=st.lists(inserts, min_size=3, max_size=9))
    def begin(self, made: Sequence[Step]) -> None:
        self.run(*made)

    # a rule for each kind: an example leaves out rules at random, and so tries odd mixtures
    @rule(step=inserts)
    def insert(self, step: Insert) -> None:
        self.run(step)

    @rule(step=versions)
    def supersede(self, step: Supersede) -> None:
        self.run(step)

    @rule(step=joins)
    def join(self, step: Join) -> None:
        self.run(step)

    @rule(step=restored)
    def restore(self, step: Restore) -> None:
        self.run(step)

    @rule(step=forgotten)
    def forget(self, step: Forget) -> None:
        self.run(step)

    @rule(made=st.lists(edits, min_size=1, max_size=6))
    def edit(self, made: Sequence[Edit]) -> None:
        self.run(*made)

    @rule(made=st.lists(notes, min_size=1, max_size=3), at=instants)
    def note(self, made: Sequence[Note], at: int) -> None:
        self.run(*made, at=at)

    @rule(made=st.lists(learnt, min_size=1, max_size=6), at=instants)
    def learn(self, made: Sequence[Learn], at: int) -> None:
        self.run(*made, at=at)

    @rule(step=more_units)
    def index_more(self, step: IndexMore) -> None:
        self.run(step)

    @rule(made=st.lists(steps, min_size=2, max_size=6), at=instants)
    def write_many(self, made: Sequence[Step], at: int) -> None:
        self.run(*made, at=at)

    def run(self, *made: Step, at: int = START + 5) -> None:
        note = ChangeNote("write", at=at, surface="test", actor="ana", reason="因为")
        with self.reference.write(note) as transaction:
            writer = Writer(transaction, self.ids)
            for step in made:
                step.run(writer)
        with self.other.write(note) as transaction:
            replay(writer.calls, transaction)

    @rule(made=st.lists(steps, min_size=1, max_size=3), at=instants)
    def write_and_fail(self, made: Sequence[Step], at: int) -> None:
        note = ChangeNote("fail", at=at)
        free = list(self.ids.free)
        noted: list[Call] = []

        def run_then_fail(transaction: Transaction) -> None:
            writer = Writer(transaction, self.ids)
            for step in made:
                step.run(writer)
            noted.extend(writer.calls)
            raise InterruptedError

        def replay_then_fail(transaction: Transaction) -> None:
            replay(noted, transaction)
            raise InterruptedError

        with pytest.raises(InterruptedError), self.reference.write(note) as transaction:
            run_then_fail(transaction)
        self.ids.free = free
        with pytest.raises(InterruptedError), self.other.write(note) as transaction:
            replay_then_fail(transaction)

    @rule(rows=st.sets(st.integers(1, 30), max_size=4), at=instants)
    def touch(self, rows: set[int], at: int) -> None:
        for store in (self.reference, self.other):
            store.touch(sorted(rows), at)

    @rule(
        asked=st.lists(filters, min_size=1, max_size=4),
        limit=st.none() | st.integers(0, 4),
        after=st.none() | choices,
    )
    def select(self, asked: list[Filter], limit: int | None, after: int | None) -> None:
        with self.reference.read() as here, self.other.read() as there:
            for selection in asked:
                expected = here.select(selection, limit=limit, after_row=after)
                assert there.select(selection, limit=limit, after_row=after) == expected
                assert there.count(selection) == here.count(selection)
                for index in INDEXES:
                    compare_postings(here, there, index, selection)

    @invariant()
    def agree(self) -> None:
        with self.reference.read() as here, self.other.read() as there:
            everything = wanted(*EVERYWHERE, reach=Reach.ALL)
            memories = here.select(everything, limit=None, after_row=0)
            assert there.select(everything, limit=None, after_row=0) == memories
            for memory in memories:
                compare_memory(here, there, memory)
            compare_whole(here, there, [memory.row for memory in memories])
            for now in range(START, START + 6):
                for selection in (
                    wanted(*EVERYWHERE, now=now),
                    wanted(*EVERYWHERE, now=START + 2, as_of=now, known_at=START + 3),
                    wanted(*EVERYWHERE, now=START + 2, as_of=START + 3, known_at=now),
                ):
                    found = here.select(selection, limit=None)
                    assert there.select(selection, limit=None) == found
            compare_postings(here, there, INDEX, wanted(*EVERYWHERE, now=START + 3))
            compare_postings(here, there, INDEX, wanted(*EVERYWHERE, as_of=START + 3))
            self.compare_generations(here.generation(), there.generation())

    def compare_generations(self, here: int, there: int) -> None:
        """Both stand still or both move on; by how much is a backend's own."""
        assert (here > self.generations[0]) == (there > self.generations[1])
        assert here >= self.generations[0]
        assert there >= self.generations[1]
        self.generations = (here, there)


def replay(noted: Sequence[Call], transaction: Transaction) -> None:
    """The noted calls on the other store; each must answer as it did on the reference."""
    for call in noted:
        assert getattr(transaction, call.name)(*call.args, **call.named) == call.answer, call


def compare_memory(here: Snapshot, there: Snapshot, memory: Memory) -> None:
    for snapshot in (here, there):
        assert snapshot.memory(memory.id, EVERYWHERE) == memory
        assert snapshot.taken(memory.id)
    own = here.namespaces(View(memory.scope))
    others = tuple(sorted(set(EVERYWHERE).difference(own)))
    assert there.memory(memory.id, others) == here.memory(memory.id, others)
    for prefix in (memory.id, memory.id[:-1]):
        for namespaces in (EVERYWHERE, own):
            ids = here.ids_from(prefix, namespaces, limit=2)
            assert there.ids_from(prefix, namespaces, limit=2) == ids
    assert chain(there, memory.row) == chain(here, memory.row)
    digest_begins = bytes.fromhex(memory.text_sha256)[:16]
    assert there.by_digest(digest_begins, own) == here.by_digest(digest_begins, own)
    if memory.turn_key is not None:
        source, digest = memory.provenance.source, bytes.fromhex(memory.text_sha256)
        for namespace in EVERYWHERE:
            identity = (namespace, source, memory.session, memory.turn_key, digest)
            assert there.turn(*identity) == here.turn(*identity)
            place = (namespace, source, memory.session)
            assert there.next_turn_ordinal(*place) == here.next_turn_ordinal(*place)


def chain(snapshot: Snapshot, row: int) -> list[int] | str:
    try:
        return [memory.row for memory in snapshot.chain(row)]
    except LineageBroken:
        return "broken"


def compare_whole(here: Snapshot, there: Snapshot, rows: list[int]) -> None:
    backwards = [99, *reversed(rows)]
    assert there.memories(backwards) == here.memories(backwards)
    for index in INDEXES:
        assert there.pending_index(index) == here.pending_index(index)
        assert there.interrupted_index(index) == here.interrupted_index(index)
    for scope in SCOPES:
        for view in (View(scope), View(scope, agents=("a'\0",))):
            assert there.namespaces(view) == here.namespaces(view)
        assert there.namespaces_of(scope.user) == here.namespaces_of(scope.user)
    for namespaces in (EVERYWHERE, (1,), (2, 3), ()):
        counted = there.statistics(namespaces, START + 3)
        assert replace(counted, file_bytes=0) == here.statistics(namespaces, START + 3)
        for row in (None, 1, 2):
            told = here.feedback(namespaces, row=row)
            assert there.feedback(namespaces, row=row) == told
        for limit, row in ((99, None), (3, None), (99, 1), (2, 2)):
            logged = [
                [
                    replace(change, number=0)
                    for change in snapshot.changes(namespaces, limit=limit, row=row)
                ]
                for snapshot in (here, there)
            ]
            assert logged[1] == logged[0]
        compare_sessions(here, there, namespaces)
        assert learning(there, namespaces, rows) == learning(here, namespaces, rows)


def compare_sessions(here: Snapshot, there: Snapshot, namespaces: tuple[int, ...]) -> None:
    for session, limit in ((None, 99), (None, 2), ("s", 99)):
        used = here.sessions(namespaces, session=session, limit=limit)
        assert there.sessions(namespaces, session=session, limit=limit) == used
        stored = here.stored_sessions(namespaces, limit=limit)
        assert there.stored_sessions(namespaces, limit=limit) == stored
    assert there.pending_transcripts(namespaces) == here.pending_transcripts(namespaces)
    for namespace in namespaces:
        for client in ("codex", "claude-code"):
            path = "/转录/s.jsonl"
            mark = here.transcript(namespace, client, path)
            assert there.transcript(namespace, client, path) == mark
    for change in there.changes(namespaces, limit=9):
        assert there.change(change.number, namespaces) == change


def compare_postings(here: Snapshot, there: Snapshot, index: str, selection: Filter) -> None:
    ours, theirs = here.postings(index, selection), there.postings(index, selection)
    assert theirs.statistics() == ours.statistics()
    asked = [*WORDS, "absent"]
    listed = [[(term.term, term.df) for term in each.terms(asked)] for each in (ours, theirs)]
    assert listed[1] == listed[0]
    for term in WORDS:
        assert placed(theirs, term) == placed(ours, term)
    enumerated = [units_in(each) for each in (ours, theirs)]
    assert enumerated[1] == enumerated[0]


def placed(postings: Postings, term: str) -> Counter[tuple[int, int, int, int]]:
    """The accepted postings of a term as (row, start, end, weight); checks bounds and probes."""
    found: Counter[tuple[int, int, int, int]] = Counter()
    for statistics in postings.terms([term]):
        read = dict(postings.scan(statistics))
        spans = postings.spans(list(read))
        accepted = postings.accept(list(read))
        assert len(read) <= statistics.postings
        for unit, weight in read.items():
            assert weight >> POSTING_LENGTH_BITS <= statistics.max_frequency
            assert weight & POSTING_LENGTH_MASK >= statistics.min_length
            if unit in accepted:
                span = spans[unit]
                found[accepted[unit], span.start, span.end, weight] += 1
        some = sorted(read)[::2]
        assert dict(postings.probe(statistics, some)) == {unit: read[unit] for unit in some}
    return found


def units_in(postings: Postings) -> Counter[tuple[int, int, int]] | None:
    """The accepted units of a narrowing filter by place."""
    units = postings.enumerate(WIDE)
    if units is None:
        return None
    accepted, spans = postings.accept(units), postings.spans(units)
    return Counter((accepted[unit], spans[unit].start, spans[unit].end) for unit in accepted)


StoreMachine.TestCase.settings = settings(
    max_examples=25,
    stateful_step_count=25,
    deadline=None,
    # explaining replays a failure some hundred times and says little about two whole stores
    phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),
    report_multiple_bugs=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
TestStores = StoreMachine.TestCase
