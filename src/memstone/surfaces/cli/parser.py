"""argparse for one command at a time, built from the table.

A hot verb builds its own parser and nothing else; a tree of all commands exists only for shell
completion. argparse's own ways of ending a program (printing usage, `exit(2)`) are turned into
`UsageError`, so that a usage error looks like any other error, in JSON too. Abbreviated options
are refused: a script must not change its meaning when an option is added.
"""

from __future__ import annotations

import argparse
import os

from memstone.errors import UsageError
from memstone.surfaces.cli import values
from memstone.surfaces.cli.commands import COMMANDS
from memstone.surfaces.cli.options import GLOBAL
from memstone.version import VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import NoReturn

    from memstone.surfaces.cli.table import Argument, Command

PROGRAM = "memstone"
HELP_FLAGS = ("-h", "--help")
_DASHES = "\ud800--"  # stands for a value `--`; no word of a command line holds that surrogate
HELP_COLUMN = 28
_PLACES = {(True, True): "+", (True, False): "*", (False, True): None, (False, False): "?"}
MAX_COLUMNS = 100
WHEN = (
    "WHEN is a date or a time: 2026-08-13, 2026-08-13T09:30, 2026-08-13T09:30+02:00;\n"
    "UTC if no zone is given."
)
ABOUT = "Long-term memory for LLM agents: one file, no server, no key, no network."


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Help in a fixed width.

    Without one, argparse imports `shutil` (and with it the compression libraries) to ask the
    terminal, even to check an argument that it never prints.
    """

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=HELP_COLUMN, width=_columns())


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(message, hint=f"see {self.prog} --help")


def _columns() -> int:
    """Columns to print help in: COLUMNS, else the terminal's, at most 100."""
    asked = os.environ.get("COLUMNS", "")
    if asked.isascii() and asked.isdigit() and int(asked) > 0:
        return min(int(asked), MAX_COLUMNS)
    try:
        return min(os.get_terminal_size().columns or 80, MAX_COLUMNS)
    except OSError:  # not a terminal
        return 80


def parse(command: Command, arguments: Sequence[str]) -> argparse.Namespace:
    """The values of `arguments`; raises `UsageError`, or what a value's own parser raises."""
    parser = _parser_of(command)
    found, extra = parser.parse_known_args(_with_dashes_kept(arguments))
    if extra:
        raise _unknown(command, [values.decode(argument) for argument in extra])
    return found


def _with_dashes_kept(arguments: Sequence[str]) -> list[str]:
    """The words, with a value that is `--` spelt otherwise: argparse takes every one of them for
    the end of the options and drops it, also from `--query=--`.
    """
    words = list(arguments)
    end = words.index("--") if "--" in words else len(words)
    options = [f"{word[:-2]}{_DASHES}" if word.endswith("=--") else word for word in words[:end]]
    texts = [_DASHES if word == "--" else word for word in words[end + 1 :]]
    return [*options, *words[end : end + 1], *texts]


def help_of(command: Command) -> str:
    """The help text of one command."""
    return _parser_of(command).format_help()


def _parser_of(command: Command) -> argparse.ArgumentParser:
    parser = _Parser(
        prog=f"{PROGRAM} {command.name}",
        formatter_class=_Formatter,
        allow_abbrev=False,
        add_help=False,
    )
    _fill(parser, command)
    return parser


def _fill(parser: argparse.ArgumentParser, command: Command) -> None:
    examples = "\n".join(f"  {example}" for example in command.examples)
    told = [command.notes] if command.notes else []
    if any(argument.metavar == "WHEN" for argument in command.arguments):
        told.append(WHEN)
    notes = "".join(f"{note}\n\n" for note in told)
    parser.description = f"{command.about[0].upper()}{command.about[1:]}."
    parser.epilog = f"{notes}examples:\n{examples}"
    for argument in (*command.arguments, *GLOBAL):
        _add(parser, argument)
    parser.add_argument(*HELP_FLAGS, action="store_true", help="show this help")


def _add(parser: argparse.ArgumentParser, argument: Argument) -> None:
    about = argument.about.replace("%", "%%")
    if argument.parse is None:
        action = parser.add_argument(argument.name, action="store_true", help=about)
    elif argument.is_option:
        action = parser.add_argument(
            argument.name,
            metavar=argument.metavar,
            type=_unless_empty(argument.parse),
            action="append" if argument.many else "store",
            help=about,
        )
    else:
        action = parser.add_argument(
            argument.name,
            metavar=argument.metavar,
            type=_restored(argument.parse),
            nargs=_PLACES[argument.many, argument.needed],
            choices=argument.choices or None,
            help=about,
        )
    completion = _completion(argument)
    if completion is not None:
        action.complete = completion  # type: ignore[attr-defined]  # read by shtab


def _unless_empty(parse: Callable[[str], object]) -> Callable[[str], object]:
    """`parse`, except that "" is None: programs and models write it for "not given"."""
    restored = _restored(parse)

    def parse_given(argument: str) -> object:
        return restored(argument) if argument else None

    return parse_given


def _restored(parse: Callable[[str], object]) -> Callable[[str], object]:
    """`parse` on the word that the caller wrote."""

    def parse_word(argument: str) -> object:
        return parse("--" if argument == _DASHES else argument)

    return parse_word


def _completion(argument: Argument) -> dict[str, str] | None:
    if argument.is_file:
        return {"bash": "_shtab_compgen_files", "zsh": "_files", "tcsh": "f"}
    if argument.is_folder:
        return {"bash": "_shtab_compgen_dirs", "zsh": "_files -/", "tcsh": "d"}
    return None


def _unknown(command: Command, extra: list[str]) -> UsageError:
    option = next((word for word in extra if word.startswith("-") and len(word) > 1), None)
    if option is None:
        hint = "put a text of several words in quotes"
        return UsageError(f"one argument too many: {extra[0]!r}", hint=hint)
    known = [argument.name for argument in (*command.arguments, *GLOBAL) if argument.is_option]
    near = nearest(option.partition("=")[0], known)
    hint = f"did you mean {near}?" if near else "write -- before a text that starts with a dash"
    return UsageError(f"unknown option {option!r}", hint=hint)


def nearest(word: str, known: list[str]) -> str | None:
    """The known word that `word` was probably meant to be.

    >>> nearest("remembr", ["recall", "remember"])
    'remember'
    """
    import difflib

    return next(iter(difflib.get_close_matches(word, known, n=1)), None)


def overview() -> str:
    """Help of the whole program: every verb with its line."""
    width = max(map(len, COMMANDS))
    rows = [f"  {name:<{width}}  {command.about}" for name, command in COMMANDS.items()]
    options = [
        ("--json", GLOBAL[0].about),
        ("--home DIR", GLOBAL[1].about),
        ("--version", "show the version"),
        ("-h, --help", "show this help"),
    ]
    return "\n".join(
        [
            f"usage: {PROGRAM} COMMAND [options]",
            "",
            ABOUT,
            "",
            "commands:",
            *rows,
            "",
            "options:",
            *(f"  {name:<{width}}  {about}" for name, about in options),
            "",
            f"`{PROGRAM} COMMAND --help` explains one command, with examples.",
            "",
        ]
    )


def tree() -> argparse.ArgumentParser:
    """Every command in one parser, for shell completion."""
    root = _Parser(prog=PROGRAM, description=ABOUT, allow_abbrev=False)
    root.add_argument("--version", action="version", version=VERSION)
    for argument in GLOBAL:
        _add(root, argument)
    commands = root.add_subparsers(metavar="COMMAND")
    for name, command in COMMANDS.items():
        _fill(commands.add_parser(name, help=command.about, add_help=False), command)
    return root
