"""Sentences in which nothing is said that could matter later: greetings, thanks, praise, weather.

A sentence is small talk when nothing is left of it after the phrases of politeness and the words
of mere appraisal ("wow, that sounds really great!") are taken away. What names a number, a person
who is not addressed, a place or a thing keeps it from that, so the lists may be generous.
"""

from __future__ import annotations

import re

from memstone.analysis.stopwords import ENGLISH
from memstone.extraction.vocabulary import words

# Phrases that carry nothing, taken out wherever they stand.
_ENGLISH_PHRASES = re.compile(
    r"\b(?:"
    r"good (?:morning|afternoon|evening|night|day|luck|job|to (?:see|hear)"
    r"(?: from)? you|one|call|idea|point|question)"
    r"|(?:nice|great|lovely|good|glad|happy|pleased) to (?:see|meet|hear)(?: from"
    r"| that| it)?(?: you)?(?: too| again)?"
    r"|(?:glad|happy) (?:i could|to) help|happy to"
    r"|how (?:are|have) (?:you|things)(?: been| doing| going)?(?: today| lately)?|how"
    r"(?:'s| is) it going"
    r"|how(?:'ve| have) you been|how about you|what about you|and you|what'?s (?:up"
    r"|new)(?: with you)?"
    r"|(?:i'?m |i am |we'?re )?(?:doing )?(?:very |pretty |quite )?(?:fine|good|well"
    r"|great|okay|ok)(?:,? thanks?| thank you)?"
    r"|(?:many |so many )?thanks?(?: so much| a lot| a (?:bunch|ton|million)| again)?"
    r"(?: for [a-z' ]{3,40})?"
    r"|thank you(?: so much| very much| again)?(?: for [a-z' ]{3,40})?|i "
    r"(?:really )?appreciate (?:it|that|you|your [a-z ]{2,20})"
    r"|you'?re (?:very |most )?welcome|you are welcome|no (?:problem|worries|rush"
    r"|biggie)|don'?t mention it|my pleasure|any ?time"
    r"|(?:see|talk to|speak to|catch|chat with) (?:you|ya)(?: soon| later| then"
    r"| tomorrow| around)?|take care|bye(?: bye)?|good ?bye|cheers|so long"
    r"|have (?:a )?(?:good|great|nice|lovely|wonderful|safe|fun|blast)[a-z ]{0,20}"
    r"|sleep (?:well|tight)|stay safe|keep (?:it up|at it|going|me posted|in touch)"
    r"|(?:ha){2,}h?|(?:he){2,}|lo+l|lmao|rofl|omg|haha[ha]*|hehe|hmm+|umm?|uh|ah|oh|ooh"
    r"|aw+|wow|yay|phew|oops|whoa|yikes|ugh|huh"
    r"|(?:yeah|yes|yep|yup|no|nope|nah|ok|okay|k|kk|sure|alright|right|cool|fine|great"
    r"|perfect|exactly|totally|absolutely|definitely|indeed|agreed|got it|gotcha|i see"
    r"|makes sense|sounds (?:good|great|fun|nice|lovely|awesome|perfect|like (?:a plan"
    r"|fun))|fair enough|of course|no doubt|true|same here|me too|you bet|deal|noted"
    r"|understood)"
    r"|congrat(?:s|ulations)(?: on [a-z' ]{2,30})?|well done|way to go|nice work"
    r"|great work|good for you|happy for you|proud of you|so (?:happy|proud|stoked"
    r"|excited) for you"
    r"|(?:it'?s|what) (?:a )?(?:so |such |really |very )?(?:a )?(?:hot|cold|warm|sunny"
    r"|rainy|windy|lovely|beautiful|nice|gorgeous|nasty|chilly|humid|cloudy|gr[ae]y"
    r"|dreary)(?: day| weather| out(?:side)?| today| here| morning| one)*"
    r"|(?:is|are) (?:it|you) [a-z]+ing(?: there| today| much)?|the weather(?: is|'s)?"
    r"|this weather|nice weather"
    r"|(?:oh )?my (?:goodness|god|gosh)|(?:good|great|incredible|amazing|wonderful) news"
    r"|let'?s (?:catch up|talk|chat)(?: again| soon| later)*|good night|test(?:ing)?|sunshine"
    r"|(?:give|send) my (?:love|regards|best)(?: to [a-z' ]{2,30})?|never ?mind|nvm"
    r"|(?:i|i've) (?:figured|sorted|worked) it out|(?:i'?m )?back(?: again)?"
    r"|let'?s do (?:it|this|that) again(?: some ?time| soon)?"
    r"|(?:happy|merry) (?:new year|birthday|easter|christmas|holidays|thanksgiving"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
    r"|let me know(?: if [a-z' ]{2,60})?|feel free[a-z' ]{0,60}|(?:hope|hoping) (?:you"
    r"|this|that|it|all)[a-z' ]{0,50}|no idea|just saying|just kidding|kidding"
    r"|i know(?:,? right)?|you know|i mean|to be honest|i guess|i suppose|i think so"
    r"|i hope so|can'?t wait(?: to (?:hear|see)[a-z' ]{0,30})?|i can imagine|tell me "
    r"(?:more|about it|everything)"
    r"|(?:hey|hi|hello|hiya|howdy|yo|dear|morning|evening|afternoon|buddy|mate|man"
    r"|dude|guys|folks|everyone|there)"
    r"|please|sorry(?: about that| to hear that)?|my bad|no offense|fingers crossed"
    r"|welcome back|long time no see|it'?s been (?:a while|ages|so long)"
    r")\b",
    re.IGNORECASE,
)
# Words of appraisal and address: what a sentence of praise consists of.
_EMPTY_ENGLISH = words(
    """
    amazing awesome awful beautiful best better brilliant charming cool crazy cute delightful
    easy enjoy enjoyed excellent excited exciting fabulous fantastic fascinating fine fun funny
    glad good gorgeous great happy hard helpful hilarious impressive incredible insane inspiring
    interesting kind kindness lovely lucky nice okay perfect pleasant powerful pretty proud rad
    rough sad seem seems sound sounds special splendid stunning super superb sweet terrible
    terrific thoughtful tough true ugly weird wild wise wonderful wow joke jokes laugh laughing
    smile luck wish wishes bit lot lots really quite pretty rather absolutely totally definitely
    truly such guess hear heard hearing see seeing say saying said tell telling think thinking
    thought know knowing look looks looking looked feel feels feeling way thing things stuff
    kinda sorta gonna wanna day days today morning night evening weekend weather rain raining
    rainy sun sunny snow snowing cold hot warm chilly windy cloudy outside hey hi hello bye
    thanks thank welcome please sorry yes yeah yep no nope ok okay sure right alright ha haha
    lol time going doing done make makes made makes keep keeps get gets got getting go goes went
    come comes coming came take takes well maybe perhaps probably always never again soon later
    still much many little big small new old work working job vibe vibes energy support advice
    words story stories idea ideas point one ones friend friends buddy mate dear guys dude bro
    man appreciate appreciated idk imagine believe glow lately mind pic pics photo picture catch
    chat talk talking hang love loved loving agree person people everyone anyone somebody life
    world
    """
)
_CHINESE_PHRASES = re.compile(
    r"早上好|上午好|中午好|下午好|晚上好|早安|晚安|早呀|早啊|早上|你好|您好|大家好|哈喽|哈啰|嗨|喂|在吗|在么|在不在"
    r"|好久不见|替我向[^，。！？]{1,8}问好|算了|搞(?:明白|定|懂)了|又?回来[啦了]|(?:到时候?)?告诉我(?:结果|一声)|(?:一切|万事)(?:顺利|如意)|(?:周末|今天|最近|假期)?过得(?:怎么样|好吗|如何)|祝[你您]?[^，。！？]{0,6}(?:愉快|顺利|好运)|不敢相信|有消息告诉我|被[你您]发现了|[懂明白理解]{1,2}[你您]的意思|阳光|舒服|笑得?[^，。！？]{0,5}[疼死哭]|好消息|(?:新年|生日|节日|圣诞|元旦|中秋|端午|国庆|周[一二三四五六日末])快乐|(?:下次|改天|有空|回头)再(?:聚|约|聊|见)|见到[你您们]+|放松|最近怎么样|最近好吗|最近如何|最近还好吗|过得怎么样|吃了吗|吃饭了吗|吃了没|忙啥呢|干嘛呢|在干嘛|干啥呢"
    r"|非常感谢|十分感谢|太感谢了?|感谢你|感谢您|感谢|多谢|谢谢你|谢谢您|谢谢啦?|谢啦|谢了|谢过|辛苦了?|麻烦你了?|麻烦您了?|劳烦了?"
    r"|不客气|不用谢|别客气|没关系|没事儿?|没问题|小意思|应该的|客气啥|客气了|哪里哪里|过奖了?"
    r"|再见|拜拜|回见|回头见|回头聊|改天聊|改天再聊|下次聊|下次见|明天见|一会儿?见|待会见|先这样|先撤了?|我先走了|先忙吧?|你先忙|不打扰你?了"
    r"|好梦|早点休息|早点睡|注意身体|保重|慢走|一路平安|一路顺风"
    r"|哈{2,}|嘿{2,}|呵{2,}|嘻{2,}|嘎嘎|笑死我?了?|笑死|笑哭|乐死我?了|绝了|牛[啊呀逼]?|厉害[了啊呀]?|真棒|太棒了?|好棒"
    r"|棒[啊呀极]?了?|真好|太好了?|挺好的?|蛮好的?|不错[啊呀哦]?|可以[的啊呀]?|完美|赞|点赞|给力|优秀|漂亮|真不错|好厉害|加油[啊呀哦]?"
    r"|祝你好运|恭喜恭喜|恭喜你?啊?|祝贺|开心就好|真羡慕|好羡慕|羡慕你?"
    r"|好的?呀?|好嘞|好哒|好滴|好吧|好啊|行[啊吧呀的]?|嗯+|嗯嗯|哦+|噢+|啊+|呃+|额+|诶|欸|哎呀?|哎哟|唉|哇塞?|哟|是的?[呀啊]?"
    r"|是啊|对[的呀啊]?|对对对?|没错|当然|确实|的确|有道理|说得对|说的是|说得也是|也是|同意|明白了?|知道了?|了解了?|收到|懂了?|OK|ok"
    r"|okay|原来如此|这样啊|这样子?啊?|真的吗|真的假的|真的|不会吧|天哪|我的天"
    r"|今天天气(?:真|很|好|太|还|挺|可)?[^，。！？]{0,6}|天气(?:真|很|好|太|还|挺|可)?[^，。！？]{0,6}|外面(?:好|真|很"
    r"|太)[冷热晒]|(?:好|真|太|有点儿?)[冷热闷晒困累][啊呀了]?|下雨了|下雪了|出太阳了"
    r"|随便聊聊?|聊聊天?|无聊|没啥|没什么|没什么事|没啥事|不知道|随便|都行|都可以|慢慢来|别着急|不着急|别急|等等|等一下|稍等"
    r"|你呢|您呢|怎么样|怎么啦|怎么了|咋样|咋了|什么事|干什么"
)
_EMPTY_CHINESE = re.compile(
    r"[的了吗呢吧啊呀嘛哦么哈呵嘿诶哎嗯我你您他她它们这那个些里儿就也都还又再很真太好挺蛮最更非常特别比较有点一起下样是在会能要想说看听觉得感觉知道今天昨天明天最近现在刚才时候事情东西人大家朋友心情开心快乐高兴难过有趣有意思好玩可爱漂亮美丽帅辛苦祝愿希望喜欢爱棒笑话话段子聊天儿些许多少点儿得着过给和跟与为因所以而且但不过如果那么什么怎谁哪几多]+"
)
_MARKS = re.compile(r"[\s\W_]+", re.UNICODE)
_SPECIFIC = re.compile(r"\d|[A-Za-z0-9]+[._/\\@:-][A-Za-z0-9]|[\"“「《`]")
_NAME_INSIDE = re.compile(r"(?<=[a-z,;] )(?!I\b|I'|OK\b)[A-Z][a-z]{2,}")
_WORD = re.compile(r"[a-z']+")
_HAN = re.compile(r"[\u3400-\u9fff]")
LEFT_OVER = 1  # character of Chinese that may remain: a particle


def is_small_talk(sentence: str, addressed: frozenset[str] = frozenset()) -> bool:
    """Whether nothing remains of a sentence without its politeness and praise.

    `addressed` are the names, in lower case, of those who talk here.

    >>> is_small_talk("Wow, that sounds really great!"), is_small_talk("I bought a red bike.")
    (True, False)
    >>> is_small_talk("哈哈，今天天气真好啊"), is_small_talk("我对花生过敏。")
    (True, False)
    """
    if _SPECIFIC.search(sentence):
        return False
    lowered = sentence.lower().replace("’", "'")
    if _HAN.search(sentence):
        for name in addressed:
            lowered = lowered.replace(name, "")
        rest = _MARKS.sub("", _EMPTY_CHINESE.sub("", _CHINESE_PHRASES.sub("", lowered)))
        return len(rest) <= LEFT_OVER
    rest = _ENGLISH_PHRASES.sub(" ", sentence.replace("’", "'"))
    names = {name.lower() for name in _NAME_INSIDE.findall(rest)} - addressed
    return not names - _EMPTY_ENGLISH and not content(rest.lower()) - addressed


def content(lowered: str) -> set[str]:
    """The words of an English text, in lower case, that are neither grammar nor appraisal."""
    words = {word.strip("'") for word in _WORD.findall(lowered)}
    return {
        word
        for word in words
        if len(word) > 1 and word not in ENGLISH and word not in _EMPTY_ENGLISH
    }
