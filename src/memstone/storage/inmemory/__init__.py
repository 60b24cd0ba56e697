"""The readable reference: a `Store` whose every answer is computed the obvious way.

What it is for: the meaning of each protocol method in as few lines as possible, so that a test
can hold a fast backend against it, and a place for memories in tests and short-lived programs.
It is not for many memories: every write copies the tables, every recall walks all units.

The idea: one `State` is replaced as a whole when a write succeeds. A snapshot keeps the state it
began with, so it never sees a later write; a block that fails drops its copy, so it changes
nothing. Nothing survives the process.
"""

from __future__ import annotations

from memstone.storage.inmemory.store import InMemoryStore

__all__ = ["InMemoryStore"]
