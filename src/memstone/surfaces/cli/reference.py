"""The command line as a document, read off the table of commands.

`python -m memstone.surfaces.cli.reference` prints it. It depends on nothing but the table: not on
the width of a terminal, nor on how one version of argparse words its help.
"""

from __future__ import annotations

import sys

from memstone.surfaces.cli.commands import COMMANDS
from memstone.surfaces.cli.options import GLOBAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memstone.surfaces.cli.table import Argument, Command

EXIT_CODES = (
    (0, "done; finding nothing is done too"),
    (1, "not found, or the request contradicts what is stored"),
    (2, "a mistake on the command line"),
    (65, "a text or a file is malformed or too large"),
    (66, "the file to import is not there"),
    (70, "a bug in memstone"),
    (73, "a file cannot be made"),
    (74, "reading or writing failed: disk full, store damaged"),
    (75, "the store is busy; try again"),
    (77, "refused: a secret in the text, or a store that others could write"),
    (78, "a setting is wrong"),
)
INTRODUCTION = """\
Every command takes `--json` and `--home DIR` as well. On a terminal the answer is a table; piped,
or with `--json`, it is JSON in UTF-8: one document, or one line an entry for `list`, `history`,
`log` and `feedback`. Only the answer goes to standard output. An error is a line on standard error,
as JSON `{"error": {"code", "message", "hint", "fields"?}}` when that is not a terminal. An empty
value (`--session ""`) counts as not given.

An ID may be shortened to `mem_` and at least 8 digits, as long as one memory alone begins so;
tables show ten. WHEN is a date or a time (`2026-08-13`, `2026-08-13T09:30`,
`2026-08-13T09:30+02:00`), in UTC if no zone is given. Only `remember`, `import` and `init` make
files; every other command finds nothing where there is no store, and says "no store at … yet" on
standard error (`{"note": …}` when that is not a terminal). Defaults are settings:
[SETTINGS.md](SETTINGS.md).
"""


def markdown() -> str:
    """The whole reference.

    >>> markdown().splitlines()[0]
    '# Command line'
    """
    codes = "\n".join(f"| {code} | {meaning} |" for code, meaning in EXIT_CODES)
    sections = "\n".join(_section(command) for command in COMMANDS.values())
    return (
        f"# Command line\n\n{INTRODUCTION}\n{_table(GLOBAL)}\n"
        f"| exit code | meaning |\n|---|---|\n{codes}\n\n{sections}"
    )


def _section(command: Command) -> str:
    examples = "\n".join(command.examples)
    notes = f"{command.notes}\n\n" if command.notes else ""
    about = f"{command.about[0].upper()}{command.about[1:]}."
    table = f"{_table(command.arguments)}\n" if command.arguments else ""
    return f"## {command.name}\n\n{about}\n\n{notes}{table}```sh\n{examples}\n```\n"


def _table(arguments: tuple[Argument, ...]) -> str:
    rows = (f"| `{_spelt(one)}` | {one.about.replace('|', chr(92) + '|')} |" for one in arguments)
    return "| argument | |\n|---|---|\n" + "\n".join(rows) + "\n"


def _spelt(argument: Argument) -> str:
    if not argument.is_option:
        shown = argument.metavar or argument.name
        return f"{shown}…" if argument.many else shown
    return f"{argument.name} {argument.metavar}" if argument.metavar else argument.name


if __name__ == "__main__":
    sys.stdout.buffer.write(markdown().encode("utf-8"))
