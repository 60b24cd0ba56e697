"""A chat bot that remembers: recall, notes, model, remember. Runs without a key: `--fake`.

    python examples/chat.py --fake
    python examples/chat.py --anthropic MODEL            (key in ANTHROPIC_API_KEY)
    python examples/chat.py --openai http://127.0.0.1:11434/v1 MODEL   (Ollama, vLLM, llama.cpp)

Each round asks memory what matters for the line, puts it into the system prompt as notes, calls the
model, and hands both turns to memory (of `--fake`, which says nothing of its own, only yours).
Cards and changed facts are worked out in the background and finished when you leave (an empty line
or Ctrl-D). The memories are kept under MEMSTONE_HOME; `--home DIR` names another folder.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import sys
import urllib.request
import uuid
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import memstone

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Model = Callable[[str, list[dict[str, str]]], str]  # (system prompt, messages) -> answer

TIMEOUT_SECONDS = 120
MOST_NOTES = 10
NOTE = re.compile(r"\d+\. \[[^\]]*\] (.*)")
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
    no_answer="no answer from {why}\nWhat you said is remembered. --fake needs no model.",
    remembered="From what you told me: ",
    done="remembered: {turns} turns, {cards} cards, {statements} statements; {replaced} replaced",
)


class NoAnswer(Exception):
    """The model was not reached, or refused."""


def anthropic(model: str) -> Model:
    """The Anthropic Messages API."""

    def answer(system: str, messages: list[dict[str, str]]) -> str:
        body = {"model": model, "max_tokens": 1024, "system": system, "messages": messages}
        headers = {
            "x-api-key": os.environ["ANTHROPIC_API_KEY"],
            "anthropic-version": "2023-06-01",
        }
        return _post(
            ANTHROPIC,
            body,
            headers,
            lambda said: "".join(block.get("text", "") for block in said["content"]),
        )

    return answer


def openai(base: str, model: str) -> Model:
    """Anything that speaks the OpenAI chat API."""

    def answer(system: str, messages: list[dict[str, str]]) -> str:
        body = {"model": model, "messages": [{"role": "system", "content": system}, *messages]}
        key = os.environ.get("OPENAI_API_KEY")
        headers = {"authorization": f"Bearer {key}"} if key else {}
        url = f"{base.rstrip('/')}/chat/completions"
        return _post(url, body, headers, lambda said: said["choices"][0]["message"]["content"])

    return answer


def fake(words: Words) -> Model:
    """No model at all: repeats what memory put into the prompt, so that you see what it found."""

    def answer(system: str, messages: list[dict[str, str]]) -> str:
        del messages
        found = NOTE.findall(system)
        return words.remembered + " / ".join(found) if found else words.nothing

    return answer


def _post(url: str, body: object, headers: dict[str, str], read: Callable[[Any], object]) -> str:
    try:
        request = urllib.request.Request(
            url,
            data=json.dumps(body).encode("utf-8"),
            headers={"content-type": "application/json", **headers},
        )
        with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as response:
            return str(read(json.load(response)))
    except (OSError, http.client.HTTPException, ValueError) as error:  # not reached, refused, cut
        raise NoAnswer(f"{url}: {error}") from error
    except (LookupError, TypeError) as error:
        raise NoAnswer(f"{url}: not what its API answers: {error!r}") from error


def notes(memory: memstone.Engine, line: str, session: str) -> str:
    """What matters for a line, as notes for the prompt; "" if nothing does.

    What the user said, and facts and cards made of that; not what was said in this session, which
    the model sees anyway, no earlier questions, and no answers of its own: those are kept, but they
    mostly repeat notes or say that there are none.
    """
    found = memory.recall(line, not_session=session, skip_questions=True, limit=MOST_NOTES)
    told = tuple(hit for hit in found if hit.memory.provenance.trust is memstone.Trust.USER)
    return replace(found, hits=told).as_text()


def chat(
    memory: memstone.Engine,
    lines: Iterable[str],
    model: Model,
    words: Words,
    *,
    keep_answers: bool = True,
) -> bool:
    """One conversation; whether the model answered to its end."""
    session, turns = str(uuid.uuid4()), 0
    messages: list[dict[str, str]] = []
    answered = True
    for line in lines:
        messages.append({"role": "user", "content": line})
        said = [memstone.Turn(text=line, speaker="user", trust=memstone.Trust.USER)]
        try:
            answer = model(f"{words.system}\n\n{notes(memory, line, session)}".rstrip(), messages)
        except NoAnswer as error:
            print(words.no_answer.format(why=error), file=sys.stderr)
            answered = False
        else:
            print(answer)
            messages.append({"role": "assistant", "content": answer})
            if keep_answers:
                said.append(
                    memstone.Turn(text=answer, speaker="assistant", trust=memstone.Trust.AGENT)
                )
        memory.ingest(said, session_id=session, source="chat")
        turns += len(said)
        if not answered:
            break
    learnt = memory.flush()
    counts = {"cards": learnt.cards, "statements": learnt.statements}
    done = words.done.format(turns=turns, replaced=len(learnt.replaced), **counts)
    print(done, file=sys.stderr)
    return answered


def spoken(lines: Iterable[str], words: Words) -> Iterator[str]:
    """Lines given on the command line, shown as if they were typed."""
    for line in lines:
        print(f"{words.you}{line}")
        yield line


def typed(words: Words) -> Iterator[str]:
    """Lines from the keyboard, up to an empty one."""
    try:
        while line := input(words.you).strip():
            yield line
    except (EOFError, KeyboardInterrupt):
        print()


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
    lines = typed(words) if given.say is None else spoken(given.say, words)
    try:
        with memstone.open(given.home) as memory:
            answered = chat(memory, lines, model, words, keep_answers=not given.fake)
    except memstone.MemstoneError as error:
        hint = f" ({error.hint})" if error.hint else ""
        parser.exit(error.exit_code, f"{error.message}{hint}\n")
    return 0 if answered else 1


if __name__ == "__main__":
    sys.exit(main())
