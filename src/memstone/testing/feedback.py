"""Verdicts: what was said of a row as the answer to a question, and that it goes with its row."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memstone.testing.building import START, add, draft, home, note, supersede
from memstone.testing.case import StoreCase
from memstone.times import from_micros
from memstone.types import ChangeRow, Feedback, Scope, Verdict

if TYPE_CHECKING:
    from memstone.protocols import Store


def judge(store: Store, row: int, query: str, verdict: Verdict, *, at: int = START) -> bool:
    with store.write(note("judge", at=at)) as transaction:
        return transaction.judge(row, query, verdict)


def said(store: Store, *namespaces: int, row: int | None = None) -> list[tuple[str, str]]:
    """Question and verdict of each."""
    with store.read() as snapshot:
        found = snapshot.feedback(namespaces, row=row)
    return [(each.query, each.verdict.value) for each in found]


class FeedbackConformance(StoreCase):
    def test_a_verdict_comes_back_with_everything_about_it(self, store: Store, ana: int) -> None:
        written = replace(draft("预算是 200", ana), external_id="D1:3")
        (row,) = add(store, written)
        assert judge(store, row, "预算是多少？", Verdict.RIGHT, at=START + 7)
        with store.read() as snapshot:
            assert snapshot.feedback((ana,)) == [
                Feedback(
                    id=written.id,
                    query="预算是多少？",
                    verdict=Verdict.RIGHT,
                    at=from_micros(START + 7),
                    scope=Scope("ana"),
                    external_id="D1:3",
                )
            ]

    def test_a_later_verdict_replaces_the_earlier_and_the_same_changes_nothing(
        self, store: Store, ana: int
    ) -> None:
        (row,) = add(store, draft("x", ana))
        assert judge(store, row, "q", Verdict.WRONG, at=START + 1)
        with store.read() as snapshot:
            before = snapshot.generation(), snapshot.feedback((ana,))
        assert not judge(store, row, "q", Verdict.WRONG, at=START + 2)
        with store.read() as snapshot:
            assert (snapshot.generation(), snapshot.feedback((ana,))) == before
        assert judge(store, row, "q", Verdict.RIGHT, at=START + 3)
        with store.read() as snapshot:
            (now,) = snapshot.feedback((ana,))
            assert snapshot.generation() > before[0]
        assert (now.verdict, now.at) == (Verdict.RIGHT, from_micros(START + 3))

    def test_a_verdict_is_in_the_log_without_its_question(self, store: Store, ana: int) -> None:
        written = draft("x", ana)
        (row,) = add(store, written)
        judge(store, row, "谁问的", Verdict.WRONG)
        judge(store, row, "谁问的", Verdict.RIGHT)
        with store.read() as snapshot:
            newer, older, *_ = snapshot.changes((ana,), limit=9)
        assert older.rows == (ChangeRow(row, written.id, "feedback", None, "wrong"),)
        assert newer.rows == (ChangeRow(row, written.id, "feedback", "wrong", "right"),)
        assert newer.operation == "judge"
        assert "谁问的" not in repr((newer, older))

    @pytest.mark.parametrize(
        "query", ["a\0b", "A", "a", "a ", "用户", "e\u0301", "é", "🙂", "'); --"]
    )
    def test_questions_differ_by_every_character(self, store: Store, ana: int, query: str) -> None:
        (row,) = add(store, draft("x", ana))
        judge(store, row, "a", Verdict.WRONG)
        judge(store, row, query, Verdict.RIGHT)
        assert dict(said(store, ana)) == {"a": "wrong"} | {query: "right"}

    def test_verdicts_come_oldest_first_then_by_row_and_question(
        self, store: Store, ana: int
    ) -> None:
        one, two = add(store, draft("a", ana), draft("b", ana))
        judge(store, two, "b", Verdict.RIGHT, at=START + 2)
        judge(store, two, "猫", Verdict.RIGHT, at=START + 1)
        judge(store, two, "a", Verdict.WRONG, at=START + 1)
        judge(store, one, "🙂", Verdict.WRONG, at=START + 1)
        queries = [query for query, _ in said(store, ana)]
        assert queries == ["🙂", "a", "猫", "b"]
        assert said(store, ana, row=one) == [("🙂", "wrong")]

    def test_forgetting_takes_the_verdicts_and_a_row_born_again_has_none(
        self, store: Store, ana: int
    ) -> None:
        gone = draft("x", ana)
        row, kept = add(store, gone, draft("kept", ana))
        judge(store, row, "q", Verdict.WRONG)
        judge(store, kept, "q", Verdict.RIGHT)
        with store.write(note("forget")) as transaction:
            transaction.forget(row)
        add(store, gone)
        assert said(store, ana) == [("q", "right")]

    def test_superseding_leaves_a_verdict_with_the_old_row(self, store: Store, ana: int) -> None:
        old = draft("100", ana)
        (row,) = add(store, old)
        judge(store, row, "q", Verdict.RIGHT)
        newer = supersede(store, row, draft("200", ana, at=START + 5))
        with store.read() as snapshot:
            assert [each.id for each in snapshot.feedback((ana,))] == [old.id]
            assert snapshot.feedback((ana,), row=newer) == []

    def test_verdicts_of_other_namespaces_are_not_seen(self, store: Store, ana: int) -> None:
        bo = home(store, "bo")
        (row,) = add(store, draft("x", bo))
        judge(store, row, "q", Verdict.WRONG)
        assert said(store, ana) == said(store) == said(store, ana, row=row) == []
        assert said(store, ana, bo) == [("q", "wrong")]

    def test_a_failed_write_leaves_no_verdict(self, store: Store, ana: int) -> None:
        (row,) = add(store, draft("x", ana))

        def fail() -> None:
            with store.write(note("judge")) as transaction:
                transaction.judge(row, "q", Verdict.WRONG)
                raise InterruptedError

        with pytest.raises(InterruptedError):
            fail()
        assert said(store, ana) == []
