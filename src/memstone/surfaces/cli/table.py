"""What a command is made of: values that argparse, help, documents and completion are read off.

A `Command` names its arguments, its examples and the function that runs it, as `module:function`
inside this package, so that looking at the table loads no code of any command. The type of an
`Argument` is a parser from `values`; options without a value given ("") count as absent.
"""

from __future__ import annotations

from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Parse = Callable[[str], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """One argument: an option if its name starts with a dash, else a place on the line."""

    name: str
    about: str
    metavar: str | None = None
    parse: Parse | None = None  # None: a flag, present or not
    many: bool = False  # an option given again adds; a place takes several
    needed: bool = True  # a place that may be left out is not
    choices: tuple[str, ...] = ()
    is_file: bool = False  # completion offers file names
    is_folder: bool = False

    @property
    def is_option(self) -> bool:
        return self.name.startswith("-")


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One verb of the command line."""

    name: str
    about: str  # one line, no full stop
    run: str  # "module:function" inside memstone.surfaces.cli
    arguments: tuple[Argument, ...] = ()
    examples: tuple[str, ...] = ()
    notes: str = ""  # what help says beyond the options
