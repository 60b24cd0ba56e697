"""The chat examples as somebody starts them: what is remembered comes back, nothing else does."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import memstone
from tests.integration.model_server import Reply, openai, serving

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
README = EXAMPLES.parent / "README.md"
TRANSCRIPT = re.compile(r"```console\n(\$ python examples/chat\.py --fake\n.*?)```", re.DOTALL)
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
    assert answer.returncode == 1
    assert nobody in answer.stderr
    assert "--fake" in answer.stderr
    assert "Traceback" not in answer.stderr
    again = run(script, tmp_path, "--fake", *spoken(TALKS[script][1][1][0]))
    assert TALKS[script][1][1][1] in again.stdout  # what was said to nobody is remembered


@pytest.mark.parametrize(
    "reply",
    [
        Reply(status=401),
        Reply(b"<html>"),
        Reply(b'{"error": "no such model"}'),
        Reply(b'{"choices": []}'),
        Reply(drop=True),
    ],
    ids=["refused", "no JSON", "another shape", "no choice", "cut off"],
)
def test_an_answer_that_is_none_ends_the_talk_in_a_line(reply: Reply, tmp_path: Path) -> None:
    with serving(reply) as server:
        answer = run("chat.py", tmp_path, "--openai", server.url, "m", *spoken("hello", "again"))
        assert len(server.asked) == 1
    assert answer.returncode == 1
    assert f"no answer from {server.url}/chat/completions: " in answer.stderr
    assert "Traceback" not in answer.stderr


def test_an_address_or_a_folder_that_will_not_do_is_a_line_too(tmp_path: Path) -> None:
    answer = run("chat.py", tmp_path, "--openai", "nonsense", "m", *spoken("hello"))
    assert (answer.returncode, "Traceback" in answer.stderr) == (1, False)
    file = tmp_path / "a file"
    file.write_text("", encoding="utf-8")
    answer = run("chat.py", file / "folder", "--fake", *spoken("hello"))
    assert answer.returncode > 1
    assert "Traceback" not in answer.stderr


@pytest.mark.parametrize(
    ("script", "noise", "question"),
    [
        ("chat.py", "I have no memory of that budget yet. Noted for our trip!", "our trip budget?"),
        ("chat_zh.py", "（我还不记得相关的旅行预算。）好的，旅行预算记住了。", "旅行预算是多少？"),
    ],
)
def test_what_a_model_said_is_kept_and_comes_back_in_no_note(
    script: str, noise: str, question: str, tmp_path: Path
) -> None:
    told, _ = TALKS[script]
    with serving(openai(noise)) as server:
        where = ("--openai", server.url, "m")
        assert run(script, tmp_path, *where, *spoken(*told)).returncode == 0
        assert run(script, tmp_path, *where, *spoken(question, question)).returncode == 0
        first, second = (asked["messages"] for _, _, asked in server.asked[-2:])
    kept = memstone_texts(tmp_path)
    assert kept.count(noise) == len(told) + 2
    assert "200" in first[0]["content"] or "八千" in first[0]["content"]  # the notes
    for messages in (first, second):
        assert noise[:12] not in messages[0]["content"]
        assert all(
            line not in messages[0]["content"] for line in told if line.endswith(("?", "？"))
        )
    assert [one["content"] for one in second[1:]] == [question, noise, question]  # this talk


def memstone_texts(home: Path) -> list[str]:
    with memstone.open(home) as engine:
        return [memory.text for memory in engine.list(limit=None, kinds=["turn"])]


def test_the_readme_shows_what_the_example_says(tmp_path: Path) -> None:
    block = TRANSCRIPT.search(README.read_text(encoding="utf-8"))
    assert block is not None
    talks = block[1].split("$ python examples/chat.py --fake\n")[1:]
    assert len(talks) == 2
    for talk in talks:
        shown = [line for line in talk.splitlines() if line != "you>"]
        lines = [line.removeprefix("you> ") for line in shown if line.startswith("you> ")]
        answer = run("chat.py", tmp_path, "--fake", *spoken(*lines))
        summary = [line for line in shown if line.startswith("remembered: ")]
        assert answer.stdout.splitlines() == [line for line in shown if line not in summary]
        assert all(line in answer.stderr.splitlines() for line in summary)
