"""JSON Schemas of what goes in and out of the tools, as plain values.

Models read the input schemas, so every argument says in one line what it means, and nothing is
there that a client has been seen to choke on: no `$ref`, no unions, one type an argument. Programs
read the output schemas. A tool error is structured too (`error`), and clients have been seen to
hold it against the schema of the result, so each output schema allows it. Where an answer may be
brief or full, the schema says under `anyOf` which keys each of the two always has.
"""

from __future__ import annotations

from memstone.types import MAX_LIMIT, Kind, Trust

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    Json = dict[str, object]
    Properties = Mapping[str, Json]
    Needed = tuple[str, ...] | Mapping[str, tuple[str, ...]]

KINDS = [kind.value for kind in Kind]
TRUSTS = [trust.value for trust in Trust if trust is not Trust.USER]  # a model is not its user


def text(about: str, **more: object) -> Json:
    """An argument that is text."""
    return {"type": "string", "description": about, **more}


def several(about: str, **items: object) -> Json:
    """An argument that is a list of text."""
    return {"type": "array", "items": {"type": "string", **items}, "description": about}


def whole(about: str, **more: object) -> Json:
    """An argument that is a whole number."""
    return {"type": "integer", "description": about, **more}


def limit(about: str) -> Json:
    """An argument that says how many answers at most."""
    return whole(about, minimum=1, maximum=MAX_LIMIT)


def flag(about: str) -> Json:
    """An argument that is true or false."""
    return {"type": "boolean", "description": about}


def inward(properties: Properties, needed: tuple[str, ...]) -> Json:
    """The schema of a tool's arguments."""
    schema: Json = {"type": "object", "properties": dict(properties)}
    if needed:
        schema["required"] = list(needed)
    return {**schema, "additionalProperties": False}


def outward(properties: Properties, needed: Needed) -> Json:
    """The schema of a tool's answer: its own keys, or an error."""
    return {
        "type": "object",
        "properties": {**properties, "error": _ERROR},
        "anyOf": [*_required(needed), {"required": ["error"]}],
    }


def _required(needed: Needed) -> list[Json]:
    """What an answer has at least, in one shape or in each of several by name."""
    if isinstance(needed, tuple):
        return [{"required": list(needed)}]
    return [{"title": shape, "required": list(keys)} for shape, keys in needed.items()]


# --- arguments that several tools take

TAGS = several("labels, each one word or a short phrase")
AT = text("since when it is true: an ISO date or time; default now")
VALID_UNTIL = text("until when it is true: an ISO date or time; default open")
EXPIRES = text("when to stop recalling it: an ISO date or time; default never")
SUBJECT = text("whom or what it is about, such as `budget` or `Ana`")
ATTRIBUTE = text("which property of the subject it states, such as `amount`")
SESSION = text("session it was said in")
KIND = text("what it is; default fact", enum=KINDS)
TRUST = text(
    "where the text comes from: your own words (agent, default), output of a tool (tool), "
    "or a web page, mail or file (external)",
    enum=TRUSTS,
)
PINNED = flag("true: it ranks higher; a preference stands at the start of every session")
FULL = flag("true: with every field, provenance and counts of use too")
FULL_MEMORY = flag("true: answer with the whole memory as it is stored now")
ID = text("id of a memory (`mem_…`); its first 8 digits do where they are unique")

FILTERS: Properties = {
    "tags": several("only with all of these tags"),
    "any_tags": several("only with one of these tags"),
    "kinds": several("only of these kinds", enum=KINDS),
    "session": text("only from this session"),
    "since": text("only what is true from then on: an ISO date or time"),
    "until": text("only what was true before: an ISO date (that day included) or time"),
    "as_of": text("what was true then: an ISO date or time; default now"),
    "known_at": text("what was known then: an ISO date or time; default now"),
}
SELECTION: Properties = {
    name: schema for name, schema in FILTERS.items() if name not in {"as_of", "known_at"}
}

# --- answers

_TEXT: Json = {"type": "string"}
_TEXTS: Json = {"type": "array", "items": {"type": "string"}}
_WHOLE: Json = {"type": "integer"}
_NUMBER: Json = {"type": "number"}
_FLAG: Json = {"type": "boolean"}
_NULL: Json = {"type": "null"}
_TIME: Json = {"type": "string", "description": "UTC, ISO 8601"}

_ERROR: Json = {
    "type": "object",
    "description": "what went wrong, with isError",
    "properties": {
        "code": {"type": "string", "description": "stable name of the error"},
        "message": _TEXT,
        "hint": {"anyOf": [_TEXT, _NULL], "description": "the way out"},
        "fields": {"type": "object"},
    },
    "required": ["code", "message", "hint"],
}
_SCOPE: Json = {
    "type": "object",
    "properties": {"user": _TEXT, "project": _TEXT, "agent": _TEXT},
    "required": ["user", "project", "agent"],
}
_PROVENANCE: Json = {
    "type": "object",
    "properties": {
        "source": _TEXT,
        "method": _TEXT,
        "producer": _TEXT,
        "trust": _TEXT,
        "derived_from": {"type": "array", "items": {"type": "object"}},
    },
    "required": ["source", "method", "trust", "derived_from"],
}
_BARE_MEMORY: Properties = {  # without its text, as a full hit shows it
    "id": _TEXT,
    "kind": _TEXT,
    "scope": _SCOPE,
    "tags": _TEXTS,
    "role": _TEXT,
    "session": _TEXT,
    "speaker": _TEXT,
    "subject": _TEXT,
    "attribute": _TEXT,
    "external_id": _TEXT,
    "created_at": _TIME,
    "valid_from": _TIME,
    "valid_until": _TIME,
    "expires": _TIME,
    "superseded_at": _TIME,
    "superseded_from": _TIME,
    "supersedes": _TEXT,
    "superseded_by": _TEXT,
    "pinned": _FLAG,
    "held": _FLAG,
    "archived": _FLAG,
    "seen_count": _WHOLE,
    "last_seen_at": _TIME,
    "recall_count": _WHOLE,
    "last_recalled_at": _TIME,
    "provenance": _PROVENANCE,
    "turn_key": _TEXT,
    "text_sha256": _TEXT,
}
_BARE_NEEDED = ("id", "kind", "scope", "tags", "created_at", "valid_from", "provenance")
_WHOSE: Properties = {"source": _TEXT, "trust": _TEXT}  # brief, in place of the provenance
_CHANGED_NEEDED = {
    "brief": ("id", "kind", "valid_from"),
    "full": ("id", "text", *_BARE_NEEDED[1:]),
}
_BRIEF_NEEDED = ("id", "text", "kind", "valid_from", "source", "trust")
_SIGNALS: Json = {
    "type": "object",
    "description": "what spoke for the hit, by name",
    "additionalProperties": _NUMBER,
}


def _object(properties: Properties, needed: tuple[str, ...]) -> Json:
    return {"type": "object", "properties": dict(properties), "required": list(needed)}


def _either(properties: Properties, needed: Mapping[str, tuple[str, ...]]) -> Json:
    return {"type": "object", "properties": dict(properties), "anyOf": _required(needed)}


def _list_of(item: Json) -> Json:
    return {"type": "array", "items": item}


_MEMORY = _either(
    {"id": _TEXT, "text": _TEXT, **_BARE_MEMORY, **_WHOSE},
    {"brief": _BRIEF_NEEDED, "full": _CHANGED_NEEDED["full"]},
)
_HIT = _either(
    {
        "id": _TEXT,
        "text": {"type": "string", "minLength": 1},
        "kind": _TEXT,
        "valid_from": _TIME,
        "valid_until": _TIME,
        "expires": _TIME,
        "speaker": _TEXT,
        **_WHOSE,
        "tags": _TEXTS,
        "score": _NUMBER,
        "signals": _SIGNALS,
        "tokens": _WHOLE,
        "full_tokens": _WHOLE,
        "handle": {"type": "string", "description": "set if the text is shortened; see recover"},
        "conflicts": {**_TEXTS, "description": "ids of memories that it may contradict"},
        "memory": _object(_BARE_MEMORY, _BARE_NEEDED),
    },
    {
        "brief": _BRIEF_NEEDED,
        "full": ("id", "text", "score", "signals", "tokens", "full_tokens", "memory"),
    },
)
CHANGED = outward({"id": _TEXT, "text": _TEXT, **_BARE_MEMORY}, _CHANGED_NEEDED)
REMEMBERED = outward(
    {
        "id": _TEXT,
        "text": _TEXT,
        **_BARE_MEMORY,
        "outcome": {"type": "string", "enum": ["created", "known", "returned", "revived"]},
        "unchanged": _TEXTS,
        "redactions": _list_of(_object({"kind": _TEXT, "count": _WHOLE}, ("kind", "count"))),
        "replaced": _TEXTS,
        "conflicts": _TEXTS,
        "change": {**_WHOLE, "description": "number of the change that `memstone undo` takes back"},
    },
    {shape: (*keys, "outcome") for shape, keys in _CHANGED_NEEDED.items()},
)
_RECALLED_NEEDED = ("hits", "tokens", "budget", "basis", "omitted", "degraded")
RECALLED = outward(
    {
        "query": _TEXT,
        "hits": _list_of(_HIT),
        "tokens": _WHOLE,
        "budget": {"anyOf": [_WHOLE, _NULL]},
        "basis": _TEXT,
        "omitted": _TEXTS,
        "degraded": _TEXTS,
        "signals": _TEXTS,
    },
    {"brief": _RECALLED_NEEDED, "full": ("query", *_RECALLED_NEEDED, "signals")},
)
VERSIONS = outward({"versions": _list_of(_MEMORY)}, ("versions",))
MEMORIES = outward({"memories": _list_of(_MEMORY)}, ("memories",))
FORGOTTEN = outward(
    {
        "forgotten": _TEXTS,
        "missing": _TEXTS,
        "derived": _TEXTS,
        "dry_run": _FLAG,
        "derived_count": _WHOLE,
        "would_forget": _TEXTS,
        "count": _WHOLE,
        "states": {"type": "object", "additionalProperties": _WHOLE},
        "shown": _list_of(_MEMORY),
    },
    ("count", "missing", "derived", "derived_count"),
)
RECOVERED = outward(
    {"handle": _TEXT, "text": _TEXT, "text_sha256": _TEXT}, ("handle", "text", "text_sha256")
)
_COUNTED = ("current", "superseded", "expired", "held", "archived", "forgotten")
_SIZES = (
    "units",
    "terms",
    "file_bytes",
    "turn_bytes",
    "turn_quota_bytes",
    "summarizer_tokens",
    "summarizer_calls",
)
_STATISTICS = _object(
    {
        **dict.fromkeys(_COUNTED, _WHOLE),
        "by_kind": {"type": "object", "additionalProperties": _WHOLE},
        **dict.fromkeys(_SIZES, _WHOLE),
    },
    (*_COUNTED, "by_kind", *_SIZES),
)
_SESSION = _object(
    {
        **dict.fromkeys(("client", "session", "project"), _TEXT),
        **dict.fromkeys(("first_at", "last_at"), _TIME),
        "ended_at": {"anyOf": [_TIME, _NULL]},
        "injected": {"type": "object", "description": "what hooks put into it; tokens estimated"},
        "captured": {"type": "object", "description": "turns that were stored from it"},
    },
    ("client", "session", "project", "first_at", "last_at", "ended_at", "injected", "captured"),
)
_STORED_SESSION = _object(
    {"session": _TEXT, "memories": _WHOLE, **dict.fromkeys(("first_at", "last_at"), _TIME)},
    ("session", "memories", "first_at", "last_at"),
)
STATUS = outward(
    {
        "path": _TEXT,
        "off": {"anyOf": [_TEXT, _NULL]},
        "statistics": _STATISTICS,
        "pending": {"type": "object", "additionalProperties": _WHOLE},
        "sessions": _list_of(_SESSION),
        "stored": _list_of(_STORED_SESSION),
    },
    ("path", "off", "statistics", "pending", "sessions", "stored"),
)
