"""Text → terms: one analyser for what is stored and what is asked, on every backend.

`tokenize` reads the original text, so every span points into what the user wrote; each token is
normalised by itself afterwards (NFKC, case, accents, digits) and becomes the *terms* that are
indexed: a stem for a Latin word, one and two characters for Chinese, Japanese and Korean, the whole
and the parts for an identifier. `units` cuts a text into the chunks that are ranked, and
`analyze_query` turns a question into terms for ranking and evidence for the floor; only there do
stop words fall away.

The same text gives the same terms whatever the locale, the machine or the Python version (for
characters that version's Unicode tables know). Any change to the terms needs a new `INDEX`.
"""

from __future__ import annotations

from memstone.analysis.chunks import units
from memstone.analysis.focus import informative
from memstone.analysis.header import header
from memstone.analysis.query import analyze_query
from memstone.analysis.tokenizer import Token, surfaces, tokenize
from memstone.analysis.words import Words
from memstone.types import Evidence, Query

__all__ = [
    "INDEX",
    "Evidence",
    "Query",
    "Token",
    "Words",
    "analyze_query",
    "header",
    "informative",
    "surfaces",
    "tokenize",
    "units",
]

INDEX = "std-1"  # analyser name and version; also the name of the lexical index it fills
