"""JSON ↔ types: nothing is lost, nothing is guessed, and every refusal names the key."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstone import wire
from memstone.errors import (
    InvalidBudget,
    InvalidHandle,
    InvalidInput,
    InvalidScope,
    InvalidTime,
    MemstoneError,
    NotFound,
    TextNotUnicode,
)
from memstone.types import (
    SIGNALS,
    Budget,
    Change,
    ChangeRow,
    Derivation,
    ForgetResult,
    Hit,
    ImportReport,
    Kind,
    Memory,
    Method,
    Outcome,
    Provenance,
    RecallResult,
    Redaction,
    Remembered,
    Scope,
    Signals,
    Skipped,
    Statistics,
    Trust,
)

DAY = datetime(2026, 8, 13, 9, 30, tzinfo=UTC)
TEXT = "用户要求所有回复使用轻松的语气，技术名词保留英文"

unicode_texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
names = unicode_texts.filter(bool)
optional_names = st.none() | unicode_texts
instants = st.datetimes(timezones=st.just(UTC))
counts = st.integers(0, wire.spellings.MAX_COUNT)


@st.composite
def memories(draw: st.DrawFn) -> Memory:
    text = draw(unicode_texts)
    optional_instants = st.none() | instants
    derivations = st.builds(Derivation, names, counts, counts)
    return Memory(
        row=draw(counts),
        id=draw(names),
        scope=Scope(draw(names), draw(unicode_texts), draw(unicode_texts)),
        kind=draw(st.sampled_from(Kind)),
        text=text,
        text_sha256=sha256(text.encode()).hexdigest(),
        created_at=draw(instants),
        valid_from=draw(instants),
        valid_until=draw(optional_instants),
        expires=draw(optional_instants),
        superseded_at=draw(optional_instants),
        superseded_from=draw(optional_instants),
        supersedes=draw(optional_names),
        superseded_by=draw(optional_names),
        tags=tuple(sorted(draw(st.sets(unicode_texts, max_size=4)))),
        role=draw(optional_names),
        session=draw(optional_names),
        speaker=draw(optional_names),
        subject=draw(optional_names),
        attribute=draw(optional_names),
        external_id=draw(optional_names),
        turn_key=draw(optional_names),
        provenance=Provenance(
            source=draw(unicode_texts),
            method=draw(st.sampled_from(Method)),
            producer=draw(optional_names),
            trust=draw(st.sampled_from(Trust)),
            derived_from=tuple(draw(st.lists(derivations, max_size=2))),
        ),
        pinned=draw(st.booleans()),
        held=draw(st.booleans()),
        archived=draw(st.booleans()),
        seen_count=draw(counts),
        last_seen_at=draw(optional_instants),
        recall_count=draw(counts),
        last_recalled_at=draw(optional_instants),
    )


def memory(**changes: Any) -> Memory:
    plain = Memory(
        row=7,
        id="mem_0f3a5c1d2b4e6f70",
        scope=Scope("ana", "atlas"),
        kind=Kind.FACT,
        text=TEXT,
        text_sha256=sha256(TEXT.encode()).hexdigest(),
        created_at=DAY,
        valid_from=DAY,
    )
    return replace(plain, **changes)


@given(memories())
def test_a_memory_survives_json_without_loss(original: Memory) -> None:
    as_text = json.dumps(wire.memory_to_json(original), ensure_ascii=False)
    assert wire.memory_from_json(json.loads(as_text)) == replace(original, row=0)


@given(memories())
def test_an_export_of_an_import_is_the_same_bytes(original: Memory) -> None:
    once = json.dumps(wire.memory_to_json(original))
    again = json.dumps(wire.memory_to_json(wire.memory_from_json(json.loads(once))))
    assert again == once


def test_keys_come_in_the_published_order_and_absent_ones_are_left_out() -> None:
    assert list(wire.memory_to_json(memory())) == [
        "id",
        "text",
        "kind",
        "scope",
        "tags",
        "created_at",
        "valid_from",
        "pinned",
        "held",
        "archived",
        "seen_count",
        "recall_count",
        "provenance",
        "text_sha256",
    ]
    full = memory(
        role="pm",
        session="s",
        speaker="林",
        subject="预算",
        attribute="value",
        external_id="D1:3",
        valid_until=DAY,
        expires=DAY,
        superseded_at=DAY,
        superseded_from=DAY,
        supersedes="mem_a",
        superseded_by="mem_b",
        last_seen_at=DAY,
        last_recalled_at=DAY,
        turn_key="1",
    )
    assert list(wire.memory_to_json(full)) == [
        *("id", "text", "kind", "scope", "tags", "role", "session", "speaker", "subject"),
        *("attribute", "external_id", "created_at", "valid_from", "valid_until", "expires"),
        *("superseded_at", "superseded_from", "supersedes", "superseded_by", "pinned", "held"),
        *("archived", "seen_count", "last_seen_at", "recall_count", "last_recalled_at"),
        *("provenance", "turn_key", "text_sha256"),
    ]


def test_instants_have_one_spelling() -> None:
    assert wire.memory_to_json(memory())["created_at"] == "2026-08-13T09:30:00.000000Z"


def test_a_memory_with_only_the_needed_keys_has_the_values_of_a_new_one() -> None:
    read = wire.memory_from_json(
        {
            "id": "mem_a",
            "text": TEXT,
            "scope": {"user": "ana"},
            "created_at": "2026-08-13",
            "valid_from": "2026-08-13T09:30:00+08:00",
        }
    )
    assert read.kind is Kind.FACT
    assert read.text_sha256 == sha256(TEXT.encode()).hexdigest()
    assert read.valid_from == datetime(2026, 8, 13, 1, 30, tzinfo=UTC)
    assert (read.tags, read.pinned, read.seen_count, read.row) == ((), False, 1, 0)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("id", ""),
        ("id", 7),
        ("text", None),
        ("text", ["猫"]),
        ("text", "half \ud83d"),
        ("kind", "rumour"),
        ("kind", None),
        ("scope", "ana"),
        ("created_at", "yesterday"),
        ("created_at", 0),
        ("created_at", "0001-01-01T00:00:00+05:00"),
        ("expires", "9999-12-31T23:59:59-01:00"),
        ("tags", "work"),
        ("tags", [1]),
        ("session", "\udc80"),
        ("session", 3),
        ("pinned", 1),
        ("held", "true"),
        ("seen_count", True),
        ("seen_count", 1.0),
        ("seen_count", -1),
        ("recall_count", 2**60),
        ("provenance", []),
        ("text_sha256", "0" * 64),
        ("supersedes", {}),
        ("colour", "red"),
    ],
)
def test_a_wrong_or_unknown_value_is_refused_with_its_key(key: str, value: object) -> None:
    data = wire.memory_to_json(memory()) | {key: value}
    with pytest.raises(InvalidInput) as refused:
        wire.memory_from_json(data)
    assert key in refused.value.message
    refused.value.message.encode("utf-8")


@pytest.mark.parametrize("key", ["id", "text", "scope", "created_at", "valid_from"])
def test_a_missing_key_is_named(key: str) -> None:
    data = wire.memory_to_json(memory())
    del data[key]
    with pytest.raises(InvalidInput, match=f"'{key}' is missing"):
        wire.memory_from_json(data)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("scope", {"user": ""}),
        ("scope", {"project": "atlas"}),
        ("scope", {"user": "ana", "team": "x"}),
        ("provenance", {"trust": "friend"}),
        ("provenance", {"method": "guess"}),
        ("provenance", {"derived_from": [{"source": "mem_a", "start": 0}]}),
        ("provenance", {"derived_from": [{"source": "mem_a", "start": 0, "end": "4.5"}]}),
        ("provenance", {"derived_from": "mem_a"}),
        ("provenance", {"origin": "cli"}),
    ],
)
def test_what_is_wrong_inside_scope_and_provenance_is_refused(key: str, value: object) -> None:
    with pytest.raises(InvalidInput):
        wire.memory_from_json(wire.memory_to_json(memory()) | {key: value})


@pytest.mark.parametrize("data", [None, [], "mem_a", 3, True])
def test_only_an_object_is_a_memory(data: object) -> None:
    with pytest.raises(InvalidInput, match="memory: an object is needed"):
        wire.memory_from_json(data)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["id", "text", "scope", "user", "created_at", "valid_from", "tags"])
                | st.text(max_size=3),
                inner,
                max_size=6,
            )
        ),
        max_leaves=12,
    )
)
def test_any_json_is_read_or_refused_but_never_a_surprise(data: object) -> None:
    try:
        wire.memory_from_json(data)
    except MemstoneError as error:
        assert error.exit_code in {2, 65}  # noqa: PT017


def test_a_recall_is_told_with_its_signals_and_budget() -> None:
    hit = Hit(memory(), "语气 […]", 3.25, Signals(3.25, 0.5), 9, 40, memory().handle)
    whole = Hit(memory(id="mem_b"), TEXT, 1.5, Signals(1.5, 0.25), 40, 40)
    told = wire.recall_to_json(
        RecallResult("语气", (hit, whole), tokens=49, budget=None, omitted=("mem_c",))
    )
    assert list(told) == [
        *("query", "hits", "tokens", "budget", "basis", "omitted", "degraded", "signals"),
    ]
    assert told["budget"] is None
    assert told["omitted"] == ["mem_c"]
    first, second = json.loads(json.dumps(told))["hits"]
    assert list(first) == [
        *("id", "text", "score", "signals", "tokens", "full_tokens", "handle", "memory"),
    ]
    assert "handle" not in second
    assert first["signals"]["bm25"] == 3.25
    assert first["signals"]["coverage"] == 0.5
    assert tuple(first["signals"]) == SIGNALS
    known = wire.memory_to_json(memory())
    del known["text"]  # the hit's own text is the one that was paid for
    assert first["memory"] == known


def test_a_remembered_memory_says_what_happened_to_it() -> None:
    plain = memory()
    kept = {name: getattr(plain, name) for name in Memory.__dataclass_fields__}
    answer = Remembered(
        **kept,
        outcome=Outcome.KNOWN,
        unchanged=("kind",),
        redactions=(Redaction("private", 2),),
    )
    told = wire.remembered_to_json(answer)
    assert {key: told[key] for key in wire.memory_to_json(plain)} == wire.memory_to_json(plain)
    assert (told["outcome"], told["unchanged"]) == ("known", ["kind"])
    assert told["redactions"] == [{"kind": "private", "count": 2}]


def test_a_brief_recall_has_what_a_model_needs_and_no_more() -> None:
    cut = Hit(memory(), "语气 […]", 3.25, Signals(3.25, 0.5), 9, 40, memory().handle)
    marked = memory(tags=("语气",), speaker="ana", valid_until=DAY, expires=DAY, session="s")
    told = wire.recall_to_json(
        RecallResult(
            "语气",
            (cut, Hit(marked, TEXT, 1.5, Signals(1.5, 0.25), 40, 40)),
            tokens=49,
            budget=None,
            omitted=("mem_c",),
            degraded=("query_shortened",),
        ),
        brief=True,
    )
    assert list(told) == ["hits", "tokens", "budget", "basis", "omitted", "degraded"]
    assert (told["budget"], told["omitted"]) == (None, ["mem_c"])
    first, second = json.loads(json.dumps(told))["hits"]
    assert first == {
        "id": memory().id,
        "text": "语气 […]",
        "kind": "fact",
        "valid_from": "2026-08-13T09:30:00.000000Z",
        "source": "python",
        "trust": "user",
        "handle": memory().handle,
    }
    assert list(second) == [
        *("id", "text", "kind", "valid_from", "valid_until", "expires", "speaker"),
        *("source", "trust", "tags"),
    ]
    assert (second["text"], second["tags"], second["speaker"]) == (TEXT, ["语气"], "ana")


@given(memories())
def test_a_brief_memory_says_the_same_as_the_whole_one(original: Memory) -> None:
    whole, brief = wire.memory_to_json(original), wire.memory_to_json(original, brief=True)
    provenance = original.provenance
    assert (brief.pop("source"), brief.pop("trust")) == (provenance.source, provenance.trust)
    assert brief["text"] == original.text
    assert brief.items() <= whole.items()
    changed = wire.changed_to_json(original, brief=True)
    assert "text" not in changed
    assert changed.items() <= brief.items()
    for state in ("held", "archived", "pinned"):  # what sets it apart is never left out
        assert (state in brief) == (state in changed) == whole[state]
    assert brief.keys() >= whole.keys() & {"superseded_at", "valid_until", "expires"}
    assert {key for key, value in brief.items() if not value} <= {"id", "text"}
    assert wire.changed_to_json(original) == whole


def test_a_brief_answer_to_a_write_does_not_repeat_the_text() -> None:
    plain = memory(held=True)
    kept = {name: getattr(plain, name) for name in Memory.__dataclass_fields__}
    known = Remembered(**kept, outcome=Outcome.KNOWN)
    assert wire.remembered_to_json(known, brief=True) == {
        "id": plain.id,
        "kind": "fact",
        "valid_from": "2026-08-13T09:30:00.000000Z",
        "held": True,
        "outcome": "known",
    }
    told = replace(known, unchanged=("kind",), redactions=(Redaction("private", 2),))
    brief = wire.remembered_to_json(told, brief=True)
    assert list(brief)[-3:] == ["outcome", "unchanged", "redactions"]
    assert brief["redactions"] == [{"kind": "private", "count": 2}]


def test_reports_changes_and_counts_are_told_in_full() -> None:
    change = Change(
        3, DAY, "cli", "ana", "tag", "", (ChangeRow(7, "mem_a", "tags", "[]", '["预算"]'),)
    )
    assert wire.change_to_json(change) == {
        "number": 3,
        "at": "2026-08-13T09:30:00.000000Z",
        "surface": "cli",
        "actor": "ana",
        "operation": "tag",
        "reason": "",
        "rows": [
            {"row": 7, "id": "mem_a", "field": "tags", "before": "[]", "after": '["预算"]'},
        ],
    }
    counts_told = wire.statistics_to_json(
        Statistics(5, 1, 0, 0, 0, 2, (("fact", 5),), units=5, terms=40, file_bytes=4096)
    )
    assert counts_told["by_kind"] == {"fact": 5}
    report = ImportReport(
        source="talk.jsonl",
        format="chat",
        read=3,
        created=1,
        skipped=(Skipped(2, "cut off"), Skipped(3, "blank", bad=False)),
    )
    assert wire.import_report_to_json(report)["skipped"] == [
        {"line": 2, "reason": "cut off", "bad": True},
        {"line": 3, "reason": "blank", "bad": False},
    ]
    assert wire.forget_to_json(ForgetResult((), ("mem_a",))) == {
        "forgotten": [],
        "count": 0,
        "missing": ["mem_a"],
        "derived": [],
        "derived_count": 0,
    }


def test_an_error_is_told_with_code_hint_and_json_safe_fields() -> None:
    told = wire.error_to_json(NotFound("没有", hint="list", at=DAY, ids=("mem_a", Kind.FACT), n=1))
    assert json.loads(json.dumps(told)) == {
        "error": {
            "code": "not_found",
            "message": "没有",
            "hint": "list",
            "fields": {"at": str(DAY), "ids": ["mem_a", "fact"], "n": 1},
        }
    }
    assert wire.error_to_json(NotFound("x")) == {
        "error": {"code": "not_found", "message": "x", "hint": None}
    }


def test_case_31_an_empty_string_is_not_given() -> None:
    assert wire.given("") is None
    assert wire.given(None) is None
    assert wire.given("工作") == "工作"
    assert wire.all_given(["", "工作"]) == ("工作",)
    assert wire.all_given(None) == ()


@pytest.mark.parametrize(("value", "meant"), [("5", 5), (5, 5), ("+5", 5), ("10000", 10_000)])
def test_limits_are_read_from_text_and_json(value: object, meant: int) -> None:
    assert wire.parse_limit(value) == meant


@pytest.mark.parametrize(
    "value",
    ["0", 0, "-1", "10001", "five", "5.0", 5.0, "", "５", "1_0", " 5", True, None, "9" * 99],
)
def test_a_limit_that_is_no_count_from_one_is_refused(value: object) -> None:
    with pytest.raises(InvalidInput, match="limit: "):
        wire.parse_limit(value)


def test_case_50_zero_is_unlimited_and_negative_is_an_error() -> None:
    assert wire.budget_from(wire.parse_budget("0"), 2000) == Budget(None)
    assert wire.budget_from(None, 2000) == Budget(2000)
    assert wire.budget_from(500, 2000) == Budget(500)
    for value in ("-1", -1, "many", 2.5):
        with pytest.raises(InvalidBudget, match="budget: "):
            wire.parse_budget(value)
    with pytest.raises(InvalidBudget):
        wire.budget_from(-1, 2000)


@pytest.mark.parametrize(("value", "meant"), [("0", 0.0), ("1", 1.0), (".5", 0.5), (1, 1.0)])
def test_a_share_is_read_from_text_and_json(value: object, meant: float) -> None:
    assert wire.parse_share(value) == meant


@pytest.mark.parametrize(
    "value", ["-0.1", "1.01", "nan", "inf", "1e-1", "", float("nan"), True, None, "."]
)
def test_a_share_outside_0_to_1_is_refused(value: object) -> None:
    with pytest.raises(InvalidInput, match="min_score: "):
        wire.parse_share(value)


def test_instants_go_on_as_they_are_spelt() -> None:
    assert wire.parse_instant("2026-08-13", name="until") == "2026-08-13"
    for value in ("", "soon", "0001-01-01T00:00:00+05:00", "2026-13-01"):
        with pytest.raises(InvalidTime, match="until: "):
            wire.parse_instant(value, name="until")
    with pytest.raises(InvalidInput, match="until: "):
        wire.parse_instant(20260813, name="until")


@pytest.mark.parametrize(
    "value", ["", "ccr_", "ccr_" + "0" * 31, "ccr_" + "G" * 32, "mem_" + "0" * 32, "x" * 500]
)
def test_a_handle_of_another_shape_is_refused(value: str) -> None:
    with pytest.raises(InvalidHandle):
        wire.parse_handle(value)


def test_choices_are_listed_when_one_is_unknown() -> None:
    with pytest.raises(InvalidInput) as refused:
        wire.parse_choice(Trust, "admin", name="trust")
    assert refused.value.hint == "one of user, agent, tool, external"


def test_case_71_sql_in_a_value_is_only_text() -> None:
    hostile = "'; DROP TABLE memories;--"
    read = wire.memory_from_json(
        wire.memory_to_json(memory(session=hostile, scope=Scope(hostile), tags=(hostile,)))
    )
    assert (read.session, read.scope.user, read.tags) == (hostile, hostile, (hostile,))
    with pytest.raises(InvalidInput):
        wire.parse_limit(hostile)


def test_scopes_are_checked_on_the_way_in() -> None:
    assert wire.scope_from_json({"user": "林", "agent": "tester"}) == Scope("林", "", "tester")
    with pytest.raises(InvalidScope):
        wire.scope_from_json({"user": ""})
    with pytest.raises(TextNotUnicode):
        wire.scope_from_json({"user": "\ud83d"})
