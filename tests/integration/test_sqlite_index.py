"""Finding K15: moving and removing a long text is one short transaction, and leaves a sound index.

Seconds are for benchmarks; here the rows that SQLite writes are counted.
"""

from __future__ import annotations

from array import array
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memstone.storage.sqlite.blocks import decode
from memstone.storage.sqlite.connections import fetch_all
from memstone.storage.sqlite.store import SqliteStore, open_store
from memstone.testing.building import INDEX, START, draft, note, units_of
from memstone.types import Scope

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import apsw

LONG = " ".join(f"字{number}" for number in range(4_000))
SHARED = " ".join(f"字{number}" for number in range(0, 4_000, 4))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    opened = open_store(str(tmp_path / "mem.db"))
    yield opened
    opened.close()


def remember(store: SqliteStore, text: str, *, at: int = START) -> int:
    with store.write(note()) as transaction:
        namespace = transaction.intern(Scope("ana"))
        row = transaction.insert(draft(text, namespace, at=at))
        transaction.index(row, INDEX, units_of(text, words=100), complete=True)
    return row


def supersede(store: SqliteStore, old: int, text: str, *, at: int) -> int:
    with store.write(note()) as transaction:
        namespace = transaction.intern(Scope("ana"))
        row = transaction.insert(draft(text, namespace, at=at))
        transaction.index(row, INDEX, units_of(text, words=100), complete=True)
        transaction.close(old, by=row, at=at, valid_from=at)
    return row


def forget(store: SqliteStore, row: int) -> None:
    with store.write(note()) as transaction:
        transaction.forget(row)


def connection_of(store: SqliteStore) -> apsw.Connection:
    return store._pool.opened[-1]


def written(store: SqliteStore, work: Callable[[], object]) -> int:
    """Rows that SQLite inserted, changed or deleted."""
    before = sum(each.total_changes() for each in store._pool.opened)
    work()
    return sum(each.total_changes() for each in store._pool.opened) - before


def check(store: SqliteStore) -> None:
    """Every count is that of the postings, and every unit knows its terms."""
    connection = connection_of(store)
    held: Counter[int] = Counter()
    of_units: dict[int, set[int]] = {}
    for term, block in connection.execute("SELECT term_id, postings FROM lex_block"):
        for unit, _ in decode([block]):
            held[term] += 1
            of_units.setdefault(unit, set()).add(term)
    terms_held = fetch_all(connection, "SELECT term_id, df, part FROM lex_term")
    assert {term: df for term, df, _ in terms_held} == dict(held)
    parts = {term: part for term, _, part in terms_held}
    for unit, part, terms in connection.execute(
        "SELECT u.unit, u.part, t.terms FROM lex_unit AS u JOIN lex_unit_terms AS t USING (unit)"
    ):
        own = array("I")
        own.frombytes(terms)
        assert set(own) == of_units.get(unit, set())
        assert {parts[term] for term in own} <= {part}
    totals = connection.execute("SELECT part, count(*), sum(length) FROM lex_unit GROUP BY part")
    counted = {part: (units, length) for part, units, length in totals}
    for part, units, length in connection.execute("SELECT part, units, total_length FROM lex_part"):
        assert (units, length) == counted.get(part, (0, 0))


def test_k15_terms_that_no_other_row_holds_move_without_their_postings(store: SqliteStore) -> None:
    row = remember(store, LONG)
    changes = written(store, lambda: supersede(store, row, "short 短", at=START + 1))
    assert changes < 4_000 + 200  # a change for each term, and a few for each unit
    check(store)


def test_k15_terms_that_another_row_holds_cost_a_few_changes_each(store: SqliteStore) -> None:
    remember(store, SHARED)
    row = remember(store, LONG, at=START + 1)
    changes = written(store, lambda: supersede(store, row, "short 短", at=START + 2))
    assert changes < 3_000 + 5 * 1_000 + 300
    check(store)


def test_k15_forgetting_takes_terms_and_lists_away_whole(store: SqliteStore) -> None:
    row = remember(store, LONG)
    assert written(store, lambda: forget(store, row)) < 2 * 4_000 + 300
    check(store)
    (left,) = connection_of(store).execute("SELECT count(*) FROM lex_term").fetchall()
    assert left == (0,)


TEXTS = st.lists(
    st.sampled_from(["猫", "狗", "a", "b", "c", "d", "e", "f"]), min_size=1, max_size=8
)
STEPS = st.lists(
    st.tuples(st.sampled_from(["remember", "supersede", "forget"]), st.integers(0, 9), TEXTS),
    max_size=14,
)


@settings(max_examples=40)
@given(STEPS)
def test_k15_the_index_is_sound_after_any_moves_and_removals(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int, list[str]]]
) -> None:
    store = open_store(str(tmp_path_factory.mktemp("store") / "mem.db"))
    current: list[int] = []
    past: list[int] = []
    for number, (operation, which, words) in enumerate(steps, start=1):
        text, at = " ".join(words), START + number
        if operation == "remember" or not current:
            current.append(remember(store, text, at=at))
        elif operation == "supersede":
            old = current.pop(which % len(current))
            past.append(old)
            current.append(supersede(store, old, text, at=at))
        else:
            rows = current if which % 2 or not past else past
            forget(store, rows.pop(which % len(rows)))
        check(store)
    store.close()
