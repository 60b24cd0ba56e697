"""Limits and defaults with their reasons; every layer needs the same ones."""

from __future__ import annotations

MAX_TEXT_BYTES = (
    256 * 1024
)  # a memory is a fact, not a file: one 2.5 MB row once cost 440 000 tokens
MAX_TURN_BYTES = 16 * 1024 * 1024  # an imported turn is kept verbatim even when it carries a log
MAX_NAME_BYTES = 1024  # scope parts, session, speaker, external id, subject …: names, not texts
MAX_TAG_BYTES = 256
MAX_TAGS = 64  # per memory; a tag is a label, more than this is a text
DEFAULT_LIMIT = 5  # hits of a recall; the seed's number
MAX_LIMIT = 10_000
DEFAULT_BUDGET = 2_000  # estimated tokens of a recall; the seed's number
DEFAULT_MIN_SCORE = 0.25  # loses 5 % of the hits of the development questions (`benchmarks floor`)
CJK_BEGINS = "\u2e80"  # no character of a script with spaces between words comes after it
HANDLE_PREFIX = "ccr_"  # recovery handle: prefix + first 16 bytes of the text's SHA-256, in hex
ID_PREFIX = "mem_"
NOTES_NAME = "memstone-notes"  # of the delimiters around a block of notes
