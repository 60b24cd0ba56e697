"""Namespaces are walls: scope is equality of names, whatever the names are made of."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memstone.testing.building import (
    INDEX,
    START,
    add,
    digest_of,
    draft,
    found_by,
    home,
    note,
    units_of,
    wanted,
)
from memstone.testing.case import StoreCase
from memstone.types import Kind, Reach, Scope, View

if TYPE_CHECKING:
    from memstone.protocols import Store

# (mine, theirs): names that a pattern, a collation, a trim or a normal form would take for one
LOOKALIKES = {
    "percent": ("a%", "ab"),
    "underscore": ("a_", "ab"),
    "star": ("a*", "ab"),
    "case": ("ana", "Ana"),
    "space": ("ana", "ana "),
    "NUL": ("ana", "ana\0"),
    "after NUL": ("ana\0a", "ana\0b"),
    "quotes": ("'", "''"),
    "double quotes": ('"', '""'),
    "backslash": ("\\", "\\\\"),
    "normal form": ("caf\u00e9", "cafe\u0301"),
    "Chinese": ("林宇", "林"),
    "emoji": ("🙂", "🙃"),
    "number": ("1", "01"),
    "SQL": ("x' OR '1'='1", "x"),
    "slash": ("a/b", "a"),
}
PARTS = ("user", "project", "agent")


def scopes(part: str, names: tuple[str, str]) -> tuple[Scope, Scope]:
    """Two scopes that differ in that part only."""
    mine, theirs = ({"user": "ana", "project": "p", "agent": "a"} | {part: name} for name in names)
    return Scope(**mine), Scope(**theirs)


class WallConformance(StoreCase):
    @pytest.mark.parametrize("part", PARTS)
    @pytest.mark.parametrize("names", LOOKALIKES.values(), ids=LOOKALIKES.keys())
    def test_no_question_reaches_over_the_wall(
        self, store: Store, part: str, names: tuple[str, str]
    ) -> None:
        mine, theirs = scopes(part, names)
        with store.write(note("intern")) as transaction:
            here, there = transaction.intern(mine), transaction.intern(theirs)
        assert here != there
        secret = replace(
            draft("秘密 secret", there),
            kind=Kind.TURN,
            tags=("t",),
            session="s",
            turn_key="1",
            held=False,
        )
        (row,) = add(store, secret)
        add(store, draft("open", here))
        everything = wanted(here, reach=Reach.ALL)
        with store.read() as snapshot:
            assert snapshot.namespaces(View(mine)) == (here,)
            assert snapshot.memory(secret.id, (here,)) is None
            assert snapshot.by_digest(secret.digest, (here,)) == []
            assert snapshot.turn(here, "python", "s", "1", secret.digest) is None
            assert snapshot.next_turn_ordinal(here, "python", "s") == 1
            assert [m.text for m in snapshot.select(everything, limit=None)] == ["open"]
            assert [m.text for m in snapshot.select(everything, limit=None, after_row=0)] == [
                "open"
            ]
            assert snapshot.count(everything) == 1
            postings = snapshot.postings(INDEX, everything)
            assert postings.statistics().units == 1
            assert postings.terms(["secret", "秘密"]) == []
            assert [change.rows[0].row for change in snapshot.changes((here,), limit=9)] == [2]
            assert snapshot.changes((here,), limit=9, row=row) == []
            assert snapshot.statistics((here,), START).current == 1
            (memory,) = snapshot.memories([row])
        assert memory.scope == theirs
        assert found_by(store, "secret", wanted(there)) == {row}

    def test_namespaces_are_numbered_in_order_and_kept(self, store: Store) -> None:
        assert home(store, "ana") == 1
        assert home(store, "ana", project="猫") == 2
        assert home(store, "ana") == 1
        assert home(store, "bo") == 3

    def test_a_view_reaches_the_shared_levels_and_its_own_names(self, store: Store) -> None:
        numbers = {
            (project, agent): home(store, "ana", project=project, agent=agent)
            for project in ("other", "atlas", "")
            for agent in ("tester", "coder", "")
        }
        home(store, "bo")

        def seen(*agents: str, project: str = "", agent: str = "") -> set[tuple[str, str]]:
            with store.read() as snapshot:
                found = snapshot.namespaces(View(Scope("ana", project, agent), agents))
            assert list(found) == sorted(found)
            return {names for names, number in numbers.items() if number in found}

        assert seen() == {("", "")}
        assert seen(project="atlas") == {("", ""), ("atlas", "")}
        assert seen(project="atlas", agent="coder") == {
            ("", ""),
            ("", "coder"),
            ("atlas", ""),
            ("atlas", "coder"),
        }
        assert seen("tester") == {("", ""), ("", "tester")}
        assert len(seen("tester", "coder", project="atlas")) == 6

    def test_all_namespaces_of_a_user_are_those_of_that_very_name(self, store: Store) -> None:
        hers = [home(store, "a_a"), home(store, "a_a", project="猫"), home(store, "a_a", agent="x")]
        others = [home(store, user) for user in ("aba", "A_A", "a_a ", "a_")]
        with store.read() as snapshot:
            assert snapshot.namespaces_of("a_a") == tuple(hers)
            assert snapshot.namespaces_of("aba") == (others[0],)
            assert snapshot.namespaces_of("%") == ()

    def test_looking_makes_no_namespace(self, store: Store, ana: int) -> None:
        with store.read() as snapshot:
            assert snapshot.namespaces(View(Scope("bo"))) == ()
            assert snapshot.namespaces(View(Scope("ana", "new"))) == (ana,)
        assert home(store, "cy") == 2

    def test_one_text_in_two_namespaces_is_two_rows(self, store: Store, ana: int) -> None:
        bo = home(store, "bo")
        hers, his = add(store, draft("同一句话", ana), draft("同一句话", bo))
        with store.write(note("forget")) as transaction:
            transaction.forget(hers)
        with store.read() as snapshot:
            assert snapshot.by_digest(digest_of("同一句话"), (ana,)) == []
            assert [m.row for m in snapshot.by_digest(digest_of("同一句话"), (ana, bo))] == [his]
        assert found_by(store, "同一句话", wanted(bo)) == {his}

    def test_terms_of_one_namespace_do_not_weigh_in_another(self, store: Store, ana: int) -> None:
        bo = home(store, "bo")
        add(store, *(draft(f"word {n}", bo) for n in range(20)))
        with store.write(note()) as transaction:
            row = transaction.insert(draft("word", ana))
            transaction.index(row, INDEX, units_of("word"), complete=True)
        with store.read() as snapshot:
            postings = snapshot.postings(INDEX, wanted(ana))
            (term,) = postings.terms(["word"])
            assert (postings.statistics().units, term.df, term.postings) == (1, 1, 1)

    def test_ids_are_found_by_how_they_begin_inside_the_wall(self, store: Store, ana: int) -> None:
        bo = home(store, "bo")
        mine = [replace(draft(id_, ana), id=id_) for id_ in ("mem_ab1", "mem_ab", "mem_ac")]
        add(store, *mine, replace(draft("z", bo), id="mem_ab0"))
        with store.read() as snapshot:
            assert snapshot.ids_from("mem_ab", (ana,), limit=9) == ["mem_ab", "mem_ab1"]
            assert snapshot.ids_from("mem_ab", (ana, bo), limit=2) == ["mem_ab", "mem_ab0"]
            assert snapshot.ids_from("mem_a", (), limit=9) == []
            assert snapshot.ids_from("mem_b", (ana,), limit=9) == []
            assert snapshot.ids_from("MEM_A", (ana,), limit=9) == []
            assert snapshot.ids_from("mem%", (ana,), limit=9) == []
