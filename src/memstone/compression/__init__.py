"""Text → shorter text, one module a method; deterministic, query-aware, always recoverable.

`sentences` cuts a text at sentence borders; `excerpt` keeps those around the query's words.
Nothing here rewrites: what is shown is shown verbatim, and what is cut is marked and counted.
"""
