"""Arguments of a tool as a model sent them, checked against the tool's own schema.

Models write `""`, `[]` and null for "not given", so an optional argument that is empty is absent.
A wrong type, a missing argument or an unknown name is an error that names it and, for a name, the
nearest one. What an argument may say is left to the engine, which says it for every surface. The
empty text of an argument that is needed goes on to it too, so that the error is the same there.
"""

from __future__ import annotations

from memstone.errors import InvalidInput, brief
from memstone.wire.spellings import wrong

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memstone.surfaces.mcp.schemas import Json
    from memstone.surfaces.mcp.tools import Tool

    Given = dict[str, object]

_CALLED = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list of text",
}


def checked(tool: Tool, arguments: Mapping[str, object]) -> Given:
    """The arguments that were given, each of its type; raises `InvalidInput` and `WrongType`."""
    for name in arguments:
        if name not in tool.arguments:
            raise _unknown(tool, name)
    given: Given = {}
    for name, schema in tool.arguments.items():
        value = arguments.get(name)
        if value is None or (value in ("", []) and name not in tool.needed):
            continue
        given[name] = _of_type(name, value, schema)
    for name in tool.needed:
        if name not in given:
            raise InvalidInput(f"{tool.name}: {name} is missing", name=name)
    return given


def nearest(word: str, words: Mapping[str, object]) -> str | None:
    """The hint that names the known word most like `word`, if one is like it."""
    from difflib import get_close_matches

    near = get_close_matches(word[:100], words, n=1)
    return f"did you mean {near[0]!r}?" if near else None


def _unknown(tool: Tool, name: str) -> InvalidInput:
    return InvalidInput(
        f"{tool.name}: there is no argument {brief(name)!r}",
        hint=nearest(name, tool.arguments) or f"there are {', '.join(tool.arguments) or 'none'}",
        name=brief(name),
    )


def _of_type(name: str, value: object, schema: Json) -> object:
    """`value`, if it is what the schema names; numbers in text are read by the engine."""
    kind = str(schema["type"])
    if isinstance(value, float) and value.is_integer() and kind == "integer":
        return int(value)  # JSON has one kind of number: 5.0 is the whole number 5
    if not _FITS[kind](value):
        raise wrong(name, _CALLED[kind], value)
    return value


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | str) and not isinstance(value, bool)


_FITS: Mapping[str, Callable[[object], bool]] = {
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: _is_number(value) and not isinstance(value, float),
    "number": _is_number,
    "array": lambda value: isinstance(value, list) and all(isinstance(one, str) for one in value),
}
