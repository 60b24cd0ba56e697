"""The command line as a program: help, mistakes, exit codes, streams, what a terminal shows."""

from __future__ import annotations

import io
import json
import os
import sys
import tomllib
from pathlib import Path

import pytest

from memstone.surfaces.cli import hot, parser, reference
from memstone.surfaces.cli.app import main
from memstone.surfaces.cli.commands import COMMANDS
from memstone.version import VERSION
from tests.acceptance.cli import MIXED, call, remember, seen

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden" / "cli_help.txt"
pytestmark = pytest.mark.usefixtures("home")


@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        ["help"],
        ["--version"],
        ["recall", "--help"],
        ["help", "recall"],
        ["remember", "-h", "--json"],
        ["completion", "bash"],
    ],
)
def test_help_and_version_make_no_files(words: list[str], home: Path) -> None:
    answer = call(*words)
    assert (answer.code, answer.err) == (0, b"")
    assert answer.out
    assert not home.exists()


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ([], "usage"),
        (["remembr", "x"], "usage"),
        (["--jsn"], "usage"),
        (["--home"], "usage"),
        (["recall"], "usage"),
        (["recall", "two", "words"], "usage"),
        (["recall", "x", "--limt", "3"], "usage"),
        (["recall", "x", "--limit"], "usage"),
        (["recall", "x", "--limit", "0"], "invalid_input"),
        (["recall", "x", "--limit", "-3"], "invalid_input"),
        (["recall", "x", "--limit", "2.5"], "invalid_input"),
        (["recall", "x", "--budget", "-1"], "invalid_budget"),
        (["recall", "x", "--budget=-1"], "invalid_budget"),
        (["recall", "x", "--min-score", "1.5"], "invalid_input"),
        (["recall", "x", "--kind", "rumour"], "invalid_input"),
        (["recall", "x", "--since", "soon"], "invalid_time"),
        (["recall", "x", "--shared", "--project", "p"], "usage"),
        (["remember"], "usage"),
        (["remember", "x", "--stdin"], "usage"),
        (["remember", "x", "--at", "13.08.2026"], "invalid_time"),
        (["remember", "x", "--trust", "admin"], "invalid_input"),
        (["forget"], "usage"),
        (["forget", ""], "usage"),
        (["recover", "mem_0"], "invalid_handle"),
        (["expire", "mem_0", "later"], "invalid_time"),
        (["config", "set"], "usage"),
        (["completion", "fish"], "usage"),
        (["import"], "usage"),
        (["why", "mem_0"], "usage"),
        (["wrong", "mem_0"], "usage"),
        (["right", "--query", "x"], "usage"),
    ],
)
def test_mistakes_on_the_line_exit_2_with_a_code_and_make_no_files(
    words: list[str], code: str, home: Path
) -> None:
    answer = call(*words)
    assert (answer.code, answer.out) == (2, b"")
    assert answer.error["code"] == code
    assert answer.err.count(b"\n") == 1
    assert not home.exists()


def test_the_nearest_command_and_option_are_suggested() -> None:
    assert call("rember", "x").error["hint"] == "did you mean remember?"
    assert call("recall", "x", "--any-tags=y").error["hint"] == "did you mean --any-tag?"
    assert "--" in call("remember", "-猫").error["hint"]
    assert "quotes" in call("recall", "two", "words").error["hint"]


def test_the_version_is_the_package_s() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["version"] == VERSION
    assert call("--version").out == f"memstone {VERSION}\n".encode()


def test_every_command_has_a_handler_help_and_an_example_that_parses() -> None:
    import importlib
    import shlex

    for command in COMMANDS.values():
        module, _, function = command.run.partition(":")
        handlers = importlib.import_module(f"memstone.surfaces.cli.{module}")
        assert callable(getattr(handlers, function))
        assert command.examples, command.name
        for example in command.examples:
            for part in example.split("|"):
                words = shlex.split(part.partition(">")[0])
                if words[:2] == ["memstone", command.name]:
                    parser.parse(command, words[2:])


def test_help_reads_as_it_did(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    pages = [parser.overview(), *map(parser.help_of, COMMANDS.values())]
    current = "\n".join(pages)
    if os.environ.get("UPDATE_GOLDEN"):
        GOLDEN.parent.mkdir(exist_ok=True)
        GOLDEN.write_text(current, encoding="utf-8")
    assert current == GOLDEN.read_text(encoding="utf-8")


def test_the_reference_names_every_command_and_option() -> None:
    document = reference.markdown()
    for command in COMMANDS.values():
        assert f"## {command.name}\n" in document
        for argument in command.arguments:
            assert (argument.name if argument.is_option else argument.metavar or "") in document


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_completion_knows_every_command(shell: str) -> None:
    script = call("completion", shell).ok().out.decode()
    assert all(name in script for name in COMMANDS)


def test_every_answer_can_be_looked_at_on_a_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    assert "no memories" in seen("list")
    gone = remember("猫")
    call("forget", gone).ok()
    assert "no memories" in seen("list")
    assert "no changes" in seen("log", "--shared", "--user", "bo")
    assert "nothing that matches" in seen("recall", "猫")
    assert "no verdicts" in seen("feedback")
    said = seen("remember", "猫 sleeps on the server <private>x</private>", "--kind", "task")
    assert "remembered: mem_" in said
    assert "not stored: private (1)" in said
    one = call("list").lines[0]["id"]
    again = seen("remember", call("list").lines[0]["text"], "--kind", "fact")
    assert f"already known: {one}" in again
    assert "left as it was: kind" in again
    assert "memstone recover ccr_" not in seen("recall", "server")
    assert "coverage" in seen("recall", "server", "--explain")
    assert "tags ops; pinned no; expires never" in seen("tag", one, "ops")
    assert "[pinned]" in seen("pin", one) + seen("list")
    assert "[expires 2030-01-01 00:00]" in seen("expire", one, "2030-01-01") + seen("list")
    newer = call("supersede", one, "猫 sleeps in the kitchen").document["id"]
    assert "[superseded]" in seen("list", "--history")
    assert "kitchen" in seen("history", newer)
    assert "provenance" in seen("show", newer)
    assert "file bytes" in seen("stats")
    assert "supersede" in seen("log")
    assert "recall.budget" in seen("config", "show", "--origin")
    assert "written: " in seen("init")
    assert "exported 2 memories" in seen("export", "--output", str(tmp_path / "out.jsonl"))
    assert f"forgot 1: {newer}" in seen("forget", newer)
    assert "(forgotten)" in seen("log")
    assert f"memstone: not found: {newer}" in seen("forget", newer, code=1)
    file = tmp_path / "talk.jsonl"
    turn = '{"role": "user", "content": "说", "session": "s"}\n'
    file.write_text(turn + "{" * 3 + "\n" + turn, encoding="utf-8")
    report = seen("import", str(file), code=65)
    assert "memstone: line 2: " in report
    assert "remember TEXT" not in report


def test_a_shortened_hit_shows_how_to_recover_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    text = "The log went on and on. 日志说了很多。" * 600 + " quagga."
    call("remember", "-", stdin=text.encode()).ok()
    assert "memstone recover ccr_" in seen("recall", "quagga", "--budget", "300")


def test_what_a_terminal_cannot_show_is_spelt_out_and_json_stays_json() -> None:
    one = remember(f"{MIXED} \u202e\x9b31m")
    assert r"caf\xe9 \u732b \U0001f642 \u202e\u009b31m" in seen("show", one, encoding="ascii")
    for encoding in ("ascii", "gbk", "utf-8"):
        told = seen("show", one, "--json", encoding=encoding)
        assert "\u202e" not in told
        assert json.loads(told)["text"] == f"{MIXED} \u202e\x9b31m"


class _Full(io.BytesIO):
    def write(self, data: object) -> int:
        raise OSError(28, "No space left on device")


def test_a_full_disk_behind_standard_output_exits_74(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(_Full(), encoding="utf-8"))
    assert main(["--help"]) == 74
    assert "No space left" in capsys.readouterr().err


def test_an_unexpected_error_is_one_line_and_exit_70(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(call: object) -> int:
        raise ZeroDivisionError("猫")

    monkeypatch.setattr(hot, "recall", broken)
    answer = call("recall", "x")
    assert (answer.code, answer.error["code"]) == (70, "internal")
    assert answer.err.count(b"\n") == 1
    monkeypatch.setenv("MEMSTONE_DEBUG", "1")
    assert b"Traceback" in call("recall", "x").err


def test_an_interrupt_exits_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(call: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(hot, "recall", interrupted)
    assert call("recall", "x").code == 130


def test_closed_streams_are_no_surprise(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    with monkeypatch.context() as closed:
        closed.setattr(sys, "stdin", None)
        assert main(["remember", "--stdin"]) == 66
        closed.setattr(sys, "stderr", None)
        assert main(["remember"]) == 2
        closed.setattr(sys, "stdout", None)
        assert main(["--version"]) == 74
    assert not home.exists()


def test_an_export_that_fails_leaves_the_file_before_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remember("猫")
    folder = tmp_path / "out"
    folder.mkdir()
    target = folder / "memories.jsonl"
    target.write_text("before", encoding="utf-8")
    with monkeypatch.context() as full:

        def no_space(descriptor: int) -> None:
            raise OSError(28, "No space left on device")

        full.setattr(os, "fsync", no_space)
        answer = call("export", "--output", str(target))
    assert (answer.code, answer.error["code"]) == (74, "output_failed")
    assert target.read_text(encoding="utf-8") == "before"
    assert [file.name for file in folder.iterdir()] == [target.name]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps a folder that is in use")
def test_a_folder_deleted_under_us_is_no_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert call("remember", "猫").ok().document["scope"]["project"] == ""
    monkeypatch.chdir(tmp_path)


def test_init_takes_one_folder() -> None:
    assert call("init", "--dir", "a", "--home", "b").error["code"] == "usage"
