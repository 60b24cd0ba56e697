"""Every store we ship passes the published conformance kit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstone.storage.inmemory import InMemoryStore
from memstone.storage.sqlite.store import open_store
from memstone.testing import StoreConformance

if TYPE_CHECKING:
    from pathlib import Path

    from memstone.protocols import Store


class TestInMemoryStore(StoreConformance):
    def make_store(self, folder: Path) -> Store:
        return InMemoryStore()


class TestSqliteStore(StoreConformance):
    def make_store(self, folder: Path) -> Store:
        return open_store(str(folder / "mem.db"))
