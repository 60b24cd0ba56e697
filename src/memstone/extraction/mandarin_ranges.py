"""Whether a Chinese value is of the kind that its attribute has (`ranges`).

There are no capitals to tell a name by, but surnames are a closed class, places end in a word for
what they are or are known, and what is said about a thing opens with an adverb, a verb or a
measure.
"""

from __future__ import annotations

import re

from memstone.extraction.asserted import has_moment
from memstone.extraction.ranges import Range, has_shape, range_of

SURNAMES = (
    "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华金魏陶姜戚谢邹喻柏水窦章云苏潘葛奚范彭郎鲁韦昌马苗凤花方俞任袁柳"
    "鲍史唐费廉岑薛雷贺倪汤滕殷罗毕郝邬安常乐于时傅皮卞齐康伍余元卜顾孟平黄和穆萧尹姚邵汪祁毛禹狄米贝明臧计伏成戴谈宋茅庞"
    "熊纪舒屈项祝董梁杜阮蓝闵席季麻强贾路娄危江童颜郭梅盛林刁钟徐邱骆高夏蔡田樊胡凌霍虞万支柯管卢莫房裘缪解应宗丁宣邓郁单杭"
    "洪包诸左石崔吉龚程邢滑裴陆荣翁荀羊惠甄曲家封芮储靳段富巫乌焦巴弓牧隗山谷车侯宓蓬全班仰秋仲伊宫宁仇栾暴甘厉戎祖武符刘景"
    "詹束龙叶幸司韶黎薄印白怀蒲从鄂索赖卓蔺屠蒙池乔阴闻党翟谭贡姬申扶冉宰雍桑桂濮牛寿边燕尚农温庄晏柴瞿阎习艾鱼容向古易廖"
    "庾居衡步都耿满弘匡国文寇广阙东欧沃利蔚越隆师巩聂冷辛简饶曾沙养丰巢关相查后荆红游竺权益桓肖佟岳闫佘商佴佰"
)
_TITLE = (
    r"(?:老师|医生|大夫|总监|总|经理|主任|教授|博士|先生|女士|小姐|姐|哥|工|律师|师傅|同学"
    r"|阿姨|叔|组)"
)
_PERSON = re.compile(
    rf"(?:[{SURNAMES}][\u4e00-\u9fff]{{1,2}}|(?:欧阳|司马|诸葛|上官|司徒|东方|慕容)[\u4e00-\u9fff]{{1,2}}"
    rf"|[{SURNAMES}]{_TITLE}|[\u4e00-\u9fff]{{2,3}}{_TITLE}|[小老阿大][\u4e00-\u9fff]{{1,2}}"
    r"|[A-Za-z][A-Za-z .·]{0,30}|[\u4e00-\u9fff]{1,6}(?:·[\u4e00-\u9fff]{1,6})+"
    r"|[\u4e00-\u9fffA-Za-z]{1,8}(?:团队|小组|部门|组|部))\Z"
)
_CALLED = re.compile(r"[\u4e00-\u9fff·]{1,5}|[A-Za-z][A-Za-z .·'-]{0,30}")
_NOT_CALLED = re.compile(
    r"\A(?:[了他她它你您我人车的得着这那什]|大家|外卖|救护|滴滴|代驾|快递)"
    r"|[的了来去帮在是有把被给让说到过个]|朋友|人\Z|同学\Z|怎么|什么"
)
_REMARK = re.compile(  # what is said about a thing, and no value of it
    r"\A(?:很|太(?![仓原湖平和行])|真|挺|蛮|非常|特别|比较|有点|还|不|没|都|也|就|正|刚|快|已经?|又|被|给|让|会|要|想|能"
    r"|可以|应该|必须|值得|需要|来|去|做|干|搞|个|一个|一种|一名|一位|最|这|那|啥|什么|怎么|谁|我|你|他|她|它"
    r"|因为|为了|用来|跟|和|同|从|对|向|比|像|着|的|得|过|了|下去|下来|进去|进来|院|校)"
)
_PROGRESSIVE = re.compile(
    r"(?:重启|维护|升级|运行|扩容|装修|维修|修|开会|营业|搬家|施工|调试|测试|部署|排队|休息|休假|放假|度假|出差|值班|加班|上课|培训|打扫"
    r"|招人|招聘|谈|忙|等|做|改|写|看|讨论|处理|准备|跑|报警|宕机|恢复|建|盘点|清理|备份|迁移|缩|涨|跌|降|变|用|开|吃|睡|玩)"
)
_PLACE_END = re.compile(
    r"(?:省|市|区|县|镇|乡|村|州|路|街|道|巷|弄|号|楼|层|座|栋|幢|室|厅|馆|院|园|苑|城|厦|广场|中心|大学|学校|机场|车站|火车站|地铁站|站|店"
    r"|湾|岛|山|湖|桥|门|里|边|旁|附近|对面|小区|公寓|宿舍|家|机房|仓库|云|国|洲|下面|上面|里面|外面|抽屉|东|西|南|北|间|位)\Z|\d|[A-Z]"
)
_KNOWN_PLACES = re.compile(
    r"(?:北京|上海|天津|重庆|广州|深圳|杭州|南京|苏州|无锡|宁波|武汉|成都|西安|长沙|郑州|青岛|济南|大连|沈阳|长春|哈尔滨|厦门|福州|合肥|南昌"
    r"|昆明|贵阳|南宁|海口|三亚|太原|石家庄|呼和浩特|银川|西宁|兰州|乌鲁木齐|拉萨|香港|澳门|台北|高雄|珠海|佛山|东莞|中山|惠州|温州"
    r"|嘉兴|绍兴|常州|徐州|扬州|烟台|洛阳|桂林|丽江|大理|河北|山西|辽宁|吉林|黑龙江|江苏|浙江|安徽|福建|江西|山东|河南|湖北|湖南|广东"
    r"|海南|四川|贵州|云南|陕西|甘肃|青海|台湾|内蒙古|广西|西藏|宁夏|新疆|浦东|浦西|朝阳|海淀|徐汇|静安|国贸|望京|中关村|日本|东京|大阪"
    r"|韩国|首尔|新加坡|美国|纽约|旧金山|硅谷|洛杉矶|西雅图|波士顿|英国|伦敦|德国|柏林|慕尼黑|法兰克福|法国|巴黎|加拿大|多伦多|温哥华"
    r"|澳大利亚|悉尼|墨尔本|新西兰|意大利|罗马|米兰|西班牙|荷兰|阿姆斯特丹|瑞士|都柏林|俄罗斯|莫斯科|泰国|曼谷|越南|印度|马来西亚|吉隆坡)"
)
_AMOUNT = re.compile(r"[\d零一二两三四五六七八九十百千万亿半]|不限|无限|没有上限|免费")
LONGEST_NAME = 16  # characters


def fits(attribute: str, subject: str, value: str) -> bool:
    """Whether a value lies in the range of the attribute of that subject.

    >>> fits("manager", "", "王总"), fits("manager", "", "天津人"), fits("office", "", "重启")
    (True, False, False)
    """
    kind = range_of(attribute, subject)
    if kind is None:
        return True
    if not has_shape(attribute, value):
        return False
    if attribute == "last name":
        return value[0] in SURNAMES
    if kind is Range.PERSON and attribute in {"name", "nickname"}:
        return _is_called(value)
    return _TESTS[kind](value)


def is_place(value: str) -> bool:
    """Whether a value names a place.

    >>> is_place("法兰克福"), is_place("三号楼"), is_place("重启")
    (True, True, False)
    """
    if _PROGRESSIVE.match(value) or _REMARK.match(value) or len(value) > LONGEST_NAME:
        return False
    return _KNOWN_PLACES.match(value) is not None or _PLACE_END.search(value) is not None


def _is_called(value: str) -> bool:
    """Whether somebody may be called so: a name, and nothing that is done or ordered (叫外卖)."""
    return _CALLED.fullmatch(value) is not None and _NOT_CALLED.search(value) is None


def _is_number(value: str) -> bool:
    return _AMOUNT.search(value) is not None and re.search(r"比|更", value) is None


def _is_moment(value: str) -> bool:
    return has_moment(value) or re.search(r"\d", value) is not None


def _is_person(value: str) -> bool:
    return _PERSON.match(value) is not None


def _is_name(value: str) -> bool:
    return _REMARK.match(value) is None and len(value) <= LONGEST_NAME and not _is_remark(value)


def _is_remark(value: str) -> bool:
    return re.search(r"真心|特别|人\Z|非常|不错|舒服|慢|坏|挂了|卡|好用|难用", value) is not None


def _is_settled(value: str) -> bool:
    """A place of living or working may have any name; what is done there has an adverb or 着."""
    return _REMARK.match(value) is None and not _is_remark(value) and not _PROGRESSIVE.match(value)


_TESTS = {
    Range.NUMBER: _is_number,
    Range.MOMENT: _is_moment,
    Range.PERSON: _is_person,
    Range.PLACE: _is_settled,
    Range.NAME: _is_name,
    Range.WORD: _is_name,
}
