"""Figures, the one Markdown table they are printed in, and the JSON they are kept in.

A figure says what it is, in which unit, what stands beside it from the same run, and what the
project promises. The results file holds sections; a run replaces the sections it measured and
leaves the others, and each section carries the commit and the machine it was measured on. No
host name, path or user name is written.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

RESULTS = Path(__file__).parent / "results"
LATEST = RESULTS / "latest.json"
QUESTIONS = RESULTS / "questions"
LOCAL = RESULTS / "local"  # not committed
NOT_RUN = "not run"
COLUMNS = ("figure", "memstone", "FTS5 `bm25()`", "seed BM25", "ratio", "last", "target", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One line of the table. `value` None means it was not run, and `note` says why.

    `ratio` is how many times better than FTS5 ours is in the same run (> 1: better). `least` and
    `aim` bound the ratio if `judged` is "ratio", else the value; `lower_is_better` is about the
    value alone.
    """

    key: str
    what: str
    unit: str
    value: float | None = None
    low: float | None = None  # 95 % interval
    high: float | None = None
    n: int | None = None
    fts5: float | None = None
    seed: float | None = None
    ratio: float | None = None
    least: float | None = None
    aim: float | None = None
    judged: str = "value"
    lower_is_better: bool = False
    note: str = ""
    detail: bool = False  # kept in the file, left out of the table


def not_run(key: str, what: str, why: str) -> Figure:
    """The figure that says a measurement did not happen, and why."""
    return Figure(key=key, what=what, unit="", note=why)


def blanked(figure: Figure, why: str) -> Figure:
    """The same line without any measurement: it was not run this time, and why."""
    kept = {name: getattr(figure, name) for name in ("key", "what", "unit", "least", "aim")}
    return Figure(
        **kept,
        judged=figure.judged,
        lower_is_better=figure.lower_is_better,
        note=why,
        detail=figure.detail,
    )


def verdict(figure: Figure) -> str:
    """How the figure stands to its promise: "aim met", "met", "**missed**", or nothing.

    >>> verdict(Figure(key="k", what="w", unit="ms", value=5, least=8, aim=3, lower_is_better=True))
    'met'
    """
    judged = figure.ratio if figure.judged == "ratio" else figure.value
    if judged is None or figure.least is None:
        return ""
    sign = -1 if figure.judged == "value" and figure.lower_is_better else 1
    if figure.aim is not None and sign * judged >= sign * figure.aim:
        return "aim met"
    return "met" if sign * judged >= sign * figure.least else "**missed**"


def render_table(figures: Iterable[Figure], last: Mapping[str, Figure] | None = None) -> str:
    """The Markdown table of `figures`, the committed ones of `last` beside them."""
    last = last or {}
    lines = [_line(COLUMNS), _line(["---"] * len(COLUMNS))]
    lines += [_line(_row(f, last.get(f.key))) for f in figures if not f.detail]
    return "\n".join(lines) + "\n"


def _row(figure: Figure, last: Figure | None) -> list[str]:
    before = "" if last is None or last.value is None else _number(last.value)
    if last is not None and figure.judged == "ratio" and last.ratio is not None:
        before = f"{before} ({last.ratio:.1f}×)"
    remarks = [remark for remark in (verdict(figure), figure.note) if remark]
    return [
        figure.what if not figure.unit else f"{figure.what}, {figure.unit}",
        _measured(figure),
        _number(figure.fts5),
        _number(figure.seed),
        "" if figure.ratio is None else f"{figure.ratio:.1f}×",
        before,
        _target(figure),
        "; ".join(remarks),
    ]


def _measured(figure: Figure) -> str:
    if figure.value is None:
        return NOT_RUN
    if figure.low is None or figure.high is None:
        return _number(figure.value)
    return f"{_number(figure.value)} [{_number(figure.low)}, {_number(figure.high)}]"


def _target(figure: Figure) -> str:
    if figure.least is None:
        return ""
    sign = "≤" if figure.lower_is_better and figure.judged == "value" else "≥"
    unit = "×" if figure.judged == "ratio" else ""
    aim = "" if figure.aim is None else f", aim {_plain(figure.aim)}{unit}"
    return f"{sign} {_plain(figure.least)}{unit}{aim}"


def _plain(value: float) -> str:
    return f"{value:,.3f}".rstrip("0").rstrip(".")


def _number(value: float | None) -> str:
    """Three significant places or more: `.967` as 0.967, 8.03, 25.4, 1,532."""
    if value is None:
        return ""
    if abs(value) < 1:
        return f"{value:.3f}"
    places = 2 if abs(value) < 10 else 1 if abs(value) < 100 else 0
    return f"{value:,.{places}f}"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def machine() -> dict[str, str | int]:
    """What the figures depend on, without anything that names a person or a place."""
    return {
        "cpus": os.cpu_count() or 0,
        "architecture": platform.machine(),
        "system": platform.system(),
        "python": platform.python_version(),
        "sqlite": apsw.sqlite_lib_version(),
    }


def commit() -> str:
    """The short commit of the working tree, "+changes" when it differs, "unknown" without git."""
    git = ["git", "--no-optional-locks", "-C", str(Path(__file__).parent)]
    try:
        head = _run([*git, "rev-parse", "--short=12", "HEAD"])
        changed = _run([*git, "status", "--porcelain"])
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return f"{head}+changes" if changed else head


def _run(command: list[str]) -> str:
    done = subprocess.run(command, check=True, capture_output=True, encoding="utf-8")
    return done.stdout.strip()


def read_results(path: Path) -> dict[str, Any]:
    """The results file, empty when there is none."""
    if not path.exists():
        return {"schema": 1, "sections": {}}
    results: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return results


def section_figures(results: Mapping[str, Any], name: str) -> list[Figure]:
    """The figures of one section of a results file, in order; none if it has no such section."""
    section = results["sections"].get(name, {"figures": []})
    return [Figure(**entry) for entry in section["figures"]]


def figures_of(results: Mapping[str, Any]) -> dict[str, Figure]:
    """Every figure of a results file by key."""
    every = (section_figures(results, name) for name in results["sections"])
    return {figure.key: figure for figures in every for figure in figures}


def merge(
    results: Mapping[str, Any], sections: Mapping[str, Sequence[Figure]], *, stamp: str
) -> dict[str, Any]:
    """The results with the measured `sections` replaced and stamped.

    A section of which nothing ran replaces nothing: "not run" must not erase a figure.
    """
    kept = dict(results["sections"])
    for name, figures in sections.items():
        if name in kept and all(figure.value is None for figure in figures):
            continue
        kept[name] = {
            "commit": stamp,
            "machine": machine(),
            "figures": [_compact(figure) for figure in figures],
        }
    return {"schema": 1, "sections": dict(sorted(kept.items()))}


def _compact(figure: Figure) -> dict[str, Any]:
    """The fields that say something: defaults are left out, floats cut to six places."""
    plain = Figure(key=figure.key, what=figure.what, unit=figure.unit)
    defaults = asdict(plain)
    required = ("key", "what", "unit")
    return {
        name: round(value, 6) if isinstance(value, float) else value
        for name, value in asdict(figure).items()
        if name in required or value != defaults[name]
    }


def write_json(path: Path, value: object) -> None:
    """`value` as JSON, through a temporary name, so that a kill leaves the old file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    text = json.dumps(value, ensure_ascii=False, indent=1) + "\n"
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)


def write_lines(path: Path, records: Iterable[Mapping[str, object]]) -> None:
    """One JSON record a line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def progress(message: str) -> None:
    """A line for the person who waits; stdout is kept for the table."""
    print(message, file=sys.stderr, flush=True)
