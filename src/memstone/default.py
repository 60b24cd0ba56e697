"""The module-level verbs on one default engine, opened at the first call.

For scripts and notebooks. An application that serves several users opens its own engine. The
default one lies under `MEMSTONE_HOME` as it stands at the first call, and is closed at exit. Each
verb has the signature of the engine's method of that name.
"""

from __future__ import annotations

import atexit
import threading
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from memstone import engine as engines
from memstone.engine import Engine

if TYPE_CHECKING:
    from collections.abc import Callable

Parameters = ParamSpec("Parameters")
Answer = TypeVar("Answer")

_LOCK = threading.Lock()
_ENGINES: dict[str, Engine] = {}


def default_engine() -> Engine:
    """The engine behind the module-level verbs, one for each data folder."""
    home = engines.data_home()
    with _LOCK:
        if home not in _ENGINES:
            _ENGINES[home] = engines.open(home)
            atexit.register(_ENGINES[home].close)
        return _ENGINES[home]


def _on_default(
    method: Callable[Concatenate[Engine, Parameters], Answer],
) -> Callable[Parameters, Answer]:
    """The method as a function of the default engine."""

    @wraps(method)
    def call(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Answer:
        return method(default_engine(), *args, **kwargs)

    return call


remember = _on_default(Engine.remember)
supersede = _on_default(Engine.supersede)
recall = _on_default(Engine.recall)
history = _on_default(Engine.history)
forget = _on_default(Engine.forget)
recover = _on_default(Engine.recover)
