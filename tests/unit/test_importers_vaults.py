"""Folders of Markdown: what a note says, under ids that outlive an edit, and never outside of it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstone.errors import SourceError, SourceMissing
from memstone.importers import basic_memory, folder, markdown, obsidian
from memstone.times import parse_time
from memstone.types import MAX_NAME_BYTES, MAX_TEXT_BYTES, Kind, Note, Skipped

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

MTIME = 1_790_000_000
BUTTON = """---
title: 按钮样式
type: decision
permalink: decisions/button-style
tags:
- ui
created: 2026-11-20
---

# 按钮样式

Agreed with [[张伟]] in the weekly.

## Observations
- [decision] 蓝色，圆角，右上角 #ui/button (confirmed 2026-11-20)
- [preference] Replies in Chinese #language
- [tech] uses [[React]]
- [tech] 字号 14 #12
- [ ] not an observation
- [docs](https://example.org) neither

## Relations
- part_of [[Project X]]
- is a better version of [[Old Style]] (red)
- [[张伟]]
"""


def micros(text: str) -> int:
    return parse_time(text, name="at")


def vault(root: Path, **files: str) -> Path:
    """A folder of the given files; `a__b` becomes `a/b.md`, all written at the same time."""
    for name, text in files.items():
        file = root / (name.replace("__", "/") + ".md")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="")
        os.utime(file, (MTIME, MTIME))
    return root


def notes(found: Iterable[Note | Skipped]) -> list[Note]:
    return [entry for entry in found if isinstance(entry, Note)]


def left_out(found: Iterable[Note | Skipped]) -> list[Skipped]:
    return [entry for entry in found if isinstance(entry, Skipped)]


def texts(found: Iterable[Note | Skipped]) -> list[str]:
    return [note.text for note in notes(found)]


def basic(root: Path, text: str) -> list[Note]:
    return notes(basic_memory.read(vault(root, note=text)))


def one_vault(root: Path, text: str, name: str = "笔记") -> list[Note]:
    return notes(obsidian.read(vault(root, **{name: text})))


# -- basic-memory


def test_observations_relations_and_prose_become_notes(tmp_path: Path) -> None:
    found = notes(basic_memory.read(vault(tmp_path, decisions__style=BUTTON)))
    assert [(note.text, note.kind, note.tags) for note in found] == [
        ("按钮样式\nAgreed with 张伟 in the weekly.", Kind.FACT, ("decision", "ui")),
        ("按钮样式 links_to 张伟", Kind.FACT, ("relation", "ui")),
        ("按钮样式: 蓝色，圆角，右上角 (confirmed 2026-11-20)", Kind.DECISION, ("ui/button", "ui")),
        ("按钮样式: Replies in Chinese", Kind.PREFERENCE, ("language", "ui")),
        ("按钮样式: uses React", Kind.FACT, ("tech", "ui")),
        ("按钮样式: 字号 14 #12", Kind.FACT, ("tech", "ui")),
        ("按钮样式 > Observations\n- [ ] not an observation\n- [docs](https://example.org) neither",
         Kind.FACT, ("decision", "ui")),
        ("按钮样式 links_to React", Kind.FACT, ("relation", "ui")),
        ("按钮样式 part_of Project X", Kind.FACT, ("relation", "ui")),
        ("按钮样式 is a better version of Old Style (red)", Kind.FACT, ("relation", "ui")),
        ("按钮样式 links_to 张伟", Kind.FACT, ("relation", "ui")),
    ]  # fmt: skip
    assert {note.at for note in found} == {micros("2026-11-20")}
    assert {note.subject for note in found} == {"按钮样式"}
    assert found[2].external_id == "decisions/button-style#[decision]"
    assert len({note.external_id for note in found}) == len(found) - 1  # one relation stands twice


def test_an_edited_observation_is_a_new_version_where_it_is_the_only_one(tmp_path: Path) -> None:
    before = basic(tmp_path, BUTTON)
    after = basic(tmp_path, BUTTON.replace("蓝色", "红色").replace("字号 14", "字号 16"))
    old = {note.external_id: note.text for note in before}
    changed = [note for note in after if old.get(note.external_id) != note.text]
    assert [note.external_id in old for note in changed] == [True, False]
    assert "红色" in changed[0].text
    assert basic(tmp_path, BUTTON) == before


def test_a_line_put_before_the_others_changes_no_id(tmp_path: Path) -> None:
    before = basic(tmp_path, BUTTON)
    more = BUTTON.replace("## Observations\n", "## Observations\n- [idea] 新的 #x\n- [tech] Vite\n")
    known = {note.external_id for note in basic(tmp_path, more)}
    assert {note.external_id for note in before} <= known


def test_a_file_without_front_matter_is_known_by_its_path(tmp_path: Path) -> None:
    (note,) = basic(tmp_path, "- [fact] 端口是 5432\n")
    assert (note.text, note.external_id) == ("note: 端口是 5432", "note.md#[fact]")
    assert note.at == MTIME * 1_000_000


def test_a_copy_with_the_same_permalink_is_not_a_newer_version(tmp_path: Path) -> None:
    copy = BUTTON.replace("蓝色", "绿色")
    found = notes(basic_memory.read(vault(tmp_path, a=BUTTON, b=copy)))
    decisions = [note for note in found if note.kind is Kind.DECISION]
    assert [note.external_id for note in decisions] == [
        "decisions/button-style#[decision]",
        "b.md#[decision]",
    ]


def test_a_folder_is_told_by_the_front_matter_of_its_files(tmp_path: Path) -> None:
    (tmp_path / "obsidian" / ".obsidian").mkdir(parents=True)
    plain = vault(tmp_path / "obsidian", a="x", b="---\npermalink: p\n---\nx")
    theirs = vault(tmp_path / "basic", decisions__a=BUTTON, 说明="x")
    assert not basic_memory.recognises(plain)
    assert obsidian.recognises(plain)
    assert basic_memory.recognises(theirs)
    assert not obsidian.recognises(tmp_path)
    for nothing in (tmp_path / "没有", theirs / "说明.md", "a\0b"):
        assert not basic_memory.recognises(nothing)
        assert not obsidian.recognises(nothing)


# -- Obsidian


def test_a_section_is_a_note_as_it_is_shown(tmp_path: Path) -> None:
    text = """---
aliases: [px, 项目X]
tags: project, ui
created: 2026-11-01
updated: 2026-11-21T08:00:00Z
---
# 项目

> [!note]- 决定
> Budget is 200 CNY ^budget
> [!warning]
> 小心

> just a quotation

See [[Daily/2026-11-20|那天]], [[Team#People]] and ![[图.png]] %%private
all of it%%#budget/change `[[code]] #no %%x%%`

```
# no heading [[kept]] %%kept%%
```

## 细节
Weight [kg:: 3] (size:: 大)
"""
    first, second = one_vault(tmp_path, text, "项目")
    assert first.text == (
        "项目 (px, 项目X)\n决定\nBudget is 200 CNY\nWarning\n小心\n\n> just a quotation\n\n"
        "See 那天, Team and\n#budget/change `[[code]] #no %%x%%`\n\n"
        "```\n# no heading [[kept]] %%kept%%\n```"
    )
    assert first.tags == ("budget/change", "project", "ui")
    assert (first.at, first.seen_at) == (micros("2026-11-01"), micros("2026-11-21T08:00:00Z"))
    assert (second.text, second.external_id) == (
        "项目 (px, 项目X) > 细节\nWeight kg: 3 size: 大",
        "项目.md#项目/细节",
    )


def test_tasks_are_tasks_until_they_are_ticked(tmp_path: Path) -> None:
    text = "- [ ] bind click ➕ 2026-11-18 📅 2026-12-01 #todo\n1. [/] 正在做\n- [-] dropped\n"
    open_, doing, dropped = one_vault(tmp_path, text)
    assert (open_.text, open_.kind, open_.tags) == (
        "笔记: bind click ➕ 2026-11-18 📅 2026-12-01",
        Kind.TASK,
        ("todo",),
    )
    assert open_.at == micros("2026-11-18")
    assert (doing.text, doing.kind) == ("笔记: 正在做", Kind.TASK)
    assert (dropped.text, dropped.tags) == ("[-] 笔记: dropped", ("cancelled",))
    ticked = text.replace("[ ]", "[x]").replace("#todo", "✅ 2026-11-20")
    done = one_vault(tmp_path, ticked)[0]
    assert (done.kind, done.tags, done.at) == (Kind.FACT, ("done",), micros("2026-11-20"))
    assert done.external_id == open_.external_id
    assert done.text != open_.text  # or the same text would be known, and stay an open task


def test_fields_are_facts_about_their_note(tmp_path: Path) -> None:
    text = "Owner:: [[张伟]]\n- **预算**:: 200\nstd::vector is no field\nlink:: a\nlink:: b\n"
    found = one_vault(tmp_path, text)
    assert [note.text for note in found] == [
        "笔记: Owner: 张伟",
        "笔记: 预算: 200",
        "笔记: link: a",
        "笔记: link: b",
        "笔记\nstd::vector is no field",
    ]
    assert found[0].external_id == "笔记.md#owner::"
    assert found[0].attribute is None
    assert found[2].external_id != found[3].external_id


@pytest.mark.parametrize(
    ("name", "day"),
    [("2026-11-20", "2026-11-20"), ("20261120 周五", "2026-11-20"), ("2026-02-30", "2026-01-01"),
     ("202611200930", "2026-01-01"), ("周会", "2026-01-01")],
)  # fmt: skip
def test_a_daily_note_is_dated_by_its_name(tmp_path: Path, name: str, day: str) -> None:
    text = "---\ndate: 2026-01-01\n---\n预算改成 200\n- [ ] 打电话\n"
    assert {note.at for note in one_vault(tmp_path, text, name)} == {micros(day)}


def test_a_comment_never_leaves_the_vault(tmp_path: Path) -> None:
    text = "甲 %%a%% 乙 %%b\n```\nc\n```\nd%% 丙\n%%never closed\n- [ ] e\n# f\n"
    (note,) = one_vault(tmp_path, text)
    assert note.text == "笔记\n甲  乙\n 丙"


def test_a_section_that_is_edited_keeps_its_id_and_twins_are_told_apart(tmp_path: Path) -> None:
    before = one_vault(tmp_path, "开头\n## 甲\n一\n## 乙\n二\n## 乙\n三\n")
    after = one_vault(tmp_path, "开头\n## 新\n零\n## 甲\n一改\n## 乙\n二\n## 乙\n三\n")
    assert len({note.external_id for note in before}) == 4
    assert {note.external_id for note in before} <= {note.external_id for note in after}


def test_a_section_over_the_limit_is_cut_between_paragraphs_and_nothing_is_lost(
    tmp_path: Path,
) -> None:
    paragraphs = [f"{number} " + "预算" * 10_000 for number in range(12)]
    long = "长" * MAX_TEXT_BYTES
    found = one_vault(tmp_path, "# 甲\n" + "\n\n".join([*paragraphs, long]))
    assert all(len(note.text.encode()) <= MAX_TEXT_BYTES for note in found)
    assert all(note.text.startswith("笔记 > 甲\n") for note in found)
    assert len({note.external_id for note in found}) == len(found)
    whole = "".join(note.text.removeprefix("笔记 > 甲\n") for note in found)
    assert whole.replace("\n", "") == "".join([*paragraphs, long])


# -- front matter


@pytest.mark.parametrize(
    "block",
    ["a: [", "- a\n- b", "a: *b", "{{title}}: 1", "x" * 70_000, "\ta: b", "[" * 20_000],
)
def test_front_matter_that_cannot_be_read_costs_only_itself(tmp_path: Path, block: str) -> None:
    found = list(obsidian.read(vault(tmp_path, 甲=f"---\n{block}\n---\n正文\n")))
    assert texts(found) == ["甲\n正文"]
    (report,) = left_out(found)
    assert report.reason.startswith("甲.md: front matter: ")
    assert (report.line, report.bad) == (1, False)


def test_front_matter_builds_nothing_and_counts_nothing_as_a_value(tmp_path: Path) -> None:
    text = (
        "---\ntags: [null, 7, 2026-02-30, '#标签', {a: b}]\naliases:\ncreated: ''\n"
        "evil: !!python/object/apply:os.system [exit]\nday: !!timestamp x\n---\n正文\n"
    )
    (note,) = one_vault(tmp_path, text)
    assert note.tags == ("7", "2026-02-30", "标签")
    assert note.at == MTIME * 1_000_000


def test_a_date_that_is_none_is_reported_and_the_file_dates_itself(tmp_path: Path) -> None:
    found = list(obsidian.read(vault(tmp_path, 甲="---\ncreated: 上周五\n---\n正文")))
    assert [note.at for note in notes(found)] == [MTIME * 1_000_000]
    (report,) = left_out(found)
    assert "created: not an ISO-8601 date" in report.reason
    assert "上周五" not in report.reason


def test_a_rule_or_an_open_front_matter_is_text(tmp_path: Path) -> None:
    assert [note.text for note in one_vault(tmp_path, "---\nno end")] == ["笔记\n---\nno end"]
    assert one_vault(tmp_path, "---\n---\n") == []
    assert [note.text for note in one_vault(tmp_path, "\ufeff---\r\na: b\r\n---\r\n正文\r\n")] == [
        "笔记\n正文"
    ]


# -- the folder


def test_files_come_sorted_and_hidden_ones_not_at_all(tmp_path: Path) -> None:
    root = vault(
        tmp_path, b="二", a__z="一", a__b__c="零", **{".obsidian__x": "no", "a__.trash__y": "no"}
    )
    (root / "a.md").write_text("末", encoding="utf-8")
    (root / "bild.png").write_bytes(b"\x89PNG")
    (root / ".hidden.md").write_text("no", encoding="utf-8")
    assert texts(obsidian.read(root)) == ["c\n零", "z\n一", "a\n末", "b\n二"]


def test_a_bad_file_is_named_and_the_others_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    root = vault(tmp_path, a="好", z="也好")
    (root / "b\u202e.md").write_bytes(b"caf\xe9 sk-secret")
    (root / "c.md").write_bytes(b"a\0b")
    (root / "d.md").write_text("x" * 5_000, encoding="utf-8")
    (root / "e.md").mkdir()
    monkeypatch.setattr(folder, "MAX_FILE_BYTES", 4_000)
    found = list(obsidian.read(root))
    assert texts(found) == ["a\n好", "z\n也好"]
    assert [(each.line, each.reason.partition(": ")[0]) for each in left_out(found)] == [
        (2, "b\ufffd.md"), (3, "c.md"), (4, "d.md"),
    ]  # fmt: skip
    assert all(each.bad and "secret" not in each.reason for each in left_out(found))


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="needs symbolic links")
def test_no_link_is_followed_out_of_the_folder_and_loops_end(tmp_path: Path) -> None:
    outside = vault(tmp_path / "outside", secret="geheim")
    root = vault(tmp_path / "vault", a="好", **{"sub__b": "内", ".trash__t": "旧"})
    (root / "out.md").symlink_to(outside / "secret.md")
    (root / "outdir").symlink_to(outside)
    (root / "sub" / "up").symlink_to(root)
    (root / "sub" / "same.md").symlink_to(root / "a.md")
    (root / "self.md").symlink_to(root / "self.md")
    (root / "gone.md").symlink_to(root / "没有.md")
    (root / "old.md").symlink_to(root / ".trash" / "t.md")
    (root / "file.txt").symlink_to(outside / "secret.md")
    found = list(obsidian.read(root))
    assert texts(found) == ["a\n好", "b\n内"]
    assert sorted(each.reason for each in left_out(found)) == [
        "gone.md: a link that leads nowhere",
        "old.md: a link to something hidden",
        "out.md: a link that leads out of the folder",
        "outdir: a link that leads out of the folder",
        "self.md: a link that leads nowhere",
    ]


def test_a_folder_beside_with_a_longer_name_is_outside(tmp_path: Path) -> None:
    outside = vault(tmp_path / "vault2", secret="geheim")
    root = vault(tmp_path / "vault", a="好")
    (root / "x.md").symlink_to(outside / "secret.md")
    assert [each.bad for each in left_out(obsidian.read(root))] == [False]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names are of POSIX")
def test_a_pipe_among_the_notes_is_reported_instead_of_waited_for(tmp_path: Path) -> None:
    root = vault(tmp_path, a="好")
    os.mkfifo(root / "b.md")
    assert [each.reason for each in left_out(obsidian.read(root))] == ["b.md: not a plain file"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads everything")
def test_what_may_not_be_read_is_reported(tmp_path: Path) -> None:
    root = vault(tmp_path, a="好", b="x", c__d="x")
    (root / "b.md").chmod(0)
    (root / "c").chmod(0)
    assert [each.line for each in left_out(obsidian.read(root))] == [2, 3]
    (root / "c").chmod(0o700)


def test_a_file_that_goes_away_while_the_folder_is_read_is_reported(tmp_path: Path) -> None:
    root = vault(tmp_path, a="好", b="x")
    reading = obsidian.read(root)
    (root / "b.md").unlink()
    assert [each.line for each in left_out(reading)] == [2]


def test_what_is_no_folder_of_notes_says_so(tmp_path: Path) -> None:
    with pytest.raises(SourceMissing, match="no such folder"):
        obsidian.read(tmp_path / "没有")
    with pytest.raises(SourceMissing, match="no folder can have"):
        obsidian.read("a\0b")
    with pytest.raises(SourceError, match="no Markdown file"):
        basic_memory.read(tmp_path)
    with pytest.raises(SourceError, match="not a folder"):
        obsidian.read(vault(tmp_path, a="x") / "a.md")
    with pytest.raises(SourceError, match="more than 1 Markdown files"):
        folder.markdown_files(vault(tmp_path, b="x"), most=1)


def test_too_many_folders_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder, "MAX_FOLDERS", 2)
    root = vault(tmp_path, a__b__c="x")
    with pytest.raises(SourceError, match="more than 2 folders"):
        obsidian.read(root)
    assert not basic_memory.recognises(root)


def test_what_is_left_empty_by_reading_it_out_is_nothing(tmp_path: Path) -> None:
    text = "- [ ] ![[图.png]]\n- [x] #todo\nkey:: ![[a]]\n![[b]]\n- [ ] \n-\n预算::\n"
    found = list(obsidian.read(vault(tmp_path, 甲=text)))
    assert notes(found) == []
    assert left_out(found) == []


def test_long_paths_and_titles_are_bounded(tmp_path: Path) -> None:
    deep = "/".join(["深" * 60] * 8)
    root = vault(tmp_path, **{f"{deep}/a": "好"}, b=f"---\ntitle: {'长' * 400}\n---\n- [fact] x\n")
    found = list(basic_memory.read(root))
    (note,) = notes(found)
    assert len(note.external_id or "") <= MAX_NAME_BYTES
    (report,) = left_out(found)
    assert "title: 1200 bytes" in report.reason
    title = "🙂" * 65_000  # more than a memory may have, and front matter may hold
    (report,) = left_out(
        basic_memory.read(vault(tmp_path / "x", a=f"---\ntitle: {title}\n---\n好"))
    )
    assert "title: 260000 bytes" in report.reason
    aliases = ", ".join(["名" * 150] * 300)
    (note,) = one_vault(tmp_path / "y", f"---\naliases: {aliases}\n---\n好")
    assert len(note.text) < 1_000


PIECES = st.sampled_from(
    ["# 标题\n", "## h\n", "预算 200\n", "- [ ] 做\n", "- [decision] 蓝 #ui\n", "- r [[X]]\n", "%%", "```\n",
     "[[", "]]", "![[a]]", "---\n", "key:: 值\n", "> [!note]\n", "> q\n", "`", "#tag ", "^id\n", "\n", " "]
)  # fmt: skip


@given(st.lists(PIECES | st.text(max_size=5), max_size=25))
def test_any_markdown_is_read_and_twice_is_the_same(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[str]
) -> None:
    root = tmp_path_factory.getbasetemp() / "any"
    root.mkdir(exist_ok=True)
    text = "".join(pieces).encode("utf-8", "replace").decode("utf-8").replace("\0", "")
    vault(root, a=text)
    for read in (obsidian.read, basic_memory.read):
        found = list(read(root))
        assert found == list(read(root))
        assert all(not each.bad for each in left_out(found))
        by_id = {note.external_id: note.text for note in notes(found)}
        assert all(by_id[note.external_id] == note.text for note in notes(found))


WORDS = st.text("预算abc 12", min_size=1, max_size=8).map(str.strip).filter(bool)


@given(st.lists(st.tuples(WORDS, st.lists(WORDS, min_size=1, max_size=3)), max_size=6))
def test_no_paragraph_of_a_vault_is_lost_or_reordered(
    tmp_path_factory: pytest.TempPathFactory, chapters: list[tuple[str, list[str]]]
) -> None:
    root = tmp_path_factory.getbasetemp() / "order"
    root.mkdir(exist_ok=True)
    vault(root, a="".join(f"# {head}\n\n" + "\n\n".join(body) + "\n" for head, body in chapters))
    bodies = [text.partition("\n")[2] for text in texts(obsidian.read(root))]
    assert bodies == ["\n\n".join(body) for _, body in chapters]


@given(st.text(max_size=200), st.integers(4, 50))
def test_cutting_loses_only_what_is_blank(text: str, most: int) -> None:
    text = text.encode("utf-8", "replace").decode("utf-8")
    parts = markdown.cut(text, most)
    assert all(len(part.encode("utf-8")) <= most for part in parts)
    assert "".join("".join(parts).split()) == "".join(text.split())
