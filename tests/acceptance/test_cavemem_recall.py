"""What `cavemem recall` finds, how it scores, and what it makes of a budget."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from memstone.tokens import EstimatedTokens
from tests.acceptance.cavemem import Cavemem, handle_of, id_of, seed_scores

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

FLOOR = 0.1


@pytest.fixture
def cavemem(tmp_path: Path) -> Cavemem:
    return Cavemem(tmp_path, tmp_path / "caveman")


def exact(text: str) -> int:
    """The tokens of a text as the command counts them here: the tests have `[o200k]`."""
    from memstone.o200k import O200kTokens

    return O200kTokens().count(text)


def as_the_ancestor(cavemem: Cavemem, texts: Sequence[str], query: str) -> list[dict[str, Any]]:
    """The hits without a budget, compared with the definition."""
    hits = cavemem.hits(query, "1000000", "0")
    wanted = {
        key: score
        for key, score in seed_scores({id_of(text): text for text in texts}, query).items()
        if score >= FLOOR
    }
    assert {hit["id"]: hit["score"] for hit in hits} == pytest.approx(wanted, rel=0, abs=1e-12)
    assert hits == sorted(hits, key=lambda hit: (-hit["score"], hit["id"]))
    assert all(hit["tokens_added"] == exact(hit["text"]) for hit in hits)
    return hits


CORPUS = [
    "kubernetes ingress is configured with nginx and cert-manager",
    "the quarterly budget is reviewed in March",
    "pizza topping preference: mushrooms, never pineapple",
    "数据库 端口 是 5432",
    "数据库端口是5432",
    "東京タワー and 도쿄 타워",
    "ISTANBUL İstanbul and Straße STRASSE",
    "H₂O x² ½ Ⅷ don't stop",
    "cafe\u0301 au lait",
    "café au lait",
    "🙂 🙂 🙂",
    "the of to it",
]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Cavemem:
    folder = tmp_path_factory.mktemp("corpus")
    cavemem = Cavemem(folder, folder / "caveman")
    assert cavemem.fill(CORPUS) == [id_of(text) for text in CORPUS]
    return cavemem


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("how is kubernetes ingress configured", CORPUS[0]),
        ("budget budget budget", CORPUS[1]),
        ("端口", CORPUS[3]),
        ("数据库端口是5432", CORPUS[4]),
        ("東京", None),
        ("東京タワー", CORPUS[5]),
        ("타워", CORPUS[5]),
        ("istanbul", CORPUS[6]),
        ("straße", CORPUS[6]),
        ("viii ½", None),
        ("h t x", CORPUS[7]),
        ("cafe", CORPUS[8]),
        ("café", CORPUS[9]),
        ("🙂", None),
        ("the of to it", None),
        ("zeppelin", None),
    ],
)
def test_it_finds_what_the_ancestor_found_with_its_scores(
    filled: Cavemem, query: str, first: str | None
) -> None:
    hits = as_the_ancestor(filled, CORPUS, query)
    assert [hit["text"] for hit in hits[:1]] == ([] if first is None else [first])


def test_equal_scores_come_in_the_order_of_their_ids(cavemem: Cavemem) -> None:
    texts = [f"zebra {word}" for word in ("alpha", "beta", "gamma", "delta")]
    cavemem.fill(texts)
    hits = as_the_ancestor(cavemem, texts, "zebra")
    assert [hit["id"] for hit in hits] == sorted(id_of(text) for text in texts)
    assert [hit["score"] for hit in hits] == [pytest.approx(0.105361, abs=5e-7)] * 4


@pytest.mark.parametrize(
    ("many", "score"), [(1, 0.2877), (2, 0.1823), (3, 0.1335), (4, 0.1054), (5, None)]
)
def test_a_word_in_every_memory_falls_below_the_floor_at_five(
    cavemem: Cavemem, many: int, score: float | None
) -> None:
    texts = [f"zebra {number}" for number in range(many)]
    cavemem.fill(texts)
    hits = as_the_ancestor(cavemem, texts, "zebra")
    assert [hit["score"] for hit in hits] == (
        [] if score is None else [pytest.approx(score, abs=5e-5)] * many
    )


def test_five_hits_unless_more_are_asked_for(cavemem: Cavemem) -> None:
    texts = [f"zebra number {n} in the zoo" for n in range(3)] + [f"lion {n}" for n in range(40)]
    texts += [f"tiger {n}" for n in range(7)]
    cavemem.fill(texts)
    assert len(cavemem.hits("tiger")) == 5
    assert len(cavemem.hits("tiger", "0")) == 5
    assert len(cavemem.hits("tiger", "2")) == 2
    assert len(cavemem.hits("tiger", "9223372036854775807")) == 7


INGRESS = [
    f"kubernetes ingress note {n} covers nginx routing rule alpha{n} beta{n} gamma{n} delta{n} "
    "for the cluster"
    for n in range(12)
]


def test_a_budget_keeps_the_best_and_zero_lifts_it(cavemem: Cavemem) -> None:
    cavemem.fill(INGRESS + [f"unrelated filler {n} about something else" for n in range(20)])
    packed = cavemem.hits("kubernetes ingress", "12", "60")
    assert 1 <= len(packed) < 12
    assert sum(hit["tokens_added"] for hit in packed) <= 60
    unlimited = cavemem.hits("kubernetes ingress", "12", "0")
    assert len(unlimited) == 12
    assert sum(hit["tokens_added"] for hit in unlimited) > 60
    assert packed == unlimited[: len(packed)]
    assert all("recovery_handle" not in hit for hit in unlimited)
    assert cavemem.hits("kubernetes ingress", "12", "9223372036854775807") == unlimited


def test_a_hit_without_room_is_skipped_and_smaller_ones_still_come(cavemem: Cavemem) -> None:
    small, large, middle = (
        "zebra zebra zebra",
        "zebra zebra " + " ".join(f"word{n}" for n in range(30)),
        "zebra and then some words that follow it " * 3,
    )
    cavemem.fill([small, large, middle, *(f"other things {n}" for n in range(20))])
    ranked = cavemem.hits("zebra", "5", "0")
    sizes = {hit["text"]: hit["tokens_added"] for hit in ranked}
    assert ranked[0]["text"] == small
    last = ranked[-1]["text"]
    between = ranked[1]["text"]
    smaller = between if sizes[between] < sizes[last] else last
    budget = str(sizes[small] + sizes[smaller])
    assert [hit["text"] for hit in cavemem.hits("zebra", "5", budget)] == [small, smaller]
    only = [hit["text"] for hit in cavemem.hits("zebra", "5", str(sizes[small]))]
    assert only == [small]


def test_a_first_hit_over_the_budget_is_its_beginning_alone(cavemem: Cavemem) -> None:
    lines = [
        f"kubernetes ingress fact {n} unique-token-{n} distinct phrase zeta{n} omega{n}"
        for n in range(2_000)
    ]
    text = "\n".join(lines)
    cavemem("remember", "--stdin", stdin=text.encode("utf-8")).ok()
    cavemem.remember("kubernetes short")
    (hit,) = cavemem.hits("zeta7 omega7 kubernetes ingress fact", "5", "100")
    assert list(hit)[-1] == "recovery_handle"
    assert hit["recovery_handle"] == handle_of(text)
    assert 0 < hit["tokens_added"] <= 100
    assert text.startswith(hit["text"])
    assert hit["tokens_added"] == exact(hit["text"])
    next_characters = text[: len(hit["text"]) + 12]
    assert exact(next_characters) > 100
    assert cavemem("recover", hit["recovery_handle"]).ok().out == text.encode("utf-8")


@pytest.mark.parametrize(("budget", "shown"), [(1, ""), (2, ""), (3, "🧑")])
def test_a_beginning_may_be_empty_and_never_splits_a_character(
    cavemem: Cavemem, budget: int, shown: str
) -> None:
    cavemem.remember("🧑\u200d🚀🧑\u200d🚀 astronaut")
    (hit,) = cavemem.hits("astronaut", "5", str(budget))
    assert hit["text"] == shown
    assert hit["tokens_added"] == (exact(shown) if shown else 0)
    assert hit["recovery_handle"].startswith("ccr_")


def test_a_record_comes_back_byte_for_byte(cavemem: Cavemem) -> None:
    record = json.dumps({"runbook": [{"step": "restart", "target": "api"}] * 41})
    cavemem("remember", "--stdin", stdin=record.encode("utf-8")).ok()
    (hit,) = cavemem.hits("runbook restart api step", "5", "50")
    assert cavemem("recover", hit["recovery_handle"]).ok().out == record.encode("utf-8")


def test_without_the_vocabulary_tokens_are_estimated(cavemem: Cavemem, tmp_path: Path) -> None:
    blocked = tmp_path / "blocked" / "bpe_openai.py"
    blocked.parent.mkdir()
    blocked.write_text("raise ModuleNotFoundError('no extra', name='bpe_openai')\n", "utf-8")
    text = "the estimate of 预算 and a few more words"
    cavemem.remember(text)
    path = os.pathsep.join((str(blocked.parent), cavemem.environment["PYTHONPATH"]))
    without = Cavemem(cavemem.folder, cavemem.base, {"PYTHONPATH": path})
    (hit,) = without.hits("estimate")
    assert hit["tokens_added"] == EstimatedTokens().count(text)
    (exactly,) = cavemem.hits("estimate")
    assert exactly["tokens_added"] == exact(text)


def test_what_memstone_hides_is_not_recalled_here_either(cavemem: Cavemem) -> None:
    shown, expired = cavemem.fill(["zebra one", "zebra two"])
    cavemem.memstone("expire", expired, "2020-01-01").ok()
    assert [hit["id"] for hit in cavemem.hits("zebra")] == [shown]
    cavemem.memstone("remember", "zebra three", "--shared").ok()
    assert len(cavemem.hits("zebra")) == 2
    cavemem.memstone("remember", "zebra of a project", "--project", "atlas").ok()
    assert len(cavemem.hits("zebra")) == 2
