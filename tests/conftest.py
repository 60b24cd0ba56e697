"""What every test gets: no settings of the person who runs it, and a place of its own.

The environment is cleaned when this file is imported, before any test module is: a stray
`MEMSTONE_…` variable or the developer's own data folder must never reach a test, nor a test them.
Hypothesis runs the same examples every time (`ci`); `make torture` draws many new ones.
"""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ROOT = Path(__file__).resolve().parent.parent
CLI_SECONDS = 120  # a hung process fails its test instead of the whole run

_nowhere = tempfile.mkdtemp(prefix="memstone-tests-")
atexit.register(shutil.rmtree, _nowhere, ignore_errors=True)
for _variable in [name for name in os.environ if name.startswith("MEMSTONE_")]:
    del os.environ[_variable]
os.environ.update(
    HOME=_nowhere,
    USERPROFILE=_nowhere,
    XDG_CONFIG_HOME=str(Path(_nowhere, "config")),
    XDG_DATA_HOME=str(Path(_nowhere, "data")),
    XDG_CACHE_HOME=str(Path(_nowhere, "cache")),
    XDG_STATE_HOME=str(Path(_nowhere, "state")),
    GIT_CONFIG_NOSYSTEM="1",
    PYTHONWARNDEFAULTENCODING="1",  # for the processes that tests start
)
# a command run by git (a hook, a rebase) carries its repository in GIT_DIR and the like
for _variable in [name for name in os.environ if name.startswith(("GIT_DIR", "GIT_WORK"))]:
    del os.environ[_variable]

settings.register_profile(
    "ci",
    derandomize=True,
    deadline=None,  # the machine is shared; time is measured in benchmarks
    database=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],  # the same reason
)
settings.register_profile("quick", settings.get_profile("ci"), max_examples=20)
settings.register_profile(
    "torture", settings.get_profile("ci"), derandomize=False, max_examples=2_000
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


class RunCli(Protocol):
    """Runs `python -m memstone …` to its end; see `run_cli`."""

    def __call__(
        self,
        *arguments: str | bytes,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> subprocess.CompletedProcess[bytes]: ...


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--update-golden`, for `make golden`."""
    parser.addoption(
        "--update-golden", action="store_true", help="rewrite the golden files instead of comparing"
    )


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh data folder, not yet created, that `MEMSTONE_HOME` names."""
    folder = tmp_path / "memstone-home"
    monkeypatch.setenv("MEMSTONE_HOME", str(folder))
    return folder


@pytest.fixture
def run_cli(home: Path, tmp_path: Path) -> RunCli:
    """The command line in a process of its own, on the folder `home`, with bytes in and out.

    It starts in a folder outside any repository, and finds the same memstone as the test does.
    `env` adds to the environment; nothing is decoded and no exit code is judged.
    """

    def run(
        *arguments: str | bytes,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> subprocess.CompletedProcess[bytes]:
        search = os.pathsep.join(entry for entry in sys.path if entry)
        return subprocess.run(
            [sys.executable, "-m", "memstone", *arguments],
            input=stdin,
            capture_output=True,
            cwd=tmp_path if cwd is None else cwd,
            env={**os.environ, "PYTHONPATH": search, "MEMSTONE_HOME": str(home), **(env or {})},
            timeout=CLI_SECONDS,
            check=False,
        )

    return run


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """`golden(name, text)`: the text equals `tests/golden/<name>`, which is never edited by hand.

    `make golden` writes the files anew; the change is then read as a diff.
    """
    update = bool(request.config.getoption("--update-golden"))

    def compare(name: str, text: str) -> None:
        path = ROOT / "tests" / "golden" / name
        if update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode("utf-8"))
        assert path.is_file(), f"{path} is missing; `make golden` writes it"
        assert text == path.read_bytes().decode("utf-8")

    return compare
