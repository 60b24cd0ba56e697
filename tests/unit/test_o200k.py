"""Exact token counts: the same by the compiled part alone and by the whole package."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstone import o200k
from memstone.engine.lazily import TokensWhenCounted
from memstone.tokens import EstimatedTokens

TEXTS = [
    "the deploy key lives in vault under ops/deploy",
    "预算从一百改成了二百。",
    "🧑\u200d🚀 astronaut",
    "<|endoftext|> counts as text",
    "a\0b \ufffd\u2028",
    " \n\t  ",
]


@pytest.mark.parametrize("text", TEXTS)
def test_both_ways_count_the_same(text: str) -> None:
    compiled = o200k._compiled()
    assert compiled is not None
    assert compiled(text) == o200k._imported()(text) == o200k.O200kTokens().count(text) > 0


@given(st.text(max_size=80))
def test_both_ways_count_any_text_the_same(text: str) -> None:
    assert o200k.O200kTokens().count(text) == o200k._imported()(text)


def test_an_empty_text_has_no_tokens() -> None:
    assert o200k.O200kTokens().count("") == 0


def test_the_whole_package_serves_where_the_compiled_part_is_not_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(o200k, "_compiled", lambda: None)
    assert o200k.O200kTokens().count(TEXTS[0]) == 10


@pytest.mark.parametrize("ending", [".nowhere"])
def test_a_package_without_a_compiled_part_is_no_error(
    monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    monkeypatch.setattr(o200k, "EXTENSION_SUFFIXES", [ending])
    assert o200k._compiled.__wrapped__() is None
    monkeypatch.setattr(o200k, "PACKAGE", "no_such_package_at_all")
    assert o200k._compiled.__wrapped__() is None


def test_without_the_extra_tokens_are_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent() -> None:
        raise ModuleNotFoundError(name="bpe_openai")

    exact = TokensWhenCounted()
    assert (exact.basis, exact.count(TEXTS[0])) == ("o200k", 10)
    monkeypatch.setattr(o200k, "_compiled", lambda: None)
    monkeypatch.setattr(o200k, "_imported", absent)
    estimating = TokensWhenCounted()
    assert estimating.count(TEXTS[0]) == EstimatedTokens().count(TEXTS[0])
    assert estimating.basis == "estimated"
