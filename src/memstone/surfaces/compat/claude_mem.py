"""The command `claude-mem`: the second ancestor's verbs over the store that its settings name.

Results go to standard output, notes and errors to standard error. Exit codes are those of
`memstone`. What it cannot do is said, not left out silently: `gc` comes with a later version.
"""

from __future__ import annotations

import argparse
import os
import sys

from memstone import wire
from memstone.errors import MemstoneError, UsageError
from memstone.surfaces.cli.output import Output, hang_up, harmless
from memstone.surfaces.cli.transfer import refuse_store_files, replacing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstone.engine.claude_mem import ClaudeMem

EXAMPLES = """\
examples:
  claude-mem init --dir ~/.claude-mem
  claude-mem remember "the user prefers short answers" --tag preference
  claude-mem recall "how should answers be"
  claude-mem forget --tag temp
  claude-mem export --output backup.jsonl

The module `claude_mem` has the same store: remember, recall, forget. See docs/claude-mem.md.
"""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="claude-mem",
        description="Memory for chat programs, in the verbs of claude-mem, kept by memstone.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument(
        "--dir", help="folder of config.yaml (else CLAUDE_MEM_HOME, else ~/.claude-mem)"
    )
    made.add_argument("--json", action="store_true", help="print JSON")
    verbs = made.add_subparsers(dest="verb", required=True, metavar="VERB")
    verb = verbs.add_parser("init", help="write a config.yaml with the defaults")
    verb.add_argument("--dir", dest="own_dir", help="folder to write it into")
    verb = verbs.add_parser("remember", help="store a text")
    verb.add_argument("text")
    verb.add_argument("--tag", action="append", default=[], help="again for several")
    verb.add_argument("--session", help="session it belongs to")
    verb = verbs.add_parser("recall", help="what matters for a question")
    verb.add_argument("query")
    verb.add_argument("--top-k", type=int, help="how many at most (default: from config.yaml)")
    verb = verbs.add_parser("list", help="the newest memories")
    verb.add_argument("--limit", type=int, default=20)
    verb = verbs.add_parser("forget", help="remove all that meets what is given")
    verb.add_argument("keyword", nargs="?", help="words that the text holds, all of them")
    verb.add_argument("--tag")
    verb.add_argument("--before", help="ISO date or time")
    verb.add_argument("--after", help="ISO date or time")
    verb.add_argument("--dry-run", action="store_true", help="only say what would go")
    verb = verbs.add_parser("gc", help="not there yet: comes with a later version")
    verb.add_argument("--dry-run", action="store_true")
    verb = verbs.add_parser("export", help="write every memory as JSON lines")
    verb.add_argument("--output", required=True)
    return made


def main(argv: Sequence[str] | None = None) -> int:
    """Run one verb; returns the exit code."""
    given = parser().parse_args(argv)
    output = Output(as_json=given.json)
    try:
        return _run(given, output)
    except BrokenPipeError:
        hang_up()
        return 0
    except MemstoneError as error:
        _complain(f"{error.message}" + (f" ({error.hint})" if error.hint else ""))
        return error.exit_code


def _run(given: argparse.Namespace, output: Output) -> int:
    if given.verb == "init":
        from memstone.engine.claude_mem import initialize_claude_mem

        path, written = initialize_claude_mem(given.own_dir or given.dir)
        said = f"wrote {path}" if written else f"{path} is there already and stays as it is"
        output.document({"config": path, "written": written}, lambda: said)
        return 0
    if given.verb == "gc":
        raise UsageError(
            "gc: not there yet", hint="it comes with a later version; nothing was removed"
        )
    from memstone.engine.claude_mem import open_claude_mem

    with open_claude_mem(given.dir) as store:
        for note in store.notes:
            _complain(note)
        _VERBS[given.verb](store, given, output)
        if given.verb == "remember":
            store.work()
    return 0


def _remember(store: ClaudeMem, given: argparse.Namespace, output: Output) -> None:
    memory = store.remember(given.text, given.tag, given.session)
    output.document(wire.memory_to_json(memory), lambda: f"remembered {memory.id}")


def _recall(store: ClaudeMem, given: argparse.Namespace, output: Output) -> None:
    result = store.recall(given.query, given.top_k)

    def show() -> str:
        if not result.hits:
            _complain("nothing here answers that; `claude-mem list` shows what there is")
        return "\n".join(f"{hit.signals.evidence:.2f}  {hit.text}" for hit in result)

    output.document(wire.recall_to_json(result), show)


def _list(store: ClaudeMem, given: argparse.Namespace, output: Output) -> None:
    found = store.list(given.limit)

    def show() -> str:
        if not found:
            _complain(f"no memories yet in {store.engine.path}")
        return "\n".join(f"{memory.id}  {memory.text}" for memory in found)

    output.records(map(wire.memory_to_json, found), show)


def _forget(store: ClaudeMem, given: argparse.Namespace, output: Output) -> None:
    result = store.forget(
        given.keyword,
        tag=given.tag,
        before=given.before,
        after=given.after,
        dry_run=given.dry_run,
    )
    verb = "would forget" if given.dry_run else "forgot"
    output.document(
        wire.forgetting_to_json(result) if given.dry_run else wire.forget_to_json(result),
        lambda: f"{verb} {len(result.forgotten)}",
    )


def _export(store: ClaudeMem, given: argparse.Namespace, output: Output) -> None:
    refuse_store_files(given.output, store.engine.path)
    with replacing(given.output) as stream:
        count = store.engine.export(lambda line: stream.write(line.encode("utf-8")))
    path = os.path.realpath(given.output)
    output.document({"exported": count, "path": path}, lambda: f"exported {count} to {path}")


def _complain(message: str) -> None:
    sys.stderr.write(f"claude-mem: {harmless(message)}\n")


_VERBS = {
    "remember": _remember,
    "recall": _recall,
    "list": _list,
    "forget": _forget,
    "export": _export,
}
