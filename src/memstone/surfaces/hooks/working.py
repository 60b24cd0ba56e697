"""One short background process after a hook, and only if the person agreed to it at install.

It runs `memstone work`, which works off what hooks handed over and ends by itself; a lock on the
store sees to it that there is one at a time, so starting a second one costs a moment and does
nothing. It belongs to no terminal, holds no pipe of the client open (a client waits for the end of
those), and on Windows opens no window.
"""

from __future__ import annotations

import sys

MOST_SECONDS = 60
NO_WINDOW = 0x08000000  # CREATE_NO_WINDOW
NEW_GROUP = 0x00000200  # CREATE_NEW_PROCESS_GROUP: ^C in the client's console is not for it


def command(home: str, *, seconds: int = MOST_SECONDS) -> list[str]:
    """The words that start the worker on the store in `home` ("" is the usual folder)."""
    words = [sys.executable, "-I", "-m", "memstone", "work", "--max-seconds", str(seconds)]
    return [*words, "--home", home] if home else words


def start(home: str, *, folder: str) -> None:
    """Start the worker, standing in `folder` so that it keeps no folder of the person busy.

    Raises `OSError` if the system does not let us.
    """
    import subprocess

    windows = sys.platform == "win32"
    child = subprocess.Popen(  # noqa: S603  (our own words, no shell)
        command(home),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        start_new_session=not windows,
        creationflags=NO_WINDOW | NEW_GROUP if windows else 0,
    )
    child.returncode = 0  # nobody waits for it, on purpose
