"""Loaders of data sets, one file a layout, and where to find the files.

`MEMSTONE_BENCH_DATA` names the folder of the public ones. A set is every file there whose name
fits its pattern, so the development part and the full public file are read by the same loader.
The public data itself is not part of this project: most of it may be measured with, not passed
on. Our own bilingual set is, and is always there.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.loaders import beam, bilingual, cmrc, locomo, longmemeval, memdaily

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from benchmarks.pools import DataSet

DATA_VARIABLE = "MEMSTONE_BENCH_DATA"
LOADERS: dict[str, tuple[tuple[str, ...], Callable[[Path], DataSet]]] = {
    "bilingual": (("bilingual",), bilingual.load),
    "cmrc": (("cmrc*.json", "drcd*.json", "DRCD*.json"), cmrc.load),
    "locomo": (("locomo*.json",), locomo.load),
    "memdaily": (("memdaily*.json",), memdaily.load),
    "beam": (("beam*.json",), beam.load),
    "longmemeval": (("longmemeval*.json",), longmemeval.load),
}
SHIPPED = {"bilingual": Path(__file__).parent}  # the sets that are part of the project, and where


def data_folder(environ: Mapping[str, str] = os.environ) -> Path | None:
    """The folder with the public data, or None when it is not named or not there."""
    named = environ.get(DATA_VARIABLE)
    folder = Path(named) if named else None
    return folder if folder is not None and folder.is_dir() else None


def folder_of(name: str, environ: Mapping[str, str] = os.environ) -> Path | None:
    """The folder with the files of the data set `name`; None when it is a public one's, missing."""
    return SHIPPED.get(name) or data_folder(environ)


def files(name: str, folder: Path) -> list[Path]:
    """The files of the data set `name` in `folder`, by name."""
    patterns, _ = LOADERS[name]
    return sorted({path for pattern in patterns for path in folder.glob(pattern)})


def load(name: str, path: Path) -> DataSet:
    """The data set `name` read from one of its files."""
    return LOADERS[name][1](path)
