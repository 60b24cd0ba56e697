"""Reading on in clients' transcripts: at once if it is little, else by a worker, never twice.

A transcript is known by its client and path. What is stored beside it says how far it was read and
how the file began; a file that took its place begins otherwise and is read from its beginning,
which changes nothing that is stored already. A part is read, its turns are stored, and only then
is the mark moved: whoever is killed in between reads that part again and finds its turns known.
"""

from __future__ import annotations

import os
import stat
import time
from dataclasses import dataclass, field, replace
from hashlib import sha256

from memstone import importers, ingestion, worklock
from memstone.engine.base import refuse_own_files, wall_clock
from memstone.engine.noting import SessionName, add_up
from memstone.errors import CannotCreate, SourceError
from memstone.times import to_micros
from memstone.types import (
    MAX_TURN_BYTES,
    Captured,
    ChangeNote,
    ImportReport,
    Kind,
    Pending,
    Scope,
    SessionCounts,
    SessionUse,
    Transcript,
    Trust,
    WorkReport,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from memstone.config import Settings
    from memstone.engine.learner import Learnt
    from memstone.protocols import Snapshot, Store
    from memstone.types import Remembered, Skipped, StoredSession, Turn

AT_ONCE_BYTES = 1024 * 1024  # of a transcript, that a hook reads by itself
AT_ONCE_TURNS = 200
MOST_COUNTED = 10_000  # of what is pending; more is "at least so many"
PART_BYTES = 1024 * 1024  # that a worker reads before it looks at the clock
WORK_BATCH = 16  # turns a transaction: about 20 ms, so that nobody waits behind a worker
HEAD_BYTES = 4096  # by which a file is known again; shorter ones by what they have
TOLD_SOURCE = "hook:{client}"


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a worker may work, and whom it tells about it."""

    until: float | None = None  # on the monotonic clock
    progress: Callable[[int], None] | None = None

    @classmethod
    def of(cls, seconds: float | None, progress: Callable[[int], None] | None) -> Limits:
        """Limits that begin now."""
        return cls(None if seconds is None else time.monotonic() + seconds, progress)

    @property
    def over(self) -> bool:
        """Whether the time is up."""
        return self.until is not None and time.monotonic() >= self.until


@dataclass(frozen=True, slots=True, kw_only=True)
class Capturer:
    """What storing a part of a conversation needs: where to, whose, and how it is cleaned."""

    store: Store
    scope: Scope
    home: Scope
    settings: Settings
    surface: str
    clock: Callable[[], int] = field(default=wall_clock)

    def store_turns(
        self, turns: Iterable[Turn], source: str, *, batch: int | None = None
    ) -> ImportReport:
        """Store turns verbatim under the source by which they are known again."""
        cleaner = ingestion.Cleaner(
            self.settings.redaction, importing=True, max_bytes=MAX_TURN_BYTES
        )
        importer = ingestion.Importer(
            self.store,
            self.scope,
            cleaner,
            home=self.home,
            note=self.note("capture"),
            clock=self.clock,
            batch=batch,
        )
        return importer.run(turns, source=source, format_name=source, identity_source=source)

    def card(self, text: str, name: SessionName) -> Remembered:
        """Store a client's summary of its session."""
        request = ingestion.Request(
            text=text,
            scope=self.scope,
            kind=Kind.CARD,
            session=name.session,
            trust=Trust.AGENT,
            source=TOLD_SOURCE.format(client=name.client),
        )
        clean = ingestion.Cleaner(self.settings.redaction, importing=True).clean(request)
        return ingestion.remember(
            self.store, clean, home=self.home, note=self.note("capture"), clock=self.clock
        )

    def count(self, name: SessionName, counts: SessionCounts, *, ended: bool = False) -> SessionUse:
        """Add up what a session used; returns its sums."""
        return add_up(self.store, self.scope, name, counts, self.note("session"), ended=ended)

    def note(self, operation: str) -> ChangeNote:
        """What heads a change made now."""
        return ChangeNote(operation, self.clock(), self.surface, self.scope.user)


def sessions(store: Store, user: str, limit: int) -> tuple[SessionUse, ...]:
    """The sessions of a user, the one that was busy last first."""
    with store.read() as snapshot:
        return tuple(snapshot.sessions(snapshot.namespaces_of(user), limit=limit))


def stored_sessions(store: Store, user: str, limit: int) -> tuple[StoredSession, ...]:
    """The sessions that memories of a user name, the one that got the last of them first."""
    with store.read() as snapshot:
        return tuple(snapshot.stored_sessions(snapshot.namespaces_of(user), limit=limit))


def capture(capturer: Capturer, path: str, name: SessionName) -> Captured:
    """Read on in a transcript and store what is new; or hand it over if that is too much.

    A transcript that is not there has nothing new in it. Raises `SourceError`.
    """
    size = _size(path)
    if size is None:
        return Captured()
    refuse_own_files(capturer.store, _file(path))
    mark = _continued(capturer, path, name)
    if size - mark.read_bytes > AT_ONCE_BYTES:
        return _hand_over(capturer, replace(mark, handed_bytes=size))
    part = importers.read_from(_file(path), name.client, mark.read_bytes, most_turns=AT_ONCE_TURNS)
    if part.more:
        return _hand_over(capturer, replace(mark, handed_bytes=size))
    return _store_part(capturer, mark, part)


def _store_part(
    capturer: Capturer, mark: Transcript, part: importers.TranscriptPart, batch: int | None = None
) -> Captured:
    """Store the turns of a part, then move the mark behind it."""
    source = importers.identity_source(mark.client)
    turns = [replace(turn, session=turn.session or mark.session) for turn in part.turns]
    report = capturer.store_turns(turns, source, batch=batch)
    skipped = (*part.skipped, *report.skipped)
    counts = SessionCounts(
        stored=report.created,
        known=report.known,
        skipped=len(skipped),
        redacted=report.redacted,
    )
    moved = replace(mark, read_bytes=part.offset, head=mark.head or _head(mark.path))
    with capturer.store.write(capturer.note("capture")) as transaction:
        namespace = transaction.intern(capturer.scope)
        transaction.mark_transcript(namespace, moved)
        transaction.note_session(namespace, mark.client, mark.session, counts)
    return Captured(
        read=len(turns),
        created=report.created,
        known=report.known,
        redacted=report.redacted,
        skipped=skipped,
    )


def _hand_over(capturer: Capturer, mark: Transcript) -> Captured:
    with capturer.store.write(capturer.note("capture")) as transaction:
        transaction.mark_transcript(transaction.intern(capturer.scope), mark)
    return Captured(handed_over=True)


def _continued(capturer: Capturer, path: str, name: SessionName) -> Transcript:
    """Where to read on: behind what was read of this very file, else at its beginning."""
    with capturer.store.read() as snapshot:
        known = _known(snapshot, capturer.scope, name.client, path)
    size = _size(path) or 0
    if known is not None and known.read_bytes <= size and known.head == _head(path, known.head):
        return replace(known, session=name.session)
    return Transcript(
        client=name.client, path=path, session=name.session, scope=capturer.scope, head=_head(path)
    )


def _known(snapshot: Snapshot, scope: Scope, client: str, path: str) -> Transcript | None:
    from memstone.types import View

    exact = [ns for ns in snapshot.namespaces(View(scope)) if ns]
    marks = (snapshot.transcript(namespace, client, path) for namespace in exact)
    return next((mark for mark in marks if mark is not None and mark.scope == scope), None)


def _file(path: str) -> str:
    """A path as this process reads names: clients tell it in Unicode whatever the locale is."""
    return path if os.name == "nt" else os.fsdecode(path.encode("utf-8", "surrogateescape"))


def _size(path: str) -> int | None:
    """The bytes of a plain file, None where there is none; raises `SourceError` for anything else:
    a pipe would never end.
    """
    try:
        found = os.stat(_file(path))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise SourceError(f"{path}: cannot be read: {error}", path=path) from error
    if not stat.S_ISREG(found.st_mode):
        raise SourceError(f"{path}: not a plain file", path=path)
    return found.st_size


def _head(path: str, like: bytes = b"") -> bytes:
    """A digest of how the file begins: as many bytes of it as `like` covers, its number first."""
    length = int.from_bytes(like[:2], "big") if like else HEAD_BYTES
    try:
        with open(_file(path), "rb") as file:
            data = file.read(length)
    except OSError as error:
        raise SourceError(f"{path}: cannot be read: {error.strerror}", path=path) from error
    return len(data).to_bytes(2, "big") + sha256(data).digest()


def capture_turns(capturer: Capturer, turns: Iterable[Turn], name: SessionName) -> Captured:
    """Store turns that a hook was told, and count them for their session."""
    report = capturer.store_turns(turns, TOLD_SOURCE.format(client=name.client))
    counts = SessionCounts(
        stored=report.created,
        known=report.known,
        skipped=len(report.skipped),
        redacted=report.redacted,
    )
    capturer.count(name, counts)
    return Captured(
        read=report.read,
        created=report.created,
        known=report.known,
        redacted=report.redacted,
        skipped=report.skipped,
    )


def pending(store: Store, user: str, *, idle_since: int) -> Pending:
    """What waits for a worker. A conversation without a turn since `idle_since` is over."""
    with store.read() as snapshot:
        namespaces = snapshot.namespaces_of(user)
        waiting = snapshot.pending_transcripts(namespaces)
        talks = snapshot.conversations(namespaces, limit=MOST_COUNTED)
        unsettled = snapshot.unsettled(namespaces, limit=MOST_COUNTED)
        unindexed = {
            row
            for name, whole in snapshot.indexes().items()
            for row, _ in (
                snapshot.interrupted_index(name) if whole else snapshot.pending_index(name)
            )
        }
    over = [talk for talk in talks if talk.ended or to_micros(talk.touched_at) <= idle_since]
    return Pending(
        transcripts=len(waiting),
        unindexed=len(unindexed),
        conversations=len(over),
        unsettled=len(unsettled),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What one worker of a user's store needs."""

    store: Store
    path: str
    user: str
    capturer: Callable[[Scope], Capturer]
    learn: Callable[[Limits], Learnt]
    left: Callable[[], Pending]


def work(job: Job, limits: Limits) -> WorkReport:
    """Do what is pending for a user, if no other worker of the store is at it."""
    try:
        with worklock.held(job.path) as alone:
            if not alone:
                return WorkReport(ran=False, left=job.left())
            done = _Worker(job.store, job.user, job.capturer, limits)
            done.run()
            learnt = None if limits.over else job.learn(limits)
    except OSError as error:
        raise CannotCreate(
            f"{job.path}{worklock.ENDING}: cannot be made: {error.strerror}", path=job.path
        ) from error
    whole = WorkReport(
        ran=True,
        transcripts=done.transcripts,
        turns=done.turns,
        indexed=done.indexed,
        skipped=tuple(done.skipped),
        left=job.left(),
    )
    return whole if learnt is None else with_learnt(whole, learnt)


def with_learnt(report: WorkReport, learnt: Learnt) -> WorkReport:
    """The report with what came of conversations and comparisons."""
    return replace(
        report,
        conversations=learnt.conversations,
        cards=learnt.cards,
        statements=learnt.statements,
        settled=learnt.settled,
        replaced=tuple(learnt.replaced),
        conflicts=tuple(learnt.conflicts),
        merged=tuple(learnt.merged),
    )


class _Worker:
    """One run over what is pending."""

    def __init__(
        self, store: Store, user: str, capturer: Callable[[Scope], Capturer], limits: Limits
    ) -> None:
        self._store = store
        self._user = user
        self._capturer = capturer
        self._limits = limits
        self.transcripts = self.turns = self.indexed = 0
        self.skipped: list[Skipped] = []

    def run(self) -> None:
        with self._store.read() as snapshot:
            waiting = snapshot.pending_transcripts(snapshot.namespaces_of(self._user))
        for transcript in waiting:
            if self._limits.over:
                return
            self.transcripts += self._read(transcript)
        if not self._limits.over:
            self.indexed = ingestion.finish_interrupted(self._store, wall_clock)
            self.indexed += self._fill()

    def _fill(self) -> int:
        """Make whole the indexes that somebody began and was killed over; how many rows it was."""
        with self._store.read() as snapshot:
            indexes = snapshot.indexes()
        begun = [name for name in ingestion.KNOWN_INDEXES if indexes.get(name) is False]
        return sum(ingestion.fill(self._store, name, wall_clock) for name in begun)

    def _read(self, transcript: Transcript) -> bool:
        """Read a transcript to where it was handed over; whether it got there."""
        capturer = self._capturer(transcript.scope)
        name = SessionName(transcript.client, transcript.session)
        mark = replace(
            _continued(capturer, transcript.path, name) if _size(transcript.path) else transcript,
            handed_bytes=transcript.handed_bytes,
        )
        while mark.pending and not self._limits.over:
            size = _size(mark.path)
            part = None
            if size is not None and size > mark.read_bytes:
                part = importers.read_from(
                    _file(mark.path), mark.client, mark.read_bytes, most_bytes=PART_BYTES
                )
            if part is None or part.offset <= mark.read_bytes:  # gone, or a line cut in half
                mark = replace(mark, handed_bytes=mark.read_bytes)
                _hand_over(capturer, mark)
                return True
            captured = _store_part(capturer, mark, part, WORK_BATCH)
            mark = replace(mark, read_bytes=part.offset)
            self.turns += captured.read
            self.skipped += captured.skipped
            if self._limits.progress is not None:
                self._limits.progress(self.turns)
        return not mark.pending
