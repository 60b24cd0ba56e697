"""Tokens, spans and terms: what is found in a text, and which texts find each other."""

from __future__ import annotations

import subprocess
import sys
import threading
import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memstone.analysis import INDEX, Token, characters, surfaces, tokenize, tokenizer
from memstone.analysis.characters import CLASSES, fold
from memstone.analysis.tokenizer import MAX_TERM

PECULIAR = (
    "aAbZ019 .-_/\\@:'’+#,?&=%~!。，\n\t中文語しカーがはㄱ끝\u1112\u1161\u11ab한㍿㈱㎏①½²ǅßİıςΣéñøй"
    "ёहि\u094dสัำ٣٤\u0301\u0316\u3099\u200b\u200d\u00ad\ufe0f\u202e🙂👍🏽👩💻🇩🇪\u20e3\x00\x1b\ud83d\udc00™Ａ９－"
)
wild_text = st.text(
    st.one_of(st.sampled_from(PECULIAR), st.characters(exclude_categories=())), max_size=80
)
latin = st.text("abcdeéèüçñåôşžQÀÖ", min_size=1, max_size=12)


def terms(text: str) -> list[str]:
    return [term for token in tokenize(text) for term in token.terms]


def found(query: str, text: str) -> bool:
    """Whether the whole term of each token of `query` is indexed for `text`."""
    indexed = set(terms(text))
    return all(token.terms[0] in indexed for token in tokenize(query))


def test_the_index_is_named_after_its_version() -> None:
    assert INDEX == "std-1"


@pytest.mark.parametrize(
    "spellings",
    [
        ("İstanbul", "ISTANBUL", "istanbul", "I\u0307stanbul"),
        ("Straße", "STRASSE", "strasse", "STRAẞE"),
        ("ΟΔΟΣ", "οδος", "οδοσ"),
        ("café", "cafe\u0301", "cafe", "CAFÉ"),
        ("ｇｅｎ－ｉｔｇｃ", "gen-itgc", "GEN\u2010ITGC", "gen\u2011itgc"),
        ("345", "٣٤٥", "３４５", "३४५", "𝟯𝟰𝟱"),
        ("ﬁle", "file", "FILE"),
        ("Łódź", "lodz", "LO\u0301DZ\u0301"),
        ("ёлка", "елка", "ЁЛКА", "е\u0308лка"),
        ("за\u0301мок", "замок"),
        ("مُحَمَّد", "محمد", "محـمد"),
        ("שָׁלוֹם", "שלום"),
        ("が", "か\u3099"),
        ("ガ", "ｶﾞ", "カ\u3099"),
        ("한국", "\u1112\u1161\u11ab\u1100\u116e\u11a8"),
        ("⼀", "一"),
        ("don't", "don’t", "DON'T"),
        ("user's", "user", "users", "USER’S"),
        ("1,000", "1000"),
        ("NumPy", "numpy", "NUMPY"),
        ("URLs", "url", "urls"),
        ("👍🏽", "👍"),
        ("❤️", "❤"),
    ],
)
def test_spellings_of_one_thing_have_the_same_whole_term(spellings: tuple[str, ...]) -> None:
    wholes = {tuple(token.terms[0] for token in tokenize(text)) for text in spellings}
    assert len(wholes) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [("が", "か"), ("は", "ぱ"), ("カ", "ガ"), ("में", "म"), ("й", "и"), ("ї", "і"), ("ス", "す")],
)
def test_marks_that_are_letters_stay(one: str, other: str) -> None:
    assert terms(one) != terms(other)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gen-itgc", "gen-itgc gen itgc"),
        ("snake_case_name", "snake_case_name snake case name"),
        ("CamelCase", "camelcas camel case"),
        ("HTTPServer2", "httpserver2 http server 2"),
        ("iPhone", "iphon phone"),
        ("ops/deploy/main.py", "ops/deploy/main.py main.py op deploy main py"),
        ("src/__init__.py", "src/__init__.py init__.py src init py"),
        ("C:\\Users\\ana", "c:\\users\\ana c user ana"),
        ("v1.2.3", "v1.2.3 v1 1 2 3"),
        ("3.11.7", "3.11.7 3 11 7"),
        ("foo.bar", "foo.bar foo bar"),
        ("std::vector", "std::vector std vector"),
        ("ana.diaz@example.com", "ana.diaz@example.com ana.diaz example.com ana diaz exampl com"),
        ("https://x.io/a?q=b-c", "https://x.io/a?q=b-c x.io b-c https x io a q b c"),
        ("gpt-4o", "gpt-4o gpt 4o 4"),
        ("k8s", "k8s 8"),
        ("3f2a9c1b", "3f2a9c1b"),
        ("well-known", "well-known well known"),
        ("02:00", "02:00 02 00"),
        ("2026-08-13", "2026-08-13 2026 08 13"),
        ("1,234.50", "1234.50 1 234 50"),
        ("C++", "c++ c"),
        ("C#", "c# c"),
        ("O'Brien", "o'brien o brien"),
        ("user's-guide", "user's-guide user guid"),
        ("50GB", "50gb 50 gb"),
    ],
)
def test_identifiers_are_indexed_whole_and_in_parts(text: str, expected: str) -> None:
    [token] = tokenize(text)
    assert token.terms == tuple(expected.split())
    assert (token.start, token.end) == (0, len(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It ended. Next one", ["it", "ended", "next", "one"]),
        ("wait...what", ["wait", "what"]),
        ("one—two – three--four", ["one", "two", "three", "four"]),
        ("(see main.py).", ["see", "main.py"]),
        ("see https://x.io/a).", ["see", "https://x.io/a"]),
        ("key=value; x<y", ["key", "value", "x", "y"]),
        ("'quoted' “word”", ["quoted", "word"]),
        ("Foo™ bar©", ["foo", "bar"]),
        ("$20, 30%", ["20", "30"]),
        ("__init__", ["init"]),
    ],
)
def test_punctuation_ends_a_token(text: str, expected: list[str]) -> None:
    assert [token.surface for token in tokenize(text)] == expected


def test_cjk_runs_give_each_character_and_each_pair() -> None:
    assert tokenize("轻松 a猫") == [
        Token(0, 1, "轻", ("轻", "轻松")),
        Token(1, 2, "松", ("松",)),
        Token(3, 4, "a", ("a",)),
        Token(4, 5, "猫", ("猫",)),
    ]


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("语气", "用户要求所有回复使用轻松的语气，技术名词保留英文"),
        ("轻松", "用户要求所有回复使用轻松的语气，技术名词保留英文"),
        ("しりとり", "今日は成語しりとりをした"),
        ("成語しりとり", "今日は成語しりとりをした"),
        ("끝말잇기", "오늘 끝말잇기 게임을 했다"),
        ("ภาษา", "ผมเรียนภาษาไทย"),
        ("𠮷野家", "昨天去了𠮷野家"),
        ("株式会社", "㍿の件"),
    ],
)
def test_case_42_a_phrase_is_found_inside_a_sentence_without_spaces(query: str, text: str) -> None:
    indexed = set(terms(text))
    assert set(terms(query)) <= indexed


@pytest.mark.parametrize("query", ["itgc", "gen-itgc", "悬空", "50", "gen"])
def test_case_43_an_identifier_glued_to_chinese_is_found(query: str) -> None:
    text = "步2 重跑gen-itgc后50条悬空引用清零"
    assert found(query, text)
    whole = next(token for token in tokenize(text) if token.surface == "gen-itgc")
    assert text[whole.start : whole.end] == "gen-itgc"


@pytest.mark.parametrize("query", ["设备", "部署", "猫"])
def test_case_44_words_of_one_and_two_characters_are_terms(query: str) -> None:
    assert query in terms(f"今天检查{query}的情况")
    assert query not in terms("今天天气很好，我们去公园散步")


def test_case_47_mixed_text_keeps_its_spans() -> None:
    text = "café 猫 🙂"
    assert [text[t.start : t.end] for t in tokenize(text)] == ["café", "猫", "🙂"]


@pytest.mark.parametrize(
    "hostile",
    [
        "'; DROP TABLE memories;--",
        '" OR 1=1',
        "foo AND (",
        "NEAR/0",
        "*",
        "%",
        "a\x00b",
        "\x1b[31m",
    ],
)
def test_case_71_query_syntax_is_only_text(hostile: str) -> None:
    for token in tokenize(hostile):
        assert not set("\"'();*%\x00\x1b ") & set("".join(token.terms))


@pytest.mark.parametrize(
    "hidden",
    [
        "pass\u200bword",
        "pass\u00adword",
        "pass\u2060word",
        "\ufeffpassword",
        "p\u202eassword",
        "pa\u200d\u200csſword",
    ],
)
def test_invisible_characters_hide_no_word(hidden: str) -> None:
    [token] = tokenize(f"the {hidden} is")[1:2]
    assert token.terms == ("password",)
    assert f"the {hidden} is"[token.start : token.end].strip("\ufeff") == hidden.strip("\ufeff")


def test_invisible_characters_between_ideographs_break_no_pair() -> None:
    assert terms("语\u200b气") == ["语", "语气", "气"]


def test_emoji_are_terms_and_their_sequences_come_apart() -> None:
    assert terms("🙂 👩\u200d💻 🇩🇪🇫🇷 1️⃣ ✅") == ["🙂", "👩", "💻", "🇩🇪", "🇫🇷", "1", "✅"]


def test_lone_surrogates_are_borders_not_errors() -> None:
    assert terms("a\ud83db \udc00中\ud800") == ["a", "b", "中"]


def test_stop_words_are_indexed() -> None:
    assert terms("What is it? 什么的") == ["what", "is", "it", "什", "什么", "么", "么的", "的"]


@pytest.mark.parametrize("length", [129, 10_000])
@pytest.mark.parametrize("make", ["a".__mul__, "9".__mul__, "aB3".__mul__, "é".__mul__])
def test_a_very_long_token_still_finds_itself(make: object, length: int) -> None:
    assert callable(make)
    text = make(length)
    [token] = tokenize(f"key: {text} end")[1:-1]
    assert [token.terms] == [t.terms for t in tokenize(text)]
    assert max(map(len, token.terms)) <= MAX_TERM
    assert terms(text) != terms(text + "x")


def test_a_chain_of_very_many_parts_is_several_tokens() -> None:
    tokens = tokenize("-".join(["part"] * 1000))
    assert len(tokens) == 16  # at most 64 parts each
    assert all(len(token.terms) <= 65 for token in tokens)


def test_the_memory_for_tokens_and_classes_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokenizer, "_REMEMBERED", 3)
    monkeypatch.setattr(characters, "_REMEMBERED", 0)
    monkeypatch.setattr(tokenizer, "_ANALYSES", {})
    assert terms("one two three four five ⴰⵣ") == ["one", "two", "three", "four", "five", "ⴰⵣ"]
    assert len(tokenizer._ANALYSES) <= 3
    assert ord("ⴰ") not in CLASSES


def test_surfaces_are_wholes_and_parts_unstemmed() -> None:
    assert surfaces("Ana's deployments, ops/main.py 猫") == frozenset(
        {"ana", "deployments", "ops/main.py", "main.py", "ops", "main", "py", "猫"}
    )


def test_stemming_agrees_with_the_words_the_index_version_was_made_with() -> None:
    # A new Snowball release may stem differently; then stored terms no longer match and INDEX
    # must change. These are words on which its releases have differed or could.
    words = "running generously conversations dying skies news organization proceed universities"
    assert terms(words) == [
        "run",
        "generous",
        "convers",
        "die",
        "sky",
        "news",
        "organiz",
        "proceed",
        "universiti",
    ]


@given(wild_text)
def test_spans_lie_in_the_text_in_order_and_terms_are_bounded(text: str) -> None:
    position = 0
    for token in tokenize(text):
        assert position <= token.start < token.end <= len(text)
        assert token.terms
        assert all(term and len(term) <= MAX_TERM for term in token.terms)
        assert not any(0xD800 <= ord(c) <= 0xDFFF for term in token.terms for c in term)
        position = token.end


@given(wild_text)
def test_every_letter_and_digit_is_in_a_token(text: str) -> None:
    covered = {i for token in tokenize(text) for i in range(token.start, token.end)}
    for index, character in enumerate(text):
        if CLASSES[ord(character)] in "aA0ce":
            assert index in covered


@given(wild_text)
def test_a_space_on_both_sides_changes_only_the_spans(text: str) -> None:
    around = tokenize(f" {text} ")
    assert [(t.start - 1, t.end - 1, t.surface, t.terms) for t in around] == [
        (t.start, t.end, t.surface, t.terms) for t in tokenize(text)
    ]


@given(st.text("abcXYZ019 .-_/\\@:'+#,?&=%~!\n", max_size=60))
def test_ascii_text_is_read_as_inside_other_text(text: str) -> None:
    mixed = tokenize(f"{text} é\u200b中")
    assert mixed[:-2] == tokenize(text)


@given(latin)
def test_composed_and_decomposed_latin_are_the_same(word: str) -> None:
    composed = [t.terms for t in tokenize(unicodedata.normalize("NFC", word))]
    assert composed == [t.terms for t in tokenize(unicodedata.normalize("NFD", word))]


@given(st.text(st.characters(codec="ascii", categories=["L"]), min_size=1, max_size=20))
def test_case_does_not_matter_to_the_whole_term(word: str) -> None:
    assert tokenize(word)[0].surface == tokenize(word.lower())[0].surface


@given(wild_text)
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.text("中文語しカが끝 ,。a", max_size=60))
def test_every_pair_inside_a_run_is_a_term(text: str) -> None:
    indexed = set(terms(text))
    for first, second in pairwise(text):
        if CLASSES[ord(first)] == CLASSES[ord(second)] == "c":
            assert first + second in indexed


@settings(max_examples=6, deadline=None)
@given(wild_text)
def test_block_borders_do_not_show(text: str) -> None:
    filler = "word 字 " * 12_000  # 84,000 characters: more than a block
    tokens = tokenize(filler + text)
    tail = [t for t in tokens if t.start >= len(filler)]
    if tail and CLASSES[ord(text[0])] not in "mz":
        assert [t.terms for t in tail] == [t.terms for t in tokenize(text)]
    assert len(tokens) - len(tail) == 24_000


def test_hash_seed_and_locale_change_nothing() -> None:
    sample = "İstanbul’da café 猫の成語 gen-itgc don't 🙂 ops/main.py " * 30
    code = (
        "from memstone.analysis import tokenize, units, analyze_query\n"
        f"t = {sample!a}\n"
        "print(ascii([tokenize(t), units(t), analyze_query(t)]))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-X", "utf8=0", "-c", code],
            env={"PYTHONHASHSEED": seed, "LC_ALL": locale, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            check=True,
        ).stdout
        for seed, locale in (("1", "C"), ("2", "tr_TR.ISO-8859-9"))
    }
    assert len(outputs) == 1


def test_threads_may_tokenise_at_once() -> None:
    words = [
        f"{stem}{end}" for stem in ("deploy", "review", "plann") for end in ("ing", "ed", "er")
    ]
    text = " ".join(f"{word}{chr(97 + n % 26) * (n % 7)}" for n in range(400) for word in words)
    expected = tokenize(text)
    results: list[list[Token]] = []
    threads = [threading.Thread(target=lambda: results.append(tokenize(text))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 8
