"""The rows of the table of commands that serve agents: server, hooks, installing, undoing.

Kept apart from `commands` because they are about the programs around memstone, not about memories
on a person's command line. `commands` joins them to its table.
"""

from __future__ import annotations

from memstone.surfaces.cli import values
from memstone.surfaces.cli.options import READING_SCOPE, SCOPE, SESSION, option
from memstone.surfaces.cli.table import Argument, Command

CLIENTS = ("claude-code", "codex", "cursor", "gemini", "vscode", "opencode", "claude-desktop")
HOOKED = ("claude-code", "codex", "cursor", "gemini")

_DRY_RUN = Argument(name="--dry-run", about="only say what would be done")


def _client(about: str, clients: tuple[str, ...] = CLIENTS) -> Argument:
    named = f"{about}: {', '.join(clients)}"
    return option("--client", "CLIENT", values.one_of("client", clients), named)


SERVING = (
    Command(
        name="mcp",
        about="serve memory to an MCP client, on standard input and output or over HTTP",
        run="serving:mcp",
        arguments=(
            Argument(
                name="--http",
                metavar="HOST:PORT",
                parse=values.text,
                about="serve streamable HTTP there instead (needs the extra memstone[mcp])",
            ),
            Argument(
                name="--no-token",
                about="with --http on a loopback address: let every local program in",
            ),
            *SCOPE,
        ),
        examples=("memstone mcp", "memstone mcp --http 127.0.0.1:8765"),
        notes="Over HTTP every request needs the bearer token in the data folder's mcp-token.",
    ),
    Command(
        name="hook",
        about="answer a hook of a coding agent; `memstone install` sets it up",
        run="hooking:hook",
        arguments=(
            Argument(
                name="event",
                metavar="EVENT",
                parse=values.text,
                about="session-start, prompt, answer, pre-compact, post-compact, stop or "
                "session-end, or the client's own name for it",
            ),
            _client("whose hook it is (default: told from the input)", HOOKED),
            Argument(name="--work", about="afterwards start one short background worker if needed"),
            Argument(name="--check", about="answer, but record and store nothing"),
        ),
        examples=("memstone hook prompt --client claude-code",),
        notes="Reads the client's JSON from standard input, always exits 0, never waits long.",
    ),
    Command(
        name="install",
        about="let a client use memstone: MCP server and, where it has them, hooks",
        run="installing:install",
        arguments=(
            _client("the client to set up"),
            _DRY_RUN,
            Argument(name="--plugin", about="claude-code: as a plugin instead of settings"),
            Argument(
                name="--work",
                about="let hooks start one short background worker when something is pending",
            ),
        ),
        examples=(
            "memstone install --client claude-code --dry-run",
            "memstone install --client codex",
        ),
        notes="`uninstall` takes back exactly what this wrote. Files that are not plain JSON are\n"
        "left alone, and the lines to paste are printed.",
    ),
    Command(
        name="uninstall",
        about="take memstone out of a client's configuration",
        run="installing:uninstall",
        arguments=(_client("the client to clean"), _DRY_RUN),
        examples=("memstone uninstall --client claude-code",),
        notes="Memories stay; the data folder's path is printed.",
    ),
    Command(
        name="doctor",
        about="check the installation: paths, versions, settings, pending work, a client",
        run="doctoring:doctor",
        arguments=(_client("run this client's hooks with a sample, and its MCP server once"),),
        examples=("memstone doctor", "memstone doctor --client claude-code --json"),
    ),
)

RUNNING = (
    Command(
        name="status",
        about="show what runs here: the store, sessions and their tokens, pending work",
        run="running:status",
        arguments=(
            option("--sessions", "N", values.limit, "at most N sessions (default: 10)"),
            *SCOPE,
        ),
        examples=("memstone status", "memstone status --sessions 100 --json"),
        notes="First the sessions of clients, as hooks report them; then those that memories\n"
        "name, imported ones too, in whatever project: `undo --session NAME` takes one back.",
    ),
    Command(
        name="work",
        about="do what is pending: transcripts, indexing, cards, duplicates and conflicts",
        run="running:work",
        arguments=(
            Argument(
                name="--max-seconds",
                metavar="N",
                parse=values.count,
                about="stop after so many seconds; the rest stays pending",
            ),
            *SCOPE,
        ),
        examples=("memstone work", "memstone work --max-seconds 60"),
        notes="One at a time a store: a second one says so and ends.",
    ),
    Command(
        name="pause",
        about="switch hooks and MCP tools off until `resume`",
        run="running:pause",
        examples=("memstone pause",),
        notes="While paused nothing is injected and nothing recorded; these commands work on.",
    ),
    Command(
        name="resume",
        about="switch hooks and MCP tools on again",
        run="running:resume",
        examples=("memstone resume",),
    ),
    Command(
        name="incognito",
        about="switch hooks and MCP tools off, or on again, for one project only",
        run="running:incognito",
        arguments=(
            Argument(
                name="switch",
                metavar="on|off",
                parse=values.text,
                choices=("on", "off"),
                about="on or off",
            ),
            Argument(
                name="--project",
                metavar="NAME",
                parse=values.text,
                about="project (default: the root of the repository, or folder, you are in)",
            ),
        ),
        examples=("memstone incognito on", "memstone incognito off"),
    ),
)

REVIEWING = (
    Command(
        name="undo",
        about="take back a change, or everything a session stored",
        run="reviewing:undo",
        arguments=(
            Argument(
                name="change",
                metavar="CHANGE",
                parse=values.count,
                needed=False,
                about="number of a change, as `memstone log` shows it",
            ),
            SESSION,
            _DRY_RUN,
            *READING_SCOPE,
        ),
        examples=("memstone undo 42 --dry-run", "memstone undo --session 3f0c9a"),
        notes="What was remembered is archived (see `restore`), what it replaced is current\n"
        "again. Undoing is a change itself and can be undone. What was forgotten stays gone.",
    ),
    Command(
        name="restore",
        about="bring an archived memory back",
        run="reviewing:restore",
        arguments=(
            Argument(name="id", metavar="ID", parse=values.name, about="id of the memory"),
            *SCOPE,
        ),
        examples=("memstone restore mem_a66a8a47cc0663ca",),
    ),
    Command(
        name="review",
        about="show what is held back because it reads like an instruction, and why",
        run="reviewing:review",
        arguments=(
            option("--limit", "N", values.limit, "how many at most (default: 20)"),
            *READING_SCOPE,
        ),
        examples=("memstone review",),
        notes="Only text of trust `tool` or `external` is ever held. `approve` lets it be\n"
        "recalled, `forget` removes it.",
    ),
    Command(
        name="approve",
        about="let memories that were held back be recalled",
        run="reviewing:approve",
        arguments=(
            Argument(name="ids", metavar="ID", parse=values.name, many=True, about="one or more"),
            *SCOPE,
        ),
        examples=("memstone approve mem_a66a8a47cc0663ca",),
    ),
    Command(
        name="conflicts",
        about="list pairs of memories that may contradict one another",
        run="reviewing:conflicts",
        arguments=(
            option("--limit", "N", values.limit, "how many at most (default: 20)"),
            *READING_SCOPE,
        ),
        examples=("memstone conflicts", "memstone conflicts --json"),
        notes="Where it is plain that one fact replaced another, that was done at once and stands\n"
        "in `history`. Here is what is not plain; both stay until `resolve` settles it.",
    ),
    Command(
        name="resolve",
        about="settle a possible conflict: which memory stands, or both",
        run="reviewing:resolve",
        arguments=(
            Argument(
                name="conflict",
                metavar="CONFLICT",
                parse=values.count,
                about="its number, as `memstone conflicts` shows it",
            ),
            option("--keep", "ID", values.name, "the memory that stands; the other is history"),
            Argument(name="--both", about="both are true"),
            *SCOPE,
        ),
        examples=(
            "memstone resolve 3 --keep mem_a66a8a47cc0663ca",
            "memstone resolve 3 --both",
        ),
        notes="A change like any other: `memstone undo` takes it back.",
    ),
    Command(
        name="block",
        about="print the session block: personas, pinned preferences, open tasks",
        run="reviewing:block",
        arguments=(
            option("--role", "NAME", values.text, "personas of this role too (setting `role`)"),
            *READING_SCOPE,
        ),
        examples=("memstone block", "memstone block --role reviewer"),
        notes="The text changes only when those memories do, so that a prompt cache keeps it.",
    ),
)
