"""What each signal of the second stage is worth: one row a signal, ranked without it.

A signal is switched off by its weight alone, and every question is asked again through the public
API, on the same store. The words of the header (who said it, on which day) are part of the index,
so that row has a store of its own. A row says what R@10 becomes; a signal that costs on one set
and pays on another shows both.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from benchmarks import loaders
from benchmarks.metrics import recall_at
from benchmarks.negatives import SETS, UNANSWERABLE
from benchmarks.quality import external_id, open_pool
from benchmarks.report import Figure, not_run, progress
from memstone import analysis
from memstone.ranking import signals

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from benchmarks.pools import Pool

DEPTH = 10


@dataclass(frozen=True, slots=True)
class Row:
    """A signal's name, and the constants that switch it off."""

    name: str
    off: tuple[tuple[str, float], ...] = ()
    headless: bool = False  # indexed without speaker and date
    behind: bool = False  # boilerplate before the question; a row of another sort


ROWS = (
    Row("all signals"),
    Row("BM25 alone", (("ASKING", 1.0), *((name, 0.0) for name in (
        "LEND", "SESSION", "SPEAKER", "SAID_BY_USER", "IMPORTANCE", "DECAY")))),
    Row("context of the turns around", (("LEND", 0.0),)),
    Row("a term that the turn has itself, confirmed by a neighbour", (("LEND_KNOWN", 0.0),)),
    Row("session", (("SESSION", 0.0),)),
    Row("the speaker that the question names", (("SPEAKER", 0.0),)),
    Row("what the user said", (("SAID_BY_USER", 0.0),)),
    Row("importance (kind, pin)", (("IMPORTANCE", 0.0),)),
    Row("time decay", (("DECAY", 0.0),)),
    Row("the smaller weight of turns that ask", (("ASKING", 1.0),)),
    Row("speaker and date among a turn's words", headless=True),
    Row("all signals, the question behind boilerplate", behind=True),
)  # fmt: skip
WHOLE = (ROWS[0], ROWS[1], ROWS[-1])  # rows that say what is there, not what is left out
BOILERPLATE = {
    True: "You are a helpful, careful and friendly assistant. Please read the following question "
    "with attention and think step by step before you answer. Use only what you know about the "
    "people in our conversations, keep the answer short, be polite, and do not make things up. If "
    "you are not sure, say so honestly. Write in plain language, avoid bullet points, and remember "
    "that the reader may be in a hurry. We really appreciate your support and your time. ",
    False: "你是一个乐于助人、认真细致、态度友好的助手。请仔细阅读下面的问题，一步一步思考。"
    "只使用你在我们的对话里了解到的信息，回答要简短、礼貌，不要编造内容。如果不确定，请诚实地说明。"
    "请用通俗易懂的语言，不要使用列表，并且记住读者可能很忙。非常感谢你的支持和时间！",
}  # by whether the question is ASCII


def measure(folder: Path | None, *, at_most: int | None = None) -> list[Figure]:
    """R@10 of every row over the public sets in `folder`; the sets are averaged by question."""
    if folder is None:
        return [not_run("ablation", "ablation", f"`{loaders.DATA_VARIABLE}` names no folder")]
    found: dict[str, dict[str, list[float]]] = {}  # set → row → R@10 of each question
    for name in SETS:
        for path in loaders.files(name, folder):
            progress(f"ablation: {path.stem} …")
            shares: dict[str, list[float]] = {row.name: [] for row in ROWS}
            for pool in loaders.load(name, path).pools:
                if pool.questions:
                    _ask(replace(pool, questions=pool.questions[:at_most]), shares)
            found[path.stem] = shares
    return _figures(found) if found else [not_run("ablation", "ablation", "no data set found")]


def _ask(pool: Pool, shares: dict[str, list[float]]) -> None:
    for headless in (False, True):
        rows = [row for row in ROWS if row.headless is headless]
        with _header(off=headless), open_pool(pool) as (engine, _):
            for row in rows:
                with switched_off(row.off):
                    for question in pool.questions:
                        if question.category in UNANSWERABLE:
                            continue
                        before = BOILERPLATE[question.text.isascii()] if row.behind else ""
                        hits = engine.recall(
                            before + question.text, limit=DEPTH, budget=0, min_score=0, touch=False
                        )
                        ranked = [external_id(hit.memory) for hit in hits]
                        shares[row.name].append(recall_at(DEPTH, question.gold, ranked))


@contextmanager
def switched_off(constants: Sequence[tuple[str, float]]) -> Iterator[None]:
    """Weights of `ranking.signals` with other values; as they were afterwards."""
    kept = {name: getattr(signals, name) for name, _ in constants}
    try:
        for name, value in constants:
            setattr(signals, name, value)
        yield
    finally:
        for name, value in kept.items():
            setattr(signals, name, value)


@contextmanager
def _header(*, off: bool) -> Iterator[None]:
    """With `off`, a turn is indexed without who said it and when."""
    kept = analysis.header
    try:
        if off:
            analysis.header = _no_header
        yield
    finally:
        analysis.header = kept


def _no_header(speaker: str | None, said_at: int | None) -> str:  # noqa: ARG001  as `header`
    return ""


def _figures(found: dict[str, dict[str, list[float]]]) -> list[Figure]:
    whole = {name: _mean(shares[ROWS[0].name]) for name, shares in found.items()}
    figures = []
    for row in ROWS:
        means = {name: _mean(shares[row.name]) for name, shares in found.items()}
        every = [share for shares in found.values() for share in shares[row.name]]
        parts = [f"{name} {mean:.3f} ({mean - whole[name]:+.3f})" for name, mean in means.items()]
        figures.append(
            Figure(
                key=f"ablation.{row.name}",
                what=f"ablation: {row.name}" if row in WHOLE else f"ablation: without {row.name}",
                unit=f"R@{DEPTH} over all questions",
                value=_mean(every),
                n=len(every),
                note=", ".join(parts),
            )
        )
    return figures


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
