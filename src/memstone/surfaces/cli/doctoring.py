"""`doctor`: what is fine, what is worth knowing, what is broken, and the way out of each.

The exit code is 1 if something is broken, so that a script can ask too.
"""

from __future__ import annotations

import os

from memstone.surfaces.cli.call import current_folder
from memstone.surfaces.doctor import checks, clients
from memstone.surfaces.doctor.findings import FAIL, Subject
from memstone.surfaces.install.clients import Machine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstone.surfaces.cli.call import Call
    from memstone.surfaces.doctor.findings import Finding

BROKEN = 1


def doctor(call: Call) -> int:
    """Check the installation and, if one is named, a client."""
    from memstone import engine

    given = call.arguments
    home = os.path.abspath(os.path.expanduser(given.home)) if given.home else engine.data_home()
    subject = Subject(home, engine.project_of(current_folder()), Machine(os.environ))
    found = checks.examine(subject)
    if given.client:
        found += clients.examine(given.client, subject)
    broken = any(finding.state == FAIL for finding in found)
    answer: dict[str, object] = {
        "ok": not broken,
        "checks": [
            {"check": one.check, "state": one.state, "message": one.message, "hint": one.hint}
            for one in found
        ],
    }
    call.output.document(answer, lambda: _shown(found))
    return BROKEN if broken else 0


def _shown(found: Sequence[Finding]) -> str:
    from memstone.surfaces.cli.output import harmless

    width = max(len(finding.check) for finding in found)
    lines = []
    for one in found:
        lines.append(f"{one.state:<4}  {one.check:<{width}}  {harmless(one.message)}")
        if one.hint:
            lines.append(f"{'':<{width + 6}}  → {harmless(one.hint)}")
    return "\n".join(lines)
