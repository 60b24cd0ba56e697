"""What each client gets, and where: its files, our entry in its words, its hooks, what to approve.

Every client keeps its settings in a place that a variable of its own may move; those variables are
heeded, and nothing outside the places named here is ever written. Only user-wide files are used:
a repository's own files belong to everybody who works on it.

Hooks stand where a client has them and documents them. Each has a timeout (in the client's unit),
because a hook without one may be cancelled early or waited for very long; Cursor alone gets none,
since its sources disagree about the unit.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from dataclasses import dataclass

from memstone.surfaces.install.launching import shell_command
from memstone.surfaces.install.values import TOML, WHOLE, Entry, Hook, Target
from memstone.version import VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memstone.surfaces.install.launching import Launcher

NAME = "memstone"
WORKING = frozenset({"stop", "session-end"})  # hooks that may start the background worker

CLAUDE_HOOKS = (
    ("SessionStart", "session-start", 10),
    ("UserPromptSubmit", "prompt", 5),
    ("PreCompact", "pre-compact", 10),
    ("PostCompact", "post-compact", 10),
    ("Stop", "stop", 5),
    ("SessionEnd", "session-end", 10),  # without a timeout it is cancelled after 1.5 s
)
CODEX_HOOKS = (
    *(hook for hook in CLAUDE_HOOKS if hook[0] not in ("PostCompact", "SessionEnd")),
    ("SessionEnd", "session-end", 3),  # it clamps a longer one, and says so each time
)
CURSOR_HOOKS = (
    ("sessionStart", "session-start"),
    ("beforeSubmitPrompt", "prompt"),  # the only place where it hands over what the user wrote
    ("afterAgentResponse", "answer"),
    ("preCompact", "pre-compact"),
    ("stop", "stop"),
    ("sessionEnd", "session-end"),
)
GEMINI_HOOKS = (  # timeouts in milliseconds
    ("SessionStart", "session-start", 10_000),
    ("BeforeAgent", "prompt", 5_000),
    ("AfterAgent", "answer", 5_000),
    ("PreCompress", "pre-compact", 10_000),
    ("SessionEnd", "session-end", 10_000),
)
APPROVE = {
    "claude-code": (
        "Sessions that run now keep their old settings; new ones have the hooks and the server.",
    ),
    "codex": (
        (
            "Codex runs no hook that you have not approved, and says nothing about it: start "
            "`codex` once and approve the hooks of memstone."
        ),
    ),
    "cursor": ("Restart Cursor, and switch the server `memstone` on in Settings, MCP.",),
    "gemini": ("Restart Gemini CLI; `/extensions list` and `/hooks` show what it loaded.",),
    "vscode": ("VS Code asks whether you trust the server when it first starts it.",),
    "opencode": ("Restart OpenCode; it has no hooks that run a command, so the model must ask.",),
    "claude-desktop": ("Quit Claude Desktop and start it again.",),
}


@dataclass(frozen=True, slots=True)
class Machine:
    """The environment and system that a client runs in."""

    environ: Mapping[str, str]
    platform: str = sys.platform

    @property
    def windows(self) -> bool:
        return self.platform == "win32"

    @property
    def home(self) -> str:
        named = self.environ.get("USERPROFILE" if self.windows else "HOME", "")
        return os.path.abspath(named or os.path.expanduser("~"))

    def which(self, command: str) -> str | None:
        return shutil.which(command, path=self.environ.get("PATH", os.defpath))

    def place(self, variable: str, *otherwise: str) -> tuple[str, str]:
        """The folder that a variable names, else one below home; and what links must stay below."""
        named = self.environ.get(variable, "")
        if named:
            folder = os.path.abspath(os.path.expanduser(named))
            return folder, folder
        return os.path.join(self.home, *otherwise), self.home

    def config(self, *names: str) -> tuple[str, str]:
        """A folder among the user's settings, as the system places them."""
        if self.windows:
            base, root = self.place("APPDATA", "AppData", "Roaming")
        elif self.platform == "darwin":
            base, root = os.path.join(self.home, "Library", "Application Support"), self.home
        else:
            base, root = self.place("XDG_CONFIG_HOME", ".config")
        return os.path.join(base, *names), root


@dataclass(frozen=True, slots=True)
class Wish:
    """How our commands run for one client, and what the user agreed to."""

    client: str
    launcher: Launcher
    work: bool = False
    home: str | None = None

    def hook(self, event: str, *, windows: bool) -> str:
        work = self.work and event in WORKING
        words = self.launcher.hook(event, self.client, work=work, home=self.home)
        return shell_command(words, windows=windows)

    def server(self) -> dict[str, object]:
        """The MCP entry that most clients share."""
        command, *arguments = self.launcher.server(self.home)
        entry: dict[str, object] = {"command": command, "args": arguments}
        if self.launcher.variables:
            entry["env"] = dict(self.launcher.variables)
        return entry


def targets(wish: Wish, machine: Machine) -> tuple[Target, ...]:
    """The files of the client that `wish` names, and what each shall hold."""
    return _TARGETS[wish.client](wish, machine)


def claude_code(wish: Wish, machine: Machine) -> tuple[Target, ...]:
    folder, root = machine.place("CLAUDE_CONFIG_DIR", ".claude")
    own = machine.environ.get("CLAUDE_CONFIG_DIR")
    state = os.path.join(folder if own else machine.home, ".claude.json")
    older = os.path.join(folder, ".config.json")
    if os.path.isfile(older):  # where early versions kept it; a version that finds it goes on so
        state = older
    server = {"type": "stdio", **wish.server()}
    added = ["claude", "mcp", "add", "-s", "user", NAME, *_variables(wish), "--"]
    added += wish.launcher.server(wish.home)
    return (
        Target(
            path=os.path.join(folder, "settings.json"),
            root=root,
            hooks=grouped(wish, CLAUDE_HOOKS, windows=machine.windows),
        ),
        Target(path=state, root=root, entry=Entry(("mcpServers", NAME), server), by=tuple(added)),
    )


def codex(wish: Wish, machine: Machine) -> tuple[Target, ...]:
    folder, root = machine.place("CODEX_HOME", ".codex")
    added = ["codex", "mcp", "add", NAME, *_variables(wish, "--env"), "--"]
    added += wish.launcher.server(wish.home)
    return (
        Target(
            path=os.path.join(folder, "hooks.json"),
            root=root,
            hooks=grouped(wish, CODEX_HOOKS, windows=machine.windows),
        ),
        Target(
            path=os.path.join(folder, "config.toml"),
            root=root,
            kind=TOML,
            entry=Entry(("mcp_servers", NAME), wish.server()),
            by=tuple(added),
        ),
    )


def cursor(wish: Wish, machine: Machine) -> tuple[Target, ...]:
    folder = os.path.join(machine.home, ".cursor")
    commands = [(event, wish.hook(ours, windows=machine.windows)) for event, ours in CURSOR_HOOKS]
    return (
        Target(
            path=os.path.join(folder, "hooks.json"),
            root=machine.home,
            hooks=tuple(Hook(event, line, {"command": line}) for event, line in commands),
            version=True,
        ),
        Target(
            path=os.path.join(folder, "mcp.json"),
            root=machine.home,
            entry=Entry(("mcpServers", NAME), wish.server()),
        ),
    )


def gemini(wish: Wish, machine: Machine) -> tuple[Target, ...]:
    base, root = machine.place("GEMINI_CLI_HOME")
    folder = os.path.join(base, ".gemini", "extensions", NAME)
    about = {
        "name": NAME,
        "version": VERSION,
        "description": "Long-term memory, kept on this machine.",
        "mcpServers": {NAME: wish.server()},
    }
    hooks = {"hooks": events(grouped(wish, GEMINI_HOOKS, windows=machine.windows))}
    files = (("gemini-extension.json", about), (os.path.join("hooks", "hooks.json"), hooks))
    return tuple(
        Target(path=os.path.join(folder, name), root=root, kind=WHOLE, content=document(data))
        for name, data in files
    )


def vscode(wish: Wish, machine: Machine) -> tuple[Target, ...]:
    portable = machine.environ.get("VSCODE_PORTABLE", "")
    if portable:
        folder, root = os.path.join(portable, "user-data", "User"), portable
    else:
        folder, root = machine.config("Code", "User")
    server = {"type": "stdio", **wish.server()}
    added = ("code", "--add-mcp", json.dumps({"name": NAME, **server}, ensure_ascii=False))
    entry = Entry(("servers", NAME), server)
    return (Target(path=os.path.join(folder, "mcp.json"), root=root, entry=entry, by=added),)


def opencode(wish: Wish, machine: Machine) -> tuple[Target, ...]:
    # it asks XDG on every system
    base, root = machine.place("XDG_CONFIG_HOME", ".config")
    folder = os.path.join(base, "opencode")
    if machine.environ.get("OPENCODE_CONFIG_DIR"):
        folder, root = machine.place("OPENCODE_CONFIG_DIR")
    plain, commented = (os.path.join(folder, f"opencode.{ending}") for ending in ("json", "jsonc"))
    path = commented if os.path.exists(commented) and not os.path.exists(plain) else plain
    server: dict[str, object] = {
        "type": "local",
        "command": list(wish.launcher.server(wish.home)),
        "enabled": True,
    }
    if wish.launcher.variables:
        server["environment"] = dict(wish.launcher.variables)
    return (Target(path=path, root=root, entry=Entry(("mcp", NAME), server, once=("enabled",))),)


def claude_desktop(wish: Wish, machine: Machine) -> tuple[Target, ...]:
    folder, root = machine.config("Claude")
    path = os.path.join(folder, "claude_desktop_config.json")
    return (Target(path=path, root=root, entry=Entry(("mcpServers", NAME), wish.server())),)


def grouped(
    wish: Wish, hooks: tuple[tuple[str, str, int], ...], *, windows: bool
) -> tuple[Hook, ...]:
    """Hooks in the shape that Claude Code, Codex and Gemini CLI share: a group an event."""
    found = []
    for event, ours, timeout in hooks:
        command = wish.hook(ours, windows=windows)
        one = {"type": "command", "command": command, "timeout": timeout}
        found.append(Hook(event, command, {"hooks": [one]}))
    return tuple(found)


def events(hooks: tuple[Hook, ...]) -> dict[str, list[object]]:
    """The hooks as the object of a file that is wholly ours."""
    return {hook.event: [hook.value] for hook in hooks}


def document(data: object) -> bytes:
    """A file that is wholly ours."""
    return (json.dumps(data, ensure_ascii=False, indent=2) + "\n").encode("utf-8")


def _variables(wish: Wish, option: str = "-e") -> list[str]:
    """The variables as options; they take several values, so they stand after the name."""
    return [word for name, value in wish.launcher.variables for word in (option, f"{name}={value}")]


_TARGETS: dict[str, Callable[[Wish, Machine], tuple[Target, ...]]] = {
    "claude-code": claude_code,
    "codex": codex,
    "cursor": cursor,
    "gemini": gemini,
    "vscode": vscode,
    "opencode": opencode,
    "claude-desktop": claude_desktop,
}
CLIENTS = tuple(_TARGETS)
