"""Recall is a function (invariant 7): the same bits in every process, order and Python version.

`tests/golden/recall_bits.jsonl` holds what the example conversation answers, written by one machine
and Python version and compared by all others.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import memstone
from benchmarks import corpus
from memstone import Trust, Turn, analysis, ranking, retrieval
from memstone.types import SIGNALS, RecallOptions, View

if TYPE_CHECKING:
    from collections.abc import Callable

    from memstone.engine import Engine

ROOT = Path(__file__).parent.parent.parent
EXAMPLE = ROOT / "examples" / "conversation.jsonl"
GOLDEN = "recall_bits.jsonl"
NOW_US = 1_767_225_600_000_000  # 2026-01-01
QUESTIONS = (
    "what is the cloud budget of Atlas?",
    "预算是多少？",
    "周会几点开？",
    "When did Marta move the review?",
    "deploy key vault",
    "谁喜欢喝咖啡？",
    "what is the weather in Oslo?",
)
ASK = """
import json, sys
from tests.integration.test_recall_bits import answers
print(json.dumps(answers(sys.argv[1])))
"""


def answers(folder: str) -> list[list[list[object]]]:
    """Per question what is found: external id, and every number as hex."""
    with memstone.open(folder, user="u", clock=lambda: NOW_US) as engine:
        return [
            [
                [hit.memory.external_id or hit.text, hit.score.hex()]
                + [getattr(hit.signals, name).hex() for name in SIGNALS]
                for hit in engine.recall(question, limit=8, min_score=0, touch=False)
            ]
            for question in QUESTIONS
        ]


@pytest.fixture
def conversation(tmp_path: Path) -> str:
    folder = tmp_path / "home"
    with memstone.open(folder, user="u", clock=lambda: NOW_US) as engine:
        engine.import_file(EXAMPLE, cards=False)
        engine.remember("The deploy key lives in the vault under ops/deploy", at="2025-11-01")
        engine.remember("团队周会每周四下午三点", kind="decision", at="2025-11-02", pinned=True)
    return str(folder)


def test_the_same_bits_as_on_any_other_machine_and_version(
    conversation: str, golden: Callable[[str, str], None]
) -> None:
    found = answers(conversation)
    assert sum(map(len, found)) > 20
    lines = [json.dumps([question, hits], ensure_ascii=False) for question, hits in
             zip(QUESTIONS, found, strict=True)]  # fmt: skip
    golden(GOLDEN, "\n".join(lines) + "\n")


def test_hash_seed_locale_and_process_change_nothing(conversation: str) -> None:
    said = set()
    for seed, locale in (("0", "C"), ("1", "C.UTF-8"), ("4711", "C")):
        env = {
            "PYTHONHASHSEED": seed,
            "LC_ALL": locale,
            "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]),
        }
        done = subprocess.run(
            [sys.executable, "-c", ASK, conversation],
            env=env,
            capture_output=True,
            encoding="utf-8",
            check=True,
        )
        said.add(done.stdout)
    assert said == {json.dumps(answers(conversation)) + "\n"}


def test_facts_rank_the_same_in_whatever_order_they_came(tmp_path: Path) -> None:
    texts = list(corpus.memories(60))
    ranked = set()
    for number in range(3):
        random.Random(number).shuffle(texts)
        with memstone.open(tmp_path / str(number), clock=lambda: NOW_US) as engine:
            for text in texts:
                engine.remember(text, at="2025-12-01")
            query = " ".join(min(texts).split()[:5])
            hits = engine.recall(query, limit=20, budget=0, min_score=0, touch=False)
            ranked.add(tuple((hit.text, hit.score.hex()) for hit in hits))
    assert len(ranked) == 1
    assert len(ranked.pop()) > 1


def turns(engine: Engine, *texts: str, scope: memstone.Scope | None = None) -> None:
    engine.ingest(
        [
            Turn(text=text, speaker="Ana", session="s", external_id=str(n), at=f"2025-12-01T10:0{n}",
                 trust=Trust.USER)
            for n, text in enumerate(texts)
        ],
        source="test", scope=scope,
    )  # fmt: skip


def test_a_forgotten_neighbour_s_words_help_nobody(engine_at: Callable[..., Engine]) -> None:
    engine = engine_at()
    turns(
        engine, "Which pager does the Zanzibar rollout use?", "The old one, until the rollout ends."
    )
    before = engine.recall("Zanzibar pager rollout", limit=5)
    answer = next(hit for hit in before if hit.text.startswith("The old one"))
    assert answer.signals.context > 0
    (asked,) = [hit for hit in before if hit.text.startswith("Which")]
    engine.forget(asked.memory.id)
    after = engine.recall("Zanzibar pager rollout", limit=5, min_score=0)
    assert [hit.signals.context for hit in after] == [0.0]
    assert after.hits[0].signals.coverage < answer.signals.coverage


def test_a_neighbour_of_another_scope_lends_nothing(engine_at: Callable[..., Engine]) -> None:
    engine = engine_at()
    turns(engine, "Which pager does the Zanzibar rollout use?", scope=memstone.Scope("bo"))
    turns(engine, "-", "The old one, until the rollout ends.")
    hits = engine.recall("Zanzibar pager rollout", min_score=0)
    answer = next(hit for hit in hits if hit.text.startswith("The old one"))
    assert answer.signals.context == 0.0
    assert {hit.memory.scope.user for hit in hits} == {engine.scope.user}


@settings(max_examples=40)
@given(
    st.lists(
        st.lists(
            st.sampled_from(["apple", "berry", "cedar", "预算", "评审"]), min_size=1, max_size=3
        ),
        min_size=1,
        max_size=9,
    )
)
@example([["cedar"], ["berry"], ["delta"], ["delta"], ["apple"]])
def test_a_file_and_a_store_in_memory_give_the_same_bits(talk: list[list[str]]) -> None:
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for place in (folder, ":memory:"):
            with memstone.open(place, user="u", clock=lambda: NOW_US) as engine:
                turns(engine, *(" ".join(words) for words in talk))
                hits = engine.recall("apple berry cedar 预算", limit=20, min_score=0, touch=False)
                found.append([
                    (hit.memory.external_id, hit.score.hex(), hit.signals.context.hex())
                    for hit in hits
                ])  # fmt: skip
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("fact", "question"),
    [
        (
            "My daughter Zofia starts school on 1 September at Linden Primary",
            "When does Zofia start school?",
        ),
        ("我女儿的幼儿园下午四点半放学", "女儿几点放学？"),
    ],
)
def test_a_question_asked_again_and_again_does_not_push_out_its_answer(
    fact: str, question: str, engine_at: Callable[..., Engine]
) -> None:
    engine = engine_at()
    turns(engine, fact, "Noted.", *[question, "Let me check."] * 4)
    found = [hit.text for hit in engine.recall(question)]
    assert found.count(question) <= 1
    assert fact in found[:2]


@pytest.fixture
def engine_at(tmp_path: Path) -> Callable[..., Engine]:
    return lambda: memstone.open(tmp_path / "home", clock=lambda: NOW_US)


def test_the_fast_and_the_naive_ranking_agree_on_thousands(tmp_path: Path) -> None:
    size = 2_500
    with memstone.open(tmp_path / "home") as engine:
        engine.ingest(
            (Turn(text=text, session=f"s{n // 40}", ordinal=n) for n, text in
             enumerate(corpus.memories(size))),
            source="test",
        )  # fmt: skip
        for number, terms in enumerate(corpus.queries(60, size, terms=6)):
            with engine.store.read() as snapshot:
                seen = retrieval.recall_filter(
                    RecallOptions(limit=20), snapshot.namespaces(View(engine.scope)), NOW_US * 2
                )
                limit = (1, 5, 24, 50)[number % 4]
                fast, slow = (
                    rank(terms.terms, snapshot.postings(analysis.INDEX, seen), limit)
                    for rank in (ranking.lexical, ranking.naive)
                )
            assert fast == slow
            assert len(fast) > 0
