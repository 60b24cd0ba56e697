"""The settings as a document, read off the table of settings.

`python -m memstone.config.reference` prints it; a test compares it with `docs/SETTINGS.md`.
"""

from __future__ import annotations

import sys

from memstone.config.keys import KEYS, redaction_policies
from memstone.config.places import CONFIG_FILE, PROJECT_FILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memstone.config.keys import Key

INTRODUCTION = f"""\
A setting is named once and may be given in five places, the stronger first:

1. an argument of a call: `memstone.open(recall_budget=500)`, `memstone recall --budget 500`
2. a variable: `MEMSTONE_RECALL__BUDGET=500`
3. a project's `{PROJECT_FILE}` at its root, for the settings marked *project*; it comes with a
   repository, so it may tune recall inside bounds and nothing else
4. your `{CONFIG_FILE}` in the data folder: `memstone init` writes it with every setting explained
5. the default

`memstone config show --origin` says what is in force and where it comes from. An unknown name or a
value out of range is an error (exit 78) that says where it stands. In the file a dot is a section:

```yaml
recall:
  budget: 500
redaction:
  email: redact
```

The data folder is named by `--home`, else by `MEMSTONE_HOME`, else it is the platform's place for
user data. `MEMSTONE_DEBUG=1` shows the traceback of a bug. `MEMSTONE_BIN` names the command to the
JavaScript client. None of them is a setting.
"""
REDACTION = """\
What happens to a text that holds such a thing: `refuse` does not store the text (exit 77), `redact`
stores it with the thing blanked, `allow` stores it as it is. In an import `refuse` blanks, unless
`import.policy` is `refuse`. Variables: `MEMSTONE_REDACTION__EMAIL` and so on; in Python
`memstone.open(redaction={"email": "redact"})`.
"""


def markdown() -> str:
    """The whole document.

    >>> markdown().splitlines()[0]
    '# Settings'
    """
    rows = "".join(map(_row, KEYS.values()))
    policies = "".join(
        f"| `redaction.{kind}` | `{policy}` |\n" for kind, policy in redaction_policies({}).items()
    )
    return (
        f"# Settings\n\n{INTRODUCTION}\n"
        f"| setting | default | allowed | variable | |\n|---|---|---|---|---|\n{rows}\n"
        f"## Secrets and personal numbers\n\n{REDACTION}\n"
        f"| class | default |\n|---|---|\n{policies}"
    )


def _row(key: Key) -> str:
    default = f"`{key.default}`" if key.default != "" else "empty"
    about = " ".join(key.about.split("\n"))
    if key.project:
        about += f" *project*: {key.expected(project=True)}."
    return f"| `{key.name}` | {default} | {key.expected()} | `{key.variable}` | {about} |\n"


if __name__ == "__main__":
    sys.stdout.buffer.write(markdown().encode("utf-8"))
