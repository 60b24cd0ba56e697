"""How chatty a sentence sounds, whatever its words: the register of talk for talk's sake.

Statements that matter later name their subject and are said soberly; small talk addresses the
other, points at what both see ("that was …"), feels, exaggerates, exclaims, thanks, wishes. Each of
these is one mark. Marks are no proof, so they only weigh (`salience`), and only where a sentence
names no figure, nobody and nothing lasting.
"""

from __future__ import annotations

import re

MOST_MARKS = 3
_ENGLISH = (
    re.compile(  # laughs, exclaims, draws out, shows a face
        r"\b(?:ha(?:ha)+h?|lo+l|lmao|omg|hehe|aw+|wow+|yay+|ugh+|oof|brr+|gosh|damn|welp|phew"
        r"|meh|oh my"
        r"|oh well|ouch|dang|jeez|haha\w*|tbh|ngl|rn)\b|([a-z])\1{2,}"
        r"|[\u2600-\u27bf\U0001f300-\U0001faff]"
        r"|(?<!\w)[:;]-?[)(dp]|\(:|<3",
    ),
    re.compile(  # thanks, wishes, apologises
        r"\b(?:thanks?|thank|thx|bless|hopes?|hoping|wish|sorry|apologies|congrat\w*|happy|merry"
        r"|welcome"
        r"|bye|cheers|appreciate|grateful|deserve\w*|enjoy|lucky|proud|luck|love (?:ya|you|this"
        r"|that|it))\b",
    ),
    re.compile(r"\b(?:you|your|you're|you've|you'll|you'd|ya|u|ur|yourself|y'all)\b"),
    re.compile(  # points at what is not said here
        r"\A\W*(?:(?:and|but|so|well|yeah|oh|ok|okay|ah|omg|honestly|literally|guess"
        r"|looks? like)\W+)*"
        r"(?:that|this|it|those|these|life|things?|everything|nothing|everyone|nobody|who"
        r"|whoever|what"
        r"|whatever|some(?:times|one|body|thing)|there's nothing|time)(?:'s|'ll|'d)?\b",
    ),
    re.compile(  # feels
        r"\b(?:feel(?:s|ing|ings)?|felt|mood|vibes?|in love|i'?m (?:so|just|really|still|literally"
        r"|totally|over|all|too|kinda|pretty|such|dying|gonna cry|here)|i am (?:so|just|really|too)"
        r"|i was (?:so|just|really|having)|makes? me|made me|making me|having such)\b",
    ),
    re.compile(  # exaggerates, supposes
        r"\b(?:could(?:n'?t)?|hardly|can'?t (?:even|stop|wait|help|believe|get)"
        r"|would(?:n'?t)? (?:have|be)"
        r"|swear|literally|ever|never (?:been|seen|thought|ends?|gets?)|to death|out of my|such an?"
        r"|so \w+|too \w+|another day|all over|one of those|in the world|of all time"
        r"|anymore lol)\b",
    ),
    re.compile(r"!"),
)
_CHINESE = (
    re.compile(
        r"哈{2,}|嘿{2,}|呜{2,}|嘶|[呀啦呗哟嘛哇哦捏咯呢哒滴][~～！!。，…]*(?:\Z|[，。！])|[~～]"
        r"|天[哪呐]|我的妈"
        r"|[\u2600-\u27bf\U0001f300-\U0001faff]|\A[\W]*(?:哎|唉|诶|哇|啊|嘿|嗨|哟|呼|哼|切)"
    ),
    re.compile(
        r"谢|祝|愿你|恭喜|抱歉|不好意思|对不起|希望|但愿|幸运|羡慕|骄傲|加油|保重|鼓掌|感动|开心"
        r"|高兴|幸福"
    ),
    re.compile(r"[你您]|咱俩|大家"),
    re.compile(
        r"\A\W*(?:这|那|一切|什么|谁|人生|生活|命运|有时候?|反正|总之|果然|原来|难怪|怪不得)"
    ),
    re.compile(
        r"觉得|感觉|心情|心里|好想|真想|好[^的像多了几好]{1,2}[啊呀哦啦]?(?=[，。！!]|\Z)|难受"
        r"|难过|烦|激动|紧张|郁闷"
    ),
    re.compile(
        r"[太超巨贼真](?!的|正|实)\S{1,4}[了啊吧]|都(?:快|要)?\S{1,5}了|[到得]\S{0,4}(?:死|不行"
        r"|要命|不了|不住|不拢)|简直|仿佛|像\S{1,6}一样"
        r"|谁(?:都|能|不|会)|怎么(?:会|还|这么|又|才)|从来没|真是|果真|居然|竟然|也太|实在"
        r"|一点都?不|不[得由]不"
    ),
    re.compile(r"[!！]"),
)
_HAN = re.compile(r"[\u3400-\u9fff]")


def chat_marks(sentence: str) -> int:
    """How many marks of chat a sentence bears, at most `MOST_MARKS`.

    >>> chat_marks("Wow, you are so brave!"), chat_marks("The spare key is with the neighbour.")
    (3, 0)
    >>> chat_marks("哈哈你也太逗了吧！"), chat_marks("备用钥匙在邻居那儿")
    (3, 0)
    """
    patterns = _CHINESE if _HAN.search(sentence) else _ENGLISH
    text = sentence.lower().replace("’", "'")
    return min(sum(pattern.search(text) is not None for pattern in patterns), MOST_MARKS)
