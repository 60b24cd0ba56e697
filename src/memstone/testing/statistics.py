"""What `stats` shows: counts of the namespaces a reader sees, each by its own definition."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memstone.testing.building import START, add, draft, home, note, supersede, wanted
from memstone.testing.case import StoreCase
from memstone.testing.selection import NOW, furnish
from memstone.types import Kind, Reach, Statistics

if TYPE_CHECKING:
    from memstone.protocols import Store


class StatisticsConformance(StoreCase):
    def test_an_empty_store_counts_nothing(self, store: Store, ana: int) -> None:
        with store.read() as snapshot:
            found = snapshot.statistics((ana,), NOW)
        assert replace(found, file_bytes=0) == Statistics(0, 0, 0, 0, 0, 0, (), 0, 0, 0)

    def test_every_state_of_a_row_is_counted(self, store: Store, ana: int) -> None:
        furnish(store, ana)
        add(store, replace(draft("task one", ana), kind=Kind.TASK))
        with store.read() as snapshot:
            found = snapshot.statistics((ana,), NOW)
            assert found.current == snapshot.count(wanted(ana, reach=Reach.CURRENT)) == 7
            assert found.superseded == 1
            assert found.expired == 1
            assert found.held == snapshot.count(wanted(ana, reach=Reach.HELD)) == 1
            assert found.archived == snapshot.count(wanted(ana, reach=Reach.ARCHIVED)) == 1
            assert found.by_kind == (("fact", 6), ("task", 1))
            assert found.file_bytes >= 0
            assert snapshot.statistics((ana,), NOW - 1).expired == 0

    def test_what_is_forgotten_is_counted_and_nothing_else_of_it(
        self, store: Store, ana: int
    ) -> None:
        old, gone = add(store, draft("old", ana), draft("gone", ana))
        new = supersede(store, old, draft("new", ana, at=START + 5))
        with store.write(note("forget")) as transaction:
            transaction.forget(gone)
            transaction.forget(old)
        with store.read() as snapshot:
            found = snapshot.statistics((ana,), NOW)
            assert [memory.row for memory in snapshot.chain(new)] == [new]
        assert (found.current, found.superseded, found.forgotten) == (1, 0, 2)
        assert (found.units, found.terms) == (1, 1)

    def test_nothing_of_other_namespaces_is_counted(self, store: Store, ana: int) -> None:
        bo = home(store, "bo")
        rows = add(store, *(draft(text, bo) for text in ("x y", "z")))
        with store.write(note("forget")) as transaction:
            transaction.forget(rows[1])
        with store.read() as snapshot:
            assert replace(snapshot.statistics((ana,), NOW), file_bytes=0) == Statistics(
                0, 0, 0, 0, 0, 0, (), 0, 0, 0
            )
            both = snapshot.statistics((ana, bo), NOW)
        assert (both.current, both.forgotten, both.units, both.terms) == (1, 1, 1, 2)
