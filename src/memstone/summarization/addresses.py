"""Where a key and a conversation may go.

A key that stands in a provider's own variable was given for that provider, so it goes to the
provider's own address and nowhere else; whoever wants one sent elsewhere names its variable. And
what is sent over plain http can be read on the way: only to this machine or a private network,
unless somebody allowed it. Names are not looked up: what a resolver answers now need not be where
the request goes.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from memstone.errors import ConfigError

ANTHROPIC, OPENAI = "anthropic", "openai"
OWN = {ANTHROPIC: "https://api.anthropic.com", OPENAI: "https://api.openai.com/v1"}
PRIVATE_NAMES = (".localhost", ".local", ".internal", ".home.arpa")  # RFC 6761, 6762, 8375, ICANN
_NUMBER = re.compile(r"\d+|0[xX][0-9a-fA-F]*")  # 134744072 is a way to write 8.8.8.8


def is_address(url: str) -> bool:
    """Whether a request can be sent there.

    >>> is_address("http://127.0.0.1:11434/v1"), is_address("http://[::1"), is_address("//预算")
    (True, False, False)
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
        _ = (host or "").encode("idna")  # a label of 64 letters, or an empty one
    except ValueError:
        return False
    plain = url.isascii() and url.isprintable() and " " not in url
    extra = "@" in parts.netloc or parts.query or parts.fragment
    return bool(parts.scheme in {"http", "https"} and host and port != 0 and plain and not extra)


def check(url: str, *, plain_http: bool) -> None:
    """Raises `ConfigError` for what is no address, or one that would be sent to in the clear."""
    if not is_address(url):
        raise ConfigError(
            "summarizer.base_url: not an address such as https://host/v1",
            hint="begin it with http:// or https://; no name, password or ? in it",
            key="summarizer.base_url",
        )
    parts = urlsplit(url)
    if parts.scheme == "http" and not plain_http and not is_near(parts.hostname or ""):
        raise ConfigError(
            f"summarizer.base_url: {parts.netloc} is not on this machine or a private network, and "
            "over plain http conversations and keys can be read on the way",
            hint="use https://, or allow it with summarizer.plain_http: anywhere",
            key="summarizer.base_url",
        )


def is_same_place(url: str, own: str) -> bool:
    """Whether a URL leads to the host and port of `own`, by the same scheme.

    >>> is_same_place("https://API.openai.com:443/v1", "https://api.openai.com/v1")
    True
    >>> is_same_place("http://api.openai.com/v1", "https://api.openai.com/v1")
    False
    """
    return is_address(url) and _place(url) == _place(own)


def _place(url: str) -> tuple[str, str | None, int]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)


def is_near(host: str) -> bool:
    """Whether a host is this machine or in a private network, by its name or number alone.

    >>> [is_near(host) for host in ("localhost", "::1", "192.168.1.7", "ollama", "nas.local")]
    [True, True, True, True, True]
    >>> [is_near(host) for host in ("8.8.8.8", "example.com", "localhost.example.com", "134744072")]
    [False, False, False, False]
    """
    from ipaddress import IPv6Address, ip_address  # noqa: PLC0415

    host = host.lower().rstrip(".")
    try:
        address = ip_address(host)
    except ValueError:  # a name
        alone = "." not in host and ":" not in host and not _NUMBER.fullmatch(host)
        return alone or host.endswith(PRIVATE_NAMES)
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    return address.is_loopback or address.is_private or address.is_link_local
