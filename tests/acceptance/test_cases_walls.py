"""Public cases on walls and hostile input: other users' rows, empty and wrong values, query syntax."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import memstone
from memstone.errors import InvalidInput, MemstoneError, NotFound
from memstone.surfaces.cli.commands import COMMANDS
from memstone.types import Outcome, Scope
from tests.acceptance.casekit import addressed, everywhere, options, texts
from tests.acceptance.cli import NOBODY, call, environment, process

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from memstone import Engine

    Attempt = Callable[[Engine, str], object]

pytestmark = pytest.mark.usefixtures("home")
SECRET_PLAN = "Only Ben knows the zanzibar plan 桑给巴尔计划. " * 400
ANA, BEN = Scope("ana"), Scope("ben")


@pytest.fixture
def engine(home: Path) -> Iterator[Engine]:
    with memstone.open(home, user="ana") as opened:
        yield opened


# --- 12: deleting one user's memories ------------------------------------------------------------

SCOPES = {"u1": Scope("u1"), "u2": Scope("u2"), "odd": Scope("u%"), "shared": Scope("all")}


def five_each(engine: Engine) -> dict[str, list[str]]:
    return {
        name: [engine.remember(f"{name} 记录 {n}", scope=scope).id for n in range(5)]
        for name, scope in SCOPES.items()
    }


def counts(engine: Engine) -> dict[str, int]:
    return {name: engine.count(scope=scope) for name, scope in SCOPES.items()}


def test_case_12_forgetting_all_of_one_user_leaves_the_others(engine: Engine) -> None:
    ids = five_each(engine)
    result = engine.forget(*ids["u1"], *ids["u2"], *ids["odd"], scope=SCOPES["u1"])
    assert result.forgotten == tuple(ids["u1"])
    assert result.missing == (*ids["u2"], *ids["odd"])
    assert counts(engine) == {"u1": 0, "u2": 5, "shared": 5, "odd": 5}


def test_case_12_the_command_line_forgets_one_user_and_counts_what_went(
    engine: Engine, home: Path
) -> None:
    ids = five_each(engine)
    env = environment(home)
    words = ("forget", *ids["u1"], *ids["shared"], "--user", "u1", "--shared")
    answer = process(*words, env=env, cwd=home)
    assert (answer.code, answer.error["code"]) == (1, "not_found")
    told = {"forgotten": ids["u1"], "count": 5, "missing": ids["shared"]}
    assert answer.document.items() >= told.items()
    bare = process("forget", "--user", "u2", env=env, cwd=home)
    assert (bare.code, bare.error["code"]) == (2, "usage")
    assert counts(engine) == {"u1": 0, "u2": 5, "shared": 5, "odd": 5}


def test_case_12_forgetting_nothing_is_refused(engine: Engine) -> None:
    ids = five_each(engine)
    with pytest.raises(InvalidInput):
        engine.forget(scope=SCOPES["u1"])
    assert engine.count(scope=SCOPES["u1"]) == len(ids["u1"])


@pytest.mark.parametrize("wildcard", ["", " ", "*", "%", "_", "mem_", "mem_%", "all", "所有"])
def test_case_12_no_name_stands_for_all(engine: Engine, wildcard: str) -> None:
    five_each(engine)
    engine.remember("u1 in a project 项目", scope=Scope("u1", "atlas"))
    result = engine.forget(wildcard, scope=SCOPES["u1"])
    assert (bool(result), result.missing) == (False, (wildcard,))
    assert call("forget", wildcard, "--user", "u1", "--shared").code in {1, 2}
    assert set(counts(engine).values()) == {5}


# --- 31: empty and wrong values ------------------------------------------------------------------

EMPTY: dict[str, tuple[object, ...]] = {
    **dict.fromkeys(("tags", "any_tags", "kinds", "agents"), ("", [], [""], ["", ""], ())),
    **dict.fromkeys(("session", "since", "until", "as_of", "known_at", "scope"), ("", None)),
    **dict.fromkeys(("limit", "budget", "min_score"), (None,)),
}
RECALL_ONLY = {"as_of", "known_at", "limit", "budget", "min_score"}


@pytest.mark.parametrize("name", EMPTY)
def test_case_31_an_empty_filter_is_not_given(engine: Engine, name: str) -> None:
    engine.remember("用户要求所有回复使用轻松的语气", tags=["语言"], session="s")
    engine.remember("The tone is light 语气")
    for value in EMPTY[name]:
        empty: dict[str, Any] = {name: value}
        assert len(engine.recall("语气", **empty)) == 2, empty
        if name not in RECALL_ONLY:
            assert len(engine.list(**empty)) == engine.count(**empty) == 2, empty
        if name != "scope" and value is not None:
            shown = call("recall", "语气", "--user", "ana", *options(empty))
            assert len(shown.ok().document["hits"]) == 2, empty


def test_case_31_all_filters_empty_at_once(engine: Engine, home: Path) -> None:
    engine.remember("用户要求所有回复使用轻松的语气", tags=["语言"], session="s")
    names = ("tag", "any-tag", "kind", "session", "since", "until", "as-of", "known-at")
    more = ("project", "agent", "limit", "budget", "min-score")
    words = [word for name in (*names, *more) for word in (f"--{name}", "")]
    answer = process("recall", "语气", "--user", "ana", *words, env=environment(home), cwd=home)
    assert len(answer.ok().document["hits"]) == 1


DETAILS = [
    "kind",
    "tags",
    "role",
    "session",
    "speaker",
    "subject",
    "attribute",
    "scope",
    "at",
    "valid_until",
    "expires",
    "trust",
    "external_id",
    "source",
]


def test_case_31_an_empty_detail_of_a_memory_is_not_given(engine: Engine) -> None:
    plain = engine.remember("plain 猫")
    refused = {}
    for name in DETAILS:
        empty: dict[str, Any] = {name: ""}
        try:
            one = engine.remember(f"empty {name} 猫", **empty)
        except InvalidInput as error:
            refused[name] = error.message
            continue
        for field in ("kind", "tags", "role", "session", "speaker", "subject", "scope"):
            assert getattr(one, field) == getattr(plain, field), name
        assert (one.valid_until, one.expires, one.external_id) == (None, None, None)
        assert one.provenance == plain.provenance
    assert refused == {}


WRONG: dict[str, tuple[object, ...]] = {
    **dict.fromkeys(("tags", "any_tags", "kinds", "agents"), (5, [5], [None], 1.5)),
    **dict.fromkeys(("session", "since", "until", "as_of", "known_at"), (5, ["x"], {}, True)),
    **dict.fromkeys(("limit", "budget", "min_score"), ("many", [], "1.5x", True, -1)),
    "scope": ("ana", 5, {"user": "ana"}),
}


@pytest.mark.parametrize("name", WRONG)
def test_case_31_a_wrong_type_is_named_in_a_structured_error(engine: Engine, name: str) -> None:
    said = {}
    for value in WRONG[name]:
        wrong: dict[str, Any] = {name: value}
        try:
            said[repr(value)] = repr(engine.recall("语气", **wrong))
        except InvalidInput as error:
            if name.removesuffix("s") not in error.message:
                said[repr(value)] = error.message
        except Exception as error:  # noqa: BLE001  (any other error is what this test looks for)
            said[repr(value)] = repr(error)
    assert said == {}


@pytest.mark.parametrize("name", ["limit", "budget", "min-score", "since", "as-of", "kind"])
def test_case_31_a_wrong_value_on_the_command_line_is_named(name: str, home: Path) -> None:
    answer = call("recall", "语气", f"--{name}", "many")
    assert answer.code == 2
    assert name in answer.error["message"]
    assert not home.exists()


# --- 69: another user's ids ----------------------------------------------------------------------

BY_ID: dict[str, Attempt] = {
    "get": lambda engine, id_: engine.get(id_),
    "history": lambda engine, id_: engine.history(id_),
    "supersede": lambda engine, id_: engine.supersede(id_, "mine now"),
    "tag": lambda engine, id_: engine.tag(id_, "mine"),
    "untag": lambda engine, id_: engine.untag(id_, "secret"),
    "pin": lambda engine, id_: engine.pin(id_),
    "unpin": lambda engine, id_: engine.unpin(id_),
    "expire": lambda engine, id_: engine.expire(id_, "2026-01-01"),
    "expire never": lambda engine, id_: engine.expire(id_, None),
    "log": lambda engine, id_: engine.log(id=id_),
}
COMMAND_BY_ID = {
    "show": ["show", "ID"],
    "history": ["history", "ID"],
    "supersede": ["supersede", "ID", "mine now"],
    "forget": ["forget", "ID"],
    "forget dry run": ["forget", "ID", "--dry-run"],
    "tag": ["tag", "ID", "mine"],
    "untag": ["untag", "ID", "secret"],
    "pin": ["pin", "ID"],
    "unpin": ["unpin", "ID"],
    "expire": ["expire", "ID", "never"],
    "log": ["log", "--id", "ID"],
}
STRANGERS = (BEN, Scope("ana", "other project"), Scope("ana", "", "other agent"), Scope("ANA"))


def secret_of(engine: Engine, scope: Scope) -> tuple[str, str]:
    """A memory of that scope and the handle that shortens it."""
    one = engine.remember(SECRET_PLAN, scope=scope, tags=["secret"], session="会话")
    (hit,) = engine.recall("zanzibar", scope=scope, touch=False)
    assert hit.handle is not None
    return one.id, hit.handle


@pytest.mark.parametrize("owner", STRANGERS, ids=str)
def test_case_69_an_id_of_another_scope_fails_as_one_that_never_was(
    engine: Engine, owner: Scope
) -> None:
    theirs, _ = secret_of(engine, owner)
    before = engine.get(theirs, scope=owner)
    for verb, attempt in BY_ID.items():
        with pytest.raises(NotFound) as stranger:
            attempt(engine, theirs)
        with pytest.raises(NotFound) as nobody:
            attempt(engine, NOBODY)
        generic = str(nobody.value).replace(NOBODY, theirs)
        assert (str(stranger.value), stranger.value.hint) == (generic, nobody.value.hint), verb
        assert stranger.value.fields.keys() == nobody.value.fields.keys(), verb
        assert stranger.value.code == nobody.value.code == "not_found"
    assert engine.get(theirs, scope=owner) == before


@pytest.mark.parametrize("owner", STRANGERS, ids=str)
def test_case_69_another_scope_s_memory_is_in_no_answer(engine: Engine, owner: Scope) -> None:
    theirs, handle = secret_of(engine, owner)
    engine.remember("zanzibar is an island 桑给巴尔是一个岛")
    mine = ["zanzibar is an island 桑给巴尔是一个岛"]
    assert texts(everywhere(engine, "zanzibar", min_score=0)) == mine
    assert texts(everywhere(engine, "桑给巴尔计划", as_of="2900-01-01", min_score=0)) == mine
    for listed in (engine.list(history=True), engine.list(tags=["secret"]), engine.list(held=True)):
        assert theirs not in {memory.id for memory in listed}
    assert (engine.count(), engine.count(session="会话")) == (1, 0)
    result = engine.forget(theirs)
    assert (result.forgotten, result.missing) == ((), (theirs,))
    engine.touch([theirs])
    assert engine.get(theirs, scope=owner).recall_count == 0
    with pytest.raises(NotFound) as stranger:
        engine.recover(handle)
    with pytest.raises(NotFound) as nobody:
        engine.recover("ccr_" + "0" * 32)
    generic = str(nobody.value).replace("0" * 32, handle[4:])
    assert (str(stranger.value), stranger.value.hint) == (generic, nobody.value.hint)


def test_case_69_export_stats_and_log_tell_nothing_of_another_user(engine: Engine) -> None:
    theirs, _ = secret_of(engine, BEN)
    engine.supersede(theirs, "zanzibar is off 取消", scope=BEN)
    lines: list[str] = []
    assert engine.export(lines.append) == 0
    assert not any("zanzibar" in line or theirs in line for line in lines)
    assert engine.log() == []
    statistics = engine.stats()
    assert (statistics.current, statistics.superseded, statistics.units) == (0, 0, 0)
    assert (statistics.by_kind, statistics.terms) == ((), 0)


def test_case_69_the_same_text_of_another_user_is_not_recognised(engine: Engine) -> None:
    text = "The budget is 200 预算"
    theirs = engine.remember(text, scope=BEN, external_id="x-1")
    mine = engine.remember(text, external_id="x-1")
    assert (mine.outcome, mine.id != theirs.id, mine.seen_count) == (Outcome.CREATED, True, 1)
    engine.forget(mine.id)
    assert engine.get(theirs.id, scope=BEN).text == text
    assert texts(engine.recall("预算", scope=BEN)) == [text]


def test_case_69_the_command_line_does_not_tell_a_stranger_s_id_from_none(
    engine: Engine,
) -> None:
    theirs, _ = secret_of(engine, BEN)

    def attempt(pattern: list[str], identity: str) -> tuple[int, bytes, bytes]:
        words = [identity if word == "ID" else word for word in pattern]
        answer = call(*words, *addressed(engine))
        mask = identity.encode()
        return answer.code, answer.out.replace(mask, b"ID"), answer.err.replace(mask, b"ID")

    for verb, pattern in COMMAND_BY_ID.items():
        assert attempt(pattern, theirs) == attempt(pattern, NOBODY), verb
        assert attempt(pattern, theirs)[0] == 1, verb
    assert engine.get(theirs, scope=BEN).tags == ("secret",)


def test_case_69_a_process_of_another_user_gets_not_found(engine: Engine, home: Path) -> None:
    theirs, handle = secret_of(engine, BEN)
    for words in (["recover", handle], ["forget", theirs]):
        answer = process(*words, "--user", "ana", env=environment(home), cwd=home)
        assert (answer.code, answer.error["code"]) == (1, "not_found")
        assert b"plan" not in answer.out + answer.err
    assert engine.recover(handle, scope=BEN) == SECRET_PLAN


# --- 71: query syntax is text --------------------------------------------------------------------

HOSTILE = (
    "'; DROP TABLE memory;--",
    '" OR 1=1',
    "') OR ('1'='1",
    "foo AND (",
    "NEAR/0",
    "猫*",
    "%_\\",
    "\x00a",
    "${HOME} `id` $(id) {}[]^.|?+ \u202e",
    "../../etc/passwd",
    "\ud800",
    "🙂" * 2_000,
)
KEPT = "The backup runs nightly on host atlas 备份"


def parameter_attempts(text: str) -> dict[str, Attempt]:
    """Every text parameter of every verb of the engine, given `text`."""
    details = [
        "kind",
        "role",
        "session",
        "speaker",
        "subject",
        "attribute",
        "at",
        "valid_until",
        "expires",
        "trust",
    ]
    filters = ["tags", "any_tags", "kinds", "session", "since", "until"]
    recalls = [*filters, "as_of", "known_at", "agents", "limit", "budget", "min_score"]
    listed = [*filters, "agents"]

    def with_option(verb: str, first: str | None, name: str, value: object) -> Attempt:
        def attempt(engine: Engine, kept: str) -> object:
            words = [kept, "new"] if verb == "supersede" else [first] if first else []
            return getattr(engine, verb)(*words, **{name: value})

        return attempt

    attempts: dict[str, Attempt] = {
        "remember": lambda engine, kept: engine.remember(text),
        "recall": lambda engine, kept: engine.recall(text),
        "recall min_score=0": lambda engine, kept: engine.recall(text, min_score=0),
        "supersede id": lambda engine, kept: engine.supersede(text, "new"),
        "forget": lambda engine, kept: engine.forget(text),
        "recover": lambda engine, kept: engine.recover(text),
        "recover prefix": lambda engine, kept: engine.recover("ccr_" + text),
        "touch": lambda engine, kept: engine.touch([text]),
        "tag": lambda engine, kept: engine.tag(kept, text),
        "untag": lambda engine, kept: engine.untag(kept, text),
        "expire when": lambda engine, kept: engine.expire(kept, text),
        "import path": lambda engine, kept: engine.import_file(text),
        "import format": lambda engine, kept: engine.import_file("x", format=text),
        "scope": lambda engine, kept: engine.recall("backup", scope=Scope(text, text, text)),
        "remember scope": lambda engine, kept: engine.remember("x", scope=Scope(text, text, text)),
    }
    attempts |= {f"{verb} id": BY_ID[verb] for verb in BY_ID}
    for verb, first, names in (
        ("remember", f"note {len(text)}", [*details, "tags", "external_id", "source"]),
        ("supersede", None, [*details, "tags", "external_id", "source"]),
        ("recall", "backup", recalls),
        ("list", None, listed),
        ("count", None, listed),
    ):
        for name in names:
            value = [text] if name.endswith("s") and name != "expires" else text
            attempts[f"{verb} {name}"] = with_option(verb, first, name, value)
    return attempts


@pytest.mark.parametrize("hostile", HOSTILE, ids=ascii)
def test_case_71_in_every_parameter_of_every_verb_syntax_is_only_text(
    engine: Engine, hostile: str
) -> None:
    engine.remember(KEPT, scope=BEN)
    unexpected = {}
    target = None
    for name, attempt in parameter_attempts(hostile).items():
        if target is None or not engine.get(target).current:
            target = engine.remember(f"target of {name}").id
        by_id = name.removesuffix(" id") in BY_ID
        try:
            attempt(engine, hostile if by_id else target)
        except MemstoneError:
            continue
        except Exception as error:  # noqa: BLE001  (any other error is what this test looks for)
            unexpected[name] = repr(error)[:120]
    assert unexpected == {}
    assert texts(engine.recall("backup", scope=BEN)) == [KEPT]
    assert engine.count(scope=BEN) == 1


@pytest.mark.parametrize("hostile", [text for text in HOSTILE if text != "\ud800"], ids=ascii)
def test_case_71_what_is_stored_comes_back_exactly(engine: Engine, hostile: str) -> None:
    name = hostile[:200].strip()
    where = Scope(name, name, name)
    engine.remember(KEPT, scope=where)
    one = engine.remember(
        f"note {hostile} end", session=name, subject=name, speaker=name, scope=where
    )
    got = engine.get(one.id, scope=where)
    assert (got.text, got.session, got.subject) == (f"note {hostile} end", name, name)
    assert [memory.id for memory in engine.list(session=name, scope=where)] == [one.id]
    assert texts(engine.recall("backup", scope=where)) == [KEPT]
    assert engine.count() == 0


@pytest.mark.parametrize("hostile", HOSTILE[:-1], ids=ascii)
def test_case_71_every_argument_of_every_command_is_only_text(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hostile: str
) -> None:
    monkeypatch.chdir(tmp_path / "elsewhere")
    engine.remember(KEPT)
    for command in COMMANDS.values():
        if command.name in {"init", "completion"}:
            continue
        named = [argument for argument in command.arguments if argument.metavar]
        needed = [argument for argument in named if not argument.name.startswith("-")]
        for attacked in named:
            if attacked.name == "--output":
                continue  # names a file to be written; its own tests are in the export's
            words = [hostile if one is attacked else "x" for one in needed]
            if attacked not in needed:
                words += [attacked.name, hostile]
            answer = call(command.name, *words, stdin=b"x")
            assert answer.code in {0, 1, 2, 65, 66}, (command.name, attacked.name, answer.err)
    assert texts(engine.recall("nightly backup", touch=False)) == [KEPT]


def test_case_71_a_process_treats_syntax_as_text(engine: Engine, home: Path) -> None:
    engine.remember(KEPT)
    env = environment(home)
    hostile = 'backup" OR 1=1; DROP TABLE memory;--'
    words = ("recall", hostile, "--min-score", "0", "--user", "ana")
    answer = process(*words, env=env, cwd=home)
    assert [hit["text"] for hit in answer.ok().document["hits"]] == [KEPT]
    tagged = process("recall", "backup", "--tag", "' OR '1'='1", "--user", "ana", env=env, cwd=home)
    assert tagged.ok().document["hits"] == []
