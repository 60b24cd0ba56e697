"""The patterns of the Chinese assertions, special ones before general ones.

Each is matched from the beginning of a clause; the function beside it makes the assertion.
"""

from __future__ import annotations

import re

from memstone.extraction import mandarin_builders as build
from memstone.extraction import mandarin_words as words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memstone.extraction.mandarin_builders import Reader

_SELF = words.SELF
_WHO = r"(?P<who>(?!现在|目前|如今|已经|最近|他们|她们|我们|大家|自己)[\u4e00-\u9fff]{2,4}?)"
_ADVERB = (
    r"(?:现在|目前|如今|已经|已|最近|刚刚?|又|都|一直|平时|其实|真的?|特别|非常|很|最|超级?|还是?|挺|蛮|比较|也|就|改|正式|终于|后来"
    r"|这个月|上个月|上周|今年|去年|不再|再也)*"
)
_IS = (
    r"(?:现在|目前|已经|已|最终|最后|又|都|暂时|临时)*(?:正确的?)?(?:是|为|改(?:成|为|到|在|用|叫|约到|至)|变(?:成|为|更为)"
    r"|换(?:成|为|到|了)|调(?:整)?(?:成|为|到|高到|低到|至)"
    r"|定(?:在|为|成|到)|提(?:高|升|前)?(?:到|至)|推迟(?:到|至)|延(?:期|后|长)?(?:到|至)|降(?:低)?(?:到|至|为)|涨"
    r"(?:到|至)|增加(?:到|至)|减(?:少)?(?:到|至)"
    r"|升(?:级)?(?:到|为|至)|挪到|移到|迁移到|放宽(?:到|至)|收紧(?:到|至)|压(?:缩)?(?:到|至)|控制在|不超过|最多(?:是)?"
    r"|至多|叫|等于|＝|=|：|:)(?:了)?"
)

READERS: tuple[tuple[re.Pattern[str], Reader], ...] = (
    (re.compile(r"(?:请|你|你可以|大家|以后|可以)*叫我(?P<value>\S{1,12})"), build.simple("name")),
    (
        re.compile(
            rf"{_SELF}{_ADVERB}(?:叫(?:做)?|名叫|改名(?:叫|为|成)?)(?P<value>[^，,。！在住是]{{1,12}})"
        ),
        build.simple("name"),
    ),
    (re.compile(rf"{_SELF}的?(?:真|新)?(?:名字|姓名){_IS}(?P<value>.+)"), build.simple("name")),
    (
        re.compile(
            r"(?P<who>我(?:的)?[\u4e00-\u9fff]{1,4})(?:名)?叫"
            r"(?P<value>[\u4e00-\u9fffA-Za-z ]{1,12})"
        ),
        build.simple("name"),
    ),
    (
        re.compile(
            rf"{_SELF}{_ADVERB}从(?P<old>[^，。搬]{{1,12}})(?:搬|迁)(?:家)?(?:到|去|来|回)了?(?P<value>.+)"
        ),
        build.simple("residence"),
    ),
    (
        re.compile(rf"{_SELF}{_ADVERB}(?:搬|迁)(?:家)?(?:到|去|来|进|回)了?(?P<value>.+)"),
        build.simple("residence"),
    ),
    (
        re.compile(rf"{_SELF}{_ADVERB}(?:住在?|定居在?|常住在?)(?P<value>.+)"),
        build.simple("residence"),
    ),
    (
        re.compile(rf"{_WHO}{_ADVERB}(?:住在|搬到了?|搬去了?)(?P<value>.+)"),
        build.simple("residence"),
    ),
    (
        re.compile(
            rf"{_SELF}{_ADVERB}(?:跳槽|转|调)(?:到|去)了?(?P<value>[^，。]+?)(?:工作|上班|任职|做\S+)?(?=[，。]|\Z)"
        ),
        build.simple("employer"),
    ),
    (re.compile(rf"{_SELF}{_ADVERB}(?:入职|加入)了?(?P<value>.+)"), build.simple("employer")),
    (
        re.compile(
            rf"{_SELF}(?:的)?{_ADVERB}在(?P<value>[^，。]{{1,20}}?)(?:工作|上班|任职|当\S+)(?=[，。]|\Z)"
        ),
        build.simple("employer"),
    ),
    (
        re.compile(rf"{_WHO}在(?P<value>[^，。]{{2,20}}?)(?:工作|上班|任职)\Z"),
        build.simple("employer"),
    ),
    (
        re.compile(
            r"(?P<thing>公司|单位|团队|我们公司|办公室|总部|服务器|机房|仓库|门店){1}(?:搬家了?)?(?:现在|目前|已经|已)*"
            r"(?:在|(?:迁移?|搬|移|挪)(?:到|去|至)了?)(?P<value>[^，。有]{2,20}?)(?:办公|上班)?了?\Z"
        ),
        build.located,
    ),
    (
        re.compile(rf"{_SELF}{_ADVERB}(?:是)?(?P<value>单身|结婚|离婚|订婚|已婚|未婚)(?:了|的)?\Z"),
        build.simple("marital status"),
    ),
    (re.compile(rf"{_SELF}{_ADVERB}是(?P<value>[^，。]{{2,20}})"), build.job),
    (
        re.compile(rf"{_SELF}(?:今年)?(?P<value>[\d一二三四五六七八九十]{{1,4}})岁\Z"),
        build.simple("age"),
    ),
    (
        re.compile(
            rf"(?:它|这|那|这部|这本)?(?:{_ADVERB})(?:成了|成为|变成了?|是)我最(?:喜欢|爱)的"
            rf"(?P<thing>[\u4e00-\u9fff]{{1,8}})\Z"
        ),
        build.favourite,
    ),
    (
        re.compile(
            rf"(?:{_SELF}的?)?{_ADVERB}(?:最喜欢|最爱|最钟意)(?:吃|喝|看|听|玩|用)?的"
            rf"(?P<thing>[\u4e00-\u9fffA-Za-z]{{0,8}}?){_IS}(?P<value>.+)"
        ),
        build.favourite,
    ),
    (
        re.compile(
            r"(?P<who>[\u4e00-\u9fff]{2,4}?)最(?:喜欢|爱)(?:吃|喝|看|听|玩|用)?的"
            r"(?P<thing>[\u4e00-\u9fff]{0,6}?)(?:是|变成)了?(?P<value>.+)"
        ),
        build.favourite,
    ),
    (
        re.compile(
            rf"(?P<purpose>[^，。从用]{{0,14}}?){_ADVERB}从(?P<old>[^，。]{{1,20}}?)(?:换|切换|迁移|切|改|转|迁"
            rf"|升级|过渡)(?:成|到|为|用|去)?了?(?P<value>[^，。]+)"
        ),
        build.use,
    ),
    (
        re.compile(
            rf"(?P<purpose>[^，。用]{{0,12}}?){_ADVERB}(?:用|拿)(?P<value>[^，。用]{{1,20}}?)(?:替换|代替"
            rf"|取代|替代)(?:了|掉了?)?(?P<old>[^，。]{{1,20}})"
        ),
        build.use,
    ),
    (
        re.compile(
            rf"(?P<purpose>[^，。用]{{0,8}}?){_ADVERB}(?:改|换)?用(?P<value>[^，。]{{1,24}}?)"
            rf"(?P<late>沟通|办公|交流|管理\S{{0,4}}|写\S{{0,4}}|做\S{{0,4}})?(?:了)?[，,、 ]*"
            rf"(?:不再?用|而?不是|停用了?|弃用了?|不用)(?P<old>[^，。]{{1,20}}?)(?:了)?\Z"
        ),
        build.use,
    ),
    (
        re.compile(
            rf"(?:{_SELF}){_ADVERB}(?:不再?用|不用|停用了?|弃用了?|抛弃了?)"
            rf"(?P<old>[^，。]{{1,20}}?)(?:了)?[，,、 ]*"
            rf"(?:改用|换成|而是用|现在用|改成|都用|用)了?(?P<value>[^，。]{{1,24}})"
        ),
        build.use,
    ),
    (
        re.compile(
            rf"(?:{_SELF})?{_ADVERB}(?:请|麻烦|都|一律|统一|尽量|始终|默认)*(?:用|以|使用|改用|说|写)"
            rf"(?P<how>{words.LANGUAGES})(?:来)?(?:回答|回复|答复|回|交流|沟通|写|输出|说|讲)?(?:我|吧|就行|即可"
            rf"|问题)*\Z"
        ),
        build.answers,
    ),
    (
        re.compile(
            rf"(?:{_SELF})?(?:回答|回复|答复|交流|输出)(?:请|都|一律|统一|改)*(?:用|使用|改用|改成|换成)"
            rf"(?P<how>{words.LANGUAGES})(?:吧|就行|即可)?\Z"
        ),
        build.answers,
    ),
    (
        re.compile(
            rf"(?P<thing>[\u4e00-\u9fff]{{2,8}}?)(?:从现在起|以后|请|都|一律|统一|改)*(?:用|使用|改用|改成|换成)"
            rf"(?P<how>{words.LANGUAGES})(?:写|来写|吧|就行|即可)*\Z"
        ),
        build.written_in,
    ),
    (
        re.compile(
            rf"(?:{_SELF})?(?:请|以后|把|你的|希望)*(?:回答|回复|答复|解释|答案)(?:请|都|要|得|尽量|可以|改得?|写得)*(?P<how>"
            rf"(?:更|再|尽量)?(?:简短|简洁|精简|简单|短|详细|详尽|长|别太(?:长|详细|啰嗦))\S{{0,4}})"
        ),
        build.length,
    ),
    (
        re.compile(
            rf"{_SELF}{_ADVERB}(?:更(?:喜欢|偏向|习惯|爱|偏好)|偏好|偏爱|宁愿(?:用|要|选)?)(?:用|吃|喝)?"
            rf"(?P<value>[^，。]{{1,12}}?)(?:而不是|，?(?:不喜欢|不要|不用))(?P<other>[^，。]{{1,12}})"
        ),
        build.prefer,
    ),
    (
        re.compile(
            rf"{_SELF}比起(?P<other>[^，。]{{1,12}}?)[，,]?{_ADVERB}更(?:喜欢|偏向|习惯|爱)"
            rf"(?P<value>[^，。]{{1,12}})"
        ),
        build.prefer,
    ),
    (
        re.compile(
            rf"{_SELF}{_ADVERB}(?:更喜欢|偏好|偏爱|喜欢)(?P<value>[^，。的]{{1,10}}的[^，。的]{{1,6}})\Z"
        ),
        build.prefer,
    ),
    (
        re.compile(
            rf"{_SELF}{_ADVERB}(?P<not>不太?|不怎么|没那么|再也不)?{_ADVERB}(?P<verb>喜欢|爱|讨厌|受不了|厌恶|反感|怕|吃"
            rf"|喝)(?P<thing>(?:吃|喝|看|听|玩|用)?[^，。；的]{{1,14}})"
        ),
        build.opinion,
    ),
    (
        re.compile(
            rf"(?P<thing>[\u4e00-\u9fff]{{1,8}})我{_ADVERB}(?P<not>不太?|不怎么|再也不)?{_ADVERB}"
            rf"(?P<verb>喜欢|爱|讨厌|受不了|吃|喝)(?:吃|喝|看|听|玩|用)?(?:了|的)?(?=[，。]|\Z)"
        ),
        build.opinion,
    ),
    (
        re.compile(
            rf"{_SELF}{_ADVERB}(?:对)(?P<thing>[^，。]{{1,12}}?)(?:腻了|没兴趣了|不感兴趣了|失去(?:了)?兴趣)"
        ),
        build.gave_up,
    ),
    (re.compile(rf"{_SELF}{_ADVERB}(?:戒掉?了|戒)(?P<thing>[^，。]{{1,8}})"), build.gave_up),
    (
        re.compile(
            r"(?P<who>[\u4e00-\u9fff]{2,3})(?P<not>不太?|不再)?(?P<verb>喜欢|讨厌|受不了)(?P<thing>(?:吃|喝"
            r"|看|听|玩|用)?[^，。；的]{1,12})"
        ),
        build.opinion,
    ),
    (
        re.compile(
            r"(?P<thing>[^，。改由是]{2,14}?)(?:现在|以后)?(?:改)?由(?P<value>[\u4e00-\u9fff]{2,4}?)(?:负责"
            r"|维护|接手|管|带|牵头|跟进|主持|看管)"
        ),
        build.done_by,
    ),
    (
        re.compile(
            rf"(?P<own>{_SELF}的?)?(?P<thing>[^，。是为]{{0,20}}?)(?:的)?"
            rf"(?P<attribute>{words.SINGLE_NAMES}){_IS}(?P<value>.+)"
        ),
        build.has_property,
    ),
    (
        re.compile(
            rf"(?P<own>{_SELF}的?)?(?P<thing>[^，。是为]{{0,20}}?)(?:的)?"
            rf"(?P<attribute>{words.SINGLE_NAMES})[ ]?(?P<value>\d.*)"
        ),
        build.has_property,
    ),
    (
        re.compile(
            r"(?P<thing>[\u4e00-\u9fff]{2,10}?)(?:现在|已经)?(?:改名)?(?:叫|名叫|名为|改称)(?:做|为)?"
            r"(?P<value>[^，。]{2,20})\Z"
        ),
        build.named,
    ),
    (
        re.compile(
            rf"(?P<thing>[^，。是为\d]{{2,14}}?)(?:最多|至多|不超过)(?P<value>{words.AMOUNT}.*)"
        ),
        build.limit,
    ),
    (
        re.compile(
            rf"(?P<thing>[^，。是为在\d]{{2,16}}?)(?:{_IS}|在)(?P<value>{words.MOMENT}|{words.AMOUNT})(?:举行"
            rf"|开始|召开|上线|发布|出发|发车|开|进行|交|截止|见)?(?:了)?\Z"
        ),
        build.typed,
    ),
    (
        re.compile(
            rf"(?P<thing>[^，。是为\d]{{2,16}}?)(?P<value>{words.MOMENT})(?:举行|开始|召开|上线|发布|出发|发车|起飞"
            rf"|开|截止)\Z"
        ),
        build.typed,
    ),
    (
        re.compile(
            rf"(?P<own>{_SELF}的)?(?P<thing>[^，。是为]{{2,16}}?)的"
            rf"(?P<attribute>[\u4e00-\u9fff]{{2,5}}){_IS}(?P<value>.+)"
        ),
        build.soft_property,
    ),
)
