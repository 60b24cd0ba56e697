"""`make e2e`: memstone in the hands of the real Claude Code and the real Codex.

    python -m tools.e2e [--client claude-code|codex] [--keep] [--write] [--memstone WORDS]

Downloads are made before the network is taken away. Exit code 1 if a check does not hold, 69 if a
client could not be had. `--keep` leaves the throw-away folder and prints where it is; `--write`
puts the result into benchmarks/results/e2e.json; `--memstone` names another command to test, such
as one from a wheel.
"""

from __future__ import annotations

import argparse
import shlex
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tools.e2e import costs, downloads, drills, namespace, results, scenario
from tools.e2e.clients import ClaudeCode, Codex
from tools.e2e.ground import Ground, run
from tools.e2e.model_server import FakeModel
from tools.e2e.results import Section
from tools.e2e.stage import Stage

if TYPE_CHECKING:
    from collections.abc import Callable

    from tools.e2e.clients import Client

CLIENTS: dict[str, Client] = {"claude-code": ClaudeCode(), "codex": Codex()}
EX_UNAVAILABLE = 69


def main() -> int:
    """The exit code."""
    given = arguments()
    try:
        binaries = {"claude": downloads.claude(), "codex": downloads.codex()}
    except downloads.NotFetched as error:
        print(error, file=sys.stderr)
        return EX_UNAVAILABLE
    namespace.enter("tools.e2e")
    memstone = tuple(shlex.split(given.memstone))
    names = [given.client] if given.client else list(CLIENTS)
    sections = [
        section
        for name in names
        for section in one(CLIENTS[name], memstone, binaries, keep=given.keep)
    ]
    print(f"\n{results.table(sections)}")
    if given.write:
        results.write("e2e.json", sections)
    return int(any(section.failed for section in sections))


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tools.e2e")
    parser.add_argument("--client", choices=CLIENTS)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--memstone", default=shlex.join([sys.executable, "-I", "-m", "memstone"]))
    return parser.parse_args()


def one(
    client: Client, memstone: tuple[str, ...], binaries: dict[str, Path], *, keep: bool
) -> list[Section]:
    """All that is found about one client, each way in on a ground of its own."""
    sections = [Section(client.name)]
    plays: list[Callable[[Stage, Section], None]] = [play]
    if client.name == "claude-code":
        sections.append(Section("claude-code, as a plugin"))
        plays.append(play_plugin)
    for section, played in zip(sections, plays, strict=True):
        root = Path(tempfile.mkdtemp(prefix="memstone-e2e-"))
        try:
            with FakeModel() as model:
                stage = Stage(client, Ground.made(root, memstone, binaries), model)
                prepare(stage, section)
                played(stage, section)
                others = sorted(set(model.others))
                section.note("asked of the model server besides", others or "nothing")
        finally:
            if keep:
                print(f"kept: {root}")
            else:
                shutil.rmtree(root)
    return sections


def prepare(stage: Stage, section: Section) -> None:
    """The client's version, and its configuration before memstone comes."""
    ground, client = stage.ground, stage.client
    name = {"claude-code": "claude"}.get(client.name, client.name)
    version = run([str(ground.bin / name), "--version"], ground.environment(), ground.project)
    section.version = version.out.strip()
    print(f"{section.name}: {section.version}")
    section.note("network", namespace.described())
    client.prepare(ground, stage.model.address)


def play_plugin(stage: Stage, section: Section) -> None:
    """The steps with the plugin."""
    drills.as_plugin(stage, section)
    drills.nothing_running(stage, section)


def play(stage: Stage, section: Section) -> None:
    """Every step with one client, in an order in which each leaves the next what it needs."""
    ground, client = stage.ground, stage.client
    before = {client.hooks_file(ground): client.hooks_file(ground).read_bytes()}
    drills.install(stage, section)
    told = scenario.tell(stage, section)
    drills.tools(stage, section)
    costs.measured(stage, section)
    drills.again(stage, section)
    costs.connections(stage, section)
    if client.name == "codex":
        drills.untrusted(stage, section)
        drills.handed_on(stage, Stage(CLIENTS["claude-code"], ground, stage.model), section)
    else:
        drills.compacted(stage, section)
        drills.handed_on(stage, Stage(CLIENTS["codex"], ground, stage.model), section)
    drills.damaged(stage, section)
    drills.reworded(stage, section)
    drills.undone(stage, section, told.sessions)
    drills.uninstall(stage, section, before)
    drills.nothing_running(stage, section)


if __name__ == "__main__":
    sys.exit(main())
