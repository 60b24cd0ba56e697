"""Chains of versions: closing, linking, forgetting in the middle, and refusing a broken path."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from memstone.errors import LineageBroken
from memstone.testing.building import DAY, START, add, draft, note, supersede, texts, wanted
from memstone.testing.case import StoreCase
from memstone.times import from_micros
from memstone.types import Reach

if TYPE_CHECKING:
    from memstone.protocols import Store
    from memstone.types import Memory


def chain_of(store: Store, namespace: int, versions: str) -> list[int]:
    """A chain whose versions are the letters, a second apart; their rows, oldest first."""
    rows = add(store, draft(versions[0], namespace))
    for number, text in enumerate(versions[1:], start=1):
        by = draft(text, namespace, at=START + number * 1_000_000)
        rows.append(supersede(store, rows[-1], by))
    return rows


def whole(store: Store, row: int) -> Memory:
    with store.read() as snapshot:
        (memory,) = snapshot.memories([row])
    return memory


def path(store: Store, row: int) -> str:
    with store.read() as snapshot:
        return "".join(memory.text for memory in snapshot.chain(row))


class VersionConformance(StoreCase):
    def test_closing_dates_the_older_row_and_links_both(self, store: Store, ana: int) -> None:
        (old,) = add(store, draft("100", ana))
        before = whole(store, old)
        by = replace(draft("200", ana, at=START + 9), valid_from=START + 4)
        new = supersede(store, old, by)
        assert whole(store, old) == replace(
            before,
            superseded_at=from_micros(START + 9),
            superseded_from=from_micros(START + 4),
            superseded_by=by.id,
        )
        assert whole(store, new).supersedes == before.id
        assert whole(store, new).current

    def test_the_chain_is_whole_and_oldest_first_from_every_version(
        self, store: Store, ana: int
    ) -> None:
        rows = chain_of(store, ana, "abcde")
        assert {path(store, row) for row in rows} == {"abcde"}

    def test_a_row_without_versions_is_its_own_chain(self, store: Store, ana: int) -> None:
        (row,) = add(store, draft("x", ana))
        assert path(store, row) == "x"

    def test_a_long_chain_is_given_whole(self, store: Store, ana: int) -> None:
        rows = add(store, *(draft(f"v{n}", ana, at=START + n) for n in range(400)))
        with store.write(note("supersede")) as transaction:
            for old, new in pairwise(rows):
                transaction.close(old, by=new, at=START + new, valid_from=START + new)
        with store.read() as snapshot:
            assert [memory.row for memory in snapshot.chain(rows[200])] == rows

    def test_a_chain_that_leads_back_into_itself_is_refused_whole(
        self, store: Store, ana: int
    ) -> None:
        a, b, c = add(store, *(draft(text, ana) for text in "abc"))
        with store.write(note("supersede")) as transaction:
            for old, new in ((a, b), (b, c), (c, a)):
                transaction.close(old, by=new, at=START + 1, valid_from=START + 1)
        with store.read() as snapshot:
            for row in (a, b, c):
                with pytest.raises(LineageBroken):
                    snapshot.chain(row)

    def test_a_link_that_only_one_side_knows_is_refused_whole(self, store: Store, ana: int) -> None:
        a, b, c = add(store, *(draft(text, ana) for text in "abc"))
        with store.write(note("supersede")) as transaction:
            transaction.close(a, by=b, at=START + 1, valid_from=START + 1)
            # b still says that it follows a
            transaction.close(a, by=c, at=START + 1, valid_from=START + 1, beside=True)
        with store.read() as snapshot, pytest.raises(LineageBroken):
            snapshot.chain(b)

    def test_a_row_closed_beside_a_chain_is_told_apart_from_its_versions(
        self, store: Store, ana: int
    ) -> None:
        a, b, c = add(store, *(draft(text, ana) for text in "abc"))
        with store.write(note("settle")) as transaction:
            transaction.close(b, by=c, at=START + 1, valid_from=START + 1)
            transaction.close(a, by=c, at=START + 2, valid_from=START + 1, beside=True)
        with store.read() as snapshot:
            assert [memory.row for memory in snapshot.chain(c)] == [b, c]
            assert [memory.row for memory in snapshot.chain(a)] == [b, c]
            assert [memory.row for memory in snapshot.beside([b, c])] == [a]
            assert snapshot.memories([a])[0].superseded_by == snapshot.memories([c])[0].id
        with store.write(note("undo")) as transaction:
            transaction.reopen(a)
        with store.read() as snapshot:
            assert [memory.row for memory in snapshot.chain(c)] == [b, c]
            assert snapshot.beside([c]) == []
            assert snapshot.memories([a])[0].current

    @pytest.mark.parametrize(("gone", "left"), [(0, "bcd"), (1, "acd"), (2, "abd"), (3, "abc")])
    def test_forgetting_one_version_joins_its_neighbours(
        self, store: Store, ana: int, gone: int, left: str
    ) -> None:
        rows = chain_of(store, ana, "abcd")
        with store.write(note("forget")) as transaction:
            transaction.forget(rows[gone])
        kept = [row for row in rows if row != rows[gone]]
        assert {path(store, row) for row in kept} == {left}
        assert whole(store, kept[0]).supersedes is None
        assert whole(store, kept[-1]).superseded_by is None

    def test_no_older_version_revives_when_the_newest_is_forgotten(
        self, store: Store, ana: int
    ) -> None:
        old, new = chain_of(store, ana, "ab")
        before = whole(store, old)
        with store.write(note("forget")) as transaction:
            transaction.forget(new)
        assert whole(store, old) == replace(before, superseded_by=None)
        assert texts(store, wanted(ana)) == []
        assert texts(store, wanted(ana, reach=Reach.CURRENT)) == []
        assert texts(store, wanted(ana, as_of=START + DAY)) == []
        assert texts(store, wanted(ana, as_of=START)) == ["a"]
        assert texts(store, wanted(ana, reach=Reach.ALL)) == ["a"]

    def test_a_version_keeps_its_days_when_the_next_one_is_forgotten(
        self, store: Store, ana: int
    ) -> None:
        a, b, _ = chain_of(store, ana, "abc")
        before = whole(store, a)
        with store.write(note("forget")) as transaction:
            transaction.forget(b)
        after = whole(store, a)
        assert (after.superseded_at, after.superseded_from) == (
            before.superseded_at,
            before.superseded_from,
        )
        assert texts(store, wanted(ana, as_of=START + 1_500_000)) == []

    def test_all_versions_forgotten_at_once_leave_no_chain(self, store: Store, ana: int) -> None:
        rows = chain_of(store, ana, "abcd")
        with store.write(note("forget")) as transaction:
            for row in (rows[1], rows[3], rows[0], rows[2]):
                transaction.forget(row)
        assert texts(store, wanted(ana, reach=Reach.ALL)) == []

    def test_a_new_version_is_linked_where_the_newest_was_forgotten(
        self, store: Store, ana: int
    ) -> None:
        old, gone = chain_of(store, ana, "ab")
        with store.write(note("forget")) as transaction:
            transaction.forget(gone)
        before = whole(store, old)
        by = draft("c", ana, at=START + DAY)
        with store.write(note("supersede")) as transaction:
            new = transaction.insert(by)
            transaction.link(old, by=new)
        assert whole(store, old) == replace(before, superseded_by=by.id)
        assert path(store, old) == path(store, new) == "ac"

    def test_restored_rows_are_linked_without_moving_their_times(
        self, store: Store, ana: int
    ) -> None:
        exported = [whole(store, row) for row in chain_of(store, ana, "abc")]
        with store.write(note("import")) as transaction:
            for memory in exported:
                transaction.forget(memory.row)
            rows = [transaction.restore(memory, ana) for memory in exported]
            transaction.relink(rows[2], supersedes=rows[1])
            transaction.relink(rows[1], supersedes=rows[0])
        restored = [whole(store, row) for row in rows]
        assert restored == [
            replace(memory, row=row) for memory, row in zip(exported, rows, strict=True)
        ]
        assert path(store, rows[1]) == "abc"
