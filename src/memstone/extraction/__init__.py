"""From what was said to what is worth keeping, without a model: pure functions on texts.

`segments` cuts a conversation into sub-topics, `card_of` makes the index card of one of them out of
its own sentences. Nothing here stores, reads a clock or knows a memory.
"""

from __future__ import annotations
