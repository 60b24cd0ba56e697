"""Arguments of the public Python calls as values: names, kinds, instants, listings.

Python callers may write what a terminal or a model writes: one word for a list of one, an empty
string for "not given", a date for an instant. What is wrong is named by its parameter.
"""

from __future__ import annotations

from collections.abc import Iterable

from memstone.errors import InvalidFilter
from memstone.times import parse_time
from memstone.types import Kind, Listing, Reach, Scope, View
from memstone.wire.spellings import given, parse_choice, unicode_text, wrong

TYPE_CHECKING = False
if TYPE_CHECKING:
    from enum import StrEnum
    from typing import TypedDict, TypeVar

    from memstone.times import Instant

    Choice = TypeVar("Choice", bound=StrEnum)

    class Dates(TypedDict):
        """The three instants of a request, in microseconds."""

        at: int | None
        valid_until: int | None
        expires: int | None


def words(values: Iterable[str], *, name: str) -> tuple[str, ...]:
    """Several names, stripped, each once; one bare string is one name, empty ones fall out.

    >>> words("work", name="tags"), words(["a", "", "a"], name="tags")
    (('work',), ('a',))
    """
    if isinstance(values, str):
        many: tuple[str, ...] = (values,)
    elif isinstance(values, Iterable):
        many = tuple(values)
    else:
        raise wrong(name, "a list of text", values)
    stripped = (unicode_text(value, name=name).strip() for value in many)
    return tuple(dict.fromkeys(word for word in stripped if word))


def optional_choice(choices: type[Choice], value: str | None, *, name: str) -> Choice | None:
    """The member of an enumeration, None for None or ""; raises `InvalidInput`."""
    return None if value is None or value == "" else parse_choice(choices, value, name=name)


def several_kinds(values: Iterable[Kind | str]) -> tuple[Kind, ...]:
    """Several kinds; raises `InvalidInput` on an unknown one."""
    return tuple(parse_choice(Kind, kind, name="kinds") for kind in words(values, name="kinds"))


def optional_text(value: str | None, *, name: str) -> str | None:
    """A name or None; an empty string is "not given"."""
    return given(None if value is None else unicode_text(value, name=name))


def instant(value: Instant | None, *, name: str, end_of_day: bool = False) -> int | None:
    """Microseconds of an instant, None for None or an empty string; raises `InvalidTime`."""
    if value is None or value == "":
        return None
    return parse_time(value, name=name, end_of_day=end_of_day)


def view(scope: object, agents: Iterable[str], *, own: Scope) -> View:
    """What a call may see: `scope`, or the caller's own if none is given; and the named agents."""
    if scope is None or scope == "":
        scope = own
    if not isinstance(scope, Scope):
        raise wrong("scope", "a memstone.Scope", scope)
    return View(scope, words(agents, name="agents"))


def dates(at: Instant | None, valid_until: Instant | None, expires: Instant | None) -> Dates:
    """The three instants of a memory."""
    return {
        "at": instant(at, name="at"),
        "valid_until": instant(valid_until, name="valid_until"),
        "expires": instant(expires, name="expires"),
    }


def listing(
    *,
    tags: Iterable[str] = (),
    any_tags: Iterable[str] = (),
    kinds: Iterable[Kind | str] = (),
    session: str | None = None,
    since: Instant | None = None,
    until: Instant | None = None,
    history: bool = False,
    held: bool = False,
    archived: bool = False,
    pinned: bool = False,
    as_of: Instant | None = None,
    known_at: Instant | None = None,
) -> Listing:
    """What `list` and `count` look at; an empty argument asks for nothing.

    Raises `InvalidFilter` for more than one of `history`, `held` and `archived`, and for one of
    them with `as_of`: it looks at one day, and they at all of them.
    """
    reaches = [
        reach
        for wanted, reach in (
            (history, Reach.HISTORY),
            (held, Reach.HELD),
            (archived, Reach.ARCHIVED),
        )
        if wanted
    ]
    if len(reaches) > 1:
        raise InvalidFilter(
            "history, held and archived: each is a list of its own", hint="give one of them"
        )
    if reaches and as_of:
        raise InvalidFilter(
            "as_of: it shows what was valid on one day, not history, held or archived memories",
            hint="leave one of them out; known_at goes with both",
            name="as_of",
        )
    return Listing(
        reach=reaches[0] if reaches else Reach.CURRENT,
        pinned=pinned,
        kinds=several_kinds(kinds),
        tags_all=words(tags, name="tags"),
        tags_any=words(any_tags, name="any_tags"),
        session=optional_text(session, name="session"),
        since=instant(since, name="since"),
        until=instant(until, name="until", end_of_day=True),
        as_of=instant(as_of, name="as_of"),
        known_at=instant(known_at, name="known_at"),
    )
