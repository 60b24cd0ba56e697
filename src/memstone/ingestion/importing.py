"""Entries of an importer into the store: turns verbatim, memories of an export as they were.

Batches of a few hundred entries a transaction: thousands of turns a second, and a kill loses at
most the batch that was not acknowledged. Importing the same file again changes nothing. Secrets
are blanked instead of refused and counted; bad entries of a file are reported by line and never
stop good ones. Turns of a program (`strict`) are another matter: a turn that is none, or has a bad
field, is a fault of the caller and raises; what was said in it (blank, too large, a secret) is the
speaker's, must not end a bot's loop, and is reported as in a file.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace

from memstone import wire
from memstone.errors import (
    BlankText,
    Conflict,
    InvalidInput,
    InvalidText,
    SecretFound,
    WrongType,
)
from memstone.ingestion import identity, indexing
from memstone.ingestion.adding_notes import NoteRequest, note_request, put_note
from memstone.ingestion.cleaning import Request
from memstone.ingestion.remembering import Written, ordinal_key, put
from memstone.ingestion.restoring import Restorer, Row
from memstone.times import check_micros, parse_time
from memstone.types import (
    NOTES_NAME,
    ImportReport,
    Kind,
    Memory,
    Note,
    Outcome,
    Skipped,
    Trust,
    Turn,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from memstone.ingestion.cleaning import Cleaner
    from memstone.ingestion.indexing import Clock
    from memstone.protocols import Store, Transaction
    from memstone.times import Instant
    from memstone.types import ChangeNote, Scope, Unit

    Entry = Turn | Memory | Note | Skipped
    Progress = Callable[[int], None]

BATCH_ENTRIES = 256
PROMPTS = frozenset({"system", "developer"})  # speakers whose texts are instructions
BATCH_CHARACTERS = 512 * 1024


class _DryRun(Exception):
    """Ends the transaction of a dry run; never leaves this module."""


@dataclass(slots=True)
class _Tally:
    """Counts of a running import."""

    read: int = 0
    created: int = 0
    known: int = 0
    redacted: int = 0


@dataclass(frozen=True, slots=True)
class _Ready:
    """An entry cleaned and analysed, waiting for its batch."""

    line: int
    entry: Request | NoteRequest | Row
    units: Sequence[Unit]

    @property
    def text(self) -> str:
        if isinstance(self.entry, Row):
            return self.entry.memory.text
        request = self.entry if isinstance(self.entry, Request) else self.entry.request
        return request.text


class Importer:
    """One import into one scope. `run` once."""

    def __init__(
        self,
        store: Store,
        scope: Scope,
        cleaner: Cleaner,
        *,
        home: Scope,
        note: ChangeNote,
        clock: Clock,
        batch: int | None = None,
        strict: bool = False,
    ) -> None:
        self._store = store
        self._strict = strict
        self._batch = batch or BATCH_ENTRIES
        self._scope = scope
        self._cleaner = cleaner
        self._home = home
        self._note = note
        self._clock = clock
        self._restorer = Restorer(cleaner, scope.user, home=home)
        self._tally = _Tally()
        self._skipped: list[Skipped] = []
        self._sessions: set[str | None] = set()
        self._talks: dict[str, set[str]] = {}  # source → sessions of its turns, "" for none
        self._long: list[tuple[int, Sequence[Unit]]] = []
        self._trial: Transaction | None = None  # the one transaction of a dry run

    def run(
        self,
        entries: Iterable[Entry],
        *,
        source: str,
        format_name: str,
        identity_source: str | None = None,
        line: Callable[[], int] | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> ImportReport:
        """Store every entry; returns what happened. Entries are consumed as they come.

        `line` tells where in the file the last entry stood; without it entries are counted.
        `identity_source` is the source by which a turn is known, if it is not that of the format:
        the same transcript may come from a file or from a hook.
        """
        with contextlib.suppress(_DryRun), contextlib.ExitStack() as whole:
            if dry_run:  # one transaction, so that later entries see what earlier ones would do
                self._trial = whole.enter_context(self._store.write(self._note))
            self._run(entries, identity_source or f"import:{format_name}", line, progress)
            _end(dry_run=dry_run)
        if not dry_run:
            indexing.finish_interrupted(self._store, self._clock)
        return self._report(source, format_name, dry_run=dry_run)

    def end_conversations(self) -> None:
        """Say that the conversations of the turns that came are complete."""
        if not self._talks:
            return
        with self._store.write(self._note) as transaction:
            namespace = transaction.intern(self._scope)
            for source, sessions in self._talks.items():
                transaction.end_conversations(namespace, source, sorted(sessions))

    def _run(
        self,
        entries: Iterable[Entry],
        source: str,
        line: Callable[[], int] | None,
        progress: Progress | None,
    ) -> None:
        batch: list[_Ready] = []
        size = 0
        for entry in entries:
            self._tally.read += 1
            where = (0 if line is None else line()) or self._tally.read
            ready = self._prepare(entry, where, source)
            if ready is None:
                continue
            batch.append(ready)
            size += len(ready.text)
            if len(batch) >= self._batch or size >= BATCH_CHARACTERS:
                self._write(batch)
                batch, size = [], 0
                if progress is not None:
                    progress(self._tally.read)
        self._write(batch)
        if progress is not None:
            progress(self._tally.read)

    def _report(self, source: str, format_name: str, *, dry_run: bool) -> ImportReport:
        return ImportReport(
            source=source,
            format=format_name,
            read=self._tally.read,
            created=self._tally.created,
            known=self._tally.known,
            redacted=self._tally.redacted,
            sessions=len(self._sessions),
            skipped=tuple(sorted(self._skipped, key=lambda skipped: skipped.line)),
            dry_run=dry_run,
        )

    def _prepare(self, entry: Entry, line: int, source: str) -> _Ready | None:
        """The entry cleaned and analysed; None if it was left out, which is then reported."""
        if isinstance(entry, Skipped):
            self._skipped.append(entry)
            return None
        try:
            ready = self._clean(entry, line, source)
        except (InvalidInput, SecretFound) as error:
            if self._strict and not isinstance(error, InvalidText | SecretFound):
                raise _of_turn(error, line, stored=self._tally.created) from error
            bad = not isinstance(error, BlankText)  # nothing was said: no fault of the file
            self._skipped.append(Skipped(line, error.message, bad=bad))
            return None
        return ready

    def _clean(self, entry: Turn | Memory | Note, line: int, source: str) -> _Ready:
        if isinstance(entry, Turn):
            return self._turn(entry, line, source)
        if isinstance(entry, Note):
            return self._note_of(entry, line, source)
        if isinstance(entry, Memory):
            return self._memory(entry, line)
        raise _no_turn(entry)

    def _turn(self, turn: Turn, line: int, source: str) -> _Ready:
        cleaned = self._cleaner.clean(turn_request(turn, self._scope, source))
        request = replace(cleaned, turn_key=turn_key(turn, cleaned.external_id))
        self._tally.redacted += bool(request.redactions)
        self._sessions.add(request.session)
        self._talks.setdefault(source, set()).add(request.session or "")
        return _Ready(line, request, indexing.units_of_request(request, self._note.at))

    def _note_of(self, note: Note, line: int, source: str) -> _Ready:
        wire.check_fields(note)
        wanted = note_request(note, self._scope, source, micros=_micros)
        cleaned = self._cleaner.clean(wanted.request)
        self._tally.redacted += bool(cleaned.redactions)
        units = indexing.units_of_request(cleaned, self._note.at)
        return _Ready(line, replace(wanted, request=cleaned), units)

    def _memory(self, memory: Memory, line: int) -> _Ready:
        row = self._restorer.clean(memory)
        self._tally.redacted += bool(row.redactions)
        self._sessions.add(row.memory.session)
        units = indexing.units_of_memory(row.memory)
        return _Ready(line, row, units)

    def _write(self, batch: list[_Ready]) -> None:
        if self._trial is not None:
            for ready in batch:
                self._put(self._trial, ready)
        elif batch:
            with self._store.write(self._note) as transaction:
                for ready in batch:
                    self._put(transaction, ready)
            for row, units in self._long:
                indexing.finish_row(self._store, row, units, 0, self._clock)
        self._long.clear()

    def _put(self, transaction: Transaction, ready: _Ready) -> None:
        try:
            if isinstance(ready.entry, Request | NoteRequest):
                written = self._put_request(transaction, ready.entry, ready.units)
                created, row, indexed = (
                    written.outcome is Outcome.CREATED,
                    written.row,
                    written.indexed,
                )
            else:
                restored = self._restorer.restore(transaction, ready.entry, self._note.at)
                created, row, indexed = restored.created, restored.row, True
                if created:
                    indexed = indexing.index_new(transaction, row, ready.text, ready.units)
        except (Conflict, InvalidInput) as error:
            bad = not isinstance(error, Conflict)  # a replay of history is no fault of the file
            self._skipped.append(Skipped(ready.line, error.message, bad=bad))
            return
        self._tally.created += created
        self._tally.known += not created
        if not indexed:
            self._long.append((row, ready.units))

    def _put_request(
        self, transaction: Transaction, entry: Request | NoteRequest, units: Sequence[Unit]
    ) -> Written:
        home, now = self._home, self._note.at
        if isinstance(entry, NoteRequest):
            return put_note(transaction, entry, units, home=home, now=now)
        return put(transaction, entry, units, home=home, now=now)


def _end(*, dry_run: bool) -> None:
    """Leave a dry run's transaction by rolling it back."""
    if dry_run:
        raise _DryRun


def turn_request(turn: Turn, scope: Scope, source: str) -> Request:
    """A turn as the request that stores it, without its key; raises `WrongType`."""
    wire.check_fields(turn)
    return Request(
        text=turn.text,
        scope=scope,
        kind=Kind.TURN,
        tags=wire.words(turn.tags, name="tags"),
        session=turn.session,
        speaker=turn.speaker,
        external_id=turn.external_id,
        unique_id=turn.unique_id,
        at=_micros(turn.at),
        trust=wire.parse_choice(Trust, turn.trust, name="trust"),
        source=source,
    )


def check_turns(turns: Iterable[object], scope: Scope) -> None:
    """Raise `InvalidInput`, naming the turn and its field, for the first that cannot be one."""
    for number, turn in enumerate(turns, start=1):
        try:
            if not isinstance(turn, Turn):
                raise _no_turn(turn)
            turn_request(turn, scope, "")
            turn_key(turn, turn.external_id)
        except InvalidInput as error:
            raise _of_turn(error, number, stored=0) from error


def _no_turn(value: object) -> InvalidInput:
    """The error for a caller's value of another type."""
    return WrongType(
        f"a memstone.Turn is needed, not {type(value).__name__}",
        hint="Turn(text=…, speaker=…, session=…, at=…); text alone is needed",
        name="turns",
    )


def _of_turn(error: InvalidInput, number: int, *, stored: int) -> InvalidInput:
    """The same error, saying which turn of a program it is about, and what is stored before it."""
    message = f"turn {number}: {error.message}"
    fields = {**error.fields, "turn": number, "stored": stored}
    return type(error)(message, hint=error.hint, **fields)


def said_by_people(
    turns: Iterable[Turn | Memory], session: str | None
) -> Iterable[Turn | Memory | Skipped]:
    """Turns given by a program, each with a session, without our own notes; system prompts, which
    nobody said, and turns of nothing but notes come as `Skipped`.
    """
    for number, turn in enumerate(turns, start=1):
        if not isinstance(turn, Turn):
            yield turn  # of another type: the import says so
            continue
        if isinstance(turn.speaker, str) and turn.speaker.strip().lower() in PROMPTS:
            yield Skipped(number, "speaker: a prompt is no conversation", bad=False)
            continue
        text = turn.text
        if isinstance(text, str) and NOTES_NAME in text:
            text = wire.without_own_blocks(text)
            if not text.strip():
                yield Skipped(number, "text: nothing but notes from memory", bad=False)
                continue
        yield replace(turn, text=text, session=turn.session or session)


def _micros(at: Instant | int | None) -> int | None:
    if at is None:
        return None
    return check_micros(at, name="at") if isinstance(at, int) else parse_time(at, name="at")


def turn_key(turn: Turn, cleaned_id: str | None) -> str | None:
    """What tells a turn from the others of its session: its own id, else its position.

    An id that held a secret was blanked; its digest takes its place, so that two of them stay two.
    """
    if turn.external_id is None:
        if turn.ordinal is None:
            return None
        return ordinal_key(wire.parse_count(turn.ordinal, name="ordinal"))
    if cleaned_id == turn.external_id:
        return cleaned_id
    return f"~{identity.digest(turn.external_id).hex()[:32]}"
