"""What a session used, written down: all that a prompt hook records, without the write path.

Apart from `capturing` because a prompt hook is a new process each time, and the modules that store
turns and find secrets would cost it more than its recall.
"""

from __future__ import annotations

from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memstone.protocols import Store
    from memstone.types import ChangeNote, Scope, SessionCounts, SessionUse

MOST_CLIENTS = 100  # that could share the name of a session
OUR_CLIENTS = frozenset({"claude-code", "codex", "cursor", "gemini"})
CONVERSATIONS_OF = ("transcript:{client}", "hook:{client}")  # sources of a client's turns
_OF_UUID = frozenset("0123456789abcdef-")


@dataclass(frozen=True, slots=True)
class SessionName:
    """A session as its client calls it."""

    client: str
    session: str


def is_plain(name: str) -> bool:
    """Whether a name is one of our clients' or an id as they give them, and so no secret.

    >>> is_plain("codex"), is_plain("c0ffee00-0000-4000-8000-000000000001"), is_plain("sk-ant-1")
    (True, True, False)
    """
    uuid = len(name) == 36 and name.count("-") == 4 and _OF_UUID.issuperset(name)
    return uuid or name in OUR_CLIENTS


def add_up(
    store: Store, scope: Scope, name: SessionName, counts: SessionCounts, note: ChangeNote,
    *, ended: bool = False,
) -> SessionUse:  # fmt: skip
    """Add `counts` to those of a session; returns its sums."""
    with store.write(note) as transaction:
        namespace = transaction.intern(scope)
        transaction.note_session(namespace, name.client, name.session, counts, ended=ended)
        if ended:
            for source in CONVERSATIONS_OF:
                named = source.format(client=name.client)
                transaction.end_conversations(namespace, named, [name.session])
        found = transaction.sessions((namespace,), session=name.session, limit=MOST_CLIENTS)
    return next(use for use in found if use.client == name.client)
