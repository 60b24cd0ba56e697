"""`MemoryFiles` as the Anthropic SDK's tool objects; the only module that knows the SDK.

The SDK takes a second to import, so that happens in the call that makes a tool. Both tools hand
the command as the model sent it to one `MemoryFiles.execute`, the `async` one in a worker thread;
every error of ours becomes the SDK's `ToolError`, whose text the model reads.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from memstone.errors import MemoryFileRefused, MemstoneError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from anthropic.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool
    from anthropic.types.beta import BetaCacheControlEphemeralParam

    from memstone.integrations.memory_tool import MemoryFiles

    Command = Any  # one of the SDK's six generated classes


def sync_tool(
    files: MemoryFiles, cache_control: BetaCacheControlEphemeralParam | None
) -> BetaAbstractMemoryTool:
    """The tool for a synchronous tool runner. Raises `UsageError` where the SDK is missing."""
    try:
        from anthropic.tools import BetaAbstractMemoryTool
    except ImportError as error:
        raise _without_sdk() from error

    class MemoryTool(BetaAbstractMemoryTool):
        """The memory files of a memstone store."""

        def call(self, input: object) -> str:  # noqa: A002  (the SDK's name)
            return _answer(files, input)

        def view(self, command: Command) -> str:
            return _answer(files, command.to_dict())

        create = str_replace = insert = delete = rename = view

        def clear_all_memory(self) -> str:
            return files.clear_all_memory()

    return MemoryTool(cache_control=cache_control)


def async_tool(
    files: MemoryFiles, cache_control: BetaCacheControlEphemeralParam | None
) -> BetaAsyncAbstractMemoryTool:
    """The tool for an `async` tool runner. Raises `UsageError` where the SDK is missing."""
    try:
        from anthropic.tools import BetaAsyncAbstractMemoryTool
    except ImportError as error:
        raise _without_sdk() from error

    class AsyncMemoryTool(BetaAsyncAbstractMemoryTool):
        """The memory files of a memstone store, for `async` clients."""

        async def call(self, input: object) -> str:  # noqa: A002  (the SDK's name)
            return await asyncio.to_thread(_answer, files, input)

        async def view(self, command: Command) -> str:
            return await asyncio.to_thread(_answer, files, command.to_dict())

        create = str_replace = insert = delete = rename = view

        async def clear_all_memory(self) -> str:
            return await asyncio.to_thread(files.clear_all_memory)

    return AsyncMemoryTool(cache_control=cache_control)


def _answer(files: MemoryFiles, command: object) -> str:
    """What the tool answers to a command; raises the SDK's `ToolError` for every refusal."""
    from anthropic.lib.tools import ToolError

    if not isinstance(command, Mapping):
        raise ToolError("A memory command is an object with the fields of one command")
    try:
        return files.execute(command)
    except MemoryFileRefused as error:
        raise ToolError(error.message) from error
    except MemstoneError as error:  # of the store: the way out is for whoever runs it
        raise ToolError(
            f"{error.message} ({error.hint})" if error.hint else error.message
        ) from error


def _without_sdk() -> UsageError:
    return UsageError(
        "the memory tool needs the Anthropic SDK",
        hint="pip install '.[anthropic]' where memstone was cloned",
    )
