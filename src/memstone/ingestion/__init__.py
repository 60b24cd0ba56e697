"""The write path: remember, supersede, forget, edit, import. Straight lines over a `Store`.

Every function cleans its input before anything else (`cleaning`), decides identity inside the
one transaction that writes (`identity`, `remembering`), and returns a value. Text is durable
before anything derived from it is finished: a long memory's postings follow in slices.
"""

from memstone.ingestion.cleaning import Cleaner, Request
from memstone.ingestion.editing import Edit, edit, forget
from memstone.ingestion.importing import Importer
from memstone.ingestion.indexing import SHORT_CHARACTERS, finish_interrupted
from memstone.ingestion.remembering import remember
from memstone.ingestion.superseding import Target, supersede

__all__ = [
    "SHORT_CHARACTERS",
    "Cleaner",
    "Edit",
    "Importer",
    "Request",
    "Target",
    "edit",
    "finish_interrupted",
    "forget",
    "remember",
    "supersede",
]
