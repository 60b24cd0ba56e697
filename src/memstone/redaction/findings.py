"""What a scan finds, what is done about it, and how overlapping findings become one.

A kind names the thing (`github_token`), its class is what a policy is set for (`key`). Where two
secrets overlap (a key inside `password=…`) the whole stretch is one finding under the more
specific name: cutting only one of them would leave the rest of the other in the text. A phone
number or an e-mail address inside a secret is part of it.

Only values that leave the package are frozen dataclasses. Generating one costs 0.4 to 0.8 ms at
import, and this package is imported by every `remember`; inner values go without comparison and
`repr`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Policy(StrEnum):
    """What happens to a text that holds a finding of some class."""

    REFUSE = "refuse"  # nothing is stored
    REDACT = "redact"  # it is stored with `[REDACTED:kind]` in its place
    ALLOW = "allow"  # it is stored as it is


KEY = "key"
PASSWORD = "password"  # noqa: S105  (the name of a class)
ID_NUMBER = "id_number"
BANK_CARD = "bank_card"
PHONE = "phone"
EMAIL = "email"

DEFAULT_POLICIES: Mapping[str, Policy] = MappingProxyType(
    {
        KEY: Policy.REFUSE,
        PASSWORD: Policy.REFUSE,
        ID_NUMBER: Policy.REFUSE,
        BANK_CARD: Policy.REFUSE,
        PHONE: Policy.ALLOW,  # what people want remembered; a contact is no secret
        EMAIL: Policy.ALLOW,
    }
)
"""Every class of finding with its built-in policy; read-only."""

_CONTACTS = frozenset({PHONE, EMAIL})


@dataclass(frozen=True, slots=True)
class Finding:
    """One secret or personal number: what it is and where, in code points; never its value."""

    kind: str
    policy_class: str
    start: int
    end: int


def resolve(found: Iterable[Finding]) -> list[Finding]:
    """Non-overlapping findings, ascending. Of `found`, in order of preference, overlapping
    secrets are joined under the first one's name; contacts give way to secrets.
    """
    ranked = list(enumerate(found))
    secrets = [item for item in ranked if item[1].policy_class not in _CONTACTS]
    secrets.sort(key=lambda item: item[1].start)
    joined: list[tuple[int, Finding]] = []
    for rank, finding in secrets:
        if joined and finding.start < joined[-1][1].end:
            first_rank, first = joined[-1]
            named = finding if rank < first_rank else first
            end = max(first.end, finding.end)
            union = Finding(named.kind, named.policy_class, first.start, end)
            joined[-1] = (min(rank, first_rank), union)
        else:
            joined.append((rank, finding))
    chosen = [finding for _, finding in joined]
    contacts = [item[1] for item in ranked if item[1].policy_class in _CONTACTS]
    return _with_contacts(chosen, contacts) if contacts else chosen


def _with_contacts(secrets: list[Finding], contacts: list[Finding]) -> list[Finding]:
    """`secrets` and those contacts that touch no other, longest first at the same place."""
    everything = sorted(
        secrets + contacts,
        key=lambda f: (f.start, f.policy_class in _CONTACTS, -f.end),
    )
    chosen: list[Finding] = []
    for finding in everything:
        while chosen and chosen[-1].end > finding.start:
            if finding.policy_class in _CONTACTS:
                break
            chosen.pop()  # a contact that began before the secret it overlaps
        else:
            chosen.append(finding)
    return chosen
