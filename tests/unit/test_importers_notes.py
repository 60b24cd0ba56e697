"""mem0 and the MCP memory server: each memory once, under its own id, and users stay apart."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstone.errors import InvalidInput, SourceError
from memstone.importers import mcp_memory, mem0
from memstone.importers.noted import about, known_as, labels, note_text, relation, short_id
from memstone.importers.source import MAX_LINE_BYTES, Source
from memstone.times import parse_time
from memstone.types import (
    MAX_NAME_BYTES,
    MAX_TEXT_BYTES,
    NOTES_NAME,
    Kind,
    Note,
    Skipped,
    Trust,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

Entry = dict[str, object]
SECRET = "sk-ant-" + "not-a-key-" * 4


def micros(text: str) -> int:
    return parse_time(text, name="at")


def notes(found: Iterable[Note | Skipped]) -> list[Note]:
    return [entry for entry in found if isinstance(entry, Note)]


def left_out(found: Iterable[Note | Skipped]) -> list[Skipped]:
    return [entry for entry in found if isinstance(entry, Skipped)]


def of_mem0(value: object, sample: str | None = None) -> list[Note | Skipped]:
    data = value if isinstance(value, bytes) else json.dumps(value, ensure_ascii=False).encode()
    return list(mem0.read(Source(io.BytesIO(data)), sample))


def of_mcp(data: bytes | str) -> list[Note | Skipped]:
    raw = data if isinstance(data, bytes) else data.encode()
    return list(mcp_memory.read(Source(io.BytesIO(raw))))


def memory(number: int, text: str, **more: object) -> Entry:
    return {"id": f"id-{number}", "memory": text, "hash": "9f", "user_id": "林雨", **more}


# -- mem0


def test_an_answer_of_the_library_becomes_notes_with_their_ids_and_times() -> None:
    entry = memory(
        1,
        "用户喜欢用中文回复",
        metadata={"category": "preference"},
        created_at="2026-11-01T09:00:00-07:00",
        updated_at="2026-11-03T00:00:00Z",
        run_id="run-7",
        agent_id="planner",
    )
    (note,) = of_mem0({"results": [entry]})
    assert note == Note(
        text="用户喜欢用中文回复",
        kind=Kind.PREFERENCE,
        at=micros("2026-11-01T16:00:00Z"),
        seen_at=micros("2026-11-03"),
        external_id="id-1",
        tags=("preference",),
        session="run-7",
        agent="planner",
        trust=Trust.EXTERNAL,
    )


def test_an_answer_of_the_platform_keeps_categories_and_expiry() -> None:
    entry = memory(
        1, "Trial ends soon", categories=["试用", "billing"], expiration_date="2027-01-01"
    )
    page = {"count": 1, "next": None, "previous": None, "results": [entry]}
    (note,) = notes(of_mem0(page))
    assert (note.tags, note.expires) == (("试用", "billing"), micros("2027-01-01"))
    assert note.kind is Kind.FACT


def test_a_bare_list_is_read_like_an_answer() -> None:
    entries = [memory(1, "甲"), memory(2, "乙", actor_id="Ana", role="user")]
    assert of_mem0(entries) == of_mem0({"results": entries})
    assert [note.speaker for note in notes(of_mem0(entries))] == [None, "Ana"]


def test_relations_become_sentences_known_by_their_parts() -> None:
    triple = {"source": "林雨", "relationship": "works_on", "target": "project_x"}
    value = {"results": [], "relations": [triple, {**triple, "target": "project_y"}]}
    first, second = notes(of_mem0(value))
    assert (first.text, first.subject) == ("林雨 works_on project_x", "林雨")
    assert first.tags == ("relation",)
    assert first.attribute is None  # works_on has many values; one must not retire another
    assert first.external_id != second.external_id
    reordered = {"results": [memory(1, "新")], "relations": value["relations"][::-1]}
    assert {note.external_id for note in notes(of_mem0(reordered))} >= {first.external_id}


def test_two_users_are_walls_and_one_must_be_named() -> None:
    value = {
        "results": [memory(1, "甲的秘密"), memory(2, "Ben's", user_id="ben"), memory(3, "x", user_id=None)],
        "relations": [{"source": "a", "relationship": "b", "target": "c"}],
    }  # fmt: skip
    with pytest.raises(SourceError, match="memories of 2 users") as raised:
        of_mem0(value)
    assert "--sample USER" in (raised.value.hint or "")
    assert "林雨" not in raised.value.message + (raised.value.hint or "")
    found = of_mem0(value, "林雨")
    assert [note.text for note in notes(found)] == ["甲的秘密"]
    assert [(each.line, each.bad) for each in left_out(found)] == [
        (2, False),
        (3, False),
        (4, False),
    ]
    with pytest.raises(InvalidInput, match="no memory"):
        of_mem0(value, "nobody")


def test_one_user_may_be_named_and_changes_nothing() -> None:
    value = {"results": [memory(1, "甲"), memory(2, "乙", user_id=None)]}
    assert of_mem0(value, "林雨") == of_mem0(value)
    assert len(notes(of_mem0(value))) == 2


def test_bad_memories_are_named_by_number_and_cost_nothing_else() -> None:
    value = {
        "results": [
            memory(1, " "),
            "text",
            memory(3, "x", created_at=SECRET),
            memory(4, "x" * (MAX_TEXT_BYTES + 1)),
            {"id": "5", "memory": {"text": SECRET}},
            memory(6, "x", categories=SECRET),
            memory(7, "好"),
        ],
        "relations": [{"source": SECRET, "relationship": "", "target": "t"}, 7],
    }
    found = of_mem0(value)
    assert [note.text for note in notes(found)] == ["好"]
    bad = left_out(found)
    assert [each.line for each in bad] == [1, 2, 3, 4, 5, 6, 8, 9]
    assert [each.bad for each in bad] == [False] + [True] * 7
    assert not any(SECRET in each.reason for each in bad)
    (relations,) = left_out(of_mem0({"results": [memory(1, "x")], "relations": {}}))
    assert relations == Skipped(2, "relations: not a list")


def test_a_memory_without_an_id_is_known_by_what_it_says() -> None:
    one, other = ([{"memory": text, "hash": "h"}] for text in ("甲", "乙"))
    assert notes(of_mem0(one))[0].external_id == notes(of_mem0([*other, *one]))[1].external_id


@pytest.mark.parametrize(
    "value", [{"results": [{"text": "x"}]}, [{"role": "user", "content": "x"}], {"messages": []}, 7]
)
def test_what_is_no_answer_of_mem0_is_refused(value: object) -> None:
    assert not mem0.recognises(value)
    with pytest.raises(SourceError, match="as mem0 writes one"):
        of_mem0(value)


def test_a_cut_answer_is_refused_whole_and_an_empty_one_is_empty() -> None:
    with pytest.raises(SourceError, match="ends too early"):
        of_mem0(b'{"results": [{"id": "1", "mem')
    assert of_mem0({"results": []}) == []


def test_messages_kept_as_memories_are_recognised_before_a_chat_is() -> None:
    assert mem0.recognises([memory(1, "早", role="user")])
    relations = [{"source": "a", "relationship": "b", "target": "c"}]
    assert mem0.recognises({"results": [], "relations": relations})


def test_a_long_answer_is_recognised_by_how_it_begins() -> None:
    page = {"count": 1, "next": None, "results": [memory(1, "长" * 5_000)]}
    for value in (page, page["results"]):
        head = json.dumps(value, ensure_ascii=False, indent=1).encode()[:3_000]
        assert mem0.recognises_start(head)
    assert not mem0.recognises_start(b'{"results": [{"id": 1, "text": "x"}]}')
    assert not mem0.recognises_start(b'[{"role": "user", "content": "{\\"memory\\": 1}"')


# -- the MCP memory server


def entity(name: str, *observations: object, kind: str = "person") -> Entry:
    return {"type": "entity", "name": name, "entityType": kind, "observations": [*observations]}


def lines(*records: object) -> bytes:
    return b"".join(json.dumps(each, ensure_ascii=False).encode() + b"\n" for each in records)


def test_every_observation_is_a_note_about_its_entity() -> None:
    found = of_mcp(lines(entity("project_x", "button is blue", "project_x ships 2026-12-15"),
                         entity("张伟", "张伟喜欢简洁", "用中文回复", kind=" "),
                         {"type": "relation", "from": "张伟", "to": "project_x", "relationType": "works_on"}))  # fmt: skip
    assert [(note.text, note.subject, note.tags) for note in notes(found)] == [
        ("project_x: button is blue", "project_x", ("person",)),
        ("project_x ships 2026-12-15", "project_x", ("person",)),
        ("张伟喜欢简洁", "张伟", ()),
        ("张伟: 用中文回复", "张伟", ()),
        ("张伟 works_on project_x", "张伟", ("relation",)),
    ]
    assert left_out(found) == []
    assert len({note.external_id for note in notes(found)}) == 5


def test_an_observation_keeps_its_id_when_others_come_before_it() -> None:
    (old,) = notes(of_mcp(lines(entity("张伟", "用中文回复"))))
    new = notes(of_mcp(lines(entity("李雷", "用中文回复"), entity("张伟", "新的", "用中文回复"))))
    assert [note.external_id == old.external_id for note in new] == [False, False, True]


def test_case_08_a_cut_line_and_glued_objects_lose_only_what_is_cut() -> None:
    good = lines(entity("甲", "一"))
    glued = lines(entity("乙", "二")).rstrip() + lines(entity("丙", "三"))
    cut = lines(entity("丁", "四"))[:40] + lines(entity("戊", "五"))
    found = of_mcp(good + glued + cut + lines(entity("己", "六")) + good[:40])
    assert [note.subject for note in notes(found)] == ["甲", "乙", "丙", "戊", "己"]
    bad = left_out(found)
    assert [(each.line, each.bad) for each in bad] == [(3, True), (5, True)]
    assert "what is whole on the line was read" in bad[0].reason
    assert not any("丁" in each.reason for each in bad)


def test_case_08_a_record_inside_a_text_is_a_text() -> None:
    tricky = entity("甲", '{"type":"entity","name":"乙"}', 'a "quoted" {"type": "relation"} thing')
    found = notes(of_mcp(lines(tricky).rstrip() + lines(entity("丙", "x"))))
    assert [note.subject for note in found] == ["甲", "甲", "丙"]


def test_bad_records_are_named_by_line() -> None:
    long = b'{"type":"entity","x":"' + b"x" * MAX_LINE_BYTES + b'"}\n'
    data = (
        lines({"type": "entity", "name": " ", "observations": ["x"]}, {"type": "entity", "name": "甲"})
        + b"\n[1]\n\xff{\n"
        + long
        + lines(entity("甲", 7, " ", "好"), {"type": "graph"}, entity("乙"), {"type": "relation", "from": SECRET})
    )  # fmt: skip
    found = of_mcp(data)
    assert [note.text for note in notes(found)] == ["甲: 好"]
    bad = left_out(found)
    assert [(each.line, each.bad) for each in bad] == [
        (1, True), (2, True), (4, True), (5, True), (6, True), (7, True), (7, False), (8, True),
        (9, False), (10, True),
    ]  # fmt: skip
    assert not any(SECRET in each.reason for each in bad)


def test_a_hostile_line_of_many_beginnings_ends_soon() -> None:
    found = of_mcp(b'{"type":' * 200_000)
    assert [(each.line, each.bad) for each in left_out(found)] == [(1, True)]


def test_only_its_own_records_are_recognised() -> None:
    relation_: Entry = {"type": "relation", "from": "a", "to": "b", "relationType": "c"}
    assert mcp_memory.recognises(entity("张伟"))
    assert mcp_memory.recognises(relation_)
    assert not mcp_memory.recognises({"type": "entity", "name": "x"})
    assert not mcp_memory.recognises({"type": "user", "sessionId": "s"})


names = st.text('ab 张伟_{}"\\:,', min_size=1, max_size=8).filter(str.strip)


@given(st.lists(st.tuples(names, st.lists(names, max_size=3)), max_size=5), st.booleans())
def test_no_observation_is_lost_or_reordered_glued_or_not(
    entities: list[tuple[str, list[str]]], glued: bool
) -> None:
    data = lines(*(entity(name, *observations) for name, observations in entities))
    found = of_mcp(data.replace(b"\n", b"") if glued else data)
    expected = [name.strip() for name, observations in entities for _ in observations]
    assert [note.subject for note in notes(found)] == expected
    said = [text for _, observations in entities for text in observations]
    assert all(note.text.endswith(text) for note, text in zip(notes(found), said, strict=True))
    assert of_mcp(data) == of_mcp(data)
    assert all(not each.bad for each in left_out(found))


# -- what both share


def test_case_41_pasted_notes_of_ours_are_never_learnt() -> None:
    block = f'<{NOTES_NAME} id="00112233445566aa">\n- [2026-04-01] 200\n</{NOTES_NAME} id="00112233445566aa">'
    found = of_mem0([memory(1, block), memory(2, f"预算改成 300\n{block}")])
    assert [note.text for note in notes(found)] == ["预算改成 300"]
    assert left_out(found) == [Skipped(1, "memory: nothing but notes from memory", bad=False)]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("A", "a cat", "a cat"),
        ("A", "cat", "A: cat"),
        ("cat", "concatenate", "cat: concatenate"),
        ("张伟", "和张伟一起", "和张伟一起"),
        ("Atlas", "用atlas部署", "用atlas部署"),
        ("", "x", "x"),
    ],
)
def test_a_text_is_prefixed_only_if_it_does_not_name_its_subject(
    name: str, text: str, expected: str
) -> None:
    assert about(name, text) == expected


def test_labels_ids_and_relations_stay_within_what_may_be_stored() -> None:
    assert labels(["x" * 1000, "", "标签", "标签"]) == ("标签",)
    assert len(labels(str(number) for number in range(100))) == 64
    assert short_id("路径") == "路径"
    assert len(short_id("长" * MAX_NAME_BYTES)) < 50
    assert known_as("x", "\ud800")  # half of a pair is hashed, and refused where it is stored
    with pytest.raises(SourceError, match="surrogate"):
        note_text("\ud800", "text")
    with pytest.raises(SourceError, match="lacks"):
        relation("a", None, "b")
    assert relation("a", "b", "c", context="上下文").text == "a b c (上下文)"
