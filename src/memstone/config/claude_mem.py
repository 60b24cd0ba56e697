"""The settings of the second ancestor as they stand in its `config.yaml`, read and never written.

Only what decides something here is kept; what the file says beyond that is named in `notes`, each
in a sentence, so that nobody believes a setting works that does not.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from memstone.config.files import read_bytes
from memstone.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from memstone.config.files import Entry

FOLDER = ".claude-mem"  # below the user's home
FILE = "config.yaml"
STORE = "memory.db"
TOP_K = 5
MIN_SCORE = 0.35  # a raw cosine over there
MAX_RECALL_TOKENS = 1_500
SESSION_END_TIMEOUT = 60
TEMPLATE = """\
storage:
  path: {path}
  vector_backend: sqlite_vec
retrieval:
  top_k: 5
  min_score: 0.35
  max_recall_tokens: 1500
auto_remember:
  enabled: true
  session_end_timeout: 60
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class AncestorSettings:
    """What the ancestor's file says, with its defaults for what it does not say."""

    path: str
    top_k: int = TOP_K
    min_score: float = MIN_SCORE
    max_recall_tokens: int = MAX_RECALL_TOKENS
    makes_cards: bool = True
    session_end_timeout: int = SESSION_END_TIMEOUT
    notes: tuple[str, ...] = ()


def load_ancestor(folder: str) -> AncestorSettings:
    """The settings in `folder`; its defaults where there is no file. Raises `ConfigError`."""
    path = os.path.join(folder, FILE)
    found: Mapping[str, Entry] = {}
    data = read_bytes(path, follow=True)
    if data is not None:
        from memstone.config.document import parse  # noqa: PLC0415  (YAML costs 25 ms)

        found = parse(data, path)
    values = _Values(found, path)
    named = values.text("storage.path", os.path.join(folder, STORE))
    place = os.path.join(folder, os.path.expanduser(named))
    return AncestorSettings(
        path=place,
        top_k=values.whole("retrieval.top_k", TOP_K, low=1),
        min_score=values.share("retrieval.min_score", MIN_SCORE),
        max_recall_tokens=values.whole("retrieval.max_recall_tokens", MAX_RECALL_TOKENS, low=1),
        makes_cards=values.flag("auto_remember.enabled", default=True),
        session_end_timeout=values.whole(
            "auto_remember.session_end_timeout", SESSION_END_TIMEOUT, low=0
        ),
        notes=values.notes(),
    )


class _Values:
    """Entries of the file, each checked when it is asked for."""

    def __init__(self, found: Mapping[str, Entry], path: str) -> None:
        self._left = dict(found)
        self._path = path

    def text(self, name: str, default: str) -> str:
        value = self._take(name)
        return default if value is None else str(value)

    def whole(self, name: str, default: int, *, low: int) -> int:
        value = self._take(name)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int) or value < low:
            raise self._wrong(name, value, f"a whole number of at least {low}")
        return value

    def share(self, name: str, default: float) -> float:
        value = self._take(name)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            raise self._wrong(name, value, "a number from 0 to 1")
        return float(value)

    def flag(self, name: str, *, default: bool) -> bool:
        value = self._take(name)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise self._wrong(name, value, "true or false")
        return value

    def notes(self) -> tuple[str, ...]:
        """A sentence for every entry that decides nothing here."""
        said = []
        for name, entry in self._left.items():
            if name == "auto_remember.summary_model":
                said.append(
                    f"{name}: {entry.value} is called only if memstone's own setting "
                    "summarizer.provider says so; cards are made without a model"
                )
            elif name == "storage.vector_backend":
                continue  # vectors come later, and then in a table of our own
            else:
                said.append(f"{name} has no meaning here")
        return tuple(said)

    def _take(self, name: str) -> object:
        entry = self._left.pop(name, None)
        return None if entry is None else entry.value

    def _wrong(self, name: str, value: object, expected: str) -> ConfigError:
        return ConfigError(
            f"{self._path}: {name}: {value!r} is not allowed; expected {expected}",
            hint="correct it, or remove it to get the default",
            key=name,
        )
