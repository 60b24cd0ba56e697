"""Settings files: what is no plain YAML file is refused with its line, and YAML is read once."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from memstone.config import load, render_default
from memstone.config.document import parse
from memstone.errors import ConfigError

SOURCE = Path(__file__).resolve().parents[2] / "src"
VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
DOCUMENTS = st.recursive(
    VALUES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=12
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data folder with a name that is not ASCII."""
    made = tmp_path / "记忆 café"
    made.mkdir()
    return made


@pytest.fixture
def project(tmp_path: Path) -> Path:
    made = tmp_path / "项目"
    made.mkdir()
    return made


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def user_file(folder: Path, text: str) -> Path:
    return write(folder / "config.yaml", text)


def project_file(project: Path, text: str) -> Path:
    return write(project / ".memstone.yaml", text)


def refusal(folder: Path, text: str) -> ConfigError:
    """The error that a user file with this text is met with."""
    path = user_file(folder, text)
    with pytest.raises(ConfigError) as caught:
        load(str(folder), environ={})
    assert caught.value.exit_code == 78
    assert str(path) in str(caught.value)
    return caught.value


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("a: 1\nb: [1, 2\n", 3, "not valid YAML"),
        ("user: a\n\tb: c\n", 2, "not valid YAML"),
        ("user: 安\nuser: 娜\n", 2, "set twice, first on line 1"),
        ("recall: {limit: 1}\nrecall.limit: 2\n", 2, "set twice, first on line 1"),
        ("- 1\n- 2\n", 1, "key: value"),
        ("user: [a, b]\n", 1, "expected one value"),
        ("recall:\n  budget:\n    deep: 1\n", 3, "expected one value"),
        ("user: a\n---\nuser: b\n", 2, "another document"),
        ("user: !!python/object/apply:os.getcwd []\n", 1, "expected one value"),
        ("user: !!bool x\n", 1, "a tag"),
        ("user: 2026-99-99\n", 1, "cannot be read"),
        ("user: 2026-08-13\n", 1, "found a date"),
        ("x: &x {limit: 1}\nrecall:\n  <<: *x\n", 3, "plain text"),
        ('"\\e[2Jred": 1\n', 1, "printable"),
        ("user: a\n# \x07\n", 2, "does not allow"),
    ],
)
def test_a_file_that_is_no_plain_settings_file_is_refused_with_its_line(
    folder: Path, text: str, line: int, problem: str
) -> None:
    message = str(refusal(folder, text))
    assert f"line {line}:" in message
    assert problem in message
    assert "\x1b" not in message


def test_a_file_that_is_not_utf8_is_refused_with_its_line(folder: Path) -> None:
    (folder / "config.yaml").write_bytes(b"# ok\nuser: \xb0\xb2\xc4\xc8\n")  # GBK
    with pytest.raises(ConfigError, match="line 2: is not UTF-8"):
        load(str(folder), environ={})


def test_a_byte_order_mark_is_no_part_of_the_text(folder: Path) -> None:
    (folder / "config.yaml").write_bytes("user: 安娜\n".encode("utf-8-sig"))
    assert load(str(folder), environ={}).user == "安娜"
    assert load(str(folder), environ={}).user == "安娜"  # from the compiled form too


@pytest.mark.parametrize("text", ["", "# 只有注释\n", "recall:\n# nothing\nimport:\n", "{}\n"])
def test_a_file_that_sets_nothing_is_accepted(folder: Path, text: str) -> None:
    user_file(folder, text)
    assert load(str(folder), environ={}) == load("/nowhere", environ={})


def read_or_refuse(source: bytes) -> None:
    """Fails on anything but entries or our own error."""
    try:
        entries = parse(source, "设置.yaml")
    except ConfigError as error:
        problem = str(error)
    else:
        problem = "设置.yaml"
        assert all(entry.line >= 1 for entry in entries.values())
    assert problem.startswith("设置.yaml")


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(source: bytes) -> None:
    read_or_refuse(source)


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    read_or_refuse(text.encode("utf-8"))


@given(DOCUMENTS)
def test_any_yaml_is_read_or_refused(document: object) -> None:
    read_or_refuse(yaml.safe_dump(document, allow_unicode=True).encode("utf-8"))


@pytest.mark.parametrize(
    "source", [b"[" * 30_000, b"- " * 30_000, b"{a: " * 10_000, b"? " * 30_000]
)
def test_a_bottomless_file_is_refused(source: bytes) -> None:
    with pytest.raises(ConfigError, match="nested too deeply"):
        parse(source, "config.yaml")


# the compiled form


def compiled(folder: Path) -> Path:
    (found,) = folder.glob("*.compiled.json")
    return found


def test_a_second_start_reads_no_yaml(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user_file(folder, "user: 安娜  # 用户\nrecall:\n  limit: 9\n")
    first = load(str(folder), environ={})
    monkeypatch.setitem(sys.modules, "memstone.config.document", None)  # importing it now fails
    assert load(str(folder), environ={}) == first
    assert first.origin("recall.limit") == f"{folder / 'config.yaml'}, line 3"


def test_an_edit_within_one_tick_and_of_equal_size_is_seen(folder: Path) -> None:
    path = user_file(folder, "recall: {limit: 8}\n")
    assert load(str(folder), environ={}).recall_limit == 8
    times = path.stat()
    user_file(folder, "recall: {limit: 9}\n")
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert load(str(folder), environ={}).recall_limit == 9


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'{"version": 1}',
        b"[" * 100_000,
    ],
)
def test_a_damaged_compiled_form_is_passed_over_and_replaced(folder: Path, damage: bytes) -> None:
    user_file(folder, "recall: {limit: 8}\n")
    load(str(folder), environ={})
    whole = compiled(folder).read_bytes()
    compiled(folder).write_bytes(damage)
    assert load(str(folder), environ={}).recall_limit == 8
    assert compiled(folder).read_bytes() == whole


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("version", "0.0.0"),
        ("source", "别的"),
        ("source", None),
        ("entries", {"recall.limit": 3}),
        ("entries", {"recall.limit": [[3], 1]}),
        ("entries", {"recall.limit": [3, "one"]}),
        ("entries", []),
    ],
)
def test_a_compiled_form_of_something_else_is_passed_over(
    folder: Path, field: str, value: object
) -> None:
    user_file(folder, "recall: {limit: 8}\n")
    load(str(folder), environ={})
    content = json.loads(compiled(folder).read_bytes())
    compiled(folder).write_text(json.dumps({**content, field: value}), encoding="utf-8")
    assert load(str(folder), environ={}).recall_limit == 8


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")
def test_the_compiled_form_is_private_and_leaves_no_other_file(folder: Path) -> None:
    user_file(folder, "recall: {limit: 8}\n")
    load(str(folder), environ={})
    assert stat.S_IMODE(compiled(folder).stat().st_mode) == 0o600
    assert sorted(path.name for path in folder.iterdir()) == ["config.compiled.json", "config.yaml"]


def test_where_the_compiled_form_cannot_be_written_settings_are_read_all_the_same(
    folder: Path,
) -> None:
    user_file(folder, "recall: {limit: 8}\n")
    (folder / "config.compiled.json").mkdir()  # holds for root too, unlike a read-only folder
    for _ in range(2):
        assert load(str(folder), environ={}).recall_limit == 8
    assert sorted(path.name for path in folder.iterdir()) == ["config.compiled.json", "config.yaml"]


def test_a_project_file_is_compiled_in_the_data_folder_only(folder: Path, project: Path) -> None:
    project_file(project, "recall: {limit: 8}\n")
    missing = folder / "not yet"
    assert load(str(missing), project=str(project), environ={}).recall_limit == 8
    assert not missing.exists()
    load(str(folder), project=str(project), environ={})
    assert compiled(folder).name.startswith("config.")
    assert [path.name for path in project.iterdir()] == [".memstone.yaml"]


def start(code: str, **environ: str) -> str:
    """What a new process prints, in a C locale and without UTF-8 mode."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        check=True,
        timeout=60,
        env={
            "PYTHONPATH": str(SOURCE),
            "PYTHONUTF8": "0",
            "LC_ALL": "C",
            "PYTHONIOENCODING": "utf-8",
            **environ,
        },
    )
    return done.stdout.decode("utf-8").strip()


SEEN = """
import sys
from memstone.config import load
settings = load()
heavy = {"yaml", "platformdirs", "pathlib", "tempfile", "difflib", "memstone.redaction", "logging"}
print(settings.user, settings.recall_limit, sorted(heavy & set(sys.modules)))
"""


def test_a_start_without_settings_or_with_compiled_ones_imports_nothing_heavy(
    folder: Path,
) -> None:
    home = {"MEMSTONE_HOME": str(folder), "HOME": str(folder)}
    assert start(SEEN, **home).endswith("5 []")
    user_file(folder, render_default() + "\nuser: 安娜\n")
    assert "yaml" in start(SEEN, **home)
    assert start(SEEN, **home) == "安娜 5 []"
    assert start(SEEN, HOME=str(folder)).endswith("5 []")  # the platform's own folder
