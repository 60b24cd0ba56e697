"""What lasts about a person: health, diet, family, pets, work, what they own, speak, believe.

A sentence that says so is a fact, however short and whatever else it looks like ("I am allergic to
peanuts" is no taste). Found by the words of each field together with whose it is: the speaker, the
speaker's family, "we". What is wished, supposed, asked or over is not.
"""

from __future__ import annotations

import re

_KIN = (
    r"(?:wife|husband|partner|spouse|son|daughter|kids?|child(?:ren)?|baby|twins?|mum|mom|mother"
    r"|dad"
    r"|father|parents|brother|sister|siblings?|boss|manager|aunt|uncle|cousin|nephew|niece|grandma"
    r"|grandpa|grandmother|grandfather|grandparents|gran|nan|grandson|granddaughter|grandkids"
    r"|grandchildren|roommate|flatmate|girlfriend|boyfriend|fianc\w+|in-laws|mother-in-law"
    r"|father-in-law|ex|ex-wife|ex-husband|step\w+|godson|goddaughter)"
)
_PET = (
    r"(?:dogs?|cats?|puppy|puppies|kittens?|parrots?|rabbits?|bunny|hamsters?|horses?|pony|turtles?"
    r"|tortoises?|goldfish|guinea pigs?|ferrets?|budgies?|snakes?|lizards?|geckos?|hens|chickens"
    r"|pets?|poodle|labrador|lab|retriever|terrier|beagle|husky|corgi|collie|spaniel|bulldog)"
)
_COUNT = r"(?:an?|one|two|three|four|five|six|no|twin|\d+|my own|some)"
_HEALTH = (
    r"allerg(?:y|ies|ic)|\w*intoleran(?:t|ce)|diabet(?:es|ic)|asthma(?:tic)?|epilep(?:sy|tic)"
    r"|c(?:o)?eliac|migraines?|arthritis|cancer|dementia|alzheimer\w*|parkinson\w*|autis(?:m|tic)"
    r"|adhd|dyslexi[ac]|depression|an(?:a)?emi[ac]|hypertension|(?:high|low) blood pressure"
    r"|pacemaker|insulin|metformin|hearing aids?|wheelchair|colou?r.?blind|deaf|blind|pregnant"
    r"|blood type|surgery|stroke|heart (?:attack|condition|disease)|chemo\w*|inhaler|epi.?pen"
    r"|antidepressants?|thyroid|eczema|psoriasis|sciatica|scoliosis|anxiety disorder|bipolar|ptsd"
    r"|lupus|crohn\S*|ibs|endometriosis|short.?sighted|left.?handed|dialysis|prosthe\w+|tinnitus"
    r"|in (?:the )?hospital|in rehab|diagnosed|sober|hay fever|bad (?:knee|back|hip)"
)
_DIET = (
    r"vegan|vegetarian|vegetarians|vegans|pescatarian|kosher|halal|gluten.?free|dairy.?free|keto"
    r"|(?:do(?:n'?t| not)|does(?:n'?t| not)|can'?t|cannot|can not|never|no longer|gave up|stopped"
    r"|quit) (?:eat|drink|smoke|touch|have|tolerate|do|digest|eating|drinking|smoking)"
    r"(?! (?:any|the|a|that|this|it|to|time|clue|idea)\b)"
)
_ENGLISH = re.compile(
    rf"\b(?:i|i'm|i've|i'd|my|we|we're|we've|our|he|she|he's|she's|his|her|they)\b"
    rf"[^.;!?]{{0,60}}?\b(?:{_HEALTH}|{_DIET})(?!\w)"
    rf"|\b{_KIN}(?:'s| is| was| has)\b[^.;!?]{{0,40}}?\b(?:{_HEALTH}|{_DIET})(?!\w)"
    rf"|\b(?:my|our) (?:[\w-]+ ){{0,2}}(?:{_KIN}|{_PET})(?:'s)? (?:\w+ )?(?:is|are|was|name|names"
    rf"|called|named|has|have|works?|lives?|studies|teaches|goes|turns?|turned|died|passed"
    rf"|just|got|starts?|started|moved|plays?|speaks|owns|runs|lost|left|retired|birthday)\b"
    rf"|\b(?:my|our) (?:[\w-]+ ){{0,2}}(?:{_KIN}|{_PET})(?:'s|,| \w+ ?,) "
    rf"|\b(?:i|we)(?: have|'ve got| got| adopted| raise| keep| own| foster) {_COUNT} "
    rf"(?:[\w-]+ ){{0,2}}(?:{_KIN}|{_PET}|sons|daughters|brothers|sisters)\b"
    r"|\b(?:i'm|i am|we're|we are|he's|she's) (?:\w+ )?(?:married|single|divorced|engaged|widowed"
    r"|a widow(?:er)?|retired|unemployed|self-employed|pregnant|expecting|orphaned|adopted"
    r"|muslim|christian|jewish|buddhist|hindu|catholic|atheist|religious|gay|bi|trans|queer)\b"
    r"|\b(?:i|we|he|she) (?:now )?(?:works?|teach(?:es)?|stud(?:y|ies)|freelances?|interns?"
    r"|volunteers?) (?:(?:full|part)[- ]time )?(?:at|for|as|in|on|with|nights?|shifts?|remotely"
    r"|from home|freelance|[a-z]+ at)\b"
    r"|\b(?:i'm|i am) (?:an?|the) (?:[\w-]+ ){0,3}(?:\w{2,}(?:er|or|ist|ian|ant|eer)|nurse|pilot"
    r"|chef"
    r"|student|cook|clerk|judge|coach|architect|mechanic|freelancer|intern|parent|mom|dad|twin)\b"
    r"|\bi (?:got|accepted|lost|quit|left|started|start|have|took) (?:my|the|a|an)(?: \w+){0,2} "
    r"(?:job|position|role|internship|offer|promotion)\b|\bi (?:quit|resigned|retired)\b"
    r"|\bi(?:'ve| have)? (?:just )?(?:been|got|was|were) (?:promoted|hired|fired|laid off|made"
    r" redundant)\b|\bmy (?:job|employer|company|profession|major|degree|salary|shift) (?:is|was)\b"
    rf"|\b(?:i|we) (?:just )?(?:own|drive|ride|sold|bought|rent|lease|play|speak) (?:an?|my|our|the"
    r"|two|some)?\s?(?:[\w-]+ )*\w{3,}"
    r"|\bi (?:can|can'?t|cannot|can not) (?:swim|drive|cook|dance|sing|read|ski|sew|juggle|type"
    r"|code|ride"
    r"|speak|play|climb|walk|lift|bend|hear|smell|taste|tolerate|digest|take (?:aspirin"
    r"|ibuprofen))\b"
    r"|\b(?:i|we) (?:do(?:n'?t| not)|never) (?:have|own|drive|need) an? \w{3,}"
    r"|\bi(?:'m| am) (?:scared|afraid|terrified) of [a-z]{3,}|\bi(?:'m| am) learning \w{3,}"
    r"|\b(?:trying|going) to have (?:a baby|kids|children)|\bexpecting (?:a baby|our|twins)",
)
_CHINESE_KIN = (
    r"(?:老公|老婆|妻子|丈夫|爱人|先生|太太|对象|儿子|女儿|闺女|孩子|娃|宝宝|双胞胎|爸妈?|妈妈?"
    r"|爸爸|父亲|母亲|父母|爹|娘|哥哥?|姐姐?|弟弟?"
    r"|妹妹?|兄弟|姐妹|奶奶|爷爷|外婆|外公|姥姥|姥爷|公公|婆婆|岳父|岳母|舅舅|姑姑|叔叔|阿姨"
    r"|表[哥弟姐妹]|堂[哥弟姐妹]|侄[子女]|外甥女?"
    r"|孙[子女]|室友|舍友|男友|女友|男朋友|女朋友|未婚[夫妻]|前[夫妻])"
)
_CHINESE = re.compile(
    r"过敏|不耐受|糖尿病|哮喘|癫痫|偏头痛|关节炎|癌|痴呆|帕金森|自闭症|多动症|抑郁症|焦虑症|贫血"
    r"|高血压|低血压|高血脂|心脏病|搭桥|支架"
    r"|起搏器|胰岛素|二甲双胍|助听器|轮椅|色盲|色弱|近视|失聪|失明|(?:耳朵?|眼睛?|我|她|他)\S{0,4}[听看]不见|(?:听力|视力|腰|膝盖|心脏|血糖|胃|肝|肾|睡眠)\S{0,2}(?:不太?好|不行|有问题|偏[高低])|怀孕|怀上|备孕"
    r"|预产期|[abo]b?型血|血型|手术|中风|化疗|透析|甲亢|甲减|湿疹"
    r"|痛风|胃病|胃炎|肾病|肝炎|鼻炎|花粉症|左撇子|恐高|晕[车船机]|住院|确诊|康复期|戒[酒烟糖]"
    r"|备着药|吃药|降压药"
    r"|(?:吃|喝)(?:全)?素|素食|清真|回民|忌口|忌(?:辛辣|生冷|海鲜)|不(?:吃|喝|抽|沾|能吃|能喝"
    r"|能碰)(?!了吗|吗)\S{1,6}"
    r"|(?:我|咱|我们|家里|他|她)(?:\S{0,3}?)(?:戴|信)(?:\S{0,4}?)(?:眼镜|假牙|佛|教|基督|道"
    r"|伊斯兰|助听)|信(?:佛|基督|天主|伊斯兰|道教)"
    rf"|(?:我|我们|咱|我家|家里)(?:的)?{_CHINESE_KIN}(?:叫|是|在|有|今年|刚|住|做|当|上|去|读|开"
    rf"|会|不|也|又|马上|快|已经|才|生|属|得|退|结|离|考|搬|来)"
    r"|(?:狗|猫|兔子|仓鼠|鹦鹉|乌龟|金鱼)(?:死了|走了|丢了|生病|没了)"
    rf"|{_CHINESE_KIN}(?:去世|过世|走了|生病|病了|出生|结婚|离婚|订婚|退休|上小学|上初中|上高中"
    rf"|上大学|上幼儿园|高考|中考)"
    rf"|有(?:[一两三四五几\d]+)?(?:个|对|条|只|位)(?:\S{{0,3}})(?:{_CHINESE_KIN}|狗|猫|兔子|仓鼠"
    rf"|鹦鹉|乌龟|金毛|柯基|泰迪|布偶|橘猫|英短)"
    r"|(?:养|领养|收养)(?:了|着|过)?\S{0,5}(?:狗|猫|兔|仓鼠|鹦鹉|龟|鱼|金毛|柯基|泰迪|布偶|橘猫"
    r"|英短|鸟|马)"
    r"|(?:我家|我们家|家里)(?:的)?\S{0,4}(?:狗|猫|兔子|仓鼠|鹦鹉|乌龟)\S{0,2}(?:叫|是|今年|\d"
    r"|[一两三四五六七八九十]岁)"
    r"|我(?:现在)?(?:是|当|做)\S{0,8}(?:师|员|工|生|医|护士|老板|司机|经理|主管|总监|会计|律师"
    r"|警察|军人|导游|厨子|博主|编辑|记者|顾问|学徒|自由职业)"
    r"|我(?:现在)?在\S{1,12}(?:工作|上班|上学|读书|读研|读博|实习|打工|教书|当|做)|我(?:教|学的?"
    r"|主修|攻读)(?!得|会)\S{2,}"
    r"|我(?:上|值|倒|值的是)(?:夜班|早班|晚班|三班倒)|我\S{0,3}(?:辞职|离职|失业|退休|跳槽|升职"
    r"|转正|入职|被裁|创业)|拿到\S{0,8}(?:offer|工作|录取|职位)|接了\S{0,6}offer"
    r"|我(?:们|家)?(?:有|没有?|没买|买了|卖了|开的?|骑的?|租了?"
    r"|养)(?:一?[辆台套栋间部架艘把只条]|辆|台|套)\S{2,}|(?:我|我们|家里|我家)没有?(?:车|房|电视"
    r"|空调|冰箱|暖气|电梯|网)"
    r"|我(?:更喜欢|不想|只想|不要|不爱|想要)(?![你您她他它这那和跟说再动聊想])\S{2,8}[。]?\Z|我不?(?:会|能)(?:说|讲|弹|拉|吹|写|修|开|游泳|骑|唱|跳舞|做饭|[\u4e00-\u9fff]{1,2}[语话文])"
    r"|我(?:\S{0,2})(?:最喜欢|不喜欢|讨厌|爱吃|爱喝)(?![你您他她它这那和跟])\S{2,8}[。]?\Z"
    r"|我(?:已婚|未婚|单身|离异|离婚|结婚|丧偶|订婚)\S{0,3}|(?:共同)?抚养(?:孩子|权)|我(?:恐"
    r"|怕)(?:高|黑|水|狗|蛇|虫)"
    r"|我(?:是|来自|老家)?\S{0,6}人(?=[，。！]|\Z)|我(?:\d{2}"
    r"|[一二三四五六七八九十]{1,3})(?:年的|岁)|老家(?:是|在)?\S{2,}|从小在\S{2,}",
)
_NOT_SO = re.compile(
    r"\b(?:if|would|could|might|maybe|perhaps|wish|wonder|imagine|pretend|suppose|hypothetically"
    r"|should i|as if|like a|what if)\b"
    r"|如果|要是|假如|假设|万一|也许|可能|大概|好像|仿佛|会不会|是不是|想象",
)
_HAN = re.compile(r"[\u3400-\u9fff]")


def is_personal(sentence: str) -> bool:
    """Whether a sentence says something lasting about a person.

    >>> is_personal("I am allergic to peanuts"), is_personal("我家养了两只猫")
    (True, True)
    >>> is_personal("If I were allergic to peanuts, I would know."), is_personal("The tree is old.")
    (False, False)
    """
    pattern = _CHINESE if _HAN.search(sentence) else _ENGLISH
    text = sentence.lower().replace("’", "'")
    return pattern.search(text) is not None and _NOT_SO.search(text) is None
