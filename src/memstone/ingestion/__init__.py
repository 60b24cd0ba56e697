"""The write path: remember, supersede, forget, edit, import. Straight lines over a `Store`.

Every function cleans its input before anything else (`cleaning`), decides identity inside the
one transaction that writes (`identity`, `remembering`), and returns a value. Text is durable
before anything derived from it is finished: a long memory's postings follow in slices.
"""

from memstone.ingestion.adopting import Adopted, adopt
from memstone.ingestion.cleaning import Cleaner, Request
from memstone.ingestion.editing import Edit, approve, edit
from memstone.ingestion.filing import Desk, change_files
from memstone.ingestion.forgetting import Selection, forget, forget_where
from memstone.ingestion.importing import Importer
from memstone.ingestion.indexing import KNOWN_INDEXES, SHORT_CHARACTERS, fill, finish_interrupted
from memstone.ingestion.remembering import remember
from memstone.ingestion.superseding import Target, supersede
from memstone.ingestion.undoing import one_of, restore, undo_change, undo_session

__all__ = [
    "KNOWN_INDEXES",
    "SHORT_CHARACTERS",
    "Adopted",
    "Cleaner",
    "Desk",
    "Edit",
    "Importer",
    "Request",
    "Selection",
    "Target",
    "adopt",
    "approve",
    "change_files",
    "edit",
    "fill",
    "finish_interrupted",
    "forget",
    "forget_where",
    "one_of",
    "remember",
    "restore",
    "supersede",
    "undo_change",
    "undo_session",
]
