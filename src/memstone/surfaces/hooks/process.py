"""The process of one hook: its words, its input, its answer, and an end with 0 whatever happens.

A hook runs inside somebody's session. It never exits non-zero, prints JSON or nothing, and ends
within two seconds when something is wrong: the store's lock is asked for 1.5 s at most, and what
hangs elsewhere (a dead disk, an input that never ends) is cut off by a thread that watches the
clock. A failure is one line on standard error and a notice for the next session start; a session
start tells its own at once.

Nothing of memstone is imported before its turn, so that a broken installation is a failure like any
other, and argparse never is: a hook pays for every import, at every prompt. The process ends by
`os._exit`, because an interpreter that cannot flush its standard output would say so with 120.
"""

from __future__ import annotations

import gc
import os
import sys
import time
from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import BinaryIO, NoReturn

    from memstone.errors import MemstoneError
    from memstone.surfaces.hooks.clients import Client
    from memstone.surfaces.hooks.events import Event, HookInput

VERB = "hook"
HELP = ("-h", "--help")
DEBUG_VARIABLE = "MEMSTONE_DEBUG"
MOST_MESSAGE = 400  # characters
MOST_BYTES = 16 * 1024 * 1024  # of input; prompts are read up to 65,536 characters anyway
PART_BYTES = 1024 * 1024
MOST_SECONDS = 1.6  # from the first line of ours to the end
LAST_WORDS_SECONDS = 0.3  # for the line and the notice of a process whose time is over


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The words of a call. `home` "" is the usual folder, `client` "" is told from the input."""

    event: str = ""
    client: str = ""
    home: str = ""
    work: bool = False
    check: bool = False


class Streams:
    """Standard input, output and error as bytes; None where one is closed."""

    def __init__(
        self, inward: BinaryIO | None, outward: BinaryIO | None, error: BinaryIO | None
    ) -> None:
        self.inward = inward
        self.outward = outward
        self.error = error

    @classmethod
    def own(cls) -> Streams:
        """Those of this process."""
        inward, outward, error = sys.stdin, sys.stdout, sys.stderr
        return cls(
            None if inward is None else inward.buffer,
            None if outward is None else outward.buffer,
            None if error is None else error.buffer,
        )


class Hook:
    """One call while it runs: what is known of it so far, and how it may answer."""

    def __init__(self, options: Options, streams: Streams, clock: Clock) -> None:
        self.options = options
        self.streams = streams
        self.clock = clock
        self.client: Client | None = None
        self.event: Event | None = None
        self.given: HookInput | None = None
        self.answered = False
        self.failed = False

    def home(self) -> str:
        """The data folder of this call."""
        from memstone import engine

        return self.options.home or engine.data_home()

    def say(self, context: str = "", message: str = "") -> None:
        """Answer the client, once: `context` is for its model, `message` for the person.

        Raises `OutputFailed`.
        """
        from memstone.errors import OutputFailed
        from memstone.surfaces.hooks import clients

        assert self.client is not None
        assert self.event is not None
        document = clients.spelt(self.client, self.event, context, message)
        if message and not clients.shows(self.client, self.event):
            self.complain(message)
        self.answered = True
        if not document:
            return
        import json

        if self.streams.outward is None:
            raise OutputFailed("standard output is closed")
        try:
            self.streams.outward.write(json.dumps(document, ensure_ascii=False).encode() + b"\n")
            self.streams.outward.flush()
        except OSError as error:
            raise OutputFailed(f"the answer could not be written: {error.strerror}") from error

    def complain(self, message: str) -> None:
        """One line on standard error, if anybody listens."""
        if self.streams.error is not None:
            line = f"{one_line(message)}\n".encode("utf-8", "backslashreplace")
            try:
                self.streams.error.write(line)
                self.streams.error.flush()
            except (OSError, ValueError):  # closed; there is nobody left to tell
                return


class Clock:
    """Ends the process when its time is over; without `start` it only counts."""

    def __init__(self, seconds: float = MOST_SECONDS) -> None:
        self._began = time.monotonic()
        self._until = self._began + seconds
        self._over = False

    def allow(self, seconds: float) -> None:
        """Let the whole call last that long from its beginning."""
        self._until = self._began + seconds

    def stop(self) -> None:
        """The call has come to its end by itself."""
        self._over = True

    def start(self, late: Callable[[], None]) -> None:
        """From now on call `late` and end the process when the time is over."""
        import _thread  # the whole of `threading` is not needed

        def watch() -> None:
            while (left := self._until - time.monotonic()) > 0:
                time.sleep(left)
            if self._over:
                return
            told = _thread.allocate_lock()
            told.acquire()
            _thread.start_new_thread(last_words, (told,))
            told.acquire(timeout=LAST_WORDS_SECONDS)
            os._exit(0)

        def last_words(told: _thread.LockType) -> None:
            late()
            told.release()

        _thread.start_new_thread(watch, ())


def words_of(words: Sequence[str]) -> list[str] | None:
    """The words of a hook among those of the command line; None if it asks for anything else.

    >>> words_of(["--home", "/m", "hook", "stop"]), words_of(["recall", "hook"])
    (['--home', '/m', 'stop'], None)
    """
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] == "--home" else 1
    if at >= len(words) or words[at] != VERB or any(flag in words for flag in HELP):
        return None
    return [*words[:at], *words[at + 1 :]]


def main(words: Sequence[str]) -> NoReturn:
    """Answer the hook that `words` are about and end the process."""
    gc.disable()  # a tenth of the time, and nothing lives long enough to be collected
    hook = Hook(Options(), Streams.own(), Clock())
    hook.clock.start(lambda: fail(hook, late()))
    run(hook, lambda: parse(words))
    hook.clock.stop()
    os._exit(0)


def run(hook: Hook, options: Callable[[], Options]) -> None:
    """Answer one hook; whatever goes wrong becomes a line, a notice or both, never an exception."""
    try:
        hook.options = options()
        _answer(hook)
    except KeyboardInterrupt:  # the client ends, and us with it
        return
    except Exception as error:  # noqa: BLE001  (the main loop: a session goes on whatever happens)
        fail(hook, error)


def parse(words: Sequence[str]) -> Options:
    """The options among `words`; raises `UsageError`."""
    from memstone.errors import UsageError

    found: dict[str, str] = {}
    flags: set[str] = set()
    waiting = list(words)
    while waiting:
        name, equals, value = waiting.pop(0).partition("=")
        if name in ("--client", "--home"):
            if not equals and not waiting:
                raise UsageError(f"{name} needs a value")
            found[name] = value if equals else waiting.pop(0)
        elif name in ("--work", "--check", "--json"):
            flags.add(name)
        elif name.startswith("-"):
            raise UsageError(f"unknown option {name!r}", hint="see memstone hook --help")
        elif "event" in found:
            raise UsageError(f"one argument too many: {name!r}")
        else:
            found["event"] = name
    return Options(
        event=found.get("event", ""),
        client=found.get("--client", ""),
        home=found.get("--home", ""),
        work="--work" in flags,
        check="--check" in flags,
    )


def _answer(hook: Hook) -> None:
    """The straight way: input, event, client, flow."""
    from memstone.surfaces.hooks import clients

    options = hook.options
    if options.client:
        hook.client = clients.client_named(options.client)
    data = _document(hook.streams.inward)
    hook.client = hook.client or clients.guessed(data)
    name = options.event or data.get("hook_event_name")
    hook.event = clients.event_named(name if isinstance(name, str) else "")
    if hook.event is None:
        return
    given = clients.heard(data, hook.client, hook.event)
    hook.given = given
    if clients.concerned(given, hook.client):
        from memstone.surfaces.hooks import flow

        flow.run(hook, given)


def _document(stream: BinaryIO | None) -> dict[str, object]:
    """The JSON object on standard input; raises `InvalidInput`."""
    import json

    from memstone.errors import InvalidInput

    if stream is None:
        raise InvalidInput("standard input is closed; a hook reads its client's JSON there")
    parts: list[bytes] = []
    size = 0
    while part := stream.read(PART_BYTES):  # to its end, or the client could not write all of it
        size += len(part)
        if size <= MOST_BYTES:
            parts.append(part)
    if size > MOST_BYTES:
        raise InvalidInput(f"the input has {size} bytes, at most {MOST_BYTES} are read")
    try:
        document = json.loads(b"".join(parts).decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:  # no UTF-8, no JSON, a million of [
        raise InvalidInput("the input is not JSON in UTF-8") from error
    if not isinstance(document, dict):
        raise InvalidInput("the input is JSON, but not an object")
    return document


def late() -> MemstoneError:
    """The error of a hook that took too long."""
    from memstone.errors import MemstoneError

    error = MemstoneError("it took too long and was stopped; nothing else was disturbed")
    error.code = "hook_late"
    return error


def fail(hook: Hook, error: Exception) -> None:
    """Tell of `error`, once: a line on standard error, and a person at the next session start.

    A session start that fails before it answered tells the person itself, if its client shows it.
    """
    if hook.failed:
        return
    hook.failed = True
    message = _described(error)
    hook.complain(f"memstone: hook {hook.event or hook.options.event}: {message}")
    if os.environ.get(DEBUG_VARIABLE):
        import traceback

        traceback.print_exception(error)
    if hook.options.check:
        return
    try:
        _leave_notice(hook, str(getattr(error, "code", "internal")), message)
        if hook.given is not None:
            from memstone.surfaces.hooks import flow

            flow.miss(hook, hook.given, error)
    except Exception:  # noqa: BLE001  (the line above is out, and there is no other place to go to)
        return


def _leave_notice(hook: Hook, code: str, message: str) -> None:
    from memstone.surfaces.hooks import clients, notices
    from memstone.surfaces.hooks.events import Event

    home, client, event = hook.home(), hook.client, hook.event
    starting = event is Event.SESSION_START and not hook.answered
    if starting and client is not None and clients.shows(client, Event.SESSION_START):
        before = notices.waiting(home)
        told = (notices.sentence(before), f"memstone: {message}")
        hook.say(message="\n".join(filter(None, told)))
        notices.told(home, before)
        return
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    name = client.name if client else hook.options.client
    which = str(event or hook.options.event)
    notices.add(home, notices.Notice(code, message, which, name, 1, now, now))


def _described(error: Exception) -> str:
    """An error in one line: what happened and the way out. Of one that is not ours only its kind
    and place, because its words may repeat a text that was told in confidence.
    """
    message, hint = getattr(error, "message", None), getattr(error, "hint", None)
    if isinstance(message, str):
        return one_line(f"{message} ({hint})" if hint else message)[:MOST_MESSAGE]
    frames = error.__traceback__
    while frames is not None and frames.tb_next is not None:
        frames = frames.tb_next
    place = ""
    if frames is not None:
        code = frames.tb_frame.f_code
        place = f" in {os.path.basename(code.co_filename)}, line {frames.tb_lineno}"
    hint = f"this is a bug in memstone; {DEBUG_VARIABLE}=1 shows more"
    return one_line(f"unexpected {type(error).__name__}{place} ({hint})")[:MOST_MESSAGE]


def one_line(text: str) -> str:
    r"""`text` in one line, with everything that would steer a terminal spelt out.

    >>> one_line("a\nb \x1b[31m猫")
    'a b \\u001b[31m猫'
    """
    line = " ".join(text.split())
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in line)
