"""Indexes beside each other: which there are, whether they are whole, and that rows are in all."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memstone.testing.building import (
    INDEX,
    START,
    add,
    draft,
    found_by,
    note,
    supersede,
    units_of,
    wanted,
)
from memstone.testing.case import StoreCase

if TYPE_CHECKING:
    from memstone.protocols import Store

OTHER = "other-1"


def begin(store: Store, index: str = OTHER) -> None:
    with store.write(note("index")) as transaction:
        transaction.begin_index(index)


def kept(store: Store) -> dict[str, bool]:
    with store.read() as snapshot:
        return snapshot.indexes()


class IndexConformance(StoreCase):
    def test_an_empty_store_has_no_index(self, store: Store) -> None:
        assert kept(store) == {}

    def test_the_first_row_makes_its_index_and_it_is_whole(self, store: Store, ana: int) -> None:
        add(store, draft("猫", ana))
        assert kept(store) == {INDEX: True}

    def test_an_index_that_was_begun_is_whole_once_it_is_declared_so(self, store: Store) -> None:
        begin(store)
        begin(store)
        assert kept(store) == {OTHER: False}
        with store.write(note("index")) as transaction:
            transaction.complete_index(OTHER)
            assert transaction.indexes() == {OTHER: True}
        begin(store)
        assert kept(store) == {OTHER: True}

    def test_declaring_an_unknown_index_makes_none(self, store: Store) -> None:
        with store.write(note("index")) as transaction:
            transaction.complete_index(OTHER)
        assert kept(store) == {}

    def test_indexing_a_row_does_not_make_an_index_whole(self, store: Store, ana: int) -> None:
        (row,) = add(store, draft("猫", ana))
        begin(store)
        with store.write(note("index")) as transaction:
            transaction.index(row, OTHER, units_of("猫"), complete=True)
        assert kept(store) == {INDEX: True, OTHER: False}

    def test_a_row_is_pending_in_each_index_by_itself(self, store: Store, ana: int) -> None:
        one, two = add(store, draft("猫", ana), draft("狗", ana, at=START + 1))
        begin(store)
        with store.write(note("index")) as transaction:
            transaction.index(one, OTHER, units_of("猫"), complete=True)
            transaction.index(two, OTHER, (), complete=False)
        with store.read() as snapshot:
            assert snapshot.pending_index(INDEX) == []
            assert snapshot.pending_index(OTHER) == [(two, 0)]
            assert snapshot.interrupted_index(OTHER) == [(two, 0)]
        assert found_by(store, "狗", wanted(ana)) == {two}
        assert found_by(store, "狗", wanted(ana), index=OTHER) == set()

    def test_statistics_of_one_index_do_not_count_another(self, store: Store, ana: int) -> None:
        (row,) = add(store, draft("a b a 猫", ana))
        with store.write(note("index")) as transaction:
            transaction.index(row, OTHER, units_of("猫 猫"), complete=True)
        with store.read() as snapshot:
            for index, length in ((INDEX, 4), (OTHER, 2)):
                found = snapshot.postings(index, wanted(ana)).statistics()
                assert (found.units, found.total_length) == (1, length)

    def test_a_row_leaves_every_index_when_it_is_superseded(self, store: Store, ana: int) -> None:
        (row,) = add(store, draft("100 猫", ana))
        with store.write(note("index")) as transaction:
            transaction.index(row, OTHER, units_of("100 猫"), complete=True)
        newer = supersede(store, row, draft("200 猫", ana, at=START + 1))
        assert found_by(store, "猫", wanted(ana)) == {newer}
        assert found_by(store, "猫", wanted(ana), index=OTHER) == set()
        then = replace(wanted(ana, as_of=START, known_at=START))
        assert found_by(store, "猫", then, index=OTHER) == {row}

    def test_a_row_leaves_every_index_when_it_is_forgotten(self, store: Store, ana: int) -> None:
        (row,) = add(store, draft("猫", ana))
        with store.write(note("index")) as transaction:
            transaction.index(row, OTHER, units_of("猫"), complete=True)
            transaction.forget(row)
        with store.read() as snapshot:
            for index in (INDEX, OTHER):
                assert snapshot.postings(index, wanted(ana)).terms(["猫"]) == []

    def test_a_mark_stays_and_can_be_set_again(self, store: Store) -> None:
        with store.read() as snapshot:
            assert snapshot.mark("导入") is None
            before = snapshot.generation()
        for value in ("一", "二"):
            with store.write(note("mark")) as transaction:
                transaction.set_mark("导入", value)
                assert transaction.mark("导入") == value
        with store.read() as snapshot:
            assert (snapshot.mark("导入"), snapshot.mark("导")) == ("二", None)
            assert snapshot.generation() == before

    def test_a_failed_write_leaves_neither_index_nor_mark(self, store: Store) -> None:
        def fail() -> None:
            with store.write(note("index")) as transaction:
                transaction.begin_index(OTHER)
                transaction.set_mark("m", "1")
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            fail()
        assert kept(store) == {}
        with store.read() as snapshot:
            assert snapshot.mark("m") is None
