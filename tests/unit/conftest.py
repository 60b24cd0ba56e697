"""A clock and an empty engine on each store, for tests that do not bring their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.engines import STORES, Clock, opened

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memstone.engine import Engine


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=STORES)
def engine(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> Iterator[Engine]:
    with opened(request.param, tmp_path / "home", clock) as opened_engine:
        yield opened_engine
