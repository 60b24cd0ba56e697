"""Reading the files of a data set; shared by the loaders."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


def read_json(path: Path) -> Any:
    """The JSON value of a UTF-8 file."""
    return json.loads(path.read_text(encoding="utf-8"))


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The records of a UTF-8 file with one JSON object a line."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def numbers_in(value: object) -> list[int]:
    """Every integer of a nested JSON value, in document order, each once.

    >>> numbers_in({"first": [3, [5, 3]], "second": 8})
    [3, 5, 8]
    """
    if isinstance(value, bool):
        return []
    if isinstance(value, int):
        return [value]
    if not isinstance(value, dict | list):
        return []
    children = value.values() if isinstance(value, dict) else value
    return list(dict.fromkeys(n for child in children for n in numbers_in(child)))
