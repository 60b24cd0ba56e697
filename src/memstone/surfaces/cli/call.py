"""One call of the command line: its values, its streams, and the engine when it needs one.

Everything that a command shares with the others is here: which store and scope are meant, and how
a text arrives. The store is opened only when a command asks for it, after every value has been
checked, and made only by a verb that stores something, so that a mistake on the command line never
makes a file.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from dataclasses import dataclass

from memstone import wire
from memstone.errors import MemoryTooLarge, SourceMissing, TextNotUnicode, UsageError
from memstone.types import MAX_TEXT_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterable, Iterator
    from typing import BinaryIO, TypedDict

    from memstone.engine import Engine
    from memstone.surfaces.cli.output import Output

    class Filters(TypedDict):
        """The conditions that every reading command takes, as `Engine` names them."""

        tags: tuple[str, ...]
        any_tags: tuple[str, ...]
        kinds: tuple[str, ...]
        session: str | None
        since: str | None
        until: str | None
        as_of: str | None
        known_at: str | None
        agents: tuple[str, ...]

    class Asked(Filters):
        """What a question may be asked with; `recall` and `why` take the same."""

        limit: int | None
        budget: int | None
        min_score: float | None
        not_session: str | None


SURFACE = "cli"


@dataclass(frozen=True, slots=True)
class Call:
    """The parsed arguments of one command and where its answer goes."""

    arguments: Namespace
    output: Output

    def open(self, *, making: bool = False) -> Engine:
        """The engine of the store and scope that the arguments name; close it after use.

        Only a verb that stores something is `making`: the first write then makes a store that is
        not there. Every other verb finds nothing then, and says where it looked: a mistyped folder
        is no empty memory.
        """
        from memstone import engine

        arguments = self.arguments
        named = agents_of(arguments)
        project: str | None = getattr(arguments, "project", None)
        if getattr(arguments, "shared", False):
            if project or named:
                raise UsageError(
                    "--shared means no project and no agent",
                    hint="leave out --shared, or --project and --agent",
                )
            project = ""
        elif project is None:
            project = engine.project_of(current_folder())
        file = None if making else engine.missing(arguments.home)
        if file is not None:
            self.output.note(
                f"no store at {file} yet: `memstone remember` makes it, and --home or "
                "MEMSTONE_HOME names another place"
            )
        opening = engine.open_later if making else engine.open_existing
        opened = opening(
            arguments.home,
            user=arguments.user,
            project=project,
            agent=named[0] if named else "",
            surface=SURFACE,
        )
        if opened.upgraded is not None:
            self.output.note(opened.upgraded)
        return opened

    def mind_commas(self, tags: Iterable[str]) -> None:
        """Tell a person that `a,b` was taken for one tag."""
        if self.output.for_people:
            for tag in tags:
                if "," in tag:
                    self.output.note(f"{tag!r} is one tag; for several give each by itself")

    @contextmanager
    def progress(self, what: str) -> Iterator[Callable[[int], None] | None]:
        """A counter on standard error while somebody watches, else None."""
        if self.output.as_json or not self.output.errors_to_terminal:
            yield None
            return
        from memstone.surfaces.cli import tables

        with tables.counter(what) as count:
            yield count

    def text(self) -> str:
        """The text of this call: its argument, or standard input exactly as given.

        Raises `UsageError` if there is none or are two, `MemoryTooLarge`, `TextNotUnicode`.
        """
        text, from_stdin = self.arguments.text, self.arguments.stdin
        if text is None and not from_stdin:
            raise UsageError("no text", hint="give it in quotes, or through --stdin")
        if from_stdin and text not in (None, "-"):
            raise UsageError("both a text and --stdin", hint="give one of them")
        return _read_text() if from_stdin or text == "-" else str(text)


def agents_of(arguments: Namespace) -> tuple[str, ...]:
    """The agents named: none, one, or for a reading command several; the first is the caller."""
    given = getattr(arguments, "agent", None)
    agents = given if isinstance(given, list) else [given]
    return tuple(dict.fromkeys(agent for agent in agents if agent))


def filters(given: Namespace) -> Filters:
    """The conditions among the arguments of a reading command."""
    return {
        "tags": wire.all_given(given.tag),
        "any_tags": wire.all_given(given.any_tag),
        "kinds": wire.all_given(given.kind),
        "session": given.session,
        "since": given.since,
        "until": given.until,
        "as_of": given.as_of,
        "known_at": given.known_at,
        "agents": agents_of(given)[1:],
    }


def asked(given: Namespace) -> Asked:
    """The options of a question among the arguments of a command."""
    own: Asked = {
        **filters(given),
        "limit": given.limit,
        "budget": given.budget,
        "min_score": given.min_score,
        "not_session": given.not_session,
    }
    return own


def standard_input() -> BinaryIO:
    """Standard input as bytes; raises `SourceMissing` if it is closed."""
    if sys.stdin is None:
        raise SourceMissing("standard input is closed", hint="give the text as an argument")
    return sys.stdin.buffer


def _read_text() -> str:
    # one byte more than allowed tells "too large" without reading a file of gigabytes
    data = standard_input().read(MAX_TEXT_BYTES + 1)
    if len(data) > MAX_TEXT_BYTES:
        raise MemoryTooLarge(
            f"the text has more than {MAX_TEXT_BYTES} bytes",
            hint="remember what matters in it, or import it as a conversation",
            limit=MAX_TEXT_BYTES,
        )
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise TextNotUnicode(
            f"standard input is not UTF-8 at byte {error.start + 1}",
            hint="convert it first, for example with iconv -t UTF-8",
            byte=error.start + 1,
        ) from error


def current_folder() -> str:
    """The folder we stand in, the root of the file system if it was deleted under us."""
    try:
        return os.getcwd()
    except FileNotFoundError:  # no repository there, so no project
        return os.sep
