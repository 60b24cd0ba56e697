"""The base of every part of the kit: where the store under test comes from, and goes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import pytest

from memstone.testing.building import home

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memstone.protocols import Store


class StoreCase(ABC):
    """One empty store a test, closed after it."""

    @abstractmethod
    def make_store(self, folder: Path) -> Store:
        """A new, empty store; whatever it keeps on disk lies in `folder`."""

    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Store]:
        store = self.make_store(tmp_path)
        yield store
        store.close()

    @pytest.fixture
    def ana(self, store: Store) -> int:
        """The namespace most tests write to."""
        return home(store, "ana")
