"""Instants: UTC, ISO-8601 with fixed microseconds outside, integer microseconds inside.

Every instant of the product passes through here, so that there is one spelling
(`2026-08-13T09:30:00.000000Z`, which sorts as text) and one arithmetic (exact integers; floats
lose microseconds after 2255). A naive value is read as UTC: guessing the machine's zone would
make the same transcript mean different things on two machines.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from memstone.errors import InvalidTime, WrongType, brief

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
DAY_US = 86_400_000_000
NEVER_US = (datetime.max.replace(tzinfo=UTC) - EPOCH) // MICROSECOND  # later than any instant

_LIKE_A_TIME = frozenset("0123456789-:.+TZW ")

Instant = datetime | str
"""What the public API accepts: a `datetime`, or ISO-8601 text (`2026-08-13`, `…T09:30+02:00`)."""


def to_micros(moment: datetime) -> int:
    """Microseconds since 1970-01-01 UTC; a naive `moment` is read as UTC.

    >>> to_micros(datetime(1970, 1, 2))
    86400000000
    """
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - EPOCH) // MICROSECOND


def from_micros(micros: int) -> datetime:
    """The aware UTC `datetime` of `micros` microseconds since 1970.

    >>> from_micros(86_400_000_000)
    datetime.datetime(1970, 1, 2, 0, 0, tzinfo=datetime.timezone.utc)
    """
    return EPOCH + timedelta(microseconds=micros)


def format_time(moment: datetime) -> str:
    """The one external spelling of an instant.

    >>> format_time(datetime(2026, 8, 13, 9, 30))
    '2026-08-13T09:30:00.000000Z'
    """
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def parse_time(value: Instant, *, name: str = "time", end_of_day: bool = False) -> int:
    """Microseconds of a `datetime` or ISO-8601 text; raises `InvalidTime` naming `name`.

    With `end_of_day`, a bare date means the end of that day, so that `until=2026-08-13` keeps
    what was said on August 13.

    >>> parse_time("1970-01-01")
    0
    >>> parse_time("1970-01-01", end_of_day=True) == DAY_US
    True
    """
    if isinstance(value, datetime):
        return check_micros(to_micros(value), name=name)
    try:
        text = value.strip()
    except AttributeError:
        kind = type(value).__name__
        message = f"{name}: a date or time is needed, not {kind}"
        raise WrongType(message, name=name, type=kind) from None
    try:
        micros = to_micros(datetime.fromisoformat(text))
        from_micros(micros)  # a zone can push year 1 or 9999 over the edge
    except (ValueError, OverflowError):
        spelt = text[:40] if _LIKE_A_TIME.issuperset(text[:40]) else brief(text)
        raise InvalidTime(
            f"{name}: {spelt!r} is not an ISO-8601 date or time",
            hint="write it as 2026-08-13 or 2026-08-13T09:30:00Z (no zone means UTC)",
            name=name,
            value=spelt,
        ) from None  # the cause would spell the value, which may be a secret out of place
    bare_date = len(text) <= len("2026-08-13") and ":" not in text
    return micros + DAY_US if end_of_day and bare_date else micros


def check_micros(micros: int, *, name: str = "time") -> int:
    """`micros` itself if a calendar has it (years 1 to 9999); raises `InvalidTime`.

    >>> check_micros(0)
    0
    """
    try:
        from_micros(micros)
    except (OverflowError, TypeError) as error:
        raise InvalidTime(
            f"{name}: {micros!r} microseconds lie outside the years 1 to 9999", name=name
        ) from error
    return micros
