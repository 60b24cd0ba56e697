"""The tables of docs/E2E.md, out of the committed results.

    python -m tools.e2e.document            prints them
    python -m tools.e2e.document --write    puts them between the marks in docs/E2E.md

A test compares the two, so that the document says what a run saw.
"""

from __future__ import annotations

import json
import re
import sys

from tools.e2e.results import RESULTS, ROOT, Check, Figure, Note, Section, table

DOCUMENT = ROOT / "docs" / "E2E.md"
FILES = ("e2e.json", "conformance.json")
BLOCK = re.compile(r"(<!-- results of (\S+) -->\n).*?(<!-- end of results -->)", re.DOTALL)


def committed(file: str) -> str:
    """The tables of one results file."""
    sections = json.loads((RESULTS / file).read_text(encoding="utf-8"))["sections"]
    return table([_section(value) for value in sections.values()])


def written(text: str) -> str:
    """`text` with the tables of every named file between its marks."""
    return BLOCK.sub(lambda found: f"{found[1]}\n{committed(found[2])}\n{found[3]}", text)


def _section(value: dict[str, object]) -> Section:
    def made(name: str) -> list[dict[str, object]]:
        entries = value[name]
        assert isinstance(entries, list)
        return entries

    return Section(
        str(value["name"]),
        str(value["version"]),
        [Check(**entry) for entry in made("checks")],  # type: ignore[arg-type]
        [Figure(**entry) for entry in made("figures")],  # type: ignore[arg-type]
        [Note(**entry) for entry in made("notes")],  # type: ignore[arg-type]
    )


def main() -> int:
    """The exit code."""
    if "--write" in sys.argv[1:]:
        DOCUMENT.write_text(written(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        print("\n".join(committed(file) for file in FILES))
    return 0


if __name__ == "__main__":
    sys.exit(main())
