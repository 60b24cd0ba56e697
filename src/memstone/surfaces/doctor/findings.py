"""What a check found: fine, worth knowing, or broken, each with the way out."""

from __future__ import annotations

from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memstone.surfaces.install.clients import Machine

OK, WARN, FAIL = "ok", "warn", "fail"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report."""

    check: str
    state: str
    message: str
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class Subject:
    """What is looked at: a data folder, the project one stands in, and the machine."""

    home: str
    project: str
    machine: Machine
