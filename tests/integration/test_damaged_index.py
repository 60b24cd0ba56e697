"""A damaged index is an error that names the store, never a raw one or somebody else's text."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import apsw
import pytest

import memstone
from memstone.errors import StoreDamaged

if TYPE_CHECKING:
    from pathlib import Path


def damage(home: Path, statement: str, *values: object) -> None:
    connection = apsw.Connection(str(home / "mem.db"))
    connection.execute(statement, values)
    connection.close()


def test_an_index_entry_of_another_user_shows_nothing_of_theirs(tmp_path: Path) -> None:
    with memstone.open(tmp_path, user="ana") as ana:
        mine = ana.remember("ana keeps the budget at 200 euros")
    with memstone.open(tmp_path, user="bob") as bob:
        his = bob.remember("鲍勃的 private diagnosis")
    damage(tmp_path, "UPDATE lex_unit SET row = ? WHERE row = ?", his.row, mine.row)
    with memstone.open(tmp_path, user="ana") as ana, pytest.raises(StoreDamaged):
        ana.recall("what is the budget?")


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE lex_block SET postings = substr(postings, 1, 4)",
        "UPDATE lex_block SET postings = substr(postings, 1, 5)",
        "UPDATE lex_block SET postings = CAST(postings || x'00' AS BLOB)",
        "UPDATE lex_term SET df = -3",
        "UPDATE lex_unit_terms SET terms = substr(terms, 1, 3)",
    ],
)
def test_a_torn_index_is_reported_by_whoever_meets_it(statement: str, tmp_path: Path) -> None:
    with memstone.open(tmp_path) as engine:
        kept = engine.remember("launch alpha 发射")
    damage(tmp_path, statement)
    met = 0
    with memstone.open(tmp_path) as engine:
        for use in (
            lambda: engine.recall("launch 发射"),
            lambda: engine.explain(kept.id, "launch 发射"),
            lambda: engine.supersede(kept.id, "launch beta 发射"),
            lambda: engine.forget(kept.id),
        ):
            with suppress(StoreDamaged):
                use()
                continue
            met += 1
    assert met > 0
