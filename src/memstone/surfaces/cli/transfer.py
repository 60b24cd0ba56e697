"""`import` and `export`: conversations and exports in, JSON lines out.

An export to a file is written under another name, synced and renamed, so that the file is always
either the old export or the whole new one. The files of the store itself are refused as a target:
a rename over `mem.db` would replace every memory by its own copy.
"""

from __future__ import annotations

import contextlib
import os

from memstone import wire
from memstone.errors import CannotCreate, OutputFailed, SourceError, StoreUnsafe
from memstone.surfaces.cli.call import standard_input

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, BinaryIO

    from memstone.surfaces.cli.call import Call
    from memstone.types import ImportReport, Skipped

STORE_SUFFIXES = ("", "-wal", "-shm", "-journal")
CARDS = ("cards", "statements")  # counts that come of making cards
COMPARED = ("replaced", "merged", "conflicts")  # and of comparing memories, which needs none
LEFT_TO_WORK = "left to `memstone work`"
LISTED = 20  # bad lines named on a terminal; the report holds all of them


def import_file(call: Call) -> int:
    """Import a file; exit code 65 if an entry was bad, though the good ones are stored."""
    given = call.arguments
    file = standard_input() if given.file == "-" else given.file
    with call.open(making=True) as engine, call.progress("importing") as progress:
        report = engine.import_file(
            file,
            format=given.format,
            sample=given.sample,
            cards=not given.no_cards,
            dry_run=given.dry_run,
            progress=progress,
        )
        instead_of_cards = LEFT_TO_WORK if given.no_cards else None
        if engine.settings.cards_make == "never":
            instead_of_cards = "none: the setting cards.make is `never`"
    answer = wire.import_report_to_json(report)

    def show() -> str:
        from memstone.surfaces.cli import tables

        return tables.details(_told(answer, report, instead_of_cards))

    call.output.document(answer, show)
    bad = [entry for entry in report.skipped if entry.bad]
    if not bad:
        return 0
    return _complain(call, report, bad)


def _told(
    answer: dict[str, Any], report: ImportReport, instead_of_cards: str | None
) -> dict[str, Any]:
    """What a terminal shows: no counts of what nobody has looked for."""
    told = answer | {"skipped": _skipped(report)}
    absent = {*CARDS, *COMPARED} if report.dry_run else set()
    if instead_of_cards is not None and not report.dry_run:
        told[CARDS[0]] = instead_of_cards
        absent.update(CARDS[1:] if report.sessions and report.created else CARDS)
    return {name: value for name, value in told.items() if name not in absent}


def _skipped(report: ImportReport) -> str:
    """How many entries were left out, and the reasons of those left out on purpose."""
    reasons: dict[str, int] = {}
    for entry in report.skipped:
        if not entry.bad:
            reasons[entry.reason] = reasons.get(entry.reason, 0) + 1
    told = ", ".join(f"{count} on purpose: {reason}" for reason, count in reasons.items())
    return f"{len(report.skipped)} ({told})" if told else str(len(report.skipped))


def _complain(call: Call, report: ImportReport, bad: list[Skipped]) -> int:
    stored = "would be" if report.dry_run else "were"
    error = SourceError(
        f"{len(bad)} of {report.read} entries in {report.source} are malformed; "
        f"the others {stored} imported",
        hint="correct those lines and import the file again; what is known is not stored twice",
        lines=[entry.line for entry in bad],
    )
    if call.output.errors_to_terminal and not call.output.as_json:
        for entry in bad[:LISTED]:
            call.output.note(f"line {entry.line}: {entry.reason}")
        if len(bad) > LISTED:
            call.output.note(f"and {len(bad) - LISTED} more; --json lists all")
    call.output.error(error)
    return error.exit_code


def export(call: Call) -> int:
    """Write every memory, to standard output or to a file that is replaced in one step."""
    target = call.arguments.output
    then = {"as_of": call.arguments.as_of, "known_at": call.arguments.known_at}
    with call.open() as engine:
        if target is None or target == "-":
            engine.export(lambda line: call.output.write(line.encode("utf-8")), **then)
            call.output.flush()
            return 0
        refuse_store_files(target, engine.path)
        with replacing(target) as stream:
            count = engine.export(lambda line: stream.write(line.encode("utf-8")), **then)
    answer = {"exported": count, "path": os.path.realpath(target)}
    call.output.document(answer, lambda: f"exported {count} memories to {target}")
    return 0


def refuse_store_files(target: str, store: str) -> None:
    """Raise `StoreUnsafe` if `target` is the store's file or one that belongs to it."""
    wanted = os.path.realpath(target)
    base = os.path.realpath(store)
    if wanted in {base + suffix for suffix in STORE_SUFFIXES}:
        raise StoreUnsafe(
            f"{target} belongs to the store itself",
            hint="choose another file for the export",
            path=target,
        )


@contextlib.contextmanager
def replacing(target: str) -> Iterator[BinaryIO]:
    """A file beside `target`, readable by its owner only, that takes its place at the end.

    A pipe or a device is written as it is; a symlink is followed.
    """
    target = os.path.realpath(target)
    if os.path.exists(target) and not os.path.isfile(target) and not os.path.isdir(target):
        with open(target, "wb") as stream:
            yield stream
        return
    folder = os.path.dirname(target) or os.curdir
    temporary = os.path.join(folder, f".{os.path.basename(target)}.{os.urandom(6).hex()}.tmp")
    if os.path.isdir(target):
        raise CannotCreate(f"{target} is a folder", hint="name a file in it", path=target)
    try:
        descriptor = os.open(
            temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600
        )
    except (OSError, ValueError) as error:
        raise CannotCreate(f"{target}: cannot be written: {error}", path=target) from error
    try:
        with os.fdopen(descriptor, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(descriptor)
        os.replace(temporary, target)
        _sync_folder(folder)
    except OSError as error:
        raise OutputFailed(
            f"{target}: the export could not be written: {error.strerror or error}",
            hint="the file that was there before is unchanged",
            path=target,
        ) from error
    finally:
        with contextlib.suppress(FileNotFoundError):  # gone on success: it was renamed
            os.unlink(temporary)


def _sync_folder(folder: str) -> None:
    """Make the rename itself durable, where the system can sync a folder."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:  # Windows, or a folder that may be written but not read
        return
    try:
        os.fsync(descriptor)
    except OSError:  # some network file systems refuse; the file itself is synced and renamed
        return
    finally:
        os.close(descriptor)
