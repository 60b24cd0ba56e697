"""The main loop of the command line: find the verb, parse its arguments, run it, report.

Everything that only talks about the program (help, version, unknown verbs, usage errors) is
answered before any code of a command or of the store is loaded, and makes no files. The exit code
is the error's own (sysexits); a bug ends with 70 and one line, its traceback only if
MEMSTONE_DEBUG is set.
"""

from __future__ import annotations

import importlib
import os
import sys

from memstone.errors import MemstoneError, UsageError
from memstone.surfaces.cli import parser, values
from memstone.surfaces.cli.call import Call
from memstone.surfaces.cli.commands import COMMANDS
from memstone.surfaces.cli.output import Output, hang_up
from memstone.version import VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

INTERRUPTED = 130  # 128 + SIGINT, as shells report it
BUG = 70  # EX_SOFTWARE
DEBUG_VARIABLE = "MEMSTONE_DEBUG"

ELSEWHERE = {  # what other programs call a command
    "add": "remember", "save": "remember", "store": "remember", "put": "remember",
    "search": "recall", "find": "recall", "query": "recall", "ask": "recall",
    "delete": "forget", "remove": "forget", "rm": "forget",
    "update": "supersede", "edit": "supersede", "get": "show", "ls": "list", "statistics": "stats",
}  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line `arguments` (default: the process's own); returns the exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    output = Output(as_json="--json" in _before_text(words))
    try:
        return _run(words, output)
    except MemstoneError as error:
        output.error(error)
        return error.exit_code
    except BrokenPipeError:
        hang_up()
        return 0
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001  (the one main loop: a bug must not look like success)
        return _report_bug(error, output)


def _run(words: list[str], output: Output) -> int:
    leading, verb, rest = _split(words)
    if verb is None:
        return _about_program(leading, output)
    if verb == "help":
        verb, rest = (rest[0], ["--help"]) if rest else (None, [])
        if verb is None:
            return _about_program(["--help"], output)
    command = COMMANDS.get(verb)
    if command is None:
        shown = values.decode(verb)
        near = ELSEWHERE.get(shown) or parser.nearest(shown, list(COMMANDS))
        hint = f"did you mean {near}?" if near else "see memstone --help"
        raise UsageError(f"unknown command {shown!r}", hint=hint)
    if any(flag in _before_text(rest) + leading for flag in parser.HELP_FLAGS):
        output.text(parser.help_of(command))
        return 0
    call = Call(parser.parse(command, leading + rest), output)
    module, _, function = command.run.partition(":")
    handler = getattr(importlib.import_module(f"memstone.surfaces.cli.{module}"), function)
    return int(handler(call))


def _split(words: list[str]) -> tuple[list[str], str | None, list[str]]:
    """What stands before the verb, the verb, and what follows."""
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] == "--home" else 1
    if at >= len(words):
        return words, None, []
    return words[:at], words[at], words[at + 1 :]


def _before_text(words: list[str]) -> list[str]:
    """The words that may be options: those before `--`."""
    return words[: words.index("--")] if "--" in words else words


def _about_program(words: list[str], output: Output) -> int:
    """Answer a call without a verb: help, version, or a usage error."""
    if any(flag in words for flag in parser.HELP_FLAGS):
        output.text(parser.overview())
        return 0
    if "--version" in words:
        output.text(f"memstone {VERSION}")
        return 0
    unknown = [word for word in words if word not in ("--json", "--home")]
    if unknown and words[0] != "--home":
        raise UsageError(
            f"unknown option {values.decode(unknown[0])!r}", hint="see memstone --help"
        )
    if output.errors_to_terminal and not output.as_json:
        output.note(parser.overview(), prefix="")
    raise UsageError("no command given", hint="see memstone --help")


def _report_bug(error: Exception, output: Output) -> int:
    if os.environ.get(DEBUG_VARIABLE):
        import traceback

        traceback.print_exception(error)
    bug = MemstoneError(
        f"unexpected {type(error).__name__}: {error}"[:300],
        hint=f"this is a bug in memstone; {DEBUG_VARIABLE}=1 shows where",
    )
    bug.code = "internal"
    output.error(bug)
    return BUG
