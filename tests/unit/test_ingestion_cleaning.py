"""What never reaches a store, by typing or by import: secrets, private spans, blanks, too much.

Each test runs on both stores, with English and Chinese texts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memstone.errors import (
    BlankText,
    InvalidInput,
    MemoryTooLarge,
    SecretFound,
    TextNotUnicode,
)
from memstone.types import Redaction, Scope
from tests.unit.engines import (
    Clock,
    empty,
    exported,
    recalled,
    restore,
    said,
    texts,
)
from tests.unit.redaction_samples import TOKENS

if TYPE_CHECKING:
    from collections.abc import Callable

    from memstone.engine import Engine

KIND_OF_SECRET, SECRET = TOKENS["github classic"]


def test_an_import_redacts_and_counts_what_it_blanked(engine: Engine) -> None:
    turns = [said(f"钥匙是 {SECRET}", ordinal=1), said("好", ordinal=2)]
    report = engine.ingest(turns, source="chat")
    assert (report.created, report.redacted) == (2, 1)
    assert texts(engine.list())[-1] == f"钥匙是 [REDACTED:{KIND_OF_SECRET}]"
    assert engine.ingest(turns, source="chat").known == 2


@pytest.mark.parametrize(
    "field", ["role", "session", "speaker", "subject", "attribute", "external_id", "source"]
)
def test_a_secret_is_refused_in_every_field(engine: Engine, field: str) -> None:
    first = engine.remember("预算是 100")
    before = exported(engine)
    acts: list[Callable[[], object]] = [
        lambda: engine.remember("x", **{field: SECRET}),  # type: ignore[arg-type]
        lambda: engine.supersede(first.id, "x", **{field: SECRET}),  # type: ignore[arg-type]
    ]
    for act in acts:
        with pytest.raises(SecretFound) as refused:
            act()
        assert refused.value.exit_code == 77
        assert KIND_OF_SECRET in refused.value.message
        assert SECRET not in f"{refused.value} {refused.value.hint} {refused.value.fields}"
    assert exported(engine) == before


def test_a_secret_is_refused_in_texts_and_tags(engine: Engine) -> None:
    first = engine.remember("预算是 100")
    acts: list[Callable[[], object]] = [
        lambda: engine.remember(f"the key: {SECRET}"),
        lambda: engine.supersede(first.id, f"密钥 {SECRET}"),
        lambda: engine.remember("x", tags=["ok", SECRET]),
        lambda: engine.tag(first.id, SECRET),
    ]
    for act in acts:
        with pytest.raises(SecretFound):
            act()
    assert texts(engine.list(history=True)) == ["预算是 100"]


@pytest.mark.parametrize(
    "scope", [Scope("ana", SECRET), Scope("ana", "", SECRET), Scope(SECRET)], ids=repr
)
def test_a_secret_is_refused_in_a_scope(engine: Engine, scope: Scope) -> None:
    with pytest.raises(SecretFound):
        engine.remember("预算是 100", scope=scope)


def test_an_imported_turn_keeps_no_secret_in_its_key(engine: Engine) -> None:
    turns = [said("你好", external_id=SECRET)]
    assert engine.ingest(turns, source="chat").redacted == 1
    assert SECRET not in exported(engine)
    assert engine.ingest(turns, source="chat").known == 1


def test_an_imported_export_keeps_no_secret_in_any_field(engine: Engine, clock: Clock) -> None:
    other = empty(clock)
    other.ingest([said("你好", external_id="KEY")], source="SOURCE", scope=Scope("ana", "PROJECT"))
    lines = exported(other)
    for place in ("KEY", "SOURCE", "PROJECT"):
        assert place in lines
        lines = lines.replace(place, SECRET)
    lines = lines.replace('"method":', f'"producer": "{SECRET}", "method":')
    restore(engine, lines)
    assert SECRET not in exported(engine)


def test_l25_a_turn_with_nothing_but_a_secret_in_it_is_left_out_and_named(engine: Engine) -> None:
    talk = ("我的猫叫豆豆", f"「{SECRET}」!", f"my key: {SECRET}", "嗯")
    report = engine.ingest([said(text, ordinal=n) for n, text in enumerate(talk)])
    assert (report.created, report.redacted) == (3, 1)
    assert [(one.line, one.bad) for one in report.skipped] == [(2, False)]
    assert "nothing is left" in report.skipped[0].reason
    assert len(texts(engine.list())) == 3
    assert [hit.text for hit in engine.recall("猫叫什么名字？")] == ["我的猫叫豆豆"]


def test_private_spans_are_cut_and_counted(engine: Engine) -> None:
    memory = engine.remember("Ana has <private>a secret cat 猫</private>two dogs")
    assert memory.text == "Ana has two dogs"
    assert memory.redactions == (Redaction("private", 1),)
    assert recalled(engine, "猫 secret") == []
    with pytest.raises(BlankText, match="private"):
        engine.remember("<private>只有这个</private>")


def test_a_memory_has_at_most_sixty_four_tags(engine: Engine) -> None:
    full = [f"标签{number}" for number in range(64)]
    memory = engine.remember("预算是 100", tags=full)
    assert len(memory.tags) == 64
    acts: list[Callable[[], object]] = [
        lambda: engine.remember("x", tags=[*full, "more"]),
        lambda: engine.remember("预算是 100", tags=["more"]),
        lambda: engine.tag(memory.id, "more"),
    ]
    for act in acts:
        with pytest.raises(InvalidInput):
            act()


@pytest.mark.parametrize("letter", ["a", "é", "猫", "🤖"])
def test_the_largest_memory_has_262144_bytes(engine: Engine, letter: str) -> None:
    count, rest = divmod(262_144, len(letter.encode("utf-8")))
    text = letter * count + "." * rest
    memory = engine.remember(text)
    assert engine.recover(memory.handle) == text
    with pytest.raises(MemoryTooLarge) as refused:
        engine.remember(text + ".")
    assert (refused.value.code, refused.value.exit_code) == ("memory_too_large", 65)
    with pytest.raises(MemoryTooLarge):
        engine.supersede(memory.id, text + ".")
    assert engine.remember(text + "<private>.</private>").id == memory.id


@pytest.mark.parametrize("text", ["", " \t\n", "　\u2003", "\r\n"])
def test_a_blank_text_is_refused(engine: Engine, text: str) -> None:
    with pytest.raises(BlankText) as refused:
        engine.remember(text)
    assert refused.value.exit_code == 65
    assert engine.count() == 0


@pytest.mark.parametrize("field", ["text", "session", "speaker", "tags"])
def test_half_a_character_is_refused_in_every_field(engine: Engine, field: str) -> None:
    given: dict[str, object] = {"text": "猫", field: ["\ud83d"] if field == "tags" else "\ud83d"}
    with pytest.raises(TextNotUnicode):
        engine.remember(**given)  # type: ignore[arg-type]
