"""Passwords, keys and tokens without a shape of their own: `api_key = …`, `密码是 …`.

Found in three steps. A keyword is searched as a literal. What follows (or precedes) it must be
one of a few links: an assignment, a label, `is`, `是`, or the value right beside it. Then the
value is cut out and `values` judges whether it is one. English and Chinese forms mix freely
(`token 是 …`).

The keyword alone proves nothing and the value alone proves nothing; that is what keeps `token
budget is 2000` and `密码错误` in memory. Every look is bounded, so the cost is linear in the
text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from memstone.redaction import grammar
from memstone.redaction.findings import PASSWORD, Finding
from memstone.redaction.values import Candidate, Link, is_secret

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_VALUE = 128  # characters that are judged; a longer run is redacted whole
MAX_LOOKBACK = 80
MAX_CHAIN = 8  # further values after one: "hunter2 and sunshine9"


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


@dataclass(eq=False, repr=False)  # light: see `findings`
class _Mention:
    """A keyword at its place in a folded text. `lower` is the text in lower case, position by
    position the same; `before` is what stands before the keyword on its line, lower case.
    """

    text: str
    lower: str
    keyword: grammar.Keyword
    start: int
    end: int
    before: str

    @property
    def word(self) -> str:
        return self.lower[self.start : self.end]

    @property
    def chinese(self) -> bool:
        return not self.word.isascii()


@dataclass(eq=False, repr=False)  # light: see `findings`
class _Tie:
    """A link found after a keyword: where its value starts and how far it is to be trusted."""

    link: Link
    end: int
    chinese: bool = False
    only_quoted: bool = False  # `==` compares: a name there is a variable
    only_element: bool = False  # `<password>` is a placeholder unless it is closed
    only_ends: bool = False  # the value stands on a line of its own
    flag: bool = False  # `--password x`


@dataclass(eq=False, repr=False)  # light: see `findings`
class _Value:
    """A value cut out of the text, quotes outside."""

    start: int
    end: int
    quoted: bool = False


def scan_phrases(text: str) -> Iterator[Finding]:
    """Passwords, keys and tokens that a keyword announces in a folded `text`, by position."""
    lower = text.lower()
    if len(lower) != len(text):  # İ alone grows in lower case
        lower = text.replace("İ", "I").lower()
    covered = 0  # a keyword inside a value is part of it; looking again would cost a square
    for mention in _mentions(text, lower):
        if mention.start < covered:
            continue
        value = _value_after(mention) or _value_before(mention)
        if value is None:
            continue
        for found in (value, *_chained(mention, value)):
            yield Finding(
                mention.keyword.kind, mention.keyword.policy_class, found.start, found.end
            )
            covered = max(covered, found.end)


def _mentions(text: str, lower: str) -> Iterator[_Mention]:
    """Every keyword of the text, ascending."""
    found: list[tuple[int, int, int]] = []
    for index, keyword in enumerate(grammar.KEYWORDS):
        if keyword.literal in lower:
            matches = _compiled(keyword.pattern).finditer(lower)
            found += ((match.start(), match.end(), index) for match in matches)
    found.sort()
    for start, end, index in found:
        keyword = grammar.KEYWORDS[index]
        before = lower[max(0, start - MAX_LOOKBACK) : start]
        before = before[before.rfind("\n") + 1 :]
        if not keyword.before or _compiled(keyword.before).search(before[-24:]):
            yield _Mention(text, lower, keyword, start, end, before)


def _value_after(mention: _Mention) -> _Value | None:
    for tie in _ties(mention):
        if mention.keyword.phrase:
            words = _compiled(grammar.WORDS).match(mention.text, tie.end)
            if words and _is_secret(mention, tie, _Value(*words.span())):
                return _Value(*words.span())
        value = _cut(mention.text, tie.end)
        if value and _fits(mention.text, tie, value) and _is_secret(mention, tie, value):
            return _extended(mention.text, value)
        if value is None and (glued := _behind_cjk(mention, tie)):
            return _extended(mention.text, glued)
    return None


def _behind_cjk(mention: _Mention, tie: _Tie) -> _Value | None:
    """A value right behind a few Chinese, Japanese or Korean characters: `password: 猫hunter2`."""
    if tie.link is Link.BESIDE or mention.keyword.policy_class != PASSWORD:
        return None
    glue = _compiled(grammar.GLUE).match(mention.text, tie.end)
    value = _cut(mention.text, glue.end()) if glue else None
    if glue and value and _is_secret(mention, _Tie(Link.BESIDE, glue.end()), value):
        return value
    return None


def _ties(mention: _Mention) -> Iterator[_Tie]:
    """Every link that may be read after the keyword, most certain first."""
    lower = mention.lower
    suffix = _compiled(grammar.SUFFIX).match(lower, mention.end)
    end = suffix.end() if suffix else mention.end
    before = mention.before
    if match := _compiled(grammar.ASSIGNED).match(lower, end):
        yield _Tie(Link.ASSIGNED, match.end(), only_quoted="==" in match[0])
        return
    if lower.startswith(">", end) and _compiled(r"<[\w:-]{0,24}\Z").search(before):
        yield _Tie(Link.ASSIGNED, end + 1, only_element=True)
        return
    if match := _compiled(grammar.LABELLED).match(lower, end):
        next_line = "\n" in match[0]
        yield _Tie(
            Link.BESIDE if next_line else Link.LABELLED,
            match.end(),
            chinese=mention.chinese,
            only_ends=next_line,
        )
        return
    if match := _compiled(grammar.CELL).match(lower, end):
        yield _Tie(Link.BESIDE, match.end())
        return
    if match := _compiled(grammar.SAID).match(lower, end):
        yield _Tie(Link.SAID, match.end(), chinese=mention.chinese)
    for pattern in (grammar.TURNED_FROM, grammar.TURNED):
        match = _compiled(pattern).match(lower, end)
        if match and _compiled(grammar.TURNING).search(before):
            yield _Tie(Link.SAID, match.end())
    if match := _compiled(grammar.SAID_CHINESE).match(lower, end):
        yield _Tie(Link.SAID, match.end(), chinese=True)
    yield from _ties_beside(mention, end)


def _ties_beside(mention: _Mention, end: int) -> Iterator[_Tie]:
    gap = _compiled(grammar.BESIDE).match(mention.lower, end)
    start = gap.end() if gap else end
    if gap and _compiled(grammar.FLAG).search(mention.before):
        yield _Tie(Link.ASSIGNED, start, flag=True)
    elif mention.chinese or (gap and _compiled(grammar.BESIDE_BEFORE).search(mention.before[-24:])):
        yield _Tie(Link.BESIDE, start, chinese=mention.chinese)


def _cut(text: str, start: int) -> _Value | None:
    """The value that begins at `start`: up to its closing quote, or to a border of its run."""
    if opening := _compiled(grammar.OPENING).match(text, start):
        start = opening.end()
        end = _closing_quote(text, start, opening[1], grammar.CLOSING[opening[2]])
        if end > start:
            return _Value(start, end, quoted=True)
    run = _compiled(f"{grammar.VALUE}{{1,{MAX_VALUE}}}+").match(text, start)
    if run is None:
        return None
    cut = _compiled(grammar.CUT).search(text, start, run.end())
    end = cut.start() if cut else run.end()
    end = start + len(text[start:end].rstrip(".,;:)]}>'\"*"))
    return _Value(start, end) if end > start else None


def _closing_quote(text: str, start: int, escape: str, quote: str) -> int:
    """Where the quoted value ends, on its line; -1 if it is not closed there."""
    limit = min(len(text), start + MAX_VALUE)
    newline = text.find("\n", start, limit)
    limit = newline if newline >= 0 else limit
    position = text.find(quote, start, limit)
    while position >= 0:
        end = position - len(escape)
        escaped = text[position - 1] == "\\"
        if escaped if escape else not escaped:
            return end
        position = text.find(quote, position + 1, limit)
    return -1


def _extended(text: str, value: _Value) -> _Value:
    """The whole run of a value that was longer than what is judged."""
    if value.quoted or value.end - value.start < MAX_VALUE:
        return value
    rest = _compiled(f"{grammar.VALUE}*+").match(text, value.end)
    return _Value(value.start, rest.end() if rest else value.end)


def _fits(text: str, tie: _Tie, value: _Value) -> bool:
    """Whether the value stands as its link demands."""
    if tie.only_quoted and not value.quoted:
        return False
    if tie.only_element and not text.startswith("</", value.end):
        return False
    return not tie.only_ends or _compiled(grammar.ENDS).match(text, value.end) is not None


def _is_secret(mention: _Mention, tie: _Tie, value: _Value) -> bool:
    segment = _compiled(grammar.BREAK).split(mention.before)[-1]
    candidate = Candidate(
        value=mention.text[value.start : value.end],
        link=tie.link,
        password=mention.keyword.policy_class == PASSWORD or mention.keyword.phrase,
        quoted=value.quoted,
        chinese=tie.chinese,
        certain=_is_certain(mention),
        heads=len(segment) <= 40 and _compiled(grammar.HEAD).fullmatch(segment) is not None,
        ends=tie.flag or _compiled(grammar.ENDS).match(mention.text, value.end) is not None,
        vague=mention.word in {"pass", "pw"},
        phrase=mention.keyword.phrase,
        following=mention.lower[value.end : value.end + 16],
    )
    return is_secret(candidate)


def _is_certain(mention: _Mention) -> bool:
    """Whether the keyword means a certain key: "my token", "client secret", not "the token"."""
    before = mention.before[-40:]
    return (
        mention.keyword.kind in {"api_key", "secret_key"}
        or _compiled(grammar.COMPOUND).search(before) is not None
        or _compiled(grammar.OWN).search(before) is not None
    )


def _chained(mention: _Mention, value: _Value) -> Iterator[_Value]:
    """Values that follow one another: `from hunter2 to sunshine9`, `hunter2 或 sunshine9`."""
    for _ in range(MAX_CHAIN):
        joint = _compiled(grammar.CHAIN).match(mention.lower, value.end)
        following = _cut(mention.text, joint.end()) if joint else None
        if following is None or "=" in mention.text[following.start : following.end]:
            return
        tie = _Tie(Link.BESIDE, following.start, chinese=mention.chinese)
        if not _is_secret(mention, tie, following):
            return
        value = _extended(mention.text, following)
        yield value


def _value_before(mention: _Mention) -> _Value | None:
    """The value of `hunter2 is my password` and `hunter2 是我的密码`, passwords only."""
    if mention.keyword.policy_class != PASSWORD or not mention.before:
        return None
    if not _compiled(grammar.BEFORE_HINT).search(mention.before):
        return None
    if not _compiled(grammar.BEFORE_ENDS).match(mention.lower, mention.end):
        return None
    for pattern in (grammar.BEFORE_ENGLISH, grammar.BEFORE_CHINESE):
        if match := _compiled(pattern).search(mention.before):
            offset = mention.start - len(mention.before)
            start, end = offset + match.start(1), offset + match.end(1)
            quoted = start > 0 and mention.text[start - 1] in grammar.CLOSING
            tie = _Tie(Link.SAID if quoted else Link.BESIDE, start)
            value = _Value(start, end, quoted)
            if _is_secret(mention, tie, value):
                return value
    return None
