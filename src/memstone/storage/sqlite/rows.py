"""Rows of `memory` and its side tables as `Memory` values.

One statement per need, all with the same column list, so that a memory looks the same whichever
way it was found. Tags and derivations come in a second statement per batch: a join would repeat
a 16 MiB text for each tag.
"""

from __future__ import annotations

from array import array

import apsw

from memstone.storage.sqlite.connections import fetch_all
from memstone.storage.sqlite.faults import damaged
from memstone.times import from_micros
from memstone.types import Derivation, Kind, Memory, Method, Provenance, Scope, Trust

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime
    from typing import Any


COLUMNS = """
    m.row, m.id, n.user, n.project, n.agent, m.kind, m.text, m.text_sha256,
    m.created_at, m.valid_from, m.valid_until, x.expires,
    m.superseded_at, m.superseded_from, older.id, newer.id,
    m.role, m.session, m.speaker, m.subject, m.attribute, m.external_id, m.turn_key,
    m.source, m.method, m.producer, m.trust,
    p.row IS NOT NULL, h.row IS NOT NULL AND h.approved_at IS NULL, a.row IS NOT NULL,
    s.seen_count, s.last_seen_at, u.recall_count, u.last_recalled_at
"""
JOINS = """
    JOIN namespace AS n ON n.ns = m.ns
    LEFT JOIN memory AS older ON older.row = m.supersedes
    LEFT JOIN memory AS newer ON newer.row = m.superseded_by
    LEFT JOIN memory_expiry AS x ON x.row = m.row
    LEFT JOIN memory_pin AS p ON p.row = m.row
    LEFT JOIN memory_hold AS h ON h.row = m.row
    LEFT JOIN memory_archive AS a ON a.row = m.row
    LEFT JOIN memory_seen AS s ON s.row = m.row
    LEFT JOIN memory_usage AS u ON u.row = m.row
"""
BY_ID = f"""
    SELECT {COLUMNS}
    FROM memory AS m {JOINS}
    WHERE m.id = :id AND m.ns IN (SELECT value FROM json_each(:namespaces))
"""
BY_ROWS = f"""
    SELECT {COLUMNS}
    FROM carray(:rows) AS c
    CROSS JOIN memory AS m ON m.row = c.value {JOINS}
"""
BY_DIGEST = f"""
    SELECT {COLUMNS}
    FROM memory AS m {JOINS}
    WHERE m.text_sha256 >= :low AND m.text_sha256 <= :high
      AND m.ns IN (SELECT value FROM json_each(:namespaces))
    ORDER BY m.row
"""
BY_TURN = f"""
    SELECT {COLUMNS}
    FROM memory AS m {JOINS}
    WHERE m.ns = :ns AND m.source = :source AND ifnull(m.session, '') = :session
      AND m.turn_key = :key AND m.text_sha256 = :digest
"""
BY_UNIQUE_TURN = f"""
    SELECT {COLUMNS}
    FROM memory AS m {JOINS}
    WHERE m.external_id = :key AND +m.ns = :ns AND m.source = :source
      AND m.turn_key = :key AND m.text_sha256 = :digest
    ORDER BY m.row
    LIMIT 1
"""
TAGS = """
    SELECT t.row, t.tag
    FROM carray(:rows) AS c
    CROSS JOIN memory_tag AS t ON t.row = c.value
    ORDER BY t.row, t.tag
"""
DERIVATIONS = """
    SELECT d.row, m.id, d.start, d."end"
    FROM carray(:rows) AS c
    CROSS JOIN derivation AS d ON d.row = c.value
    JOIN memory AS m ON m.row = d.source_row
    ORDER BY d.row, d.source_row, d.start
"""


def numbers(rows: Sequence[int]) -> object:
    """Row numbers as a bindable array; never empty (SQLite refuses an empty one)."""
    return apsw.carray(array("q", rows or [-1]))


def fetch(connection: apsw.Connection, query: str, values: Mapping[str, object]) -> list[Memory]:
    """The memories that `query` (over COLUMNS) selects, with tags and sources, in its order."""
    found = fetch_all(connection, query, values)
    rows = [row[0] for row in found]
    if not rows:
        return []
    tags = _grouped(connection.execute(TAGS, {"rows": numbers(rows)}))
    sources = _grouped(connection.execute(DERIVATIONS, {"rows": numbers(rows)}))
    try:
        return [_memory(row, tags.get(row[0], []), sources.get(row[0], [])) for row in found]
    except (ValueError, TypeError, OverflowError) as error:
        # what we wrote always reads back: a value outside its range is damage, not data
        raise damaged(connection.filename, f"a memory does not read back: {error}") from error


def _grouped(rows: Iterable[tuple[Any, ...]]) -> dict[int, list[tuple[Any, ...]]]:
    groups: dict[int, list[tuple[Any, ...]]] = {}
    for key, *rest in rows:
        groups.setdefault(key, []).append(tuple(rest))
    return groups


def _time(micros: int | None) -> datetime | None:
    return None if micros is None else from_micros(micros)


def _memory(
    row: tuple[Any, ...], tags: list[tuple[Any, ...]], sources: list[tuple[Any, ...]]
) -> Memory:
    (
        number, id_, user, project, agent, kind, text, digest,
        created_at, valid_from, valid_until, expires,
        superseded_at, superseded_from, supersedes, superseded_by,
        role, session, speaker, subject, attribute, external_id, turn_key,
        source, method, producer, trust,
        pinned, held, archived, seen_count, last_seen_at, recall_count, last_recalled_at,
    ) = row  # fmt: skip
    return Memory(
        row=number, id=id_, scope=Scope(user, project, agent), kind=Kind(kind), text=text,
        text_sha256=digest.hex(),
        created_at=from_micros(created_at), valid_from=from_micros(valid_from),
        valid_until=_time(valid_until), expires=_time(expires),
        superseded_at=_time(superseded_at), superseded_from=_time(superseded_from),
        supersedes=supersedes, superseded_by=superseded_by,
        tags=tuple(tag for (tag,) in tags),
        role=role, session=session, speaker=speaker, subject=subject, attribute=attribute,
        external_id=external_id, turn_key=turn_key,
        provenance=Provenance(
            source=source, method=Method(method), producer=producer, trust=Trust(trust),
            derived_from=tuple(Derivation(*span) for span in sources),
        ),
        pinned=bool(pinned), held=bool(held), archived=bool(archived),
        seen_count=seen_count or 1, last_seen_at=_time(last_seen_at),
        recall_count=recall_count or 0, last_recalled_at=_time(last_recalled_at),
    )  # fmt: skip
