"""JSON → values: an exported memory read back, every key checked.

`memory_from_json` inverts `memory_to_json` without loss, except for the internal row number, which
stays behind in the store it came from. An unknown key is refused rather than dropped: a file of a
newer version, or a misspelt key, would otherwise lose something in silence.
"""

from __future__ import annotations

from hashlib import sha256

from memstone.errors import InvalidInput
from memstone.times import from_micros, parse_time
from memstone.types import Derivation, Kind, Memory, Method, Provenance, Scope, Trust
from memstone.wire.spellings import parse_choice, parse_count, parse_instant, unicode_text, wrong

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime


def memory_from_json(data: object) -> Memory:
    """The memory that `memory_to_json` wrote, with row 0.

    Needed are `id`, `text`, `scope`, `created_at` and `valid_from`; everything else has the value
    that a new memory would have. Raises `InvalidInput` naming the key on an unknown or missing
    key, a wrong type, or a text that does not hash to its `text_sha256`.
    """
    fields = _Fields(data, "memory")
    text = fields.text("text")
    digest = sha256(text.encode("utf-8")).hexdigest()
    if fields.string("text_sha256", digest) != digest:
        raise InvalidInput(
            "text_sha256: does not belong to this text",
            hint="the entry was damaged or edited; leave text_sha256 out to accept the text",
            name="text_sha256",
        )
    memory = Memory(
        row=0,
        id=fields.name("id"),
        scope=scope_from_json(fields.take("scope")),
        kind=parse_choice(Kind, fields.string("kind", Kind.FACT), name="kind"),
        text=text,
        text_sha256=digest,
        created_at=fields.instant("created_at"),
        valid_from=fields.instant("valid_from"),
        valid_until=fields.optional_instant("valid_until"),
        expires=fields.optional_instant("expires"),
        superseded_at=fields.optional_instant("superseded_at"),
        superseded_from=fields.optional_instant("superseded_from"),
        supersedes=fields.optional_string("supersedes"),
        superseded_by=fields.optional_string("superseded_by"),
        tags=tuple(sorted(set(fields.strings("tags")))),
        role=fields.optional_string("role"),
        session=fields.optional_string("session"),
        speaker=fields.optional_string("speaker"),
        subject=fields.optional_string("subject"),
        attribute=fields.optional_string("attribute"),
        external_id=fields.optional_string("external_id"),
        turn_key=fields.optional_string("turn_key"),
        provenance=_provenance_from_json(fields.take("provenance", {})),
        pinned=fields.flag("pinned"),
        held=fields.flag("held"),
        archived=fields.flag("archived"),
        seen_count=fields.count("seen_count", 1),
        last_seen_at=fields.optional_instant("last_seen_at"),
        recall_count=fields.count("recall_count", 0),
        last_recalled_at=fields.optional_instant("last_recalled_at"),
    )
    fields.end()
    return memory


def scope_from_json(data: object) -> Scope:
    """The scope in `{"user", "project"?, "agent"?}`; raises `InvalidInput` or `InvalidScope`.

    >>> scope_from_json({"user": "ana", "project": "atlas"})
    Scope(user='ana', project='atlas', agent='')
    """
    fields = _Fields(data, "scope")
    scope = Scope(
        user=fields.string("user"),
        project=fields.string("project", ""),
        agent=fields.string("agent", ""),
    )
    fields.end()
    return scope


def _provenance_from_json(data: object) -> Provenance:
    fields = _Fields(data, "provenance")
    provenance = Provenance(
        source=fields.string("source", "python"),
        method=parse_choice(Method, fields.string("method", Method.VERBATIM), name="method"),
        producer=fields.optional_string("producer"),
        trust=parse_choice(Trust, fields.string("trust", Trust.USER), name="trust"),
        derived_from=tuple(_derivation(part) for part in fields.items("derived_from")),
    )
    fields.end()
    return provenance


def _derivation(data: object) -> Derivation:
    fields = _Fields(data, "derived_from")
    derivation = Derivation(
        source=fields.name("source"), start=fields.count("start"), end=fields.count("end")
    )
    fields.end()
    return derivation


class _Missing:
    """Marks a key that has no default."""


_MISSING = _Missing()


class _Fields:
    """The keys of one JSON object, each taken once and checked; what is left over is unknown."""

    def __init__(self, data: object, name: str) -> None:
        if not isinstance(data, dict):
            raise wrong(name, "an object", data)
        self._left = dict(data)
        self._name = name

    def end(self) -> None:
        """Raise `InvalidInput` when a key was not asked for."""
        for key in self._left:
            raise InvalidInput(
                f"{self._name}: unknown key {key!r}",
                hint="check the spelling, or whether a newer memstone wrote this",
                name=str(key),
            )

    def take(self, key: str, default: object = _MISSING) -> object:
        value = self._left.pop(key, default)
        if value is _MISSING:
            raise InvalidInput(f"{self._name}: {key!r} is missing", name=key)
        return value

    def text(self, key: str) -> str:
        return unicode_text(self.take(key), name=key)

    def string(self, key: str, default: object = _MISSING) -> str:
        return unicode_text(self.take(key, default), name=key)

    def name(self, key: str) -> str:
        value = self.string(key)
        if not value:
            raise InvalidInput(f"{key}: is empty", name=key)
        return value

    def optional_string(self, key: str) -> str | None:
        value = self.take(key, None)
        return None if value is None else unicode_text(value, name=key)

    def items(self, key: str) -> list[object]:
        value = self.take(key, [])
        if not isinstance(value, list):
            raise wrong(key, "a list", value)
        return value

    def strings(self, key: str) -> list[str]:
        return [unicode_text(item, name=key) for item in self.items(key)]

    def instant(self, key: str) -> datetime:
        return _moment(self.string(key), name=key)

    def optional_instant(self, key: str) -> datetime | None:
        value = self.optional_string(key)
        return None if value is None else _moment(value, name=key)

    def flag(self, key: str) -> bool:
        value = self.take(key, default=False)
        if not isinstance(value, bool):
            raise wrong(key, "true or false", value)
        return value

    def count(self, key: str, default: object = _MISSING) -> int:
        return parse_count(self.take(key, default), name=key)


def _moment(value: str, *, name: str) -> datetime:
    parse_instant(value, name=name)
    return from_micros(parse_time(value, name=name))
