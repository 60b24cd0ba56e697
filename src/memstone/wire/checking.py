"""Calls checked against their own annotations, before anything runs.

A model's tool call, a web form or a script hands its values straight to the engine. What has the
wrong JSON type must come back as one error that names the argument and the type, not as whatever
the first line that stumbles over it raises. So the annotation of a parameter *is* its check, and no
operation checks anything itself; an annotation that `CHECKS` does not know stops the import of the
operation, not the caller. Values of the right type go on to their own parsers (`wire.spellings`,
`wire.arguments`), which know what they may say.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from datetime import datetime

from memstone.errors import InvalidInput
from memstone.types import Scope
from memstone.wire.spellings import wrong

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FunctionType

    Check = tuple[str, Callable[[object], bool]]  # what is wanted, in words, and whether it is that

_VARIADIC, _OPEN = 0x04, 0x08  # flags of a code object: `*args`, `**kwargs`
OPTIONAL = " | None"


def _number(value: object) -> bool:
    return isinstance(value, int | str) and not isinstance(value, bool)


def _several(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, bytes | bytearray | Mapping)


def _source(value: object) -> bool:
    return isinstance(value, str | os.PathLike) or callable(getattr(value, "read", None))


CHECKS: Mapping[str, Check] = {
    **dict.fromkeys(
        ("str", "Kind", "Kind | str", "Trust", "Trust | str", "Verdict | str"),
        ("text", lambda value: isinstance(value, str)),
    ),
    "bool": ("true or false", lambda value: isinstance(value, bool)),
    "int": ("a whole number", _number),
    "Instant | int": (
        "a date or time",
        lambda value: isinstance(value, str | datetime | int) and not isinstance(value, bool),
    ),
    "float": ("a number", lambda value: _number(value) or isinstance(value, float)),
    **dict.fromkeys(
        ("Iterable[str]", "Iterable[Kind | str]", "tuple[str, ...]"), ("a list of text", _several)
    ),
    "Iterable[Turn]": (
        "a list of memstone.Turn",
        lambda value: _several(value) and not isinstance(value, str),
    ),
    "Block": ("a memstone.types.Block", lambda value: type(value).__name__ == "Block"),
    "Instant": ("a date or time", lambda value: isinstance(value, str | datetime)),
    "Scope": ("a memstone.Scope", lambda value: isinstance(value, Scope) or value == ""),
    "str | os.PathLike[str]": (
        "the name of a file or folder",
        lambda value: isinstance(value, str | bytes | os.PathLike),
    ),
    "str | os.PathLike[str] | BinaryIO": ("the name of a file, or a binary file", _source),
    **dict.fromkeys(
        ("Callable[[], int]", "Callable[[str], object]", "Callable[[int], None]", "Progress"),
        ("something to call", callable),
    ),
    "SummarizerLike": (
        "a summarizer, or a function from a prompt to a card",
        lambda value: callable(value) or callable(getattr(value, "summarize", None)),
    ),
    "object": ("anything", lambda _: True),
}
"""By annotation (without `| None`): what to call it, and whether a value is of that type."""


class Signature:
    """The parameters of one operation, read off its code and annotations once."""

    def __init__(self, function: FunctionType, *, method: bool = True) -> None:
        code = function.__code__
        count, names = code.co_argcount, code.co_varnames
        keywords = count + code.co_kwonlyargcount
        self.name = function.__name__
        self.method = method
        self._positional = names[int(method) : count]
        self._rest = names[keywords] if code.co_flags & _VARIADIC else None
        self._open = bool(code.co_flags & _OPEN)
        without_default = count - len(function.__defaults__ or ())
        self._required = names[int(method) : without_default]
        named = names[int(method) : keywords]
        annotations = function.__annotations__
        self._checks = {name: _check_of(annotations[name]) for name in named}
        self._checks_rest = _check_of(annotations[self._rest]) if self._rest else None

    def check(self, values: tuple[object, ...], options: Mapping[str, object]) -> None:
        """Raise `InvalidInput` naming the argument that is missing, unknown, given twice or of
        the wrong type.
        """
        given = dict(zip(self._positional, values, strict=False))
        rest = values[len(given) :]
        if rest and self._checks_rest is None:
            raise InvalidInput(
                f"{self.name}: {len(values)} values, at most {len(given)} can stand without a name",
                name=self.name,
            )
        for name in options:
            self._check_name(name, given)
        for name in self._required:
            if name not in given and name not in options:
                raise InvalidInput(f"{self.name}: {name} is missing", name=name)
        for name, value in (*given.items(), *options.items()):
            if name in self._checks:
                _require(name, value, self._checks[name])
        for value in rest:
            _require(self._rest or "", value, self._checks_rest)

    def _check_name(self, name: str, given: Mapping[str, object]) -> None:
        if name in given:
            raise InvalidInput(f"{self.name}: {name} is given twice", name=name)
        if name in self._checks or self._open:
            return
        from difflib import get_close_matches  # noqa: PLC0415  (12 ms, for an error only)

        near = get_close_matches(name, self._checks, n=1)
        raise InvalidInput(
            f"{self.name}: there is no argument {name!r}",
            hint=f"did you mean {near[0]!r}?" if near else None,
            name=name,
        )


def check_fields(value: object) -> None:
    """Raise `WrongType` if a field of this dataclass does not hold what it is annotated with."""
    checks = _FIELDS.get(type(value))
    if checks is None:
        annotations = type(value).__annotations__
        checks = {name: _check_of(annotation) for name, annotation in annotations.items()}
        _FIELDS[type(value)] = checks
    for name, check in checks.items():
        _require(name, getattr(value, name), check)


_FIELDS: dict[type, dict[str, tuple[Check, bool]]] = {}  # read off a class once


def _check_of(annotation: str) -> tuple[Check, bool]:
    """The check behind an annotation, and whether None will do."""
    bare = annotation.removesuffix(OPTIONAL)
    return CHECKS[bare], bare != annotation


def _require(name: str, value: object, check: tuple[Check, bool] | None) -> None:
    if check is None or (value is None and check[1]):
        return
    wanted, fits = check[0]
    if not fits(value):
        raise wrong(name, wanted, value)
