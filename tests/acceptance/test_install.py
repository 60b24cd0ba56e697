"""`install` and `uninstall` through the command line: a home folder before, between and after."""

from __future__ import annotations

import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import tomllib
from typing import TYPE_CHECKING, Any

import pytest

from memstone.surfaces.install import carrying, files
from memstone.surfaces.install.clients import CLIENTS
from memstone.surfaces.install.launching import is_server
from tests.acceptance.cli import SOURCES, call, environment, process, seen
from tests.acceptance.housekit import (
    BOM,
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
    from collections.abc import Iterator
    from pathlib import Path

OLD = json.dumps(
    {
        "hooks": {
            "Stop": [
                {"hooks": [{"type": "command", "command": "/old/python -m memstone hook stop"}]}
            ]
        },
        "mcpServers": {"memstone": {"command": "/old/python", "args": ["-m", "memstone", "mcp"]}},
    }
)
DISABLED = json.dumps(
    {"mcpServers": {"a": {"command": "x", "disabled": True}}, "disabledMcpServers": ["a"]}
)
TWELVE: dict[str, bytes | None] = {
    "other hooks": HOOKS.encode() + b"\n",
    "odd indent": b'{\n     "hooks":   {},\n   "a" :1 , "b": [ 1,2 ,3]\n }\n',
    "carriage returns": SERVER.replace("\n", "\r\n").encode() + b"\r\n",
    "byte order mark": BOM + SERVER.encode() + b"\n",
    "tabs": json.dumps({"mcpServers": {}, "hooks": {}, "猫": 1}, indent="\t").encode(),
    "empty file": b"",
    "blank file": b" \n\n",
    "missing file": None,
    "empty object": b"{}",
    "no last line end": SERVER.encode(),
    "old hook of ours": OLD.encode(),
    "nested disabled keys": DISABLED.encode() + b"\n\n",
}


# --- bytes ------------------------------------------------------------------------------------

PLACES = [
    ("claude-code", ".claude/settings.json"),
    ("claude-code", ".claude.json"),
    ("cursor", ".cursor/hooks.json"),
    ("cursor", ".cursor/mcp.json"),
    ("codex", ".codex/hooks.json"),
    ("vscode", ".config/Code/User/mcp.json"),
    ("claude-desktop", ".config/Claude/claude_desktop_config.json"),
    ("opencode", ".config/opencode/opencode.json"),
]


@pytest.mark.parametrize("content", TWELVE.values(), ids=TWELVE)
@pytest.mark.parametrize(("client", "name"), PLACES, ids=lambda value: value)
def test_install_install_uninstall_gives_back_the_bytes(
    house: Path, client: str, name: str, content: bytes | None
) -> None:
    file = house / name
    if content is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        file.chmod(0o640)
    data = data_folder(house)
    before = snapshot(house, without=data.parents[1])
    assert install(client)["changes"]
    installed = snapshot(house)
    assert ours_in(file.read_text("utf-8-sig")) > 0
    assert install(client)["changes"] == []
    assert snapshot(house) == installed
    uninstall(client)
    assert snapshot(house, without=data.parents[1]) == before
    assert [path.name for path in data.iterdir() if path.suffix != ".json"] == ["mem.db"]
    assert not (data / "installed").exists()


def test_a_link_inside_the_home_folder_is_written_through(house: Path) -> None:
    kept = house / "dotfiles" / "claude.json"
    kept.parent.mkdir()
    kept.write_text(HOOKS, "utf-8")
    (house / ".claude").mkdir()
    link = house / ".claude" / "settings.json"
    link.symlink_to("../dotfiles/claude.json")
    before = snapshot(house)
    install("claude-code")
    assert link.is_symlink()
    assert ours_in(kept.read_text("utf-8")) == 6
    install("claude-code")
    uninstall("claude-code")
    assert snapshot(house, without=house / ".local") == before


def test_case_87_only_the_data_folder_is_left_after_every_client(
    house: Path, tmp_path: Path
) -> None:
    (house / ".claude").mkdir(mode=0o755)
    (house / ".claude" / "settings.json").write_bytes(TWELVE["carriage returns"] or b"")
    (house / ".codex").mkdir()
    (house / ".codex" / "config.toml").write_text('# 备注\nmodel = "x"\n', "utf-8")
    (house / ".bashrc").write_text("alias ll='ls -l'\n", "utf-8")
    before, around = snapshot(house), snapshot(tmp_path, without=house)
    for _ in range(2):
        for client in CLIENTS:
            install(client)
    between = snapshot(house)
    allowed = (".claude", ".codex", ".cursor", ".gemini", ".config", ".local")
    assert all(name.startswith(allowed) for name in set(between) - set(before))
    for client in CLIENTS:
        assert uninstall(client)["home"] == str(data_folder(house))
    assert snapshot(house, without=house / ".local") == before
    assert snapshot(tmp_path, without=house) == around
    assert {path.name for path in data_folder(house).iterdir()} <= {"mem.db"}
    assert str(data_folder(house)) in seen("uninstall", "--client", "cursor")


def test_case_87_uninstalling_what_was_never_installed_changes_nothing(house: Path) -> None:
    (house / ".cursor").mkdir()
    (house / ".cursor" / "mcp.json").write_text(SERVER, "utf-8")
    before = snapshot(house)
    for client in CLIENTS:
        assert uninstall(client)["changes"] == []
    assert snapshot(house) == before


def test_what_a_person_edits_between_survives(house: Path) -> None:
    file = house / ".claude" / "settings.json"
    file.parent.mkdir()
    file.write_text(HOOKS.replace("  ", "   "), "utf-8")
    install("claude-code")
    edited = file.read_text("utf-8").replace("{", '{\n   "model": "opus 猫",', 1)
    edited = edited.replace("notify-send 完成", "notify-send 好")
    file.write_text(edited, "utf-8")
    install("claude-code")
    assert file.read_text("utf-8") == edited
    uninstall("claude-code")
    expected = HOOKS.replace("  ", "   ").replace("{", '{\n   "model": "opus 猫",', 1)
    assert file.read_text("utf-8") == expected.replace("notify-send 完成", "notify-send 好")


def test_a_file_written_anew_by_another_program_loses_only_our_values(house: Path) -> None:
    file = house / ".claude.json"
    file.write_text('{"numStartups": 1}', "utf-8")
    install("claude-code")
    data = json.loads(file.read_text("utf-8"))
    file.write_text(json.dumps(data | {"numStartups": 2}, indent=1), "utf-8")
    uninstall("claude-code")
    assert json.loads(file.read_text("utf-8")) == {"numStartups": 2}


def test_what_somebody_pointed_elsewhere_stays_and_is_named(house: Path) -> None:
    install("cursor")
    file = house / ".cursor" / "mcp.json"
    file.write_text(file.read_text("utf-8").replace('"-I",', '"-X", "utf8",'), "utf-8")
    answer = uninstall("cursor")
    assert answer["left"] == [{"file": str(file), "pointer": "/mcpServers/memstone"}]
    assert any("stays" in note for note in answer["notes"])
    assert not (house / ".cursor" / "hooks.json").exists()
    assert file.exists()


def test_entries_without_a_receipt_are_found_by_their_command(house: Path) -> None:
    (house / ".claude").mkdir()
    (house / ".claude" / "settings.json").write_text(HOOKS, "utf-8")
    install("claude-code")
    (data_folder(house) / "installed" / "claude-code.json").unlink()
    uninstall("claude-code")
    assert json.loads((house / ".claude" / "settings.json").read_text("utf-8")) == json.loads(HOOKS)
    assert ours_in((house / ".claude.json").read_text("utf-8")) == 0


def test_an_older_hook_of_ours_comes_back_and_a_second_uninstall_takes_it_out(house: Path) -> None:
    file = house / ".claude" / "settings.json"
    file.parent.mkdir()
    file.write_text(OLD, "utf-8")
    install("claude-code")
    assert any("run uninstall again" in note for note in uninstall("claude-code")["notes"])
    assert file.read_text("utf-8") == OLD
    uninstall("claude-code")
    assert "memstone hook" not in file.read_text("utf-8")


# --- refusals ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        b'{\n  // \xe5\xa4\x87\xe6\xb3\xa8\n  "servers": {}\n}\n',
        b'{"servers": {},}',
        b'{"servers": {}, "servers": {}}',
        b"[]",
        b'{"servers": []}',
        "{}".encode("utf-16"),
        b"{",
    ],
    ids=["comments", "trailing comma", "key twice", "no object", "list", "UTF-16", "cut short"],
)
def test_a_file_that_is_not_plain_json_is_refused_with_the_lines_to_paste(
    house: Path, content: bytes
) -> None:
    file = house / ".config" / "Code" / "User" / "mcp.json"
    file.parent.mkdir(parents=True)
    file.write_bytes(content)
    before = snapshot(house)
    answer = call("install", "--client", "vscode")
    assert answer.code == 65
    assert answer.error["code"] == "client_file_refused"
    assert str(file) in answer.error["message"]
    pasted = json.loads(answer.error["fields"]["snippet"])
    assert is_server(pasted["servers"]["memstone"])
    assert snapshot(house) == before
    shown = seen("install", "--client", "vscode", code=65)
    assert '"servers": {' in shown


def test_one_refused_file_keeps_the_other_from_being_written(house: Path) -> None:
    (house / ".claude.json").write_text("// 备注\n{}", "utf-8")
    before = snapshot(house)
    assert call("install", "--client", "claude-code").code == 65
    assert snapshot(house) == before


@POSIX
@pytest.mark.parametrize("what", ["file", "folder", "dangling"])
def test_a_link_that_leads_out_of_the_home_folder_is_refused(
    house: Path, tmp_path: Path, what: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "mcp.json").write_text("{}", "utf-8")
    if what == "folder":
        (house / ".cursor").symlink_to(outside)
    else:
        (house / ".cursor").mkdir()
        name = "gone.json" if what == "dangling" else "mcp.json"
        (house / ".cursor" / "mcp.json").symlink_to(outside / name)
    before = snapshot(tmp_path)
    answer = call("install", "--client", "cursor")
    assert answer.code == 65
    assert "leads out" in answer.error["message"]
    assert snapshot(tmp_path) == before


def test_a_toml_file_that_cannot_be_edited_is_refused_with_the_table_to_paste(house: Path) -> None:
    file = house / ".codex" / "config.toml"
    file.parent.mkdir()
    file.write_text('mcp_servers = {other = {command = "x"}}\n', "utf-8")
    answer = call("install", "--client", "codex")
    assert answer.code == 65
    table = tomllib.loads(answer.error["fields"]["snippet"])
    assert is_server(table["mcp_servers"]["memstone"])
    assert not (house / ".codex" / "hooks.json").exists()


@pytest.mark.parametrize(
    "words",
    [
        ["install"],
        ["install", "--client", "emacs"],
        ["uninstall"],
        ["install", "--client", "codex", "--plugin"],
    ],
)
def test_a_wrong_call_is_a_usage_error_and_writes_nothing(house: Path, words: list[str]) -> None:
    assert call(*words).code == 2
    assert snapshot(house) == {}


# --- what is written ----------------------------------------------------------------------------


def test_a_dry_run_says_all_and_writes_nothing(house: Path) -> None:
    (house / ".claude").mkdir()
    (house / ".claude" / "settings.json").write_text(HOOKS, "utf-8")
    before = snapshot(house)
    answer = install("claude-code", "--dry-run")
    assert snapshot(house) == before
    assert answer["applied"] is False
    pointers = [change["pointer"] for change in answer["changes"]]
    assert pointers == [
        "/hooks/SessionStart/-",
        "/hooks/UserPromptSubmit/-",
        "/hooks/PreCompact/-",
        "/hooks/PostCompact/-",
        "/hooks/Stop/-",
        "/hooks/SessionEnd/-",
        "/mcpServers/memstone",
    ]
    assert install("claude-code")["changes"] == answer["changes"]
    installed = snapshot(house)
    assert uninstall("claude-code", "--dry-run")["changes"]
    assert snapshot(house) == installed


def test_a_person_sees_the_plan_and_what_is_left_to_approve(house: Path) -> None:
    shown = seen("install", "--client", "codex")
    assert "will change:" in shown
    assert str(house / ".codex" / "hooks.json") in shown.replace("\n", "")
    assert "approve the hooks of memstone" in shown
    assert "nothing to change" in seen("install", "--client", "codex")


def test_hooks_have_timeouts_and_start_a_worker_only_if_that_was_agreed_to(house: Path) -> None:
    install("claude-code")
    text = (house / ".claude" / "settings.json").read_text("utf-8")
    hooks = json.loads(text)["hooks"]
    timeouts = {event: groups[0]["hooks"][0]["timeout"] for event, groups in hooks.items()}
    assert timeouts == {
        "SessionStart": 10,
        "UserPromptSubmit": 5,
        "PreCompact": 10,
        "PostCompact": 10,
        "Stop": 5,
        "SessionEnd": 10,
    }
    assert "--work" not in text
    install("claude-code", "--work")
    hooks = json.loads((house / ".claude" / "settings.json").read_text("utf-8"))["hooks"]
    working = [e for e, groups in hooks.items() if "--work" in groups[0]["hooks"][0]["command"]]
    assert working == ["Stop", "SessionEnd"]
    uninstall("claude-code")
    assert set(snapshot(house, without=house / ".local")) == set()


def test_case_58_a_hook_is_one_program_with_words_and_no_shell_syntax(house: Path) -> None:
    for client in ("claude-code", "codex", "cursor", "gemini"):
        for change in install(client)["changes"]:
            for command in commands_in(change["new"]):
                assert not set(command) & set(";|&<>$`\n"), command


def commands_in(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("command"), str) and "args" not in value:
            yield value["command"]
        for inner in value.values():
            yield from commands_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from commands_in(inner)


def test_a_data_folder_is_named_in_the_commands_only_if_the_user_named_one(
    house: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install("cursor")
    assert "--home" not in (house / ".cursor" / "mcp.json").read_text("utf-8")
    uninstall("cursor")
    named = tmp_path / "my 记忆"
    monkeypatch.setenv("MEMSTONE_HOME", str(named))
    install("cursor")
    args = json.loads((house / ".cursor" / "mcp.json").read_text("utf-8"))
    assert args["mcpServers"]["memstone"]["args"][-2:] == ["--home", str(named)]
    stop = json.loads((house / ".cursor" / "hooks.json").read_text("utf-8"))["hooks"]["stop"]
    assert stop[0]["command"].endswith(f"--client cursor --home '{named}'")
    assert (named / "mem.db").exists()
    assert not data_folder(house).joinpath("installed").exists()


def test_each_client_gets_its_entry_in_its_own_words(house: Path) -> None:
    for client in CLIENTS:
        install(client)
    code = json.loads((house / ".config/Code/User/mcp.json").read_text("utf-8"))
    assert code["servers"]["memstone"]["type"] == "stdio"
    opencode = json.loads((house / ".config/opencode/opencode.json").read_text("utf-8"))
    entry = opencode["mcp"]["memstone"]
    assert entry["command"][0] == sys.executable
    assert entry["enabled"] is True
    codex = tomllib.loads((house / ".codex" / "config.toml").read_text("utf-8"))
    assert codex["mcp_servers"]["memstone"]["command"] == sys.executable
    extension = house / ".gemini" / "extensions" / "memstone"
    hooks = json.loads((extension / "hooks" / "hooks.json").read_text("utf-8"))["hooks"]
    assert {groups[0]["hooks"][0]["timeout"] for groups in hooks.values()} == {5_000, 10_000}
    assert (
        "memstone" in json.loads((extension / "gemini-extension.json").read_text("utf-8"))["name"]
    )
    cursor = json.loads((house / ".cursor" / "hooks.json").read_text("utf-8"))
    assert cursor["version"] == 1
    assert all("timeout" not in one[0] for one in cursor["hooks"].values())


def test_a_server_that_was_switched_off_stays_off(house: Path) -> None:
    install("opencode")
    file = house / ".config" / "opencode" / "opencode.json"
    file.write_text(file.read_text("utf-8").replace("true", "false"), "utf-8")
    assert install("opencode")["changes"] == []
    assert json.loads(file.read_text("utf-8"))["mcp"]["memstone"]["enabled"] is False
    uninstall("opencode")
    assert not file.exists()


@pytest.mark.parametrize(
    ("client", "name", "content"),
    [
        ("claude-code", ".claude/settings.json", '{"disableAllHooks": true}'),
        ("codex", ".codex/config.toml", "[features]\nhooks = false\n"),
    ],
)
def test_a_client_that_runs_no_hooks_is_named(
    house: Path, client: str, name: str, content: str
) -> None:
    file = house / name
    file.parent.mkdir()
    file.write_text(content, "utf-8")
    assert any("no hook runs" in note for note in install(client)["notes"])


def test_variables_of_the_clients_are_heeded(
    house: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = tmp_path / "elsewhere 配置"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(named))
    monkeypatch.setenv("CODEX_HOME", str(named / "codex"))
    install("claude-code")
    install("codex")
    written = {path.relative_to(named).as_posix() for path in named.rglob("*") if path.is_file()}
    assert written == {"settings.json", ".claude.json", "codex/hooks.json", "codex/config.toml"}
    assert set(snapshot(house, without=house / ".local")) == set()
    uninstall("codex")
    uninstall("claude-code")
    assert not named.exists()


# --- receipts ---------------------------------------------------------------------------------


@POSIX
def test_a_receipt_is_its_owners_alone_and_holds_no_content_it_does_not_need(house: Path) -> None:
    file = house / ".claude.json"
    file.write_text('{"oauth": "sk-zero-trust", "mcpServers": {"a": {"env": {"K": "v"}}}}', "utf-8")
    install("claude-code")
    receipt = data_folder(house) / "installed" / "claude-code.json"
    assert stat.S_IMODE(receipt.stat().st_mode) == 0o600
    assert stat.S_IMODE(receipt.parent.stat().st_mode) == 0o700
    kept = json.loads(receipt.read_text("utf-8"))["files"]
    assert [each["copy"] for each in kept] == [None, None]
    assert "zero-trust" not in receipt.read_text("utf-8")


def test_a_damaged_receipt_is_named_and_nothing_is_done(house: Path) -> None:
    install("cursor")
    receipt = data_folder(house) / "installed" / "cursor.json"
    receipt.write_text("{}", "utf-8")
    before = snapshot(house)
    answer = call("uninstall", "--client", "cursor")
    assert answer.code == 65
    assert str(receipt) in answer.error["message"]
    assert snapshot(house) == before


# --- failures on the way ------------------------------------------------------------------------


@pytest.mark.parametrize("number", [0, 1])
def test_a_file_that_cannot_be_written_leaves_none_written(
    house: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    (house / ".claude").mkdir()
    (house / ".claude" / "settings.json").write_text(HOOKS, "utf-8")
    before = snapshot(house)
    real, calls = files.write, iter(range(10))

    def failing(path: str, content: bytes, *, mode: int | None = None) -> None:
        if mode is None and next(calls) == number:
            raise OSError(28, "No space left on device")
        real(path, content, mode=mode)

    monkeypatch.setattr(files, "write", failing)
    answer = call("install", "--client", "claude-code")
    assert answer.code == 73
    assert snapshot(house, without=house / ".local") == before
    assert not (data_folder(house) / "installed").exists()


def test_an_uninstall_that_fails_halfway_leaves_the_client_as_it_was(
    house: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (house / ".claude").mkdir()
    for name in (".claude/settings.json", ".claude.json"):
        (house / name).write_text(HOOKS, "utf-8")
    install("claude-code")
    installed = snapshot(house)
    real = files.write

    def failing(path: str, content: bytes, *, mode: int | None = None) -> None:
        if path.endswith(".claude.json"):
            raise OSError(30, "Read-only file system")
        real(path, content, mode=mode)

    monkeypatch.setattr(files, "write", failing)
    assert call("uninstall", "--client", "claude-code").code == 73
    assert snapshot(house) == installed


@POSIX
@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo], ids=["folder", "pipe"])
def test_what_is_no_file_is_refused(house: Path, make: Any) -> None:
    (house / ".cursor").mkdir()
    make(house / ".cursor" / "mcp.json")
    answer = call("install", "--client", "cursor")
    assert answer.code == 65
    assert "no file" in answer.error["message"]
    assert not (house / ".cursor" / "hooks.json").exists()


def test_a_file_that_changes_under_us_is_not_overwritten(
    house: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (house / ".cursor").mkdir()
    file = house / ".cursor" / "mcp.json"
    file.write_text("{}", "utf-8")
    real = carrying.install

    def meanwhile(*arguments: Any) -> tuple[str, ...]:
        file.write_text('{"a": "同时"}', "utf-8")
        return real(*arguments)

    monkeypatch.setattr(carrying, "install", meanwhile)
    answer = call("install", "--client", "cursor")
    assert answer.error["code"] == "conflict"
    assert file.read_text("utf-8") == '{"a": "同时"}'
    assert not (house / ".cursor" / "hooks.json").exists()


KILLED = """
import os, signal, sys
from memstone.surfaces.install import files
real, left = files.replace, [int(sys.argv.pop())]
def replace(found, content):
    if left[0] == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    left[0] -= 1
    real(found, content)
files.replace = replace
from memstone.__main__ import main
sys.exit(main())
"""


@POSIX
@pytest.mark.parametrize("after", [0, 1])
@pytest.mark.parametrize("verb", ["install", "uninstall"])
def test_a_kill_between_two_files_leaves_what_the_next_call_finishes(
    house: Path, verb: str, after: int
) -> None:
    (house / ".claude").mkdir()
    (house / ".claude" / "settings.json").write_text(HOOKS, "utf-8")
    before = snapshot(house)
    if verb == "uninstall":
        install("claude-code")
    env = environment("", HOME=str(house), PATH="")
    del env["MEMSTONE_HOME"]
    words = [verb, "--client", "claude-code", str(after)]
    done = subprocess.run(
        [sys.executable, "-c", KILLED, *words], env=env, capture_output=True, check=False
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    changed = snapshot(house, without=house / ".local") != before
    assert changed is (verb == "uninstall" or after == 1)
    if verb == "install" and after == 1:
        install("claude-code")
        assert ours_in((house / ".claude" / "settings.json").read_text("utf-8")) == 6
    uninstall("claude-code")
    assert snapshot(house, without=house / ".local") == before


# --- an installation that the interpreter does not find by itself -------------------------------


@POSIX
@pytest.mark.parametrize("client", ["cursor", "codex"])
def test_commands_of_a_memstone_on_pythonpath_carry_it_and_work(
    house: Path, tmp_path: Path, client: str
) -> None:
    elsewhere = tmp_path / "来源 x"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(SOURCES / "memstone", elsewhere / "memstone", ignore=ignored)
    env = environment("", HOME=str(house), PYTHONPATH=str(elsewhere))
    del env["MEMSTONE_HOME"]
    answer = process("install", "--client", client, env=env, cwd=house).ok().document
    assert any("PYTHONPATH" in note for note in answer["notes"])
    commands = [command for change in answer["changes"] for command in commands_in(change["new"])]
    assert all(
        command.startswith(f"/usr/bin/env 'PYTHONPATH={elsewhere}' ") for command in commands
    )
    if client == "cursor":
        entry = json.loads((house / ".cursor" / "mcp.json").read_text("utf-8"))["mcpServers"]
    else:
        entry = tomllib.loads((house / ".codex" / "config.toml").read_text("utf-8"))["mcp_servers"]
    assert entry["memstone"]["env"] == {"PYTHONPATH": str(elsewhere)}
    env["PYTHONPATH"] = ""
    tried = process("doctor", "--client", client, env=env, cwd=house).document
    assert [each for each in tried["checks"] if each["state"] != "ok"] == []
    process("uninstall", "--client", client, env=env, cwd=house).ok()
    assert snapshot(house, without=house / ".local") == {}


# --- what the documentation says ----------------------------------------------------------------


@pytest.mark.parametrize("client", CLIENTS)
def test_every_file_and_hook_of_a_client_is_documented(house: Path, client: str) -> None:
    text = (SOURCES.parent / "docs" / "CLIENTS.md").read_text("utf-8")
    assert f"`{client}`" in text
    for change in install(client)["changes"]:
        name = os.path.relpath(change["file"], house).replace(os.sep, "/")
        short = name.removeprefix(".config/") if client in ("vscode", "claude-desktop") else name
        assert short in text, name
        parts = change["pointer"].split("/")
        if parts[1:2] == ["hooks"]:
            assert f"`{parts[2]}`" in text
