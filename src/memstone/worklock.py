"""A lock that one background worker a store holds, and that dies with its process.

The kernel keeps it on an open file beside the store, so a killed worker leaves nothing to clean up,
and a number of a process that was used again cannot be taken for it (case 17). The file itself
stays; it is empty and says nothing.
"""

from __future__ import annotations

import os
from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

ENDING = ".work"


@contextmanager
def held(store: str) -> Iterator[bool]:
    """Whether this block is the one worker of the store at that path; "" is a store in memory,
    which nobody shares. Raises `OSError` if the folder takes no file.
    """
    if not store:
        yield True
        return
    descriptor = os.open(
        store + ENDING, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600
    )
    try:
        yield _lock(descriptor)
    finally:
        os.close(descriptor)  # and with it the lock


def _lock(descriptor: int) -> bool:
    try:
        import fcntl  # noqa: PLC0415  (absent on Windows)
    except ImportError:
        import msvcrt  # noqa: PLC0415

        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        except OSError:
            return False
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
