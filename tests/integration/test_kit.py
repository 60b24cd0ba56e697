"""Finding L24: the conformance kit on a store that is half written, and without pytest."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from memstone.protocols import Snapshot, Store, Transaction
from memstone.storage.inmemory import InMemoryStore
from memstone.testing.building import note
from memstone.testing.case import missing

if TYPE_CHECKING:
    from pathlib import Path

BARE = """
from memstone.testing import StoreConformance

class Bare:
    def read(self): ...
    def close(self): ...

class TestBare(StoreConformance):
    def make_store(self, folder):
        return Bare()
"""
WITHOUT_PYTEST = """
import sys
sys.modules["pytest"] = None
import memstone.testing
"""


def test_l24_a_half_written_store_is_told_once_what_it_lacks(tmp_path: Path) -> None:
    file = tmp_path / "test_bare.py"
    file.write_text(BARE, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", file],
        capture_output=True,
        encoding="utf-8",
        cwd=tmp_path,
        check=False,
    )
    assert "assert ['write', 'touch'] == []" in done.stdout
    assert "1 failed" in done.stdout
    assert "error" not in done.stdout.splitlines()[-1]


def test_l24_without_pytest_the_kit_says_what_it_needs() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_PYTEST], capture_output=True, encoding="utf-8", check=False
    )
    assert "memstone.testing is a set of pytest tests, and pytest is not installed" in done.stderr


def test_l24_a_store_of_ours_lacks_nothing() -> None:
    store = InMemoryStore()
    assert missing(store, Store) == []
    with store.write(note()) as transaction:
        assert missing(transaction, Snapshot, Transaction) == []
    assert missing(object(), Store) == ["read", "write", "touch", "close"]
