"""Upkeep and bookkeeping: export, statistics, the log, unfinished index work.

Each reads one snapshot or writes in small slices, can be stopped and begun again, and leaves the
deciding to the caller.
"""

from __future__ import annotations

import json
from dataclasses import replace

from memstone.errors import NotFound
from memstone.types import Filter, Reach, Validity
from memstone.wire import memory_to_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memstone.protocols import Store
    from memstone.types import Change, Memory, Statistics, View

EXPORT_VERSION = 1
PAGE = 500  # memories read at a time; an export of any size runs in constant memory


def export(store: Store, user: str, write: Callable[[str], object], *, now: int) -> int:
    """Write every memory of `user` as JSON lines, history included, one snapshot's worth.

    The first line names the layout. Rows come in the order they were stored, so that importing
    the lines again restores chains link by link. Returns how many memories were written.
    """
    return _export(store, user, write, reach=Reach.ALL, validity=Validity(now, now, now))


def export_then(
    store: Store, user: str, write: Callable[[str], object], *, validity: Validity
) -> int:
    """Write what was valid and known at an instant, each memory as it stood then: current, and
    without links to versions that the file does not hold. Returns how many there were.
    """
    return _export(store, user, write, reach=Reach.CURRENT, validity=validity)


def _export(
    store: Store,
    user: str,
    write: Callable[[str], object],
    *,
    reach: Reach,
    validity: Validity,
) -> int:
    write(json.dumps({"memstone_export": EXPORT_VERSION}) + "\n")
    written = 0
    with store.read() as snapshot:
        namespaces = snapshot.namespaces_of(user)
        wanted = Filter(namespaces=namespaces, reach=reach, validity=validity)
        after = 0
        while page := snapshot.select(wanted, limit=PAGE, after_row=after):
            for memory in page:
                shown = _as_it_stood(memory) if validity.historic else memory
                write(json.dumps(memory_to_json(shown), ensure_ascii=False) + "\n")
            written += len(page)
            after = page[-1].row
    return written


def _as_it_stood(memory: Memory) -> Memory:
    """A version as the current memory that it was."""
    return replace(
        memory, superseded_at=None, superseded_from=None, superseded_by=None, supersedes=None
    )


def statistics(store: Store, user: str, *, now: int) -> Statistics:
    """Counts over everything that belongs to `user`."""
    with store.read() as snapshot:
        return snapshot.statistics(snapshot.namespaces_of(user), now)


def changes(store: Store, view: View, *, limit: int, id: str | None = None) -> list[Change]:  # noqa: A002
    """The newest changes that concern rows in the view, with those rows only; of one with `id`.

    Raises `NotFound` when there is no such memory in reach.
    """
    with store.read() as snapshot:
        namespaces = snapshot.namespaces(view)
        row = None
        if id is not None:
            memory = snapshot.memory(id, namespaces)
            if memory is None:
                raise NotFound.memory(id)
            row = memory.row
        return snapshot.changes(namespaces, limit=limit, row=row)
