"""Installing and uninstalling: a plan carried out, whole or not at all.

The receipt comes first, then the files one by one. If one of them cannot be written, those written
before it are put back. A file that another program changed in the meantime is not overwritten.
Leaving is the same in the other direction: bytes that nobody has touched since become what they
were, and from a file that somebody has edited only our values go.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

from memstone.errors import UsageError
from memstone.surfaces.install import asking, editing, files, planning, receipts
from memstone.surfaces.install.clients import APPROVE, targets
from memstone.surfaces.install.values import WHOLE, Receipt
from memstone.version import VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memstone.surfaces.install.clients import Machine, Wish
    from memstone.surfaces.install.planning import FilePlan, Removal
    from memstone.surfaces.install.values import Change, Record, Target


@dataclass(frozen=True, slots=True, kw_only=True)
class Installation:
    """What installing one client does, worked out: files to edit, then commands to run."""

    client: str
    home: str
    files: tuple[FilePlan, ...]
    notes: tuple[str, ...]
    earlier: Receipt | None

    @property
    def changes(self) -> tuple[Change, ...]:
        return tuple(change for each in self.files for change in each.changes)

    @property
    def approve(self) -> tuple[str, ...]:
        return APPROVE[self.client]


@dataclass(frozen=True, slots=True, kw_only=True)
class Departure:
    """What uninstalling one client does, worked out."""

    client: str
    home: str
    files: tuple[Removal, ...]
    notes: tuple[str, ...]

    @property
    def changes(self) -> tuple[Change, ...]:
        return tuple(change for each in self.files for change in each.changes)

    @property
    def left(self) -> tuple[tuple[str, str], ...]:
        """Where something stays because somebody changed it, as (file, pointer)."""
        return tuple((each.record.path, pointer) for each in self.files for pointer in each.left)


def plan_install(wish: Wish, machine: Machine, home: str) -> Installation:
    """What `install` would do; raises `ClientFileRefused` with the lines to paste."""
    earlier = receipts.load(home, wish.client)
    if earlier is not None and earlier.plugin:
        raise UsageError(
            "memstone is a plugin of Claude Code already; in its settings too it would run twice",
            hint=f"first run: memstone uninstall --client {wish.client}",
        )
    planned = planning.plan_files(_asked(wish, machine), earlier)
    notes = [wish.launcher.note] if wish.launcher.note else []
    notes += _switched_off(planned)
    return Installation(
        client=wish.client, home=home, files=planned, notes=tuple(notes), earlier=earlier
    )


def install(plan: Installation, machine: Machine) -> tuple[str, ...]:
    """Carry the plan out; returns what went another way than planned."""
    if not plan.changes:
        return ()
    receipt = Receipt(
        client=plan.client,
        version=VERSION,
        plugin=False,
        records=tuple(each.record for each in plan.files),
    )
    receipts.store(plan.home, receipt)
    notes: list[str] = []
    done: list[FilePlan] = []
    records: list[Record] = []
    try:
        for each in plan.files:
            asks = any(change.by for change in each.changes)
            if asks:  # whatever the client's command does to its file is put back
                done.append(each)
            record, note = _carry_out(each, machine)
            if each.changes and not asks:
                done.append(each)
            records.append(record)
            notes += note
        receipts.store(plan.home, replace(receipt, records=tuple(records)))
    except BaseException:  # Ctrl-C too: whole or not at all
        for each in reversed(done):
            _put_back(each)
        if plan.earlier is None:
            receipts.remove(plan.home, plan.client)
        else:
            receipts.store(plan.home, plan.earlier)
        raise
    return tuple(notes)


def plan_uninstall(wish: Wish, machine: Machine, home: str) -> Departure:
    """What `uninstall` would do; without a receipt our entries are known by their commands."""
    receipt = receipts.load(home, wish.client)
    notes: list[str] = []
    if receipt is None:
        known = [planning.unwritten(target) for target in targets(wish, machine)]
        removals = planning.plan_removals(known, known=False)
    else:
        removals = planning.plan_removals(receipt.records, known=True)
        if any(_holds_ours(each) for each in removals):
            notes.append(
                "an entry of memstone stood there before this installation and is back; "
                "run uninstall again to remove it too"
            )
    return Departure(client=wish.client, home=home, files=removals, notes=tuple(notes))


def uninstall(plan: Departure) -> None:
    """Carry the plan out."""
    done: list[Removal] = []
    try:
        for each in plan.files:
            if each.content != each.found.content:
                files.replace(each.found, each.content)
                done.append(each)
    except BaseException:  # Ctrl-C too: whole or not at all
        for each in reversed(done):
            now = files.look(each.found.path, each.record.root)
            files.replace(now, each.found.content)
        raise
    for each in plan.files:
        if each.content is None:
            files.remove_folders(each.record.folders)
    receipts.remove(plan.home, plan.client)
    _hand_over(plan)


def _hand_over(plan: Departure) -> None:
    """Leave folders that we made and that another client's files stand in to that client.

    Two clients may share one (`~/.config`); whichever is taken out last removes it.
    """
    made = [folder for each in plan.files for folder in each.record.folders]
    shared = [folder for folder in made if os.path.isdir(folder)]
    for client in receipts.clients(plan.home) if shared else ():
        receipt = receipts.load(plan.home, client)
        if receipt is None:
            continue
        records = tuple(
            replace(record, folders=(*record.folders, *_above(record.path, shared)))
            for record in receipt.records
        )
        if records != receipt.records:
            receipts.store(plan.home, replace(receipt, records=records))


def _above(path: str, folders: list[str]) -> tuple[str, ...]:
    return tuple(folder for folder in folders if path.startswith(folder + os.sep))


def _asked(wish: Wish, machine: Machine) -> tuple[Target, ...]:
    """The targets, without the client's command where it cannot be run."""
    return tuple(
        each if asking.can_ask(each.by, machine) else replace(each, by=())
        for each in targets(wish, machine)
    )


def _carry_out(plan: FilePlan, machine: Machine) -> tuple[Record, list[str]]:
    """Write one file, or have the client write it; returns its record and what to say."""
    if not plan.changes:
        return plan.record, []
    target, found, after, notes = plan.target, plan.found, plan.after, []
    if any(change.by for change in plan.changes):
        asked = asking.ask(target.by, machine)
        found = files.look(target.path, target.root)
        after, missing = editing.merged(found.content, target)
        if missing:
            problem = asked.problem or f"{target.by[0]} did not add the server to this file"
            notes.append(f"{target.path} was edited instead: {problem}")
    if after != found.content:
        files.replace(found, after)
    record = planning.recorded(target, plan.base, after)
    ours = dict.fromkeys((*record.ours, *plan.record.ours))
    return replace(record, ours=tuple(ours), folders=plan.record.folders), notes


def _put_back(plan: FilePlan) -> None:
    now = files.look(plan.target.path, plan.target.root)
    if now.content != plan.found.content:
        files.replace(now, plan.found.content)
    if plan.found.content is None:
        files.remove_folders(plan.record.folders)


def _holds_ours(removal: Removal) -> bool:
    """Whether what a file becomes has an entry of ours, from before the installation."""
    if removal.content is None or not removal.restored or removal.record.kind == WHOLE:
        return False
    again = editing.stripped(removal.content, removal.record, known=False)
    return bool(again.removed)


def _switched_off(plans: tuple[FilePlan, ...]) -> list[str]:
    """Settings of the client that keep hooks from running, as notes."""
    notes = []
    for plan in plans:
        if plan.target.kind != WHOLE:
            setting = editing.hooks_are_off(plan.found.content, plan.target.kind)
            if setting:
                notes.append(f"{plan.target.path} says {setting}: no hook runs until that goes")
    return notes
