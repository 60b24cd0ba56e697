"""The module-level verbs on one default engine, opened at the first call.

For scripts and notebooks. An application that serves several users opens its own engine. The
default one lies under `MEMSTONE_HOME` as it stands at the first call, and is closed at exit.
"""

from __future__ import annotations

import atexit
import threading

from memstone import engine as engines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memstone.engine import Engine
    from memstone.types import ForgetResult, Memory, RecallResult, Remembered

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


def remember(text: str, **options: Any) -> Remembered:
    """Store a text; options as in `Engine.remember`."""
    return default_engine().remember(text, **options)


def supersede(id: str, text: str, **options: Any) -> Memory:  # noqa: A002
    """Replace a memory by a newer version; options as in `Engine.supersede`."""
    return default_engine().supersede(id, text, **options)


def recall(query: str, **options: Any) -> RecallResult:
    """What matters for a question; options as in `Engine.recall`."""
    return default_engine().recall(query, **options)


def history(id: str, **options: Any) -> list[Memory]:  # noqa: A002
    """All versions of a memory, oldest first; options as in `Engine.history`."""
    return default_engine().history(id, **options)


def forget(*ids: str, **options: Any) -> ForgetResult:
    """Remove memories for good; options as in `Engine.forget`."""
    return default_engine().forget(*ids, **options)


def recover(handle: str, **options: Any) -> str:
    """The exact text behind a handle; options as in `Engine.recover`."""
    return default_engine().recover(handle, **options)
