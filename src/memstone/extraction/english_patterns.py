"""The patterns of the English assertions, special ones before general ones.

Each is matched from the beginning of a clause; the function beside it makes the assertion.
"""

from __future__ import annotations

import re

from memstone.extraction import english_builders as build

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memstone.extraction.english_builders import Reader

_A = (
    r"(?:(?:now|currently|actually|really|just|recently|still|officially|finally"
    r"|mostly|absolutely|truly|quite|also|always|simply|totally|already|since) )*"
)
_ME = (
    r"(?:i|we|(?P<who>(?:the )?user|my [a-z]+|the (?:team|project|company|client"
    r"|customer)|[A-Z][\w'-]+(?: [A-Z][\w'-]+)?))"
)
_HAVE = r"(?:'ve| have| has|'s)?"
_OWN = r"(?:my|our|(?P<who>the user|user|my [a-z]+|[A-Z][\w-]+)'s)"
_BE = (
    r"(?:is now|is|are now|are|'s now|'s|will be|=|:(?=\s)|(?:has|have) (?:been )?"
    r"(?:changed|moved|set|raised|lowered|increased"
    r"|reduced|updated|pushed|postponed|extended|bumped|cut|renamed|switched|delayed|shifted"
    r"|corrected) ?(?:back |up |down )?(?:to|:)"
    r"|(?:was|were|got|is|are) (?:changed|moved|set|raised|lowered|increased|reduced"
    r"|updated|pushed|postponed|extended"
    r"|bumped|cut|rescheduled|brought forward|renamed|switched|doubled) ?(?:back |up "
    r"|down |out )?to"
    r"|(?:just )?(?:changed|moved|went|rose|dropped|increased|slipped|jumped"
    r"|switched) (?:up |down |back )?to)"
)
_THING = r"(?P<thing>[\w'/.&+#-]+(?: [\w'/.&+#-]+){0,8}?)"
_TOOL = r"[\w'.+#/-]+(?: [\w'.+#/-]+){0,3}?"


def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


READERS: tuple[tuple[re.Pattern[str], Reader], ...] = (
    (
        _compile(
            rf"{_OWN} (?:full |legal |first |new |real )?name (?:{_BE}|has changed to"
            rf"|changed to) (?P<value>[\w' .-]{{2,60}})"
        ),
        build.simple("name"),
    ),
    (_compile(r"(?:please )?call me (?P<value>[\w'-]+(?: [A-Z][\w'-]+)?)"), build.simple("name")),
    (_compile(r"(?:i'm|i am) (?:now )?called (?P<value>[\w' -]{2,40})"), build.simple("name")),
    (_compile(r"i (?:now )?go by (?P<value>[\w' -]{2,40})"), build.simple("name")),
    (
        _compile(
            rf"{_ME}{_HAVE} {_A}(?:moved|relocated) (?:house |home |away )?(?:from "
            rf"(?P<old>[\w' ,.-]{{2,40}}?) )?(?:in )?to (?P<value>(?:the |a |an )?[\w' .-]+)"
        ),
        build.residence,
    ),
    (
        _compile(rf"{_ME} {_A}(?:live|lives|reside|resides) (?:in|at|on|near) (?P<value>.+)"),
        build.simple("residence"),
    ),
    (
        _compile(
            rf"(?:i'm|i am|we're|we are|(?P<who>(?:the )?user|[A-Z][\w'-]+) is) {_A}(?:based"
            rf"|living|settled) in (?P<value>.+)"
        ),
        build.simple("residence"),
    ),
    (_compile(rf"{_ME} {_A}(?:work|works) (?:at|for) (?P<value>.+)"), build.employer),
    (
        _compile(
            rf"(?:i'm|i am|(?P<who>(?:the )?user|[A-Z][\w'-]+) is) {_A}(?:working|employed) "
            rf"(?:at|for|by) (?P<value>.+)"
        ),
        build.employer,
    ),
    (
        _compile(
            rf"{_ME}{_HAVE} {_A}(?:joined|started (?:working )?at|switched jobs to"
            rf"|changed jobs to|moved over to) (?P<value>(?-i:[A-Z]).+)"
        ),
        build.employer,
    ),
    (
        _compile(
            rf"{_ME} {_A}(?P<verb>drives?|rides?|study at|studies at|attends?|banks? with"
            rf"|reports? to|sits? next to|teach(?:es)? at|plays? for|trains? at"
            rf"|subscribes? to|rents? from"
            rf"|runs? on|deploys? (?:on|to|with)|is hosted (?:on|at|with|by)|supports?)"
            rf" (?:an? |the |my )?(?P<value>.+)"
        ),
        build.kept_to,
    ),
    (
        _compile(
            rf"{_ME}(?:'s|'m|'re| is| am| are) {_A}(?P<value>retired|unemployed"
            rf"|out of work|between jobs)(?: now)?\Z"
        ),
        build.simple("employer"),
    ),
    (
        _compile(rf"{_ME} {_A}weighs? (?P<value>\d[\w .]*)"),
        build.simple("weight"),
    ),
    (
        _compile(
            r"(?:i|we|they) (?:have |just |recently |'ve )*(?:renamed|rebranded) (?:the |our |my )?"
            r"(?P<thing>[\w' -]{2,30}?) (?:from [\w' .-]+? )?(?:to|as|into) (?P<value>.+)"
        ),
        build.named,
    ),
    (
        _compile(
            r"(?P<value>(?-i:[A-Z])[\w'-]+(?: (?-i:[A-Z])[\w'-]+)?) (?:now )?"
            r"(?:handles|owns|manages|leads|maintains|looks after|is responsible for)"
            r" (?:the |our |my )?"
            r"(?P<thing>[\w' -]{3,30})"
        ),
        build.done_by,
    ),
    (
        _compile(
            rf"(?:i|we) {_A}have (?:my |our )?(?P<thing>(?!an? |the |to )[\w' -]{{3,30}}?) "
            r"(?:on|at|every) (?P<value>.+)"
        ),
        build.meets,
    ),
    (
        _compile(rf"{_ME}(?:'m|'s| am| is)(?P<not> not| no longer)? {_A}allergic to (?P<thing>.+)"),
        build.allergy,
    ),
    (
        _compile(
            rf"{_ME}{_HAVE} {_A}(?:stopped using|no longer uses?|quit using|gave up on)"
            r" "
            rf"(?P<old>{_TOOL})(?= and\b| for\b|,|\Z)(?P<value>)"
        ),
        build.dropped,
    ),
    (
        _compile(
            rf"{_THING} (?:is|are|was|has been|have been|got) {_A}(?:re)?"
            r"(?:written|built|implemented|coded) (?:in|with|on) (?P<value>.+)"
        ),
        build.written_in,
    ),
    (
        _compile(rf"{_ME}(?:'re|'m| are| am| is) {_A}staying (?:in|at|with) (?P<value>.+)"),
        build.simple("accommodation"),
    ),
    (
        _compile(
            r"(?:please )?(?:always |only )?use (?P<value>[\w' -]+?) (?P<thing>spelling|units"
            r"|notation|quotes|indentation|punctuation|naming)\b"
        ),
        build.house_style,
    ),
    (_compile(rf"{_ME} {_A}works? as (?:an? |the )?(?P<value>.+)"), build.simple("job title")),
    (
        _compile(
            r"(?P<person>(?-i:[A-Z])[\w'-]+(?: (?-i:[A-Z])[\w'-]+)?) (?:is (?:now )?the"
            r"|took over(?: from [\w' ]+?)? as(?: the)?|(?:has )?(?:replaced"
            r"|replaces) [\w' ]+? as(?: the)?|has been named(?: the)?) (?:new )?"
            r"(?P<role>[\w -]+?) (?:of|for|on) (?:the |our |my )?(?P<of>.+)"
        ),
        build.role_of,
    ),
    (
        _compile(
            r"(?:i'm|i am|(?P<who>(?:the )?user) is) (?:now )?(?:an?|the|our) (?:new )?"
            r"(?P<value>.+)"
        ),
        build.job,
    ),
    (
        _compile(
            rf"(?:i'm|i am|we're|we are|(?P<who>(?:the )?user|[A-Z][\w'-]+) is) {_A}"
            r"(?:happily |newly )?"
            r"(?P<value>single|married|divorced|engaged|widowed"
            r"|in a relationship|dating)(?: now| again)?\Z"
        ),
        build.simple("marital status"),
    ),
    (
        _compile(
            rf"(?:i'm|i am|(?P<who>(?:the )?user|[A-Z][\w'-]+) is)(?P<not> not| no longer)? {_A}"
            r"(?:an? )?(?P<thing>vegetarian|vegan|pescatarian|celiac|diabetic|a smoker|smoker"
            r"|left-handed|pregnant|unemployed|on call|on leave)(?: any ?more| now| these days)?\Z"
        ),
        build.trait,
    ),
    (
        _compile(r"(?:i'm|i am) (?:now |currently )?(?P<value>\d{1,3})(?: years? old)?\Z"),
        build.simple("age"),
    ),
    (
        _compile(
            rf"(?:{_OWN} |the )?(?:new |current |all-time )*favou?rite(?P<thing>"
            rf"(?: [\w'-]+){{0,4}}?)(?: these days| now| right now)? (?:these days )?(?:{_BE}"
            rf"|has become)\s*(?P<value>.+)"
        ),
        build.favourite,
    ),
    (
        _compile(
            rf"{_OWN} (?:new |current |all-time )*favou?rite(?P<thing>(?: [\w'-]+){{0,4}}?)"
            rf"(?: these days| now)?(?:{_BE}|has become)\s*(?P<value>.+)"
        ),
        build.favourite,
    ),
    (
        _compile(
            r"(?:it|that|this)(?:'s| is|'s become| has become| became) (?:now )?my (?:new "
            r"|current |all-time )*favou?rite(?P<thing>(?: [\w'-]+){1,4}?)(?: now)?\Z"
        ),
        build.favourite,
    ),
    (
        _compile(
            r"(?P<value>[\w' .-]{2,40}?) (?:is|has become|became) (?:now )?my (?:new |current "
            r"|all-time )*favou?rite(?P<thing>(?: [\w'-]+){1,4}?)(?: now)?\Z"
        ),
        build.favourite,
    ),
    (
        _compile(
            rf"{_ME}{_HAVE} (?:been )?{_A}(?:switched|moved|migrated|changed|transitioned)"
            rf"(?: over)?(?: (?P<purpose>(?:the |our |my )?[\w' -]{{2,30}}?))? from "
            rf"(?P<old>{_TOOL}) (?:over )?to (?P<value>{_TOOL})(?: for (?:the |our |my )?"
            rf"(?P<late>.+))?\Z"
        ),
        build.use,
    ),
    (
        _compile(
            rf"{_ME}{_HAVE} {_A}(?:replaced|swapped(?: out)?|dropped|ditched|traded) "
            rf"(?P<old>{_TOOL}) (?:with|for|in favou?r of) (?P<value>{_TOOL})(?: for (?:the "
            rf"|our |my )?(?P<late>[\w' -]+))?(?:,.*)?\Z"
        ),
        build.use,
    ),
    (
        _compile(
            rf"{_ME} {_A}(?:uses?|runs?|relies on|rely on|works? with|deploys? with) "
            rf"(?P<value>{_TOOL})(?: now)?(?: for (?P<purpose>[\w' -]+?))?,? (?:instead of"
            rf"|rather than|not|and no longer(?: uses?)?) (?P<old>{_TOOL})(?: any ?more| now)?"
            rf"(?: for (?P<late>.+))?\Z"
        ),
        build.use,
    ),
    (
        _compile(
            rf"{_ME}{_HAVE} {_A}(?:switched|moved|migrated|changed)(?: over)? to "
            rf"(?P<value>{_TOOL})(?: for (?:the |our |my )?(?P<purpose>[\w' -]+))?\Z"
        ),
        build.use,
    ),
    (
        _compile(
            rf"{_ME} {_A}(?:uses?|using|runs?) (?P<value>{_TOOL})(?: now)? (?:for|as) (?:our "
            rf"|my |the |its )?(?P<purpose>[\w' -]+)"
        ),
        build.use,
    ),
    (
        _compile(
            r"(?:please |you can |you may |feel free to )?(?:always |only )?"
            r"(?:answer|reply|respond|speak|talk|write back)"
            r"(?: to me)?(?: only)? (?P<how>.+)"
        ),
        build.answers,
    ),
    (
        _compile(
            r"(?:please )?(?:keep|make|give me)(?: me)? (?:your |all |the )?(?P<how>.*\b"
            r"(?:answers?|repl(?:y|ies)|responses?|explanations?)\b.*)"
        ),
        build.answers,
    ),
    (
        _compile(
            r"i (?:want|prefer|like) (?:your )?(?P<how>.*\b(?:answers|replies|responses)\b.*)"
        ),
        build.answers,
    ),
    (
        _compile(
            rf"{_ME} {_A}prefers? (?P<value>[\w' -]+?) (?:over|to|rather than|instead of) "
            rf"(?P<other>[\w' -]+)"
        ),
        build.prefer,
    ),
    (_compile(rf"{_ME} {_A}prefers? (?P<value>.+)"), build.prefer),
    (_compile(r"i'd rather (?:have |use |see |get |take )?(?P<value>.+)"), build.prefer),
    (
        _compile(
            rf"{_ME}(?: (?P<not>do not|don't|does not|doesn't|no longer|never))? {_A}"
            rf"(?P<verb>loves?|likes?|enjoys?|adores?|hates?|dislikes?|despises?|detests?"
            rf"|loathes?|can't (?:stand|eat|drink|have)|eats?|drinks?|avoids?|plays?) (?P<thing>.+)"
        ),
        build.opinion,
    ),
    (
        _compile(
            rf"(?:i'm|i am|i've become|(?P<who>(?:the )?user|[A-Z][\w'-]+) is)(?P<not> not"
            rf"| no longer)? {_A}(?:an? (?:big |huge )?)?(?P<verb>fan of|into|fond of|keen on) "
            rf"(?P<thing>.+)"
        ),
        build.opinion,
    ),
    (_compile(rf"(?:i'm|i am) {_A}(?:sick|tired) of (?P<thing>.+)"), build.stopped),
    (
        _compile(
            rf"{_ME}{_HAVE} {_A}(?:stopped (?:liking|eating|drinking|enjoying)|quit|gave up"
            rf"|given up|went off|gone off) (?P<thing>.+)"
        ),
        build.stopped,
    ),
    (
        _compile(
            rf"(?:i|we) {_A}can spend (?:at most|up to|no more than|a maximum of) "
            rf"(?P<value>.+?) on (?:the |my |our |an? )?(?P<of>[\w' -]+?)(?: now)?\Z"
        ),
        build.spending,
    ),
    (
        _compile(
            rf"(?:the |our |my )?{_THING} is (?:now )?(?:maintained|owned|run|managed|led"
            rf"|handled|looked after) by (?P<value>[\w' ]+)"
        ),
        build.done_by,
    ),
    (
        _compile(rf"(?:the |our )?{_THING} is (?:now )?(?:called|named|known as) (?P<value>.+)"),
        build.named,
    ),
    (
        _compile(rf"(?:the |our |my )?{_THING} (?:is|are) (?:now )?due (?:on |by )?(?P<value>.+)"),
        build.due,
    ),
    (
        _compile(
            rf"(?:i|we|they|(?:the )?(?P<by>\w+)){_HAVE} {_A}"
            rf"(?:raised|lowered|cut|reduced|increased"
            rf"|changed|set|bumped|moved|pushed|extended|updated|doubled|dropped|upped"
            rf"|postponed|rescheduled|renamed|switched) (?P<thing>(?:the|my|our) [\w' /-]+?) "
            rf"(?:back |up |down |out )?(?:from [\w' $€£.,%-]+? )?to (?P<value>.+)"
        ),
        build.thing_is,
    ),
    (
        _compile(
            r"(?:please )?(?P<verb>write|format|name|sort|show|display|indent|style|phrase) "
            r"(?P<thing>[\w' -]+?) (?P<link>in|as|with|by|using) (?P<value>.+)"
        ),
        build.styled,
    ),
    (_compile(rf"{_THING}\s*{_BE}\s*(?P<value>[\w -]+?)(?: now| again)?\Z"), build.one_of_two),
    (_compile(rf"{_THING}\s*{_BE}\s*(?P<value>.+)"), build.thing_is),
    (
        _compile(
            rf"{_THING} (?P<verb>starts|begins|takes place|happens|is scheduled|is planned"
            rf"|lands|arrives|leaves|departs|opens|closes|ends|costs|listens|runs) (?:at |on "
            rf"|by |for |(?:on )?port )*(?P<value>.+)"
        ),
        build.happens,
    ),
)
