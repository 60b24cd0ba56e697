"""All or nothing, one writer at a time, and readers who keep the state they began with."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memstone.errors import StoreClosed, StoreError
from memstone.testing.building import (
    DAY,
    INDEX,
    START,
    add,
    draft,
    found_by,
    home,
    note,
    supersede,
    units_of,
    wanted,
)
from memstone.testing.case import StoreCase
from memstone.types import Reach, Scope, View

if TYPE_CHECKING:
    from memstone.protocols import Store, Transaction


class Interrupted(BaseException):
    """What ends a block from outside, as Ctrl-C does."""


def picture(store: Store, namespace: int) -> tuple[object, ...]:
    """Everything the store says about one namespace, for comparing before and after."""
    with store.read() as snapshot:
        rows = snapshot.select(wanted(namespace, reach=Reach.ALL), limit=None, after_row=0)
        postings = snapshot.postings(INDEX, wanted(namespace, as_of=START + DAY))
        terms = postings.terms(["a", "b", "c", "new"])
        return (
            rows,
            snapshot.generation(),
            snapshot.changes((namespace,), limit=999),
            snapshot.pending_index(INDEX),
            replace(snapshot.statistics((namespace,), START + DAY), file_bytes=0),
            postings.statistics(),
            terms,
            [sorted(postings.scan(term)) for term in terms],
        )


class AtomicityConformance(StoreCase):
    @pytest.mark.parametrize("failure", [ValueError, Interrupted])
    def test_a_block_that_fails_changes_nothing(
        self, store: Store, ana: int, failure: type[BaseException]
    ) -> None:
        a, b, c = add(store, *(draft(f"{text} x", ana) for text in "abc"))
        supersede(store, a, draft("new a", ana, at=START + 5))
        before = picture(store, ana)

        def fail_late(transaction: Transaction) -> None:
            transaction.intern(Scope("bo"))
            row = transaction.insert(draft("new", ana))
            transaction.index(row, INDEX, units_of("new a"), complete=True)
            transaction.close(b, by=row, at=START + 9, valid_from=START + 9)
            transaction.add_tags(c, ("t",))
            transaction.set_pinned(c, pinned=True)
            transaction.set_expires(c, START)
            transaction.seen(c, START)
            transaction.restore(replace(transaction.memories([c])[0], id="mem_copy"), ana)
            transaction.forget(a)
            raise failure

        with pytest.raises(failure), store.write(note("fails")) as transaction:
            fail_late(transaction)
        assert picture(store, ana) == before
        with store.read() as snapshot:
            assert snapshot.namespaces(View(Scope("bo"))) == ()

    def test_the_store_goes_on_after_a_block_that_failed(self, store: Store, ana: int) -> None:
        with pytest.raises(KeyError), store.write(note()) as transaction:
            transaction.insert({1: draft("a", ana)}[2])
        (row,) = add(store, draft("a b", ana))
        assert found_by(store, "a", wanted(ana)) == {row}

    def test_a_block_that_changes_nothing_leaves_no_trace(self, store: Store, ana: int) -> None:
        add(store, draft("a", ana))
        before = picture(store, ana)
        with store.write(note("nothing")) as transaction:
            assert transaction.count(wanted(ana)) == 1
        assert picture(store, ana) == before

    def test_every_content_write_moves_the_generation_forward(self, store: Store, ana: int) -> None:
        def generation() -> int:
            with store.read() as snapshot:
                return snapshot.generation()

        seen = [generation()]
        (row,) = add(store, draft("a", ana))
        seen.append(generation())
        new = supersede(store, row, draft("b", ana, at=START + 5))
        seen.append(generation())
        with store.write(note()) as transaction:
            transaction.add_tags(new, ("t",))
        seen.append(generation())
        with store.write(note()) as transaction:
            transaction.set_pinned(new, pinned=True)
        seen.append(generation())
        with store.write(note()) as transaction:
            transaction.set_expires(new, START + DAY)
        seen.append(generation())
        with store.write(note()) as transaction:
            transaction.index(new, "next", units_of("b"), complete=True)
        seen.append(generation())
        with store.write(note("forget")) as transaction:
            transaction.forget(new)
        seen.append(generation())
        assert seen == sorted(set(seen))

    def test_a_snapshot_keeps_the_state_it_began_with(self, store: Store, ana: int) -> None:
        a, b = add(store, draft("a", ana), draft("b", ana))
        with store.read() as snapshot:
            supersede(store, a, draft("new a", ana, at=START + 5))
            with store.write(note("forget")) as transaction:
                transaction.forget(b)
            store.touch([a], START)
            home(store, "bo")
            old = snapshot.memories([a, b])
            assert [memory.text for memory in old] == ["a", "b"]
            assert old[0].current
            assert old[0].recall_count == 0
            assert snapshot.count(wanted(ana)) == 2
            assert len(snapshot.changes((ana,), limit=9)) == 1
            assert snapshot.namespaces(View(Scope("bo"))) == ()
            postings = snapshot.postings(INDEX, wanted(ana))
            assert [term.df for term in postings.terms(["a", "b", "new"])] == [1, 1]
        with store.read() as snapshot:
            assert [memory.text for memory in snapshot.memories([a, b])] == ["a"]

    def test_a_transaction_reads_what_it_wrote(self, store: Store, ana: int) -> None:
        (old,) = add(store, draft("a", ana))
        with store.write(note()) as transaction:
            bo = transaction.intern(Scope("bo"))
            assert transaction.intern(Scope("bo")) == bo
            assert transaction.namespaces(View(Scope("bo"))) == (bo,)
            row = transaction.insert(draft("new", ana, at=START + 5))
            transaction.index(row, INDEX, units_of("new"), complete=True)
            both = transaction.postings(INDEX, wanted(ana))
            assert [term.df for term in both.terms(["a", "new"])] == [1, 1]
            assert both.statistics().units == 2
            transaction.close(old, by=row, at=START + 5, valid_from=START + 5)
            assert [memory.row for memory in transaction.chain(old)] == [old, row]
            assert transaction.count(wanted(ana)) == 1
            (term,) = transaction.postings(INDEX, wanted(ana)).terms(["a", "new"])
            assert (term.term, term.df) == ("new", 1)

    def test_an_open_write_is_not_seen_from_outside(self, store: Store, ana: int) -> None:
        def count() -> int:
            with store.read() as snapshot:
                return snapshot.count(wanted(ana))

        with store.write(note()) as transaction, ThreadPoolExecutor(1) as pool:
            transaction.insert(draft("a", ana))
            assert count() == 0
            assert pool.submit(count).result(timeout=30) == 0
        assert count() == 1

    def test_writers_in_threads_wait_for_each_other(self, store: Store, ana: int) -> None:
        (shared,) = add(store, draft("shared", ana))

        def write(number: int) -> int:
            with store.write(note()) as transaction:
                tags = transaction.memories([shared])[0].tags
                transaction.add_tags(shared, (f"t{len(tags)}",))  # loses one unless serial
            return add(store, draft(f"text {number}", ana))[0]

        with ThreadPoolExecutor(8) as pool:
            rows = list(pool.map(write, range(24)))
        assert sorted(rows) == list(range(2, 26))
        with store.read() as snapshot:
            assert len(snapshot.memories([shared])[0].tags) == 24
        assert found_by(store, "text", wanted(ana)) == set(rows)

    def test_uses_counted_in_threads_are_all_counted(self, store: Store, ana: int) -> None:
        (row,) = add(store, draft("a", ana))
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda at: store.touch([row], START + at), range(24)))
        with store.read() as snapshot:
            assert snapshot.memories([row])[0].recall_count == 24

    def test_a_write_inside_a_write_is_refused(self, store: Store, ana: int) -> None:
        with store.write(note()) as transaction:
            row = transaction.insert(draft("a", ana))
            with pytest.raises(StoreError), store.write(note()):
                pass
            with pytest.raises(StoreError):
                store.touch([row], START)
        with store.read() as snapshot:
            assert snapshot.count(wanted(ana)) == 1

    def test_a_closed_store_refuses_every_call(self, store: Store, ana: int) -> None:
        add(store, draft("a", ana))
        store.close()
        store.close()
        with pytest.raises(StoreClosed), store.read():
            pass
        with pytest.raises(StoreClosed), store.write(note()):
            pass
        with pytest.raises(StoreClosed):
            store.touch([1], START)
