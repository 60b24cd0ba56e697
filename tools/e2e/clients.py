"""How the two real clients are set up, asked one thing, and answered, each in its own words.

A `Client` is what the scenario needs to know and no more. `prepare` writes the configuration that a
user has before memstone comes: the way to the fake model, and a hook of somebody else's that must
survive. `words` are the command for one prompt, in a new session or in the one that is named.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from tools.e2e.requests import Call

if TYPE_CHECKING:
    from pathlib import Path

    from tools.e2e.ground import Ground
    from tools.e2e.requests import ModelRequest

FOREIGN_HOOK = "/bin/true"  # somebody else's hook, present before we come
CLAUDE_RECALL = "mcp__memstone__recall"
CODEX_RECALL = "mcp__memstone.recall"


class Client(Protocol):
    """What the scenario asks of a client."""

    @property
    def name(self) -> str:
        """What memstone calls it."""

    def prepare(self, ground: Ground, address: str) -> None:
        """Write the configuration a user has before memstone comes."""

    def environment(self, address: str) -> dict[str, str]:
        """The variables it needs on top of the ground's."""

    def words(self, prompt: str, *, session: str | None = None, trusted: bool = True) -> list[str]:
        """The command that asks one thing."""

    def hooks_file(self, ground: Ground) -> Path:
        """The file that hooks are configured in."""

    def configuration(self, ground: Ground) -> tuple[Path, ...]:
        """The files that an installer may touch."""

    def offers(self, request: ModelRequest) -> str:
        """How this request offers our recall tool: "in full", "by name", or "" for not at all."""

    def recall(self, request: ModelRequest, query: str) -> Call | None:
        """The call of our recall tool if this request offers it, or the step that loads it."""

    def nothing(self) -> Call:
        """A call of one of the client's own tools that changes nothing."""


@dataclass(frozen=True)
class ClaudeCode:
    """Claude Code in its print mode."""

    name: str = "claude-code"

    def prepare(self, ground: Ground, address: str) -> None:
        """Settings with an odd indent and a hook of somebody else's."""
        del address  # it goes into a variable
        foreign = {"hooks": [{"type": "command", "command": FOREIGN_HOOK, "timeout": 5}]}
        settings = {"cleanupPeriodDays": 30, "hooks": {"Stop": [foreign]}}
        file = self.hooks_file(ground)
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(settings, indent=3) + "\n", encoding="utf-8")

    def environment(self, address: str) -> dict[str, str]:
        return {
            "ANTHROPIC_BASE_URL": address,
            "ANTHROPIC_API_KEY": "none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_AUTOUPDATER": "1",
            "IS_SANDBOX": "1",
        }

    def words(self, prompt: str, *, session: str | None = None, trusted: bool = True) -> list[str]:
        del trusted  # hooks in the user's own settings need no approval
        resumed = ["--resume", session] if session else []
        allowed = ["--allowedTools", f"Bash(true),ToolSearch,{CLAUDE_RECALL}"]
        return ["claude", "-p", prompt, "--output-format", "json", *resumed, *allowed]

    def hooks_file(self, ground: Ground) -> Path:
        return ground.home / ".claude" / "settings.json"

    def configuration(self, ground: Ground) -> tuple[Path, ...]:
        return (self.hooks_file(ground), ground.home / ".claude.json")

    def offers(self, request: ModelRequest) -> str:
        if CLAUDE_RECALL in request.tools:
            return "in full"
        # a deferred tool is a name among the messages, to be loaded by another tool
        return "by name" if request.holding(CLAUDE_RECALL) else ""

    def recall(self, request: ModelRequest, query: str) -> Call | None:
        if self.offers(request) == "in full":
            return Call(CLAUDE_RECALL, {"query": query})
        if self.offers(request) == "by name":
            return Call("ToolSearch", {"query": f"select:{CLAUDE_RECALL}", "max_results": 1})
        return None

    def nothing(self) -> Call:
        return Call("Bash", {"command": "true", "description": "nothing"})


@dataclass(frozen=True)
class Codex:
    """Codex in its exec mode."""

    name: str = "codex"

    def prepare(self, ground: Ground, address: str) -> None:
        """A provider that is the fake model, with a comment that must survive."""
        folder = ground.home / ".codex"
        folder.mkdir(parents=True)
        lines = (
            "# mine, do not touch",
            'model = "gpt-5.2-codex"',
            'model_provider = "fake"',
            "check_for_update_on_startup = false",
            "",
            "[analytics]",
            "enabled = false",
            "",
            "[model_providers.fake]",
            'name = "fake"',
            f'base_url = "{address}/v1"',
            'wire_api = "responses"',
            'env_key = "FAKE_KEY"',
            "supports_websockets = false",
            "",
        )
        (folder / "config.toml").write_text("\n".join(lines), encoding="utf-8")
        foreign = {"hooks": [{"type": "command", "command": FOREIGN_HOOK, "timeout": 5}]}
        text = json.dumps({"hooks": {"Stop": [foreign]}}, indent=3) + "\n"
        self.hooks_file(ground).write_text(text, encoding="utf-8")

    def environment(self, address: str) -> dict[str, str]:
        del address  # it stands in the configuration
        return {"FAKE_KEY": "none"}

    def words(self, prompt: str, *, session: str | None = None, trusted: bool = True) -> list[str]:
        exec_ = ["codex", "exec"]
        flags = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
        if trusted:  # what a person does once in the client's own window
            flags.append("--dangerously-bypass-hook-trust")
        return [*exec_, *flags, *(["resume", session] if session else []), prompt]

    def hooks_file(self, ground: Ground) -> Path:
        return ground.home / ".codex" / "hooks.json"

    def configuration(self, ground: Ground) -> tuple[Path, ...]:
        return (self.hooks_file(ground), ground.home / ".codex" / "config.toml")

    def offers(self, request: ModelRequest) -> str:
        return "in full" if CODEX_RECALL in request.tools else ""

    def recall(self, request: ModelRequest, query: str) -> Call | None:
        return Call(CODEX_RECALL, {"query": query}) if self.offers(request) else None

    def nothing(self) -> Call:
        return Call("exec_command", {"cmd": "true"})
