"""The version of memstone, as a constant.

Asking `importlib.metadata` costs more than a whole recall, and fails when the package runs from a
checkout. A test keeps this line and `pyproject.toml` in step.
"""

from __future__ import annotations

VERSION = "0.1.0"
