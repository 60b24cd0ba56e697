"""What redaction finds and what it leaves: keys by shape, phrases in two languages, harmless text.

detect-secrets (its entropy plugins off) and python-stdnum are the outside opinions.
"""

from __future__ import annotations

from datetime import date

import pytest
from detect_secrets.core.scan import scan_line
from detect_secrets.settings import transient_settings
from hypothesis import given
from hypothesis import strategies as st
from stdnum import luhn
from stdnum.cn import ric

from memstone.redaction import find
from memstone.redaction.numbers import is_card_number, is_identity_number
from tests.unit.redaction_samples import (
    EMBEDDED,
    HARMLESS,
    HEX,
    MIXED,
    PHRASES,
    PRIVATE_KEYS,
    TOKENS,
)

CONTACTS = {"phone", "email"}


def found(text: str) -> list[tuple[str, str]]:
    return [(f.kind, text[f.start : f.end]) for f in find(text) if f.policy_class not in CONTACTS]


def kinds(text: str) -> list[str]:
    return [finding.kind for finding in find(text)]


# --- shapes


@pytest.mark.parametrize("frame", ["{}", "use {} today", "用{}吧，谢谢", 'x="{}"', "one\n{}\ntwo"])
@pytest.mark.parametrize("name", TOKENS)
def test_case_64_a_provider_key_is_found_whole_and_alone(name: str, frame: str) -> None:
    kind, token = TOKENS[name]
    assert found(frame.format(token)) == [(kind, token)]


@pytest.mark.parametrize(("text", "kind", "secret"), EMBEDDED)
def test_a_secret_is_found_inside_urls_headers_and_settings(
    text: str, kind: str, secret: str
) -> None:
    assert any(name == kind and secret in value for name, value in found(text)), found(text)


@pytest.mark.parametrize("name", PRIVATE_KEYS)
def test_case_64_a_private_key_block_goes_whole_even_when_cut_off(name: str) -> None:
    block = PRIVATE_KEYS[name]
    assert found(f"密钥如下：\n{block}\nThe rest stays.") == [("private_key", block)]


def test_two_private_keys_are_two_findings() -> None:
    first, second = PRIVATE_KEYS["truncated"], PRIVATE_KEYS["rsa"]
    assert found(f"{first}\n\nand then\n{second}") == [
        ("private_key", first),
        ("private_key", second),
    ]


def test_a_terminal_colour_does_not_hide_a_token() -> None:
    kind, token = TOKENS["github classic"]
    assert found(f"\x1b[32m{token}\x1b[0m") == [(kind, token)]


@pytest.mark.parametrize(
    "text",
    [
        "docker run -u 1000:1000 image",
        "chown -R --user root:wheel",
        "curl -u $USER:$PASS https://x.io",
    ],
)
def test_a_user_option_without_a_password_is_harmless(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "curl -u bob:hunter2 https://x.io",
        "sshpass -p hunter2 ssh bob@h",
        "mysql -u root -phunter2 db",
    ],
)
def test_a_password_on_a_command_line_is_found(text: str) -> None:
    assert found(text) == [("password", "hunter2")]


# --- phrases


@pytest.mark.parametrize(("text", "secret"), PHRASES)
def test_an_announced_secret_is_found_and_nothing_around_it(text: str, secret: str) -> None:
    assert [value for _, value in found(text)] == [secret]


@pytest.mark.parametrize(("text", "secret"), PHRASES)
def test_an_announced_secret_is_found_in_the_middle_of_a_text(text: str, secret: str) -> None:
    inside = f"Notes of Monday, 会议记录：\n{text}\nNext: lunch at noon."
    assert secret in [value for _, value in found(inside)]


@pytest.mark.parametrize("text", HARMLESS)
def test_harmless_text_is_not_refused(text: str) -> None:
    assert found(text) == []
    assert found(f"Notes, 记录：\n{text}\nNext line.") == []


@pytest.mark.parametrize(
    ("text", "secrets"),
    [
        ("changed the password from hunter2 to sunshine9", ["hunter2", "sunshine9"]),
        ("passwords are hunter2 and sunshine9", ["hunter2", "sunshine9"]),
        ("密码是 hunter2 或 sunshine9", ["hunter2", "sunshine9"]),
        ("密码从 hunter2 改成 sunshine9", ["hunter2", "sunshine9"]),
        ("新密码：hunter2，旧密码：sunshine9", ["hunter2", "sunshine9"]),
        ("user=bob&password=hunter2&token=a1b2c3d4", ["hunter2", "a1b2c3d4"]),
    ],
)
def test_several_secrets_in_one_sentence_are_all_found(text: str, secrets: list[str]) -> None:
    assert [value for _, value in found(text)] == secrets


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("passphrase: tiger-99", "passphrase"),
        ("api_key: a1b2c3d4", "api_key"),
        ("client_secret=a1b2c3d4", "secret"),
        ("令牌：a1b2c3d4", "token"),
        ("密钥：a1b2c3d4", "secret_key"),
        ("私钥是 a1b2c3d4", "secret_key"),
        ("口令：tiger99", "password"),
    ],
)
def test_the_kind_is_that_of_the_keyword(text: str, kind: str) -> None:
    assert kinds(text) == [kind]


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (r'password = "ab\"cd1"', r"ab\"cd1"),
        ('password = "hunter2\nnext = "x"', "hunter2"),
        ("password = 'two words b3tter'", "two words b3tter"),
        ('password = "correct horse battery staple"', None),  # a sentence, for all one can tell
        ("passphrase = 'correct horse staple'", "correct horse staple"),
        ('"password": "Bitte ein sicheres Passwort"', None),
        ('"password": "wrong pa55 again"', None),
        ('"password": "the pa55 is old"', None),
        ("password: {{ vault }}1", None),
        ("password: a{b}c1", None),
        ('password: "a/b"', None),
        ("password: pass@word", "pass@word"),
        ("密码是“不对”", None),
        ("密码 “芝麻开门”", None),
        ("api_key = abcd-efgh-1234-ijkl-5678", "abcd-efgh-1234-ijkl-5678"),
        ("api_key = key12", None),
        ("the secret is not a1b2c3d4e5f6", None),
        ("<password>", None),
        ("the password> hunter2", None),
        ("password:\n1. be brave", None),
    ],
)
def test_the_borders_of_a_value(text: str, secret: str | None) -> None:
    assert [value for _, value in found(text)] == ([secret] if secret else [])


def test_a_row_of_passwords_is_followed_to_its_end() -> None:
    row = " or ".join(f"hunter{number}" for number in range(10, 19))
    assert [value for _, value in found(f"the password is {row}")] == row.split(" or ")


def test_an_end_line_before_a_key_is_not_its_end() -> None:
    block = PRIVATE_KEYS["rsa"]
    end = block[block.rindex("-----END") :]
    assert found(f"{end}\n{block}") == [("private_key", block)]


def test_a_long_value_goes_to_its_end() -> None:
    value = MIXED * 4
    assert found(f"token={value} next") == [("token", value)]


def test_there_are_enough_examples_of_both_sorts() -> None:
    assert len(PHRASES) >= 60
    assert len(HARMLESS) >= 60


# --- numbers


PLACES = st.sampled_from(["110105", "310101", "440305", "510104", "650102"])
BIRTHDAYS = st.dates(date(1900, 1, 1), date(2099, 12, 31)).map(lambda day: f"{day:%Y%m%d}")
SERIALS = st.integers(0, 999).map("{:03d}".format)


@given(PLACES, BIRTHDAYS, SERIALS, st.sampled_from("0123456789X"))
def test_identity_numbers_agree_with_stdnum(place: str, born: str, serial: str, check: str) -> None:
    number = place + born + serial + check
    assert is_identity_number(number) == (ric.calc_check_digit(number) == check)
    if ric.is_valid(number):  # knows the counties of each year, too
        assert is_identity_number(number)


@given(PLACES, BIRTHDAYS, SERIALS)
def test_every_valid_identity_number_is_found(place: str, born: str, serial: str) -> None:
    body = place + born + serial
    number = body + ric.calc_check_digit(body + "0")
    for spelt in (number, number.lower(), f"{number[:6]} {number[6:14]} {number[14:]}"):
        assert ("cn_id", spelt) in found(f"身份证号{spelt}，请保密")


@pytest.mark.parametrize(
    "text",
    [
        "110105194912310021",  # the check character is X
        "11010519491331002X",  # month 13
        "110105190002290026",  # 1900 was no leap year
        "99010519491231002X",  # no such province
        "111010519491231002X",  # 19 digits
        "11010519491231002X7",
        "a11010519491231002X",
        "0.11010519491231002X",
    ],
)
def test_a_number_that_is_no_identity_number_is_left(text: str) -> None:
    assert found(text) == []


@given(st.sampled_from(["4", "51", "37", "62", "6011", "3530", "2221"]), st.data())
def test_card_numbers_agree_with_luhn(prefix: str, data: st.DataObject) -> None:
    length = 15 if prefix == "37" else 16
    rest = data.draw(
        st.text("0123456789", min_size=length - len(prefix), max_size=length - len(prefix))
    )
    assert is_card_number(prefix + rest) == luhn.is_valid(prefix + rest)


@pytest.mark.parametrize(
    "card",
    [
        "4111111111111111",
        "4111 1111 1111 1111",
        "4111-1111-1111-1111",
        "5555555555554444",
        "378282246310005",
        "3782 822463 10005",
        "6222021234567890128",
        "6222 0212 3456 7890 128",
        "622202 1234567890128",
    ],
)
def test_case_64_a_bank_card_is_found_in_the_groups_people_write(card: str) -> None:
    for text in (card, f"my card is {card}.", f"卡号{card}，有效期 12/27", f"2024 {card} 123"):
        assert ("bank_card", card) in found(text), text


@pytest.mark.parametrize(
    "text",
    [
        "4111111111111112",  # Luhn
        "1111222233334444",  # no issuer
        "14111111111111111",  # a digit more
        "41111111111111111111",
        "0.4111111111111111",
        "x4111111111111111",
        "4111 1111-1111 1111",
        "4111  1111  1111  1111",
        "1234-4111-1111-1111-1111",
        "1710500000000000",
        "order no. 4111111111111111",
        "快递单号 4111111111111111",
        HEX[:64],
    ],
)
def test_a_number_that_is_no_card_is_left(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "13800138000",
        "138 0013 8000",
        "138-0013-8000",
        "+86 138 0013 8000",
        "+1 (415) 555-2671",
        "415-555-2671",
        "010-62345678",
    ],
)
def test_a_phone_number_is_found(text: str) -> None:
    assert kinds(f"打 {text} 找我") == ["phone"]


@pytest.mark.parametrize("text", ["a.b+c@mail.example.com", "li@example.cn", "x@a-b.co.uk"])
def test_an_address_is_found_whole(text: str) -> None:
    sentence = f"写信给{text}。"
    assert [sentence[f.start : f.end] for f in find(sentence)] == [text]


@pytest.mark.parametrize(
    "text",
    ["2024-03-15 09:30:00", "192.168.100.200", "1710500000", "+12 345 67 89", "@home", "a@b"],
)
def test_dates_addresses_of_machines_and_handles_are_no_contacts(text: str) -> None:
    assert kinds(text) == []


# --- outside opinion

PLUGINS = [
    {"name": name}
    for name in [
        "ArtifactoryDetector",
        "AWSKeyDetector",
        "AzureStorageKeyDetector",
        "BasicAuthDetector",
        "DiscordBotTokenDetector",
        "GitHubTokenDetector",
        "GitLabTokenDetector",
        "JwtTokenDetector",
        "KeywordDetector",
        "NpmDetector",
        "OpenAIDetector",
        "PrivateKeyDetector",
        "PypiTokenDetector",
        "SendGridDetector",
        "SlackDetector",
        "StripeDetector",
        "TelegramBotTokenDetector",
        "TwilioKeyDetector",
    ]
]


def detect_secrets_finds(line: str) -> bool:
    with transient_settings({"plugins_used": PLUGINS}):
        return any(True for _ in scan_line(line))


@pytest.mark.parametrize(
    "line",
    [
        *(f'token = "{token}"' for _, token in TOKENS.values()),
        *(text for text, _, _ in EMBEDDED),
        *(text for text, _ in PHRASES),
    ],
)
def test_what_detect_secrets_finds_is_found_here(line: str) -> None:
    if detect_secrets_finds(line):
        assert found(line)


def test_detect_secrets_finds_some_of_the_samples_at_all() -> None:
    seen = sum(detect_secrets_finds(f'x = "{token}"') for _, token in TOKENS.values())
    assert seen >= 8
