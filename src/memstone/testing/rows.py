"""One row at a time: what was written comes back, whatever is in it, under its number and id."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING

import pytest

from memstone.testing.building import (
    DAY,
    INDEX,
    START,
    add,
    digest_of,
    draft,
    home,
    note,
    supersede,
    units_of,
    wanted,
)
from memstone.testing.case import StoreCase
from memstone.times import NEVER_US, from_micros
from memstone.types import (
    Derivation,
    Draft,
    Kind,
    Memory,
    Method,
    Provenance,
    Reach,
    Remembered,
    Scope,
    Trust,
)

if TYPE_CHECKING:
    from memstone.protocols import Store

HOSTILE_TEXTS = {
    "NUL": "before\0after",
    "Chinese": "用户要求所有回复使用轻松的语气。",
    "emoji": "👩‍👩‍👧‍👦 🙂 🇨🇳",
    "combining": "cafe\u0301 café",
    "bidi": "\u202eabc\u202c \u2066x\u2069",
    "line ends": "a\r\nb\rc\n\u2028d\u0085",
    "SQL": "'); DROP TABLE memory; --",
    "controls": "".join(map(chr, range(1, 32))) + "\x7f\x80\x9f",
    "noncharacters": "\ufffe\uffff\U0010ffff\ufeff",
    "white space": " \t\n ",
    "long": "长" * 90_000,
}


def full_draft(namespace: int, source: str) -> Draft:
    """A draft in which every field says something."""
    return Draft(
        id="mem_whole",
        namespace=namespace,
        kind=Kind.DECISION,
        text="预算 rises to 200 🙂",
        digest=digest_of("预算 rises to 200 🙂"),
        created_at=START + 1,
        valid_from=START - DAY,
        valid_until=START + 9 * DAY + 7,
        expires=START + 8 * DAY,
        tags=("财务", "budget", "50%_off", "budget"),
        role="planner",
        session="s-1",
        speaker="林宇",
        subject="atlas",
        attribute="budget",
        external_id="D1:3",
        turn_key="#3",
        provenance=Provenance(
            source="import:chat",
            method=Method.MERGE,
            producer="model-7/prompt-2",
            trust=Trust.TOOL,
            derived_from=(Derivation(source, 0, 3), Derivation(source, 4, 9)),
        ),
        pinned=True,
        held=True,
    )


class RowConformance(StoreCase):
    def test_a_row_comes_back_as_it_was_written(self, store: Store, ana: int) -> None:
        source = draft("source", ana)
        add(store, source)
        written = full_draft(ana, source.id)
        with store.write(note()) as transaction:
            row = transaction.insert(written)
        with store.read() as snapshot:
            assert snapshot.memory("mem_whole", (ana,)) == Memory(
                row=row,
                id="mem_whole",
                scope=Scope("ana"),
                kind=Kind.DECISION,
                text=written.text,
                text_sha256=written.digest.hex(),
                created_at=from_micros(START + 1),
                valid_from=from_micros(START - DAY),
                valid_until=from_micros(START + 9 * DAY + 7),
                expires=from_micros(START + 8 * DAY),
                tags=("50%_off", "budget", "财务"),
                role="planner",
                session="s-1",
                speaker="林宇",
                subject="atlas",
                attribute="budget",
                external_id="D1:3",
                turn_key="#3",
                provenance=written.provenance,
                pinned=True,
                held=True,
            )

    def test_a_bare_row_has_nothing_but_its_text(self, store: Store, ana: int) -> None:
        (row,) = add(store, draft("x", ana))
        with store.read() as snapshot:
            (memory,) = snapshot.memories([row])
        empty = {each.name for each in fields(Memory) if getattr(memory, each.name) in (None, ())}
        assert empty == {
            "valid_until", "expires", "superseded_at", "superseded_from", "supersedes",
            "superseded_by", "tags", "role", "session", "speaker", "subject", "attribute",
            "external_id", "turn_key", "last_seen_at", "last_recalled_at",
        }  # fmt: skip
        assert (memory.seen_count, memory.recall_count) == (1, 0)
        assert (memory.pinned, memory.held, memory.archived) == (False, False, False)

    @pytest.mark.parametrize("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS.keys())
    def test_hostile_text_comes_back_exactly(self, store: Store, ana: int, text: str) -> None:
        written = draft(text, ana)
        hostile = text[:200]
        (row,) = add(
            store,
            replace(written, tags=(hostile,), session=hostile, speaker=hostile, subject=hostile),
        )
        with store.read() as snapshot:
            (memory,) = snapshot.memories([row])
            assert snapshot.by_digest(written.digest, (ana,)) == [memory]
            assert snapshot.count(replace(wanted(ana), session=hostile, tags_all=(hostile,))) == 1
        assert (memory.text, memory.tags) == (text, (hostile,))
        assert (memory.session, memory.speaker, memory.subject) == (hostile,) * 3

    @pytest.mark.parametrize("instant", [NEVER_US, 0, -1, START + 1, -60_000_000_000_000_000])
    def test_instants_keep_every_microsecond(self, store: Store, ana: int, instant: int) -> None:
        (row,) = add(store, replace(draft("t", ana), valid_from=instant, valid_until=instant))
        with store.read() as snapshot:
            (memory,) = snapshot.memories([row])
        assert memory.valid_from == memory.valid_until == from_micros(instant)

    def test_rows_are_numbered_from_one_in_order(self, store: Store, ana: int) -> None:
        assert add(store, draft("a", ana), draft("b", ana)) == [1, 2]
        assert add(store, draft("c", ana)) == [3]

    def test_the_number_of_a_forgotten_row_is_not_used_again(self, store: Store, ana: int) -> None:
        add(store, draft("a", ana), draft("b", ana))
        with store.write(note("forget")) as transaction:
            transaction.forget(2)
        assert add(store, draft("b", ana)) == [3]

    def test_a_forgotten_id_may_be_born_again(self, store: Store, ana: int) -> None:
        again = replace(draft("b", ana), tags=("旧",))
        (row,) = add(store, again)
        with store.write(note("forget")) as transaction:
            transaction.forget(row)
        (newer,) = add(store, replace(again, tags=()))
        with store.read() as snapshot:
            memory = snapshot.memory(again.id, (ana,))
        assert memory is not None
        assert (memory.row, memory.tags) == (newer, ())

    def test_an_unknown_id_gives_nothing(self, store: Store, ana: int) -> None:
        add(store, draft("a", ana))
        with store.read() as snapshot:
            assert snapshot.memory("mem_absent", (ana,)) is None
            assert snapshot.memory(draft("a", ana).id.upper(), (ana,)) is None
            assert snapshot.memory(draft("a", ana).id, ()) is None

    def test_an_id_is_taken_wherever_its_row_is(self, store: Store, ana: int) -> None:
        mine = draft("a", ana)
        (row,) = add(store, mine)
        add(store, draft("b", home(store, "bo")))
        with store.write(note("forget")) as transaction:
            assert transaction.taken(mine.id)
            assert not transaction.taken("mem_absent")
            transaction.forget(row)
            assert not transaction.taken(mine.id)
            assert transaction.taken(transaction.memories([2])[0].id)

    def test_memories_come_in_the_order_asked_without_the_missing(
        self, store: Store, ana: int
    ) -> None:
        add(store, *(draft(text, ana) for text in "abc"))
        with store.read() as snapshot:
            found = snapshot.memories([3, 99, 1])
            assert snapshot.memories([]) == []
        assert [memory.row for memory in found] == [3, 1]

    def test_a_digest_prefix_finds_every_version_with_that_text(
        self, store: Store, ana: int
    ) -> None:
        first, other = draft("100", ana), draft("200", ana, at=START + 1)
        (row,) = add(store, first)
        middle = supersede(store, row, other)
        last = supersede(store, middle, draft("100", ana, at=START + 2))
        with store.read() as snapshot:
            for length in (4, 16, 32):
                found = snapshot.by_digest(first.digest[:length], (ana,))
                assert [memory.row for memory in found] == [row, last]
            assert [m.row for m in snapshot.by_digest(other.digest, (ana,))] == [middle]
            assert snapshot.by_digest(digest_of("300"), (ana,)) == []
            assert len(snapshot.by_digest(b"", (ana,))) == 3

    def test_a_turn_is_found_by_its_whole_identity_only(self, store: Store, ana: int) -> None:
        turn = replace(
            draft("好的", ana),
            kind=Kind.TURN,
            session="s-1",
            turn_key="#1",
            provenance=Provenance(source="chat"),
        )
        add(store, turn, replace(turn, id="mem_other", session=None))
        other = home(store, "bo")
        with store.read() as snapshot:
            found = snapshot.turn(ana, "chat", "s-1", "#1", turn.digest)
            without = snapshot.turn(ana, "chat", None, "#1", turn.digest)
            assert found is not None
            assert without is not None
            assert (found.row, without.row) == (1, 2)
            assert snapshot.turn(other, "chat", "s-1", "#1", turn.digest) is None
            assert snapshot.turn(ana, "cha%", "s-1", "#1", turn.digest) is None
            assert snapshot.turn(ana, "chat", "s_1", "#1", turn.digest) is None
            assert snapshot.turn(ana, "chat", "s-1", "#2", turn.digest) is None
            assert snapshot.turn(ana, "chat", "s-1", "#1", digest_of("ok")) is None

    def test_a_forgotten_turn_is_not_found(self, store: Store, ana: int) -> None:
        turn = replace(draft("ok", ana), kind=Kind.TURN, session="s", turn_key="1")
        (row,) = add(store, turn)
        with store.write(note("forget")) as transaction:
            transaction.forget(row)
        with store.read() as snapshot:
            assert snapshot.turn(ana, "python", "s", "1", turn.digest) is None

    def test_the_next_ordinal_counts_the_turns_of_that_session(
        self, store: Store, ana: int
    ) -> None:
        turn = replace(draft("ok", ana), kind=Kind.TURN, session="s", turn_key="1")
        elsewhere = replace(turn, id="mem_b", session="S", turn_key="1")
        fact = replace(draft("ok", ana, at=START + 1), session="s")
        add(store, turn, replace(turn, id="mem_a", turn_key="2"), elsewhere, fact)
        with store.read() as snapshot:
            assert snapshot.next_turn_ordinal(ana, "python", "s") == 3
            assert snapshot.next_turn_ordinal(ana, "python", "S") == 2
            assert snapshot.next_turn_ordinal(ana, "python", None) == 1
            assert snapshot.next_turn_ordinal(ana, "chat", "s") == 1

    def test_adding_tags_tells_which_were_new(self, store: Store, ana: int) -> None:
        (row,) = add(store, replace(draft("a", ana), tags=("b",)))
        with store.write(note("tag")) as transaction:
            assert transaction.add_tags(row, ("猫", "b", "a", "猫")) == ("a", "猫")
            assert transaction.add_tags(row, ("a",)) == ()
            assert transaction.memories([row])[0].tags == ("a", "b", "猫")

    def test_removing_tags_tells_which_were_there(self, store: Store, ana: int) -> None:
        (row,) = add(store, replace(draft("a", ana), tags=("a", "b", "B", "%")))
        with store.write(note("untag")) as transaction:
            assert transaction.remove_tags(row, ("a", "absent", "B")) == ("B", "a")
            assert transaction.remove_tags(row, ("a",)) == ()
            assert transaction.memories([row])[0].tags == ("%", "b")

    def test_pin_and_expiry_tell_whether_they_changed(self, store: Store, ana: int) -> None:
        (row,) = add(store, draft("a", ana))
        with store.write(note("edit")) as transaction:
            assert not transaction.set_pinned(row, pinned=False)
            assert transaction.set_pinned(row, pinned=True)
            assert not transaction.set_pinned(row, pinned=True)
            assert not transaction.set_expires(row, None)
            assert transaction.set_expires(row, START)
            assert not transaction.set_expires(row, START)
        with store.read() as snapshot:
            (memory,) = snapshot.memories([row])
        assert memory.pinned
        assert memory.expires == from_micros(START)
        with store.write(note("edit")) as transaction:
            assert transaction.set_pinned(row, pinned=False)
            assert transaction.set_expires(row, None)
            (memory,) = transaction.memories([row])
        assert not memory.pinned
        assert memory.expires is None

    def test_seen_again_counts_and_keeps_the_latest_instant(self, store: Store, ana: int) -> None:
        (row,) = add(store, draft("a", ana))
        for at in (START + 5, START + 2):
            with store.write(note(at=at)) as transaction:
                transaction.seen(row, at)
        with store.read() as snapshot:
            (memory,) = snapshot.memories([row])
        assert (memory.seen_count, memory.last_seen_at) == (3, from_micros(START + 5))

    def test_touch_counts_use_without_a_trace_in_the_log(self, store: Store, ana: int) -> None:
        one, two = add(store, draft("a", ana), draft("b", ana))
        with store.read() as snapshot:
            before = snapshot.generation(), snapshot.changes((ana,), limit=99)
        store.touch([one, 99], START + 5)
        store.touch([one], START + 4)
        store.touch([], START + 6)
        with store.read() as snapshot:
            used, unused = snapshot.memories([one, two])
            assert (snapshot.generation(), snapshot.changes((ana,), limit=99)) == before
        assert (used.recall_count, used.last_recalled_at) == (2, from_micros(START + 5))
        assert (unused.recall_count, unused.last_recalled_at) == (0, None)

    def test_a_restored_row_keeps_everything_but_its_number_and_links(self, store: Store) -> None:
        source = draft("source", home(store, "bo"))  # in another project of the same user
        add(store, source)
        bo = home(store, "bo", project="猫")
        kept = {each.name: getattr(_exported(source.id), each.name) for each in fields(Memory)}
        with store.write(note("import")) as transaction:
            # what `remember` answered is a Memory too, but the store gives back plain ones
            row = transaction.restore(Remembered(**kept), bo)
        with store.read() as snapshot:
            restored = snapshot.memory("mem_exported", (bo,))
        scope = Scope("bo", "猫")
        assert restored == replace(
            _exported(source.id), row=row, scope=scope, supersedes=None, superseded_by=None
        )

    def test_a_restored_row_counts_on_from_where_it_was(self, store: Store, ana: int) -> None:
        source = draft("source", ana)
        add(store, source)
        with store.write(note("import")) as transaction:
            row = transaction.restore(_exported(source.id), ana)
            transaction.seen(row, START + 9 * DAY)
        store.touch([row], START + 9 * DAY)
        with store.read() as snapshot:
            (memory,) = snapshot.memories([row])
        assert (memory.seen_count, memory.recall_count) == (5, 8)

    def test_forgetting_a_source_takes_it_out_of_what_was_derived(
        self, store: Store, ana: int
    ) -> None:
        one, two = draft("one", ana), draft("two", ana)
        rows = add(store, one, two)
        spans = (Derivation(one.id, 0, 1), Derivation(one.id, 2, 3), Derivation(two.id, 0, 3))
        merge = replace(
            draft("both", ana), provenance=Provenance(method=Method.MERGE, derived_from=spans)
        )
        (row,) = add(store, merge)
        with store.write(note("forget")) as transaction:
            transaction.forget(rows[0])
        with store.read() as snapshot:
            (memory,) = snapshot.memories([row])
        assert memory.provenance == Provenance(method=Method.MERGE, derived_from=spans[2:])

    def test_forgetting_leaves_nothing_to_find(self, store: Store, ana: int) -> None:
        gone = replace(draft("秘密 secret", ana), tags=("t",), session="s", turn_key="1")
        (row,) = add(store, gone)
        with store.write(note("forget")) as transaction:
            transaction.forget(row)
        with store.read() as snapshot:
            assert snapshot.memory(gone.id, (ana,)) is None
            assert snapshot.memories([row]) == []
            assert snapshot.by_digest(gone.digest, (ana,)) == []
            assert snapshot.select(wanted(ana, reach=Reach.ALL), limit=None) == []
            assert snapshot.pending_index(INDEX) == []
            assert snapshot.postings(INDEX, wanted(ana)).terms(["secret", "秘密"]) == []

    def test_rows_whose_postings_are_incomplete_are_listed_with_where_to_go_on(
        self, store: Store, ana: int
    ) -> None:
        units = units_of("a b c d", words=1)
        with store.write(note()) as transaction:
            rows = [transaction.insert(draft(f"a b c d {n}", ana)) for n in range(4)]
            transaction.index(rows[1], INDEX, units[:2], complete=False, next_ordinal=2)
            transaction.index(rows[2], INDEX, units, complete=True)
            transaction.index(rows[3], INDEX, units_of("?!", words=1), complete=True)
        with store.read() as snapshot:
            assert snapshot.pending_index(INDEX) == [(rows[0], 0), (rows[1], 2)]
            assert snapshot.pending_index("other") == [(row, 0) for row in rows]
            assert snapshot.interrupted_index(INDEX) == [(rows[1], 2)]
            assert snapshot.interrupted_index("other") == []
        with store.write(note()) as transaction:
            transaction.index(rows[1], INDEX, units[2:3], complete=False, next_ordinal=3)
            assert transaction.pending_index(INDEX) == [(rows[0], 0), (rows[1], 3)]
            transaction.index(rows[1], INDEX, units[3:], complete=True)
            assert transaction.pending_index(INDEX) == [(rows[0], 0)]
            assert transaction.interrupted_index(INDEX) == []


def _exported(source: str) -> Memory:
    return Memory(
        row=77,
        id="mem_exported",
        scope=Scope("somebody", "else"),
        kind=Kind.PREFERENCE,
        text="喜欢川菜",
        text_sha256=digest_of("喜欢川菜").hex(),
        created_at=from_micros(START),
        valid_from=from_micros(START - DAY),
        valid_until=from_micros(START + 30 * DAY),
        expires=from_micros(START + 20 * DAY),
        superseded_at=from_micros(START + 3),
        superseded_from=from_micros(START + 2),
        supersedes="mem_older",
        superseded_by="mem_newer",
        tags=("food", "吃"),
        role="cook",
        session="s",
        speaker="林",
        subject="林",
        attribute="food",
        external_id="x",
        turn_key="k",
        provenance=Provenance(
            source="import", method=Method.CARD, producer="p", trust=Trust.EXTERNAL,
            derived_from=(Derivation(source, 0, 6),),
        ),
        pinned=True,
        held=True,
        archived=True,
        seen_count=4,
        last_seen_at=from_micros(START + 4),
        recall_count=7,
        last_recalled_at=from_micros(START + 5),
    )  # fmt: skip
