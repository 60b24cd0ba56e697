"""Our values put into the bytes of a client's file, and taken out again.

`merged` adds what is missing, corrects what is ours and has changed, and drops what is ours and
no longer wanted; an entry that is right already gives the same bytes. `stripped` takes out what a
record says is ours, judged by the command: a hook or server whose command somebody changed is
theirs now and is named instead. Timeouts and switches that a person added to an entry of ours do
not make it theirs.
"""

from __future__ import annotations

from dataclasses import dataclass

from memstone.errors import ClientFileRefused
from memstone.surfaces.install import jsontext, tomltext
from memstone.surfaces.install.files import decoded, digest
from memstone.surfaces.install.launching import fingerprint, is_hook, is_server, server_words
from memstone.surfaces.install.values import JSON, TOML, Change, Pointer, Record, Target, Traces

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstone.surfaces.install.jsontext import Node
    from memstone.surfaces.install.values import Hook

HOOKS = "hooks"
NEW_FILE = "{}\n"


@dataclass(frozen=True, slots=True)
class Stripped:
    """A file without our values: its bytes, None if nothing is left, what went, what stayed."""

    content: bytes | None
    removed: tuple[Change, ...]
    left: tuple[str, ...]  # pointers of what looks like ours and was changed by somebody


def merged(content: bytes | None, target: Target) -> tuple[bytes, tuple[Change, ...]]:
    """The file with everything that `target` wants; raises `ClientFileRefused`."""
    if target.kind not in (JSON, TOML):
        old = None if content is None else f"{len(content)} bytes"
        new = f"{len(target.content)} bytes"
        same = content == target.content
        return target.content, () if same else (Change(target.path, "", old, new),)
    mark, text = decoded(content)
    if target.kind == TOML:
        text, changes = _merge_toml(text, target)
    else:
        text = text if text.strip() else NEW_FILE
        text, changes = _merge_entry(text, target)
        text, more = _merge_hooks(text, target)
        changes += more
    return (mark + text.encode("utf-8") if changes else content or b""), tuple(changes)


def stripped(content: bytes, target: Record, *, known: bool = True) -> Stripped:
    """The file without what is ours by the record; unless `known`, by our way of starting it."""
    if target.kind not in (JSON, TOML):
        gone = (Change(target.path, "", f"{len(content)} bytes", None),)
        is_ours = digest(content) in target.after
        return Stripped(None, gone, ()) if is_ours else Stripped(content, (), ("",))
    mark, text = decoded(content)
    ours = frozenset(target.ours) if known else None
    if target.kind == TOML:
        text, removed, left = _strip_toml(text, target, ours)
        empty = not text.strip()
    elif not text.strip():
        return Stripped(content, (), ())
    else:
        text, removed, left = _strip_json(text, target, ours)
        empty = not jsontext.parse(text).children
    if target.before is None and known and empty:
        return Stripped(None, tuple(removed), tuple(left))
    return Stripped(mark + text.encode("utf-8"), tuple(removed), tuple(left))


def traced(content: bytes | None, target: Target) -> Traces:
    """What has to be remembered of the file so that our values can be taken out without a trace."""
    _, text = decoded(content)
    if target.kind != JSON or not text.strip():
        whole = (pointer for pointer in _containers(target) if pointer)
        return Traces(created=tuple(whole)) if target.kind == JSON else Traces()
    root = jsontext.parse(text)
    created: list[Pointer] = []
    spaces: dict[Pointer, str] = {}
    for pointer in _containers(target):
        node = jsontext.find(root, pointer)
        if node is None:
            created.append(pointer)
        elif not node.children:
            spaces[pointer] = jsontext.inner(text, node)
    if target.version and (root.child("version") or root.child(HOOKS)):
        created = [pointer for pointer in created if pointer != ("version",)]
    replaced: dict[Pointer, str] = {}
    if target.entry is not None:
        node = jsontext.find(root, target.entry.pointer)
        if node is not None and not is_server(jsontext.value_of(text, node)):
            replaced[target.entry.pointer] = text[node.start : node.end]
    return Traces(created=tuple(created), inner=spaces, replaced=replaced)


def keys(content: bytes | None) -> frozenset[str]:
    """The keys of a JSON file, none if it is missing or empty; raises `ClientFileRefused`."""
    _, text = decoded(content)
    root = jsontext.parse(text) if text.strip() else None
    return frozenset(str(child.key) for child in root.children) if root else frozenset()


def hooks_in(content: bytes) -> tuple[tuple[str, str], ...]:
    """Our hooks in a JSON file, as (event, command); raises `ClientFileRefused`."""
    _, text = decoded(content)
    if not text.strip():
        return ()
    ours = ((str(place[1]), command) for place, command in _commands(text) if is_hook(command))
    return tuple((event, str(command)) for event, command in ours)


def value_in(content: bytes, kind: str, pointer: tuple[str, ...]) -> object:
    """The value at a place of a JSON or TOML file, None if there is none."""
    _, text = decoded(content)
    if kind == TOML:
        return tomltext.find(tomltext.parse(text), pointer)
    node = jsontext.find(jsontext.parse(text), pointer) if text.strip() else None
    return None if node is None else jsontext.value_of(text, node)


def hooks_are_off(content: bytes | None, kind: str) -> str | None:
    """The setting in a client's file that keeps every hook from running, None if there is none."""
    _, text = decoded(content)
    if kind == TOML:
        off = tomltext.find(tomltext.parse(text), ("features", "hooks")) is False
        return "hooks = false under [features]" if off else None
    root = jsontext.parse(text) if text.strip() else None
    node = root.child("disableAllHooks") if root else None
    return "disableAllHooks" if node and jsontext.value_of(text, node) is True else None


def fingerprints(target: Target) -> tuple[str, ...]:
    """The commands that the target writes, as a receipt knows them."""
    commands: list[object] = [hook.command for hook in target.hooks]
    if target.entry is not None:
        commands.append(server_words(dict(target.entry.value)))
    return tuple(fingerprint(command) for command in commands)


def _containers(target: Target) -> Iterator[Pointer]:
    """Every container that the target's values stand in, the root first."""
    yield ()
    if target.entry is not None:
        for depth in range(1, len(target.entry.pointer)):
            yield target.entry.pointer[:depth]
    if target.hooks:
        yield (HOOKS,)
        yield from ((HOOKS, hook.event) for hook in target.hooks)
    if target.version:
        yield ("version",)


def _merge_entry(text: str, target: Target) -> tuple[str, list[Change]]:
    if target.entry is None:
        return text, []
    pointer, wanted = target.entry.pointer, dict(target.entry.value)
    node = jsontext.find(jsontext.parse(text), pointer)
    old = None if node is None else jsontext.value_of(text, node)
    if not isinstance(old, dict) or not is_server(old):
        change = Change(target.path, jsontext.spelt(pointer), old, wanted, target.by)
        return jsontext.put(text, pointer, wanted), [change]
    wrong = {
        key: value
        for key, value in wanted.items()
        if key not in target.entry.once and old.get(key) != value
    }
    for key, value in wrong.items():
        text = jsontext.put(text, (*pointer, key), value)
    new = {**old, **wrong}
    return text, [Change(target.path, jsontext.spelt(pointer), old, new)] if wrong else []


def _merge_hooks(text: str, target: Target) -> tuple[str, list[Change]]:
    if not target.hooks:
        return text, []
    changes: list[Change] = []
    root = jsontext.parse(text)
    if target.version and not (root.child(HOOKS) or root.child("version")):
        text = jsontext.put(text, ("version",), 1)
        changes.append(Change(target.path, "/version", None, 1))
    wanted = {hook.event: hook for hook in target.hooks}
    for pointer in reversed(list(_our_hooks(text))):
        hook = wanted.get(str(pointer[1]))
        first = next(each for each in _our_hooks(text) if each[1] == pointer[1])
        if hook is not None and pointer == first:
            text, change = _corrected(text, pointer, hook, target)
        else:
            text, change = _without_hook(text, pointer, target.path, {})
        changes += change
    held = {pointer[1] for pointer in _our_hooks(text)}
    for hook in target.hooks:
        if hook.event not in held:
            place = (HOOKS, hook.event)
            text = jsontext.append(text, place, hook.value)
            changes.append(Change(target.path, jsontext.spelt(place) + "/-", None, hook.value))
    return text, changes


def _corrected(text: str, pointer: Pointer, hook: Hook, target: Target) -> tuple[str, list[Change]]:
    """The hook at `pointer` with the right command; what a person set beside it stays."""
    node = jsontext.find(jsontext.parse(text), (*pointer, "command"))
    if node is None or jsontext.value_of(text, node) == hook.command:
        return text, []
    old = jsontext.value_of(text, node)
    place = (*pointer, "command")
    change = Change(target.path, jsontext.spelt(place), old, hook.command)
    return jsontext.put(text, place, hook.command), [change]


def _our_hooks(text: str, ours: frozenset[str] | None = None) -> Iterator[Pointer]:
    """Where hooks of ours stand, in order: by fingerprint if those are given, else by command."""
    for pointer, command in _commands(text):
        if fingerprint(command) in ours if ours is not None else is_hook(command):
            yield pointer


def _commands(text: str) -> Iterator[tuple[Pointer, object]]:
    """Every hook of a file with its command: elements of an event, or of a group in it."""
    hooks = jsontext.parse(text).child(HOOKS)
    if hooks is None:
        return
    if hooks.kind != "{":
        raise ClientFileRefused("/hooks is no object")
    for event in hooks.children:
        for element in event.value.children:
            place = (HOOKS, event.key, element.key)
            yield from _command(text, place, element.value)
            group = element.value.child(HOOKS)
            for inner in group.children if group is not None else ():
                yield from _command(text, (*place, HOOKS, inner.key), inner.value)


def _command(text: str, place: Pointer, node: Node) -> Iterator[tuple[Pointer, object]]:
    command = node.child("command")
    if command is not None:
        yield place, jsontext.value_of(text, command)


def _without_hook(
    text: str, pointer: Pointer, path: str, inner: dict[Pointer, str]
) -> tuple[str, list[Change]]:
    """The hook at `pointer` cut, and its group if nothing else is in it."""
    root = jsontext.parse(text)
    if len(pointer) > 3:
        group = jsontext.find(root, pointer[:4])
        pointer = pointer[:3] if group is not None and len(group.children) == 1 else pointer
    node = jsontext.find(root, pointer)
    old = None if node is None else jsontext.value_of(text, node)
    cut = jsontext.cut(text, pointer, inner=inner.get(pointer[:-1], ""))
    return cut, [Change(path, jsontext.spelt(pointer), old, None)]


def _strip_json(
    text: str, record: Record, ours: frozenset[str] | None
) -> tuple[str, list[Change], list[str]]:
    inner = dict(record.traces.inner)
    text, removed, left = _strip_entry(text, record, ours)
    hooks = list(_our_hooks(text, ours))
    known = set(hooks)
    left += [jsontext.spelt(place) for place in _our_hooks(text) if place not in known]
    for pointer in reversed(hooks):
        text, change = _without_hook(text, pointer, record.path, inner)
        removed += change
    events = {pointer[:2] for pointer in hooks}
    created = events if ours is None else set(record.traces.created) - {("version",)}
    for pointer in sorted(created, key=len, reverse=True):
        node = jsontext.find(jsontext.parse(text), pointer)
        if node is not None and node.kind in ("{", "[") and not node.children:
            text = jsontext.cut(text, pointer, inner=inner.get(pointer[:-1], ""))
    if ours is not None and ("version",) in record.traces.created:
        root = jsontext.parse(text)
        if root.child("version") and not root.child(HOOKS):
            text = jsontext.cut(text, ("version",), inner=inner.get((), ""))
    return text, removed, left


def _strip_entry(
    text: str, record: Record, ours: frozenset[str] | None
) -> tuple[str, list[Change], list[str]]:
    place = record.entry
    node = jsontext.find(jsontext.parse(text), place) if place else None
    if node is None:
        return text, [], []
    value = jsontext.value_of(text, node)
    is_ours = is_server(value) if ours is None else fingerprint(server_words(value)) in ours
    if not is_ours:
        return text, [], [] if ours is None else [jsontext.spelt(place)]
    raw = record.traces.replaced.get(place)
    if raw is not None:
        change = Change(record.path, jsontext.spelt(place), value, "what was there before")
        return jsontext.replace_raw(text, place, raw), [change], []
    cut = jsontext.cut(text, place, inner=record.traces.inner.get(place[:-1], ""))
    return cut, [Change(record.path, jsontext.spelt(place), value, None)], []


def _merge_toml(text: str, target: Target) -> tuple[str, list[Change]]:
    if target.entry is None:
        return text, []
    path, wanted = target.entry.pointer, dict(target.entry.value)
    old = tomltext.find(tomltext.parse(text), path)
    kept = dict(old) if isinstance(old, dict) else {}
    if old is not None and not is_server(old):
        text, kept = tomltext.cut(text, path), {}
    new = {**kept, **wanted}
    if new == old:
        return text, []
    change = Change(target.path, jsontext.spelt(path), old, new, () if kept else target.by)
    return tomltext.put(text, path, wanted), [change]


def _strip_toml(
    text: str, record: Record, ours: frozenset[str] | None
) -> tuple[str, list[Change], list[str]]:
    value = tomltext.find(tomltext.parse(text), record.entry)
    if value is None:
        return text, [], []
    is_ours = is_server(value) if ours is None else fingerprint(server_words(value)) in ours
    if not is_ours:
        return text, [], [] if ours is None else [jsontext.spelt(record.entry)]
    change = Change(record.path, jsontext.spelt(record.entry), value, None)
    return tomltext.cut(text, record.entry), [change], []
