"""Feedback: what somebody said of a memory as the answer to a question.

A verdict is recorded and exported as an evaluation file; nothing here or elsewhere uses it
silently, so saying `wrong` never moves a ranking. The question is cleaned by the caller before it
comes here, like any other field. A verdict belongs to the row it was said of: it stays with an old
version when a newer one supersedes it, and goes when the memory is forgotten.
"""

from __future__ import annotations

from memstone.errors import InvalidInput, NotFound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memstone.protocols import Store
    from memstone.types import ChangeNote, Feedback, Verdict, View

MAX_QUERY_BYTES = 16 * 1024  # a question, not a document; longer ones are cut to 96 terms anyway


def check_query(query: str) -> str:
    """The question without white space around it; raises `InvalidInput` if it is no question.

    >>> check_query("  预算是多少？ ")
    '预算是多少？'
    """
    asked = query.strip()
    if not asked:
        raise InvalidInput("query: is blank", hint="give the question as it was asked")
    size = len(asked.encode("utf-8"))
    if size > MAX_QUERY_BYTES:
        raise InvalidInput(
            f"query: {size} bytes, at most {MAX_QUERY_BYTES} are allowed",
            hint="give the question alone",
            name="query",
        )
    return asked


def judge(
    store: Store,
    id: str,  # noqa: A002
    view: View,
    said: tuple[str, Verdict],
    *,
    note: ChangeNote,
) -> Feedback:
    """Record `said` (a clean question and a verdict) of the memory `id`; returns what stands now.

    The same verdict again changes nothing, not even its time. Raises `NotFound`.
    """
    query, verdict = said
    with store.write(note) as transaction:
        namespaces = transaction.namespaces(view)
        memory = transaction.memory(id, namespaces)
        if memory is None:
            raise NotFound.memory(id)
        transaction.judge(memory.row, query, verdict)
        found = transaction.feedback(namespaces, row=memory.row)
        return next(each for each in found if each.query == query)


def feedback(store: Store, user: str) -> list[Feedback]:
    """Every verdict on memories of `user`, oldest first, whatever their project and agent."""
    with store.read() as snapshot:
        return snapshot.feedback(snapshot.namespaces_of(user))
