"""What else must hold with a real client: tools, compaction, undo, a damaged store, going away.

Each drill stands on the store that the scenario left, and `play` in `__main__` puts them into an
order in which none takes away what a later one needs.
"""

from __future__ import annotations

import contextlib
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tools.e2e.costs import recorded, runs
from tools.e2e.ground import run
from tools.e2e.requests import ModelRequest, Reply
from tools.e2e.scenario import ENGLISH
from tools.e2e.stage import NOTES, notes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tools.e2e.ground import Done
    from tools.e2e.results import Section
    from tools.e2e.stage import Stage

TRIALS = 3
WORDINGS = (
    "Where is the staging cluster?",
    "Tell me the region of the staging cluster.",
    "Which AWS region hosts our staging cluster?",
    "What region did I say the staging cluster runs in?",
    "Is the staging cluster in Europe or in the US?",
    "I forgot where staging runs, can you tell me the cluster's region?",
)
MOST_WAITED = 5  # seconds for processes to end after their client
MOST_STEPS = 5  # of tool calls that the fake model asks for in one prompt
WHILE_DAMAGED = "Said while the store was damaged: the canary is deployed on Mondays."
LOOKUP = "Please look up what you know about the staging cluster."


def install(stage: Stage, section: Section) -> bool:
    """Plan, install, install again: the plan changes nothing, the second time neither."""
    files = stage.client.configuration(stage.ground)
    before = _contents(files)
    plan = stage.ground.run("install", "--client", stage.client.name, "--dry-run")
    unchanged = plan.code == 0 and _contents(files) == before
    section.check("install --dry-run changes nothing", f"exit {plan.code}", holds=unchanged)
    done = stage.ground.run("install", "--client", stage.client.name)
    first = _contents(files)
    seen = f"exit {done.code} {done.err.strip()[-300:]}".strip()
    installed = section.check("install", seen, holds=done.code == 0 and first != before)
    again = stage.ground.run("install", "--client", stage.client.name)
    same = again.code == 0 and _contents(files) == first
    section.check("install again changes nothing", f"exit {again.code}", holds=same)
    return installed


def uninstall(stage: Stage, section: Section, before: dict[Path, bytes]) -> None:
    """What the user had is there again, byte for byte where only we wrote."""
    done = stage.ground.run("uninstall", "--client", stage.client.name)
    section.check(
        "uninstall", f"exit {done.code} {done.err.strip()[-200:]}".strip(), holds=done.code == 0
    )
    now = _contents(stage.client.configuration(stage.ground))
    for file, content in before.items():
        same = now.get(file) == content
        section.check(
            f"{file.name} as before we came", "bytes equal" if same else "differs", holds=same
        )
    left = [file.name for file, content in now.items() if b"memstone" in content]
    section.check("nothing of ours left in its files", ", ".join(left) or "nothing", holds=not left)
    told = stage.ask("Are you still there?")
    ours = [text for request in told.main for text in notes(request)]
    section.check(
        "a session after uninstall sees no notes", len(ours), holds=told.ended_well and not ours
    )


def tools(stage: Stage, section: Section) -> None:
    """On which request our tools are offered, and that calling one brings the fact."""
    first: list[float] = []
    how: set[str] = set()
    results = 0
    for _ in range(TRIALS):
        asked = stage.ask(LOOKUP, answer=_looking_up(stage))
        offers = [stage.client.offers(request) for request in asked.main]
        first += [float(number) for number, offer in enumerate(offers, 1) if offer][:1]
        how |= set(filter(None, offers))
        found = [_result_is_here(request) for request in asked.main]
        results += bool(found) and not found[0] and found[-1]
    seen = f"in {len(first)} of {TRIALS} sessions, first {' then '.join(sorted(how))}"
    section.check("our MCP tools are offered to the model", seen, holds=len(first) == TRIALS)
    seen = f"in {results} of {TRIALS} sessions"
    section.check("a call of recall brings the fact", seen, holds=results == TRIALS)
    section.figure("first request that offers our tools", "(number)", first)


def _looking_up(stage: Stage) -> Callable[[ModelRequest], Reply]:
    """A model that calls recall, loading it first where it must, until it has the fact."""
    steps = iter(range(MOST_STEPS))

    def answer(request: ModelRequest) -> Reply:
        if not request.main or _result_is_here(request) or next(steps, None) is None:
            return Reply("Looked up.")
        call = stage.client.recall(request, "staging cluster region")
        return Reply(call=call or stage.client.nothing())

    return answer


def _result_is_here(request: ModelRequest) -> bool:
    """Whether the fact is among the messages outside any block of notes: a tool brought it."""
    return any(NOTES not in text for text in request.holding(ENGLISH.needle))


def again(stage: Stage, section: Section) -> None:
    """Questions asked before are turns too: they must not crowd the fact out of its block."""
    for _ in range(TRIALS):
        asked = stage.ask(ENGLISH.asked)
    found = bool(asked.main) and bool(notes(asked.main[0], ENGLISH.needle))
    count = sum(row["text"] == ENGLISH.asked for row in stage.ground.exported())
    seen = f"asked {count} times" if found else f"crowded out after {count} askings"
    section.check("the fact still comes after the question was asked before", seen, holds=found)


def reworded(stage: Stage, section: Section) -> None:
    """How often the fact comes when each session asks in other words; questions are turns too."""
    came = []
    for wording in WORDINGS:
        asked = stage.ask(wording)
        came.append(bool(asked.main) and bool(notes(asked.main[0], ENGLISH.needle)))
    order = ", ".join("yes" if fact else "no" for fact in came)
    seen = f"{sum(came)} of {len(came)}, in this order: {order}"
    section.check("the fact comes, asked for in ever other words", seen, holds=all(came))


def compacted(stage: Stage, section: Section) -> None:
    """A compaction runs our hooks on both sides of it, and the session goes on with its notes."""
    session = stage.ask(ENGLISH.asked).session
    done = stage.ask("/compact keep the region", session=session)
    section.check("a session is compacted", f"exit {done.done.code}", holds=done.done.code == 0)
    asked = stage.ask(ENGLISH.asked, session=session)
    found = bool(asked.main) and bool(notes(asked.main[0], ENGLISH.needle))
    seen = f"exit {asked.done.code}, {len(asked.main)} requests"
    section.check("after it a prompt still gets its notes", seen, holds=found)
    rows = stage.ground.exported()
    texts = [str(row["text"]) for row in rows]
    answers = [text for text in texts if text.startswith("Understood, this is answer number")]
    once = len(answers) == len(set(answers))
    section.check("after it no answer is stored twice", f"{len(answers)} answers", holds=once)
    ours = [text for text in texts if NOTES in text]
    section.check("after it no block of ours is stored", len(ours), holds=not ours)


def handed_on(stage: Stage, other: Stage, section: Section) -> None:
    """What was said to one client is known to the other, over the same store."""
    other.client.prepare(other.ground, other.model.address)
    done = other.ground.run("install", "--client", other.client.name)
    asked = other.ask(ENGLISH.asked)
    found = bool(asked.main) and bool(notes(asked.main[0], ENGLISH.needle))
    seen = f"install exit {done.code}, client exit {asked.done.code}"
    what = f"said to {stage.client.name}, asked in {other.client.name}: the fact is there"
    section.check(what, seen, holds=found)
    other.ground.run("uninstall", "--client", other.client.name)


def undone(stage: Stage, section: Section, sessions: list[str]) -> None:
    """`undo --session` takes back what session one stored; its fact is not shown any more."""
    if not sessions:
        section.check("undo --session", "no session is known", holds=None)
        return
    done = stage.ground.run("undo", "--session", sessions[0])
    section.check("undo --session", f"exit {done.code} {_end(done)}".strip(), holds=done.code == 0)
    asked = stage.ask(ENGLISH.asked)
    found = [text for request in asked.main for text in notes(request, ENGLISH.needle)]
    gone = asked.ended_well and not found
    seen = f"{len(found)} blocks with it"
    section.check("the fact of session one is not shown any more", seen, holds=gone)
    for text in found[:1]:
        section.note("  it is shown as", text[text.find(NOTES) :][:600])


def _end(done: Done) -> str:
    """The end of what a command that failed said."""
    return done.err.strip()[-200:] if done.code else ""


def untrusted(stage: Stage, section: Section) -> None:
    """Without the approval that only a person gives, Codex silently runs no hook of ours."""
    asked = stage.ask(ENGLISH.asked, trusted=False)
    found = [text for request in asked.main for text in notes(request)]
    seen = "hooks ran unapproved" if found else "no notes, session unharmed"
    section.check("without approved hooks the session goes on", seen, holds=asked.ended_well)


def damaged(stage: Stage, section: Section) -> None:
    """A store that is no database any more breaks no session; the person is told once, after it."""
    stores = [path for path in stage.ground.home.rglob("mem.db") if path.is_file()]
    if len(stores) != 1:
        section.check("a damaged store breaks no session", f"{len(stores)} stores", holds=None)
        return
    with _put_aside(stores[0], stage.ground.root / "aside"):
        asked = stage.ask(WHILE_DAMAGED)
        session = asked.session
    seen = f"exit {asked.done.code}"
    section.check("a damaged store breaks no session", seen, holds=asked.ended_well)
    leaked = [request for request in asked.main if request.holding("store is damaged")]
    section.check("  the model is not told of it", len(leaked), holds=not leaked)
    told: list[bool] = []
    for _ in range(2):
        with recorded(stage) as log:
            asked = stage.ask(ENGLISH.asked)
        told.append(any("damaged" in run.stdout for run in runs(log)))
    section.check("  the person is told once, at the next start", told, holds=told == [True, False])
    found = bool(asked.main) and bool(notes(asked.main[0]))
    section.check("after the repair notes are there again", f"exit {asked.done.code}", holds=found)
    kept = _rows(stage, WHILE_DAMAGED)
    section.note("rows of what was said while the store was damaged", kept)
    stage.ask("Let us go on.", session=session)
    kept = _rows(stage, WHILE_DAMAGED)
    section.check("  stored once that session is resumed", kept, holds=kept == 1)


def _rows(stage: Stage, text: str) -> int:
    """How many rows of the store hold exactly `text`."""
    return sum(row["text"] == text for row in stage.ground.exported())


@contextlib.contextmanager
def _put_aside(store: Path, aside: Path) -> Iterator[None]:
    """Garbage in the place of the store, and the store back again at the end."""
    aside.mkdir()
    for path in store.parent.glob("mem.db*"):
        shutil.move(path, aside / path.name)
    store.write_bytes(b"this was a database once\n" * 400)
    store.chmod(0o600)
    yield
    for path in store.parent.glob("mem.db*"):
        path.unlink()
    for path in aside.iterdir():
        shutil.move(path, store.parent / path.name)


def as_plugin(stage: Stage, section: Section) -> None:
    """The other way in: a plugin with its marketplace, installed by the client's own command."""
    claude = str(stage.ground.bin / "claude")
    environment = stage.ground.environment(**stage.client.environment(stage.model.address))

    def plugin(*words: str) -> Done:
        return run([claude, "plugin", *words], environment, stage.ground.project)

    done = stage.ground.run("install", "--client", stage.client.name, "--plugin")
    section.check(
        "install --plugin", f"exit {done.code} {_end(done)}".strip(), holds=done.code == 0
    )
    files = [path for path in stage.ground.home.rglob("plugin.json") if "cache" not in path.parts]
    for path in files[:1]:
        valid = plugin("validate", str(path.parent.parent))
        last = valid.out.strip().rpartition("\n")[2]
        seen = f"exit {valid.code}, {last}"
        section.check("claude plugin validate", seen, holds=valid.code == 0)
    listed = plugin("list", "--json")
    there = listed.code == 0 and "memstone" in listed.out
    section.check("claude plugin list names it", f"exit {listed.code}", holds=there)
    stage.ask(ENGLISH.said)
    asked = stage.ask(ENGLISH.asked)
    found = bool(asked.main) and bool(notes(asked.main[0], ENGLISH.needle))
    section.check(
        "said in session one, there in session two", f"exit {asked.done.code}", holds=found
    )
    texts = [row["text"] for row in stage.ground.exported()]
    once = texts.count(ENGLISH.said) == 1
    section.check("stored once", f"{texts.count(ENGLISH.said)} rows", holds=once)
    offered = bool(asked.main) and bool(asked.main[0].holding("memstone__recall"))
    section.check("its MCP tools are offered on the first request", offered, holds=offered)
    done = stage.ground.run("uninstall", "--client", stage.client.name)
    section.check("uninstall", f"exit {done.code} {_end(done)}".strip(), holds=done.code == 0)
    gone = "memstone" not in plugin("list", "--json").out
    section.check("claude plugin list does not name it any more", gone, holds=gone)


def nothing_running(stage: Stage, section: Section) -> None:
    """No process that was started with the throw-away home is still there."""
    mark = b"HOME=" + bytes(stage.ground.home)
    deadline = time.monotonic() + MOST_WAITED
    left = _processes(mark)
    while left and time.monotonic() < deadline:  # a client ends before its servers have
        time.sleep(0.2)
        left = _processes(mark)
    section.check("no process is left behind", "; ".join(left) or "none", holds=not left)


def _processes(mark: bytes) -> list[str]:
    """Command lines of the processes that have `mark` among their variables."""
    found: list[str] = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (folder / "environ").read_bytes().split(b"\0"):
                words = (folder / "cmdline").read_bytes().split(b"\0")
                found.append(" ".join(word.decode("utf-8", "replace") for word in words[-4:]))
        except OSError:  # ended meanwhile, or not ours to read
            continue
    return found


def _contents(files: tuple[Path, ...]) -> dict[Path, bytes]:
    return {file: file.read_bytes() for file in files if file.is_file()}
