"""What small talk leaves on a card, and what short statements do: samples of two sets that were
written apart from each other, one to work on the rules and one to measure them (the words are ours).
"""

from __future__ import annotations

import pytest

from memstone.extraction.cards import card_of
from memstone.extraction.register import chat_marks
from memstone.extraction.salience import Said
from memstone.extraction.small_talk import is_small_talk, remains
from memstone.tokens import EstimatedTokens

COUNTER = EstimatedTokens()
SMALL_TALK = (
    "oof",
    "whaaaat",
    "true true",
    "Easy peasy!",
    "bye for now",
    "feeling lazy",
    "busy as always",
    "Could be worse!",
    "Got it, thanks.",
    "Look at you go!",
    "Good vibes only!",
    "I need a nap lol",
    "You've got this!",
    "sure thing, boss",
    "my thoughts exactly",
    "Have a blessed Sunday",
    "we all have those days",
    "The wind is crazy today",
    "pretty good, how bout u",
    "Fingers crossed for you!",
    "I can't thank you enough.",
    "My heart goes out to you.",
    "Give yourself some credit!",
    "I feel so stupid right now",
    "sorry I zoned out for a bit",
    "I'm in such a good mood today!",
    "I'm cheering for you all the way.",
    "Wow, that's so thoughtful of you.",
    "Hello sunshine, how did you sleep?",
    "Feeling pretty good today actually!",
    "couldn't have said it better myself",
    "thanks, that's all I needed for now",
    "the weekend went by way too quickly",
    "Don't give up, you're almost there 💪",
    "Your smile is so bright in this photo.",
    "Don't sweat it, happens to the best of us.",
    "Thank you so so much, I really couldn't have done it without you.",
    "My brain is fried. I can't think straight anymore. Is it bedtime yet?",
    "Hey you! I was hoping you'd show up. The place isn't the same without you.",
    "Oh my, that cake looks heavenly. Now I'm hungry! You're evil for showing me that, haha.",
    "？？",
    "凑合过呗",
    "溜了溜了",
    "好的，谢谢",
    "行，听你的",
    "这点我站你",
    "哈哈哈算你狠",
    "家里人都好吧",
    "正能量满满！",
    "今晚过得怎么样",
    "天呐，太夸张了",
    "对！就是这个！",
    "就随便吐槽一下",
    "开启周末模式😎",
    "我也是这么想的",
    "抱歉说了一大堆",
    "照片拍得真好看",
    "现在感觉怎么样",
    "突然有点想你了",
    "谢啦，帮大忙了",
    "还可以吧，我想",
    "你和家人都还好吧",
    "你行的，我看好你",
    "你说的可能是对的",
    "唉，算了，没办法",
    "有意思，很有意思",
    "秋天的叶子好美啊",
    "谢谢，讲得很清楚",
    "你不去说相声可惜了",
    "多谢多谢，感激不尽",
    "跟你说话总是很舒服",
    "这么冷的天只想冬眠",
    "这颜色也太好看了吧",
    "你已经足够好了，别忘了",
    "纪念日快乐，你俩要甜甜蜜蜜哦",
    "哇这么快！你真是每次都能给我惊喜。",
    "我无语了，真的无语了，完全超出我的想象。",
    "脑子已经不转了，完全没法思考，可以睡觉了吗",
    "哎呀谢谢你来看我，我好多啦，你真是个小天使。",
    "哈哈哈我都能想象到那个画面了，你当时一定很尴尬吧！",
)
IMPORTANT = (
    "I can juggle",
    "I hate cilantro",
    "I have three kids",
    "my boss is Henrik",
    "I was born in 1987",
    "I'm deaf in one ear",
    "I paint watercolours",
    "The repair costs 380",
    "I'm on blood thinners",
    "rehearsal is at seven",
    "We adopted a greyhound",
    "We prefer quiet hotels",
    "the launch slips to Q3",
    "vanilla is my favorite",
    "our baby is due in April",
    "the meeting moved to 4pm",
    "we need a new dishwasher",
    "I don't know how to drive",
    "my ex and I share custody",
    "I like my steak medium rare",
    "our stack is Django and Vue",
    "I have a stepson called Milo",
    "I'm planning to sell the van",
    "please don't call me sweetie",
    "we settled on a June wedding",
    "We keep the tools in the shed",
    "don't forget to feed the fish",
    "I take metformin every morning",
    "my goal is to read thirty books",
    "the printer only works over USB",
    "we store the skis at my uncle's",
    "I left my umbrella at the clinic",
    "Sam is covering for me next week",
    "My name's Aoife, pronounced Ee-fa",
    "my birthday is the 9th of October",
    "my daughter is lactose intolerant",
    "the shop shuts at noon on Saturdays",
    "I have a bad knee so no running for me",
    "switching to HTTP/1.1 solved the timeouts",
    "could you remind me to call grandma tonight",
    "我不会开车",
    "我戴助听器",
    "明年去秘鲁",
    "渡轮天亮开",
    "表格忘了寄",
    "三点得接孩子",
    "冰箱该除霜了",
    "到前台找老高",
    "垃圾每周四收",
    "婚礼定在六月",
    "小诺得配眼镜",
    "我们全家吃素",
    "我家猫叫年糕",
    "房子六十四平",
    "找妮娜要合同",
    "合同十二月到期",
    "得有人签收包裹",
    "我喝茶要加柠檬",
    "我在中学教历史",
    "我在乐队弹贝斯",
    "我用的是Mac",
    "春天我要学养蜂",
    "构建要四十分钟",
    "部署走Helm",
    "化验结果还没出来",
    "我从小在农村长大",
    "播客那个想法砍了",
    "紧急联系人是狄娜",
    "重启路由器就好了",
    "不要直接推main",
    "大家投票选了B方案",
    "我侄女在图卢兹留学",
    "我打算把面包车卖了",
    "服务都放在阿里云上",
    "布鲁诺是我们家的金毛",
    "我们打算去格鲁吉亚玩",
    "每个合并请求要两个人批",
    "海边和山里我肯定选山里",
    "我被蜜蜂蜇过一次进了急诊",
    "生日收到一台Kindle",
)
EXCHANGES = (
    (("user", "Hey! Just got online, how are you?"), ("assistant", "Great! How can I help you?")),
    (("Ana", "What a gorgeous view!"), ("Bo", "Right? It never gets old."), ("Ana", "So true!")),
    (("小美", "这里风景真好！"), ("阿强", "对呀，太美了，来对了")),
    (("user", "Tell me a joke"), ("assistant", "The scarecrow won a prize in his field in 1999.")),
    (("user", "讲个笑话呗"), ("assistant", "从前有只小鸭子，走着走着就变成了烤鸭。")),
)


@pytest.mark.parametrize("text", SMALL_TALK)
def test_small_talk_leaves_no_card(text: str) -> None:
    assert card_of([Said(text, "user")], COUNTER) is None


@pytest.mark.parametrize("turns", EXCHANGES)
def test_small_talk_of_two_leaves_no_card(turns: tuple[tuple[str, str], ...]) -> None:
    assert card_of([Said(text, speaker) for speaker, text in turns], COUNTER) is None


@pytest.mark.parametrize("text", IMPORTANT)
def test_a_short_statement_has_a_card(text: str) -> None:
    made = card_of([Said(text, "user")], COUNTER)
    assert made is not None
    assert text.strip(" .,!?。，！？") in made.text


@pytest.mark.parametrize(
    ("drawn_out", "plain"),
    [
        ("Sooooo goooood!", "So good!"),
        ("heyyyy", "hey"),
        ("哈哈哈哈哈哈", "哈哈"),
        ("I agree 100 %", "I agree"),
    ],
)
def test_what_only_stresses_says_nothing(drawn_out: str, plain: str) -> None:
    assert is_small_talk(drawn_out)
    assert is_small_talk(plain)


@pytest.mark.parametrize("text", ["Thanks, Tom!", "Hi Sarah!", "Good night, Mia."])
def test_the_name_of_whoever_is_spoken_to_is_no_content(text: str) -> None:
    assert is_small_talk(text)


@pytest.mark.parametrize(
    ("text", "weight"), [("我恐高", 1.0), ("我没有车", 0.5), ("We sold the boat", 2.0)]
)
def test_a_word_is_read_whole_and_what_is_left_weighs(text: str, weight: float) -> None:
    assert not is_small_talk(text)
    assert remains(text).weight == weight


def test_marks_of_chat_only_weigh_where_nothing_is_named() -> None:
    assert chat_marks("Wow, you are so funny!") > 2
    made = card_of([Said("Wow, my flight leaves at 14:35!", "user")], COUNTER)
    assert made is not None
