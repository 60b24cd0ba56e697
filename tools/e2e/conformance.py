"""`make conformance`: our MCP server against the protocol's own suite and its inspector.

    python -m tools.e2e.conformance [--write] [--memstone WORDS]

The twelve scenarios are those that an application server can pass: the rest of the suite wants
fixture tools with fixed names. They run by name against `memstone mcp --http … --no-token` on a
throw-away store. The inspector then lists the tools with `--strict` (a portability problem in a
schema is an error) and calls every tool, over HTTP and over stdio; a tool that is listed and has no
call here fails the run. Exit code 1 if anything fails, 69 if the suites could not be had.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tools.e2e import downloads, namespace, results
from tools.e2e.ground import Ground, run
from tools.e2e.results import Section
from tools.e2e.toolcalls import STEPS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tools.e2e.ground import Done
    from tools.e2e.toolcalls import Ids

SCENARIOS = (
    "server-initialize",
    "ping",
    "completion-complete",
    "tools-list",
    "tools-call-error",
    "server-sse-multiple-streams",
    "resources-list",
    "sep-2164-resource-not-found",
    "dns-rebinding-protection",
    "caching",
    "http-header-validation",
    "server-session-lifecycle",
)
START_SECONDS = 30
STOP_SECONDS = 10
EX_UNAVAILABLE = 69


@dataclass(frozen=True, slots=True)
class Suite:
    """Where the two suites and their Node are."""

    node: Path
    conformance: Path
    inspector: Path


def main() -> int:
    """The exit code."""
    given = arguments()
    try:
        suite = Suite(downloads.node(), downloads.conformance(), downloads.inspector())
    except downloads.NotFetched as error:
        print(error, file=sys.stderr)
        return EX_UNAVAILABLE
    namespace.enter("tools.e2e.conformance")
    print(f"network: {namespace.described()}")
    root = Path(tempfile.mkdtemp(prefix="e2e-"))
    try:
        ground = Ground.made(root, tuple(shlex.split(given.memstone)), {"node": suite.node})
        sections = found(ground, suite)
    finally:
        shutil.rmtree(root)
    print(f"\n{results.table(sections)}")
    if given.write:
        results.write("conformance.json", sections)
    return int(any(section.failed for section in sections))


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tools.e2e.conformance")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--memstone", default=shlex.join([sys.executable, "-I", "-m", "memstone"]))
    return parser.parse_args()


def found(ground: Ground, suite: Suite) -> list[Section]:
    """All three sections."""
    suite_version = downloads.CONFORMANCE.rpartition("@")[2]
    inspector_version = downloads.INSPECTOR.rpartition("@")[2]
    scenarios = Section("conformance suite, streamable HTTP", suite_version)
    by_http = Section("inspector, streamable HTTP", inspector_version)
    by_stdio = Section("inspector, stdio", inspector_version)
    ground.run("init")
    with serving(ground) as url:
        for name in SCENARIOS:
            scenario(ground, suite, scenarios, name, url)
        inspected(ground, suite, by_http, [url])
    inspected(ground, suite, by_stdio, [*ground.memstone, "mcp"])
    return [scenarios, by_http, by_stdio]


@contextlib.contextmanager
def serving(ground: Ground) -> Iterator[str]:
    """The address of a running HTTP server; stopped by SIGTERM at the end."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    words = [*ground.memstone, "mcp", "--http", f"127.0.0.1:{port}", "--no-token"]
    log = ground.root / "server.txt"
    with log.open("w", encoding="utf-8") as stream:
        server = subprocess.Popen(
            words,
            env=ground.environment(),
            cwd=ground.project,
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=stream,
        )
        try:
            _wait_for(port, server)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            server.terminate()
            try:
                server.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def _wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    """Return once the server accepts connections, ended, or did not start in time."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except ConnectionRefusedError:
            time.sleep(0.05)
        else:
            return


def scenario(ground: Ground, suite: Suite, section: Section, name: str, url: str) -> None:
    """One scenario by name; its checks are counted from the file that it writes."""
    folder = ground.root / "suite" / name
    options = ["server", "--url", url, "--scenario", name, "-o", str(folder)]
    command = [str(suite.node), str(suite.conformance), *options]
    done = run(command, ground.environment(), ground.project)
    checks = [
        check
        for file in folder.rglob("checks.json")
        for check in json.loads(file.read_text(encoding="utf-8"))
    ]
    passed = [check for check in checks if check["status"] == "SUCCESS"]
    failed = [check for check in checks if check["status"] == "FAILURE"]
    seen = f"{len(passed)} of {len(passed) + len(failed)} checks, exit {done.code}"
    if done.code == 0 and checks and not passed and not failed:
        # the suite found nothing to judge, and its exit code calls that a success
        said = "; ".join(str(check.get("details", {}).get("message", "")) for check in checks)
        section.check(name, f"{seen}: {said}", holds=None)
        return
    if failed or not checks:
        said = "; ".join(str(check.get("errorMessage", check.get("name"))) for check in failed)
        seen += f": {said or (done.err or done.out).strip()[-300:]}"
    section.check(name, seen, holds=done.code == 0 and bool(passed) and not failed)


def inspected(ground: Ground, suite: Suite, section: Section, target: list[str]) -> None:
    """The strict list of tools and a call of every one of them."""
    front = [str(suite.node), str(suite.inspector), "--cli", *target, "--method"]

    def inspector(*words: str) -> Done:
        return run([*front, *words], ground.environment(), ground.project)

    listed = inspector("tools/list", "--strict")
    names = [str(tool["name"]) for tool in _object(listed).get("tools", [])]
    problems = listed.err.strip()[-300:]
    seen = f"{len(names)} tools, exit {listed.code} {problems}".strip()
    section.check("tools/list --strict", seen, holds=listed.code == 0 and bool(names))
    ids: Ids = {}
    for step in STEPS:
        try:
            given = step.arguments(ids)
        except KeyError:
            section.check(f"tools/call {step.tool}", "an earlier call failed", holds=False)
            continue
        flags = [part for key, value in given.items() for part in ("--tool-arg", f"{key}={value}")]
        done = inspector("tools/call", "--tool-name", step.tool, *flags)
        answer = _object(done).get("structuredContent") or {}
        good = done.code == 0 and step.right(answer)
        seen = step.seen if good else f"exit {done.code} {_error(done)}"
        section.check(f"tools/call {step.tool}", seen, holds=good)
        if good and step.keeps:
            ids[step.keeps] = str(answer["id"])
    missing = sorted(set(names) - {step.tool for step in STEPS})
    section.check("every listed tool was called", ", ".join(missing) or "all", holds=not missing)
    asked = inspector(
        "tools/call", "--tool-name", "history", "--tool-arg", "id=mem_0000000000000000"
    )
    section.check("a tool error is a tool error", f"exit {asked.code}", holds=asked.code == 5)
    read = inspector("resources/read", "--uri", "memory://session-block")
    section.check("resources/read", f"exit {read.code}", holds=read.code == 0)
    prompt = inspector("prompts/get", "--prompt-name", "session_block")
    section.check("prompts/get", f"exit {prompt.code}", holds=prompt.code == 0)


def _error(done: Done) -> str:
    """What a failed call said: the tool's own words, else the inspector's."""
    said = [str(entry.get("text", "")) for entry in _object(done).get("content", [])]
    return (" ".join(said) or done.err or done.out).strip()[:300]


def _object(done: Done) -> dict[str, Any]:
    """The JSON object on standard output, empty if there is none."""
    try:
        value = json.loads(done.out)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


if __name__ == "__main__":
    sys.exit(main())
