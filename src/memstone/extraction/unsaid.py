"""What looks like a statement and tells nothing about anybody.

An assistant's talk about itself ("I have no memory of that yet", "I'll keep that in mind", "is
there anything else?"), a joke that was asked for, a sentence whose only content has been redacted.
"""

from __future__ import annotations

import re

from memstone.extraction.small_talk import remains

WORDS_BESIDE = 3.0  # content words beside a redaction from which the sentence still says something
_MARK = re.compile(r"\[REDACTED:[a-z0-9_]{1,32}\]")
_CLAUSE = re.compile(r"[,;，；、。.!?！？]|\b(?:and|but|while)\b|而且|但是?|并且")
_NAMES_IT = re.compile(  # "my password is", "token =", 密码是: the value was all there was to say
    r"(?:\b(?:is|are|was|be|called|named|says?)|[=:：]|是|为|叫|成|到)\W*\Z", re.IGNORECASE
)
_BOT_TALK = re.compile(
    r"\b(?:i|we)(?:'ve| have|'ll| will| can)? ?(?:have|do(?:n'?t| not)|did(?:n'?t| not)"
    r"|can(?:'?t|not)"
    r"|could(?:n'?t| not)|no longer|currently)? ?(?:currently |yet |actually )?(?:have |find "
    r"|see )?"
    r"(?:no |any |access to any )(?:memory|memories|record|records|information|notes?"
    r"|recollection)\b"
    r"|\bi (?:do(?:n'?t| not)|can(?:'?t|not)) (?:currently )?(?:remember|recall|know)\b"
    r"|\bi(?:'ll| will|'ve| have)? (?:make a note|ma(?:d|k)e a note|noted?|remember(?:ed)?|keep"
    r"|kept|bear"
    r"|log(?:ged)?|save[d]?|store[d]?)(?: of)?(?: (?:that|it|this|down|your [a-z]+))*(?: in mind)?"
    r"(?: (?:for (?:you|later|next time|future reference)|from now on|going forward))?\s*[.!]*\Z"
    r"|\b(?:how (?:can|may) i (?:help|assist)|(?:is|was) there anything else"
    r"|anything else (?:i can|you)"
    r"|what (?:else )?(?:can|would|could) (?:i|you like)|let me know|feel free|i'?m (?:here"
    r"|happy|glad)"
    r" (?:to|for)|happy to (?:help|assist)|as an? (?:ai|language|assistant)|(?:would|do) you "
    r"(?:like|want) me to|you mentioned that you'?d)\b"
    r"|我(?:还|暂时|目前|这边)?(?:不|没有?|没能|找不到)\S{0,6}(?:记得|记住|印象|记忆|记录"
    r"|相关(?:的)?(?:事|信息|内容))"
    r"|我(?:还|暂时)?不(?:记得|清楚|知道)|(?:我|已)(?:会|已经?|都|先)?(?:帮[您你])?(?:记住|记下"
    r"|记好|记录|备注)(?:了|的|好了|来了|下来)*[。！!]*\Z"
    r"|(?:请问)?还有(?:什么|其他|别的)\S{0,10}(?:帮|需要)|(?:可以|能)(?:帮|为)(?:您"
    r"|你)(?:做)?(?:些|点)?什么|有什么\S{0,6}(?:可以|能)帮"
    r"|随时(?:告诉|找|联系|叫|问)我|我是(?:一个|一名)?(?:AI|人工智能|机器人|助手)|作为(?:一个"
    r"|一名)?(?:AI|人工智能|助手|语言模型)"
    r"|需要我\S{1,12}[吗？?]|很高兴(?:能)?(?:帮|为)",
    re.IGNORECASE,
)
_RECITES = re.compile(
    r"\W*(?:from|based on|according to|going by) (?:what you(?:'ve| have)? (?:told|said|mentioned"
    r"|shared)|(?:our|your) (?:last|previous|earlier|past)|my (?:notes|memory)|(?:the"
    r"|your) notes)\b"
    r"|\W*根据(?:我的(?:记忆|记录)|[你您](?:之前|以前|上次|曾)?(?:告诉|提到|提过|说过|说的))",
    re.IGNORECASE,
)
_AMUSE = re.compile(
    r"\b(?:tell|give|share|know|got|sing|write) (?:me |us )?(?:another |some |any "
    r"|one more )?(?:a |an )?"
    r"(?:\w+ )?(?:jokes?|songs?|riddles?|puns?|limericks?|fun facts?|bedtime story|stories"
    r"|poems?|haikus?)\b"
    r"|\b(?:make me (?:laugh|smile)|cheer me up|(?:say|tell me) something (?:funny|nice"
    r"|interesting))\b"
    r"|(?:讲|说|来|再来|编|写)(?:一?[个段首条则])?(?:\S{0,3})(?:笑话|段子|故事|谜语|冷知识"
    r"|脑筋急转弯|诗)|说[点些个](?:好笑|有趣|好玩|开心|有意思)|唱(?:首|个|一)?\S{0,3}歌"
    r"|逗我(?:笑|开心)|哄我",
    re.IGNORECASE,
)


def recites(text: str) -> bool:
    """Whether an assistant's turn tells what it was told earlier: that is no news.

    >>> recites("From what you told me: the budget is 900."), recites("The budget is 900.")
    (True, False)
    """
    return _RECITES.match(text.replace("’", "'")) is not None


def is_bot_talk(sentence: str) -> bool:
    """Whether an assistant speaks of itself, its memory or its services only.

    >>> is_bot_talk("I have no memory of that yet."), is_bot_talk("（我还不记得相关的事。）")
    (True, True)
    >>> is_bot_talk("The tax office closes at 4 pm.")
    False
    """
    return _BOT_TALK.search(sentence.replace("’", "'")) is not None


def asks_for_amusement(text: str) -> bool:
    """Whether somebody wants a joke, a riddle, a story: what follows is not true of anything."""
    return len(text) < 120 and _AMUSE.search(text) is not None


def is_redacted(sentence: str) -> bool:
    """Whether a sentence has been redacted and says nothing beside.

    >>> is_redacted("My bank password is [REDACTED:password]")
    True
    >>> is_redacted("Wire the deposit to [REDACTED:iban] by Friday.")
    False
    """
    if _MARK.search(sentence) is None:
        return False
    rest = [
        _MARK.sub(" ", clause)
        for clause in _CLAUSE.split(_MARK.sub(lambda mark: mark.group() + "\0", sentence))
        if not ("\0" in clause and _NAMES_IT.search(_MARK.split(clause)[0]))
    ]
    return remains(" ".join(rest).replace("\0", " ")).weight < WORDS_BESIDE
