"""The Anthropic Messages API as far as Claude Code needs it: one reply, streamed or whole.

A stream is message_start, the one content block in start, delta and stop, message_delta with the
reason, message_stop. Token counts are a quarter of the body's characters: nothing here is billed,
but the client compares them with its window and must not believe itself near the end.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tools.e2e.requests import ModelRequest, Reply


def counted(request: ModelRequest) -> dict[str, Any]:
    """The answer to count_tokens."""
    return {"input_tokens": len(json.dumps(request.body)) // 4}


def message(request: ModelRequest, reply: Reply) -> dict[str, Any]:
    """The whole message, for a request without `stream`."""
    return {
        **_envelope(request),
        "content": [_block(request, reply)],
        "stop_reason": _reason(reply),
        "usage": _usage(request, 12),
    }


def events(request: ModelRequest, reply: Reply) -> list[tuple[str, dict[str, Any]]]:
    """The events of a stream, each with its name."""
    block = _block(request, reply)
    start: dict[str, Any]
    if reply.call is None:
        start, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": reply.text}
    else:
        start = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    first = {**_envelope(request), "content": [], "stop_reason": None, "usage": _usage(request, 1)}
    end = {"stop_reason": _reason(reply), "stop_sequence": None}
    return [
        ("message_start", {"message": first}),
        ("content_block_start", {"index": 0, "content_block": start}),
        ("content_block_delta", {"index": 0, "delta": delta}),
        ("content_block_stop", {"index": 0}),
        ("message_delta", {"delta": end, "usage": {"output_tokens": 12}}),
        ("message_stop", {}),
    ]


def _envelope(request: ModelRequest) -> dict[str, Any]:
    return {
        "id": f"msg_{request.ordinal:024d}",
        "type": "message",
        "role": "assistant",
        "model": request.body.get("model", "none"),
        "stop_sequence": None,
    }


def _block(request: ModelRequest, reply: Reply) -> dict[str, Any]:
    if reply.call is None:
        return {"type": "text", "text": reply.text}
    return {
        "type": "tool_use",
        "id": f"toolu_{request.ordinal:020d}",
        "name": reply.call.tool,
        "input": reply.call.arguments,
    }


def _reason(reply: Reply) -> str:
    return "end_turn" if reply.call is None else "tool_use"


def _usage(request: ModelRequest, output: int) -> dict[str, int]:
    return {**counted(request), "output_tokens": output}
