"""Values → JSON: how every surface shows a memory, an answer or an error.

Each function returns one JSON-ready object with its keys in the published order. Nothing here
decides anything: an optional value that is absent is left out, instants have the one spelling of
`memstone.times`, and a text goes out exactly as it is stored.

Memories and recalls have a second, `brief` shape for readers that pay for every token: what a model
needs to use a text and to ask further, keys that would say "no" or "none" left out. An answer to a
write that is brief does not repeat the text that its caller has just given.
"""

from __future__ import annotations

from memstone.times import format_time
from memstone.types import SIGNALS
from memstone.wire.questions import shown_question

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from memstone.errors import MemstoneError
    from memstone.types import (
        Change,
        Explanation,
        Feedback,
        FloorCheck,
        ForgetResult,
        Hit,
        ImportReport,
        Memory,
        Provenance,
        RecallResult,
        Redaction,
        Remembered,
        Room,
        Signals,
        Standing,
        Statistics,
        WordMatch,
    )

    Json = dict[str, object]


def memory_to_json(memory: Memory, *, brief: bool = False) -> Json:
    """One memory as a JSON object, keys in the published order, absent optionals left out."""
    if brief:
        about: Json = {
            "role": memory.role,
            "session": memory.session,
            "subject": memory.subject,
            "attribute": memory.attribute,
        }
        return {**_brief(memory, memory.text), **_true(about | _state(memory))}
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


def changed_to_json(memory: Memory, *, brief: bool = False) -> Json:
    """The answer of a verb that changes one memory; brief it is its state, without its text."""
    if not brief:
        return memory_to_json(memory)
    optional: Json = {**_ends(memory), "tags": list(memory.tags), **_state(memory)}
    return {
        "id": memory.id,
        "kind": memory.kind.value,
        "valid_from": format_time(memory.valid_from),
        **_true(optional),
    }


def remembered_to_json(answer: Remembered, *, brief: bool = False) -> Json:
    """The answer of `remember`: the memory, what happened to it, what was left as it was."""
    change: Json = {} if answer.change is None else {"change": answer.change}
    more: Json = {
        "unchanged": list(answer.unchanged),
        "redactions": [_redaction_to_json(redaction) for redaction in answer.redactions],
        "replaced": list(answer.replaced),
        "conflicts": list(answer.conflicts),
    }
    return {
        **changed_to_json(answer, brief=brief),
        "outcome": answer.outcome.value,
        **(_true(more) if brief else more | change),
    }


def recall_to_json(result: RecallResult, *, brief: bool = False) -> Json:
    """The answer of `recall`; a `budget` of null means that there was none."""
    if brief:
        return {
            "hits": [_brief_hit(hit) for hit in result.hits],
            "tokens": result.tokens,
            "budget": result.budget,
            "basis": result.basis,
            "omitted": list(result.omitted),
            "degraded": list(result.degraded),
        }
    return {
        "query": shown_question(result.query),
        "hits": [_hit_to_json(hit) for hit in result.hits],
        "tokens": result.tokens,
        "budget": result.budget,
        "basis": result.basis,
        "omitted": list(result.omitted),
        "degraded": list(result.degraded),
        "signals": list(result.signals),
    }


def explanation_to_json(told: Explanation) -> Json:
    """Why a memory was or was not recalled; a stage that was not reached is null."""
    scope = told.memory.scope
    visible: Json = {
        "passed": not told.obstacles,
        "scope": {"user": scope.user, "project": scope.project, "agent": scope.agent},
        "obstacles": [each.value for each in told.obstacles],
    }
    rejected = told.rejected_by
    stages: Json = {
        "visible": visible,
        "filter": None
        if rejected is None
        else {"passed": not rejected, "rejected_by": [each.value for each in rejected]},
        "terms": told.terms and _words_to_json(told.terms),
        "floor": told.floor and _floor_to_json(told.floor),
        "rank": told.rank and _standing_to_json(told.rank),
        "budget": told.budget and _room_to_json(told.budget),
    }
    return {
        "verdict": told.verdict,
        "recalled": told.recalled,
        "decided_by": told.decided_by.value,
        "query": shown_question(told.query),
        "id": told.id,
        "stages": stages,
        "signals": told.signals and _signals_to_json(told.signals),
        "memory": memory_to_json(told.memory),
    }


def feedback_to_json(said: Feedback) -> Json:
    """One line of the evaluation file: every key is there, `external_id` may be null."""
    return {
        "query": said.query,
        "id": said.id,
        "external_id": said.external_id,
        "verdict": said.verdict.value,
        "at": format_time(said.at),
        "user": said.scope.user,
        "project": said.scope.project,
        "agent": said.scope.agent,
    }


def forget_to_json(result: ForgetResult, *, most: int | None = None) -> Json:
    """What `forget` removed and what was not there; at most so many ids, and always the counts.

    >>> from memstone.types import ForgetResult
    >>> forget_to_json(ForgetResult(("mem_a",), ("mem_b",)))
    {'forgotten': ['mem_a'], 'count': 1, 'missing': ['mem_b'], 'derived': [], 'derived_count': 0}
    """
    return {
        "forgotten": list(result.forgotten[:most]),
        "count": len(result.forgotten),
        "missing": list(result.missing),
        "derived": list(result.derived[:most]),
        "derived_count": len(result.derived),
    }


def forgetting_to_json(result: ForgetResult, *, most: int | None = None) -> Json:
    """What `forget` would remove; of a selection, the first memories that it takes."""
    answer = forget_to_json(result, most=most)
    return {
        "dry_run": True,
        "would_forget": answer.pop("forgotten"),
        **answer,
        "states": dict(result.states),
        "shown": [memory_to_json(memory, brief=True) for memory in result.shown],
    }


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
    """Counts of a store; `file_bytes` is its size on disk, `turn_bytes` that of the turns in it,
    and what models cost is that of today (UTC).
    """
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
        "turn_bytes": statistics.turn_bytes,
        "turn_quota_bytes": statistics.turn_quota_bytes,
        "summarizer_tokens": statistics.summarizer_tokens,
        "summarizer_calls": statistics.summarizer_calls,
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
        "cards": report.cards,
        "statements": report.statements,
        "replaced": report.replaced,
        "merged": report.merged,
        "conflicts": report.conflicts,
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
    disputed = {"conflicts": list(hit.conflicts)} if hit.conflicts else {}
    return {
        "id": hit.id,
        "text": hit.text,
        "score": hit.score,
        "signals": _signals_to_json(hit.signals),
        "tokens": hit.tokens,
        "full_tokens": hit.full_tokens,
        **handle,
        **disputed,
        # without its text: the hit's own is the one that was paid for (case 50)
        "memory": {
            key: value for key, value in memory_to_json(hit.memory).items() if key != "text"
        },
    }


def _brief_hit(hit: Hit) -> Json:
    handle = {} if hit.handle is None else {"handle": hit.handle}
    disputed = {"conflicts": list(hit.conflicts)} if hit.conflicts else {}
    return {**_brief(hit.memory, hit.text), **handle, **disputed}


def _brief(memory: Memory, text: str) -> Json:
    """What a model needs to know of a text: since when it is true, and whose word it is."""
    return {
        "id": memory.id,
        "text": text,
        "kind": memory.kind.value,
        "valid_from": format_time(memory.valid_from),
        **_true({**_ends(memory), "speaker": memory.speaker}),
        "source": memory.provenance.source,
        "trust": memory.provenance.trust.value,
        **_true({"tags": list(memory.tags)}),
    }


def _ends(memory: Memory) -> Json:
    return {"valid_until": _time(memory.valid_until), "expires": _time(memory.expires)}


def _state(memory: Memory) -> Json:
    """What sets a memory apart from a plain current one."""
    return {
        "pinned": memory.pinned,
        "held": memory.held,
        "archived": memory.archived,
        "supersedes": memory.supersedes,
        "superseded_by": memory.superseded_by,
        "superseded_at": _time(memory.superseded_at),
    }


def _signals_to_json(signals: Signals) -> Json:
    return {name: getattr(signals, name) for name in SIGNALS}


def _words_to_json(words: WordMatch) -> Json:
    return {
        "passed": words.passed,
        "own": list(words.own),
        "lent": list(words.lent),
        "elsewhere": list(words.elsewhere),
        "missing": list(words.missing),
        "ignored": list(words.ignored),
    }


def _floor_to_json(floor: FloorCheck) -> Json:
    return {
        "passed": floor.passed,
        "coverage": floor.coverage,
        "evidence": floor.evidence,
        "min_score": floor.min_score,
    }


def _standing_to_json(standing: Standing) -> Json:
    return {
        "passed": standing.passed,
        "place": standing.place,
        "of": standing.of,
        "limit": standing.limit,
        "score": standing.score,
        "last_score": standing.last_score,
        "weighed": standing.weighed,
    }


def _room_to_json(room: Room) -> Json:
    return {
        "passed": room.passed,
        "fate": room.fate.value,
        "tokens": room.tokens,
        "full_tokens": room.full_tokens,
        "used": room.used,
        "budget": room.budget,
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


def _true(values: Json) -> Json:
    """Those that say something: not absent, not empty, not false."""
    return {key: value for key, value in values.items() if value}


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
