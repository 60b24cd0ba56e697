"""JSON ↔ types, and the spellings of the outside world.

The only place that knows outside shapes: a memory as one JSON object, the answers of every verb,
and the sentinels that callers use (an empty string is "not given", a budget of 0 is unlimited).
Surfaces translate through here and never build an answer of their own, so that the same call reads
the same on every surface.

Nothing is guessed: an unknown key, a wrong type, a number out of range or half a character raises
`InvalidInput` (or its narrower kind) naming the key.
"""

from __future__ import annotations

from memstone.wire.agents import (
    approved_to_json,
    block_to_json,
    conflict_to_json,
    held_to_json,
    session_to_json,
    status_to_json,
    undo_to_json,
    work_to_json,
)
from memstone.wire.arguments import (
    dates,
    instant,
    listing,
    optional_choice,
    optional_text,
    several_kinds,
    view,
    words,
)
from memstone.wire.checking import check_fields
from memstone.wire.inward import memory_from_json, scope_from_json
from memstone.wire.notes import notes_block, session_notes, without_own_blocks
from memstone.wire.outward import (
    change_to_json,
    changed_to_json,
    error_to_json,
    explanation_to_json,
    feedback_to_json,
    forget_to_json,
    forgetting_to_json,
    import_report_to_json,
    memory_to_json,
    recall_to_json,
    remembered_to_json,
    statistics_to_json,
)
from memstone.wire.questions import question
from memstone.wire.spellings import (
    all_given,
    budget_from,
    budget_under,
    given,
    is_short_id,
    optional_seconds,
    parse_budget,
    parse_choice,
    parse_count,
    parse_handle,
    parse_instant,
    parse_limit,
    parse_share,
    unicode_text,
)

__all__ = [
    "all_given",
    "approved_to_json",
    "block_to_json",
    "budget_from",
    "budget_under",
    "change_to_json",
    "changed_to_json",
    "check_fields",
    "conflict_to_json",
    "dates",
    "error_to_json",
    "explanation_to_json",
    "feedback_to_json",
    "forget_to_json",
    "forgetting_to_json",
    "given",
    "held_to_json",
    "import_report_to_json",
    "instant",
    "is_short_id",
    "listing",
    "memory_from_json",
    "memory_to_json",
    "notes_block",
    "optional_choice",
    "optional_seconds",
    "optional_text",
    "parse_budget",
    "parse_choice",
    "parse_count",
    "parse_handle",
    "parse_instant",
    "parse_limit",
    "parse_share",
    "question",
    "recall_to_json",
    "remembered_to_json",
    "scope_from_json",
    "session_notes",
    "session_to_json",
    "several_kinds",
    "statistics_to_json",
    "status_to_json",
    "undo_to_json",
    "unicode_text",
    "view",
    "without_own_blocks",
    "words",
    "work_to_json",
]
