"""A store has the methods of its protocol, before anything is asked of them.

A backend that is half written would fail every test of the kit in the same way. Here the first
test says once what is missing, and the others are skipped until it is there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstone import protocols
from memstone.testing.building import note
from memstone.testing.case import StoreCase, missing

if TYPE_CHECKING:
    from pathlib import Path


class ShapeConformance(StoreCase):
    """The first part of the kit."""

    def test_the_store_has_the_methods_of_the_protocol(self, tmp_path: Path) -> None:
        store = self.make_store(tmp_path)
        assert missing(store, protocols.Store) == []
        with store.read() as snapshot:
            assert missing(snapshot, protocols.Snapshot) == []
        with store.write(note()) as transaction:
            assert missing(transaction, protocols.Snapshot, protocols.Transaction) == []
        store.close()
