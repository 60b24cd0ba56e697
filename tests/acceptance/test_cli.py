"""The verbs of the command line, each as a program calls it, run in this process."""

from __future__ import annotations

import os
import re
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest

from memstone.types import MAX_TEXT_BYTES
from tests.acceptance.cli import (
    MIXED,
    NOBODY,
    call,
    environment,
    on_terminal,
    recalled,
    remember,
)

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("home")


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
    assert hit["text"] == expected.pop("text")
    assert {key: hit["memory"].get(key) for key in expected} == expected
    assert {"bm25", "coverage", "context", "freshness"} <= set(hit["signals"])


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


def test_standard_input_that_is_not_utf_8_is_refused(home: Path) -> None:
    answer = call("remember", "--stdin", stdin="预算".encode("gbk"))
    assert (answer.code, answer.error["code"]) == (65, "text_not_unicode")
    assert not home.exists()


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
    one = remember("The key lies in the vault 密钥")
    for words in (
        ["remember", f"密钥是 {secret}"],
        ["remember", "x", "--tag", secret],
        ["wrong", one, "--query", f"what is {secret}?"],
    ):
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
    assert answer.document == {
        "forgotten": [gone],
        "count": 1,
        "missing": [NOBODY],
        "derived": [],
        "derived_count": 0,
    }
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
    remember("猫")
    handle = "ccr_" + "0" * 32
    for words in (
        ["show", NOBODY],
        ["history", NOBODY],
        ["supersede", NOBODY, "x"],
        ["tag", NOBODY, "x"],
        ["pin", NOBODY],
        ["expire", NOBODY, "never"],
        ["why", NOBODY, "x"],
        ["right", NOBODY, "--query", "x"],
        ["wrong", "mem_00000000", "--query", "x"],
        ["log", "--id", NOBODY],
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


def on_a_terminal(*words: str, home: Path) -> str:
    """What a person sees, as one line."""
    shown = on_terminal(*words, env=environment(home)).out.decode("utf-8")
    return " ".join(shown.split())


def test_an_older_value_that_comes_late_says_which_one_is_current(home: Path) -> None:
    newest = remember("My budget is 900 EUR", "--at", "2026-03-01")
    answer = call("remember", "My budget is 700 EUR", "--at", "2026-01-01").ok()
    assert answer.document["replaced"] == []
    assert answer.document["superseded_by"] == newest
    told = on_a_terminal("remember", "My budget is 800 EUR", "--at", "2026-02-01", home=home)
    assert f"stored as an earlier version: {newest} is newer and current" in told
    assert "replaced:" not in told


def test_a_replacement_says_how_it_is_taken_back(home: Path) -> None:
    older = remember("My budget is 900 EUR")
    told = on_a_terminal("remember", "My budget is 1200 EUR", home=home)
    assert f"replaced: {older} (now history)" in told
    back = re.search(r"so that both are current: memstone undo (\d+)", told)
    assert back is not None
    assert call("undo", back[1]).ok().document["reopened"] == [older]
    call("work").ok()  # what a person decided is not decided again
    texts = {memory["text"] for memory in call("list").ok().lines}
    assert texts == {"My budget is 900 EUR", "My budget is 1200 EUR"}


def test_a_replacement_carries_the_number_of_its_change_for_programs() -> None:
    first = call("remember", "My budget is 900 EUR").ok().document
    assert "change" not in first
    second = call("remember", "My budget is 1200 EUR").ok().document
    newest = call("log", "--limit", "1").ok().lines[0]
    assert (newest["operation"], newest["number"]) == ("settle", second["change"])
    late = call("remember", "My budget is 700 EUR", "--at", "2026-01-01").ok().document
    assert call("undo", str(late["change"])).ok().document["reopened"] == [late["id"]]
    assert "change" not in call("remember", "My budget is 50 EUR", "--brief").ok().document


def test_undoing_a_text_takes_back_what_it_replaced() -> None:
    remember("My budget is 900 EUR")
    remember("My budget is 1200 EUR")
    number = next(
        change["number"] for change in call("log").ok().lines if change["operation"] == "remember"
    )
    preview = call("undo", str(number), "--dry-run").ok().document
    assert (len(preview["archived"]), len(preview["reopened"])) == (1, 1)


def test_what_was_forgotten_cannot_be_undone_and_says_so() -> None:
    stored = remember("a fact that goes")
    call("forget", stored).ok()
    numbers = [str(change["number"]) for change in call("log").ok().lines]
    assert len(numbers) == 2
    for number in numbers:
        answer = call("undo", number)
        assert answer.code == 1
        assert "forgotten" in answer.error["message"]
        assert "export" in answer.error["hint"]


def test_an_import_that_leaves_cards_says_so(home: Path) -> None:
    file = home.parent / "talk.jsonl"
    file.write_text('{"role": "user", "content": "My budget is 900 EUR"}\n', encoding="utf-8")
    planned = on_a_terminal("import", str(file), "--dry-run", home=home)
    assert "cards" not in planned
    assert "left to `memstone work`" in on_a_terminal("import", str(file), "--no-cards", home=home)
