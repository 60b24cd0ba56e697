"""A hook whose memory is broken: it exits 0 in two seconds, says so in a line, and tells once.

Every fault is put to every kind of hook as a real process. What stays is looked at as well: no
store is made or migrated by a hook, and the next session start tells the person, not the model.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest

import memstone
from memstone.surfaces.hooks import notices
from tests.acceptance.cli import environment
from tests.acceptance.hookkit import SECONDS, Ran, Talk, run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

EVENTS = ("session-start", "prompt", "pre-compact", "post-compact", "stop", "session-end")
FACT = "The budget of project atlas is 200 yuan 预算"


@pytest.fixture
def talk(home: Path, tmp_path: Path) -> Talk:
    """A session with something to store, on a store that holds a fact."""
    with memstone.open(home) as engine:
        engine.remember(FACT)
        engine.remember("Reply in Chinese", kind="persona")
    made = Talk("claude-code", home, tmp_path / "atlas")
    made.user("改按钮")
    made.agent("done")
    return made


def hook(talk: Talk, event: str, *words: str) -> Ran:
    return talk.hook(event, *words, prompt="budget of atlas", compact_summary="决定")


@pytest.fixture
def locked(home: Path, talk: Talk) -> Iterator[None]:
    """Another program that lets nobody read or write the store."""
    connection = sqlite3.connect(home / "mem.db", isolation_level=None)
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    connection.execute("BEGIN EXCLUSIVE")
    yield
    connection.execute("ROLLBACK")
    connection.close()


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.usefixtures("locked")
def test_case_57a_a_locked_store_blocks_no_session(talk: Talk, event: str) -> None:
    hook(talk, event).failed("another process")


@pytest.mark.parametrize("event", ["session-start", "prompt"])
def test_case_57a_a_store_that_only_cannot_be_written_still_answers(
    talk: Talk, home: Path, event: str
) -> None:
    writer = sqlite3.connect(home / "mem.db", isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    found = hook(talk, event)
    writer.execute("ROLLBACK")
    writer.close()
    assert found.code == 0
    assert found.context, "what was read is given; only the record of it is lost"
    assert len(found.lines) <= 1
    assert found.seconds < SECONDS


@pytest.mark.parametrize("event", EVENTS)
def test_case_57b_a_missing_folder_is_told_and_not_made(talk: Talk, home: Path, event: str) -> None:
    shutil.rmtree(home)
    hook(talk, event).failed("no store at")
    assert not home.exists()


def test_case_57b_a_missing_store_is_told_and_not_made(talk: Talk, home: Path) -> None:
    (home / "mem.db").unlink()
    for event in EVENTS[1:]:
        hook(talk, event).failed("no store at")
    assert not (home / "mem.db").exists()
    (notice,) = notices.waiting(str(home))
    assert notice.count == len(EVENTS) - 1
    told = hook(talk, "session-start").failed("no store at").message
    assert "memstone install" in told
    assert f"{len(EVENTS) - 1} times" in told


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("damage", ["rubbish", "middle"])
def test_case_57c_a_damaged_store_blocks_no_session_and_is_left_as_it_is(
    talk: Talk, home: Path, event: str, damage: str
) -> None:
    file = home / "mem.db"
    content = bytearray(file.read_bytes())
    content[: 4096 if damage == "rubbish" else 0] = os.urandom(4096) if damage == "rubbish" else b""
    if damage == "middle":
        content[4096:] = b"\xa5" * (len(content) - 4096)
    file.write_bytes(content)
    hook(talk, event).failed("mem.db")
    assert file.read_bytes() == content


@pytest.mark.parametrize("event", EVENTS)
def test_case_57d_an_endpoint_that_never_answers_is_never_asked(talk: Talk, event: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.1)
        address = f"http://127.0.0.1:{server.getsockname()[1]}"
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "OPENAI_BASE_URL", "OLLAMA_HOST"):
            talk.variables |= {name: address, name.lower(): address}
        found = hook(talk, event)
        assert (found.code, found.lines) == (0, [])
        with pytest.raises(TimeoutError):
            server.accept()


def test_the_next_start_tells_the_person_once_and_not_the_model(talk: Talk, home: Path) -> None:
    content = (home / "mem.db").read_bytes()
    (home / "mem.db").write_bytes(b"not a store" * 1000)
    for event in ("prompt", "prompt", "stop"):
        hook(talk, event).failed("mem.db")
    (home / "mem.db").write_bytes(content)
    first = hook(talk, "session-start").fine()
    assert "a hook failed 3 times" in first.message
    assert "mem.db" in first.message
    assert "failed" not in first.context
    assert "Reply in Chinese" in first.context
    assert hook(talk, "session-start").fine().message == ""
    (home / "config.yaml").write_text("recall:\n  budget: много\n", encoding="utf-8")
    hook(talk, "prompt").failed("budget")
    (home / "config.yaml").unlink()
    assert "once" in hook(talk, "session-start").fine().message, "what happens again is told again"


@pytest.mark.parametrize("event", EVENTS)
def test_a_store_of_a_newer_version_is_left_alone(talk: Talk, home: Path, event: str) -> None:
    with sqlite3.connect(home / "mem.db") as connection:
        connection.execute("UPDATE meta SET value = '999' WHERE key LIKE 'min_%'")
        connection.execute("PRAGMA user_version = 999")
    connection.close()
    before = (home / "mem.db").read_bytes()
    hook(talk, event).failed("newer")
    assert (home / "mem.db").read_bytes() == before


INPUTS = {
    "nothing": b"",
    "no JSON": b"{" * 10,
    "half of it": b'{"session_id": "a", "prompt": "\xe4\xbd',
    "another encoding": '{"prompt": "预算"}'.encode("gb18030"),
    "a list": b"[1, 2]",
    "deep": b'{"prompt": ' + b"[" * 200_000,
    "a prompt of numbers": b'{"session_id": "s", "prompt": 7}',
    "a session that is a list": b'{"session_id": ["s"], "prompt": "x"}',
    "a folder with NUL": b'{"cwd": "/a\\u0000b", "prompt": "budget"}',
    "a session of a megabyte": b'{"session_id": "' + b"s" * 1_000_000 + b'", "prompt": "budget of atlas"}',
    "more than is read": b'{"prompt": "' + b"x" * (17 * 1024 * 1024) + b'"}',
}  # fmt: skip


@pytest.mark.parametrize("name", INPUTS)
def test_an_input_that_is_none_is_told_in_a_line(talk: Talk, home: Path, name: str) -> None:
    env = environment(home)
    found = run("prompt", INPUTS[name], "--client", "claude-code", env=env, cwd=talk.folder)
    assert found.code == 0
    assert len(found.lines) == 1
    assert found.lines[0].startswith("memstone: hook prompt: ")
    assert "unexpected" not in found.lines[0]
    assert found.seconds < SECONDS
    assert found.out == b"" or b"additionalContext" in found.out
    assert len(notices.waiting(str(home))) == 1


def test_strange_but_sound_inputs_are_answered(talk: Talk, home: Path) -> None:
    env = environment(home)
    for data in (
        b"\xef\xbb\xbf" + json.dumps(talk.input("prompt", prompt="budget of atlas")).encode(),
        json.dumps(talk.input("prompt", prompt="budget of atlas \ud83d")).encode(),
        json.dumps(talk.input("prompt", prompt="budget of atlas " * 50_000)).encode(),
        json.dumps(talk.input("prompt", prompt="budget of atlas", cwd="/no/such/folder")).encode(),
        json.dumps(
            talk.input("prompt", prompt="budget of atlas") | {"new": [{"x": None}]}
        ).encode(),
        b'{"prompt": "budget of atlas"}',
    ):
        found = run("prompt", data, "--client", "claude-code", env=env, cwd=talk.folder)
        assert FACT in found.fine().context


@pytest.mark.parametrize(
    "words",
    [["brunch"], ["prompt", "--client", "emacs"], ["prompt", "--nonsense"], ["prompt", "again"], ["--client"], []],
)  # fmt: skip
def test_words_that_mean_nothing_still_exit_with_0(
    talk: Talk, home: Path, words: list[str]
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "memstone", "hook", *words],
        input=b"{}",
        capture_output=True,
        env=environment(home),
        check=False,
        timeout=60,
    )
    assert done.returncode == 0
    assert done.stdout == b""
    assert len(done.stderr.splitlines()) == 1


def shell(talk: Talk, home: Path, redirections: str) -> subprocess.CompletedProcess[bytes]:
    """The prompt hook run by a shell with streams redirected or closed."""
    command = f'exec "$0" -m memstone hook prompt --client claude-code {redirections}'
    return subprocess.run(
        ["sh", "-c", command, sys.executable],
        input=json.dumps(talk.input("prompt", prompt="budget of atlas")).encode(),
        capture_output=True,
        env=environment(home),
        check=False,
        timeout=60,
    )


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
@pytest.mark.parametrize(
    ("redirections", "told"),
    [
        ("<&-", 1),
        (">&-", 1),
        ("2>&-", 0),
        ("<&- >&- 2>&-", 0),
        ("> /dev/full", 1),
        ("2> /dev/full", 0),
    ],
)
def test_streams_that_are_closed_or_full_break_nothing(
    talk: Talk, home: Path, redirections: str, told: int
) -> None:
    done = shell(talk, home, redirections)
    assert done.returncode == 0
    assert len(done.stderr.splitlines()) == told
    assert done.stdout == b"" or FACT in json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]  # fmt: skip


def test_a_reader_that_went_away_breaks_nothing(talk: Talk, home: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "memstone", "hook", "prompt", "--client", "claude-code"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(home),
    ) as child:
        assert child.stdin
        assert child.stdout
        assert child.stderr
        child.stdout.close()
        child.stdin.write(json.dumps(talk.input("prompt", prompt="budget of atlas")).encode())
        child.stdin.close()
        said = child.stderr.read()
    assert child.returncode == 0
    assert len(said.splitlines()) == 1


def test_an_input_that_never_ends_is_cut_off(talk: Talk, home: Path) -> None:
    began = time.monotonic()
    with subprocess.Popen(
        [sys.executable, "-m", "memstone", "hook", "prompt", "--client", "claude-code"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(home),
    ) as child:
        assert child.stdin
        assert child.stdout
        assert child.stderr
        child.stdin.write(b'{"prompt": "budget')
        child.stdin.flush()
        assert child.wait(timeout=30) == 0
        assert time.monotonic() - began < SECONDS + 0.3
        assert child.stdout.read() == b""
        assert len(child.stderr.read().splitlines()) == 1
    assert [one.code for one in notices.waiting(str(home))] == ["hook_late"]


@pytest.mark.parametrize("event", EVENTS)
def test_no_room_on_the_disk_blocks_no_session(talk: Talk, home: Path, event: str) -> None:
    def little() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))

    data = talk.input(event, prompt="budget of atlas", compact_summary="决定")
    done = subprocess.run(
        [sys.executable, "-m", "memstone", "hook", event, "--client", "claude-code"],
        input=json.dumps(data).encode(),
        capture_output=True,
        env=environment(home),
        check=False,
        timeout=60,
        preexec_fn=little,
    )
    assert done.returncode == 0
    assert len(done.stderr.splitlines()) == 1
    assert not done.stdout or json.loads(done.stdout)


def _unreadable(home: Path) -> None:
    (home / "mem.db").chmod(0)
    home.chmod(0o500)


def _everybodys(home: Path) -> None:
    home.chmod(0o777)


def _a_file(home: Path) -> None:
    shutil.rmtree(home)
    home.write_bytes(b"a file")


def _a_folder_for_a_store(home: Path) -> None:
    (home / "mem.db").unlink()
    (home / "mem.db").mkdir()


def _bad_settings(home: Path) -> None:
    (home / "config.yaml").write_text("recal: {budget: 1}\n", encoding="utf-8")


def _foreign(home: Path) -> None:
    (home / "mem.db").unlink()
    with sqlite3.connect(home / "mem.db") as connection:
        connection.execute("CREATE TABLE notes (text)")
    connection.close()


@pytest.mark.parametrize("event", ["session-start", "prompt", "stop"])
@pytest.mark.parametrize(
    "spoil", [_everybodys, _a_file, _a_folder_for_a_store, _bad_settings, _foreign]
)
def test_whatever_lies_in_the_way_blocks_no_session(
    talk: Talk, home: Path, spoil: Callable[[Path], None], event: str
) -> None:
    spoil(home)
    hook(talk, event).failed("memstone: hook ")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
@pytest.mark.parametrize("event", ["session-start", "prompt", "stop"])
def test_a_store_without_permission_blocks_no_session(talk: Talk, home: Path, event: str) -> None:
    _unreadable(home)
    found = hook(talk, event)
    home.chmod(0o700)
    found.failed("memstone: hook ")


def test_a_check_of_a_broken_store_tells_and_leaves_no_notice(talk: Talk, home: Path) -> None:
    (home / "mem.db").write_bytes(b"not a store" * 1000)
    hook(talk, "prompt", "--check").failed("mem.db")
    assert notices.waiting(str(home)) == ()


def test_a_transcript_that_is_gone_or_cut_is_no_harm(talk: Talk, home: Path) -> None:
    with talk.transcript.open("ab") as stream:
        stream.write(b'{"type":"user","message":{"role":"user","content":"half of a li')
    hook(talk, "stop").fine()
    talk.transcript.unlink()
    gone = hook(talk, "stop")
    assert gone.code == 0
    assert len(gone.lines) <= 1
    with memstone.open(home) as engine:
        assert [m.text for m in engine.list(kinds=["turn"])][::-1] == ["改按钮", "done"]


def test_a_bulk_import_running_beside_it_blocks_no_session(
    talk: Talk, home: Path, tmp_path: Path
) -> None:
    lines = (
        json.dumps({"role": "user", "content": f"imported line {n} 导入的一行 {n * 7}", "session": f"s{n % 50}"})
        for n in range(8_000)
    )  # fmt: skip
    file = tmp_path / "bulk.jsonl"
    file.write_text("\n".join(lines), encoding="utf-8")
    importing = subprocess.Popen(
        [sys.executable, "-m", "memstone", "import", str(file)],
        env=environment(home),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    answered = 0
    while importing.poll() is None:
        found = talk.hook("prompt", prompt="budget of project atlas in yuan")
        assert found.code == 0
        assert len(found.lines) <= 1
        answered += FACT in found.context
        stored = hook(talk, "stop")
        assert stored.code == 0
        if answered >= 5:
            importing.terminate()
    importing.wait()
    assert answered >= 1


def test_many_hooks_at_once_lose_nothing(talk: Talk, home: Path, tmp_path: Path) -> None:
    talks = [Talk("claude-code", home, tmp_path / f"project-{n}") for n in range(8)]
    found: list[Ran] = []

    def one(talk: Talk) -> None:
        talk.user(f"said in {talk.folder.name} 说")
        found.append(talk.hook("stop"))
        found.append(talk.hook("stop"))

    threads = [threading.Thread(target=one, args=(each,)) for each in talks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [ran.code for ran in found] == [0] * 16
    with memstone.open(home) as engine:
        texts = [m.text for m in engine.list(limit=None, kinds=["turn"])]
    late = [ran for ran in found if ran.lines]
    assert len(set(texts)) == len(texts)
    assert len(texts) == 8 or late, "what is not stored was told, and the next hook stores it"
