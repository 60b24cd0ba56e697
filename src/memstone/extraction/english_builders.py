"""What a pattern of `english_patterns` found, as an assertion: each function reads one match.

A value ends where the next clause begins, and what says only when ("since May", "now") is no part
of it. A function returns None where the words do not mean what the pattern looks for.
"""

from __future__ import annotations

import re
from dataclasses import replace

from memstone.extraction import english_words as words
from memstone.extraction.asserted import Asserted, has_moment
from memstone.extraction.english_ranges import fits, form_of
from memstone.extraction.ranges import OWNED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Reader = Callable[[re.Match[str]], Asserted | None]

_CLAUSE_END = re.compile(
    r"\s*(?:[,;!—–(]|\s-\s|\.(?=\s|\Z)"
    r"|\b(?:and|but|because|since|so|which|who|where|when|while|although|though|instead of"
    r"|rather than|not|no longer)\b).*\Z",
    re.IGNORECASE | re.DOTALL,
)
_PLACED = re.compile(r"(?:in|at) (?:the )?[A-Z]")
_ELSEWHERE = frozenset({"server", "host", "gym", "bank", "school", "employer", "supplier"})
_PRODUCT = re.compile(
    r"\b(?:database|framework|editor|version|branch|plan|api|build)\Z", re.IGNORECASE
)
NOBODY = "it"  # "the budget": nobody says whose
_LATER = re.compile(words.TIME_TAIL, re.IGNORECASE)


def _value(text: str) -> str:
    """A value without what follows it in the sentence."""
    text = _CLAUSE_END.sub("", text)
    before = None
    while before != text:
        before, text = text, _LATER.sub("", text).strip(" \"'“”.,!:")
    return re.sub(r"\A(?:at|on|in|to|by|for|set to|around|about) (?=[\d$€£A-Z])", "", text)


def simple(attribute: str) -> Reader:
    def build(match: re.Match[str]) -> Asserted | None:
        groups = match.groupdict()
        value = _value(groups["value"])
        rest = groups["value"][len(value) :]
        return Asserted(
            attribute,
            value,
            subject=groups.get("who") or "",
            replaces=_value(groups["old"]) if groups.get("old") else None,
            whole=not re.search(r"\b(?:and|but)\b|;", rest),
        )

    return build


def residence(match: re.Match[str]) -> Asserted | None:
    """Where somebody moved; what "we moved to Postgres" names is no place to live."""
    value = _value(match["value"])
    if not re.match(r"(?:the )?[A-Z]|(?:a|an) ", value) or re.match(
        r"an? (?:new )?(?:job|role|team|position|plan|system|tool)", value
    ):
        return None
    who = match.groupdict().get("who") or ""
    if re.match(r"(?:our|the) ", who, re.IGNORECASE):
        return None  # "our office moved to Munich"
    if who.lower() in words.COLLECTIVE or re.match(r"we\b", match[0], re.IGNORECASE):
        at_home = words.AT_HOME.search(match.string) or (
            who and who.lower() not in words.COLLECTIVE
        )
        return simple("residence")(match) if at_home else None
    return simple("residence")(match)


def employer(match: re.Match[str]) -> Asserted | None:
    value = re.sub(r" (?:as|in|on) .+\Z", "", _value(match["value"]))
    if not value or re.match(r"(?:home|night|weekends?|the (?:moment|office))\b", value):
        return None
    return Asserted("employer", value, subject=match.groupdict().get("who") or "")


def opinion(match: re.Match[str]) -> Asserted | None:
    groups = match.groupdict()
    verb = (groups.get("verb") or "").lower()
    negative = bool(groups.get("not")) != (verb in words.DISLIKES)
    thing = _value(match["thing"])
    thing = re.sub(r"\A(?:to )?(?:eat|eating|drink|drinking|having|have)\s+", "", thing)
    if not thing or len(thing.split()) > 6 or words.NO_THING.match(thing):
        return None
    rest = match["thing"][len(thing) :]
    return Asserted(
        "opinion",
        "no" if negative else "yes",
        subject=groups.get("who") or "",
        object_=thing,
        literal=True,
        whole=not re.search(r"\b(?:and|but|because)\b|;", rest),
    )


def trait(match: re.Match[str]) -> Asserted:
    """As in "I'm not vegetarian any more": something one is or is not."""
    groups = match.groupdict()
    return Asserted(
        "being",
        "no" if groups.get("not") else "yes",
        subject=groups.get("who") or "",
        object_=match["thing"].lower(),
        literal=True,
    )


def stopped(match: re.Match[str]) -> Asserted | None:
    thing = _value(match["thing"])
    return Asserted(
        "opinion", "no", subject=match.groupdict().get("who") or "", object_=thing, literal=True
    )


def kept_to(match: re.Match[str]) -> Asserted | None:
    """As in "I drive a Golf": what one has one of at a time, as a rule."""
    value = _value(match["value"])
    fitting = re.match(r"[A-Z0-9]", value) and not has_moment(value) and len(value.split()) <= 5
    if not fitting:
        return None
    verb = re.sub(r"s\b", "", match["verb"].lower())
    return Asserted(verb, value, subject=match.groupdict().get("who") or "", soft=True)


def favourite(match: re.Match[str]) -> Asserted:
    groups = match.groupdict()
    return Asserted(
        "favourite",
        _value(groups.get("value") or "it"),
        subject=groups.get("who") or "",
        object_=_value(groups.get("thing") or ""),
    )


def use(match: re.Match[str]) -> Asserted | None:
    groups = match.groupdict()
    purpose = groups.get("purpose") or groups.get("late") or ""
    who = groups.get("who") or ""
    if who.lower() in words.COLLECTIVE:
        who = ""
    moved = re.match(r"(?:the|our) ", who, re.IGNORECASE) and " moved to " in f"{match[0]} "
    if moved or words.SINGLE_AT_END.search(who) or has_moment(groups["value"]):
        return None  # "my address changed to …", "the launch moved to 1 July"
    return Asserted(
        "use",
        _value(groups["value"]),
        subject=who,
        object_=_value(purpose),
        replaces=_value(groups["old"]) if groups.get("old") else None,
    )


def prefer(match: re.Match[str]) -> Asserted | None:
    groups = match.groupdict()
    value, other = _value(match["value"]), groups.get("other")
    who = groups.get("who") or ""
    if other:
        pair = sorted([value.lower(), _value(other).lower()])
        return Asserted("prefer", value, subject=who, object_=" or ".join(pair))
    purpose = re.search(r" (?:for|when|in) (.+)\Z", value)
    if purpose:
        return Asserted("prefer", value[: purpose.start()], subject=who, object_=purpose[1])
    several = value.split()
    if not 2 <= len(several) <= 6:
        return None
    return Asserted("prefer", value, subject=who, object_=several[-1])


def answers(match: re.Match[str]) -> Asserted | None:
    how = match["how"].lower()
    for attribute, known in words.ANSWERS.items():
        for word in known:
            if re.search(rf"\b{word}", how):
                return Asserted(attribute, word)
    return None


def job(match: re.Match[str]) -> Asserted | None:
    value = _value(match["value"])
    return (
        Asserted("job title", value, subject=match.groupdict().get("who") or "")
        if words.JOB.search(re.split(r"\b(?:of|at|on|for|in)\b", value)[0])
        else None
    )


def role_of(match: re.Match[str]) -> Asserted | None:
    """As in "Hana is the product owner of the app": the role is the attribute, she is the value."""
    role = match["role"].lower()
    if not words.JOB.search(role) and role.split()[-1] not in words.ROLES:
        return None
    return Asserted(role, match["person"], subject=_value(match["of"]))


def done_by(match: re.Match[str]) -> Asserted:
    return Asserted("owner", _value(match["value"]), subject=match["thing"])


def meets(match: re.Match[str]) -> Asserted | None:
    """As in "I have therapy on Tuesdays": what takes place regularly."""
    value = _value(match["value"])
    if not has_moment(value):
        return None
    return Asserted("when", value, subject=match["thing"], soft=True)


def allergy(match: re.Match[str]) -> Asserted:
    return Asserted(
        "allergy",
        "no" if match["not"] else "yes",
        subject=match.groupdict().get("who") or "",
        object_=_value(match["thing"]),
        literal=True,
    )


def one_of_two(match: re.Match[str]) -> Asserted | None:
    """As in "The repo is private": of two opposites a thing is the one or the other."""
    value, thing = match["value"].strip().lower(), match["thing"]
    if value not in words.OPPOSITES or words.NO_THING.match(thing):
        return None
    if words.NOBODY_NAMED.match(thing):
        return None
    return Asserted(words.OPPOSITES[value], value, subject=thing, literal=True)


def spending(match: re.Match[str]) -> Asserted:
    return Asserted("spending limit", _value(match["value"]), subject=_value(match["of"]))


def dropped(match: re.Match[str]) -> Asserted | None:
    """As in "I stopped using Evernote": what says that it is used becomes history."""
    old = _value(match["old"])
    if not re.match(r"[A-Z]|\w*[\d.]", old):
        return None
    who = match.groupdict().get("who") or ""
    return Asserted("use", f"no {old}", subject=who, object_=f"no {old}", replaces=old)


def written_in(match: re.Match[str]) -> Asserted | None:
    value = _value(match["value"])
    named_so = re.match(r"[A-Z]", value) and not has_moment(value)
    thing = re.sub(r"\A(?:the|our|my) ", "", match["thing"], flags=re.IGNORECASE)
    return Asserted("written in", value, subject=thing) if named_so else None


def house_style(match: re.Match[str]) -> Asserted:
    return Asserted(match["thing"].lower(), match["value"])


def named(match: re.Match[str]) -> Asserted:
    return Asserted("name", _value(match["value"]), subject=match["thing"])


def due(match: re.Match[str]) -> Asserted:
    return Asserted("deadline", _value(match["value"]), subject=match["thing"])


def styled(match: re.Match[str]) -> Asserted:
    return Asserted(
        f"{match['verb'].lower()} {match['link'].lower()}",
        _value(match["value"]),
        subject=match["thing"],
        soft=True,
    )


def thing_is(match: re.Match[str]) -> Asserted | None:
    """As in "The API port is 9090", "Status of the rewrite: done", "we raised the limit to 9"."""
    value = _value(match["value"])
    thing = words.OUR_OWN.sub("my ", match["thing"].strip())
    by = match.groupdict().get("by")
    if by and by.lower() not in words.PRONOUNS and re.match(r"my \w+\Z", thing):
        thing = f"my {by} {thing[3:]}"  # "the dentist moved my appointment"
    thing = re.sub(r"\A(?:our|the|new|current|a|an) ", "", thing, flags=re.IGNORECASE)
    joined = re.search(r"\b(?:and|but|so|has|have|that|which|if)\b", thing, re.IGNORECASE)
    nobody = words.NO_THING.match(thing) or words.NOBODY_NAMED.match(thing)
    if not value or joined or nobody or len(value.split()) > 9:
        return None
    own = re.match(r"(?:my|our)\b", thing, re.IGNORECASE)
    bare = thing[own.end() :].strip() if own else thing
    bare = re.sub(r"\A(?:new|current|latest|updated) ", "", bare, flags=re.IGNORECASE)
    head, _, owner = _parted(bare)
    value, owner = _qualified(value, owner)
    whole = not re.search(r"\b(?:and|but)\b|;", match["value"][len(value) :])
    single = words.SINGLE_AT_END.search(head)
    found = None
    if single is not None:
        about = " ".join(part for part in (head[: single.start()].strip(), owner) if part)
        found = _one_at_a_time(single[0].lower(), about or ("" if own else NOBODY), value, match)
    if found is None:
        found = _by_kind(bare, head, owner, value, match, single=single is not None)
    return None if found is None else replace(found, whole=whole)


def _one_at_a_time(
    attribute: str, subject: str, value: str, match: re.Match[str]
) -> Asserted | None:
    """The value of an attribute that has one, if it is such a value."""
    name = words.SYNONYMS.get(attribute, attribute)
    moved = name in _ELSEWHERE and "moved to" in match[0]
    unknown = subject == NOBODY and name in OWNED
    if moved or unknown or not fits(name, subject, value, form_of(value, match[0])):
        return None
    return Asserted(name, value, subject=subject)


def _by_kind(
    bare: str, head: str, owner: str, value: str, match: re.Match[str], *, single: bool
) -> Asserted | None:
    """What else may be said of a thing: where it is, when, how many."""
    placed = _PLACED.match(match["value"]) or (
        re.search(r"\bmoved (?:back )?to\b", match[0]) and not _PRODUCT.search(bare)
    )
    if placed and value[:1].isupper() and not has_moment(value):
        return Asserted("location", value, subject=bare, soft=True)
    kind = "when" if re.match(r"at \d{1,2}\b(?!\d)", match["value"]) else _kind(value)
    if kind is None or (single and kind == "called"):
        return None
    if owner:
        return Asserted(head.lower(), value, subject=owner, soft=True)
    return Asserted(kind, value, subject=bare, soft=kind == "called") if len(bare) > 2 else None


def happens(match: re.Match[str]) -> Asserted | None:
    """As in "The workshop starts at 13:00": the verb tells which time is meant."""
    value, verb = _value(match["value"]), match["verb"].lower()
    attribute = words.MOMENTS.get(verb, "when")
    thing = re.sub(r"\A(?:my|our|the) ", "", match["thing"], flags=re.IGNORECASE)
    if _kind(value) in {None, "called"} or words.NO_THING.match(thing):
        return None
    return Asserted(attribute, value, subject=thing)


def _parted(thing: str) -> tuple[str, str, str]:
    """As in "rate limit on the API" as (rate limit, on, API); "Ana's port" as (port, 's, Ana)."""
    match = re.match(
        r"(.+?) (of|for|on|in|per) (?:the |my |our |an? )?(.+)\Z", thing, re.IGNORECASE
    )
    if match:
        return match[1], match[2], match[3]
    match = re.match(r"(.+?)'s? (.+)\Z", thing)
    return (match[2], "'s", match[1]) if match else (thing, "", "")


def _qualified(value: str, owner: str) -> tuple[str, str]:
    """A number without where it holds: "30 seconds in production" is about production."""
    match = re.match(
        r"([$€£¥]?\d\S*(?: [a-z]+)?) (?:in|for|on) (?:the |our )?([a-z][\w -]+)\Z", value
    )
    if match is None or words.DATE.match(match[2]):
        return value, owner
    return match[1], f"{owner} {match[2]}".strip()


def _kind(value: str) -> str | None:
    """What sort of value it is (a date or time, a number, a name), so that like meets like."""
    if words.DATE.match(value):
        return "when"
    if re.match(r"(?:at )?\d{1,2}(?::\d\d| ?[ap]m\b)", value, re.IGNORECASE):
        return "when"
    if re.match(r"[$€£¥]?\d", value):
        return "number"
    if re.match(r"[A-Z][\w-]+(?: [A-Z][\w-]+)*\Z", value) or re.match(
        r"[#@]?[\w./-]*[\d_./-][\w./-]*\Z|[#@]\w+\Z", value
    ):
        return "called"
    return None
