"""The command lines that a client runs to reach memstone, and how one of ours is told from others.

A client starts hooks and servers with an environment and a folder that we do not know, so a
command names its interpreter in full and shuts out what could change what it imports (`-I`): no
`PYTHONPATH`, no user packages, nothing from the current folder. Where this memstone can only be
imported with those, the strictest form that works is taken and the reason given with it.

Hooks are strings for a shell. On POSIX each word is quoted for `sh`. On Windows the shell may be
Git's bash, cmd or PowerShell: forward slashes and plain words mean the same to all three, and a
word that needs quotes gets double ones, which PowerShell alone would not run as a command.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import subprocess
import sys
from dataclasses import dataclass

from memstone.errors import CannotCreate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MODULE = ("-m", "memstone")
HOOK, SERVER = "hook", "mcp"
PROBE = "import memstone; print(ascii(memstone.__file__))"
PROBE_SECONDS = 30
ENV = "/usr/bin/env"  # in full: a program of a desktop may have any PATH, or none
ISOLATED, WITH_USER_PACKAGES, WITH_VARIABLES = ("-I",), ("-E", "-P"), ("-P",)
_PLAIN_ON_WINDOWS = frozenset("-_./:\\=+,@~")


@dataclass(frozen=True, slots=True)
class Launcher:
    """How `memstone` is started: words before a verb, variables needed, and why, if not by -I."""

    words: tuple[str, ...]
    variables: tuple[tuple[str, str], ...] = ()
    note: str | None = None

    def server(self, home: str | None) -> tuple[str, ...]:
        """The words that start the MCP server."""
        return (*self.words, SERVER, *(("--home", home) if home else ()))

    def hook(self, event: str, client: str, *, work: bool, home: str | None) -> tuple[str, ...]:
        """The words that answer one hook event."""
        more = ("--work",) if work else ()
        named = ("--home", home) if home else ()
        before = tuple(f"{name}={value}" for name, value in self.variables)
        start = (ENV, *before) if before and os.name == "posix" else ()
        return (*start, *self.words, HOOK, event, "--client", client, *more, *named)


def find_launcher(
    executable: str | None = None, runs: Callable[[Sequence[str]], bool] | None = None
) -> Launcher:
    """The strictest way in which this interpreter finds this memstone without the user's shell.

    `runs` tells whether the interpreter with those options imports it. Raises `CannotCreate`.
    """
    python = sys.executable if executable is None else executable
    if not python or not os.path.isabs(python):
        raise CannotCreate(
            "this program has no Python interpreter to name in a client's settings",
            hint="install memstone into an environment of its own, and run its `memstone install`",
        )
    try:
        python.encode("utf-8")
    except UnicodeEncodeError as error:
        raise CannotCreate(f"the path of the interpreter is not Unicode: {python!r}") from error
    runs = runs or (lambda options: _imports_us([python, *options]))
    if runs(ISOLATED):
        return Launcher((python, *ISOLATED, *MODULE))
    if runs(WITH_USER_PACKAGES):
        note = "memstone is in your user packages, so commands run without -I (with -E -P)"
        return Launcher((python, *WITH_USER_PACKAGES, *MODULE), note=note)
    where = os.path.dirname(_package())
    note = (
        f"memstone is importable only through PYTHONPATH ({where}), so commands carry it (on "
        "Windows only the server's: set it for the client); an environment would not need that"
    )
    return Launcher((python, *WITH_VARIABLES, *MODULE), (("PYTHONPATH", where),), note)


def shell_command(words: Sequence[str], *, windows: bool) -> str:
    r"""`words` as one string for the shell that runs hooks.

    >>> shell_command(["/opt/my python", "-I"], windows=False)
    "'/opt/my python' -I"
    >>> shell_command(["C:\\Program Files\\python.exe", "-I"], windows=True)
    '"C:/Program Files/python.exe" -I'
    """
    if not windows:
        return shlex.join(words)
    slashed = (word.replace("\\", "/") for word in words)
    return " ".join(word if _is_plain(word) else f'"{word}"' for word in slashed)


def is_hook(command: object) -> bool:
    """Whether a hook's command is ours: its program is memstone, or a Python running it.

    >>> is_hook("/usr/bin/python -I -m memstone hook stop"), is_hook("echo memstone hook")
    (True, False)
    """
    if not isinstance(command, str) or "memstone" not in command:
        return False
    try:
        words = shlex.split(command.replace("\\", "/"))
    except ValueError:  # a quote that is not closed: nothing that we wrote
        return False
    return _runs(words, HOOK)


def is_server(entry: object) -> bool:
    """Whether an entry of a client's MCP servers starts ours."""
    return _runs(server_words(entry), SERVER)


def server_words(entry: object) -> list[str]:
    """The command line of an MCP entry, in whichever way the client writes it; [] if none."""
    if not isinstance(entry, dict):
        return []
    command, arguments = entry.get("command"), entry.get("args")
    words = command if isinstance(command, list) else [command]
    words = words + arguments if isinstance(arguments, list) else words
    return [word for word in words if isinstance(word, str)]


def fingerprint(command: object) -> str:
    """A hash by which a receipt knows a command that we wrote."""
    text = json.dumps(command, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _runs(words: Sequence[str], verb: str) -> bool:
    wanted = (*MODULE, verb)
    if any(tuple(words[at : at + 3]) == wanted for at in range(len(words))):
        return True
    name = words[0].replace("\\", "/").rpartition("/")[2] if words else ""
    program = name.lower().removesuffix(".exe")
    return program == "memstone" and tuple(words[1:2]) == (verb,)


def _is_plain(word: str) -> bool:
    return bool(word) and all(letter.isalnum() or letter in _PLAIN_ON_WINDOWS for letter in word)


def _package() -> str:
    import memstone

    return os.path.dirname(os.path.realpath(memstone.__file__))


def _imports_us(words: Sequence[str]) -> bool:
    """Whether the interpreter with those options imports the very package that runs now."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    try:
        done = subprocess.run(  # noqa: S603  (our own interpreter, no shell)
            [*words, "-c", PROBE],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=kept,
            cwd=os.path.dirname(words[0]),
            timeout=PROBE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    said = done.stdout.decode("ascii", "replace").strip()
    return done.returncode == 0 and said != "" and _same_place(said)


def _same_place(said: str) -> bool:
    import ast

    try:
        file = ast.literal_eval(said)
    except (ValueError, SyntaxError):
        return False
    return os.path.dirname(os.path.realpath(str(file))) == _package()
