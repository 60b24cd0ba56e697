"""Faults found by breaking the command line from outside; each test is named after one."""

from __future__ import annotations

import json
import os
import random
import stat
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

import memstone
from tests.acceptance.cli import call, environment

if TYPE_CHECKING:
    from pathlib import Path

posix = pytest.mark.skipif(os.name != "posix", reason="FIFOs and symlinks")
SLOWEST_REMEMBER_S = 5.0  # case 14


@posix
def test_an_export_never_replaces_a_device_or_a_pipe_by_a_file(tmp_path: Path) -> None:
    home, target = tmp_path / "home", tmp_path / "pipe"
    call("remember", "the budget is 200", "--home", str(home)).ok()
    os.mkfifo(target)
    reader = os.open(target, os.O_RDONLY | os.O_NONBLOCK)
    try:
        call("export", "--output", str(target), "--home", str(home))  # refused or written to
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(target.lstat().st_mode)


@posix
def test_an_export_to_a_symlink_writes_the_file_that_it_names(tmp_path: Path) -> None:
    home, real, link = tmp_path / "home", tmp_path / "real.jsonl", tmp_path / "link.jsonl"
    call("remember", "the budget is 200", "--home", str(home)).ok()
    link.symlink_to(real)
    if call("export", "--output", str(link), "--home", str(home)).code == 0:
        assert link.is_symlink()
        assert "the budget is 200" in real.read_text(encoding="utf-8")


def test_a_short_remember_does_not_index_the_huge_turn_another_process_is_importing(
    tmp_path: Path,
) -> None:
    draw = random.Random(3)
    words = ("".join(draw.choices("abcdefghijklmnop", k=8)) for _ in range(400_000))
    file = tmp_path / "talk.jsonl"
    turn = {"role": "user", "content": " ".join(words), "session": "s"}
    file.write_text(json.dumps(turn) + "\n", encoding="utf-8")
    home = tmp_path / "home"
    with memstone.open(home) as engine:
        engine.remember("a store to share")
        importing = subprocess.Popen(
            [sys.executable, "-m", "memstone", "import", str(file), "--home", str(home)],
            env=environment(str(home)),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        worst, number = 0.0, 0
        try:
            while importing.poll() is None and number < 200:
                began = time.monotonic()
                engine.remember(f"short note {number}")
                worst, number = max(worst, time.monotonic() - began), number + 1
                time.sleep(0.05)
        finally:
            importing.kill()
            importing.wait()
    assert worst < SLOWEST_REMEMBER_S
