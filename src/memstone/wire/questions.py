"""How much of a question is read: a bot that pastes a document must get an answer, and soon.

Analysing 5 MB of question takes seconds, and a recall keeps its 96 rarest terms anyway. So of a
longer one the beginning and, seven times as much, the end are read: what is asked stands behind
the document far more often than before it. The answer says so; it is never an error, because a
hook that fails helps nobody.
"""

from __future__ import annotations

from memstone.wire.spellings import unicode_text

HEAD_CHARACTERS = 8 * 1024
TAIL_CHARACTERS = 56 * 1024
SHORTENED = "query_shortened"  # what `degraded` calls it
SHOWN_CHARACTERS = 2_000  # of a question that an answer in JSON repeats


def question(query: object) -> tuple[str, tuple[str, ...]]:
    """The part of `query` that is read, and what an answer says of the rest.

    >>> question("猫叫什么？")
    ('猫叫什么？', ())
    >>> kept, said = question("x " * 100_000 + "猫叫什么？")
    >>> len(kept) <= HEAD_CHARACTERS + TAIL_CHARACTERS + 1, kept[-5:], said
    (True, '猫叫什么？', ('query_shortened',))
    """
    text = unicode_text(query, name="query")
    if len(text) <= HEAD_CHARACTERS + TAIL_CHARACTERS:
        return text, ()
    return f"{text[:HEAD_CHARACTERS]}\n{text[-TAIL_CHARACTERS:]}", (SHORTENED,)


def shown_question(query: str) -> str:
    """A question as an answer repeats it: whole, or its two ends.

    >>> shown_question("猫叫什么？")
    '猫叫什么？'
    """
    half = SHOWN_CHARACTERS // 2
    return query if len(query) <= SHOWN_CHARACTERS else f"{query[:half]}…{query[-half:]}"
