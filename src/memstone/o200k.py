"""Exact OpenAI token counts, by the vocabulary o200k that the extra `[o200k]` brings.

Only for who asks for exactly these counts (the `cavemem` command); everything else budgets by the
estimate of `memstone.tokens`, which needs no vocabulary.

The package reads every vocabulary it has, several times over, when it is imported: 600 ms for a
command that runs on each prompt. What counts is its compiled part, which holds o200k itself and
takes 50 ms, so that part is loaded alone; if it is not where it was, the package is imported.
"""

from __future__ import annotations

import os
import warnings
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader, ModuleSpec, PathFinder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

PACKAGE, COMPILED, VOCABULARY = "bpe_openai", "bpe_openai._bindings", "o200k_base"


class O200kTokens:
    """A `TokenCounter` of exact counts; special tokens count as the text they are spelt with.

    Raises `ModuleNotFoundError` where the extra is not installed.
    """

    basis = "o200k"

    def __init__(self) -> None:
        self._count = _compiled() or _imported()

    def count(self, text: str) -> int:
        """How many tokens of o200k the text has; 0 for an empty one."""
        return self._count(text) if text else 0


@cache
def _compiled() -> Callable[[str], int] | None:
    """The compiled part's own count; None if the package has no such part."""
    from importlib.util import module_from_spec  # noqa: PLC0415  (for the first count only)

    package = PathFinder.find_spec(PACKAGE)
    if package is None or package.origin is None:
        return None
    stem = os.path.join(os.path.dirname(package.origin), "_bindings")
    path = next((stem + end for end in EXTENSION_SUFFIXES if os.path.isfile(stem + end)), None)
    if path is None:
        return None
    loader = ExtensionFileLoader(COMPILED, path)
    module = module_from_spec(ModuleSpec(COMPILED, loader, origin=path))
    loader.exec_module(module)
    make = getattr(module, "tokenizer_for_encoding", None)
    count: Callable[[str], int] | None = getattr(make and make(VOCABULARY), "count", None)
    return count


@cache
def _imported() -> Callable[[str], int]:
    """The count by way of the package."""
    with warnings.catch_warnings():  # it opens its data by a deprecated call
        warnings.simplefilter("ignore", DeprecationWarning)
        import bpe_openai  # noqa: PLC0415  (half a second)

        encoding = bpe_openai.get_encoding(VOCABULARY)
    return lambda text: len(encoding.encode_ordinary(text))
