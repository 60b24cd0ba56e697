"""What a long message asks: the part of it that a memory should be looked for by.

A question often comes at the end of a system prompt, behind small talk, or in front of a pasted
document. Ranked by all of it, the words around the question decide (on LoCoMo, 90 words of
boilerplate took R@10 from .79 to .29). A message of more than 24 content words is therefore cut
to the sentences that ask; where none does, to its first and its last, since that is where people
say what they want. A very short question takes the sentence before it along. How much of a
message is read at all is decided where it comes in (`wire.questions`).
"""

from __future__ import annotations

import re

from memstone.analysis.query import analyze_query

LONG_WORDS = 24  # content words; longer questions of the development sets have at most 22
ENOUGH_WORDS = 2  # a shorter question ("and why?") leans on what was said before it
SURELY_SHORT = 60  # characters, too few for so many words
_SENTENCE = re.compile(r"[^\n.!?。！？…:：]*(?:[.!?。！？…:：]+(?:[\"'”’」』)）]*)|\n+|\Z)\s*")
_ASKS = re.compile(r"[?？][\"'”’」』)）\s]*\Z")


def informative(query: str) -> str:
    """The part of `query` that asks, or all of it when it is not long.

    >>> informative("Where is the key?")
    'Where is the key?'
    >>> informative("Be kind. Be short. " * 30 + "Where is the deploy key?")
    'Where is the deploy key?'
    """
    if len(query) <= SURELY_SHORT:
        return query
    sentences = _sentences(query)
    words = [content_words(sentence) for sentence in sentences]
    if sum(words) <= LONG_WORDS:
        return query
    asking = [i for i, sentence in enumerate(sentences) if _ASKS.search(sentence)]
    said = [i for i, count in enumerate(words) if count]
    candidates = [i for i in asking if words[i]] or asking[-1:] or [said[0], said[-1]]
    chosen = _fitting(candidates, words)
    kept = sum(words[i] for i in chosen)
    for index in reversed([i for i in said if i < chosen[0]]):
        if kept >= ENOUGH_WORDS:
            break
        kept += words[index]
        chosen.insert(0, index)
    return " ".join(sentences[i].strip() for i in chosen)


def content_words(text: str) -> float:
    """How many words of a text say something; a Chinese character is half a word."""
    pieces = analyze_query(text).evidence
    return sum(0.5 if piece.is_cjk else 1.0 for piece in pieces)


def _sentences(text: str) -> list[str]:
    """The text in sentences and clauses before a colon, nothing left out."""
    found: list[str] = []
    whole = True  # whether the last one is finished
    for match in _SENTENCE.finditer(text):
        part = match.group()
        if not part:
            continue
        if whole:
            found.append(part)
        else:
            found[-1] += part
        whole = not (part[-1] in ".:" and match.end() < len(text))
    return found


def _fitting(candidates: list[int], words: list[float]) -> list[int]:
    """The last of the candidates that together are not long; at least one."""
    chosen: list[int] = []
    total = 0.0
    for index in reversed(candidates):
        total += words[index]
        if chosen and (total > LONG_WORDS or index in chosen):
            break
        chosen.insert(0, index)
    return chosen
