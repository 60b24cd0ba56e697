"""The command line of `cavemem`: six verbs, help, and the MCP server for everything else to start.

Results go to standard output, everything else to standard error, prefixed with the verb. The exit
code is 0, 1 for every error, 2 for an unknown verb and 65 for a text too large to remember. The
verbs that touch memories open the store before they look at their arguments, as the ancestor did.
"""

from __future__ import annotations

import os
import re
import sys

from memstone.errors import MemoryTooLarge, MemstoneError, UsageError
from memstone.surfaces.cli.output import Output, hang_up, harmless
from memstone.surfaces.compat import spelling, texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memstone.engine.cavemem import Cavemem
    from memstone.surfaces.compat.spelling import Document

    Verb = Callable[["Call"], None]

OK, FAILED, UNKNOWN, TOO_LARGE = 0, 1, 2, 65
INTERRUPTED = 130  # 128 + SIGINT, as shells report it
HELP = frozenset({"help", "--help", "-h"})
SERVE = "mcp"
MOST = 2**63 - 1
WHOLE = re.compile(r"[+-]?[0-9]+", re.ASCII)

USAGE = """\
usage: cavemem [mcp]                                  serve MCP on standard input and output
       cavemem remember TEXT | --stdin                store a memory
       cavemem recall QUERY [LIMIT] [TOKEN_BUDGET]    what matters; 0 = 5 hits, 0 = no budget
       cavemem supersede ID TEXT                      replace a memory by a newer version
       cavemem history ID                             every version, oldest first
       cavemem forget ID                              remove a memory for good
       cavemem recover HANDLE                         the whole text behind a recovery handle
       cavemem help
"""


class Call:
    """One verb with its words, on an open store."""

    def __init__(self, verb: str, words: Sequence[str], cavemem: Cavemem) -> None:
        self.verb = verb
        self.cavemem = cavemem
        self._words = words
        self._output = Output(as_json=True)

    def words(self, least: int, most: int | None = None) -> list[str]:
        """The words as texts; raises `UsageError` for too few, or more than `most`."""
        count = len(self._words)
        if count < least or (most is not None and count > most):
            raise UsageError(f"{count} arguments")
        return [self._said(*texts.argument(word)) for word in self._words]

    def text(self) -> str:
        """The text to remember: the first word, or standard input for exactly `--stdin`."""
        if self._words[:1] == ["--stdin"]:
            if len(self._words) > 1:
                raise UsageError("--stdin stands alone")
            return self._said(*texts.standard_input())
        return self.sized(self.words(1)[0])

    def sized(self, text: str) -> str:
        """`text`, if it is not too large for a memory."""
        texts.check_size(text)
        return text

    def document(self, document: Document) -> None:
        """Answer with a document."""
        self.raw(spelling.spell(document, indent=2) + "\n")

    def raw(self, text: str) -> None:
        """Answer with a text as it is."""
        self._output.raw(text.encode("utf-8"))

    def note(self, message: str) -> None:
        complain(f"{self.verb}: {message}")

    def _said(self, text: str, mended: bool) -> str:  # noqa: FBT001  (a pair unpacked)
        if mended:
            self.note(texts.MENDED)
        return text


def remember(call: Call) -> None:
    call.document(spelling.remembered(call.cavemem.remember(call.text())))


def recall(call: Call) -> None:
    query, *numbers = call.words(1, 3)
    limit = _whole(numbers[0], "limit") if numbers else 0
    budget = _whole(numbers[1], "token_budget") if len(numbers) > 1 else None
    result = call.cavemem.recall(query, limit=limit, budget=budget)
    call.document(spelling.recalled(result))
    for reason in result.degraded:
        call.note(reason)


def supersede(call: Call) -> None:
    id_, text, *_ = call.words(2)
    call.document(spelling.superseded(call.cavemem.supersede(id_, call.sized(text))))


def history(call: Call) -> None:
    call.document(spelling.history(call.cavemem.history(call.words(1)[0])))


def forget(call: Call) -> None:
    call.document(spelling.forgotten(was_there=call.cavemem.forget(call.words(1)[0])))


def recover(call: Call) -> None:
    call.raw(call.cavemem.recover(call.words(1)[0]))


VERBS: dict[str, Verb] = {
    "remember": remember,
    "recall": recall,
    "supersede": supersede,
    "history": history,
    "forget": forget,
    "recover": recover,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `arguments` (default: the process's own); returns the exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    verb = words[0] if words else SERVE
    try:
        if verb == SERVE:
            return _serve()
        return _run(verb, words[1:]) if verb in VERBS else _explain(verb)
    except BrokenPipeError:
        hang_up()
        return OK
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001  (the main loop: a bug must not look like success)
        complain(f"{verb}: unexpected {type(error).__name__}: {error}"[:300])
        return FAILED


def _explain(verb: str) -> int:
    """Say how the command is used, to whoever asked or did not know."""
    if verb in HELP:
        complain(USAGE, end="")
        return OK
    shown = texts.argument(verb)[0][:80]
    complain(f"cavemem: unknown verb {shown!r}\n{USAGE}", end="")
    return UNKNOWN


def _run(verb: str, words: Sequence[str]) -> int:
    from memstone.engine.cavemem import open_cavemem

    try:
        with open_cavemem(os.environ) as cavemem:
            call = Call(verb, words, cavemem)
            for note in cavemem.notes:
                call.note(note)
            VERBS[verb](call)
    except UsageError as error:
        complain(f"{verb}: {error.message}\n{USAGE}", end="")
        return FAILED
    except MemstoneError as error:
        name, said = spelling.error_id(verb, error), spelling.message(verb, error)
        complain(f"{verb}: {said if said.startswith(name) else f'{name}: {said}'}")
        return TOO_LARGE if verb == "remember" and isinstance(error, MemoryTooLarge) else FAILED
    return OK


def _serve() -> int:
    from memstone.engine.cavemem import open_cavemem
    from memstone.surfaces.compat.server import serve

    try:
        with open_cavemem(os.environ) as cavemem:
            for note in cavemem.notes:
                complain(f"{SERVE}: {note}")
            serve(cavemem)
    except MemstoneError as error:
        complain(f"{SERVE}: {spelling.message(SERVE, error)}")
        return FAILED
    return OK


def _whole(word: str, name: str) -> int:
    """A number of the command line; raises `UsageError` unless it is one of 0 … 2⁶³ − 1."""
    number = int(word) if WHOLE.fullmatch(word) and len(word) <= len(str(MOST)) + 1 else -1
    if not 0 <= number <= MOST:
        raise UsageError(f"{name}: {harmless(word)[:40]!r} is not a non-negative integer")
    return number


def complain(line: str, *, end: str = "\n") -> None:
    """A line on standard error."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.buffer.write((harmless(line) + end).encode("utf-8", "backslashreplace"))
        sys.stderr.flush()
    except OSError:  # nobody listens; the exit code still tells
        return
