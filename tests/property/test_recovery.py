"""recover ∘ remember is the identity, and what cannot be stored exactly is refused clearly.

Any Unicode text comes back byte for byte, from both stores, secret-like shapes included where the
settings allow them; where they do not, nothing of the text is kept. Half a character and a blank
text are refused.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import hypothesis.strategies as st
import pytest
from hypothesis import example, given, settings

import memstone
from memstone.config import load
from memstone.engine import Engine
from memstone.errors import BlankText, MemoryTooLarge, SecretFound, TextNotUnicode
from memstone.redaction import DEFAULT_POLICIES
from memstone.storage.inmemory import InMemoryStore
from memstone.types import MAX_TEXT_BYTES, Kind, Scope
from tests.unit.redaction_samples import TOKENS

if TYPE_CHECKING:
    from collections.abc import Iterator

USER = "ana"
ALLOWED = dict.fromkeys(DEFAULT_POLICIES, "allow")
SECRETS = tuple(text for _, text in TOKENS.values())

texts = st.text(max_size=200)
secretive = st.builds("{}\n{}\n{}".format, texts, st.sampled_from(SECRETS), texts)
halves = st.characters(categories=["Cs"])


@pytest.fixture(scope="module")
def engines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Engine, Engine]]:
    """Both stores, with every class of secret allowed."""
    folder = tmp_path_factory.mktemp("recovery") / "home"
    chosen = load("/nowhere", overrides={"user": USER, "redaction": ALLOWED}, environ={})
    with ExitStack() as stack:
        on_disk = stack.enter_context(memstone.open(folder, user=USER, redaction=ALLOWED))
        yield on_disk, Engine(InMemoryStore(), chosen, Scope(USER))


def is_plain(text: str) -> bool:
    """Whether the text is kept as it is: not blank, no private span."""
    return bool(text.strip()) and "<private" not in text.casefold()


@given(text=(texts | secretive).filter(is_plain), kind=st.sampled_from(Kind))
@example(text="\0猫\u202e\U0001f916\r\n", kind=Kind.FACT)
@example(text="\ufeffe\u0301 İ ß ς \U0010ffff", kind=Kind.TURN)
def test_what_is_recovered_is_what_was_remembered(
    engines: tuple[Engine, Engine], text: str, kind: Kind
) -> None:
    for engine in engines:
        memory = engine.remember(text, kind=kind)
        assert memory.text == text
        assert memory.redactions == ()
        assert engine.recover(memory.handle) == text
        assert engine.get(memory.id).text == text
        assert engine.forget(memory.id)


@given(text=secretive.filter(is_plain))
def test_a_text_with_a_secret_leaves_no_trace(text: str) -> None:
    chosen = load("/nowhere", overrides={"user": USER}, environ={})
    engine = Engine(InMemoryStore(), chosen, Scope(USER))
    with pytest.raises(SecretFound) as refused:
        engine.remember(text)
    assert text not in refused.value.message
    assert engine.count(history=True) == 0
    assert engine.log() == []


@given(before=texts, half=halves, after=texts)
def test_half_a_character_is_refused(
    engines: tuple[Engine, Engine], before: str, half: str, after: str
) -> None:
    for engine in engines:
        with pytest.raises(TextNotUnicode) as refused:
            engine.remember(before + half + after)
        assert refused.value.exit_code == 65


@given(text=st.text(alphabet=st.characters(categories=["Zs", "Zl", "Zp"])))
def test_a_blank_text_is_refused(engines: tuple[Engine, Engine], text: str) -> None:
    for engine in engines:
        with pytest.raises(BlankText):
            engine.remember(text)


@settings(max_examples=15)  # a quarter of a megabyte each, scanned for secrets
@given(start=texts, letter=st.sampled_from("aé猫🤖"))
def test_a_text_of_exactly_the_largest_size_is_recovered(
    engines: tuple[Engine, Engine], start: str, letter: str
) -> None:
    start = start.replace("<", "")
    room = MAX_TEXT_BYTES - len(start.encode("utf-8"))
    count, rest = divmod(room, len(letter.encode("utf-8")))
    text = start + letter * count + "." * rest
    assert len(text.encode("utf-8")) == 262_144
    engine = engines[1]
    memory = engine.remember(text)
    assert engine.recover(memory.handle) == text
    engine.forget(memory.id)
    with pytest.raises(MemoryTooLarge) as refused:
        engine.remember(text + "x")
    assert (refused.value.code, refused.value.exit_code) == ("memory_too_large", 65)
