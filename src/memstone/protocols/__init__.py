"""The seams of memstone: what services ask of a store, a token counter, an excerpter, a model.

A service sees these and nothing else; the composition root hands it the adapter.
"""

from __future__ import annotations

from memstone.protocols.helping import (
    Excerpter,
    Settings,
    Stemmer,
    Summarizer,
    SummarizerLike,
    TokenCounter,
)
from memstone.protocols.storing import FileReader, Postings, Snapshot, Store, Transaction

__all__ = [
    "Excerpter",
    "FileReader",
    "Postings",
    "Settings",
    "Snapshot",
    "Stemmer",
    "Store",
    "Summarizer",
    "SummarizerLike",
    "TokenCounter",
    "Transaction",
]
