"""`install`, `uninstall`: a client set up to use memstone, and memstone taken out of it again.

The plan is shown before it is carried out; it needs no confirmation, because `uninstall` gives
back what was there. `--dry-run` shows the plan alone and writes nothing, not even a store.
"""

from __future__ import annotations

import os
import shlex

from memstone.errors import UsageError
from memstone.surfaces.install import carrying, plugin, receipts
from memstone.surfaces.install.clients import CLIENTS, Machine, Wish
from memstone.surfaces.install.launching import find_launcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstone.surfaces.cli.call import Call
    from memstone.surfaces.install.values import Change

PLUGIN_CLIENT = "claude-code"
SHOWN = 400  # characters of a value in a plan on a terminal


def install(call: Call) -> int:
    """Set a client up, after showing what that changes."""
    given = call.arguments
    client, home, machine = _client(call), _home(call), Machine(os.environ)
    wish = Wish(client, find_launcher(), work=given.work, home=_named_home(call))
    if given.plugin:
        return _install_plugin(call, wish, machine)
    plan = carrying.plan_install(wish, machine, home)
    answer = _answer(call, client, home, plan.changes)
    answer |= {"plugin": False, "approve": list(plan.approve), "commands": []}
    _show_plan(call, plan.changes)
    notes = plan.notes
    if not given.dry_run:
        _make_store(call)
        notes += carrying.install(plan, machine)
    answer |= {"receipt": receipts.path_of(home, client), "notes": list(notes)}
    call.output.document(answer, lambda: _told(answer, "installed", also=plan.approve))
    return 0


def uninstall(call: Call) -> int:
    """Take memstone out of a client; memories stay."""
    client, home, machine = _client(call), _home(call), Machine(os.environ)
    receipt = receipts.load(home, client)
    if receipt is not None and receipt.plugin:
        return _uninstall_plugin(call, plugin.plan_uninstall(machine, home, receipt), machine)
    plan = carrying.plan_uninstall(Wish(client, find_launcher()), machine, home)
    answer = _answer(call, client, home, plan.changes)
    left = [{"file": file, "pointer": pointer} for file, pointer in plan.left]
    _show_plan(call, plan.changes)
    if not call.arguments.dry_run:
        carrying.uninstall(plan)
    notes = list(plan.notes)
    notes += [
        f"{file} {pointer} was changed since and stays; remove it there if you do not want it"
        for file, pointer in plan.left
    ]
    answer |= {"left": left, "commands": [], "notes": notes}
    stays = f"your memories stay in {home}"
    call.output.document(answer, lambda: _told(answer, "removed", also=(stays,)))
    return 0


def _install_plugin(call: Call, wish: Wish, machine: Machine) -> int:
    if wish.client != PLUGIN_CLIENT:
        raise UsageError(f"--plugin is for {PLUGIN_CLIENT}", hint="leave --plugin out")
    home = _home(call)
    plan = plugin.plan_install(wish, machine, home)
    answer = _answer(call, wish.client, home, plan.changes)
    _show_plan(call, plan.changes)
    notes = plan.notes
    if not call.arguments.dry_run:
        _make_store(call)
        notes += plugin.install(plan, machine)
    answer |= {
        "plugin": True,
        "approve": list(plan.approve),
        "commands": [list(words) for words in plan.commands],
        "receipt": receipts.path_of(home, wish.client),
        "notes": [*notes, *_to_run(plan)],
    }
    call.output.document(answer, lambda: _told(answer, "installed", also=plan.approve))
    return 0


def _uninstall_plugin(call: Call, plan: plugin.PluginPlan, machine: Machine) -> int:
    answer = _answer(call, PLUGIN_CLIENT, plan.home, ())
    notes: tuple[str, ...] = ()
    if not call.arguments.dry_run:
        notes = plugin.uninstall(plan, machine)
    answer |= {
        "left": [],
        "commands": [list(words) for words in plan.commands],
        "notes": [*notes, *_to_run(plan)],
    }
    stays = f"your memories stay in {plan.home}"
    call.output.document(answer, lambda: _told(answer, "removed", also=(stays,)))
    return 0


def _to_run(plan: plugin.PluginPlan) -> list[str]:
    """The commands that the user has to run, where Claude Code was not found."""
    if plan.runs:
        return []
    return [f"run this yourself: {shlex.join(words)}" for words in plan.commands]


def _client(call: Call) -> str:
    client: str | None = call.arguments.client
    if not client:
        raise UsageError("which client? none was named", hint=f"--client {'|'.join(CLIENTS)}")
    return client


def _home(call: Call) -> str:
    """The data folder, absolute."""
    from memstone import engine

    named: str | None = call.arguments.home
    return os.path.abspath(os.path.expanduser(named)) if named else engine.data_home()


def _named_home(call: Call) -> str | None:
    """The data folder if the user named one: a client does not inherit a shell's variables."""
    named = call.arguments.home or os.environ.get("MEMSTONE_HOME")
    return _home(call) if named else None


def _make_store(call: Call) -> None:
    """The store, made now: a hook makes none."""
    from memstone import engine

    engine.open(_home(call), surface="cli").close()


def _answer(call: Call, client: str, home: str, changes: Sequence[Change]) -> dict[str, object]:
    return {
        "client": client,
        "applied": not call.arguments.dry_run,
        "changes": [
            {
                "file": change.file,
                "pointer": change.pointer,
                "old": change.old,
                "new": change.new,
                "by": list(change.by),
            }
            for change in changes
        ],
        "home": home,
    }


def _show_plan(call: Call, changes: Sequence[Change]) -> None:
    """The plan for a person, before anything happens."""
    if not call.output.for_people:
        return
    lines = ["nothing to change" if not changes else "will change:"]
    for change in changes:
        lines.append(f"  {change.file} {change.pointer}")
        for sign, value in (("-", change.old), ("+", change.new)):
            if value is not None:
                lines.append(f"    {sign} {_spelt(value)}")
        if change.by:
            lines.append(f"    by: {shlex.join(change.by)}")
    call.output.text("\n".join(lines))


def _spelt(value: object) -> str:
    import json

    from memstone.surfaces.cli.output import harmless

    text = harmless(json.dumps(value, ensure_ascii=False))
    return text if len(text) <= SHOWN else text[:SHOWN] + "…"


def _told(answer: dict[str, object], done: str, *, also: Sequence[str]) -> str:
    """What there is to say afterwards, for a person."""
    notes = answer["notes"]
    assert isinstance(notes, list)
    first = f"{done}: {answer['client']}" if answer["applied"] else "nothing was written (dry run)"
    return "\n".join([first, *(f"note: {note}" for note in notes), *also])
