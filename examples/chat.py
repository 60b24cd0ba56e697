"""A chat bot that remembers: recall, memory block, model, remember. Runs without a key: `--fake`.

    python examples/chat.py --fake
    python examples/chat.py --anthropic MODEL            (key in ANTHROPIC_API_KEY)
    python examples/chat.py --openai http://127.0.0.1:11434/v1 MODEL   (Ollama, vLLM, llama.cpp)

Each round asks memory what matters for the line, puts it into the system prompt as a block, calls
the model, and hands both turns to memory (of `--fake`, which says nothing of its own, only yours).
Cards and changed facts are worked out in the background
and finished when you leave (an empty line or Ctrl-D). The memories are kept under MEMSTONE_HOME;
`--home DIR` names another folder.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import urllib.request
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING

import memstone

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Model = Callable[[str, str], str]  # (system prompt, line) -> answer

TIMEOUT_SECONDS = 120
ANTHROPIC = "https://api.anthropic.com/v1/messages"


@dataclass(frozen=True)
class Words:
    """What the program says in one language."""

    system: str
    you: str
    nothing: str
    no_key: str
    no_answer: str
    remembered: str
    done: str


ENGLISH = Words(
    system="You are a helpful assistant. Use the notes from memory where they help.",
    you="you> ",
    nothing="(I have no memory of that yet.)",
    no_key="ANTHROPIC_API_KEY is not set; set it, or try --fake, which needs no key",
    no_answer="the model did not answer: {why}. What you said is remembered.",
    remembered="From what you told me: ",
    done="remembered: {turns} turns, {cards} cards, {statements} statements; {replaced} replaced",
)


class NoAnswer(Exception):
    """The model was not reached, or refused."""


def anthropic(model: str) -> Model:
    """The Anthropic Messages API."""

    def answer(system: str, line: str) -> str:
        body = {
            "model": model,
            "max_tokens": 1024,
            "system": system,
            "messages": [{"role": "user", "content": line}],
        }
        headers = {
            "x-api-key": os.environ["ANTHROPIC_API_KEY"],
            "anthropic-version": "2023-06-01",
        }
        said = _post(ANTHROPIC, body, headers)
        return "".join(block.get("text", "") for block in said["content"])

    return answer


def openai(base: str, model: str) -> Model:
    """Anything that speaks the OpenAI chat API."""

    def answer(system: str, line: str) -> str:
        messages = [{"role": "system", "content": system}, {"role": "user", "content": line}]
        key = os.environ.get("OPENAI_API_KEY")
        headers = {"authorization": f"Bearer {key}"} if key else {}
        said = _post(
            f"{base.rstrip('/')}/chat/completions", {"model": model, "messages": messages}, headers
        )
        return str(said["choices"][0]["message"]["content"])

    return answer


def fake(words: Words) -> Model:
    """No model at all: repeats what memory put into the prompt, so that you see what it found."""

    def answer(system: str, line: str) -> str:
        del line
        notes = [
            text.split("] ", 1)[-1].strip() for text in system.splitlines() if text.startswith("- ")
        ]
        return words.remembered + " / ".join(notes) if notes else words.nothing

    return answer


def _post(url: str, body: object, headers: dict[str, str]) -> dict:
    request = urllib.request.Request(
        url,
        data=json.dumps(body).encode("utf-8"),
        headers={"content-type": "application/json", **headers},
    )
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as response:
            return json.load(response)
    except (OSError, ValueError) as error:  # not reached, refused, cut off, not JSON
        raise NoAnswer(f"{url}: {error}") from error


def chat(
    lines: Sequence[str] | None,
    model: Model,
    words: Words,
    home: str | None,
    *,
    keep_answers: bool = True,
) -> None:
    """One conversation; `lines` instead of the keyboard, for tests and transcripts."""
    session = str(uuid.uuid4())
    turns = lines_read = 0
    with memstone.open(home) as memory:
        while line := _next(lines, lines_read, words):
            block = memory.block(line, not_session=session)
            said = [memstone.Turn(text=line, speaker="user", trust=memstone.Trust.USER)]
            try:
                answer = model(f"{words.system}\n\n{block.text}".rstrip(), line)
                print(answer)
                if keep_answers:
                    said += [
                        memstone.Turn(text=answer, speaker="assistant", trust=memstone.Trust.AGENT)
                    ]
            except NoAnswer as error:
                print(words.no_answer.format(why=error), file=sys.stderr)
            memory.ingest(said, session_id=session, source="chat")
            turns += len(said)
            lines_read += 1
        learnt = memory.flush()
        print(
            words.done.format(
                turns=turns,
                cards=learnt.cards,
                statements=learnt.statements,
                replaced=len(learnt.replaced),
            ),
            file=sys.stderr,
        )


def _next(lines: Sequence[str] | None, number: int, words: Words) -> str:
    """The next line of the user; "" at the end."""
    if lines is not None:
        line = lines[number] if number < len(lines) else ""
        if line:
            print(f"{words.you}{line}")
        return line
    try:
        return input(words.you).strip()
    except EOFError:
        return ""


def main(words: Words = ENGLISH) -> int:
    """Read the command line and talk."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--fake", action="store_true", help="no model: show what memory found")
    which.add_argument("--anthropic", metavar="MODEL")
    which.add_argument("--openai", nargs=2, metavar=("URL", "MODEL"))
    parser.add_argument("--home", help="folder of the memories")
    parser.add_argument(
        "--say", action="append", metavar="TEXT", help="instead of the keyboard; repeat it"
    )
    given = parser.parse_args()
    if given.anthropic and not os.environ.get("ANTHROPIC_API_KEY"):
        parser.error(words.no_key)
    if given.anthropic:
        model = anthropic(given.anthropic)
    elif given.openai:
        model = openai(*given.openai)
    else:
        model = fake(words)
    chat(given.say, model, words, given.home, keep_answers=not given.fake)
    return 0


if __name__ == "__main__":
    sys.exit(main())
