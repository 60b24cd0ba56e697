"""A question turned into terms that rank and evidence that decides whether anything is relevant.

Stop words fall away here and only here. What remains is used twice: `terms` are what BM25 counts;
`evidence` lists the pieces a memory may cover, each with the terms that say how much it weighs and
what covers it wholly or by half. A question of stop words alone has neither, and finds nothing.
"""

from __future__ import annotations

from itertools import pairwise

from memstone.analysis.stopwords import ENGLISH, without_stop_words
from memstone.analysis.tokenizer import Form, scan
from memstone.types import Evidence, Query

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstone.analysis.tokenizer import Analysis


def analyze_query(query: str) -> Query:
    """What to look for and what counts as finding it.

    >>> analyze_query("When did Ana deploy?").terms
    ('ana', 'deploy')
    >>> analyze_query("什么时候").evidence
    ()
    """
    terms: list[str] = []
    evidence: list[Evidence] = []
    run: list[str] = []
    for _, _, analysis in scan(query):
        if analysis.form is Form.CJK:
            run += analysis.surfaces
            if len(analysis.terms) == 2 * len(analysis.surfaces):
                continue  # the last pair opens into the next token
            _add_run(run, terms, evidence)
            run = []
        elif analysis.form is not Form.WORD or analysis.surface not in ENGLISH:
            _add_token(analysis, terms, evidence)
    return Query(tuple(dict.fromkeys(terms)), tuple(dict.fromkeys(evidence)))


def _add_token(analysis: Analysis, terms: list[str], evidence: list[Evidence]) -> None:
    whole = analysis.terms[:1]
    parts = tuple(
        dict.fromkeys(
            term
            for term, surface in zip(analysis.terms[1:], analysis.surfaces[1:], strict=True)
            if surface not in ENGLISH and term != whole[0]
        )
    )
    is_word = analysis.form in {Form.WORD, Form.CAMEL}
    terms += whole + parts
    evidence.append(Evidence(whole, whole, parts, analysis.surface if is_word else None))


def _add_run(run: Sequence[str], terms: list[str], evidence: list[Evidence]) -> None:
    for stretch in without_stop_words(run):
        pairs = [first + second for first, second in pairwise(stretch)]
        for index, character in enumerate(stretch):
            around = tuple(pairs[max(index - 1, 0) : index + 1])
            terms += (character, *pairs[index : index + 1])
            if around:
                evidence.append(Evidence(around, around, (), None))
            else:
                evidence.append(Evidence((character,), (character,), (), None))
