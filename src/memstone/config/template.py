"""The commented `config.yaml` that `memstone init` writes, read off the table of settings.

It is text made for people: each setting with what it does, what it allows and its variable. An
existing file is never touched.
"""

from __future__ import annotations

import os

from memstone.config.keys import KEYS, Key, redaction_policies
from memstone.config.places import CONFIG_FILE, PROJECT_FILE
from memstone.errors import CannotCreate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def render_default() -> str:
    """The `config.yaml` that `init` writes: every setting, explained, at its default.

    The settings stand there commented out, so that a default improved by a later version reaches
    everybody who did not choose otherwise. Deleting the `#` puts one in force.
    """
    lines = [
        "# Settings of memstone. Every setting stands here at its default; delete the `#` before",
        "# one and change the value. Stronger than this file: arguments, variables (named beside",
        f"# each setting), and for `recall` a project's own `{PROJECT_FILE}`.",
    ]
    section = ""
    for key in KEYS.values():
        head, _, leaf = key.name.rpartition(".")
        lines.append("")
        if head != section:
            section = head
            lines.append(f"{head}:")
        lines.extend(_render(key, leaf, "  " if head else ""))
    lines += [
        "",
        "redaction:",
        "  # What happens to a text that holds such a thing: `refuse` does not store the text,",
        "  # `redact` stores it with the thing blanked, `allow` stores it as it is.",
        "  # Variables: MEMSTONE_REDACTION__ and the name in capitals.",
    ]
    lines += [f"  #{kind}: {policy}" for kind, policy in redaction_policies({}).items()]
    return "\n".join(lines) + "\n"


def write_default(home: str) -> tuple[str, bool]:
    """Write the template into the data folder `home`, which is made if missing (mode 0700).

    Returns the file's path and whether it was written: one that is there stays as it is. Raises
    `CannotCreate`.
    """
    path = os.path.join(home, CONFIG_FILE)
    try:
        os.makedirs(home, mode=0o700, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        if os.path.isdir(home):
            return path, False
        raise CannotCreate(f"{home}: not a folder", path=home) from None
    except OSError as error:
        raise _failed(path, error) from error
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(render_default().encode("utf-8"))
    except OSError as error:
        os.unlink(path)  # half a template would be read as if somebody had chosen it
        raise _failed(path, error) from error
    return path, True


def _failed(path: str, error: OSError) -> CannotCreate:
    return CannotCreate(
        f"{path}: cannot be written ({error.strerror})",
        hint="check that the folder is yours to write, or name another with MEMSTONE_HOME",
        path=path,
    )


def _render(key: Key, leaf: str, indent: str) -> Iterator[str]:
    for line in key.about.splitlines():
        yield f"{indent}# {line}"
    yield f"{indent}# ({key.expected()}; {key.variable})"
    shown = '""' if key.default == "" else str(key.default)
    yield f"{indent}#{leaf}: {shown}"
