"""The connections of one store in one process: a writer, and readers as many as run at once.

A connection is used by one thread at a time and goes back when its block ends. The pool can be
emptied and held shut around a fork (see `forking`).
"""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager

from memstone.errors import StoreClosed, StoreError
from memstone.storage.sqlite.connections import connect
from memstone.storage.sqlite.faults import noting_cause

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    import apsw

_KEPT: list[object] = []  # inherited connections: never used, never closed


class Pool:
    """Connections to the file at `path`."""

    def __init__(self, path: str, *, patience_s: float) -> None:
        self.path = path
        self.patience_s = patience_s
        self.opened: list[apsw.Connection] = []
        self.closed = False
        self._pid = os.getpid()
        self._make_locks()

    def _make_locks(self) -> None:
        self._write_lock = threading.Lock()
        self._idle = threading.Condition(threading.Lock())
        self._readers: list[apsw.Connection] = []  # not in use
        self._reading: list[int] = []  # threads, one entry a read
        self._writer: apsw.Connection | None = None
        self._writing: int | None = None  # the thread that writes

    @contextmanager
    def reader(self) -> Iterator[apsw.Connection]:
        """A connection to read with, for this block."""
        self.check()
        with self._idle:
            self.check()
            connection = self._readers.pop() if self._readers else self._connect()
            self._reading.append(threading.get_ident())
        try:
            with noting_cause(connection):
                yield connection
        finally:
            if self._pid == os.getpid():
                self._give_back(connection)

    def _give_back(self, connection: apsw.Connection) -> None:
        with self._idle:
            self._reading.remove(threading.get_ident())
            if self.closed:
                connection.close()
            else:
                self._readers.append(connection)
            self._idle.notify_all()

    @contextmanager
    def writer(self) -> Iterator[apsw.Connection]:
        """The one connection to write with, for this block."""
        self.check()
        if self._writing == threading.get_ident():
            raise StoreError(f"{self.path}: a write inside a write", path=self.path)
        lock = self._write_lock
        with lock:
            self.check()  # closed while we waited
            self._writing = threading.get_ident()
            try:
                with self._idle:
                    if self._writer is None:
                        self._writer = self._connect()
                    connection = self._writer
                with noting_cause(connection):
                    yield connection
            finally:
                if self._pid == os.getpid():
                    self._writing = None

    def _connect(self) -> apsw.Connection:
        connection = connect(self.path, patience_s=self.patience_s)
        self.opened.append(connection)
        return connection

    def check(self) -> None:
        """Raise `StoreClosed` after `close`, `StoreError` in a child that slipped past `fork`."""
        if self.closed:
            raise StoreClosed(f"{self.path}: the store was closed", hint="open it again")
        if self._pid != os.getpid():
            raise StoreError(
                f"{self.path}: this process was forked without Python's knowledge",
                hint="open the store after the fork",
                path=self.path,
            )

    def owns(self, connection: apsw.Connection) -> bool:
        """Whether this process made the connection, not the one it was forked from."""
        return self._pid == os.getpid() and any(own is connection for own in self.opened)

    def close(self) -> None:
        """Close every connection; reads under way finish theirs. The last one checkpoints."""
        if self.closed or self._pid != os.getpid():
            self.closed = True
            return
        if self._writing == threading.get_ident():
            raise StoreError(
                f"{self.path}: the store cannot be closed inside a write",
                hint="close it when the call has returned",
                path=self.path,
            )
        with self._write_lock, self._idle:
            self.closed = True
            if self._writer is not None:
                self._writer.close()
            for connection in self._readers:
                connection.close()
            self._forget_all()

    def _forget_all(self) -> None:
        self._writer = None
        self._readers.clear()
        self.opened.clear()

    def close_for_fork(self, patience_s: float) -> bool:
        """Close everything and keep the locks; False if the forking thread itself is inside, or
        somebody reads for longer than `patience_s`.
        """
        here = threading.get_ident()
        if self.closed or not self.opened:
            self._write_lock.acquire()
            self._idle.acquire()
            return True
        if self._writing == here or here in self._reading:
            return False
        if not self._write_lock.acquire(timeout=patience_s):
            return False
        self._idle.acquire()
        if not self._idle.wait_for(lambda: not self._reading, timeout=patience_s):
            self._idle.release()
            self._write_lock.release()
            return False
        for connection in self.opened:
            connection.close()
        self._forget_all()
        return True

    def release_after_fork(self) -> None:
        """In the parent: go on."""
        self._idle.release()
        self._write_lock.release()

    def renew(self) -> None:
        """In the child: locks of its own, and no connection that it inherited."""
        _KEPT.extend(self.opened)
        _keep_for_ever(self.opened)
        self.opened = []
        self._pid = os.getpid()
        self._make_locks()


def _keep_for_ever(connections: list[apsw.Connection]) -> None:
    """Closing an inherited connection would checkpoint under the parent, even at exit."""
    if connections:
        import ctypes  # noqa: PLC0415  (only an unlucky child pays for it)

        for connection in connections:
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))
