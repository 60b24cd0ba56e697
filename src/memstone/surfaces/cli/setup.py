"""`init`, `config show`, `completion`: setting memstone up and seeing how it is set up."""

from __future__ import annotations

import os

from memstone.errors import UsageError
from memstone.surfaces.cli.call import current_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memstone.surfaces.cli.call import Call


def init(call: Call) -> int:
    """Write the commented settings file; one that is there stays as it is."""
    from memstone import engine

    given = call.arguments
    if given.dir and given.home and os.path.realpath(given.dir) != os.path.realpath(given.home):
        raise UsageError("both --dir and --home", hint="they mean the same here; give one")
    path, written = engine.initialize(given.dir or given.home)
    says = "written" if written else "left as it was"
    call.output.document({"config": path, "written": written}, lambda: f"{says}: {path}")
    return 0


def config(call: Call) -> int:
    """Print every setting in force, with its origin if asked."""
    from memstone import engine

    given = call.arguments
    settings = engine.describe_settings(given.home, project=engine.project_of(current_folder()))
    if given.origin:
        answer: dict[str, object] = {
            key: {"value": value, "origin": origin} for key, value, origin in settings
        }
    else:
        answer = {key: value for key, value, _ in settings}

    def show() -> str:
        from memstone.surfaces.cli import tables

        return tables.settings(settings, origin=given.origin)

    call.output.document(answer, show)
    return 0


def completion(call: Call) -> int:
    """Print a completion script, made by shtab out of the table of commands."""
    try:
        import shtab
    except ModuleNotFoundError as error:
        raise UsageError("completion needs the package shtab", hint="pip install shtab") from error
    from memstone.surfaces.cli import parser

    script: str = shtab.complete(parser.tree(), shell=call.arguments.shell)
    call.output.text(script)
    return 0
