"""A glance at a text and its tokens always agree on which words stand in it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memstone.analysis import Words, surfaces

PIECES = st.sampled_from([
    "budget", "Budget", "BUDGET", "budgets", "buDget", "don't", "don", "t", "s", "'s", "'", "re",
    "c#", "c++", "main.py", "main", "py", "gen-itgc", "user_id", "http://x.io/budget?main=py", "1",
    "1,234.50", " ", "  ", "\n", "\t", ".", ",", "-", "_", "/", "#", "+", "(", ")", '"', ":", "!",
    "预算", "改", "，", "。", "（", "é", "K", "ﬁ", "\u200b", "\u0301", "İ", "ß", "ｂｕｄｇｅｔ", "\x00",
])  # fmt: skip
WORDS = ("budget", "budgets", "don", "main", "py", "re", "id", "user", "io", "ss", "fi", "itgc")


@given(st.lists(PIECES, max_size=12))
def test_a_glance_never_disagrees_with_the_tokens(pieces: list[str]) -> None:
    text = "".join(pieces)
    forms = surfaces(text)
    for word in (*WORDS, *sorted(forms)):
        assert (word in Words(text)) == (word in forms), (word, text)


@given(st.text(max_size=60))
def test_it_agrees_on_any_text(text: str) -> None:
    forms, words = surfaces(text), Words(text)
    for word in (*WORDS, *sorted(forms)):
        assert (word in words) == (word in forms), (word, text)
