"""What went wrong in hooks, kept in `notices.json` until the next session start tells it once.

A hook has nobody to talk to: its standard error is seen by few, and a prompt must not wait for it.
So a failure is merged into a small file beside the store, one entry an error code with how often
and since when, and forgotten as soon as a person was told. The folder is never made for it: where
there is none, nothing is kept.

Written beside itself and renamed, so a reader sees a whole file. Two hooks that fail in the same
millisecond may count as one; a lock would be one more thing to wait for. A file that is damaged
counts as empty, because it says nothing that a person could not find out otherwise.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

FILE = "notices.json"
MOST_KINDS = 20  # entries kept: there are not many more codes than that
MOST_CHARACTERS = 300  # of a message
MOST_BYTES = 256 * 1024  # a larger file is not ours


@dataclass(frozen=True, slots=True)
class Notice:
    """One kind of failure: how it reads, how often, and the two ends of when (ISO-8601)."""

    code: str
    message: str
    event: str
    client: str
    count: int
    first: str
    last: str


def waiting(home: str) -> tuple[Notice, ...]:
    """The notices that nobody was told yet, in the order in which they first happened."""
    try:
        with open(os.path.join(home, FILE), "rb") as stream:
            data = stream.read(MOST_BYTES)
        entries = json.loads(data)["notices"]
        return tuple(_checked(entry) for entry in entries)
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return ()


def add(home: str, notice: Notice) -> bool:
    """Keep a failure, merged with those of its code; False where that cannot be written."""
    before = waiting(home)
    same = next((one for one in before if one.code == notice.code), None)
    if same is None:
        kept = (*before, notice)[-MOST_KINDS:]
    else:
        merged = replace(notice, count=same.count + notice.count, first=same.first)
        kept = tuple(merged if one is same else one for one in before)
    return _write(home, kept)


def told(home: str, notices: Iterable[Notice]) -> bool:
    """Forget what a person was told; what came or happened again in the meantime stays."""
    done = set(notices)
    left = tuple(one for one in waiting(home) if one not in done)
    if left:
        return _write(home, left)
    try:
        os.unlink(os.path.join(home, FILE))
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def sentence(notices: Iterable[Notice]) -> str:
    """The notices for a person, one line each; "" without any."""
    lines = []
    for one in notices:
        times = "once" if one.count == 1 else f"{one.count} times"
        when = f"at {one.first}" if one.count == 1 else f"from {one.first} to {one.last}"
        lines.append(f"memstone: a hook failed {times} ({one.event}, {when}): {one.message}")
    return "\n".join(lines)


def _checked(entry: object) -> Notice:
    """An entry of the file; raises `TypeError` for what is none."""
    if not isinstance(entry, dict):
        raise TypeError(entry)
    notice = Notice(**entry)
    texts = (notice.code, notice.message, notice.event, notice.client, notice.first, notice.last)
    if not all(isinstance(text, str) for text in texts) or type(notice.count) is not int:
        raise TypeError(entry)
    return notice


def _write(home: str, notices: tuple[Notice, ...]) -> bool:
    document = {"notices": [asdict(one) for one in notices]}
    return write_whole(os.path.join(home, FILE), document)


def write_whole(path: str, document: object) -> bool:
    """Write a JSON file that only its owner reads, whole or not at all; whether that worked."""
    partial = f"{path}.{os.getpid()}"
    try:
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(descriptor, "w", encoding="utf-8", errors="backslashreplace") as stream:
            json.dump(document, stream, ensure_ascii=False, indent=1)
        os.replace(partial, path)
    except OSError:
        _remove(partial)
        return False
    return True


def _remove(partial: str) -> None:
    """Leave nothing half written; where that fails too, the folder is not ours to write."""
    try:
        os.unlink(partial)
    except OSError:
        return
