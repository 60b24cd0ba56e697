"""The change log: every write with the fields it moved, no text, and nobody else's rows."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from memstone.testing.building import DAY, START, add, draft, home, note, supersede
from memstone.testing.case import StoreCase
from memstone.times import from_micros
from memstone.types import ChangeNote, ChangeRow, Kind, Scope

if TYPE_CHECKING:
    from memstone.protocols import Store
    from memstone.types import Change


def log(store: Store, *namespaces: int, limit: int = 99, row: int | None = None) -> list[Change]:
    with store.read() as snapshot:
        return snapshot.changes(namespaces, limit=limit, row=row)


def newest(store: Store, *namespaces: int) -> dict[str, tuple[str | None, str | None]]:
    """Before and after of each field the last change moved."""
    return {row.field: (row.before, row.after) for row in log(store, *namespaces)[0].rows}


class LogConformance(StoreCase):
    def test_a_change_says_when_who_how_and_why(self, store: Store, ana: int) -> None:
        head = ChangeNote("记住", at=START + 7, surface="mcp", actor="agent-1", reason="说了")
        written = replace(draft("x", ana), kind=Kind.TASK)
        with store.write(head) as transaction:
            row = transaction.insert(written)
        (change,) = log(store, ana)
        assert (change.at, change.operation) == (from_micros(START + 7), "记住")
        assert (change.surface, change.actor, change.reason) == ("mcp", "agent-1", "说了")
        assert change.rows == (ChangeRow(row, written.id, "created", None, "task"),)

    def test_each_edit_is_logged_with_what_was_before(self, store: Store, ana: int) -> None:
        (row,) = add(store, replace(draft("x", ana), tags=("b",)))
        with store.write(note("edit")) as transaction:
            transaction.add_tags(row, ("猫",))
            transaction.set_pinned(row, pinned=True)
            transaction.set_expires(row, START + DAY)
            transaction.seen(row, START + 1)
        assert newest(store, ana) == {
            "tags": (json.dumps(["b"]), json.dumps(["b", "猫"], ensure_ascii=False)),
            "pinned": ("false", "true"),
            "expires": (None, str(START + DAY)),
            "seen": ("1", "2"),
        }
        with store.write(note("edit")) as transaction:
            transaction.remove_tags(row, ("b", "猫"))
            transaction.set_pinned(row, pinned=False)
            transaction.set_expires(row, None)
        assert newest(store, ana) == {
            "tags": (json.dumps(["b", "猫"], ensure_ascii=False), "[]"),
            "pinned": ("true", "false"),
            "expires": (str(START + DAY), None),
        }

    def test_closing_and_linking_are_logged_on_the_older_row(self, store: Store, ana: int) -> None:
        (old,) = add(store, draft("100", ana))
        new = supersede(store, old, draft("200", ana, at=START + 5))
        rows = {(entry.row, entry.field): entry.after for entry in log(store, ana)[0].rows}
        assert rows == {(new, "created"): "fact", (old, "superseded_by"): str(new)}
        with store.write(note("forget")) as transaction:
            transaction.forget(new)
        with store.write(note("supersede")) as transaction:
            newer = transaction.insert(draft("300", ana, at=START + 9))
            transaction.link(old, by=newer)
        (entry,) = (row for row in log(store, ana)[0].rows if row.row == old)
        assert (entry.field, entry.before, entry.after) == ("superseded_by", None, str(newer))

    def test_restoring_and_relinking_are_logged(self, store: Store, ana: int) -> None:
        one, two = add(store, draft("a", ana), draft("b", ana))
        with store.write(note("import")) as transaction:
            for memory in transaction.memories([one, two]):
                transaction.forget(memory.row)
                transaction.restore(memory, ana)
            transaction.relink(4, supersedes=3)
        rows = {(entry.row, entry.field): entry.after for entry in log(store, ana)[0].rows}
        assert rows[3, "created"] == rows[4, "created"] == "fact"
        assert rows[3, "superseded_by"] == "4"
        assert (4, "superseded_by") not in rows

    def test_what_changes_nothing_is_not_logged(self, store: Store, ana: int) -> None:
        (row,) = add(store, replace(draft("x", ana), tags=("t",), pinned=True, expires=START))
        before = log(store, ana)
        with store.read() as snapshot:
            generation = snapshot.generation()
        with store.write(note("edit")) as transaction:
            transaction.add_tags(row, ("t",))
            transaction.add_tags(row, ())
            transaction.remove_tags(row, ("absent",))
            transaction.set_pinned(row, pinned=True)
            transaction.set_expires(row, START)
        with store.read() as snapshot:
            assert snapshot.generation() == generation
        assert log(store, ana) == before

    def test_a_field_that_moves_twice_in_one_write_is_one_entry(
        self, store: Store, ana: int
    ) -> None:
        (row,) = add(store, draft("x", ana))
        with store.write(note("tag")) as transaction:
            transaction.add_tags(row, ("a",))
            transaction.add_tags(row, ("b",))
        assert newest(store, ana) == {"tags": ("[]", json.dumps(["a", "b"]))}

    def test_the_entries_of_a_change_come_by_row_and_field(self, store: Store, ana: int) -> None:
        one, two = add(store, draft("a", ana), draft("b", ana))
        with store.write(note("edit")) as transaction:
            transaction.add_tags(two, ("t",))
            transaction.set_pinned(two, pinned=True)
            transaction.add_tags(one, ("t",))
            transaction.set_expires(one, START)
        assert [(row.row, row.field) for row in log(store, ana)[0].rows] == [
            (one, "expires"),
            (one, "tags"),
            (two, "pinned"),
            (two, "tags"),
        ]

    def test_changes_come_newest_first_and_as_many_as_asked(self, store: Store, ana: int) -> None:
        for number, text in enumerate("abcd"):
            add(store, draft(text, ana, at=START - number))
        changes = log(store, ana)
        assert [change.rows[0].row for change in changes] == [4, 3, 2, 1]
        numbers = [change.number for change in changes]
        assert numbers == sorted(set(numbers), reverse=True)
        assert log(store, ana, limit=2) == changes[:2]
        assert log(store, ana, limit=0) == []

    def test_the_log_of_one_row_leaves_out_the_others(self, store: Store, ana: int) -> None:
        one, two = add(store, draft("a", ana), draft("b", ana))
        with store.write(note("tag")) as transaction:
            transaction.add_tags(one, ("x",))
            transaction.add_tags(two, ("y",))
        changes = log(store, ana, row=two)
        assert [[(row.row, row.field) for row in change.rows] for change in changes] == [
            [(two, "tags")],
            [(two, "created")],
        ]
        assert log(store, ana, row=99) == []

    def test_rows_of_other_namespaces_are_cut_out_of_a_shared_change(
        self, store: Store, ana: int
    ) -> None:
        bo = home(store, "bo")
        hers, his = add(store, draft("a", ana), draft("b", bo))
        (change,) = log(store, ana)
        assert [row.row for row in change.rows] == [hers]
        (change,) = log(store, ana, bo)
        assert [row.row for row in change.rows] == [hers, his]
        with store.write(note("tag")) as transaction:
            transaction.add_tags(his, ("x",))
        assert len(log(store, ana)) == 1
        assert log(store) == []

    def test_foreign_changes_do_not_use_up_the_limit(self, store: Store, ana: int) -> None:
        bo = home(store, "bo")
        add(store, draft("a", ana))
        for number in range(5):
            add(store, draft(f"b{number}", bo))
        assert [change.rows[0].row for change in log(store, ana, limit=1)] == [1]

    def test_forgetting_empties_the_log_of_what_the_row_held(self, store: Store, ana: int) -> None:
        gone = replace(draft("x", ana), tags=("病历",))
        row, kept = add(store, gone, draft("kept", ana))
        with store.write(note("tag")) as transaction:
            transaction.add_tags(row, ("诊断",))
            transaction.add_tags(kept, ("open",))
        with store.write(note("forget", at=START + 3)) as transaction:
            transaction.add_tags(row, ("最后",))
            transaction.forget(row)
        changes = log(store, ana, row=row)
        assert [[entry.field for entry in change.rows] for change in changes] == [
            ["forgotten", "tags"],
            ["tags"],
            ["created"],
        ]
        for change in changes:
            for entry in change.rows:
                assert (entry.id, entry.before, entry.after) == (None, None, None)
        assert newest_of(store, ana, kept) == ("[]", json.dumps(["open"]))

    def test_the_log_keeps_no_text(self, store: Store, ana: int) -> None:
        (old,) = add(store, draft("verbatim 原文", ana))
        supersede(store, old, draft("changed 原文", ana, at=START + 5))
        with store.write(note("forget")) as transaction:
            transaction.forget(old)
        assert "原文" not in repr(log(store, ana))

    def test_a_new_namespace_alone_is_no_change(self, store: Store, ana: int) -> None:
        with store.write(note("intern")) as transaction:
            bo = transaction.intern(Scope("bo"))
        assert log(store, ana, bo) == []


def newest_of(store: Store, namespace: int, row: int) -> tuple[str | None, str | None]:
    entry = log(store, namespace, row=row)[0].rows[0]
    return entry.before, entry.after
