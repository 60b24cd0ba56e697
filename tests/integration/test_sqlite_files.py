"""Finding L11: umask 002 and a group of one's own, as Debian and Ubuntu set users up."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from memstone.errors import StoreUnsafe
from memstone.storage.sqlite import files

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(os.name != "posix", reason="POSIX groups and modes")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that its group may write; the group is the primary one of our user, `ana`."""
    made = tmp_path / "项目"
    made.mkdir()
    made.chmod(0o775)
    user = SimpleNamespace(pw_name="ana", pw_gid=made.stat().st_gid)
    monkeypatch.setattr("pwd.getpwuid", lambda _: user)
    return made


def group(folder: Path, name: str, members: list[str], number: int | None = None) -> object:
    gid = folder.stat().st_gid if number is None else number
    return lambda _: SimpleNamespace(gr_gid=gid, gr_name=name, gr_mem=members)


@pytest.mark.parametrize("members", [[], ["ana"]])
def test_l11_a_folder_that_only_ones_own_group_may_write_is_safe(
    folder: Path, monkeypatch: pytest.MonkeyPatch, members: list[str]
) -> None:
    monkeypatch.setattr("grp.getgrgid", group(folder, "ana", members))
    made = files.prepare(str(folder / "my.db"))
    assert os.stat(made).st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("name", "members", "number"),
    [("ana", ["ana", "bob"], None), ("staff", [], None), ("ana", [], 7_001)],
)
def test_l11_a_folder_that_a_shared_group_may_write_is_refused(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    members: list[str],
    number: int | None,
) -> None:
    monkeypatch.setattr("grp.getgrgid", group(folder, name, members, number))
    with pytest.raises(StoreUnsafe, match="other users"):
        files.prepare(str(folder / "my.db"))


def test_l11_a_folder_that_everybody_may_write_is_refused_whatever_the_group(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.chmod(0o777)
    monkeypatch.setattr("grp.getgrgid", group(folder, "ana", []))
    with pytest.raises(StoreUnsafe, match="other users"):
        files.prepare(str(folder / "my.db"))


def test_l11_a_group_without_a_name_is_not_ones_own(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(_: int) -> object:
        raise KeyError

    monkeypatch.setattr("grp.getgrgid", unknown)
    with pytest.raises(StoreUnsafe, match="other users"):
        files.prepare(str(folder / "my.db"))
