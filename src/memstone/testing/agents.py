"""What agents need of a store: archive and hold, reopening, sessions and transcripts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memstone.testing.building import (
    START,
    add,
    digest_of,
    draft,
    found_by,
    home,
    note,
    supersede,
    texts,
    wanted,
)
from memstone.testing.case import StoreCase
from memstone.times import from_micros
from memstone.types import ChangeRow, Kind, Reach, Scope, SessionCounts, Transcript

if TYPE_CHECKING:
    from memstone.protocols import Store
    from memstone.types import SessionUse


def use(
    store: Store,
    namespace: int,
    session: str,
    *,
    at: int = START,
    ended: bool = False,
    **counts: int,
) -> None:
    with store.write(note("session", at=at)) as transaction:
        transaction.note_session(namespace, "codex", session, SessionCounts(**counts), ended=ended)


def sessions(store: Store, *namespaces: int, session: str | None = None) -> list[SessionUse]:
    with store.read() as snapshot:
        return snapshot.sessions(namespaces, session=session, limit=99)


def transcript(path: str, *, read: int, handed: int) -> Transcript:
    return Transcript(
        client="codex", path=path, session="会话", scope=Scope("ana"), head=b"\0\1",
        read_bytes=read, handed_bytes=handed,
    )  # fmt: skip


class AgentConformance(StoreCase):
    def test_an_archived_row_leaves_recall_and_comes_back_whole(
        self, store: Store, ana: int
    ) -> None:
        (row,) = add(store, draft("猫 咪", ana))
        with store.write(note("undo")) as transaction:
            assert transaction.set_archived(row, archived=True)
            assert not transaction.set_archived(row, archived=True)
        assert found_by(store, "猫", wanted(ana)) == set()
        assert texts(store, wanted(ana, reach=Reach.CURRENT)) == []
        assert texts(store, wanted(ana, reach=Reach.ARCHIVED)) == ["猫 咪"]
        with store.write(note("restore")) as transaction:
            assert transaction.set_archived(row, archived=False)
        assert found_by(store, "猫", wanted(ana)) == {row}

    def test_a_held_row_is_recalled_once_it_is_approved_and_can_be_held_again(
        self, store: Store, ana: int
    ) -> None:
        (row,) = add(store, replace(draft("猫 咪", ana), held=True))
        assert found_by(store, "猫", wanted(ana)) == set()
        with store.write(note("approve")) as transaction:
            assert transaction.set_held(row, held=False)
            assert not transaction.set_held(row, held=False)
        assert found_by(store, "猫", wanted(ana)) == {row}
        with store.write(note("undo")) as transaction:
            assert transaction.set_held(row, held=True)
        assert found_by(store, "猫", wanted(ana)) == set()
        assert texts(store, wanted(ana, reach=Reach.HELD)) == ["猫 咪"]

    def test_a_reopened_row_is_current_again_and_its_successor_follows_nothing(
        self, store: Store, ana: int
    ) -> None:
        (old,) = add(store, draft("100", ana))
        new = supersede(store, old, draft("200", ana, at=START + 5))
        with store.write(note("undo")) as transaction:
            transaction.reopen(old)
            older, newer = transaction.memories([old, new])
        assert (older.superseded_at, older.superseded_from, older.superseded_by) == (None,) * 3
        assert newer.supersedes is None
        assert found_by(store, "100", wanted(ana)) == {old}
        with store.read() as snapshot:
            assert [memory.row for memory in snapshot.chain(old)] == [old]
            assert [memory.row for memory in snapshot.chain(new)] == [new]

    def test_what_is_moved_this_way_is_in_the_log(self, store: Store, ana: int) -> None:
        (old,) = add(store, draft("100", ana))
        new = supersede(store, old, draft("200", ana, at=START + 5))
        with store.write(note("undo")) as transaction:
            transaction.reopen(old)
            transaction.set_archived(new, archived=True)
        with store.read() as snapshot:
            (change, *_) = snapshot.changes((ana,), limit=1)
            ids = [memory.id for memory in snapshot.memories([old, new])]
            assert snapshot.change(change.number, (ana,)) == change
            assert snapshot.change(change.number, (ana + 7,)) is None
            assert snapshot.change(change.number + 1, (ana,)) is None
        assert change.rows == (
            ChangeRow(old, ids[0], "superseded_by", str(new), None),
            ChangeRow(new, ids[1], "archived", "false", "true"),
        )

    def test_a_session_adds_up_and_is_found_by_its_name(self, store: Store, ana: int) -> None:
        use(store, ana, "会话", at=START + 1, blocks=1, injected_tokens=40)
        use(store, ana, "会话", at=START + 9, stored=3, injected_tokens=2, ended=True)
        use(store, ana, "s2", at=START + 5, stored=1)
        latest, other = sessions(store, ana)
        assert (latest.session, latest.first_at, latest.last_at, latest.ended_at) == (
            "会话", from_micros(START + 1), from_micros(START + 9), from_micros(START + 9),
        )  # fmt: skip
        assert latest.counts == SessionCounts(blocks=1, injected_tokens=42, stored=3)
        assert latest.scope == Scope("ana")
        assert other.session == "s2"
        assert sessions(store, ana, session="s2") == [other]
        assert sessions(store, home(store, "bob")) == []

    def test_a_session_that_goes_on_has_not_ended(self, store: Store, ana: int) -> None:
        use(store, ana, "s", at=START + 1, ended=True)
        use(store, ana, "s", at=START + 2, stored=1)
        assert [each.ended_at for each in sessions(store, ana)] == [None]

    def test_the_sessions_that_memories_name_are_counted_without_archived_ones(
        self, store: Store, ana: int
    ) -> None:
        bob = home(store, "bob")
        first, *_ = add(
            store,
            replace(draft("一", ana, at=START + 1), session="导入"),
            replace(draft("二", ana, at=START + 9), session="导入"),
            replace(draft("三", ana, at=START + 5), session="s2"),
            draft("四", ana, at=START + 20),
            replace(draft("五", bob, at=START + 30), session="bob's"),
        )
        with store.read() as snapshot:
            latest, other = snapshot.stored_sessions((ana,), limit=9)
            assert snapshot.stored_sessions((ana,), limit=1) == [latest]
            assert [one.session for one in snapshot.stored_sessions((ana, bob), limit=9)] == [
                "bob's", "导入", "s2",
            ]  # fmt: skip
        assert (latest.session, latest.memories) == ("导入", 2)
        assert (latest.first_at, latest.last_at) == (from_micros(START + 1), from_micros(START + 9))
        assert (other.session, other.memories) == ("s2", 1)
        with store.write(note("undo")) as transaction:
            transaction.set_archived(first, archived=True)
            transaction.set_archived(first + 2, archived=True)
        with store.read() as snapshot:
            (left,) = snapshot.stored_sessions((ana,), limit=9)
            assert (left.session, left.memories) == ("导入", 1)

    def test_a_transcript_is_pending_until_it_was_read_as_far_as_it_was_handed_over(
        self, store: Store, ana: int
    ) -> None:
        with store.write(note("capture")) as transaction:
            transaction.mark_transcript(ana, transcript("/转录/a", read=5, handed=90))
            transaction.mark_transcript(ana, transcript("/转录/b", read=5, handed=0))
        with store.read() as snapshot:
            assert [each.path for each in snapshot.pending_transcripts((ana,))] == ["/转录/a"]
            assert snapshot.pending_transcripts((ana + 7,)) == []
        with store.write(note("capture")) as transaction:
            transaction.mark_transcript(ana, transcript("/转录/a", read=90, handed=90))
        with store.read() as snapshot:
            assert snapshot.pending_transcripts((ana,)) == []
            done = snapshot.transcript(ana, "codex", "/转录/a")
            assert done == transcript("/转录/a", read=90, handed=90)
            assert snapshot.transcript(ana, "claude-code", "/转录/a") is None

    def test_sessions_and_transcripts_are_no_change_of_any_memory(
        self, store: Store, ana: int
    ) -> None:
        with store.read() as snapshot:
            before = snapshot.generation(), snapshot.changes((ana,), limit=9)
        use(store, ana, "s", stored=1)
        with store.write(note("capture")) as transaction:
            transaction.mark_transcript(ana, transcript("/转录/a", read=5, handed=90))
        with store.read() as snapshot:
            assert (snapshot.generation(), snapshot.changes((ana,), limit=9)) == before

    def test_a_turn_with_an_id_of_its_own_is_found_in_any_session(
        self, store: Store, ana: int
    ) -> None:
        said = replace(
            draft("好", ana), kind=Kind.TURN, session="s1", external_id="u1", turn_key="u1"
        )
        (row,) = add(store, said)
        digest, source = digest_of("好"), said.provenance.source
        with store.read() as snapshot:
            found = snapshot.turn_of_any_session(ana, source, "u1", digest)
            assert found is not None
            assert found.row == row
            assert snapshot.turn_of_any_session(ana, source, "u2", digest) is None
            assert snapshot.turn_of_any_session(ana, "other", "u1", digest) is None
            assert snapshot.turn_of_any_session(ana + 7, source, "u1", digest) is None
