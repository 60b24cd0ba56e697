"""Looking whether memstone works here, and saying what to do where it does not.

`checks` is the table of what is looked at on the machine, `clients` tries one client's hooks and
server as the client would. A check only looks: it makes no store, upgrades none, and the hooks it
runs record nothing.
"""
