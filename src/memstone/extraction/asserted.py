"""What a language module finds in a sentence, before keys are made of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Asserted:
    """The parts of an assertion as written. An empty subject is whoever speaks. `object_` belongs
    to the attribute ("favourite *player*"); a `literal` value is a key already. A `soft` one is
    read off the form of the sentence alone, not off a word known to have one value at a time.
    """

    attribute: str
    value: str
    subject: str = ""
    object_: str = ""
    replaces: str | None = None
    literal: bool = False
    whole: bool = True
    soft: bool = False
