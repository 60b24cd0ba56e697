"""The conformance kit: what every memstone store must do, as tests a backend's author subclasses.

    class TestMyStore(StoreConformance):
        def make_store(self, folder: Path) -> Store:
            return MyStore(folder / "memories")

Each test is a sentence of the `Store` protocol, checked through the protocol alone: the kit knows
no backend, no analyser and no clock. It measures no speed and kills no process; durability,
locks and damaged files are each backend's own tests. Needs pytest. `memstone.open(":memory:")` is
a store in memory for the tests of a program that uses memstone.
"""

from __future__ import annotations

try:
    import pytest
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "memstone.testing is a set of pytest tests, and pytest is not installed: "
        "pip install pytest",
        name=error.name,
    ) from error

# plain asserts explain themselves only in modules that were registered before they are loaded
PARTS = (
    "shape",
    "rows",
    "files",
    "selection",
    "versions",
    "postings",
    "indexes",
    "statistics",
    "walls",
    "log",
    "feedback",
    "agents",
    "atomicity",
)
pytest.register_assert_rewrite(*(f"{__name__}.{part}" for part in PARTS))

from memstone.testing.building import (  # noqa: E402
    DAY,
    INDEX,
    START,
    add,
    digest_of,
    draft,
    found_by,
    home,
    note,
    supersede,
    units_of,
    wanted,
)
from memstone.testing.conformance import StoreConformance  # noqa: E402

__all__ = [
    "DAY",
    "INDEX",
    "START",
    "StoreConformance",
    "add",
    "digest_of",
    "draft",
    "found_by",
    "home",
    "note",
    "supersede",
    "units_of",
    "wanted",
]
