"""The command `cavemem`: the first ancestor's own surface over our engine.

It translates and implements nothing: `app` is its command line, `server` its MCP server, `spelling`
how values are written for both, `texts` how texts come in. What it does differently on purpose is
in `docs/cavemem.md`, each with its reason.
"""
