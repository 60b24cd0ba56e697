"""Who may talk to the HTTP server: the checks before any byte reaches the protocol, as ASGI.

A web page in the user's browser can send requests to a local port, by its number or through a name
that it points at 127.0.0.1. So `Host` must be an address we listen on, and `Origin`, which only
browsers send, one of our own: 403 otherwise. And any local program can connect, whoever runs it,
so every request needs the bearer token: 401 without. Both are asked for on every path.
"""

from __future__ import annotations

import ipaddress
import json
from urllib.parse import urlsplit

from memstone.surfaces.mcp import token as tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, MutableMapping
    from typing import Any

    Scope = MutableMapping[str, Any]
    Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
    Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
    App = Callable[[Scope, Receive, Send], Awaitable[None]]

LOOPBACK_NAME = "localhost"
SCHEMES = ("http", "https")


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach `host`.

    >>> [is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "0.0.0.0")]
    [True, True, True, False]
    """
    if host.lower() == LOOPBACK_NAME:
        return True
    address = _address(host)
    return address is not None and address.is_loopback


class Hosts:
    """The names under which a server bound to `bound` may be addressed."""

    def __init__(self, bound: str) -> None:
        address = _address(bound)
        self._any_address = address is not None and address.is_unspecified
        self._bound = bound.lower()

    def allow(self, host: str) -> bool:
        """Whether `host` (a `Host` header, port or not) is ours.

        >>> hosts = Hosts("127.0.0.1")
        >>> [hosts.allow(h) for h in ("127.0.0.1:80", "localhost", "[::1]:80", "evil.example:80")]
        [True, True, True, False]
        """
        name = _name_of(host)
        if name is None:
            return False
        if is_loopback(name) or name == self._bound:
            return True
        # an address cannot be pointed elsewhere, only a name can
        return self._any_address and _address(name) is not None

    def allow_origin(self, origin: str) -> bool:
        """Whether a page of this origin is one of ours."""
        try:
            parts = urlsplit(origin)
        except ValueError:
            return False
        return parts.scheme in SCHEMES and bool(parts.netloc) and self.allow(parts.netloc)


class Guard:
    """An ASGI application that lets only checked requests through to another one."""

    def __init__(self, app: App, hosts: Hosts, token: bytes | None) -> None:
        self._app = app
        self._hosts = hosts
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            refusal = self._refusal(scope["headers"])
            if refusal is None:
                await self._app(scope, receive, send)
            else:
                await _refuse(send, *refusal)

    def _refusal(self, headers: Iterable[tuple[bytes, bytes]]) -> tuple[int, str, str] | None:
        """The status, code and message to refuse with; None if there is nothing against it."""
        hosts = _values(headers, b"host")
        if len(hosts) != 1 or not self._hosts.allow(hosts[0]):
            return 403, "host_refused", "Host is not an address of this server"
        if not all(self._hosts.allow_origin(origin) for origin in _values(headers, b"origin")):
            return 403, "origin_refused", "Origin is not this server's own"
        if self._token is not None and not self._has_token(headers):
            return 401, "token_needed", "a bearer token is needed"
        return None

    def _has_token(self, headers: Iterable[tuple[bytes, bytes]]) -> bool:
        given = _values(headers, b"authorization")
        scheme, _, value = given[0].partition(" ") if len(given) == 1 else ("", "", "")
        if scheme.lower() != "bearer" or self._token is None:
            return False
        return tokens.same(value.strip().encode("latin-1"), self._token)


async def _refuse(send: Send, status: int, code: str, message: str) -> None:
    hint = "the server printed where its token is" if status == 401 else None
    body = json.dumps({"error": {"code": code, "message": message, "hint": hint}}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
    ]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _values(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in headers if key.lower() == name]


def _name_of(host: str) -> str | None:
    """The name or address in a `Host` header, without port and brackets; None if malformed."""
    try:
        parts = urlsplit(f"//{host}")
        parts.port  # noqa: B018  (raises for what is no port)
    except ValueError:
        return None
    if parts.path or parts.query or parts.fragment or parts.username is not None:
        return None
    return parts.hostname


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None
