"""How the outside spells numbers, instants, choices and "nothing".

Callers write "" for "not given" and 0 for an unlimited budget; numbers arrive as JSON or as text
from a command line. Each parser accepts both, names the value in its error, and refuses what it
would have to guess (`true` as 1, `5.0` as 5, half a character).
"""

from __future__ import annotations

import re

from memstone.errors import (
    InvalidBudget,
    InvalidHandle,
    InvalidInput,
    InvalidTime,
    TextNotUnicode,
    WrongType,
    brief,
)
from memstone.times import from_micros, parse_time
from memstone.types import HANDLE_PREFIX, ID_PREFIX, MAX_LIMIT, Budget

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from enum import StrEnum
    from typing import TypeVar

    Choice = TypeVar("Choice", bound=StrEnum)

MAX_COUNT = 2**53 - 1  # the largest integer that every JSON reader keeps exact
_HANDLE = re.compile(re.escape(HANDLE_PREFIX) + "[0-9a-f]{32}")
_SHORT_ID = re.compile(re.escape(ID_PREFIX) + "[0-9a-f]{8,31}")
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
MOST_SECONDS = 1e9  # 30 years
_NUMBER = re.compile(r"[+-]?([0-9]{1,18}(\.[0-9]{0,18})?|\.[0-9]{1,18})")


def unicode_text(value: object, *, name: str) -> str:
    """`value` itself if it is text that UTF-8 can hold; raises `InvalidInput`/`TextNotUnicode`.

    >>> unicode_text("猫", name="text")
    '猫'
    """
    if not isinstance(value, str):
        raise wrong(name, "text", value)
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise TextNotUnicode(
            f"{name}: character {error.start + 1} is half a character (a lone surrogate)",
            hint="the text was decoded with the wrong encoding; give it as UTF-8",
            name=name,
        ) from error
    return value


def given(value: str | None) -> str | None:
    """`value`, or None for an empty string: programs and models write "" for "not given".

    >>> given("") is None, given("work")
    (True, 'work')
    """
    return value or None


def all_given(values: Iterable[str] | None) -> tuple[str, ...]:
    """The values that are not empty, in order.

    >>> all_given(["work", ""])
    ('work',)
    """
    return tuple(value for value in values or () if value)


def parse_choice(choices: type[Choice], value: object, *, name: str) -> Choice:
    """The member of `choices` spelt `value`; raises `InvalidInput` listing them.

    >>> from memstone.types import Kind
    >>> parse_choice(Kind, "task", name="kind")
    <Kind.TASK: 'task'>
    """
    text = unicode_text(value, name=name)
    try:
        return choices(text)
    except ValueError:
        raise InvalidInput(
            f"{name}: {brief(text)!r} is not known",
            hint=f"one of {', '.join(choice.value for choice in choices)}",
            name=name,
            value=brief(text),
        ) from None  # the cause would spell the value


def parse_count(value: object, *, name: str, least: int = 0, most: int = MAX_COUNT) -> int:
    """A whole number in `least`..`most`, from JSON or from text; raises `InvalidInput`.

    >>> parse_count("20", name="limit", least=1)
    20
    """
    if isinstance(value, str) and _INTEGER.fullmatch(value):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise _no_number(value, name, "a whole number")
    if not least <= value <= most:
        allowed = f"at least {least}" if most == MAX_COUNT else f"{least} to {most}"
        raise InvalidInput(
            f"{name}: {value} is out of range, {allowed} is allowed", name=name, value=value
        )
    return value


def parse_limit(value: object, *, name: str = "limit") -> int:
    """How many answers at most, 1 to 10,000; raises `InvalidInput`.

    >>> parse_limit("5")
    5
    """
    return parse_count(value, name=name, least=1, most=MAX_LIMIT)


def parse_budget(value: object, *, name: str = "budget") -> int:
    """A token budget as callers write it: 0 is unlimited; raises `InvalidBudget` below zero.

    >>> parse_budget("0")
    0
    """
    try:
        return parse_count(value, name=name)
    except InvalidInput as error:
        raise InvalidBudget(
            error.message,
            hint="give a positive number of tokens, or 0 for unlimited",
            **error.fields,
        ) from error


def budget_from(tokens: int | None, default: int) -> Budget:
    """The budget meant by an outside number: absent is `default`, 0 is unlimited.

    >>> budget_from(None, 2000), budget_from(0, 2000)
    (Budget(tokens=2000), Budget(tokens=None))
    """
    chosen = default if tokens is None else tokens
    return Budget(None if chosen == 0 else chosen)


def budget_under(asked: object, default: int, most: int) -> Budget:
    """The budget of a call, at most `most` tokens; 0 is unlimited and lifts that cap as well.

    >>> budget_under(None, 2000, 1500), budget_under(0, 2000, 1500)
    (Budget(tokens=1500), Budget(tokens=None))
    """
    wanted = budget_from(None if asked is None else parse_budget(asked), default)
    return wanted if wanted.tokens is None else Budget(min(wanted.tokens, most))


def parse_share(value: object, *, name: str = "min_score") -> float:
    """A share in 0..1, from JSON or from text; raises `InvalidInput`.

    >>> parse_share("0.25")
    0.25
    """
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _no_number(value, name, "a number")
    if not 0.0 <= value <= 1.0:
        raise InvalidInput(
            f"{name}: {value} is out of range, 0 to 1 is allowed", name=name, value=value
        )
    return float(value)


def optional_seconds(value: object, *, name: str) -> float | None:
    """A number of seconds from 0, None for None or ""; raises `InvalidInput`.

    >>> optional_seconds("2.5", name="max_seconds")
    2.5
    """
    if value is None or value == "":
        return None
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _no_number(value, name, "a number")
    if not 0.0 <= value <= MOST_SECONDS:
        raise InvalidInput(
            f"{name}: {value} is out of range, 0 to {MOST_SECONDS:.0f} is allowed",
            name=name,
            value=value,
        )
    return float(value)


def parse_instant(value: object, *, name: str) -> str:
    """`value` itself if it spells an instant that UTC can hold; raises `InvalidTime`.

    The text goes on unchanged, because a bare date means another moment in `until` than in `at`.

    >>> parse_instant("2026-08-13", name="since")
    '2026-08-13'
    """
    text = unicode_text(value, name=name)
    micros = parse_time(text, name=name)
    try:
        from_micros(micros)
    except OverflowError as error:
        raise InvalidTime(
            f"{name}: {text!r} lies outside the years 1 to 9999 in UTC", name=name, value=text
        ) from error
    return text


def parse_handle(value: object, *, name: str = "handle") -> str:
    """A recovery handle, checked for its shape only; raises `InvalidHandle`.

    >>> parse_handle("ccr_" + "0" * 32) == "ccr_" + "0" * 32
    True
    """
    text = unicode_text(value, name=name)
    if not _HANDLE.fullmatch(text):
        raise InvalidHandle(
            f"{name}: {brief(text)!r} is not a recovery handle",
            hint=f"it is written {HANDLE_PREFIX} and 32 hex digits, as a shortened hit shows it",
            name=name,
        )
    return text


def is_short_id(value: str) -> bool:
    """Whether `value` may stand for a longer id: `mem_` and 8 to 31 hex digits.

    >>> is_short_id("mem_0f3a5c1d"), is_short_id("mem_0f3a"), is_short_id("D1:3")
    (True, False, False)
    """
    return _SHORT_ID.fullmatch(value) is not None


def _no_number(value: object, name: str, wanted: str) -> InvalidInput:
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        return InvalidInput(f"{name}: {brief(str(value))!r} is not {wanted}", name=name)
    return wrong(name, wanted, value)


def wrong(name: str, wanted: str, value: object) -> WrongType:
    """The error for a value of the wrong JSON type: names the argument and the type."""
    found = "null" if value is None else type(value).__name__
    return WrongType(
        f"{name}: {wanted} is needed, not {found}", name=name, wanted=wanted, type=found
    )
