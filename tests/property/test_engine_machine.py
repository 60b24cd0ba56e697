"""The whole engine against a model of DESIGN.md section 3, on both stores at once.

Every rule makes one public call on an engine over SQLite and on one over the in-memory store, by a
clock that may stand still or jump back. Both must answer alike, to the bit, and as the model says:
which outcome or which refusal, what is current, what is history, what may be recalled. After every
rule both exports are the same bytes, each scope sees what the model says and nothing else, and
every chain is a path.
"""

from __future__ import annotations

import io
import json
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import hypothesis.strategies as st
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from memstone.config import load
from memstone.engine import Engine
from memstone.errors import MemstoneError
from memstone.storage.inmemory import InMemoryStore
from memstone.storage.sqlite.store import open_store
from memstone.testing import START
from memstone.tokens import EstimatedTokens
from memstone.types import MAX_LIMIT, Kind, Obstacle, Scope, Stage, Turn
from tests.property.drawing import (
    HOME,
    MEMORY_DISK,
    QUERIES,
    SCOPES,
    SECOND,
    TEXTS,
    USERS,
    Cut,
    arguments,
    choices,
    facts,
    filters,
    instants,
    looks,
    moment,
    plain_facts,
    questions,
    rarely,
    readers,
    scopes,
    some_tags,
    spoken,
    turns,
    waits,
)
from tests.property.model import Look, Model, Row, Verdict, Wish, shown
from tests.unit.engines import exported

if TYPE_CHECKING:
    from collections.abc import Callable

    from memstone.types import Memory, RecallResult

    Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Refused:
    """An error as its caller sees it."""

    code: str
    exit_code: int
    message: str


def attempt(act: Callable[[Engine], Answer], engine: Engine) -> Answer | Refused:
    try:
        return act(engine)
    except MemstoneError as error:
        return Refused(error.code, error.exit_code, error.message)


class EngineMachine(RuleBasedStateMachine):
    """Two engines and a model, one clock."""

    def __init__(self) -> None:
        super().__init__()
        self.now = START + 10 * SECOND
        self.model = Model(HOME)
        self.opened = ExitStack()
        place = tempfile.TemporaryDirectory(prefix="memstone-", dir=MEMORY_DISK)
        self.folder = Path(self.opened.enter_context(place))
        self.restored = self.steps = 0
        chosen = load(str(self.folder), overrides={"user": HOME.user}, environ={})
        store = open_store(str(self.folder / "mem.db"))
        sqlite = Engine(store, chosen, HOME, clock=self.clock)
        self.opened.callback(sqlite.close)
        reference = Engine(InMemoryStore(), chosen, HOME, clock=self.clock)
        self.engines = (sqlite, reference)

    def clock(self) -> int:
        return self.now

    def teardown(self) -> None:
        self.opened.close()

    def both(self, act: Callable[[Engine], Answer]) -> Answer | Refused:
        """The answer of both engines, which is one answer."""
        first, second = (attempt(act, engine) for engine in self.engines)
        assert first == second
        return first

    def row(self, choice: int) -> Row | None:
        rows = self.model.rows
        return rows[choice % len(rows)] if rows else None

    def id(self, choice: int) -> str:
        """The id of a row, or one that was never given."""
        row = self.row(choice)
        return "mem_0000000000000000" if row is None or choice == 30 else row.id

    def judge(self, verdict: Verdict, answer: Memory | Refused) -> None:
        """Hold an answer of the engines against the model's verdict."""
        if isinstance(answer, Refused):
            assert answer.code in verdict.refusals
            return
        assert not verdict.refusals
        assert verdict.row is not None
        if not verdict.row.id:
            self.model.named(verdict.row, answer.id)
        assert shown(answer) == verdict.row.shown()

    # -- writing

    @initialize(texts=st.lists(st.sampled_from(TEXTS), min_size=1, max_size=3, unique=True))
    def begin(self, texts: list[str]) -> None:
        """A chain, and the same newest text in a narrower scope: most rules need some past."""
        self.remember(Wish(text=texts[0]), HOME, 1)
        for text in texts[1:]:
            self.supersede(len(self.model.rows) - 1, Wish(text=text), None, 1)
        self.remember(Wish(text=texts[-1]), SCOPES[1], 1)

    @rule(wish=facts | plain_facts | spoken, scope=scopes, wait=waits)
    def remember(self, wish: Wish, scope: Scope, wait: int) -> None:
        self.now += wait * SECOND
        given = arguments(wish)
        verdict = self.model.remember(wish, scope, self.now)
        answer = self.both(lambda engine: engine.remember(wish.text, scope=scope, **given))  # type: ignore[arg-type]
        self.judge(verdict, answer)
        if not isinstance(answer, Refused):
            assert (answer.outcome, answer.unchanged) == (verdict.outcome, verdict.unchanged)

    @rule(choice=choices, wish=facts | plain_facts, wait=waits)
    def remember_again(self, choice: int, wish: Wish, wait: int) -> None:
        """A text that is there already, current or history, in its own scope."""
        row = self.row(choice)
        if row is not None:
            self.remember(replace(wish, text=row.text), row.scope, wait)

    @rule(wish=facts | plain_facts, scope=scopes)
    def remember_twice(self, wish: Wish, scope: Scope) -> None:
        """The second time finds the first: nothing is stored twice."""
        self.remember(wish, scope, 1)
        before = len(self.model.rows)
        self.remember(wish, scope, 0)
        assert len(self.model.rows) == before

    @rule(choice=choices, wish=facts | plain_facts, wait=waits)
    def move_on(self, choice: int, wish: Wish, wait: int) -> None:
        """The newest version of some chain gives way to another text."""
        row = self.row(choice)
        if row is not None:
            head = row.chain()[-1]
            others = [text for text in TEXTS if text != head.text]
            text = others[TEXTS.index(wish.text) % len(others)]
            self.supersede(self.model.rows.index(head), replace(wish, text=text), None, wait)

    @rule(choice=choices, wish=facts | plain_facts, reader=readers, wait=waits)
    def supersede(self, choice: int, wish: Wish, reader: Scope | None, wait: int) -> None:
        self.now += wait * SECOND
        row, id_ = self.row(choice), self.id(choice)
        scope = reader or (HOME if row is None else row.scope)
        given = arguments(wish)
        verdict = self.model.supersede(id_, wish, scope, self.now)
        self.judge(
            verdict,
            self.both(lambda engine: engine.supersede(id_, wish.text, scope=scope, **given)),  # type: ignore[arg-type]
        )

    @rule(choice=choices, step=st.integers(0, 3), wait=waits)
    def go_back(self, choice: int, step: int, wait: int) -> None:
        """The newest version gives way to the text of an older one of its chain, or to its own."""
        row = self.row(choice)
        if row is not None:
            chain = row.chain()
            wish = Wish(text=chain[step % len(chain)].text)
            self.supersede(self.model.rows.index(chain[-1]), wish, None, wait)

    @rule(choice=choices, late=st.integers(0, 3), wait=waits)
    def return_to(self, choice: int, late: int, wait: int) -> None:
        """An older text is remembered as true again since shortly after the newest began."""
        row = self.row(choice)
        if row is not None:
            at = row.chain()[-1].valid_from + late
            self.remember(Wish(text=row.text, at=at), row.scope, wait)

    @rule(chosen=st.lists(choices, min_size=1, max_size=3), reader=readers)
    def forget(self, chosen: list[int], reader: Scope | None) -> None:
        row = self.row(chosen[0])
        scope = reader or (HOME if row is None else row.scope)
        ids = [self.id(choice) for choice in chosen]
        before = [exported(engine) for engine in self.engines]
        planned = self.both(lambda engine: engine.forget(*ids, scope=scope, dry_run=True))
        assert [exported(engine) for engine in self.engines] == before
        result = self.both(lambda engine: engine.forget(*ids, scope=scope))
        assert not isinstance(result, Refused)
        assert (result.forgotten, result.missing) == self.model.forget(ids, scope)
        assert planned == result
        for id_ in ids:
            gone = self.both(lambda engine, id_=id_: engine.get(id_, scope=scope))  # type: ignore[misc]
            assert isinstance(gone, Refused)
            assert gone.code == "not_found"

    @rule(choice=choices, tags=some_tags, adds=st.booleans())
    def tag(self, choice: int, tags: tuple[str, ...], adds: bool) -> None:
        row, id_ = self.row(choice), self.id(choice)
        scope = HOME if row is None else row.scope
        if adds:
            answer = self.both(lambda engine: engine.tag(id_, *tags, scope=scope))
        else:
            answer = self.both(lambda engine: engine.untag(id_, *tags, scope=scope))
        if not tags:
            self.judge(Verdict(refusals=frozenset(["invalid_input"])), answer)
            return
        found = self.model.find(id_, scope)
        if found is None:
            self.judge(Verdict(refusals=frozenset(["not_found"])), answer)
            return
        found.tags = found.tags | set(tags) if adds else found.tags - set(tags)
        self.judge(Verdict(row=found), answer)

    @rule(choice=choices, pinned=st.booleans(), reader=readers)
    def pin(self, choice: int, pinned: bool, reader: Scope | None) -> None:
        row, id_ = self.row(choice), self.id(choice)
        reader = reader or (HOME if row is None else row.scope)
        if pinned:
            answer = self.both(lambda engine: engine.pin(id_, scope=reader))
        else:
            answer = self.both(lambda engine: engine.unpin(id_, scope=reader))
        found = self.model.find(id_, reader)
        if found is None:
            self.judge(Verdict(refusals=frozenset(["not_found"])), answer)
            return
        found.pinned = pinned
        self.judge(Verdict(row=found), answer)

    @rule(choice=choices, when=st.none() | instants)
    def expire(self, choice: int, when: int | None) -> None:
        row, id_ = self.row(choice), self.id(choice)
        scope = HOME if row is None else row.scope
        answer = self.both(lambda engine: engine.expire(id_, moment(when), scope=scope))
        found = self.model.find(id_, scope)
        if found is None:
            self.judge(Verdict(refusals=frozenset(["not_found"])), answer)
            return
        found.expires = when
        self.judge(Verdict(row=found), answer)

    @rule(said=st.lists(turns, min_size=1, max_size=3), scope=scopes, wait=waits)
    def ingest(self, said: list[Turn], scope: Scope, wait: int) -> None:
        self.now += wait * SECOND
        before = {row.id for row in self.model.rows}
        report = self.both(lambda engine: engine.ingest(said, source="chat", scope=scope))
        assert not isinstance(report, Refused)
        after = self.both(lambda engine: engine.list(limit=None, history=True, scope=scope))
        assert not isinstance(after, Refused)
        born = [memory.id for memory in reversed(after) if memory.id not in before]
        created = known = 0
        for turn in said:
            if not turn.text.strip():
                continue
            wish = Wish(
                text=turn.text,
                kind=Kind.TURN,
                tags=turn.tags,
                session=turn.session,
                speaker=turn.speaker,
                external_id=turn.external_id,
                trust=turn.trust,
                at=turn.at if isinstance(turn.at, int) else None,
            )
            key = turn.external_id or f"#{turn.ordinal}"
            place = ("import:chat", turn.session or "", key)
            verdict = self.model.turn(wish, scope, place, self.now)
            if verdict.row is not None and not verdict.row.id:
                self.model.named(verdict.row, born[created])
                created += 1
            else:
                known += 1
        blank = sum(1 for turn in said if not turn.text.strip())
        assert (report.created, report.known, len(report.skipped)) == (created, known, blank)
        assert len(born) == created

    @rule(to=st.integers(5, 30))
    def clock_jumps(self, to: int) -> None:
        self.now = START + to * SECOND

    # -- reading

    @rule(asked=st.lists(questions, min_size=1, max_size=4), touch=st.booleans())
    def recall(
        self, asked: list[tuple[str, Look, int | None, int | None, Cut]], touch: bool
    ) -> None:
        for query, look, as_of, known_at, cut in asked:
            seen_from = replace(look, as_of=as_of, known_at=known_at)
            whole = self.whole(query, seen_from)
            assert self.whole(query, seen_from) == whole
            given = {"limit": cut.limit, "budget": cut.budget, "min_score": cut.floor}
            part = self.ask(query, seen_from, touch=touch, **given)
            self.check_cut(part, whole, cut)
            self.check_texts(part)
            if touch:
                for hit in part:
                    self.model.touch([hit.id], hit.memory.scope, self.now)

    @rule(asked=questions, which=st.lists(choices, min_size=1, max_size=3))
    def explain(
        self,
        asked: tuple[str, Look, int | None, int | None, Cut],
        which: list[int],
    ) -> None:
        """What `explain` says of a memory is what `recall` does with it, and what may be seen."""
        query, look, as_of, known_at, cut = asked
        look = replace(look, as_of=as_of, known_at=known_at)
        cuts = {"limit": cut.limit, "budget": cut.budget, "min_score": cut.floor}
        result = self.ask(query, look, touch=False, **cuts)
        hits = {hit.id: hit for hit in result}
        given = filters(look) | cuts
        allowed = {row.id for row in self.model.recallable(look, self.now)}
        for id_ in map(self.id, which):
            told = self.both(lambda engine, id_=id_: engine.explain(id_, query, **given))  # type: ignore[misc]
            if isinstance(told, Refused):
                assert told.code == "not_found"
                assert id_ not in allowed
                continue
            hidden = told.decided_by in {Stage.VISIBLE, Stage.FILTER}
            assert hidden is (id_ not in allowed)
            assert Obstacle.NOT_INDEXED not in told.obstacles
            assert told.recalled is (id_ in hits)
            omitted = told.decided_by is Stage.BUDGET and not told.recalled
            assert omitted is (id_ in result.omitted)
            if told.recalled:
                assert told.rank is not None
                assert (told.signals, told.rank.score) == (hits[id_].signals, hits[id_].score)

    @rule(choice=choices, query=st.sampled_from(tuple(QUERIES)), right=st.booleans())
    def say(self, choice: int, query: str, right: bool) -> None:
        """A verdict is kept as long as its memory is, and moves nothing else."""
        row, id_ = self.row(choice), self.id(choice)
        scope = HOME if row is None else row.scope
        verdict = "right" if right else "wrong"
        said = self.both(lambda engine: engine.judge(id_, query, verdict, scope=scope))
        if self.model.find(id_, scope) is None or not query.strip():
            assert isinstance(said, Refused)
            return
        assert not isinstance(said, Refused)
        assert (said.id, said.query, said.verdict) == (id_, query, verdict)
        told = self.both(lambda engine: engine.feedback())
        assert not isinstance(told, Refused)
        own = {each.id for each in self.model.rows}
        assert all(each.id in own and each.scope.user == HOME.user for each in told)

    def ask(self, query: str, look: Look, **options: object) -> RecallResult:
        given = filters(look) | options
        answer = self.both(lambda engine: engine.recall(query, **given))  # type: ignore[arg-type]
        assert not isinstance(answer, Refused)
        return answer

    def whole(self, query: str, look: Look) -> RecallResult:
        """The ranking without floor, limit and budget: what is allowed and holds a word of the
        question, or stands beside such a memory in its conversation.
        """
        answer = self.ask(query, look, limit=MAX_LIMIT, budget=0, min_score=0, touch=False)
        allowed = {row.id: row for row in self.model.recallable(look, self.now)}
        found = {
            row.id
            for row in allowed.values()
            if any(word in f"{row.speaker} {row.text}" for word in QUERIES[query])
        }
        talks = {(allowed[id_].scope, allowed[id_].session) for id_ in found}
        ids = [hit.id for hit in answer]
        assert len(set(ids)) == len(ids)
        assert found <= set(ids) <= set(allowed)
        for id_ in set(ids) - found:
            assert allowed[id_].session is not None
            assert (allowed[id_].scope, allowed[id_].session) in talks
        order = [(-hit.score, hit.id) for hit in answer]
        assert order == sorted(order)
        return answer

    def check_cut(self, part: RecallResult, whole: RecallResult, cut: Cut) -> None:
        """A recall with a limit, a floor and a budget is a part of the one without."""
        share = self.engines[0].settings.min_score if cut.floor is None else cut.floor
        ranked = [hit.id for hit in whole if hit.signals.evidence >= share][: cut.limit]
        kept = [hit.id for hit in part]
        assert kept == [id_ for id_ in ranked if id_ in kept]
        assert list(part.omitted) == [id_ for id_ in ranked if id_ not in kept]
        most = 2_000 if cut.budget is None else cut.budget
        assert part.tokens == sum(hit.tokens for hit in part)
        assert not most or part.tokens <= most
        scores = {hit.id: (hit.score.hex(), hit.signals) for hit in whole}
        assert all(scores[hit.id] == (hit.score.hex(), hit.signals) for hit in part)

    def check_texts(self, part: RecallResult) -> None:
        """What is injected is counted as it is, and the whole text behind it can be had."""
        for hit in part:
            assert hit.tokens == EstimatedTokens().count(hit.text)
            assert (hit.text == hit.memory.text) == (hit.handle is None)
            handle, scope = hit.memory.handle, hit.memory.scope
            assert hit.handle in (None, handle)
            text = self.both(
                lambda engine, handle=handle, scope=scope: engine.recover(handle, scope=scope)  # type: ignore[misc]
            )
            assert text == hit.memory.text

    @rule(
        look=looks,
        history=st.booleans(),
        as_of=rarely(instants),
        known_at=rarely(instants),
        limit=st.none() | st.integers(1, 4),
    )
    def listing(
        self,
        look: Look,
        history: bool,
        as_of: int | None,
        known_at: int | None,
        limit: int | None,
    ) -> None:
        if not history:
            look = replace(look, as_of=as_of, known_at=known_at)
        given = filters(look) | {"history": history}
        listed = self.both(lambda engine: engine.list(limit=limit, **given))  # type: ignore[arg-type]
        expected = self.model.listed(look, self.now, history=history)
        assert not isinstance(listed, Refused)
        assert [memory.id for memory in listed] == [row.id for row in expected][:limit]
        asked = ("tags", "any_tags", "kinds", "session", "scope", "history")
        countable = {name: given[name] for name in asked}
        counted = self.both(lambda engine: engine.count(**countable))  # type: ignore[arg-type]
        plain = replace(look, agents=(), since=None, until=None, as_of=None, known_at=None)
        assert counted == len(self.model.listed(plain, self.now, history=history))

    @rule(choice=choices, known_at=instants, reader=scopes)
    def look_up(self, choice: int, known_at: int, reader: Scope) -> None:
        id_, found = self.id(choice), self.model.find(self.id(choice), reader)
        answer = self.both(lambda engine: engine.history(id_, scope=reader))
        if found is None:
            assert isinstance(answer, Refused)
            assert answer.code == "not_found"
            return
        assert not isinstance(answer, Refused)
        assert [shown(memory) for memory in answer] == [row.shown() for row in found.chain()]
        when = moment(known_at)
        then = self.both(lambda engine: engine.history(id_, known_at=when, scope=reader))
        assert not isinstance(then, Refused)
        known = [row.id for row in found.chain() if row.created_at <= known_at]
        assert [memory.id for memory in then] == known
        self.both(lambda engine: engine.log(id=id_) if reader == HOME else None)
        self.both(lambda engine: engine.touch([id_], scope=reader))
        self.model.touch([id_], reader, self.now)

    @rule(user=st.sampled_from(USERS), durable=st.booleans())
    def export_and_import(self, user: str, durable: bool) -> None:
        """An empty engine that imports an export is the same memory, twice over."""
        chosen = load(str(self.folder), overrides={"user": user}, environ={})
        source = Engine(self.engines[0].store, chosen, Scope(user), clock=self.clock)
        lines = exported(source)
        self.restored += 1
        store = open_store(str(self.folder / f"{self.restored}.db")) if durable else InMemoryStore()
        with Engine(store, chosen, Scope(user), clock=self.clock) as other:
            number = len(lines.splitlines()) - 1
            for dry_run, created in ((True, number), (False, number), (False, 0)):
                file = io.BytesIO(lines.encode("utf-8"))
                report = other.import_file(file, dry_run=dry_run)
                assert report.skipped == ()
                assert (report.created, report.known) == (created, number - created)
                assert exported(other) == (lines if not dry_run else lines.splitlines(True)[0])
            here, there = source.stats(), other.stats()
            assert replace(there, forgotten=0, file_bytes=0) == replace(
                here, forgotten=0, file_bytes=0
            )

    # -- after every step

    @invariant()
    def recalls(self) -> None:
        """A question in each scope in turn, and one about an instant that moves on."""
        self.steps += 1
        look = Look(reader=SCOPES[self.steps % len(SCOPES)])
        then = START + 7 * self.steps % 25 * SECOND
        everything = next(iter(QUERIES))
        self.whole(everything, look)
        self.whole(everything, replace(look, as_of=then))
        self.whole(everything, replace(look, reader=HOME, known_at=then))
        self.whole(everything, replace(look, reader=HOME, as_of=then, known_at=self.now))

    @invariant()
    def agree(self) -> None:
        for scope in SCOPES:
            everything = self.both(
                lambda engine, scope=scope: engine.list(limit=None, history=True, scope=scope)  # type: ignore[misc]
            )
            assert not isinstance(everything, Refused)
            expected = self.model.listed(Look(reader=scope), self.now, history=True)
            assert [shown(memory) for memory in everything] == [row.shown() for row in expected]
            self.check_lineage(everything)

    def check_lineage(self, memories: list[Memory]) -> None:
        by_id = {memory.id: memory for memory in memories}
        assert len(by_id) == len(memories)
        for memory in memories:
            if memory.supersedes is not None:
                older = by_id[memory.supersedes]
                assert older.superseded_by == memory.id
                assert older.superseded_at is not None
                assert older.superseded_at <= memory.created_at
                assert older.created_at < memory.created_at
                assert older.scope == memory.scope
            if memory.superseded_by is not None:
                assert by_id[memory.superseded_by].supersedes == memory.id

    @invariant()
    def same_bytes(self) -> None:
        first, second = (exported(engine) for engine in self.engines)
        assert first == second
        assert all(json.loads(line) for line in first.splitlines())
        assert self.both(lambda engine: engine.log(limit=3)) is not None


TestEngineMachine = EngineMachine.TestCase
TestEngineMachine.settings = settings(
    max_examples=60,
    stateful_step_count=30,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    phases=(Phase.generate, Phase.shrink),
)
