"""The table of checks of this machine: one function a row, each yields what it found.

A check that meets an error of ours reports it as its finding and the next one runs; whoever adds
a part of memstone that can be missing, broken or switched off adds a row.
"""

from __future__ import annotations

import os
import platform
import stat
import sys

from memstone import engine
from memstone.errors import ConfigError, MemstoneError, StoreMissing, StoreOlder
from memstone.surfaces.doctor.findings import FAIL, OK, WARN, Finding
from memstone.surfaces.hooks import notices
from memstone.surfaces.install import editing, files, receipts
from memstone.version import VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from memstone.surfaces.doctor.findings import Subject
    from memstone.surfaces.install.values import Record

    Check = Callable[[Subject], Iterable[Finding]]

ELSEWHERE = {  # variables that other programs read, and what to use here instead
    "CAVEMAN_CCR_MAX_BYTES": "originals are rows of the store and have no cap of their own",
    "CAVE_ENGINE_TOON": "answers are JSON",
}


def examine(subject: Subject) -> list[Finding]:
    """Everything that the table finds, in its order."""
    found: list[Finding] = []
    for name, check in CHECKS:
        try:
            found += check(subject)
        except MemstoneError as error:
            found.append(Finding(name, FAIL, error.message, error.hint))
        except OSError as error:
            place = f"{error.filename}: " if error.filename else ""
            found.append(Finding(name, FAIL, f"{place}{error.strerror}"))
    return found


def versions(subject: Subject) -> Iterator[Finding]:
    """What runs: always fine, and the first thing that a report of a fault needs."""
    del subject
    yield Finding("memstone", OK, f"memstone {VERSION} in {_package()}")
    yield Finding("python", OK, f"Python {platform.python_version()} at {sys.executable}")
    for name, version in engine.storage_versions():
        yield Finding(name, OK, f"{name} {version}")


def folder(subject: Subject) -> Iterator[Finding]:
    """The data folder: there, ours, and closed to others."""
    home = subject.home
    try:
        status = os.stat(home)
    except FileNotFoundError:
        hint = "`memstone install` or `memstone remember` makes it"
        yield Finding("folder", WARN, f"{home} does not exist yet", hint)
        return
    if not stat.S_ISDIR(status.st_mode):
        yield Finding("folder", FAIL, f"{home} is no folder", "name another with MEMSTONE_HOME")
    elif os.name == "posix" and status.st_mode & 0o077:
        mode = stat.S_IMODE(status.st_mode)
        yield Finding("folder", WARN, f"{home} is open to others ({mode:o})", f"chmod 700 {home!r}")
    elif not os.access(home, os.W_OK | os.X_OK):
        hint = "make it yours to write, or name another with MEMSTONE_HOME"
        yield Finding("folder", FAIL, f"{home} cannot be written", hint)
    else:
        yield Finding("folder", OK, home)


def settings(subject: Subject) -> Iterator[Finding]:
    """The settings in force, all of them valid."""
    found = engine.describe_settings(subject.home, project=subject.project)
    changed = [name for name, _, origin in found if origin != "default"]
    said = f"changed from their defaults: {', '.join(changed)}" if changed else "all defaults"
    yield Finding("settings", OK, said)


def variables(subject: Subject) -> Iterator[Finding]:
    """Environment variables that look like ours, or like another program's, and mean nothing."""
    environ = subject.machine.environ
    unknown = engine.unknown_variables(environ)
    for name, hint in unknown:
        yield Finding("variables", FAIL, f"{name} is not a setting of memstone", hint)
    foreign = [name for name in ELSEWHERE if environ.get(name)]
    for name in foreign:
        yield Finding("variables", WARN, f"{name} means nothing here", ELSEWHERE[name])
    if not unknown and not foreign:
        yield Finding("variables", OK, "none that means nothing here")


def store(subject: Subject) -> Iterator[Finding]:
    """The store opens, without waiting for a lock and without being upgraded; what is pending."""
    try:
        with engine.open_hook(subject.home, project=subject.project, surface="doctor") as opened:
            count = opened.stats()
            said = f"{opened.path}: {count.current} current, {count.held} held back"
            yield Finding("store", OK, said)
            yield from _pending(opened)
    except StoreMissing as error:
        yield Finding("store", WARN, error.message, error.hint)
    except StoreOlder as error:
        hint = "the next `memstone` command upgrades it and keeps a copy; hooks never do"
        yield Finding("store", WARN, error.message, hint)
    except ConfigError:
        hint = "put the settings right first, as said above"
        yield Finding("store", FAIL, "not opened, because the settings are wrong", hint)


def _pending(opened: engine.Engine) -> Iterator[Finding]:
    waiting = opened.pending()
    if not waiting:
        yield Finding("pending", OK, "nothing is pending")
        return
    said = (
        f"{waiting.transcripts} transcripts to read, {waiting.unindexed} memories to index, "
        f"{waiting.conversations} conversations without cards, "
        f"{waiting.unsettled} memories to compare with the others"
    )
    # comparing waits for the next worker as a matter of course: nothing is missing meanwhile
    late = waiting.transcripts or waiting.unindexed or waiting.conversations
    yield Finding("pending", WARN if late else OK, said, "`memstone work` does it now")


def switches(subject: Subject) -> Iterator[Finding]:
    """Whether hooks and tools are switched off."""
    found = engine.switches(subject.home)
    reason = found.off(subject.project)
    if found.paused:
        yield Finding("switches", WARN, "paused: nothing is read or kept", "`memstone resume`")
    elif reason is not None:
        hint = "`memstone incognito off` in this project"
        yield Finding("switches", WARN, f"{reason} in this project", hint)
    else:
        yield Finding("switches", OK, "on")


def failures(subject: Subject) -> Iterator[Finding]:
    """What hooks could not do lately."""
    waiting = notices.waiting(subject.home)
    for notice in waiting:
        said = f"{notice.client} {notice.event}, {notice.count} times: {notice.message}"
        yield Finding("hooks", WARN, said, "told once more at the next session start, then gone")
    if not waiting:
        yield Finding("hooks", OK, "no failure that was not told")


def installed(subject: Subject) -> Iterator[Finding]:
    """Clients with a receipt, and whether our entries are still in their files."""
    clients = receipts.clients(subject.home)
    for client in clients:
        receipt = receipts.load(subject.home, client)
        gone = [
            record.path
            for record in (receipt.records if receipt and not receipt.plugin else ())
            if not _is_in(record)
        ]
        if gone:
            hint = f"memstone install --client {client}, or uninstall"
            said = f"{client}: nothing of memstone is left in {', '.join(gone)}"
            yield Finding("clients", WARN, said, hint)
        else:
            way = "as a plugin" if receipt and receipt.plugin else "in its settings"
            hint = f"`memstone doctor --client {client}` tries it"
            yield Finding("clients", OK, f"{client}: {way}", hint)
    if not clients:
        yield Finding("clients", OK, "none set up", "`memstone install --client CLIENT`")


def _is_in(record: Record) -> bool:
    """Whether a file still has anything that we wrote into it."""
    content = files.look(record.path, record.root).content
    return content is not None and bool(editing.stripped(content, record).removed)


def _package() -> str:
    import memstone

    return os.path.dirname(os.path.abspath(memstone.__file__))


CHECKS: tuple[tuple[str, Check], ...] = (
    ("versions", versions),
    ("folder", folder),
    ("settings", settings),
    ("variables", variables),
    ("store", store),
    ("switches", switches),
    ("hooks", failures),
    ("clients", installed),
)
