"""The MCP server: memory as tools, resources and prompts for any client of the protocol.

One table of tools (`tools`), one of resources and one of prompts; one `service` that answers a
method from them. Two transports stand on it: `conversation`, our own loop on standard input and
output, which loads nothing but the standard library until a tool is called, and `http`, which
loads the SDK. Neither knows a tool, and no tool knows a protocol version.
"""
