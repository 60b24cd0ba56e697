"""Retrieval: one store a pool, every question asked, memstone beside the plain baselines.

memstone is asked through the public API with default settings, `limit=20, budget=0, min_score=0`;
two further runs show the default floor, and what reaches a prompt of 2,000 tokens. The baselines
see the same texts (FTS5: the same terms too). k above 25 % of the smallest pool is refused.
Questions that nothing answers are asked with every default and stand in a figure of their own.
"""

from __future__ import annotations

import gc
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TYPE_CHECKING

from benchmarks.baselines import Fts5, SeedBm25
from benchmarks.metrics import DEPTHS, Outcome, check_depth, estimate, quantile, summarize
from benchmarks.pools import ADVERSARIAL, NO_ANSWER
from benchmarks.report import Figure
from benchmarks.workspace import default_engine, scratch
from memstone.errors import SecretFound
from memstone.times import from_micros
from memstone.types import Kind, Trust, Turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from benchmarks.baselines import Baseline
    from benchmarks.pools import DataSet, Item, Pool, Question
    from memstone.engine import Engine
    from memstone.types import Memory

LIMIT = max(DEPTHS)
NOW = 1_796_083_200_000_000  # 2026-12-01: age enters ranking, and a run must repeat tomorrow
PROMPT_LIMIT = 100  # bounded by its token budget, so it is not a depth in the sense of the check
PROMPT_BUDGET = 2_000
OURS, FLOOR, PROMPT = "memstone", "memstone, default floor", "memstone, 2,000 tokens"
FTS5, SEED = "fts5", "seed"
DEFAULTS = "memstone, defaults"  # what questions without an answer are asked with
MEASURES_OF_TURNS = (*(f"R@{k}" for k in DEPTHS), "MRR", "any-hit@5", "session any-hit@5")
MEASURES_OF_FACTS = (*(f"R@{k}" for k in DEPTHS), "MRR")
FEWEST_SESSIONS = 15  # of three sessions (BEAM) five would be all: the figure is left out
TABLE_CATEGORIES = 6  # a set with more categories keeps them in the file only

# set name -> measure -> (at least, aim)
TARGETS: dict[str, dict[str, tuple[float, float]]] = {
    "cmrc": {"R@1": (0.95, 0.97)},
    "locomo": {"R@10": (0.76, 0.80), "session any-hit@5": (0.93, 0.95), "prompt": (0.78, 0.86)},
    "memdaily": {"R@10": (0.56, 0.62), "any-hit@5": (0.82, 0.87)},
    "beam": {"R@10": (0.50, 0.55)},
}


@dataclass(slots=True)
class Runs:
    """Every run's outcomes over one data set, and what the stores did not take."""

    data: DataSet
    outcomes: dict[str, list[Outcome]]
    missing: int = 0  # items that did not become a memory of their own
    unanswerable: list[Outcome] = field(default_factory=list)  # one for each `NO_ANSWER` question


def run(data: DataSet, *, at_most: int | None = None) -> Runs:
    """All runs over `data`; with `at_most`, only so many pools, and questions of either sort."""
    check_depth(LIMIT, data.smallest_pool)
    runs = Runs(data, {name: [] for name in (OURS, FLOOR, PROMPT, FTS5, SEED)})
    for pool in data.pools[:at_most]:
        answered = [q for q in pool.questions if q.category != NO_ANSWER][:at_most]
        unanswerable = [q for q in pool.questions if q.category == NO_ANSWER][:at_most]
        if not answered and not unanswerable:
            continue
        asked = replace(pool, questions=tuple(answered))
        with open_pool(pool) as (engine, missing):
            runs.missing += missing
            _ask_memstone(asked, engine, runs.outcomes)
            runs.unanswerable += [_ask_in_vain(pool, q, engine) for q in unanswerable]
        if not answered:
            continue
        with ExitStack() as stack:
            fts5 = Fts5()
            stack.callback(fts5.close)
            _ask_baseline(asked, fts5, runs.outcomes[FTS5])
            _ask_baseline(asked, SeedBm25(), runs.outcomes[SEED])
    return runs


@contextmanager
def open_pool(pool: Pool) -> Iterator[tuple[Engine, int]]:
    """A fresh store holding the pool, and how many of its items are not in it."""
    with scratch() as folder, default_engine(folder / "store", now=NOW) as engine:
        refused = _fill(engine, pool)
        yield engine, refused


def _fill(engine: Engine, pool: Pool) -> int:
    """Store the items; returns how many did not become a memory."""
    if pool.source is not None:
        source = pool.source
        report = engine.import_file(  # the turns alone; `learning` measures the cards beside them
            source.path, format=source.format, sample=source.sample, cards=False
        )
        return len(pool.items) - report.created
    own = Kind.TURN if pool.turns else Kind.FACT
    known: dict[str, str] = {}  # the memory of each item that a later one may supersede
    missing = 0
    for turns, together in groupby(pool.items, lambda item: (item.kind or own) is Kind.TURN):
        if turns:
            items = list(together)
            report = engine.ingest(map(_turn, items), source="benchmark")
            missing += len(items) - report.created
        else:
            missing += sum(not _remember(engine, item, known) for item in together)
    return missing


def _turn(item: Item) -> Turn:
    return Turn(
        text=item.text,
        speaker=item.speaker,
        session=item.session,
        at=item.at,
        external_id=item.id,
        trust=item.trust or Trust.EXTERNAL,
    )


def _remember(engine: Engine, item: Item, known: dict[str, str]) -> bool:
    """Store one item, in the place of the one it supersedes; False when it was refused."""
    at = None if item.at is None else from_micros(item.at)
    try:
        if item.supersedes is None:
            made = engine.remember(item.text, kind=item.kind, at=at, external_id=item.id)
            known[item.id] = made.id
        else:
            memory = engine.supersede(
                known[item.supersedes], item.text, kind=item.kind, at=at, external_id=item.id
            )
            known[item.id] = memory.id
    except SecretFound:  # a public paragraph that looks like a secret: counted, shown in the table
        return False
    return True


def _ask_memstone(pool: Pool, engine: Engine, outcomes: dict[str, list[Outcome]]) -> None:
    for question in pool.questions:
        gc.collect(0)
        started = time.process_time()
        result = engine.recall(question.text, limit=LIMIT, budget=0, min_score=0, touch=False)
        cpu_ms = (time.process_time() - started) * 1_000
        ours = _outcome(pool, question, [external_id(hit.memory) for hit in result])
        outcomes[OURS].append(replace(ours, tokens=result.tokens, cpu_ms=cpu_ms))

        floored = engine.recall(question.text, limit=LIMIT, budget=0, touch=False)
        outcomes[FLOOR].append(
            _outcome(pool, question, [external_id(hit.memory) for hit in floored])
        )
        prompt = engine.recall(
            question.text, limit=PROMPT_LIMIT, budget=PROMPT_BUDGET, min_score=0, touch=False
        )
        found = _outcome(pool, question, [external_id(hit.memory) for hit in prompt])
        outcomes[PROMPT].append(replace(found, tokens=prompt.tokens))


def _ask_in_vain(pool: Pool, question: Question, engine: Engine) -> Outcome:
    """What comes back, all options at their defaults, for a question that nothing answers."""
    result = engine.recall(question.text, touch=False)
    found = _outcome(pool, question, [external_id(hit.memory) for hit in result])
    return replace(found, tokens=result.tokens)


def external_id(memory: Memory) -> str:
    return memory.external_id or memory.id


def _ask_baseline(pool: Pool, baseline: Baseline, outcomes: list[Outcome]) -> None:
    baseline.add((item.id, item.text) for item in pool.items)
    outcomes += [
        _outcome(pool, question, baseline.search(question.text, LIMIT))
        for question in pool.questions
    ]


def _outcome(pool: Pool, question: Question, ranked: Sequence[str]) -> Outcome:
    sessions = {item.id: item.session or "" for item in pool.items}
    return Outcome(
        question=question.id,
        category=question.category,
        gold=question.gold,
        ranked=tuple(ranked),
        gold_sessions=_sessions(question.gold, sessions),
        ranked_sessions=_sessions(ranked, sessions),
        language=question.language,
    )


def _sessions(ids: Iterable[str], sessions: dict[str, str]) -> tuple[str, ...]:
    """The distinct sessions of ranked items, each at the rank of its best item."""
    return tuple(dict.fromkeys(sessions.get(key, "") for key in ids))


def figures(set_name: str, runs: Runs) -> list[Figure]:
    """Every figure of the set: all answerable questions, then by category and by language."""
    made = _answerable(set_name, runs) if runs.outcomes[OURS] else []
    return made + _injections(set_name, runs)


def _answerable(set_name: str, runs: Runs) -> list[Figure]:
    data = runs.data
    turns = any(pool.turns for pool in data.pools)
    measures = MEASURES_OF_TURNS if turns else MEASURES_OF_FACTS
    if data.fewest_sessions < FEWEST_SESSIONS:
        measures = tuple(name for name in measures if not name.startswith("session"))
    categories = list(dict.fromkeys(o.category for o in runs.outcomes[OURS]))
    answerable = [name for name in categories if name != ADVERSARIAL]
    made = _group(set_name, runs, _of(answerable), "", measures)
    made += _extra_runs(set_name, runs, answerable)
    if len(categories) > 1:
        for category in categories:
            group = _group(set_name, runs, _of([category]), category, measures)
            shown = len(categories) <= TABLE_CATEGORIES
            made += [replace(f, detail=not (shown and f.key.endswith(".R@10"))) for f in group]
    for language in sorted({o.language for o in runs.outcomes[OURS]} - {""}):
        group = _group(set_name, runs, _of(answerable, language), language, measures)
        made += [replace(f, detail=not f.key.endswith(".R@10")) for f in group]
    return made


def _injections(set_name: str, runs: Runs) -> list[Figure]:
    """The share of the questions without an answer that put anything into a prompt."""
    asked = runs.unanswerable
    languages = sorted({outcome.language for outcome in asked} - {""})
    groups = [
        ("", asked),
        *((name, [o for o in asked if o.language == name]) for name in languages),
    ]
    made = []
    for label, group in groups:
        if not group:
            continue
        share = estimate([float(bool(outcome.ranked)) for outcome in group])
        suffix = f".{label}" if label else ""
        made.append(
            Figure(
                key=f"{set_name}.{runs.data.name}.{NO_ANSWER}{suffix}",
                what=f"{runs.data.name}, no answer in the store" + (f", {label}" if label else ""),
                unit="share that injects anything",
                value=share.mean,
                low=share.low,
                high=share.high,
                n=share.n,
                lower_is_better=True,
                note=f"n = {share.n}",
            )
        )
    return made


def _of(categories: Sequence[str], language: str = "") -> Callable[[Outcome], bool]:
    return lambda o: o.category in categories and language in {"", o.language}


def _pick(outcomes: Sequence[Outcome], categories: Sequence[str]) -> list[Outcome]:
    return [outcome for outcome in outcomes if outcome.category in categories]


def _group(
    set_name: str,
    runs: Runs,
    belongs: Callable[[Outcome], bool],
    label: str,
    measures: Sequence[str],
) -> list[Figure]:
    """One figure a measure over the questions whose outcomes `belongs` accepts."""
    ours, fts5, seed = (
        summarize([o for o in runs.outcomes[name] if belongs(o)], measures)
        for name in (OURS, FTS5, SEED)
    )
    prefix = f"{set_name}.{runs.data.name}" + (f".{label}" if label else "")
    what = f"{runs.data.name}" + (f", {label}" if label else "")
    made = []
    for measure in measures:
        least, aim = TARGETS.get(set_name, {}).get(measure, (None, None))
        made.append(
            Figure(
                key=f"{prefix}.{measure}",
                what=what,
                unit=measure,
                value=ours[measure].mean,
                low=ours[measure].low,
                high=ours[measure].high,
                n=ours[measure].n,
                fts5=fts5[measure].mean,
                seed=seed[measure].mean,
                least=None if label else least,
                aim=None if label else aim,
                note=f"n = {ours[measure].n}",
            )
        )
    return made


def _extra_runs(set_name: str, runs: Runs, answerable: Sequence[str]) -> list[Figure]:
    """The default floor, the prompt of 2,000 tokens, the cost of a question, what was refused."""
    prefix, what = f"{set_name}.{runs.data.name}", runs.data.name
    open_ended = _pick(runs.outcomes[OURS], answerable)
    floored = _pick(runs.outcomes[FLOOR], answerable)
    hit = [bool(set(o.gold).intersection(o.ranked)) for o in open_ended]
    kept = [bool(set(o.gold).intersection(o.ranked)) for o in floored]
    lost = sum(a and not b for a, b in zip(hit, kept, strict=True)) / max(sum(hit), 1)
    prompt = summarize(_pick(runs.outcomes[PROMPT], answerable), ["gold kept"])["gold kept"]
    cpu = [outcome.cpu_ms for outcome in runs.outcomes[OURS]]
    tokens = [outcome.tokens for outcome in runs.outcomes[OURS]]
    left_out = f"{runs.data.without_gold} questions have no gold; {runs.missing} items not stored"
    least, aim = TARGETS.get(set_name, {}).get("prompt", (None, None))
    return [
        Figure(
            key=f"{prefix}.prompt",
            what=f"{what}, gold inside {PROMPT_BUDGET:,} tokens (limit {PROMPT_LIMIT})",
            unit="share",
            value=prompt.mean,
            low=prompt.low,
            high=prompt.high,
            n=prompt.n,
            least=least,
            aim=aim,
        ),
        Figure(
            key=f"{prefix}.floor",
            what=f"{what}, hits lost to the default floor",
            unit="share",
            value=lost,
            n=sum(hit),
            lower_is_better=True,
        ),
        Figure(
            key=f"{prefix}.tokens",
            what=f"{what}, tokens of a recall(limit={LIMIT}), mean",
            unit="estimated",
            value=sum(tokens) / len(tokens),
            n=len(tokens),
            lower_is_better=True,
        ),
        Figure(
            key=f"{prefix}.cpu",
            what=f"{what}, one recall, p50",
            unit="ms CPU",
            value=quantile(cpu, 0.5),
            n=len(cpu),
            lower_is_better=True,
            note=left_out,
        ),
    ]


def question_lines(runs: Runs) -> Iterator[dict[str, object]]:
    """One record a run and question: ids only, no text of the data set, the same every time."""
    for name, outcomes in [*runs.outcomes.items(), (DEFAULTS, runs.unanswerable)]:
        for outcome in outcomes:
            yield {
                "run": name,
                "question": outcome.question,
                "category": outcome.category,
                "gold": outcome.gold,
                "ranked": outcome.ranked,
                "tokens": outcome.tokens,
            }


def rank_lines(runs: Runs) -> Iterator[dict[str, object]]:
    """One record a question, small enough to commit: the rank of each gold item in every run, or
    what a question without an answer brought back.
    """
    for together in zip(*runs.outcomes.values(), strict=True):
        yield {
            "question": together[0].question,
            "category": together[0].category,
            "gold": together[0].gold,
            "ranks": {
                name: gold_ranks(outcome)
                for name, outcome in zip(runs.outcomes, together, strict=True)
            },
        }
    for outcome in runs.unanswerable:
        yield {
            "question": outcome.question,
            "category": outcome.category,
            "injected": outcome.ranked,
        }


def gold_ranks(outcome: Outcome) -> list[int | None]:
    """The rank (from 1) of each gold item, None for one that was not returned.

    >>> gold_ranks(Outcome("q", "c", gold=("a", "b"), ranked=("x", "a")))
    [2, None]
    """
    rank = {key: number for number, key in reversed(list(enumerate(outcome.ranked, 1)))}
    return [rank.get(key) for key in outcome.gold]
