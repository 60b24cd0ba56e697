"""What stands on a card and under which label, and what does not, as a newcomer found it wrong."""

from __future__ import annotations

import pytest

import memstone
from memstone.extraction.cards import Card, card_of
from memstone.extraction.echoes import is_echo
from memstone.extraction.personal import is_personal
from memstone.extraction.salience import Said
from memstone.extraction.unsaid import is_bot_talk, is_redacted
from memstone.tokens import EstimatedTokens
from memstone.types import Kind, Trust, Turn

COUNTER = EstimatedTokens()


def card(*turns: tuple[str, str]) -> Card | None:
    return card_of([Said(text, speaker) for speaker, text in turns], COUNTER)


@pytest.mark.parametrize(
    "turns",
    [
        (
            ("user", "Which newsletter tool should we use?"),
            ("assistant", "Mailchimp, Brevo and Sendinblue are common choices."),
            (
                "user",
                "We decided against Mailchimp, it is too expensive for us. We go with Brevo. Launch on "
                "12 June. Budget is 400 euros. Tom takes over from Ana.",
            ),
            ("assistant", "Got it, you go with Brevo and the budget is 400 euros. Lovely weather!"),
        ),
        (
            ("user", "我们用哪个邮件工具？"),
            ("assistant", "常见的有 Mailchimp、Brevo 和 Sendinblue。"),
            (
                "user",
                "最后没选Mailchimp，太贵了。我们用Brevo。六月十二号上线。预算四百欧。汤姆接替安娜。",
            ),
            ("assistant", "好的，您用Brevo，预算四百欧。今天天气真好！"),
        ),
    ],
)
def test_what_was_chosen_dates_budgets_and_people_stay(turns: tuple[tuple[str, str], ...]) -> None:
    made = card(*turns)
    assert made is not None
    for one in turns[2][1].replace("。", ". ").split(". "):
        assert one.strip(". ") in made.text
    assert {one.turn for one in made.chosen} <= {0, 2}  # neither the echo nor the weather
    assert made.conclusion is not None


@pytest.mark.parametrize(
    "text",
    [
        "（我还不记得相关的事。）",
        "(I have no memory of that yet.)",
        "I don't have any information about that.",
        "Noted! I'll keep that in mind.",
        "好的，我记住了。",
        "Is there anything else I can help you with?",
        "From what you told me: the budget is 900 euros. / The port was 8081.",
        "根据你告诉过我的：预算是900元。",
    ],
)
def test_an_assistants_talk_about_itself_is_no_statement(text: str) -> None:
    made = card(("user", "My port is 8080."), ("assistant", text))
    assert made is not None
    assert {one.turn for one in made.chosen} == {0}


def test_bot_talk_is_told_from_what_an_assistant_knows() -> None:
    assert not is_bot_talk("The tax office in Graz closes at 4 pm.")
    assert not is_bot_talk("格拉茨税务局下午四点关门。")


@pytest.mark.parametrize(
    ("text", "only_that"),
    [
        ("My bank password is [REDACTED:password]", True),
        ("我的银行密码是 [REDACTED:password]。", True),
        ("password: [REDACTED:password]", True),
        ("[REDACTED:token]!", True),
        ("My card is [REDACTED:card] and the rent is due on the 3rd of May in Graz.", False),
        ("Wire the deposit to [REDACTED:iban] by Friday.", False),
        ("The rent is 900.", False),
    ],
)
def test_a_sentence_that_is_redacted_away_is_not_learnt(text: str, *, only_that: bool) -> None:
    assert is_redacted(text) is only_that
    assert (card(("user", text)) is None) is only_that


@pytest.mark.parametrize(
    "text", ["就这样，周末愉快", "今天天气真不错", "Bye, have a lovely weekend!"]
)
def test_partings_and_weather_are_not_learnt(text: str) -> None:
    assert card(("user", text)) is None


@pytest.mark.parametrize(
    "text",
    [
        "I don't like emojis.",
        "The deadline for the tax form is 3 May.",
        "Mia is coming to dinner on Saturday.",
        "We moved to Oslo.",
        "我不喜欢表情符号。",
        "报税截止到五月三号。",
        "米娅周六来吃饭。",
    ],
)
def test_tastes_dates_visits_and_moves_bear_no_label(text: str) -> None:
    made = card(("user", text), ("assistant", "OK!"))
    assert made is not None
    assert made.text == text


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("We decided to ship on Friday.", "Conclusion: "),
        ("It turned out the cache was stale.", "Conclusion: "),
        ("The standup was moved to 9:15.", "Conclusion: "),
        ("I need to renew my passport.", "Next: "),
        ("我们决定周五上线。", "结论："),
        ("会议改到下午四点。", "结论："),
        ("提醒我周五交报告。", "下一步："),
    ],
)
def test_what_bears_a_label_has_it(text: str, label: str) -> None:
    made = card(("user", text), ("assistant", "OK, done." if label[0] < "z" else "好的。"))
    assert made is not None
    assert made.text == label + text


def test_a_goal_is_what_was_asked_for() -> None:
    asked = "How do I rotate the deploy key of staging?"
    made = card(("user", asked), ("assistant", "Run vault rotate on host atlas-7."))
    assert made is not None
    assert made.text.startswith(f"Goal: {asked}")


def test_sentences_are_joined_with_a_blank_but_between_chinese() -> None:
    told = "服务器在 Harbor. 预算四百欧。截止三月一号。"
    made = card(("user", told))
    assert made is not None
    assert made.text == told


def test_a_sentence_without_an_end_stands_on_a_line_of_its_own() -> None:
    made = card(("user", "the gate code is 8842\nthe wifi key is on router 3"))
    assert made is not None
    assert made.text.splitlines() == ["the gate code is 8842", "the wifi key is on router 3"]


@pytest.mark.parametrize(
    "text",
    [
        "I am allergic to peanuts",
        "My son has asthma",
        "We are vegetarians at home",
        "I don't drink",
        "My cat is called Miso",
        "I work at Siemens as an engineer",
        "I drive an old Volvo",
        "My sister lives in Perth",
        "I'm left-handed",
        "我对花生过敏",
        "我儿子有哮喘",
        "我们全家吃素",
        "我家猫叫年糕",
        "我在西门子工作",
        "我没有车",
        "我弟弟在珀斯",
    ],
)
def test_what_lasts_about_a_person_is_a_fact(text: str) -> None:
    assert is_personal(text)
    made = card(("user", text), ("assistant", "OK!"))
    assert made is not None
    assert [one.text for one in made.of_kind(Kind.FACT)] == [text]


@pytest.mark.parametrize(
    "text",
    [
        "If I were allergic to peanuts, I would know",
        "Maybe my son has asthma",
        "The tree is old",
        "要是我对花生过敏就糟了",
        "这棵树很老",
    ],
)
def test_what_is_supposed_or_about_nobody_is_no_personal_fact(text: str) -> None:
    assert not is_personal(text)


@pytest.mark.parametrize("text", ["I am allergic to peanuts", "我家养了两只猫"])
def test_a_personal_fact_is_remembered_as_one(text: str) -> None:
    with memstone.open(":memory:", background=False) as engine:
        engine.ingest(
            [
                Turn(text=text, speaker="user", trust=Trust.USER, ordinal=1),
                Turn(text="OK!", speaker="assistant", trust=Trust.AGENT, ordinal=2),
            ],
            session_id="s",
            end=True,
        )
        engine.flush()
        assert [one.text for one in engine.list(kinds=["fact"])] == [text]


@pytest.mark.parametrize(
    ("said", "repeated", "echo"),
    [
        ("my budget for the bike is 900 EUR", "Got it, your budget is 900 EUR.", True),
        ("I am allergic to peanuts", "Thanks for telling me, you are allergic to peanuts.", True),
        ("我的预算是900元", "好的，您的预算是900元。", True),
        ("my budget for the bike is 900 EUR", "With 900 EUR you can get an X200.", False),
        ("my budget for the bike is 900 EUR", "Got it, your budget is 950 EUR.", False),
        ("我的预算是900元", "900元可以买X200。", False),
    ],
)
def test_an_echo_adds_no_line(said: str, repeated: str, *, echo: bool) -> None:
    assert is_echo(repeated, [said]) is echo
    made = card(("user", said), ("assistant", repeated))
    assert made is not None
    assert said in made.text
    assert ({one.turn for one in made.chosen} == {0}) or not echo


def test_a_question_echoed_is_an_answer() -> None:
    made = card(
        ("user", "Should we use Postgres or MySQL for the queue?"),
        ("assistant", "Use Postgres for the queue."),
    )
    assert made is not None
    assert 1 in {one.turn for one in made.chosen}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Our budget for the trip is 900 euros.", "Our budget for the trip is 1,200 euros now."),
        ("My name is Lin Yu.", "My name is Lin Song."),
        ("我们的预算是900元。", "我们的预算改成1200元。"),
    ],
)
def test_what_was_put_right_since_is_not_on_the_card(first: str, second: str) -> None:
    made = card(("user", first), ("assistant", "OK!"), ("user", second))
    assert made is not None
    assert [one.text for one in made.chosen] == [second]


def test_two_people_may_have_two_budgets() -> None:
    made = card(("Ana", "My budget is 900 euros."), ("Bo", "My budget is 1,200 euros."))
    assert made is not None
    assert len(made.chosen) == 2
