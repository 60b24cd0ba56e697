"""The table of commands: every verb with its arguments, its examples and who runs it.

It is the one description of the command line. `parser` builds argparse from it, `reference` the
documentation, `completion` the shell completion; the hot verbs look up one row and build nothing
else. A verb that is not here, or in `agents`, does not exist.
"""

from __future__ import annotations

from memstone.surfaces.cli import values
from memstone.surfaces.cli.agents import REVIEWING, RUNNING, SERVING
from memstone.surfaces.cli.options import (
    BRIEF,
    FILTERS,
    KIND_NAMES,
    LIST_LIMIT,
    READING_SCOPE,
    SCOPE,
    SESSION,
    USER,
    option,
    time,
)
from memstone.surfaces.cli.table import Argument, Command
from memstone.types import DEFAULT_BUDGET, DEFAULT_LIMIT, DEFAULT_MIN_SCORE, Trust

_TAG_IT = "label it; again for several (a comma is part of a tag)"
_PINNED = "a pinned preference stands in the session block"
_TRUSTS = " > ".join(trust.value for trust in Trust)

KINDS_MEAN = (
    "Kinds: fact (anything that is so), preference (what somebody likes), decision\n"
    "(what was settled), task (what is open), persona (who an agent is, by --role),\n"
    "turn (what was said, as imports and hooks store it), card (a summary). Decisions,\n"
    "preferences and tasks rank a little higher; personas, pinned preferences and open\n"
    "tasks form the session block."
)

_STDIN = Argument(name="--stdin", about="read the text from standard input, exactly as given")
_TEXT = Argument(
    name="text",
    metavar="TEXT",
    parse=values.text,
    needed=False,
    about="the text in quotes, or - for standard input",
)


def _details(*, kind: str, trust: str) -> tuple[Argument, ...]:
    """What can be said about a text; `kind` and `trust` word what holds if it is not said."""
    return (
        option(
            "--tag",
            "TAG",
            values.text,
            _TAG_IT,
            many=True,
        ),
        option("--kind", "KIND", values.kind, f"one of {KIND_NAMES} (default: {kind})"),
        SESSION,
        option("--speaker", "NAME", values.text, "who said it"),
        option("--subject", "NAME", values.text, "what it is about"),
        option("--attribute", "NAME", values.text, "which property of the subject it states"),
        time("--at", "when it became true (default: now)"),
        time("--valid-until", "when it ceases to be true"),
        time("--expires", "when recall shall stop showing it"),
        option("--trust", "LEVEL", values.trust, f"{_TRUSTS} (default: {trust})"),
        Argument(name="--pin", about=f"pin it: it ranks a little higher; {_PINNED}"),
        option("--role", "NAME", values.text, "role a persona belongs to; see `block --role`"),
        option("--external-id", "ID", values.text, "id it has elsewhere"),
    )


_ID = Argument(
    name="id",
    metavar="ID",
    parse=values.name,
    about="id of the memory, or how it begins (mem_ and 8 digits)",
)
_OUTPUT = Argument(
    name="--output",
    metavar="FILE",
    parse=values.path,
    is_file=True,
    about="write this file, replacing it in one step (default: standard output)",
)
_TAGS = Argument(name="tags", metavar="TAG", parse=values.name, many=True, about="one or more")

_REMEMBER = Command(
    name="remember",
    about="store a text",
    run="hot:remember",
    arguments=(
        _TEXT,
        _STDIN,
        *_details(kind="fact", trust="user"),
        BRIEF,
        *SCOPE,
    ),
    examples=(
        'memstone remember "The backup runs nightly at 02:00 on host atlas"',
        'memstone remember "预算是 200" --tag budget --subject project --attribute budget',
        'memstone remember "$(git log -1 --format=%B)" --kind decision',
    ),
    notes="The same text again is not stored twice: the answer says that it is known.\n"
    "--stdin and - store every byte, a newline at the end too; $(...) drops that one.\n\n"
    f"{KINDS_MEAN}",
)
_QUESTION = Argument(
    name="query", metavar="QUERY", parse=values.text, about="the question, in quotes"
)
_RECALL_OPTIONS = (
    option("--limit", "N", values.limit, f"at most N memories (default: {DEFAULT_LIMIT})"),
    option(
        "--budget",
        "TOKENS",
        values.budget,
        f"estimated tokens to fill at most (default: {DEFAULT_BUDGET}; 0: no limit)",
    ),
    option(
        "--min-score",
        "SHARE",
        values.share,
        f"evidence asked for, 0 to 1 (default: {DEFAULT_MIN_SCORE}; 0: no floor)",
    ),
    *FILTERS,
    option("--not-session", "NAME", values.text, "nothing from this session"),
    time("--as-of", "what was true then"),
    time("--known-at", "what was known then"),
)
_RECALL = Command(
    name="recall",
    about="find what matters for a question, inside a token budget",
    run="hot:recall",
    arguments=(
        _QUESTION,
        *_RECALL_OPTIONS,
        Argument(name="--explain", about="show what spoke for each memory"),
        Argument(name="--skip-questions", about="leave out turns that only ask"),
        Argument(name="--no-touch", about="do not count this as use"),
        BRIEF,
        *READING_SCOPE,
    ),
    examples=(
        'memstone recall "when does the nightly backup run?"',
        "memstone recall 预算 --limit 3 --budget 500",
        "memstone recall budget --known-at 2026-08-12 --explain",
    ),
    notes="Finding nothing is an answer too: exit code 0 and no hits.",
)
_JUDGED = (_ID, option("--query", "QUERY", values.text, "the question, in quotes"), *SCOPE)
_ASKING = (
    Command(
        name="why",
        about="tell why a memory was or was not recalled for a question",
        run="asking:why",
        arguments=(_ID, _QUESTION, *_RECALL_OPTIONS, *READING_SCOPE),
        examples=(
            'memstone why mem_0f3a5c1d "when does the nightly backup run?"',
            "memstone why mem_0f3a5c1d 预算 --limit 3 --tag money",
        ),
        notes="Give the options of the recall in question: the answer is that recall's own,\n"
        "stage by stage (seen or hidden, filter, words, floor, rank, budget). It counts\n"
        "as no use.",
    ),
    Command(
        name="wrong",
        about="say that a memory does not belong into the answer to a question",
        run="asking:wrong",
        arguments=_JUDGED,
        examples=('memstone wrong mem_0f3a5c1d --query "when does the nightly backup run?"',),
        notes="Recorded and exported by `feedback`; it moves no ranking by itself. A later\n"
        "verdict on the same memory and question replaces the earlier one.",
    ),
    Command(
        name="right",
        about="say that a memory belongs into the answer to a question",
        run="asking:right",
        arguments=_JUDGED,
        examples=('memstone right mem_0f3a5c1d --query "when does the nightly backup run?"',),
        notes="See `wrong`.",
    ),
    Command(
        name="feedback",
        about="write every verdict of a user as an evaluation file of JSON lines",
        run="asking:feedback",
        arguments=(_OUTPUT, USER),
        examples=("memstone feedback --output verdicts.jsonl", "memstone feedback | wc -l"),
        notes="One line a verdict: query, id, external_id, verdict, at, user, project, agent.\n"
        "`export` holds memories only; verdicts are in this file alone.",
    ),
)
_LINEAGE = (
    Command(
        name="supersede",
        about="replace a memory by a newer version; the older one stays as history",
        run="lineage:supersede",
        arguments=(_ID, _TEXT, _STDIN, *_details(kind="as before", trust="user"), BRIEF, *SCOPE),
        examples=(
            'memstone supersede mem_0f3a5c1d2b4e6f70 "The budget is 200"',
            "echo 预算是 200 | memstone supersede mem_0f3a5c1d2b4e6f70 --stdin",
        ),
        notes="Kind, role, tags, pin, subject and attribute stay as they were unless given.",
    ),
    Command(
        name="history",
        about="show all versions of a memory, oldest first",
        run="lineage:history",
        arguments=(
            _ID,
            time("--as-of", "only what was valid then"),
            time("--known-at", "only what was known then"),
            BRIEF,
            *SCOPE,
        ),
        examples=("memstone history mem_0f3a5c1d2b4e6f70",),
    ),
    Command(
        name="forget",
        about="remove memories for good: by id, or all that a selection takes",
        run="forgetting:forget",
        arguments=(
            Argument(
                name="ids",
                metavar="ID",
                parse=values.name,
                many=True,
                needed=False,
                about="ids of memories",
            ),
            option("--words", "TEXT", values.text, "whose text holds every one of these words"),
            *FILTERS,
            option("--source", "NAME", values.text, "from this source, such as import:chatgpt"),
            Argument(name="--dry-run", about="only say what would be removed"),
            Argument(name="--yes", about="do not ask where a selection takes more than one"),
            *SCOPE,
        ),
        examples=(
            "memstone forget mem_0f3a5c1d2b4e6f70",
            'memstone forget --words "old address" --dry-run',
            "memstone forget --tag temp --until 2026-01-01 --yes",
        ),
        notes="Conditions are joined: a memory must meet all of them, in whatever state it is.\n"
        "Cards and facts made of what is forgotten go along. Exit code 1 if something named is\n"
        "not there, or nothing meets the selection. It cannot be undone.",
    ),
    Command(
        name="recover",
        about="print the exact text behind the handle of a shortened hit",
        run="lineage:recover",
        arguments=(
            Argument(
                name="handle", metavar="HANDLE", parse=values.handle, about="ccr_ and 32 hex digits"
            ),
            *SCOPE,
        ),
        examples=("memstone recover ccr_2cf24dba5fb0a30e26e83b2ac5b9e29e > original.txt",),
        notes="The bytes are written as they are stored, without a newline at the end.",
    ),
)
_LOOKING = (
    Command(
        name="list",
        about="show memories, newest first",
        run="looking:list_memories",
        arguments=(
            option("--limit", "N", values.limit, f"at most N memories (default: {LIST_LIMIT})"),
            *FILTERS,
            Argument(name="--history", about="with versions that were superseded"),
            Argument(name="--archived", about="only what was archived; `restore` brings it back"),
            Argument(name="--pinned", about="only what is pinned"),
            Argument(name="--held", about="only what is held back; see `review` and `approve`"),
            time("--as-of", "what was true then"),
            time("--known-at", "what was known then"),
            BRIEF,
            *READING_SCOPE,
        ),
        examples=("memstone list", "memstone list --kind decision --since 2026-08-01"),
    ),
    Command(
        name="show",
        about="show one memory with everything known about it",
        run="looking:show",
        arguments=(_ID, *SCOPE),
        examples=("memstone show mem_0f3a5c1d2b4e6f70",),
    ),
    Command(
        name="stats",
        about="count what is stored for a user",
        run="looking:stats",
        arguments=(USER,),
        examples=("memstone stats",),
    ),
    Command(
        name="log",
        about="show what was changed, when and by whom, newest first",
        run="looking:log",
        arguments=(
            option("--limit", "N", values.limit, f"at most N changes (default: {LIST_LIMIT})"),
            option("--id", "ID", values.text, "only changes of this memory"),
            *SCOPE,
        ),
        examples=("memstone log", "memstone log --id mem_0f3a5c1d2b4e6f70"),
    ),
)
_MARKING = (
    Command(
        name="tag",
        about="add tags to a memory",
        run="marking:tag",
        arguments=(_ID, _TAGS, BRIEF, *SCOPE),
        examples=("memstone tag mem_0f3a5c1d2b4e6f70 budget 2026",),
    ),
    Command(
        name="untag",
        about="take tags from a memory",
        run="marking:untag",
        arguments=(_ID, _TAGS, BRIEF, *SCOPE),
        examples=("memstone untag mem_0f3a5c1d2b4e6f70 draft",),
    ),
    Command(
        name="pin",
        about="pin a memory: it ranks a little higher than others like it",
        run="marking:pin",
        arguments=(_ID, BRIEF, *SCOPE),
        examples=("memstone pin mem_0f3a5c1d2b4e6f70",),
        notes=f"{_PINNED[0].upper()}{_PINNED[1:]}.",
    ),
    Command(
        name="unpin",
        about="undo pin",
        run="marking:unpin",
        arguments=(_ID, BRIEF, *SCOPE),
        examples=("memstone unpin mem_0f3a5c1d2b4e6f70",),
    ),
    Command(
        name="expire",
        about="say when recall shall stop showing a memory",
        run="marking:expire",
        arguments=(
            _ID,
            Argument(
                name="when",
                metavar="WHEN",
                parse=values.instant_or_never,
                about="a date or time, or never",
            ),
            BRIEF,
            *SCOPE,
        ),
        examples=(
            "memstone expire mem_0f3a5c1d2b4e6f70 2026-12-31",
            "memstone expire mem_0f3a5c1d2b4e6f70 never",
        ),
    ),
)
_FILES = (
    Command(
        name="import",
        about="read a conversation, an export of another program or a folder of notes",
        run="transfer:import_file",
        arguments=(
            Argument(
                name="file",
                metavar="FILE",
                parse=values.path,
                is_file=True,
                about="the file, or - for standard input",
            ),
            option(
                "--format",
                "NAME",
                values.text,
                "how to read it (default: told by content); `docs/IMPORT.md` lists the formats",
            ),
            option(
                "--sample", "ID", values.text, "only this dialogue, or user, of a file of several"
            ),
            Argument(
                name="--no-cards", about="leave the cards of conversations to `memstone work`"
            ),
            Argument(name="--dry-run", about="read and check, store nothing"),
            *SCOPE,
        ),
        examples=(
            "memstone import conversation.jsonl",
            "memstone import locomo10.json --sample conv-26 --dry-run",
            "memstone import chatgpt-export.zip",
            "memstone import ~/vault --format obsidian",
        ),
        notes="Good entries are stored even if others are bad; bad ones are listed with their\n"
        "line and make the exit code 65.",
    ),
    Command(
        name="export",
        about="write every memory of a user as JSON lines",
        run="transfer:export",
        arguments=(
            _OUTPUT,
            time("--as-of", "only what was valid then, each as it stood"),
            time("--known-at", "only what was known then, each as it stood"),
            USER,
        ),
        examples=("memstone export --output memories.jsonl", "memstone export | wc -l"),
    ),
)
_SETUP = (
    Command(
        name="init",
        about="write a commented config.yaml with every setting",
        run="setup:init",
        arguments=(
            Argument(
                name="--dir",
                metavar="DIR",
                parse=values.path,
                is_folder=True,
                about="where (default: the folder of the store)",
            ),
        ),
        examples=("memstone init", "memstone init --dir ~/memories"),
        notes="An existing config.yaml is left as it is.",
    ),
    Command(
        name="config",
        about="show the settings in force",
        run="setup:config",
        arguments=(
            Argument(
                name="action",
                metavar="show",
                parse=values.text,
                needed=False,
                choices=("show",),
                about="show, which may be left out",
            ),
            Argument(name="--origin", about="say where each value comes from"),
        ),
        examples=("memstone config show", "memstone config show --origin"),
    ),
    Command(
        name="completion",
        about="print a completion script for your shell",
        run="setup:completion",
        arguments=(
            Argument(
                name="shell",
                metavar="SHELL",
                parse=values.text,
                choices=("bash", "zsh", "tcsh"),
                about="bash, zsh or tcsh",
            ),
        ),
        examples=(
            "memstone completion bash > ~/.local/share/bash-completion/completions/memstone",
        ),
        notes="Needs the extra: pip install shtab.",
    ),
)

COMMANDS = {
    command.name: command
    for command in (
        _REMEMBER,
        _RECALL,
        *_ASKING,
        *_LINEAGE,
        *_LOOKING,
        *_MARKING,
        *_FILES,
        *REVIEWING,
        *SERVING,
        *RUNNING,
        *_SETUP,
    )
}
