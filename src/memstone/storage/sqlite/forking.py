"""What a fork does to open stores: nothing crosses it.

SQLite keeps a table of locks inside the process. A forked child inherits the table together with
the belief that it holds the locks in it, so even a *new* connection of the child takes no real
lock: its commits can be acknowledged and lost, or wait for ever. So before a fork every connection
of every store is closed, which empties the table, and both sides open new ones when they need
them. Where that cannot be (the forking thread is itself inside a read or a write), the child may
not touch that file at all, and is told so.
"""

from __future__ import annotations

import os
import threading
import weakref

from memstone.errors import StoreError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memstone.storage.sqlite.pool import Pool

WAIT_FOR_READERS_S = 5.0  # a reader that takes longer makes the child unsafe instead of late

_POOLS: weakref.WeakSet[Pool] = weakref.WeakSet()
_HELD: list[Pool] = []  # closed for the fork that is under way
_TAINTED: set[tuple[int, int]] = set()  # files (device, inode) this process must not open
_REGISTERING = threading.Lock()
_REGISTERED: list[bool] = []


def watch(pool: Pool) -> None:
    """From now on, close this pool's connections before every fork."""
    with _REGISTERING:
        if not _REGISTERED and hasattr(os, "register_at_fork"):
            os.register_at_fork(
                before=_before, after_in_parent=_in_parent, after_in_child=_in_child
            )
            _REGISTERED.append(True)
    _POOLS.add(pool)


def refuse_if_tainted(path: str) -> None:
    """Raise `StoreError` in a child that was forked while its parent used this file."""
    if not _TAINTED:
        return
    try:
        status = os.stat(path)
    except OSError:
        return
    if (status.st_dev, status.st_ino) in _TAINTED:
        raise StoreError(
            f"{path}: this process was forked inside a read or a write of this store",
            hint="finish the call before forking, or start the child with spawn",
            path=path,
        )


def _before() -> None:
    pools = sorted(_POOLS, key=id)  # one order, or two forking threads wait for each other
    _HELD.extend(pool for pool in pools if pool.close_for_fork(WAIT_FOR_READERS_S))


def _in_parent() -> None:
    for pool in _HELD:
        pool.release_after_fork()
    _HELD.clear()


def _in_child() -> None:
    closed = set(map(id, _HELD))
    _HELD.clear()
    for pool in list(_POOLS):
        if id(pool) not in closed and pool.opened:
            status = os.stat(pool.path)
            _TAINTED.add((status.st_dev, status.st_ino))
        pool.renew()
