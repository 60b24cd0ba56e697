"""The part of `protocols.Transaction` about what is found out after a memory was stored.

Mixed into the transaction, which would grow too long with it.
"""

from __future__ import annotations

import json

from memstone.storage.sqlite import conversations
from memstone.storage.sqlite.connections import fetch_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import apsw

    from memstone.types import ChangeNote, Conversation


class ConversationWriting:
    """Notes about conversations, statements and contradictions."""

    _connection: apsw.Connection
    _note: ChangeNote
    if TYPE_CHECKING:

        def _run(self, statement: str, values: Mapping[str, object]) -> None:
            """The transaction's own."""

        def _record(self, row: int, field: str, before: str | None, after: str | None) -> None:
            """The transaction's own."""

    def end_conversations(
        self, namespace: int, source: str, sessions: Sequence[str | None]
    ) -> None:
        names = json.dumps([session or "" for session in sessions])
        values = {"ns": namespace, "source": source, "sessions": names}
        self._run(conversations.END, values)

    def mark_carded(self, conversation: Conversation) -> bool:
        values = {
            "ns": conversation.namespace, "source": conversation.source,
            "session": conversation.session or "", "carded": conversation.carded_row,
            "last": conversation.last_row,
        }  # fmt: skip
        return bool(fetch_all(self._connection, conversations.MARK_CARDED, values))

    def settle(self, row: int) -> None:
        self._run(conversations.SETTLE, {"row": row})

    def set_about(self, row: int, stated: Sequence[tuple[str, str]]) -> None:
        self._run(conversations.CLEAR_ABOUT, {"row": row})
        for subject, attribute in stated:
            values = {"row": row, "subject": subject, "attribute": attribute}
            self._run(conversations.SET_ABOUT, values)

    def note_conflict(self, older: int, newer: int, reason: str) -> bool:
        values = {"older": older, "newer": newer, "reason": reason, "at": self._note.at}
        new = bool(fetch_all(self._connection, conversations.NOTE_CONFLICT, values))
        if new:
            self._record(newer, "conflict", None, str(older))
        return new

    def resolve(self, number: int, resolution: str | None) -> None:
        at = None if resolution is None else self._note.at
        values = {"number": number, "resolution": resolution, "at": at}
        found = fetch_all(self._connection, conversations.RESOLVE, values)
        if found:
            self._record(found[0][0], f"conflict {number}", None, resolution)
