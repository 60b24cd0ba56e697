"""Importable modules in the shape of the two ancestors, for programs that were written for them.

Each one only translates: it starts a command, or calls the engine, and answers in the ancestor's
own shape. What an ancestor did not offer is not offered here; use `memstone` for that.
"""
