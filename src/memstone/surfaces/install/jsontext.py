r"""Edits of a JSON text that leave every byte outside the edited value as it is.

A client's settings belong to a person: indent, line ends, order and spacing are theirs. So the
text is scanned into spans, and an edit inserts, replaces or cuts one span; nothing is ever parsed
and written out again. A value that is put at the end of an object or array and cut again gives
back the same text.

Only plain JSON is read: comments, trailing commas, a key given twice, NaN and anything that is no
object are refused, because an edit of something that only looks like JSON may lose what it means.
Nothing here knows files or clients.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from memstone.errors import ClientFileRefused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

Key = str | int
Pointer = tuple[Key, ...]

MAX_DEPTH = 100  # clients nest five deep; a text nested by the thousand would end the recursion
_DEFAULT_UNIT = "  "
_SPACE = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"')
_SCALAR = re.compile(r"(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)\b")
_NEWLINE = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class Child:
    """A member of an object or an element of an array; it begins at `start`, with its key."""

    key: Key
    start: int
    value: Node


@dataclass(frozen=True, slots=True)
class Node:
    """The span of one value. `kind` is the character it begins with: `{`, `[` or another."""

    kind: str
    start: int
    end: int
    children: tuple[Child, ...] = ()

    def child(self, key: Key) -> Node | None:
        return next((child.value for child in self.children if child.key == key), None)


def parse(text: str) -> Node:
    """The spans of `text`, an object; raises `ClientFileRefused` if it is not plain JSON."""
    at = _skip(text, 0)
    if text[at : at + 1] != "{":
        _refuse(text, at, "it is no JSON object")
    node = _value(text, at, 0)
    at = _skip(text, node.end)
    if at < len(text):
        _refuse(text, at, "something follows the JSON object")
    return node


def find(node: Node | None, pointer: Pointer) -> Node | None:
    """The node that `pointer` leads to from `node`, if there is one."""
    for key in pointer:
        if node is None:
            return None
        node = node.child(key)
    return node


def value_of(text: str, node: Node) -> object:
    """The value of a node."""
    value: object = json.loads(text[node.start : node.end])
    return value


def spelt(pointer: Pointer) -> str:
    """`pointer` as RFC 6901 writes it.

    >>> spelt(("hooks", "a/b", 0))
    '/hooks/a~1b/0'
    """
    return "".join("/" + str(key).replace("~", "~0").replace("/", "~1") for key in pointer)


def put(text: str, pointer: Pointer, value: object) -> str:
    """`text` with `value` at `pointer`; objects on the way are made where they are missing.

    >>> put('{"a": 1}', ("b", "c"), 2)
    '{"a": 1, "b": {"c": 2}}'
    """
    root = parse(text)
    there = find(root, pointer)
    if there is not None:
        return replace(text, pointer, value)
    known = pointer
    while find(root, known) is None:
        known = known[:-1]
    for key in reversed(pointer[len(known) + 1 :]):
        value = {key: value}
    return _insert(text, root, known, (pointer[len(known)], value))


def append(text: str, pointer: Pointer, value: object) -> str:
    """`text` with `value` at the end of the array at `pointer`, made if it is missing.

    >>> append('{"a": [1]}', ("a",), 2)
    '{"a": [1, 2]}'
    """
    root = parse(text)
    if find(root, pointer) is None:
        return put(text, pointer, [value])
    return _insert(text, root, pointer, (None, value))


def replace(text: str, pointer: Pointer, value: object) -> str:
    """`text` with `value` in the place of the one at `pointer`."""
    root = parse(text)
    node = _known(root, pointer)
    style = _Style.of(text, root)
    compact = len(_NEWLINE.findall(text[root.start : root.end])) == 0
    rendered = style.compact(value) if compact else style.lines(value, _indent(text, node.start))
    return text[: node.start] + rendered + text[node.end :]


def replace_raw(text: str, pointer: Pointer, raw: str) -> str:
    """`text` with the characters of the value at `pointer` exchanged for `raw`."""
    node = _known(parse(text), pointer)
    return text[: node.start] + raw + text[node.end :]


def cut(text: str, pointer: Pointer, *, inner: str = "") -> str:
    """`text` without the value at `pointer`; `inner` is what its container held when it was empty.

    >>> cut('{"a": 1, "b": 2}', ("b",))
    '{"a": 1}'
    """
    holder = _known(parse(text), pointer[:-1])
    keys = [child.key for child in holder.children]
    at = keys.index(pointer[-1])
    if len(keys) == 1:
        return text[: holder.start + 1] + inner + text[holder.end - 1 :]
    if at > 0:
        begin, end = holder.children[at - 1].value.end, holder.children[at].value.end
    else:
        begin, end = holder.children[0].start, holder.children[1].start
    return text[:begin] + text[end:]


def inner(text: str, node: Node) -> str:
    """The white space inside an empty container."""
    return text[node.start + 1 : node.end - 1]


@dataclass(frozen=True, slots=True)
class _Style:
    """How a text is written: its line end, its step of indent, what stands after a key."""

    newline: str
    unit: str
    colon: str

    @classmethod
    def of(cls, text: str, root: Node) -> _Style:
        ending = _NEWLINE.search(text)
        newline = ending[0] if ending else "\n"
        if not root.children:
            return cls(newline, _DEFAULT_UNIT, ": ")
        first = root.children[0]
        own = _own_line(text, first.start)
        step = "" if own is None else own.removeprefix(_indent(text, root.start))
        key = _STRING.match(text, first.start)
        colon = text[key.end() : first.value.start] if key else ": "
        return cls(newline, step or _DEFAULT_UNIT, ": " if _NEWLINE.search(colon) else colon)

    def compact(self, value: object) -> str:
        comma = "," if self.colon == ":" else ", "
        return json.dumps(value, ensure_ascii=False, separators=(comma, self.colon))

    def lines(self, value: object, indent: str) -> str:
        written = json.dumps(
            value, ensure_ascii=False, indent=self.unit, separators=(",", self.colon)
        )
        return written.replace("\n", self.newline + indent)


def _insert(text: str, root: Node, pointer: Pointer, member: tuple[Key | None, object]) -> str:
    """`text` with a last child more in the container at `pointer`."""
    holder, style = _known(root, pointer), _Style.of(text, root)
    key, value = member
    if holder.kind != ("[" if key is None else "{"):
        wanted = "array" if key is None else "object"
        _refuse(text, holder.start, f"{spelt(pointer)} is no {wanted}")
    head = "" if key is None else json.dumps(key, ensure_ascii=False) + style.colon
    if not holder.children:
        return _fill(text, root, holder, (head, value))
    last = holder.children[-1]
    own = _own_line(text, last.start)
    if own is not None:
        gap, rendered = "," + style.newline + own, style.lines(value, own)
    else:
        one_line = _NEWLINE.search(text, last.start, last.value.end) is None
        indent = _indent(text, last.start)
        rendered = style.compact(value) if one_line else style.lines(value, indent)
        gap = _gap(text, holder) or ("," if style.colon == ":" else ", ")
    end = last.value.end
    return text[:end] + gap + head + rendered + text[end:]


def _fill(text: str, root: Node, holder: Node, member: tuple[str, object]) -> str:
    """`text` with a first child in an empty container, on its own line if the file has lines."""
    head, value = member
    style = _Style.of(text, root)
    if holder is root or _NEWLINE.search(text, root.start, root.end):
        outer = _indent(text, holder.start)
        indent = outer + style.unit
        line = style.newline + indent
        body = line + head + style.lines(value, indent) + style.newline + outer
    else:
        body = head + style.compact(value)
    return text[: holder.start + 1] + body + text[holder.end - 1 :]


def _gap(text: str, holder: Node) -> str:
    """What stands between the last two children of a container on one line."""
    if len(holder.children) < 2:
        return ""
    before, last = holder.children[-2:]
    gap = text[before.value.end : last.start]
    return "" if _NEWLINE.search(gap) else gap


def _own_line(text: str, at: int) -> str | None:
    """The white space before `at` on its line, if nothing else stands there; None otherwise."""
    before = _line_before(text, at)
    if before is None or before.strip(" \t"):
        return None
    return before


def _line_before(text: str, at: int) -> str | None:
    begin = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at))
    return None if begin < 0 else text[begin + 1 : at]


def _indent(text: str, at: int) -> str:
    """The white space that begins the line of `at`."""
    before = _line_before(text, at)
    line = text[:at] if before is None else before
    return line[: len(line) - len(line.lstrip(" \t"))]


def _known(root: Node, pointer: Pointer) -> Node:
    node = find(root, pointer)
    if node is None:
        raise KeyError(spelt(pointer))
    return node


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _value(text: str, at: int, depth: int) -> Node:
    kind = text[at : at + 1]
    if kind in ("{", "["):
        if depth >= MAX_DEPTH:
            _refuse(text, at, f"it is nested more than {MAX_DEPTH} deep")
        return _container(text, at, depth)
    found = _STRING.match(text, at) if kind == '"' else _SCALAR.match(text, at)
    if found is None:
        _refuse(text, at, "it is not plain JSON")
    return Node(kind, at, found.end())


def _container(text: str, start: int, depth: int) -> Node:
    kind = text[start]
    closing = "}" if kind == "{" else "]"
    children: list[Child] = []
    keys: set[Key] = set()
    at = _skip(text, start + 1)
    while text[at : at + 1] != closing or children:  # after a comma there must be a child
        child = _child(text, at, kind, (len(children), depth + 1))
        if child.key in keys:
            _refuse(text, at, f"the key {child.key!r} stands there twice")
        keys.add(child.key)
        children.append(child)
        at = _skip(text, child.value.end)
        if text[at : at + 1] == closing:
            break
        if text[at : at + 1] != ",":
            _refuse(text, at, "it is not plain JSON")
        at = _skip(text, at + 1)
    return Node(kind, start, at + 1, tuple(children))


def _child(text: str, at: int, kind: str, place: tuple[int, int]) -> Child:
    number, depth = place
    if kind == "[":
        return Child(number, at, _value(text, at, depth))
    key = _STRING.match(text, at)
    if key is None:
        _refuse(text, at, "it is not plain JSON")
    colon = _skip(text, key.end())
    if text[colon : colon + 1] != ":":
        _refuse(text, colon, "it is not plain JSON")
    return Child(json.loads(key[0]), at, _value(text, _skip(text, colon + 1), depth))


def _refuse(text: str, at: int, problem: str) -> NoReturn:
    if text[at : at + 2] in ("//", "/*"):
        problem = "it has comments, which an edit could displace"
    line = len(_NEWLINE.findall(text, 0, at)) + 1
    raise ClientFileRefused(f"line {line}: {problem}", line=line)
