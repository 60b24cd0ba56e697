"""The token estimator against o200k: never below it on ordinary text, and not far above."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import string
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstone import tokens
from memstone.tokens import EstimatedTokens

if TYPE_CHECKING:
    from collections.abc import Sequence

COUNTER = EstimatedTokens()
with warnings.catch_warnings():  # the oracle opens its data by a deprecated call
    warnings.simplefilter("ignore", DeprecationWarning)
    import bpe_openai

    O200K = bpe_openai.get_encoding("o200k_base")


def o200k(text: str) -> int:
    return len(O200K.encode_ordinary(text))


ENGLISH = [
    "Yay!",
    "We agreed on Tuesday that the Atlas budget stays at 200 until the audit is over.",
    "I've moved to Lisbon last week; my new flat is on the fourth floor, without a lift.",
    "Don't deploy on Fridays. Dr. Wu's rule: nobody ships what they can't roll back by 5 p.m.",
    "Could you remind me which database we picked for the billing service, and why?",
    "She prefers oat milk, hates coriander, and is allergic to peanuts (since childhood).",
    "Thanks, that helps! I think we should talk to the team again before the end of the month.",
]
RARE_ENGLISH = [
    "The committee's recommendations were unanimous: postpone procurement, renegotiate licences.",
    "Kubernetes, Zanzibar, Reykjavík, Szczecin, Nguyễn and Øresund are all in the itinerary.",
]
CHINESE_SIMPLIFIED = [
    "预算从一百改成了二百。",
    "我们周二定了：阿特拉斯项目的预算在审计结束之前不再变动。",
    "她对花生过敏，喜欢燕麦奶，讨厌香菜。",
    "请记住，数据库选的是 PostgreSQL 16，不是 MySQL；原因写在第三页。",
    "沙滩上有点儿吵，我舅妈都说不油腻，绿树成荫。",
    "诸葛喆、欧阳煊、钟燚、李睿。",
    "部署流程：先跑迁移，再切流量；回滚窗口三十分钟。",
]
CHINESE_TRADITIONAL = [
    "預算從一百改成了二百。",
    "我們週二決定：這個專案的預算在稽核結束之前不再變動。",
    "請記住，資料庫選的是 PostgreSQL，不是 MySQL；原因寫在第三頁。",
    "圖書館開放時間：週一至週五，上午九點到下午六點。",
]
JAPANESE = [
    "予算は百から二百に変更されました。",
    "来週の火曜日までにデプロイの手順書を更新してください。",
    "カレーライスとコーヒーが好きですが、パクチーは苦手です。",
]
KOREAN = [
    "예산이 백에서 이백으로 변경되었습니다.",
    "다음 주 화요일까지 배포 절차 문서를 업데이트해 주세요.",
    "땅콩 알레르기가 있고 고수를 싫어해요.",
]
CODE = [
    "def half_life_weight(age_days, half_life_days):\n    return 0.5 ** (age_days / half_life_days)\n",
    "SELECT id, text FROM memories WHERE user = :user AND superseded_at IS NULL ORDER BY id;",
    "const getWeather = async (city) => {\n\tconst res = await fetch(`${API}/v2.5?q=${city}`);\n};",
    "for (int i = 0; i < n; ++i) { if (xs[i] == NULL) continue; sum += xs[i]->value; }",
    "#!/bin/sh\nset -eu\ncurl -fsSL https://example.com/install.sh | sh -s -- --prefix=$HOME/.local\n",
    "class HTTPServerError(RuntimeError): ...  # raised by XMLHttpRequestAdapter.do_GET()",
]
JSON = [
    json.dumps({"id": "mem_0123456789abcdef", "tags": ["budget", "atlas"], "score": 12.75}),
    json.dumps([{"role": "user", "content": "预算是多少？", "at": "2026-08-13T09:30:00Z"}] * 3),
    json.dumps({"nested": {"a": [1, 2, 3], "b": None, "c": True}}, indent=2),
]
LOGS = [
    "2026-11-30 22:41:35,123 ERROR [worker-7] db.pool: timeout after 5000 ms (SQLITE_BUSY=5)",
    '10.0.0.12 - - [30/Nov/2026:22:41:35 +0000] "GET /api/v1/users?id=42 HTTP/1.1" 502 157',
    "drwxr-xr-x   2 root     wheel        1024 Jan  3 19:22 site-packages",
    "==== 42 passed, 3 skipped, 1 xfailed in 12.34s ====",
]
EMOJI = ["😀🎉🔥", "👩‍👩‍👧‍👦 family", "🇨🇳🇵🇹", "👍🏽 ok ✅ ❤️", "🧑‍🚀 astronaut 🫠"]
MIXED = [
    "请用 kubectl rollout undo deployment/api 回滚，then ping me 谢谢 🙏",
    "Meeting notes 会议记录: budget 预算 = ¥2,000 (≈ €260) — approved ✓",
    "ユーザー名は ana_k、パスワードは vault に保存 (see ops/deploy/main.py)",
]
OTHER_SCRIPTS = [
    "งบประมาณถูกเปลี่ยนจากหนึ่งร้อยเป็นสองร้อย",
    "تم تغيير الميزانية من مئة إلى مئتين يوم الثلاثاء.",
    "बजट सौ से बदलकर दो सौ कर दिया गया है।",
    "Бюджет изменили со ста на двести во вторник.",
    "Ο προϋπολογισμός άλλαξε από εκατό σε διακόσια.",
    "התקציב שונה ממאה למאתיים ביום שלישי.",
    "ბიუჯეტი ასიდან ორასამდე შეიცვალა.",
    "Բյուջեն հարյուրից փոխվել է երկու հարյուրի։",
    "பட்ஜெட் நூறிலிருந்து இருநூறாக மாற்றப்பட்டது.",
    "བོད་སྐད་ཀྱི་ཡིག་གེ།",
    "ብጀቱ ከመቶ ወደ ሁለት መቶ ተቀይሯል።",
    "ថវិកាត្រូវបានផ្លាស់ប្តូរ",
    "𓀀𓂀𓃰 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 ꙮ ‱",
]
EUROPEAN = [
    "Das Budget wurde am Dienstag von hundert auf zweihundert erhöht; die Prüfung läuft noch.",
    "Le budget a été porté de cent à deux cents mardi dernier, après la réunion du comité.",
    "El presupuesto subió de cien a doscientos el martes; mañana avisaré al equipo.",
    "Budżet zmieniono we wtorek ze stu na dwieście, dopóki trwa audyt wewnętrzny.",
    "Budjetti nostettiin tiistaina sadasta kahteensataan tarkastuksen päättymiseen asti.",
    "Biudžetas antradienį padidintas nuo šimto iki dviejų šimtų.",
    "Ngân sách đã được thay đổi từ một trăm thành hai trăm vào thứ Ba.",
    "Bütçe salı günü yüzden iki yüze çıkarıldı, denetim sürüyor.",
]
CLASSES = {
    "english": ENGLISH,
    "rare_english": RARE_ENGLISH,
    "chinese": CHINESE_SIMPLIFIED,
    "chinese_traditional": CHINESE_TRADITIONAL,
    "japanese": JAPANESE,
    "korean": KOREAN,
    "code": CODE,
    "json": JSON,
    "logs": LOGS,
    "emoji": EMOJI,
    "mixed": MIXED,
    "other_scripts": OTHER_SCRIPTS,
    "european": EUROPEAN,
}


@pytest.mark.parametrize("texts", CLASSES.values(), ids=list(CLASSES))
def test_the_estimate_is_never_below_o200k_on_ordinary_text(texts: Sequence[str]) -> None:
    for text in [*texts, "\n".join(texts), " ".join(texts) * 5]:
        assert COUNTER.count(text) >= o200k(text), text


@pytest.mark.parametrize(
    ("name", "at_most"),
    [("english", 1.5), ("chinese", 1.45), ("chinese_traditional", 1.35), ("code", 1.65)],
)
def test_the_estimate_stays_useful(name: str, at_most: float) -> None:
    text = "\n".join(CLASSES[name])
    assert COUNTER.count(text) <= at_most * o200k(text)


def test_the_standard_library_and_this_file_are_never_below_o200k() -> None:
    for path in (json.__file__, random.__file__, string.__file__, __file__, tokens.__file__):
        text = Path(path).read_text(encoding="utf-8")
        assert o200k(text) <= COUNTER.count(text) <= 1.8 * o200k(text)


@pytest.mark.parametrize("seed", range(20))
def test_base64_hex_digits_and_blanks_are_never_below_o200k(seed: int) -> None:
    data = hashlib.sha512(bytes([seed])).digest()
    for text in (
        base64.b64encode(data).decode(),
        data.hex(),
        data.hex().upper(),
        base64.b32encode(data).decode(),
        str(int.from_bytes(data)),
        "key=" + base64.urlsafe_b64encode(data).decode(),
        f"ccr_{data.hex()[:32]}",
    ):
        assert o200k(text) <= COUNTER.count(text) <= 2 * o200k(text), text


@given(
    st.text(alphabet=" \n\t\r", max_size=60),
    st.sampled_from(["", "x", "预算", "7", "(", "é"]),
)
def test_runs_of_blanks_are_never_below_o200k(blanks: str, after: str) -> None:
    assert COUNTER.count(blanks + after) >= o200k(blanks + after)


@pytest.mark.parametrize("sign", string.punctuation + " \n\t")
def test_a_long_run_of_one_sign_is_never_below_o200k(sign: str) -> None:
    for length in (1, 2, 3, 7, 16, 33, 80, 200, 1000):
        assert COUNTER.count(sign * length) >= o200k(sign * length)


@given(st.text(max_size=80))
def test_random_unicode_is_never_below_o200k(text: str) -> None:
    assert COUNTER.count(text) >= o200k(text)


@given(st.text(alphabet=st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF), max_size=60))
def test_random_chinese_characters_are_never_below_o200k(text: str) -> None:
    assert COUNTER.count(text) >= o200k(text)


def test_the_table_of_single_characters_is_what_o200k_has() -> None:
    expected = {
        chr(code)
        for code in range(0x80, 0x20000)
        if not 0xD800 <= code < 0xE000 and o200k(chr(code)) == 1
    }
    assert tokens.single_characters() == expected


def test_the_common_words_are_single_tokens() -> None:
    words = tokens.COMMON_WORDS.split()
    assert words == sorted(set(words))
    assert [word for word in words if o200k(" " + word) > 1 or o200k(word) > 1] == []


def test_nothing_costs_nothing_and_anything_costs_something() -> None:
    assert COUNTER.count("") == 0
    assert COUNTER.basis == "estimated"
    for text in (" ", "a", "预", "\x00", "\ud800", "\U0010ffff", "\n"):
        assert COUNTER.count(text) >= 1


def test_chinese_is_not_counted_four_characters_a_token() -> None:
    text = "".join(CHINESE_SIMPLIFIED)
    assert COUNTER.count(text) > 2 * len(text) / 4


@given(st.text(max_size=60), st.text(max_size=60))
def test_joining_two_texts_changes_the_count_by_little(left: str, right: str) -> None:
    whole, parts = COUNTER.count(left + right), COUNTER.count(left) + COUNTER.count(right)
    assert abs(whole - parts) <= 3 + len(left + right) // 4
