"""Exact ranking: MaxScore, the filter plan and the naive scorer agree to the last bit."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memstone.ranking import lexical, naive
from memstone.storage.inmemory import InMemoryStore
from memstone.storage.sqlite.store import open_store
from memstone.testing.building import DAY, INDEX, START, draft, note, units_of
from memstone.types import Filter, Reach, Scope, Validity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memstone.protocols import Postings, Store
    from memstone.ranking import Candidate

WORDS = ["budget", "cloud", "a", "the", "预算", "云", "猫", "x1"]
text = st.lists(st.sampled_from(WORDS), min_size=1, max_size=14).map(" ".join)


@st.composite
def memories(draw: st.DrawFn) -> list[dict[str, object]]:
    count = draw(st.integers(1, 40))
    return [
        {
            "text": draw(text),
            "tagged": draw(st.booleans()),
            "rare": draw(st.integers(0, 9)) == 0,
            "namespace": draw(st.integers(0, 2)),
            "superseded": draw(st.integers(0, 4)) == 0,
            "expired": draw(st.integers(0, 6)) == 0,
        }
        for _ in range(count)
    ]


def fill(store: Store, wanted: Sequence[dict[str, object]]) -> tuple[int, ...]:
    with store.write(note()) as transaction:
        spaces = [transaction.intern(Scope("ana", project)) for project in ("", "atlas", "other")]
        for number, memory in enumerate(wanted):
            words = f"{memory['text']}"
            tags = ("common",) * bool(memory["tagged"]) + ("rare",) * bool(memory["rare"])
            space = spaces[int(str(memory["namespace"]))]
            born = replace(
                draft(words, space, at=START + number),
                tags=tags,
                expires=START + DAY if memory["expired"] else None,
            )
            row = transaction.insert(born)
            transaction.index(row, INDEX, units_of(words, words=5), complete=True)
            if memory["superseded"]:
                heir = draft(words + " again", space, at=START + 1000 + number)
                newer = transaction.insert(heir)
                transaction.index(newer, INDEX, units_of(words + " again"), complete=True)
                at = START + 1000 + number
                transaction.close(row, by=newer, at=at, valid_from=at)
    return (spaces[0], spaces[1])


def views(spaces: tuple[int, ...]) -> Iterator[Filter]:
    now = START + 2 * DAY
    for validity in (Validity(now, now, now), Validity(now, START + 500, now, historic=True)):
        plain = Filter(namespaces=spaces, reach=Reach.RECALLABLE, validity=validity)
        yield plain
        yield replace(plain, tags_all=("common",))
        yield replace(plain, tags_any=("rare",))


class _Watched:
    """Postings that notice when the filter plan starts from the filter."""

    def __init__(self, postings: Postings) -> None:
        self._postings = postings
        self.enumerated = False

    def enumerate(self, at_most: int) -> list[int] | None:
        self.enumerated = True
        return self._postings.enumerate(at_most)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._postings, name)


def bits(found: Sequence[Candidate]) -> list[tuple[object, ...]]:
    return [(c.id, c.unit, c.score.hex(), sorted(c.matched)) for c in found]


@settings(max_examples=60)
@given(
    memories(),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=6, unique=True),
    st.integers(1, 8),
)
def test_maxscore_the_filter_plan_and_the_naive_scorer_give_equal_bits(
    wanted: list[dict[str, object]], terms: list[str], limit: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        reference, sqlite = InMemoryStore(), open_store(str(Path(folder, "mem.db")))
        spaces = fill(reference, wanted)
        assert fill(sqlite, wanted) == spaces
        with reference.read() as slow, sqlite.read() as fast:
            for view in views(spaces):
                expected = bits(naive(terms, slow.postings(INDEX, view), limit))
                postings = fast.postings(INDEX, view)
                assert bits(naive(terms, postings, limit)) == expected
                assert bits(lexical(terms, postings, limit)) == expected
                assert bits(lexical(terms, slow.postings(INDEX, view), limit)) == expected
                with (  # a few memories, treated as if they were a great many
                    patch("memstone.ranking.maxscore.SHORT", 0),
                    patch("memstone.ranking.maxscore.PROBE_COST", 0),
                    patch("memstone.ranking.maxscore.CROWD", 0),
                    patch("memstone.types.postings.BISECT_COST", 0),
                ):
                    postings = fast.postings(INDEX, view)
                    assert bits(lexical(terms, postings, limit)) == expected
                narrow = _Watched(fast.postings(INDEX, view))
                with (
                    patch("memstone.ranking.maxscore.NARROW_AFTER", 1),
                    patch("memstone.ranking.maxscore.NARROW_SHARE", 2.0),
                ):
                    assert bits(lexical(terms, cast("Postings", narrow), limit)) == expected
                assert narrow.enumerated or not expected
        sqlite.close()


@pytest.mark.parametrize("limit", [1, 3, 10])
def test_equal_scores_are_ordered_by_id_and_never_by_insertion(tmp_path: Path, limit: int) -> None:
    orders = []
    for name, numbers in (("up", range(30)), ("down", range(29, -1, -1))):
        store = open_store(str(tmp_path / name / "mem.db"))
        with store.write(note()) as transaction:
            space = transaction.intern(Scope("ana"))
            for number in numbers:
                words = f"预算 cloud filler{number:02d}"
                row = transaction.insert(draft(words, space, at=START + number))
                transaction.index(row, INDEX, units_of(words), complete=True)
        now = START + DAY
        view = Filter(namespaces=(space,), reach=Reach.RECALLABLE, validity=Validity(now, now, now))
        with store.read() as snapshot:
            found = lexical(["预算", "cloud"], snapshot.postings(INDEX, view), limit)
        store.close()
        orders.append([candidate.id for candidate in found])
        assert orders[-1] == sorted(orders[-1])
    assert orders[0] == orders[1]


def test_a_memory_of_another_scope_changes_no_score(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "mem.db"))
    now = START + DAY
    scores = []
    with store.write(note()) as transaction:
        mine = transaction.intern(Scope("ana"))
        row = transaction.insert(draft("cloud 预算", mine))
        transaction.index(row, INDEX, units_of("cloud 预算"), complete=True)
    view = Filter(namespaces=(mine,), reach=Reach.RECALLABLE, validity=Validity(now, now, now))
    for number in range(3):
        with store.read() as snapshot:
            scores.append(bits(lexical(["cloud"], snapshot.postings(INDEX, view), 5)))
        with store.write(note()) as transaction:
            theirs = transaction.intern(Scope("bo"))
            words = f"cloud cloud {number}"
            row = transaction.insert(draft(words, theirs, at=START + number))
            transaction.index(row, INDEX, units_of(words), complete=True)
    store.close()
    assert scores[0] == scores[1] == scores[2] != []
