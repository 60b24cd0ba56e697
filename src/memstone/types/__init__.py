"""The values of memstone: frozen, typed, without behaviour that touches the world.

Everything a service returns or a store holds is one of these. A module of them is loaded when the
first of its names is asked for: building a dataclass costs half a millisecond, and a recall on the
command line, a new process each time, needs a third of them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memstone.types.agents import (
        Captured,
        HeldMemory,
        Pending,
        Status,
        StoredSession,
        Transcript,
        UndoResult,
        WorkReport,
    )
    from memstone.types.cards import SegmentTurn, Summary, SummaryItem
    from memstone.types.conversations import Conversation, PossibleConflict
    from memstone.types.explaining import (
        Condition,
        Explanation,
        Fate,
        FloorCheck,
        Obstacle,
        Room,
        Stage,
        Standing,
        WordMatch,
    )
    from memstone.types.files import FileChanges, Filed, FileVersion
    from memstone.types.judging import Feedback, Verdict
    from memstone.types.memories import (
        Derivation,
        Kind,
        Memory,
        Method,
        Provenance,
        Scope,
        Trust,
        Unit,
        View,
    )
    from memstone.types.notes import Block
    from memstone.types.noting import ChangeNote, SessionCounts, SessionUse
    from memstone.types.postings import (
        BLANKS,
        POSTING_FREQUENCY_MASK,
        POSTING_LENGTH_BITS,
        POSTING_LENGTH_MASK,
        QUESTION_MARKS,
        CorpusStatistics,
        PostingList,
        Profile,
        TermStatistics,
        UnitSpan,
        posting,
    )
    from memstone.types.reading import (
        SIGNALS,
        Budget,
        Evidence,
        Excerpt,
        Filter,
        Hit,
        Listing,
        Query,
        Ranked,
        Reach,
        RecallOptions,
        RecallResult,
        Signals,
        Validity,
    )
    from memstone.types.writing import (
        Change,
        ChangeRow,
        Draft,
        ForgetResult,
        ImportReport,
        Note,
        Outcome,
        Redaction,
        Remembered,
        Skipped,
        Statistics,
        Turn,
    )

from memstone.types.limits import (
    CJK_BEGINS,
    DEFAULT_BUDGET,
    DEFAULT_LIMIT,
    DEFAULT_MIN_SCORE,
    HANDLE_PREFIX,
    ID_PREFIX,
    MAX_LIMIT,
    MAX_NAME_BYTES,
    MAX_TAG_BYTES,
    MAX_TAGS,
    MAX_TEXT_BYTES,
    MAX_TURN_BYTES,
    NOTES_NAME,
)

__all__ = [
    "BLANKS",
    "CJK_BEGINS",
    "DEFAULT_BUDGET",
    "DEFAULT_LIMIT",
    "DEFAULT_MIN_SCORE",
    "HANDLE_PREFIX",
    "ID_PREFIX",
    "MAX_LIMIT",
    "MAX_NAME_BYTES",
    "MAX_TAGS",
    "MAX_TAG_BYTES",
    "MAX_TEXT_BYTES",
    "MAX_TURN_BYTES",
    "NOTES_NAME",
    "POSTING_FREQUENCY_MASK",
    "POSTING_LENGTH_BITS",
    "POSTING_LENGTH_MASK",
    "QUESTION_MARKS",
    "SIGNALS",
    "Block",
    "Budget",
    "Captured",
    "Change",
    "ChangeNote",
    "ChangeRow",
    "Condition",
    "Conversation",
    "CorpusStatistics",
    "Derivation",
    "Draft",
    "Evidence",
    "Excerpt",
    "Explanation",
    "Fate",
    "Feedback",
    "FileChanges",
    "FileVersion",
    "Filed",
    "Filter",
    "FloorCheck",
    "ForgetResult",
    "HeldMemory",
    "Hit",
    "ImportReport",
    "Kind",
    "Listing",
    "Memory",
    "Method",
    "Note",
    "Obstacle",
    "Outcome",
    "Pending",
    "PossibleConflict",
    "PostingList",
    "Profile",
    "Provenance",
    "Query",
    "Ranked",
    "Reach",
    "RecallOptions",
    "RecallResult",
    "Redaction",
    "Remembered",
    "Room",
    "Scope",
    "SegmentTurn",
    "SessionCounts",
    "SessionUse",
    "Signals",
    "Skipped",
    "Stage",
    "Standing",
    "Statistics",
    "Status",
    "StoredSession",
    "Summary",
    "SummaryItem",
    "TermStatistics",
    "Transcript",
    "Trust",
    "Turn",
    "UndoResult",
    "Unit",
    "UnitSpan",
    "Validity",
    "Verdict",
    "View",
    "WordMatch",
    "WorkReport",
    "posting",
]

_MODULES = {
    "agents": (
        "Captured",
        "HeldMemory",
        "Pending",
        "Status",
        "StoredSession",
        "Transcript",
        "UndoResult",
        "WorkReport",
    ),
    "cards": ("SegmentTurn", "Summary", "SummaryItem"),
    "conversations": ("Conversation", "PossibleConflict"),
    "explaining": (
        "Condition",
        "Explanation",
        "Fate",
        "FloorCheck",
        "Obstacle",
        "Room",
        "Stage",
        "Standing",
        "WordMatch",
    ),
    "files": ("FileChanges", "FileVersion", "Filed"),
    "judging": ("Feedback", "Verdict"),
    "memories": (
        "Derivation",
        "Kind",
        "Memory",
        "Method",
        "Provenance",
        "Scope",
        "Trust",
        "Unit",
        "View",
    ),
    "notes": ("Block",),
    "noting": ("ChangeNote", "SessionCounts", "SessionUse"),
    "postings": (
        "Profile",
        "CorpusStatistics",
        "POSTING_FREQUENCY_MASK",
        "POSTING_LENGTH_BITS",
        "POSTING_LENGTH_MASK",
        "BLANKS",
        "PostingList",
        "QUESTION_MARKS",
        "TermStatistics",
        "UnitSpan",
        "posting",
    ),
    "reading": (
        "Budget",
        "Evidence",
        "Excerpt",
        "Filter",
        "Hit",
        "Listing",
        "Query",
        "Ranked",
        "Reach",
        "RecallOptions",
        "RecallResult",
        "SIGNALS",
        "Signals",
        "Validity",
    ),
    "writing": (
        "Outcome",
        "Redaction",
        "Remembered",
        "Draft",
        "Change",
        "ChangeRow",
        "ForgetResult",
        "ImportReport",
        "Note",
        "Skipped",
        "Statistics",
        "Turn",
    ),
}


def _load(name: str) -> object:
    """Load the module that holds `name`, and keep what it holds."""
    from importlib import import_module

    for module, names in _MODULES.items():
        if name in names:
            loaded = import_module(f"memstone.types.{module}")
            globals().update({each: getattr(loaded, each) for each in names})
            return globals()[name]
    raise AttributeError(f"module 'memstone.types' has no attribute {name!r}")


if not TYPE_CHECKING:  # a checker that saw it would believe every name exists
    __getattr__ = _load


def __dir__() -> list[str]:
    return sorted(__all__)
