"""Retrieval metrics over ranked ids, with bootstrap intervals. Pure.

Every metric is per question and then averaged over questions. R@k is the share of a question's
gold items in the top k (all gold counts, not any); any-hit@k is whether one of them is there,
the easier figure that most projects publish. A session's rank is that of its best item.

k must be far below the number of candidates, or everything is found by taking everything:
`check_depth` refuses a run in which k is above 25 % of the smallest pool.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MAX_SHARE_OF_POOL = 0.25
BOOTSTRAP_SEED = 20261130
BOOTSTRAP_RESAMPLES = 1_000
CONFIDENCE = 0.95
DEPTHS = (1, 5, 10, 20)


class PoolTooSmallError(ValueError):
    """k is not far below the number of candidates, so the figure would mean nothing."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question's result: gold and ranked item ids, and the same for sessions."""

    question: str
    category: str
    gold: tuple[str, ...]
    ranked: tuple[str, ...]
    gold_sessions: tuple[str, ...] = ()
    ranked_sessions: tuple[str, ...] = ()
    tokens: int = 0  # of all hits, as the product counts them; 0 for baselines
    cpu_ms: float = 0.0
    language: str = ""  # as the question says


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over `n` questions and its bootstrap interval."""

    mean: float
    low: float
    high: float
    n: int


def check_depth(k: int, smallest_pool: int) -> None:
    """Raises `PoolTooSmallError` when `k` is above 25 % of the smallest pool.

    >>> check_depth(20, smallest_pool=80)
    """
    if k > MAX_SHARE_OF_POOL * smallest_pool:
        raise PoolTooSmallError(
            f"k = {k} is above {MAX_SHARE_OF_POOL:.0%} of the smallest pool ({smallest_pool})"
        )


def recall_at(k: int, gold: Sequence[str], ranked: Sequence[str]) -> float:
    """Share of the distinct gold ids in the top `k`; `gold` must not be empty.

    >>> recall_at(2, ["a", "b"], ["a", "x", "b"])
    0.5
    """
    wanted = set(gold)
    return len(wanted.intersection(ranked[:k])) / len(wanted)


def any_hit_at(k: int, gold: Sequence[str], ranked: Sequence[str]) -> float:
    """1.0 if any gold id is in the top `k`, else 0.0."""
    return float(not set(gold).isdisjoint(ranked[:k]))


def reciprocal_rank(gold: Sequence[str], ranked: Sequence[str]) -> float:
    """One over the rank of the first gold id; 0.0 when none is ranked.

    >>> reciprocal_rank(["b"], ["a", "b"])
    0.5
    """
    wanted = set(gold)
    return next((1 / rank for rank, key in enumerate(ranked, 1) if key in wanted), 0.0)


def _recall(k: int) -> Callable[[Outcome], float]:
    return lambda outcome: recall_at(k, outcome.gold, outcome.ranked)


MEASURES: dict[str, Callable[[Outcome], float]] = {
    **{f"R@{k}": _recall(k) for k in DEPTHS},
    "MRR": lambda outcome: reciprocal_rank(outcome.gold, outcome.ranked),
    "any-hit@5": lambda outcome: any_hit_at(5, outcome.gold, outcome.ranked),
    "session any-hit@5": lambda outcome: any_hit_at(
        5, outcome.gold_sessions, outcome.ranked_sessions
    ),
    "gold kept": lambda outcome: recall_at(len(outcome.ranked), outcome.gold, outcome.ranked),
}


def bootstrap_interval(
    values: Sequence[float],
    *,
    resamples: int = BOOTSTRAP_RESAMPLES,
    seed: int = BOOTSTRAP_SEED,
) -> tuple[float, float]:
    """The 95 % percentile interval of the mean of `values` (not empty); the same every time.

    >>> bootstrap_interval([1.0, 1.0])
    (1.0, 1.0)
    """
    random = Random(seed)
    # `random()` alone is promised to give the same numbers in every Python version
    draw = random.random
    size = len(values)
    means = sorted(
        sum([values[int(draw() * size)] for _ in range(size)]) / size for _ in range(resamples)
    )
    tail = (1 - CONFIDENCE) / 2
    return means[int(tail * resamples)], means[min(int((1 - tail) * resamples), resamples - 1)]


def estimate(values: Sequence[float]) -> Estimate:
    """Mean and interval of per-question `values` (not empty)."""
    low, high = bootstrap_interval(values)
    return Estimate(sum(values) / len(values), low, high, len(values))


def summarize(outcomes: Sequence[Outcome], measures: Sequence[str]) -> dict[str, Estimate]:
    """Each named measure over `outcomes` (not empty)."""
    return {name: estimate([MEASURES[name](o) for o in outcomes]) for name in measures}


def quantile(values: Sequence[float], share: float) -> float:
    """The `share` quantile (0..1) of `values`, by linear interpolation between neighbours.

    >>> quantile([1.0, 2.0, 3.0, 4.0], 0.5)
    2.5
    """
    ordered = sorted(values)
    position = share * (len(ordered) - 1)
    below = int(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (position - below)
