"""What a card takes and what it leaves: kinds of sentences that newcomers missed or found there.

The snippets of small talk and the important statements here are samples of sets written while the
rules were made; what decides are the labelled sets of `benchmarks/data`.
"""

from __future__ import annotations

import pytest

from memstone.extraction.cards import Card, card_of
from memstone.extraction.echoes import is_echo
from memstone.extraction.personal import is_personal
from memstone.extraction.salience import Said
from memstone.extraction.unsaid import is_bot_talk, is_redacted
from memstone.tokens import EstimatedTokens

COUNTER = EstimatedTokens()


def card(*turns: tuple[str, str]) -> Card | None:
    return card_of([Said(text, speaker) for speaker, text in turns], COUNTER)


def shown(*turns: tuple[str, str]) -> str:
    made = card(*turns)
    return "" if made is None else made.text


@pytest.mark.parametrize(
    "text",
    [
        "Hey, how are you doing today?", "haha no way, you're kidding me!!", "Awww that's so sweet 😍",
        "ok cool, talk later then", "thank you sooo much, you saved my day", "lol same here",
        "Ugh, Mondays, am I right?", "Good night, sleep tight!", "You've got this, don't worry!",
        "It's such a lovely day outside, isn't it?", "Hmm, I don't know what to say...",
        "I have no memory of that yet.", "(I have no memory of that yet.)", "Just checking in!",
        "在吗？", "哈哈哈哈笑死我了", "辛苦啦，早点休息", "今天外面好冷啊", "加油，你可以的！", "好的好的，收到",
        "哎呀太可爱了吧", "就这样，周末愉快", "没事没事，别放在心上", "（我还不记得相关的事。）", "晚安，好梦～",
        "真的假的？太夸张了吧！", "谢谢你听我唠叨", "嗯嗯，明白了",
    ],
)  # fmt: skip
def test_small_talk_makes_no_card(text: str) -> None:
    speaker = "assistant" if "memory" in text or "不记得" in text else "user"
    assert shown((speaker, text)) == ""


@pytest.mark.parametrize(
    "text",
    [
        "I am allergic to peanuts.", "My sister just had twins.", "We go with Brevo for the newsletter.",
        "Tom takes over from Ana as project lead.", "The deadline for the tax form is 3 May.",
        "I can't stand loud restaurants.", "Please always answer in Dutch.", "I quit smoking in March.",
        "My knee surgery is on the 14th.", "Remind me to renew the passport.", "We rent from a Mrs. Vogel.",
        "The staging database lives on db-7.", "I keep kosher.", "Our cat needs his pills twice a day.",
        "我对花生过敏。", "我姐刚生了双胞胎。", "邮件就用 Brevo 发。", "下周起由老王接替小陈。", "报税截止到5月3日。",
        "我受不了太吵的餐厅。", "以后都用繁体回答我。", "我三月份戒烟了。", "膝盖手术定在14号。", "记得提醒我换护照。",
        "测试库在 db-7 上。", "我家猫一天要吃两次药。", "我不吃猪肉。", "我在供电局上班。",
    ],
)  # fmt: skip
def test_an_important_statement_is_on_the_card(text: str) -> None:
    assert text.strip("。.") in shown(("user", text))


@pytest.mark.parametrize(
    "text",
    [
        "I am allergic to peanuts", "I have type 2 diabetes", "My son plays the cello", "we have two cats",
        "I work night shifts as a nurse", "I own a small boat", "我对青霉素过敏", "我家养了一只狗", "我有高血压",
        "我儿子在学大提琴",
    ],
)  # fmt: skip
def test_what_lasts_about_people_is_personal(text: str) -> None:
    assert is_personal(text)


@pytest.mark.parametrize(
    "text",
    [
        "If I had a dog I would walk more",
        "The tree is old",
        "My day was long",
        "要是我有狗就好了",
        "今天真累",
    ],
)
def test_a_wish_a_mood_or_a_thing_is_not(text: str) -> None:
    assert not is_personal(text)


def test_a_label_stands_only_on_what_it_names() -> None:
    preference = shown(
        ("user", "I don't like emojis."), ("assistant", "Understood, no emojis then.")
    )
    assert "Conclusion" not in preference
    fact = shown(
        ("user", "The deadline for the tax form is 3 May."), ("assistant", "Good to know.")
    )
    assert "Goal" not in fact
    event = shown(("user", "Mia is coming to dinner on Friday."), ("assistant", "How nice."))
    assert "Next" not in event
    plan = shown(
        ("user", "We decided to use Postgres."), ("user", "I'll order the disks tomorrow.")
    )
    assert "Conclusion: We decided to use Postgres." in plan
    assert "Next: I'll order the disks tomorrow." in plan


def test_what_was_chosen_is_kept_beside_what_was_not() -> None:
    text = shown(
        ("user", "We decided against Mailchimp, it is too expensive."),
        ("user", "We go with Brevo, 25 euros a month."),
        ("user", "Haha, finally!"),
    )
    assert "Brevo" in text
    assert "Mailchimp" in text
    assert "finally" not in text


def test_an_echo_of_the_assistant_is_left_out_and_advice_is_not() -> None:
    asked = ("user", "My budget for the bike is 900 EUR.")
    echoed = shown(asked, ("assistant", "Got it, your budget for the bike is 900 EUR."))
    assert echoed.count("900") == 1
    advised = shown(
        asked, ("assistant", "With 900 EUR you can get a Cube Nuroad with 28 inch wheels.")
    )
    assert "Cube Nuroad" in advised
    assert is_echo("好的，你的预算是900元。", ["我买车的预算是900元"])


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("My bank password is [REDACTED:password]", True),
        ("我的密码是[REDACTED:password]", True),
        ("Wire the deposit to [REDACTED:iban] by Friday.", False),
    ],
)
def test_a_sentence_of_nothing_but_a_redaction_is_no_statement(
    text: str, *, redacted: bool
) -> None:
    assert is_redacted(text) is redacted
    assert (shown(("user", text)) == "") is redacted


@pytest.mark.parametrize(
    "text", ["I'll keep that in mind!", "Is there anything else?", "我记住了。"]
)
def test_an_assistant_on_itself_says_nothing(text: str) -> None:
    assert is_bot_talk(text)
    assert shown(("assistant", text)) == ""


def test_sentences_without_an_end_of_their_own_stand_on_lines_of_their_own() -> None:
    text = shown(
        ("Ana", "The ship is called Harbor"),
        ("Ana", "Thirty-five days at sea, from Oslo to Lima."),
        ("Ana", "The captain is Per Olsen."),
    )
    assert "HarborThirty" not in text
    assert "Harbor.Thirty" not in text
    assert "sea, from Oslo to Lima. The captain" in text
