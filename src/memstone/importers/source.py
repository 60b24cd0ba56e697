r"""Bytes of an import file, safely: bounded lines, bounded documents, strict JSON, checked fields.

Every importer reads through here, so that each of them meets the same hostile file: a line of a
gigabyte, a record cut in half, bytes that are not UTF-8, half a surrogate pair, ten thousand
nested brackets, a key given twice. A fault inside one line is a `SourceError` that the importer
turns into `Skipped`; a fault of the whole file (missing, a folder, UTF-16) ends the import.

Lines are split on `\n` bytes only and held one at a time; an over-long one is counted, named and
dropped while it streams past. No message repeats a value from the file: a damaged line may hold
a key, and messages reach terminals and logs.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

from memstone.errors import BlankText, InvalidTime, MemstoneError, SourceError, SourceMissing
from memstone.times import EPOCH, MICROSECOND, NEVER_US, parse_time
from memstone.types import MAX_NAME_BYTES, MAX_TAG_BYTES, MAX_TAGS, MAX_TURN_BYTES, Skipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO, NoReturn

JSON_GROWTH = 6  # bytes JSON needs for one byte of text at worst: a control character as \u0001
MAX_LINE_BYTES = JSON_GROWTH * MAX_TURN_BYTES + 64 * 1024  # any allowed turn fits, however escaped
MAX_DOCUMENT_BYTES = 256 * 1024 * 1024  # a format that is one JSON value is held whole
CHUNK_BYTES = 256 * 1024
UTF8_BOM = b"\xef\xbb\xbf"
WIDE_BOMS = (b"\xff\xfe", b"\xfe\xff")  # UTF-16, and the start of little-endian UTF-32
UNIX_SECONDS = (631_152_000, 4_102_444_800)  # 1990 to 2100, where no one takes the two for another
_FIRST_YEAR_US = -((EPOCH - EPOCH.replace(year=1)) // MICROSECOND)

JsonObject = dict[str, object]


@dataclass(frozen=True, slots=True)
class Line:
    """One line that is not blank: its number from 1, and its bytes, or None if over-long."""

    number: int
    data: bytes | None


class Source:
    r"""An open import file: what it is called, a look at its head, then its lines or its whole.

    Takes a path or a binary file object (which stays the caller's to close). Raises
    `SourceMissing` if there is no such file and `SourceError` if it cannot be read or is UTF-16.

    >>> from io import BytesIO
    >>> source = Source(BytesIO(b'{"a": 1}\n\n{"a": 2}'))
    >>> [(line.number, line.data) for line in source.lines()]
    [(1, b'{"a": 1}'), (3, b'{"a": 2}')]
    """

    def __init__(self, file: str | os.PathLike[str] | BinaryIO) -> None:
        if isinstance(file, (str, os.PathLike)):
            self.name = os.fspath(file)
            self._stream = _open(self.name)
            self._owned = True
        else:
            name = getattr(file, "name", None)
            self.name = name if isinstance(name, str) else "stream"
            self._stream = file
            self._owned = False
        self._head = b""
        self.line = 0  # where the last line yielded stands; 0 in a file that has none
        try:
            _refuse_wide_text(self.head(4), self.name)
        except SourceError:
            self.close()
            raise

    @property
    def stream(self) -> BinaryIO:
        """What it reads from, for a format that is no text; nothing else may be read then."""
        return self._stream

    @property
    def is_path(self) -> bool:
        """Whether it was opened by its path, so that its name is one."""
        return self._owned

    @property
    def stem(self) -> str:
        """The file's name without folder and ending; the session of turns that name none."""
        stem = Path(self.name).stem.strip("<>")
        return os.fsencode(stem).decode("utf-8", "replace") or "stream"

    def head(self, size: int) -> bytes:
        """The first `size` bytes, or all if there are fewer; they are still read afterwards."""
        while len(self._head) < size and (chunk := self._read(size - len(self._head))):
            self._head += chunk
        return self._head[:size]

    def lines(self, limit: int = MAX_LINE_BYTES) -> Iterator[Line]:
        """Every line that is not blank, in order; one over `limit` bytes comes without data."""
        parts: list[bytes] = []
        size, number = 0, 1
        for chunk in self.chunks():
            *ended, rest = chunk.split(b"\n")
            for piece in ended:
                line = _line(number, [*parts, piece], size + len(piece), limit)
                if line is not None:
                    self.line = number
                    yield line
                parts, size, number = [], 0, number + 1
            size += len(rest)
            if size <= limit:
                parts.append(rest)
            else:
                parts.clear()
        line = _line(number, parts, size, limit)
        if line is not None:
            self.line = number
            yield line

    def document(self, limit: int = MAX_DOCUMENT_BYTES) -> bytes:
        """The whole file; raises `SourceError` above `limit` bytes."""
        whole = bytearray()
        for chunk in self.chunks():
            whole += chunk
            if len(whole) > limit:
                raise SourceError(
                    f"{self.name}: one JSON value of more than {limit} bytes",
                    hint="split the file, or write one object a line",
                    path=self.name,
                )
        return bytes(whole)

    def close(self) -> None:
        if self._owned:
            self._stream.close()

    def chunks(self) -> Iterator[bytes]:
        """The bytes that were not read yet, a piece at a time, without a byte-order mark."""
        head, self._head = self._head.removeprefix(UTF8_BOM), b""
        if head:
            yield head
        while chunk := self._read(CHUNK_BYTES):
            yield chunk

    def _read(self, size: int) -> bytes:
        try:
            return self._stream.read(size)
        except OSError as error:
            raise _unreadable(self.name, error) from error


def _open(name: str) -> BinaryIO:
    try:
        return Path(name).open("rb")
    except FileNotFoundError as error:
        raise SourceMissing(f"{name}: no such file", path=name) from error
    except OSError as error:
        raise _unreadable(name, error) from error
    except ValueError as error:  # a NUL byte or half a surrogate pair: no file has such a name
        raise SourceMissing(f"{name!r}: no file can have this name", path=name) from error


def _unreadable(name: str, error: OSError) -> SourceError:
    return SourceError(f"{name}: cannot be read: {error.strerror or error}", path=name)


def _refuse_wide_text(start: bytes, name: str) -> None:
    """Without a byte-order mark, JSON in UTF-16 shows as a NUL at every second byte."""
    zeros = [byte == 0 for byte in start]
    if start.startswith(WIDE_BOMS) or (len(zeros) == 4 and zeros[0] != zeros[1] == zeros[3]):
        raise SourceError(
            f"{name}: the text is UTF-16 or UTF-32, not UTF-8",
            hint="save the file as UTF-8 and import it again",
            path=name,
        )


def _line(number: int, parts: list[bytes], size: int, limit: int) -> Line | None:
    if size > limit:
        return Line(number, None)
    data = b"".join(parts)
    return Line(number, data) if data.strip() else None


def parse_line(line: Line) -> JsonObject:
    """The JSON object of one line; raises `SourceError` saying what is wrong with it.

    >>> parse_line(Line(1, b'{"role": "user"}'))
    {'role': 'user'}
    """
    value = parse_value(line)
    if not isinstance(value, dict):
        raise SourceError("the line is JSON, but not an object")
    return value


def parse_value(line: Line) -> object:
    """The JSON value of one line; raises `SourceError`."""
    if line.data is None:
        raise SourceError(f"the line is longer than {MAX_LINE_BYTES} bytes")
    return parse_json(line.data)


def parse_json(data: bytes) -> object:
    """The JSON value of `data`; raises `SourceError`.

    Stricter than `json.loads` (a key given twice, NaN) except for raw control characters inside
    strings, which are kept: a log with a real tab in it is still what was said.
    """
    try:
        return _DECODER.decode(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise SourceError(f"not UTF-8 at byte {error.start + 1}") from error
    except json.JSONDecodeError as error:
        raise SourceError(f"not valid JSON: {_where(error)}") from error
    except RecursionError as error:
        raise SourceError("the JSON is nested too deeply") from error
    except ValueError as error:  # an integer of thousands of digits
        raise SourceError("a number is too long") from error


def values_in(line: Line) -> int:
    """How many JSON values a bad line holds, at least 1: a lost newline glues two turns, and once
    it is put back the turns behind them must still be the same ones.
    """
    text = (line.data or b"").decode("utf-8", "replace")
    decoder, count, position = json.JSONDecoder(), 0, 0
    try:
        while position < len(text):
            _, position = decoder.raw_decode(text, position)
            count += 1
            while position < len(text) and text[position].isspace():
                position += 1
    except (ValueError, RecursionError):
        count += 1  # the rest is one damaged value
    return max(count, 1)


def _where(error: json.JSONDecodeError) -> str:
    place = f"column {error.colno}" if error.lineno == 1 else f"line {error.lineno}"
    if error.msg == "Extra data":
        return f"a second value begins at {place}"
    if error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated string"):
        return "it ends too early"
    return f"{error.msg} at {place}"


def _unique_keys(pairs: list[tuple[str, object]]) -> JsonObject:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise SourceError("a key is given twice in one object")
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise SourceError(f"{name} is not a JSON number")


_DECODER = json.JSONDecoder(
    strict=False, object_pairs_hook=_unique_keys, parse_constant=_refuse_constant
)


def size_of(text: str, name: str) -> int:
    """Bytes of `text` in UTF-8; raises `SourceError` if it is not Unicode text."""
    try:
        return len(text.encode("utf-8"))
    except UnicodeEncodeError as error:
        raise SourceError(f"{name}: half of a surrogate pair is not Unicode text") from error


def name_field(value: object, name: str) -> str | None:
    """A short name (session, speaker, id) as text; None if absent or blank.

    Whole numbers are accepted, because many logs number their sessions.

    >>> name_field(7, "session")
    '7'
    """
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if value is None:
        return None
    if not isinstance(value, str):
        raise SourceError(f"{name}: not text")
    size = size_of(value, name)
    if size > MAX_NAME_BYTES:
        raise SourceError(f"{name}: {size} bytes, at most {MAX_NAME_BYTES} are allowed")
    return value if value.strip() else None


def time_field(value: object, name: str) -> int | None:
    """Microseconds of an ISO-8601 text or of a Unix time in seconds or milliseconds, None if
    absent or blank; raises `SourceError`.

    >>> time_field(1_700_000_000, "at") == time_field(1_700_000_000_000, "at")
    True
    """
    if value is None or value == "":
        return None
    if isinstance(value, int | float) and not isinstance(value, bool):
        for unit in (1_000_000, 1_000):
            if UNIX_SECONDS[0] <= value * unit / 1_000_000 < UNIX_SECONDS[1]:
                return round(value * unit)
    if not isinstance(value, str):
        raise SourceError(f"{name}: not an ISO-8601 text like 2026-08-13T09:30:00Z")
    try:
        micros = parse_time(value, name=name)
    except InvalidTime as error:
        raise SourceError(f"{name}: not an ISO-8601 date or time") from error
    if not _FIRST_YEAR_US <= micros <= NEVER_US:  # a zone may push year 1 or 9999 over the edge
        raise SourceError(f"{name}: outside the years 1 to 9999")
    return micros


def tags_field(value: object) -> tuple[str, ...]:
    """Tags in their order, repeats dropped; raises `SourceError` on anything but a list of text."""
    if value is None:
        return ()
    if not isinstance(value, list):
        raise SourceError("tags: not a list")
    tags = tuple(dict.fromkeys(_tag(tag) for tag in value))
    if len(tags) > MAX_TAGS:
        raise SourceError(f"tags: {len(tags)}, at most {MAX_TAGS} are allowed")
    return tags


def _tag(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise SourceError("tags: one of them is blank or not text")
    if size_of(value, "tags") > MAX_TAG_BYTES:
        raise SourceError(f"tags: one is over {MAX_TAG_BYTES} bytes")
    return value


def turn_text(text: str, name: str) -> str:
    """`text` if it may be stored as a turn.

    Raises `BlankText` if there is nothing in it, `SourceError` if it is over 16 MiB or not Unicode.
    """
    size = size_of(text, name)
    if size > MAX_TURN_BYTES:
        raise SourceError(f"{name}: {size} bytes, at most {MAX_TURN_BYTES} are allowed in a turn")
    if not text.strip():
        raise BlankText(f"{name}: blank")
    return text


def skipped(line: int, error: MemstoneError) -> Skipped:
    """The report of an entry that was left out; nobody's fault if it was only blank."""
    return Skipped(line, error.message, bad=not isinstance(error, BlankText))
