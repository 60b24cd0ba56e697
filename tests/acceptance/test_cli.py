"""The command line as a person or a program uses it, run in this process unless a process matters."""

from __future__ import annotations

import io
import json
import os
import re
import sys
import tomllib
from hashlib import sha256
from pathlib import Path

import pytest

from memstone.surfaces.cli import hot, parser, reference
from memstone.surfaces.cli.app import main
from memstone.surfaces.cli.commands import COMMANDS
from memstone.types import MAX_TEXT_BYTES
from memstone.version import VERSION
from tests.acceptance.cli import call

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden" / "cli_help.txt"
NOBODY = "mem_0000000000000000"
MIXED = "café 猫 🙂"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store of its own for every test, outside any repository."""
    for name in list(os.environ):
        if name.startswith("MEMSTONE_"):
            monkeypatch.delenv(name)
    folder = tmp_path / "记忆"
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    monkeypatch.setenv("MEMSTONE_HOME", str(folder))
    return folder


def remember(text: str, *options: str) -> str:
    """The id of a text remembered."""
    identity: str = call("remember", text, *options).ok().document["id"]
    return identity


def recalled(query: str, *options: str) -> list[str]:
    """The texts that a recall gives back."""
    return [hit["text"] for hit in call("recall", query, *options).ok().document["hits"]]


# -- talking about the program


@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        ["help"],
        ["--version"],
        ["recall", "--help"],
        ["help", "recall"],
        ["remember", "-h", "--json"],
        ["completion", "bash"],
    ],
)
def test_help_and_version_make_no_files(words: list[str], home: Path) -> None:
    answer = call(*words)
    assert (answer.code, answer.err) == (0, b"")
    assert answer.out
    assert not home.exists()


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ([], "usage"),
        (["remembr", "x"], "usage"),
        (["--jsn"], "usage"),
        (["--home"], "usage"),
        (["recall"], "usage"),
        (["recall", "two", "words"], "usage"),
        (["recall", "x", "--limt", "3"], "usage"),
        (["recall", "x", "--limit"], "usage"),
        (["recall", "x", "--limit", "0"], "invalid_input"),
        (["recall", "x", "--limit", "-3"], "invalid_input"),
        (["recall", "x", "--limit", "2.5"], "invalid_input"),
        (["recall", "x", "--budget", "-1"], "invalid_budget"),
        (["recall", "x", "--budget=-1"], "invalid_budget"),
        (["recall", "x", "--min-score", "1.5"], "invalid_input"),
        (["recall", "x", "--kind", "rumour"], "invalid_input"),
        (["recall", "x", "--since", "soon"], "invalid_time"),
        (["recall", "x", "--shared", "--project", "p"], "usage"),
        (["remember"], "usage"),
        (["remember", "x", "--stdin"], "usage"),
        (["remember", "x", "--at", "13.08.2026"], "invalid_time"),
        (["remember", "x", "--trust", "admin"], "invalid_input"),
        (["forget"], "usage"),
        (["forget", ""], "usage"),
        (["recover", "mem_0"], "invalid_handle"),
        (["expire", "mem_0", "later"], "invalid_time"),
        (["config", "set"], "usage"),
        (["completion", "fish"], "usage"),
        (["import"], "usage"),
    ],
)
def test_mistakes_on_the_line_exit_2_with_a_code_and_make_no_files(
    words: list[str], code: str, home: Path
) -> None:
    answer = call(*words)
    assert (answer.code, answer.out) == (2, b"")
    assert answer.error["code"] == code
    assert answer.err.count(b"\n") == 1
    assert not home.exists()


def test_the_nearest_command_and_option_are_suggested() -> None:
    assert call("rember", "x").error["hint"] == "did you mean remember?"
    assert call("recall", "x", "--any-tags=y").error["hint"] == "did you mean --any-tag?"
    assert "--" in call("remember", "-猫").error["hint"]
    assert "quotes" in call("recall", "two", "words").error["hint"]


def test_the_version_is_the_package_s() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["version"] == VERSION
    assert call("--version").out == f"memstone {VERSION}\n".encode()


def test_every_command_has_a_handler_help_and_an_example_that_parses() -> None:
    import importlib
    import shlex

    for command in COMMANDS.values():
        module, _, function = command.run.partition(":")
        handlers = importlib.import_module(f"memstone.surfaces.cli.{module}")
        assert callable(getattr(handlers, function))
        assert command.examples, command.name
        for example in command.examples:
            for part in example.split("|"):
                words = shlex.split(part.partition(">")[0])
                if words[:2] == ["memstone", command.name]:
                    parser.parse(command, words[2:])


def test_help_reads_as_it_did(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    pages = [parser.overview(), *map(parser.help_of, COMMANDS.values())]
    current = "\n".join(pages)
    if os.environ.get("UPDATE_GOLDEN"):
        GOLDEN.parent.mkdir(exist_ok=True)
        GOLDEN.write_text(current, encoding="utf-8")
    assert current == GOLDEN.read_text(encoding="utf-8")


def test_the_reference_names_every_command_and_option() -> None:
    document = reference.markdown()
    for command in COMMANDS.values():
        assert f"## {command.name}\n" in document
        for argument in command.arguments:
            assert (argument.name if argument.is_option else argument.metavar or "") in document


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_completion_knows_every_command(shell: str) -> None:
    script = call("completion", shell).ok().out.decode()
    assert all(name in script for name in COMMANDS)


# -- remember, recall


def test_what_is_remembered_is_recalled_with_every_field() -> None:
    stored = (
        call(
            *("remember", "预算是 200", "--kind", "decision", "--tag", "预算", "--tag", "2026"),
            *("--session", "s1", "--speaker", "林", "--subject", "atlas", "--attribute", "budget"),
            *("--at", "2026-08-13", "--valid-until", "2027-01-01", "--trust", "agent", "--pin"),
            *("--external-id", "D1:3", "--user", "ana", "--project", "atlas", "--agent", "pm"),
        )
        .ok()
        .document
    )
    expected = {
        "text": "预算是 200",
        "kind": "decision",
        "tags": ["2026", "预算"],
        "session": "s1",
        "speaker": "林",
        "subject": "atlas",
        "attribute": "budget",
        "valid_from": "2026-08-13T00:00:00.000000Z",
        "valid_until": "2027-01-01T00:00:00.000000Z",
        "pinned": True,
        "external_id": "D1:3",
        "scope": {"user": "ana", "project": "atlas", "agent": "pm"},
        "outcome": "created",
    }
    assert stored.items() >= expected.items()
    assert stored["provenance"]["source"] == "cli"
    assert stored["provenance"]["trust"] == "agent"
    scope = ("--user", "ana", "--project", "atlas", "--agent", "pm")
    (hit,) = call("recall", "预算", *scope).ok().document["hits"]
    del expected["outcome"]
    assert hit["memory"].items() >= expected.items()
    assert set(hit["signals"]) == {"bm25", "coverage"}


def test_the_same_text_again_is_known() -> None:
    first = call("remember", MIXED).ok().document
    second = call("remember", MIXED, "--tag", "emoji").ok().document
    assert (second["id"], second["outcome"], second["seen_count"]) == (first["id"], "known", 2)
    assert second["tags"] == ["emoji"]
    assert len(call("list").ok().lines) == 1


@pytest.mark.parametrize("words", [["--stdin"], ["-"], ["-", "--stdin"]])
def test_standard_input_is_stored_exactly(words: list[str]) -> None:
    text = f"\t{MIXED}\r\n\u202etxt\x07\n"
    stored = call("remember", *words, stdin=text.encode()).ok().document
    assert stored["text"] == text
    assert stored["text_sha256"] == sha256(text.encode()).hexdigest()


def test_standard_input_that_is_not_utf_8_is_refused() -> None:
    answer = call("remember", "--stdin", stdin="预算".encode("gbk"))
    assert (answer.code, answer.error["code"]) == (65, "text_not_unicode")
    assert call("list").ok().lines == []


@pytest.mark.parametrize("verb", [["remember"], ["supersede", NOBODY]])
def test_a_text_over_256_kib_is_refused(verb: list[str]) -> None:
    text = b"a" * (MAX_TEXT_BYTES + 1)
    answer = call(*verb, "--stdin", stdin=text)
    assert (answer.code, answer.error["code"]) == (65, "memory_too_large")


def test_the_largest_text_is_stored_and_recovered() -> None:
    text = ("x" * 80 + " zanzibar\n") * (MAX_TEXT_BYTES // 90)
    call("remember", "--stdin", stdin=text.encode()).ok()
    (hit,) = call("recall", "zanzibar").ok().document["hits"]
    assert call("recover", hit["handle"]).ok().out == text.encode()


@pytest.mark.parametrize("text", ["", " \n\t", "\u3000"])
def test_a_blank_text_is_refused(text: str) -> None:
    answer = call("remember", text)
    assert (answer.code, answer.error["code"]) == (65, "blank_text")


def test_a_text_that_starts_with_a_dash_is_a_text_after_two_dashes() -> None:
    assert remember("-5 °C outside")
    assert call("remember", "--tag", "t", "--", "--json").ok().document["text"] == "--json"


def test_a_secret_is_refused_and_never_repeated(home: Path) -> None:
    secret = "sk-ant-api03-" + "Ab3dE6gH1jK4mN7pQ0sT" * 4 + "AA"
    for words in (["remember", f"密钥是 {secret}"], ["remember", "x", "--tag", secret]):
        answer = call(*words)
        assert (answer.code, answer.error["code"]) == (77, "secret_found")
        assert secret.encode() not in answer.out + answer.err
    for file in home.iterdir():
        assert secret.encode() not in file.read_bytes()


def test_finding_nothing_is_an_answer() -> None:
    remember("The backup runs nightly at 02:00 on host atlas")
    answer = call("recall", "what is the weather in Oslo").ok()
    assert (answer.document["hits"], answer.err) == ([], b"")


def test_filters_limit_and_time_travel() -> None:
    old = remember("The budget is 100", "--at", "2026-08-01", "--tag", "money")
    call("supersede", old, "The budget is 200", "--at", "2026-08-13").ok()
    remember("The budget meeting is on Monday", "--kind", "task", "--session", "s2")
    assert recalled("budget", "--tag", "money") == ["The budget is 200"]
    assert recalled("budget", "--kind", "task", "--kind", "") == ["The budget meeting is on Monday"]
    assert recalled("budget", "--session", "s2") == ["The budget meeting is on Monday"]
    assert recalled("budget", "--any-tag", "money", "--any-tag", "x") == ["The budget is 200"]
    assert recalled("budget", "--as-of", "2026-08-05", "--min-score", "0") == ["The budget is 100"]
    assert len(recalled("budget", "--limit", "1")) == 1
    assert recalled("budget", "--until", "2026-08-13", "--tag", "money") == ["The budget is 200"]
    assert recalled("budget", "--until", "2026-08-12", "--tag", "money") == []


def test_recall_counts_as_use_unless_told_otherwise() -> None:
    one = remember("部署流程：先 make build，再 kubectl apply")
    call("recall", "部署", "--no-touch").ok()
    assert call("show", one).ok().document["recall_count"] == 0
    call("recall", "部署").ok()
    assert call("show", one).ok().document["recall_count"] == 1


def test_the_project_is_the_repository_one_stands_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "atlas" / ".git").mkdir(parents=True)
    (tmp_path / "atlas" / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    (tmp_path / "atlas" / "docs").mkdir()
    monkeypatch.chdir(tmp_path / "atlas" / "docs")
    inside = call("remember", "The index lives in one file").ok().document
    shared = call("remember", "Tests live beside the index", "--shared").ok().document
    assert inside["scope"]["project"] == os.path.realpath(tmp_path / "atlas")
    assert shared["scope"]["project"] == ""
    assert len(recalled("index")) == 2
    monkeypatch.chdir(tmp_path)
    assert recalled("index") == ["Tests live beside the index"]
    assert len(recalled("index", "--project", os.path.realpath(tmp_path / "atlas"))) == 2


def test_a_lead_reads_several_agents() -> None:
    for agent in ("coder", "tester", "writer"):
        remember(f"The {agent} uses the staging host", "--agent", agent)
    seen = recalled("staging host", "--agent", "coder", "--agent", "writer")
    assert sorted(seen) == ["The coder uses the staging host", "The writer uses the staging host"]
    assert recalled("staging host") == []


# -- versions, forgetting, marks


def test_history_and_show_tell_the_versions() -> None:
    first = remember("The budget is 100", "--tag", "money")
    second = call("supersede", first, "--stdin", stdin="预算是 200".encode()).ok().document
    assert (second["supersedes"], second["tags"]) == (first, ["money"])
    chain = call("history", second["id"]).ok().lines
    assert [version["text"] for version in chain] == ["The budget is 100", "预算是 200"]
    assert call("show", first).ok().document["superseded_by"] == second["id"]
    again = call("supersede", first, "The budget is 300")
    assert (again.code, again.error["code"]) == (1, "not_current")


def test_forget_says_what_is_gone_and_what_was_not_there() -> None:
    gone, kept = remember("first note"), remember("第二条")
    trial = call("forget", gone, NOBODY, "--dry-run")
    assert (trial.code, trial.document["would_forget"]) == (1, [gone])
    assert trial.document["missing"] == [NOBODY]
    assert call("show", gone).code == 0
    answer = call("forget", gone, NOBODY, gone)
    assert answer.document == {"forgotten": [gone], "missing": [NOBODY]}
    assert (answer.code, answer.error["code"]) == (1, "not_found")
    assert answer.error["fields"]["missing"] == [NOBODY]
    assert call("forget", kept).ok().document["forgotten"] == [kept]
    assert call("list").ok().lines == []


def test_tags_pin_and_expiry_change_in_place() -> None:
    one = remember("猫 sleeps on the server")
    assert call("tag", one, "猫", "ops").ok().document["tags"] == ["ops", "猫"]
    assert call("untag", one, "ops").ok().document["tags"] == ["猫"]
    assert call("pin", one).ok().document["pinned"] is True
    assert call("unpin", one).ok().document["pinned"] is False
    expired = call("expire", one, "2020-01-01").ok().document
    assert expired["expires"] == "2020-01-01T00:00:00.000000Z"
    assert recalled("server") == []
    assert "expires" not in call("expire", one, "never").ok().document
    assert len(recalled("server")) == 1
    operations = [change["operation"] for change in call("log", "--id", one).ok().lines]
    assert len(operations) == 7
    assert operations[-1] == "remember"


def test_lists_are_json_lines_newest_first() -> None:
    for number in range(25):
        remember(f"note number {number}")
    assert len(call("list").ok().lines) == 20
    newest = call("list", "--limit", "3").ok().lines
    assert [one["text"] for one in newest] == [f"note number {n}" for n in (24, 23, 22)]
    assert call("stats").ok().document["current"] == 25


def test_what_is_not_there_is_not_found() -> None:
    handle = "ccr_" + "0" * 32
    for words in (
        ["show", NOBODY],
        ["history", NOBODY],
        ["supersede", NOBODY, "x"],
        ["tag", NOBODY, "x"],
        ["pin", NOBODY],
        ["expire", NOBODY, "never"],
        ["recover", handle],
    ):
        answer = call(*words)
        assert (answer.code, answer.out, answer.error["code"]) == (1, b"", "not_found"), words


def test_recover_writes_the_exact_bytes_and_json_when_asked() -> None:
    text = "零\n" + "The first line of many, none of them short. 猫\n" * 900
    call("remember", "-", stdin=text.encode()).ok()
    (hit,) = call("recall", "first line", "--budget", "200").ok().document["hits"]
    assert call("recover", hit["handle"]).ok().out == text.encode()
    assert call("recover", hit["handle"], "--json").ok().document["text"] == text


# -- settings


def test_init_writes_every_setting_once_and_privately(tmp_path: Path) -> None:
    folder = tmp_path / "mem"
    first = call("init", "--dir", str(folder)).ok().document
    assert first == {"config": str(folder / "config.yaml"), "written": True}
    content = (folder / "config.yaml").read_text(encoding="utf-8")
    assert (folder / "config.yaml").stat().st_mode & 0o777 == 0o600
    for setting in call("config", "show", "--home", str(folder)).ok().document:
        assert setting.rpartition(".")[2] in content
    (folder / "config.yaml").write_text("recall:\n  budget: 77\n", encoding="utf-8")
    assert call("init", "--dir", str(folder)).ok().document["written"] is False
    shown = call("config", "show", "--origin", "--home", str(folder)).ok().document
    assert shown["recall.budget"]["value"] == 77
    assert "config.yaml" in shown["recall.budget"]["origin"]
    assert shown["recall.limit"]["origin"] == "default"


def test_a_wrong_setting_exits_78_on_every_verb(home: Path) -> None:
    home.mkdir()
    (home / "config.yaml").write_text("recall:\n  budgett: 77\n", encoding="utf-8")
    for words in (["recall", "x"], ["remember", "x"], ["config", "show"]):
        answer = call(*words)
        assert (answer.code, answer.error["code"]) == (78, "config_error")


# -- cases from public reports


def test_case_8_a_damaged_import_keeps_the_good_lines_and_the_exit_code_tells(
    tmp_path: Path,
) -> None:
    good = [
        json.dumps({"role": "user", "content": f"第 {n} 条 note", "session": "s"}) for n in range(4)
    ]
    glued = good[1] + good[2]
    file = tmp_path / "talk.jsonl"
    file.write_text("\n".join([good[0], glued, good[3], good[2][:20]]), encoding="utf-8")
    answer = call("import", str(file))
    assert answer.code == 65
    assert [entry["line"] for entry in answer.document["skipped"]] == [2, 4]
    assert answer.document["created"] == 2
    assert answer.error["fields"]["lines"] == [2, 4]
    texts = {one["text"] for one in call("list", "--kind", "turn").ok().lines}
    assert texts == {"第 0 条 note", "第 3 条 note"}
    again = call("import", str(file))
    assert (again.document["created"], again.document["known"]) == (0, 2)


def test_case_8_a_damaged_export_is_imported_as_far_as_it_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        remember(f"事实 {number}", "--at", "2026-08-13")
    target = tmp_path / "out" / "memories.jsonl"
    target.parent.mkdir()
    target.write_text("before", encoding="utf-8")
    assert call("export", "--output", str(target)).ok().document["exported"] == 5
    assert [file.name for file in target.parent.iterdir()] == [target.name]
    assert target.stat().st_mode & 0o777 == 0o600
    exported = target.read_bytes()
    assert exported.endswith(b"}\n")
    assert call("export").ok().out == exported
    head, one, two, three, four, five = exported.splitlines(keepends=True)
    target.write_bytes(head + one + two.rstrip() + three + four + five[:100])
    monkeypatch.setenv("MEMSTONE_HOME", str(tmp_path / "other"))
    answer = call("import", str(target))
    assert (answer.code, answer.document["created"]) == (65, 2)
    assert [entry["line"] for entry in answer.document["skipped"]] == [3, 5]


def test_an_export_read_back_is_the_same_export(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = remember("The budget is 100", "--tag", "money", "--project", "atlas")
    call("supersede", first, "预算是 200", "--project", "atlas").ok()
    remember(MIXED, "--pin", "--expires", "2030-01-01")
    whole = call("export").ok().out
    monkeypatch.setenv("MEMSTONE_HOME", str(tmp_path / "other"))
    assert call("import", "-", stdin=whole).ok().document["created"] == 3
    assert call("export").ok().out == whole


def test_an_import_can_be_tried_without_storing_anything(tmp_path: Path) -> None:
    file = tmp_path / "talk.jsonl"
    file.write_text('{"role": "user", "content": "猫", "session": "s"}\n', encoding="utf-8")
    report = call("import", str(file), "--dry-run").ok().document
    assert (report["dry_run"], report["read"]) == (True, 1)
    assert call("list").ok().lines == []


def test_an_import_that_is_not_there_exits_66(tmp_path: Path) -> None:
    answer = call("import", str(tmp_path / "没有.jsonl"))
    assert (answer.code, answer.error["code"]) == (66, "source_missing")


def test_an_export_never_replaces_the_store_or_a_folder(home: Path, tmp_path: Path) -> None:
    remember("猫")
    before = (home / "mem.db").stat().st_ino
    answer = call("export", "--output", str(home / "mem.db"))
    assert (answer.code, answer.error["code"]) == (77, "store_unsafe")
    assert (home / "mem.db").stat().st_ino == before
    assert call("export", "--output", str(tmp_path)).code == 73
    assert call("export", "--output", str(tmp_path / "no" / "file")).code == 73


def test_case_12_forgetting_one_user_leaves_the_others() -> None:
    ids = {}
    for user in ("u1", "u2", "u%"):
        ids[user] = [remember(f"{user} 记录 {n}", "--user", user) for n in range(5)]
    assert call("forget").code == 2
    answer = call("forget", *ids["u1"], *ids["u2"], "--user", "u1")
    assert (answer.code, answer.document["forgotten"]) == (1, ids["u1"])
    assert answer.document["missing"] == ids["u2"]
    counts = [len(call("list", "--user", user).ok().lines) for user in ids]
    assert counts == [0, 5, 5]


def test_case_31_empty_values_are_not_given() -> None:
    remember(
        "用户要求所有回复使用轻松的语气", "--tag", "", "--session", "", "--at", "", "--user", ""
    )
    empty = [
        *(
            "--tag",
            "",
            "--any-tag",
            "",
            "--kind",
            "",
            "--session",
            "",
            "--since",
            "",
            "--until",
            "",
        ),
        *("--as-of", "", "--known-at", "", "--user", "", "--project", "", "--agent", ""),
        *("--limit", "", "--budget", "", "--min-score", ""),
    ]
    assert recalled("语气", *empty) == ["用户要求所有回复使用轻松的语气"]
    assert len(call("list", *empty[:12]).ok().lines) == 1


@pytest.mark.parametrize(
    ("text", "queries"),
    [
        (
            "用户要求所有回复使用轻松的语气，技术名词保留英文",
            ["语气", "回复语气", "轻松"],
        ),
        ("今日は成語しりとりをした", ["しりとり"]),
        ("오늘 끝말잇기 게임을 했다", ["끝말잇기"]),
    ],
)
def test_case_42_phrases_without_spaces_are_found(text: str, queries: list[str]) -> None:
    remember("步2 重跑gen-itgc后50条悬空引用清零")
    remember("部署流程：先 make build，再 kubectl apply")
    remember(text)
    for query in queries:
        assert recalled(query)[:1] == [text], query


def test_case_43_an_identifier_glued_to_chinese_is_found() -> None:
    text = "步2 重跑gen-itgc后50条悬空引用清零"
    remember("用户要求所有回复使用轻松的语气")
    remember(text)
    for query in ("itgc", "gen-itgc", "悬空"):
        assert recalled(query) == [text], query


def test_case_44_one_and_two_characters_are_found_and_others_are_not() -> None:
    remember("设备间的温度是二十度")
    remember("部署流程：先 make build")
    remember("猫在服务器上睡觉")
    assert recalled("设备") == ["设备间的温度是二十度"]
    assert recalled("部署") == ["部署流程：先 make build"]
    assert recalled("猫") == ["猫在服务器上睡觉"]


def test_case_50_one_huge_memory_stays_inside_the_budget(tmp_path: Path) -> None:
    text = "quagga 的记录。" + "The log went on and on without saying anything new. 日志\n" * 42_000
    assert len(text.encode()) > 2_400_000
    file = tmp_path / "huge.jsonl"
    line = {"role": "user", "content": text, "session": "s", "at": "2026-08-13T00:00:00Z"}
    file.write_text(json.dumps(line) + "\n", encoding="utf-8")
    call("import", str(file)).ok()
    answer = call("recall", "quagga").ok().document
    (hit,) = answer["hits"]
    assert hit["tokens"] <= answer["tokens"] <= answer["budget"] == 2000
    assert "quagga" in hit["text"]
    assert call("recover", hit["handle"]).ok().out == text.encode()
    whole = call("recall", "quagga", "--budget", "0").ok().document
    assert (whole["budget"], whole["hits"][0]["text"]) == (None, text)


def test_case_69_another_user_s_ids_are_not_found() -> None:
    text = "Only Ben knows the zanzibar plan. " * 400
    theirs = call("remember", "-", "--user", "ben", stdin=text.encode()).ok().document["id"]
    hit = call("recall", "zanzibar", "--user", "ben").ok().document["hits"][0]
    for words in (
        ["show", theirs],
        ["history", theirs],
        ["forget", theirs],
        ["forget", theirs, "--dry-run"],
        ["supersede", theirs, "x"],
        ["tag", theirs, "x"],
        ["untag", theirs, "x"],
        ["pin", theirs],
        ["unpin", theirs],
        ["expire", theirs, "never"],
        ["recover", hit["handle"]],
    ):
        answer = call(*words, "--user", "ana")
        assert (answer.code, answer.error["code"]) == (1, "not_found"), words
        assert b"zanzibar" not in answer.out + answer.err
    assert recalled("zanzibar", "--user", "ana") == []
    assert b"zanzibar" not in call("export", "--user", "ana").ok().out
    assert call("log", "--user", "ana", "--id", theirs).out == b""
    assert call("show", theirs, "--user", "ben").code == 0


@pytest.mark.parametrize(
    "hostile",
    ["'; DROP TABLE memories;--", '" OR 1=1', "foo AND (", "NEAR/0", "*", "%_\\", "\x00a"],
)
def test_case_71_query_syntax_is_only_text(hostile: str) -> None:
    kept = remember("The backup runs nightly on host atlas")
    for words in (
        ["recall", hostile],
        *(["recall", "backup", option, hostile] for option in ("--tag", "--any-tag", "--session")),
        *(["recall", "backup", option, hostile] for option in ("--user", "--project", "--agent")),
        ["list", "--tag", hostile],
        ["show", hostile],
        ["history", hostile],
        ["forget", hostile],
        ["tag", kept, hostile],
        ["untag", kept, hostile],
        ["log", "--id", hostile],
        ["recall", "backup", "--limit", hostile],
        ["recall", "backup", "--since", hostile],
        ["recover", hostile],
    ):
        answer = call(*words)
        assert answer.code in {0, 1, 2, 65}, (words, answer.err)
    one = remember(f"note {hostile} end", "--session", hostile, "--subject", hostile)
    shown = call("show", one).ok().document
    assert (shown["text"], shown["session"]) == (f"note {hostile} end", hostile)
    assert recalled("backup") == ["The backup runs nightly on host atlas"]


@pytest.mark.parametrize(
    "text",
    [
        "\x1b[31mred\x1b[0m",
        "a\u202eb\u2066c",
        "🙂👩\u200d👩\u200d👧",
        "e\u0301\u0000\ufeff",
        "𠀋" * 900,
    ],
)
def test_hostile_texts_are_stored_exactly(text: str) -> None:
    one = call("remember", "-", stdin=text.encode()).ok().document
    assert one["text"] == text
    assert call("show", one["id"]).ok().document["text"] == text


@pytest.mark.parametrize(
    "words",
    [
        ["remember", "\ud83d"],
        ["remember", "a", "--tag", "\udcff"],
        ["recall", "\udcff"],
        ["recall", "a", "--session", "\udcff"],
        ["show", "\udcff"],
        ["list", "--user", "\udcff"],
        ["import", "x", "--format", "\udcff"],
    ],
)
def test_half_characters_are_refused_in_every_parameter(words: list[str], home: Path) -> None:
    answer = call(*words)
    assert (answer.code, answer.error["code"]) == (65, "text_not_unicode")
    assert not home.exists()


# -- what a person sees


def seen(*words: str, encoding: str = "utf-8", code: int = 0) -> str:
    """What a terminal shows, without its colours."""
    answer = call(*words, terminal=encoding)
    assert answer.code == code, answer.err
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", (answer.out + answer.err).decode(encoding))


def test_every_answer_can_be_looked_at_on_a_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    assert "no memories" in seen("list")
    assert "no changes" in seen("log")
    assert "nothing that matches" in seen("recall", "猫")
    said = seen("remember", "猫 sleeps on the server <private>x</private>", "--kind", "task")
    assert "remembered: mem_" in said
    assert "not stored: private (1)" in said
    one = call("list").lines[0]["id"]
    again = seen("remember", call("list").lines[0]["text"], "--kind", "fact")
    assert f"already known: {one}" in again
    assert "left as it was: kind" in again
    assert "memstone recover ccr_" not in seen("recall", "server")
    assert "coverage" in seen("recall", "server", "--explain")
    assert "tags ops; pinned no; expires never" in seen("tag", one, "ops")
    assert "[pinned]" in seen("pin", one) + seen("list")
    assert "[expires 2030-01-01 00:00]" in seen("expire", one, "2030-01-01") + seen("list")
    newer = call("supersede", one, "猫 sleeps in the kitchen").document["id"]
    assert "[superseded]" in seen("list", "--history")
    assert "kitchen" in seen("history", newer)
    assert "provenance" in seen("show", newer)
    assert "file bytes" in seen("stats")
    assert "supersede" in seen("log")
    assert "recall.budget" in seen("config", "show", "--origin")
    assert "written: " in seen("init")
    assert "exported 2 memories" in seen("export", "--output", str(tmp_path / "out.jsonl"))
    assert f"forgot: {newer}" in seen("forget", newer)
    assert "(forgotten)" in seen("log")
    assert f"memstone: not found: {newer}" in seen("forget", newer, code=1)
    file = tmp_path / "talk.jsonl"
    turn = '{"role": "user", "content": "说", "session": "s"}\n'
    file.write_text(turn + "{" * 3 + "\n" + turn, encoding="utf-8")
    report = seen("import", str(file), code=65)
    assert "memstone: line 2: " in report
    assert "remember TEXT" not in report


def test_a_shortened_hit_shows_how_to_recover_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    text = "The log went on and on. 日志说了很多。" * 600 + " quagga."
    call("remember", "-", stdin=text.encode()).ok()
    assert "memstone recover ccr_" in seen("recall", "quagga", "--budget", "300")


def test_what_a_terminal_cannot_show_is_spelt_out_and_json_stays_json() -> None:
    one = remember(f"{MIXED} \u202e\x9b31m")
    assert r"caf\xe9 \u732b \U0001f642 \u202e\u009b31m" in seen("show", one, encoding="ascii")
    for encoding in ("ascii", "gbk", "utf-8"):
        told = seen("show", one, "--json", encoding=encoding)
        assert "\u202e" not in told
        assert json.loads(told)["text"] == f"{MIXED} \u202e\x9b31m"


# -- the streams


class _Full(io.BytesIO):
    def write(self, data: object) -> int:
        raise OSError(28, "No space left on device")


def test_a_full_disk_behind_standard_output_exits_74(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(_Full(), encoding="utf-8"))
    assert main(["--help"]) == 74
    assert "No space left" in capsys.readouterr().err


def test_an_unexpected_error_is_one_line_and_exit_70(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(call: object) -> int:
        raise ZeroDivisionError("猫")

    monkeypatch.setattr(hot, "recall", broken)
    answer = call("recall", "x")
    assert (answer.code, answer.error["code"]) == (70, "internal")
    assert answer.err.count(b"\n") == 1
    monkeypatch.setenv("MEMSTONE_DEBUG", "1")
    assert b"Traceback" in call("recall", "x").err


def test_an_interrupt_exits_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(call: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(hot, "recall", interrupted)
    assert call("recall", "x").code == 130
