"""Vocabulary of the English assertions: what makes a sentence doubtful, what has one value."""

from __future__ import annotations

import re

from memstone.extraction.vocabulary import table, words

# Nothing is asserted in a sentence of conditions, wishes, hearsay, quotation or play.
DOUBTFUL = re.compile(
    r"\b(?:if|unless|would(?! rather)|wouldn't|could|couldn't|might|may be|maybe"
    r"|perhaps|probably|possibly"
    r"|imagine|suppose|supposing|pretend\w*|wish|wished|hope|hopes|hopefully|whether"
    r"|said|says|told|tells|according to|claims?|claimed|heard|reportedly|apparently"
    r"|asked|asks|quote"
    r"|joked?|joking|kidding|dreamt|dreamed|dream|for example|e\.g|for instance"
    r"|hypothetically|in theory|not sure"
    r"|unsure|let's say|in the (?:book|novel|film|movie|story|game|show|song)|character|plays? a)\b"
    r"|(?<!i)'d(?! rather)\b",
    re.IGNORECASE,
)
# Nor in a clause about plans or the past.
NOT_NOW = re.compile(
    r"\b(?:consider(?:ing|ed)?|thinking (?:of|about)|think about|think|planning"
    r"|plan to|plans to|want to|wants to"
    r"|wanted to|wanna|going to|gonna|will(?! be\b)|'ll(?! be\b)|won't|shall|should"
    r"|used to|previously|formerly"
    r"|back then|at the time|originally|in the past(?! tense)|when i was|as a (?:kid"
    r"|child|student|teenager)|had been|had|once|years ago"
    r"|almost|nearly|tempted|about to|hoping|might|were|was(?! (?:changed|moved|set"
    r"|raised|lowered|increased|reduced|updated|pushed|postponed|extended|bumped|cut"
    r"|rescheduled|brought|renamed|switched|wrong)))\b",
    re.IGNORECASE,
)
OPENER = re.compile(
    r"\A(?:(?:no|nope|oh|ah|oops|well|so|ok|okay|actually|sorry|correction|update|edit"
    r"|wait|hmm|hey|hi|hello|by the way|btw"
    r"|just so you know|fyi|to be clear|quick (?:update|note|correction)"
    r"|small correction|scratch that|my (?:mistake|bad)"
    r"|i (?:made a mistake|was wrong|misspoke|misspelled it(?: earlier)?|got (?:it"
    r"|that) wrong)(?: earlier| before)?|as of (?:today|now|this \w+|yesterday|\w+)"
    r"|starting (?:today|now|this \w+|next \w+|\w+)"
    r"|from now on|these days|nowadays|right now|now|today|yesterday|recently|lately"
    r"|for now|since (?:last )?\w+"
    r"|last (?:week|month|year|night|\w+day)|this (?:week|month|year|morning)"
    r"|good news|bad news|great news|turns out|it turns out(?: that)?|finally|also|and"
    r"|but|yes|yeah"
    r"|remember(?: that)?|note(?: that)?|please (?:note|remember)(?: that)?|reminder"
    r"|heads up|i decided|we(?:'ve| have)? decided"
    r"|it'?s official|change of plans?|plans changed|things changed|news|that'?s "
    r"(?:wrong|not right|outdated)|got promoted"
    r"|\w+ (?:weeks|months|days|years) (?:in|later|on)|after \w+ (?:weeks|months|days"
    r"|years)|big news|quick correction)(?:[,:;.!—–-]+\s*|\s+(?=\w))|[-—–,;:]\s*)+",
    re.IGNORECASE,
)
CHANGE = re.compile(
    r"\b(?:now|no longer|any ?more|instead|rather than|switched|changed|changes|moved"
    r"|migrated|replaced|delayed|shifted|renamed|raised|lowered|increased"
    r"|reduced|cut|updated|pushed|postponed|extended|bumped|upgraded|dropped|took over"
    r"|promoted|from now on|as of|starting|since"
    r"|these days|nowadays|lately|new|correction|actually|wrong|mistake|misspelled"
    r"|sorry|oops|scratch that|not \w+ but|became|become|has left|left|rescheduled)\b",
    re.IGNORECASE,
)
NEGATION = re.compile(
    r"\b(?:stopped|quit|gave up|given up)(?= \w+ing\b)"
    r"|\b(?:no longer|do not|don't|does not|doesn't|did not|didn't|is not|isn't|are not"
    r"|aren't|was not|wasn't|am not|can not|cannot|can't|won't"
    r"|never|not)\b(?: any ?more)?|\b(?:any ?more|anymore)\b",
    re.IGNORECASE,
)
TIME_TAIL = (
    r"\s+(?:(?:right |just )?now|at the moment|currently|these days|nowadays|today"
    r"|already|any ?more"
    r"|(?:since|as of|from|starting|until|effective) (?:last |next |this |the )?\w+"
    r"(?: \d+)?(?: on)?|last (?:week|month|year|spring|summer|autumn|fall|winter"
    r"|\w+day)"
    r"|this (?:week|month|year|\w+day|morning|spring|summer|autumn|fall|winter)"
    r"|yesterday|a (?:week|month|year) ago|\w+ (?:weeks|months|days|years) ago"
    r"|for (?:the past |about )?\w+ (?:years?|months?|weeks?)(?: now)?|again|too"
    r"|as well|please|instead|after all|lately|recently|officially|from now on"
    r"|(?:in|last|this|next) (?:january|february|march|april|may|june|july|august|september|october"
    r"|november|december|\d{4}))\Z"
)
DISLIKES = words(
    """
    hate hates dislike dislikes despise despises detest detests loathe loathes avoid avoids
    """
) | {"can't stand", "can't eat", "can't drink", "can't have"}
NO_THING = re.compile(
    r"(?:to see|to hear|it|that|this|them|these|those|you|how|what|when|where|there"
    r"|here|he|she|they|i|we|who|why|which|everything|nothing|something|someone"
    r"|everyone|all|both|once|twice|\w+ times)\b",
    re.IGNORECASE,
)
OUR_OWN = re.compile(
    r"\Aour (?=(?:new )?(?:landlord|rent|dentist|doctor|address|roommate)\b)", re.IGNORECASE
)
PRONOUNS = frozenset({"i", "we", "they", "he", "she", "it", "you", "just", "have", "has"})
NOBODY_NAMED = re.compile(
    r"(?:its|his|her|their|your|this|that|these|those|another)\b", re.IGNORECASE
)
AT_HOME = re.compile(
    r"\b(?:house|home|away|city|town|flat|apartment|live|living|neighbou?rhood)\b", re.IGNORECASE
)
COLLECTIVE = frozenset(
    {"the team", "the project", "the company", "the client", "the customer", "the user", "user"}
)
# Attributes with one value at a time, as the last words of what has them.
SINGLE = """
    name|first name|last name|surname|nickname|username|user name|handle|birthday|birth date
    date of birth|age|address|home address|phone number|phone|mobile|email|email address
    blood type|height|weight|shoe size|shirt size|clothing size|ring size|salary|income
    job title|title|employer|major|hometown|nationality|native language|mother tongue
    marital status|budget|budget limit|spending limit|limit|rate limit|cap|quota|price|cost|rent
    fee|rate|deposit|total|target|goal weight|deadline|due date|start date|end date|release date
    launch date|delivery date|wedding date|move-in date|exam date|date|time|start time
    meeting time|appointment|appointment time|flight|train|departure|schedule|port|host|hostname
    server|url|endpoint|domain|branch|default branch|main branch|version|timeout|retry limit
    retries|batch size|pool size|page size|log level|region|database|framework|package manager
    editor|ide|theme|font|tone|language|default language|output format|format|time zone|timezone
    owner|product owner|lead|tech lead|team lead|maintainer|manager|boss|supervisor|reviewer
    contact|point of contact|doctor|dentist|landlord|roommate|status|priority|color|colour
    meeting room|room|seat|seat number|gate|venue|location|office|desk|license|licence|mascot
    codename|code name|team size|headcount|sprint length|interval|frequency|threshold|supplier
    carrier|bank|gym|namespace|retention|retention period|interest rate|speed limit
    therapist|psychologist|coach|trainer|tutor|vet|pediatrician|accountant|lawyer|babysitter|nanny
    mentor|teacher|advisor|recruiter|hairdresser|barber|neighbour|neighbor|assistant|secretary
    password|passcode|pin|door code|safe word|currency|default currency|operating system|browser
    competitor|main competitor|provider|cloud provider|hosting provider|insurer|pharmacy|hotel
    airline|car|bike|laptop|issue tracker|renewal date|expiry date|review date|subscription
    ci|ci system|build server|crm|erp|cms|wiki|chat app|hosting|orm|linter|formatter|test runner
    bundler|message broker|search engine|password manager|mail client|payment provider
    destination|grade|shift|capacity|mileage|fiscal year|dress code|check-in time|check-out time
""".replace("\n", "|")
_SINGLE = "|".join(
    sorted({w.strip() for w in SINGLE.split("|") if w.strip()}, key=len, reverse=True)
)
SINGLE_AT_END = re.compile(rf"(?<!\w)(?:{_SINGLE})\Z", re.IGNORECASE)
SYNONYMS = table(
    """
    deadline: due date,
    birthday: birth date, date of birth
    budget: budget limit, spending limit
    color: colour,
    phone number: phone, mobile
    email: email address,
    address: home address,
    editor: ide,
    manager: boss, supervisor
    main branch: default branch,
    codename: code name,
    limit: rate limit,
    time zone: timezone,
    """
)
JOB = re.compile(
    r"\b(?:developer|engineer|manager|lead|leader|designer|analyst|architect"
    r"|consultant|director|intern|assistant|accountant|teacher|professor|nurse|doctor"
    r"|lawyer|writer|editor|chef|"
    r"scientist|researcher|student|trainee|apprentice|officer|head|chief|president|cto"
    r"|ceo|cfo|coordinator|administrator|technician|programmer|producer|owner"
    r"|supervisor|freelancer|"
    r"contractor|partner|principal|postdoc|journalist|electrician|plumber|driver|pilot"
    r"|associate|clerk|representative|specialist|strategist|operator|carpenter|baker|cook|waiter"
    r"|farmer|musician|photographer|dentist|pharmacist|firefighter|librarian|tutor|coach|trainer"
    r"|recruiter|mechanic|broker|auditor|curator|midwife|paramedic|surgeon|psychologist"
    r"|barista|cashier|receptionist|paralegal|translator|therapist)\b",
    re.IGNORECASE,
)
ROLES = words("maintainer contact reviewer captain host sponsor landlord treasurer secretary chair")
DATE = re.compile(
    r"(?:(?:every|each|next|this|on|by|the|other|second|first|last) )*"
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|(?:the )?\d{1,2}(?:st|nd|rd|th)\b"
    r"|\d{1,2} (?:january|february|march"
    r"|april|may|june|july|august|september|october|november|december)"
    r"|(?:january|february|march|april|may|june|july|august|september|october|november"
    r"|december|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec)\b|\d{4}-\d{2}-\d{2})",
    re.IGNORECASE,
)
ANSWERS = {  # how answers are wanted: attribute → the words that tell it
    "answer language": words(
        """
        english chinese mandarin spanish french german japanese korean italian portuguese russian
        dutch
        """
    ),
    "answer length": words("short brief concise long detailed detail depth verbose thorough"),
    "answer tone": words("formal casual informal friendly professional playful"),
}
MOMENTS = table(
    """
    arrival: lands arrives
    departure: leaves departs
    opening: opens
    end: closes ends
    price: costs
    port: listens runs
    """
)
OPPOSITES = {  # of two qualities the pair, which is the attribute
    word: " or ".join(pair)
    for pair in (
        ("private", "public"),
        ("enabled", "disabled"),
        ("online", "offline"),
        ("open source", "closed source"),
        ("mandatory", "optional"),
        ("required", "optional"),
        ("active", "inactive"),
        ("remote", "on-site"),
        ("full-time", "part-time"),
        ("indoors", "outdoors"),
        ("vacant", "occupied"),
        ("in stock", "out of stock"),
        ("up", "down"),
        ("unlocked", "locked"),
        ("allowed", "forbidden"),
        ("sold out", "available"),
    )
    for word in pair
}
