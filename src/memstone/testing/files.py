"""Files: rows known by a path, found at it or below it, in exactly one scope."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memstone.testing.building import START, add, draft, home, note, supersede
from memstone.testing.case import StoreCase
from memstone.types import Draft, Kind, Scope

if TYPE_CHECKING:
    from memstone.protocols import Store

ANA = Scope("ana")


def file(path: str, namespace: int, text: str = "猫", *, at: int = START) -> Draft:
    """A version of a file; `text` and `at` make its identity, as the path alone would not."""
    made = draft(text, namespace, at=at)
    name = f"{made.id}:{path}"
    return replace(made, id=name, turn_key=name, external_id=path)


def paths(store: Store, path: str, *, scope: Scope = ANA, limit: int | None = None) -> list[str]:
    """The paths of the files there, in the store's order."""
    with store.read() as snapshot:
        return [m.external_id or "" for m in snapshot.files(scope, path, limit=limit)]


class FileConformance(StoreCase):
    def test_files_are_found_at_a_path_and_below_it_in_order(self, store: Store, ana: int) -> None:
        names = ("/m/b/猫", "/m/b", "/m/b-1", "/m/b0", "/m/B/x", "/m/b/a/x", "/m/b%", "/m/", "/n")
        add(store, *(file(name, ana) for name in names))
        assert paths(store, "/m/b") == ["/m/b", "/m/b/a/x", "/m/b/猫"]
        assert paths(store, "/m/b", limit=1) == ["/m/b"]
        assert paths(store, "/m/b/a") == ["/m/b/a/x"]
        assert paths(store, "/m/b_") == paths(store, "/M/b") == paths(store, "m") == []
        assert paths(store, "/m") == sorted(set(names) - {"/n"})

    def test_two_files_may_hold_the_same_text_and_none_at_all(self, store: Store, ana: int) -> None:
        add(store, file("/m/a", ana), file("/m/b", ana), file("/m/c", ana, ""))
        with store.read() as snapshot:
            assert [m.text for m in snapshot.files(ANA, "/m")] == ["猫", "猫", ""]

    def test_only_current_files_are_found(self, store: Store, ana: int) -> None:
        rows = add(store, file("/m/a", ana), file("/m/b", ana), file("/m/c", ana))
        supersede(store, rows[0], file("/m/z", ana, at=START + 1))
        with store.write(note("forget")) as transaction:
            transaction.forget(rows[1])
        assert paths(store, "/m") == ["/m/c", "/m/z"]

    def test_of_two_at_one_path_the_newest_row_comes_first(self, store: Store, ana: int) -> None:
        rows = add(store, file("/m/a", ana), file("/m/a", ana, at=START + 1))
        with store.read() as snapshot:
            assert [m.row for m in snapshot.files(ANA, "/m/a")] == rows[::-1]

    def test_turns_and_memories_with_an_external_id_are_no_files(
        self, store: Store, ana: int
    ) -> None:
        turn = replace(file("/m/turn", ana), kind=Kind.TURN, session="s")
        fact = replace(draft("fact", ana), external_id="/m/fact")
        add(store, turn, fact)
        assert paths(store, "/m") == []

    def test_files_of_a_shared_or_another_scope_are_not_found(self, store: Store, ana: int) -> None:
        atlas = home(store, "ana", project="atlas")
        add(store, file("/m/shared", ana), file("/m/own", atlas))
        assert paths(store, "/m") == ["/m/shared"]
        assert paths(store, "/m", scope=Scope("ana", "atlas")) == ["/m/own"]
        assert paths(store, "/m", scope=Scope("bo")) == []

    def test_a_transaction_sees_the_files_it_has_written(self, store: Store, ana: int) -> None:
        with store.write(note()) as transaction:
            transaction.insert(file("/m/a", ana))
            assert len(transaction.files(ANA, "/m")) == 1
