"""A `Filter` as SQL: constant fragments joined by AND, every value a named parameter.

Each fragment stands alone over the alias `m` (a row of `memory`), so any subset can be combined
and none depends on how the others join. The same definition in plain Python is
`storage.inmemory`'s; a property test keeps the two equal.
"""

from __future__ import annotations

import json

from memstone.types import Reach

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memstone.types import Filter, Validity

Value = str | int | None
Condition = tuple[str, dict[str, Value]]

IN_NAMESPACES = "m.ns IN (SELECT value FROM json_each(:namespaces))"
HELD = """EXISTS (
    SELECT 1 FROM memory_hold AS h WHERE h.row = m.row AND h.approved_at IS NULL)"""
ARCHIVED = "EXISTS (SELECT 1 FROM memory_archive AS a WHERE a.row = m.row)"
EXPIRED = "EXISTS (SELECT 1 FROM memory_expiry AS e WHERE e.row = m.row AND e.expires <= :now)"
NOT_SUPERSEDED = "m.superseded_at IS NULL"
# A row meant for the future waits for its time; one that the clock overtook is never hidden.
BEGUN = "(m.valid_from <= :now OR m.valid_from <= m.created_at)"
NOT_OVER = "(m.valid_until IS NULL OR :now < m.valid_until)"
KNOWN_THEN = "m.created_at <= :known_at"
VALID_THEN = """m.created_at <= :known_at
    AND m.valid_from <= :as_of
    AND (m.valid_until IS NULL OR :as_of < m.valid_until)
    AND (m.superseded_at IS NULL OR m.superseded_at > :known_at OR :as_of < m.superseded_from)"""
OF_KINDS = "m.kind IN (SELECT value FROM json_each(:kinds))"
WITH_ANY_TAG = """m.row IN (
    SELECT t.row FROM memory_tag AS t WHERE t.tag IN (SELECT value FROM json_each(:tags_any)))"""
PINNED = "EXISTS (SELECT 1 FROM memory_pin AS p WHERE p.row = m.row)"
IN_SESSION = "m.session = :session"
NOT_IN_SESSION = "m.session IS NOT :not_session"
SINCE = "m.valid_from >= :since"
UNTIL = "m.valid_from < :until"


def condition(wanted: Filter) -> Condition:
    """The WHERE clause of a filter and its parameters."""
    parts = [IN_NAMESPACES, *_reach(wanted)]
    values: dict[str, Value] = {"namespaces": json.dumps(wanted.namespaces)}
    values |= _instants(wanted.validity)
    if wanted.kinds:
        parts.append(OF_KINDS)
        values["kinds"] = json.dumps(wanted.kinds)
    for number, tag in enumerate(wanted.tags_all):
        parts.append(f"m.row IN (SELECT t.row FROM memory_tag AS t WHERE t.tag = :tag_{number:d})")
        values[f"tag_{number:d}"] = tag
    if wanted.tags_any:
        parts.append(WITH_ANY_TAG)
        values["tags_any"] = json.dumps(wanted.tags_any)
    if wanted.pinned:
        parts.append(PINNED)
    for part, name, value in (
        (IN_SESSION, "session", wanted.session),
        (NOT_IN_SESSION, "not_session", wanted.not_session),
        (SINCE, "since", wanted.since),
        (UNTIL, "until", wanted.until),
    ):
        if value is not None:
            parts.append(part)
            values[name] = value
    return " AND ".join(parts), values


def _reach(wanted: Filter) -> list[str]:
    historic = wanted.validity.historic
    of_any_time = {
        Reach.ALL: [],
        Reach.HISTORY: [f"NOT {HELD}", f"NOT {ARCHIVED}"],
        Reach.HELD: [HELD],
        Reach.ARCHIVED: [ARCHIVED],
    }
    if wanted.reach in of_any_time:
        return of_any_time[wanted.reach] + [KNOWN_THEN] * historic
    if wanted.reach is Reach.CURRENT:
        then = VALID_THEN if historic else NOT_SUPERSEDED
        return [then, f"NOT {HELD}", f"NOT {ARCHIVED}"]
    timely = [VALID_THEN] if historic else [NOT_SUPERSEDED, BEGUN, NOT_OVER]
    return [*timely, f"NOT {HELD}", f"NOT {ARCHIVED}", f"NOT {EXPIRED}"]


def _instants(validity: Validity) -> dict[str, Value]:
    return {"now": validity.now, "as_of": validity.as_of, "known_at": validity.known_at}
