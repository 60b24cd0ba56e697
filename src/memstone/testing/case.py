"""The base of every part of the kit: where the store under test comes from, and goes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import pytest

from memstone.protocols import Store
from memstone.testing.building import home

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def missing(made: object, *wanted: type) -> list[str]:
    """The methods of those protocols that an object lacks.

    >>> missing(object(), Store)
    ['read', 'write', 'touch', 'close']
    """
    names = (name for protocol in wanted for name in vars(protocol) if not name.startswith("_"))
    return [name for name in names if not callable(getattr(made, name, None))]


class StoreCase(ABC):
    """One empty store a test, closed after it."""

    @abstractmethod
    def make_store(self, folder: Path) -> Store:
        """A new, empty store; whatever it keeps on disk lies in `folder`."""

    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Store]:
        store = self.make_store(tmp_path)
        lacking = missing(store, Store)
        if lacking:
            pytest.skip(f"the store lacks {', '.join(lacking)}; see the kit's first test")
        yield store
        store.close()

    @pytest.fixture
    def ana(self, store: Store) -> int:
        """The namespace most tests write to."""
        return home(store, "ana")
