"""Which rows a filter lets through, at every border, and in which order they come."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memstone.testing.building import (
    DAY,
    INDEX,
    START,
    add,
    draft,
    home,
    note,
    supersede,
    texts,
    wanted,
)
from memstone.testing.case import StoreCase
from memstone.times import from_micros
from memstone.types import Kind, Reach

if TYPE_CHECKING:
    from memstone.protocols import Store
    from memstone.types import Filter

NOW = START + DAY


def furnish(store: Store, namespace: int) -> None:
    """One row for each way of being in reach or not; its text names it."""
    named = {text: draft(text, namespace) for text in ("plain", "old", "expired", "held", "over")}
    add(
        store,
        named["plain"],
        replace(named["expired"], expires=NOW),
        replace(named["held"], held=True),
        replace(named["over"], valid_until=NOW),
        replace(draft("future", namespace), valid_from=NOW + 1),
        # written while the clock was ahead: valid since it was written, though that lies ahead
        draft("clock set back", namespace, at=NOW + DAY),
    )
    (old,) = add(store, named["old"])
    supersede(store, old, draft("new", namespace, at=START + 5))
    with store.write(note("archive")) as transaction:
        (plain,) = transaction.memories([1])
        archived = replace(plain, id="mem_archived", text="archived", archived=True)
        transaction.restore(archived, namespace)


class SelectionConformance(StoreCase):
    @pytest.mark.parametrize(
        ("reach", "expected"),
        [
            (Reach.RECALLABLE, {"plain", "new", "clock set back"}),
            (
                Reach.CURRENT,
                {"plain", "new", "clock set back", "expired", "over", "future"},
            ),
            (
                Reach.ALL,
                {
                    "plain", "new", "clock set back", "expired", "held", "over", "future",
                    "archived", "old",
                },
            ),
            (Reach.HELD, {"held"}),
            (Reach.ARCHIVED, {"archived"}),
        ],
    )  # fmt: skip
    def test_the_reach_decides_which_rows_are_there_at_all(
        self, store: Store, ana: int, reach: Reach, expected: set[str]
    ) -> None:
        furnish(store, ana)
        assert set(texts(store, wanted(ana, reach=reach, now=NOW))) == expected

    @pytest.mark.parametrize(
        ("reach", "expected"),
        [
            (Reach.RECALLABLE, {"plain", "over", "old"}),
            (Reach.CURRENT, {"plain", "over", "old", "expired"}),
            (Reach.HELD, {"held"}),
            (Reach.ARCHIVED, {"archived"}),
        ],
    )
    def test_history_shows_what_was_true_then_but_what_expired_or_is_held_stays_hidden(
        self, store: Store, ana: int, reach: Reach, expected: set[str]
    ) -> None:
        furnish(store, ana)
        assert set(texts(store, wanted(ana, reach=reach, now=NOW, as_of=START))) == expected

    def test_what_is_recalled_ends_at_the_very_instant(self, store: Store, ana: int) -> None:
        over = replace(draft("over", ana), valid_until=NOW)
        expired = replace(draft("expired", ana), expires=NOW)
        future = replace(draft("future", ana), valid_from=NOW)
        add(store, over, expired, future)
        assert set(texts(store, wanted(ana, now=NOW - 1))) == {"over", "expired"}
        assert set(texts(store, wanted(ana, now=NOW))) == {"future"}

    def test_as_of_looks_at_valid_time_to_the_microsecond(self, store: Store, ana: int) -> None:
        add(store, replace(draft("x", ana), valid_from=START - 9, valid_until=START - 3))
        seen = [
            instant
            for instant in range(START - 12, START + 1)
            if texts(store, wanted(ana, as_of=instant))
        ]
        assert seen == list(range(START - 9, START - 3))

    def test_known_at_looks_at_recorded_time_to_the_microsecond(
        self, store: Store, ana: int
    ) -> None:
        (old,) = add(store, draft("100", ana, at=START))
        supersede(store, old, draft("200", ana, at=START + 5))
        for known_at, expected in (
            (START - 1, []),
            (START, ["100"]),
            (START + 4, ["100"]),
            (START + 5, ["200"]),
        ):
            selection = wanted(ana, as_of=START + 9, known_at=known_at)
            assert texts(store, selection) == expected

    def test_a_correction_known_later_rules_over_the_past_it_corrects(
        self, store: Store, ana: int
    ) -> None:
        (wrong,) = add(store, draft("wrong", ana, at=START))
        right = replace(draft("right", ana, at=START + 5), valid_from=START - 5)
        supersede(store, wrong, right)
        assert texts(store, wanted(ana, as_of=START + 2)) == ["right"]
        assert texts(store, wanted(ana, as_of=START + 2, known_at=START + 4)) == ["wrong"]
        assert texts(store, wanted(ana, as_of=START - 2, known_at=START + 4)) == []

    def test_a_change_dated_back_leaves_the_older_value_its_days(
        self, store: Store, ana: int
    ) -> None:
        (old,) = add(store, draft("100", ana, at=START))
        supersede(store, old, replace(draft("200", ana, at=START + 9), valid_from=START + 4))
        assert texts(store, wanted(ana, as_of=START + 3)) == ["100"]
        assert texts(store, wanted(ana, as_of=START + 4)) == ["200"]

    def test_the_own_end_of_validity_counts_also_for_a_superseded_row(
        self, store: Store, ana: int
    ) -> None:
        (old,) = add(store, replace(draft("100", ana), valid_until=START + 2))
        supersede(store, old, draft("200", ana, at=START + 5))
        assert texts(store, wanted(ana, as_of=START + 1)) == ["100"]
        assert texts(store, wanted(ana, as_of=START + 3)) == []

    def test_expiry_looks_from_now_under_as_of_too(self, store: Store, ana: int) -> None:
        add(store, replace(draft("x", ana), expires=NOW))
        assert texts(store, wanted(ana, now=NOW - 1, as_of=START)) == ["x"]
        assert texts(store, wanted(ana, now=NOW, as_of=START)) == []
        assert texts(store, wanted(ana, now=NOW, as_of=START, reach=Reach.CURRENT)) == ["x"]

    @pytest.mark.parametrize(
        ("condition", "expected"),
        [
            ({}, "abcd"),
            ({"kinds": (Kind.TASK,)}, "b"),
            ({"kinds": (Kind.TASK, Kind.FACT)}, "abcd"),
            ({"kinds": (Kind.CARD,)}, ""),
            ({"tags_all": ("x",)}, "abc"),
            ({"tags_all": ("x", "y")}, "bc"),
            ({"tags_all": ("x", "z")}, ""),
            ({"tags_all": ("%",)}, "d"),
            ({"tags_all": ("X",)}, ""),
            ({"tags_any": ("y", "%")}, "bcd"),
            ({"tags_any": ("z", "_")}, ""),
            ({"tags_all": ("x",), "tags_any": ("y", "z"), "kinds": (Kind.FACT,)}, "c"),
            ({"session": "会话"}, "c"),
            ({"session": "会"}, ""),
            ({"session": ""}, ""),
            ({"since": START + 1}, "bcd"),
            ({"until": START + 2}, "ab"),
            ({"since": START + 1, "until": START + 3}, "bc"),
            ({"since": START + 2, "until": START + 2}, ""),
        ],
    )
    def test_every_condition_asked_for_must_hold(
        self, store: Store, ana: int, condition: dict[str, object], expected: str
    ) -> None:
        a, b, c, d = (draft(text, ana, at=START + n) for n, text in enumerate("abcd"))
        add(
            store,
            replace(a, tags=("x",)),
            replace(b, tags=("x", "y"), kind=Kind.TASK),
            replace(c, tags=("y", "x"), session="会话"),
            replace(d, tags=("%",), session="other"),
        )
        selection: Filter = replace(wanted(ana), **condition)  # type: ignore[arg-type]
        with store.read() as snapshot:
            found = snapshot.select(selection, limit=None)
            assert snapshot.count(selection) == len(found)
        assert "".join(sorted(memory.text for memory in found)) == expected

    def test_rows_come_newest_first_and_of_one_instant_the_last_written_first(
        self, store: Store, ana: int
    ) -> None:
        times = {"a": 3, "b": 1, "c": 3, "d": 2}
        add(store, *(draft(text, ana, at=START + at) for text, at in times.items()))
        assert texts(store, wanted(ana)) == ["c", "a", "d", "b"]
        assert texts(store, wanted(ana), limit=2) == ["c", "a"]
        assert texts(store, wanted(ana), limit=0) == []

    def test_after_a_row_the_next_ones_come_by_number(self, store: Store, ana: int) -> None:
        times = {"a": 3, "b": 1, "c": 3, "d": 2}
        add(store, *(draft(text, ana, at=START + at) for text, at in times.items()))
        with store.read() as snapshot:
            for after, limit, expected in (
                (0, None, "abcd"),
                (0, 3, "abc"),
                (3, 3, "d"),
                (4, 3, ""),
            ):
                found = snapshot.select(wanted(ana), limit=limit, after_row=after)
                assert "".join(memory.text for memory in found) == expected

    def test_conditions_apply_before_the_cut(self, store: Store, ana: int) -> None:
        noise = (draft(f"noise {n}", ana, at=START + 1 + n) for n in range(60))
        add(store, replace(draft("wanted", ana), tags=("t",)), *noise)
        assert texts(store, replace(wanted(ana), tags_any=("t",)), limit=1) == ["wanted"]
        assert texts(store, wanted(ana, as_of=START), limit=1) == ["wanted"]

    def test_no_namespace_means_no_row(self, store: Store, ana: int) -> None:
        add(store, draft("a", ana))
        home(store, "empty")
        with store.read() as snapshot:
            assert snapshot.select(wanted(), limit=None) == []
            assert snapshot.count(wanted(reach=Reach.ALL)) == 0

    def test_several_namespaces_are_read_as_one(self, store: Store, ana: int) -> None:
        atlas = home(store, "ana", project="atlas")
        add(store, draft("a", ana, at=START + 1), draft("b", atlas), draft("c", ana))
        assert texts(store, wanted(ana, atlas)) == ["a", "c", "b"]

    def test_rows_holding_every_term_are_found_in_whatever_state_and_in_no_other_namespace(
        self, store: Store, ana: int
    ) -> None:
        ben = home(store, "ben")
        (old,) = add(store, draft("预算 is 100", ana))
        new = supersede(store, old, draft("预算 is 200", ana, at=START + 5))
        far = "预算 " + "x " * 20 + "200"  # in two units
        both, part, held, archived, theirs = add(
            store,
            draft(far, ana),
            draft("预算 is nothing", ana),
            draft("200 预算 held", ana),
            draft("200 预算 archived", ana),
            draft("预算 200", ben),
        )
        with store.write(note("review")) as transaction:
            transaction.set_held(held, held=True)
            transaction.set_archived(archived, archived=True)
        with store.read() as snapshot:
            assert snapshot.holding(INDEX, ["预算", "200"], (ana,)) == [new, both, held, archived]
            assert snapshot.holding(INDEX, ["预算"], (ana, ben)) == sorted(
                [old, new, both, part, held, archived, theirs]
            )
            assert snapshot.holding(INDEX, ["200", "nothing"], (ana,)) == []
            assert snapshot.holding(INDEX, ["absent", "200"], (ana,)) == []
            assert snapshot.holding("other-1", ["200"], (ana,)) == []
            assert snapshot.holding(INDEX, ["200"], ()) == []

    def test_a_write_finds_what_it_has_just_indexed_and_no_more_what_it_forgot(
        self, store: Store, ana: int
    ) -> None:
        gone, kept = add(store, draft("one 猫", ana), draft("two 猫", ana))
        with store.write(note("forget")) as transaction:
            assert transaction.holding(INDEX, ["猫"], (ana,)) == [gone, kept]
            transaction.forget(gone)
            assert transaction.holding(INDEX, ["猫"], (ana,)) == [kept]

    def test_a_row_restored_with_a_past_is_selected_by_it(self, store: Store, ana: int) -> None:
        (row,) = add(store, draft("model", ana))
        with store.write(note("import")) as transaction:
            (model,) = transaction.memories([row])
            closed = replace(
                model,
                id="mem_closed",
                text="closed",
                superseded_at=from_micros(START + 5),
                superseded_from=from_micros(START + 3),
            )
            transaction.restore(closed, ana)
        assert texts(store, wanted(ana)) == ["model"]
        assert set(texts(store, wanted(ana, as_of=START + 2))) == {"model", "closed"}
        assert texts(store, wanted(ana, as_of=START + 3)) == ["model"]
        earlier = wanted(ana, as_of=START + 3, known_at=START + 4)
        assert set(texts(store, earlier)) == {"model", "closed"}
