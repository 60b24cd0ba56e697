"""Whether the value after `password is` or `api_key =` is a secret, or just the next word.

The hard part of a secret filter: `the password is required` must be remembered and `the password
is hunter2` must not. Nothing here knows the keyword's grammar (that is `phrases`); a value is
judged by what it looks like and by how it is tied to the keyword, most certain first:

* assigned (`=`, `--password x`) and labelled (`:`, `：`): letters with digits, four digits, an
  inner symbol; a plain word only for passwords, at the end of its line, unless it is a status or
  a variable;
* said (`is`, `是`, `改成`): the same, but a word must be stranger: mixed case that no product
  name has, or quotes around it; after a Chinese `是`, a small Latin word that ends the clause is
  enough;
* beside it (`with password x`, `密码 x`): letters and digits mixed, six at least.

Keys and tokens need a digit and more length: "token" and "secret" are everyday words. Never a
value: a placeholder, a mask, a reference to where it is kept, code, a path, an e-mail address, a
date, a size, a version, the name of an algorithm.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum
from functools import cache


class Link(IntEnum):
    """How a value is tied to its keyword, most certain first."""

    ASSIGNED = 1
    LABELLED = 2
    SAID = 3
    BESIDE = 4


@dataclass(eq=False, repr=False, kw_only=True)  # light: see `findings`
class Candidate:
    """A possible value and what its place in the text says about it."""

    value: str
    link: Link
    password: bool  # the keyword means a password, not a key or token
    quoted: bool = False
    chinese: bool = False  # keyword or link is Chinese
    certain: bool = False  # "my token", "client secret": a certain one, not the concept
    heads: bool = False  # the keyword heads its line, like a label
    ends: bool = False  # nothing of the line or clause follows the value
    vague: bool = False  # the keyword (`pass`) means something else more often
    phrase: bool = False  # the value may be several words (a passphrase)
    following: str = ""  # a few characters after the value, lower case


MAX_NAME = 80  # characters of a name or path that may stand for a secret
MARK = r"\[REDACTED:[a-z0-9_]{1,32}\]"
_KEYWORD = r"pass(?:word|wd|phrase|code)?|pwd|secret|token|key|cred|auth"
_REFERENCE = (
    r"\$[A-Za-z_][\w:.]*\Z|\$[({$]|%[A-Za-z_]\w*%\Z|%[(sdq]|[{<(\[]|&[a-z]|@\{|\\"
    r"|(?:process\.)?env[.\[(]|os\.(?:environ|getenv)|[A-Za-z][A-Za-z0-9+.-]{1,12}://|arn:|ENC\["
    r"|!vault|!secret|(?:mem|ccr)_[0-9a-f]{16,32}\Z|[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+\Z"
    r"|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\Z"  # the name of a variable
)
_CODE = (
    r"[A-Za-z_][\w.]*(?:::\w+)*!?[(\[]"  # a call or an index
    r"|[A-Za-z_]\w{0,30}(?:(?:\.|->|::|\?\.)[A-Za-z_]\w{0,30})+\Z"  # an attribute
)
_PATH = (
    r"(?:\.{0,2}|~)(?:/[\w.@-]*)+\Z|[A-Za-z]:[\\/]|[\w-]+\."
    r"(?:py|js|ts|json|ya?ml|toml|env|txt|md|pem|key|conf|cfg|ini|sh|log|html?|csv|db|go|rs)\Z"
)
_NAMED = (  # `user_password`, `my-secret-token`, `newPassword`: a name for one
    rf"(?:[A-Za-z]+[-_ ])*(?:{_KEYWORD})s?(?:[-_ ][A-Za-z]+)*\Z"
    rf"|(?:my|your|the|new|old|user|db|some|an?|get|test|wrong)[-_ ]?(?:(?:{_KEYWORD})[-_ ]?)+\Z"
)
_CAMEL_NAMED = r"[a-z]+(?:Pass(?:word|wd|phrase|code)?|Pwd|Secret|Token|Key|Cred|Auth)[A-Za-z]*\Z"
_MEASURE = (
    r"[~<>≤≥+-]?\$?\d[\d,.]*(?:[kmbgwxhsd%]|[kmgt]i?b|ms|secs?|mins?|hrs?|days?|p[xt]|bits?|bytes?"
    r"|chars?|digits?|th|st|nd|rd|am|pm|usd|e\d+)?[/+]?\Z"
    r"|0x[0-9a-f]{1,16}\Z|v?\d+(?:\.\d+){1,4}(?:[-.]?(?:rc|a|b|beta|alpha|dev|post)\.?\d*)?\Z|v\d+\Z|#[0-9a-f]{3,8}\Z"
)
_DATE = (
    r"(?:19|20)\d\d[-/.]\d{1,2}(?:[-/.]\d{1,2})?(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?\Z|\d{1,2}:\d\d"
)
_ALGORITHM = (
    r"(?:sha|md|3?des|aes|rsa|dsa|ecdsa|ed|utf|base|oauth|ipv|https?|web|gpt|llama|claude|qwen|gemini"
    r"|deepseek|mistral|bert|tls|ssl|bcrypt|argon|scrypt|pbkdf|hmac|[hrep]s|pkcs|crc|blake|sm|rc"
    r"|chacha|curve|secp|python|node|java|iso|rfc|cve|owasp|nist|usb|wpa|unicode|cp|gb)"
    r"[-_]?\d{1,5}(?:[-_./][A-Za-z0-9]+)*\Z"
    r"|(?:aes|rsa|gpt|claude|llama|qwen|gemini|deepseek|mistral|cve)-[a-z0-9.-]+\Z|[2x]fa\Z|1password\Z"
)
_COUNTED = (  # `page12`, `8-character`, `2fa-protected`
    r"(?:page|step|line|chapter|section|table|figure|version|sprint|phase|part|level|stage|case|item"
    r"|example|file|issue|pr|ticket|fy|q|v|p|n)[-_#]?\d{1,4}\Z"
    r"|\d{1,4}-[a-z]+(?:-[a-z]+)*\Z|\d[a-z]{1,3}-[a-z]+\Z"
)
_CHINESE_UNIT = "[位个個字天年月日元次条條行秒分小%]"
_UNIT_FOLLOWS = (
    r"[ \t]?(?:[-–]?(?!(?:and|but|for|on|at|with|or|now|in|please|so|as|not|since|until|if|from)\b)"
    rf"[a-z]{{2,}}|{_CHINESE_UNIT})"
)
_MEASURE_FOLLOWS = (  # after a long number or a label, only what counts something is a unit
    r"[ \t-]?(?:bits?|bytes?|char(?:acter)?s?|digits?|letters?|words?|tokens?|times|users?|rounds?"
    rf"|iterations?|seconds?|minutes?|hours?|days?|ms|px)\b|[ \t]?{_CHINESE_UNIT}"
)
_TECHNIQUE_FOLLOWS = (
    r"[ \t-]?(?:encod|hash|encrypt|based|signed|bits?\b|byte|char|digit|format|加密|编码|編碼"
    r"|哈希|散列|存储|存儲|算法|格式|签名|簽名|生成|类型|類型|位|个字|協議|协议|认证|認證|过的|開頭|开头)"
)
_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z"
_CJK = r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
_CHINESE_TALK = frozenset(
    "什么麼多少错錯误誤不密码碼口令钥鑰已请請的了是吗嗎吧呢很太要需有无無为為空"
)

# Words that say something about a password, or name a type, instead of being the password.
_STATUS_TEXT = (
    "this that there here what which where when while then else true false none null undefined "
    "nothing everything something anything always never only also just very more most same other "
    "required optional mandatory hidden unknown empty blank missing invalid valid expired wrong "
    "incorrect correct change changed changes changing reset resetting update updated forgotten "
    "forgot lost unset default defaults example examples sample demo todo fixme redacted masked "
    "encrypted hashed salted hashing salting protected private public secure insecure weak strong "
    "safe unsafe temporary temp confidential string text bytes char varchar integer number float "
    "bool boolean object array list dict type hash plain plaintext cleartext password passwords "
    "passwd pass passphrase passcode secret secrets token tokens keys credential credentials "
    "user users username login logout account email name value bearer basic oauth changeme "
    "placeholder foobar dummy fake stub mock testing bcrypt scrypt argon base64 stored saved ready "
    "active inactive revoked rotated rotation leaked exposed enabled disabled allowed denied "
    "rejected accepted confirmed verified sent shared deleted removed created generated "
    "self input output request response prompt stdin environment vault keychain keyring bitwarden "
    "lastpass keepass onepassword below above attached pending unchanged identical varies unique "
    "simple complex long short easy hard good great important sensitive yours mine ours theirs "
    "again later soon already still success failed failure error warning refused unavailable "
    "available ignored skipped security authentication authorization encryption policy policies "
    "management manager strength length field form hygiene reuse expiry caching storage "
    "data args line word result content config parsed body field param params payload opts options "
    "item entry match first last parts info index length split flags "
    "passwort kennwort wachtwoord senha"  # labels of forms in other languages
)
_PROSE_TEXT = (
    "a an the in on at by to of for from with not no is are was be been must may should can will "
    "your my our his her please enter this that it you we i they and or if when has have had do "
    "does than least contain contains too so very as"
)
_STATUS = frozenset(_STATUS_TEXT.split())
_PROSE_WORDS = frozenset(_PROSE_TEXT.split())


@cache
def _compiled(pattern: str, flags: int = 0) -> re.Pattern[str]:
    return re.compile(pattern, flags)


def is_masked(value: str) -> bool:
    """Whether it is blanked or documentation: `****`, `xxxxxx…`, `ab•••`, `your-key-here`.

    >>> is_masked("sk-ant-xxxxxxxxxxxx"), is_masked("hunter2")
    (True, False)
    """
    return (
        _compiled(r"[xX*•●·._#?=~-]+").fullmatch(value) is not None
        or _compiled(r"[xX*•●·.]{6,}|\*{3}|•|\.{3}").search(value) is not None
        or _compiled(r"(?<![a-z])your(?![a-z])", re.IGNORECASE).search(value) is not None
    )


def is_placeholder(value: str) -> bool:
    """Whether it stands for a secret without being one: a mask, a variable, a path, a name.

    >>> [is_placeholder(v) for v in ("${TOKEN}", "<your-key>", "DB_PASSWORD", "hunter2")]
    [True, True, True, False]
    """
    rest = _trimmed(_compiled(MARK).sub("", value))
    if not rest or is_masked(rest):
        return True
    if _compiled(_REFERENCE).match(rest):
        return True
    if len(rest) > MAX_NAME:
        return False
    return (
        (_compiled(_PATH).match(rest) is not None and not is_random(rest))
        or _compiled(_NAMED, re.IGNORECASE).match(rest) is not None
        or _compiled(_CAMEL_NAMED).match(rest) is not None
        or rest.lower()
        in {"changeme", "change_me", "change-me", "example", "redacted", "1password"}
    )


def is_random(value: str) -> bool:
    """Whether a run of letters and digits in it is no word: mixed and ≥ 16 long, or ≥ 32.

    >>> is_random("sk-learn-based-pipeline"), is_random("4f9a1c07be23d5586a")
    (False, True)
    """
    return any(
        len(run) >= 32 or not (run.isalpha() or run.isdigit())
        for run in _compiled(r"[A-Za-z0-9]{16,}").findall(value)
    )


def is_secret(candidate: Candidate) -> bool:
    """Whether the candidate is a password, key or token; see the module's text for the rules."""
    value = _trimmed(_compiled(MARK).sub("", candidate.value))
    if is_placeholder(candidate.value) or _is_code(value, candidate):
        return False
    if " " in value:
        return candidate.password and _is_phrase(value, candidate)
    if _compiled(_CJK).search(value):
        return candidate.password and _is_chinese_word(value, candidate)
    if any(map(str.isdigit, value)):
        return _is_with_digits(value, candidate)
    return candidate.password and not candidate.vague and _is_word(value, candidate)


def _is_code(value: str, candidate: Candidate) -> bool:
    if "{" in value and "}" in value:  # a template
        return True
    return not candidate.quoted and _compiled(_CODE).match(value) is not None


def _trimmed(value: str) -> str:
    return value.rstrip(".,;:!?)]}>'\"`\\").strip("*")


def _is_phrase(value: str, candidate: Candidate) -> bool:
    """Several words: a passphrase has no grammar. `correct horse battery staple` is one."""
    words = value.split()
    if not 2 <= len(words) <= 32 or any(word.lower() in _PROSE_WORDS for word in words):
        return False
    if not candidate.phrase and any(word.lower() in _STATUS for word in words):
        return False
    if any(not word.isalpha() and word.isalnum() and not word.isdigit() for word in words):
        return True
    least = 3 if candidate.quoted and candidate.phrase else 4
    return len(words) >= least and all(word.isalpha() and word.islower() for word in words)


def _is_chinese_word(value: str, candidate: Candidate) -> bool:
    """A Chinese password is one only in quotes: `密码是“芝麻开门”`, not `密码是什么`."""
    return (
        candidate.quoted
        and candidate.link is not Link.BESIDE
        and 2 <= len(value) <= 20
        and not _CHINESE_TALK.intersection(value)
    )


def _is_with_digits(value: str, candidate: Candidate) -> bool:
    lower = value.lower()
    if not (candidate.quoted and candidate.password) and (
        _compiled(_ALGORITHM).match(lower)
        or _compiled(_DATE).match(value)
        or (not value.isdigit() and _compiled(_MEASURE).match(lower))
    ):
        return False
    spoken = candidate.link in {Link.SAID, Link.BESIDE}
    if (
        spoken
        and not candidate.quoted
        and (
            _compiled(_COUNTED).match(lower)
            or _compiled(_TECHNIQUE_FOLLOWS).match(candidate.following)
        )
    ):
        return False
    if not candidate.password:
        return _is_key(value, candidate)
    if not _compiled(r"[^\W\d_]").search(value):
        return not candidate.vague and _is_number(value, candidate)
    least = {Link.ASSIGNED: 3, Link.LABELLED: 4, Link.SAID: 4, Link.BESIDE: 6}[candidate.link]
    return len(value) >= least


def _is_number(value: str, candidate: Candidate) -> bool:
    """Digits and marks only, as a password: `1234`, not `12 characters`, not `2048 bits`."""
    digits = sum(map(str.isdigit, value))
    least = 6 if candidate.link is Link.BESIDE else 4
    if digits < least or _compiled(_DATE).match(value):
        return False
    spoken = candidate.link in {Link.SAID, Link.BESIDE}
    unit = _UNIT_FOLLOWS if spoken and digits < 6 else _MEASURE_FOLLOWS
    return candidate.quoted or not _compiled(unit).match(candidate.following)


def _is_key(value: str, candidate: Candidate) -> bool:
    """Letters and digits as a key or token. Digits alone are a count, a short name with a number
    is a name; speech ("the token is …") needs more than a label does.
    """
    if (
        value.isdigit()
        or candidate.link is Link.BESIDE
        or _compiled(rf"(?:{_KEYWORD})s?[-_]?\d{{1,3}}\Z").match(value.lower())
    ):
        return False
    certain = candidate.certain or candidate.link in {Link.ASSIGNED, Link.LABELLED}
    least = 6 if certain or candidate.chinese else 12
    runs = _compiled(r"[A-Za-z0-9]+").findall(value)
    if any(len(run) >= least and not run.isalpha() and not run.isdigit() for run in runs):
        return True
    long = certain and len(value) >= 20 and sum(map(str.isdigit, value)) >= 4
    return long or _compiled(_UUID).match(value.lower()) is not None


def _is_word(value: str, candidate: Candidate) -> bool:
    """A password without a digit: with an inner symbol, or a plain word in a certain place."""
    if len(value) < 4 or value.lower() in _STATUS or candidate.link is Link.BESIDE:
        return False
    if _compiled(r".[!@#$%^?~]+[^\W_]").search(value):
        return len(value) >= 6
    parts = _compiled(r"[-_.]").split(value.lower())
    if not _is_plain(value, parts):
        return False
    if candidate.quoted:
        return "/" not in value
    changes = len(_compiled(r"(?<=[a-z])[A-Z]").findall(value))
    if candidate.link is Link.SAID:
        small = candidate.chinese and candidate.ends and value.isascii() and value.islower()
        return (changes >= 2 and len(value) >= 8) or len(parts) >= 4 or small
    at_its_place = candidate.ends and (candidate.link is Link.ASSIGNED or candidate.heads)
    return at_its_place and changes == 0 and len(parts) != 2


def _is_plain(value: str, parts: list[str]) -> bool:
    """Whether it is letters, joined or not, that say nothing *about* a password."""
    if not _compiled(r"[^\W\d_]+(?:[-_'.+=&/][^\W\d_]+)*").fullmatch(value):
        return False
    if any(part in _PROSE_WORDS for part in parts):
        return False
    return len(parts) >= 4 or not any(part in _STATUS for part in parts)
