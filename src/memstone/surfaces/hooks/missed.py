"""Transcripts that a hook could not store, kept in `missed.json` until a later hook can.

A session that ends while the store is damaged, full or locked has no later hook of its own. So the
hook that fails leaves the transcript's name, and the next one of any session that succeeds reads on
in it, in the project it belongs to; what was stored in the meantime is known. Nothing of a
conversation is in the file, and the folder is never made for it.
"""

from __future__ import annotations

import json
import os
from dataclasses import astuple, dataclass

from memstone.surfaces.hooks.events import MISSED_FILE
from memstone.surfaces.hooks.notices import write_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from memstone.engine import Engine

MOST = 50  # kept; of more the oldest are dropped, as a person is told by the notice of the failure
AT_ONCE = 3  # caught up by one hook, which has seconds
MOST_BYTES = 256 * 1024  # a larger file is not ours


@dataclass(frozen=True, slots=True)
class Missed:
    """One transcript: whose, where, which session, and the project it was said in."""

    client: str
    path: str
    session: str
    project: str


def waiting(home: str) -> tuple[Missed, ...]:
    """What waits, the oldest first; a damaged file holds nothing."""
    try:
        with open(os.path.join(home, MISSED_FILE), "rb") as stream:
            entries = json.loads(stream.read(MOST_BYTES))["missed"]
        found = tuple(Missed(*entry) for entry in entries)
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return ()
    return tuple(one for one in found if all(isinstance(each, str) for each in astuple(one)))


def add(home: str, missed: Missed) -> bool:
    """Keep a transcript for later; False where that cannot be written."""
    others = [one for one in waiting(home) if one != missed]
    return _write(home, [*others, missed][-MOST:])


def catch_up(home: str) -> int:
    """Read on in a few of the transcripts that wait; how many that were.

    Each is taken off the list before it is tried, so that none can hold up every hook that follows;
    where the store fails it is put back, and what the store raised is raised. One that is gone or
    cannot be read is dropped: it would never be stored.
    """
    from memstone import engine
    from memstone.errors import SourceError, StoreError

    done = 0
    for one in waiting(home)[:AT_ONCE]:
        _write(home, [left for left in waiting(home) if left != one])
        try:
            with engine.open_hook(
                home, surface=f"hook:{one.client}", project=one.project
            ) as opened:
                _read_on(opened, one)
        except SourceError:
            continue
        except StoreError:
            add(home, one)
            raise
        done += 1
    return done


def _read_on(opened: Engine, one: Missed) -> None:
    if engine_is_on(opened, one.project):
        opened.capture(one.path, client=one.client, session=one.session)


def engine_is_on(opened: Engine, project: str) -> bool:
    """Whether that project may be recorded now; switched off, what was missed in it is dropped."""
    from memstone import engine

    return engine.switches(os.path.dirname(opened.path)).off(project) is None


def _write(home: str, missed: Iterable[Missed]) -> bool:
    document = {"missed": [astuple(one) for one in missed]}
    return write_whole(os.path.join(home, MISSED_FILE), document)
