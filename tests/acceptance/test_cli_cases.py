"""Faults seen in other memory layers, tried on the command line; files in and out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.acceptance.cli import MIXED, call, recalled, remember

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("home")


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
    answer = call("recall", "quagga", "--kind", "turn").ok().document  # its card is short
    (hit,) = answer["hits"]
    assert hit["tokens"] <= answer["tokens"] <= answer["budget"] == 2000
    assert "quagga" in hit["text"]
    assert call("recover", hit["handle"]).ok().out == text.encode()
    whole = call("recall", "quagga", "--kind", "turn", "--budget", "0").ok().document
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
