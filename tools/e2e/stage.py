"""One client on its ground with the fake model: ask it something and see what the model was asked.

`Stage.ask` runs the client once and returns all there is to judge by: how it ended, every request
to the model, whether anything tried to leave loopback meanwhile. `notes` is the question that
everything turns on: which strings of a request are blocks of ours.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tools.e2e import ground as ground_
from tools.e2e import namespace
from tools.e2e.requests import ModelRequest, Reply

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tools.e2e.clients import Client
    from tools.e2e.ground import Done, Ground
    from tools.e2e.model_server import FakeModel

NOTES = "memstone-notes"  # of the delimiters of every block that memstone injects
_SESSION = re.compile(r"session[ _]id\"?: *\"?([0-9a-f]{8}-[0-9a-f-]{27})")


@dataclass(frozen=True, slots=True)
class Asked:
    """What one run of the client led to."""

    prompt: str
    done: Done
    requests: tuple[ModelRequest, ...]
    unrouted: int

    @property
    def session(self) -> str | None:
        """The client's id of the session."""
        found = _SESSION.search(self.done.out + self.done.err)
        return found[1] if found else None

    @property
    def main(self) -> tuple[ModelRequest, ...]:
        """The requests of the agent itself, without the client's side requests."""
        return tuple(request for request in self.requests if request.main)

    @property
    def ended_well(self) -> bool:
        """Whether the client ran to its end and the prompt reached the model."""
        return self.done.code == 0 and any(request.holding(self.prompt) for request in self.main)


@dataclass(slots=True)
class Stage:
    """A client, its ground and its model; counts the answers so that no two are the same text."""

    client: Client
    ground: Ground
    model: FakeModel
    answers: int = 0

    def ask(
        self,
        prompt: str,
        *,
        answer: Callable[[ModelRequest], Reply] | None = None,
        session: str | None = None,
        folder: Path | None = None,
        **how: bool | list[str],
    ) -> Asked:
        """Run the client with one prompt. `how`: `trusted` hooks (default), `before` its words."""
        self.model.begin(answer or self._plain)
        before = namespace.unrouted()
        words = self.client.words(prompt, session=session, trusted=how.get("trusted", True) is True)
        prefix = how.get("before")
        words[0] = str(self.ground.bin / words[0])
        done = ground_.run(
            [*(prefix if isinstance(prefix, list) else []), *words],
            self.ground.environment(**self.client.environment(self.model.address)),
            folder or self.ground.project,
        )
        return Asked(prompt, done, self.model.requests, namespace.unrouted() - before)

    def _plain(self, _request: ModelRequest) -> Reply:
        self.answers += 1
        return Reply(f"Understood, this is answer number {self.answers}.")


def notes(request: ModelRequest, needle: str = "") -> tuple[str, ...]:
    """The strings among the messages that hold a block of ours with `needle` in it."""
    return tuple(text for text in request.holding(needle) if NOTES in text)
