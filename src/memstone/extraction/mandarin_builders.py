"""What a pattern of `mandarin_patterns` found, as an assertion: each function reads one match."""

from __future__ import annotations

import re

from memstone.extraction import mandarin_words as words
from memstone.extraction.asserted import Asserted, has_moment
from memstone.extraction.mandarin_ranges import fits, is_place
from memstone.extraction.ranges import OWNED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Reader = Callable[[re.Match[str]], Asserted | None]


def _value(text: str) -> str:
    before = None
    while before != text:
        before, text = text, words.TAIL.sub("", text.strip())
    return text.strip(" “”\"'《》「」：:")


def _is_whole(text: str) -> bool:
    """Whether nothing but the value stood there: no other clause with words of its own."""
    return not re.search(r"[，,；;]\s*\S{3,}", text)


def answers(match: re.Match[str]) -> Asserted:
    return Asserted("answer language", match["how"])


def done_by(match: re.Match[str]) -> Asserted:
    return Asserted(
        "owner", _value(match["value"]), subject=match["thing"], whole=_is_whole(match[0])
    )


def favourite(match: re.Match[str]) -> Asserted:
    groups = match.groupdict()
    value = _value(groups["value"]) if groups.get("value") else "它"
    return Asserted(
        "favourite", value, subject=groups.get("who") or "", object_=groups.get("thing") or ""
    )


def gave_up(match: re.Match[str]) -> Asserted | None:
    thing = re.sub(r"\A(?:吃|喝|看|听|玩|抽|用)", "", _value(match["thing"]))
    if not thing or len(thing) > 14:
        return None
    return Asserted("opinion", "no", object_=thing, literal=True)


def length(match: re.Match[str]) -> Asserted:
    short = re.search(r"简短|简洁|精简|简单|短|别太(?:长|详细|啰嗦)", match["how"])
    return Asserted("answer length", "short" if short else "long", literal=True)


def limit(match: re.Match[str]) -> Asserted:
    return Asserted("limit", _value(match["value"]), subject=re.sub(r"的\Z", "", match["thing"]))


def located(match: re.Match[str]) -> Asserted:
    return Asserted("office", _value(match["value"]), subject=match["thing"])


def named(match: re.Match[str]) -> Asserted | None:
    thing = re.sub(r"的\Z", "", match["thing"])
    return (
        None if thing in words.NO_THING else Asserted("name", _value(match["value"]), subject=thing)
    )


def opinion(match: re.Match[str]) -> Asserted | None:
    thing = _value(match["thing"])
    thing = re.sub(r"\A(?:上|上了)?(?:吃|喝|看|听|玩|用|去|做)(?!步)", "", thing)
    thing = re.sub(r"\A上(?=\S{2})", "", thing)
    thing = re.sub(r"(?:这(?:种|个|些|类)|那(?:种|个|些|类))(?:东西)?\Z", "", thing)
    if not thing or len(thing) > 14 or thing[0] in "你您这那":
        return None
    negative = bool(match["not"]) or match["verb"] in words.DISLIKES
    return Asserted(
        "opinion",
        "no" if negative else "yes",
        subject=match.groupdict().get("who") or "",
        object_=thing,
        literal=True,
        whole=_is_whole(match["thing"]),
    )


def allergy(match: re.Match[str]) -> Asserted:
    return Asserted(
        "allergy", "no" if match["not"] else "yes", object_=match["thing"], literal=True
    )


def one_of_two(match: re.Match[str]) -> Asserted | None:
    """As in 仓库是私有的: of two opposites a thing is the one or the other."""
    thing = re.sub(r"(?:的|在|正在)\Z", "", match["thing"])
    if thing in words.NO_THING or "不" in thing:
        return None
    return Asserted(words.OPPOSITES[match["value"]], match["value"], subject=thing, literal=True)


def copula(match: re.Match[str]) -> Asserted | None:
    """As in 默认是深色模式: whatever a thing is, it may have been another before."""
    value = _value(match["value"])
    thing = re.sub(r"\A(?:新任|现任|新的?|现在的?|目前的?)", "", match["thing"])
    described = match["value"].endswith("的")  # 是博士毕业的: what it is like, not what it is
    if not thing or not value or described or not fits("codename", thing, value):
        return None
    return Asserted("is", value, subject=f"{match['own'] or ''}{thing}", soft=True)


def placed(match: re.Match[str]) -> Asserted | None:
    """As in 车位在B2: where a thing is, it may have been elsewhere before."""
    value = _value(match["value"])
    if not is_place(value) or has_moment(value):
        return None
    thing = re.sub(r"(?:现在|已经)\Z", "", match["thing"])
    return Asserted("is", value, subject=thing, soft=True)


def coded_in(match: re.Match[str]) -> Asserted:
    return Asserted("coded in", match["value"].strip(), subject=match["thing"])


def due(match: re.Match[str]) -> Asserted:
    return Asserted("deadline", _value(match["value"]), subject=match["thing"])


def toned(match: re.Match[str]) -> Asserted:
    return Asserted("answer tone", match["how"])


def prefer(match: re.Match[str]) -> Asserted | None:
    groups = match.groupdict()
    first, other = _value(groups["value"]), groups.get("other")
    if other:
        return Asserted("prefer", first, object_=" or ".join(sorted([first, _value(other)])))
    several = re.match(r"(.+)的(\S{1,6})\Z", first)
    return Asserted("prefer", several[1], object_=several[2]) if several else None


def has_property(match: re.Match[str]) -> Asserted | None:
    thing = (match["thing"] or "").strip()
    thing = re.sub(r"\A(?:这次|这个|本次|新的?|现在|目前|如今)+|(?:的|现在|目前)+\Z", "", thing)
    value = _value(match["value"])
    if not value or len(value) > 40:
        return None
    own = match["own"] or ""
    attribute = words.SINGLE[match["attribute"]]
    subject = f"{own}{thing}" if thing and own else thing
    spoken = own or (attribute in OWNED and "是" in match[0])  # one's own needs no 我的
    return Asserted(
        attribute,
        value,
        subject=subject or ("" if spoken else "it"),
        whole=_is_whole(match["value"]),
    )


def simple(attribute: str) -> Reader:
    def build(match: re.Match[str]) -> Asserted | None:
        groups = match.groupdict()
        old = groups.get("old")
        value = _value(groups["value"])
        if not value or len(value) > 30:
            return None
        return Asserted(
            attribute,
            value,
            subject=groups.get("who") or "",
            replaces=_value(old) if old else None,
            whole=_is_whole(groups["value"]),
        )

    return build


def soft_property(match: re.Match[str]) -> Asserted | None:
    """As in "X 的 Y 是 V": whatever Y is, it may have been another before."""
    value = _value(match["value"])
    if not value or len(value) > 24:
        return None
    own, thing = match["own"] or "", match["thing"] or ""
    subject = f"{own}{thing}" if thing else ""
    return Asserted(
        match["attribute"], value, subject=subject, soft=True, whole=_is_whole(match["value"])
    )


def typed(match: re.Match[str]) -> Asserted | None:
    value = match["value"]
    dated = re.match(words.MOMENT, value)
    thing = re.sub(
        r"\A(?:这次|这个|本次|我们?的?|咱们?的?|新的?)|(?:的|现在?|目前)+\Z", "", match["thing"]
    )
    if not thing or len(thing) > 16:
        return None
    return Asserted("when" if dated else "number", _value(value), subject=thing)


def use(match: re.Match[str]) -> Asserted | None:
    groups = match.groupdict()
    old, purpose = groups.get("old"), groups.get("purpose") or groups.get("late")
    value = _value(groups["value"])
    if not value or len(value) > 30:
        return None
    purpose = re.sub(rf"\A{words.SELF}|\A(?:的|团队)|(?:已经|现在|已|的)+\Z", "", purpose or "")
    return Asserted("use", value, object_=_value(purpose), replaces=_value(old) if old else None)


def written_in(match: re.Match[str]) -> Asserted:
    return Asserted("written in", match["how"], subject=match["thing"])


def job(match: re.Match[str]) -> Asserted | None:
    value = _value(match["value"])
    return (
        Asserted("job title", value, subject=match.groupdict().get("who") or "")
        if words.JOB.search(value)
        else None
    )
