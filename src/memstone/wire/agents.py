"""JSON of what agents and their clients ask for: status, sessions, review, undo, work."""

from __future__ import annotations

from memstone.times import format_time
from memstone.wire.outward import memory_to_json, statistics_to_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memstone.types import (
        Block,
        HeldMemory,
        Memory,
        Pending,
        PossibleConflict,
        SessionUse,
        Skipped,
        Status,
        UndoResult,
        WorkReport,
    )

    Json = dict[str, Any]


def status_to_json(status: Status) -> Json:
    """What runs on a store. `off` is null, `paused` or `incognito`; tokens are estimated."""
    return {
        "path": status.path,
        "off": status.off,
        "statistics": statistics_to_json(status.statistics),
        "pending": _pending_to_json(status.pending),
        "sessions": [session_to_json(use) for use in status.sessions],
        "stored": [
            {
                "session": one.session,
                "memories": one.memories,
                "first_at": format_time(one.first_at),
                "last_at": format_time(one.last_at),
            }
            for one in status.stored
        ],
    }


def session_to_json(use: SessionUse) -> Json:
    """One session of a client, with what it got and gave."""
    counts = use.counts
    return {
        "client": use.client,
        "session": use.session,
        "project": use.scope.project,
        "first_at": format_time(use.first_at),
        "last_at": format_time(use.last_at),
        "ended_at": None if use.ended_at is None else format_time(use.ended_at),
        "injected": {
            "blocks": counts.blocks,
            "memories": counts.injected_memories,
            "tokens": counts.injected_tokens,
            "basis": "estimated",
        },
        "captured": {
            "stored": counts.stored,
            "known": counts.known,
            "skipped": counts.skipped,
            "redacted": counts.redacted,
        },
    }


def work_to_json(report: WorkReport) -> Json:
    """What a worker did and what is left; `ran` is false if another one is at it."""
    return {
        "ran": report.ran,
        "transcripts": report.transcripts,
        "turns": report.turns,
        "indexed": report.indexed,
        "conversations": report.conversations,
        "cards": report.cards,
        "statements": report.statements,
        "settled": report.settled,
        "replaced": list(report.replaced),
        "merged": list(report.merged),
        "conflicts": list(report.conflicts),
        "skipped": _skipped_to_json(report.skipped),
        "left": _pending_to_json(report.left),
    }


def held_to_json(held: HeldMemory) -> Json:
    """A memory held back, and the names of the reasons."""
    return {**memory_to_json(held.memory), "reasons": list(held.reasons)}


def undo_to_json(result: UndoResult) -> Json:
    """What an undo did, by ids; `blocked` is not empty only in a dry run."""
    return {
        "change": result.change,
        "dry_run": result.dry_run,
        "archived": list(result.archived),
        "reopened": list(result.reopened),
        "restored": list(result.restored),
        "edited": list(result.edited),
        "kept": list(result.kept),
        "blocked": list(result.blocked),
    }


def approved_to_json(memories: Sequence[Memory]) -> Json:
    """The memories that are recalled from now on."""
    return {"approved": [memory_to_json(memory) for memory in memories]}


def block_to_json(block: Block) -> Json:
    """A block of notes, and which memories it shows and has no room for."""
    return {"text": block.text, "shown": list(block.shown), "omitted": list(block.omitted)}


def conflict_to_json(found: PossibleConflict) -> Json:
    """Two memories that may contradict one another; `resolution` is null while it is open."""
    return {
        "conflict": found.number,
        "reason": found.reason,
        "older": memory_to_json(found.older),
        "newer": memory_to_json(found.newer),
        "found_at": format_time(found.found_at),
        "resolution": found.resolution,
        "resolved_at": None if found.resolved_at is None else format_time(found.resolved_at),
    }


def _pending_to_json(pending: Pending) -> Json:
    return {
        "transcripts": pending.transcripts,
        "unindexed": pending.unindexed,
        "conversations": pending.conversations,
        "unsettled": pending.unsettled,
    }


def _skipped_to_json(skipped: Sequence[Skipped]) -> list[Json]:
    return [{"line": one.line, "reason": one.reason, "bad": one.bad} for one in skipped]
