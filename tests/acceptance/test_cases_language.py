"""Public cases on languages: scripts without spaces, identifiers glued to them, other locales."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import memstone
from tests.acceptance.casekit import bare_python, everywhere, restore, row, texts
from tests.acceptance.cli import MIXED, environment, process

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memstone import Engine

PHRASES = {
    "用户要求所有回复使用轻松的语气，技术名词保留英文": (
        "语气",
        "回复语气",
        "轻松",
        "轻松的语气",
        "技术名词",
        "回复应该用什么语气？",
    ),
    "使用者要求所有資料庫遷移必須先備份": ("備份", "資料庫", "資料庫遷移", "遷移前要備份嗎？"),
    "今日は成語しりとりをした": ("しりとり", "成語", "成語しりとり", "今日は何のしりとり？"),
    "サーバーのメモリーをアップグレードする予定": (
        "メモリー",
        "サーバー",
        "ｻｰﾊﾞｰ",
        "アップグレードの予定",
    ),
    "오늘 끝말잇기 게임을 했다": ("끝말잇기", "게임", "끝말잇기 게임"),
    "데이터베이스를 매일 밤 백업한다": ("데이터베이스", "백업", "매일 밤"),
    "把Docker容器迁到Kubernetes集群，端口改成8443": (
        "Docker容器",
        "kubernetes",
        "集群",
        "端口",
        "8443",
        "ｄｏｃｋｅｒ",
    ),
    "東京オフィスでReactの勉強会を開催": ("勉強会", "React", "東京オフィス", "reactの勉強会"),
    "𠮷野家で牛丼を食べた": ("𠮷野家", "牛丼"),
    "Кошка спит на сервере": ("кошка", "КОШКА", "сервере"),
    "Le café de l'équipe est fermé": ("cafe", "CAFÉ", "equipe", "cafe\u0301"),
}
OTHERS = (
    "步2 重跑gen-itgc后50条悬空引用清零",
    "部署流程：先 make build，再 kubectl apply",
    "设备间的温度是二十度",
    "猫在服务器上睡觉",
    "部门的会议改到周三",
    "明日は晴れるでしょう",
    "내일은 비가 온다",
    "The team meets on Monday",
)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with memstone.open(tmp_path_factory.mktemp("语言"), user="ana") as opened:
        restore(opened, [row(text) for text in (*PHRASES, *OTHERS)])
        yield opened


@pytest.mark.parametrize("text", PHRASES, ids=ascii)
def test_case_42_a_phrase_in_a_script_without_spaces_is_the_first_hit(
    engine: Engine, text: str
) -> None:
    for query in PHRASES[text]:
        assert texts(everywhere(engine, query))[:1] == [text], query


def test_case_42_on_the_command_line_in_a_process(engine: Engine) -> None:
    first = "用户要求所有回复使用轻松的语气，技术名词保留英文"
    assert texts(everywhere(engine, "回复语气", separate=True))[:1] == [first]


def test_case_42_every_two_characters_of_a_sentence_find_it(tmp_path: Path) -> None:
    text = "用户要求所有回复使用轻松的语气"
    with memstone.open(tmp_path / "一") as alone:
        alone.remember(text)
        alone.remember("天气预报说明天有雨")
        for start in range(len(text) - 1):
            pair = text[start : start + 2]
            assert texts(alone.recall(pair, touch=False))[:1] == [text], pair


GLUED = {
    "步2 重跑gen-itgc后50条悬空引用清零": ("itgc", "gen-itgc", "悬空", "重跑gen-itgc", "GEN-ITGC"),
    "调用parseUserName函数前先检查null": ("parseUserName", "parseusername", "UserName", "函数"),
    "错误码ERR_CONN_42出现在日志里": ("ERR_CONN_42", "err_conn_42", "conn", "错误码", "日志"),
    "升级到v2.14.3版本后内存泄漏消失": ("v2.14.3", "2.14.3", "内存泄漏"),
    "配置在src/memstone/config.yaml文件里": ("config.yaml", "src/memstone/config.yaml", "文件"),
    "バグJIRA-981を修正した": ("JIRA-981", "jira", "修正"),
    "이슈PROJ-17을닫았다": ("PROJ-17", "proj"),
    "联系人ops@example.com负责值班": ("ops@example.com", "example.com", "值班"),
}


@pytest.fixture(scope="module")
def glued(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with memstone.open(tmp_path_factory.mktemp("glued"), user="ana") as opened:
        restore(opened, [row(text) for text in (*GLUED, *OTHERS[1:])])
        yield opened


@pytest.mark.parametrize("text", GLUED, ids=ascii)
def test_case_43_an_identifier_glued_to_cjk_is_found_whole_and_in_parts(
    glued: Engine, text: str
) -> None:
    for query in GLUED[text]:
        assert texts(everywhere(glued, query))[:1] == [text], query


def test_case_43_in_a_process(glued: Engine) -> None:
    assert texts(everywhere(glued, "gen-itgc", separate=True)) == [next(iter(GLUED))]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("设备", ["设备间的温度是二十度"]),
        ("部署", ["部署流程：先 make build，再 kubectl apply"]),
        ("猫", ["猫在服务器上睡觉"]),
        ("温度", ["设备间的温度是二十度"]),
        ("周三", ["部门的会议改到周三"]),
        ("狗", []),
        ("备用", []),  # 备 alone is in 设备 and 備份: half a word is no hit
        ("署名", []),
        ("晴れ", ["明日は晴れるでしょう"]),
        ("비", ["내일은 비가 온다"]),
    ],
)
def test_case_44_one_and_two_characters_are_found_and_unrelated_notes_are_not(
    engine: Engine, query: str, found: list[str]
) -> None:
    assert texts(everywhere(engine, query)) == found


def test_case_44_in_a_process(engine: Engine) -> None:
    assert texts(everywhere(engine, "猫", separate=True)) == ["猫在服务器上睡觉"]


IN_PYTHON = r"""
import json, os, sys
import memstone
text = os.fsencode(sys.argv[1]).decode("utf-8")
home, file = sys.argv[2:]
with memstone.open(home, user="ana") as engine:
    one = engine.remember(text, tags=["\u6807\u7b7e"], session="\u4f1a\u8bdd", speaker="\u540d")
    assert engine.get(one.id).text == text
    with open(file, "wb") as stream:
        engine.export(lambda line: stream.write(line.encode("utf-8")))
    engine.forget(one.id)
    report = engine.import_file(file)
    hit = engine.recall("\u732b").hits[0]
    answer = {"text": hit.text, "tags": hit.memory.tags, "created": report.created}
sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
"""
NO_UTF8 = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C"}


def test_case_47_python_in_a_locale_without_utf_8_keeps_every_sign(tmp_path: Path) -> None:
    home = tmp_path / "家 é"
    home.mkdir(mode=0o700)
    env = environment(home, **NO_UTF8)
    file = home / "导出 é.jsonl"
    done = bare_python(IN_PYTHON, MIXED, str(home), str(file), **env).ok()
    assert done.document == {"text": MIXED, "tags": ["标签"], "created": 1}
    assert file.stat().st_size > 0
    assert (home / "mem.db").stat().st_size > 0


def test_case_47_settings_errors_and_ids_cross_a_locale_without_utf_8(tmp_path: Path) -> None:
    home = tmp_path / "家 é"
    env = environment(home, **NO_UTF8)
    process("init", env=env, cwd=tmp_path).ok()
    config = home / "config.yaml"
    config.write_text("user: 李雷\n", encoding="utf-8")
    stored = process("remember", MIXED.encode(), "--shared", env=env, cwd=tmp_path).ok().document
    assert stored["scope"]["user"] == "李雷"
    lost = process("show", "不存在".encode(), env=env, cwd=tmp_path)
    assert (lost.code, lost.error["fields"]["id"]) == (1, "不存在")
    mixed_stream = process("recall", "猫".encode(), env=env, cwd=tmp_path).ok()
    assert json.loads(mixed_stream.out.decode("utf-8"))["hits"][0]["text"] == MIXED
