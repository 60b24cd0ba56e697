"""Sentences of an assistant that say only what a person has said before.

"Got it, your budget is 900 EUR" tells nothing new, and on a card it would stand beside what it
repeats. A sentence is an echo when the turns of people before it hold every number and name of it
and most of its other terms; after an acknowledgement, fewer are enough.
"""

from __future__ import annotations

import re

from memstone.analysis.query import analyze_query
from memstone.extraction.entities import names, numbers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

ECHO = 0.85  # share of its terms that were said before; advice repeats words, too
ECHO_OF_YOU = 0.6  # the same, of a sentence about the person addressed
ECHO_OF_KNOWN = 0.34  # the same, of a sentence that begins by acknowledging
_YOU = re.compile(r"\b(?:you|your|yours|you're|you've|you'll)\b|[你您]", re.IGNORECASE)
_ACKNOWLEDGES = re.compile(
    r"\A\W*(?:(?:got it|noted|understood|ok(?:ay)?|sure(?: thing)?|right|perfect|great|thanks?"
    r"|thank you"
    r"|alright|so|i see|good to know|sounds good|of course|absolutely|wonderful|congratulations"
    r"|i(?:'ve| have|'ll| will)? (?:noted?|remember|keep in mind|see|understand|recorded"
    r"|saved)(?: that)?"
    r"|to (?:summari[sz]e|recap|confirm)|just to confirm|you(?:'re|'ve| are| have| said"
    r"| mentioned| want"
    r"| need| prefer| like)?)(?: (?:for|that|it|down)\b[^,.;:!]{0,30})?\b[,.;:!—– -]*)+"
    r"|\A\W*(?:好的?|明白了?|收到|知道了|了解|记住了|记下了?|没问题|已(?:经)?记录?|行|可以|那么"
    r"|所以|恭喜|谢谢(?:您|你)?|您|你|我(?:会|已经?)?(?:记住|记下|记录)"
    r"|确认一下|也就是说)[了的您你：:，,。！! ]*",
    re.IGNORECASE,
)


def is_echo(sentence: str, before: Iterable[str]) -> bool:
    """Whether one of the turns before, said by people, holds what an assistant's sentence says.

    >>> is_echo("Got it, your budget is 900 EUR.", ["my budget for the bike is 900 EUR"])
    True
    >>> is_echo("With 900 EUR you can get an X200.", ["my budget for the bike is 900 EUR"])
    False
    """
    said = _ACKNOWLEDGES.sub("", sentence)
    terms = set(analyze_query(said).terms)
    share = ECHO_OF_YOU if _YOU.search(sentence) else ECHO
    least = (share if said == sentence else ECHO_OF_KNOWN) * len(terms)
    figures = numbers(said)
    called = {name.lower() for name in names(sentence)}
    for text in before:
        if figures - numbers(text) or any(name not in text.lower() for name in called):
            continue
        if len(terms & set(analyze_query(text).terms)) >= least:
            return True
    return False
