"""The wall around the engine's operations: what comes in has the right type, what goes out in an
error is no secret.

Every public operation of a class goes through here, so that no operation checks types itself, and
one that is added later is checked as well. Errors name what they were given (an id, a date, an
unknown kind); a key that was put into the wrong argument must not reach a log that way.
"""

from __future__ import annotations

from functools import wraps
from types import FunctionType

from memstone.errors import MemstoneError
from memstone.wire.checking import Signature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    Class = TypeVar("Class")
    Function = TypeVar("Function", bound=Callable[..., Any])


def checked_operations(cls: type[Class]) -> type[Class]:
    """The class with every public method, inherited ones too, behind `checked`."""
    for name in dir(cls):
        function = getattr(cls, name)
        if not name.startswith("_") and isinstance(function, FunctionType):
            setattr(cls, name, _guarded(function, Signature(function)))
    return cls


def checked(function: Function) -> Function:
    """The function, its arguments checked against their annotations before each call."""
    assert isinstance(function, FunctionType)
    guarded: Function = _guarded(function, Signature(function, method=False))
    return guarded


def _guarded(function: Any, signature: Signature) -> Any:
    own = 1 if signature.method else 0

    @wraps(function)
    def call(*values: Any, **options: Any) -> Any:
        try:
            signature.check(values[own:], options)
            return function(*values, **options)
        except MemstoneError as error:
            without_secrets(error)
            raise

    return call


def holds_secret(text: str) -> bool:
    """Whether a text has something in it that may not be written to the disk."""
    from memstone.redaction import blanked

    return blanked(text) != text


def without_secrets(error: MemstoneError) -> None:
    """Blank what looks like a secret in the words and values of an error."""
    from memstone.redaction import blanked

    def clean(value: object) -> object:
        if isinstance(value, str):
            return blanked(value)
        if isinstance(value, list | tuple):
            return type(value)(map(clean, value))
        return value

    message = str(clean(error.message))
    if message != error.message:
        error.__cause__ = None  # it spells the value as well
        error.__suppress_context__ = True
    error.message, error.hint = message, None if error.hint is None else str(clean(error.hint))
    error.args = (message,)
    error.fields = {name: clean(value) for name, value in error.fields.items()}
