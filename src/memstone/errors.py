"""Every exception memstone raises on purpose.

    MemstoneError                    code, exit_code, hint, fields
    ├── InvalidInput                 2   a value the caller gave is not acceptable
    │   ├── InvalidTime, InvalidScope, InvalidFilter, InvalidBudget, InvalidHandle, AmbiguousId,
    │   │   WrongType, UsageError
    │   └── InvalidText              65  blank, too large, not Unicode
    │       ├── BlankText, MemoryTooLarge, TextNotUnicode
    ├── SourceError                  65  an import file is malformed
    │   └── SourceMissing            66
    ├── NotFound                     1   no such memory or handle *for this caller*
    ├── Conflict                     1   the store moved on, or the request contradicts it
    │   ├── NotCurrent, TextUnchanged, TextIsHistory, TextIsCurrent, LineageBroken,
    │   │   UndoBlocked, NotArchived, NotHeld, OlderVersion
    ├── SummarizerError              69  no card by a model; it is made without one
    │   └── SummarizerUnavailable, SummaryInvalid, TokenCapReached
    ├── Paused                       77  switched off by `pause` or `incognito`
    ├── TextHeld                     77  it reads like an instruction and may not replace a memory
    ├── ClientFileRefused            65  another program's settings file cannot be edited safely
    ├── MemoryFileRefused            1   a command on memory files that cannot be done
    ├── SecretFound                  77  text refused; the kind is named, never the value
    ├── StoreError                   74  the file system or the file
    │   ├── StoreMissing 66, StoreBusy 75, StoreFull 74, StoreDamaged 74, StoreNewer 74,
    │   │   StoreOlder 74, CannotCreate 73, StoreUnsafe 77, StoreClosed 74
    ├── OutputFailed                 74  the answer could not be written out
    └── ConfigError                  78

`code` is stable and part of the public contract; messages are not. Exit codes follow sysexits(3).
"""

from __future__ import annotations

__all__ = [
    "AmbiguousId",
    "BlankText",
    "CannotCreate",
    "ClientFileRefused",
    "ConfigError",
    "Conflict",
    "InvalidBudget",
    "InvalidFilter",
    "InvalidHandle",
    "InvalidInput",
    "InvalidScope",
    "InvalidText",
    "InvalidTime",
    "LineageBroken",
    "MemoryFileRefused",
    "MemoryTooLarge",
    "MemstoneError",
    "NotArchived",
    "NotCurrent",
    "NotFound",
    "NotHeld",
    "OlderVersion",
    "OutputFailed",
    "Paused",
    "SecretFound",
    "SourceError",
    "SourceMissing",
    "StoreBusy",
    "StoreClosed",
    "StoreDamaged",
    "StoreError",
    "StoreFull",
    "StoreMissing",
    "StoreNewer",
    "StoreOlder",
    "StoreUnsafe",
    "SummarizerError",
    "SummarizerUnavailable",
    "SummaryInvalid",
    "TextHeld",
    "TextIsCurrent",
    "TextIsHistory",
    "TextNotUnicode",
    "TextUnchanged",
    "TokenCapReached",
    "UndoBlocked",
    "UsageError",
    "WrongType",
]


SHOWN = 16  # characters of an unknown word that an error repeats; keys and tokens are longer


def brief(value: str) -> str:
    """A caller's word as an error may repeat it: whole if short, else only how it begins.

    >>> brief("fakt"), brief("correct-horse-battery-staple")
    ('fakt', 'correct-…')
    """
    return value if len(value) <= SHOWN else value[: SHOWN // 2] + "…"


class MemstoneError(Exception):
    """Base of all: `code` is stable, `hint` names the way out, `fields` hold the values."""

    code = "error"
    exit_code = 1

    def __init__(self, message: str, *, hint: str | None = None, **fields: object) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.fields = fields


class InvalidInput(MemstoneError):
    code = "invalid_input"
    exit_code = 2


class InvalidTime(InvalidInput):
    code = "invalid_time"


class InvalidScope(InvalidInput):
    code = "invalid_scope"


class InvalidFilter(InvalidInput):
    code = "invalid_filter"


class InvalidBudget(InvalidInput):
    code = "invalid_budget"


class InvalidHandle(InvalidInput):
    code = "invalid_handle"


class AmbiguousId(InvalidInput):
    code = "ambiguous_id"


class WrongType(InvalidInput):
    code = "wrong_type"


class UsageError(InvalidInput):
    code = "usage"


class InvalidText(InvalidInput):
    code = "invalid_text"
    exit_code = 65


class BlankText(InvalidText):
    code = "blank_text"


class MemoryTooLarge(InvalidText):
    code = "memory_too_large"


class TextNotUnicode(InvalidText):
    code = "text_not_unicode"


class SourceError(MemstoneError):
    code = "source_malformed"
    exit_code = 65


class SourceMissing(SourceError):
    code = "source_missing"
    exit_code = 66


class NotFound(MemstoneError):
    code = "not_found"

    @classmethod
    def memory(cls, id: str) -> NotFound:  # noqa: A002
        """The error for an id that names no memory this caller sees."""
        hint = "`memstone list` shows what there is in this scope"
        return cls(f"no memory {id!r} here", hint=hint, id=id)


class Conflict(MemstoneError):
    code = "conflict"


class NotCurrent(Conflict):
    code = "not_current"


class TextUnchanged(Conflict):
    code = "text_unchanged"


class TextIsHistory(Conflict):
    code = "text_is_history"


class TextIsCurrent(Conflict):
    code = "text_is_current"


class OlderVersion(Conflict):
    code = "older_version"


class LineageBroken(Conflict):
    code = "lineage_broken"


class UndoBlocked(Conflict):
    code = "undo_blocked"


class SummarizerError(MemstoneError):
    code = "summarizer_error"
    exit_code = 69


class SummarizerUnavailable(SummarizerError):
    code = "summarizer_unavailable"


class SummaryInvalid(SummarizerError):
    code = "summary_invalid"


class TokenCapReached(SummarizerError):
    code = "token_cap_reached"


class NotArchived(Conflict):
    code = "not_archived"


class NotHeld(Conflict):
    code = "not_held"


class Paused(MemstoneError):
    code = "paused"
    exit_code = 77


class TextHeld(MemstoneError):
    code = "text_held"
    exit_code = 77


class ClientFileRefused(MemstoneError):
    code = "client_file_refused"
    exit_code = 65


class MemoryFileRefused(MemstoneError):
    code = "memory_file_refused"


class SecretFound(MemstoneError):
    code = "secret_found"
    exit_code = 77


class StoreError(MemstoneError):
    code = "store_error"
    exit_code = 74


class StoreMissing(StoreError):
    code = "store_missing"
    exit_code = 66


class StoreBusy(StoreError):
    code = "store_busy"
    exit_code = 75


class StoreFull(StoreError):
    code = "store_full"


class StoreDamaged(StoreError):
    code = "store_damaged"

    @classmethod
    def entry(cls, row: int) -> StoreDamaged:
        """The error for an index entry whose memory is not there."""
        hint = "restore a backup, or import an export into a new store"
        return cls(f"row {row} has an index entry and no memory", hint=hint)


class StoreNewer(StoreError):
    code = "store_newer"


class StoreOlder(StoreError):
    code = "store_older"


class CannotCreate(StoreError):
    code = "cannot_create"
    exit_code = 73


class StoreUnsafe(StoreError):
    code = "store_unsafe"
    exit_code = 77


class StoreClosed(StoreError):
    code = "store_closed"


class OutputFailed(MemstoneError):
    code = "output_failed"
    exit_code = 74


class ConfigError(MemstoneError):
    code = "config_error"
    exit_code = 78
