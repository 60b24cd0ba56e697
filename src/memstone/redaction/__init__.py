"""Keeps secrets and personal numbers out of the store: `scrub` runs on every field before a write.

First `<private>` spans are cut out. Then the text is scanned, in a folded form (full-width
digits, invisible characters), for provider keys and tokens by shape, private-key blocks,
passwords and keys that a phrase announces in English or Chinese, Chinese identity numbers and
bank cards by check digit, phone numbers and e-mail addresses. What happens then is a policy per
class: refuse the text, blank the thing (`[REDACTED:kind]`), or let it be. Scrubbing a scrubbed
text changes nothing.

An error names the kinds, never the value; nothing here logs. This is a filter, not a proof: a
password that looks like a word, in a sentence that does not announce it, passes. A false alarm
loses a person's memory and a miss leaks a secret; where the two cannot be told apart,
`redaction.values` says which way it leans.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import MappingProxyType

from memstone.errors import ConfigError, SecretFound
from memstone.redaction.findings import (
    DEFAULT_POLICIES,
    KEY,
    PASSWORD,
    Finding,
    Policy,
    resolve,
)
from memstone.redaction.folding import MAX_LAYERS, fold, unescape
from memstone.redaction.numbers import SCANNERS
from memstone.redaction.phrases import scan_phrases
from memstone.redaction.private import strip_private
from memstone.redaction.tokens import scan_private_keys, scan_tokens
from memstone.redaction.values import MARK
from memstone.types import Redaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from memstone.redaction.folding import Unescaped

__all__ = [
    "DEFAULT_POLICIES",
    "Finding",
    "Policy",
    "Scrubbed",
    "blanked",
    "check_policies",
    "find",
    "says_anything",
    "scrub",
    "strip_private",
]

PRIVATE_KIND = "private"
MAX_ROUNDS = 8  # of redacting what redacting laid bare; honest text needs one


@dataclass(frozen=True, slots=True)
class Scrubbed:
    """A text that may be stored, and what was taken out of it, by kind in order of appearance."""

    text: str
    redactions: tuple[Redaction, ...] = ()


def find(text: str) -> list[Finding]:
    """All secrets and personal numbers of `text`: ascending, without overlap, in code points.

    >>> [(f.kind, f.start, f.end) for f in find("密码是 hunter2，电话 13800138000")]
    [('password', 4, 11), ('phone', 15, 26)]
    """
    return _find(text, DEFAULT_POLICIES)


def scrub(
    text: str, policies: Mapping[str, str], *, importing: bool = False, field: str = "text"
) -> Scrubbed:
    """What of `text` may be stored under `policies` (class → `refuse`, `redact` or `allow`).

    Classes not named keep their default. With `importing`, `refuse` becomes `redact`: one secret
    must not cost a whole conversation. Raises `SecretFound` naming the kinds and the `field` that
    held them, never the value; `ConfigError` on an unknown class or policy.

    >>> scrubbed = scrub("port 8080, password: hunter2", {"password": "redact"})
    >>> scrubbed.text
    'port 8080, password: [REDACTED:password]'
    >>> scrubbed.redactions
    (Redaction(kind='password', count=1),)
    """
    checked = check_policies(policies)
    kept, private = strip_private(text)
    removed = {PRIVATE_KIND: private} if private else {}
    classes = {name for name, policy in checked.items() if policy is not Policy.ALLOW}
    found = _find(kept, classes)
    if not importing:
        _refuse([f for f in found if checked[f.policy_class] is Policy.REFUSE], field)
    for _ in range(MAX_ROUNDS):
        if not found:
            break
        for finding in found:
            removed[finding.kind] = removed.get(finding.kind, 0) + 1
        kept = _blanked(kept, found)
        found = _find(kept, classes)
    else:
        kept = f"[REDACTED:{found[0].kind}]" if found else kept
    return Scrubbed(kept, tuple(Redaction(kind, count) for kind, count in removed.items()))


def blanked(text: str) -> str:
    """A message with what the built-in policies refuse blanked out, however often it stands there.

    >>> blanked("no memory '密码是 hunter2' here")
    "no memory '密码是 [REDACTED:password]' here"
    """
    refused = {name for name, policy in DEFAULT_POLICIES.items() if policy is Policy.REFUSE}
    return _blanked(text, _find(text, refused))


def says_anything(text: str) -> bool:
    """Whether a scrubbed text still has a letter or digit of its own beside its marks.

    >>> says_anything("[REDACTED:github_token]!"), says_anything("猫 [REDACTED:password]")
    (False, True)
    """
    return any(map(str.isalnum, re.sub(MARK, "", text)))


def check_policies(policies: Mapping[str, str]) -> Mapping[str, Policy]:
    """Every class with its policy: the defaults, changed by `policies`; read-only.

    Raises `ConfigError`, with the nearest name as hint, on a class or policy that does not exist.

    >>> check_policies({"email": "redact"})["email"]
    <Policy.REDACT: 'redact'>
    """
    checked = dict(DEFAULT_POLICIES)
    for name, value in policies.items():
        if name not in checked:
            raise ConfigError(
                f"redaction: there is no class of finding {name!r}",
                hint=_nearest(name, checked),
                name=name,
            )
        try:
            checked[name] = Policy(value)
        except ValueError:
            raise ConfigError(
                f"redaction.{name}: {value!r} is not a policy",
                hint=_nearest(str(value), [policy.value for policy in Policy]),
                name=name,
                value=value,
            ) from None
    return MappingProxyType(checked)


def _nearest(name: str, names: Collection[str]) -> str:
    from difflib import get_close_matches  # noqa: PLC0415  (12 ms, for an error only)

    near = get_close_matches(name, names, n=1)
    return f"did you mean {near[0]!r}?" if near else f"one of: {', '.join(names)}"


def _find(text: str, classes: Collection[str]) -> list[Finding]:
    """Findings of those classes, in spans of `text`, escaped or not."""
    found = _find_plain(text, classes)
    layers: list[Unescaped] = []
    while len(layers) < MAX_LAYERS:
        undone = unescape(layers[-1].text if layers else text)
        if undone is None:
            break
        layers.append(undone)
        found += [_in_original(one, layers) for one in _find_plain(undone.text, classes)]
    return resolve(found) if layers else found


def _in_original(finding: Finding, layers: Sequence[Unescaped]) -> Finding:
    start, end = finding.start, finding.end
    for layer in reversed(layers):
        start, end = layer.span(start, end)
    return Finding(finding.kind, finding.policy_class, start, end)


def _find_plain(text: str, classes: Collection[str]) -> list[Finding]:
    """Findings of those classes in a text as it stands."""
    folded = fold(text)
    found = resolve(f for f in _scan(folded.text, classes) if f.policy_class in classes)
    if folded.offsets is None:
        return found
    return [Finding(f.kind, f.policy_class, *folded.span(f.start, f.end)) for f in found]


def _scan(text: str, classes: Collection[str]) -> Iterator[Finding]:
    """Everything the scanners see, the more specific first; a class nobody wants costs nothing."""
    if KEY in classes:
        yield from scan_private_keys(text)
    if KEY in classes or PASSWORD in classes:
        yield from scan_tokens(text)
    for policy_class, scanner in SCANNERS:
        if policy_class in classes:
            yield from scanner(text)
    if KEY in classes or PASSWORD in classes:
        yield from scan_phrases(text)


def _refuse(found: list[Finding], field: str) -> None:
    """Raises `SecretFound` if there is anything to refuse; the value stays out of the error."""
    if not found:
        return
    kinds = tuple(dict.fromkeys(finding.kind for finding in found))
    classes = tuple(dict.fromkeys(finding.policy_class for finding in found))
    settings = " or ".join(f"redaction.{name}" for name in classes)
    raise SecretFound(
        f"{field}: refused, it holds what looks like a secret ({', '.join(kinds)})",
        hint=f"leave it out, mark it <private>…</private>, or set {settings} to redact",
        kinds=kinds,
        classes=classes,
        field=field,
    )


def _blanked(text: str, found: list[Finding]) -> str:
    pieces: list[str] = []
    position = 0
    for finding in found:
        pieces += text[position : finding.start], f"[REDACTED:{finding.kind}]"
        position = finding.end
    return "".join((*pieces, text[position:]))
