"""Benchmarks of memstone: speed, start-up, writes and retrieval, beside plain baselines.

Everything goes through the public API with default settings, and every ratio compares two things
measured in the same run. `python -m benchmarks` prints one table; `benchmarks/README.md` says
what each figure means and how to repeat it.
"""
