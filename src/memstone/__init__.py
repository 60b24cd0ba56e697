"""memstone: long-term memory for LLM agents in one SQLite file.

    >>> import tempfile, memstone
    >>> with tempfile.TemporaryDirectory() as folder, memstone.open(folder) as engine:
    ...     old = engine.remember("The cloud budget is 100 euros a month")
    ...     new = engine.supersede(old.id, "The cloud budget is 200 euros a month")
    ...     [hit.text for hit in engine.recall("what is the cloud budget?")]
    ['The cloud budget is 200 euros a month']

`remember`, `recall`, `forget`, `supersede`, `history` and `recover` work on one default engine,
opened at the first call under `MEMSTONE_HOME` or the platform's data folder. Importing does
nothing; everything is loaded where it is first used.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memstone.default import forget, history, recall, recover, remember, supersede
    from memstone.engine import Engine, open  # noqa: A004
    from memstone.errors import (
        AmbiguousId,
        BlankText,
        ConfigError,
        InvalidInput,
        MemoryTooLarge,
        MemstoneError,
        NotCurrent,
        NotFound,
        SecretFound,
        StoreBusy,
        StoreError,
        TextIsHistory,
    )
    from memstone.times import Instant
    from memstone.types import (
        Change,
        Explanation,
        Feedback,
        ForgetResult,
        Hit,
        ImportReport,
        Kind,
        Memory,
        Outcome,
        Provenance,
        RecallResult,
        Remembered,
        Scope,
        Signals,
        Statistics,
        Trust,
        Turn,
        Verdict,
    )

from memstone.version import VERSION as __version__

__all__ = [
    "AmbiguousId",
    "BlankText",
    "Change",
    "ConfigError",
    "Engine",
    "Explanation",
    "Feedback",
    "ForgetResult",
    "Hit",
    "ImportReport",
    "Instant",
    "InvalidInput",
    "Kind",
    "Memory",
    "MemoryTooLarge",
    "MemstoneError",
    "NotCurrent",
    "NotFound",
    "Outcome",
    "Provenance",
    "RecallResult",
    "Remembered",
    "Scope",
    "SecretFound",
    "Signals",
    "Statistics",
    "StoreBusy",
    "StoreError",
    "TextIsHistory",
    "Trust",
    "Turn",
    "Verdict",
    "__version__",
    "forget",
    "history",
    "open",
    "recall",
    "recover",
    "remember",
    "supersede",
]

_ERRORS = (
    "AmbiguousId",
    "BlankText",
    "ConfigError",
    "InvalidInput",
    "MemoryTooLarge",
    "MemstoneError",
    "NotCurrent",
    "NotFound",
    "SecretFound",
    "StoreBusy",
    "StoreError",
    "TextIsHistory",
)
_DEFAULT = ("forget", "history", "recall", "recover", "remember", "supersede")


def _load(name: str) -> object:
    """Load a public name where it is first used: importing memstone must cost next to nothing."""
    from importlib import import_module

    if name in _DEFAULT:
        module = "memstone.default"
    elif name in {"Engine", "open"}:
        module = "memstone.engine"
    elif name in _ERRORS:
        module = "memstone.errors"
    elif name == "Instant":
        module = "memstone.times"
    elif name in __all__:
        module = "memstone.types"
    else:
        raise AttributeError(f"module 'memstone' has no attribute {name!r}")
    return getattr(import_module(module), name)


if not TYPE_CHECKING:  # a checker that saw it would believe every name exists
    __getattr__ = _load


def __dir__() -> list[str]:
    return sorted(__all__)
