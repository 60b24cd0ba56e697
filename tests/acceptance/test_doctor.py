"""`doctor` as a process: what it finds right, what wrong, and that it only looks."""

from __future__ import annotations

import json
import os
import stat
from typing import TYPE_CHECKING, Any

import pytest

from memstone import engine
from tests.acceptance.cli import call, environment, process, seen
from tests.acceptance.housekit import POSIX, data_folder, install, snapshot, uninstall

if TYPE_CHECKING:
    from pathlib import Path


def report(house: Path, *options: str, code: int = 0, **variables: str) -> list[dict[str, Any]]:
    """The findings of a doctor that runs as a process of its own."""
    env = environment("", HOME=str(house), USERPROFILE=str(house), **variables)
    if "MEMSTONE_HOME" not in variables:
        del env["MEMSTONE_HOME"]
    answer = process("doctor", "--json", *options, env=env, cwd=house)
    assert answer.code == code, answer.err.decode("utf-8", "replace") or answer.out
    document = answer.document
    assert document["ok"] is (code == 0)
    checks: list[dict[str, Any]] = document["checks"]
    return checks


def one(checks: list[dict[str, Any]], name: str) -> dict[str, Any]:
    (found,) = [each for each in checks if each["check"] == name]
    return found


def states(checks: list[dict[str, Any]]) -> set[str]:
    return {each["state"] for each in checks}


def test_where_nothing_is_set_up_it_says_how_to_begin_and_makes_nothing(house: Path) -> None:
    checks = report(house)
    assert snapshot(house) == {}
    assert one(checks, "store")["state"] == "warn"
    assert "memstone install" in one(checks, "store")["hint"]
    assert one(checks, "SQLite")["message"].startswith("SQLite 3.")


def test_everything_is_fine_after_an_installation(house: Path) -> None:
    install("claude-code")
    call("remember", "备份每晚运行", "--shared").ok()
    checks = report(house)
    assert states(checks) == {"ok"}
    assert ": 1 current" in one(checks, "store")["message"]
    assert one(checks, "clients")["message"] == "claude-code: in its settings"
    shown = seen("doctor")
    assert "ok    store" in shown
    assert str(data_folder(house)) in shown


def test_variables_that_mean_nothing_are_named(house: Path) -> None:
    checks = report(
        house,
        code=1,
        MEMSTONE_RECALL_LIMIT="5",
        CAVEMAN_CCR_MAX_BYTES="1",
        CAVE_ENGINE_TOON="best-of",
        CAVEMAN_HOME=str(house),
    )
    found = {each["message"]: each for each in checks if each["check"] == "variables"}
    assert set(found) == {
        "MEMSTONE_RECALL_LIMIT is not a setting of memstone",
        "CAVEMAN_CCR_MAX_BYTES means nothing here",
        "CAVE_ENGINE_TOON means nothing here",
    }
    ours = found["MEMSTONE_RECALL_LIMIT is not a setting of memstone"]
    assert "MEMSTONE_RECALL__LIMIT" in ours["hint"]
    assert one(checks, "settings")["state"] == "fail"


def test_a_wrong_setting_is_broken_and_says_where_it_stands(house: Path) -> None:
    data_folder(house).mkdir(parents=True, mode=0o700)
    (data_folder(house) / "config.yaml").write_text("recall:\n  limit: 多\n", "utf-8")
    found = one(report(house, code=1), "settings")
    assert found["state"] == "fail"
    assert "line 2" in found["message"]


@pytest.mark.parametrize("content", [b"no store " * 100, b"x"], ids=["foreign", "too small"])
def test_a_store_that_does_not_open_is_broken(house: Path, content: bytes) -> None:
    data_folder(house).mkdir(parents=True, mode=0o700)
    (data_folder(house) / "mem.db").write_bytes(content)
    assert one(report(house, code=1), "store")["state"] == "fail"
    assert (data_folder(house) / "mem.db").read_bytes() == content


@POSIX
def test_a_data_folder_that_others_may_enter_is_worth_a_word(house: Path) -> None:
    install("cursor")
    data_folder(house).chmod(0o755)
    found = one(report(house), "folder")
    assert found["state"] == "warn"
    assert "chmod 700" in found["hint"]
    assert stat.S_IMODE(data_folder(house).stat().st_mode) == 0o755, "it only looks"


def test_what_is_switched_off_and_what_failed_lately_is_told(house: Path) -> None:
    install("claude-code")
    engine.pause()
    notice = {
        "code": "store_busy",
        "message": "锁住了",
        "event": "stop",
        "client": "claude-code",
        "count": 3,
        "first": "2026-08-13T00:00:00Z",
        "last": "2026-08-13T00:00:00Z",
    }
    text = json.dumps({"notices": [notice]})
    (data_folder(house) / "notices.json").write_text(text, "utf-8")
    checks = report(house)
    assert one(checks, "switches")["message"].startswith("paused")
    assert "3 times: 锁住了" in one(checks, "hooks")["message"]


def test_entries_that_somebody_took_out_are_missed(house: Path) -> None:
    install("cursor")
    (house / ".cursor" / "hooks.json").write_text('{"version": 1, "hooks": {}}', "utf-8")
    found = one(report(house), "clients")
    assert found["state"] == "warn"
    assert str(house / ".cursor" / "hooks.json") in found["message"]
    assert "mcp.json" not in found["message"]


# --- one client ---------------------------------------------------------------------------------

EVENTS = {
    "claude-code": 6,
    "codex": 5,
    "cursor": 6,
    "gemini": 5,
    "vscode": 0,
    "opencode": 0,
    "claude-desktop": 0,
}


@pytest.mark.parametrize(("client", "hooks"), EVENTS.items())
def test_the_hooks_and_the_server_of_a_client_are_tried_and_store_nothing(
    house: Path, client: str, hooks: int
) -> None:
    install(client)
    call("remember", "memstone doctor 记得", "--shared").ok()
    before = call("export").ok().out
    checks = [
        each for each in report(house, "--client", client) if each["check"].startswith(client)
    ]
    assert [each["state"] for each in checks] == ["ok"] * (hooks + 1), checks
    assert checks[-1]["message"].startswith("offers 9 tools")
    assert call("export").ok().out == before
    left = {path.name for path in data_folder(house).iterdir()}
    assert left <= {"mem.db", "mem.db-wal", "mem.db-shm", "installed"}


def test_the_plugin_is_tried_like_the_settings(house: Path) -> None:
    install("claude-code", "--plugin")
    checks = report(house, "--client", "claude-code")
    tried = [each for each in checks if each["check"].startswith("claude-code")]
    assert [each["state"] for each in tried] == ["ok"] * 7


def test_a_client_without_our_entries_is_broken(house: Path) -> None:
    install("cursor")
    uninstall("cursor")
    checks = report(house, "--client", "cursor", code=1)
    messages = [each["message"] for each in checks if each["state"] == "fail"]
    assert messages == [
        "no hook of memstone is set up for cursor",
        "no MCP server of memstone is set up for cursor",
    ]


@POSIX
def test_a_hook_whose_interpreter_is_gone_or_that_misbehaves_is_broken(house: Path) -> None:
    install("cursor")
    file = house / ".cursor" / "hooks.json"
    data = json.loads(file.read_text("utf-8"))
    hooks = data["hooks"]
    program = house / "python 猫"
    program.write_text("#!/bin/sh\necho not JSON\n", "utf-8")
    program.chmod(0o755)
    failing = house / "failing"
    failing.write_text("#!/bin/sh\nexit 3\n", "utf-8")
    failing.chmod(0o755)
    words = "-m memstone hook stop --client cursor"
    hooks["stop"] = [{"command": f"/gone/python {words}"}]
    hooks["sessionEnd"] = [{"command": f"'{program}' {words}"}]
    hooks["preCompact"] = [{"command": f"'{failing}' {words}"}]
    file.write_text(json.dumps(data), "utf-8")
    checks = report(house, "--client", "cursor", code=1)
    assert "not there any more: /gone/python" in one(checks, "cursor stop")["message"]
    assert "not JSON" in one(checks, "cursor sessionEnd")["message"]
    assert "ended with 3" in one(checks, "cursor preCompact")["message"]
    assert one(checks, "cursor sessionStart")["state"] == "ok"


def test_a_server_that_does_not_answer_is_broken(house: Path) -> None:
    install("vscode")
    file = house / ".config" / "Code" / "User" / "mcp.json"
    text = file.read_text("utf-8").replace('"-I",', '"-c", "pass",')
    file.write_text(text, "utf-8")
    found = one(report(house, "--client", "vscode", code=1), "vscode server")
    assert "did not answer" in found["message"]


def test_a_file_with_comments_is_named(house: Path) -> None:
    file = house / ".cursor" / "mcp.json"
    file.parent.mkdir()
    file.write_text("{} // 备注", "utf-8")
    found = one(report(house, "--client", "cursor", code=1), "cursor")
    assert os.fspath(file) in found["message"]
