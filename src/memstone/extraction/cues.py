"""Turns of phrase that show what a sentence does: decide, prefer, plan, change, name, explain.

One table a language, tried in order; the first class that matches names the sentence. The phrases
are those people use in chats, not those of a grammar book; where none matches, a sentence can still
be salient by what it names (`salience`).
"""

from __future__ import annotations

import re
from enum import StrEnum


class Cue(StrEnum):
    """What a sentence does, strongest first."""

    DECISION = "decision"
    TASK = "task"
    PREFERENCE = "preference"
    APPOINTMENT = "appointment"  # a deadline, a visit, a date that is fixed
    IDENTITY = "identity"
    CHANGE = "change"
    CAUSE = "cause"
    PLAN = "plan"
    EVENT = "event"


def _any(*phrases: str) -> re.Pattern[str]:
    """The phrases as one pattern for text in lower case: faster than one that ignores case."""
    return re.compile("|".join(phrases))


_ENGLISH = (
    (
        Cue.PREFERENCE,  # said outright; it goes before what merely sounds like a decision
        _any(
            r"\b(?:i|we) (?:really |also |just |do(?:n'?t| not) |never |would |always |still "
            r"|absolutely |usually )*(?:prefer|like|hate|love|dislike|can'?t stand|rather)"
            r" (?!to (?:go|use|do|take|have) with)(?!(?:it|this|that|these|those|them|you|how"
            r"|when|what)\b)\w",
        ),
    ),
    (
        Cue.DECISION,
        _any(
            r"\b(?:decid\w+|decisions?|agreed (?:to|on|that)|settled? (?:on|for|it)"
            r"|(?:we|i|let)'?(?:ll|s)? (?:go|going|went|stick|stay) with|go(?:ing)? with"
            r"|opt(?:ed)? (?:for|to)"
            r"|chose|chosen|choose|pick(?:ed)? (?:the|a|option)|final(?:ised|ized| call"
            r"| answer)|it'?s settled|sign(?:ed)? off|approved|ruled out|rejected|dropp(?:ed"
            r"|ing) the|postponed|cancel+ed|booked|scheduled|from now on|policy is"
            r"|rule is|(?<!you )must (?:always|never|be)|always use|never use)\b",
            r"\b(?:put|count|sign) me (?:down|in|up)\b",
            r"\blet'?s (?:use|do|make|keep|meet|move|switch|call|set|say|stick|drop|skip|start"
            r"|take|go|have|not|leave|order|book|plan|try|hire|invite|buy|paint|cancel|wait"
            r"|split|scrap"
            r"|ditch|bring|add|put|run|pick|get|hold|give)\b",
            r"\bwe(?:'ll| will| should| shall) (?:use|ship|launch|meet|keep|deploy|release"
            r"|migrate|drop|move|switch|start|do)\b",
            r"\bi'?ll (?:take|go for|have) the\b",
            r"\b(?:we|i|they)(?:'re| are|'m| am)? (?:going (?:with|for)|went (?:with|for)"
            r"|not (?:renewing"
            r"|doing|going|buying|hiring|using|taking))\b|\A(?:going with|go for|scrap|skip|drop"
            r"|ditch"
            r"|cancel|forget)(?: \w+){1,6}|\bdecid\w+ (?:against|not)|\bwe (?:passed on|settled"
            r"|landed on"
            r"|voted|shortlisted)\b|\b\w+ it is\b(?! what)|\bwe(?:'re| are) (?:keeping|dropping"
            r"|using"
            r"|moving (?:ahead|forward)|switching)\b",
        ),
    ),
    (
        Cue.TASK,
        _any(
            r"\b(?:remind (?:me|us)|don'?t (?:let me )?forget|remember to|to-?do|(?:need|needs"
            r"|have|has|got|ought|supposed) to|gotta|make sure"
            r"|(?<!all you )must(?! have| be\b|'ve| feel)|by (?:monday|tuesday|wednesday"
            r"|thursday|friday|saturday|sunday"
            r"|tomorrow|tonight|noon|eod|the end|next)|still (?:have|need|missing|waiting"
            r"|open)|follow up|pick(?:ing)? up|needs? (?:doing|fixing|new)|needs a|action item"
            r"|next step"
            r"|waiting (?:for|on)|haven'?t (?:yet|sent|paid|done|booked|heard|told|finished"
            r"|filed|called)|should (?:order|call"
            r"|book|buy|send|check|fix|renew|pay|ask|write|replace)|owe|owes|(?:can|could"
            r"|would|will) you (?:please )?(?:send|check|book|call|fix|add|update|write|review"
            r"|prepare|order|look))\b",
            r"\b(?:i|we)(?:'ll| will)(?: have to| need to)? (?:send|call|book|check|fix|write"
            r"|update|pay|buy|order|email|ask|finish|prepare|review|pick|drop|bring|submit"
            r"|renew)\b",
            r"\A(?:please )?(?:book|ask|call|send|buy|order|pay|renew|submit|return|cancel|email"
            r"|text"
            r"|collect|fetch|print|sign|schedule|arrange|water|feed|wash|clean|replace|post) "
            r"(?!you\b|me\b(?! a)|it\b)\w",
        ),
    ),
    (
        Cue.APPOINTMENT,
        _any(
            r"\b(?:deadlines?|due (?:by|on|date|next|this|in|at|tomorrow|today)|appointments?"
            r"|expires?|runs? out|reservations?"
            r"|(?:flight|train|bus|meeting|standup|dentist|doctor|vet|interview|exam|test|wedding"
            r"|funeral|party|dinner|lunch|class|lesson|course|check-?up|surgery|call|demo|review"
            r"|launch|release|concert|game|match|delivery|viewing|inspection|ceremony|workshop)s? "
            r"(?:is|are|at|on|starts?|leaves?|lands?|takes|will|got|has)"
            r"|(?:arrives?|lands?|departs?|leaves?|starts?|begins?|opens?|closes?|ends?|visits?"
            r"|comes?"
            r"|flies|fly|lasts) (?:\w+ )?(?:at|on|in|next|this|tomorrow|today|until|from|to|\d)"
            r"|slips? to)\b"
            r"|\b(?!i\b|we\b|it\b|that\b|this\b|there\b|what\b|you\b)[\w']+ (?:is|are) (?:\w+ )?"
            r"(?:moving|coming|visiting|leaving|flying|arriving|staying)\b",
        ),
    ),
    (
        Cue.PREFERENCE,
        _any(
            r"\b(?:prefer\w*|favou?rites?|allerg\w+|vegan|vegetarian|intoleran\w+|can'?t stand"
            r"|not (?:a|much of a|my) (?:fan|thing)|(?:big|huge) fan|would(?:n't)? rather"
            r"|(?:i|we)'d rather"
            r"|rather (?:have|not|you|we|be|than)|(?:hates?|dislike\w*|loves?|adore\w*|enjoy\w*)"
            r"(?! (?:this|that|these|those|it|them|ya|you)\b)"
            r"|(?:i|he|she|they|we|do(?:n't|es|esn't)?) (?:really |also |never )?"
            r"(?:like|likes|eat|eats|drink|drinks|wear|wears|use|uses)|keen on|(?:'m|am|is|are"
            r"|not|really|so|get|getting|got) into"
            r"|\A(?:please )?(?:answer|reply|respond|write|explain|address"
            r"|speak)(?: to)?(?: me)? (?:in|with|as"
            r"|formally|informally|briefly|only)\b|always (?:drink|eat|have|order|wear|take|use"
            r"|sit|fly)|scared of|afraid of"
            r"|\A(?:no|never|always|extra|less|more) \w+ (?:\w+ )?(?:for me|please|in my)"
            r"|, (?:not|never) \w+\Z|obsessed with|fond of|sick of|tired of|go-?to"
            r"|please (?:always|never|keep|use"
            r"|don't|write|answer|call|reply)|keep (?:it|your answers|answers|replies)|no "
            r"(?:sugar|onions?|nuts|meat|dairy|emojis?))\b",
        ),
    ),
    (
        Cue.IDENTITY,
        _any(
            r"\b(?:my name|call me|i'?m called|i(?:'m| am) (?:a|an|the|from|based|\d+"
            r"|in charge|responsible|married|single)|i "
            r"(?:live|work|study|teach|run|own|grew up|was born|graduated|come from)|we "
            r"(?:live|work|run|own)|(?:my|our) (?:[\w']+ ){1,3}(?:is|are|was|were)"
            r"|my (?:wife|husband|partner|son|daughter|kid|kids|mum|mom"
            r"|mother|dad|father|brother|sister|boss|manager|team|company|dog|cat|birthday"
            r"|address|phone|email|job|blood type|doctor|flight|car|landlord|neighbou?r"
            r"|colleague|friend|aunt|uncle|grandma|grandpa|grandmother|grandfather|roommate"
            r"|girlfriend|boyfriend|fianc\w+)(?:'s)?)\b",
            r"\b(?:budget|rent|price|salary|cost|fee|deposit|limit|quota|rate|address|number"
            r"|code|email"
            r"|e-mail|phone|size|height|weight|password|pin|branch|repo|repository|server|port"
            r"|url|host"
            r"|database|stack|backend|frontend|wifi|key|version|licen[sc]e|plate|account)s? "
            r"(?:is|are|was|were|runs?|lives?|of|costs?|ends)\b",
            r"\bi (?:earn|make|pay|weigh|wear|was born|use|drive|own|play|speak|take|keep"
            r"|don'?t have)\b"
            r"|\b(?:we|the team|prod|production|staging|ci) (?:use|uses|deploy|deploys|run|runs"
            r"|host|pay)\b",
        ),
    ),
    (
        Cue.CHANGE,
        _any(
            r"\b(?:no longer|not any ?more|anymore|instead(?: of)?|switch(?:ed|ing)? (?:to"
            r"|from|over)|chang(?:ed|ing)|replac(?:ed|ing|es)|mov(?:ed|ing) (?:to|from|in|out"
            r"|into|back)|now (?:uses?|on|at|lives?|works?|costs?|runs?)|used to|as of"
            r"|starting (?:from|next|this|on)|since (?:last|then|january|february|march|april"
            r"|may|june|july|august|september|october|november|december|\d)|rais(?:ed|ing)"
            r"|lowered|increased|reduced|upgrad\w+|migrat\w+|renamed|quit|resigned|retired"
            r"|promoted|hired|joined|left (?:the|my)|takes? over|took over|taking over|takeover"
            r"|hand(?:s|ed|ing)? (?:it |this |that |\w+ )?over|steps? (?:down|in)|stepp(?:ed"
            r"|ing) (?:down|in)"
            r"|succeed(?:s|ed) \w+|in charge of|will (?:lead|handle|own|cover|run|join)|leads"
            r"|handles"
            r"|is (?:our|my|the) new|joins (?:us|the|our)|(?:new|acting) (?:manager|lead|contact"
            r"|boss|owner"
            r"|head|director|teacher|tutor|landlord|doctor|supplier)|fills? in for|covers? for"
            r"|(?:is|was|got|been) (?:stolen|sold|broken|fired|serviced|repaired|cancelled"
            r"|closed))\b",
        ),
    ),
    (
        Cue.CAUSE,
        _any(
            r"\b(?:turn(?:s|ed) out|because|root cause|the (?:problem|issue|reason|cause"
            r"|culprit|fix|trick|solution|answer|catch|bug) (?:is|was|turned)|fixed (?:by|it"
            r"|the|in)|works? (?:if|when|once|only|now)|only works?|fails? (?:if|when|because"
            r"|with|on)|caused by|due to|solved|workaround|you (?:need|have) to|depends on"
            r"|requires?|means that|so that)\b",
        ),
    ),
    (
        Cue.PLAN,
        _any(
            r"\b(?:going to|gonna|planning|plan to|plans? (?:is|are|for)|(?:i|we|he|she|they)"
            r"(?:'ll| will| shall)|next (?:week|month|year|monday|tuesday|wednesday|thursday"
            r"|friday|saturday|sunday|summer|spring|winter|fall|autumn|weekend|term|semester"
            r"|quarter)|tomorrow|tonight|this (?:weekend|friday|summer|month|year|term)"
            r"|upcoming|soon|thinking (?:of|about)|considering|hoping to|want to|wanna"
            r"|would like to|looking (?:for|forward|into)|saving (?:up )?for|applying|applied"
            r"|training for|goal)\b",
            r"\b(?:is|are|am|'s|'re|'m) (?:\w+ )?(?:moving|coming|visiting|starting|leaving"
            r"|getting|taking|flying|having|opening|launching|closing|arriving)\b",
        ),
    ),
    (
        Cue.EVENT,
        _any(
            r"\b(?:(?:i|we|he|she|they|it) (?:just |also |recently |finally |even |already )?"
            r"(?:(?!need|lov|lik|miss|want|hop|worri|seem|expect|wonder|wish|enjoy|guess)\w+ed"
            r"|went|got|bought|had|made|took|met|saw|found|lost|won|ran|came|gave|told"
            r"|wrote|built|began|left|felt|broke|sold|sent|spent|taught|thought|read|ate|drove"
            r"|flew|grew|held|kept|paid|put|set|sat|slept|spoke|stood|swam|threw|wore|became"
            r"|brought|caught|chose|drew|fell|forgot|hurt|learnt|led|lent|quit|rode|sang))\b",
            r"\b(?:yesterday|last (?:night|week|month|year|summer|winter|spring|fall|weekend"
            r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday)|(?:a|two|three|few"
            r"|\d+) (?:days?|weeks?|months?|years?) ago|recently|the other day|this morning"
            r"|for (?:\w+ )?(?:years|months|weeks))\b",
        ),
    ),
)

_CHINESE = (
    (
        Cue.PREFERENCE,
        _any(
            r"我们?(?:\S{0,3})(?:不(?:太)?喜欢|最?喜欢|讨厌|更爱|偏爱|受不了|宁愿|宁可|习惯用)"
            r"(?![你您他她它这那])",
        ),
    ),
    (
        Cue.DECISION,
        _any(
            r"决定|定在|定为|定下|定了|敲定|商定|说好了?|约好|约定|确定(?:了|为|用|在|是)|最终"
            r"|最后(?:选|用|定|还是)|还是(?:用|选|去|按"
            r"|走)|就(?:用|定|选|按|去|买|订|走|要|放|改|叫|周|星期|明天|后天)|咱们?(?:就|还是"
            r"|用|去)|我们(?:就|还是)|我还是|我就(?:用|选|要|订|定|买|去|不)|选(?:了|定|择|用"
            r"|\S{0,4}的)|采用"
            r"|改用|不再|以后(?:都|就|统一|一律)|统一(?:用|为|改)|一律|规定|必须|通过了|批准"
            r"|否决|取消了?|推迟|延期|提前到|订了|报名了?"
            r"|预约了?|预订|拍板|达成|同意(?:了|用|由)|放弃(?!吧|啊|了)|不(?:续|做|买|去|用|选"
            r"|请|办)\S{0,4}了|没选|(?:拒|批|否|推掉)了|没批|没过审|不选|选(?:便宜|贵|大|小|第"
            r"|那|这)"
            r"|砍(?:了|掉)|那就\S|推(?:到|迟)|顺延",
        ),
    ),
    (
        Cue.TASK,
        _any(
            r"\A(?:去|先|再)?(?:买|取|交|寄|订|拿|送|接|缴|充|续|打印|倒|喂|浇|晾)(?!了|过|得"
            r"|完)\S{2,10}\Z|\A把\S{2,}(?:发|给|寄|送|交|拿|带|还|转|放|搬|删)|\A等\S{2,}(?:回复"
            r"|消息|通知|审批|结果|电话|确认|到货|签字)|忘了(?!吧|我|你|他|她)\S{1,}"
            r"|\A到\S{2,}(?:找|取|拿|交|领)\S|得(?:配|看|修|换|补|找|问|回)\S{1,}|还没(?:跟|和"
            r"|给|告诉)\S{2,}|记得|别忘了?"
            r"|提醒我|提醒一下|待办|需要(?:在|先|去|把|给|你|我|重新|补|尽快)|要(?:在|先|去|把"
            r"|给|交|买|做|写|改|完成|提交|准备"
            r"|联系|付|还|续|办)(?!是|会)|得(?:接|送|去|带|回|寄|在|先|去|把|给|交|买|做|写|改"
            r"|完成|提交|准备|联系|赶紧|尽快|抓紧)|务必|之前(?:交|完成|提交|给"
            r"|要|得|必须)|[前内](?:交|完成|提交|搞定|发|给)|还(?:没|差|缺|欠|剩)|尽快|抓紧"
            r"|下一步|接下来|跟进|[在还]等\S{2,}|(?:车|房|证|照|险|护照|合同|会员)?该\S{1,6}了"
            r"|欠\S{1,6}(?:钱|块|元|人情)|还欠|(?:再|多)(?:订|买|打印)点?"
            r"|找\S{1,4}(?:要|拿|签|借|问)|(?:还没|没)(?:报|交|付|寄|办|回|还)|要给\S{1,8}(?:打"
            r"|发|寄|回|买)|去(?:取|拿|寄|接|办)\S|等(?:着|他|她|对方|客户"
            r"|回复|审批|通知)|帮我(?:把|订|买|查|约|记|改|写|发)|麻烦(?:把|帮)|负责|安排"
            r"|由\S{1,6}(?:来|负责|跟进)",
        ),
    ),
    (
        Cue.APPOINTMENT,
        _any(
            r"\S{2,}(?:今晚|今天|明天|明早|明晚|后天|周[一二三四五六日])(?:到|来(?!了)|走|回"
            r"|出发|飞)|截止|到期|过期|最后期限|预约(?:在|的)|婚礼|葬礼|追悼会|面试|考试|开会"
            r"|例会|站会|周会|体检|看牙|看医生|复查|手术|航班|高铁|火车|飞机|落地|起飞"
            r"|到站|报到|开学|放假|发布会|上线|交付|演出|聚餐|饭局|聚会|家长会|(?:爸妈?|妈妈?"
            r"|父母|朋友|同学|客户|\S{2})\S{0,4}来(?:吃|住|看|访|我家|接)"
            r"|(?:号|日|点|周[一二三四五六日末]|明天|后天|下周|下个?月|月底|年底)(?:到|来|走"
            r"|出发|回来|开始|结束)(?!了吗)"
            r"|[一二三四五六七八九十\d]+月(?:份|底|初|中旬)?(?:飞|去|回|到|离|入|搬|结)",
        ),
    ),
    (
        Cue.PREFERENCE,
        _any(
            r"喜欢|最爱|偏好|偏爱|更(?:喜欢|爱|想|愿意|习惯)|宁愿|宁可|习惯(?:用|了|于)?(?!就好|就行|啦)|讨厌"
            r"|不爱|不喜欢|受不了|过敏|忌口|不吃|不喝|吃不了"
            r"|喝不了|吃素|不能(?:吃|喝|碰|用)|(?:特别|很|最|超|真|就)爱|爱(?:吃|喝|看|听|玩|用)"
            r"|想要|希望(?:[你您]?(?:以后|能|用|别|不|回复|回答)|回复)|请(?:用|以后|不要|别|尽量"
            r"|始终"
            r"|一直|叫我)|别(?:用|加|放|给|再)|不要(?:用|加|放|再|辣|糖)|不(?:放|加)\S{1,4}"
            r"|最(?:喜欢|讨厌|怕|想)|感兴趣|迷上|只(?:喝|吃|用|穿|坐|看|要|住)|要(?:靠|加|少|多"
            r"|半|全|\S分熟)|能\S{1,6}就不|尽量\S{1,6}|回答(?:我|尽量|要|得)"
            r"|以后(?:用|别|不要|请|都用)|换成\S{2,}|\A(?:请)?用\S{1,8}(?:回答|回复|写|说|解释)"
            r"|(?:语气|口吻|风格|格式|篇幅|字数|措辞)\S{2,}|(?:少|多|免|去|无)(?:糖|冰|辣|盐|油)"
            r"|一般\S{1,4}点(?:起|睡|吃|下班|上班)|怕"
            r"(?:辣|冷|热|高|狗|吵)|对\S{1,8}没兴趣",
        ),
    ),
    (
        Cue.IDENTITY,
        _any(
            r"我(?:叫|姓|是(?!说|想|觉得|不|的)|住|在\S{1,12}(?:工作|上班|上学|读|当)|属|今年\d"
            r"|今年[一二三四五六七八九十]|来自|老家"
            r"|毕业|学的|负责|做\S{1,6}的|的(?:名字|生日|电话|手机|邮箱|地址|血型|身高|体重|车牌"
            r"|工号|座位|专业|导师|医生|老板|领导|航班))"
            r"|我(?:家|爸|妈|老公|老婆|爱人|儿子|女儿|孩子|哥|姐|弟|妹|奶奶|爷爷|外婆|外公|姥姥"
            r"|姥爷|室友|同事|男友|女友|男朋友|女朋友|闺蜜|公司"
            r"|单位|部门|团队|领导|老板|狗|猫)|我们?的\S{1,6}(?:是|叫|为)|(?:预算|房租|租金|工资"
            r"|年薪|月薪|押金|价格|费用|门禁|密码|邮箱|电话|手机号?|地址|微信|账号|尾号|车牌"
            r"|尺码|鞋码|新家"
            r"|钥匙|代码|仓库|服务器|生产环境|测试环境|数据库|后端|前端|部署|缩进|接口|分支|端口"
            r"|版本|打印机|路由器|日志|备份|钥匙|证件|文件|合同|流水线)(?:是|进|存|在|叫|为|用"
            r"|走|上|放|只能|超过|跑|每|\S{0,3}[\d一二三四五六七八九十百千两])"
            r"|我们?(?:后端|前端|团队|组|公司|一直|平时|都)?(?:用(?:的是)?|开|骑|住"
            r"|穿)(?!心)\S{2,}|(?:新来?的|新)(?:主管|经理|老板|领导|同事|联系人|老师|房东|负责人"
            r"|室友)"
            r"|\S{2,}(?:在|落在|放在?|停在?|藏在?|存在|搁)\S{1,8}(?:里|上|下|面|家|那儿|边|楼|间"
            r"|座|室|店|库|所|街|路|柜|门口|抽屉)了?[。！]?\Z"
            r"|\A在\S{2,}家\Z|\S{2,}(?:没有|没)(?:网|电|水|信号|空调|电梯|暖气|车位|停车)"
            r"|大家都叫|(?:组|团队|公司)\S{0,3}[一二三四五六七八九十\d]+个?人|叫我|生日(?:是|在)"
            r"|户口|籍贯",
        ),
    ),
    (
        Cue.CHANGE,
        _any(
            r"改(?:成|为|到|在|名|用)|换(?:成|到|了|为|去)|搬(?:到|去|家|进|出|走|来)|调(?:到"
            r"|整为|成|高|低|岗)|升(?:到|级|职"
            r"|为)|降(?:到|为|低)|涨(?:到|了)|从\S{1,14}(?:改|换|搬|变|升|降|调|迁|切)|变(?:成"
            r"|为|更)|不是\S{1,12}"
            r"(?:而是|是)|现在(?:改|用|是|在|住|换|归)|以前\S{1,16}现在|辞职|离职|戒(?:了|掉)"
            r"|戒[烟酒糖]|跳槽|退休|入职|转(?:到|岗|正|学|用)|迁移|切换|更新"
            r"(?:为|到)|重命名|不干了|停用|弃用|替换|接替|接手|接任|接管|交接|顶替|代替|离队"
            r"|离开(?:团队|公司|项目)|由\S{1,8}(?:处理|管|对接|带|接|主持)"
            r"|(?:用|卖|花|耗)(?:完|光)了|不够了|(?:去世|过世|被偷|被盗|失窃|弄坏|坏掉|定居|落户"
            r"|订婚|分手)了?|\S{2,}(?<![极坏透疯])(?:卖|砍|丢|停|关|退|断|修|拆|炸|挂)了",
        ),
    ),
    (
        Cue.CAUSE,
        _any(
            r"原来是(?!这样|如此)|因为|原因(?:是|在)|问题(?:是|出在|在于)|根因|罪魁|结果(?:是"
            r"|发现)|发现(?:是|了)?|查(?:出|到|明|了)|解决(?:了"
            r"|办法|方案|方法)|只要\S{1,14}就|只有\S{1,14}才|需要\S{1,12}才|得\S{1,12}才|修(?:好"
            r"|复)|搞定(?:了|是)|导致"
            r"|引起|由于|报错|重启\S{0,6}就|加上\S{1,12}就|依赖",
        ),
    ),
    (
        Cue.PLAN,
        _any(
            r"打算|计划|准备(?:去|在|买|考|换|做|参加|学|报|把)|想(?:去|买|学|换|考|做|试|找|把"
            r"|给|在|养|报)|将(?:要|在|于|会)|要"
            r"(?:去|来|考|搬|结婚|生|开|出差|回|参加|飞|动手术|住院|换|装修|毕业)|会(?:去|来|在"
            r"|把|给)|想(?:换|转|改|试|养|搬|读|当)|[在正](?:练|学|攒|找|备考|备孕|考虑|申请|筹)"
            r"|攒钱|下(?:周|个月|星期|礼拜|学期|半年"
            r"|季度)|明(?:天(?!见)|年|早|晚)|后天|大后天|周末(?!愉快|快乐|过得|了)|月底|年底"
            r"|年初|国庆|春节|元旦|五一|暑假|寒假|目标(?:是|定)|考虑|在(?:考虑|准备|备考|学|攒|找"
            r"|装修)",
        ),
    ),
    (
        Cue.EVENT,
        _any(
            r"昨(?:天|晚|儿)|前(?:天|年|阵子|几天|段时间)|上(?:周|个月|星期|礼拜|学期|次)|去年"
            r"|今早|刚(?:刚|才)?(?:买|去|从|到|收|做"
            r"|把|拿|搬|入|参|交|完|生|换|考|通)|最近(?:在|买|去|开始|学|换|搬)|(?:买|去|做|拿"
            r"|收|参加|完成|考|通过|丢|弄丢|摔|坏|生"
            r"|养|学会|认识|结婚|离婚|毕业|住院|手术|出院|退|赢|输|拜访|见|碰到|搬|报|交|付|花"
            r"|借|还|签|投|领养|怀孕|生病|感冒|受伤|骨折|获奖"
            r"|得了?)(?:了|过|完|到)|终于|第一次|[一二两三四五六七八九十几\d]+(?:年|个月|天|周"
            r"|次)(?:前|了)",
        ),
    ),
)

_HAN = re.compile(r"[\u3400-\u9fff]")


def cue_of(sentence: str) -> Cue | None:
    """What a sentence does by its phrases, None if no phrase shows it.

    >>> cue_of("Let's use Postgres for the queue."), cue_of("咱们就定周五吧"), cue_of("A tree.")
    (<Cue.DECISION: 'decision'>, <Cue.DECISION: 'decision'>, None)
    """
    table = _CHINESE if _HAN.search(sentence) else _ENGLISH
    text = sentence.lower().replace("’", "'")
    return next((cue for cue, pattern in table if pattern.search(text)), None)
