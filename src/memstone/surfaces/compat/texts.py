r"""How a text comes in: from an argument, from standard input, from a model.

A memory is Unicode text. Bytes that are no UTF-8 become U+FFFD, as the ancestor showed them, and
that is said: its own store kept the bytes, and ours could not tell them from damage. Anything else
comes through exactly, a final newline and a NUL too.
"""

from __future__ import annotations

import sys

from memstone.errors import BlankText, MemoryTooLarge, SourceMissing
from memstone.surfaces.cli import values
from memstone.types import MAX_TEXT_BYTES

MENDED = "bytes that are no UTF-8 became U+FFFD"


def argument(word: str) -> tuple[str, bool]:
    """The text of an argument, and whether it had to be mended."""
    return mended(values.decode(word))


def mended(text: str) -> tuple[str, bool]:
    r"""`text` without lone surrogates, and whether it had any.

    >>> mended("caf\udce9")
    ('caf\ufffd', True)
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return whole, True
    return text, False


def standard_input() -> tuple[str, bool]:
    """Everything on standard input as a text, and whether it had to be mended.

    Raises `SourceMissing` if it is closed, and what `check_size` raises: no more is read than
    tells that it is too much.
    """
    if sys.stdin is None:
        raise SourceMissing("standard input is closed", hint="give the text as an argument")
    data = sys.stdin.buffer.read(MAX_TEXT_BYTES + 1)
    text = data.decode("utf-8", "replace")
    check_size(text, len(data))
    return text, text.encode("utf-8") != data


def check_size(text: str, size: int | None = None) -> None:
    """Raise `MemoryTooLarge` for more than a memory holds, whatever would be cut from it later;
    `BlankText` if it has only white space.
    """
    bytes_ = len(text.encode("utf-8")) if size is None else size
    if bytes_ > MAX_TEXT_BYTES:
        if not text.strip():
            raise BlankText("the text is blank", hint="give at least one visible character")
        raise MemoryTooLarge(
            f"the text has {bytes_} bytes, a memory has at most {MAX_TEXT_BYTES}",
            bytes=bytes_,
            limit=MAX_TEXT_BYTES,
        )
