"""Which sentence of a card is the goal, the conclusion or what comes next.

A label claims more than a sentence does, so it is given only where the words bear it: a goal is
asked for, a conclusion is decided or found out, a next step is somebody's of those who talk. A
date, a visit or a taste is a fact, whatever verb it uses.
"""

from __future__ import annotations

import re

from memstone.extraction.cues import Cue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memstone.extraction.salience import Statement

_REQUEST = re.compile(
    r"\b(?:(?:can|could|would|will) you|please|help me|show me|explain|tell me|i'?m (?:looking for"
    r"|trying to)|i(?:'d| would) like|i (?:want|need)(?! to (?:renew|call|pay|send|pick|buy|get))"
    r"|we (?:want|need)|how (?:do|can|should)|what(?:'s| is) the best)\b"
    r"|\A(?:write|draft|make|create|find|plan|compare|recommend|suggest|list|summari[sz]e|translate"
    r"|fix|debug|design|build|give|check|review|calculate|convert|generate|prepare)\b"
    r"|帮(?:我|忙|我们)|请(?!假)|麻烦|能不能|可不可以|我(?:们)?(?:想|要|需要|打算)(?:知道|找|做"
    r"|写|买|选|了解|问|一[个台份])|推荐|写一|做一|给我",
    re.IGNORECASE,
)
_FOUND = re.compile(
    r"\b(?:turn(?:s|ed) out|root cause|the (?:problem|issue|cause|culprit|fix|trick|solution|bug"
    r"|reason|answer|catch) (?:is|was|turned)|fix(?:ed|es) (?:by|it|the)|caused by|solved"
    r"|workaround"
    r"|works? (?:if|when|once|only|now)|only works?|fails? (?:if|when|because|with|on)|due to)\b"
    r"|\b\w+ing (?:the |it |\w+ )*(?:fixed|solved|helped|did the trick)\b"
    r"|原来是?|原因(?:是|在)|问题(?:是|出在|在于)|根因|罪魁|查(?:出|到|明)|解决(?:了|办法|方案)"
    r"|修(?:好|复)|导致|引起|重启\S{0,6}就|加上\S{1,12}就",
    re.IGNORECASE,
)
_SWITCHED = re.compile(
    r"\b(?:we|they|the \w+(?: \w+)?)(?:'ve| have| has| was| is| got)? ?(?:been )?(?:switched"
    r"|migrated"
    r"|changed|renamed|replaced|upgraded|rescheduled|postponed|pushed|shifted|slips?|slipped)\b"
    r"|\b(?:the|our) [\w -]{2,30}? (?:was |is |has been |got )?moved to\b|\bwe moved the\b"
    r"|(?:改|换|推|延|提前|移|切|迁)(?:成|到|为|用|至|换到)",
    re.IGNORECASE,
)
_OURS = re.compile(
    r"\b(?:i|i'm|i'll|i'd|we|we're|we'll|we'd|let's|let us)\b"
    r"|\A(?:gonna|going|planning|will|want|hoping|looking|thinking|plan|need|must|remember"
    r"|don'?t)\b"
    r"|[我咱]|\A(?:打算|准备|计划|想|要|考虑|得|记得|别忘|下一步|接下来|待办)",
    re.IGNORECASE,
)


def is_goal(one: Statement) -> bool:
    """Whether a sentence asks for something."""
    return one.asks or (
        one.cue not in {Cue.DECISION, Cue.APPOINTMENT, Cue.IDENTITY, Cue.PREFERENCE, Cue.CAUSE}
        and _REQUEST.search(one.text.replace("’", "'")) is not None
    )


def is_conclusion(one: Statement) -> bool:
    """Whether a sentence tells what was decided, changed on purpose or found out."""
    if one.cue is Cue.CHANGE:
        return _SWITCHED.search(one.text) is not None
    found = one.cue is Cue.CAUSE and _FOUND.search(one.text) is not None
    return one.cue is Cue.DECISION or found


def is_next(one: Statement) -> bool:
    """Whether a sentence tells what one of those who talk is to do or will do."""
    ours = _OURS.search(one.text.replace("’", "'")) is not None
    return one.cue is Cue.TASK or (one.cue is Cue.PLAN and ours)
