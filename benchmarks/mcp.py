"""What the MCP server costs: its start, and the tokens of its answers.

Start: a new process until its answer to `tools/list`. Whether a coding agent offers our tools with
its first request depends on it. Beside ours, in the same run: the smallest server that the SDK can
make, one tool, and bare Python. CPU is user plus system time of the finished child, imports and
shutdown included; wall is from the start to the answer. A list of tools opens no store.

Answers: the estimated tokens of the JSON that a model gets to read, one copy of it, brief and with
`full`, for a store of twenty short texts. They are the same in every run but for the digits of ids
and times, whose tokens differ by a few.
"""

from __future__ import annotations

import importlib.util
import json
import os
import resource
import subprocess
import sys
import time
from typing import TYPE_CHECKING

from benchmarks.metrics import quantile
from benchmarks.report import Figure
from benchmarks.start import Cost, child_cost
from benchmarks.workspace import PACKAGE, scratch, without_settings
from memstone.tokens import EstimatedTokens

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    Call = tuple[str, Mapping[str, object]]  # a tool and its arguments

LEAST_MS, AIM_MS = 2_000.0, 150.0
SDK_SERVER = """
from mcp.server.mcpserver import MCPServer
server = MCPServer("least")
@server.tool()
def recall(query: str) -> str:
    return query
server.run("stdio")
"""
ASKED: tuple[dict[str, object], ...] = (
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "benchmark", "version": "1"},
        },
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
)
SERVER = (sys.executable, "-I", "-m", "memstone", "mcp")
HOSTS = ("atlas", "hermes", "athena", "apollo", "ceres", "juno", "vesta", "pallas", "iris", "rhea")
TEXTS = tuple(
    text
    for minute, host in enumerate(HOSTS)
    for text in (
        f"The backup of host {host} runs nightly at 02:{minute:02}",
        f"主机 {host} 的负责人是第 {minute} 组",
    )
)
ANSWERS: tuple[tuple[str, Call, Call], ...] = (  # what; brief; in full, remembering another text
    (
        "5 hits of recall",
        ("recall", {"query": "when does the nightly backup run?"}),
        ("recall", {"query": "when does the nightly backup run?", "full": True}),
    ),
    ("20 memories of list", ("list", {}), ("list", {"full": True})),
    (
        "the answer to remember",
        ("remember", {"text": "The release train leaves on Thursdays"}),
        ("remember", {"text": "The release train leaves on Fridays", "full": True}),
    ),
)


def listing_cost(command: Sequence[str], environ: Mapping[str, str], cwd: Path) -> Cost:
    """Start a server, let it list its tools, end it; raises `RuntimeError` if it does not."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=dict(environ),
        cwd=cwd,
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(b"".join(json.dumps(each).encode() + b"\n" for each in ASKED))
        child.stdin.flush()
        answers = [json.loads(child.stdout.readline() or b"{}") for _ in range(2)]
        wall = time.perf_counter() - started
        child.stdin.close()
    if not answers[-1].get("result", {}).get("tools"):
        raise RuntimeError(f"no list of tools but {answers[-1]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return Cost(cpu * 1_000, wall * 1_000)


def measure(size: int, *, runs: int = 15) -> list[Figure]:  # noqa: ARG001  (as the others)
    """Medians over `runs`; the first, uncounted run writes byte code. Then one of each answer."""
    environ = without_settings(os.environ)
    environ.pop("PYTHONDONTWRITEBYTECODE", None)
    environ["PYTHONPATH"] = str(PACKAGE.parent)
    has_sdk = importlib.util.find_spec("mcp") is not None
    ours, sdk, bare = [], [], []
    with scratch() as elsewhere:
        environ["MEMSTONE_HOME"] = str(elsewhere / "store")
        for number in range(runs + 1):
            mine = listing_cost(SERVER, environ, elsewhere)
            least, _ = child_cost([sys.executable, "-I", "-c", "pass"], environ, elsewhere)
            if has_sdk:
                theirs = listing_cost([sys.executable, "-I", "-c", SDK_SERVER], environ, elsewhere)
            if number:
                ours.append(mine)
                bare.append(least)
                sdk += [theirs] if has_sdk else []
        answers = answer_figures(environ, elsewhere)
    return [
        _figure("cpu", "cpu_ms", (ours, sdk, bare)),
        _figure("wall", "wall_ms", (ours, sdk, bare)),
        *answers,
    ]


def answer_figures(environ: Mapping[str, str], cwd: Path) -> list[Figure]:
    """The tokens of each of `ANSWERS`, brief, and in its note with `full`."""
    asked: list[Call] = [("remember", {"text": text}) for text in TEXTS]
    for _, *calls in ANSWERS:
        asked += calls
    said = _answers(asked, environ, cwd)[len(TEXTS) :]
    tokens = [EstimatedTokens().count(text) for text in said]
    figures = []
    answers = zip(ANSWERS, tokens[::2], tokens[1::2], strict=True)
    for (what, (tool, _), _), brief, full in answers:
        figures.append(
            Figure(
                key=f"mcp.tokens.{tool}",
                what=f"MCP, {what}, as JSON",
                unit="estimated tokens",
                value=float(brief),
                lower_is_better=True,
                note=f"with full {full:,}",
            )
        )
    return figures


def _answers(asked: Sequence[Call], environ: Mapping[str, str], cwd: Path) -> list[str]:
    """The text that each call is answered with, all by one server. Raises `RuntimeError`."""
    lines = list(ASKED[:2])
    for number, (tool, arguments) in enumerate(asked, 2):
        params = {"name": tool, "arguments": arguments}
        lines.append({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})
    done = subprocess.run(
        SERVER,
        input=b"".join(json.dumps(line).encode() + b"\n" for line in lines),
        capture_output=True,
        env=dict(environ),
        cwd=cwd,
        check=True,
    )
    results = [json.loads(line)["result"] for line in done.stdout.splitlines()[1:]]
    failed = [result for result in results if result["isError"]]
    if failed or len(results) != len(asked):
        raise RuntimeError(f"{len(results)} answers to {len(asked)} calls; failed: {failed}")
    return [str(result["content"][0]["text"]) for result in results]


def _figure(kind: str, name: str, costs: tuple[list[Cost], list[Cost], list[Cost]]) -> Figure:
    """One line: ours, and in its note the SDK's server and bare Python."""
    mine, sdk, bare = ([float(getattr(cost, name)) for cost in part] for part in costs)
    beside = f"SDK alone {quantile(sdk, 0.5):,.0f} ms" if sdk else "the SDK is not installed"
    on_cpu = kind == "cpu"
    return Figure(
        key=f"mcp.start.{kind}",
        what="new process, `memstone mcp` to its list of tools, p50",
        unit=f"ms {'CPU' if on_cpu else 'wall'}",
        value=quantile(mine, 0.5),
        n=len(mine),
        least=LEAST_MS if on_cpu else None,
        aim=AIM_MS if on_cpu else None,
        lower_is_better=True,
        note=f"{beside}; bare `python -c pass` {quantile(bare, 0.5):.0f} ms",
    )
