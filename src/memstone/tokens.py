"""How many tokens a text costs a model, estimated from the script of its characters.

No vocabulary of a current Claude model exists offline, and four characters a token is wrong by
more than half for Chinese, so memstone estimates: letters by the length of their word, digits by
threes, punctuation and line breaks one by one, and each Chinese, Japanese or Korean character by
whether o200k has a token for it. The aim is one-sided: on ordinary text never below what o200k
counts, so that a budget kept here is kept there; English chat and Chinese come out at 1.2 to 1.4
times that, code and technical English at 1.6, rarer languages at up to twice.

It is an estimate and says so (`basis`). The count of two texts joined may be a few tokens below
or above the sum of their counts, because a word, a digit run or a blank at the seam is counted
once; a caller that joins texts counts the whole again. Only counts of characters and words enter,
in one pass each: equal texts count equal, everywhere, in time linear in their length.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache, lru_cache

# Costs are in hundredths of a token: integers add up the same on every machine. They were fitted
# against o200k on English chat, technical answers, Python, JSON, Chinese, 30 European languages
# and random strings; the tests keep them there.
TOKEN = 100
# A word not among the common ones; o200k needs 20 a letter in English, 40 in Finnish.
LOWER_PER_LETTER = 40
LOWER_OFFSET = -10
THREE_LETTERS = 120
RARE = 60  # once, if there is any such word: alone, "Vbsa" costs more than its length says
CAPITALISED = 35
CAPITALS_PER_LETTER = 62  # "DTNQF": capitals merge worse
CAPITALS_OFFSET = 40
ENDING = 100  # what a regular English ending saves
ROUGH_PAIR = 65  # a pair of letters that hardly occurs in words: names, codes, keys
CHANGE = 35  # letter to digit, digit to letter, lower case to upper inside one word
CONTROL = 200
BLANKS_PER_TOKEN = 16  # a longer run of spaces, tabs or line breaks costs one more for each
ACCENT = -15  # an accented Latin letter is counted as a letter of its word too
MERGED_LETTER = 42  # third and later letters of a word in an alphabet o200k knows well
LOOSE_LETTER = 60  # the same in one it knows less well

REMEMBERED = 1 << 15  # words whose cost is kept in memory (some 4 MB)
REMEMBERED_LENGTH = 48  # characters; longer words seldom come back
BLOCK = 1 << 16  # characters looked at together; bounds the memory of a 16 MiB text

LOWER = "a-zß-öø-ɏḀ-ỿ"
WORD = re.compile(f"[A-ZÀ-ÖØ-Þ]?[{LOWER}]+|[A-Z]+(?![{LOWER}])")
DIGITS = re.compile("[0-9]{1,3}")
SIGN = re.compile(r"([!-/:-@\[-`{-~])\1?")
CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1b\x7f]")
# A single space belongs to the word or sign after it; not to a digit or another script. Every
# branch here and below begins with plain characters, so that `re` can skip to them.
BLANK = re.compile(
    r"  +|\n\n*|\t\t*|\r\n(?:\r\n)?|[\r\x0b\x0c\x1c-\x1f]"
    r"| (?=[0-9\x00-\x1f]|[^\x00-\x7f]|\Z)"
)
CHANGES = (
    re.compile("[0-9](?=[A-Za-z])"),
    re.compile("[0-9](?<=[A-Za-z][0-9])"),
    re.compile("[A-Z](?<=[a-z][A-Z])"),
)
ENDINGS = re.compile(
    "[a-z]{3}(?:ing|ed|ers?|ly|[st]ions?|ments?|[ai]ble|[ae]nces?|[ae]nts?|ity|ous|ive|ies|ates?|izes?"
    "|als?|ness|ful|less|ures?|ages?|is[mt]s?|[ao]ry)\n"
)
ROUGH = re.compile(
    "b(?=[cdfghkmnpqvwxz])|c(?=[bdfgjmnpqvwxz])|d(?=[bcfkpqtxz])|f(?=[bcdghjkmnpqvwxz])"
    "|g(?=[bcdfjkpqtvwxz])|h(?=[bcdfghjkpqvxz])|j(?=[b-df-hj-np-tv-z])|k(?=[bcdfgjkmpqtvxz])"
    "|l(?=[hjnqrxz])|m(?=[cdfghjkqrtvwxz])|n(?=[qx])|p(?=[bcdfgjkmnqvwxz])|q(?=[a-tv-z])"
    "|r(?=[hjqxz])|s(?=[bdfgjqrvxz])|t(?=[bdgjkpqvx])|v(?=[b-df-hj-np-tv-xz])"
    "|w(?=[bcgjkmpquvxz])|x(?=[bdfgj-nqrsvwz])|y(?=[ghjkqvwxyz])|z(?=[b-df-gj-km-np-tv-x])"
)
MERGED = re.compile(  # Cyrillic, Greek, Hebrew, Arabic, Devanagari, Georgian, Armenian
    "[\u0400-\u052f]{3,}|[\u0370-\u03ff]{3,}|[\u0590-\u05ff]{3,}|[\u0600-\u06ff]{3,}"
    "|[\u0900-\u097f]{3,}|[\u10a0-\u10ff]{3,}|[\u0530-\u058f]{3,}"
)
LOOSE = re.compile(  # Bengali, Gujarati, Tamil to Malayalam, Thai, Burmese, Khmer, kana
    "[\u0980-\u09ff]{3,}|[\u0a80-\u0aff]{3,}|[\u0b80-\u0d7f]{3,}|[\u1000-\u109f]{3,}"
    "|[\u1780-\u17ff]{3,}|[\u0e00-\u0e7f]{3,}|[\u3041-\u30ff]{3,}"
)
LETTERS = re.compile("[\u0370-\u17ff\u3041-\u30ff]")  # any of them

# Blocks in which a character without a token of its own costs two; elsewhere it costs its UTF-8
# bytes, and one less in the two planes of symbols and emoji.
TWO_TOKEN_BLOCKS = (
    (0x80, 0x7FF), (0x900, 0xFBF), (0x1000, 0x10FF), (0x1200, 0x137F), (0x1780, 0x17FF),
    (0x1D00, 0x1D3F), (0x1E00, 0x1F7F), (0x1FC0, 0x233F), (0x2440, 0x26BF), (0x2700, 0x27BF),
    (0x3000, 0x317F), (0x3200, 0x323F), (0x3380, 0x33BF), (0x4E00, 0x5D3F), (0x5DC0, 0x6ABF),
    (0x6B00, 0x877F), (0x8840, 0x977F), (0x97C0, 0x9BBF), (0x9C80, 0x9CFF), (0x9E00, 0x9FBF),
    (0xFE00, 0xFFFF),
)  # fmt: skip
THREE_TOKEN_PLANES = ((0x1D000, 0x1DFFF), (0x1F000, 0x1FFFF))


class EstimatedTokens:
    """Token counter by script class; never raises, 0 for the empty text.

    >>> EstimatedTokens().count("The budget of the Atlas project is 200.")
    12
    >>> EstimatedTokens().count("预算是二百")
    5
    """

    basis = "estimated"

    def count(self, text: str) -> int:
        """Estimated tokens of `text`, at least 1 unless it is empty."""
        if len(text) <= BLOCK:
            return -(-text_cost(text) // TOKEN)
        cost = sum(text_cost(text[at : at + BLOCK]) for at in range(0, len(text), BLOCK))
        return -(-cost // TOKEN)


def text_cost(text: str) -> int:
    """Cost of a whole text, in hundredths of a token."""
    cost = words_cost(text) + signs_cost(text)
    return cost if text.isascii() else cost + wide_cost(text)


def words_cost(text: str) -> int:
    """Cost of the Latin words of a text, and of changes of case or to digits inside them."""
    words = WORD.findall(text)
    cost = sum(map(_WORD_COSTS.__getitem__, words))
    common = common_words()
    if any(len(word) > 1 and word not in common for word in words):
        cost += RARE
    return cost + CHANGE * sum(len(change.findall(text)) for change in CHANGES)


class _WordCosts(dict[str, int]):
    """Word → its cost, worked out on first sight."""

    def __missing__(self, word: str) -> int:
        cost = TOKEN if word in common_words() else word_cost(word)
        if len(word) <= REMEMBERED_LENGTH:
            if len(self) >= REMEMBERED:
                self.clear()
            self[word] = cost
        return cost


_WORD_COSTS = _WordCosts()


def word_cost(word: str) -> int:
    """Cost of one word, or one camel-case part of a word, that is not a common one."""
    length = len(word)
    if length == 1:
        return TOKEN
    spelled = ROUGH_PAIR * len(ROUGH.findall(word)) - ENDING * len(ENDINGS.findall(word + "\n"))
    if word.isupper():
        return spelled + CAPITALS_OFFSET + CAPITALS_PER_LETTER * length
    spelled += CAPITALISED if word[0] < "a" else 0
    if length == 2:
        return spelled + TOKEN
    if length == 3:
        return spelled + THREE_LETTERS
    return spelled + LOWER_OFFSET + LOWER_PER_LETTER * length


def signs_cost(text: str) -> int:
    """Cost of digits, punctuation, control characters and blanks in ASCII."""
    cost = TOKEN * (len(DIGITS.findall(text)) + len(SIGN.findall(text)))
    cost += CONTROL * len(CONTROLS.findall(text))
    blanks = BLANK.findall(text)
    cost += TOKEN * len(blanks)
    return cost + sum(TOKEN * (len(b) - 1) // BLANKS_PER_TOKEN for b in blanks if len(b) > 1)


def wide_cost(text: str) -> int:
    """Cost of everything outside ASCII."""
    cost = 0
    for character, times in Counter(text).items():
        if character >= "\x80":
            cost += character_cost(character) * times
    if LETTERS.search(text):
        cost -= (TOKEN - MERGED_LETTER) * sum(len(run) - 2 for run in MERGED.findall(text))
        cost -= (TOKEN - LOOSE_LETTER) * sum(len(run) - 2 for run in LOOSE.findall(text))
    return cost


@lru_cache(1 << 14)
def character_cost(character: str) -> int:
    """Cost of one character outside ASCII, by itself."""
    code = ord(character)
    if character in single_characters():
        tokens = 1
    elif any(first <= code <= last for first, last in TWO_TOKEN_BLOCKS):
        tokens = 2
    elif code < 0x10000 or any(first <= code <= last for first, last in THREE_TOKEN_PLANES):
        tokens = 3
    else:
        tokens = 4
    accented = ("ß" <= character <= "ɏ" and character != "÷") or "Ḁ" <= character <= "ỿ"
    return TOKEN * tokens + (ACCENT if accented else 0)


@cache
def common_words() -> frozenset[str]:
    """The common words, as they are and capitalised."""
    words = COMMON_WORDS.split()
    return frozenset(words + [word.capitalize() for word in words])


@cache
def single_characters() -> frozenset[str]:
    """Every character outside ASCII that o200k has a token of its own for."""
    characters = set(SINGLE_HAN + SINGLE_HANGUL)
    for part in SINGLE_OTHER.split():
        first, _, last = part.partition("-")
        characters.update(map(chr, range(int(first, 16), int(last or first, 16) + 1)))
    return frozenset(characters)


# Frequent English words that are one token with and without a leading space.
COMMON_WORDS = (
    "about action actions additional after again agent all also always amount and another answer "
    "anything append application are argument around async attribute attributes await away back "
    "background because been before being best better between both budget business but button "
    "cache calculate came can category change changes check city class classes client code column "
    "come commit community company config configuration configure connections console const "
    "container content context continue convert could course current custom data database date "
    "datetime def default description dict difference different directory display document does "
    "doing done down during each efficient element else email encoding ensure environment error "
    "errors especially even event ever every everyone everything example except exception "
    "experience express expression extended false family fashion feature feedback feel fetch "
    "fields file filename find first following for form format found friends from function gave "
    "get given going good great group handle handling happy have hear height help helps here home "
    "house how html identify image impact implement implementation implemented import important "
    "include index information input install into invalid just keep kind know label last later "
    "left length less life like line list little live login long look looks love made make making "
    "many maybe means meeting memory message method methods might module month more most much "
    "must name necessary need never next night none not nothing null number object once only open "
    "option options other output over part password people performance phone picture place point "
    "positive prefer price process progress project projects provide python question raise really "
    "relationships request requests required response result results return returns right said "
    "same school script section self server session should show side since small some someone "
    "something soon sounds source special specific start status step steps still store strength "
    "string strings structure success successful such summary support sure system take team tell "
    "test text than thanks that the their them then there these they thing things think this "
    "those though thought three through time timeout times title today true turn type under until "
    "used user using validation value values variables version very want was week well went were "
    "what when where which while white whole width will with without woman word words work "
    "working world would write year you your"
)

# Chinese characters that o200k has a token of its own for; every other one costs two or three.
SINGLE_HAN = (
    "一丁七万丈三上下不与专且世丘业东丝两严並丨个中丰串临丶丸丹为主丽举乃久么义之乌乎乐乔乗乘乙九"
    "也习乡书买乱乳乾亂了予争事二于亏云互五井亚些亞亡交亦产亩享京亭亮亲人亿什仁仅今介仍从仓仔仕他"
    "付仙代令以仪们仲件价任份企伊伍伏休众优伙会伝伟传伤伦伯估伴伸似但位低住佐体何余佛作你佣佩佳使"
    "來例供依侠価侣侧侯侵便係促俄俊俗保信修俱俺個倍們倒候借倡値倫债值倾假偏做停健側偶偷偿傅備储催"
    "傳傷働像僕價億優儿允元兄充兆先光克免児兑兒兔党入內全兩八公六兰共关兴兵其具典养兼兽内円冈冊册"
    "再冒写军农冠冬冰冲决况冷冻净准凉凌减凝几凡凤処凭凯凰凸出击函刀分切刊刑划列刘则刚创初删判別利"
    "别到制刷券刺刻剂則削前剑剤剧剩剪副割創劇力办功加务动助努励劲劳効势勇勒動務勝募勢勤勿包化北匙"
    "匹区医區十千升午半华协卒卓協单卖南単博占卡卢卧卫印危即却卷卸厂厅历厉压厕厘厚原厦厨去县参參又"
    "叉及友双反収发叔取受变口古句另只叫召可台史右叶号司吃各合吉吊同名后吐向吕吗君吞吟否吧吨含听启"
    "吴吸吹吻吾呀呈告员呢周味呵呻呼命咋和咖咨咪品哈响員哥哦哪哭哲唐售唯唱商啊問啥啦啪善喊喘喜喝單"
    "営喷嗎嗯嘉嘎嘛嘴嘿噜器四回因团団园困囲図围固国图圆圈國園圖團土圣在地圳场圾址坂均坊坏坐坑块坚"
    "坛坝坡坦坪垃型埃城埔域培基堂堡報場堵塑塔塘塞填境墓増墙增墨壁壇士壮声売处备変复夏夕外多夜够夢"
    "大天太夫央失头夹夺奇奈奉奋奏契奔奖套奥女奴奶奷奸她好如妇妈妓妖妙妞妮妹妻姆始姐姑姓委姚姜姨姿"
    "威娃娇娘娛娜娱婆婚婦婷媒媳媽嫁嫂嫌嫩嬉子孔孕字存孙孟季孤学孩學宁它宅宇守安宋完宏宗官定宜宝实"
    "実宠审客宣室宫宮害宴家容宽宾宿寄密富寒寓寝察實寨寫寶寸对寺寻导対寿封専射将將專尊尋對導小少尔"
    "尖尚尝尤就尸尺尼尽尾尿局屁层居届屋屏展属履屯山岁岗岛岡岩岭岳岸峡峰島崎川州巡工左巧巨差己已巴"
    "巻币市布帅师希帐帖帝带師席帮帯帰帳帶常帽幅幕干平年并幸幻幼幽广広庄庆床序库应底店府废度座庫庭"
    "康廉廣延廷建开异弃弄弊式引弗弘弟张弱張強弹强归当录形彦彩彰影役彻彼往征径待很律後徐徒得從御復"
    "循微徳徴德徽心必忆忍志忘忙応忠忧快念忽怀态怎怒怕怖思怡急性怪总恋恐恒恢恩息恶悉悟悠患悦您悪悲"
    "情惊惑惜惠惨惯想意愛感愿慈態慎慢慧慰懂應戀戏成我戒或战戦截戰戲戴戶户戸戻房所手才扎扑扒打払托"
    "扣执扩扫扬扰扱扶批找承技把抓投抗折抜択抢护报披抱抵押抽担拆拉拍拒拓拔拖拘招拜拟拥拨择括拳拼拾"
    "拿持挂指按挑挡挣挥振挺捕损换据捷掃授掉掌排掛採探接控推措掲揉描提插換握揭援搏搜搞搬搭携摄摆摇"
    "摘摩摸撃撑撒撞撤播撮撸擊操據擦攝支收改攻放政故效敌敏救敗教敢散敦敬数整敵數文斗料斤断斯新方於"
    "施旁旅旋族旗无既日旦旧旨早旬旭时旺昂昆昌明易昔星映春昨昭是昼显時晋晒晓晚晨普景晰晴晶智暂暇暑"
    "暖暗暨暮暴曜曝曰曲更書曹曼曾替最會月有朋服朗望朝期木未末本札术朱机杀杂权杆杉李杏材村杜束条来"
    "杨杭杯杰東松板极构析林枚果枝枪架柄柏某染柔柜查柱柳柴査标栋栏树栗校株样核根格桂桃框案桌桑档桥"
    "桶梁梅條梦梨梯械检棋棒棚森植椒検楚業極楼楽概榜構様槽樂樓標模樣横橋機橹橾權欠次欢欣欧欲欺款歉"
    "歌歓歡止正此步武歩歲歳歴歷死殊残殖段殺毁毅母毎每毒比毕毛毫氏民气気氣氧水永汁求汇汉汗江池污汤"
    "決汽沁沃沈沉沒沖沙沟没沢沪河油治沿況泄泉泊法泛泡波泥注泰泳泽洁洋洗洛洞津洪洲活派流浅浆测济浓"
    "浜浦浩浪浮浴海消涉涓涙涛润涨涩涯液涵淘淡淫深混添清済渐減渠渡温測港游湖湘湾湿満源準溪滋滑滚满"
    "滤滨滴滿漂漏演漢漫潔潘潜潭潮澡澳激灣火灭灯灰灵灾炉炎炒炮炸点為炼烈烟烦烧热無焦然焼煌煙煤照熊"
    "熟熱燃燕營爆爰爱爵父爷爸爽片版牌牙牛牡牢牧物牲特犬犯状狂狐狗狠独狸狼猎猛猜猪猫献猴獸玄率玉王"
    "玖玛玩环现玲玻珍珠班現球理琪琳琴瑞璃環瓜瓣瓦瓶甘甚甜生產産用田由甲申电男甸町画畅界留略番畫異"
    "當疆疑疗疫疯疲疼疾病症痛療癌発登發白百的皆皇皮盆盈益盐监盒盖盗盘盛盟監盤目直相盾省眉看県真眠"
    "眼着睛睡督瞬知矩短石矿码砂研砖破础硕硬确碍碎碑碰確碼磁磨示礼社祖祝神祥票祭禁福禧离禽禾秀私秋"
    "种科秒秘租秦积称移程稍税種稱稳稿穆積穴究空穿突窍窗窝窥立站竞竟章童端競竹笑笔符第筆等筋筑答策"
    "筛筹签简算管箭箱節篇築篮簡籍米类粉粒粗粤粮精糕糖系紀約紅納純紙級素索紧紫累細紹終組経結絡給統"
    "絲絶經続維網総緒線締編縄縮總績繁續纠红约级纪纬纯纲纳纵纷纸纹纽线练组细织终绍经绑结绕绘给络绝"
    "统继绩绪续维综绿缓编缘缩缴缺网罗罚罩罪置署羅羊美羞群義羽翁翌習翔翠翻翼耀老考者而耐耗耳聊职联"
    "聘聚聞聪聯聲職肃肉肌肖股肤肥肩肯育肺胃胆背胎胖胜胞胡胶胸能脂脑脚脱脸腐腕腰腳腹腾腿膜膽臀臣自"
    "臭至致臺與興舍舒舔舗舞舟航般舰船艇良色艳艷艺艾节芝芬芯花芳芸芽苍苏苑苗若苦英范茶茸草荐荒荡荣"
    "药荷莉莎莓莞莫莱莲获菌菜華菲萄萌萝营萨萬落葉著葛葡董蒂蒙蒲蓝蔡蕉蕩薄薦薪薬藏藝藤虎虐虑處虚號"
    "虫虹虽蛇蛋蛛蜂蜜蝶融血行術街衛衡衣补表袋袖袜被袭裁裂装裏裕裙補裝裤裸製襪西要覆見規視覚覧親観"
    "覽觀见观规视览觉角解触言訂計訊討記訪設許訳診証評詞詢試話詳誉誌認誘語說説読誰課調談請論講謝證"
    "識警議護讀變讓计订认讨让训议讯记讲许论设访诀证评识诈诉诊词译试诗诚话询该详语误诱说请诸诺读课"
    "谁调谈谋谓谜谢谨谱谷豆豊象豪豹貌負財貨販責買貸費貼賀資賞質購贝负贡财责贤败账货质贫购贯贴贵贷"
    "贸费赁资赋赌赏赔赖赚赛赞赠赢赤赫走赴赵赶起超越趋趣足跃跌跑距跟跨路跳践踏踩踪躁身車軍転軽較載"
    "輪輯輸轉车轨轩转轮软轴轻载较辅辆辉辑输辖辛辞辣辦辨辰辱農边辺込辽达迁迅过迈迎运近返还这进远违"
    "连迟迪迫述迷迹追退送适逃逆选逊透逐递途這通速造連週進逸逻逼遂遇遊運遍過道達違遗遠遣遥適遭遮遵"
    "選避邀還邑那邦邪邮邻郎郑部郭郵都配酒酷酸醉醒醫采释里重野量金鉄鉴銀錄錯録鍵鏈鐘鑫针钟钢钥钮钱"
    "钻铁铃铜铭银铺链销锁锅锋锐错锡锦键镇镜長长門閉開間関閱閲關门闪闭问闲间闻阁阅队阪防阳阴阵阶阻"
    "阿附际陆陈陌降限院除险陪陰陵陶陷険陽隆隊階随隐隔際障难雀雄雅集雑雕雙雞離難雨雪零雷電需震霍霞"
    "露霸青靖静非靠面革鞋韓韩音響頁頂頃項順須預領頭頻頼題額顔願類页顶项顺须顾顿预领频颖颗题颜额風"
    "风飛飞食飯飲養餐館饭饮饰馆馈首香馨馬駅験驗马驰驱驶驻驾验骑骗骚骤骨骰體高鬼魂魅魏魔魚鱼鲁鲜鲸"
    "鳥鸟鸡鸣鸭鸿鹅鹏鹰鹿麗麟麦麻麼黃黄黎黑黒默點鼎鼓鼠鼻齐齢龄龍龙"
)

# The same for Korean syllables.
SINGLE_HANGUL = (
    "가각간갈감갑값강같개객거건걸검겁것게겠겨격견결겼경계고곡곤골곳공과관광괴교구국군굴궁권귀규균"
    "그극근글금급기긴길김까깔깨꺼께껴꽃꾸꿈끄끌끔끝끼낌나난날남납났내낸낼냈냐냥너널넘네넷녀녁년념"
    "녕노논놀농높놓누눈뉴느는늘능니닉닌님닝다닥단닫달담답닷당대댓더덕던덤데델도독돈돌동돼됐되된될"
    "됨됩두둘뒤드득든들듯등디딩따때떠떤또뜨뜻라락란람랍랑래랙랜램랩랫략량러럭런럴럼럽렇레렉렌렛려"
    "력련렬렴렵렸령례로록론롤롭롯뢰료루룸룹류률르른를름리릭린릴림립릿링마막만많말맛망맞매맥맨머먹"
    "먼멀메멘며면명몇모목몬몰몸못무문물뮤므미민밀밍및바박밖반받발밤방배백버번벌범법베벤벨벽변별병"
    "보복본볼봉봐봤부북분불붙뷰브블비빈빌빙빛빠뿐쁘쁜사삭산살삼상새색생샵서석선설섭성세센셀셔션셜"
    "셨소속손솔송쇄쇼수숙순술숨쉬쉽슈스슨슬슴습슷승시식신실심십싱싶싸써쓰쓴씀씨씩씬아악안않알암압"
    "았앙앞애액앤앨야약양어억언얼엄업없엇었에엔엘여역연열염였영예오옥온올옵와완왔왕왜외요욕용우욱"
    "운울움웃워원월웠웨웹위윈유육윤율융으은을음응의이익인일읽임입있자작잔잘잠잡장재쟁저적전절점접"
    "정제젝젠져졌조족존좀종좋좌죄죠주죽준줄중줘즈즌즐즘증지직진질짐집짓징짜짝째쪽찌찍차착찬찮찰참"
    "창찾채책처척천철첨첫청체쳐쳤초촉촌총최추축춘출춤충춰취츠측층치칙친칠침칭카칼캐커컨컬컴컵케켓"
    "켜코콘콜콩쿠큐크큰클큼키킨킬킹타탁탄탈탕태택터턴털테텍텐텔템토톡톤통퇴투튀튜트특튼틀티틱틴팀"
    "팅파판팔패팩팬퍼페펴편평폐포폭폰폴폼표푸풀품풍퓨프픈플피픽핀필핏핑하학한할함합항해했행향허헌"
    "험헤혀혁현혈협형혜호혹혼홀홈홍화확환활황회획효후훈휘휴흡흥희히힌힘"
)

# The same for every other character outside ASCII: code points and ranges, in hex.
SINGLE_OTHER = (
    "80 92-94 99 a0-da dc-109 10b-10d 10f-111 113 117-119 11b 11d-11f 121 123 127 129 12b "
    "12f-131 135 137 13a 13c 13e 141-144 146 148 14b 14d 150-153 158-15b 15d-163 165 168-169 16b "
    "16d 16f 171 173 175 177-17f 18f-190 192 199 1a0-1a1 1af-1b0 1ce 218-21b 251 253-254 257 259 "
    "25b 275 2bb-2bc 2c6 2da 2dc-2dd 300-303 306 308-30a 30c 323 327 32d 384 386 388 38c 390-3a1 "
    "3a3-3a9 3ac-3af 3b1-3ce 401-402 404-408 40e 410-44f 451-45c 45e-45f 490 492-493 497 499-49b "
    "49f-4a1 4a3 4a7 4a9 4ab 4ad-4b3 4b5-4b7 4ba-4bb 4bd 4bf 4d8-4d9 4e1 4e3 4e8-4e9 4ef 4f7 525 "
    "531-535 538-540 544-54a 54c-550 552-556 55b 55d-55e 561-587 589 5b0 5b4-5b9 5bc 5be-5bf "
    "5d0-5ea 5f2-5f4 60c 61b 61f 621-63a 640-654 660-66c 670 679-681 683-68a 68c-68d 68f 691 693 "
    "695-696 698-69a 6a9-6ab 6ad 6af 6b3 6b5 6ba-6bc 6be 6c0-6c1 6c3 6c6-6c8 6cb-6ce 6d0 6d2 "
    "6d4-6d5 6f0-6f9 6fd-6fe 901-903 905-90a 90f-911 913-928 92a-933 935-939 93c-943 945 947-949 "
    "94b-94d 958 95b-95e 964-970 981-983 985-987 989 98f 993 995-9a8 9aa-9b0 9b2 9b6-9b9 9bc "
    "9be-9c3 9c7-9c8 9cb-9ce 9dc-9dd 9df 9e6-9f1 9f7 a02 a05-a09 a0f-a10 a13 a15-a18 a1a a1c-a1d "
    "a1f-a21 a23-a28 a2a-a30 a32 a35-a36 a38-a39 a3c a3e-a42 a47-a48 a4b-a4d a5b-a5c a67-a68 "
    "a70-a71 a82-a83 a85-a89 a8f a93 a95-a98 a9a-a9d a9f-aa8 aaa-ab0 ab2-ab3 ab5-ab9 abe-ac3 ac5 "
    "ac7-ac9 acb-acd ae6-aef b06-b07 b15 b17 b19-b1c b1f b21 b23-b28 b2a b2c-b2e b30 b32-b33 "
    "b36-b39 b3e-b41 b47 b4b b4d b5f b85-b87 b89 b8e b92 b95 b99-b9a b9c b9e-b9f ba3-ba4 ba8-baa "
    "bae-bb5 bb7-bb9 bbe-bc2 bc6-bc8 bca-bcb bcd c02 c05-c09 c0e-c0f c15-c17 c1a c1c c1f c21 "
    "c23-c28 c2a-c30 c32-c33 c35-c39 c3e-c43 c46-c48 c4a-c4d c56 c82-c83 c85-c89 c8e c90 c92 "
    "c95-c98 c9a c9c c9f-ca8 caa-cb0 cb2-cb3 cb5-cb9 cbe-cc3 cc6-cc8 cca-ccd cd5-cd6 ce6-ce8 d02 "
    "d05-d09 d0e d10 d12-d13 d15-d1a d1c d1e-d21 d23-d28 d2a-d39 d3e-d43 d46-d48 d4a-d4b d4d d57 "
    "d7a-d7e d82 d85 d91 d94 d9a d9c d9f-da0 da2 da7 da9 dab dad-db1 db3-db4 db6-dbb dbd dc0-dc5 "
    "dca dcf-dd4 dd6 dd8-dda ddc-ddd e01-e02 e04 e06-e0b e0d-e11 e13-e25 e27-e39 e40-e44 e46-e4d "
    "e51-e52 e99 eb2 f0b f66 1000-1002 1004-1007 100a 100f-1012 1014-101f 1021 1025 102b-1033 "
    "1036-103e 1040-104b 104d 104f 105a 107e-1080 1088 108f-1090 1094-1095 10d0-10f0 1780-1782 "
    "1784-1785 1787 1789-178a 178e-179c 179f-17a2 17b6-17be 17c0-17cd 17cf-17d0 17d2 17d4 "
    "17d6-17d7 17e0-17e9 1e13 1e25 1e3d 1e41 1e43 1e45 1e47 1e4b 1e5b 1e62-1e63 1e6d 1e71 "
    "1ea0-1ea9 1eab-1eaf 1eb1 1eb3 1eb5-1eb9 1ebb 1ebd-1ec3 1ec5-1ec7 1ec9-1ecd 1ecf-1ed5 "
    "1ed7-1edf 1ee1-1ee9 1eeb 1eed 1eef-1ef1 1ef3 1ef7 1ef9 1f00 1f10 1f50 1f70 1f76-1f78 1fd6 "
    "1fe6 1ff6 2002-2003 2005 2009-2011 2013-2015 2018-201a 201c-2022 2024 2026 2028 202a-2030 "
    "2032-2033 2039-203c 2060 2063 2082 20aa 20ac 20b9 20e3 2103 2116 2122 2126 2160-2161 2164 "
    "2174 217c 2190-2193 21d2 2200 2206 2212 2219-221a 221e 2228 2248 2264-2265 226b 2460-2464 "
    "2500-2503 251c 2523 2550-2551 2557 255d 2580 2584 2588 258b 2591-2593 25a0-25a1 25aa-25ac "
    "25b2-25b3 25b6-25b7 25ba 25bc-25bd 25c6-25c7 25cb 25ce-25cf 2605-2606 260e 2634 263a 2640 "
    "2642 2661 2665-2666 266a-266b 2705 2713-2714 2728 2764 27a1 2800 2b50 2b55 3000-3002 3005 "
    "3007-3012 3014-3016 301c 3041-3042 3044 3046-3048 304a-3061 3063-306b 306d-3073 3075-3079 "
    "307b-308d 308f 3092-3093 30a1-30a4 30a6-30c1 30c3-30c4 30c6-30cb 30cd-30ed 30ef 30f3-30f4 "
    "30f6 30fb-30fd 3147 314b 314e 3160-3161 318d 33a1 e934 f0a7 f0b7 f0d8 f0fc fb01 fe0e-fe0f "
    "feff ff01 ff05-ff06 ff08-ff27 ff2b ff2d-ff30 ff32-ff34 ff3b-ff40 ff45 ff4d ff57 ff5c ff5e "
    "ff61 ff63-ff65 ff6f-ff70 ff72 ff89 ff9c ff9e-ff9f ffe3 ffe5 fffc-fffd 1f3fb-1f3fc 1f447 "
    "1f449 1f44c-1f44d 1f44f 1f495 1f525 1f600-1f602 1f609-1f60a 1f60d 1f618 1f62d 1f642 1f64f "
    "1f923"
)
