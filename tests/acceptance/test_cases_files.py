"""Public cases on long texts and on files in and out: nothing cut off, nothing half imported."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

import pytest

import memstone
from memstone.errors import InvalidBudget, MemoryTooLarge
from tests.acceptance.casekit import addressed, everywhere, restore, row, texts, turns
from tests.acceptance.cli import call, environment, process

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memstone import Engine

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture
def engine(home: Path) -> Iterator[Engine]:
    with memstone.open(home, user="ana") as opened:
        yield opened


# --- 4: long texts -------------------------------------------------------------------------------

LONG = {
    "sentences": "The log went on and on without saying anything new. 日志继续。\n",
    "one line": "word ",
    "no space at all": "日志继续记录没有新的内容",
    "one endless word": "abcdefghij",
    "emoji": "🙂👩\u200d👧 ",
}
UNIQUE = {"zanzibar-7731": "zanzibar-7731", "桑给巴尔岛": "桑给巴尔岛"}


@pytest.mark.parametrize("filler", LONG)
def test_case_4_the_end_of_60_000_characters_is_found_and_recovered(
    engine: Engine, filler: str
) -> None:
    body = (LONG[filler] * 60_000)[:60_000]
    text = f"{body}\nThe island is zanzibar-7731 桑给巴尔岛"
    engine.remember(text)
    for query in ("zanzibar-7731", "zanzibar", "桑给巴尔岛"):
        (hit,) = everywhere(engine, query)
        assert query in hit.text
        assert hit.tokens <= 2_000
        assert hit.handle is not None
        assert engine.recover(hit.handle) == text


@pytest.mark.parametrize("place", [0, 599, 30_000, 44_445, 59_999])
def test_case_4_every_place_of_a_long_text_can_be_found(engine: Engine, place: int) -> None:
    body = (LONG["sentences"] * 2_000)[:60_000]
    engine.remember(body[:place] + " zanzibar-7731 桑给巴尔岛 " + body[place:])
    for query in ("zanzibar-7731", "桑给巴尔岛"):
        (hit,) = engine.recall(query)
        assert query in hit.text


def test_case_4_the_largest_text_and_its_end_survive_a_process(home: Path) -> None:
    text = ("日志 the log\n" * 20_000).encode()[: 262_144 - 32].decode(errors="ignore")
    text += "\nthe end is zanzibar-7731"
    env = environment(home)
    process("remember", "-", "--shared", env=env, stdin=text.encode(), cwd=home.parent).ok()
    answer = process("recall", "zanzibar-7731", "--shared", env=env, cwd=home.parent)
    (hit,) = answer.ok().document["hits"]
    assert "zanzibar-7731" in hit["text"]
    recovered = process("recover", hit["handle"], "--shared", env=env, cwd=home.parent)
    assert recovered.ok().out == text.encode()


def test_case_4_a_new_version_of_a_long_text_is_found_as_well(engine: Engine) -> None:
    body = LONG["sentences"] * 1_200
    old = engine.remember(body + "it was timbuktu-1")
    engine.supersede(old.id, body + "it is zanzibar-7731")
    (hit,) = everywhere(engine, "zanzibar-7731")
    assert "zanzibar-7731" in hit.text
    assert texts(engine.recall("timbuktu-1")) == []
    assert "timbuktu-1" in engine.history(old.id)[0].text


# --- 8: damaged lines ----------------------------------------------------------------------------

GOOD = [
    json.dumps({"role": "user", "content": f"good 好 {n}\u2028still the same line", "session": "s"})
    for n in range(4)
]
BAD = {
    "cut": GOOD[0].encode()[:40],
    "cut inside a character": '{"role": "user", "content": "猫'.encode()[:-1],
    "two objects glued together": (GOOD[0] + GOOD[1]).encode(),
    "not UTF-8": b'{"role": "user", "content": "caf\xe9"}',
    "lone surrogate": b'{"role": "user", "content": "\\ud800 x"}',
    "no object": b'["role", "user"]',
    "a number": b"12345678901234567890123456789012345678901234567890",
    "nested without end": b"[" * 100_000,
    "null bytes": b"\0" * 300,
    "content is a number": b'{"role": "user", "content": 5}',
    "no content": b'{"role": "user"}',
    "no role": b'{"content": "x"}',
    "impossible time": b'{"role": "user", "content": "x", "at": "2026-13-45"}',
    "one tag of a megabyte": b'{"role": "user", "content": "x", "tags": ["%s"]}'
    % (b"x" * 1_000_000),
    "garbage": "}{ 不是 JSON".encode(),
}


@pytest.mark.parametrize("kind", BAD)
def test_case_8_a_bad_line_costs_only_itself_and_is_named(
    engine: Engine, tmp_path: Path, kind: str
) -> None:
    lines = [GOOD[0].encode(), GOOD[1].encode(), b"", BAD[kind], GOOD[2].encode(), GOOD[3].encode()]
    file = tmp_path / "对话.jsonl"
    file.write_bytes(b"\r\n".join(lines))
    report = engine.import_file(file, cards=False)
    assert [entry.line for entry in report.skipped if entry.bad] == [4]
    assert report.created == 4
    assert engine.count() == 4
    answer = call("import", str(file), "--no-cards", *addressed(engine))
    assert (answer.code, answer.error["fields"]["lines"]) == (65, [4])
    assert (answer.document["created"], answer.document["known"]) == (0, 4)
    assert engine.count() == 4


def test_case_8_a_damaged_export_in_a_process_keeps_the_good_lines(
    engine: Engine, home: Path, tmp_path: Path
) -> None:
    for number in range(5):
        engine.remember(f"fact 事实 {number}\u2028\x85\x0b\r end")
    file = tmp_path / "out.jsonl"
    env = environment(home)
    process("export", "--output", str(file), "--user", "ana", env=env, cwd=tmp_path).ok()
    assert [entry.name for entry in tmp_path.iterdir() if entry.name.startswith(".")] == []
    exported = file.read_bytes()
    assert exported.endswith(b"}\n")
    assert exported.count(b"\n") == 6
    head, one, two, three, four, five = exported.splitlines(keepends=True)
    file.write_bytes(head + one + two.rstrip() + three + four + five[:100])
    other = environment(tmp_path / "other")
    answer = process("import", str(file), env=other, cwd=tmp_path)
    assert (answer.code, answer.document["created"]) == (65, 2)
    assert answer.error["fields"]["lines"] == [3, 5]


@pytest.mark.parametrize("share", range(5, 100, 19))
def test_case_8_an_export_cut_anywhere_gives_back_its_whole_lines(
    engine: Engine, tmp_path: Path, share: int
) -> None:
    for number in range(6):
        engine.remember(f"事实 {number} 猫🙂")
    lines: list[str] = []
    engine.export(lines.append)
    assert all(line.endswith("\n") and line.count("\n") == 1 for line in lines)
    exported = "".join(lines).encode()
    cut = exported[: len(exported) * share // 100]
    whole = cut.count(b"\n") - 1  # the first line is the header
    with memstone.open(tmp_path / "other") as other:
        report = other.import_file(io.BytesIO(cut), format="memstone")
        assert (report.created, other.count()) == (max(whole, 0), max(whole, 0))
        assert [entry.line for entry in report.skipped] == [cut.count(b"\n") + 1]


def test_case_8_what_the_store_itself_refuses_is_named_by_its_line_in_the_file(
    engine: Engine,
) -> None:
    first = row("The budget is 100 预算")
    second = row("The budget is 200", supersedes=first["id"], valid_from="2026-02-01T00:00:00Z")
    second["created_at"] = second["valid_from"]
    fork = row("The budget is 300", supersedes=first["id"], valid_from="2026-03-01T00:00:00Z")
    fork["created_at"] = fork["valid_from"]
    lines = [json.dumps(each) for each in ({"memstone_export": 1}, first, "", second, fork)]
    report = engine.import_file(io.BytesIO("\n".join(lines).replace('""', "").encode()))
    assert report.created == 2
    assert [entry.line for entry in report.skipped] == [5]


def test_case_8_an_export_that_stops_half_way_writes_whole_lines(engine: Engine) -> None:
    restore(engine, [row(f"fact 事实 {number}") for number in range(20)])
    written: list[str] = []

    def full_disk(line: str) -> None:
        if len(written) == 10:
            raise OSError(28, "No space left on device")
        written.append(line)

    with pytest.raises(OSError, match="No space"):
        engine.export(full_disk)
    assert all(json.loads(line) for line in written)
    assert engine.count() == 20
    assert engine.remember("and on 继续").id


# --- 50: one huge hit ----------------------------------------------------------------------------

HUGE = (
    "quagga 斑驴 的记录。" + "The log went on and on without saying anything new. 日志\n" * 43_000
)


def test_case_50_a_turn_of_two_and_a_half_megabytes_stays_inside_every_budget(
    engine: Engine, home: Path
) -> None:
    assert len(HUGE.encode()) > 2_500_000
    turns(engine, [HUGE])
    (hit,) = engine.recall("quagga")
    assert hit.tokens <= 2_000
    assert hit.full_tokens > 440_000
    assert hit.text.startswith("quagga 斑驴")
    assert hit.handle is not None
    assert engine.recover(hit.handle) == HUGE
    for budget in (1, 100):
        result = engine.recall("斑驴", budget=budget)
        assert sum(one.tokens for one in result) == result.tokens <= budget
        assert len(result.hits) + len(result.omitted) == 1
    whole = engine.recall("quagga", budget=0)
    assert (whole.budget, texts(whole)) == (None, [HUGE])
    env = environment(home)
    answer = process("recall", "quagga", "--user", "ana", "--shared", env=env, cwd=home)
    document = answer.ok().document
    assert document["tokens"] <= document["budget"] == 2_000
    assert document["hits"][0]["handle"] == hit.handle
    assert len(answer.out) < 20_000
    got = process("recover", hit.handle, "--user", "ana", "--shared", env=env, cwd=home)
    assert got.ok().out == HUGE.encode()


def test_case_50_many_large_hits_share_one_budget(engine: Engine) -> None:
    turns(engine, [f"quagga 斑驴 {number}. " + LONG["sentences"] * 400 for number in range(8)])
    for budget in (None, 50, 500, 5_000, 10**9):
        result = engine.recall("quagga", limit=8, budget=budget)
        assert result.budget == min(2_000 if budget is None else budget, 30_000)
        assert sum(hit.tokens for hit in result) == result.tokens <= result.budget
        assert len(result.hits) + len(result.omitted) == 8
    whole = everywhere(engine, "quagga", limit=8, budget=0)
    assert all(hit.handle is None for hit in whole)
    assert whole.tokens > 30_000


@pytest.mark.parametrize("negative", [-1, -2_000, -(2**62)])
def test_case_50_a_negative_budget_is_an_error(engine: Engine, negative: int) -> None:
    engine.remember("quagga 斑驴")
    with pytest.raises(InvalidBudget):
        engine.recall("quagga", budget=negative)
    answer = call("recall", "quagga", "--budget", str(negative), *addressed(engine))
    assert (answer.code, answer.error["code"]) == (2, "invalid_budget")


def test_case_50_what_is_not_imported_is_a_fact_and_stays_small(engine: Engine) -> None:
    with pytest.raises(MemoryTooLarge):
        engine.remember(HUGE)
    assert engine.count() == 0
