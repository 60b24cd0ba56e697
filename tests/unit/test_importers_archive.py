"""Zips and folders of an export: nothing written, nothing unbounded, nothing of a stranger's path."""

from __future__ import annotations

import io
import json
import os
import stat
import struct
import tracemalloc
import zipfile
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstone.errors import InvalidInput, SourceError, SourceMissing
from memstone.importers import archive, detect, read
from memstone.types import Note, Skipped, Turn

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

Entries = list[Any]
DEFLATED = zipfile.ZIP_DEFLATED


def talk(number: int, text: str = "早") -> dict[str, Any]:
    """A conversation of ChatGPT of one message."""
    message = {
        "id": f"m{number}",
        "author": {"role": "user"},
        "content": {"parts": [f"{text}{number}"]},
    }
    return {
        "title": "标题",
        "create_time": 1_764_000_000 + number,
        "mapping": {"m": {"parent": None, "message": message}},
        "current_node": "m",
        "id": f"c-{number}",
    }


def chat(number: int) -> dict[str, Any]:
    """A conversation of Claude.ai of one message."""
    return {
        "uuid": f"c-{number}",
        "chat_messages": [{"uuid": "m", "sender": "human", "text": f"早{number}"}],
    }


def text_of(*entries: object) -> str:
    return json.dumps(list(entries), ensure_ascii=False)


def zipped(members: Mapping[str, str | bytes], method: int = DEFLATED) -> io.BytesIO:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as made:
        for name, data in members.items():
            made.writestr(name, data)
    return stream


def entries(stream: io.BytesIO, layout: str | None = None) -> Entries:
    stream.seek(0)
    return list(read(stream, layout))


def said(found: Entries) -> list[str]:
    return [entry.text for entry in found if isinstance(entry, Turn)]


def bad(found: Entries) -> list[str]:
    return [entry.reason for entry in found if isinstance(entry, Skipped) and entry.bad]


def refused(stream: io.BytesIO, match: str) -> SourceError:
    with pytest.raises(SourceError, match=match) as caught:
        entries(stream)
    return caught.value


# -- what an export holds


def test_a_zip_is_read_by_its_path_and_nothing_else_of_it_is_touched(tmp_path: Path) -> None:
    file = tmp_path / "导出.zip"
    members: dict[str, str | bytes] = {
        "user.json": '{"email": "x"}',
        "chat.html": "<html>",
        "file-abc.png": b"\x89PNG",
        "conversations.json": text_of(talk(1), talk(2)),
    }
    file.write_bytes(zipped(members).getvalue())
    assert detect(file) == "chatgpt"
    with read(file) as reading:
        assert (reading.name, reading.format, reading.line) == (str(file), "chatgpt", 0)
        found = list(reading)
        assert reading.line == 2
    assert said(found) == ["早1", "早2"]
    assert bad(found) == []
    assert sorted(tmp_path.iterdir()) == [file]


def test_split_files_are_read_by_number_and_conversations_are_numbered_through() -> None:
    members = {
        f"export/conversations-{n:03}.json": text_of(talk(n), {"mapping": n}) for n in (10, 2, 0)
    }
    found = entries(
        zipped(
            {
                **members,
                "export/export_manifest.json": "{}",
                "__MACOSX/export/._conversations-000.json": "x",
            }
        )
    )
    assert said(found) == ["早0", "早2", "早10"]
    assert [entry.line for entry in found if isinstance(entry, Skipped)] == [2, 4, 6]


def test_split_files_past_three_digits_keep_their_order() -> None:
    members = {f"conversations-{n}.json": text_of(talk(n)) for n in (1000, 999, 2)}
    assert said(entries(zipped(members))) == ["早2", "早999", "早1000"]


def test_an_export_of_claude_has_memories_and_its_people_are_never_opened(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    members = {
        "users.json": text_of({"email_address": "dev@example.invalid"}),
        "projects.json": text_of({"prompt_template": "x"}),
        "projects/p1.json": "{}",
        "memories/a.json": json.dumps({"conversations_memory": "喜欢蓝色"}),
        "conversations.json": text_of(chat(1)),
    }
    opened: list[str] = []
    whole_open = zipfile.ZipFile.open

    def noted(self: zipfile.ZipFile, name: zipfile.ZipInfo, *args: Any, **kwargs: Any) -> Any:
        opened.append(name.filename)
        return whole_open(self, name, *args, **kwargs)

    stream = zipped(members)
    monkeypatch.setattr(zipfile.ZipFile, "open", noted)
    found = entries(stream)
    assert said(found) == ["早1"]
    assert [entry.text for entry in found if isinstance(entry, Note)] == ["喜欢蓝色"]
    assert [entry.reason for entry in found if isinstance(entry, Skipped)] == [
        "2 files of projects left out: no conversations"
    ]
    assert set(opened) == {"conversations.json", "memories/a.json"}


def test_a_zip_of_lines_is_read_too() -> None:
    lines = "\n".join(json.dumps(chat(n)) for n in range(3))
    assert said(entries(zipped({"conversations.jsonl": lines}))) == ["早0", "早1", "早2"]


def test_a_damaged_file_of_an_export_does_not_stop_the_next_one() -> None:
    members: dict[str, str | bytes] = {
        "conversations-000.json": text_of(talk(1)),
        "conversations-001.json": "PK\x03\x04 another zip",
        "conversations-002.json": text_of(talk(2)).encode("utf-16"),
        "conversations-003.json": text_of(talk(3)),
    }
    found = entries(zipped(members))
    assert said(found) == ["早1", "早3"]
    assert len(bad(found)) == 2


def test_a_member_whose_bytes_flipped_is_reported_and_the_next_one_read() -> None:
    members = {
        "conversations-000.json": text_of(talk(1)),
        "conversations-001.json": text_of(talk(2)),
    }
    data = bytearray(zipped(members, zipfile.ZIP_STORED).getvalue())
    place = data.index("早1".encode())
    data[place : place + 3] = "晚".encode()
    found = entries(io.BytesIO(bytes(data)))
    assert said(found)[-1] == "早2"
    assert bad(found) == ["a file in the zip is damaged"]


def test_a_folder_into_which_an_export_was_unpacked_is_read(tmp_path: Path) -> None:
    for n in (1, 0):
        (tmp_path / f"conversations-00{n}.json").write_text(text_of(chat(n)), encoding="utf-8")
    (tmp_path / "memories").mkdir()
    (tmp_path / "memories" / "a.json").write_text(
        '{"conversations_memory": "喜欢蓝色"}', encoding="utf-8"
    )
    assert detect(tmp_path) == "claude-ai"
    found = list(read(tmp_path))
    assert said(found) == ["早0", "早1"]
    assert isinstance(found[-1], Note)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_links_and_pipes_in_a_folder_are_not_read(tmp_path: Path) -> None:
    outside = tmp_path / "outside.json"
    outside.write_text(text_of(talk(1)), encoding="utf-8")
    folder = tmp_path / "export"
    folder.mkdir()
    (folder / "conversations.json").symlink_to(outside)
    os.mkfifo(folder / "conversations-000.json")
    with pytest.raises(SourceError, match="a link or no plain file"):
        read(folder, "chatgpt")
    (folder / "conversations-001.json").write_text(text_of(talk(2)), encoding="utf-8")
    found = list(read(folder))
    assert said(found) == ["早2"]
    assert len(bad(found)) == 2


# -- what a hostile zip holds


def test_a_zip_without_a_known_file_says_what_it_expected() -> None:
    for members in (
        {},
        {"a.txt": "x"},
        {"inner.zip": zipped({"conversations.json": text_of(talk(1))}).getvalue()},
    ):
        error = refused(zipped(members), "no known export")
        assert error.exit_code == 65
        assert error.hint is not None
        assert "conversations.json" in error.hint
    with pytest.raises(SourceError, match="no export in it") as caught:
        entries(zipped({"conversations.jsonl": "x"}), "chatgpt")
    assert (
        caught.value.hint == "expected is conversations.json, or conversations-000.json and so on"
    )


def test_a_zip_of_unknown_conversations_is_not_recognised() -> None:
    assert refused(zipped({"conversations.json": "[{}]"}), "not recognised").hint is not None


@pytest.mark.parametrize(
    "name",
    [
        "../conversations.json",
        "a/../../conversations.json",
        "/conversations.json",
        "C:/conversations.json",
        "..\\conversations.json",
        "\\conversations.json",
    ],
)
def test_a_path_that_leads_out_of_the_zip_is_refused(tmp_path: Path, name: str) -> None:
    inside = tmp_path / "a" / "b"
    inside.mkdir(parents=True)
    file = inside / "x.zip"
    file.write_bytes(zipped({name: text_of(talk(1))}).getvalue())
    with pytest.raises(SourceError, match="leads out of it"):
        read(file)
    file.write_bytes(
        zipped({name: text_of(talk(1)), "conversations.json": text_of(talk(2))}).getvalue()
    )
    found = list(read(file))
    assert said(found) == ["早2"]
    assert bad(found) == ["a file in the zip has a path that leads out of it"]
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [file]


def test_a_link_and_a_folder_of_that_name_are_no_files() -> None:
    link = zipfile.ZipInfo("conversations.json")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as made:
        made.writestr(link, "/etc/passwd")
        made.writestr("a/conversations.json/", "")
    refused(stream, "is a link")


def test_an_encrypted_member_is_named_as_such() -> None:
    data = bytearray(zipped({"conversations.json": text_of(talk(1))}).getvalue())
    for magic, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(magic) + offset] |= 0x1
    refused(io.BytesIO(bytes(data)), "is encrypted")


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_packing_without_a_bound_is_refused(method: int) -> None:
    refused(zipped({"conversations.json": text_of(talk(1))}, method), "packed in a way")


def test_a_bomb_is_refused_before_it_is_unpacked() -> None:
    bomb = zipped({"conversations.json": b"[" + b" " * 50_000_000 + b"]"})
    assert len(bomb.getvalue()) < 100_000
    tracemalloc.start()
    try:
        refused(bomb, f"more than {archive.MAX_RATIO} times")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2_000_000


def test_a_bomb_that_nobody_opens_does_no_harm() -> None:
    stream = zipped({"picture.png": b"\0" * 20_000_000, "conversations.json": text_of(talk(1))})
    assert said(entries(stream)) == ["早1"]


def test_sizes_that_lie_do_not_let_more_through() -> None:
    data = bytearray(zipped({"conversations.json": b"[" + b" " * 50_000_000 + b"]"}).getvalue())
    central = data.index(b"PK\x01\x02")
    data[central + 24 : central + 28] = struct.pack("<I", 500)  # unpacked
    found = entries(io.BytesIO(bytes(data)), "chatgpt")
    assert said(found) == []
    assert bad(found)
    data[central + 20 : central + 28] = struct.pack("<II", 2**31, 2**31)  # both, far over the file
    with pytest.raises(SourceError, match=r"times its size|not a whole zip"):
        entries(io.BytesIO(bytes(data)), "chatgpt")


def test_small_files_may_repeat_themselves_as_often_as_they_like() -> None:
    found = entries(zipped({"conversations.json": text_of(*[talk(1)] * 2_000)}))
    assert len(said(found)) == 2_000


def test_more_than_any_export_unpacks_to_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    members = {f"conversations-{n}.json": text_of(talk(n)) for n in range(3)}
    size = len(members["conversations-0.json"].encode())
    monkeypatch.setattr(archive, "MAX_TOTAL_BYTES", 3 * size)
    assert len(said(entries(zipped(members)))) == 3
    monkeypatch.setattr(archive, "MAX_TOTAL_BYTES", 3 * size - 1)
    refused(zipped(members), "when unpacked")


def test_more_files_than_any_export_has_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    members = {"conversations.json": text_of(talk(1)), **{f"{n}.png": "" for n in range(9)}}
    monkeypatch.setattr(archive, "MAX_ENTRIES", 10)
    assert said(entries(zipped(members))) == ["早1"]
    refused(zipped({**members, "one-more.png": ""}), "at most 10 are allowed")


def test_a_list_of_files_that_would_fill_the_memory_is_not_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stream = zipped(
        {"conversations.json": text_of(talk(1)), **{f"{n}" * 50: "" for n in range(100, 200)}}
    )
    monkeypatch.setattr(archive, "MAX_DIRECTORY_BYTES", 10_000)
    refused(stream, "the list of its files")


def test_of_two_files_of_one_name_the_last_is_read_and_that_is_said() -> None:
    stream = zipped({"conversations.json": text_of(talk(1))})
    with (
        zipfile.ZipFile(stream, "a") as made,
        pytest.warns(UserWarning, match="Duplicate name"),
    ):
        made.writestr("conversations.json", text_of(talk(2)))
    found = entries(stream)
    assert said(found) == ["早2"]
    assert bad(found) == ["a file is twice in the zip; the last one was read"]


def test_no_report_repeats_the_name_of_a_file() -> None:
    name = "sk-ant-not-a-key\x1b[31m/memories/sk-ant-not-a-key.json"
    members: dict[str, str | bytes] = {
        name: b"\xff\xfe",
        "conversations.json": text_of(chat(1)),
        f"../{name}": "x",
    }
    found = entries(zipped(members))
    assert said(found) == ["早1"]
    assert len(bad(found)) == 2
    assert "not-a-key" not in "".join(bad(found))


# -- the zip itself


def test_a_zip_from_a_pipe_is_refused_with_the_way_out() -> None:
    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

    with pytest.raises(SourceError, match="pipe") as caught:
        read(Pipe(zipped({"conversations.json": "[]"}).getvalue()))
    assert caught.value.hint


def test_a_zip_or_a_folder_named_as_another_format_is_refused(tmp_path: Path) -> None:
    stream = zipped({"conversations.json": text_of(talk(1))})
    with pytest.raises(SourceError, match="a zip, of which no chat is read"):
        entries(stream, "chat")
    with pytest.raises(SourceError, match="a folder, of which no chat is read"):
        read(tmp_path, "chat")
    stream.seek(0)
    with pytest.raises(InvalidInput, match="sample"):
        read(stream, sample="x")
    with pytest.raises(SourceMissing):
        read(tmp_path / "没有.zip")
    assert said(entries(stream, "chatgpt")) == ["早1"]


def test_a_database_is_not_read_from_a_stream() -> None:
    with pytest.raises(SourceError, match="a database"):
        read(io.BytesIO(b"SQLite format 3\0" + b"\0" * 100))


whole_zip = zipped(
    {
        "a.png": b"\x89PNG",
        "conversations-000.json": text_of(talk(1), talk(2)),
        "conversations-001.json": text_of(talk(3)),
    }
).getvalue()


@given(cut=st.integers(0, len(whole_zip) - 1))
def test_a_zip_cut_anywhere_is_refused(cut: int) -> None:
    with pytest.raises(SourceError):
        read(io.BytesIO(whole_zip[:cut]))


@given(
    changes=st.lists(
        st.tuples(st.integers(0, len(whole_zip) - 1), st.integers(0, 255)), min_size=1, max_size=6
    )
)
def test_bytes_that_flip_in_a_zip_give_entries_or_a_source_error(
    changes: list[tuple[int, int]],
) -> None:
    data = bytearray(whole_zip)
    for place, value in changes:
        data[place] = value
    try:
        found = list(read(io.BytesIO(bytes(data)), "chatgpt"))
    except SourceError:
        return
    assert all(isinstance(entry, Turn | Note | Skipped) for entry in found)
    assert len(said(found)) <= 3 or bad(found)


def test_the_same_zip_gives_the_same_entries() -> None:
    assert entries(io.BytesIO(whole_zip)) == entries(io.BytesIO(whole_zip))
