"""Taking back a change, or all that a session stored: a new change that is the reverse of the old.

What was created is archived, what it replaced is current again, and side fields get back the value
they had. It is all or nothing, in one transaction: where a row has moved on since, or was forgotten
for good, nothing happens and every such row is named. Because an undo is a change like any other,
undoing it brings things back as they were.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from memstone.errors import InvalidInput, NotArchived, NotFound, UndoBlocked
from memstone.ingestion import identity
from memstone.ingestion.remembering import after
from memstone.ingestion.replacing import keep_both
from memstone.ingestion.superseding import Target, require
from memstone.times import to_micros
from memstone.types import Filter, Reach, UndoResult, Validity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from memstone.protocols import Store, Transaction
    from memstone.types import ChangeNote, Memory, View

SHOWN_BLOCKERS = 5  # spelt out in the message; all are in its fields
IGNORED = frozenset({"seen", "feedback", "conflict"})  # what nothing hangs on
FORGOTTEN = "it was forgotten for good"
SETTLED = "conflict "  # with a number: a person settled a possible conflict


@dataclass(frozen=True, slots=True)
class Step:
    """One field of one row that moved from `before` to `after`, as the log has it."""

    row: int
    field: str
    before: str | None
    after: str | None


@dataclass(slots=True)
class Plan:
    """What an undo will do, by kind; each entry a memory and how to do it."""

    archived: list[str] = field(default_factory=list)
    reopened: list[str] = field(default_factory=list)
    restored: list[str] = field(default_factory=list)
    edited: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    blocked: list[str] = field(default_factory=list)
    gone: list[int] = field(default_factory=list)  # rows forgotten since
    actions: list[Callable[[], object]] = field(default_factory=list)


def undo_change(
    store: Store, number: int, view: View, *, note: ChangeNote, dry_run: bool = False
) -> UndoResult:
    """Reverse one change of the log, as far as this caller sees it.

    Raises `NotFound` if there is none, `UndoBlocked` where a row has moved on.
    """
    with store.write(note) as transaction:
        namespaces = transaction.namespaces(view)
        change = transaction.change(number, namespaces)
        if change is None:
            raise NotFound(
                f"no change {number} here",
                hint="`memstone log` shows the changes of this scope",
                change=number,
            )
        steps = [Step(row.row, row.field, row.before, row.after) for row in change.rows]
        created = [step.row for step in steps if step.field == "created"]
        steps += _replaced_since(transaction, transaction.memories(created), namespaces, steps)
        plan = _plan(transaction, steps, note.at)
        _carry_out(plan, dry_run=dry_run)
    return _result(store, plan, namespaces, note, dry_run=dry_run)


def undo_session(
    store: Store, session: str, user: str, *, note: ChangeNote, dry_run: bool = False
) -> UndoResult:
    """Reverse everything that a session of `user` stored, in whatever project.

    Raises `NotFound` if it stored nothing, `UndoBlocked` where a row has moved on.
    """
    with store.write(note) as transaction:
        namespaces = transaction.namespaces_of(user)
        wanted = Filter(
            namespaces=namespaces,
            reach=Reach.ALL,
            validity=Validity(note.at, note.at, note.at),
            session=session,
        )
        stored = transaction.select(wanted, limit=None, after_row=0)
        if not stored:
            raise NotFound(
                f"nothing was stored in a session {session!r}",
                hint="`memstone status` lists the sessions",
                session=session,
            )
        plan = _plan(transaction, _steps_of(transaction, stored, namespaces), note.at)
        _carry_out(plan, dry_run=dry_run)
    return _result(store, plan, namespaces, note, dry_run=dry_run)


def restore(store: Store, target: Target, *, note: ChangeNote) -> Memory:
    """Bring an archived memory back. Raises `NotFound`, `NotArchived`, `UndoBlocked`."""
    with store.write(note) as transaction:
        memory = require(transaction, target)
        if not memory.archived:
            raise NotArchived(f"{memory.id} is not archived", hint="nothing to do", id=memory.id)
        twin = _twin(transaction, memory)
        if memory.current and twin is not None:
            raise _blocked([f"{memory.id}: {twin.id} has its place and is current"])
        transaction.set_archived(memory.row, archived=False)
        return transaction.memories([memory.row])[0]


def _steps_of(
    transaction: Transaction, stored: Sequence[Memory], namespaces: Sequence[int]
) -> list[Step]:
    """What storing those rows did, as the log would say it."""
    steps = [Step(memory.row, "created", None, memory.kind.value) for memory in stored]
    return steps + _replaced_since(transaction, stored, namespaces, steps)


def _replaced_since(
    transaction: Transaction,
    created: Sequence[Memory],
    namespaces: Sequence[int],
    known: Sequence[Step],
) -> list[Step]:
    """What those memories replaced in later changes: a contradiction is found after its text is
    stored, and whoever takes the text back means both.
    """
    told = {step.row for step in known}  # created here as well, or replaced by the same change
    steps = []
    for newer in created:
        if newer.archived:
            continue
        older = [] if newer.supersedes is None else [newer.supersedes]
        before = [transaction.memory(id_, namespaces) for id_ in older]
        for memory in (*before, *transaction.beside([newer.row])):
            if memory is not None and memory.row not in told:
                steps += [Step(memory.row, "superseded_by", None, str(newer.row))]
    return steps


def _plan(transaction: Transaction, steps: Sequence[Step], now: int) -> Plan:
    rows = {memory.row: memory for memory in transaction.memories([step.row for step in steps])}
    created = {step.row for step in steps if step.field == "created"}
    plan = Plan()
    planner = _Planner(transaction, rows, created, now, plan)
    for step in sorted(steps, key=lambda step: (step.field == "created", step.row, step.field)):
        if step.field not in IGNORED:
            planner.add(step)
    return plan


@dataclass(frozen=True, slots=True)
class _Planner:
    """Turns steps into actions; `rows` are the rows as they are now."""

    transaction: Transaction
    rows: dict[int, Memory]
    created: set[int]
    now: int
    plan: Plan

    def add(self, step: Step) -> None:
        memory = self.rows.get(step.row)
        if step.field == "forgotten":
            self.plan.blocked.append(f"row {step.row}: {FORGOTTEN}")
        elif memory is None:
            self.plan.gone.append(step.row)  # forgotten later: nothing is left to take back
        elif step.field == "created":
            self._uncreate(memory)
        elif step.field == "superseded_by":
            self._relink(memory, step)
        elif step.field in ("archived", "held"):
            self._toggle(memory, step)
        elif step.field.startswith(SETTLED):
            number, before = int(step.field.removeprefix(SETTLED)), step.before
            self.plan.edited.append(memory.id)
            self.plan.actions.append(lambda: self.transaction.resolve(number, before))
        else:
            self._unedit(memory, step)

    def _uncreate(self, memory: Memory) -> None:
        if memory.archived:
            return
        if memory.superseded_by is not None and not self._is_created(memory.superseded_by):
            self._block(memory, f"{memory.superseded_by} has replaced it since")
            return
        if self._is_kept(memory.row):
            self.plan.kept.append(memory.id)
            return
        self.plan.archived.append(memory.id)
        row = memory.row
        self.plan.actions.append(lambda: self.transaction.set_archived(row, archived=True))

    def _is_kept(self, row: int) -> bool:
        """Whether a row that is to be taken back was said again since, and so stays."""
        memory = self.rows.get(row)
        return row in self.created and memory is not None and memory.last_seen_at is not None

    def _is_created(self, id_: str) -> bool:
        return any(self.rows[row].id == id_ for row in self.created if row in self.rows)

    def _relink(self, memory: Memory, step: Step) -> None:
        if step.before is None and step.after is not None:
            self._reopen(memory, int(step.after))
        elif step.after is None and step.before is not None:
            self._close(memory, int(step.before))
        else:
            self._block(memory, "its versions were joined by an import")

    def _reopen(self, memory: Memory, successor: int) -> None:
        if memory.current or self._is_kept(successor):
            return
        newer = next(iter(self.transaction.memories([successor])), None)
        if memory.superseded_by != (None if newer is None else newer.id):
            self._block(memory, f"{memory.superseded_by} has replaced it since")
            return
        twin = _twin(self.transaction, memory)
        if twin is not None and twin.row not in self.created:
            self._block(memory, f"{twin.id} has its place and is current")
            return
        self.plan.reopened.append(memory.id)
        row = memory.row
        self.plan.actions.append(lambda: self.transaction.reopen(row))
        if newer is not None and newer.row not in self.created:
            self.plan.actions.append(lambda: keep_both(self.transaction, memory, newer))

    def _close(self, memory: Memory, successor: int) -> None:
        newer = next(iter(self.transaction.memories([successor])), None)
        if newer is None:
            self._block(memory, "what replaced it was forgotten")
        elif not memory.current or newer.supersedes is not None:
            self._block(memory, "its versions have moved on since")
        else:
            self.plan.edited.append(memory.id)
            at, begins = after(memory, self.now), to_micros(newer.valid_from)
            row = memory.row
            self.plan.actions.append(
                lambda: self.transaction.close(row, by=newer.row, at=at, valid_from=begins)
            )

    def _toggle(self, memory: Memory, step: Step) -> None:
        """Archive or restore, hold or approve: back to what it was, if it still is as it became."""
        was, became = step.before == "true", step.after == "true"
        if getattr(memory, step.field) is not became:
            self._block(memory, f"it is {'not ' if became else ''}{step.field} any more")
            return
        row = memory.row
        if step.field == "archived":
            twin = None if was else _twin(self.transaction, memory)
            if memory.current and twin is not None:
                self._block(memory, f"{twin.id} has its place and is current")
                return
            (self.plan.archived if was else self.plan.restored).append(memory.id)
            self.plan.actions.append(lambda: self.transaction.set_archived(row, archived=was))
        else:
            self.plan.edited.append(memory.id)
            self.plan.actions.append(lambda: self.transaction.set_held(row, held=was))

    def _unedit(self, memory: Memory, step: Step) -> None:
        """Tags, pin and expiry as they were, if they still are what the change made of them."""
        transaction, row = self.transaction, memory.row
        expires = None if memory.expires is None else str(to_micros(memory.expires))
        now: dict[str, str | None] = {
            "tags": json.dumps(memory.tags, ensure_ascii=False),
            "pinned": json.dumps(memory.pinned),
            "expires": expires,
        }
        if step.field not in now:
            self._block(memory, f"a change of {step.field} cannot be taken back")
        elif now[step.field] != step.after:
            self._block(memory, f"its {step.field} has changed since")
        else:
            self.plan.edited.append(memory.id)
            self.plan.actions.append(_side_field(transaction, row, step))

    def _block(self, memory: Memory, why: str) -> None:
        self.plan.blocked.append(f"{memory.id}: {why}")


def _side_field(transaction: Transaction, row: int, step: Step) -> Callable[[], object]:
    """What gives a side field its earlier value."""
    if step.field == "pinned":
        return lambda: transaction.set_pinned(row, pinned=step.before == "true")
    if step.field == "expires":
        before = None if step.before is None else int(step.before)
        return lambda: transaction.set_expires(row, before)
    was: set[str] = set(json.loads(step.before or "[]"))
    became: set[str] = set(json.loads(step.after or "[]"))

    def retag() -> None:
        transaction.remove_tags(row, sorted(became - was))
        transaction.add_tags(row, sorted(was - became))

    return retag


def _twin(transaction: Transaction, memory: Memory) -> Memory | None:
    """Another current memory that has its place: with the same text where texts tell memories
    apart, at the same path for a file.
    """
    if memory.is_file and memory.external_id is not None:
        there = transaction.files(memory.scope, memory.external_id)
        same = (file for file in there if file.external_id == memory.external_id)
        return next((file for file in same if file.row != memory.row), None)
    if not identity.known_by_text(memory):
        return None
    namespace = transaction.intern(memory.scope)
    found = transaction.by_digest(bytes.fromhex(memory.text_sha256), (namespace,))
    return next(
        (
            twin
            for twin in found
            if twin.row != memory.row
            and twin.current
            and not twin.archived
            and identity.known_by_text(twin)
        ),
        None,
    )


def _carry_out(plan: Plan, *, dry_run: bool) -> None:
    if plan.gone and not (plan.actions or plan.blocked or plan.kept):
        raise UndoBlocked(
            "nothing was undone: all that it stored was forgotten since, which is for good",
            hint="an export or a copy of the store made before has it",
            blocked=[f"row {row}: {FORGOTTEN}" for row in plan.gone],
        )
    if dry_run:
        return
    if plan.blocked:
        raise _blocked(plan.blocked)
    for act in plan.actions:
        act()


def _blocked(reasons: Sequence[str]) -> UndoBlocked:
    shown = "; ".join(reasons[:SHOWN_BLOCKERS])
    more = len(reasons) - SHOWN_BLOCKERS
    forgotten = all(reason.endswith(FORGOTTEN) for reason in reasons)
    return UndoBlocked(
        f"nothing was undone: {shown}" + (f" and {more} more" if more > 0 else ""),
        hint="an export or a copy of the store made before has it"
        if forgotten
        else "`memstone log --id ID` shows what happened since; undo the later change first",
        blocked=list(reasons),
    )


def _result(
    store: Store, plan: Plan, namespaces: Iterable[int], note: ChangeNote, *, dry_run: bool
) -> UndoResult:
    return UndoResult(
        change=None if dry_run or not plan.actions else _number(store, namespaces, note),
        archived=tuple(plan.archived),
        reopened=tuple(plan.reopened),
        restored=tuple(plan.restored),
        edited=tuple(dict.fromkeys(plan.edited)),
        kept=tuple(plan.kept),
        blocked=tuple(plan.blocked),
        dry_run=dry_run,
    )


def _number(store: Store, namespaces: Iterable[int], note: ChangeNote) -> int | None:
    """The number under which the undo stands in the log."""
    with store.read() as snapshot:
        latest = snapshot.changes(tuple(namespaces), limit=20)
    made = (c.number for c in latest if c.operation == "undo" and to_micros(c.at) == note.at)
    return next(made, None)


def one_of(change: int | None, session: str | None) -> None:
    """Raise `InvalidInput` unless exactly one of the two was named."""
    if (change is None) == (session is None):
        raise InvalidInput(
            "undo: name a change or a session, and not both",
            hint="`memstone log` numbers the changes, `memstone status` lists the sessions",
            name="change",
        )
