"""A tour of memstone in one minute, on a conversation that ships beside this file.

Every step runs the real command line in a store of its own, which is thrown away afterwards, and
checks the answer: the right memory first, nothing for a question nobody can answer, no secret
anywhere. Shown are the commands as a person would type them and, shortened, what came back.
Run it with `make demo`, or `python examples/demo.py`. It exits 1 if one answer is not as it
should be.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CONVERSATION = "examples/conversation.jsonl"
SECRET_STARTS = "sk-ant-"
WIDTH = 96
QUESTIONS = (
    ("Where is the spare key for the server room?", "03-05"),
    ("周会现在改到什么时间？", "05-08"),
    ("When was the monthly cloud budget raised to 200 euros?", "06-05"),
    ("陈默的生日是哪天？", "03-03"),
    ("which host runs the nightly backup, and at what time?", "01-09"),
    ("gen-itgc 重跑之后还有悬空引用吗？", "04-05"),
    ("Who is the contact for the Porto export, and which extension?", "07-03"),
    ("时刻表接口每分钟最多能请求多少次？", "02-05"),
)
OFF_TOPIC = ("What is the boiling point of mercury?", "企鹅一般生活在哪个大洲？")

Json = dict[str, object]


class Failed(Exception):
    """An answer was not as it should be."""


@dataclass
class Demo:
    """The store of this run, the colours of this terminal, and how many answers were checked."""

    home: Path
    colour: bool
    checks: int = 0
    environment: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        paths = [str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]
        self.environment = {
            **{k: v for k, v in os.environ.items() if not k.startswith("MEMSTONE_")},
            "MEMSTONE_HOME": str(self.home),
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        }

    def title(self, text: str) -> None:
        print("\n" + self._paint("1", text), flush=True)

    def say(self, text: str) -> None:
        print("  " + shortened(text), flush=True)

    def check(self, right: object, what: str) -> None:
        """Count a check; raises `Failed` naming it when it does not hold."""
        if not right:
            raise Failed(what)
        self.checks += 1

    def run(self, *arguments: str, shown: tuple[str, ...] | None = None) -> bytes:
        """Standard output of one `memstone` command, printed first as one would type it."""
        typed = " ".join(map(quoted, shown or arguments))
        print(self._paint("36", f"$ memstone {typed}"), flush=True)
        command = [sys.executable, "-m", "memstone", *arguments]
        done = subprocess.run(
            command, cwd=ROOT, env=self.environment, capture_output=True, check=False
        )
        if done.returncode:
            message = done.stderr.decode("utf-8", "replace").strip()
            raise Failed(f"memstone {typed}\nexit code {done.returncode}: {message}")
        return done.stdout

    def ask(self, *arguments: str) -> Json:
        return objects(self.run(*arguments))[0]

    def _paint(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour else text


def quoted(word: str) -> str:
    """`word` as one types it: in double quotes if the shell needs any.

    >>> quoted("--limit"), quoted("a b"), quoted("预算")
    ('--limit', '"a b"', '预算')
    """
    plain = word.replace("-", "").replace("_", "").isalnum()
    if plain or shlex.quote(word) == word:
        return word
    return f'"{word}"' if not set(word) & set('"$`\\!') else shlex.quote(word)


def shortened(text: str) -> str:
    r"""`text` on one line of at most `WIDTH` columns; a Chinese character takes two.

    >>> shortened("a\nb")
    'a b'
    """
    line = " ".join(text.split())
    columns = 0
    for place, character in enumerate(line):
        columns += 2 if ord(character) >= 0x1100 else 1
        if columns > WIDTH:
            return line[:place] + "…"
    return line


def objects(output: bytes) -> list[Json]:
    return [json.loads(line) for line in output.decode("utf-8").splitlines()]


def hits(answer: Json) -> list[Json]:
    found = answer["hits"]
    assert isinstance(found, list)
    return found


def memory(hit: Json) -> Json:
    value = hit["memory"]
    assert isinstance(value, dict)
    return value


def conversation() -> dict[str, str]:
    """The turns of the example as they were written: id → text."""
    lines = (ROOT / CONVERSATION).read_text(encoding="utf-8").splitlines()
    turns = map(json.loads, lines)
    return {turn["id"]: turn["content"] for turn in turns}


def import_conversation(demo: Demo, turns: dict[str, str]) -> None:
    demo.title("1. A conversation of two months goes in")
    report = demo.ask("import", CONVERSATION)
    demo.say(
        f"{report['read']} turns read, {report['created']} stored, {report['sessions']} sessions, "
        f"{report['redacted']} with a secret blanked"
    )
    demo.check(report["created"] == len(turns), f"all {len(turns)} turns are stored: {report}")
    demo.check(report["redacted"] == 1, "one turn was redacted")
    again = demo.ask("import", CONVERSATION)
    demo.say(f"again: {again['created']} stored, {again['known']} known already")
    demo.check(again["created"] == 0, "a second import stores nothing")


def ask_questions(demo: Demo) -> None:
    demo.title("2. Eight questions, in English and Chinese")
    for question, expected in QUESTIONS:
        answer = demo.ask("recall", question, "--limit", "3")
        found = hits(answer)
        demo.check(found, f"{question} finds {expected}, not nothing")
        first = memory(found[0])
        demo.say(f"{str(first['valid_from'])[:10]} {first['speaker']}: {found[0]['text']}")
        got = [memory(hit)["external_id"] for hit in found]
        demo.check(got[0] == expected, f"{question} has {expected} first, not {got}")


def change_a_fact(demo: Demo) -> None:
    demo.title("3. A fact changes, and nothing is lost")
    old = demo.ask("remember", "The monthly cloud budget is 100 euros", "--at", "2025-02-03")
    demo.say(f"{old['id']}: {old['text']}")
    new = demo.ask(
        "supersede", str(old["id"]), "The monthly cloud budget is 200 euros", "--at", "2025-04-01"
    )
    demo.say(f"{new['id']}: {new['text']}")
    versions = objects(demo.run("history", str(old["id"])))
    for version in versions:
        ends = str(version.get("superseded_from", "today"))[:10]
        demo.say(f"{str(version['valid_from'])[:10]} to {ends}: {version['text']}")
    demo.check([v["id"] for v in versions] == [old["id"], new["id"]], "history has both versions")
    recorded = datetime.fromisoformat(str(versions[0]["superseded_at"]))
    before = (recorded - timedelta(microseconds=1)).isoformat().replace("+00:00", "Z")
    for when, right in (
        ((), new),
        (("--as-of", "2025-03-31"), old),  # what was true the day before
        (("--known-at", before), old),  # what we knew just before we were told
    ):
        answer = demo.ask("recall", "monthly cloud budget", "--kind", "fact", *when)
        found = [hit["text"] for hit in hits(answer)]
        demo.say(" | ".join(map(str, found)))
        demo.check(found == [right["text"]], f"only {right['text']!r} is found, not {found}")


def ask_off_topic(demo: Demo) -> None:
    demo.title("4. A question nobody ever talked about gets no answer")
    for question in OFF_TOPIC:
        found = hits(demo.ask("recall", question))
        demo.say(f"{len(found)} hits")
        demo.check(not found, f"{question} finds nothing, not {[hit['text'] for hit in found]}")


def cut_and_recover(demo: Demo, turns: dict[str, str]) -> None:
    demo.title("5. A long log is cut around the answer, and can be had back whole")
    question = "What caused the checksum mismatch, and from which batch do we replay?"
    answer = demo.ask("recall", question, "--limit", "1")
    hit = hits(answer)[0]
    text, handle = str(hit["text"]), str(hit.get("handle"))
    demo.say(f"{hit['tokens']} of {hit['full_tokens']} tokens ({answer['basis']}), handle {handle}")
    demo.say(text[max(0, text.find("HB-412")) :])
    demo.check(memory(hit)["external_id"] == "05-02", "the log is found")
    demo.check("mismatch" in text, "the cut text holds the answer")
    demo.check("handle" in hit, "the cut text has a handle")
    whole = demo.run("recover", handle)
    digests = [hashlib.sha256(data).hexdigest() for data in (whole, turns["05-02"].encode())]
    demo.say(f"{len(whole)} bytes, sha256 {digests[0][:16]}…, the original {digests[1][:16]}…")
    demo.check(digests[0] == digests[1], "the recovered bytes are the original ones")


def look_for_the_secret(demo: Demo, turns: dict[str, str]) -> None:
    demo.title("6. The key somebody pasted was never stored")
    secret = next(
        word for text in turns.values() for word in text.split() if word.startswith(SECRET_STARTS)
    )
    target = demo.home / "memories.jsonl"
    demo.run("export", "--output", str(target), shown=("export", "--output", "memories.jsonl"))
    exported = target.read_text(encoding="utf-8")
    (line,) = (line for line in exported.splitlines() if '"external_id": "04-01"' in line)
    demo.say(json.loads(line)["text"])
    files = {path: path.read_bytes() for path in demo.home.rglob("*") if path.is_file()}
    demo.check("[REDACTED" in line, "the turn says that something was blanked")
    demo.check(secret not in exported, "the key is not in the export")
    for path, data in files.items():
        demo.check(b"harbor-sandbox" in data, f"a search of {path.name} finds what is stored")
        demo.check(secret.encode() not in data, f"the key is not in {path.name}")
    demo.say(f"searched every byte of {' and '.join(sorted(p.name for p in files))}: no key")


def main() -> int:
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="memstone-demo-") as folder:
        demo = Demo(Path(folder) / "home", colour=colour)
        turns = conversation()
        try:
            import_conversation(demo, turns)
            ask_questions(demo)
            change_a_fact(demo)
            ask_off_topic(demo)
            cut_and_recover(demo, turns)
            look_for_the_secret(demo, turns)
        except Failed as failure:
            print(f"\nnot as it should be: {failure}", file=sys.stderr)
            return 1
    print(f"\n{demo.checks} checks passed in {time.monotonic() - started:.1f} s")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
