"""The seams of memstone: what services ask of a store, a token counter, an excerpter.

A service sees these and nothing else; the composition root hands it the adapter. A `Store` gives
one consistent `Snapshot` to read from, or one `Transaction` to write in: everything a service
does inside a `write` block lands together or not at all. Backends hold rows and postings; they
never score, never decide, never read a clock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from memstone.times import NEVER_US

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from contextlib import AbstractContextManager

    from memstone.types import (
        Change,
        ChangeNote,
        Conversation,
        CorpusStatistics,
        Draft,
        Feedback,
        Filter,
        Memory,
        PossibleConflict,
        PostingList,
        Profile,
        Scope,
        SessionCounts,
        SessionUse,
        Statistics,
        StoredSession,
        TermStatistics,
        Transcript,
        Unit,
        UnitSpan,
        Verdict,
        View,
    )


class Postings(Protocol):
    """An inverted index seen through one filter. A posting is (unit, tf << 20 | length)."""

    def statistics(self) -> CorpusStatistics: ...

    def terms(self, terms: Sequence[str]) -> list[TermStatistics]:
        """Statistics of those of `terms` that have a posting or a df, in the order given."""
        ...

    def scan(self, term: TermStatistics) -> PostingList:
        """Every posting of the term in the partitions read, filtered or not."""
        ...

    def probe(self, term: TermStatistics, units: Sequence[int]) -> Iterable[tuple[int, int]]:
        """The term's postings for those `units` only, in any order."""
        ...

    def accept(self, units: Sequence[int]) -> dict[int, int]:
        """Unit → row of memory, for those `units` whose memory the filter lets through."""
        ...

    def enumerate(self, at_most: int) -> list[int] | None:
        """All units that pass a *narrowing* filter, or None if none narrows or more than
        `at_most` pass. Not yet checked by `accept`.
        """
        ...

    def ids(self, rows: Sequence[int]) -> dict[int, str]: ...

    def spans(self, units: Sequence[int]) -> dict[int, UnitSpan]: ...

    def profiles(self, rows: Sequence[int]) -> dict[int, Profile]:
        """What the second stage weighs, of those rows that have units here."""
        ...

    def around(self, rows: Sequence[int], reach: int) -> dict[int, list[tuple[int, int]]]:
        """Row → (offset, row) of the turns said up to `reach` places before (negative) and after
        it in its session and namespace, as stored, by offset. Only visible ones
        count: the filter's scope
        and validity, not its narrowing conditions. Rows without any are left out.
        """
        ...


class Snapshot(Protocol):
    """One consistent view of the store. Namespaces are the wall: nothing outside them is found."""

    def namespaces(self, view: View) -> tuple[int, ...]:
        """The existing namespaces the view reaches, ascending."""
        ...

    def namespaces_of(self, user: str) -> tuple[int, ...]:
        """All namespaces of one user, whatever their project and agent, ascending."""
        ...

    def taken(self, id: str) -> bool:  # noqa: A002
        """Whether any memory of the store, in whatever namespace, has that id."""
        ...

    def memory(self, id: str, namespaces: Sequence[int]) -> Memory | None: ...  # noqa: A002

    def ids_from(self, prefix: str, namespaces: Sequence[int], *, limit: int) -> list[str]:
        """The first `limit` ids there that begin with `prefix` (ASCII, not empty), ascending."""
        ...

    def memories(self, rows: Sequence[int]) -> list[Memory]:
        """Those rows, in the order asked; a row that is gone is left out."""
        ...

    def by_digest(self, prefix: bytes, namespaces: Sequence[int]) -> list[Memory]:
        """Rows whose SHA-256 starts with `prefix`, oldest first."""
        ...

    def turn(
        self, namespace: int, source: str, session: str | None, key: str, digest: bytes
    ) -> Memory | None:
        """The turn with that identity, forgotten ones never."""
        ...

    def turn_of_any_session(
        self, namespace: int, source: str, key: str, digest: bytes
    ) -> Memory | None:
        """The first turn there with that external id as its key, whatever its session."""
        ...

    def next_turn_ordinal(self, namespace: int, source: str, session: str | None) -> int:
        """One more than the number of turns stored there so far."""
        ...

    def chain(self, row: int) -> list[Memory]:
        """All versions of that row's chain, oldest first; `LineageBroken` if a link is missing. A
        row that stands beside a chain gets that chain, in which it is not.
        """
        ...

    def beside(self, rows: Sequence[int]) -> list[Memory]:
        """Memories that one of those rows closed without following them, by row: the other source
        of a merge, an older value that came late.
        """
        ...

    def imported(self, namespace: int, source: str, external_id: str) -> list[Memory]:
        """What an importer stored under that id of the other program, by row; no turns."""
        ...

    def holding(self, index: str, terms: Sequence[str], namespaces: Sequence[int]) -> list[int]:
        """Rows there, in whatever state, that have every one of the terms in that index, ascending;
        what stands in a turn's header counts. At least one term.
        """
        ...

    def conversations(
        self, namespaces: Sequence[int], *, pending: bool = True, limit: int
    ) -> list[Conversation]:
        """Conversations with turns that wait for cards, or all; the one idle longest first."""
        ...

    def turns(self, conversation: Conversation) -> list[Memory]:
        """Its turns that wait, by row; none that is superseded, held or archived."""
        ...

    def unsettled(self, namespaces: Sequence[int], *, limit: int) -> list[int]:
        """Rows whose duplicates and conflicts nobody has looked for yet, ascending."""
        ...

    def about(
        self, namespace: int, subject: str, attribute: str | None = None
    ) -> list[tuple[int, str]]:
        """(row, attribute) of rows that state something of the subject, and of that attribute; only
        rows that are current, not held and not archived; ascending. Keys, as `set_about` got them.
        """
        ...

    def conflicts(
        self,
        namespaces: Sequence[int],
        *,
        rows: Sequence[int] | None = None,
        resolved: bool = False,
    ) -> list[PossibleConflict]:
        """Possible conflicts that are open, by number, of those rows or of all; with `resolved`
        also those that are settled.
        """
        ...

    def conflict(self, number: int, namespaces: Sequence[int]) -> PossibleConflict | None: ...

    def sources(self, rows: Sequence[int]) -> dict[int, tuple[int, ...]]:
        """Row → the rows it was derived from, ascending; rows without any are left out."""
        ...

    def derived(self, rows: Sequence[int]) -> list[int]:
        """Rows that were derived from one of those, ascending."""
        ...

    def files(self, scope: Scope, path: str, *, limit: int | None = None) -> list[Memory]:
        """Files of exactly that scope at `path` or below it (`path/…`): current, not archived, and
        no turns, with a `turn_key` and that `external_id`; by `external_id`, newest row first.
        """
        ...

    def select(
        self,
        filter: Filter,  # noqa: A002
        *,
        limit: int | None,
        after_row: int | None = None,
    ) -> list[Memory]:
        """Rows passing the filter, newest `created_at` first (ties: highest row first). With
        `after_row` (0 to begin), rows > it in ascending row order instead (for export).
        """
        ...

    def count(self, filter: Filter) -> int: ...  # noqa: A002

    def postings(self, index: str, filter: Filter) -> Postings: ...  # noqa: A002

    def indexes(self) -> dict[str, bool]:
        """Every lexical index that the store keeps, by name: whether it is whole. One that is still
        being built beside the others gets the new rows and is asked nothing yet.
        """
        ...

    def mark(self, name: str) -> str | None:
        """What `set_mark` left there under that name."""
        ...

    def pending_index(
        self, index: str, *, among: Sequence[int] | None = None
    ) -> list[tuple[int, int]]:
        """(row, next unit ordinal) of memories whose postings in that index are not complete,
        by row; one never indexed there counts from 0. Looks at every memory, or `among` some.
        """
        ...

    def interrupted_index(self, index: str, *, idle_since: int = NEVER_US) -> list[tuple[int, int]]:
        """Those of `pending_index` that were begun and not finished; cheap.

        With `idle_since` only those nobody worked on after that instant: who is still at it is
        left alone.
        """
        ...

    def changes(
        self, namespaces: Sequence[int], *, limit: int, row: int | None = None
    ) -> list[Change]:
        """Newest first; only changes with a row in those namespaces, and only those rows."""
        ...

    def change(self, number: int, namespaces: Sequence[int]) -> Change | None:
        """One change with its rows in those namespaces; None if it has none there."""
        ...

    def sessions(
        self, namespaces: Sequence[int], *, session: str | None = None, limit: int
    ) -> list[SessionUse]:
        """What clients' sessions used, the one that was busy last first."""
        ...

    def stored_sessions(self, namespaces: Sequence[int], *, limit: int) -> list[StoredSession]:
        """The sessions that memories there name, without archived ones, what came last first."""
        ...

    def transcript(self, namespace: int, client: str, path: str) -> Transcript | None:
        """How far that transcript was read, None if it is not known."""
        ...

    def pending_transcripts(self, namespaces: Sequence[int]) -> list[Transcript]:
        """Those of which a part was handed over and not read yet, the longest waiting first."""
        ...

    def feedback(self, namespaces: Sequence[int], *, row: int | None = None) -> list[Feedback]:
        """Verdicts on rows there, or on one of them; oldest first, then by row and question."""
        ...

    def statistics(self, namespaces: Sequence[int], now: int) -> Statistics: ...

    def generation(self) -> int:
        """Grows with every content write; `touch` does not move it."""
        ...


class Transaction(Snapshot, Protocol):
    """A snapshot that also writes. Every mutator records its change row; all land at the end."""

    def intern(self, scope: Scope) -> int:
        """The namespace of that scope, made if new."""
        ...

    def insert(self, draft: Draft) -> int:
        """Store the row with its tags, pin, expiry and hold; links `supersedes` is not its work. A
        turn notes that its conversation waits and goes on; an unsettled row is one of `unsettled`.
        """
        ...

    def restore(self, memory: Memory, namespace: int) -> int:
        """Store a row as our own export holds it: id, both clocks, counts, pin, hold, archive and
        expiry as they are. Its row number is new, and both links are left empty for `relink`. A
        restored turn does not wait for cards: an export brings them along.
        """
        ...

    def index(
        self, row: int, index: str, units: Sequence[Unit], *, complete: bool, next_ordinal: int = 0
    ) -> None:
        """Add units to the row's postings. Until `complete`, recall does not see the row.

        Units count in statistics and scans as they come; `accept` keeps them out until the row is
        complete. A complete row has at least one unit, if only one without a term.
        """
        ...

    def begin_index(self, index: str) -> None:
        """Keep an index of that name from now on, not whole yet; nothing if it is kept already."""
        ...

    def complete_index(self, index: str) -> None:
        """Declare an index whole; the caller has seen that `pending_index` is empty."""
        ...

    def set_mark(self, name: str, value: str) -> None:
        """Note that something was done once, for whoever opens the store later; no text of a
        memory. Not in the log, no new generation.
        """
        ...

    def close(self, row: int, *, by: int, at: int, valid_from: int, beside: bool = False) -> None:
        """Supersede `row` by row `by`, known at `at`, valid until `valid_from`; moves its
        postings to the past. With `beside`, `by` goes on following whom it follows.
        """
        ...

    def reopen(self, row: int) -> None:
        """Undo `close`: the row is current again, and its successor follows nothing."""
        ...

    def link(self, row: int, *, by: int) -> None:
        """Set only `superseded_by` of an already closed row whose successor was forgotten."""
        ...

    def relink(self, row: int, *, supersedes: int, beside: bool = False) -> None:
        """Link two restored rows: sets `supersedes` on `row` and `superseded_by` on the other, with
        `beside` only the latter; neither's times move.
        """
        ...

    def end_conversations(
        self, namespace: int, source: str, sessions: Sequence[str | None]
    ) -> None:
        """Note that those conversations are complete; another turn makes one go on."""
        ...

    def mark_carded(self, conversation: Conversation) -> bool:
        """Note that its turns up to `last_row` have their cards. False, and nothing is noted, if
        `carded_row` is not where somebody else has left it by now. Not in the log.
        """
        ...

    def settle(self, row: int) -> None:
        """Note that a row's duplicates and conflicts were looked for. Not in the log."""
        ...

    def set_about(self, row: int, stated: Sequence[tuple[str, str]]) -> None:
        """Note the (subject, attribute) keys that a row states, in place of those before."""
        ...

    def note_conflict(self, older: int, newer: int, reason: str) -> bool:
        """Note that two rows may contradict one another; False if that is known."""
        ...

    def resolve(self, number: int, resolution: str | None) -> None: ...  # None opens it again

    def forget(self, row: int) -> None:
        """Delete the row everywhere, repair its chain, leave a tombstone without text."""
        ...

    def add_tags(self, row: int, tags: Sequence[str]) -> tuple[str, ...]:
        """Add tags; returns those that were new, sorted."""
        ...

    def remove_tags(self, row: int, tags: Sequence[str]) -> tuple[str, ...]: ...

    def set_pinned(self, row: int, *, pinned: bool) -> bool:
        """Returns whether anything changed."""
        ...

    def set_expires(self, row: int, expires: int | None) -> bool: ...

    def set_archived(self, row: int, *, archived: bool) -> bool:
        """Take a row out of recall, or back; returns whether anything changed."""
        ...

    def set_held(self, row: int, *, held: bool) -> bool:
        """Hold a row back, or approve it; returns whether anything changed."""
        ...

    def note_session(
        self,
        namespace: int,
        client: str,
        session: str,
        counts: SessionCounts,
        *,
        ended: bool = False,
    ) -> None:
        """Add up what a session used. Not in the log, no new generation."""
        ...

    def mark_transcript(self, namespace: int, transcript: Transcript) -> None:
        """Note how far a transcript was read or handed over. Not in the log either."""
        ...

    def judge(self, row: int, query: str, verdict: Verdict) -> bool:
        """Record what was said of a row as the answer to `query`, replacing what was said before;
        returns whether anything changed. It goes with its row; the log has no `query`.
        """
        ...

    def seen(self, row: int, at: int) -> None:
        """The same text came again: `seen_count` and `last_seen_at` move."""
        ...


class FileReader(Protocol):
    """Reads files inside the transaction that will change them; see `Snapshot.files`."""

    def __call__(self, path: str, *, limit: int | None = None) -> list[Memory]: ...


class Store(Protocol):
    """A place for memories. Safe to share between threads; after a fork it renews itself."""

    def read(self) -> AbstractContextManager[Snapshot]: ...

    def write(self, note: ChangeNote) -> AbstractContextManager[Transaction]:
        """One all-or-nothing write. A block that changes nothing leaves no change behind."""
        ...

    def touch(self, rows: Sequence[int], at: int) -> None:
        """Usage: `recall_count` and `last_recalled_at`. Not in the log, no new generation."""
        ...

    def close(self) -> None: ...
