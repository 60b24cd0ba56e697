"""The command `cavemem` as a black box: verbs, arguments, streams, exit codes, JSON to the byte."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from tests.acceptance.cavemem import CAP, Cavemem, handle_of, id_of, seed_scores

ROOT = Path(__file__).parents[2]
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
VAULT = "the deploy key lives in vault under ops/deploy"
SECRET = "the key is AKIA" + "IOSFODNN7EXAMPLQ"
posix = pytest.mark.skipif(sys.platform == "win32", reason="bytes as arguments")


@pytest.fixture
def cavemem(tmp_path: Path) -> Cavemem:
    return Cavemem(tmp_path, tmp_path / "caveman")


def refused(cavemem: Cavemem, *words: str | bytes, code: int = 1, stdin: bytes = b"") -> str:
    """What a call that fails says; it has no result."""
    answer = cavemem(*words, stdin=stdin)
    said = answer.err.decode("utf-8")
    assert (answer.code, answer.out) == (code, b""), said
    return said


def test_the_installed_command_is_this_program() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        scripts = tomllib.load(file)["project"]["scripts"]
    module, _, function = scripts["cavemem"].partition(":")
    assert callable(getattr(import_module(module), function))


@pytest.mark.parametrize(
    "words",
    [
        ["remember", "a durable fact about vault"],
        ["recall", "a topic that nobody mentioned"],
        ["forget", "mem_absent"],
    ],
)
def test_a_call_that_succeeds_says_nothing_on_stderr(cavemem: Cavemem, words: list[str]) -> None:
    answer = cavemem(*words)
    assert (answer.code, answer.err) == (0, b"")


@pytest.mark.parametrize("verb", ["help", "--help", "-h"])
def test_help_goes_to_stderr_and_makes_no_folder(cavemem: Cavemem, verb: str) -> None:
    answer = cavemem(verb, "ignored")
    assert (answer.code, answer.out) == (0, b"")
    assert b"usage" in answer.err
    assert not cavemem.database.parent.parent.exists()


@pytest.mark.parametrize("verb", ["frobnicate", "Remember", "--version", "", "list", "\x1b[2J"])
def test_an_unknown_verb_is_named_and_makes_no_folder(cavemem: Cavemem, verb: str) -> None:
    said = refused(cavemem, verb, code=2)
    assert "unknown verb" in said
    assert "usage" in said
    assert "\x1b" not in said
    assert not cavemem.database.parent.parent.exists()


@pytest.mark.parametrize(
    "verb", ["remember", "recall", "supersede", "history", "forget", "recover"]
)
def test_a_verb_without_its_words_shows_the_usage_and_opens_the_store(
    cavemem: Cavemem, verb: str
) -> None:
    said = refused(cavemem, verb)
    assert said.startswith(verb)
    assert "usage" in said
    assert cavemem.database.is_file()


def test_remember_answers_with_three_keys_in_this_order(cavemem: Cavemem) -> None:
    out = cavemem("remember", VAULT).ok().out.decode("utf-8")
    pattern = (
        r'\{\n  "basis": "inferred",\n  "created_at": "%s",\n  "id": "mem_a66a8a47cc0663ca"\n\}\n'
    )
    assert re.fullmatch(pattern % TIME.pattern, out)
    assert cavemem("remember", VAULT).ok().out.decode("utf-8") == out  # the first time stays


def test_recall_answers_with_hits_in_this_order(cavemem: Cavemem) -> None:
    cavemem.remember(VAULT)
    out = cavemem("recall", "where is the deploy key").ok().out.decode("utf-8")
    document = json.loads(out)
    (hit,) = document["hits"]
    assert list(document) == ["basis", "hits"]
    assert list(hit) == ["id", "text", "score", "tokens_added", "basis"]
    assert hit["score"] == pytest.approx(0.698656, abs=5e-7)
    assert hit["score"] == pytest.approx(seed_scores({"": VAULT}, "deploy key")[""], abs=1e-12)
    assert hit["basis"] == "inferred"
    assert out.startswith('{\n  "basis": "inferred",\n  "hits": [\n    {\n      "id": ')


def test_no_hits_are_an_empty_list(cavemem: Cavemem) -> None:
    nothing = b'{\n  "basis": "inferred",\n  "hits": []\n}\n'
    assert cavemem("recall", "anything").ok().out == nothing
    cavemem.remember("quarterly budget review 预算")
    for query in ("", "   ", "the of to", "🙂", "three unrelated words", "预"):
        assert cavemem("recall", query).ok().out == nothing


def test_supersede_and_history_answer_in_this_order(cavemem: Cavemem) -> None:
    old = cavemem.remember("the deployment region is eu-west-1")
    new = cavemem("supersede", old, "the deployment region is eu-central-1").ok().document
    assert list(new) == ["basis", "created_at", "id", "supersedes"]
    assert (new["id"], new["supersedes"]) == (id_of("the deployment region is eu-central-1"), old)
    first, second = versions = cavemem.history(old)
    assert cavemem.history(new["id"]) == versions
    assert list(first) == ["id", "text", "created_at", "valid_from", "valid_until", "superseded_by"]
    assert list(second) == ["id", "text", "created_at", "valid_from", "supersedes"]
    assert first["valid_until"] == second["valid_from"] == second["created_at"] == new["created_at"]
    assert (first["superseded_by"], second["supersedes"]) == (new["id"], old)
    assert list(cavemem("history", old).document) == ["basis", "history"]
    (hit,) = cavemem.hits("eu-central-1 deployment region")
    assert hit["id"] == new["id"]
    assert old not in [hit["id"] for hit in cavemem.hits("eu-west-1 deployment region")]


def test_forget_says_whether_it_was_there(cavemem: Cavemem) -> None:
    id_ = cavemem.remember(VAULT)
    assert cavemem("forget", id_).ok().out == b'{\n  "forgotten": true\n}\n'
    for gone in (id_, "mem_absent", ""):
        assert cavemem("forget", gone, "ignored").ok().out == b'{\n  "forgotten": false\n}\n'
    assert cavemem.hits("deploy key") == []
    assert "not" in refused(cavemem, "history", id_) or "no memory" in refused(
        cavemem, "history", id_
    )


def test_an_abbreviated_id_names_nothing(cavemem: Cavemem) -> None:
    id_ = cavemem.remember(VAULT)
    short = id_[: len("mem_") + 8]
    assert cavemem("forget", short).ok().document == {"forgotten": False}
    assert refused(cavemem, "history", short)
    assert "not current" in refused(cavemem, "supersede", short, "other")
    assert len(cavemem.history(id_)) == 1


def test_recover_prints_the_exact_bytes(cavemem: Cavemem) -> None:
    text = "line one\r\nline <two>\n\n猫\0end\n"
    cavemem("remember", "--stdin", stdin=text.encode("utf-8")).ok()
    answer = cavemem("recover", handle_of(text), "ignored").ok()
    assert answer.out == text.encode("utf-8")


@pytest.mark.parametrize(
    "handle", ["ccr_deadbeef", "", "ccr_" + "0" * 32, "nonsense", "ccr_obj_" + "0" * 32]
)
def test_an_unknown_handle_is_an_error(cavemem: Cavemem, handle: str) -> None:
    assert refused(cavemem, "recover", handle).startswith("recover: ")


@pytest.mark.parametrize("spelling", ["<<ccr:{0}>>", "ccr:{0}", "ccr://{0}"])
def test_only_the_bare_handle_is_understood(cavemem: Cavemem, spelling: str) -> None:
    cavemem.remember(VAULT)
    assert cavemem("recover", handle_of(VAULT)).ok().out == VAULT.encode("utf-8")
    refused(cavemem, "recover", spelling.format(handle_of(VAULT).removeprefix("ccr_")))


def test_forgetting_kills_the_handle(cavemem: Cavemem) -> None:
    cavemem("forget", cavemem.remember(VAULT)).ok()
    refused(cavemem, "recover", handle_of(VAULT))


@pytest.mark.parametrize(
    ("words", "stored"),
    [
        (["a", "b", "c"], "a"),
        (["--"], "--"),
        (["text", "--stdin"], "text"),
        (["-h"], "-h"),
        (["  padded 猫  "], "  padded 猫  "),
        (["--stdin "], "--stdin "),
    ],
)
def test_remember_stores_its_first_word_as_it_is(
    cavemem: Cavemem, words: list[str], stored: str
) -> None:
    answer = cavemem("remember", *words).ok()
    assert answer.document["id"] == id_of(stored)
    assert cavemem("recover", handle_of(stored)).ok().out == stored.encode("utf-8")


def test_stdin_stands_alone_and_keeps_its_newline(cavemem: Cavemem) -> None:
    assert "usage" in refused(cavemem, "remember", "--stdin", "x", stdin=b"text")
    with_newline = cavemem("remember", "--stdin", stdin=b"hello from stdin\n").ok().document["id"]
    without = cavemem("remember", "--stdin", stdin=b"hello from stdin").ok().document["id"]
    assert (with_newline, without) == ("mem_a25c27baed0c3661", "mem_40de4213ce82c001")
    option = cavemem("remember", "--stdin", stdin=b"--stdin").ok().document["id"]
    assert option == id_of("--stdin")


@pytest.mark.parametrize("text", ["", "   ", "\t\n\r", "\u3000", "\u00a0\u2003", "\u0085"])
def test_a_blank_text_is_refused(cavemem: Cavemem, text: str) -> None:
    assert refused(cavemem, "remember", text).startswith("remember: ")
    assert refused(cavemem, "remember", "--stdin", stdin=text.encode("utf-8"))


def test_the_largest_text_is_stored_and_one_byte_more_exits_65(cavemem: Cavemem) -> None:
    cavemem("remember", "--stdin", stdin=b"x" * CAP).ok()
    said = refused(cavemem, "remember", "--stdin", stdin=b"x" * (CAP + 1), code=65)
    assert said.startswith("remember: cave_memory_too_large")
    assert str(CAP + 1) in said
    assert str(CAP) in said
    much = refused(cavemem, "remember", "--stdin", stdin=b"x" * (3 * CAP), code=65)
    assert str(CAP + 1) in much  # no more than that is read
    private = b"<private>" + b"x" * CAP + b"</private> small"
    refused(cavemem, "remember", "--stdin", stdin=private, code=65)
    blank = refused(cavemem, "remember", "--stdin", stdin=b" " * (2 * CAP))
    assert "cave_memory_too_large" not in blank


@pytest.mark.parametrize("limit", ["0", "+5", "1", "007", "9223372036854775807", "-0", "+0"])
def test_a_limit_is_a_whole_number_from_0(cavemem: Cavemem, limit: str) -> None:
    cavemem.remember(VAULT)
    assert len(cavemem.hits("deploy key", limit)) == 1
    assert len(cavemem.hits("deploy key", limit, limit.replace("-0", "0"))) == 1


@pytest.mark.parametrize(
    "number",
    ["-1", "1.5", "", " 5", "5 ", "abc", "99999999999999999999", "9223372036854775808", "1_000",
     "٣", "0x10", "--5", "1e3", "NaN"],
)  # fmt: skip
def test_other_numbers_are_refused(cavemem: Cavemem, number: str) -> None:
    assert "non-negative integer" in refused(cavemem, "recall", "query", number)
    assert "non-negative integer" in refused(cavemem, "recall", "query", "5", number)


def test_recall_takes_three_words_at_most(cavemem: Cavemem) -> None:
    assert "usage" in refused(cavemem, "recall", "query", "5", "100", "more")


def test_an_expired_text_is_refused_with_the_chain_named(cavemem: Cavemem) -> None:
    first, second = "the region is eu-west-1", "the region is eu-central-1"
    cavemem("supersede", cavemem.remember(first), second).ok()
    said = refused(cavemem, "remember", first)
    assert "expired historical version" in said
    assert id_of(second) in said


def test_a_fact_can_go_back_to_what_it_was(cavemem: Cavemem) -> None:
    one = cavemem.remember("the limit is 100")
    two = cavemem("supersede", one, "the limit is 200").ok().document["id"]
    three = cavemem("supersede", two, "the limit is 100").ok().document["id"]
    assert len({one, two, three}) == 3
    assert [version["text"] for version in cavemem.history(one)] == [
        "the limit is 100", "the limit is 200", "the limit is 100",
    ]  # fmt: skip
    assert [hit["id"] for hit in cavemem.hits("limit 100")] == [three]


def test_superseding_is_refused_without_a_trace(cavemem: Cavemem) -> None:
    one = cavemem.remember("one 一")
    two = cavemem("supersede", one, "two 二").ok().document["id"]
    other = cavemem.remember("another")
    expired = refused(cavemem, "supersede", one, "three")
    unknown = refused(cavemem, "supersede", "mem_0000000000000000", "three")
    assert expired.replace(one, "ID") == unknown.replace("mem_0000000000000000", "ID")
    assert "not current" in expired
    for id_, text in ((two, "two 二"), (two, "   "), ("", "x"), ("  ", "x"), (two, "another")):
        assert refused(cavemem, "supersede", id_, text).startswith("supersede: ")
    assert [version["text"] for version in cavemem.history(one)] == ["one 一", "two 二"]
    assert [hit["id"] for hit in cavemem.hits("another")] == [other]


def test_forgetting_the_middle_joins_its_neighbours(cavemem: Cavemem) -> None:
    one = cavemem.remember("version one")
    two = cavemem("supersede", one, "version two").ok().document["id"]
    three = cavemem("supersede", two, "version three").ok().document["id"]
    cavemem("forget", two).ok()
    first, last = cavemem.history(three)
    assert (first["superseded_by"], last["supersedes"]) == (three, one)
    cavemem("forget", three).ok()
    (only,) = cavemem.history(one)
    assert "valid_until" in only
    assert "superseded_by" not in only
    assert cavemem.hits("version one") == []


def test_what_html_would_read_is_escaped_and_comes_back(cavemem: Cavemem) -> None:
    text = 'a <b> & "c" \u2028\u2029 \\ é 猫 🙂 \x7f\b\f\x01'
    cavemem.remember(text)
    out = cavemem("recall", "猫").ok().out.decode("utf-8")
    spelt = r"a \u003cb\u003e \u0026 \"c\" \u2028\u2029 \\ é 猫 🙂 " + "\x7f" + r"\b\f\u0001"
    assert f'"text": "{spelt}"' in out
    assert json.loads(out)["hits"][0]["text"] == text


def test_bytes_that_are_no_utf8_become_replacement_characters(cavemem: Cavemem) -> None:
    answer = cavemem("remember", "--stdin", stdin=b"caf\xe9 latin\0nul")
    assert answer.code == 0
    assert b"UTF-8" in answer.err
    (hit,) = cavemem.hits("latin")
    assert hit["text"] == "caf\ufffd latin\0nul"
    assert hit["id"] == answer.document["id"] == id_of("caf\ufffd latin\0nul")


@posix
def test_an_argument_that_is_no_utf8_is_mended_and_said(cavemem: Cavemem) -> None:
    answer = cavemem("remember", b"caf\xe9 latin")
    assert answer.code == 0
    assert answer.err.startswith(b"remember: ")
    assert cavemem("recall", b"latin \xff").ok().document["hits"][0]["text"] == "caf\ufffd latin"


def test_a_secret_is_refused_and_reaches_no_file(cavemem: Cavemem) -> None:
    said = refused(cavemem, "remember", SECRET)
    assert "cave_remember_failed" in said
    assert SECRET.rsplit(maxsplit=1)[-1] not in said
    id_ = cavemem.remember("the key is in the vault")
    assert "cave_supersede_failed" in refused(cavemem, "supersede", id_, SECRET)
    for file in cavemem.database.parent.iterdir():
        assert SECRET.rsplit(maxsplit=1)[-1].encode() not in file.read_bytes()


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_text_crosses_every_locale(tmp_path: Path, locale: str) -> None:
    cavemem = Cavemem(tmp_path, tmp_path / "记忆", {"LC_ALL": locale})
    assert cavemem.remember("café ≠ tea 記憶") == id_of("café ≠ tea 記憶")
    assert cavemem.hits("記憶")[0]["text"] == "café ≠ tea 記憶"


@pytest.mark.parametrize("value", ["abc", "1000", "65536", ""])
def test_variables_that_mean_nothing_here_stop_nothing(tmp_path: Path, value: str) -> None:
    more = {"CAVEMAN_CCR_MAX_BYTES": value, "CAVE_ENGINE_TOON": "best-of"}
    cavemem = Cavemem(tmp_path, tmp_path / "caveman", more)
    assert cavemem.remember(VAULT) == id_of(VAULT)


def test_a_recall_loads_nothing_that_it_does_not_need(cavemem: Cavemem) -> None:
    import subprocess

    cavemem.remember(VAULT)
    probe = (
        "import sys\nfrom memstone.surfaces.compat.app import main\ncode = main()\n"
        "print('loaded', *sorted(sys.modules), file=sys.stderr)\nsys.exit(code)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", probe, "recall", "nothing that is there"],
        env=cavemem.environment,
        capture_output=True,
        check=True,
        timeout=60,
    )
    loaded = set(done.stderr.decode("utf-8").split())
    heavy = {
        "typing", "rich", "yaml", "pathlib", "logging", "asyncio", "sqlite3", "argparse", "mcp",
        "bpe_openai", "memstone.ingestion", "memstone.redaction", "memstone.surfaces.jsonrpc",
        "memstone.storage.sqlite.cavemem",
    }  # fmt: skip
    assert heavy & loaded == set()
