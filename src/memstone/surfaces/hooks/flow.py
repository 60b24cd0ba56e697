"""What each event does, one straight run an event: read, answer, then record.

The answer goes out before anything is written, so that a store whose lock is taken costs the
session nothing but the record. Nothing is decided here that is not about hooks: what is relevant,
what is stored and what is a secret are the engine's affairs.

Switched off means off: while memory is paused, or the project is incognito, no store is opened.
Where there is no store, none is made.
"""

from __future__ import annotations

import os

from memstone import engine, wire
from memstone.errors import MemstoneError, SourceError
from memstone.surfaces.hooks import clients
from memstone.surfaces.hooks.events import MISSED_FILE, Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memstone.engine import Engine
    from memstone.surfaces.hooks.events import HookInput
    from memstone.surfaces.hooks.process import Hook
    from memstone.types import Block, SessionUse, Skipped

MOST_CHARACTERS = 8_999  # Claude Code shows the model only the beginning of more than 10,000
STORING_SECONDS = 4.5  # for a hook that has the store and writes; clients give it 5 s and more
WHY_SKIPPED = "no words of their own, images, or damaged lines"
SHOWN_REASONS = 3
WORKED_AFTER = (Event.STOP, Event.SESSION_END)


def run(hook: Hook, given: HookInput) -> None:
    """Do what the event asks for; raises what goes wrong."""
    home = hook.home()
    project = engine.project_of(_folder(given))
    if engine.switches(home).off(project):
        return
    with engine.open_hook(home, surface=f"hook:{given.client}", project=project) as opened:
        FLOWS[given.event](opened, hook, given)
        pending = hook.options.work and given.event in WORKED_AFTER and bool(opened.pending())
    if hook.options.check:
        return
    if given.event in WORKED_AFTER and os.path.exists(os.path.join(home, MISSED_FILE)):
        from memstone.surfaces.hooks import missed

        try:
            missed.catch_up(home)
        except MemstoneError as error:  # theirs, not this session's, whose turns are stored
            hook.complain(f"memstone: a missed transcript still waits: {error.message}")
    if pending:
        from memstone.surfaces.hooks import working

        working.start(hook.options.home, folder=home)


def miss(hook: Hook, given: HookInput, error: Exception) -> None:
    """Keep the name of a transcript that could not be stored, for a later hook of any session.

    One that could not be read is not kept: no later hook could read it either.
    """
    captures = FLOWS[given.event] in (_store, _post_compact, _session_end)
    if (
        not captures
        or isinstance(error, SourceError)
        or not given.transcript
        or not clients.CLIENTS[given.client].transcripts
    ):
        return
    project = engine.project_of(_folder(given))
    session = given.session or os.path.basename(given.transcript)
    secret = engine.holds_secret(f"{session} {given.transcript}")  # it would stand there in clear
    if engine.switches(hook.home()).off(project) is None and not secret:
        from memstone.surfaces.hooks import missed

        missed.add(hook.home(), missed.Missed(given.client, given.transcript, session, project))


def _session_start(opened: Engine, hook: Hook, given: HookInput) -> None:
    """The stable block for the model; for the person what went wrong since the last time."""
    from memstone.surfaces.hooks import notices

    block = opened.session_block()
    home = hook.home()
    waiting = notices.waiting(home)
    hook.say(block.text, notices.sentence(waiting))
    if hook.options.check:
        return
    if waiting:
        notices.told(home, waiting)
    _note(opened, given, block)


def _prompt(opened: Engine, hook: Hook, given: HookInput) -> None:
    """What matters for the prompt, if anything does; a client without transcripts has it stored."""
    settings = opened.settings
    result = opened.recall(
        given.prompt,
        limit=settings.hooks_limit,
        budget=settings.hooks_budget,
        not_session=given.session,  # what was said in it is before the model's eyes
        skip_questions=True,  # earlier questions are most like this one, and answer nothing
        touch=False,
    )
    block = wire.notes_block(result, most_characters=MOST_CHARACTERS)
    hook.say(block.text)
    if hook.options.check:
        return
    if block:
        _note(opened, given, block)
    _store_told(opened, hook, given)


def _note(opened: Engine, given: HookInput, block: Block) -> None:
    """Record what was shown; in a session without a name only that it was used."""
    if given.session:
        opened.note_session(given.client, given.session, injected=block)
    else:
        opened.touch(block.shown)


def _capture(opened: Engine, hook: Hook, given: HookInput) -> tuple[Skipped, ...]:
    """Store the transcript's new turns, or those that the input tells; what was left out of it."""
    if hook.options.check:
        return ()
    left_out = _store_told(opened, hook, given)
    if not given.transcript or not clients.CLIENTS[given.client].transcripts:
        return left_out
    hook.clock.allow(STORING_SECONDS)
    session = given.session or os.path.basename(given.transcript)
    return opened.capture(given.transcript, client=given.client, session=session).skipped


def _store(opened: Engine, hook: Hook, given: HookInput) -> None:
    """`_capture`, about which nobody is told before the end of the session."""
    _capture(opened, hook, given)


def _post_compact(opened: Engine, hook: Hook, given: HookInput) -> None:
    """The summary that a compaction leaves is a card of its session; and what `_capture` does."""
    if given.summary.strip() and not hook.options.check:
        hook.clock.allow(STORING_SECONDS)
        opened.capture_summary(given.summary, client=given.client, session=given.session)
    _capture(opened, hook, given)


def _session_end(opened: Engine, hook: Hook, given: HookInput) -> None:
    """What is left to store, and one line to the person about the whole session."""
    left_out = _capture(opened, hook, given)
    if hook.options.check or not given.session:
        return
    use = opened.note_session(given.client, given.session, ended=True)
    hook.say(message=summed_up(use, left_out))


def summed_up(use: SessionUse, left_out: tuple[Skipped, ...]) -> str:
    """What a session left behind, and how to take it back; "" for one that left nothing.

    `left_out` was skipped by the last hook. The store keeps no reasons, so those of earlier hooks
    are told in general.
    """
    counts = use.counts
    if not counts.stored and not counts.skipped:
        return ""
    said = f"memstone: remembered {counts.stored} of this session's turns"
    if counts.skipped:
        why = WHY_SKIPPED
        if len(left_out) == counts.skipped:
            reasons = dict.fromkeys(one.reason for one in left_out)
            why = "; ".join(list(reasons)[:SHOWN_REASONS])
        said += f", skipped {counts.skipped} ({why})"
    if counts.redacted:
        said += f", blanked secrets in {counts.redacted}"
    return f"{said}; undo: memstone undo --session {use.session}"


def _store_told(opened: Engine, hook: Hook, given: HookInput) -> tuple[Skipped, ...]:
    """Store the prompt and the answer that a client without a transcript tells with this event;
    returns what was left out.
    """
    if given.event not in clients.CLIENTS[given.client].told:
        return ()
    from memstone.types import Trust, Turn

    hook.clock.allow(STORING_SECONDS)
    turns = [
        Turn(
            text=text,
            speaker=speaker,
            session=given.session or None,
            at=given.at or None,
            external_id=f"{given.key}:{speaker}" if given.key else None,
            trust=trust,
        )
        for text, speaker, trust in (
            (wire.without_own_blocks(given.prompt), "user", Trust.USER),
            (wire.without_own_blocks(given.answer), "assistant", Trust.AGENT),
        )
        if text.strip()
    ]
    if not turns:
        return ()
    return opened.capture_turns(turns, client=given.client, session=given.session).skipped


def _folder(given: HookInput) -> str:
    """The session's folder as this process reads names; else the one that we were started in."""
    if given.cwd:
        return given.cwd if os.name == "nt" else os.fsdecode(given.cwd.encode("utf-8"))
    try:
        return os.getcwd()
    except OSError:  # it was deleted under us; no repository there
        return os.sep


FLOWS: dict[Event, Callable[[Engine, Hook, HookInput], None]] = {
    Event.SESSION_START: _session_start,
    Event.PROMPT: _prompt,
    Event.ANSWER: _store,
    Event.PRE_COMPACT: _store,
    Event.POST_COMPACT: _post_compact,
    Event.STOP: _store,
    Event.SESSION_END: _session_end,
}
