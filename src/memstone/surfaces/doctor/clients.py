"""One client tried out: its hooks run with a sample, its MCP server opened once.

The commands are those that stand in the client's files now, run as the client runs them: through
the shell for hooks, directly for the server. A hook gets `--check`, so it answers and records
nothing, and a transcript that does not exist. What counts is what the client would see: exit
code 0, JSON or nothing on standard output, and the time it took.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import time
from dataclasses import dataclass

from memstone.errors import ClientFileRefused
from memstone.surfaces.doctor.findings import FAIL, OK, WARN, Finding
from memstone.surfaces.install import editing, files, plugin, receipts
from memstone.surfaces.install.clients import NAME, Wish, targets
from memstone.surfaces.install.launching import ENV, Launcher, is_server, server_words
from memstone.surfaces.install.values import TOML, WHOLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memstone.surfaces.doctor.findings import Subject
    from memstone.surfaces.install.values import Target

HOOK_SECONDS = 30  # until a hook counts as hanging
SLOW_SECONDS = 2.0
SERVER_SECONDS = 60
PROTOCOL = "2025-06-18"
SHOWN = 200


@dataclass(frozen=True, slots=True)
class Configured:
    """What of ours a client's files name: hooks as (event, command), and the server's entry."""

    hooks: tuple[tuple[str, str], ...]
    server: Mapping[str, object] | None


def examine(client: str, subject: Subject) -> Iterator[Finding]:
    """Try every hook and the server of one client."""
    try:
        found = configured(client, subject)
    except ClientFileRefused as error:
        yield Finding(client, FAIL, error.message, error.hint)
        return
    wish = Wish(client, Launcher(("memstone",)))
    hooked = [
        target for target in targets(wish, subject.machine) if target.hooks or _is_hooks(target)
    ]
    hint = f"memstone install --client {client}"
    if hooked and not found.hooks:
        yield Finding(client, FAIL, f"no hook of memstone is set up for {client}", hint)
    for event, command in found.hooks:
        yield _try_hook(client, event, command, subject)
    if found.server is None:
        yield Finding(client, FAIL, f"no MCP server of memstone is set up for {client}", hint)
    else:
        yield _try_server(client, found.server, subject)


def configured(client: str, subject: Subject) -> Configured:
    """What the client's files name; raises `ClientFileRefused` on one that cannot be read."""
    hooks: list[tuple[str, str]] = []
    server: Mapping[str, object] | None = None
    for path, root, kind, pointer in _places(client, subject):
        try:
            content = files.look(path, root).content
            if content is None:
                continue
            hooks += editing.hooks_in(content) if kind != TOML else ()
            entry = editing.value_in(content, kind, pointer)
        except ClientFileRefused as error:
            raise ClientFileRefused(f"{path}: {error.message}", path=path) from error
        if isinstance(entry, dict) and is_server(entry):
            server = entry
    return Configured(tuple(hooks), server)


def _places(client: str, subject: Subject) -> Iterator[tuple[str, str, str, tuple[str, ...]]]:
    """Files in which a client's hooks and server stand: path, root, kind, where the server is."""
    receipt = receipts.load(subject.home, client)
    usual = ("mcpServers", NAME)
    if receipt is not None and receipt.plugin:
        for name in plugin.NAMES:
            if name.endswith(("hooks.json", ".mcp.json")):
                path = os.path.join(subject.home, plugin.FOLDER, name)
                yield path, subject.home, WHOLE, usual
        return
    for target in targets(Wish(client, Launcher(("memstone",))), subject.machine):
        pointer = target.entry.pointer if target.entry else usual
        yield target.path, target.root, target.kind, pointer


def _is_hooks(target: Target) -> bool:
    return target.kind == WHOLE and target.path.endswith("hooks.json")


def sample(client: str, event: str, cwd: str) -> dict[str, object]:
    """An input such as the client gives a hook, of a session that never was."""
    nowhere = os.path.join(cwd, "memstone-doctor-no-such-transcript.jsonl")
    common: dict[str, object] = {
        "session_id": "memstone-doctor",
        "hook_event_name": event,
        "cwd": cwd,
        "transcript_path": nowhere,
        "prompt": "memstone doctor",
        "source": "startup",
        "trigger": "manual",
        "reason": "other",
    }
    if client == "cursor":
        return common | {
            "conversation_id": "memstone-doctor",
            "generation_id": "memstone-doctor",
            "workspace_roots": [cwd],
            "text": "memstone doctor",
        }
    if client == "gemini":
        return common | {"timestamp": "2026-01-01T00:00:00Z", "prompt_response": "memstone doctor"}
    return common | {"compact_summary": "memstone doctor"}


def _try_hook(client: str, event: str, command: str, subject: Subject) -> Finding:
    name = f"{client} {event}"
    missing = _missing_program(command)
    if missing:
        hint = f"memstone install --client {client}"
        return Finding(name, FAIL, f"its program is not there any more: {missing}", hint)
    given = json.dumps(sample(client, event, subject.machine.home)).encode()
    began = time.monotonic()
    try:
        done = subprocess.run(  # noqa: S602  (as the client runs it; the command is ours)
            f"{command} --check",
            shell=True,
            input=given,
            capture_output=True,
            cwd=subject.machine.home,
            env=dict(subject.machine.environ),
            timeout=HOOK_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Finding(name, FAIL, f"did not end within {HOOK_SECONDS} s", f"try: {command}")
    seconds = time.monotonic() - began
    problem = _problem(done)
    if problem:
        return Finding(name, FAIL, problem, f"try: {command}")
    said = f"answered in {seconds * 1000:.0f} ms, {len(done.stdout)} bytes"
    return Finding(name, OK if seconds <= SLOW_SECONDS else WARN, said)


def _problem(done: subprocess.CompletedProcess[bytes]) -> str | None:
    """What is wrong with the way a hook ended, if anything."""
    complaint = done.stderr.decode("utf-8", "replace").strip()[:SHOWN]
    if done.returncode != 0:
        return f"ended with {done.returncode}: {complaint}"
    try:
        data = json.loads(done.stdout) if done.stdout.strip() else {}
    except ValueError:
        return "printed something that is not JSON"
    if not isinstance(data, dict):
        return "printed JSON that is no object"
    return complaint or None


def _try_server(client: str, entry: Mapping[str, object], subject: Subject) -> Finding:
    name = f"{client} server"
    hint = f"memstone install --client {client}"
    words = server_words(dict(entry))
    if not os.path.exists(words[0]) and subject.machine.which(words[0]) is None:
        return Finding(name, FAIL, f"its program is not there any more: {words[0]}", hint)
    more = entry.get("env") or entry.get("environment")
    environ = {**subject.machine.environ, **(more if isinstance(more, dict) else {})}
    began = time.monotonic()
    try:
        done = subprocess.run(  # noqa: S603  (as the client runs it; the command is ours)
            words,
            input=_conversation(),
            capture_output=True,
            cwd=subject.machine.home,
            env=environ,
            timeout=SERVER_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Finding(name, FAIL, f"did not end within {SERVER_SECONDS} s of its input's end")
    seconds = time.monotonic() - began
    answers = _answers(done.stdout)
    tools = answers.get(2, {}).get("tools") if isinstance(answers.get(2), dict) else None
    if not isinstance(tools, list) or 1 not in answers:
        complaint = done.stderr.decode("utf-8", "replace").strip()[-SHOWN:]
        said = f"did not answer initialize and tools/list (exit code {done.returncode})"
        return Finding(name, FAIL, f"{said}: {complaint}", f"try: {shlex.join(words)}")
    return Finding(
        name, OK, f"offers {len(tools)} tools, {seconds * 1000:.0f} ms from start to end"
    )


def _conversation() -> bytes:
    """What a client says first, a line a message."""
    asked = {
        "protocolVersion": PROTOCOL,
        "capabilities": {},
        "clientInfo": {"name": "memstone-doctor", "version": "1"},
    }
    messages = (
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": asked},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    )
    return b"".join(json.dumps(message).encode() + b"\n" for message in messages)


def _answers(output: bytes) -> dict[object, Mapping[str, object]]:
    """The results on a server's output, by their ids; lines that are no message are left out."""
    found: dict[object, Mapping[str, object]] = {}
    for line in output.splitlines():
        try:
            message = json.loads(line)
        except ValueError:
            continue
        if isinstance(message, dict) and isinstance(message.get("result"), dict):
            found[message.get("id")] = message["result"]
    return found


def _missing_program(command: str) -> str | None:
    """The program of a hook's command if it is a path to nothing."""
    words = shlex.split(command)
    if words[0] == ENV:
        words = [word for word in words[1:] if "=" not in word]
    program = words[0]
    return program if os.path.isabs(program) and not os.path.exists(program) else None
