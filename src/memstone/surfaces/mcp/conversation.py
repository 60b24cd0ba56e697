"""The protocol on standard input and output: both of its eras, on our own JSON-RPC loop.

Handshake era (2024-11-05 to 2025-11-25): `initialize` settles a version, then methods. Modern era
(2026-07-28): no handshake, each request says its version in `_meta`, each result its type, how
long it may be cached and who answered. The first request decides for the whole connection, as in
the SDK: `initialize` on a modern one, or a modern request on a handshake one, is refused.

The answer to `tools/list` needs the table of tools and nothing else: no SDK, no engine, no store.
"""

from __future__ import annotations

from memstone.surfaces import jsonrpc
from memstone.surfaces.jsonrpc import INVALID_PARAMS, INVALID_REQUEST, RpcError
from memstone.surfaces.mcp import service as methods

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from memstone.surfaces.jsonrpc import Request
    from memstone.surfaces.mcp.schemas import Json
    from memstone.surfaces.mcp.service import Service

HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN = ("2026-07-28",)
WITH_BATCHES = ("2024-11-05", "2025-03-26")  # later versions have none
UNSUPPORTED_VERSION = -32022
_META = "io.modelcontextprotocol/"
VERSION_KEY, CAPABILITIES_KEY = _META + "protocolVersion", _META + "clientCapabilities"
SERVER_KEY = _META + "serverInfo"


class Conversation(jsonrpc.Handler):
    """One client's requests, answered from a `Service`."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._version = ""  # of the handshake
        self._modern: bool | None = None  # the era, once a request decided it

    def answer(self, request: Request) -> Json:
        """The result of a request in its era; raises `RpcError`."""
        params = request.params if isinstance(request.params, dict) else {}
        enveloped = _has_envelope(params)
        if self._modern is None:
            self._modern = enveloped and request.method != "initialize"
        if self._modern:
            return self._answer_modern(request.method, params)
        if request.method == "initialize":
            return self._initialize(params)
        if enveloped:
            raise RpcError(
                INVALID_REQUEST, "Invalid request: this connection began with initialize"
            )
        if request.method == "ping":
            return {}
        return self._service.result(request.method, params)

    def batches(self) -> bool:
        """Only where the version that was agreed on has them."""
        return self._version in WITH_BATCHES

    def broke(self, request: Request, error: Exception) -> RpcError:
        """The error for a bug of ours; the details go to standard error."""
        methods.bug(error)
        return super().broke(request, error)

    def too_long(self, request: Request, size: int) -> Json:
        """An error of the tool; nothing else can become that long."""
        answer = methods.too_long(size)
        return _dressed(request.method, answer) if self._modern else answer

    def _initialize(self, params: Mapping[str, object]) -> Json:
        wanted = params.get("protocolVersion")
        if not isinstance(wanted, str):
            raise RpcError(INVALID_PARAMS, "protocolVersion: text is needed")
        self._version = wanted if wanted in HANDSHAKE else HANDSHAKE[-1]
        return {
            "protocolVersion": self._version,
            "capabilities": methods.CAPABILITIES,
            "serverInfo": methods.SERVER,
            "instructions": methods.INSTRUCTIONS,
        }

    def _answer_modern(self, method: str, params: Mapping[str, object]) -> Json:
        if method == "initialize":
            raise _unsupported(params.get("protocolVersion"))
        _check_envelope(params)
        if method == "server/discover":
            result: Json = {
                "supportedVersions": list(MODERN),
                "capabilities": methods.CAPABILITIES,
                "instructions": methods.INSTRUCTIONS,
            }
        else:
            result = self._service.result(method, params)
        return _dressed(method, result)


def serve(service: Service) -> None:
    """Answer the client on this process's standard input and output until it is gone."""
    from memstone.surfaces.stdio import conversation

    with conversation(idle=service.look) as pipes:
        try:
            jsonrpc.serve(pipes.read, pipes.write, Conversation(service))
        except BrokenPipeError:
            return  # it went away while we answered


def _has_envelope(params: Mapping[str, object]) -> bool:
    meta = params.get("_meta")
    return isinstance(meta, dict) and VERSION_KEY in meta


def _check_envelope(params: Mapping[str, object]) -> None:
    """Raise `RpcError` unless the request says a version that we speak, and what its client can."""
    meta = params.get("_meta")
    given = meta if isinstance(meta, dict) else {}
    missing = [key for key in (VERSION_KEY, CAPABILITIES_KEY) if key not in given]
    if missing:
        raise RpcError(INVALID_PARAMS, f"_meta: {', '.join(missing)} is missing")
    version = given[VERSION_KEY]
    if not isinstance(version, str):
        raise RpcError(INVALID_PARAMS, f"_meta: {VERSION_KEY}: text is needed")
    if version not in MODERN:
        raise _unsupported(version)


def _unsupported(requested: object) -> RpcError:
    data: Json = {"supported": list(MODERN)}
    if isinstance(requested, str):
        data["requested"] = requested
    return RpcError(UNSUPPORTED_VERSION, "Unsupported protocol version", data)


def _dressed(method: str, result: Json) -> Json:
    """A result as the modern era wants it."""
    cached: Json = {}
    if method in methods.TIME_TO_LIVE:
        cached = {"ttlMs": methods.TIME_TO_LIVE[method], "cacheScope": "private"}
    said = {"resultType": "complete", "_meta": {SERVER_KEY: methods.SERVER}}
    return {**result, **cached, **said}
