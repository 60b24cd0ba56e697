"""Adapters for the frameworks of others, each over the engine and each behind its own extra.

Importing a module here loads nothing of the framework; what makes an object of it does.
"""
