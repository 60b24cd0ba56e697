"""`status`, `work`, `pause`, `resume`, `incognito`: what runs here, and switching it off."""

from __future__ import annotations

from memstone import wire
from memstone.surfaces.cli.call import current_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memstone.engine import Switches
    from memstone.surfaces.cli.call import Call
    from memstone.types import WorkReport


SHOWN_SESSIONS = 10


def status(call: Call) -> int:
    """Print what runs on the store."""
    with call.open() as engine:
        most = call.arguments.sessions or SHOWN_SESSIONS
        found = engine.status(sessions=most)

        def show() -> str:
            from memstone.surfaces.cli import tables

            return tables.status(found, most)

        call.output.document(wire.status_to_json(found), show)
    return 0


def work(call: Call) -> int:
    """Do what is pending."""
    with call.open() as engine:
        with call.progress("reading turns") as progress:
            report = engine.work(max_seconds=call.arguments.max_seconds, progress=progress)
        call.output.document(wire.work_to_json(report), lambda: _worked(report))
    return 0


def pause(call: Call) -> int:
    """Switch hooks and tools off."""
    from memstone import engine

    return _tell(call, engine.pause(call.arguments.home))


def resume(call: Call) -> int:
    """Switch hooks and tools on again."""
    from memstone import engine

    return _tell(call, engine.resume(call.arguments.home))


def incognito(call: Call) -> int:
    """Switch one project off, or on again."""
    from memstone import engine

    given = call.arguments
    project = given.project or engine.project_of(current_folder())
    switched = engine.set_incognito(project, incognito=given.switch == "on", home=given.home)
    return _tell(call, switched)


def _tell(call: Call, switches: Switches) -> int:
    document = {"paused": switches.paused, "incognito": list(switches.incognito)}
    call.output.document(document, lambda: _said(switches))
    return 0


def _said(switches: Switches) -> str:
    on = "on, but in the projects below" if switches.incognito else "on"
    lines = [f"hooks and MCP tools are {'off: paused' if switches.paused else on}"]
    lines += [f"incognito: {project}" for project in switches.incognito]
    return "\n".join(lines)


def _worked(report: WorkReport) -> str:
    if not report.ran:
        return "another worker is at it"
    read = f"{report.turns} turns read, {report.transcripts} transcripts done"
    lines = [f"{read}, {report.indexed} memories indexed"]
    if report.conversations or report.settled:
        lines.append(
            f"{report.cards} cards and {report.statements} statements of {report.conversations} "
            f"conversations, {report.settled} memories compared: {len(report.replaced)} replaced, "
            f"{len(report.merged) // 2} merged, {len(report.conflicts)} possible conflicts"
        )
    lines += [f"line {one.line}: {one.reason}" for one in report.skipped if one.bad]
    if report.left:
        left = report.left
        lines.append(
            f"left: {left.transcripts} transcripts, {left.unindexed} memories to index, "
            f"{left.conversations} conversations, {left.unsettled} memories to compare"
        )
    return "\n".join(lines)
