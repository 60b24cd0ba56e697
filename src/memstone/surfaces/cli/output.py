r"""Where answers and errors go: results to standard output, everything else to standard error.

Programs read UTF-8 and JSON: one document, or a line an entry for lists. People on a terminal get
tables, built elsewhere and only then. What a terminal cannot show, or what would steer it (control
and bidirectional characters of a hostile text), appears as `\uXXXX`; what a program reads is exact.

Bytes are written to the binary stream, past the platform's encoding and newline translation. A
reader that went away (`| head`) is no error; a full disk is.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys

from memstone import wire
from memstone.errors import OutputFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import BinaryIO, TextIO

    from memstone.errors import MemstoneError

# C0 except tab and newline, DEL and C1, line separators, bidirectional controls and invisibles
_STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]"
)
_DONE = "the command itself was done; only its answer is lost"


def harmless(text: str) -> str:
    r"""`text` with every character that steers a terminal spelt out.

    >>> print(harmless("a\x1b[31m猫"))
    a\u001b[31m猫
    """
    return _STEERING.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


class Output:
    """The two streams of one call. `as_json`: the caller asked for JSON whatever the stream is."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        self.to_terminal = _is_terminal(sys.stdout)
        self.errors_to_terminal = _is_terminal(sys.stderr)

    @property
    def for_people(self) -> bool:
        """Whether the answer is read by a person."""
        return self.to_terminal and not self.as_json

    def document(self, data: Mapping[str, object], show: Callable[[], str]) -> None:
        """One answer: JSON, or what `show` makes of it for a person."""
        if self.for_people:
            self.text(show())
        else:
            self.raw(self._spelt(data, indent=2 if self.to_terminal else None))

    def records(self, records: Iterable[Mapping[str, object]], show: Callable[[], str]) -> None:
        """A list: a line of JSON an entry, or what `show` makes of it for a person."""
        if self.for_people:
            self.text(show())
        else:
            for record in records:
                self.write(self._spelt(record, indent=None))
            self.flush()

    def text(self, text: str) -> None:
        """Lines for a person (or help for whoever asked), in an encoding the stream can show."""
        ended = text if text.endswith("\n") or not text else text + "\n"
        encoding = _encoding(sys.stdout) if self.to_terminal else "utf-8"
        self.raw(ended.encode(encoding, "backslashreplace"))

    def raw(self, data: bytes) -> None:
        """These bytes, exactly and at once."""
        self.write(data)
        self.flush()

    def write(self, data: bytes) -> None:
        """These bytes, at the latest with the next `flush`."""
        with _failures():
            _standard_output().write(data)

    def flush(self) -> None:
        """Hand over what was written; raises `OutputFailed` if it cannot be."""
        with _failures():
            _standard_output().flush()

    def _spelt(self, data: Mapping[str, object], *, indent: int | None) -> bytes:
        text = json.dumps(data, ensure_ascii=False, indent=indent, allow_nan=False)
        encoding = "utf-8"
        if self.to_terminal:
            text, encoding = harmless(text), _encoding(sys.stdout)
            if not _can_show(text, encoding):
                text = json.dumps(data, ensure_ascii=True, indent=indent, allow_nan=False)
        # a name of a file may hold lone surrogates, for which \udcXX is JSON's spelling too
        return text.encode(encoding, "backslashreplace") + b"\n"

    def error(self, error: MemstoneError) -> None:
        """The error: a line of JSON for a program, the message and the way out for a person."""
        if self.errors_to_terminal and not self.as_json:
            self.note(error.message)
            if error.hint and error.hint not in error.message:
                self.note(f"  {error.hint}", prefix="")
        else:
            self._complain(json.dumps(wire.error_to_json(error), ensure_ascii=False))

    def note(self, message: str, *, prefix: str = "memstone: ") -> None:
        """A line on standard error for whoever watches; JSON for a program, as an error is."""
        if self.errors_to_terminal and not self.as_json:
            self._complain(prefix + harmless(message))
        else:
            self._complain(json.dumps({"note": message}, ensure_ascii=False))

    def _complain(self, line: str) -> None:
        if sys.stderr is None:
            return
        encoding = _encoding(sys.stderr) if self.errors_to_terminal else "utf-8"
        try:
            sys.stderr.buffer.write(line.encode(encoding, "backslashreplace") + b"\n")
            sys.stderr.flush()
        except OSError:  # nobody listens; the exit code still tells
            return


def hang_up() -> None:
    """Point standard output at nothing, after its reader went away.

    The interpreter flushes once more at its end, and would complain.
    """
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, sys.stdout.fileno())
    os.close(nothing)


def _standard_output() -> BinaryIO:
    if sys.stdout is None:
        raise OutputFailed("standard output is closed", hint=_DONE)
    return sys.stdout.buffer


@contextlib.contextmanager
def _failures() -> Iterator[None]:
    """A disk that is full, or a device that failed, as `OutputFailed`."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        reason = error.strerror or error
        raise OutputFailed(f"the answer could not be written: {reason}", hint=_DONE) from error


def _is_terminal(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # closed
        return False


def _encoding(stream: TextIO | None) -> str:
    return getattr(stream, "encoding", None) or "utf-8"


def _can_show(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True
