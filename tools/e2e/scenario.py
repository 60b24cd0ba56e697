"""The story that is told to each client: facts said in one session are there in the next.

The steps build on one another and on one store, in the order of `tell`. A step that finds nothing
to work on says so and the later ones go on: a report of what fails after the first failure is worth
having.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tools.e2e.stage import NOTES, notes

if TYPE_CHECKING:
    from tools.e2e.results import Section
    from tools.e2e.stage import Asked, Stage


@dataclass(frozen=True, slots=True)
class Fact:
    """Something said in session one and asked for in session two; only the first holds `needle`."""

    said: str
    asked: str
    needle: str


ENGLISH = Fact(
    "For later: the staging cluster runs in eu-west-1.",
    "In which region does the staging cluster run?",
    "eu-west-1",
)
CHINESE = Fact(
    "记一下：测试环境的数据库端口是 54339。",
    "测试环境的数据库端口是多少？",
    "54339",
)
FACTS = (ENGLISH, CHINESE)


@dataclass(slots=True)
class Told:
    """What has been said so far, to be compared with what is stored."""

    prompts: list[str] = field(default_factory=list)
    sessions: list[str] = field(default_factory=list)
    unrouted: int = 0
    seconds: list[float] = field(default_factory=list)
    sizes: list[float] = field(default_factory=list)

    def heard(self, asked: Asked) -> None:
        """Count in one run of the client."""
        self.prompts.append(asked.prompt)
        self.unrouted += asked.unrouted
        self.seconds.append(round(asked.done.seconds, 2))
        if asked.session and asked.session not in self.sessions:
            self.sessions.append(asked.session)


def tell(stage: Stage, section: Section) -> Told:
    """Sessions one and two, and what is stored after each; what has been said in them."""
    told = Told()
    say(stage, section, told)
    stored_once(stage, section, told, "after session one")
    ask(stage, section, told)
    stored_once(stage, section, told, "after session two")
    elsewhere(stage, section, told)
    spent(stage, section, told)
    what = "attempts to leave loopback, the client's and ours, in these sessions"
    section.note(what, told.unrouted)
    section.figure("whole run of the client", "s", told.seconds)
    section.figure("block at the prompt", "characters", told.sizes)
    return told


def say(stage: Stage, section: Section, told: Told) -> None:
    """Session one: both facts, the second in the resumed session."""
    session = None
    for fact in FACTS:
        asked = stage.ask(fact.said, session=session)
        told.heard(asked)
        session = asked.session
        seen = f"exit {asked.done.code}, {len(asked.requests)} requests to the model"
        section.check(f"session one says: {fact.said}", seen, holds=asked.ended_well)


def ask(stage: Stage, section: Section, told: Told) -> None:
    """Session two: each fact stands in a block of ours in the first request of its prompt."""
    for fact in FACTS:
        asked = stage.ask(fact.asked)
        told.heard(asked)
        if not asked.main:
            section.check(f"session two asks: {fact.asked}", asked.done.err[-300:], holds=False)
            continue
        request = asked.main[0]
        blocks = notes(request, fact.needle)
        seen = f"{fact.needle} in {len(blocks)} block(s) of {NOTES}, request {request.ordinal}"
        section.check(f"session two asks: {fact.asked}", seen, holds=len(blocks) == 1)
        bare = [text for text in request.holding(fact.needle) if NOTES not in text]
        section.check("  the fact reached the model by no other way", len(bare), holds=not bare)
        if blocks:
            told.sizes.append(float(_block_size(blocks[0])))


def stored_once(stage: Stage, section: Section, told: Told, when: str) -> None:
    """Every prompt and every answer is one row; nothing of ours was read back."""
    rows = stage.ground.exported()
    texts = [str(row["text"]) for row in rows]
    counts = {prompt: texts.count(prompt) for prompt in told.prompts}
    once = all(counts[prompt] == told.prompts.count(prompt) for prompt in told.prompts)
    section.check(f"every prompt stored once, {when}", list(counts.values()), holds=once)
    answers = [text for text in texts if text.startswith("Understood, this is answer number")]
    whole = len(answers) == len(set(answers)) == stage.answers
    section.check(
        f"every answer stored once, {when}", f"{len(answers)} of {stage.answers}", holds=whole
    )
    ours = [text for text in texts if NOTES in text]
    section.check(f"no block of ours stored, {when}", len(ours), holds=not ours)
    rest = len(texts) - len(answers) - sum(text in counts for text in texts)
    section.check(f"nothing else stored, {when}", f"{rest} other rows", holds=rest == 0)
    if rows:
        section.check(
            f"turns carry their source, {when}", _source_names(rows), holds=_sources(rows, stage)
        )


def elsewhere(stage: Stage, section: Section, told: Told) -> None:
    """The same question in another repository: the fact is not shown there."""
    asked = stage.ask(ENGLISH.asked, folder=stage.ground.other_project)
    told.heard(asked)
    found = [request for request in asked.main if request.holding(ENGLISH.needle)]
    section.check(
        "another repository's question does not see the fact", len(found), holds=not found
    )


def spent(stage: Stage, section: Section, told: Told) -> None:
    """`status` tells what was injected into which session."""
    value = stage.ground.read("status")
    text = str(value)
    named = [session for session in told.sessions if session in text]
    seen = f"{len(named)} of {len(told.sessions)} sessions"
    section.check("status names the sessions", seen, holds=len(named) == len(told.sessions))


def _block_size(text: str) -> int:
    """Characters of our block inside `text`."""
    return text.rfind(NOTES) + len(NOTES) - text.find(NOTES)


def _sources(rows: list[dict[str, Any]], stage: Stage) -> bool:
    return all(stage.client.name in name for name in _source_names(rows))


def _source_names(rows: list[dict[str, Any]]) -> list[str]:
    return sorted({f"{row['provenance']['source']} {row['provenance']['trust']}" for row in rows})
