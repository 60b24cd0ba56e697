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


SUMMARIZER = """\
What happens when the model that `summarizer.provider` names cannot be used:

- A setting is wrong (no model, no key where one is needed, an address that is none, plain http to a
  host that is not near): an error that names the setting (exit 78), before anything is sent.
- The server is not reached, the connection breaks, or it answers 408, 409, 425, 429 or 5xx: three
  attempts, with pauses of about one and two seconds, or what `Retry-After` asks for up to 30 s.
- It answers with another error status, redirects, asks for a longer rest, or does not answer within
  `summarizer.timeout`: one attempt. Redirects are never followed.
- Then, and where its answer is no card or nothing of it is borne out by the conversation, the card
  is made without it and its producer says why. A server that failed to answer is not asked again in
  that run.
- The daily sum counts a call by an estimate before it, and by the tokens that the server counted
  after it. A server that was not reached or that answered with an error costs nothing; a call that
  was broken off or late stays counted, because it may have been paid for.
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
        f"## When the model does not answer\n\n{SUMMARIZER}\n"
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
