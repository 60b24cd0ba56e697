"""Settings: one frozen value out of flags, environment, files and defaults.

    argument > MEMSTONE_… variable > project file > user file > default

A setting is named once (`recall.budget`); the variable is `MEMSTONE_RECALL__BUDGET`, the user file
`config.yaml` under the data folder, the project file `.memstone.yaml` at the project's root. Every
value knows where it came from. An unknown name or a value out of range is an error that says where
it stands, never a guess, even when a stronger source would have won; an empty variable is not set.

A project file comes with a repository, so perhaps from a stranger: it may tune recall inside
bounds. It may not say whose memories are read, where they lie, what counts as a secret, nor switch
off the floor or the cap. Loading never creates the data folder, and without a settings file no
YAML is imported.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from memstone.config.files import Entry, load_compiled, read_bytes, store_compiled
from memstone.config.keys import (
    ATTRIBUTES,
    KEYS,
    REDACTION_PREFIX,
    Value,
    check,
    convert,
    redaction_names,
    redaction_policies,
    unknown,
    wrong_value,
)
from memstone.config.places import CONFIG_FILE, PROJECT_FILE, data_home, local_user
from memstone.config.template import render_default, write_default
from memstone.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

__all__ = [
    "CONFIG_FILE",
    "PROJECT_FILE",
    "Setting",
    "Settings",
    "data_home",
    "describe",
    "load",
    "local_user",
    "render_default",
    "unknown_variables",
    "write_default",
]

VARIABLE_PREFIX = "MEMSTONE_"
# where to look, whether a bug shows its traceback, which command other programs start, what the
# benchmarks read: not settings
RESERVED_VARIABLES = frozenset({"MEMSTONE_HOME", "MEMSTONE_DEBUG", "MEMSTONE_BIN"})
RESERVED_PREFIX = "MEMSTONE_BENCH_"
SECTIONS = frozenset(name.partition(".")[0] for name in KEYS if "." in name) | {"redaction"}
DEFAULT = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Every setting in force. `load` makes it; it is plain data and may cross processes."""

    user: str  # never empty: an empty setting has become the local user's name
    context_window: int  # tokens
    language: str
    recall_limit: int
    recall_budget: int  # estimated tokens; 0 = unlimited
    min_score: float  # 0..1
    import_policy: str  # "redact" or "refuse"
    role: str  # of the personas in the session block; "" is none
    hooks_limit: int
    hooks_budget: int  # estimated tokens
    cards_make: str  # "auto" or "never"
    session_end_timeout: int  # seconds
    conflict_rule: str  # "attribute", "tags" or "never"
    multi_valued: str  # attributes, with commas
    summarizer_provider: str  # "none", "anthropic" or "openai"
    summarizer_model: str
    summarizer_base_url: str
    summarizer_key_variable: str  # "" is the provider's own, for its own address only
    summarizer_plain_http: str  # "near" or "anywhere"
    summarizer_daily_tokens: int
    summarizer_timeout: int  # seconds
    turns_retention_days: int  # 0 = for ever
    turns_quota_mb: int  # 0 = no limit
    redaction_given: tuple[tuple[str, str], ...] = ()  # (class, policy) where set, sorted
    origins: tuple[tuple[str, str], ...] = ()  # (name, where it was set); defaults are absent

    @property
    def redaction(self) -> Mapping[str, str]:
        """The policy of every class of finding: `refuse`, `redact` or `allow`."""
        return redaction_policies(dict(self.redaction_given))

    def origin(self, name: str) -> str:
        """Where the value of `name` was set: a file with its line, a variable, or `default`."""
        return dict(self.origins).get(name, DEFAULT)


@dataclass(frozen=True, slots=True)
class Setting:
    """One line of `config show`."""

    name: str
    value: Value
    origin: str


@dataclass(frozen=True, slots=True)
class _Given:
    """A value somebody set, not yet checked."""

    name: str
    value: object
    where: str
    project: bool = False


def load(
    home: str | None = None,
    *,
    project: str = "",
    overrides: Mapping[str, object] | None = None,
    environ: Mapping[str, str] | None = None,
) -> Settings:
    """The settings for the data folder `home` (default: `data_home`) and the project's root.

    `overrides` are arguments of a call, by setting name or attribute (`recall_budget`); None means
    not given. `redaction` takes a mapping of classes to policies. Raises `ConfigError`.

    >>> load("/nowhere", overrides={"recall.budget": 500}, environ={}).recall_budget
    500
    """
    environ = os.environ if environ is None else environ
    home = data_home(environ) if home is None else home
    layers = (
        _from_file(os.path.join(home, CONFIG_FILE), home),
        _from_project(project, home),
        _from_environ(environ),
        _from_arguments({} if overrides is None else overrides),
    )
    values: dict[str, Value] = {key.name: key.default for key in KEYS.values()}
    origins: dict[str, str] = {}
    for given in (given for layer in layers for given in layer):
        values[given.name] = _checked(given)
        origins[given.name] = given.where
    redaction = {
        name.removeprefix(REDACTION_PREFIX): str(value)
        for name, value in values.items()
        if name.startswith(REDACTION_PREFIX)
    }
    typed: dict[str, Any] = {
        key.attribute: type(key.default)(values[key.name]) for key in KEYS.values()
    }
    typed["user"] = typed["user"] or local_user(environ)
    return Settings(
        **typed,
        redaction_given=tuple(sorted(redaction.items())),
        origins=tuple(origins.items()),
    )


def describe(settings: Settings) -> tuple[Setting, ...]:
    """Every setting with its value and origin, redaction classes last, for `config show`."""
    plain = [
        Setting(key.name, getattr(settings, key.attribute), settings.origin(key.name))
        for key in KEYS.values()
    ]
    policies = [
        Setting(REDACTION_PREFIX + kind, policy, settings.origin(REDACTION_PREFIX + kind))
        for kind, policy in settings.redaction.items()
    ]
    return (*plain, *policies)


def _checked(given: _Given) -> Value:
    """The value of one source if its setting exists and allows it."""
    key = KEYS.get(given.name)
    if key is not None:
        if given.project and not key.project:
            raise _not_for_projects(given)
        return check(key, given.value, where=given.where, project=given.project)
    if given.name.startswith(REDACTION_PREFIX):
        if given.project:
            raise _not_for_projects(given)
        return _checked_policy(given)
    raise unknown(given.name, [*KEYS, *redaction_names()], given.where)


def _checked_policy(given: _Given) -> str:
    if given.name not in redaction_names():
        raise unknown(given.name, redaction_names(), given.where)
    try:
        policies = redaction_policies({given.name.removeprefix(REDACTION_PREFIX): str(given.value)})
    except ConfigError as error:
        expected = "refuse, redact or allow"
        raise wrong_value(given.name, given.value, expected, given.where) from error
    return policies[given.name.removeprefix(REDACTION_PREFIX)]


def _not_for_projects(given: _Given) -> ConfigError:
    allowed = ", ".join(key.name for key in KEYS.values() if key.project)
    return ConfigError(
        f"{given.where}: {given.name}: a project's file may not set this; it may set {allowed}",
        hint=f"set it in your own {CONFIG_FILE}, or remove it there",
        key=given.name,
        where=given.where,
    )


def _from_file(path: str, home: str) -> Iterator[_Given]:
    cache = os.path.join(home, "config.compiled.json")
    for name, entry in _read(path, cache, follow=True).items():
        yield _Given(name, entry.value, f"{path}, line {entry.line}")


def _from_project(project: str, home: str) -> Iterator[_Given]:
    if not os.path.isabs(project):  # a project may be a mere name, and none is ""
        return
    import binascii  # noqa: PLC0415  (only inside a repository)

    path = os.path.join(project, PROJECT_FILE)
    # kept with our own data, never in the repository; a clash of names costs a re-read, no more
    cache = os.path.join(home, f"config.{binascii.crc32(os.fsencode(path)):08x}.compiled.json")
    for name, entry in _read(path, cache, follow=False).items():
        yield _Given(name, entry.value, f"{path}, line {entry.line}", project=True)


def _read(path: str, cache: str, *, follow: bool) -> dict[str, Entry]:
    """The entries of the settings file at `path`; none if it does not exist."""
    source = read_bytes(path, follow=follow)
    if source is None:
        return {}
    entries = load_compiled(cache, source)
    if entries is None:
        from memstone.config.document import parse  # noqa: PLC0415  (YAML: 20 to 70 ms)

        entries = parse(source, path)
        store_compiled(cache, source, entries)
    # a heading whose settings are all comments has no value, and sets nothing
    return {k: e for k, e in entries.items() if k not in SECTIONS or e.value is not None}


def _from_environ(environ: Mapping[str, str]) -> Iterator[_Given]:
    for variable in sorted(environ):
        text = environ[variable]
        if not variable.startswith(VARIABLE_PREFIX) or _is_reserved(variable) or not text:
            continue
        name = variable.removeprefix(VARIABLE_PREFIX).lower().replace("__", ".")
        key = KEYS.get(name)
        if key is None and not name.startswith(REDACTION_PREFIX):
            raise unknown(variable, [*RESERVED_VARIABLES, *_variables()], "the environment")
        yield _Given(name, text if key is None else convert(key, text), variable)


def unknown_variables(environ: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Every `MEMSTONE_…` variable that no setting has, with the way out, for `doctor`."""
    found = []
    for variable in sorted(environ):
        if not variable.startswith(VARIABLE_PREFIX) or _is_reserved(variable):
            continue
        name = variable.removeprefix(VARIABLE_PREFIX).lower().replace("__", ".")
        if environ[variable] and name not in KEYS and name not in redaction_names():
            error = unknown(variable, [*RESERVED_VARIABLES, *_variables()], "the environment")
            found.append((variable, error.hint or ""))
    return tuple(found)


def _is_reserved(variable: str) -> bool:
    return variable in RESERVED_VARIABLES or variable.startswith(RESERVED_PREFIX)


def _variables() -> list[str]:
    return [key.variable for key in KEYS.values()]


def _from_arguments(overrides: Mapping[str, object]) -> Iterator[_Given]:
    for name, value in overrides.items():
        if value is None:
            continue
        if name == "redaction":
            if not isinstance(value, Mapping):
                raise wrong_value(name, value, "a mapping of classes to policies", "argument")
            for kind, policy in value.items():
                yield _Given(f"{REDACTION_PREFIX}{kind}", policy, "argument")
            continue
        key = ATTRIBUTES.get(name) or KEYS.get(name)
        if key is None and not name.startswith(REDACTION_PREFIX):
            raise unknown(name, [*ATTRIBUTES, "redaction"], "argument")
        yield _Given(name if key is None else key.name, value, "argument")
