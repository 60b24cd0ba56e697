"""The floor: how often nothing is answered with something, and what silence costs.

Two sorts of questions have no answer in a store. *Everyday questions* (20 English, 20 Chinese) were
checked by hand to be answered in none of the development stores. *Hard negatives* are LoCoMo's own
questions put to another dialogue, with the speakers' names exchanged: the same sort of talk, the
right names, the wrong life; a few may happen to be answered there, which counts against us.

Beside them stand the answerable questions of every set: how many lose their last hit to the floor.
The curve is what the choice of the default `min_score` rests on; a recall is asked once with the
floor off, and each hit's `evidence` says at which floor it would have gone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from benchmarks import loaders
from benchmarks.pools import ADVERSARIAL, NO_ANSWER
from benchmarks.quality import external_id, open_pool
from benchmarks.report import Figure, not_run, progress

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from benchmarks.pools import Pool
    from memstone.engine import Engine

SETS = ("locomo", "memdaily", "beam")
UNANSWERABLE = frozenset({ADVERSARIAL, NO_ANSWER, "abstention"})
LIMIT = 20  # as in the other figures: a question is answerable if gold is among so many
DEEP = 100  # how far down a false hit is looked for
FLOORS = (0.2, 0.22, 0.25, 0.26, 0.28, 0.3, 0.32, 0.34, 0.36, 0.4, 0.45, 0.5)
LOST = 0.05  # the share of answerable questions that may lose their hit
EVERYDAY = {
    "English": (
        "what is the weather in Oslo tomorrow?",
        "how do I boil an egg?",
        "who won the world cup in 1998?",
        "what's the capital of Mongolia?",
        "can you recommend a good laptop?",
        "how many ounces in a pound?",
        "translate good morning into French",
        "what time does the train to Boston leave?",
        "how do I fix a leaking faucet?",
        "what is the exchange rate of the yen today?",
        "who wrote the novel Moby Dick?",
        "how long does it take to fly to Tokyo?",
        "what is the boiling point of mercury?",
        "how do I reset my router?",
        "where can I buy cheap winter tires?",
        "what is the plot of Hamlet?",
        "how do I remove a red wine stain?",
        "when is the next solar eclipse?",
        "which planet has the most moons?",
        "how do I calculate compound interest?",
    ),
    "Chinese": (
        "奥斯陆明天天气怎么样？",
        "怎么煮鸡蛋？",
        "1998年世界杯谁赢了？",
        "蒙古的首都是哪里？",
        "能推荐一台好用的笔记本电脑吗？",
        "一磅等于多少盎司？",
        "早上好用法语怎么说？",
        "去上海的高铁几点发车？",
        "水龙头漏水怎么修？",
        "今天日元汇率是多少？",
        "《白鲸》是谁写的？",
        "飞到东京要多长时间？",
        "水银的沸点是多少度？",
        "怎么重置路由器？",
        "哪里能买到便宜的冬季轮胎？",
        "哈姆雷特讲了什么故事？",
        "红酒渍怎么洗掉？",
        "下一次日食是什么时候？",
        "哪颗行星的卫星最多？",
        "复利怎么计算？",
    ),
}


@dataclass(slots=True)
class Evidence:
    """The highest evidence of each question: of its gold hits where it has an answer, else of any
    hit. `default` counts the unanswerable ones that got something with default settings.
    """

    answers: dict[str, list[float]] = field(default_factory=dict)  # by set
    everyday: dict[str, list[float]] = field(default_factory=dict)  # by language
    hard: list[float] = field(default_factory=list)
    default: dict[str, list[bool]] = field(default_factory=dict)  # by language, or "hard"


def measure(folder: Path | None, *, at_most: int | None = None) -> list[Figure]:
    """The figures of the floor over the public sets in `folder`."""
    if folder is None:
        return [not_run("floor", "floor", f"`{loaders.DATA_VARIABLE}` names no folder")]
    found = Evidence()
    for name in SETS:
        for path in loaders.files(name, folder):
            progress(f"floor: {path.stem} …")
            pools = [pool for pool in loaders.load(name, path).pools if pool.questions]
            hard = _exchanged(pools) if name == "locomo" else [()] * len(pools)
            for pool, others in zip(pools, hard, strict=True):
                _ask(found, name, pool, others[:at_most], at_most)
    return figures(found) if found.answers else [not_run("floor", "floor", "no data set found")]


def _ask(found: Evidence, name: str, pool: Pool, hard: Sequence[str], at_most: int | None) -> None:
    with open_pool(pool) as (engine, _):
        for question in pool.questions[:at_most]:
            if question.category in UNANSWERABLE:
                continue
            hits = engine.recall(question.text, limit=LIMIT, budget=0, min_score=0, touch=False)
            gold = [h.signals.evidence for h in hits if external_id(h.memory) in question.gold]
            if gold:
                found.answers.setdefault(name, []).append(max(gold))
        for language, texts in EVERYDAY.items():
            most = found.everyday.setdefault(language, [])
            _ask_in_vain(found, engine, texts, language, most)
        _ask_in_vain(found, engine, hard, "hard", found.hard)


def _ask_in_vain(
    found: Evidence, engine: Engine, texts: Iterable[str], label: str, most: list[float]
) -> None:
    for text in texts:
        hits = engine.recall(text, limit=DEEP, budget=0, min_score=0, touch=False)
        most.append(max((hit.signals.evidence for hit in hits), default=0.0))
        injected = bool(engine.recall(text, touch=False).hits)
        found.default.setdefault(label, []).append(injected)


def _exchanged(pools: Sequence[Pool]) -> list[list[str]]:
    """For each dialogue the questions of the one before it, with its own speakers' names."""
    names = [sorted({item.speaker or "" for item in pool.items}) for pool in pools]
    asked: list[list[str]] = []
    for index in range(len(pools)):
        before = (index - 1) % len(pools)
        texts = [q.text for q in pools[before].questions if q.category not in UNANSWERABLE]
        asked.append([exchange(text, names[before], names[index]) for text in texts])
    return asked if len(pools) > 1 else [[] for _ in pools]


def exchange(text: str, names: Sequence[str], others: Sequence[str]) -> str:
    """`text` with each of `names` replaced by the one of `others` at the same place.

    >>> exchange("What did Ana tell Bo?", ["Ana", "Bo"], ["Cy", "Di"])
    'What did Cy tell Di?'
    """
    place = dict(zip(names, others, strict=False))
    pattern = "|".join(rf"\b{re.escape(name)}\b" for name in place if name)
    return re.sub(pattern, lambda found: place[found[0]], text) if pattern else text


def share_over(values: Sequence[float], floor: float) -> float:
    """The share of the values that a floor lets through.

    >>> share_over([0.1, 0.4, 0.5], 0.4)
    0.6666666666666666
    """
    return sum(value >= floor for value in values) / max(len(values), 1)


def floor_losing(values: Sequence[float], share: float) -> float:
    """The highest floor at which at most `share` of the values fall away.

    >>> floor_losing([0.1, 0.2, 0.3, 0.4], 0.25)
    0.2
    """
    return sorted(values)[int(len(values) * share)]


def figures(found: Evidence) -> list[Figure]:
    """What the default floor does, the hard negatives at their own floor, and the curve."""
    answers = [value for values in found.answers.values() for value in values]
    asked = [one for language in EVERYDAY for one in found.default[language]]
    made = [
        _share(
            "floor.everyday",
            "40 everyday questions a store, share that injects anything, default floor",
            asked,
            note=", ".join(
                f"{language} {sum(found.default[language]) / len(found.default[language]):.0%}"
                for language in EVERYDAY
            ),
            targets=(0.30, 0.10),
        )
    ]
    if found.hard:
        made += _hard_figures(found, found.answers.get("locomo", answers))
    everyday = [value for values in found.everyday.values() for value in values]
    for floor in FLOORS:
        lost = ", ".join(f"{k} {1 - share_over(v, floor):.1%}" for k, v in found.answers.items())
        hard = f"; hard negatives {share_over(found.hard, floor):.0%}" if found.hard else ""
        made.append(
            Figure(
                key=f"floor.curve.{floor:.2f}",
                what=f"floor {floor:.2f}: everyday questions that inject anything",
                unit="share",
                value=share_over(everyday, floor),
                n=len(everyday),
                lower_is_better=True,
                note=f"hits lost {1 - share_over(answers, floor):.1%} ({lost}){hard}",
            )
        )
    return made


def _hard_figures(found: Evidence, answers: Sequence[float]) -> list[Figure]:
    floor = floor_losing(answers, LOST)
    what = "hard negatives (LoCoMo's questions to another dialogue), share that injects anything"
    return [
        _share(
            "floor.hard",
            f"{what}, at the floor that loses 5 % of LoCoMo's hits",
            [value >= floor for value in found.hard],
            note=f"floor {floor:.2f}",
            targets=(0.50, 0.30),
        ),
        _share("floor.hard.default", f"{what}, default floor", found.default["hard"]),
    ]


def _share(
    key: str,
    what: str,
    values: Sequence[bool],
    *,
    note: str = "",
    targets: tuple[float, float] | None = None,
) -> Figure:
    return Figure(
        key=key,
        what=what,
        unit="share",
        value=sum(values) / len(values),
        n=len(values),
        least=targets[0] if targets else None,
        aim=targets[1] if targets else None,
        lower_is_better=True,
        note="; ".join(part for part in (f"n = {len(values)}", note) if part),
    )
