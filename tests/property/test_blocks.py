"""Blocks of postings hold what a plain table would, whatever is put in and taken out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstone.storage.sqlite import blocks

if TYPE_CHECKING:
    from collections.abc import Iterator

SMALL = 3  # postings a block, so that a short example fills, halves and empties several
TERMS = st.integers(1, 3)
UNITS = st.integers(1, 40)
CREATE = """
    CREATE TABLE lex_block (
        term_id INTEGER NOT NULL, first INTEGER NOT NULL, postings BLOB NOT NULL,
        PRIMARY KEY (term_id, first)
    ) WITHOUT ROWID
"""


@pytest.fixture(autouse=True, scope="module")
def small_blocks() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "BLOCK", SMALL)
        patch.setattr(blocks, "FULL", SMALL * blocks.SIZE)
        yield


@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("add"), st.dictionaries(TERMS, st.sets(UNITS, min_size=1))),
            st.tuples(st.just("take"), st.tuples(st.sets(TERMS), st.sets(UNITS, min_size=1))),
        ),
        max_size=12,
    )
)
def test_blocks_equal_a_table(steps: list[tuple[str, object]]) -> None:
    connection = apsw.Connection(":memory:")
    connection.execute(CREATE)
    expected: dict[tuple[int, int], int] = {}
    for number, (operation, what) in enumerate(steps):
        if operation == "add":
            assert isinstance(what, dict)
            added = {
                term: [(unit, number) for unit in sorted(units) if (term, unit) not in expected]
                for term, units in what.items()
            }
            added = {term: postings for term, postings in added.items() if postings}
            blocks.add(connection, {t: [n for one in ps for n in one] for t, ps in added.items()})
            expected |= {(term, unit): one for term, ps in added.items() for unit, one in ps}
        else:
            assert isinstance(what, tuple)
            terms, units = what
            taken = blocks.take(connection, sorted(terms), sorted(units))
            gone = {key for key in expected if key[0] in terms and key[1] in units}
            pairs = [
                (term, *pair)
                for term, flat in taken.items()
                for pair in zip(flat[::2], flat[1::2], strict=True)
            ]
            assert sorted(pairs) == sorted((*key, expected.pop(key)) for key in gone)
        check(connection, expected)


def check(connection: apsw.Connection, expected: dict[tuple[int, int], int]) -> None:
    """Every block is ascending, not too long, not empty, and named by its first unit."""
    found: dict[tuple[int, int], int] = {}
    before = (0, 0)
    for term, first, block in connection.execute("SELECT * FROM lex_block ORDER BY 1, 2"):
        postings = list(blocks.decode([block]))
        assert 0 < len(postings) <= SMALL
        assert first == postings[0][0]
        for unit, one in postings:
            assert (term, unit) > before
            before = (term, unit)
            found[term, unit] = one
    assert found == expected
