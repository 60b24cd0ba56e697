"""What acceptance tests share: a store of their own, outside any repository."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from tests.acceptance.housekit import STAND_IN

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a store that does not exist yet; the current folder is elsewhere."""
    folder = tmp_path / "记忆"
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    monkeypatch.setenv("MEMSTONE_HOME", str(folder))
    return folder


@pytest.fixture
def house(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder of a person, with nothing on PATH; the data folder is in it."""
    folder = tmp_path / "家 of ana"
    folder.mkdir()
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(folder))
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "VSCODE_PORTABLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("MEMSTONE_HOME")
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    return folder


@pytest.fixture
def bin_folder(tmp_path: Path, house: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on PATH for stand-ins of clients."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


@pytest.fixture
def stand_in(bin_folder: Path) -> Callable[..., Callable[[], list[list[str]]]]:
    """Puts a command on PATH that behaves as a client's; gives the words of its calls."""

    def put(name: str, body: str, indent: int = 2) -> Callable[[], list[list[str]]]:
        log = bin_folder / f"{name}.log"
        script = STAND_IN.format(python=sys.executable, log=str(log), indent=indent, body=body)
        (bin_folder / name).write_text(script, "utf-8")
        (bin_folder / name).chmod(0o755)

        def calls() -> list[list[str]]:
            return [json.loads(line) for line in log.read_text("utf-8").splitlines()]

        return calls

    return put
