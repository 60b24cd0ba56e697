"""Streamable HTTP: the SDK's transport over our methods, behind our guard. Stateless, path /mcp.

Loaded by `memstone mcp --http` alone, for it costs over a second. The SDK speaks the protocol's
eras, sessions and streams; the methods are those of `service`, run in a few worker threads. Bound
to a loopback address unless told otherwise, and never to another one without a token.
"""

from __future__ import annotations

import functools
import os
import signal
import socket

from memstone.errors import UsageError
from memstone.surfaces.jsonrpc import RpcError
from memstone.surfaces.mcp import service as methods
from memstone.surfaces.mcp.conversation import MODERN
from memstone.surfaces.mcp.guard import LOOPBACK_NAME, Guard, Hosts, is_loopback
from memstone.surfaces.mcp.token import token_in
from memstone.surfaces.stdio import note

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Any

    from mcp.server.context import ServerRequestContext
    from mcp.server.lowlevel import Server
    from pydantic import BaseModel

    from memstone.surfaces.mcp.guard import App
    from memstone.surfaces.mcp.service import Service

    Handler = Callable[[ServerRequestContext[Any], BaseModel], Awaitable[dict[str, Any]]]

PATH = "/mcp"
THREADS = 8  # calls at once; each thread keeps one connection to the store
LINGER_SECONDS = 3  # for answers under way when the server is told to stop
QUEUE = 128  # connections that may wait to be accepted
_EXTRA = "pip install '.[mcp]' where memstone was cloned"


def serve(service: Service, address: str, *, with_token: bool) -> None:
    """Serve at `address` (HOST:PORT) until SIGTERM or SIGINT.

    Raises `UsageError` for an address that cannot be served, `StoreUnsafe` for a token that is no
    secret.
    """
    host, port = _parsed(address)
    if not with_token and not is_loopback(host):
        raise UsageError(
            f"--no-token: {host} can be reached from other machines",
            hint="leave out --no-token, or serve 127.0.0.1",
        )
    try:
        import uvicorn
    except ModuleNotFoundError as error:
        raise UsageError("--http needs the MCP SDK", hint=_EXTRA) from error
    listening = _listening(host, port)
    with listening:
        token = _token(service, host) if with_token else None
        app = Guard(application(service), Hosts(host), token)
        url = f"http://{_shown(host)}:{listening.getsockname()[1]}{PATH}"
        config = uvicorn.Config(
            app,
            lifespan="on",
            ws="none",
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=LINGER_SECONDS,
        )
        # uvicorn raises its signals again once it has stopped; then there is nothing left to end
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: None)
        note(f"serving {url}")
        uvicorn.Server(config).run(sockets=[listening])


def application(service: Service) -> App:
    """The ASGI application of the protocol, without a guard."""
    from mcp.server.transport_security import TransportSecuritySettings

    app: App = protocol(service).streamable_http_app(
        streamable_http_path=PATH,
        stateless_http=True,
        # the guard stands before it, and knows every address we may be bound to
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    return app


def protocol(service: Service) -> Server[Any]:
    """The SDK's server with our methods; what it advertises follows from them."""
    from anyio import CapacityLimiter
    from mcp import types
    from mcp.server.caching import CacheHint
    from mcp.server.lowlevel import Server

    hints: dict[Any, CacheHint] = {
        method: CacheHint(ttl_ms=milliseconds, scope="private")
        for method, milliseconds in methods.TIME_TO_LIVE.items()
    }
    server: Server[Any] = Server(
        str(methods.SERVER["name"]),
        title=str(methods.SERVER["title"]),
        version=str(methods.SERVER["version"]),
        instructions=methods.INSTRUCTIONS,
        cache_hints=hints,
    )
    limiter = CapacityLimiter(THREADS)
    parameters: dict[str, type[BaseModel]] = {
        "tools/list": types.PaginatedRequestParams,
        "tools/call": types.CallToolRequestParams,
        "resources/list": types.PaginatedRequestParams,
        "resources/templates/list": types.PaginatedRequestParams,
        "resources/read": types.ReadResourceRequestParams,
        "prompts/list": types.PaginatedRequestParams,
        "prompts/get": types.GetPromptRequestParams,
        "completion/complete": types.CompleteRequestParams,
    }
    for method, model in parameters.items():
        server.add_request_handler(method, model, _handler(service, method, limiter))
    return server


def _handler(service: Service, method: str, limiter: Any) -> Handler:
    from anyio import to_thread
    from mcp.shared.exceptions import MCPError

    async def handle(context: ServerRequestContext[Any], _: BaseModel) -> dict[str, Any]:
        modern = context.protocol_version in MODERN
        run = functools.partial(service.result, method, context.params or {})
        try:
            result = await to_thread.run_sync(run, limiter=limiter)
            return result | {"resultType": "complete"} if modern else result
        except RpcError as error:
            raise MCPError(error.code, error.message, error.data) from error

    return handle


def _parsed(address: str) -> tuple[str, int]:
    """Host and port of `HOST:PORT`, `[IPv6]:PORT` or a bare port; raises `UsageError`."""
    host, _, port = address.rpartition(":")
    host = host.removeprefix("[").removesuffix("]") or "127.0.0.1"
    if not port.isascii() or not port.isdigit() or int(port) > 65_535:
        raise UsageError(
            f"--http: {address!r} is not HOST:PORT", hint="for example --http 127.0.0.1:8765"
        )
    return host, int(port)


def _listening(host: str, port: int) -> socket.socket:
    host = "127.0.0.1" if host == LOOPBACK_NAME else host  # where clients look for it first
    try:
        family, kind, number, _, target = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, number)
    except OSError as error:
        raise _cannot_listen(host, port, error) from error
    try:
        if os.name == "posix":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(target)
        listening.listen(QUEUE)
    except OSError as error:
        listening.close()
        raise _cannot_listen(host, port, error) from error
    return listening


def _cannot_listen(host: str, port: int, error: OSError) -> UsageError:
    return UsageError(
        f"--http: cannot listen on {host} port {port}: {error.strerror}",
        hint="another port may be free; port 0 takes any",
    )


def _token(service: Service, host: str) -> bytes:
    token, path = token_in(service.holder.folder)
    note(f"every request needs the bearer token in {path}")
    if not is_loopback(host):
        note(f"{host} can be reached from other machines, and what they send is not encrypted")
    return token


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host
