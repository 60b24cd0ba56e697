"""Installing by the clients' own commands, played by stand-ins on PATH, and the plugin."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING, Any

import pytest

from tests.acceptance.cli import call
from tests.acceptance.housekit import (
    HOOKS,
    POSIX,
    SERVER,
    data_folder,
    install,
    ours_in,
    snapshot,
    uninstall,
)

if TYPE_CHECKING:
    from pathlib import Path

# --- the clients' own commands ------------------------------------------------------------------

CLAUDE = """
settings = home / ".claude" / "settings.json"
if words[:4] == ["mcp", "add", "-s", "user"]:
    data = read(home / ".claude.json")
    at = words.index("--")
    entry = {"type": "stdio", "command": words[at + 1], "args": words[at + 2:], "env": {}}
    data.setdefault("mcpServers", {})[words[4]] = entry
    write(home / ".claude.json", data | {"numStartups": 7})
elif words[:3] == ["plugin", "marketplace", "add"]:
    market = read(pathlib.Path(words[3]) / ".claude-plugin" / "marketplace.json")
    source = {"source": {"source": "directory", "path": words[3]}}
    data = read(settings)
    data.setdefault("extraKnownMarketplaces", {})[market["name"]] = source
    write(settings, data)
elif words[:2] == ["plugin", "install"]:
    data = read(settings)
    data.setdefault("enabledPlugins", {})[words[2]] = True
    write(settings, data)
elif words[:2] == ["plugin", "uninstall"]:
    data = read(settings)
    data["enabledPlugins"].pop(words[2])
    write(settings, data)
elif words[:3] == ["plugin", "marketplace", "remove"]:
    data = read(settings)
    data["extraKnownMarketplaces"].pop(words[3])
    write(settings, data)
"""
CODEX = """
file = home / ".codex" / "config.toml"
at = words.index("--")
file.parent.mkdir(exist_ok=True)
old = file.read_text("utf-8") if file.exists() else ""
file.write_text(old + f"\\n[mcp_servers.{words[2]}]\\ncommand = {json.dumps(words[at + 1])}\\n"
                + f"args = {json.dumps(words[at + 2:])}\\n", "utf-8")
"""
CODE = """
assert words[0] == "--add-mcp"
entry = json.loads(words[1])
name = entry.pop("name")
file = home / ".config" / "Code" / "User" / "mcp.json"
data = read(file)
data.setdefault("servers", {})[name] = entry
write(file, data)
"""
BROKEN = "sys.exit('error: 不行')"

Command = tuple[str, str, str, str, str]  # client, command, body, file, its content
COMMANDS: list[Command] = [
    ("claude-code", "claude", CLAUDE, ".claude.json", SERVER),
    ("codex", "codex", CODEX, ".codex/config.toml", '# 备注\nmodel = "x"'),
    ("vscode", "code", CODE, ".config/Code/User/mcp.json", '{"servers": {"a": {"command": "x"}}}'),
]


@POSIX
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
@pytest.mark.parametrize("there", [True, False])
def test_the_clients_own_command_is_run_and_the_bytes_come_back(
    house: Path, stand_in: Any, command: Command, *, there: bool
) -> None:
    client, name, body, file, content = command
    calls = stand_in(name, body, indent=7)
    path = house / file
    path.parent.mkdir(parents=True, exist_ok=True)
    if there:
        path.write_text(content, "utf-8")
    before = snapshot(house)
    answer = install(client)
    by = [change["by"] for change in answer["changes"] if change["by"]]
    assert by == [[name, *words] for words in calls()]
    assert answer["notes"] == []
    assert install(client)["changes"] == []
    assert len(calls()) == 1
    uninstall(client)
    assert snapshot(house, without=house / ".local") == before


@POSIX
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_what_was_edited_since_the_command_ran_stays(
    house: Path, stand_in: Any, command: Command
) -> None:
    client, name, body, file, content = command
    stand_in(name, body)
    path = house / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, "utf-8")
    install(client)
    text = path.read_text("utf-8")
    edit = "\n[theirs]\na = '好'\n" if client == "codex" else ', "theirs": "好"}'
    edited = text + edit if client == "codex" else text.rstrip().removesuffix("}") + edit
    path.write_text(edited, encoding="utf-8")
    uninstall(client)
    left = path.read_text("utf-8")
    assert "memstone" not in left
    assert "好" in left
    kept = tomllib.loads(left) if client == "codex" else json.loads(left)
    was = tomllib.loads(content) if client == "codex" else json.loads(content)
    assert was.items() <= kept.items()


@POSIX
@pytest.mark.parametrize("body", [BROKEN, "pass"], ids=["fails", "does nothing"])
def test_a_command_that_does_not_add_the_server_is_made_up_for(
    house: Path, stand_in: Any, body: str
) -> None:
    stand_in("claude", body)
    answer = install("claude-code")
    assert any("was edited instead" in note for note in answer["notes"])
    assert ours_in((house / ".claude.json").read_text("utf-8")) == 1
    uninstall("claude-code")
    assert snapshot(house, without=house / ".local") == {}


# --- the plugin ---------------------------------------------------------------------------------


def test_the_plugin_is_a_folder_and_two_commands_to_run(house: Path) -> None:
    answer = install("claude-code", "--plugin")
    folder = data_folder(house) / "plugin"
    market = json.loads((folder / ".claude-plugin" / "marketplace.json").read_text("utf-8"))
    root = folder / market["plugins"][0]["source"]
    about = json.loads((root / ".claude-plugin" / "plugin.json").read_text("utf-8"))
    assert about["name"] == market["plugins"][0]["name"] == "memstone"
    hooks = (root / "hooks" / "hooks.json").read_text("utf-8")
    assert ours_in(hooks) == 6
    assert ours_in((root / ".mcp.json").read_text("utf-8")) == 1
    assert (root / "skills" / "memory" / "SKILL.md").read_text("utf-8").startswith("---\nname: ")
    assert len((root / "README.md").read_text("utf-8").split()) >= 40
    assert answer["commands"] == [
        ["claude", "plugin", "marketplace", "add", str(folder)],
        ["claude", "plugin", "install", "memstone@memstone"],
    ]
    assert any("run this yourself: claude plugin install" in note for note in answer["notes"])
    assert set(snapshot(house, without=house / ".local")) == set()
    answer = uninstall("claude-code")
    assert any("claude plugin uninstall" in note for note in answer["notes"])
    assert {path.name for path in data_folder(house).iterdir()} == {"mem.db"}


@POSIX
@pytest.mark.parametrize("content", [None, "{}\n", HOOKS], ids=["no file", "empty", "hooks"])
def test_the_plugin_is_switched_on_and_off_by_claude_itself(
    house: Path, stand_in: Any, content: str | None
) -> None:
    calls = stand_in("claude", CLAUDE)
    file = house / ".claude" / "settings.json"
    if content is not None:
        file.parent.mkdir()
        file.write_text(content, "utf-8")
    before = snapshot(house)
    install("claude-code", "--plugin")
    assert json.loads(file.read_text("utf-8"))["enabledPlugins"] == {"memstone@memstone": True}
    assert install("claude-code", "--plugin")["changes"] == []
    assert len(calls()) == 2
    uninstall("claude-code")
    assert [words[1] for words in calls()[2:]] == ["uninstall", "marketplace"]
    assert snapshot(house, without=house / ".local") == before


@POSIX
def test_settings_edited_beside_the_plugin_keep_the_edit(house: Path, stand_in: Any) -> None:
    stand_in("claude", CLAUDE)
    file = house / ".claude" / "settings.json"
    install("claude-code", "--plugin")
    data = json.loads(file.read_text("utf-8"))
    file.write_text(json.dumps(data | {"model": "好"}), "utf-8")
    uninstall("claude-code")
    assert json.loads(file.read_text("utf-8")) == {"model": "好"}


def test_plugin_and_settings_exclude_each_other(house: Path) -> None:
    install("claude-code")
    assert call("install", "--client", "claude-code", "--plugin").code == 2
    uninstall("claude-code")
    install("claude-code", "--plugin")
    answer = call("install", "--client", "claude-code")
    assert answer.code == 2
    assert "run twice" in answer.error["message"]
