"""What the tests of `install`, `uninstall` and `doctor` share: a person's home folder, looked at."""

from __future__ import annotations

import json
import os
import stat
from typing import TYPE_CHECKING, Any

import pytest

from memstone.surfaces.install.launching import is_hook, is_server
from tests.acceptance.cli import call

if TYPE_CHECKING:
    from pathlib import Path

POSIX = pytest.mark.skipif(os.name != "posix", reason="shell scripts stand in for clients")
BOM = b"\xef\xbb\xbf"
SERVER = json.dumps(
    {"mcpServers": {"other": {"command": "x", "env": {"说明": "y"}}}, "theme": "dark"}, indent=2
)
HOOKS = json.dumps(
    {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "notify-send 完成"}]}]}}, indent=2
)

# a command on PATH that behaves as a client's, and writes down how it was called
STAND_IN = """#!{python} -I
import json, os, pathlib, sys, tomllib
with open({log!r}, "a", encoding="utf-8") as log:
    log.write(json.dumps(sys.argv[1:], ensure_ascii=False) + "\\n")
home = pathlib.Path(os.environ["HOME"])
words = sys.argv[1:]
def read(path):
    return json.loads(path.read_text("utf-8")) if path.exists() else {{}}
def write(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data, ensure_ascii=False, indent={indent}), "utf-8")
{body}
"""


def data_folder(house: Path) -> Path:
    return house / ".local" / "share" / "memstone"


def snapshot(folder: Path, *, without: Path | None = None) -> dict[str, tuple[int, bytes | str]]:
    """Every entry below `folder`: its mode, and its bytes or where it leads."""
    found: dict[str, tuple[int, bytes | str]] = {}
    for path in sorted(folder.rglob("*")):
        if without is not None and (path == without or without in path.parents):
            continue
        status = path.lstat()
        if path.is_symlink():
            content: bytes | str = os.readlink(path)
        else:
            content = path.read_bytes() if path.is_file() else ""
        found[path.relative_to(folder).as_posix()] = (stat.S_IMODE(status.st_mode), content)
    return found


def ours_in(content: str) -> int:
    """How many hooks and servers of ours a settings file names."""
    data = json.loads(content)

    def count(value: object) -> int:
        if isinstance(value, dict):
            own = is_hook(value.get("command")) or is_server(value)
            return own + sum(count(each) for each in value.values())
        return sum(count(each) for each in value) if isinstance(value, list) else 0

    return count(data)


def install(client: str, *options: str) -> dict[str, Any]:
    answer: dict[str, Any] = call("install", "--client", client, *options).ok().document
    return answer


def uninstall(client: str, *options: str) -> dict[str, Any]:
    answer: dict[str, Any] = call("uninstall", "--client", client, *options).ok().document
    return answer
