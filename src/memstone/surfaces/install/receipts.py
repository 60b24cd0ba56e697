"""Receipts: what was written into a client's files, kept in the data folder until it is taken out.

One file a client, `installed/<client>.json`, for its owner only. It is written before the first
file of the client is touched, with what each file is about to become, so that a kill between two
files leaves nothing that `uninstall` could not tell.
"""

from __future__ import annotations

import base64
import json
import os

from memstone.errors import ClientFileRefused
from memstone.surfaces.install import files
from memstone.surfaces.install.values import Receipt, Record, Traces

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from memstone.surfaces.install.values import Pointer

FOLDER = "installed"
LAYOUT = 1


def path_of(home: str, client: str) -> str:
    return os.path.join(home, FOLDER, f"{client}.json")


def load(home: str, client: str) -> Receipt | None:
    """The receipt of a client, None if there is none; raises `ClientFileRefused` if damaged."""
    path = path_of(home, client)
    try:
        with open(path, "rb") as stream:
            content = stream.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        return _receipt(json.loads(content))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ClientFileRefused(
            f"{path}: not a receipt of this version ({error})",
            hint="move it away: then memstone's entries are found by their commands alone",
            path=path,
        ) from error


def store(home: str, receipt: Receipt) -> None:
    """Write the receipt, in one step."""
    path = path_of(home, receipt.client)
    files.make_folders(os.path.dirname(path))
    data = {
        "memstone_receipt": LAYOUT,
        "client": receipt.client,
        "version": receipt.version,
        "plugin": receipt.plugin,
        "files": [_spelt(record) for record in receipt.records],
    }
    # ASCII, because the name of a file may hold bytes that are no text
    text = json.dumps(data, ensure_ascii=True, indent=2) + "\n"
    files.write(path, text.encode("ascii"), mode=files.NEW_FILE_MODE)


def remove(home: str, client: str) -> None:
    """Remove the receipt of a client, and the folder if it was the last."""
    path = path_of(home, client)
    if os.path.exists(path):
        os.remove(path)
    files.remove_folders((os.path.dirname(path),))


def clients(home: str) -> tuple[str, ...]:
    """The clients that have a receipt, sorted."""
    try:
        names = os.listdir(os.path.join(home, FOLDER))
    except (FileNotFoundError, NotADirectoryError):
        return ()
    ending = ".json"
    return tuple(sorted(name.removesuffix(ending) for name in names if name.endswith(ending)))


def _receipt(data: Mapping[str, Any]) -> Receipt:
    if data["memstone_receipt"] != LAYOUT:
        raise ValueError(f"layout {data['memstone_receipt']!r}")
    return Receipt(
        client=str(data["client"]),
        version=str(data["version"]),
        plugin=bool(data["plugin"]),
        records=tuple(_record(each) for each in data["files"]),
    )


def _spelt(record: Record) -> dict[str, object]:
    copy = None if record.copy is None else base64.b64encode(record.copy).decode("ascii")
    traces = record.traces
    return {
        "path": record.path,
        "root": record.root,
        "kind": record.kind,
        "before": record.before,
        "copy": copy,
        "after": list(record.after),
        "ours": list(record.ours),
        "entry": list(record.entry),
        "created": [list(pointer) for pointer in traces.created],
        "inner": _pairs(traces.inner),
        "replaced": _pairs(traces.replaced),
        "folders": list(record.folders),
    }


def _record(data: Mapping[str, Any]) -> Record:
    traces = Traces(
        created=tuple(tuple(pointer) for pointer in data["created"]),
        inner={tuple(pointer): str(text) for pointer, text in data["inner"]},
        replaced={tuple(pointer): str(text) for pointer, text in data["replaced"]},
    )
    return Record(
        path=str(data["path"]),
        root=str(data["root"]),
        kind=str(data["kind"]),
        before=data["before"],
        copy=None if data["copy"] is None else base64.b64decode(data["copy"]),
        after=tuple(data["after"]),
        ours=tuple(data["ours"]),
        entry=tuple(data["entry"]),
        traces=traces,
        folders=tuple(data["folders"]),
    )


def _pairs(texts: Mapping[Pointer, str]) -> list[list[object]]:
    return [[list(pointer), text] for pointer, text in texts.items()]
