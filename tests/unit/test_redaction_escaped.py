"""Finding K21: secrets in URLs, quoted JSON and HTML, and passwords glued to Chinese."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstone.redaction import find, scrub
from memstone.redaction.folding import unescape
from tests.unit.redaction_samples import HARMLESS, PHRASES, PRIVATE_KEYS, TOKENS

CARD = "4111111111111111"
CN_ID = "11010519491231002X"
KIND, TOKEN = TOKENS["github classic"]
SECRETS = [
    *(("private_key", block) for block in PRIVATE_KEYS.values()),
    *TOKENS.values(),
    ("bank_card", f"卡号 {CARD} end"),
    ("cn_id", f"身份证 {CN_ID} 号"),
    ("password", "密码是 hunter2，好"),
]


def stored(text: str) -> str:
    return scrub(text, {}, importing=True).text


def secret_kinds(text: str) -> set[str]:
    return kinds(text) - {"email", "phone"}


def kinds(text: str) -> set[str]:
    return {finding.kind for finding in find(text)}


@pytest.mark.parametrize(("kind", "text"), SECRETS)
def test_k21_a_secret_in_a_url_is_found(kind: str, text: str) -> None:
    assert kind in kinds(f"https://example.com/?note={quote(text, safe='')}&x=1")


@pytest.mark.parametrize(("kind", "text"), SECRETS)
def test_k21_a_secret_escaped_character_by_character_is_found(kind: str, text: str) -> None:
    for form in ("%{:02x}", "\\u{:04x}", "\\\\u{:04x}", "\\x{:02x}", "&#{};", "&#x{:x};"):
        escaped = "".join(
            form.format(ord(char)) if char.isascii() and not char.isalnum() else char
            for char in text
        )
        assert kind in kinds(f"猫 {escaped}"), form


@pytest.mark.parametrize(
    "escaped",
    [
        f"note%20{CARD}%20end",
        f"id%2011010519491231002X%20{CN_ID[-1]}"[:-2],
        TOKEN.replace("_", "\\u005f"),
        TOKEN.replace("_", "\\\\u005f"),
        TOKEN.replace("_", "%5F"),
        TOKEN.replace("_", "%255F"),
        TOKEN.replace("_", "&#95;"),
        json.dumps(json.dumps({"工具": f"密码是 hunter2 {TOKEN}"})),
        quote(quote("密码是 hunter2")),
        "\\uff14" + CARD[1:],
    ],
)
def test_k21_nothing_of_an_escaped_secret_is_kept(escaped: str) -> None:
    kept = stored(f"说明 {escaped}, and more")
    for secret in (CARD[1:], CN_ID, TOKEN.removeprefix("ghp_"), "hunter2"):
        assert secret not in kept
    assert kept.startswith("说明 ")
    assert kept.endswith(", and more")
    assert stored(kept) == kept


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("password: 猫hunter2Zz9!x猫", "hunter2Zz9!x"),
        ("password=猫猫hunter2Zz9", "hunter2Zz9"),
        ("密码：默认hunter2，请尽快修改", "hunter2"),
        ("密码是生日hunter2", "hunter2"),
        ("パスワード password: ねこneko2024x", "neko2024x"),
    ],
)
def test_k21_a_password_glued_to_chinese_is_found(text: str, secret: str) -> None:
    assert [text[one.start : one.end] for one in find(text)] == [secret]


@pytest.mark.parametrize(
    "text",
    [
        "密码：使用SHA256加密存储",
        "密码是由至少8位字符组成",
        "密码: 见2024年文档",
        "密码：在1Password里",
        "password: 需要8-16个字符",
        "token 是猫ab12cd34",
        "growth of 100%20 in the first quarter, 50%25 of it abroad 增长",
        "C:\\users\\x41\\u4e2d.txt",
        "price&#58; 4111 euros &#x732b;",
        "%E7%8C%AB%E5%8F%AB%E8%B1%86%E8%B1%86",
        "\\ud83d\\ude00 \\ud800",
    ],
)
def test_k21_harmless_escapes_and_glued_words_are_kept(text: str) -> None:
    assert find(text) == []


def test_k21_escaping_harmless_text_raises_no_alarm() -> None:
    alarms = [
        text
        for text in HARMLESS
        if secret_kinds(quote(text)) or secret_kinds(json.dumps(text, ensure_ascii=False))
    ]
    assert alarms == []


def test_k21_escaping_announced_secrets_hides_few() -> None:
    """Some announcements rest on quotes that JSON escapes; all others are found."""
    missed = [text for text, _ in PHRASES if not find(json.dumps(text))]
    assert len(missed) <= len(PHRASES) // 20, missed


@given(st.text(), st.text(alphabet="%\\u0041&#;x5f猫 ", max_size=40))
def test_k21_every_unescaped_character_knows_where_it_stood(before: str, after: str) -> None:
    text = before + after
    undone = unescape(text)
    if undone is None:
        return
    spans = [undone.span(place, place + 1) for place in range(len(undone.text))]
    assert [start for start, _ in spans] == [0, *(end for _, end in spans[:-1])]
    assert spans[-1][1] == len(text)


@pytest.mark.parametrize("piece", ["%41", "%E7%8C%AB", "\\u0041", "\\\\\\\\", "&#65;", "%25"])
def test_k21_a_run_of_escapes_costs_no_more_than_its_length(piece: str) -> None:
    undone = unescape(piece * 20_000)
    places = 0 if undone is None else len(undone.places)
    assert places in {0, 20_000}
