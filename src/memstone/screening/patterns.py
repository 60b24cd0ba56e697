r"""The phrases of `screening`, by reason: regular expressions over a folded text.

They see lower case, one width, simplified Chinese, single blanks, no invisible characters. Every
gap is bounded, so that a search takes time in proportion to the text; each pattern begins with a
letter or a mark, never with a condition, so that it is tried only where that stands. A noun as
`instruction` is asked for beside the verb: `ignore the previous version` is everyday language.

Written one a paragraph: a line goes on in the next, and `{name}` stands for what `WORDS` says.
"""

from __future__ import annotations

import re
from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

OVERRIDE = "override"
ROLE_MARKER = "role_marker"
ADDRESSED = "addressed"
HIDDEN_TEXT = "hidden_text"
EXFILTRATION = "exfiltration"
CONCEAL = "conceal"
STANDING_ORDER = "standing_order"
DELIMITER = "delimiter"
COMMAND = "command"
REASONS = (
    OVERRIDE,
    ROLE_MARKER,
    ADDRESSED,
    HIDDEN_TEXT,
    EXFILTRATION,
    CONCEAL,
    STANDING_ORDER,
    DELIMITER,
    COMMAND,
)
"""override: drop what you were told. role_marker: a chat template's marks, or a forged system line.
addressed: speaks to whatever model reads it. hidden_text: characters nobody sees, orders in base64.
exfiltration: carry secrets out. conceal: keep it from the user. standing_order: answer so from now
on. delimiter: ends a block of notes. command: run what destroys or comes from the network.
"""

LEFT_OPEN = "_"  # before an English word it makes that a part of a name
_TRADITIONAL = (
    "無視規則設從現開須總應訴戶鑰發執運統話這個請對隱瞞憑證轉"
    "錄會務蓋別讓問詢萬絕禁價題語關與終輸顯當凡"
)
_SIMPLE = (
    "无视规则设从现开须总应诉户钥发执运统话这个请对隐瞒凭证转"
    "录会务盖别让问询万绝禁价题语关与终输显当凡"
)
SIMPLIFIED = {
    **{ord(old): new for old, new in zip(_TRADITIONAL, _SIMPLE, strict=True)},
    0x2018: "'",
    0x2019: "'",
    0x201C: '"',
    0x201D: '"',
}


@cache
def patterns() -> Mapping[str, tuple[str, ...]]:
    """Every reason that a phrase may give, with its patterns."""
    return {
        reason: tuple(_filled(one) for one in written.strip("\n").split("\n\n"))
        for reason, written in WRITTEN.items()
    }


def _filled(written: str) -> str:
    """A pattern on one line, its `{name}`s replaced."""
    line = "".join(map(str.strip, written.split("\n")))
    return re.sub(r"\{([a-z_]+)\}", lambda name: _filled(WORDS[name[1]]), line)


WORDS = {  # what patterns share
    "gap": r"""
    [\s*_"'`,]{1,4}
    """,
    "instructions": r"""
    (instruction|prompt|guideline|guidance|direction|directive|safeguard|guardrail
        |safety polic(y|ie)|safety (rule|restriction|measure)|programming)s?(?![a-z])
    """,
    "rules": r"""
    (rule|command|order|restriction|limitation)s?(?![a-z])
    """,
    "former": r"""
    (all|any|every|your|these|of|the|my|previous|prior|above|earlier|preceding|existing
        |former|original|initial|system|developer|safety|other|given|current)
    """,
    "own": r"""
    (your|previous|prior|above|earlier|preceding|former|original|initial|system|developer)
    """,
    "any": r"""
    ({own}|all|any|every|existing|safety)
    """,
    "ignore": r"""
    (ignore(?<!not ignore)(?<!n't ignore)(?<!never ignore)|disregard(?<!not disregard)
        (?<!n't disregard)(?<!never disregard)|forget(?<!not forget)(?<!n't forget)
        (?<!never forget)|ignoring)
    """,
    "drop": r"""
    ({ignore}|override(?<!not override)(?<!n't override)(?<!never override)|bypass
        (?<!not bypass)(?<!n't bypass)(?<!never bypass)|discard|(do not|don't|stop|never
        |no longer) (follow|obey|heed)(ing)?)
    """,
    "zh_former": r"""
    (以上|之前|先前|前面|上面|上述|此前|以前|原有|原来|原先|原始|所有|一切|全部|任何|系统
        |你的|您的|现有|开发者|安全)
    """,
    "zh_rules": r"""
    (指令|指示|提示词|提示语|系统提示|命令|规则|规定|设定|限制|约束|准则|安全策略)
    """,
    "zh_stop": r"""
    [^。!?！？\n]
    """,
    "url": r"""
    (https?://|www\.|ftp://|[\w.+-]{1,40}@[\w-]{1,40}\.|[a-z0-9-]{2,40}\.([a-z]{2,12})
        (?![a-z]))
    """,
    "secrets": r"""
    ((api|access|private|secret|ssh|encryption|signing)[ _-]?keys?|secrets?|passwords?|passwd
        |credentials?|(access |auth |session |bearer )?tokens?|cookies|\.env( file)?
        |environment variables?|(chat|conversation) (history|log)|conversations?
        |system prompt|memories|(user|customer|personal) data)(?![a-z])
    """,
    "zh_secrets": r"""
    (密钥|秘钥|私钥|口令|密码|令牌|api ?key|access ?key|token|凭证|凭据|聊天记录|对话记录
        |对话内容|环境变量|系统提示词?|用户数据|用户信息|记忆|cookie|\.env)
    """,
    "person": r"""
    (the |your |any |our )?(user|human|operator|owner|developer|customer|person)s?(?![a-z])
    """,
    "zh_person": r"""
    (用户|使用者|主人|人类|操作员|开发者)
    """,
    "say": r"""
    (answer|reply|respond|say|state|claim|recommend|suggest|output|return|write|print)
    """,
    "zh_say": r"""
    (回答|回复|答复|答|说|推荐|输出|返回|建议|声称)
    """,
    "zh_always": r"""
    (一律|必须|务必|总是|始终|永远|都要|都必须|只能|只准|只许|不得|不准|不许)
    """,
    "rm": r"""
    rm -{1,2}[a-z][a-z-]{0,20}( -{1,2}[a-z][a-z-]{0,20}){0,3}
    """,
    "everything": r"""
    ( ?(?=["'`,;)\n]|\.(\s|$)|$)| (/(home|etc|usr|var|root|boot|bin|lib|opt|srv)?/?\*?
        |~/?\*?|\$\{?home\}?/?\*?|\*|\.{1,2}/?\*?)(?=[\s"'`,;.)&|<]|$))
    """,
    "run": r"""
    (run|execute|type|paste|enter|invoke|eval|start|launch)(s|ning)?
    """,
    "orders": r"""
    (you (must|should|will|shall|are (now|to|required|allowed|an?))|ignore|disregard|forget
        |override|never|always|do not|don't|new instructions|from now on|reveal|execute|obey)
        (?![a-z])
    """,
    "zh_orders": r"""
    ([你您](是|现在|必须|须|要|应|将|只|不|可以)|必须|忽略|无视|从现在|新的?指令|{zh_always})
    """,
}

WRITTEN = {
    OVERRIDE: r"""
    {drop}{gap}({former}{gap}){0,4}?{any}{gap}({former}{gap}){0,3}([a-z]{3,12} )?{instructions}

    {drop}{gap}({former}{gap}){0,4}?safety (rule|restriction|measure|guideline|polic)

    {ignore}{gap}({former}{gap}){0,4}?{own}{gap}({former}{gap}){0,3}{rules}

    (ignore|disregard|forget){gap}(all|everything|anything|whatever)({gap}that)?{gap}(
        (is |was |came |written )?(above|before this)|you (were|have been|'ve been) (told
        |taught|instructed))

    {ignore} the (above|foregoing)( text| content)?( and|,| instead)(?![a-z])

    (ignore|disregard) (what|anything|everything|whatever) (the |your )?(developer|system
        |user|operator|owner)s? (told|said|asked|wants|wrote)

    (previous|prior|earlier|above|former|your) (instruction|prompt|directive)s? (is|are|was
        |were|has been|have been) (now |all |hereby )?(cancell?ed|void|revoked|superseded
        |no longer|obsolete|replaced|invalid|withdrawn)

    ^\W{0,6}(new|updated|real) (system )?instructions? ?:

    you are no longer (an? |the )?(helpful )?(ai|assistant|(large )?language model|chatbot)
        (?![a-z])

    your (new|real|actual|only|true|updated) (system )?(instructions?|orders?|directives?
        |rules?|task|goal|objective)( now)? (is|are)( now)?(?![a-z])

    you are (now|no longer) (dan(?![a-z])|jailbroken|unrestricted|bound by|(in |running in )?
        (developer|debug|god|admin|jailbreak|dan|maintenance) mode|free (from|of) (all|any
        |your)|an? (unrestricted|uncensored|unfiltered|evil))

    (act|behave|pretend|respond) as (if|though) you (had|have) no (rules|restrictions
        |guidelines|filters|limits)

    (忽略|无视|忘记|忘掉|忘了|(不要|不用|不必|别|不再)再?(理会|遵守|遵循|管|执行)|停止遵守
        |抛开|抛弃|绕过|推翻|覆盖|跳过|违反|作废){zh_stop}{0,6}{zh_former}{zh_stop}{0,8}
        {zh_rules}

    (把|将){zh_stop}{0,4}{zh_former}{zh_stop}{0,8}{zh_rules}{zh_stop}{0,6}(忘掉|忘记|忽略
        |作废|抛开|删掉)

    (忽略|无视|忘记){zh_stop}{0,4}(以上|之前|先前|上述|上面|前面)的?(所有|一切|全部)?(内容
        |要求|对话|说明)

    [你您](现在|已经?|将)(是|进入|处于|变成|不再受)[^。\n]{0,10}(开发者模式|越狱|没有
        (任何)?限制|不受(任何)?(限制|约束)|任何(限制|约束))

    {zh_former}{zh_stop}{0,6}(指令|指示|提示词|设定){zh_stop}{0,6}(作废|失效|无效|不再(有效
        |适用))

    [你您](已经?)?不(再)?是[^。\n]{0,8}(助手|人工智能|语言模型|ai(?![a-z]))

    [你您]的新(指令|任务|规则|设定|身份)(是|如下|:)
    """,
    ROLE_MARKER: r"""
    <\|[a-z][a-z_]{1,23}\|>

    \[/inst\]|<s> ?\[inst\]

    <</?sys>>

    </?(system|developer|assistant)([-_ ](prompt|message|reminder|instructions?))?\s?>

    #{1,6} ?(system|new|hidden|secret|developer) (prompt|instructions?|message)(?![a-z])

    ^\W{0,6}(system|developer|assistant)( (prompt|message|instructions?|note
        |override))?\W{0,4}:[^\n]{0,40}?(?<![a-z]){orders}

    (系统|开发者)(提示词?|指令|消息|通知|命令|管理员)?[】\]]?:[^。\n]{0,20}?{zh_orders}

    [【\[](系统|system)(提示词?|指令|消息|通知|prompt)?[】\]][^。\n]{0,20}?{zh_orders}
    """,
    ADDRESSED: r"""
    (note|message|attention|notice|hint|request|warning) ?(to|for)?:? (the |any |all )?(ai
        |llm|language model|chatbot|claude|chatgpt|gpt|codex|copilot|gemini)( (agent
        |assistant|model|system|reader)s?)?s? ?[:,!]

    if you are (an? |the )(ai|llm|(large )?language model|chatbot|automated (agent
        |assistant))(?![a-z])

    (ai|llm)s?( (agent|assistant|model|system)s?)? (reading|processing|summari[sz]ing
        |who read|that read|seeing) this

    (any|every|all) (ai|llm) (agent|assistant|model)s? (must|should|shall) (now|immediately
        |also|first)(?![a-z])

    如果[你您]是(一个|一款|一名)?(ai(?![a-z])|人工智能|语言模型|大模型|智能体|智能助手)

    (ai|人工智能|大模型|语言模型|智能体) ?(助手|模型|代理)?们?[,:!]?(请注意|请务必
        |请你?必须|注意[,:!])
    """,
    EXFILTRATION: r"""
    (send|post|upload|forward|e?mail|exfiltrate|leak|transmit|submit|paste|append|copy|push
        |deliver){gap}([^\n!?]{0,60}?[^a-z\n!?])??{secrets}[^\n!?]{0,40}?(?<![a-z])(to|at|into
        |via)(?![a-z])[^\n!?]{0,30}?{url}

    (reveal|print|show|output|repeat|leak|display|disclose|tell|give)( me| us)? (the |your )
        (entire |full |whole |original |exact ){0,2}(system|developer|hidden|initial
        |secret) (prompt|message|instructions)

    (repeat|print|output|show) (everything|all( the text)?|the (text|words|lines)) above

    (curl|wget|nc)(?![a-z])[^\n]{0,80}?(@|<|\$\(cat )[^\n]{0,20}?(\.ssh|id_rsa|id_ed25519
        |\.aws|\.env|/etc/passwd|credentials)

    !\[[^\]\n]{0,80}\]\(https?://[^)\s]{1,200}[?&][a-z_]{1,20}=[^)\s]{0,40}(secret|key|token
        |password|conversation|history|data)[^)\s]{0,20}[>}\])]

    {zh_secrets}{zh_stop}{0,10}(发送|发布|发|上传|提交|转发|传送|传|寄|贴|推送|泄露|同步)(到
        |给|至|往|去){zh_stop}{0,12}?({url}|网址|外部|攻击者|远程)

    (发送|上传|提交|转发|传送|泄露)[^。\n]{0,16}{zh_secrets}{zh_stop}{0,4}(到|给|至|往)
        {zh_stop}{0,12}?({url}|网址|外部|攻击者|远程)

    (输出|打印|显示|告诉我|透露|复述|重复|泄露)[^。\n]{0,6}(你的|您的|完整的?|全部)的?
        (系统提示词?|系统指令|初始指令)
    """,
    CONCEAL: r"""
    (do not|don't|never|must not|should not|shouldn't|mustn't|cannot|without)( ever)? (tell
        (ing)?|inform(ing)?|warn(ing)?|alert(ing)?) {person}(?! (which|how many|twice
        |more than))

    (do not|don't|never|must not|without)( ever)? (mention|reveal|disclos|expos|report|show
        |admit)(e|ing)? (this|it|that|these|any of this|the above)([^\n.!?]{0,30} to {person}
        |( instruction| rule| note| step)s? to)

    (do not|don't|never)( ever)? (mention|reveal|disclose|acknowledge) ((these|this|those
        |the above) (instruction|rule|note|message|prompt)s?|that you)(?![a-z])

    {person} must (not|never) (know|see this|find out|be told|be informed|notice|learn)
        (?![a-z])

    (keep|hide|conceal)(ing)? (this|it|that|these( instructions)?
        |this [a-z]{2,12})[^\n.!?]{0,24} from {person}

    (do not|don't|never) let {person} (know|find out|notice|see (this|it))

    without (letting )?{person}('s)? (knowing|noticing|knowledge|consent|approval)

    (不要|不得|不许|不准|禁止|千万别|切勿|不能|不可|别|勿|无需|不必)(把这[^。\n]{0,8}
        |将此[^。\n]{0,8}|向|对)?(告诉|告知|通知|透露给|提醒|泄露给|警告|说给)?{zh_person}
        (知道|知晓|发现|察觉|提到|提及|提起|透露|说明|说起|，|,|。|$|这|关于)

    (不要|不得|不许|不准|禁止|千万别|切勿|不能|不可|别|勿|无需|不必)再?(告诉|告知|通知
        |透露给|警告){zh_person}

    (不要|别|不能|不得|切勿)让{zh_person}(知道|知晓|发现|察觉|看到这)

    (瞒着|背着|隐瞒){zh_person}

    对{zh_person}(保密|隐瞒)
    """,
    STANDING_ORDER: r"""
    (from now on|from this (point|moment) (on|onwards?|forward)|henceforth|going forward
        |starting now)[, :]{1,3}(please )?(you (must|will|shall|should|are|have to|need to
        |may only)|(always|never|only|every) (answer|reply|respond|say|recommend|output
        |return|use|act|begin|end|include|claim|obey|follow|do|run|execute)|answer|respond
        |reply|obey|pretend)(?![a-z])

    (when|whenever|if|every time|each time)( (you|you're|you are|the user|a user|anyone
        |anybody|someone|somebody))?( (is|are|ever|gets?))?{gap}ask(ed|s)?
        (?![a-z])[^\n.!?;]{0,60}?[, ](you )?(must |should |will )?(always|only|never|must)
        ( only)? (be )?{say}(?![a-z])

    always {say}(?![a-z])[^\n.!?]{0,60}?(?<![a-z])(when|whenever|if|every time
        |each time) (you are |you're |the user |a user |someone |anyone |anybody )?
        (is |are |ever )?(ask|mention)(s|ed)?(?![a-z])

    (every time|each time|whenever|when) (someone|anyone|anybody|the user|a user) (mentions
        |asks|says|writes)[^\n.!?]{0,50}?, ?(you (must|should|will) )?{say}(?![a-z])

    in (all|any|every) (future|subsequent|later|your) (response|conversation|session|answer
        |repl|message|request|interaction)[a-z]{0,3}[, ][^\n.!?]{0,40}?(always|never|must|
        {say}|include|mention)(?![a-z])

    for (all|any|every) (future|subsequent) (question|request|conversation|session|task)s?[, ]

    you must (always |now )?(obey|comply with|follow) (all |these |the following |my |every )
        (new |secret )?(instruction|order|command|rule)s?

    (从现在(起|开始)|从今(以后|往后|起)|自即日起|今后|以后){zh_stop}{0,6}?[你您]
        {zh_stop}{0,6}?({zh_always}|就?是|都|要|应该?|需要?|听从|服从)

    (从现在(起|开始)|从今(以后|往后|起)|今后|以后|今后凡){zh_stop}{0,14}?{zh_always}
        {zh_stop}{0,6}?{zh_say}

    (从现在(起|开始)|今后|以后){zh_stop}{0,4}(凡是?|只要|无论|不管|如果|当|每当)
        {zh_stop}{0,16}?(问|提到|说){zh_stop}{0,14}?(都|就|一律){zh_stop}{0,3}?{zh_say}

    (被问|问到|问起|询问|提问|问你|问及)
        {zh_stop}{0,24}?{zh_always}{zh_stop}{0,6}?{zh_say}

    [你您]必须(无条件|永远|始终|立即|严格)?(服从|听从|执行|遵守)(我|以下|下面|下列|这些|本)

    (所有|以后的?|今后的?|后续)的?(对话|会话|回答|回复)中?{zh_stop}{0,8}?{zh_always}
    """,
    DELIMITER: r"""
    ([<\u2039\u27e8\u3008\u300a\u00ab]|&lt;) ?/? ?memstone[ _-]{0,2}notes

    [-=#*<\[(]{2,40} ?/?(end|close)(ing)? (of )?(the |all |these )?(memory|memories|notes
        |context|data|untrusted [a-z]{2,12}|tool (output|result)s?|user (input|data|message)
        |system prompt|instructions)(?![a-z])

    ([-=#*<\[(]{2,40}|【) ?(记忆|笔记|上下文|数据|工具结果|用户输入|系统提示词?)(到此)?结束
    """,
    COMMAND: r"""
    {run}(?![a-z])[^\n.!?]{0,24}? ?["'`]{0,3}(sudo )?{rm}{everything}

    {run}(?![a-z])[^\n!?]{0,60}?(curl|wget|iwr|invoke-webrequest)(?![a-z])[^\n|]{0,200}\| ?
        (sudo )?(ba|z|da|k)?sh(?![a-z])

    {run}(?![a-z])[^\n!?]{0,60}?base64 (-d|--decode)[^\n|]{0,40}\| ?(sudo )?(ba|z)?sh(?![a-z])

    (download|fetch) and (then )?(run|execute|start) [^\n]{0,30}?https?://[^\s]{1,200}\.(sh
        |ps1|bat|exe|py)(?![a-z])

    rm -(rf|fr|r -f|f -r) (--no-preserve-root|/(\*|(?=[\s"'`,;&|]|$))|~/?\*?(?=[\s"'`,;&|]
        |$))

    :\(\) ?\{ ?: ?\| ?: ?& ?\} ?; ?:

    powershell(\.exe)? [^\n]{0,40}-e(nc(odedcommand)?)? [a-z0-9+/=]{24}

    (运行|执行|输入|敲入|启动){zh_stop}{0,20}?["'`]{0,3}(sudo )?{rm}{everything}

    (运行|执行|输入|敲入|启动)[^。\n]{0,60}?(curl|wget)[^\n|]{0,200}\| ?(sudo )?(ba|z)?sh
        (?![a-z])
    """,
}
