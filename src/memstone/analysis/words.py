"""The exact words of a text, read no further than a question needs.

Whether a memory holds the very word of the question or only another form of it decides between
whole and half a credit. Most of the time a glance is enough: a plain word that stands nowhere in
the text is not one of its words, and one that stands between blanks is. Everything else is
tokenised. The answer is always that of `surfaces`.
"""

from __future__ import annotations

import re

from memstone.analysis.tokenizer import surfaces

_PLAIN_WORD = re.compile(r"[a-z]{2,64}")
# ASCII, Chinese characters and their punctuation: nothing here folds into a Latin letter or is
# invisible inside a word.
_PLAIN_TEXT = re.compile(
    r"[\t\n -~\u2014\u2026\u3001-\u3011\u4e00-\u9fff\uff01\uff08-\uff0c\uff1f]*"
)
_APART = frozenset(["", *' \t\n.,;:!?()"'])


class Words:
    """`word in Words(text)`: whether `word`, folded but not stemmed, is a form in `text`.

    >>> [word in Words("Ana's budgets (main.py)") for word in ("budget", "budgets", "main.py")]
    [False, True, True]
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._plain: str | None = text.lower() if _PLAIN_TEXT.fullmatch(text) else None
        self._all: frozenset[str] | None = None

    def __contains__(self, word: object) -> bool:
        if not isinstance(word, str):
            return False
        if self._all is None:
            glance = self._glance(word)
            if glance is not None:
                return glance
            self._all = surfaces(self._text)
        return word in self._all

    def _glance(self, word: str) -> bool | None:
        """The answer if it is plain to see, else None."""
        text = self._plain
        if text is None or not _PLAIN_WORD.fullmatch(word):
            return None
        at = text.find(word)
        if at < 0:
            return False
        while at >= 0:
            end = at + len(word)
            if text[max(at - 1, 0) : at] in _APART and text[end : end + 1] in _APART:
                return True
            at = text.find(word, end)
        return None
