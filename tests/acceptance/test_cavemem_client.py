"""The seed's Python client against our own `cavemem`, a process a call."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from memstone.compat import cavemem_client as client
from tests.acceptance.cli import SOURCES

if TYPE_CHECKING:
    from pathlib import Path

MIXED = "needle café ≠ tea 記憶 🙂 \u2028 <b>&</b> \u0000 end\r\n"
pytestmark = pytest.mark.skipif(os.name == "nt", reason="the launcher is a shell script")


@pytest.fixture(autouse=True)
def cavemem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`CAVEMEM_BIN` is our command on this interpreter, its store a fresh one."""
    command = shlex.join([sys.executable, "-m", "memstone.surfaces.compat"])
    launcher = tmp_path / "cavemem"
    launcher.write_text(f'#!/bin/sh\nexec {command} "$@"\n', encoding="utf-8")
    launcher.chmod(0o755)
    monkeypatch.setenv("CAVEMEM_BIN", str(launcher))
    monkeypatch.setenv("CAVEMAN_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PYTHONPATH", str(SOURCES))
    monkeypatch.setenv("PYTHONWARNINGS", "error")


def test_a_fact_is_remembered_recalled_superseded_and_forgotten() -> None:
    first = client.remember("the deploy key lives in vault under ops/deploy")
    assert first["id"] == "mem_a66a8a47cc0663ca"
    assert [hit["id"] for hit in client.recall("where is the deploy key")["hits"]] == [first["id"]]
    assert client.recall("咖啡", 3, 0) == {"basis": "inferred", "hits": []}
    second = client.supersede(first["id"], "the deploy key lives in ops 密钥")
    assert second["supersedes"] == first["id"]
    versions = client.history(first["id"])["history"]
    assert [version["id"] for version in versions] == [first["id"], second["id"]]
    assert client.forget(second["id"]) == {"forgotten": True}
    assert client.forget(second["id"]) == {"forgotten": False}


def test_a_text_goes_in_and_comes_out_unchanged() -> None:
    stored = client.remember(MIXED)
    assert client.history(stored["id"])["history"][0]["text"] == MIXED


def test_refusals_carry_the_exit_code_of_the_command() -> None:
    with pytest.raises(subprocess.CalledProcessError) as caught:
        client.remember("x" * 262_145)
    assert caught.value.returncode == client.MEMORY_TOO_LARGE_EXIT_CODE
    with pytest.raises(subprocess.CalledProcessError) as caught:
        client.history("mem_absent")
    assert caught.value.returncode == 1


def test_texts_remembered_at_once_into_a_fresh_store_are_all_there() -> None:
    texts = [f"zebra number {n} 第 {n} 匹" for n in range(24)]
    with ThreadPoolExecutor(8) as pool:
        stored = list(pool.map(client.remember, texts))
    assert len({answer["id"] for answer in stored}) == 24
    assert all(client.history(answer["id"])["history"] for answer in stored)
