"""Passwords, keys and tokens without a shape of their own: `api_key = …`, `my password is …`, `密码是 …`.

Found in three steps. A keyword is searched as a literal. What follows (or precedes) it must be one of a
few links: an assignment, a label, `is`, `是`, or the value right beside it. Then the value is cut out and
`values` judges whether it is one. The English and the Chinese forms mix freely (`token 是 …`).

The keyword alone proves nothing and the value alone proves nothing; that is what keeps `token budget is
2000` and `密码错误` in memory. Every look is bounded, so the cost is linear in the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from memstone.redaction.findings import KEY, PASSWORD, Finding
from memstone.redaction.values import Candidate, Link, is_secret

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_VALUE = 512  # characters that are judged; a longer run is redacted whole
MAX_LOOKBACK = 80
_MAX_CHAIN = 8  # further values after one: "hunter2 and sunshine9"

_CJK_STOP = r"\u3001-\u303f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af“”‘’"
_CLOSING = {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "「": "」", "『": "』"}


@dataclass(frozen=True, slots=True)
class _Keyword:
    """A word that announces a secret; `literal` is searched, `before` must precede if set."""

    literal: str
    pattern: str
    kind: str
    policy_class: str = KEY
    before: str = ""
    phrase: bool = False


_KEYWORDS = (
    _Keyword(
        "pass", r"pass[ _-]?(?:word|wd|code)s?(?![a-z])|pass(?<![a-z]pass)(?=[ \t]?[=:])",
        "password", PASSWORD,
    ),
    _Keyword("pass", r"pass[ _-]?phrase(?![a-z])", "passphrase", PASSWORD, phrase=True),
    _Keyword(
        "phrase", r"phrase(?![a-z])", "seed_phrase", PASSWORD,
        before=r"(?:seed|recovery|mnemonic|backup)[ _-]?\Z", phrase=True,
    ),
    _Keyword("mnemonic", r"mnemonic(?![a-z ])", "seed_phrase", PASSWORD, phrase=True),
    _Keyword("pwd", r"pwd(?<![a-z]pwd)(?![a-z])|pwd(?<=[a-z_]pwd)(?![a-z])", "password", PASSWORD),
    _Keyword("psw", r"psw(?<![a-z]psw)d?(?![a-z])", "password", PASSWORD),
    _Keyword("密", "密[码碼]", "password", PASSWORD),
    _Keyword("口令", "口令", "password", PASSWORD),
    _Keyword("助", "助[记記][词詞]", "seed_phrase", PASSWORD, phrase=True),
    _Keyword(
        "key", r"key(?![a-z])", "api_key",
        before=r"(?:api|access|private|encryption|signing|master|auth|account|app)[ _-]?\Z",
    ),
    _Keyword("secret", r"secret[ _-]?(?:access[ _-]?)?key(?![a-z])", "secret_key"),
    _Keyword("secret", r"secret(?![a-z])", "secret"),
    _Keyword("token", r"token(?![a-z])", "token"),
    _Keyword("credential", r"credentials?(?![a-z])", "credential"),
    _Keyword("密", "密[钥鑰匙]", "secret_key"),
    _Keyword("私", "私[钥鑰]", "secret_key"),
    _Keyword("令牌", "令牌", "token"),
)

# After a keyword, before the link: `_PROD`, `"]`, `**`, ` (wifi)`.
_SUFFIX = (
    r"(?:[_-]?(?:prod|production|dev|test|staging|local|base|confirm|confirmation|value|[0-9]{1,2})"
    r"(?![a-z0-9]))?(?:\\{0,2}[\"'`]|\*{1,2}|_{1,2}|\]){0,3}(?:[ \t]?\([^()\n]{0,40}\))?"
)
_ASSIGNED = (
    r"[ \t]{0,8}(?::[ \t]?(?:str|string|bytes|secretstr|&str|optional\[str\]|str \| none)[ \t]?)?"
    r"(?:=>|:=|={1,3}|->|→)[ \t]{0,8}"
)
_ELEMENT = r">[ \t]{0,8}"  # <password>…</password>
_LABELLED = r"[ \t]{0,4}:(?![:=/])(?:\*{1,2})?[ \t]{0,8}(?:\n[ \t]{0,8})?"
_ABOUT = r"(?:[ \t]+(?:for|of|to|on|at|in|from)(?:[ \t]+[^\s.,;:!?=]{1,30}){1,4}?)?"
_BE = r"(?:(?:will|should|must|can|has|had|have)[ \t]+)?(?:is|was|are|were|be|been|becomes?|became)"
_ADVERB = (
    r"(?:[ \t]+(?:still|now|currently|just|simply|actually|always|again|probably|called|namely"
    r"|(?:set|changed|reset|updated|rotated|equal)[ \t]+(?:to|from))){0,2}"
)
_SAID = (
    rf"{_ABOUT}(?:(?:[ \t]+{_BE}|'s){_ADVERB}"
    r"|[ \t]+(?:got[ \t]+)?(?:changed|reset|updated|rotated|set|switched)[ \t]+(?:to|from))"
    r"[ \t]{0,4}[:=]?[ \t]{1,8}"
)
_TURNED = rf"{_ABOUT}[ \t]+(?:to|as|into|from)[ \t]+"  # "change the password to …"
_TURNING = (
    r"\b(?:set|sets|setting|chang(?:e|ed|ing)|reset|updat(?:e|ed|ing)|switch(?:ed)?|rotat(?:e|ed)"
    r"|us(?:e|ed|ing))\b"
)
_SAID_CHINESE = (
    r"[ \t]?的?(?:现在|現在|目前|如今|当前|當前|还|還|仍然?|依然|一直|暂时|暫時|已[经經]?|都|也|就|应该|應該|大概"
    r"|可能|被|又|统一|統一|我|给你|給你|重新|默认|默認){0,3}"
    r"(?:[设設](?:置|定)?|修?改|更[新改]|重置|[换換]|[变變]|配置|填|写|寫)?[是为為成做用叫填写寫了到回]{1,2}了?"
    r"[ \t]{0,2}:?[ \t]{0,4}"
)
_BESIDE = r"[ \t]{1,4}"
_BESIDE_BEFORE = (
    r"\b(?:with|using|uses?|used|user|username|login|logs?[ \t]in|my|our|wi-?fi|account|admin|root)\b"
    r"|/[ \t]?\Z"
)
_CELL = r"[ \t]{0,16}\|[ \t]{0,16}"
_BEFORE_ENGLISH = (
    r"(?:\A|[\s\"'`(“:：、])([^\s\"'`(“”]{4,64}?)[\"'`”]?[ \t]+(?:is|was|as)[ \t]+"
    r"(?:(?:the|my|our|his|her|their|its|your|a)[ \t]+)?(?:[a-z0-9-]{1,16}[ \t]+){0,2}\Z"
)
_BEFORE_CHINESE = (
    r"(?:\A|[^!-~])([!-~]{4,64}?)[\"'`”]?[ \t]?(?:就?是|作[为為]|[当當][做作]?|做)"
    r"[a-z0-9\u3400-\u9fff-]{0,10}\Z"
)
_CHAIN = r"[\"'`”]?[ \t]{0,4}(?:[,/、]|and\b|or\b|to\b|then\b|->|→|和|或|及|与|與|跟|[改换換][成为為])[ \t]{0,4}"
_OWN = (
    r"\b(?:my|our)[ \t]+(?:[\w-]{1,16}[ \t]+){0,2}[\w-]{0,16}\Z|[我咱他她](?:们|們)?的?[^、。\n]{0,8}\Z"
)
_HEAD = r"[\W_]*(?:[\w'-]{1,20}[ \t]+){0,3}[\w.-]{0,24}"
_ENDS = r"[.!?]?[ \t]*(?:\Z|[\n\r]|\\[nrt]|[\"'`<|]|[、。」』”’])"
_PLAIN = rf"(?:[^\s\"`<{_CJK_STOP}]|<(?![/A-Za-z]))"
_CUT = r"\\[nrt\"']|[,;&](?=[\w.%-]{1,40}[=:])|'(?![A-Za-z0-9])|->|→|\|"
_WORDS = r"[a-z]{2,12}(?: [a-z]{2,12}){3,31}(?![^\s.,;\"'])"


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


@dataclass(frozen=True, slots=True)
class _Text:
    """The folded text, and the same in lower case: character by character the same positions."""

    text: str
    lower: str


@dataclass(frozen=True, slots=True)
class _Value:
    """A value cut out of the text, quotes outside."""

    start: int
    end: int
    quoted: bool


@dataclass(frozen=True, slots=True)
class _Mention:
    """A keyword at its place, and what the text before it says."""

    keyword: _Keyword
    start: int
    end: int
    word: str
    before: str  # up to MAX_LOOKBACK characters of its line, lower case

    @property
    def chinese(self) -> bool:
        return not self.word.isascii()


def scan_phrases(text: str) -> Iterator[Finding]:
    """Passwords, keys and tokens that a keyword announces in a folded `text`, by position."""
    lower = text.lower()
    if len(lower) != len(text):  # only İ grows in lower case
        lower = text.replace("İ", "I").lower()
    if not any(keyword.literal in lower for keyword in _KEYWORDS):
        return
    view = _Text(text, lower)
    for mention in _mentions(view):
        found = _value_after(view, mention)
        if found is None and mention.keyword.policy_class == PASSWORD:
            found = _value_before(view, mention)
        while found is not None:
            yield Finding(
                mention.keyword.kind, mention.keyword.policy_class, found.start, found.end
            )
            found = None


def _mentions(view: _Text) -> Iterator[_Mention]:
    """Every keyword of the text, ascending."""
    lower = view.lower
    found: list[tuple[int, int, int]] = []
    for index, keyword in enumerate(_KEYWORDS):
        if keyword.literal in lower:
            matches = _compiled(keyword.pattern).finditer(lower)
            found += ((match.start(), match.end(), index) for match in matches)
    found.sort()
    for start, end, index in found:
        keyword = _KEYWORDS[index]
        before = lower[max(0, start - MAX_LOOKBACK) : start]
        before = before[before.rfind("\n") + 1 :]
        if keyword.before and not _compiled(keyword.before).search(before[-24:]):
            continue
        yield _Mention(keyword, start, end, lower[start:end], before)
