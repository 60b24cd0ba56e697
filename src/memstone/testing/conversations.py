"""What a store notes of conversations, statements and contradictions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memstone.testing.building import START, add, draft, home, note
from memstone.testing.case import StoreCase
from memstone.times import from_micros
from memstone.types import Derivation, Kind, Provenance

if TYPE_CHECKING:
    from memstone.protocols import Snapshot, Store
    from memstone.types import Conversation, Draft

SOURCE = "import:chat"


def turn(text: str, namespace: int, session: str | None = "s", key: str | None = None) -> Draft:
    origin = Provenance(source=SOURCE)
    return replace(
        draft(text, namespace),
        kind=Kind.TURN,
        session=session,
        turn_key=key or f"#{text}",
        provenance=origin,
    )


def waiting(snapshot: Snapshot, *namespaces: int) -> list[tuple[str | None, list[str]]]:
    found = snapshot.conversations(namespaces, limit=99)
    return [(one.session, [memory.text for memory in snapshot.turns(one)]) for one in found]


def only(store: Store, namespace: int) -> Conversation:
    with store.read() as snapshot:
        (found,) = snapshot.conversations((namespace,), pending=False, limit=9)
    return found


class ConversationConformance(StoreCase):
    def test_turns_wait_for_cards_until_somebody_says_they_are_made(
        self, store: Store, ana: int
    ) -> None:
        ben = home(store, "ben")
        add(store, turn("一", ana), turn("二", ana), turn("other", ana, session=None))
        add(store, turn("of ben", ben), draft("no turn", ana))
        with store.read() as snapshot:
            assert waiting(snapshot, ana) == [(None, ["other"]), ("s", ["一", "二"])]
            found = next(one for one in snapshot.conversations((ana,), limit=9) if one.session)
        assert (found.source, found.ended, found.touched_at) == (SOURCE, False, from_micros(START))
        with store.write(note("cards")) as transaction:
            assert transaction.mark_carded(found)
            assert not transaction.mark_carded(found)  # another worker comes too late
        add(store, turn("三", ana))
        with store.read() as snapshot:
            assert waiting(snapshot, ana) == [(None, ["other"]), ("s", ["三"])]
            assert waiting(snapshot, ben) == [("s", ["of ben"])]

    def test_a_conversation_that_was_ended_goes_on_with_its_next_turn(
        self, store: Store, ana: int
    ) -> None:
        add(store, turn("一", ana))
        with store.write(note("end")) as transaction:
            transaction.end_conversations(ana, SOURCE, ["s", "unknown"])
        assert only(store, ana).ended
        add(store, turn("二", ana))
        assert not only(store, ana).ended

    def test_turns_out_of_recall_are_not_among_those_that_wait(
        self, store: Store, ana: int
    ) -> None:
        gone, held, stays = add(store, turn("一", ana), turn("二", ana), turn("三", ana))
        with store.write(note("undo")) as transaction:
            transaction.set_archived(gone, archived=True)
            transaction.set_held(held, held=True)
            transaction.forget(stays)
        with store.read() as snapshot:
            assert waiting(snapshot, ana) == [("s", [])]

    def test_restored_turns_bring_their_cards_with_them(self, store: Store, ana: int) -> None:
        (row,) = add(store, turn("一", ana))
        with store.read() as snapshot:
            (memory,) = snapshot.memories([row])
        with store.write(note("forget")) as transaction:
            transaction.mark_carded(only(store, ana))
            transaction.forget(row)
        with store.write(note("import")) as transaction:
            transaction.restore(memory, ana)
        with store.read() as snapshot:
            assert waiting(snapshot, ana) == []
        add(store, turn("二", ana))
        with store.read() as snapshot:
            assert waiting(snapshot, ana) == [("s", ["二"])]

    def test_unsettled_rows_are_found_until_they_are_settled_or_forgotten(
        self, store: Store, ana: int
    ) -> None:
        ben = home(store, "ben")
        first, second, plain = add(
            store,
            replace(draft("a", ana), unsettled=True),
            replace(draft("b", ana), unsettled=True),
            draft("c", ana),
        )
        with store.read() as snapshot:
            assert snapshot.unsettled((ana,), limit=9) == [first, second]
            assert snapshot.unsettled((ana,), limit=1) == [first]
            assert snapshot.unsettled((ben,), limit=9) == []
        with store.write(note("settle")) as transaction:
            transaction.settle(first)
            transaction.settle(plain)
            transaction.forget(second)
        with store.read() as snapshot:
            assert snapshot.unsettled((ana,), limit=9) == []

    def test_what_rows_state_is_found_by_subject_and_attribute_while_they_are_current(
        self, store: Store, ana: int
    ) -> None:
        ben = home(store, "ben")
        old, new, other = add(store, draft("a", ana), draft("b", ana), draft("c", ben))
        with store.write(note("settle")) as transaction:
            transaction.set_about(old, [("用户", "name"), ("用户", "budget")])
            transaction.set_about(new, [("用户", "name")])
            transaction.set_about(other, [("用户", "name")])
        with store.read() as snapshot:
            assert snapshot.about(ana, "用户", "name") == [(old, "name"), (new, "name")]
            assert snapshot.about(ana, "用户") == [
                (old, "budget"), (old, "name"), (new, "name"),
            ]  # fmt: skip
            assert snapshot.about(ana, "user") == []
        with store.write(note("settle")) as transaction:
            transaction.set_about(new, [("用户", "age")])
            transaction.close(old, by=new, at=START + 1, valid_from=START)
        with store.read() as snapshot:
            assert snapshot.about(ana, "用户") == [(new, "age")]

    def test_a_possible_conflict_is_open_until_it_is_settled_or_one_of_the_two_is_history(
        self, store: Store, ana: int
    ) -> None:
        ben = home(store, "ben")
        a, b, c, d = add(store, *(draft(text, ana) for text in "abcd"))
        with store.write(note("settle")) as transaction:
            assert transaction.note_conflict(a, b, "says-more")
            assert not transaction.note_conflict(a, b, "again")
            assert transaction.note_conflict(c, d, "low-trust")
        with store.read() as snapshot:
            first, second = snapshot.conflicts((ana,))
            assert (first.older.row, first.newer.row, first.reason) == (a, b, "says-more")
            assert [one.number for one in snapshot.conflicts((ana,), rows=[d])] == [second.number]
            assert snapshot.conflicts((ana,), rows=[]) == []
            assert snapshot.conflicts((ben,)) == []
            assert snapshot.conflict(first.number, (ben,)) is None
        with store.write(note("resolve")) as transaction:
            transaction.resolve(first.number, "both")
            transaction.set_archived(c, archived=True)
        with store.read() as snapshot:
            assert snapshot.conflicts((ana,)) == []
            assert len(snapshot.conflicts((ana,), resolved=True)) == 2
            settled = snapshot.conflict(first.number, (ana,))
            assert settled is not None
            assert settled.resolution == "both"
        with store.write(note("undo")) as transaction:
            transaction.resolve(first.number, None)
            transaction.forget(d)
        with store.read() as snapshot:
            assert [one.number for one in snapshot.conflicts((ana,))] == [first.number]
            assert snapshot.conflict(second.number, (ana,)) is None

    def test_derived_rows_and_their_sources_find_each_other(self, store: Store, ana: int) -> None:
        one, two = add(store, turn("一", ana), turn("二", ana))
        with store.read() as snapshot:
            ids = [memory.id for memory in snapshot.memories([one, two])]
        spans = (Derivation(ids[0], 0, 1), Derivation(ids[0], 2, 3), Derivation(ids[1], 0, 3))
        card = replace(draft("card", ana), provenance=Provenance(derived_from=spans))
        (row,) = add(store, card)
        with store.read() as snapshot:
            assert snapshot.sources([row, one]) == {row: (one, two)}
            assert snapshot.derived([two]) == [row]
            assert snapshot.derived([row]) == []
            assert snapshot.derived([]) == []

    def test_another_users_memory_is_no_source(self, store: Store, ana: int) -> None:
        ben = home(store, "ben")
        (theirs,) = add(store, turn("一", ben))
        with store.read() as snapshot:
            id_ = snapshot.memories([theirs])[0].id
        forged = replace(
            draft("card", ana), provenance=Provenance(derived_from=(Derivation(id_, 0, 1),))
        )
        (row,) = add(store, forged)
        with store.read() as snapshot:
            assert snapshot.derived([theirs]) == []
            assert snapshot.memories([row])[0].provenance.derived_from == ()

    def test_what_was_imported_is_found_by_the_id_it_had_elsewhere(
        self, store: Store, ana: int
    ) -> None:
        ben = home(store, "ben")
        origin = Provenance(source="import:mem0")
        imported = replace(draft("a", ana), external_id="m-1", provenance=origin)
        (row,) = add(store, imported)
        with store.read() as snapshot:
            assert [m.row for m in snapshot.imported(ana, "import:mem0", "m-1")] == [row]
            assert snapshot.imported(ana, "import:other", "m-1") == []
            assert snapshot.imported(ben, "import:mem0", "m-1") == []
