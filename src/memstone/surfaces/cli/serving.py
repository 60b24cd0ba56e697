"""`mcp`: the MCP server, on standard input and output or over HTTP.

Nothing of the store is loaded before a client calls a tool: whether a client offers our tools with
its first question depends on how soon they are listed.
"""

from __future__ import annotations

from memstone.errors import UsageError
from memstone.surfaces.cli.call import agents_of, current_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memstone.surfaces.cli.call import Call


def mcp(call: Call) -> int:
    """Serve until the client is gone; over HTTP until a signal."""
    from memstone.surfaces.mcp import conversation
    from memstone.surfaces.mcp.holding import Holder
    from memstone.surfaces.mcp.service import Service
    from memstone.surfaces.stdio import note

    given = call.arguments
    if given.no_token and given.http is None:
        raise UsageError("--no-token is for --http", hint="standard input needs no token")
    named, project = agents_of(given), getattr(given, "project", None)
    if getattr(given, "shared", False):
        if project or named:
            raise UsageError(
                "--shared means no project and no agent",
                hint="leave out --shared, or --project and --agent",
            )
        project = ""
    if given.http is not None and project is None:
        project = ""  # who asks over HTTP stands in no folder of ours
    holder = Holder(
        given.home,
        user=getattr(given, "user", None),
        project=project,
        agent=named[0] if named else "",
        started_in=current_folder(),
        note=note,
    )
    service = Service(holder)
    try:
        if given.http is None:
            conversation.serve(service)
        else:
            from memstone.surfaces.mcp import http

            if given.no_token:
                note("--no-token: every program on this machine may read and write this memory")

            http.serve(service, given.http, with_token=not given.no_token)
    finally:
        service.close()
    return 0
