"""How long one long turn keeps the write lock: imported, superseded, forgotten.

    python tools/long_text.py english 1000000
    python tools/long_text.py chinese 1000000 --beside

Texts are drawn from a fixed seed: `english` and `chinese` by Zipf's law from 20,000 words and 3,000
characters, `random` from all 20,901 Chinese characters alike, which is the worst case: nearly every
pair of characters is a term of its own. With `--beside` the store holds another text of the same
kind first, so that most terms are shared. Prints CPU seconds and the longest transaction.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import memstone
from memstone import Turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memstone.protocols import Transaction
    from memstone.types import ChangeNote

KINDS = ("english", "chinese", "random")
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def text_of(kind: str, size: int, seed: int) -> str:
    """A text of `size` characters."""
    draw = random.Random(seed)
    if kind == "random":
        return "".join(chr(draw.randrange(0x4E00, 0x9FA5)) for _ in range(size))
    if kind == "chinese":
        words = [chr(0x4E00 + number) for number in range(3_000)]
    else:
        words = ["".join(draw.choices(LETTERS, k=draw.randint(2, 9))) for _ in range(20_000)]
    weights = [1 / rank for rank in range(1, len(words) + 1)]
    glue = "" if kind == "chinese" else " "
    return glue.join(draw.choices(words, weights, k=size))[:size]


class Watch:
    """Times every write of an engine's store."""

    def __init__(self, engine: memstone.Engine) -> None:
        self.seconds: list[float] = []
        write = engine.store.write

        @contextmanager
        def timed(note: ChangeNote) -> Iterator[Transaction]:
            with write(note) as transaction:
                began = time.perf_counter()
                yield transaction
            self.seconds.append(time.perf_counter() - began)

        engine.store.write = timed  # type: ignore[method-assign]

    def step(self, name: str, work: Callable[[], Any]) -> None:
        """Run one step and print what it cost."""
        self.seconds.clear()
        cpu = time.process_time()
        work()
        cpu = time.process_time() - cpu
        longest = max(self.seconds)
        print(f"{name:<10}{cpu:7.2f} s CPU, longest transaction {longest:6.2f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("characters", type=int)
    parser.add_argument("--beside", action="store_true")
    given = parser.parse_args()
    text = text_of(given.kind, given.characters, seed=7)
    with tempfile.TemporaryDirectory() as folder, memstone.open(folder) as engine:
        if given.beside:
            other = text_of(given.kind, given.characters, seed=8)
            engine.ingest([Turn(text=other, session="s", ordinal=1)])
        watch = Watch(engine)
        watch.step("import", lambda: engine.ingest([Turn(text=text, session="s", ordinal=2)]))
        (row,) = (memory for memory in engine.list() if memory.text == text)
        watch.step("supersede", lambda: engine.supersede(row.id, "short"))
        watch.step("forget", lambda: engine.forget(row.id))


if __name__ == "__main__":
    main()
