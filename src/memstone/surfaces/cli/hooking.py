"""`hook`, where it is called in a running Python. A process of its own never comes by here.

`memstone.surfaces.hooks.process` takes the words before any of the command line is loaded.
"""

from __future__ import annotations

from memstone.surfaces.hooks import process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memstone.surfaces.cli.call import Call


def hook(call: Call) -> int:
    """Answer one hook; always 0."""
    given = call.arguments
    options = process.Options(
        event=given.event,
        client=given.client or "",
        home=given.home or "",
        work=given.work,
        check=given.check,
    )
    process.run(process.Hook(options, process.Streams.own(), process.Clock()), lambda: options)
    return 0
