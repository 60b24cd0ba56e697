"""Every setting: its name, default, allowed values, what it is for, and who may set it.

This table is the only place that knows the settings. Checking a value, naming the nearest key
for a misspelt one, and the commented template that `memstone init` writes are all read off it, so
that a key cannot exist without a default, a range and a description.

Redaction is one key a class of finding (`redaction.phone`); the classes belong to
`memstone.redaction`, which is imported only when a policy is set or shown, because a recall never
needs it.
"""

from __future__ import annotations

from dataclasses import dataclass

from memstone.errors import ConfigError
from memstone.types import (
    DEFAULT_BUDGET,
    DEFAULT_LIMIT,
    DEFAULT_MIN_SCORE,
    MAX_LIMIT,
    MAX_NAME_BYTES,
)

DEFAULT_CONTEXT_WINDOW = 200_000
DEFAULT_MULTI_VALUED = (
    "likes, hobbies, interests, pets, languages, skills, allergies, children, friends"
)
MAX_TOKENS = 100_000_000  # far above any context window: a guard against slipped fingers
REDACTION_PREFIX = "redaction."
SHOWN_CHARACTERS = 80  # of a wrong value, in a message

Value = str | int | float


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One setting. A number has `low` and `high`, both included; a text may have `choices`."""

    name: str  # as in config.yaml, sections joined by a dot
    attribute: str  # of `Settings`
    default: Value
    about: str  # lines of the template's comment
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    project: bool = False  # whether a project's `.memstone.yaml` may set it
    project_low: float | None = None  # and from where on, if not from `low`

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return "MEMSTONE_" + self.name.upper().replace(".", "__")

    def expected(self, *, project: bool = False) -> str:
        """What is allowed, in words.

        >>> KEYS["recall.limit"].expected()
        'a whole number from 1 to 10000'
        """
        if self.choices:
            return " or ".join(self.choices)
        if self.low is None:
            return f"text of at most {MAX_NAME_BYTES} bytes"
        low = self.project_low if project and self.project_low is not None else self.low
        noun = "a whole number" if isinstance(self.default, int) else "a number"
        return f"{noun} from {low:g} to {self.high:.9g}"


_TABLE = (
    Key(
        name="user",
        attribute="user",
        default="",
        about="Whose memories these are. Nothing is ever shared between users.\n"
        "Empty: the name of the account you are logged in with.",
    ),
    Key(
        name="context_window",
        attribute="context_window",
        default=DEFAULT_CONTEXT_WINDOW,
        low=1_000,
        high=MAX_TOKENS,
        about="Tokens your model can read at once. A recall with a budget never takes more than\n"
        "15 % of it.",
    ),
    Key(
        name="language",
        attribute="language",
        default="english",
        choices=("english",),
        about="Language whose word endings are folded together (`deploys` finds `deployed`).",
    ),
    Key(
        name="role",
        attribute="role",
        default="",
        about="Role whose personas stand in the session block, beside those without a role.",
    ),
    Key(
        name="recall.limit",
        attribute="recall_limit",
        default=DEFAULT_LIMIT,
        low=1,
        high=MAX_LIMIT,
        project=True,
        about="How many memories a recall returns at most.",
    ),
    Key(
        name="recall.budget",
        attribute="recall_budget",
        default=DEFAULT_BUDGET,
        low=0,
        high=MAX_TOKENS,
        project=True,
        project_low=1,  # 0 would lift the cap that `context_window` sets
        about="Estimated tokens a recall may fill. 0: no budget, and no cap either.",
    ),
    Key(
        name="recall.min_score",
        attribute="min_score",
        default=DEFAULT_MIN_SCORE,
        low=0,
        high=1,
        project=True,
        project_low=0.05,  # 0 would switch the floor off, and noise would be injected
        about="The evidence (0 to 1) that a memory needs to be recalled: the share of the\n"
        "question it covers, raised by what the best candidate covers. Lower finds more and\n"
        "lets more noise through; 0 switches the floor off.",
    ),
    Key(
        name="hooks.limit",
        attribute="hooks_limit",
        default=3,
        low=1,
        high=20,
        project=True,
        about="How many memories a hook injects into one prompt at most.",
    ),
    Key(
        name="hooks.budget",
        attribute="hooks_budget",
        default=1_500,
        low=50,
        high=20_000,
        project=True,
        about="Estimated tokens a hook may inject into one prompt; never over 9,000 characters,\n"
        "because clients cut longer ones.",
    ),
    Key(
        name="import.policy",
        attribute="import_policy",
        default="redact",
        choices=("redact", "refuse"),
        about="What an import does with an entry that holds a secret: `redact` blanks the secret\n"
        "and keeps the rest, `refuse` leaves the entry out and lists it.",
    ),
    Key(
        name="cards.make",
        attribute="cards_make",
        default="auto",
        choices=("auto", "never"),
        about="Whether index cards are made of conversations after their turns are stored.",
    ),
    Key(
        name="cards.session_end_timeout",
        attribute="session_end_timeout",
        default=60,
        low=0,
        high=30 * 24 * 3600,
        about="Seconds without a turn after which a conversation counts as over, if nobody says\n"
        "that it ended. Its cards are made then.",
    ),
    Key(
        name="conflicts.rule",
        attribute="conflict_rule",
        default="attribute",
        choices=("attribute", "tags", "never"),
        about="When a newer memory replaces an older one by itself: `attribute`: the same subject\n"
        'and the same attribute ("my budget is 5"); `tags`: also the same entity and the same\n'
        "tags; `never`: not at all. Every replacement is in `memstone log` and can be undone.",
    ),
    Key(
        name="conflicts.multi_valued",
        attribute="multi_valued",
        default=DEFAULT_MULTI_VALUED,
        about="Attributes that may have several values at once, so that one more replaces none;\n"
        "with commas between them.",
    ),
    Key(
        name="summarizer.provider",
        attribute="summarizer_provider",
        default="none",
        choices=("none", "anthropic", "openai"),
        about="Who writes the cards. `none`: no model, nothing leaves this machine. Otherwise the\n"
        "text of conversations is sent there: `anthropic` (key in ANTHROPIC_API_KEY) or `openai`\n"
        "(anything that speaks its chat API: Ollama, vLLM, llama.cpp; key in OPENAI_API_KEY).\n"
        "These two keys go to the provider's own address only: see `summarizer.key_variable`.",
    ),
    Key(
        name="summarizer.model",
        attribute="summarizer_model",
        default="",
        about="The model's name, as its provider spells it.",
    ),
    Key(
        name="summarizer.base_url",
        attribute="summarizer_base_url",
        default="",
        about="Where the provider listens, if not at its usual address, such as\n"
        "http://localhost:11434/v1 for Ollama. Not an address (no http:// or https://, a name,\n"
        "password or ? in it): an error (exit 78) before anything is sent.",
    ),
    Key(
        name="summarizer.key_variable",
        attribute="summarizer_key_variable",
        default="",
        about="The environment variable whose key is sent to `summarizer.base_url`, such as\n"
        "OPENROUTER_API_KEY. Empty: ANTHROPIC_API_KEY or OPENAI_API_KEY at the provider's own\n"
        "address, and no key at any other (a local server needs none).",
    ),
    Key(
        name="summarizer.plain_http",
        attribute="summarizer_plain_http",
        default="near",
        choices=("near", "anywhere"),
        about="To which hosts conversations and keys may go over plain http, where they can be\n"
        "read on the way. `near`: this machine and private networks (10., 172.16., 192.168.,\n"
        "names without a dot or in .local, .internal, .home.arpa); another http:// address is\n"
        "refused (exit 78). `anywhere`: every host.",
    ),
    Key(
        name="summarizer.daily_tokens",
        attribute="summarizer_daily_tokens",
        default=200_000,
        low=0,
        high=MAX_TOKENS,
        about="Tokens, read and written, that cards may cost in a day (UTC). At the cap no model\n"
        "is called any more and cards are made without one; `memstone stats` shows the sum.",
    ),
    Key(
        name="summarizer.timeout",
        attribute="summarizer_timeout",
        default=60,
        low=1,
        high=600,
        about="Seconds to wait for one answer of the model, from the connection to its last byte.\n"
        "An answer that is late is not asked for again: it may be paid for.",
    ),
    Key(
        name="turns.retention_days",
        attribute="turns_retention_days",
        default=0,
        low=0,
        high=36_500,
        about="Days after which verbatim turns may be archived by `gc`; cards stay. 0: never.",
    ),
    Key(
        name="turns.quota_mb",
        attribute="turns_quota_mb",
        default=0,
        low=0,
        high=MAX_TOKENS,
        about="Megabytes of verbatim turns that are kept before `gc` archives the oldest; cards\n"
        "stay. 0: no limit. `memstone stats` shows how much there is.",
    ),
)
KEYS = {key.name: key for key in _TABLE}
ATTRIBUTES = {key.attribute: key for key in _TABLE}


def check(key: Key, value: object, *, where: str, project: bool = False) -> Value:
    """`value` if `key` allows it (a whole number serves where a fraction is expected).

    `where` heads the message. Raises `ConfigError` naming the key, the value and what is allowed.

    >>> check(KEYS["recall.min_score"], 1, where="config.yaml")
    1.0
    """
    if isinstance(value, str) and isinstance(key.default, str):
        allowed = value in key.choices if key.choices else _is_name(value)
        if allowed:
            return value
    elif isinstance(value, (int, float)) and not isinstance(value, (bool, str)):
        fraction = isinstance(key.default, float)
        if (fraction or (isinstance(value, int) and isinstance(key.default, int))) and _within(
            key, value, project=project
        ):
            return float(value) if fraction else value
    raise wrong_value(key.name, value, key.expected(project=project), where)


def _within(key: Key, value: float, *, project: bool) -> bool:
    low = key.project_low if project and key.project_low is not None else key.low
    return low is not None and key.high is not None and low <= value <= key.high


def _is_name(value: str) -> bool:
    try:
        return len(value.encode("utf-8")) <= MAX_NAME_BYTES
    except UnicodeEncodeError:
        return False


def convert(key: Key, text: str) -> object:
    """The value that `text` spells for `key`; the text itself if it spells none, for `check`.

    >>> convert(KEYS["recall.budget"], "500"), convert(KEYS["recall.budget"], "много")
    (500, 'много')
    """
    if isinstance(key.default, str):
        return text
    try:
        return int(text) if isinstance(key.default, int) else float(text)
    except ValueError:
        return text


def wrong_value(name: str, value: object, expected: str, where: str) -> ConfigError:
    """The error for a value that is not allowed."""
    shown = repr(value)
    if len(shown) > SHOWN_CHARACTERS:
        shown = shown[:SHOWN_CHARACTERS] + "…"
    return ConfigError(
        f"{where}: {name}: {shown} is not allowed; expected {expected}",
        hint="correct it, or remove it to get the default",
        key=name,
        value=shown,
        where=where,
    )


def unknown(name: str, known: list[str], where: str) -> ConfigError:
    """The error for a key that does not exist, with the nearest that does."""
    import difflib  # noqa: PLC0415  (10 ms; only when something is wrong)

    near = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    hint = f"did you mean {near[0]!r}?" if near else "known: " + ", ".join(known)
    return ConfigError(
        f"{where}: {name[:SHOWN_CHARACTERS]!r} is not a setting; {hint}",
        hint=hint,
        key=name,
        where=where,
    )


def redaction_policies(given: dict[str, str]) -> dict[str, str]:
    """The policy of every class of finding: the built-in ones, changed by `given`.

    Raises `ConfigError` on a class or policy that does not exist.
    """
    from memstone.redaction import DEFAULT_POLICIES, check_policies  # noqa: PLC0415  (see above)

    return dict(check_policies({**DEFAULT_POLICIES, **given}))


def redaction_names() -> list[str]:
    """The keys `redaction.…`, one a class of finding."""
    from memstone.redaction import DEFAULT_POLICIES  # noqa: PLC0415

    return [REDACTION_PREFIX + kind for kind in DEFAULT_POLICIES]
