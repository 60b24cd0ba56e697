"""What callers hand to the public functions: odd paths, wrong JSON types, secrets out of place."""

from __future__ import annotations

import inspect
import os
import tempfile
import traceback
from typing import TYPE_CHECKING, Any

import pytest

import memstone
from memstone import Engine, MemstoneError, Turn, analysis
from memstone.engine.calling import checked_operations
from memstone.errors import CannotCreate, InvalidInput, WrongType
from memstone.types import MAX_TURN_BYTES, Note
from memstone.wire import recall_to_json
from memstone.wire.checking import CHECKS, OPTIONAL
from memstone.wire.questions import HEAD_CHARACTERS, SHOWN_CHARACTERS, TAIL_CHARACTERS
from tests.unit.redaction_samples import TOKENS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memstone.types import Query

KEY = TOKENS["github classic"][1]
BAD_VALUES: tuple[object, ...] = (
    *(5, 1.5, True, None, float("nan")),
    *([], [5], {}, {"a": 1}, ("猫",), b"x", object()),
    *("\ud800", "nonsense", "a\0b"),
)
SAMPLES: dict[str, tuple[object, ...]] = {
    "remember": ("The cat is called Miu 猫",),
    "supersede": ("mem_0000000000000000", "The cat is called Mia 猫"),
    "recall": ("猫",),
    "block": ("猫",),
    "explain": ("mem_0000000000000000", "猫"),
    "resolve": (1, "both"),
    "history": ("mem_0000000000000000",),
    "forget": ("mem_0000000000000000",),
    "recover": ("ccr_" + "0" * 32,),
    "get": ("mem_0000000000000000",),
    "import_file": ("/nowhere/at all.jsonl",),
    "ingest": ([],),
    "export": (len,),
    "touch": (["mem_0000000000000000"],),
    "tag": ("mem_0000000000000000", "宠物"),
    "untag": ("mem_0000000000000000", "宠物"),
    "pin": ("mem_0000000000000000",),
    "unpin": ("mem_0000000000000000",),
    "expire": ("mem_0000000000000000", None),
    "judge": ("mem_0000000000000000", "猫", "right"),
    "approve": ("mem_0000000000000000",),
    "capture": ("/nowhere/at all.jsonl", "codex", "s1"),
    "capture_summary": ("The cat is called Miu 猫", "codex", "s1"),
    "capture_turns": ([], "codex", "s1"),
    "note_session": ("claude-code", "s1"),
    "restore": ("mem_0000000000000000",),
    "undo": (5,),
}
OPERATIONS = sorted(
    name
    for name in dir(Engine)
    if not name.startswith("_") and inspect.isfunction(getattr(Engine, name))
)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with memstone.open(tmp_path / "home", user="ana", background=False) as opened:
        yield opened


def refusal(call: Any, *values: object, **options: object) -> MemstoneError | None:
    """How a call was refused, None if it was answered; any other error goes on."""
    try:
        call(*values, **options)
    except MemstoneError as error:
        return error
    return None


# --- K8: odd paths -------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["a\0b", "a\ud800", 5, 1.5, True, [], {}, object()])
def test_k8_what_is_no_path_is_refused_and_named(path: Any) -> None:
    with pytest.raises(InvalidInput, match="path: "):
        memstone.open(path)


@pytest.mark.parametrize("name", ["猫" * 100, "x" * 5_000, "x" * 300 + ".db"])
def test_k8_a_name_too_long_for_a_folder_cannot_be_created(tmp_path: Path, name: str) -> None:
    with pytest.raises(CannotCreate, match="too long"):
        memstone.open(tmp_path / name)


def test_k8_a_project_too_long_for_a_path_has_no_settings_file(tmp_path: Path) -> None:
    with memstone.open(tmp_path / "home", project="/" + "项" * 300) as engine:
        assert engine.scope.project == "/" + "项" * 300


@pytest.mark.parametrize("name", ["user", "project", "agent", "surface"])
def test_k8_a_name_of_a_scope_is_text(tmp_path: Path, name: str) -> None:
    wrong: tuple[object, ...] = (5, [], {}, b"x", "\ud800", 1.5, True)
    for value in wrong:
        options: dict[str, Any] = {name: value}
        with pytest.raises(MemstoneError, match=f"{name}: "):
            memstone.open(tmp_path / "home", **options)
    assert not (tmp_path / "home").exists()


def test_k8_a_clock_is_something_to_call(tmp_path: Path) -> None:
    with pytest.raises(WrongType, match="clock: something to call is needed, not int"):
        memstone.open(tmp_path / "home", clock=5)  # type: ignore[arg-type]


def test_k8_memory_is_a_store_in_memory_and_makes_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with memstone.open(":memory:", user="ana") as engine:
        engine.remember("The cat is called Miu 猫")
        assert [hit.text for hit in engine.recall("猫")] == ["The cat is called Miu 猫"]
        assert engine.path == ""
    assert list(tmp_path.iterdir()) == []


# --- K14: wrong JSON types -----------------------------------------------------------------------


def test_k14_every_public_operation_is_tried_here() -> None:
    assert set(SAMPLES) == {
        name for name in OPERATIONS if name not in {"close", "count", "list", "log", "stats"}
    } - {
        "conflicts",
        "feedback",
        "flush",
        "forget_where",
        "pending",
        "review",
        "session_block",
        "status",
        "work",
    }


@pytest.mark.parametrize("operation", OPERATIONS)
def test_k14_a_wrong_value_is_never_a_raw_error(engine: Engine, operation: str) -> None:
    if operation == "close":
        return
    call, sample = getattr(engine, operation), SAMPLES.get(operation, ())
    names = [
        name
        for name, parameter in inspect.signature(call).parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY
    ]
    for value in BAD_VALUES:
        for place in range(len(sample)):
            refusal(call, *sample[:place], value, *sample[place + 1 :])
        for name in names:
            refusal(call, *sample, **{name: value})
    engine.list(limit=None)  # whatever was let in can be read
    engine.export(len)
    engine.log()


@pytest.mark.parametrize(
    ("operation", "options", "message"),
    [
        ("remember", {"kind": []}, "kind: text is needed, not list"),
        ("remember", {"trust": {}}, "trust: text is needed, not dict"),
        ("remember", {"session": [5]}, "session: text is needed, not list"),
        ("remember", {"pinned": "false"}, "pinned: true or false is needed, not str"),
        ("remember", {"tags": {"a": 1}}, "tags: a list of text is needed, not dict"),
        ("remember", {"at": 5}, "at: a date or time is needed, not int"),
        ("recall", {"limit": 5.0}, "limit: a whole number is needed, not float"),
        ("recall", {"min_score": []}, "min_score: a number is needed, not list"),
        ("recall", {"touch": "no"}, "touch: true or false is needed, not str"),
        ("recall", {"scope": "ana"}, "scope: a memstone.Scope is needed, not str"),
        ("list", {"history": "yes"}, "history: true or false is needed, not str"),
        ("forget", {"dry_run": 1}, "dry_run: true or false is needed, not int"),
    ],
)
def test_k14_case_31_the_error_names_the_argument_and_the_type(
    engine: Engine, operation: str, options: dict[str, object], message: str
) -> None:
    error = refusal(getattr(engine, operation), *SAMPLES.get(operation, ()), **options)
    assert error is not None
    assert (error.code, error.message, error.exit_code) == ("wrong_type", message, 2)
    assert error.fields["name"] == message.partition(":")[0]


def test_k14_an_unknown_argument_is_an_error_with_the_nearest_name(engine: Engine) -> None:
    error = refusal(engine.count, bogus=1)
    assert error is not None
    assert (error.code, error.message) == ("invalid_input", "count: there is no argument 'bogus'")
    error = refusal(engine.recall, "猫", limt=3)
    assert error is not None
    assert error.hint == "did you mean 'limit'?"


def test_k14_a_missing_a_repeated_and_a_surplus_argument_are_errors(engine: Engine) -> None:
    for call, values, options, message in (
        (engine.remember, (), {}, "remember: text is missing"),
        (engine.remember, ("a",), {"text": "b"}, "remember: text is given twice"),
        (engine.get, ("a", "b"), {}, "get: 2 values, at most 1 can stand without a name"),
        (engine.stats, (1,), {}, "stats: 1 values, at most 0 can stand without a name"),
    ):
        error = refusal(call, *values, **options)
        assert error is not None
        assert error.message == message


@pytest.mark.parametrize("path", [5, None, b"x", [], {}, 1.5, object()])
def test_k14_a_file_to_import_is_a_name_or_a_binary_file(engine: Engine, path: Any) -> None:
    with pytest.raises(WrongType, match="path: the name of a file, or a binary file is needed"):
        engine.import_file(path)


@pytest.mark.parametrize("turns", ["text", 5, None, {"role": "user"}, b"x"])
def test_k14_what_is_no_list_of_turns_is_refused(engine: Engine, turns: Any) -> None:
    with pytest.raises(WrongType, match=r"turns: a list of memstone\.Turn is needed"):
        engine.ingest(turns)


@pytest.mark.parametrize("value", [5, None, "x", {"role": "user", "content": "你好"}, ["x"]])
def test_k14_what_is_no_turn_is_refused_by_its_number_and_nothing_is_stored(
    engine: Engine, value: Any
) -> None:
    with pytest.raises(WrongType, match=r"turn 2: a memstone\.Turn is needed, not ") as caught:
        engine.ingest([Turn(text="早上好"), value, Turn(text="好 good morning")])
    assert (caught.value.fields["turn"], caught.value.fields["stored"]) == (2, 0)
    assert "Turn(text=" in (caught.value.hint or "")
    assert engine.list() == []


TURN_FIELDS = ("text", "speaker", "session", "at", "external_id", "ordinal", "trust", "tags")


@pytest.mark.parametrize("field", TURN_FIELDS)
def test_k14_a_wrong_field_of_a_turn_is_refused_by_name(engine: Engine, field: str) -> None:
    for value in (*BAD_VALUES, 10**18):
        turn: Any = {"text": "早上好", "session": "一", field: value}
        before = engine.count()
        error = refusal(engine.ingest, [Turn(text="好"), Turn(**turn)])
        if error is not None:
            assert error.message.startswith("turn 2: "), error.message
            assert field.rstrip("s") in error.message, error.message
        stored = engine.count() - before  # a value may do, or be something that was said
        assert stored >= 1 if error is None else stored == 0, value
    engine.list(limit=None)
    engine.export(len)


def test_a_malformed_turn_of_an_iterator_tells_how_many_are_stored(engine: Engine) -> None:
    turns: Any = (Turn(text=f"好 {n}") if n != 300 else {"text": "x"} for n in range(400))
    with pytest.raises(InvalidInput, match=r"turn 301: a memstone\.Turn is needed") as caught:
        engine.ingest(turns)
    assert caught.value.fields["stored"] == engine.count() == 256


def test_limits_of_a_name_are_a_fault_of_the_caller_too(engine: Engine) -> None:
    with pytest.raises(InvalidInput, match="turn 2: speaker: 3000 bytes"):
        engine.ingest([Turn(text="好"), Turn(text="好", speaker="x" * 3_000)])
    assert engine.count() == 0


def test_what_was_said_raises_nothing_and_is_reported(engine: Engine) -> None:
    said = (" ", "\ud800", "x" * (MAX_TURN_BYTES + 1))
    report = engine.ingest([Turn(text="早上好"), *(Turn(text=text) for text in said)])
    assert report.created == 1
    assert [(one.line, one.bad) for one in report.skipped] == [(2, False), (3, True), (4, True)]


def test_k14_a_turn_may_spell_its_trust_and_its_one_tag(engine: Engine) -> None:
    engine.ingest([Turn(text="早上好", trust="user", tags="问候")])  # type: ignore[arg-type]
    (memory,) = engine.list()
    assert (memory.provenance.trust, memory.tags) == ("user", ("问候",))


def test_k14_an_annotation_without_a_check_stops_the_class_not_the_caller() -> None:
    class Odd:
        def operation(self, value: complex) -> None:
            """Takes what no table knows."""

    with pytest.raises(KeyError, match="complex"):
        checked_operations(Odd)


def test_k14_every_check_is_used_by_some_operation() -> None:
    used = {
        annotation.removesuffix(OPTIONAL)
        for function in (memstone.open, *(getattr(Engine, name) for name in OPERATIONS))
        for name, annotation in function.__annotations__.items()
        if name != "return"
    }
    of_turns = {*Turn.__annotations__.values(), *Note.__annotations__.values()}
    assert set(CHECKS) <= used | {each.removesuffix(OPTIONAL) for each in of_turns}


# --- K16: secrets in the wrong place -------------------------------------------------------------


def refused_with_a_key(engine: Engine) -> Iterator[MemstoneError | None]:
    yield refusal(engine.remember, "猫", kind=KEY)
    yield refusal(engine.remember, "猫", trust=KEY)
    yield refusal(engine.recall, "猫", kinds=[KEY])
    yield refusal(engine.recall, "猫", since=KEY)
    yield refusal(engine.recall, "猫", limit=KEY)
    yield refusal(engine.get, KEY)
    yield refusal(engine.supersede, KEY, "猫")
    yield refusal(engine.recover, KEY)
    yield refusal(engine.log, id=KEY)
    yield refusal(engine.import_file, KEY)
    yield refusal(engine.import_file, os.devnull, format=KEY)
    yield refusal(engine.judge, "mem_0000000000000000", "猫", KEY)


def test_k16_an_error_never_repeats_a_key_given_in_the_wrong_place(engine: Engine) -> None:
    for number, error in enumerate(refused_with_a_key(engine)):
        assert error is not None, number
        shown = "".join(traceback.format_exception(error))
        told = f"{error}{error.message}{error.hint}{error.fields}"
        assert KEY not in told + shown, number
    with tempfile.TemporaryDirectory() as folder:
        told = str(refusal(memstone.open, f"{folder}/{KEY}/\0"))
    assert KEY not in told


def test_k16_an_error_repeats_a_word_that_is_only_misspelt(engine: Engine) -> None:
    error = refusal(engine.remember, "猫", kind="fakt")
    assert error is not None
    assert error.message == "kind: 'fakt' is not known"
    error = refusal(engine.recall, "猫", since="2026-13-45T10:00:00Z")
    assert error is not None
    assert "2026-13-45T10:00:00Z" in error.message


# --- K16: questions without a bound --------------------------------------------------------------


@pytest.fixture
def cats(engine: Engine) -> Engine:
    engine.remember("The cat is called Miu")
    engine.remember("我家的狗叫豆豆")
    return engine


DOCUMENTS = {
    "english": "Quarterly report on logistics and procurement, page after page. " * 4_000,
    "chinese": "本报告回顾季度物流与采购情况，共计若干页。" * 12_000,
}


@pytest.mark.parametrize("language", DOCUMENTS)
def test_k16_a_question_behind_a_pasted_document_is_answered(cats: Engine, language: str) -> None:
    for asked, answer in (
        ("\nWhat is the cat called?", "The cat is called Miu"),
        ("\n我家的狗叫什么？", "我家的狗叫豆豆"),
    ):
        result = cats.recall(DOCUMENTS[language] + asked, min_score=0)
        assert result.hits[0].text == answer
        assert result.degraded[0] == "query_shortened"
        assert result.query == DOCUMENTS[language] + asked


def test_k16_a_question_before_a_pasted_document_is_read_too(cats: Engine) -> None:
    result = cats.recall("What is the cat called? " + DOCUMENTS["english"], min_score=0)
    assert [hit.text for hit in result.hits] == ["The cat is called Miu"]


def test_k16_a_question_of_five_megabytes_is_analysed_in_part(
    cats: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    whole = analysis.analyze_query

    def measured(query: str) -> Query:
        read.append(len(query))
        return whole(query)

    monkeypatch.setattr(analysis, "analyze_query", measured)
    cats.recall("猫 and dog " * 500_000)
    assert read == [HEAD_CHARACTERS + 1 + TAIL_CHARACTERS]


def test_k16_case_50_a_long_question_is_not_repeated_whole_in_json(cats: Engine) -> None:
    asked = DOCUMENTS["english"] + "What is the cat called?"
    told = recall_to_json(cats.recall(asked))["query"]
    assert isinstance(told, str)
    assert len(told) == SHOWN_CHARACTERS + 1
    assert told.startswith("Quarterly")
    assert told.endswith("What is the cat called?")


def test_k16_a_question_of_ordinary_length_is_read_and_repeated_whole(cats: Engine) -> None:
    result = cats.recall("什么 " * 600 + "cat")
    assert result.degraded == ()
    assert recall_to_json(result)["query"] == "什么 " * 600 + "cat"


def test_k16_an_explanation_reads_the_same_part_of_a_question(cats: Engine) -> None:
    (miu,) = (memory for memory in cats.list() if "Miu" in memory.text)
    told = cats.explain(miu.id, DOCUMENTS["english"] + "What is the cat called?", min_score=0)
    assert told.memory.id == miu.id
