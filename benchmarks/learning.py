"""What becomes of conversations and statements: cards, changed facts, near duplicates.

How the sets in `benchmarks/data` were written and by whom stands there; a quarter of each (`held`)
was set aside and is measured beside the rest (`dev`). Everything goes through the
public API with default settings: statements by two remembers and a flush, snippets by an ingest and
a flush, and the dialogues of LoCoMo by an import with and without cards. A question counts a card
as its gold turn where the card cites that turn.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import memstone
from benchmarks import loaders
from benchmarks.metrics import estimate
from benchmarks.pools import NO_ANSWER
from benchmarks.quality import NOW
from benchmarks.report import Figure, not_run, progress
from benchmarks.speed import turns as corpus_turns
from benchmarks.workspace import default_engine, scratch
from memstone.tokens import EstimatedTokens
from memstone.types import Kind, Trust, Turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from benchmarks.pools import Pool
    from memstone.engine import Engine

DATA = Path(__file__).parent / "data"
DEV, HELD = "dev", "held"
SUPERSEDE = "supersede"
DEPTH = 10
INGESTED = 10_000
LEAST_CONFLICTS, AIM_CONFLICTS = 0.90, 0.95
LEAST_PRECISION, AIM_PRECISION = 0.98, 0.99
LEAST_RECALL, AIM_RECALL = 0.80, 0.90
LEAST_SMALL_TALK, AIM_SMALL_TALK = 0.10, 0.05
LEAST_LOST, AIM_LOST = 0.10, 0.05
LEAST_TOKENS, AIM_TOKENS = 0.35, 0.25
LEAST_DURABLE, AIM_DURABLE = 500.0, 1_500.0
LEAST_CARDED, AIM_CARDED = 100.0, 300.0


@dataclass(slots=True)
class Tally:
    """Right and wrong decisions, and the ids of the wrong ones."""

    right: int = 0
    wrong: list[str] = field(default_factory=list)
    retired: list[str] = field(default_factory=list)  # a true fact became history

    @property
    def total(self) -> int:
        return self.right + len(self.wrong)

    @property
    def share(self) -> float:
        return self.right / self.total


def measure(folder: Path | None, *, at_most: int | None = None) -> list[Figure]:
    """All figures; those of LoCoMo need its file in `folder`."""
    figures: list[Figure] = []
    for split in (DEV, HELD):
        progress(f"learning: sets, {split} …")
        figures += _of_conflicts(split, at_most)
        figures += _of_duplicates(split, at_most)
        figures += _of_snippets(split, at_most)
    figures += _of_ingest(INGESTED if at_most is None else 500)
    return [*figures, *_of_dialogues(folder, at_most), *_of_cards(folder, at_most)]


def entries(name: str, split: str) -> Iterator[dict[str, Any]]:
    """The entries of a set in that split."""
    with (DATA / name).open(encoding="utf-8") as file:
        for line in file:
            entry = json.loads(line)
            if entry["split"] == split:
                yield entry


def _of_conflicts(split: str, at_most: int | None) -> list[Figure]:
    tally = judge_conflicts(list(entries("conflicts.jsonl", split))[:at_most])
    return [
        Figure(
            key=f"learning.conflicts.{split}",
            what=f"changed facts, {split}: right action",
            unit="share",
            value=tally.share,
            n=tally.total,
            least=LEAST_CONFLICTS,
            aim=AIM_CONFLICTS,
        ),
        Figure(
            key=f"learning.retired.{split}",
            what=f"changed facts, {split}: true facts retired",
            unit="facts",
            value=len(tally.retired),
            n=tally.total,
            least=0,
            lower_is_better=True,
        ),
    ]


def judge_conflicts(wanted: Iterable[dict[str, Any]]) -> Tally:
    """Whether each pair came out as it is labelled."""
    tally = Tally()
    for entry in wanted:
        superseded = _superseded(entry)
        if superseded == (entry["action"] == SUPERSEDE):
            tally.right += 1
            continue
        tally.wrong.append(entry["id"])
        if superseded:
            tally.retired.append(entry["id"])
    return tally


def _superseded(entry: dict[str, Any]) -> bool:
    """Whether the first text became history when the second came; for a replay, whether the second
    became history when the first came again.
    """
    with memstone.open(":memory:", background=False) as engine:
        first = engine.remember(entry["first"], **_given(entry.get("first_meta")))
        if entry.get("replay"):
            second = engine.supersede(first.id, entry["second"])
            with contextlib.suppress(memstone.TextIsHistory):
                engine.remember(entry["first"], **_given(entry.get("first_meta")))
            engine.flush()
            return not engine.get(second.id).current
        engine.remember(entry["second"], **_given(entry.get("second_meta")))
        report = engine.flush()
        gone = not engine.get(first.id).current
        return gone and first.id not in report.merged


def _given(meta: dict[str, Any] | None) -> dict[str, Any]:
    return {name: value for name, value in (meta or {}).items() if value is not None}


def _of_duplicates(split: str, at_most: int | None) -> list[Figure]:
    found = judge_duplicates(list(entries("near_duplicates.jsonl", split))[:at_most])
    joined, pairs = found["tp"] + found["fp"], found["tp"] + found["fn"]
    return [
        Figure(
            key=f"learning.duplicates.precision.{split}",
            what=f"near duplicates, {split}: precision",
            unit="share",
            value=found["tp"] / joined if joined else None,
            n=joined,
            least=LEAST_PRECISION,
            aim=AIM_PRECISION,
        ),
        Figure(
            key=f"learning.duplicates.recall.{split}",
            what=f"near duplicates, {split}: recall",
            unit="share",
            value=found["tp"] / pairs if pairs else None,
            n=pairs,
            least=LEAST_RECALL,
            aim=AIM_RECALL,
        ),
    ]


def judge_duplicates(wanted: Iterable[dict[str, Any]]) -> Counter[str]:
    """How many pairs were joined and should be, and so on: `tp`, `fp`, `fn`, `tn`; and ids."""
    found: Counter[str] = Counter()
    for entry in wanted:
        with memstone.open(":memory:", background=False) as engine:
            engine.remember(entry["first"])
            engine.remember(entry["second"])
            joined = bool(engine.flush().merged)
        label = ("tp" if joined else "fn") if entry["duplicate"] else ("fp" if joined else "tn")
        found[label] += 1
        if label in {"fp", "fn"}:
            found[f"{label}:{entry['id']}"] = 1
    return found


def _of_snippets(split: str, at_most: int | None) -> list[Figure]:
    kept = [_learnt(entry) for entry in list(entries("small_talk.jsonl", split))[:at_most]]
    important = list(entries("important.jsonl", split))[:at_most]
    lost = [not survives(entry) for entry in important]
    return [
        Figure(
            key=f"learning.small_talk.{split}",
            what=f"snippets of small talk, {split}: kept",
            unit="share",
            value=sum(bool(cards) for cards in kept) / len(kept),
            n=len(kept),
            least=LEAST_SMALL_TALK,
            aim=AIM_SMALL_TALK,
            lower_is_better=True,
        ),
        Figure(
            key=f"learning.lost.{split}",
            what=f"important statements, {split}: lost",
            unit="share",
            value=sum(lost) / len(lost),
            n=len(lost),
            least=LEAST_LOST,
            aim=AIM_LOST,
            lower_is_better=True,
        ),
    ]


def survives(entry: dict[str, Any]) -> bool:
    """Whether the statement stands on a card: whole, or without what opens and ends it."""
    wanted = entry["statement"]["text"].strip(" .,!?。，！？;；")
    return any(_is_on(wanted, card) for card in _learnt(entry))


def _is_on(wanted: str, card: str) -> bool:
    if wanted in card:
        return True
    pieces = [piece.strip(" .,!?。，！？") for piece in card.splitlines()]
    return any(len(piece) >= len(wanted) / 2 and piece in wanted for piece in pieces if piece)


def _learnt(entry: dict[str, Any]) -> list[str]:
    """What was made of one snippet as a conversation of its own: its card and statements."""
    turns = [
        Turn(
            text=turn["text"],
            speaker=turn["speaker"],
            ordinal=number,
            at=turn.get("at"),
            trust=Trust.AGENT if turn["speaker"] == "assistant" else Trust.USER,
        )
        for number, turn in enumerate(entry["turns"], start=1)
    ]
    with memstone.open(":memory:", background=False) as engine:
        engine.ingest(turns, session_id="s", end=True)
        engine.flush()
        return [one.text for one in engine.list(limit=None) if one.kind is not Kind.TURN]


def _of_ingest(count: int) -> list[Figure]:
    batch = list(corpus_turns(count))  # making the texts is not part of it
    with scratch() as folder, default_engine(folder / "store") as engine:
        started = time.perf_counter()
        engine.ingest(batch, source="benchmark", end=True)
        durable = time.perf_counter() - started
        engine.flush()
        carded = time.perf_counter() - started - durable
    return [
        Figure(
            key="learning.ingest.durable",
            what=f"ingest of {count:,} turns: durable",
            unit="turns/s wall",
            value=count / durable,
            n=count,
            least=LEAST_DURABLE,
            aim=AIM_DURABLE,
        ),
        Figure(
            key="learning.ingest.carded",
            what=f"ingest of {count:,} turns: cards, duplicates and conflicts done",
            unit="turns/s wall",
            value=count / carded,
            n=count,
            least=LEAST_CARDED,
            aim=AIM_CARDED,
        ),
    ]


def _of_dialogues(folder: Path | None, at_most: int | None) -> list[Figure]:
    """Facts that became history in MemDaily, where people talk and nothing they say of anybody
    changes: each trajectory's messages, one after the other, into a store of their own.
    """
    what = "MemDaily: messages of people who change nothing, facts retired"
    paths = [] if folder is None else loaders.files("memdaily", folder)
    if not paths:
        return [not_run("learning.dialogues", what, f"no file in `{loaders.DATA_VARIABLE}`")]
    told: dict[str, list[str]] = {}
    for pool in loaders.load("memdaily", paths[0]).pools:
        for item in pool.items:
            told.setdefault(f"{pool.name} {item.id.partition(':')[0]}", []).append(item.text)
    progress("learning: MemDaily …")
    retired = sum(_retired(texts) for texts in list(told.values())[:at_most])
    return [
        Figure(
            key="learning.dialogues",
            what=what,
            unit="facts",
            value=retired,
            n=sum(map(len, list(told.values())[:at_most])),
            least=0,
            lower_is_better=True,
        )
    ]


def _retired(texts: Iterable[str]) -> int:
    """How many of those statements replaced another one."""
    with memstone.open(":memory:", background=False) as engine:
        return sum(len(engine.remember(text).replaced) for text in texts)


def _of_cards(folder: Path | None, at_most: int | None) -> list[Figure]:
    what = f"LoCoMo: gold turn, or a card citing it, in the top {DEPTH}"
    paths = [] if folder is None else loaders.files("locomo", folder)
    if not paths:
        return [not_run("learning.cards", what, f"no file in `{loaders.DATA_VARIABLE}`")]
    alone: list[float] = []
    beside: list[float] = []
    tokens = [0, 0]
    for pool in loaders.load("locomo", paths[0]).pools[:at_most]:
        alone += _shares(pool, tokens, cards=False, at_most=at_most)
        beside += _shares(pool, tokens, cards=True, at_most=at_most)
    told, bare = estimate(beside), estimate(alone)
    return [
        Figure(
            key="learning.cards.turns_alone",
            what=f"{what}, turns alone",
            unit="share",
            value=bare.mean,
            low=bare.low,
            high=bare.high,
            n=len(alone),
        ),
        Figure(
            key="learning.cards.beside",
            what=f"{what}, with cards",
            unit="share",
            value=told.mean,
            low=told.low,
            high=told.high,
            n=len(beside),
            least=bare.mean,
            aim=bare.mean + 0.03,
        ),
        Figure(
            key="learning.cards.tokens",
            what="LoCoMo: tokens of the cards, of those of the turns",
            unit="share",
            value=tokens[1] / tokens[0],
            least=LEAST_TOKENS,
            aim=AIM_TOKENS,
            lower_is_better=True,
        ),
    ]


def _shares(pool: Pool, tokens: list[int], *, cards: bool, at_most: int | None) -> list[float]:
    """Of each answerable question the share of its gold that the answer holds or cites."""
    source = pool.source
    if source is None:
        raise RuntimeError("LoCoMo is imported from its file")
    with scratch() as folder, default_engine(folder / "store", now=NOW) as engine:
        engine.import_file(source.path, format=source.format, sample=source.sample, cards=cards)
        turns = {m.id: m for m in engine.list(kinds=[Kind.TURN], limit=None)}
        if cards:
            count = EstimatedTokens().count
            made = engine.list(kinds=[Kind.CARD], limit=None)
            tokens[0] += sum(count(turn.text) for turn in turns.values())
            tokens[1] += sum(count(card.text) for card in made)
        named = {id_: turn.external_id or id_ for id_, turn in turns.items()}
        answerable = [q for q in pool.questions if q.category != NO_ANSWER][:at_most]
        return [
            len(set(question.gold) & _cited(engine, question.text, named)) / len(set(question.gold))
            for question in answerable
        ]


def _cited(engine: Engine, question: str, named: dict[str, str]) -> set[str]:
    """The turns that the first hits are or cite, by the ids of the data set."""
    result = engine.recall(question, limit=DEPTH, budget=0, min_score=0, touch=False)
    found: set[str] = set()
    for hit in result:
        sources = [each.source for each in hit.memory.provenance.derived_from]
        found.update(named[id_] for id_ in (hit.id, *sources) if id_ in named)
    return found
