"""`forget`: memories named by id, or all that a selection takes.

A selection that takes more than one memory is carried out only if the person says so: with `--yes`,
or when asked on a terminal, having seen what goes. Then exactly what was shown goes.
"""

from __future__ import annotations

import sys

from memstone import wire
from memstone.errors import NotFound, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence
    from datetime import datetime
    from typing import TypedDict

    from memstone.engine import Engine
    from memstone.surfaces.cli.call import Call
    from memstone.types import ForgetResult

    class Selection(TypedDict, total=False):
        """The conditions of `Engine.forget_where`."""

        words: str | None
        tags: Sequence[str]
        any_tags: Sequence[str]
        kinds: Sequence[str]
        session: str | None
        source: str | None
        since: datetime | None
        until: datetime | None


IDS_NAMED = 20  # as many a person is told; a program gets all of them


def forget(call: Call) -> int:
    """Remove memories; exit code 1 if one that was named, or all of a selection, was not there."""
    given = call.arguments
    ids = tuple(dict.fromkeys(given.ids or ()))
    selection = _selection(given)
    if ids and selection:
        raise UsageError(
            "forget: ids and a selection do not go together", hint="give one of the two"
        )
    if not ids and not selection:
        raise UsageError(
            "forget: nothing says which memories are meant",
            hint="name ids, or select with --words, --tag, --session, --source, --since, --until",
        )
    with call.open() as engine:
        if ids:
            result = engine.forget(*ids, dry_run=given.dry_run)
        else:
            result = _selected(call, engine, selection)
        _tell(call, result, dry_run=given.dry_run)
    return _missing(call, result)


def _selection(given: Namespace) -> Selection:
    """The conditions that were given."""
    every: Selection = {
        "words": given.words,
        "tags": wire.all_given(given.tag),
        "any_tags": wire.all_given(given.any_tag),
        "kinds": wire.all_given(given.kind),
        "session": given.session,
        "source": given.source,
        "since": given.since,
        "until": given.until,
    }
    return every if any(every.values()) else {}


def _selected(call: Call, engine: Engine, selection: Selection) -> ForgetResult:
    """Carry out a selection, or only say what it takes."""
    given = call.arguments
    if given.dry_run or given.yes:
        return engine.forget_where(**selection, dry_run=given.dry_run)
    would = engine.forget_where(**selection, dry_run=True)
    if len(would.forgotten) > 1 and not _agreed(call, would):
        raise UsageError(
            f"forget: the selection takes {len(would.forgotten)} memories; nothing was removed",
            hint="--yes removes them, --dry-run shows them",
        )
    return engine.forget(*would.forgotten) if would.forgotten else would


def _agreed(call: Call, would: ForgetResult) -> bool:
    """Whether a person who sees what goes says yes; nobody is asked where nobody can answer."""
    if not (call.output.for_people and call.output.errors_to_terminal and sys.stdin.isatty()):
        return False
    call.output.text(_preview(would))
    call.output.note(f"forget these {len(would.forgotten)} memories for good? [y/N]")
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def _preview(would: ForgetResult) -> str:
    from memstone.surfaces.cli import tables

    more = len(would.forgotten) - len(would.shown)
    lines = [tables.memories(would.shown)] if would.shown else []
    lines += [f"and {more} more"] if more > 0 else []
    return "\n".join([*lines, ", ".join(f"{count} {state}" for state, count in would.states)])


def _tell(call: Call, result: ForgetResult, *, dry_run: bool) -> None:
    def show() -> str:
        verb = "would forget" if dry_run else "forgot"
        lines = [f"{verb} {_named(result.forgotten)}" if result else f"{verb}: nothing"]
        if result.shown:
            lines.insert(0, _preview(result))
        if result.derived:
            lines.append(f"and what was made of them: {_named(result.derived)}")
        return "\n".join(lines)

    answer = wire.forgetting_to_json(result) if dry_run else wire.forget_to_json(result)
    call.output.document(answer, show)


def _named(ids: Sequence[str]) -> str:
    more = len(ids) - IDS_NAMED
    named = ", ".join(ids[:IDS_NAMED])
    return f"{len(ids)}: {named}" + (f" and {more} more" if more > 0 else "")


def _missing(call: Call, result: ForgetResult) -> int:
    if not result.missing and result.forgotten:
        return 0
    named = ", ".join(result.missing)
    missing = NotFound(
        f"not found: {named}" if named else "not found: nothing meets the selection",
        hint="it may belong to another user, project or agent; `memstone list` shows what is here",
        missing=result.missing,
    )
    call.output.error(missing)
    return missing.exit_code
