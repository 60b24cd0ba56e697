"""The public face of redaction: policies, refusal, blanking, `<private>` spans, folding, cost."""

from __future__ import annotations

import subprocess
import sys
import time
import traceback
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstone.errors import ConfigError, SecretFound
from memstone.redaction import (
    DEFAULT_POLICIES,
    Policy,
    check_policies,
    find,
    scrub,
    strip_private,
)
from memstone.redaction.folding import fold
from memstone.types import Redaction
from tests.unit.redaction_samples import (
    EMBEDDED,
    HARMLESS,
    HOSTILE,
    MIXED,
    PHRASES,
    PRIVATE_KEYS,
    TOKENS,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

CARD = "4111 1111 1111 1111"
CN_ID = "11010519491231002X"
KEY = TOKENS["anthropic"][1]
EVERY_SECRET = [
    *(text for _, text in TOKENS.values()),
    *(text for text, _, _ in EMBEDDED),
    *PRIVATE_KEYS.values(),
    *(text for text, _ in PHRASES),
    f"card {CARD}",
    f"身份证 {CN_ID}",
]


def redacted(text: str, policies: Mapping[str, str] | None = None) -> str:
    return scrub(text, policies or {}, importing=True).text


# --- policies


def test_keys_passwords_ids_and_cards_are_refused_and_contacts_allowed_by_default() -> None:
    assert dict(DEFAULT_POLICIES) == {
        "key": "refuse",
        "password": "refuse",
        "id_number": "refuse",
        "bank_card": "refuse",
        "phone": "allow",
        "email": "allow",
    }


def test_the_default_policies_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        DEFAULT_POLICIES["key"] = Policy.ALLOW  # type: ignore[index]


@pytest.mark.parametrize("text", [KEY, "password: hunter2", f"卡号 {CARD}", f"身份证 {CN_ID}"])
def test_a_secret_is_refused_by_default(text: str) -> None:
    with pytest.raises(SecretFound):
        scrub(text, {})


def test_phone_numbers_and_addresses_are_kept_by_default() -> None:
    text = "张三的电话是 13800138000，邮箱 zhang.san@example.com"
    assert scrub(text, {}).text == text
    assert scrub(text, {}, importing=True).redactions == ()


def test_a_policy_is_set_per_class() -> None:
    text = "电话 13800138000，邮箱 li@example.com"
    assert scrub(text, {"phone": "redact"}).text == "电话 [REDACTED:phone]，邮箱 li@example.com"
    assert scrub(text, {"email": "redact"}).text == "电话 13800138000，邮箱 [REDACTED:email]"
    with pytest.raises(SecretFound) as caught:
        scrub(text, {"phone": "refuse"})
    assert caught.value.fields["kinds"] == ("phone",)


def test_an_allowed_class_is_stored_as_it_is() -> None:
    text = f"{KEY} and password: hunter2"
    assert scrub(text, {"key": "allow", "password": "allow"}).text == text
    assert redacted(text, {"key": "allow"}) == f"{KEY} and password: [REDACTED:password]"


def test_importing_redacts_what_would_be_refused() -> None:
    answer = scrub(f"我的 key 是 {KEY}，密码是 hunter2", {}, importing=True)
    assert answer.text == "我的 key 是 [REDACTED:anthropic_key]，密码是 [REDACTED:password]"
    assert answer.redactions == (Redaction("anthropic_key"), Redaction("password"))


def test_importing_leaves_allowed_classes_alone() -> None:
    assert redacted("wang@example.com, +86 138 0013 8000") == "wang@example.com, +86 138 0013 8000"


def test_redactions_are_counted_by_kind() -> None:
    text = "password: hunter2\npassword: sunshine9\n<private>x</private>"
    assert scrub(text, {"password": "redact"}).redactions == (
        Redaction("private", 1),
        Redaction("password", 2),
    )


def test_an_unknown_class_is_an_error_that_names_the_nearest() -> None:
    with pytest.raises(ConfigError, match="no class of finding 'pasword'") as caught:
        check_policies({"pasword": "redact"})
    assert caught.value.hint == "did you mean 'password'?"


def test_an_unknown_class_without_a_neighbour_lists_them_all() -> None:
    with pytest.raises(ConfigError) as caught:
        check_policies({"密钥类": "redact"})
    assert "id_number" in str(caught.value.hint)


def test_an_unknown_policy_is_an_error_that_names_the_nearest() -> None:
    with pytest.raises(ConfigError, match=r"redaction\.email: 'redakt'") as caught:
        scrub("你好", {"email": "redakt"})
    assert caught.value.hint == "did you mean 'redact'?"


def test_checked_policies_are_complete_and_read_only() -> None:
    checked = check_policies({"email": "refuse"})
    assert checked["email"] is Policy.REFUSE
    assert checked["key"] is Policy.REFUSE
    with pytest.raises(TypeError):
        checked["key"] = Policy.ALLOW  # type: ignore[index]


# --- refusal


@pytest.mark.parametrize("text", EVERY_SECRET)
def test_case_64_a_refusal_names_the_kind_and_never_the_value(text: str) -> None:
    with pytest.raises(SecretFound) as caught:
        scrub(text, {}, field="标签")
    error = caught.value
    told = "".join(traceback.format_exception_only(error)) + repr((error.hint, error.fields))
    for finding in find(text):
        if DEFAULT_POLICIES[finding.policy_class] is Policy.REFUSE:
            assert finding.kind in told
            assert text[finding.start : finding.end] not in told
    assert error.__cause__ is None
    assert error.__context__ is None
    assert error.fields["field"] == "标签"
    assert (error.code, error.exit_code) == ("secret_found", 77)


def test_a_refusal_names_every_kind_once_and_the_way_out() -> None:
    with pytest.raises(SecretFound, match=r"speaker: .*\(anthropic_key, password\)") as caught:
        scrub(f"{KEY} password: hunter2 and password: sunshine9", {}, field="speaker")
    assert caught.value.fields["kinds"] == ("anthropic_key", "password")
    assert "redaction.key or redaction.password" in str(caught.value.hint)
    assert "<private>" in str(caught.value.hint)


@pytest.mark.parametrize("text", EVERY_SECRET)
def test_case_64_nothing_of_a_secret_is_left_after_redaction(text: str) -> None:
    clean = redacted(f"之前\n{text}\nafter")
    for finding in find(text):
        if DEFAULT_POLICIES[finding.policy_class] is Policy.REFUSE:
            assert text[finding.start : finding.end] not in clean
            assert f"[REDACTED:{finding.kind}]" in clean


@pytest.mark.parametrize("text", EVERY_SECRET)
def test_scrubbing_a_scrubbed_text_changes_nothing_and_refuses_nothing(text: str) -> None:
    clean = redacted(text)
    again = scrub(clean, {})
    assert (again.text, again.redactions) == (clean, ())


def test_redaction_that_lays_a_new_secret_bare_goes_on() -> None:
    clean = redacted(f"password: [REDACTED:jwt]hunter2 {KEY}hunter2 is my password")
    assert "hunter2" not in clean
    assert scrub(clean, {}).text == clean


def test_a_text_that_keeps_laying_secrets_bare_is_blanked_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The bot token keeps the card from being seen: `.1` might go on with the number.
    text = "4111111111111111." + TOKENS["telegram"][1]
    assert redacted(text) == "[REDACTED:bank_card].[REDACTED:telegram_token]"
    monkeypatch.setattr("memstone.redaction.MAX_ROUNDS", 1)
    assert redacted(text) == "[REDACTED:bank_card]"


def test_an_address_that_overlaps_a_secret_gives_way_to_it() -> None:
    text = "写给 bob@4111111111111111.com"
    assert redacted(text, {"email": "redact"}) == "写给 bob@[REDACTED:bank_card].com"


def test_a_key_inside_an_assignment_goes_as_one_under_its_own_name() -> None:
    text = f"password = {KEY};tail9"
    assert redacted(text) == "password = [REDACTED:anthropic_key]"


def test_harmless_text_is_returned_as_it_came() -> None:
    for text in HARMLESS:
        assert scrub(text, {}).text == text


# --- <private>


@pytest.mark.parametrize(
    ("text", "kept", "count"),
    [
        ("没有标签", "没有标签", 0),
        ("a <private>b</private> c", "a  c", 1),
        ("a <PRIVATE>b</Private> c", "a  c", 1),
        ("<private>一</private>二<private>三</private>四", "二四", 2),
        ("a<private>b<private>c</private>d</private>e", "ae", 1),
        ("a<private>b<private>c</private>d", "a", 1),
        ("a <private>never closed\nto the end", "a ", 1),
        ("a</private>b", "a</private>b", 0),
        ("a</private>b<private>c</private>d", "a</private>bd", 1),
        ("a< private >b</ private >c", "ac", 1),
        ('a<private reason="health">b</private>c', "ac", 1),
        ("我＜private＞秘密＜/private＞你", "我你", 1),
        ("a<pri\u200bvate>b</private>c", "ac", 1),
        ("a<pri<private>b</private>vate>c", "a", 2),
        ("a <privateer>b", "a <privateer>b", 0),
        ("<private></private>", "", 1),
        ("1 < 2 private > 0", "1 < 2 private > 0", 0),
    ],
)
def test_private_spans_are_cut_out(text: str, kept: str, count: int) -> None:
    assert strip_private(text) == (kept, count)


@given(st.lists(st.sampled_from(["<private>", "</private>", "<pri", "vate>", "甲", "b", "<"])))
def test_cutting_private_spans_twice_is_cutting_them_once(parts: list[str]) -> None:
    kept, count = strip_private("".join(parts))
    assert strip_private(kept) == (kept, 0)
    assert (count == 0) == (kept == "".join(parts))


def test_a_secret_inside_a_private_span_is_cut_and_not_refused() -> None:
    answer = scrub(f"deploy on Friday <private>{KEY}</private>", {})
    assert answer.text == "deploy on Friday "
    assert answer.redactions == (Redaction("private"),)


def test_a_secret_joined_by_a_cut_is_found() -> None:
    with pytest.raises(SecretFound):
        scrub(KEY[:10] + "<private>，</private>" + KEY[10:], {})


# --- folding


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("plain", "plain"),
        ("１１０１０５", "110105"),
        ("ｐａｓｓｗｏｒｄ：ｘ", "password:x"),
        ("h\u200bu\u00adn\ufefft", "hunt"),
        ("𝐩𝐚𝐬𝐬", "pass"),
        ("ﬁ℡", "fiTEL"),
        ("好，吗？", "好、吗。"),
        ("a\u00a0b\u3000c", "a b c"),
    ],
)
def test_scanning_sees_the_folded_text(text: str, folded: str) -> None:
    assert fold(text).text == folded


@given(st.text(st.characters(codec="utf-8") | st.sampled_from("ﷺﬁ\u200b１＜密码 =1"), max_size=40))
def test_every_folded_character_knows_where_it_came_from(text: str) -> None:
    folded = fold(text)
    last = 0
    for position, character in enumerate(folded.text):
        start, end = folded.span(position, position + 1)
        assert last <= start < end <= len(text)
        assert character in fold(text[start:end]).text
        last = start


@pytest.mark.parametrize(
    ("text", "kind", "found"),
    [
        ("密码：ｈｕｎｔｅｒ２。", "password", "ｈｕｎｔｅｒ２"),
        (
            "身份证：１１０１０５１９４９１２３１００２Ｘ！",
            "cn_id",
            "１１０１０５１９４９１２３１００２Ｘ",
        ),
        ("卡 4111\u200b1111\u200b11111111 ", "bank_card", "4111\u200b1111\u200b11111111"),
        ("ﬁrst password is hun\u00adter2 ﷺ", "password", "hun\u00adter2"),
        ("İstanbul: password is hunter2", "password", "hunter2"),
        ("👩\u200d💻 密码是 hunter2", "password", "hunter2"),
    ],
)
def test_spans_are_those_of_the_original_text(text: str, kind: str, found: str) -> None:
    assert [(f.kind, text[f.start : f.end]) for f in find(text)] == [(kind, found)]


# --- properties

FRAGMENTS = st.sampled_from(
    [
        "password", "密码", " is ", "是", ": ", "=", "hunter2", "token", '"', "'", " ", "\n", "，", "\\n",
        "[REDACTED:password]", "[REDACTED:jwt]", "sk-", KEY, MIXED[:40], CARD, CN_ID, "-", "://u:",
        "@h.io", "a@b.co", "13800138000", "<private>", "</private>", "my ", "api_key", "🙂", "\u200b",
        "Bearer ", "1", "x", "|", "--password ", " and ", "{", "is my password", "是我的密码", "—",
    ]
)  # fmt: skip
SOUP = st.lists(FRAGMENTS | st.text(max_size=4), max_size=14).map("".join)


@given(SOUP)
def test_findings_are_ascending_non_empty_and_apart(text: str) -> None:
    end = 0
    for finding in find(text):
        assert end <= finding.start < finding.end <= len(text)
        end = finding.end


@given(SOUP, st.dictionaries(st.sampled_from(sorted(DEFAULT_POLICIES)), st.sampled_from(Policy)))
def test_scrubbing_is_idempotent_under_any_policy(text: str, policies: dict[str, str]) -> None:
    clean = scrub(text, policies, importing=True)
    again = scrub(clean.text, policies)
    assert (again.text, again.redactions) == (clean.text, ())


@given(SOUP)
def test_a_text_is_refused_exactly_when_an_import_would_redact_it(text: str) -> None:
    blanked = [r.kind for r in scrub(text, {}, importing=True).redactions if r.kind != "private"]
    try:
        scrub(text, {})
    except SecretFound:
        assert blanked
    else:
        assert not blanked


@given(st.text())
def test_any_unicode_is_either_kept_exactly_or_changed_with_a_reason(text: str) -> None:
    answer = scrub(text, {}, importing=True)
    assert (answer.text == text) == (not answer.redactions)


# --- cost

MEBIBYTE = 1 << 20


@pytest.mark.parametrize("piece", HOSTILE[:12], ids=repr)
def test_a_mebibyte_of_one_piece_is_scanned_in_linear_time(piece: str) -> None:
    assert cpu_seconds(piece) < 30  # linear: under 1; quadratic: hours


@pytest.mark.slow
@pytest.mark.parametrize("piece", HOSTILE[12:], ids=repr)
def test_a_mebibyte_of_hostile_text_is_scanned_in_linear_time(piece: str) -> None:
    assert cpu_seconds(piece) < 90  # linear: 1 to 6


def cpu_seconds(piece: str) -> float:
    text = (piece * (MEBIBYTE // len(piece) + 1))[:MEBIBYTE]
    before = time.process_time()
    find(text)
    return time.process_time() - before


def test_importing_it_loads_nothing_heavy() -> None:
    code = "import sys, memstone.redaction; print(*sorted(sys.modules))"
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, encoding="utf-8"
    )
    assert not {"difflib", "logging", "pathlib", "typing", "base64"} & set(answer.stdout.split())


def test_no_pattern_is_compiled_before_a_text_needs_it() -> None:
    code = (
        "import dataclasses, re, memstone.types, memstone.errors; compiled = []; original = re.compile\n"
        "re.compile = lambda *a, **k: compiled.append(a) or original(*a, **k)\n"
        "import memstone.redaction; assert not compiled, compiled"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
