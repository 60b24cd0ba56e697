"""Provider keys and tokens, found by the shapes their issuers publish.

One row a shape: literals that must occur (searched first, which is nearly free), then a regular
expression that is compiled only when one of them does. Quantifiers are possessive or bounded and
a shape begins at a border, so that hostile input costs linear time. Lengths are a little below
the published ones: keys get cut when pasted, and prefixes are distinctive.

A shape whose body could be words (`sk-learn-based-pipeline`) must look random: a run of letters
and digits that no word has. A body of `xxxx` or `****`, or with `your` in it, is documentation.
Secrets without a shape of their own are the business of `phrases`.
"""

from __future__ import annotations

import re
from binascii import Error as Base64Error
from binascii import a2b_base64
from dataclasses import dataclass
from functools import cache

from memstone.redaction.findings import KEY, PASSWORD, Finding
from memstone.redaction.values import is_masked, is_placeholder, is_random

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Where a token may begin: after anything but a letter or digit, or after an escape that ends in
# one: tool output is stored as raw JSON (`\nghp_…`), as a URL (`%3Dghp_…`), in terminal colours.
BORDER = (
    r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf])|(?<=\\u[0-9A-Fa-f]{4})|(?<=%[0-9A-Fa-f]{2})|(?<=[0-9]m))"
)


def _at_border(literal: str) -> str:
    """A pattern for `literal` at a border. The literal stands first, for `re` searches a literal
    start forty times faster than it tries a lookbehind everywhere.
    """
    return f"{literal}(?<={BORDER}{literal})"


def _is_key(value: str) -> bool:
    return not is_masked(value)


def _is_random_key(value: str) -> bool:
    return is_random(value) and not is_masked(value)


def _has_digit(value: str) -> bool:
    return any(character.isdigit() for character in value)


def _is_url_password(value: str) -> bool:
    return not is_placeholder(value)


def _is_command_password(value: str) -> bool:
    """Whether it is no user or group number (`docker run -u 1000:1000`) and no group name."""
    return not is_placeholder(value) and not value.isdigit() and not value.isalpha()


def _is_header_value(value: str) -> bool:
    """Whether what follows `Authorization:` or `Bearer` is a credential and not a word."""
    likely = is_random(value) or (len(value) >= 20 and _has_digit(value))
    return likely and not is_placeholder(value)


def _is_basic(value: str) -> bool:
    """Whether it is the base64 of `user:password`."""
    try:
        decoded = a2b_base64(value + "=" * (-len(value) % 4))
    except Base64Error:
        return False
    return b":" in decoded and all(0x20 <= byte < 0x7F for byte in decoded)


@dataclass(eq=False, repr=False)  # light: see `findings`
class _Shape:
    """A token's shape. The group of `pattern` that matched is the secret, else the whole match."""

    kind: str
    literals: tuple[str, ...]
    pattern: str
    check: Callable[[str], bool] = _is_key
    policy_class: str = KEY


def _prefixed(
    kind: str, prefixes: str, body: str, *, check: Callable[[str], bool] = _is_key
) -> _Shape:
    """The shape of a token that begins with one of the `prefixes` (separated by spaces)."""
    literals = tuple(prefixes.split())
    alternatives = "|".join(_at_border(re.escape(literal)) for literal in literals)
    return _Shape(kind, literals, f"(?:{alternatives}){body}", check)


_WORD = "[A-Za-z0-9]"
_NAME = "[A-Za-z0-9_-]"
_WORD_END = "(?![A-Za-z0-9])"
_NAME_END = "(?![A-Za-z0-9_-])"

SHAPES = (
    _prefixed("anthropic_key", "sk-ant-", _NAME + "{12,}+"),
    _prefixed("openai_key", "sk-", _NAME + "{20,}+", check=_is_random_key),
    _prefixed("github_token", "ghp_ gho_ ghu_ ghs_ ghr_", _WORD + "{20,}+"),
    _prefixed("github_token", "github_pat_", "[A-Za-z0-9_]{20,}+"),
    _prefixed(
        "gitlab_token",
        "glpat- gldt- glrt- glcbt- glptt- glft- glimt- glagent- gloas- glsoat- glffct-",
        "[A-Za-z0-9_.-]{16,}+",
    ),
    _prefixed("aws_access_key", "AKIA ABIA ACCA", "[A-Z0-9]{16}" + _WORD_END),
    _prefixed("aws_access_key", "ASIA", "[A-Z0-9]{16}" + _WORD_END, check=_has_digit),
    _Shape(
        "aws_secret_key",
        ("ecret", "ECRET"),
        r"(?i:secret[ _-]?(?:access[ _-]?)?key)[^A-Za-z0-9/+]{1,24}+(?:(?:is|was)[ :]{1,4}+)?"
        r"([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
        is_random,
    ),
    _prefixed("google_key", "AIza", _NAME + "{35}" + _NAME_END),
    _prefixed("google_token", "ya29.", "[A-Za-z0-9._-]{20,}+"),
    _prefixed("google_token", "GOCSPX-", _NAME + "{20,}+"),
    _prefixed("google_token", "1//0", _NAME + "{30,}+"),
    _prefixed(
        "slack_token", "xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs-", "[A-Za-z0-9-]{10,}+"
    ),
    _prefixed("slack_token", "xoxe.xox xapp-", "[A-Za-z0-9-]{10,}+"),
    _Shape(
        "slack_webhook",
        ("hooks.slack.com/",),
        r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{16,}+",
    ),
    _Shape(
        "webhook",
        ("/api/webhooks/", "oapi.dingtalk.com", "/bot/v2/hook/", "qyapi.weixin.qq.com"),
        r"/api/webhooks/[0-9]{5,25}/[A-Za-z0-9_-]{20,}+"
        r"|oapi\.dingtalk\.com/robot/send\?access_token=[A-Za-z0-9]{20,}+"
        r"|/bot/v2/hook/[A-Za-z0-9-]{20,}+"
        r"|qyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key=[A-Za-z0-9-]{20,}+",
    ),
    _prefixed("stripe_key", "sk_live_ rk_live_ sk_test_ rk_test_", _WORD + "{10,}+"),
    _prefixed("stripe_key", "whsec_", "[A-Za-z0-9+/=]{20,}+"),
    _prefixed("npm_token", "npm_", _WORD + "{30,}+"),
    _prefixed("pypi_token", "pypi-", _NAME + "{32,}+", check=_is_random_key),
    _prefixed("huggingface_token", "hf_ api_org_", _WORD + "{28,}+"),
    _prefixed("sendgrid_key", "SG.", _NAME + r"{16,}+\." + _NAME + "{16,}+"),
    _prefixed("twilio_key", "SK AC", "[0-9a-f]{32}" + _WORD_END, check=_has_digit),
    _Shape(
        "telegram_token",
        (":A",),
        r"(?<![0-9])[0-9]{6,10}:A[A-Za-z0-9_-]{34}" + _NAME_END,
        _has_digit,
    ),
    _Shape(
        "telegram_token",
        ("/bot",),
        r"(?<=/bot)[0-9]{6,10}:[A-Za-z0-9_-]{30,}+",
    ),
    _prefixed("digitalocean_token", "dop_v1_ doo_v1_ dor_v1_", "[a-f0-9]{32,}+"),
    _Shape(
        "azure_key",
        ("AccountKey=", "SharedAccessKey=", "accountkey=", "sharedaccesskey="),
        r"(?i:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{20,}+={0,2})",
    ),
    _Shape("azure_key", ("sig=",), r"(?<=[?&;])sig=([A-Za-z0-9%+/_-]{30,}+=?)"),
    _Shape(
        "azure_key",
        ("Q~",),
        r"(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.-]{3}[78]Q~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~-])",
    ),
    _prefixed("alibaba_key", "LTAI", _WORD + "{12,24}" + _WORD_END, check=_has_digit),
    _prefixed("tencent_key", "AKID", _WORD + "{16,48}" + _WORD_END, check=_has_digit),
    _prefixed("volcengine_key", "AKLT", _NAME + "{32,}+", check=_has_digit),
    _Shape("age_key", ("AGE-SECRET-KEY-",), r"AGE-SECRET-KEY-(?:PQ-)?1[A-Za-z0-9]{20,}+"),
    # Newer issuers, one row: a prefix of their own and a long body.
    _prefixed(
        "provider_key",
        "gsk_ xai- pplx- r8_ tvly- nvapi- ntn_ lin_api_ figd_ dckr_pat_ shpat_ shpss_ shpca_ "
        "sbp_ phx_ glsa_ glc_ hvs. dp.pt. sntrys_ sntryu_ pscale_tkn_ pscale_pw_ ATATT3 HRKU- "
        "lsv2_pt_ lsv2_sk_ jina_ fm2_ sk_ PMAK- sq0csp-",
        _NAME + "{24,}+",
        check=_is_random_key,
    ),
    _prefixed("provider_key", "dapi key-", "[0-9a-f]{32}" + _WORD_END, check=_has_digit),
    _Shape(
        "discord_token",
        ("M", "N", "O"),
        r"[MNO](?<![A-Za-z0-9][MNO])[A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}+",
        is_random,
    ),
    _Shape(
        "jwt",
        ("eyJ",),
        # Never inside a longer name, else `eyJ-eyJ-eyJ…` would be read to its end from each `eyJ`.
        r"eyJ(?:(?<![A-Za-z0-9_-]eyJ)|(?<=\\[nrt]eyJ)|(?<=%[0-9A-Fa-f]{2}eyJ))[A-Za-z0-9_-]{8,}+"
        r"(?:\.[A-Za-z0-9_-]{6,}+){2}(?:\.[A-Za-z0-9_-]*+){0,2}",
    ),
    _Shape(
        "authorization",
        ("earer", "EARER"),
        r"(?i:\bbearer)(?:[ \t]|%20|\\?[\"'])[ \t\"']{0,4}([A-Za-z0-9._~+/=-]{16,}+)",
        _is_header_value,
    ),
    _Shape(
        "authorization",
        ("uthorization", "UTHORIZATION"),
        r"(?i:authorization)[\"'\\]{0,2}[ \t]?[:=][ \t\"'\\]{0,5}"
        r"(?:(?i:bearer|token|apikey|api-key|basic|digest|key)[ \t]{1,4})?"
        r"([A-Za-z0-9._~+/=-]{8,}+)",
        _is_header_value,
    ),
    _Shape(
        "authorization",
        ("asic ", "ASIC "),
        r"(?i:\bbasic)[ \t]{1,4}([A-Za-z0-9+/]{8,}+={0,2})",
        _is_basic,
        PASSWORD,
    ),
    _Shape(
        "password",
        (" -u", " --user", "sshpass", "mysql"),
        r"(?:(?<=[ \t])-u[ ]?|--user[ =])[\"']?[^\s:\"'/]{1,64}+:([^\s\"']{4,128}+)"
        r"|\bsshpass -p ?[\"']?([^\s\"']{4,128}+)"
        r"|\bmysql(?:dump|admin)?\b[^\n]{0,80} -p([^\s\"']{4,128}+)",
        _is_command_password,
        PASSWORD,
    ),
    _Shape(
        "url_password",
        ("://",),
        r"://[^\s/:@\"'<>]{0,100}+:([^\s/\"'<>]{1,256})@(?=[A-Za-z0-9\[_{$%-])",
        _is_url_password,
        PASSWORD,
    ),
)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


_LITERALS = tuple(
    (literal, index) for index, shape in enumerate(SHAPES) for literal in shape.literals
)


def scan_tokens(text: str) -> Iterator[Finding]:
    """Keys and tokens of a folded `text`, in the order of the table; spans may overlap."""
    for index in dict.fromkeys([index for literal, index in _LITERALS if literal in text]):
        shape = SHAPES[index]
        for match in _compiled(shape.pattern).finditer(text):
            group = match.lastindex or 0
            if shape.check(match[group]):
                yield Finding(shape.kind, shape.policy_class, *match.span(group))


_KEY_BEGIN = (
    r"-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}|Private-Lines: ?[0-9]{1,4}"
)
_KEY_END = r"-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
_KEY_GAP = r"(?:\s|\\[nrt]|[\"'>|,+]){1,64}+"  # between lines: plain, quoted, in JSON, in a mail
_KEY_HEADER = r"[A-Z][A-Za-z-]{1,20}: [^\n\\]{0,200}"  # DEK-Info: …, Version: …
_KEY_LINE = r"=?[A-Za-z0-9+/]{1,}+={0,2}"
MAX_KEY_BODY = 65_536  # a 16,384-bit RSA key has 12,700
MAX_KEY_HEADERS = 8
MIN_KEY_LINE = 16  # shorter base64 alone is a word


def scan_private_keys(text: str) -> Iterator[Finding]:
    """Private-key blocks (PEM, OpenSSH, PGP, PuTTY) of a folded `text`, cut-off ones too.

    A block ends at its END line, or where the base64 ends. The mere mention of a BEGIN line, or a
    block with nothing but dots in it, is not a key.
    """
    if "PRIVATE KEY" not in text and "Private-Lines" not in text:
        return
    ends = [match.span() for match in _compiled(_KEY_END).finditer(text)]
    index = 0
    for begin in _compiled(_KEY_BEGIN).finditer(text):
        while index < len(ends) and ends[index][0] < begin.end():
            index += 1
        position = _end_of_key_lines(text, begin.end())
        if index < len(ends) and _is_key_body(text, begin.end(), ends[index][0]):
            position = max(position, ends[index][1])
        if position > begin.end():
            yield Finding("private_key", KEY, begin.start(), position)


def _is_key_body(text: str, start: int, end: int) -> bool:
    """Whether something of a key stands between BEGIN and END: on lines of its own or in a long
    run, not masked, and no second BEGIN, which would make the END another block's.
    """
    if end - start > MAX_KEY_BODY or _compiled(_KEY_BEGIN).search(text, start, end):
        return False
    body = text[start:end]
    if is_masked(body.strip()) or body.strip().startswith(("<", "[", "{")):
        return False
    lines = _compiled(r"(?:\n|\\n)[^A-Za-z0-9]{0,8}[A-Za-z0-9+/=]{3,}|[A-Za-z0-9+/]{16}")
    return lines.search(body) is not None


def _end_of_key_lines(text: str, start: int) -> int:
    """Where the base64 after a BEGIN line ends; `start` if there is none."""
    gap, header, line = _compiled(_KEY_GAP), _compiled(_KEY_HEADER), _compiled(_KEY_LINE)
    end = position = start
    headers = 0
    while space := gap.match(text, position):
        position = space.end()
        found = header.match(text, position) if end == start and headers < MAX_KEY_HEADERS else None
        if found:
            position = found.end()
            headers += 1
            continue
        found = line.match(text, position)
        if not found:
            break
        long = len(found[0]) >= MIN_KEY_LINE
        alone = "\n" in space[0] or "\\n" in space[0] or found[0].endswith("=")
        if not long and not (alone and end > start and _stands_alone(text, found.end())):
            break
        end = position = found.end()
    return end


def _stands_alone(text: str, end: int) -> bool:
    return (
        end == len(text)
        or _compiled(r"[\"',]{0,3}(?:\s*\n|\\n|\s*\Z)").match(text, end) is not None
    )
