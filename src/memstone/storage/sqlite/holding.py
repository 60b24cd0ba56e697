"""Which memories hold every one of some terms, in whatever partition: exact and unranked."""

from __future__ import annotations

import json

from memstone.storage.sqlite import blocks
from memstone.storage.sqlite.connections import fetch_all
from memstone.storage.sqlite.rows import numbers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    import apsw

BLOCKS = """
    SELECT b.postings
    FROM lex_index AS i
    JOIN lex_part AS p ON p.idx = i.idx
    JOIN lex_term AS t ON t.part = p.part
    JOIN lex_block AS b ON b.term_id = t.term_id
    WHERE i.name = :index AND t.term = :term
      AND p.ns IN (SELECT value FROM json_each(:namespaces))
"""
ROWS = "SELECT DISTINCT u.row FROM carray(:units) AS c JOIN lex_unit AS u ON u.unit = c.value"


def rows(
    connection: apsw.Connection, index: str, terms: Sequence[str], namespaces: Sequence[int]
) -> list[int]:
    """See `protocols.Snapshot.holding`."""
    found: set[int] | None = None
    for term in terms:
        values = {"index": index, "term": term, "namespaces": json.dumps(tuple(namespaces))}
        found_blocks = [block for (block,) in fetch_all(connection, BLOCKS, values)]
        units = blocks.decode(found_blocks).units
        here = set()
        if units:
            told = fetch_all(connection, ROWS, {"units": numbers(list(units))})
            here = {row for (row,) in told}
        found = here if found is None else found & here
        if not found:
            return []
    return sorted(found or ())
