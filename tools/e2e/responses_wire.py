"""The OpenAI Responses API as far as Codex needs it: one reply as a stream of events.

response.created, the one output item added and done, response.completed with the usage. A tool in a
namespace (`server.tool` in `Call.tool`) goes out with the namespace in a field of its own, as Codex
expects of an MCP tool.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tools.e2e.requests import Call, ModelRequest, Reply


def events(request: ModelRequest, reply: Reply) -> list[tuple[str, dict[str, Any]]]:
    """The events of a stream, each with its name."""
    response = {
        "id": f"resp_{request.ordinal:024d}",
        "object": "response",
        "model": request.body.get("model", "none"),
        "output": [],
    }
    item = _spoken(request, reply.text) if reply.call is None else _called(request, reply.call)
    done = {**response, "status": "completed", "output": [item], "usage": _usage(request)}
    return [
        ("response.created", {"response": {**response, "status": "in_progress"}}),
        (
            "response.output_item.added",
            {"output_index": 0, "item": {**item, "status": "in_progress"}},
        ),
        ("response.output_item.done", {"output_index": 0, "item": item}),
        ("response.completed", {"response": done}),
    ]


def _spoken(request: ModelRequest, text: str) -> dict[str, Any]:
    return {
        "id": f"msg_{request.ordinal:024d}",
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": text, "annotations": []}],
    }


def _called(request: ModelRequest, call: Call) -> dict[str, Any]:
    namespace, _, name = call.tool.rpartition(".")
    item = {
        "id": f"fc_{request.ordinal:024d}",
        "type": "function_call",
        "status": "completed",
        "call_id": f"call_{request.ordinal}",
        "name": name,
        "arguments": json.dumps(call.arguments),
    }
    return {**item, "namespace": namespace} if namespace else item


def _usage(request: ModelRequest) -> dict[str, Any]:
    count = len(json.dumps(request.body)) // 4
    return {
        "input_tokens": count,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 12,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": count + 12,
    }
