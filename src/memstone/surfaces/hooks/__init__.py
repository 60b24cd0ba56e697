"""Hooks of coding agents: one short process an event, which never breaks or delays the session.

`process` is that process from its words to its end, `events` the values it passes along, `clients`
the only module that knows what each client calls things, `flow` one straight run an event,
`notices` what went wrong kept for the next session start, and `working` the one child that a hook
may start, if the person agreed to it.
"""
