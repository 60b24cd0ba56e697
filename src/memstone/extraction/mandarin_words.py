"""Vocabulary of the Chinese assertions: what makes a sentence doubtful, what has one value."""

from __future__ import annotations

import re

from memstone.extraction.vocabulary import table, words

DOUBTFUL = re.compile(
    r"如果|要是|假如|假设|假使|倘若|万一|的话|或许|也许|可能|大概(?:会|要)|说不定|没准|是否|会不会|要不要|是不是"
    r"|希望(?!你|您|回)|梦想|幻想|想象|本来想|差点|做梦|梦见"
    r"|[他她它](?:们)?说|听说|据说|据.{0,8}(?:说|称)|说是|[\u4e00-\u9fff]{2,3}说[，,：:“]|告诉我|写道|开玩笑|逗你"
    r"|骗你|比如|例如|举个例子"
    r"|书里|电影里|小说里|游戏里|剧里|故事里|不确定|不一定|忘了|扮演|饰演"
)
NOT_NOW = re.compile(
    r"打算|计划(?:去|搬|换|在)|准备(?:去|搬|换|买|把)|考虑|想(?:要|去|搬|换|把|试|学)|应该会|将来|以后想|几乎|犹豫|纠结"
    r"|以前|从前|曾经?|过去(?!了)|当时|小时候|原来(?!的|是)|之前(?:住|在|叫|用|是|喜欢|爱)|那时候?|早年|当年|上学(?:那会儿?|的时候)|大学时"
)
OPENER = re.compile(
    r"\A(?:(?:(?:我们?|咱们?|大家)?(?:一致)?(?:决定|商量好|说好|定了|定下来|敲定)了?(?!是|为|在)|不对|哦不|哦|噢|啊|嗯|那个|其实|对了|更正(?:一下)?|纠正(?:一下)?|抱歉|不好意思|对不起|说错了"
    r"|(?:我)?(?:刚才|刚刚|之前|上次|前面)?(?:说|记|写|弄)错了|改一下|更新(?:一下)?|补充(?:一下)?|顺便说(?:一下|一句)?|另外|还有"
    r"|以后|从今(?:天|以后|往后)(?:起|开始)?|从(?:今天|现在|明天|下周|下个?月|这周|本周|本月)(?:起|开始)|现在(?!的)|目前|如今"
    r"|最近|今天|昨天|刚刚|最新(?:消息|情况)?"
    r"|最终|最后|记住|请?记(?:住|一下|得)|提醒(?:一下|你)?|通知|请注意|注意|好消息|坏消息|好的|是的|计划有变|情况有变"
    r"|上周末?|上个月|这周|这个月|今年|去年|年初|月初|后来|结果|终于|不瞒你说|说实话)(?:的是)?[，,：:。！、\s]*)+"
)
CHANGE = re.compile(
    r"改|换|放到|挪|作废|调(?:整|到|成|高|低|去)|搬|迁|升|降|涨|推迟|延(?:期|后|到|长)|提前|不再|再也不|现在|如今|目前|不是|而是|变(?:成|为"
    r"|了)|说错|记错|写错|弄错|更正|纠正"
    r"|从今|从现在|以后|取消|停用|弃用|接手|接替|接任|放宽|收紧|压(?:到|缩)|缩|增加|减|不对|新的?是|成了|不用了|跳槽|离职|入职|升职|最新"
)
NEGATION = re.compile(
    r"(?:再也|现在|已经|从此)?(?:不再|不|没有|没|别|未|并非|不是|无)(?!同|过|错|少|断|妨|如)"
)
SELF = r"(?:我(?:们|自己|本人)?(?:家)?|咱们?|用户)"
TAIL = re.compile(r"(?:，|,|。|；|;|！|!|（|\().*\Z|(?:了|吧|啊|呀|哦|啦|的)+\Z", re.DOTALL)
LANGUAGES = r"(?:中文|英文|英语|日语|日文|法语|德语|韩语|粤语|繁体(?:中文)?|简体(?:中文)?|普通话)"
DISLIKES = frozenset({"讨厌", "受不了", "厌恶", "反感", "腻了", "怕", "戒了", "戒掉了", "不碰"})


SINGLE = table(
    """
    name: 名字 姓名
    nickname: 昵称 网名
    username: 用户名
    birthday: 生日 出生日期
    age: 年龄
    address: 家庭住址 地址 住址
    shipping address: 收货地址
    phone number: 电话号码 电话 手机号码 手机号
    email: 邮箱地址 邮箱
    wechat: 微信号
    blood type: 血型
    height: 身高
    weight: 体重
    shoe size: 鞋码
    clothing size: 尺码
    salary: 工资 月薪 年薪
    income: 收入
    job title: 职位 岗位 职业
    major: 专业
    hometown: 老家 家乡
    nationality: 国籍
    native language: 母语
    budget: 预算上限 预算 经费
    limit: 上限 限额 额度
    minimum: 下限
    quota: 名额
    price: 价格 单价 售价 报价
    cost: 费用 成本
    rent: 房租 租金
    deposit: 押金
    total: 总价 总额
    goal weight: 目标体重
    deadline: 截止日期 截止时间 截止日 交稿日期 交付日期 交付时间 最后期限 期限
    start date: 开始日期
    end date: 结束日期
    release date: 上线时间 上线日期 发布日期 发布时间 发版时间
    wedding date: 婚期 婚礼日期
    exam date: 考试日期 考试时间
    date: 日期
    time: 时间
    meeting time: 开会时间 会议时间 例会时间
    flight: 航班 航班号
    train: 车次
    seat: 座位 座位号
    port: 端口号 端口
    host: 主机 主机名
    server: 服务器
    domain: 域名
    url: 网址
    endpoint: 接口地址
    main branch: 主分支 默认分支
    branch: 分支
    version: 版本号 版本
    timeout: 超时时间 超时
    retry limit: 重试次数
    batch size: 批大小
    concurrency: 并发数
    log level: 日志级别
    database: 数据库
    framework: 框架
    package manager: 包管理器
    build tool: 构建工具
    editor: 编辑器
    theme: 主题
    font: 字体
    tone: 语气
    language: 语言
    default language: 默认语言
    format: 格式
    output format: 输出格式
    time zone: 时区
    owner: 负责人
    contact: 联系人 对接人
    lead: 组长
    manager: 领导 老板 上司 经理
    supervisor: 导师
    head teacher: 班主任
    reviewer: 审核人
    doctor: 主治医生 家庭医生
    dentist: 牙医
    coach: 教练 私教
    therapist: 心理医生 心理咨询师
    lawyer: 律师
    accountant: 会计
    housekeeper: 保姆 阿姨
    tutor: 家教
    currency: 货币
    default currency: 默认货币
    password: 密码 口令
    main competitor: 主要竞品 主要竞争对手
    browser: 浏览器
    operating system: 操作系统
    hotel: 酒店
    courier: 快递
    annual leave: 年假
    class: 班级
    group name: 群名
    shop name: 店名
    company name: 公司名
    roommate: 室友
    landlord: 房东
    status: 状态
    priority: 优先级
    color: 颜色 主色调
    room: 房间号 房间 教室
    meeting room: 会议室
    venue: 地点 场地 集合地点
    office: 办公室
    desk: 工位
    plate: 车牌号 车牌
    codename: 代号
    team size: 团队人数
    headcount: 人数
    interval: 周期 间隔
    frequency: 频率
    threshold: 阈值
    supplier: 供应商
    school: 学校
    gateway: 网关
    plan: 套餐
    departure: 起飞时间
    gate: 登机口
    namespace: 命名空间
    interest rate: 利率
    """
)
SINGLE_NAMES = "|".join(sorted(SINGLE, key=len, reverse=True))
JOB = re.compile(
    r"(?:工程师|经理|组长|总监|主管|主任|设计师|分析师|架构师|顾问|实习生|助理|会计|老师|教师|教授|护士|医生|律师|编辑|厨师|研究员|学生|专员"
    r"|程序员|产品|运营|负责人|店长|校长|院长|部长|科长|处长|司机|翻译|记者|编剧|导演|合伙人)\Z"
)
MOMENT = (
    r"(?:(?:每|下|这|本|上)?(?:个)?(?:周|星期|礼拜)[一二三四五六日天末]\S{0,10}|(?:每月|本月|下月|这个月"
    r"|下个月)?\d{1,2}[号日]\S{0,6}|\d{1,2}月\d{1,2}[日号]?\S{0,8}"
    r"|[一二三四五六七八九十]+月[一二三四五六七八九十]+[日号]?\S{0,6}|(?:早上|上午|中午|下午|晚上"
    r"|凌晨)?[一二两三四五六七八九十\d]{1,3}(?:点|[:：]\d\d)\S{0,6})"
)
MOMENT_ONLY = (  # nothing that follows it
    r"(?:(?:下|这|本)?个?(?:周|星期|礼拜)[一二三四五六日天]|\d{1,2}月\d{1,2}[日号]|\d{1,2}[号日])"
    r"(?:早上|上午|中午|下午|晚上)?(?:[一二两三四五六七八九十\d]{1,3}点半?)?"
)
AMOUNT = (
    r"[￥$]?[\d一二两三四五六七八九十百千万]+[\d,.:]*(?:万|千|百|亿)?"
    r"(?:元|块钱?|人|天|个|次|周|年|小时|分钟|秒|公里|公斤|斤|行|条|页|GB|MB|KB|ms|%|％)?"
)
NO_THING = words("大家 他们 她们 我们 别人 有人 这个 那个 什么 这样 那样 一个 所谓 现在")
PRONOUN = re.compile(
    r"(?:其(?!他|它|余|实|中)|[它他她]们?|这|那|该|此|你|您|大家|人家|别人|对方|某)"
)
_PAIRS = words(
    """
    公开或私有 启用或禁用 在线或离线 必填或选填 免费或收费 开源或闭源 全职或兼职 住院或出院
    """
)
OPPOSITES = {  # of two qualities the pair, which is the attribute
    word: pair for pair in sorted(_PAIRS) for word in pair.split("或")
}
