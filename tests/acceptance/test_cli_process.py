"""The command line as a process: what it loads, how text crosses a locale, what a terminal sees."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.acceptance.cli import environment, on_terminal, process

if TYPE_CHECKING:
    from pathlib import Path

MIXED = "café 猫 🙂"
HEAVY = {
    "rich",
    "yaml",
    "typing",
    "pathlib",
    "logging",
    "unittest",
    "asyncio",
    "importlib.metadata",
    "platformdirs",
    "shutil",
    "difflib",
    "socket",
    "ssl",
    "sqlite3",
    "tempfile",
    "memstone.importers",
    "memstone.surfaces.cli.tables",
}
PROBE = """
import sys
from memstone.__main__ import main
code = main()
print("loaded", *sorted(sys.modules), file=sys.stderr)
sys.exit(code)
"""
posix = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")


def loaded(*arguments: str, env: dict[str, str], cwd: Path) -> set[str]:
    """The modules that a call has in memory when it ends."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *arguments],
        env=env,
        cwd=cwd,
        capture_output=True,
        check=True,
        encoding="utf-8",
        timeout=60,
    )
    line = next(line for line in done.stderr.splitlines() if line.startswith("loaded "))
    return set(line.split()[1:])


def test_the_hot_verbs_load_nothing_heavy_and_case_60_no_network(tmp_path: Path) -> None:
    env = environment(tmp_path / "home")
    at_start = set(
        subprocess.run(
            [sys.executable, "-c", "import sys; print(*sys.modules)"],
            env=env,
            capture_output=True,
            check=True,
            encoding="utf-8",
            timeout=60,
        ).stdout.split()
    )
    for words in (
        ["remember", "The backup runs nightly 备份"],
        ["recall", "备份 backup", "--json"],
    ):
        found = loaded(*words, env=env, cwd=tmp_path) - at_start
        assert not found & HEAVY, words
        assert "argparse" in found


def locale(name: str, charmap: str, folder: Path) -> dict[str, str]:
    """Variables for a locale compiled into `folder`; skips where that cannot be done."""
    if shutil.which("localedef") is None:
        pytest.skip("localedef is not installed")
    full = f"{name}.{charmap}"
    made = subprocess.run(
        ["localedef", "-i", name, "-f", charmap, str(folder / full)],
        capture_output=True,
        check=False,
        timeout=60,
    )
    if not (folder / full).exists():
        pytest.skip(f"no {full} here: {made.stderr.decode('utf-8', 'replace').strip()}")
    return {"LC_ALL": full, "LOCPATH": str(folder)}


@pytest.mark.parametrize("name", ["C", "zh_CN.GBK", "en_US.CP1252", "UTF-8"])
def test_case_47_text_crosses_every_locale_byte_for_byte(name: str, tmp_path: Path) -> None:
    if name == "C":
        variables = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}
    elif name == "UTF-8":
        variables = {"LC_ALL": "C.UTF-8"}
    else:
        language, _, charmap = name.partition(".")
        variables = locale(language, charmap, tmp_path)
    home = tmp_path / "家 é"
    env = environment(home, PYTHONUTF8="0", **variables)
    argument = process("remember", MIXED.encode(), env=env, cwd=tmp_path).ok().document
    assert argument["text"] == MIXED
    piped = f"No dog, but {MIXED}\n"
    stored = process(
        "remember", "-", "--tag", "标签".encode(), env=env, stdin=piped.encode(), cwd=tmp_path
    )
    assert stored.ok().document["text"] == piped
    file = tmp_path / "对话 é.jsonl"
    turn = {"role": "user", "content": f"{MIXED} 🙂 imported", "session": "会话"}
    file.write_text(json.dumps(turn, ensure_ascii=False) + "\n", encoding="utf-8")
    process("import", str(file).encode(), env=env, cwd=tmp_path).ok()
    answer = process("recall", "猫".encode(), "--min-score", "0", env=env, cwd=tmp_path).ok()
    texts = {hit["text"] for hit in answer.document["hits"]}
    assert texts == {MIXED, piped, f"{MIXED} 🙂 imported"}
    target = tmp_path / "导出.jsonl"
    process("export", "--output", str(target).encode(), env=env, cwd=tmp_path).ok()
    assert target.read_bytes().count(b"mem_") >= 3
    wrong = process("remember", b"caf\xff\xfe", env=env | {"LC_ALL": "C"}, cwd=tmp_path)
    assert (wrong.code, wrong.error["code"]) == (65, "text_not_unicode")


def test_an_argument_in_the_locale_s_own_encoding_is_understood(tmp_path: Path) -> None:
    env = environment(tmp_path / "home", PYTHONUTF8="0", **locale("zh_CN", "GBK", tmp_path))
    answer = process("remember", "预算是二百".encode("gbk"), env=env, cwd=tmp_path).ok()
    assert answer.document["text"] == "预算是二百"


@posix
def test_a_terminal_gets_tables_and_nothing_that_steers_it(tmp_path: Path) -> None:
    env = environment(tmp_path / "home", LC_ALL="C.UTF-8")
    hostile = "猫 [bold]说[/bold] \x1b]0;owned\x07 \u202etxt"
    process("remember", "-", env=env, stdin=hostile.encode(), cwd=tmp_path).ok()
    shown = on_terminal("recall", "猫", "--explain", env=env).out.decode("utf-8")
    assert "猫 [bold]说[/bold]" in shown.replace("\x1b[0m", "")
    assert "coverage" in shown
    assert "\x1b]0;" not in shown
    assert "\u202e" not in shown
    assert r"\u001b]0;owned" in shown
    as_json = on_terminal("recall", "猫", "--json", env=env).out.decode("utf-8")
    assert json.loads(as_json)["hits"][0]["text"] == hostile
    assert "\u202e" not in as_json
    mistake = on_terminal("recal", "猫", env=env)
    assert mistake.code == 2
    assert mistake.out.decode("utf-8").startswith("memstone: unknown command 'recal'")
    assert "did you mean recall?" in mistake.out.decode("utf-8")


@posix
def test_case_47_a_terminal_that_cannot_show_a_sign_gets_its_number(tmp_path: Path) -> None:
    env = environment(tmp_path / "home", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0", LC_ALL="C")
    identity = process("remember", MIXED.encode(), env=env, cwd=tmp_path).ok().document["id"]
    shown = on_terminal("show", identity, env=env)
    assert shown.code == 0
    assert rb"caf\xe9 \u732b \U0001f642" in shown.out
    as_json = on_terminal("show", identity, "--json", env=env)
    assert json.loads(as_json.out.decode("ascii"))["text"] == MIXED


@posix
def test_an_import_on_a_terminal_shows_its_progress_and_names_bad_lines(tmp_path: Path) -> None:
    env = environment(tmp_path / "home", LC_ALL="C.UTF-8")
    file = tmp_path / "talk.jsonl"
    good = '{"role": "user", "content": "猫", "session": "s"}\n'
    file.write_text(f'{good}{{"role": "user"\n{good}', encoding="utf-8")
    shown = on_terminal("import", str(file), env=env)
    assert shown.code == 65
    assert b"memstone: line 2: " in shown.out
    assert b"importing" in shown.out


@posix
def test_a_reader_that_went_away_is_no_error(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-W", "error", "-m", "memstone", "--help"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(tmp_path),
    ) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdout.close()
        assert child.stderr.read() == b""
    assert child.returncode == 0
