r"""Words of the command line → values.

The system hands over bytes that it says are in the locale's encoding. Terminals, agents and hooks
send UTF-8 whatever the locale says, so the bytes are read as UTF-8 first; only if they are not
UTF-8 does the locale's reading stand (`é` typed on a cp1252 terminal). What is neither is refused:
storing half a character would lose the text. Names of files stay as the system gave them.
"""

from __future__ import annotations

import os

from memstone import wire
from memstone.errors import TextNotUnicode, UsageError
from memstone.types import Kind, Trust

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def decode(argument: str) -> str:
    """`argument` as the caller meant it; may still hold lone surrogates.

    >>> decode("猫")
    '猫'
    """
    try:
        return os.fsencode(argument).decode("utf-8")
    except UnicodeError:  # not UTF-8, or (Windows) not encodable: the system's reading stands
        return argument


def text(argument: str) -> str:
    """The text of `argument`; raises `TextNotUnicode` if it is in no encoding we can read.

    >>> text("café 猫 🙂")
    'café 猫 🙂'
    """
    decoded = decode(argument)
    try:
        decoded.encode("utf-8")
    except UnicodeEncodeError as error:
        raise TextNotUnicode(
            f"an argument is neither UTF-8 nor the locale's encoding (at character "
            f"{error.start + 1})",
            hint="send the text as UTF-8, or through --stdin",
        ) from error
    return decoded


def name(argument: str) -> str:
    """A text that is needed, such as an id; raises `UsageError` if it is empty."""
    value = text(argument)
    if not value:
        raise UsageError("an empty argument where an id or a name is needed")
    return value


def path(argument: str) -> str:
    """The name of a file or folder, exactly as the system gave it; "" is refused."""
    if not argument:
        raise UsageError("an empty argument where the name of a file is needed")
    return argument


def kind(argument: str) -> Kind:
    """A kind of memory; raises `InvalidInput` listing them."""
    return wire.parse_choice(Kind, text(argument), name="kind")


def trust(argument: str) -> Trust:
    """A level of trust; raises `InvalidInput` listing them."""
    return wire.parse_choice(Trust, text(argument), name="trust")


def limit(argument: str) -> int:
    """How many answers at most, from 1."""
    return wire.parse_limit(text(argument))


def count(argument: str) -> int:
    """A whole number from 0."""
    value = text(argument)
    if not (value.isascii() and value.isdigit()):
        raise UsageError(f"{value!r} is not a whole number from 0")
    return int(value[:18])


def one_of(name: str, choices: tuple[str, ...]) -> Callable[[str], str]:
    """A parser of one of `choices`, which names them all in its error.

    >>> one_of("client", ("codex", "cursor"))("codex")
    'codex'
    """

    def parse(argument: str) -> str:
        value = text(argument)
        if value not in choices:
            raise UsageError(f"{name}: {value!r} is not one of {', '.join(choices)}")
        return value

    return parse


def budget(argument: str) -> int:
    """A token budget; 0 is unlimited, negative refused."""
    return wire.parse_budget(text(argument))


def share(argument: str) -> float:
    """A share in 0..1."""
    return wire.parse_share(text(argument), name="min-score")


def handle(argument: str) -> str:
    """A recovery handle."""
    return wire.parse_handle(text(argument))


def instant(option: str) -> Callable[[str], str]:
    """A parser of instants that names `option` in its error.

    >>> instant("at")("2026-08-13")
    '2026-08-13'
    """

    def parse(argument: str) -> str:
        return wire.parse_instant(text(argument), name=option)

    return parse


def instant_or_never(argument: str) -> str | None:
    """An instant, or None for `never`.

    >>> instant_or_never("never") is None
    True
    """
    value = text(argument)
    return None if value == "never" else wire.parse_instant(value, name="when")
