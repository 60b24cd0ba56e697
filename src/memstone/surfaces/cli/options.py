"""The options that many commands share: scope, filters, how a point in time is given."""

from __future__ import annotations

from memstone.surfaces.cli import values
from memstone.surfaces.cli.table import Argument
from memstone.types import Kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memstone.surfaces.cli.table import Parse

LIST_LIMIT = 20
KIND_NAMES = ", ".join(kind.value for kind in Kind)
GLOBAL = (
    Argument(name="--json", about="print JSON even on a terminal"),
    Argument(
        name="--home",
        metavar="DIR",
        parse=values.path,
        is_folder=True,
        about="folder of the store (else MEMSTONE_HOME, else the platform's data folder)",
    ),
)


def option(name: str, metavar: str, parse: Parse, about: str, *, many: bool = False) -> Argument:
    return Argument(name=name, metavar=metavar, parse=parse, about=about, many=many)


def time(name: str, about: str) -> Argument:
    return option(name, "WHEN", values.instant(name[2:]), about)


USER = option("--user", "NAME", values.text, "whose memories (default: from the settings)")
_PROJECT = option(
    "--project", "NAME", values.text, "project (default: the root of the repository you are in)"
)
_AGENT = option("--agent", "NAME", values.text, "agent (default: none, shared by all agents)")
_AGENTS = option("--agent", "NAME", values.text, "agent; again to read several", many=True)
_SHARED = Argument(name="--shared", about="no project and no agent: shared by all of them")
SCOPE = (USER, _PROJECT, _AGENT, _SHARED)
READING_SCOPE = (USER, _PROJECT, _AGENTS, _SHARED)

BRIEF = Argument(
    name="--brief",
    about="in JSON only what a model needs, as MCP answers; no effect on tables",
)
SESSION = option("--session", "NAME", values.text, "session it was said in")
FILTERS = (
    option("--tag", "TAG", values.text, "only with this tag; again: with all of them", many=True),
    option("--any-tag", "TAG", values.text, "only with one of these tags", many=True),
    option("--kind", "KIND", values.kind, f"only of this kind: {KIND_NAMES}", many=True),
    option("--session", "NAME", values.text, "only from this session"),
    time("--since", "only what is true from then on"),
    time("--until", "only what was true before; a date alone includes that day"),
)
