"""What an installation would do, worked out before anything is written.

Every file of the client is read, and refused here if it cannot be edited safely; so a plan that
exists can be carried out. For each file it knows the bytes before us (`base`): the file itself, or
if we are in it already, what it was or would be without us. From that follows the record that a
receipt keeps, however often memstone is installed.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

from memstone.errors import ClientFileRefused
from memstone.surfaces.install import editing, files
from memstone.surfaces.install.values import JSON, TOML, WHOLE, Record, Traces

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from memstone.surfaces.install.files import Found
    from memstone.surfaces.install.values import Change, Receipt, Target


@dataclass(frozen=True, slots=True)
class FilePlan:
    """What becomes of one file: nothing if `changes` is empty."""

    target: Target
    found: Found
    base: bytes | None
    after: bytes
    changes: tuple[Change, ...]
    record: Record


@dataclass(frozen=True, slots=True)
class Removal:
    """What becomes of one file when we leave it; `content` None means that it goes."""

    record: Record
    found: Found
    content: bytes | None
    changes: tuple[Change, ...]
    left: tuple[str, ...]
    restored: bool  # whether these are the bytes from before the installation


def plan_files(wanted: Iterable[Target], receipt: Receipt | None) -> tuple[FilePlan, ...]:
    """The plan of every file; raises `ClientFileRefused` with the lines to paste."""
    records = {record.path: record for record in receipt.records} if receipt else {}
    return tuple(_plan(target, records.get(target.path)) for target in wanted)


def plan_removals(records: Iterable[Record], *, known: bool) -> tuple[Removal, ...]:
    """How each file loses what is ours; raises `ClientFileRefused` if one cannot be edited."""
    return tuple(_removal(record, known=known) for record in records)


def snippet(target: Target) -> str:
    """What a person would paste into the file to get the same."""
    if target.kind == WHOLE:
        return target.content.decode("utf-8")
    return editing.merged(None, target)[0].decode("utf-8")


def unwritten(target: Target) -> Record:
    """The record of a file that we know nothing about."""
    entry = target.entry.pointer if target.entry else ()
    return Record(
        path=target.path,
        root=target.root,
        kind=target.kind,
        before=None,
        copy=None,
        after=(files.digest(target.content),) if target.kind == WHOLE else (),
        ours=(),
        entry=entry,
    )


def recorded(target: Target, base: bytes | None, after: bytes) -> Record:
    """What has to be kept to give `base` back: its bytes only if nothing less does."""
    record = Record(
        path=target.path,
        root=target.root,
        kind=target.kind,
        before=None if base is None else files.digest(base),
        copy=None,
        after=(files.digest(after),),
        ours=editing.fingerprints(target),
        entry=target.entry.pointer if target.entry else (),
        traces=editing.traced(base, target) if target.kind in (JSON, TOML) else Traces(),
    )
    if base is None or editing.stripped(after, record).content == base:
        return record
    return replace(record, copy=base)


def _plan(target: Target, known: Record | None) -> FilePlan:
    try:
        found = files.look(target.path, target.root)
        base = found.content if known is None else _base(found, known)
        after, changes = editing.merged(found.content, target)
        record = recorded(target, base, after)
    except ClientFileRefused as error:
        raise _refused(target, error) from error
    made = files.missing_folders(os.path.dirname(found.real))
    record = replace(record, folders=made)
    if known is not None:
        # until it is done, the file may still be what we left the last time
        ours = dict.fromkeys((*record.ours, *known.ours))
        folders = dict.fromkeys((*record.folders, *known.folders))
        record = replace(record, ours=tuple(ours), folders=tuple(folders))
    if changes:
        before = dict.fromkeys((*record.after, *(known.after if known else ())))
        record = replace(record, after=tuple(before))
    return FilePlan(target, found, base, after, changes, record)


def _base(found: Found, known: Record) -> bytes | None:
    """What the file was before us, or would be without us if somebody has edited it since."""
    if found.content is None:
        return None
    if found.digest == known.before:
        return found.content
    if found.digest in known.after and known.copy is not None:
        return known.copy
    return editing.stripped(found.content, known).content


def _removal(record: Record, *, known: bool) -> Removal:
    try:
        found = files.look(record.path, record.root)
        if found.content is None or (known and found.digest == record.before):
            return Removal(record, found, found.content, (), (), restored=True)
        without = editing.stripped(found.content, record, known=known)
    except ClientFileRefused as error:
        raise ClientFileRefused(
            f"{record.path}: {error.message}",
            hint="take the entries named memstone out by hand",
            path=record.path,
        ) from error
    content = without.content
    if known and found.digest in record.after:
        if record.copy is not None or record.before is None:
            content = record.copy
        return Removal(record, found, content, without.removed, (), restored=True)
    return Removal(record, found, content, without.removed, without.left, restored=False)


def _refused(target: Target, error: ClientFileRefused) -> ClientFileRefused:
    pasted = snippet(target)
    return ClientFileRefused(
        f"{target.path}: {error.message}; nothing was changed",
        hint=f"put this into it yourself:\n{pasted}",
        path=target.path,
        snippet=pasted,
        **error.fields,
    )
