"""The chat examples as somebody starts them: what is remembered comes back, nothing else does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
TALKS = {
    "chat.py": (
        (
            "Hi! My name is Lin and I am allergic to penicillin.",
            "Our budget for the trip is 900 euros.",
            "What is our budget?",
            "Actually, our budget for the trip is 1,200 euros.",
        ),
        (
            ("what is our budget for the trip?", "1,200 euros", "900"),
            ("what am I allergic to?", "penicillin", "900"),
            ("who won the chess match?", "no memory of that yet", "Lin"),
        ),
    ),
    "chat_zh.py": (
        (
            "你好！我叫林宇，对青霉素过敏。",
            "旅行预算是五千元。",
            "我们的预算是多少？",
            "更正一下，旅行预算改成八千元。",
        ),
        (
            ("旅行预算是多少？", "八千", "五千"),
            ("我对什么过敏？", "青霉素", "五千"),
            ("谁赢了象棋比赛？", "还不记得", "林宇"),
        ),
    ),
}


def run(script: str, home: Path, *words: str, **environ: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    return subprocess.run(
        [sys.executable, str(EXAMPLES / script), "--home", str(home), *words],
        env=kept | {"PYTHONUTF8": "1"} | environ,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def spoken(*lines: str) -> list[str]:
    return [word for line in lines for word in ("--say", line)]


@pytest.mark.parametrize("script", TALKS)
def test_a_second_session_knows_what_the_first_was_told(script: str, tmp_path: Path) -> None:
    told, asked = TALKS[script]
    first = run(script, tmp_path, "--fake", *spoken(*told))
    assert first.returncode == 0, first.stderr
    second = run(script, tmp_path, "--fake", *spoken(*(question for question, *_ in asked)))
    answers = second.stdout.splitlines()[1::2]
    for answer, (question, wanted, stale) in zip(answers, asked, strict=True):
        assert wanted in answer, (question, answer)
        assert stale not in answer, (question, answer)
        assert "?" not in answer, (question, answer)  # no earlier question comes back
        assert "？" not in answer, (question, answer)


@pytest.mark.parametrize("script", TALKS)
def test_without_a_key_or_a_server_it_says_so_in_a_line(script: str, tmp_path: Path) -> None:
    answer = run(script, tmp_path, "--anthropic", "some-model", *spoken("hello"))
    assert answer.returncode == 2
    assert "ANTHROPIC_API_KEY" in answer.stderr
    assert "Traceback" not in answer.stderr
    nobody = "http://127.0.0.1:9/v1"
    answer = run(script, tmp_path, "--openai", nobody, "some-model", *spoken(TALKS[script][0][0]))
    assert nobody in answer.stderr
    assert "Traceback" not in answer.stderr
    again = run(script, tmp_path, "--fake", *spoken(TALKS[script][1][1][0]))
    assert TALKS[script][1][1][1] in again.stdout  # what was said to nobody is remembered
