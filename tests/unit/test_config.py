"""Settings: who wins, what is refused and where it stands, and what a start does not pay for."""

from __future__ import annotations

import os
import pickle
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

from memstone.config import (
    Settings,
    data_home,
    describe,
    load,
    local_user,
    render_default,
    write_default,
)
from memstone.config.keys import KEYS, redaction_policies
from memstone.errors import CannotCreate, ConfigError

if TYPE_CHECKING:
    from memstone.protocols import Settings as SettingsProtocol

SOURCE = Path(__file__).resolve().parents[2] / "src"
root_only = pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")


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


def test_without_any_source_every_setting_has_its_default(folder: Path) -> None:
    settings = load(str(folder), environ={})
    expected = {key.attribute: key.default for key in KEYS.values() if key.name != "user"}
    assert {name: getattr(settings, name) for name in expected} == expected
    assert settings.user == local_user()
    assert settings.redaction == redaction_policies({})
    assert {line.origin for line in describe(settings)} == {"default"}
    assert list(folder.iterdir()) == []


def test_settings_are_what_services_ask_for_and_may_cross_processes() -> None:
    settings: SettingsProtocol = load("/nowhere", environ={}, overrides={"user": "安娜"})
    assert isinstance(settings, Settings)
    assert pickle.loads(pickle.dumps(settings)) == settings
    assert hash(settings) == hash(load("/nowhere", environ={}, overrides={"user": "安娜"}))
    with pytest.raises(AttributeError):
        settings.user = "bob"  # type: ignore[misc]


def test_argument_beats_variable_beats_project_beats_user_file_beats_default(
    folder: Path, project: Path
) -> None:
    budgets: list[tuple[int, str]] = []

    def note(environ: dict[str, str], overrides: dict[str, object] | None = None) -> None:
        settings = load(str(folder), project=str(project), environ=environ, overrides=overrides)
        budgets.append((settings.recall_budget, settings.origin("recall.budget")))

    note({})
    user = user_file(folder, "# 预算\nrecall:\n  budget: 100\n")
    note({})
    in_project = project_file(project, "recall: {budget: 200}\n")
    note({})
    variables = {"MEMSTONE_RECALL__BUDGET": "300"}
    note(variables)
    note(variables, {"recall_budget": 400, "min_score": None})
    assert budgets == [
        (2000, "default"),
        (100, f"{user}, line 3"),
        (200, f"{in_project}, line 1"),
        (300, "MEMSTONE_RECALL__BUDGET"),
        (400, "argument"),
    ]


@pytest.mark.parametrize("name", KEYS)
def test_every_setting_can_be_set_in_every_place(folder: Path, name: str) -> None:
    key = KEYS[name]
    value: str | float
    if key.choices:
        value = key.choices[-1]
    elif key.high is None:
        value = "名"
    else:
        value = key.high
    user_file(folder, yaml.safe_dump({name: value}, allow_unicode=True))
    found = (
        load(str(folder), environ={}),
        load("/nowhere", environ={key.variable: str(value)}),
        load("/nowhere", environ={}, overrides={name: value}),
        load("/nowhere", environ={}, overrides={key.attribute: value}),
    )
    assert [getattr(settings, key.attribute) for settings in found] == [value] * 4
    assert all(settings.origin(name) != "default" for settings in found)


def test_an_empty_variable_is_not_set(folder: Path) -> None:
    assert load(str(folder), environ={"MEMSTONE_RECALL__BUDGET": ""}).recall_budget == 2000


def test_zero_stays_zero_and_a_whole_number_serves_as_a_fraction(folder: Path) -> None:
    user_file(folder, "recall:\n  budget: 0\n  min_score: 1\n")
    settings = load(str(folder), environ={})
    assert (settings.recall_budget, settings.min_score) == (0, 1.0)
    assert isinstance(settings.min_score, float)


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("recall:\n  budgte: 5\n", "recall.budget"),
        ("recall:\n  minscore: 0.5\n", "recall.min_score"),
        ("contextwindow: 5\n", "context_window"),
        ("redaction:\n  fone: allow\n", "redaction.phone"),
    ],
)
def test_an_unknown_name_is_refused_with_the_nearest_one(
    folder: Path, text: str, near: str
) -> None:
    error = refusal(folder, text)
    assert f"did you mean {near!r}?" in str(error)
    assert f"line {text.count(chr(10))}" in str(error)


def test_an_unknown_name_that_resembles_nothing_lists_what_there_is(folder: Path) -> None:
    error = refusal(folder, "嵌入: 5\n")
    assert all(name in str(error) for name in KEYS)


def test_a_misspelt_variable_or_argument_is_refused_with_the_nearest_one(folder: Path) -> None:
    with pytest.raises(ConfigError, match="did you mean 'MEMSTONE_RECALL__BUDGET'"):
        load(str(folder), environ={"MEMSTONE_RECALL_BUDGET": "5"})
    with pytest.raises(ConfigError, match="did you mean 'recall_budget'"):
        load(str(folder), environ={}, overrides={"recall_buget": 5})
    with pytest.raises(ConfigError, match=r"did you mean 'redaction\.email'"):
        load(str(folder), environ={"MEMSTONE_REDACTION__MAIL": "allow"})
    load(str(folder), environ={"MEMSTONE_HOME": "/elsewhere", "MEMSTONES": "no", "PATH": "x"})


@pytest.mark.parametrize(
    ("text", "shown", "expected"),
    [
        ("recall:\n  budget: -5\n", "-5", "a whole number from 0 to 100000000"),
        ("recall:\n  budget: lots\n", "'lots'", "a whole number"),
        ("recall:\n  budget: 预算\n", "'预算'", "a whole number"),
        ("recall:\n  budget: 12.5\n", "12.5", "a whole number"),
        ("recall:\n  budget: yes\n", "True", "a whole number"),
        ("recall:\n  limit: 0\n", "0", "a whole number from 1 to 10000"),
        ("recall:\n  limit:\n", "None", "a whole number from 1 to 10000"),
        ("recall:\n  min_score: 1.5\n", "1.5", "a number from 0 to 1"),
        ("recall:\n  min_score: .nan\n", "nan", "a number from 0 to 1"),
        ("import:\n  policy: allow\n", "'allow'", "redact or refuse"),
        ("\nlanguage: klingon\n", "'klingon'", "expected english"),
        ("\nuser: 7\n", "7", "text of at most 1024 bytes"),
        ('\nuser: "\\ud800"\n', "'\\ud800'", "text of at most 1024 bytes"),
        ("\nredaction: {phone: maybe}\n", "'maybe'", "refuse, redact or allow"),
        ("\nredaction: {phone: no}\n", "False", "refuse, redact or allow"),
    ],
)
def test_a_wrong_value_is_refused_with_what_is_allowed(
    folder: Path, text: str, shown: str, expected: str
) -> None:
    message = str(refusal(folder, text))
    assert shown in message
    assert expected in message
    assert "line 2" in message


def test_a_wrong_value_is_refused_even_where_a_stronger_source_wins(folder: Path) -> None:
    user_file(folder, "recall: {limit: 0}\n")
    with pytest.raises(ConfigError, match=r"recall\.limit"):
        load(str(folder), environ={}, overrides={"recall.limit": 3})


def test_a_wrong_variable_is_named(folder: Path) -> None:
    with pytest.raises(ConfigError, match=r"MEMSTONE_RECALL__LIMIT: recall\.limit: '多'"):
        load(str(folder), environ={"MEMSTONE_RECALL__LIMIT": "多"})


def test_a_long_wrong_value_is_shown_in_part(folder: Path) -> None:
    assert len(str(refusal(folder, f"language: {'啊' * 9000}\n"))) < 1000


# what a repository may say


@pytest.mark.parametrize(
    "text",
    [
        "user: 别人\n",
        "home: /tmp/elsewhere\n",
        "context_window: 100000000\n",
        "language: english\n",
        "redaction: {key: allow}\n",
        "import: {policy: refuse}\n",
        "recall: {budget: 0}\n",  # would lift the cap
        "recall: {min_score: 0}\n",  # would switch the floor off
    ],
)
def test_a_project_cannot_choose_user_store_redaction_cap_or_floor(
    folder: Path, project: Path, text: str
) -> None:
    path = project_file(project, text)
    with pytest.raises(ConfigError) as caught:
        load(str(folder), project=str(project), environ={})
    assert f"{path}, line 1" in str(caught.value)


def test_a_project_may_tune_recall(folder: Path, project: Path) -> None:
    project_file(project, "recall:\n  limit: 8\n  budget: 900\n  min_score: 0.4\n")
    settings = load(str(folder), project=str(project), environ={})
    assert (settings.recall_limit, settings.recall_budget, settings.min_score) == (8, 900, 0.4)
    assert load(str(folder), environ={}).recall_limit == 5
    assert [path.name for path in project.iterdir()] == [".memstone.yaml"]


def test_a_project_that_is_a_mere_name_has_no_file(
    folder: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project_file(project, "recall: {limit: 8}\n")
    monkeypatch.chdir(project.parent)
    assert load(str(folder), project=project.name, environ={}).recall_limit == 5


def test_a_project_file_that_is_a_link_is_refused_and_a_users_is_followed(
    folder: Path, project: Path, tmp_path: Path
) -> None:
    elsewhere = write(tmp_path / "dotfiles.yaml", "recall: {limit: 7}\n")
    (folder / "config.yaml").symlink_to(elsewhere)
    assert load(str(folder), environ={}).recall_limit == 7
    (project / ".memstone.yaml").symlink_to(elsewhere)
    with pytest.raises(ConfigError, match="symbolic link"):
        load(str(folder), project=str(project), environ={})


def test_a_pipe_a_folder_or_a_huge_file_is_refused_without_waiting(
    folder: Path, project: Path
) -> None:
    path = project / ".memstone.yaml"
    os.mkfifo(path)
    with pytest.raises(ConfigError, match="is not a file"):
        load(str(folder), project=str(project), environ={})
    path.unlink()
    path.mkdir()
    with pytest.raises(ConfigError, match=r"is not a file|cannot be read"):
        load(str(folder), project=str(project), environ={})
    path.rmdir()
    path.write_bytes(b"#" * 100_000)
    with pytest.raises(ConfigError, match="larger than"):
        load(str(folder), project=str(project), environ={})


# redaction


def test_a_policy_can_be_set_for_each_class(folder: Path) -> None:
    user_file(folder, "redaction:\n  phone: redact\n")
    settings = load(
        str(folder),
        environ={"MEMSTONE_REDACTION__EMAIL": "refuse"},
        overrides={"redaction": {"key": "redact"}},
    )
    assert settings.redaction == redaction_policies(
        {"phone": "redact", "email": "refuse", "key": "redact"}
    )
    origins = {line.name: line.origin for line in describe(settings)}
    assert origins["redaction.phone"].endswith("config.yaml, line 2")
    assert origins["redaction.email"] == "MEMSTONE_REDACTION__EMAIL"
    assert origins["redaction.password"] == "default"


def test_redaction_as_an_argument_must_be_a_mapping() -> None:
    with pytest.raises(ConfigError, match="a mapping of classes to policies"):
        load("/nowhere", environ={}, overrides={"redaction": "allow"})


# the template


def test_the_template_sets_exactly_the_defaults(folder: Path) -> None:
    text = render_default()
    user_file(folder, text)
    assert load(str(folder), environ={}) == load("/nowhere", environ={})
    live = "\n".join(_uncommented(line) for line in text.splitlines())
    user_file(folder, live)
    settings = load(str(folder), environ={})
    assert all(line.origin != "default" for line in describe(settings))
    values = [line.value for line in describe(settings)]
    assert values == [line.value for line in describe(load("/nowhere", environ={}))]


def _uncommented(line: str) -> str:
    """A setting line with its `#` deleted; prose lines have a space after theirs."""
    setting = line.lstrip().startswith("#") and not line.lstrip().startswith(("# ", "#\n"))
    return line.replace("#", "", 1) if setting else line


def test_the_template_documents_every_setting_with_its_variable() -> None:
    text = render_default()
    assert text.isascii()
    assert all(len(line) <= 100 for line in text.splitlines())
    for key in KEYS.values():
        assert key.variable in text
        assert all(line in text for line in key.about.splitlines())
    for kind in redaction_policies({}):
        assert f"  #{kind}: " in text


def test_the_template_is_written_once_and_privately(tmp_path: Path) -> None:
    home = tmp_path / "数据" / "memstone"
    path, written = write_default(str(home))
    assert (path, written) == (str(home / "config.yaml"), True)
    assert Path(path).read_text(encoding="utf-8") == render_default()
    if sys.platform != "win32":
        assert [stat.S_IMODE(made.stat().st_mode) for made in (home, Path(path))] == [0o700, 0o600]
    user_file(home, "user: 安娜\n")
    assert write_default(str(home)) == (path, False)
    assert load(str(home), environ={}).user == "安娜"


def test_the_template_cannot_be_written_where_a_file_stands(tmp_path: Path) -> None:
    blocker = write(tmp_path / "文件", "")
    for home in (blocker, blocker / "below"):
        with pytest.raises(CannotCreate) as caught:
            write_default(str(home))
        assert caught.value.exit_code == 73


# where the data lies, and whose they are


def test_memstone_home_wins_and_becomes_absolute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "家"))
    assert data_home({"MEMSTONE_HOME": "数据"}) == str(tmp_path / "数据")
    assert data_home({"MEMSTONE_HOME": "~/m"}) == str(tmp_path / "家" / "m")


@pytest.mark.parametrize("xdg", [None, "", "/srv/数据"])
def test_without_it_the_folder_is_the_platforms(
    monkeypatch: pytest.MonkeyPatch, xdg: str | None
) -> None:
    from platformdirs import user_data_dir

    if xdg is None:
        monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    else:
        monkeypatch.setenv("XDG_DATA_HOME", xdg)
    assert data_home() == data_home({**os.environ, "MEMSTONE_HOME": ""})
    assert data_home() == user_data_dir("memstone", appauthor=False)


@pytest.mark.skipif(sys.platform != "linux", reason="XDG folders")
def test_a_relative_xdg_folder_is_ignored() -> None:
    environ = {"HOME": "/home/安娜", "XDG_DATA_HOME": "data"}
    assert data_home(environ) == "/home/安娜/.local/share/memstone"


@root_only
def test_the_user_is_the_account_whatever_the_environment_says() -> None:
    import pwd

    name = pwd.getpwuid(os.getuid()).pw_name
    assert local_user({"USER": "别人", "USERNAME": "别人", "LOGNAME": "别人"}) == name


@root_only
@pytest.mark.parametrize(
    ("environ", "name"),
    [
        ({"USERNAME": "安娜", "USER": "x"}, "安娜"),
        ({"USER": "ana"}, "ana"),
        ({"USER": "\udcff"}, "local"),
        ({}, "local"),
    ],
)
def test_an_account_without_an_entry_is_named_by_the_environment(
    monkeypatch: pytest.MonkeyPatch, environ: dict[str, str], name: str
) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 4_000_000_000)
    assert local_user(environ) == name
    assert load("/nowhere", environ=environ).user == name


def test_an_empty_user_means_the_account(folder: Path) -> None:
    user_file(folder, 'user: ""\n')
    assert load(str(folder), environ={}).user == local_user({})
