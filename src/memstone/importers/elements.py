r"""The values of a JSON array one at a time, however long the array is.

An export of years of conversations is one array of gigabytes. Here its elements are found by their
brackets while the file streams past, and only one is held; one over `MAX_ELEMENT_BYTES` is counted,
reported and dropped. Also read: objects one after another, and one a line (JSONL).

Damage stays where it is. An element that is no valid JSON is reported by its number, and the next
one is read. Where a bracket or a quotation mark is missing, brackets no longer tell where an
element ends; but elements of one program all begin with the same two keys, and quotation marks
inside a text are escaped, so that this beginning is found again behind the damage. What cannot be
found again is reported as lost, never guessed at.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memstone.errors import SourceError
from memstone.importers.source import Source, parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_ELEMENT_BYTES = 64 * 1024 * 1024  # the largest conversations known are a tenth of that
MAX_RESCANNED_BYTES = 8 * MAX_ELEMENT_BYTES  # a hostile file has a beginning in each of its bytes
LOOK_BYTES = 64 * 1024  # in which it shows whether a file has an object a line
LOOK_LINES = 50
MAX_SCALAR_BYTES = 4096  # of the first value of an element, most often its title
_OVERLAP = 3 * MAX_SCALAR_BYTES  # more than any beginning, so that none is cut by a chunk's border

QUOTE, BACKSLASH = b'"\\'
OPENING, CLOSING = b"[{", b"]}"
BLANKS = b" \t\r\n"
SCALARS = b"-0123456789tfnIN"  # how one begins that is no text; the last two are refused later

_WITHIN_TEXT = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
_BETWEEN_BRACKETS = re.compile(
    rb'(?:[^"\[\]{}]++|"[^"\\]*+(?:\\.[^"\\]*+)*+")*+', re.DOTALL
)  # whole texts included
_SCALAR_ENDS = re.compile(rb"[,\]}\s]")
_SIGN = re.compile(rb"[^ \t\r\n]")
_GAP = rb"[ \t\r\n]{0,64}+"
_KEY = rb'"([^"\\]{1,200}+)"'
_SCALAR = rb'(?:"(?:[^"\\]|\\.){0,%d}+"|[^\s"{}\[\],:]{1,40}+)' % MAX_SCALAR_BYTES
_TWO_KEYS = re.compile(_GAP.join((rb"\{", _KEY, rb":", _SCALAR, rb",", _KEY, rb":")), re.DOTALL)

GLUED = "nothing separates it from the one before; both were read"
TOO_LONG = f"longer than {MAX_ELEMENT_BYTES} bytes, or its end is missing"
STRAY = "no JSON value begins where one should"
CUT = "it ends too early"
UNCLOSED = "the file ends before its array does"


@dataclass(frozen=True, slots=True)
class Element:
    """One value of the file, or what is wrong with it: then `fault` says it and `value` is None."""

    number: int  # from 1; its line in a file of lines
    value: object = None
    fault: str | None = None


def elements(source: Source, limit: int = MAX_ELEMENT_BYTES) -> Iterator[Element]:
    """Every element of `source`, in order.

    Raises `SourceError` at once if the file is neither an array nor an object.

    >>> from io import BytesIO
    >>> found = elements(Source(BytesIO('[{"a": "猫"}, {"a": }, {"a": 2}]'.encode())))
    >>> [(one.number, one.value, one.fault is None) for one in found]
    [(1, {'a': '猫'}, True), (2, None, False), (3, {'a': 2}, True)]
    """
    head = source.head(LOOK_BYTES).removeprefix(b"\xef\xbb\xbf").lstrip(BLANKS)
    if head[:1] not in (b"[", b"{"):
        raise SourceError(f"{source.name}: neither a JSON array nor JSON objects", path=source.name)
    beginning = _Beginning()
    if _has_lines(head):
        return _of_lines(source, beginning, limit)
    return _Reader(source.chunks(), beginning, limit).elements()


def _of_lines(source: Source, beginning: _Beginning, limit: int) -> Iterator[Element]:
    for line in source.lines(limit):
        if line.data is None:
            yield Element(line.number, fault=TOO_LONG)
        else:
            yield from _Reader([line.data], beginning, limit, line=line.number).elements()


def _has_lines(head: bytes) -> bool:
    """Whether most lines begin an object; those of an indented one begin with its keys."""
    lines = [line.lstrip(BLANKS) for line in head.split(b"\n")[:LOOK_LINES]]
    begun = [line[:1] == b"{" for line in lines if line]
    return head[:1] == b"{" and 2 * sum(begun) > len(begun)


class _Beginning:
    """How every element begins, learnt from the first whole one."""

    def __init__(self) -> None:
        self._pattern: re.Pattern[bytes] | None = None
        self._is_sure = False

    @property
    def is_known(self) -> bool:
        return self._pattern is not None

    def learn(self, data: bytes, *, whole: bool) -> None:
        if self._is_sure:
            return
        found = _TWO_KEYS.match(data)
        if found is not None:
            first, second = (b'"%s"' % re.escape(key) for key in found.groups())
            parts = (rb"\{", first, rb":", _SCALAR, rb",", second, rb":")
            self._pattern = re.compile(_GAP.join(parts), re.DOTALL)
            self._is_sure = whole

    def find(self, data: bytes, start: int) -> int:
        """Where the next element begins in `data`, -1 if none does or nothing is known."""
        found = None if self._pattern is None else self._pattern.search(data, start)
        return -1 if found is None else found.start()


class _Scanner:
    """Finds where the value ends whose first byte it is told, over chunks cut anywhere."""

    def __init__(self, first: int) -> None:
        self._is_scalar = first in SCALARS
        self._begun = False
        self._in_text = False
        self._escaped = False  # the next byte belongs to a backslash
        self._depth = 0

    def end(self, data: bytes, start: int) -> int:
        """The place behind the value, -1 if it goes on behind `data`."""
        if self._is_scalar:
            found = _SCALAR_ENDS.search(data, start)
            return -1 if found is None else found.start()
        position = start + self._escaped
        self._escaped = False
        if not self._begun and data[start] == QUOTE:
            self._in_text, position = True, start + 1
        self._begun = True
        while position < len(data):
            position = self._step(data, position)
            if position < 0 or (self._depth <= 0 and not self._in_text):
                return position
        return -1

    def _step(self, data: bytes, position: int) -> int:
        """Behind the next sign that counts, -1 if there is none."""
        pattern = _WITHIN_TEXT if self._in_text else _BETWEEN_BRACKETS
        found = pattern.match(data, position)
        position = len(data) if found is None else found.end()
        if position == len(data):
            return -1
        sign = data[position]
        if sign == BACKSLASH:
            self._escaped = self._in_text  # the last byte: any other is matched with its follower
            return -1
        if sign == QUOTE:
            self._in_text = not self._in_text
        else:
            self._depth += 1 if sign in OPENING else -1
        return position + 1


class _Reader:
    """Elements of a stream of bytes. `elements` once."""

    def __init__(
        self,
        chunks: Iterable[bytes],
        beginning: _Beginning,
        limit: int,
        *,
        line: int | None = None,
    ) -> None:
        self._chunks = iter(chunks)
        self._beginning = beginning
        self._limit = limit
        self._line = line
        self._count = 0
        self._data = b""
        self._at = 0
        self._waiting: list[bytes] = []  # chunks put back, the next one last
        self._spare = MAX_RESCANNED_BYTES
        self._in_array = False
        self._separated = True  # a value may begin here
        self._is_lost = False  # the last element was damaged, and what follows may belong to it

    def elements(self) -> Iterator[Element]:
        """Every element in order."""
        while (sign := self._sign()) is not None:
            if self._punctuation(sign):
                continue
            if self._begins(sign):
                yield from self._element()
                continue
            if not self._is_lost:  # else it belongs to what was reported
                self._is_lost = True
                yield self._fault(STRAY)
            if not self._skip_to_beginning():
                return
        if self._in_array and not self._is_lost:
            yield self._fault(UNCLOSED)

    def _begins(self, sign: int) -> bool:
        """Whether an element begins with `sign`; behind damage, only where it surely may."""
        if sign == ord("{"):
            return True
        if self._is_lost and self._beginning.is_known:
            return False
        return sign == QUOTE or (self._in_array and (sign in OPENING or sign in SCALARS))

    def _punctuation(self, sign: int) -> bool:
        """Step over what stands between elements; False if something else does."""
        if sign == ord(",") and not self._separated:
            self._separated = True
        elif sign == ord("[") and not self._in_array:
            self._in_array = self._separated = True
        elif sign == ord("]") and self._in_array:
            self._in_array, self._separated = False, True
        else:
            return False
        self._at += 1
        return True

    def _element(self) -> Iterator[Element]:
        """The value that begins here, or what is wrong with it."""
        number = self._next_number()
        if not self._separated:
            yield Element(number, fault=GLUED)
        data, fault = self._value()
        self._separated = False
        value: object = None
        if fault is None:
            try:
                value = parse_json(data)
            except SourceError as error:
                fault = error.message
        self._beginning.learn(data, whole=fault is None)
        self._is_lost = fault is not None and not self._rescue(data)
        yield Element(number, value, fault)

    def _value(self) -> tuple[bytes, str | None]:
        """The bytes of the value that begins here, and why they are not all of it."""
        scanner = _Scanner(self._data[self._at])
        parts: list[bytes] = []
        size = 0
        while True:
            end = scanner.end(self._data, self._at)
            stop = len(self._data) if end < 0 else end
            parts.append(self._data[self._at : stop])
            size += stop - self._at
            self._at = stop
            if size > self._limit:
                data = b"".join(parts)
                self._beginning.learn(data, whole=False)
                if end < 0 and self._beginning.find(data, 1) < 0:
                    self._skip_value(scanner, data[-_OVERLAP:])
                    data = b""
                return data, TOO_LONG
            if end >= 0:
                return b"".join(parts), None
            if not self._more():
                has_end = parts[0][0] in b'[{"'
                return b"".join(parts), CUT if has_end else None

    def _skip_value(self, scanner: _Scanner, tail: bytes) -> None:
        """To the end of an over-long value, or to the next beginning if that comes first."""
        while self._more():
            end = scanner.end(self._data, 0)
            stop = len(self._data) if end < 0 else end
            window = tail + self._data[:stop]
            found = self._beginning.find(window, 1)
            if found >= 0:
                self._at = stop
                self._put_back(window[found:])
                self._separated = True
                return
            if end >= 0:
                self._at = end
                return
            tail = window[-_OVERLAP:]
        self._at = len(self._data)

    def _rescue(self, data: bytes) -> bool:
        """Go back to where a later element begins in the bytes of a damaged one, if one does."""
        found = self._beginning.find(data, 1)
        if found < 0:
            return False
        if self._spare < 0:
            return self._skip_to_beginning()
        self._spare -= len(data) - found
        self._put_back(data[found:])
        self._separated = True
        return True

    def _skip_to_beginning(self) -> bool:
        """To where the next element begins; False if none does any more."""
        window = self._data[self._at :]
        while (found := self._beginning.find(window, 0)) < 0:
            if not self._more():
                return False
            window = window[-_OVERLAP:] + self._data
        self._at = len(self._data)
        self._put_back(window[found:])
        self._in_array = self._in_array or self._line is None
        self._separated = True
        return True

    def _sign(self) -> int | None:
        """The next byte that is not blank, without taking it; None at the end."""
        while True:
            found = _SIGN.search(self._data, self._at)
            stop = len(self._data) if found is None else found.start()
            if not self._in_array and b"\n" in self._data[self._at : stop]:
                self._separated = True
            self._at = stop
            if found is not None:
                return self._data[stop]
            if not self._more():
                return None

    def _more(self) -> bool:
        """Go to the next chunk; False if there is none."""
        chunk = self._waiting.pop() if self._waiting else next(self._chunks, b"")
        if chunk:
            self._data, self._at = chunk, 0
        return bool(chunk)

    def _put_back(self, data: bytes) -> None:
        """Let `data` be read before what is left of this chunk."""
        rest = self._data[self._at :]
        if rest:
            self._waiting.append(rest)
        self._data, self._at = data, 0

    def _next_number(self) -> int:
        self._count += 1
        return self._count if self._line is None else self._line

    def _fault(self, fault: str) -> Element:
        return Element(self._next_number(), fault=fault)
