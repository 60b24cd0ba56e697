"""The two ends of a conversation on standard input and output, kept for the protocol alone.

A server that speaks a protocol on standard output must not have anything else printed there, by
any library, and must not outlive whoever started it. `conversation` moves the two descriptors
aside: what prints lands on standard error, what reads gets nothing. `Pipes.read` brings bytes
until the input ends, a signal asks to stop (SIGTERM, SIGINT, SIGHUP), or the parent process is
gone, even if somebody else still holds the other end of the pipe.

A signal never interrupts work: it is noticed the next time the server waits for input, so that a
write that is under way is finished and answered. No thread, no timer where the system can wait
for a process; elsewhere the parent is looked at every two seconds.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys

from memstone.errors import OutputFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

CHUNK = 64 * 1024
LOOK_MS = 2_000  # how often the parent is looked at where it cannot be waited for
FIRST_IDLE_MS = 5_000  # silence after which a server may look around; a client has then started
IDLE_MS = 60_000  # and how long until it may again
ENDING = ("SIGTERM", "SIGINT", "SIGHUP")
_CAN_WAIT = hasattr(select, "poll")  # not on Windows, where a read simply blocks


class Pipes:
    """The descriptors of a conversation, and what ends it."""

    def __init__(self, source: int, sink: int, idle: Callable[[], object] | None = None) -> None:
        self._source, self._sink = source, sink
        self._idle, self._idle_ms = idle, FIRST_IDLE_MS
        self._stopping = False
        self._parent = os.getppid()
        self._wake, self._alarm = os.pipe()
        os.set_blocking(self._alarm, False)
        self._parent_end = _end_of(self._parent)

    def read(self) -> bytes:
        """What has arrived; nothing once the conversation is over."""
        while not self._over():
            if self._ready():
                with contextlib.suppress(BlockingIOError):
                    return os.read(self._source, CHUNK)
        return b""

    def write(self, data: bytes) -> None:
        """All of `data`; raises `BrokenPipeError` if nobody reads any more."""
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[os.write(self._sink, rest) :]
            except BlockingIOError:  # the other side made the pipe so
                _wait_writable(self._sink)

    def stop(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002  (a signal handler)
        """Let the next wait for input be the end."""
        self._stopping = True

    @property
    def alarm(self) -> int:
        """Where the interpreter writes a byte when a signal arrives, so that a wait ends."""
        return self._alarm

    def close(self) -> None:
        """Give the descriptors back."""
        for each in (self._source, self._sink, self._wake, self._alarm, self._parent_end):
            if each is not None:
                os.close(each)

    def _over(self) -> bool:
        return self._stopping or os.getppid() != self._parent

    def _ready(self) -> bool:
        """Wait; whether there is input. What else woke us is seen by `_over`."""
        if not _CAN_WAIT:
            return True
        waiting = select.poll()
        waiting.register(self._source, select.POLLIN)
        waiting.register(self._wake, select.POLLIN)
        if self._parent_end is not None:
            waiting.register(self._parent_end, select.POLLIN)
        woken = {each for each, _ in waiting.poll(self._patience())}
        if not woken:
            self._look_around()
        if self._parent_end in woken:
            self._stopping = True
        if self._wake in woken:
            os.read(self._wake, CHUNK)
        return self._source in woken and not self._stopping

    def _patience(self) -> int | None:
        """How many milliseconds to wait at most."""
        look = None if self._parent_end is not None else LOOK_MS
        if self._idle is None:
            return look
        return self._idle_ms if look is None else min(look, self._idle_ms)

    def _look_around(self) -> None:
        if self._idle is not None:
            self._idle_ms = IDLE_MS
            self._idle()


def note(message: str) -> None:
    """A line on standard error, for whoever reads the server's log."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError, ValueError):  # nobody reads it
            sys.stderr.write(f"memstone: {message}\n")
            sys.stderr.flush()


@contextlib.contextmanager
def conversation(idle: Callable[[], object] | None = None) -> Iterator[Pipes]:
    """The process's standard input and output as `Pipes`, everything else kept away from them.

    `idle` is called now and then while no input comes; it must be quick and raise nothing.
    Raises `OutputFailed` if there is no standard output to answer on.
    """
    pipes = Pipes(*_taken(), idle)
    before = {name: signal.signal(name, pipes.stop) for name in _ending()}
    wakened = signal.set_wakeup_fd(pipes.alarm, warn_on_full_buffer=False) if _CAN_WAIT else -1
    try:
        yield pipes
    finally:
        if _CAN_WAIT:
            signal.set_wakeup_fd(wakened)
        for name, handler in before.items():
            signal.signal(name, handler)
        pipes.close()


def _taken() -> tuple[int, int]:
    """Private copies of descriptors 0 and 1, which then mean nothing and standard error."""
    if sys.stdout is None:
        raise OutputFailed("standard output is closed", hint="start the server with a pipe there")
    sys.stdout.flush()
    nothing = os.open(os.devnull, os.O_RDWR)
    source = nothing if sys.stdin is None else os.dup(0)  # closed: the conversation is over
    sink = os.dup(1)
    os.dup2(nothing, 0)
    os.dup2(nothing if sys.stderr is None else 2, 1)
    if source != nothing:
        os.close(nothing)
    sys.stdout = sys.stderr
    return source, sink


def _ending() -> list[signal.Signals]:
    return [signal.Signals[name] for name in ENDING if hasattr(signal, name)]


def _end_of(process: int) -> int | None:
    """A descriptor that becomes readable when `process` ends, where the system has such."""
    if not hasattr(os, "pidfd_open"):
        return None
    try:
        return os.pidfd_open(process)
    except OSError:  # gone already, or not allowed: `getppid` will tell
        return None


def _wait_writable(sink: int) -> None:
    waiting = select.poll()
    waiting.register(sink, select.POLLOUT)
    waiting.poll()
