"""The MCP server of `cavemem`: its five tools and a sixth that resolves the handles of the others.

Results are compact JSON in one text item, failures are tool errors `{"error", "message"}`; there
are no output schemas and no annotations, because clients were written against just this. The loop
is `jsonrpc`, in its lenient mode, with batches. Deliberate differences: the protocol version that a
client asks for is granted if it has a handshake, and `cavemem_recover` is there.
"""

from __future__ import annotations

import json

from memstone.errors import MemstoneError
from memstone.surfaces import jsonrpc, stdio
from memstone.surfaces.compat import spelling, texts
from memstone.surfaces.jsonrpc import Fault, RpcError
from memstone.types import DEFAULT_BUDGET, Trust

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memstone.engine.cavemem import Cavemem
    from memstone.surfaces.jsonrpc import Request

    Arguments = Mapping[str, object]
    Result = Mapping[str, object]

VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")  # those with a handshake
INFO = {"name": "cavemem", "version": "1.0.0"}
SILENT = frozenset({"notifications/initialized", "notifications/cancelled"})
MOST_BYTES = 16 * 1024 * 1024
PAYLOAD_TOO_LARGE = "cave_payload_too_large"
MOST = 2**63 - 1


class Refused(Exception):
    """A call that is answered with a tool error of that id."""

    def __init__(self, error: str, message: str) -> None:
        super().__init__(message)
        self.error = error
        self.message = message


class Given:
    """The arguments of one call; keys match whatever their case, and the last one wins."""

    def __init__(self, arguments: Arguments) -> None:
        self._values = {name.lower(): value for name, value in arguments.items()}

    def text(self, name: str) -> str:
        """A text, "" if it is not given; raises `Refused` for another type."""
        value = self._values.get(name)
        if value is None:
            return ""
        if not isinstance(value, str):
            raise Refused(spelling.INVALID_ARGUMENTS, f"{name} must be a string")
        return texts.mended(value)[0]

    def needed(self, name: str) -> str:
        """A text that may not be empty."""
        value = self.text(name)
        if not value:
            raise Refused(spelling.INVALID_ARGUMENTS, f"missing {name}")
        return value

    def whole(self, name: str) -> int | None:
        """A whole number, None if it is not given."""
        value = self._values.get(name)
        if value is None:
            return None
        if not isinstance(value, int) or isinstance(value, bool) or not -MOST <= value <= MOST:
            raise Refused(spelling.INVALID_ARGUMENTS, f"{name} must be an integer")
        return value


def remember(cavemem: Cavemem, given: Given) -> str:
    text = given.text("text")
    texts.check_size(text)
    return spelling.spell(spelling.remembered(cavemem.remember(text, trust=Trust.AGENT)))


def recall(cavemem: Cavemem, given: Given) -> str:
    query, limit, budget = given.needed("query"), given.whole("limit"), given.whole("token_budget")
    if budget is not None and budget < 0:
        raise Refused(spelling.INVALID_ARGUMENTS, "token_budget must be a non-negative integer")
    return spelling.spell(spelling.recalled(cavemem.recall(query, limit=limit or 0, budget=budget)))


def supersede(cavemem: Cavemem, given: Given) -> str:
    id_, text = given.needed("id"), given.needed("text")
    texts.check_size(text)
    return spelling.spell(spelling.superseded(cavemem.supersede(id_, text, trust=Trust.AGENT)))


def history(cavemem: Cavemem, given: Given) -> str:
    return spelling.spell(spelling.history(cavemem.history(given.needed("id"))))


def forget(cavemem: Cavemem, given: Given) -> str:
    was_there = cavemem.forget(given.needed("id"))
    return spelling.spell(spelling.forgotten(was_there=was_there))


def recover(cavemem: Cavemem, given: Given) -> str:
    return cavemem.recover(given.needed("handle"))


def _schema(*required: str, **properties: Mapping[str, object]) -> Mapping[str, object]:
    return {"type": "object", "properties": properties, "required": list(required)}


def _string(description: str) -> Mapping[str, object]:
    return {"type": "string", "description": description}


RECALL = (
    "Memories relevant to a query, best first, within a token budget; often none. A hit with a "
    "recovery_handle is shortened: cavemem_recover has the whole text."
)
BUDGET = {
    "type": "integer",
    "description": "Most tokens the hits may add; 0 is unlimited.",
    "minimum": 0,
    "default": DEFAULT_BUDGET,
}
TOOLS: dict[str, tuple[Callable[[Cavemem, Given], str], str, Mapping[str, object]]] = {
    "cavemem_remember": (
        remember,
        "Store a durable memory: a fact, decision or preference to know in later sessions.",
        _schema("text", text=_string("The memory, up to 262144 bytes.")),
    ),
    "cavemem_recall": (
        recall,
        RECALL,
        _schema(
            "query",
            query=_string("What to look for; words are matched as they are."),
            limit={"type": "integer", "description": "Most hits, 5 by default."},
            token_budget=BUDGET,
        ),
    ),
    "cavemem_supersede": (
        supersede,
        "Replace a memory that has changed; the old version stays in its history.",
        _schema(
            "id",
            "text",
            id=_string("The id of the current memory."),
            text=_string("The memory as it is now."),
        ),
    ),
    "cavemem_history": (
        history,
        "Every version of a memory, oldest first; any id of the chain will do.",
        _schema("id", id=_string("The id of any version.")),
    ),
    "cavemem_forget": (
        forget,
        "Remove a memory for good.",
        _schema("id", id=_string("The id of the memory.")),
    ),
    "cavemem_recover": (
        recover,
        "The whole text behind a recovery handle.",
        _schema("handle", handle=_string("The recovery_handle of a hit.")),
    ),
}


class Server(jsonrpc.Handler):
    """The conversation with one client."""

    most_bytes = MOST_BYTES
    most_answer_bytes = MOST_BYTES
    strict = False
    null_id = False

    def __init__(self, cavemem: Cavemem) -> None:
        self._cavemem = cavemem

    def batches(self) -> bool:
        return True

    def parse(self, line: bytes) -> object:
        value = json.loads(line.decode("utf-8", "replace"), parse_constant=_refuse)
        if isinstance(value, dict):
            value.setdefault("method", "")  # without one it is a request for nothing we have
        return value

    def spell(self, message: jsonrpc.Message | list[jsonrpc.Message]) -> bytes:
        text = spelling.spell(message) if isinstance(message, dict) else ""
        return text.encode("utf-8", "backslashreplace")

    def answer(self, request: Request) -> Result | None:
        if request.method == "initialize":
            return _initialized(request.params)
        if request.method == "ping":
            return {}
        if request.method == "tools/list":
            return {"tools": _listed()}
        if request.method == "tools/call":
            return self._call(request.params)
        if request.method in SILENT:
            return None
        raise RpcError(jsonrpc.METHOD_NOT_FOUND, f"Method not found: {request.method[:80]}")

    def _call(self, params: object) -> Result:
        name = params.get("name") if isinstance(params, dict) else None
        if not isinstance(params, dict) or not isinstance(name, str):
            raise RpcError(jsonrpc.INVALID_PARAMS, "Invalid params: a tool's name is needed")
        if name not in TOOLS:
            return _refusal("cave_unknown_tool", f"unknown tool {name[:80]}")
        verb = name.removeprefix("cavemem_")
        arguments = params.get("arguments")
        try:
            if not isinstance(arguments, dict):
                return _refusal(spelling.INVALID_ARGUMENTS, "arguments must be an object")
            return _content(TOOLS[name][0](self._cavemem, Given(arguments)))
        except Refused as error:
            return _refusal(error.error, error.message)
        except MemstoneError as error:
            return _refusal(spelling.error_id(verb, error), spelling.message(verb, error))
        except Exception as error:  # noqa: BLE001  (the main loop: one bad call must not end a session)
            return _refusal("cave_tool_panicked", f"{name} met {type(error).__name__}")

    def fault(self, fault: Fault) -> RpcError:
        if fault is Fault.TOO_LONG:
            said = f"{PAYLOAD_TOO_LARGE}: a line has more than {MOST_BYTES} bytes"
            return RpcError(jsonrpc.INVALID_REQUEST, said)
        if fault in {Fault.NOT_JSON, Fault.NOT_A_MESSAGE}:
            return RpcError(jsonrpc.PARSE_ERROR, "Parse error: the line is no JSON-RPC message")
        return super().fault(fault)

    def broke(self, request: Request, error: Exception) -> RpcError:
        said = f"cave_internal_error: {request.method[:80]} met {type(error).__name__}"
        return RpcError(jsonrpc.INTERNAL_ERROR, said)

    def too_long(self, request: Request, size: int) -> Result:  # noqa: ARG002
        return _refusal(PAYLOAD_TOO_LARGE, f"the answer has {size} bytes")


def serve(cavemem: Cavemem) -> None:
    """Answer on standard input and output until the conversation is over."""
    with stdio.conversation() as pipes:
        jsonrpc.serve(pipes.read, pipes.write, Server(cavemem))


def _initialized(params: object) -> Result:
    asked = params.get("protocolVersion") if isinstance(params, dict) else VERSIONS[0]
    version = asked if asked in VERSIONS else VERSIONS[-1]
    return {"capabilities": {"tools": {}}, "protocolVersion": version, "serverInfo": INFO}


def _listed() -> list[Result]:
    return [
        {"name": name, "description": description, "inputSchema": schema}
        for name, (_, description, schema) in TOOLS.items()
    ]


def _content(text: str) -> Result:
    return {"content": [{"type": "text", "text": text}]}


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is not JSON")


def _refusal(error: str, message: str) -> Result:
    said = spelling.spell({"error": error, "message": message})
    return {"content": [{"type": "text", "text": said}], "isError": True}
