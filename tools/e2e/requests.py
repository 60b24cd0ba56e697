"""What a client asked the fake model, and what the fake model answers.

Both wires (Anthropic Messages, OpenAI Responses) are read into one `ModelRequest`: the whole body
as it came, the names of the tools offered, and every string in it. Nothing is interpreted beyond
that: whether a fact was injected is a question about strings, and the answer must not depend on
where a client puts them. A `Reply` is a text or one tool call.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

MAIN_TOOLS = 3  # a client's own side requests (titles, summaries) offer fewer tools than this


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call that the fake model asks for."""

    tool: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Reply:
    """What the fake model says: a text, or a tool call."""

    text: str = "Noted."
    call: Call | None = None


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request of a client to the model, with the second of its arrival."""

    path: str
    body: dict[str, Any] = field(repr=False)
    at: float
    ordinal: int

    @property
    def tools(self) -> tuple[str, ...]:
        """Names of the tools offered in full, a namespace's members as `namespace.name`."""
        return tuple(_tool_names(self.body.get("tools")))

    @property
    def main(self) -> bool:
        """Whether this is the agent's own turn, not a side request such as a title."""
        return len(self.tools) >= MAIN_TOOLS

    def texts(self) -> tuple[str, ...]:
        """Every string value in the body."""
        return tuple(_strings(self.body))

    def conversation(self) -> tuple[str, ...]:
        """Every string among the messages: neither tools nor the top-level instructions."""
        return tuple(_strings(self.body.get("messages") or self.body.get("input")))

    def holding(self, text: str) -> tuple[str, ...]:
        """The strings among the messages that contain `text`."""
        return tuple(found for found in self.conversation() if text in found)


def _tool_names(tools: object, prefix: str = "") -> Iterator[str]:
    if not isinstance(tools, list):
        return
    for tool in tools:
        if not isinstance(tool, dict):
            continue
        name = str(tool.get("name") or tool.get("type") or "")
        if isinstance(tool.get("tools"), list):
            yield from _tool_names(tool["tools"], f"{prefix}{name}.")
        else:
            yield prefix + name


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for entry in value.values():
            yield from _strings(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from _strings(entry)
