"""Importers: every good line comes through whole and in order, every bad one is named."""

from __future__ import annotations

import contextlib
import gc
import hashlib
import io
import json
import os
import tracemalloc
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memstone import importers
from memstone.errors import InvalidInput, SourceError, SourceMissing
from memstone.importers import FORMATS, detect, detecting, read
from memstone.importers.source import CHUNK_BYTES, MAX_LINE_BYTES, Source
from memstone.times import DAY_US, to_micros
from memstone.types import MAX_TURN_BYTES, Kind, Memory, Scope, Skipped, Trust, Turn
from memstone.wire import memory_to_json

if TYPE_CHECKING:
    from memstone.importers import Entry

TEXT_FORMATS = [text.name for text in detecting.TEXTS]
FAKE_KEY = "sk-ant-" + "not-a-key-" * 4


def entries(data: bytes | str, layout: str | None = None, sample: str | None = None) -> list[Entry]:
    raw = data.encode() if isinstance(data, str) else data
    return list(read(io.BytesIO(raw), layout, sample=sample))


def chat(*lines: object) -> list[Entry]:
    return entries("\n".join(json.dumps(line, ensure_ascii=False) for line in lines), "chat")


def one_turn(line: object) -> Turn:
    (entry,) = chat(line)
    assert isinstance(entry, Turn)
    return entry


def only_skipped(line: bytes | str, layout: str = "chat") -> Skipped:
    (entry,) = entries(line, layout)
    assert isinstance(entry, Skipped)
    return entry


def turns(found: list[Entry]) -> list[Turn]:
    return [entry for entry in found if isinstance(entry, Turn)]


def texts(found: list[Entry]) -> list[str]:
    return [entry.text for entry in found if not isinstance(entry, Skipped)]


def skipped_lines(found: list[Entry]) -> list[int]:
    return [entry.line for entry in found if isinstance(entry, Skipped)]


# -- chat


def test_a_chat_line_becomes_a_turn_with_its_time_session_and_speaker() -> None:
    turn = one_turn(
        {
            "role": "user",
            "content": "预算改成两百了",
            "at": "2026-03-02T09:30:00+02:00",
            "session": "周会",
            "speaker": "林雨",
            "id": "t-1",
            "tags": ["预算", "cloud", "预算"],
        }
    )
    assert turn == Turn(
        text="预算改成两百了",
        speaker="林雨",
        session="周会",
        at=to_micros(datetime(2026, 3, 2, 7, 30, tzinfo=UTC)),
        external_id="t-1",
        ordinal=1,
        trust=Trust.USER,
        tags=("预算", "cloud"),
    )


@pytest.mark.parametrize(
    ("role", "trust"),
    [
        ("user", Trust.USER),
        ("User", Trust.USER),
        ("assistant", Trust.AGENT),
        ("tool", Trust.TOOL),
        ("function", Trust.TOOL),
        ("moderator", Trust.EXTERNAL),
    ],
)
def test_the_role_decides_how_far_a_turn_is_trusted(role: str, trust: Trust) -> None:
    turn = one_turn({"role": role, "content": "你好"})
    assert (turn.trust, turn.speaker) == (trust, role)


def test_a_speaker_without_a_role_is_external() -> None:
    assert one_turn({"speaker": "user", "content": "hi"}).trust is Trust.EXTERNAL


@pytest.mark.parametrize("role", ["system", "developer", "SYSTEM"])
def test_a_system_prompt_is_left_out_on_purpose_and_said_so(role: str) -> None:
    found = chat({"role": role, "content": "You are helpful."}, {"role": "user", "content": "早"})
    assert isinstance(found[0], Skipped)
    assert not found[0].bad
    assert "instructions" in found[0].reason
    assert texts(found) == ["早"]


def test_text_blocks_are_joined_and_other_blocks_are_reported() -> None:
    blocks = [
        {"type": "text", "text": "看这张图"},
        {"type": "image", "source": {}},
        {"type": "text", "text": "what is it?"},
        "plain",
        {"type": ["odd"]},
    ]
    turn, report = chat({"role": "user", "content": blocks})
    assert isinstance(turn, Turn)
    assert turn.text == "看这张图\nwhat is it?\nplain"
    assert report == Skipped(
        1, "content: 2 blocks without text left out; the turn was kept", bad=False
    )


def test_a_turn_without_any_text_is_blank_not_bad() -> None:
    for content in ("", " \n\u3000", [], [{"type": "image"}]):
        (entry,) = chat({"role": "user", "content": content})
        assert entry == Skipped(1, "content: blank", bad=False)


def test_a_turn_without_session_takes_the_name_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "项目 周会.v2.jsonl"
    file.write_bytes(b'{"role": "user", "content": "hi"}\n')
    (turn,) = read(file)
    assert isinstance(turn, Turn)
    assert (turn.session, turn.at) == ("项目 周会.v2", None)


def test_a_numbered_session_and_id_are_names() -> None:
    turn = one_turn({"role": "user", "content": "x", "session": 12, "external_id": 7})
    assert (turn.session, turn.external_id) == ("12", "7")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ({"role": "user", "content": 5}, "content"),
        ({"role": "user", "content": None}, "content"),
        ({"role": "user", "content": [{"type": "text", "text": 1}]}, "content"),
        ({"role": "user"}, "content"),
        ({"content": "x"}, "role"),
        ({"role": ["user"], "content": "x"}, "role"),
        ({"role": True, "content": "x"}, "role"),
        ({"role": "user", "content": "x", "session": {}}, "session"),
        ({"role": "user", "content": "x", "session": "s" * 1025}, "session"),
        ({"role": "user", "content": "x", "at": "yesterday"}, "at"),
        ({"role": "user", "content": "x", "at": 17724}, "at"),
        ({"role": "user", "content": "x", "at": "0001-01-01T00:00:00+14:00"}, "at"),
        ({"role": "user", "content": "x", "tags": "work"}, "tags"),
        ({"role": "user", "content": "x", "tags": ["ok", ""]}, "tags"),
        ({"role": "user", "content": "x", "tags": ["t" * 257]}, "tags"),
        ({"role": "user", "content": "x", "tags": [f"t{i}" for i in range(65)]}, "tags"),
        ([1, 2], "not an object"),
        ("text", "not an object"),
        (None, "not an object"),
    ],
)
def test_a_line_with_a_wrong_field_is_skipped_naming_the_field(line: object, reason: str) -> None:
    found = chat(line, {"role": "user", "content": "后面的还在"})
    assert isinstance(found[0], Skipped)
    assert found[0].bad
    assert reason in found[0].reason
    assert texts(found) == ["后面的还在"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"role": "user", "content": "\\ud800"}', "surrogate"),
        (b'{"role": "user", "content": "x", "speaker": "\\udfff"}', "surrogate"),
        (b'{"role": "user", "content": "a", "content": "b"}', "given twice"),
        (b'{"role": "user", "content": "a", "extra": NaN}', "NaN"),
        (b'{"role": "user", "content": "a", "extra": -Infinity}', "Infinity"),
        (b'{"role": "user", "content": "a", "extra": ' + b"9" * 5000 + b"}", "too long"),
        (b'{"role": "user", "content": ' + b"[" * 200_000, "nested"),
        (b'{"role": "user", "content": "caf\xe9"}', "not UTF-8 at byte 33"),
        (b'{"role": "user", "content": "cut of', "ends too early"),
        (b'{"role": "user"', "ends too early"),
        (b'{"role": "user", "content": "a"}{"role": "user", "content": "b"}', "second value"),
        (b"not json", "not valid JSON"),
    ],
)
def test_a_malformed_line_is_skipped_with_its_fault(line: bytes, reason: str) -> None:
    entry = only_skipped(line)
    assert entry.bad
    assert reason in entry.reason


def test_no_reason_repeats_what_the_line_held() -> None:
    for line in (
        {"role": "user", "content": "x", "at": FAKE_KEY},
        {"role": "user", "content": "x", "session": [FAKE_KEY]},
        {"role": "user", "content": "x", "tags": [FAKE_KEY * 9]},
    ):
        assert FAKE_KEY not in only_skipped(json.dumps(line)).reason
    for raw in (f'{{"{FAKE_KEY}": 1, "{FAKE_KEY}": 2}}', f'{{"role": "{FAKE_KEY}', FAKE_KEY):
        assert FAKE_KEY not in only_skipped(raw).reason


def test_nul_tabs_and_bidi_marks_inside_a_text_are_kept_exactly() -> None:
    text = "a\x00b\tc\u202e猫\U0001f642\x7f"
    assert one_turn({"role": "user", "content": text}).text == text
    assert texts(entries(b'{"role": "user", "content": "a\x00b\tc"}', "chat")) == ["a\x00b\tc"]


def test_blank_lines_carriage_returns_and_a_byte_order_mark_are_no_turns() -> None:
    data = (
        b'\xef\xbb\xbf\n\r\n{"role": "user", "content": "1"}\r\n  \n{"role":"user","content":"2"}'
    )
    assert texts(entries(data)) == ["1", "2"]


def test_line_separators_of_unicode_do_not_split_a_line() -> None:
    assert one_turn({"role": "user", "content": "a\u2028b\u0085c"}).text == "a\u2028b\u0085c"


def test_ordinals_count_within_each_session_and_repeat_exactly() -> None:
    lines = [{"role": "user", "content": "ok", "session": s} for s in "abaab"]
    first, second = chat(*lines), chat(*lines)
    assert first == second
    assert [(t.session, t.ordinal) for t in turns(first)] == [
        ("a", 1),
        ("b", 1),
        ("a", 2),
        ("a", 3),
        ("b", 2),
    ]


@pytest.mark.parametrize(
    "damaged",
    [
        b'{"role": "user", "content": "ok", "session": "b", "at": tru',
        b'{"role": "user", "content": "o\xffk", "session": "b"}',
        b'{"role": "user", "content": "ok", "at": "?", "session": "b"}',
        b'{"role": "us',
    ],
)
def test_a_damaged_line_leaves_the_identity_of_the_turns_behind_it(damaged: bytes) -> None:
    lines = [json.dumps({"role": "user", "content": "ok", "session": s}).encode() for s in "aabbbb"]
    whole = turns(entries(b"\n".join(lines), "chat"))
    lines[3] = damaged
    assert turns(entries(b"\n".join(lines), "chat")) == [*whole[:3], *whole[4:]]


# -- size


def test_case_50_a_turn_of_sixteen_mebibytes_passes_and_a_larger_one_is_skipped() -> None:
    largest = "猫" * (MAX_TURN_BYTES // 3) + "x"
    assert len(largest.encode()) == MAX_TURN_BYTES
    found = chat(
        {"role": "tool", "content": largest},
        {"role": "tool", "content": largest + "y"},
        {"role": "user", "content": "之后"},
    )
    assert texts(found) == [largest, "之后"]
    assert skipped_lines(found) == [2]


class Endless(io.RawIOBase):
    """A line of `size` bytes that exists only while it is read, then one good line."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._tail = io.BytesIO(b'\n{"role": "user", "content": "after \xe7\x8c\xab"}')

    def read(self, size: int = -1) -> bytes:
        if self._size <= 0:
            return self._tail.read(size)
        self._size -= size
        return b"x" * size


def test_a_line_over_the_limit_is_counted_without_being_held() -> None:
    stream = Endless(3 * MAX_LINE_BYTES)
    tracemalloc.start()
    try:
        found = list(read(stream, "chat"))  # type: ignore[arg-type]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert skipped_lines(found) == [1]
    assert texts(found) == ["after 猫"]
    assert peak < MAX_LINE_BYTES + 4 * CHUNK_BYTES + 1024 * 1024


def test_lines_across_the_borders_of_chunks_stay_whole() -> None:
    lines = [b"%d:" % n + b"z" * (n * 7919 % 90_000) for n in range(1, 60)]
    source = Source(io.BytesIO(b"\n".join(lines)))
    assert [line.data for line in source.lines()] == lines


def test_a_line_at_the_limit_is_read_and_one_over_is_not() -> None:
    source = Source(io.BytesIO(b"12345\n123456\n1234\n"))
    assert [(line.number, line.data) for line in source.lines(5)] == [
        (1, b"12345"),
        (2, None),
        (3, b"1234"),
    ]


# -- LoCoMo


def dialogue(sample: str = "conv-1", **conversation: object) -> dict[str, object]:
    layout = {
        "speaker_a": "Ana",
        "speaker_b": "Bo",
        "session_2_date_time": "12:05 am on 1 June, 2026",
        "session_2": [{"speaker": "Bo", "dia_id": "D2:1", "text": "早上好"}],
        "session_10_date_time": "12:30 pm on 2 June, 2026",
        "session_10": [
            {
                "speaker": "Ana",
                "dia_id": "D10:1",
                "text": "Look",
                "blip_caption": "a cat 猫",
                "img_url": [],
            },
            {"speaker": "Bo", "dia_id": "D10:2", "text": "", "blip_caption": "a dog"},
            {"speaker": "Bo", "dia_id": "D10:3", "text": ""},
        ],
        "session_11_date_time": "1:00 pm on 3 June, 2026",
        **conversation,
    }
    return {"qa": [{"question": "?"}] * 3, "conversation": layout, "sample_id": sample}


def test_a_locomo_dialogue_becomes_sessions_in_numeric_order_with_their_time() -> None:
    found = entries(json.dumps([dialogue()]))
    first, second, third = turns(found)
    assert first == Turn(
        text="早上好",
        speaker="Bo",
        session="conv-1/session_2",
        at=to_micros(datetime(2026, 6, 1, 0, 5, tzinfo=UTC)),
        external_id="D2:1",
        ordinal=1,
        trust=Trust.EXTERNAL,
    )
    assert (second.text, second.session, second.ordinal) == (
        "Look [image: a cat 猫]",
        "conv-1/session_10",
        1,
    )
    assert second.at == to_micros(datetime(2026, 6, 2, 12, 30, tzinfo=UTC))
    assert (third.text, third.ordinal) == ("[image: a dog]", 2)
    assert found[3] == Skipped(4, "conv-1/session_10, turn 3: text: blank", bad=False)


def test_a_sample_picks_one_dialogue_and_an_unknown_one_lists_them() -> None:
    data = json.dumps([dialogue("conv-1"), dialogue("会话-2")], ensure_ascii=False)
    assert {t.session for t in turns(entries(data, sample="会话-2"))} == {
        "会话-2/session_2",
        "会话-2/session_10",
    }
    assert len(turns(entries(data))) == 6
    with pytest.raises(InvalidInput) as caught:
        entries(data, sample="conv-9")
    assert caught.value.hint == "it holds conv-1, 会话-2"


def test_one_dialogue_alone_is_read_too_named_by_its_file_if_it_has_no_id(tmp_path: Path) -> None:
    file = tmp_path / "talk.json"
    file.write_text(json.dumps(dialogue()["conversation"], indent=2), encoding="utf-8")
    assert detect(file) == "locomo"
    assert turns(list(read(file)))[0].session == "talk/session_2"


@pytest.mark.parametrize(
    ("spelt", "moment"),
    [
        ("1:56 pm on 8 May, 2023", datetime(2023, 5, 8, 13, 56, tzinfo=UTC)),
        ("12:00 am on 29 February, 2024", datetime(2024, 2, 29, tzinfo=UTC)),
        ("12:59 PM on 3 sept 2023", datetime(2023, 9, 3, 12, 59, tzinfo=UTC)),
        ("2023-05-08T13:56", datetime(2023, 5, 8, 13, 56, tzinfo=UTC)),
    ],
)
def test_the_time_of_a_session_is_read_as_utc(spelt: str, moment: datetime) -> None:
    found = turns(entries(json.dumps(dialogue(session_2_date_time=spelt))))
    assert found[0].at == to_micros(moment)


@pytest.mark.parametrize(
    "spelt",
    ["13:00 pm on 8 May, 2023", "1:00 pm on 31 June, 2023", "noon", "1:00 pm on 8 Mai, 2023"],
)
def test_a_session_with_an_unreadable_time_is_left_out_and_reported(spelt: str) -> None:
    found = entries(json.dumps(dialogue(session_2_date_time=spelt)))
    assert isinstance(found[0], Skipped)
    assert "session_2" in found[0].reason
    assert {t.session for t in turns(found)} == {"conv-1/session_10"}


def test_a_locomo_session_without_a_time_has_turns_without_a_time() -> None:
    found = turns(entries(json.dumps(dialogue(session_2_date_time=None))))
    assert found[0].at is None


@pytest.mark.parametrize("bad", [5, {"text": 3}, {"text": "x", "speaker": []}, None])
def test_a_bad_locomo_turn_is_skipped_and_the_others_keep_their_place(bad: object) -> None:
    good = {"speaker": "Ana", "dia_id": "D3:2", "text": "还在"}
    found = entries(json.dumps([dialogue(session_3=[bad, good], session_4="?")]))
    kept = [t for t in turns(found) if t.session == "conv-1/session_3"]
    assert [(t.text, t.ordinal) for t in kept] == [("还在", 2)]
    assert skipped_lines(found)[:2] == [2, 4]


@pytest.mark.parametrize(
    "data",
    [
        '[{"conversation": {"session_1": [',
        '[{"conversation": {"session_1": []}}, 5]',
        '[{"conversation": {"session_1": [], "session_1": []}}]',
        '{"conversation": {}}',
        "[" * 100_000,
        "7",
        json.dumps([dialogue(), dialogue()]),
    ],
)
def test_a_broken_locomo_file_is_refused_whole(data: str) -> None:
    with pytest.raises(SourceError) as caught:
        entries(data, "locomo")
    assert caught.value.exit_code == 65


def test_a_document_over_the_limit_is_refused() -> None:
    with pytest.raises(SourceError, match="more than 10 bytes"):
        Source(io.BytesIO(b"[" + b" " * 20)).document(10)


# -- our own export


def memory(number: int) -> Memory:
    text = f"fact {number}: 猫 \u0000 🙂"
    moment = datetime(2026, 3, number % 28 + 1, tzinfo=UTC)
    return Memory(
        row=0,
        id=f"mem_{number:016x}",
        scope=Scope("ana", project="项目"),
        kind=Kind.FACT,
        text=text,
        text_sha256=hashlib.sha256(text.encode()).hexdigest(),
        created_at=moment,
        valid_from=moment,
        tags=("a", "乙"),
    )


HEADER = '{"memstone_export": 1, "memstone": "0.1.0"}'


def export(*numbers: int) -> list[str]:
    return [json.dumps(memory_to_json(memory(n)), ensure_ascii=False) for n in numbers]


def test_case_77_an_export_comes_back_as_the_same_memories() -> None:
    assert entries("\n".join([HEADER, *export(*range(50))])) == [memory(n) for n in range(50)]


def test_case_08_glued_and_cut_lines_are_reported_and_the_good_ones_come_through() -> None:
    one, two, three, four, five = export(1, 2, 3, 4, 5)
    cut = five.encode()[:100]
    data = "\n".join([HEADER, one, two + three, four]).encode() + b"\n" + cut
    found = entries(data)
    assert [m for m in found if isinstance(m, Memory)] == [memory(1), memory(4)]
    assert [s for s in found if isinstance(s, Skipped)] == [found[1], found[3]]
    assert skipped_lines(found) == [3, 5]
    assert all(entry.bad for entry in found if isinstance(entry, Skipped))


def test_case_08_the_same_for_a_conversation() -> None:
    line = json.dumps({"role": "user", "content": "第一句，" * 30}, ensure_ascii=False)
    found = entries("\n".join([line, line + line, line]).encode() + b"\n" + line.encode()[:100])
    assert texts(found) == ["第一句，" * 30] * 2
    assert skipped_lines(found) == [2, 4]


def test_a_memory_whose_text_was_altered_is_not_believed() -> None:
    (line,) = export(1)
    found = entries("\n".join([HEADER, line.replace("fact 1", "fact 9")]))
    assert skipped_lines(found) == [2]
    assert texts(found) == []


def test_an_export_without_its_header_or_with_several_is_read() -> None:
    assert entries("\n".join(export(1, 2))) == [memory(1), memory(2)]
    joined = [HEADER, *export(1), HEADER, *export(2)]
    assert entries("\n".join(joined)) == [memory(1), memory(2)]


@pytest.mark.parametrize("version", [2, "1", None, True])
def test_an_export_of_another_layout_ends_the_import_at_once(version: object) -> None:
    data = json.dumps({"memstone_export": version}) + "\n" + export(1)[0]
    with pytest.raises(SourceError, match="another layout"):
        entries(data, "memstone")


def test_no_reason_of_an_export_repeats_a_value_of_it() -> None:
    line = json.loads(export(1)[0])
    for key in ("created_at", "kind"):
        assert FAKE_KEY not in only_skipped(json.dumps({**line, key: FAKE_KEY}), "memstone").reason


def test_a_memory_with_half_a_character_is_skipped() -> None:
    line = json.loads(export(1)[0])
    del line["text_sha256"]
    assert only_skipped(json.dumps({**line, "text": "\ud800"}), "memstone").bad


# -- the file


def test_the_format_is_told_by_content_never_by_name(tmp_path: Path) -> None:
    samples = {
        "chat": '{"speaker": "林", "content": "hi"}\n',
        "locomo": json.dumps([dialogue()], indent=1),
        "memstone": HEADER + "\n",
        "messages": json.dumps([{"role": "user", "content": "早"}], indent=1),
        "claude-code": '{"type": "mode", "sessionId": "s", "content": "x"}\n',
        "codex": '{"timestamp": "2026-11-30", "type": "session_meta", "payload": {}}\n',
        "chatgpt": json.dumps([{"title": "按钮", "mapping": {"a": {"message": None}}}], indent=1),
        "claude-ai": json.dumps([{"uuid": "c", "chat_messages": [{"role": "x"}]}], indent=1),
        "mem0": json.dumps({"results": [{"id": "1", "memory": "蓝色", "role": "user"}]}, indent=1),
        "mcp-memory": '{"type": "entity", "name": "林", "observations": []}\n',
    }
    assert set(samples) == set(TEXT_FORMATS)
    for name, data in samples.items():
        file = tmp_path / f"{name}.locomo.json"
        file.write_text(data, encoding="utf-8")
        assert detect(file) == name
        with read(file) as reading:
            assert reading.format == name


def test_a_first_line_larger_than_the_look_ahead_is_still_recognised() -> None:
    big = "x" * (2 * importers.DETECT_BYTES)
    assert texts(entries(json.dumps({"role": "user", "content": big}))) == [big]
    assert len(turns(entries(json.dumps({**dialogue(), "event_summary": big})))) == 3


def test_a_damaged_first_line_does_not_hide_the_format() -> None:
    assert texts(entries(b'[cut\n{"role": "user", "content": "\xe7\x8c\xab"}')) == ["猫"]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xef\xbb\xbf \n",
        b"hello",
        b"{}",
        b'[\n {"title": "1", "text": "1"},\n {"title": "2", "text": "2"}\n]',
        b"\x00" * 50,
        b"PK",
    ],
)
def test_an_unknown_format_is_refused_with_the_list_of_formats(data: bytes) -> None:
    with pytest.raises(SourceError) as caught:
        entries(data)
    assert caught.value.exit_code == 65
    assert caught.value.hint == f"name it with --format, one of {', '.join(FORMATS)}"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_case_47_wide_text_is_refused_and_named_in_every_format(encoding: str) -> None:
    data = '{"role": "user", "content": "café 猫 🙂"}'.encode(encoding)
    for layout in (None, *TEXT_FORMATS):
        with pytest.raises(SourceError, match="UTF-16"):
            entries(data, layout)


def test_case_47_text_in_a_windows_code_page_is_reported_by_line() -> None:
    good = json.dumps({"role": "user", "content": "café 猫 🙂"}, ensure_ascii=False)
    bad = '{"role": "user", "content": "你好"}'.encode("gbk")
    found = entries(good.encode() + b"\n" + bad + b"\n" + good.encode())
    assert texts(found) == ["café 猫 🙂"] * 2
    assert skipped_lines(found) == [2]


def test_a_missing_file_is_no_input_and_a_folder_cannot_be_read(tmp_path: Path) -> None:
    for missing in (tmp_path / "没有.jsonl", tmp_path / "a" / "b"):
        with pytest.raises(SourceMissing) as caught:
            read(missing)
        assert caught.value.exit_code == 66
    for name in ("a\0b", "\ud800"):
        with pytest.raises(SourceMissing):
            read(name)
    with pytest.raises(SourceError) as folder:
        detect(tmp_path)
    assert folder.value.code == "source_malformed"


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_cannot_be_read(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    file.touch(mode=0)
    with pytest.raises(SourceError, match="cannot be read"):
        read(file)


class Failing(io.RawIOBase):
    def read(self, size: int = -1) -> bytes:
        raise OSError(5, "Input/output error")


def test_a_disk_that_fails_while_reading_is_a_source_error() -> None:
    with pytest.raises(SourceError, match="Input/output error"):
        read(Failing())  # type: ignore[arg-type]


def test_an_unknown_format_or_a_sample_of_a_conversation_is_a_usage_error() -> None:
    for layout, sample in (("xml", None), ("chat", "conv-1"), ("memstone", "conv-1")):
        with pytest.raises(InvalidInput) as caught:
            entries(HEADER, layout, sample)
        assert caught.value.exit_code == 2


def test_our_own_file_is_closed_at_the_end_on_error_and_on_leaving_early(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    file.write_bytes(b'{"role": "user", "content": "1"}\n' * 3)
    list(read(file))
    with read(file) as reading:
        next(reading)
    with pytest.raises(InvalidInput):
        read(file, "chat", sample="x")
    with pytest.raises(SourceError):
        read(file, "locomo")
    gc.collect()  # an unclosed file would warn here, and warnings are errors


def test_a_stream_stays_open_and_names_its_session(tmp_path: Path) -> None:
    stream = io.BytesIO(b'{"role": "user", "content": "1"}')
    (turn,) = read(stream)
    assert isinstance(turn, Turn)
    assert turn.session == "stream"
    assert not stream.closed


# -- the example conversation

EXAMPLE = Path(__file__).parents[2] / "examples" / "conversation.jsonl"


def test_the_example_conversation_imports_whole() -> None:
    found = turns(list(read(EXAMPLE)))
    assert len(found) == len(EXAMPLE.read_text(encoding="utf-8").splitlines()) >= 80
    assert len({turn.session for turn in found}) >= 6
    assert len({turn.external_id for turn in found}) == len(found)
    times = [turn.at for turn in found if isinstance(turn.at, int)]
    assert times == sorted(times)
    assert max(times) - min(times) > 21 * DAY_US
    chinese = [turn for turn in found if any("一" <= sign <= "鿿" for sign in turn.text)]
    assert 30 <= len(chinese) <= len(found) - 30


def test_the_example_conversation_holds_exactly_one_secret() -> None:
    data = EXAMPLE.read_text(encoding="utf-8")
    assert data.count("sk-ant-") == 1
    assert "sk-ant-api03-FAKE" in data


# -- properties

NAMES = st.sampled_from(["a", "b", "会议", "%_'\"", "x\x00y"])
TEXTS = st.text(st.characters(codec="utf-8"), min_size=1).filter(lambda text: bool(text.strip()))


@st.composite
def transcripts(draw: st.DrawFn) -> list[dict[str, object]]:
    return draw(
        st.lists(
            st.fixed_dictionaries(
                {"role": st.sampled_from(["user", "assistant", "tool"]), "content": TEXTS},
                optional={
                    "session": NAMES,
                    "speaker": NAMES,
                    "at": st.datetimes(timezones=st.just(UTC)).map(datetime.isoformat),
                    "id": st.integers(0, 99).map(str),
                },
            ),
            min_size=1,
            max_size=12,
        )
    )


def encoded(transcript: list[dict[str, object]], *, ascii_only: bool) -> bytes:
    lines = (json.dumps(line, ensure_ascii=ascii_only) + "\n" for line in transcript)
    return "".join(lines).encode()


@given(transcript=transcripts(), ascii_only=st.booleans())
def test_no_turn_is_lost_altered_or_reordered(
    transcript: list[dict[str, object]], ascii_only: bool
) -> None:
    found = entries(encoded(transcript, ascii_only=ascii_only))
    assert texts(found) == [line["content"] for line in transcript]
    for line, turn in zip(transcript, turns(found), strict=True):
        assert turn.session == line.get("session", "stream")
        assert turn.speaker == line.get("speaker", line["role"])
        assert turn.external_id == line.get("id")
        assert (turn.at is None) == ("at" not in line)
    for session in {turn.session for turn in turns(found)}:
        ordinals = [turn.ordinal for turn in turns(found) if turn.session == session]
        assert ordinals == list(range(1, len(ordinals) + 1))


def identity(turn: Turn) -> tuple[object, ...]:
    return (turn.text, turn.speaker, turn.session, turn.at, turn.external_id, turn.trust)


@settings(max_examples=300)
@given(
    transcript=transcripts(),
    damage=st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), min_size=1, max_size=4),
    cut=st.integers(0, 40),
)
def test_damaged_bytes_raise_only_our_errors_and_leave_undamaged_lines_right(
    transcript: list[dict[str, object]], damage: list[tuple[int, int]], cut: int
) -> None:
    whole = encoded(transcript, ascii_only=False)
    data = bytearray(whole)
    for place, byte in damage:
        data[place % len(data)] = byte
    del data[len(data) - cut :]
    good = dict(zip(whole.split(b"\n"), turns(entries(whole, "chat")), strict=False))
    expected = [identity(good[line]) for line in bytes(data).split(b"\n") if line in good]
    try:
        found = turns(entries(bytes(data)))
    except SourceError:  # so much damage that the format is not recognised, or looks like UTF-16
        return
    # Every line that is byte for byte undamaged is there, in order, as what it was.
    rest = iter([identity(turn) for turn in found])
    assert all(any(turn == other for other in rest) for turn in expected)


@settings(max_examples=200)
@given(data=st.binary(max_size=300), layout=st.sampled_from([None, *FORMATS]))
def test_any_bytes_at_all_raise_only_our_errors(data: bytes, layout: str | None) -> None:
    with contextlib.suppress(SourceError):
        for entry in read(io.BytesIO(data), layout):
            assert isinstance(entry, (Turn, Memory, Skipped))


@pytest.mark.parametrize("name", ["at", "timestamp", "created_at", "time", "date"])
def test_the_time_of_a_turn_is_read_under_its_usual_names(name: str) -> None:
    line = json.dumps({"role": "user", "content": "你好", name: "2026-01-01T00:00:00Z"})
    (turn,) = turns(list(read(io.BytesIO(line.encode()), "chat")))
    assert turn.at == 1_767_225_600_000_000
