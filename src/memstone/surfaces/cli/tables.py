"""What a person sees on a terminal, made with Rich; the only module that loads it.

Each function returns text, ready to be written: colours only if the terminal takes them and
NO_COLOR is not set. Texts of memories are data: nothing in them is markup, and what would steer
the terminal is spelt out.
"""

from __future__ import annotations

import contextlib
import json

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from memstone.surfaces.cli.output import harmless
from memstone.times import format_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import datetime

    from memstone.types import Change, Memory, RecallResult

EXCERPT = 240  # characters of a text in a list; `show` has all of it


def recalled(result: RecallResult, *, explain: bool) -> str:
    """The hits of a recall and what there is to know about them."""
    table = _table("score", "since", "kind", "id", "text")
    if explain:
        table.add_column("bm25", justify="right")
        table.add_column("coverage", justify="right")
        table.add_column("tokens", justify="right")
    for hit in result:
        cut = f"\n[shortened; memstone recover {hit.handle}]" if hit.handle else ""
        cells = [
            f"{hit.score:.2f}",
            _day(hit.memory.valid_from),
            hit.memory.kind.value,
            hit.id,
            hit.text + cut,
        ]
        if explain:
            cells += [
                f"{hit.signals.bm25:.3f}",
                f"{hit.signals.coverage:.2f}",
                f"{hit.tokens}/{hit.full_tokens}",
            ]
        _row(table, cells)
    of = "no budget" if result.budget is None else f"budget {result.budget}"
    noun = "memory" if len(result) == 1 else "memories"
    lines = [f"{len(result)} {noun}, {result.tokens} tokens ({result.basis}), {of}"]
    if result.omitted:
        lines.append(f"no room for {', '.join(result.omitted)}")
    lines += [f"degraded: {reason}" for reason in result.degraded]
    if explain:
        lines.append(f"signals: {', '.join(result.signals)}")
    return _rendered(table if len(result) else "nothing that matches", *lines)


def memories(found: Sequence[Memory]) -> str:
    """A list of memories, one row each, long texts cut."""
    table = _table("since", "kind", "id", "tags", "text")
    for memory in found:
        state = "".join(f" [{mark}]" for mark in _marks(memory))
        tags = ", ".join(memory.tags)
        text = _cut(memory.text)
        _row(table, [_day(memory.valid_from), memory.kind.value, memory.id, tags, text + state])
    return _rendered(table if found else "no memories", f"{len(found)} shown" if found else "")


def versions(chain: Sequence[Memory]) -> str:
    """The versions of one memory, oldest first."""
    table = _table("known from", "until", "true from", "id", "text")
    for memory in chain:
        until = "now" if memory.superseded_at is None else _minute(memory.superseded_at)
        _row(
            table,
            [
                _minute(memory.created_at),
                until,
                _minute(memory.valid_from),
                memory.id,
                _cut(memory.text),
            ],
        )
    return _rendered(table)


def changes(found: Sequence[Change]) -> str:
    """The change log, newest first."""
    table = _table("no.", "when", "who", "surface", "what", "memories", "fields")
    for change in found:
        ids = dict.fromkeys(row.id or f"row {row.row} (forgotten)" for row in change.rows)
        fields = dict.fromkeys(row.field for row in change.rows)
        _row(
            table,
            [
                str(change.number),
                _minute(change.at),
                change.actor,
                change.surface,
                f"{change.operation} {change.reason}".strip(),
                _cut("\n".join(ids)),
                ", ".join(fields),
            ],
        )
    return _rendered(table if found else "no changes")


def details(data: Mapping[str, object]) -> str:
    """One thing, a row for each of its fields."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for key, value in data.items():
        _row(table, [key.replace("_", " "), _spelt(value)])
    return _rendered(table)


def settings(found: Sequence[tuple[str, object, str]], *, origin: bool) -> str:
    """Every setting in force."""
    table = _table("setting", "value", *(["from"] if origin else []))
    for key, value, where in found:
        _row(table, [key, _spelt(value), *([where] if origin else [])])
    return _rendered(table)


@contextlib.contextmanager
def counter(what: str) -> Iterator[Callable[[int], None]]:
    """A bar on standard error that counts entries while they are read; it leaves no trace."""
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn())
    console = Console(stderr=True)
    with Progress(
        *columns,
        TextColumn("{task.completed}"),
        TimeElapsedColumn(),
        console=console,
        transient=True,
    ) as progress:
        task = progress.add_task(what, total=None)

        def count(done: int) -> None:
            progress.update(task, completed=done)

        yield count


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        fixed = column in ("id", "score", "kind", "since", "no.")
        table.add_column(column, no_wrap=fixed, overflow="fold", ratio=None if fixed else 1)
    return table


def _row(table: Table, cells: Sequence[str]) -> None:
    table.add_row(*(Text(harmless(cell)) for cell in cells))


def _rendered(*parts: Table | str) -> str:
    console = Console()
    with console.capture() as capture:
        for part in parts:
            if part:
                console.print(Text(harmless(part)) if isinstance(part, str) else part)
    return capture.get()


def _spelt(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _cut(text: str) -> str:
    return text if len(text) <= EXCERPT else text[: EXCERPT - 1] + "…"


def _marks(memory: Memory) -> Iterator[str]:
    if not memory.current:
        yield "superseded"
    if memory.pinned:
        yield "pinned"
    if memory.held:
        yield "held"
    if memory.archived:
        yield "archived"
    if memory.expires is not None:
        yield f"expires {_minute(memory.expires)}"


def _day(moment: datetime) -> str:
    return format_time(moment)[:10]


def _minute(moment: datetime) -> str:
    return format_time(moment)[:16].replace("T", " ")
