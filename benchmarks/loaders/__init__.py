"""Loaders of public data sets, one file a layout, and where to find the files.

`MEMSTONE_BENCH_DATA` names the folder. A set is every file there whose name fits its pattern, so
the development part and the full public file are read by the same loader. The data itself is not
part of this project: most of it may be measured with, not passed on.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.loaders import beam, cmrc, locomo, memdaily

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from benchmarks.pools import DataSet

DATA_VARIABLE = "MEMSTONE_BENCH_DATA"
LOADERS: dict[str, tuple[tuple[str, ...], Callable[[Path], DataSet]]] = {
    "cmrc": (("cmrc*.json", "drcd*.json", "DRCD*.json"), cmrc.load),
    "locomo": (("locomo*.json",), locomo.load),
    "memdaily": (("memdaily*.json",), memdaily.load),
    "beam": (("beam*.json",), beam.load),
}


def data_folder(environ: Mapping[str, str] = os.environ) -> Path | None:
    """The folder with the public data, or None when it is not named or not there."""
    named = environ.get(DATA_VARIABLE)
    folder = Path(named) if named else None
    return folder if folder is not None and folder.is_dir() else None


def files(name: str, folder: Path) -> list[Path]:
    """The files of the data set `name` in `folder`, by name."""
    patterns, _ = LOADERS[name]
    return sorted({path for pattern in patterns for path in folder.glob(pattern)})


def load(name: str, path: Path) -> DataSet:
    """The data set `name` read from one of its files."""
    return LOADERS[name][1](path)
