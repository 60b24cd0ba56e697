"""Values → JSON: how every surface shows a memory, an answer or an error.

Each function returns one JSON-ready object with its keys in the published order. Nothing here
decides anything: an optional value that is absent is left out, instants have the one spelling of
`memstone.times`, and a text goes out exactly as it is stored.
"""

from __future__ import annotations

from memstone.times import format_time
from memstone.types import SIGNALS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from memstone.errors import MemstoneError
    from memstone.types import (
        Change,
        ForgetResult,
        Hit,
        ImportReport,
        Memory,
        Provenance,
        RecallResult,
        Redaction,
        Remembered,
        Statistics,
    )

    Json = dict[str, object]


def memory_to_json(memory: Memory) -> Json:
    """One memory as a JSON object, keys in the published order, absent optionals left out."""
    optional: Json = {
        "role": memory.role,
        "session": memory.session,
        "speaker": memory.speaker,
        "subject": memory.subject,
        "attribute": memory.attribute,
        "external_id": memory.external_id,
        "created_at": format_time(memory.created_at),
        "valid_from": format_time(memory.valid_from),
        "valid_until": _time(memory.valid_until),
        "expires": _time(memory.expires),
        "superseded_at": _time(memory.superseded_at),
        "superseded_from": _time(memory.superseded_from),
        "supersedes": memory.supersedes,
        "superseded_by": memory.superseded_by,
        "pinned": memory.pinned,
        "held": memory.held,
        "archived": memory.archived,
        "seen_count": memory.seen_count,
        "last_seen_at": _time(memory.last_seen_at),
        "recall_count": memory.recall_count,
        "last_recalled_at": _time(memory.last_recalled_at),
        "provenance": _provenance_to_json(memory.provenance),
        "turn_key": memory.turn_key,
        "text_sha256": memory.text_sha256,
    }
    scope = memory.scope
    return {
        "id": memory.id,
        "text": memory.text,
        "kind": memory.kind.value,
        "scope": {"user": scope.user, "project": scope.project, "agent": scope.agent},
        "tags": list(memory.tags),
        **_present(optional),
    }


def remembered_to_json(answer: Remembered) -> Json:
    """The answer of `remember`: the memory, what happened to it, what was left as it was."""
    return {
        **memory_to_json(answer),
        "outcome": answer.outcome.value,
        "unchanged": list(answer.unchanged),
        "redactions": [_redaction_to_json(redaction) for redaction in answer.redactions],
    }


def recall_to_json(result: RecallResult) -> Json:
    """The answer of `recall`; a `budget` of null means that there was none."""
    return {
        "query": result.query,
        "hits": [_hit_to_json(hit) for hit in result.hits],
        "tokens": result.tokens,
        "budget": result.budget,
        "basis": result.basis,
        "omitted": list(result.omitted),
        "degraded": list(result.degraded),
        "signals": list(result.signals),
    }


def forget_to_json(result: ForgetResult) -> Json:
    """What `forget` removed and what was not there.

    >>> from memstone.types import ForgetResult
    >>> forget_to_json(ForgetResult(("mem_a",), ("mem_b",)))
    {'forgotten': ['mem_a'], 'missing': ['mem_b']}
    """
    return {"forgotten": list(result.forgotten), "missing": list(result.missing)}


def change_to_json(change: Change) -> Json:
    """One entry of the change log; it names fields and rows, never a text of a memory."""
    rows = [
        {
            "row": row.row,
            "id": row.id,
            "field": row.field,
            "before": row.before,
            "after": row.after,
        }
        for row in change.rows
    ]
    return {
        "number": change.number,
        "at": format_time(change.at),
        "surface": change.surface,
        "actor": change.actor,
        "operation": change.operation,
        "reason": change.reason,
        "rows": rows,
    }


def statistics_to_json(statistics: Statistics) -> Json:
    """Counts of a store; `file_bytes` is its size on disk."""
    return {
        "current": statistics.current,
        "superseded": statistics.superseded,
        "expired": statistics.expired,
        "held": statistics.held,
        "archived": statistics.archived,
        "forgotten": statistics.forgotten,
        "by_kind": dict(statistics.by_kind),
        "units": statistics.units,
        "terms": statistics.terms,
        "file_bytes": statistics.file_bytes,
    }


def import_report_to_json(report: ImportReport) -> Json:
    """What an import did; every entry left out stands in `skipped` with its line."""
    skipped = [
        {"line": entry.line, "reason": entry.reason, "bad": entry.bad} for entry in report.skipped
    ]
    return {
        "source": report.source,
        "format": report.format,
        "dry_run": report.dry_run,
        "read": report.read,
        "created": report.created,
        "known": report.known,
        "redacted": report.redacted,
        "sessions": report.sessions,
        "skipped": skipped,
    }


def error_to_json(error: MemstoneError) -> Json:
    """An error as every surface reports it: a stable code, a message, the way out.

    >>> from memstone.errors import NotFound
    >>> error_to_json(NotFound("no memory mem_a", id="mem_a"))["error"]["fields"]
    {'id': 'mem_a'}
    """
    body: Json = {"code": error.code, "message": error.message, "hint": error.hint}
    if error.fields:
        body["fields"] = {key: _plain(value) for key, value in error.fields.items()}
    return {"error": body}


def _hit_to_json(hit: Hit) -> Json:
    handle = {} if hit.handle is None else {"handle": hit.handle}
    return {
        "id": hit.id,
        "text": hit.text,
        "score": hit.score,
        "signals": {name: getattr(hit.signals, name) for name in SIGNALS},
        "tokens": hit.tokens,
        "full_tokens": hit.full_tokens,
        **handle,
        # without its text: the hit's own is the one that was paid for (case 50)
        "memory": {
            key: value for key, value in memory_to_json(hit.memory).items() if key != "text"
        },
    }


def _provenance_to_json(provenance: Provenance) -> Json:
    return _present(
        {
            "source": provenance.source,
            "method": provenance.method.value,
            "producer": provenance.producer,
            "trust": provenance.trust.value,
            "derived_from": [
                {"source": part.source, "start": part.start, "end": part.end}
                for part in provenance.derived_from
            ],
        }
    )


def _redaction_to_json(redaction: Redaction) -> Json:
    return {"kind": redaction.kind, "count": redaction.count}


def _present(values: Json) -> Json:
    return {key: value for key, value in values.items() if value is not None}


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else format_time(moment)


def _plain(value: object) -> object:
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    return str(value)
