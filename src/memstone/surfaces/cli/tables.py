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
from memstone.types import ID_PREFIX, SIGNALS, Stage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import datetime

    from memstone.types import (
        Change,
        Explanation,
        Feedback,
        FloorCheck,
        HeldMemory,
        Hit,
        Memory,
        PossibleConflict,
        RecallResult,
        Room,
        Signals,
        Standing,
        Status,
        StoredSession,
    )

SHORT_ID = len(ID_PREFIX) + 10  # 40 bits: among 100,000 memories two share them once in 200 times
FACTORS = ("freshness", "asking")
NOT_ADDED = frozenset({"coverage", "evidence", *FACTORS})  # every other signal adds to a score
ABREAST = 6  # hits side by side in a table of signals
SCORE_IS = "the floor (--min-score) looks at evidence, which rests on coverage"
EXCERPT = 240  # characters of a text in a list; `show` has all of it


def recalled(result: RecallResult, *, explain: bool) -> str:
    """The hits of a recall and what there is to know about them."""
    table = _table("score", "since", "kind", "id", "text")
    for hit in result:
        cut = f"\n[shortened; memstone recover {hit.handle}]" if hit.handle else ""
        _row(
            table,
            [
                f"{hit.score:.2f}",
                _day(hit.memory.valid_from),
                hit.memory.kind.value,
                short(hit.id),
                hit.text.strip("\r\n") + cut,
            ],
        )
    of = "no budget" if result.budget is None else f"budget {result.budget}"
    noun = "memory" if len(result) == 1 else "memories"
    lines = [f"{len(result)} {noun}, {result.tokens} tokens ({result.basis}), {of}"]
    if result.omitted:
        lines.append(f"no room for {', '.join(map(short, result.omitted))}")
    lines += [f"degraded: {reason}" for reason in result.degraded]
    if not len(result):
        nothing = "nothing that matches" if not result.omitted else "nothing that fits the budget"
        return _rendered(nothing, *lines)
    if not explain:
        return _rendered(table, *lines)
    hits = list(enumerate(result, 1))
    parts = [_signals_of(hits[at : at + ABREAST]) for at in range(0, len(hits), ABREAST)]
    return _rendered(table, *lines, "\n", *parts, SCORE_IS)


def _signals_of(hits: Sequence[tuple[int, Hit]]) -> Table:
    """A row a signal, a column a hit: its part of the score, and that part in per cent."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("signal", no_wrap=True)
    for number, _ in hits:
        table.add_column(f"#{number}", justify="right", no_wrap=True)
    sums = [_sum_of_parts(hit.signals) for _, hit in hits]
    for name in (name for name in SIGNALS if name not in NOT_ADDED):
        values = [getattr(hit.signals, name) for _, hit in hits]
        shares = (_share(value, whole) for value, whole in zip(values, sums, strict=True))
        _row(table, [name, *shares])
    for name in FACTORS:
        factors = (getattr(hit.signals, name) for _, hit in hits)
        _row(table, [f"× {name}", *(f"{factor:.3f}    " for factor in factors)])
    _row(table, ["= score", *(f"{hit.score:.2f}    " for _, hit in hits)])
    for name in ("coverage", "evidence"):
        _row(table, [name, *(f"{getattr(hit.signals, name):.2f}    " for _, hit in hits)])
    tokens = (f"{hit.tokens}" + f"/{hit.full_tokens}" * bool(hit.handle) for _, hit in hits)
    _row(table, ["tokens", *(f"{counted}    " for counted in tokens)])
    return table


def _sum_of_parts(signals: Signals) -> float:
    return float(sum(getattr(signals, name) for name in SIGNALS if name not in NOT_ADDED))


def _share(value: float, whole: float) -> str:
    return f"{value:.2f} {value / whole:>4.0%}" if value else "–    "


def explained(told: Explanation) -> str:
    """Why a memory was or was not recalled: the sentence, then a row for each stage."""
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for stage, passed, said in _stages(told):
        _row(table, ["–" if passed is None else "yes" if passed else "no", stage.value, said])
    memory = f"{told.memory.kind.value} {told.id}: {_cut(told.memory.text)}"
    return _rendered(told.verdict, "", memory, "", table)


def _stages(told: Explanation) -> Iterator[tuple[Stage, bool | None, str]]:
    """Each stage: whether it was passed (None: not reached) and what there is to say of it."""
    later = "not reached"
    hidden = [each.value.replace("_", " ") for each in told.obstacles]
    if told.memory.superseded_by is not None:
        hidden += [f"the newer version is {short(told.memory.superseded_by)}"]
    scope = "in scope, valid and indexed" if told.obstacles == () else "; ".join(hidden)
    yield Stage.VISIBLE, not told.obstacles, scope
    rejected = told.rejected_by
    said = later if rejected is None else ", ".join(rejected) or "no condition rejects it"
    yield Stage.FILTER, None if rejected is None else not rejected, said
    words = told.terms
    if words is None:
        yield Stage.TERMS, None, later
    else:
        places = (
            ("has", words.own),
            ("lent by turns around it", words.lent),
            ("in another part of it", words.elsewhere),
            ("misses", words.missing),
            ("not looked for", words.ignored),
        )
        said = "; ".join(f"{name}: {_cut(', '.join(found))}" for name, found in places if found)
        yield Stage.TERMS, words.passed, said or "the question has no word to look for"
    yield Stage.FLOOR, _passed(told.floor), _floor(told.floor) or later
    yield Stage.RANK, _passed(told.rank), _standing(told.rank) or later
    yield Stage.BUDGET, _passed(told.budget), _room(told.budget) or later


def _passed(stage: FloorCheck | Standing | Room | None) -> bool | None:
    return None if stage is None else stage.passed


def _floor(floor: FloorCheck | None) -> str:
    if floor is None:
        return ""
    found = f"covers {floor.coverage:.2f} of the question"
    return f"{found}, evidence {floor.evidence:.2f}, floor {floor.min_score:.2f}"


def _standing(rank: Standing | None) -> str:
    if rank is None:
        return ""
    by = "" if rank.weighed else " by its words alone"
    said = f"number {rank.place} of {rank.of}, limit {rank.limit}, score {rank.score:.2f}{by}"
    last = "nothing came through" if rank.last_score is None else f"{rank.last_score:.2f}"
    return f"{said}; the last one within the limit: {last}"


def _room(room: Room | None) -> str:
    if room is None:
        return ""
    of = "no budget" if room.budget is None else f"budget {room.budget}"
    tokens = f"{room.tokens} of its {room.full_tokens} tokens"
    return f"{room.fate.value}: {tokens}, {room.used} used by all, {of}"


def verdicts(found: Sequence[Feedback]) -> str:
    """What was said of memories as answers."""
    table = _table("when", "verdict", "id", "query")
    for said in found:
        _row(table, [_minute(said.at), said.verdict.value, short(said.id), _cut(said.query)])
    return _rendered(table if found else "no verdicts")


def short(id: str) -> str:  # noqa: A002
    """An id for people: `mem_` and ten digits, which every command takes for the whole one.

    >>> short("mem_e0bfc8f430c9ecb136846814418f3e89"), short("D1:3")
    ('mem_e0bfc8f430', 'D1:3')
    """
    return id[:SHORT_ID] if id.startswith(ID_PREFIX) else id


def memories(found: Sequence[Memory]) -> str:
    """A list of memories, one row each, long texts cut."""
    table = _table("since", "kind", "id", "tags", "text")
    for memory in found:
        state = "".join(f" [{mark}]" for mark in _marks(memory))
        tags = ", ".join(memory.tags)
        text = _cut(memory.text)
        _row(
            table,
            [_day(memory.valid_from), memory.kind.value, short(memory.id), tags, text + state],
        )
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
                short(memory.id),
                _cut(memory.text),
            ],
        )
    return _rendered(table)


def changes(found: Sequence[Change]) -> str:
    """The change log, newest first."""
    table = _table("no.", "when", "who", "surface", "what", "memories", "fields")
    for change in found:
        ids = dict.fromkeys(
            short(row.id) if row.id else f"row {row.row} (forgotten)" for row in change.rows
        )
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


def held(found: Sequence[HeldMemory]) -> str:
    """What is held back, and why."""
    table = _table("since", "id", "from", "reads like", "text")
    for one in found:
        memory = one.memory
        origin = f"{memory.provenance.source}, {memory.provenance.trust.value}"
        reasons = ", ".join(reason.replace("_", " ") for reason in one.reasons)
        cells = [_day(memory.valid_from), short(memory.id), origin, reasons, _cut(memory.text)]
        _row(table, cells)
    return _rendered(table if found else "nothing is held back")


def conflicts(found: Sequence[PossibleConflict]) -> str:
    """Pairs that may contradict one another."""
    table = _table("conflict", "why", "older", "newer")
    for one in found:
        cells = [
            str(one.number),
            one.reason.replace("-", " "),
            f"{short(one.older.id)} {_day(one.older.valid_from)} {_cut(one.older.text)}",
            f"{short(one.newer.id)} {_day(one.newer.valid_from)} {_cut(one.newer.text)}",
        ]
        _row(table, cells)
    return _rendered(table if found else "nothing that contradicts anything")


def status(found: Status, most: int) -> str:
    """What runs on a store, with at most so many sessions."""
    counts, waiting = found.statistics, found.pending
    off = {"paused": "paused: hooks and MCP tools are off (memstone resume)"}
    stored = f"{counts.current} current memories, {counts.superseded} superseded"
    lines = [
        f"store: {found.path or 'none'}",
        f"{stored}, {counts.held} held, {counts.archived} archived",
        (
            f"pending: {waiting.transcripts} transcripts, {waiting.unindexed} memories to index, "
            f"{waiting.conversations} conversations, {waiting.unsettled} memories to compare"
        ),
    ]
    if found.off is not None:
        lines.append(off.get(found.off, f"{found.off} in this project: hooks and tools are off"))
    table = _table("last", "client", "session", "injected tokens", "memories", "turns stored")
    for use in found.sessions:
        sums = use.counts
        numbers = (sums.injected_tokens, sums.injected_memories, sums.stored)
        _row(table, [_minute(use.last_at), use.client, use.session, *map(str, numbers)])
    clients = table if found.sessions else "no sessions of clients yet"
    return _rendered(*lines, clients, *_stored(found.stored, most))


def _stored(found: Sequence[StoredSession], most: int) -> list[Table | str]:
    """The sessions that memories name, if any do."""
    if not found:
        return []
    table = _table("last stored", "session", "memories")
    for one in found:
        _row(table, [_minute(one.last_at), one.session, str(one.memories)])
    more = f"the latest {most}; more with --sessions N" if len(found) == most else ""
    return ["memories were stored in these (memstone undo --session NAME):", table, more]


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
    """A bar on standard error that counts entries while they are read; it leaves no trace.

    It appears with the first entry: a file that cannot be read shows none.
    """
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn())
    progress = Progress(
        *columns,
        TextColumn("{task.completed}"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    task = progress.add_task(what, total=None)

    def count(done: int) -> None:
        progress.start()  # again does nothing
        progress.update(task, completed=done)

    try:
        yield count
    finally:
        progress.stop()


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
    """A value in words, lists and objects without the signs of JSON.

    >>> _spelt({"user": "ana", "project": "", "tags": ["a", "b"]})
    'user ana, tags a b'
    """
    if isinstance(value, dict):
        told = ((key.replace("_", " "), _spelt(each)) for key, each in value.items())
        return ", ".join(f"{key} {each}" for key, each in told if each)
    if isinstance(value, list | tuple):
        return " ".join(map(_spelt, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _cut(text: str) -> str:
    shown = text.strip()
    return shown if len(shown) <= EXCERPT else shown[: EXCERPT - 1] + "…"


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
