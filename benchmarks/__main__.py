"""`python -m benchmarks`: run the chosen benchmarks, print one table, keep every figure.

Without a choice everything runs. Results go to `benchmarks/results/local/`; `--save` also makes
them the figures that later runs are compared with (`benchmarks/results/latest.json`). What could
not run says so in its row and never replaces a figure.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import (
    ablation,
    holding,
    hooks,
    learning,
    loaders,
    mcp,
    negatives,
    quality,
    report,
    speed,
    start,
    writes,
)
from benchmarks.metrics import PoolTooSmallError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from benchmarks.report import Figure

STANDARD = 100_000
MILLION = 1_000_000
QUICK = 5_000
NEW_PROCESSES: dict[str, Callable[..., list[Figure]]] = {
    "start": start.measure,
    "hooks": hooks.measure,
    "mcp": mcp.measure,
}
SPEED = ("speed", *NEW_PROCESSES, "writes")
OVER_ALL_SETS = {
    "floor": negatives.measure,
    "ablation": ablation.measure,
    "holding": holding.measure,
    "learning": learning.measure,
}
CHOICES = (*SPEED, *loaders.LOADERS, *OVER_ALL_SETS)


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    made.add_argument("what", nargs="*", metavar="WHAT", help=f"any of {', '.join(CHOICES)}")
    made.add_argument("--million", action="store_true", help="speed also at 1,000,000 memories")
    made.add_argument(
        "--quick", action="store_true", help="a smoke run: 5,000 memories, few questions; not saved"
    )
    made.add_argument("--save", action="store_true", help="make these the committed figures")
    made.add_argument(
        "--committed", action="store_true", help="print the committed figures; run nothing"
    )
    made.add_argument("--promised", action="store_true", help="print only figures with a target")
    made.add_argument("--output", type=Path, help="folder for the results")
    return made


def main(argv: Sequence[str] | None = None) -> int:
    """Run and print; 0 when everything asked for ran or said why not, 1 on a refused run."""
    made = parser()
    options = made.parse_args(argv)
    unknown = sorted(set(options.what) - set(CHOICES))
    if unknown:
        made.error(f"unknown: {', '.join(unknown)} (choose from {', '.join(CHOICES)})")
    if options.quick and (options.save or options.million):
        made.error("--quick is not for keeping: leave out --save and --million")
    last = report.read_results(report.LATEST)
    known = report.figures_of(last)
    if options.committed:
        sys.stdout.write(report.render_table(_chosen(known.values(), options)))
        return 0
    names = [name for name in CHOICES if not options.what or name in options.what]
    sections, refused = {}, False
    for name in names:
        try:
            sections[name] = _section(name, options)
        except PoolTooSmallError as error:
            print(f"refused: {name}: {error}", file=sys.stderr)
            sections[name], refused = [report.not_run(name, name, f"refused: {error}")], True
    shown = [figure for name, part in sections.items() for figure in _with_last(name, part, last)]
    sys.stdout.write(report.render_table(_chosen(shown, options), known))
    stamp = report.commit()
    measured = report.merge({"sections": {}}, sections, stamp=stamp)
    report.write_json(_output(options) / "run.json", measured)
    if options.save:
        report.write_json(report.LATEST, report.merge(last, sections, stamp=stamp))
    return int(refused)


def _chosen(figures: Iterable[Figure], options: argparse.Namespace) -> list[Figure]:
    return [f for f in figures if f.least is not None or not options.promised]


def _output(options: argparse.Namespace) -> Path:
    if options.output is not None:
        return Path(options.output)
    return report.LOCAL / "quick" if options.quick else report.LOCAL


def _section(name: str, options: argparse.Namespace) -> list[Figure]:
    """The figures of one choice."""
    report.progress(f"{name} …")
    size = QUICK if options.quick else STANDARD
    if name == "speed":
        return _speed(size, options)
    if name in NEW_PROCESSES:
        return NEW_PROCESSES[name](size, runs=5 if options.quick else 15)
    if name == "writes":
        return writes.measure(remembers=30, imported=1_000) if options.quick else writes.measure()
    if name in OVER_ALL_SETS:
        at_most = 10 if options.quick else None
        return OVER_ALL_SETS[name](loaders.data_folder(), at_most=at_most)
    return _retrieval(name, options)


def _speed(size: int, options: argparse.Namespace) -> list[Figure]:
    figures = speed.measure(size, queries=40 if options.quick else 150)
    if options.million:
        return [*figures, *speed.measure(MILLION)]
    what = f"{MILLION:,} memories, exact top {speed.LIMIT} for {speed.TERMS} terms, p50"
    return [*figures, report.not_run(f"speed.{MILLION}.lexical.p50", what, "needs `--million`")]


def _retrieval(name: str, options: argparse.Namespace) -> list[Figure]:
    folder = loaders.folder_of(name)
    if folder is None:
        return [report.not_run(name, name, f"`{loaders.DATA_VARIABLE}` names no folder")]
    paths = loaders.files(name, folder)
    if not paths:
        return [report.not_run(name, name, f"no such file in `{loaders.DATA_VARIABLE}`")]
    figures: list[Figure] = []
    for path in paths:
        runs = quality.run(loaders.load(name, path), at_most=10 if options.quick else None)
        figures += quality.figures(name, runs)
        file = f"{runs.data.name}.jsonl"
        report.write_lines(_output(options) / "questions" / file, quality.question_lines(runs))
        if options.save:
            report.write_lines(report.QUESTIONS / file, quality.rank_lines(runs))
    return figures


def _with_last(name: str, figures: list[Figure], last: dict[str, Any]) -> list[Figure]:
    """A section that did not run shows the rows of its committed figures, each "not run"."""
    committed = report.section_figures(last, name)
    if not committed or any(figure.value is not None for figure in figures):
        return figures
    why = figures[0].note
    return [report.blanked(figure, why) for figure in committed]


if __name__ == "__main__":
    sys.exit(main())
