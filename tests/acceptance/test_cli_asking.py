"""Asking why: `why`, `recall --explain`, verdicts; short ids; no store where none was made."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from memstone.surfaces.cli.commands import COMMANDS
from memstone.types import SIGNALS
from tests.acceptance.cli import NOBODY, call, remember, seen

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("home")
QUESTION = "what is the cloud budget?"


def test_why_tells_the_stage_that_decided_as_json() -> None:
    old = remember("The cloud budget is 100 预算", "--at", "2026-03-01")
    new = call("supersede", old, "The cloud budget is 200 预算").ok().document["id"]
    told = call("why", old, QUESTION).ok().document
    assert (told["recalled"], told["decided_by"]) == (False, "visible")
    assert told["verdict"] == "Not recalled: a newer version has superseded it."
    assert told["stages"]["visible"]["obstacles"] == ["superseded"]
    assert told["stages"]["floor"] is None
    told = call("why", new, QUESTION).ok().document
    assert list(told["stages"]) == ["visible", "filter", "terms", "floor", "rank", "budget"]
    assert all(stage["passed"] for stage in told["stages"].values())
    (hit,) = call("recall", QUESTION).ok().document["hits"]
    assert (told["signals"], told["stages"]["rank"]["score"]) == (hit["signals"], hit["score"])
    assert told["stages"]["terms"]["own"] == ["cloud", "budget"]
    filtered = call("why", new, QUESTION, "--kind", "task", "--tag", "x").ok().document
    assert filtered["stages"]["filter"] == {"passed": False, "rejected_by": ["kinds", "tags"]}
    assert call("why", old, QUESTION, "--as-of", "2026-03-02").ok().document["recalled"]
    assert call("show", new).ok().document["recall_count"] == 1  # the recall's, not why's


def test_why_on_a_terminal_is_a_sentence_and_a_row_a_stage() -> None:
    one = remember("The cloud budget is 200 预算")
    remember("The cat sleeps on the server 猫")
    shown = seen("why", one, "cloud budget of the year")
    assert shown.startswith("Recalled whole: number 1 of 1 candidate.")
    for row in (
        r"yes +visible +in scope, valid and indexed",
        r"yes +filter +no condition rejects it",
        r"yes +terms +has: cloud, budget; misses: year",
        r"yes +floor +covers 0\.\d\d of the question",
        r"yes +rank +number 1 of 1, limit 5",
        r"yes +budget +included: ",
    ):
        assert re.search(row, shown), shown
    shown = seen("why", one, "who won the chess match?")
    assert "Not recalled: it has none of the question's words" in shown
    assert re.search(r"– +budget +not reached", shown)


def test_explain_shows_the_share_of_every_signal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for number in range(8):
        remember(f"The cloud budget is {number} 预算", "--kind", "decision")
    shown = seen("recall", "cloud budget", "--explain", "--limit", "8")
    assert all(name in shown for name in SIGNALS)
    assert re.search(r"importance +0\.\d\d +\d+%", shown)
    assert re.search(r"#1 .*#6", shown)
    assert re.search(r"#7 .*#8", shown)
    assert all(len(line) <= 80 for line in shown.splitlines())
    hits = call("recall", "cloud budget", "--limit", "8").ok().document["hits"]
    for hit in hits:
        assert set(hit["signals"]) == set(SIGNALS)
        parts = {k: v for k, v in hit["signals"].items() if k not in ("coverage", "evidence")}
        factor = parts.pop("freshness") * parts.pop("asking")
        assert hit["score"] == pytest.approx(sum(parts.values()) * factor)


def test_verdicts_are_recorded_logged_and_exported(tmp_path: Path) -> None:
    one = remember("预算是 200", "--external-id", "D1:3", "--project", "atlas")
    said = call("wrong", one, "--query", "预算是多少？", "--project", "atlas").ok().document
    assert (said["verdict"], said["query"], said["id"]) == ("wrong", "预算是多少？", one)
    call("right", one[:12], "--query", "预算是多少？", "--project", "atlas").ok()
    call("right", one, "--query", "budget?", "--project", "atlas").ok()
    lines = call("feedback").ok().lines
    assert [(line["query"], line["verdict"]) for line in lines] == [
        ("预算是多少？", "right"),
        ("budget?", "right"),
    ]
    assert list(lines[0]) == [
        *("query", "id", "external_id", "verdict", "at", "user", "project", "agent")
    ]
    assert (lines[0]["external_id"], lines[0]["project"]) == ("D1:3", "atlas")
    target = tmp_path / "verdicts.jsonl"
    assert call("feedback", "--output", str(target)).ok().document["exported"] == 2
    assert [json.loads(line) for line in target.read_text("utf-8").splitlines()] == lines
    log = call("log", "--project", "atlas").ok()
    assert [change["operation"] for change in log.lines] == ["judge"] * 3 + ["remember"]
    assert "多少" not in log.out.decode()
    assert "多少" not in call("export").ok().out.decode()
    assert "right" in seen("feedback")
    call("forget", one, "--project", "atlas").ok()
    assert call("feedback").ok().lines == []


def test_feedback_never_replaces_the_store(home: Path) -> None:
    remember("猫")
    answer = call("feedback", "--output", str(home / "mem.db"))
    assert (answer.code, answer.error["code"]) == (77, "store_unsafe")


def test_a_short_id_stands_for_the_only_one_that_begins_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    one = remember("The budget is 100 预算")
    short = one[:14]
    assert short in seen("list")
    assert one not in seen("list")
    assert one in seen("show", short)
    newer = call("supersede", short, "The budget is 200 预算").ok().document
    assert newer["supersedes"] == one
    assert len(call("history", newer["id"][:12]).ok().lines) == 2
    assert call("tag", newer["id"][:12], "x").ok().document["tags"] == ["x"]
    assert len(call("log", "--id", short).ok().lines) == 2
    assert call("show", one[:11]).code == 1  # seven digits are no id
    for verb in (["forget", short], ["forget", newer["id"][:12]]):
        assert len(call(*verb).ok().document["forgotten"][0]) > len(short)
    assert call("forget", short).code == 1


@pytest.mark.parametrize(
    "words",
    [
        ["recall", "x"],
        ["why", NOBODY, "x"],
        ["list"],
        ["show", NOBODY],
        ["stats"],
        ["log"],
        ["history", NOBODY],
        ["export"],
        ["feedback"],
        ["forget", NOBODY],
        ["tag", NOBODY, "x"],
        ["pin", NOBODY],
        ["wrong", NOBODY, "--query", "x"],
        ["supersede", NOBODY, "x"],
        ["recover", "ccr_" + "0" * 32],
    ],
    ids=lambda words: words[0],
)
def test_where_there_is_no_store_none_is_made(words: list[str], tmp_path: Path) -> None:
    folder = tmp_path / "tpyo" / "没有"
    answer = call(*words, "--home", str(folder))
    assert f"no store at {folder / 'mem.db'} yet" in answer.err.decode()
    assert answer.code == (1 if {NOBODY, "recover"} & set(words) else 0)
    assert not folder.parent.exists()


@pytest.mark.parametrize("text", [" ", "\u3000\n", "my password is hunter2-Blue!"])
def test_a_text_that_is_refused_makes_no_store(text: str, home: Path) -> None:
    assert call("remember", text).code in {65, 77}
    assert not home.exists()
    assert call("import", str(home / "nothing.jsonl")).code == 66
    assert not home.exists()
    remember("猫")
    assert (home / "mem.db").exists()


def test_the_log_shows_what_its_scope_may_see_and_nothing_else() -> None:
    hers = remember("猫 atlas", "--project", "atlas", "--tag", "病历")
    shared = remember("猫 shared")
    seen_here = [row["id"] for change in call("log").ok().lines for row in change["rows"]]
    assert set(seen_here) == {shared}
    whole = call("log", "--project", "atlas").ok().lines
    assert {row["id"] for change in whole for row in change["rows"]} == {hers, shared}
    missing = call("log", "--id", hers)
    assert (missing.code, missing.error["code"]) == (1, "not_found")
    assert missing.error["hint"]


def test_config_alone_shows_and_memstone_alone_lists_the_commands() -> None:
    assert call("config").ok().document == call("config", "show").ok().document
    shown = seen(code=2)
    assert "no command given" in shown
    assert all(name in shown for name in COMMANDS)


def test_a_comma_in_a_tag_is_pointed_out_to_a_person() -> None:
    assert "'a,b' is one tag" in seen("remember", "猫", "--tag", "a,b")
    one = call("list").ok().lines[0]
    assert one["tags"] == ["a,b"]
    assert "'c,d' is one tag" in seen("tag", one["id"], "c,d")
    assert call("tag", one["id"], "e,f").ok().err == b""


def test_lists_show_no_blank_lines_and_no_signs_of_json() -> None:
    call("remember", "--stdin", "--tag", "x", stdin="first 猫\n\n".encode()).ok()
    assert "\n\n" not in seen("list")
    one = call("list").ok().lines[0]["id"]
    shown = seen("show", one)
    assert not set(shown) & set("{}[]")
    assert "source cli, method verbatim, trust user" in shown


def test_an_import_says_what_it_left_out_on_purpose(tmp_path: Path) -> None:
    file = tmp_path / "talk.jsonl"
    turns = [("system", "你是助手"), ("user", "猫"), ("system", "be brief")]
    lines = (json.dumps({"role": role, "content": said, "session": "s"}) for role, said in turns)
    file.write_text("\n".join(lines), encoding="utf-8")
    assert re.search(r"skipped +2 \(2 on purpose: ", seen("import", str(file)))


def test_status_lists_the_sessions_that_an_import_brought(tmp_path: Path) -> None:
    file = tmp_path / "talk.jsonl"
    said = [{"role": "user", "content": "猫", "session": f"第 {n} 次"} for n in range(12)]
    file.write_text("\n".join(map(json.dumps, said)), encoding="utf-8")
    assert "undo --session" not in seen("status")
    call("import", str(file)).ok()
    shown = seen("status")
    assert "no sessions of clients yet" in shown
    assert "memstone undo --session NAME" in shown
    assert shown.count("第 ") == 10
    assert "more with --sessions N" in shown
    assert "more with" not in seen("status", "--sessions", "20")
    stored = call("status", "--sessions", "20").ok().document["stored"]
    assert {one["session"] for one in stored} == {one["session"] for one in said}
    assert call("undo", "--session", stored[-1]["session"]).ok().document["archived"]


COUNTED = ("cards", "statements", "replaced", "merged", "conflicts")


def test_an_import_shows_no_counts_of_what_nobody_looked_for(tmp_path: Path, home: Path) -> None:
    file = tmp_path / "talk.jsonl"
    said = {"role": "user", "content": "我们决定用 Postgres，预算是 900 欧元。", "session": "s"}
    file.write_text(json.dumps(said), encoding="utf-8")

    def shown(*options: str) -> list[str]:
        rows = seen("import", str(file), *options).splitlines()
        return [row for row in rows if row.startswith(COUNTED)]

    assert shown("--dry-run") == []
    assert shown("--dry-run", "--no-cards") == []
    left, *compared = shown("--no-cards")
    assert re.fullmatch(r"cards +left to `memstone work`", left.rstrip())
    assert [row.split() for row in compared] == [[name, "0"] for name in COUNTED[2:]]
    assert call("work").ok().document["cards"] == 1
    assert [row.split()[0] for row in shown()] == list(COUNTED)
    (home / "config.yaml").write_text("cards:\n  make: never\n", encoding="utf-8")
    assert "cards" not in {row.split()[0] for row in shown("--no-cards")}  # nothing new, none left
    file.write_text(json.dumps(said | {"session": "另一次"}), encoding="utf-8")
    assert re.fullmatch(r"cards +none: .* cards\.make .*never.*", shown("--no-cards")[0].rstrip())
    report = call("import", str(file), "--dry-run").ok().document
    assert all(report[name] == 0 for name in COUNTED)  # the shape for programs stays


@pytest.mark.parametrize(
    ("word", "command"), [("search", "recall"), ("add", "remember"), ("delete", "forget")]
)
def test_what_other_programs_call_a_command_leads_to_ours(word: str, command: str) -> None:
    assert call(word, "x").error["hint"] == f"did you mean {command}?"


def test_a_memory_that_does_not_fit_is_not_said_to_be_missing() -> None:
    remember("The deploy key lives in the vault under ops/deploy 部署")
    shown = seen("recall", "deploy key", "--budget", "1")
    assert "nothing that fits the budget" in shown
    assert "nothing that matches" not in shown


def test_every_line_on_standard_error_is_json_for_a_program(tmp_path: Path) -> None:
    answer = call("show", NOBODY, "--home", str(tmp_path / "没有"))
    note, error = map(json.loads, answer.err.decode().splitlines())
    assert note["note"].startswith("no store at ")
    assert error["error"]["code"] == "not_found"


def test_reading_leaves_an_empty_file_as_it_is(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    empty = tmp_path / "mem.db"
    empty.touch(mode=0o600)
    assert "no store at " in call("recall", "x", "--home", str(tmp_path)).ok().err.decode()
    assert empty.stat().st_size == 0


def test_a_file_in_place_of_the_folder_is_an_error_and_no_missing_store(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("猫", encoding="utf-8")
    answer = call("recall", "x", "--home", str(file))
    assert answer.code == 73
    assert answer.error["code"] == "cannot_create"
    assert file.read_text(encoding="utf-8") == "猫"
