r"""One table of a TOML text put in, replaced or taken out, every other byte left as it is.

The standard library reads TOML and cannot write it, and a table is all that has to be written: so
tables are found by their header lines, and the edit is text. It is never trusted: the result is
read again, and unless it says exactly what the old text said plus (or minus) our table, the file
is refused. A table written some other way (inline, by dotted keys) is refused the same way.
"""

from __future__ import annotations

import json
import re
import tomllib

from memstone.errors import ClientFileRefused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Path = tuple[str, ...]

# what may not be taken for a header or a bracket: comments and the four kinds of strings
_OPAQUE = re.compile(
    r"""\#[^\n]*
    |"{3}(?:[^"\\]|\\.|"{1,2}(?!"))*"{3,5}
    |'{3}(?:[^']|'{1,2}(?!'))*'{3,5}
    |"(?:[^"\\\n]|\\.)*"
    |'[^'\n]*'""",
    re.VERBOSE | re.DOTALL,
)
_BARE = re.compile(r"[A-Za-z0-9_-]+\Z")


def parse(text: str) -> dict[str, object]:
    """What the text says; raises `ClientFileRefused` if it is not TOML."""
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ClientFileRefused(f"it is not TOML ({error})") from error


def find(data: object, path: Path) -> object:
    """The value at `path`, None if there is none."""
    for key in path:
        if not isinstance(data, dict) or key not in data:
            return None
        data = data[key]
    return data


def put(text: str, path: Path, values: Mapping[str, object]) -> str:
    r"""`text` with those `values` in the table at `path`, made at the end if it is missing.

    Other keys of a table that is there, and tables below it, stay.

    >>> put("a = 1\n", ("mcp", "x"), {"command": "猫"})
    'a = 1\n\n[mcp.x]\ncommand = "猫"\n'
    >>> put("", ("mcp",), {"env": {"PYTHONPATH": "src"}})
    '[mcp]\nenv = { PYTHONPATH = "src" }\n'
    """
    data = parse(text)
    there = find(data, path)
    kept = there if isinstance(there, dict) else {}
    newline = "\r\n" if "\r\n" in text else "\n"
    if isinstance(there, dict):
        changed = {k: v for k, v in values.items() if there.get(k) != v}
        edited = _overwritten(text, path, changed, newline) if changed else text
    else:
        lines = [f"[{_dotted(path)}]", *(f"{k} = {_written(v)}" for k, v in values.items())]
        begun = text if not text or text.endswith("\n") else text + newline
        edited = begun + (newline if begun else "") + newline.join(lines) + newline
    return _proven(edited, _with(data, path, {**kept, **values}))


def cut(text: str, path: Path) -> str:
    r"""`text` without the table at `path` and those below it, nor the empty line before it.

    >>> cut('a = 1\n\n[mcp.x]\ncommand = "猫"\n', ("mcp", "x"))
    'a = 1\n'
    """
    data = parse(text)
    if find(data, path) is None:
        return text
    edited = text
    for start, end in reversed(list(_tables(text, path))):
        kept = edited[:start]
        for blank in ("\r\n\r\n", "\n\n"):
            if kept.endswith(blank):
                kept = kept[: -len(blank) // 2]
                break
        else:
            kept = "" if kept in ("\n", "\r\n") else kept
        edited = kept + edited[end:]
    return _proven(edited, _without(data, path))


def _overwritten(text: str, path: Path, values: Mapping[str, object], newline: str) -> str:
    """`text` with those keys of the table at `path` given anew, as its first lines."""
    span = next(iter(_tables(text, path, below=False)), None)
    if span is None:
        raise ClientFileRefused(f"the table {_dotted(path)} is written in a way that is not edited")
    head_end = text.find("\n", span[0]) + 1 or len(text)
    body = text[head_end : span[1]]
    for key in values:
        body = _without_key(body, key)
    lines = newline.join(f"{key} = {_written(value)}" for key, value in values.items())
    return text[:head_end] + lines + newline + body + text[span[1] :]


def _without_key(body: str, key: str) -> str:
    """The lines of a table without the assignment of `key`, over however many lines it goes."""
    for start, end in _statements(body):
        line = body[start:end]
        if re.match(rf"[ \t]*(?:{re.escape(key)}|\"{re.escape(key)}\")[ \t]*=", line):
            return body[:start] + body[end:]
    return body


def _tables(text: str, path: Path, *, below: bool = True) -> Iterator[tuple[int, int]]:
    """The spans of the table at `path` and, with `below`, of those in it, in order.

    A span ends where the next header begins, or the comments and empty lines above that header.
    """
    statements = list(_statements(text))
    heads = [
        (start, name) for start, end in statements if (name := _header(text[start:end])) is not None
    ]
    for number, (start, name) in enumerate(heads):
        if name == path or (below and name[: len(path)] == path):
            limit = heads[number + 1][0] if number + 1 < len(heads) else len(text)
            inside = [
                end
                for begin, end in statements
                if start <= begin < limit and text[begin:end].lstrip()[:1] not in ("", "#")
            ]
            yield start, inside[-1]


def _header(line: str) -> Path | None:
    """The name that a `[table]` line gives, None for any other line."""
    if not line.lstrip().startswith("["):
        return None
    try:
        data: object = tomllib.loads(line)
    except tomllib.TOMLDecodeError:
        return None
    names: list[str] = []
    while isinstance(data, (dict, list)) and data:
        if isinstance(data, list):
            data = data[0]
            continue
        name, data = next(iter(data.items()))
        names.append(name)
    return tuple(names)


def _statements(text: str) -> Iterator[tuple[int, int]]:
    """The span of each statement: its lines, however many its value takes, with the line end."""
    start = at = depth = 0
    while at < len(text):
        opaque = _OPAQUE.match(text, at)
        if opaque:
            at = opaque.end()
            continue
        character = text[at]
        at += 1
        if character == "\n" and depth == 0:
            yield start, at
            start = at
        depth += (character in "[{") - (character in "]}")
    if start < len(text):
        yield start, len(text)


def _dotted(path: Path) -> str:
    return ".".join(part if _BARE.match(part) else _written(part) for part in path)


def _written(value: object) -> str:
    """A text, truth value, number, list or inline table as TOML; JSON spells all but the last the
    same, DEL aside.
    """
    if isinstance(value, dict):
        inside = ", ".join(f"{_dotted((key,))} = {_written(one)}" for key, one in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _with(data: dict[str, object], path: Path, values: object) -> dict[str, object]:
    """`data` with `values` at `path`, the rest shared."""
    below = data.get(path[0])
    if len(path) == 1:
        return {**data, path[0]: values}
    inner = below if isinstance(below, dict) else {}
    return {**data, path[0]: _with(inner, path[1:], values)}


def _without(data: dict[str, object], path: Path) -> dict[str, object]:
    """`data` without what stands at `path`; a table that it leaves empty is gone too."""
    rest = {key: value for key, value in data.items() if key != path[0]}
    below = data.get(path[0])
    if len(path) == 1 or not isinstance(below, dict):
        return rest
    inner = _without(below, path[1:])
    return {**data, path[0]: inner} if inner else rest


def _proven(edited: str, expected: dict[str, object]) -> str:
    """`edited` if it says what is expected (an empty table counts as none)."""
    said = parse(edited)
    if _full(said) != _full(expected):
        raise ClientFileRefused("it is laid out in a way in which our table cannot be edited")
    return edited


def _full(data: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in data.items() if value != {}}
