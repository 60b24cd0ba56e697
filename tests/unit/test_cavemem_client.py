"""The seed's Python client, against a program of ours in place of `cavemem`."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from memstone.compat import cavemem_client as client

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Program = Callable[[str], Path]

MIXED = "café ≠ tea 記憶 🙂 \u2028 <b>&</b> \u0000 end\n"


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    """Makes a program out of Python code and names it to the client; its folder is `bin`."""

    def make(source: str) -> Path:
        folder = tmp_path / "bin"
        folder.mkdir(exist_ok=True)
        script = folder / "fake.py"
        script.write_text(f"import json, os, sys\n{source}\n", encoding="utf-8")
        launcher = folder / "cavemem"
        command = shlex.join([sys.executable, "-I", str(script)])
        launcher.write_text(f'#!/bin/sh\nexec {command} "$@"\n', encoding="utf-8")
        launcher.chmod(0o755)
        monkeypatch.setenv("CAVEMEM_BIN", str(launcher))
        return launcher

    return make


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[list[str], dict[str, Any]]]:
    """What `subprocess.run` is called with; it answers `{"id": "mem_1"}`."""
    seen: list[tuple[list[str], dict[str, Any]]] = []

    def run(words: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
        seen.append((words, options))
        return subprocess.CompletedProcess(words, 0, stdout='{"id": "mem_1"}', stderr="")

    monkeypatch.setattr(subprocess, "run", run)
    return seen


def test_the_exit_code_of_a_text_that_is_too_large_is_exported() -> None:
    assert client.MEMORY_TOO_LARGE_EXIT_CODE == 65


def test_every_command_is_forwarded_with_the_words_of_the_seed(
    calls: list[tuple[list[str], dict[str, Any]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAVEMEM_BIN", "自己的/cavemem")
    answers = [
        client.remember("端口是 5432\n"),
        client.recall("port"),
        client.recall("port", 4),
        client.recall("port", limit=4, token_budget=900),
        client.recall("port", token_budget=0),
        client.recall("-- port", 0),
        client.supersede("mem_1", "新的 text"),
        client.history("mem_1"),
        client.forget("mem_1"),
    ]
    assert answers == [{"id": "mem_1"}] * 9
    assert [words[1:] for words, _ in calls] == [
        ["remember", "--stdin"],
        ["recall", "port"],
        ["recall", "port", "4"],
        ["recall", "port", "4", "900"],
        ["recall", "port", "0", "0"],
        ["recall", "-- port", "0"],
        ["supersede", "mem_1", "新的 text"],
        ["history", "mem_1"],
        ["forget", "mem_1"],
    ]
    assert {words[0] for words, _ in calls} == {"自己的/cavemem"}
    common = {"capture_output": True, "text": True, "check": True, "encoding": "utf-8"}
    assert calls[0][1] == {**common, "input": "端口是 5432\n"}
    assert all(options == common for _, options in calls[1:])


def test_the_command_is_cavemem_when_the_variable_is_unset_or_empty(
    calls: list[tuple[list[str], dict[str, Any]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CAVEMEM_BIN", raising=False)
    client.history("mem_1")
    monkeypatch.setenv("CAVEMEM_BIN", "")
    client.history("mem_1")
    assert [words[0] for words, _ in calls] == ["cavemem", "cavemem"]


def test_a_command_on_path_is_found(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    launcher = program("print(json.dumps({'forgotten': True}))")
    monkeypatch.delenv("CAVEMEM_BIN")
    monkeypatch.setenv("PATH", f"{launcher.parent}{os.pathsep}{os.environ['PATH']}")
    assert client.forget("mem_1") == {"forgotten": True}


def test_text_beyond_ascii_goes_through_unchanged_in_any_locale(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(
        "text = sys.stdin.buffer.read().decode('utf-8')\n"
        "answer = json.dumps({'text': text}, ensure_ascii=False)\n"
        "sys.stdout.buffer.write(answer.encode('utf-8'))"
    )
    for locale in ("C", "C.UTF-8", "zh_CN.GB18030"):
        monkeypatch.setenv("LC_ALL", locale)
        assert client.remember(MIXED) == {"text": MIXED}


def test_words_beyond_ascii_reach_the_command(program: Program) -> None:
    program(
        "words = [os.fsencode(word).decode('utf-8') for word in sys.argv[1:]]\n"
        "sys.stdout.write(json.dumps(words))"
    )
    answer: object = client.supersede("mem_1", "café 記憶")
    assert answer == ["supersede", "mem_1", "café 記憶"]


@pytest.mark.parametrize("size", [262_145, 8 * 1024 * 1024])
def test_a_text_that_is_too_large_raises_with_65_although_the_pipe_breaks(
    program: Program, size: int
) -> None:
    program("sys.stderr.write('cave_memory_too_large\\n'); sys.exit(65)")
    with pytest.raises(subprocess.CalledProcessError) as caught:
        client.remember("x" * size)
    assert caught.value.returncode == client.MEMORY_TOO_LARGE_EXIT_CODE
    assert "cave_memory_too_large" in caught.value.stderr


def test_an_exit_code_raises_with_what_the_command_said(program: Program) -> None:
    program("sys.stderr.buffer.write('没有\\n'.encode()); sys.exit(17)")
    with pytest.raises(subprocess.CalledProcessError) as caught:
        client.history("mem_1")
    assert (caught.value.returncode, caught.value.stderr) == (17, "没有\n")


def test_an_answer_that_is_not_json_raises(program: Program) -> None:
    program("print('not json')")
    with pytest.raises(json.JSONDecodeError):
        client.recall("port")


def test_a_binary_that_is_missing_fails_although_a_good_one_is_on_path(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    launcher = program("print('{}')")
    monkeypatch.setenv("PATH", f"{launcher.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("CAVEMEM_BIN", str(tmp_path / "不在"))
    with pytest.raises(FileNotFoundError):
        client.remember("text")
    with pytest.raises(FileNotFoundError):
        client.forget("mem_1")
