"""`remember` and `recall`: the verbs that hooks and scripts call all day.

Each is a new process, so this module imports nothing that the store itself does not need; a test
reads `sys.modules` after a run. Rich is loaded only when somebody looks at a terminal.
"""

from __future__ import annotations

from memstone import wire
from memstone.surfaces.cli.call import asked
from memstone.types import Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memstone.surfaces.cli.call import Call
    from memstone.types import Remembered

_SAYS = {
    Outcome.CREATED: "remembered",
    Outcome.KNOWN: "already known",
    Outcome.RETURNED: "back as the newest version",
    Outcome.REVIVED: "visible again",
}


def remember(call: Call) -> int:
    """Store the text; says whether it was new."""
    given = call.arguments
    text = call.text()
    with call.open(making=True) as engine:
        answer = engine.remember(
            text,
            kind=given.kind,
            tags=wire.all_given(given.tag),
            role=given.role,
            session=given.session,
            speaker=given.speaker,
            subject=given.subject,
            attribute=given.attribute,
            at=given.at,
            valid_until=given.valid_until,
            expires=given.expires,
            trust=given.trust,
            pinned=given.pin or None,
            external_id=given.external_id,
        )
        call.output.document(
            wire.remembered_to_json(answer, brief=given.brief), lambda: _said(answer)
        )
        call.mind_commas(wire.all_given(given.tag))
    return 0


def recall(call: Call) -> int:
    """Print the hits; none is an answer, not an error."""
    given = call.arguments
    with call.open() as engine:
        result = engine.recall(
            given.query,
            **asked(given),
            touch=not given.no_touch,
            skip_questions=given.skip_questions,
        )

        def show() -> str:
            from memstone.surfaces.cli import tables

            return tables.recalled(result, explain=given.explain)

        call.output.document(wire.recall_to_json(result, brief=given.brief), show)
    return 0


def _said(answer: Remembered) -> str:
    lines = [f"{_SAYS[answer.outcome]}: {answer.id}"]
    if answer.unchanged:
        lines.append(f"left as it was: {', '.join(answer.unchanged)}")
    if answer.replaced:
        lines.append(f"replaced: {', '.join(answer.replaced)} (now history)")
    if answer.superseded_by:
        lines.append(f"stored as an earlier version: {answer.superseded_by} is newer and current")
    if answer.change is not None:
        lines.append(f"to take it back, so that both are current: memstone undo {answer.change}")
    if answer.conflicts:
        lines.append(f"may contradict: {', '.join(answer.conflicts)} (`memstone conflicts`)")
    if answer.redactions:
        blanked = ", ".join(f"{one.kind} ({one.count})" for one in answer.redactions)
        lines.append(f"not stored: {blanked}")
    if answer.held:
        lines.append("held back: it reads like an instruction and is not recalled until approved")
    return "\n".join(lines)
