"""Memories as a block of text for a prompt, and which of them it shows."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Block:
    """A delimited text of notes, "" if there is nothing to show; ids in the order of the block.

    `omitted` are the ids there was no room for.
    """

    text: str = ""
    shown: tuple[str, ...] = ()
    omitted: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.text)

    def __str__(self) -> str:
        return self.text
