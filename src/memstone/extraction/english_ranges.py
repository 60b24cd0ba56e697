"""Whether an English value is of the kind that its attribute has (`ranges`).

Proper names are told from what is said about a thing by their capitals, in a sentence whose writer
uses capitals; in one without any, a short value passes unless it is a word of state ("down",
"closed", "friendly") or has the form of one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memstone.extraction.asserted import has_moment
from memstone.extraction.ranges import Range, has_shape, range_of
from memstone.extraction.small_talk import content
from memstone.extraction.vocabulary import words

_STATES = words(
    """
    down up on off out away back open closed shut full empty busy free late early ready slow
    fast broken fixed sick ill alive dead offline online unavailable available unreachable
    gone lost stuck mad angry tired strict quiet loud dirty clean tight loose short long high
    low huge tiny expensive cheap public private secret difficult common rare unusual simple
    complicated spelt spelled written known held taken run built sold kept left found hidden
    set made put tomorrow tonight today yesterday later maybe when anytime asap crazy names
    irrelevant important different similar same wrong correct right here there home abroad
    red green yellow pregnant retired unemployed single married divorced engaged mine
    yours ours theirs his hers
    foreign local remote vegan vegetarian true false unknown unclear undecided pending
    optional overdue old new young big small large green-fingered pronounced misspelt
    """
)
_STATE_FORM = re.compile(
    r"\w{2,}(?:ing|ed|able|ible|ful|less|ous|ive|ish|ly|est)\Z|un\w+(?:ed|n)\Z", re.IGNORECASE
)
_WHEN = re.compile(r"\A(?:(?:on|at|in|by|from|until|around|about|for) )+", re.IGNORECASE)
_MOMENTS = words(
    """
    every each next this last first other mid end the early late today tomorrow tonight morning
    evening weekend noon day
    """
)
_ABOUT = re.compile(  # what opens a remark about a thing, and no value
    r"(?:not|no longer|never|still|so|too|very|really|quite|rather|pretty|almost|mostly|nearly"
    r"|being|getting|going|coming|becoming|under|out of|about|like|just|a bit|a little|a lot|kind"
    r" of|sort of|due|back|to|with|without|of|more|less|as|also|always|often|only|even|hard|easy"
    r"|one of|part of|full of|made of|in charge|up to|based on|because|if|when|where|what|how|why"
    r"|the (?:best|worst|same|only|one|problem|reason|most|least|first|last|next))\b",
    re.IGNORECASE,
)
_LOCATED = re.compile(
    r"\b(?:in|at|on|near|above|behind|opposite|to|by|from|with|for|inside|outside)"
    r"(?: (?:the|a|an))? \Z"
)
_AMOUNT = re.compile(r"\d|\b(?:none|unlimited|free|zero|half|nothing)\b", re.IGNORECASE)
_COMPARED = re.compile(
    r"\b(?:more|less|higher|lower|better|worse|faster|slower|cheaper|times|than)\b", re.IGNORECASE
)
_TEAM = re.compile(
    r"(?:the|our) [\w -]{2,30}\b(?:team|group|guild|squad|department|crew)\Z", re.IGNORECASE
)
_TITLE = re.compile(
    r"(?:(?:dr|mr|mrs|ms|prof|professor|doctor|sir|aunt|uncle)\b\.? ?)+", re.IGNORECASE
)
_DEMONYM = re.compile(
    r"(?:[A-Z]\w+(?:ese|ish)|American|African|Asian|Australian|Austrian|Belgian|Brazilian|Canadian"
    r"|Catholic|Christian(?!\s)|Colombian|Cuban|Czech|Dutch|Egyptian|European|French|German|Greek"
    r"|Hungarian|Indian|Indonesian|Iranian|Iraqi|Israeli|Italian|Jewish|Kenyan|Korean|Mexican"
    r"|Moroccan|Muslim|Nigerian|Norwegian|Pakistani|Peruvian|Romanian|Russian|Scottish|Serbian"
    r"|Swiss|Thai|Tunisian|Ukrainian|Vegan|Vegetarian|Welsh)\Z"
)
_IDENTIFIER = re.compile(r"[\w.+#/@:-]*[\d._/+#@:-][\w.+#/@:-]*")
_MODEL = re.compile(r"[\w.+#-]+(?: v?\d[\w.]*)?")  # "postgres 16", "vim"
_NUMBERED = re.compile(
    r"(?:room|desk|floor|gate|seat|line|platform)? ?[A-Za-z]?-?\d[\w.-]*\Z", re.IGNORECASE
)
_FLOOR = re.compile(r"\b(?:floor|storey|level)\b", re.IGNORECASE)
_WORKPLACE = re.compile(
    r"(?:the|an?) [a-z][\w -]+\Z|(?:retired|unemployed|out of work|between jobs)\Z"
)
LONGEST_NAME, MOST_QUALITY = 6, 4  # words
_TAIL = re.compile(
    r"(?:near|at|in|on|to|by|with|what|that|me|us|everybody|who|never|always)\Z", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Form:
    """How a value stands in its sentence: what precedes it, and whether the writer has no capitals
    ("i'm in berlin").
    """

    before: str = ""
    careless: bool = False

    @property
    def located(self) -> bool:
        """Whether a preposition of place leads to the value."""
        return _LOCATED.search(self.before) is not None


def form_of(value: str, sentence: str) -> Form:
    """How a value stands in a sentence.

    >>> form_of("Berlin", "Our office is in Berlin").located
    True
    """
    at = max(sentence.find(value), 0)
    careless = re.search(r"[A-Z]", re.sub(r"\bI\b", "", sentence)) is None
    return Form(sentence[:at], careless)


def fits(attribute: str, subject: str, value: str, form: Form) -> bool:
    """Whether a value lies in the range of the attribute of that subject.

    >>> fits("server", "it", "down", Form()), fits("server", "it", "db-7", Form())
    (False, True)
    """
    kind = range_of(attribute, subject)
    if kind is None:
        return True
    if _ABOUT.match(value) or not has_shape(attribute, value):
        return False
    if attribute == "employer":
        works = re.search(r"\b(?:at|for|by|is|am|are)(?: now)? \Z", form.before) is not None
        if _WORKPLACE.match(value):
            return works and "employer" not in form.before
        return _is_name(value, form)
    return _TESTS[kind](value, form)


def _is_number(value: str, _: Form) -> bool:
    return _AMOUNT.search(value) is not None and _COMPARED.search(value) is None


def _is_moment(value: str, _: Form) -> bool:
    first = _WHEN.sub("", value).split(maxsplit=1)[0]
    if first.islower() and is_state(first) and first not in _MOMENTS:
        return False
    return has_moment(value) or re.search(r"\d", value) is not None


def _is_person(value: str, form: Form) -> bool:
    if form.located and not form.before.rstrip().endswith((" to", " by")):
        return False
    if _TEAM.match(value):
        return True
    titled = _TITLE.match(value)
    if titled and titled.end() < len(value):
        return True
    return not re.match(r"\d", value) and _is_proper(value, form) and not has_moment(value)


def _is_place(value: str, form: Form) -> bool:
    if _FLOOR.search(value) or _NUMBERED.match(value) or _IDENTIFIER.fullmatch(value):
        return True
    inner = re.search(r"\b(?:in|near|at) (?:the )?([A-Z][\w' -]+)", value)
    if re.match(r"(?:an?|our|my|the) [a-z]", value):
        return inner is not None
    if has_moment(value):
        return False
    return _is_proper(value, form) and (form.located or not form.careless)


def _is_name(value: str, form: Form) -> bool:
    if form.located and not form.before.rstrip().endswith((" to", " for", " by", " at")):
        return False
    if _IDENTIFIER.fullmatch(value):
        return True
    if _MODEL.fullmatch(value) and value[0].islower():
        return not is_state(value)
    return not re.match(r"\d+ [a-z]", value) and _is_proper(value, form)


def _is_word(value: str, form: Form) -> bool:
    """A quality in a word or three: no remark, nothing with a place or an article of its own."""
    said = value.split()
    remark = re.match(r"(?:an?|my|our|his|her|their|\w+ing) ", value) or form.located
    if len(said) > MOST_QUALITY or remark or any(map(_TAIL.match, said)):
        return False
    return not is_state(said[0]) and _DEMONYM.match(value) is None


def _is_proper(value: str, form: Form) -> bool:
    """Whether it may be a proper name."""
    name = re.sub(r"\A(?:the|our|my) |\Aan? (?=[A-Z\d])", "", value, flags=re.IGNORECASE)
    if not name or len(name.split()) > LONGEST_NAME or _DEMONYM.match(name):
        return False
    if name[0].isupper() or name[0].isdigit():
        return True
    short = len(name.split()) <= 3 and not re.match(r"(?:an?|the|my|our) ", name)
    return form.careless and short and not any(is_state(word) for word in name.split())


def is_state(word: str) -> bool:
    """Whether a word in lower case says how something is.

    >>> is_state("down"), is_state("crashing"), is_state("postgres")
    (True, True, False)
    """
    if not word.islower():
        return False
    return word in _STATES or _STATE_FORM.match(word) is not None or not content(word)


_TESTS = {
    Range.NUMBER: _is_number,
    Range.MOMENT: _is_moment,
    Range.PERSON: _is_person,
    Range.PLACE: _is_place,
    Range.NAME: _is_name,
    Range.WORD: _is_word,
}
