"""`project_of` against repositories that git itself made, and against files that claim too much."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from memstone.project import project_of
from memstone.types import Scope

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
IDENTITY = (
    "-c",
    "user.name=测试",
    "-c",
    "user.email=t@example.org",
    "-c",
    "protocol.file.allow=always",
)


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(
        ["git", *IDENTITY, *arguments], cwd=folder, check=True, capture_output=True, timeout=60
    )


def repository(folder: Path, *options: str) -> Path:
    """A repository with one commit."""
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", *options)
    git(folder, "commit", "--quiet", "--allow-empty", "-m", "起")
    return folder


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A real path outside any repository, with a name that is not ASCII."""
    folder = tmp_path.resolve() / "项目 é"
    folder.mkdir()
    assert project_of(str(folder)) == ""
    return folder


@needs_git
def test_any_folder_of_a_repository_belongs_to_its_root(outside: Path) -> None:
    root = repository(outside / "记忆")
    deep = root / "源" / "a"
    deep.mkdir(parents=True)
    assert project_of(str(root)) == project_of(str(deep)) == str(root)
    assert project_of(str(root / ".git" / "objects")) == str(root)
    assert project_of(str(outside)) == ""


@needs_git
def test_a_symbolic_link_leads_to_the_real_root(outside: Path) -> None:
    root = repository(outside / "root")
    (outside / "link").symlink_to(root)
    assert project_of(str(outside / "link")) == str(root)


@needs_git
def test_every_linked_worktree_belongs_to_the_main_one(outside: Path) -> None:
    root = repository(outside / "root")
    git(root, "worktree", "add", "--quiet", str(outside / "分支"))
    inside = outside / "分支" / "src"
    inside.mkdir()
    assert project_of(str(inside)) == str(root)
    assert project_of(str(root / ".git" / "worktrees" / "分支")) == str(root)


@needs_git
def test_a_worktree_with_relative_links_belongs_to_the_main_one(outside: Path) -> None:
    root = repository(outside / "root")
    git(root, "worktree", "add", "--quiet", str(outside / "wt"))
    links = root / ".git" / "worktrees" / "wt"  # what newer versions of git write by choice
    (links / "gitdir").write_text("../../../../wt/.git\n", encoding="utf-8")
    (outside / "wt" / ".git").write_text("gitdir: ../root/.git/worktrees/wt\n", encoding="utf-8")
    assert project_of(str(outside / "wt")) == str(root)


@needs_git
def test_a_submodule_is_a_project_of_its_own_and_so_are_its_worktrees(outside: Path) -> None:
    library = repository(outside / "library")
    root = repository(outside / "root")
    git(root, "submodule", "--quiet", "add", str(library), "deps/lib")
    submodule = root / "deps" / "lib"
    git(submodule, "worktree", "add", "--quiet", str(outside / "lib-wt"))
    assert project_of(str(submodule)) == str(submodule)
    assert project_of(str(outside / "lib-wt")) == str(submodule)
    assert project_of(str(root)) == str(root)


@needs_git
def test_a_bare_repository_and_its_worktrees_agree(outside: Path) -> None:
    source = repository(outside / "source")
    git(outside, "clone", "--quiet", "--bare", str(source), "bare.git")
    bare = outside / "bare.git"
    git(bare, "worktree", "add", "--quiet", str(outside / "wt"))
    assert project_of(str(bare)) == project_of(str(outside / "wt")) == str(bare)


@needs_git
def test_worktrees_beside_a_hidden_bare_repository_share_its_folder(outside: Path) -> None:
    source = repository(outside / "source")
    shared = outside / "shared"
    shared.mkdir()
    git(shared, "clone", "--quiet", "--bare", str(source), ".bare")
    (shared / ".git").write_text("gitdir: ./.bare\n", encoding="utf-8")
    git(shared, "worktree", "add", "--quiet", "feature")
    assert project_of(str(shared / "feature")) == project_of(str(shared)) == str(shared)


@needs_git
def test_a_separate_git_directory_leaves_the_project_where_its_files_are(outside: Path) -> None:
    root = repository(outside / "root", "--separate-git-dir", str(outside / "elsewhere"))
    assert project_of(str(root)) == str(root)


@needs_git
def test_a_worktree_whose_main_repository_is_gone_is_a_project_of_its_own(outside: Path) -> None:
    root = repository(outside / "root")
    git(root, "worktree", "add", "--quiet", str(outside / "wt"))
    shutil.rmtree(root)
    assert project_of(str(outside / "wt")) == str(outside / "wt")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"gitdir:",
        b"gitdir: nowhere\n",
        b"\xff\xfe\x00",
        b"gitdir: a\0b",
        "gitdir: 没有".encode(),
        b"x" * 100_000,
    ],
)
def test_a_broken_pointer_makes_its_folder_a_project(outside: Path, content: bytes) -> None:
    (outside / ".git").write_bytes(content)
    (outside / "src").mkdir()
    assert project_of(str(outside / "src")) == str(outside)


def test_an_empty_git_directory_is_passed_over_as_git_does(outside: Path) -> None:
    (outside / "a" / ".git").mkdir(parents=True)
    assert project_of(str(outside / "a")) == ""


@pytest.mark.skipif(sys.platform == "win32", reason="needs named pipes")
def test_a_pipe_in_the_place_of_the_pointer_does_not_hang(outside: Path) -> None:
    os.mkfifo(outside / ".git")
    assert project_of(str(outside)) == ""


@pytest.fixture
def secret(outside: Path) -> Path:
    """Somebody's project with a linked worktree; its memories are what a stranger wants."""
    root = repository(outside / "secret")
    git(root, "worktree", "add", "--quiet", str(outside / "secret-wt"))
    return root


@needs_git
@pytest.mark.parametrize("target", ["secret/.git", "secret/.git/worktrees/secret-wt"])
def test_an_archive_cannot_claim_another_project_by_its_pointer(
    outside: Path, secret: Path, target: str
) -> None:
    evil = outside / "unpacked"
    evil.mkdir()
    (evil / ".git").write_text(f"gitdir: {outside / target}\n", encoding="utf-8")
    assert project_of(str(evil)) == str(evil)


@needs_git
def test_an_archive_cannot_claim_another_project_by_a_forged_worktree(
    outside: Path, secret: Path
) -> None:
    evil = outside / "unpacked"
    forged = evil / "forged"
    forged.mkdir(parents=True)
    (evil / ".git").write_text("gitdir: forged\n", encoding="utf-8")
    (forged / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    (forged / "commondir").write_text(f"{secret / '.git'}\n", encoding="utf-8")
    (forged / "gitdir").write_text(f"{evil / '.git'}\n", encoding="utf-8")
    assert project_of(str(evil)) == str(evil)


@needs_git
def test_an_archive_cannot_claim_another_project_by_core_worktree(
    outside: Path, secret: Path
) -> None:
    common = outside / "unpacked" / "common"
    links = common / "worktrees" / "wt"
    for folder in (links, common / "objects", common / "refs", outside / "unpacked" / "wt"):
        folder.mkdir(parents=True)
    pointer = outside / "unpacked" / "wt" / ".git"
    pointer.write_text(f"gitdir: {links}\n", encoding="utf-8")
    (links / "commondir").write_text("../..\n", encoding="utf-8")
    (links / "gitdir").write_text(f"{pointer}\n", encoding="utf-8")
    (common / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    (common / "config").write_text(f"[core]\n\tworktree = {secret}\n", encoding="utf-8")
    assert project_of(str(pointer.parent)) == project_of(str(common)) == str(common)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such a name")
def test_a_path_that_is_not_unicode_becomes_a_name_that_can_be_stored(outside: Path) -> None:
    root = os.fsencode(outside) + b"/caf\xe9"
    os.makedirs(root + b"/.git")
    Path(os.fsdecode(root), ".git", "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    name = project_of(os.fsdecode(root))
    assert name == f"{outside}/caf\\xe9"
    assert Scope("安娜", project=name).project == name
