"""What the tests of public cases share: one store asked through both surfaces, rows in bulk.

`everywhere` asks Python and the command line the same question and insists on the same answer, so
a case holds on both. `restore` writes thousands of rows with any tags, times and lineage at the
speed of an import, in the layout of our own export.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from memstone.types import Turn
from tests.acceptance.cli import Answer, call, environment, process

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memstone import Engine
    from memstone.types import RecallResult

SPELT = {"tags": "tag", "any_tags": "any-tag", "kinds": "kind", "agents": "agent"}
LONG_AGO = "2026-01-01T00:00:00.000000Z"


def options(asked: Mapping[str, object]) -> list[str]:
    """Python keyword arguments as the options of the command line."""
    words: list[str] = []
    for name, value in asked.items():
        option = "--" + SPELT.get(name, name).replace("_", "-")
        for each in value if isinstance(value, list | tuple) else [value]:
            words += [option, str(each)]
    return words


def addressed(engine: Engine) -> list[str]:
    """The options that name the same store and scope to the command line."""
    words = ["--home", os.path.dirname(engine.path), "--user", engine.scope.user]
    project = engine.scope.project
    return [*words, "--project", project] if project else [*words, "--shared"]


def everywhere(engine: Engine, query: str, *, separate: bool = False, **asked: Any) -> RecallResult:
    """The answer to `query`, the same from Python and from the command line.

    With `separate` the command line is a process of its own.
    """
    result = engine.recall(query, touch=False, **asked)
    words = ["recall", query, "--no-touch", *options(asked), *addressed(engine)]
    home = os.path.dirname(engine.path)
    answer = process(*words, env=environment(home), cwd=home) if separate else call(*words)
    document = answer.ok().document
    assert [hit["id"] for hit in document["hits"]] == [hit.id for hit in result.hits]
    assert [hit["text"] for hit in document["hits"]] == [hit.text for hit in result.hits]
    assert [hit["score"] for hit in document["hits"]] == [hit.score for hit in result.hits]
    return result


def texts(result: RecallResult) -> list[str]:
    return [hit.text for hit in result.hits]


def row(text: str, **fields: object) -> dict[str, object]:
    """A line of an export: a memory long known, everything else as a new one unless given."""
    return {
        "id": "mem_" + sha256(text.encode()).hexdigest()[:32],
        "text": text,
        "scope": {"user": "ana"},
        "created_at": LONG_AGO,
        "valid_from": LONG_AGO,
    } | fields


def restore(engine: Engine, rows: Iterable[Mapping[str, object]]) -> None:
    """Store the rows as they are."""
    lines = [json.dumps(each) for each in ({"memstone_export": 1}, *rows)]
    report = engine.import_file(io.BytesIO("\n".join(lines).encode()))
    assert report.skipped == ()
    assert report.created == len(lines) - 1


def turns(engine: Engine, spoken: Iterable[str], *, session: str = "s") -> None:
    """Store those texts as the turns of one session."""
    engine.ingest(
        (
            Turn(text=text, speaker="ana", session=session, at=None, ordinal=number)
            for number, text in enumerate(spoken)
        ),
        source="test",
    )


@dataclass
class Clock:
    """A clock that a test moves; each reading is a microsecond later than the one before."""

    now: int = field(default=1_786_579_200_000_000)  # 2026-08-13

    def __call__(self) -> int:
        self.now += 1
        return self.now


def bare_python(code: str, *arguments: str, **environ: str) -> Answer:
    """Python code run in a process of its own, warnings being errors; arguments go as UTF-8."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, *(word.encode() for word in arguments)],
        capture_output=True,
        env=environ,
        timeout=60,
        check=False,
    )
    return Answer(done.returncode, done.stdout, done.stderr)
