"""The words and links by which a text announces a password, key or token, in English and Chinese.

Tables only; `phrases` walks them. All patterns but `VALUE`, `OPENING` and `CUT` are for
lower-case folded text. Each begins with something certain or is matched at one place, and every
repetition is bounded or possessive, so that a look costs a constant.
"""

from __future__ import annotations

from dataclasses import dataclass

from memstone.redaction.findings import KEY, PASSWORD

_CJK_STOP = r"\u3001-\u303f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af“”‘’"
CLOSING = {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "「": "」", "『": "』"}


@dataclass(eq=False, repr=False)  # light: see `findings`
class Keyword:
    """A word that announces a secret; `literal` is searched, `before` must precede if set."""

    literal: str
    pattern: str
    kind: str
    policy_class: str = KEY
    before: str = ""
    phrase: bool = False


KEYWORDS = (
    Keyword(
        "pass",
        r"pass[ _-]?(?:word|wd|code)s?(?![a-z])|pass(?<![a-z]pass)(?=[ \t]?[=:])",
        "password",
        PASSWORD,
    ),
    Keyword("pass", r"pass[ _-]?phrase(?![a-z])", "passphrase", PASSWORD, phrase=True),
    Keyword(
        "phrase",
        r"phrase(?![a-z])",
        "seed_phrase",
        before=r"(?:seed|recovery|mnemonic|backup)[ _-]?\Z",
        phrase=True,
    ),
    Keyword("mnemonic", r"mnemonic(?![a-z ])", "seed_phrase", phrase=True),
    Keyword("pwd", r"pwd(?![a-z])", "password", PASSWORD),
    Keyword("pw", r"pw(?<![a-z]pw)(?=[ \t]?[=:])", "password", PASSWORD),
    Keyword("psw", r"psw(?<![a-z]psw)d?(?![a-z])", "password", PASSWORD),
    Keyword("密", "密[码碼]", "password", PASSWORD),
    Keyword("口令", "口令", "password", PASSWORD),
    Keyword("助", "助[记記][词詞]", "seed_phrase", phrase=True),
    Keyword(
        "key",
        r"key(?![a-z])",
        "api_key",
        before=r"(?:api|access|private|encryption|signing|master|auth|account|app|openai"
        r"|anthropic|claude|gemini|google|deepseek|kimi|qwen|azure|aws|stripe|maps)[ _-]?\Z",
    ),
    Keyword("secret", r"secret[ _-]?(?:access[ _-]?)?key(?![a-z])", "secret_key"),
    Keyword("secret", r"secret(?![a-z])", "secret"),
    Keyword("token", r"token(?![a-z])", "token"),
    Keyword("credential", r"credentials?(?![a-z])", "credential"),
    Keyword("密", "密[钥鑰匙]", "secret_key"),
    Keyword("私", "私[钥鑰]", "secret_key"),
    Keyword("令牌", "令牌", "token"),
)

# After a keyword, before the link: `_PROD`, `"]`, `**`, ` (wifi)`.
SUFFIX = (
    r"(?:[_-]?(?:prod|production|dev|test|staging|local|base|confirm|confirmation|value|[0-9]{1,2})"
    r"(?![a-z0-9]))?(?:\\{0,2}(?:[\"`]|'(?!s[ \t]))|\*{1,2}|_{1,2}|\]){0,3}"
    r"(?:[ \t]?\([^()\n]{0,40}\))?"
)
ASSIGNED = (
    r"[ \t]{0,8}(?::[ \t]?(?:str|string|bytes|secretstr|&str|optional\[str\]|str \| none)[ \t]?)?"
    r"(?:=>|:=|={1,3}|->|→)[ \t]{0,8}"
)
LABELLED = r"[ \t]{0,4}:(?![:=/])(?:\*{1,2})?[ \t]{0,8}(?:\n[ \t]{0,8})?"
_ABOUT = r"(?:[ \t]{1,8}(?:for|of|to|on|at|in|from)(?:[ \t]{1,8}[^\s.,;:!?=]{1,30}){1,4}?)?"
_BE = (
    r"(?:(?:will|should|must|can|has|had|have)[ \t]{1,8})?"
    r"(?:is|was|are|were|be|been|becomes?|became)"
)
_ADVERB = (
    r"(?:[ \t]{1,8}(?:still|now|currently|just|simply|actually|always|again|probably|called|namely"
    r"|(?:set|changed|reset|updated|rotated|equal)[ \t]{1,8}(?:to|from))){0,2}"
)
SAID = (
    rf"{_ABOUT}(?:(?:[ \t]{{1,8}}{_BE}|'s){_ADVERB}"
    r"|[ \t]{1,8}(?:got[ \t]{1,8})?(?:changed|reset|updated|rotated|set|switched)[ \t]{1,8}"
    r"(?:to|from))"
    r"[ \t]{0,4}[:=]?[ \t]{1,8}"
)
TURNED_FROM = r"[ \t]{1,8}from[ \t]{1,8}"  # "change the password from … to …"
TURNED = rf"{_ABOUT}[ \t]{{1,8}}(?:to|as|into|from)[ \t]{{1,8}}"  # "change the password to …"
TURNING = (
    r"\b(?:set|sets|setting|chang(?:e|ed|ing)|reset|updat(?:e|ed|ing)|switch(?:ed)?|rotat(?:e|ed)"
    r"|us(?:e|ed|ing))\b"
)
SAID_CHINESE = (
    r"[ \t]?的?(?:现在|現在|目前|如今|当前|當前|还|還|仍然?|依然|一直|暂时|暫時|已[经經]?|都"
    r"|也|就|应该|應該|大概|可能|被|又|统一|統一|我|给你|給你|重新|默认|默認){0,3}"
    r"(?:[设設](?:置|定)?|修?改|更[新改]|重置|[换換]|[变變]|配置|填|写|寫)?"
    r"的?[是为為成做用叫填写寫了到回从從由]{1,2}了?"
    r"[ \t]{0,2}:?[ \t]{0,4}"
)
BESIDE = r"[ \t]{1,4}"
BESIDE_BEFORE = (
    r"\b(?:with|using|uses?|used|user|username|login|logs?[ \t]in|my|our|wi-?fi|account|admin"
    r"|root)\b|/[ \t]?\Z"
)
CELL = r"[ \t]{0,16}\|[ \t]{0,16}"
BEFORE_ENGLISH = (
    r"(?:\A|[\s\"'`(“:：、])([^\s\"'`(“”]{4,64}?)[\"'`”]?[ \t]{1,8}(?:is|was|as)[ \t]{1,8}"
    r"(?:(?:the|my|our|his|her|their|its|your|a)[ \t]{1,8})?(?:[a-z0-9-]{1,16}[ \t]{1,8}){0,2}\Z"
)
BEFORE_CHINESE = (
    r"(?:\A|[^!-~])([!-~]{4,64}?)[\"'`”]?[ \t]?(?:就?是|作[为為]|[当當][做作]?|做)"
    r"[a-z0-9\u3400-\u9fff-]{0,10}\Z"
)
CHAIN = (
    r"[\"'`”]?[ \t]{0,4}(?:[,/、]|and\b|or\b|to\b|then\b|->|→|和|或|及|与|與|跟|[改换換][成为為])"
    r"[ \t]{0,4}"
)
COMPOUND = (
    r"(?:access|api|app|auth|bearer|bot|client|consumer|deploy|refresh|session|webhook|personal)"
    r"[ _-]?\Z"
)
OWN = (
    r"\b(?:my|our)[ \t]{1,8}(?:[\w-]{1,16}[ \t]{1,8}){0,2}[\w-]{0,16}\Z"
    r"|[我咱他她](?:们|們)?的?[^、。\n]{0,8}\Z"
)
HEAD = r"[\W_]*(?:[\w'-]{1,20}[ \t]{1,8}){0,3}[\w.-]{0,24}"
ENDS = r"[.!?]?[ \t]*(?:\Z|[\n\r]|\\[nrt]|[\"'`<|]|[、。」』”’])"
VALUE = rf"(?:[^\s\"`<{_CJK_STOP}]|<(?![/A-Za-z]))"
GLUE = r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{1,8}+(?=[!-~])"  # before a value
CUT = r"\\[nrt\"']|[,;&](?=[\w.%-]{1,40}[=:])|'(?![A-Za-z0-9])|->|→|\|"
WORDS = r"[a-z]{2,12}(?: [a-z]{2,12}){3,31}(?![^\s.,;\"'])"
OPENING = r"\*{0,2}(?:[rRbBuU]{1,2}(?=[\"']))?(\\{0,2})([\"'`“‘「『])"
FLAG = r"--(?:[a-z][a-z-]{0,20}-)?\Z"  # before the keyword: `--db-password x`
BEFORE_HINT = r"[0-9\"'`”]"  # a value before its keyword has a digit or is quoted
BEFORE_ENDS = (
    r"[\"'`]?[ \t]{0,8}(?:\Z|[.,;!?:\n\"'`)、。]|(?:for|on|to|at|of|and|but|in)\b|[吧了哦啊嘛])"
)
BREAK = r"[.。、,;:!?({]|\\n"  # what a label does not reach across
