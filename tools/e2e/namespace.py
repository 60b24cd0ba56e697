"""A network with nothing in it but loopback, and proof of what was tried against it.

`enter` starts this program again under `unshare` with loopback up; where the system does not permit
that, the run goes on in the ordinary network and says so. Inside, an attempt to reach any other
address fails and is counted by the kernel (`OutNoRoutes`): 0 at the end means that nobody tried.
`strace`, where the machine has it, names who tried what.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

INSIDE = "MEMSTONE_E2E_NAMESPACE"
_CONNECT = re.compile(r"\b(?:connect|sendto)\(.*?sa_family=(AF_INET6?)\b.*?[\"']([0-9a-f.:]+)[\"']")
_PORT = re.compile(r"sin6?_port=htons\((\d+)\)")
# a question to a name server as strace prints it: labels, each after its length, then two zeros
_QUESTION = re.compile(r"((?:\\(?:\d{1,3}|[abtnvfr])[a-z0-9-]+)+)\\0\\0")
_LABEL = re.compile(r"\\(?:\d{1,3}|[abtnvfr])([a-z0-9-]+)")
_EXEC = re.compile(r'^(\d+) +execve\("[^"]*", \[(.*?)\]')
_CLONE = re.compile(r"^(\d+) +.*(?:clone3?|v?fork)\(.*\) = (\d+)$")
_RESUMED = re.compile(r"^(\d+) +<\.\.\. (?:clone3?|v?fork) resumed>.*= (\d+)$")


def enter(module: str) -> None:
    """Return inside a loopback-only network, or where none is to be had; else do not return."""
    if os.environ.get(INSIDE):
        return
    flags = "-n" if os.geteuid() == 0 else "-rn"
    raised = 'ip link set lo up && exec "$@"'
    prefix = ["unshare", flags, "sh", "-c", raised, "sh"]
    try:
        probe = subprocess.run([*prefix, "true"], capture_output=True, check=False)
    except FileNotFoundError:
        os.environ[INSIDE] = "none"
        return
    if probe.returncode != 0:
        os.environ[INSIDE] = "none"
        return
    os.environ[INSIDE] = "loopback"
    os.execvp(prefix[0], [*prefix, sys.executable, "-m", module, *sys.argv[1:]])


def described() -> str:
    """What network this run has."""
    inside = os.environ.get(INSIDE) == "loopback"
    return "loopback only" if inside else "NOT taken away: the system does not permit it"


def unrouted() -> int:
    """How often anyone in this network tried an address that is not on loopback."""
    rows = [
        line.split()[1:]
        for line in Path("/proc/net/snmp").read_text(encoding="ascii").splitlines()
        if line.startswith("Ip:")
    ]
    count = int(dict(zip(rows[0], rows[1], strict=True))["OutNoRoutes"])
    for line in Path("/proc/net/snmp6").read_text(encoding="ascii").splitlines():
        if line.startswith("Ip6OutNoRoutes"):
            count += int(line.split()[1])
    return count


def traced(log: Path) -> list[str] | None:
    """Words before a command that write its connections down; None without strace."""
    strace = shutil.which("strace")
    if strace is None:
        return None
    calls = "connect,sendto,execve,clone,clone3,fork,vfork"
    # an argument longer than this is cut; the words that tell our processes come first
    return [
        strace,
        "-f",
        "-qq",
        "-s",
        "200",
        "-e",
        f"trace={calls}",
        "-e",
        "signal=none",
        "-o",
        str(log),
    ]


def outside(log: Path, ours: str) -> tuple[set[str], set[str], int]:
    """What was tried off loopback by processes whose command line holds `ours`, and by all others;
    and how many commands of ours there were.

    Ports and names that were looked up; no address: that of a name server is this machine's own.
    """
    commands: dict[str, str] = {}
    started = 0
    by_us: set[str] = set()
    by_others: set[str] = set()
    for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
        process = line.partition(" ")[0]
        if found := _EXEC.search(line):
            commands[process] = found[2]
            started += ours in found[2]
        elif found := _CLONE.search(line) or _RESUMED.search(line):
            commands.setdefault(found[2], commands.get(found[1], ""))
        elif (found := _CONNECT.search(line)) and not _loopback(found[2]):
            place = _looked_up(line) or f"port {_port(line)}"
            (by_us if ours in commands.get(process, "") else by_others).add(place)
    return by_us, by_others, started


def _port(line: str) -> str:
    found = _PORT.search(line)
    return found[1] if found else "?"


def _looked_up(line: str) -> str:
    """The name in a question to a name server, "" if this is none that says it."""
    found = _QUESTION.search(line)
    if found is None or _port(line) != "53":
        return ""
    labels = _LABEL.findall(found[1])
    return f"the name {'.'.join(labels)}"


def _loopback(address: str) -> bool:
    return address.startswith(("127.", "::ffff:127.")) or address in ("::1", "::")
