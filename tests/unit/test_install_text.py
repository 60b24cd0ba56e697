"""Settings files as texts: what goes in comes out again, and everything around it stays."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstone.errors import ClientFileRefused
from memstone.surfaces.install import editing, jsontext, planning, tomltext
from memstone.surfaces.install.clients import (
    CLAUDE_HOOKS,
    CLIENTS,
    Machine,
    Wish,
    grouped,
    targets,
)
from memstone.surfaces.install.launching import (
    Launcher,
    find_launcher,
    is_hook,
    is_server,
    shell_command,
)
from memstone.surfaces.install.values import JSON, TOML, Entry, Hook, Target

LAUNCHER = Launcher(("/opt/记忆 env/python", "-I", "-m", "memstone"))
WISH = Wish("claude-code", LAUNCHER)
ENTRY = Entry(("mcpServers", "memstone"), {"type": "stdio", **WISH.server()})
GROUPED = Target(
    path="/h/settings.json",
    root="/h",
    entry=ENTRY,
    hooks=grouped(WISH, CLAUDE_HOOKS, windows=False),
)
FLAT = Target(
    path="/h/hooks.json",
    root="/h",
    hooks=(Hook("stop", WISH.hook("stop", windows=False), {"command": "x"}),),
    version=True,
)
TABLE = Target(
    path="/h/config.toml",
    root="/h",
    kind=TOML,
    entry=Entry(("mcp_servers", "memstone"), WISH.server()),
)


def flat() -> Target:
    """Cursor's file of hooks."""
    made = targets(Wish("cursor", LAUNCHER), Machine({"HOME": "/h"}, "linux"))
    return next(each for each in made if each.hooks)


def trip(content: bytes | None, target: Target) -> bytes:
    """The file with our values; checks that they go in once and come out without a trace."""
    after, changes = editing.merged(content, target)
    assert changes
    again, more = editing.merged(after, target)
    assert (again, more) == (after, ())
    record = planning.recorded(target, content, after)
    back = record.copy if record.copy is not None else editing.stripped(after, record).content
    assert back == content
    return after


# --- JSON -------------------------------------------------------------------------------------

KEYS = st.one_of(
    st.sampled_from(["hooks", "mcpServers", "Stop", "stop", "version", "other", "猫", "a/b~c", ""]),
    st.text(max_size=4),
)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=8),
    st.just("{ \"//\": '/*' } 备注"),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=8,
)
SPACES = ["", " ", "\n", "\n  ", "\r\n\t", "  \n", "\t"]


@st.composite
def documents(draw: st.DrawFn) -> bytes:
    """A settings file in any layout; where a client keeps hooks and servers they are well formed."""
    data: dict[str, Any] = draw(st.dictionaries(KEYS, VALUES, max_size=4))
    theirs = {"type": "command", "command": "echo 完成", "timeout": 3}
    for key, choices in (
        ("hooks", [{}, {"Stop": []}, {"Stop": [{"hooks": [theirs]}], "stop": [theirs]}]),
        ("mcpServers", [{}, {"other": {"command": "x", "disabled": True}}]),
    ):
        data.pop(key, None)
        if draw(st.booleans()):
            data[key] = draw(st.sampled_from(choices))
    way = draw(st.sampled_from(["json", "spaced"]))
    if way == "spaced":
        text = spaced(data, draw)
    else:
        indent = draw(st.sampled_from([None, 0, 1, 2, 3, 4, "\t"]))
        colon = draw(st.sampled_from([":", ": ", " : "]))
        text = json.dumps(
            data,
            indent=indent,
            separators=(draw(st.sampled_from([",", ", "])) if indent is None else ",", colon),
            ensure_ascii=draw(st.booleans()),
        )
        text += draw(st.sampled_from(["", "\n", "\n\n"]))
        text = text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))
    mark = draw(st.sampled_from([b"", b"\xef\xbb\xbf"]))
    return mark + text.encode("utf-8", "surrogatepass")


def spaced(value: object, draw: st.DrawFn) -> str:
    """JSON with any white space wherever there may be some."""

    def gap() -> str:
        return draw(st.sampled_from(SPACES))

    def written(value: object) -> str:
        if isinstance(value, dict):
            items = (f"{gap()}{json.dumps(k)}{gap()}:{gap()}{written(v)}" for k, v in value.items())
            return "{" + f"{gap()},".join(items) + gap() + "}"
        if isinstance(value, list):
            return "[" + f"{gap()},".join(gap() + written(v) for v in value) + gap() + "]"
        return json.dumps(value)

    return gap() + written(value) + gap()


@given(content=documents(), shape=st.sampled_from(["grouped", "flat"]))
def test_installing_twice_and_uninstalling_gives_the_same_bytes(content: bytes, shape: str) -> None:
    target = GROUPED if shape == "grouped" else flat()
    after = trip(content, target)
    before_data, data = (json.loads(text.decode("utf-8-sig")) for text in (content, after))
    for event in {hook.event for hook in target.hooks}:
        own = [command for command in commands_of(data, event) if is_hook(command)]
        assert len(own) == 1
    assert others(before_data) == others(data)


@given(content=documents(), value=VALUES)
def test_what_a_person_edits_between_survives_uninstalling(content: bytes, value: object) -> None:
    after, _ = editing.merged(content, GROUPED)
    record = planning.recorded(GROUPED, content, after)

    def edit(text: bytes) -> bytes:
        mark, said = text[: text.find(b"{")], text[text.find(b"{") :].decode("utf-8")
        said = jsontext.put(said, ("theirs", "新"), value)
        said = jsontext.append(said, ("hooks", "Stop"), {"hooks": [{"command": "date"}]})
        return mark + said.encode("utf-8", "surrogatepass")

    left = editing.stripped(edit(after), record)
    assert left.left == ()
    assert left.content is not None
    expected = edit(content)
    found, wanted = (json.loads(text.decode("utf-8-sig")) for text in (left.content, expected))
    assert found == wanted


def commands_of(data: dict[str, Any], event: str) -> list[str]:
    found = []
    for element in data.get("hooks", {}).get(event, []):
        if isinstance(element, dict):
            inner = element.get("hooks", [])
            found += [each.get("command") for each in [element, *inner] if isinstance(each, dict)]
    return [command for command in found if isinstance(command, str)]


def others(data: dict[str, Any]) -> dict[str, Any]:
    """Everything but what an installation may touch."""
    return {k: v for k, v in data.items() if k not in ("hooks", "mcpServers", "version")}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"a": 1, // 备注\n "b": 2}', "comments"),
        ('/* 备注 */ {"a": 1}', "comments"),
        ('{"a": 1,}', "plain JSON"),
        ('{"a": 1, "a": 2}', "twice"),
        ('{"a": NaN}', "plain JSON"),
        ("{'a': 1}", "plain JSON"),
        ("[1]", "no JSON object"),
        ('"text"', "no JSON object"),
        ('{"a": 1} {"b": 2}', "follows"),
        ('{"a": 01}', "plain JSON"),
        ('{"a": "\t"}', "plain JSON"),
        ('{"a": 1', "plain JSON"),
        ('{"a": ' + "[" * 200 + "]" * 200 + "}", "deep"),
        ('{"mcpServers": []}', "no object"),
        ('{"mcpServers": null}', "no object"),
        ('{"hooks": []}', "no object"),
        ('{"hooks": {"Stop": {}}}', "no array"),
    ],
)
def test_what_is_not_plain_json_is_refused(text: str, problem: str) -> None:
    with pytest.raises(ClientFileRefused, match=problem):
        editing.merged(text.encode(), GROUPED)


def test_a_text_that_is_not_utf8_is_refused() -> None:
    with pytest.raises(ClientFileRefused, match="UTF-8"):
        editing.merged("{}".encode("utf-16"), GROUPED)


def test_new_values_are_laid_out_as_the_file_is() -> None:
    tabs = b'{\r\n\t"mcpServers": {\r\n\t\t"other": {\r\n\t\t\t"command": "x"\r\n\t\t}\r\n\t}\r\n}'
    target = Target(path="/h/m", root="/h", entry=ENTRY)
    text = trip(tabs, target).decode()
    assert '\r\n\t\t},\r\n\t\t"memstone": {\r\n\t\t\t"type": "stdio",\r\n' in text
    assert "\n" not in text.replace("\r\n", "")
    compact = trip(b'{"mcpServers":{"other":{"command":"x"}}}', target).decode()
    assert compact.startswith('{"mcpServers":{"other":{"command":"x"},"memstone":{"type":"stdio",')
    assert "\n" not in compact


def test_an_entry_of_ours_is_corrected_in_place_and_what_a_person_added_stays() -> None:
    old = {"command": "/old/python", "args": ["-m", "memstone", "mcp"], "disabled": True}
    content = json.dumps({"mcpServers": {"memstone": old, "other": {}}}, indent=4).encode()
    target = Target(path="/h/m", root="/h", entry=ENTRY)
    after, changes = editing.merged(content, target)
    assert json.loads(after)["mcpServers"]["memstone"] == {
        **old,
        **WISH.server(),
        "type": "stdio",
    }
    assert [change.old for change in changes] == [old]


def test_hooks_of_ours_are_replaced_in_place_and_never_there_twice() -> None:
    mine, theirs = "/old/python -m memstone hook stop", "notify-send 完成"
    group = {"hooks": [{"type": "command", "command": mine, "timeout": 77}]}
    other = {"matcher": "x", "hooks": [{"type": "command", "command": theirs}]}
    data = {"hooks": {"Stop": [other, group, other, group], "Gone": [group, other]}}
    after, _ = editing.merged(json.dumps(data).encode(), GROUPED)
    hooks = json.loads(after)["hooks"]
    wanted = next(hook.command for hook in GROUPED.hooks if hook.event == "Stop")
    assert [each["hooks"][0]["command"] for each in hooks["Stop"]] == [theirs, wanted, theirs]
    assert hooks["Stop"][1]["hooks"][0]["timeout"] == 77
    assert hooks["Gone"] == [other]


def test_a_foreign_entry_of_our_name_is_put_back() -> None:
    foreign = b'{"mcpServers": {"memstone": {"url":  "http://127.0.0.1:1/mcp"}, "x": {}}}\n'
    target = Target(path="/h/m", root="/h", entry=ENTRY)
    after = trip(foreign, target)
    record = planning.recorded(target, foreign, after)
    assert record.copy is None, "the bytes of the entry suffice"
    edited = after.replace(b'"x": {}', b'"x": {"y": 1}')
    back = editing.stripped(edited, record).content
    assert back == foreign.replace(b'"x": {}', b'"x": {"y": 1}')


def test_what_somebody_changed_stays_and_is_named() -> None:
    after, _ = editing.merged(b"{}", GROUPED)
    record = planning.recorded(GROUPED, b"{}", after)
    text = after.decode()
    stop = next(hook.command for hook in GROUPED.hooks if hook.event == "Stop")
    text = text.replace(json.dumps(stop, ensure_ascii=False), json.dumps(f"nice {stop}"))
    text = text.replace('"args": [', '"args": ["-X", "utf8", ')
    left = editing.stripped(text.encode(), record)
    assert set(left.left) == {"/mcpServers/memstone", "/hooks/Stop/0/hooks/0"}
    assert left.content is not None
    kept = json.loads(left.content)
    assert set(kept["hooks"]) == {"Stop"}
    assert "memstone" in kept["mcpServers"]


def test_a_timeout_that_somebody_changed_does_not_keep_a_hook_from_going() -> None:
    after, _ = editing.merged(b"{}", GROUPED)
    record = planning.recorded(GROUPED, b"{}", after)
    edited = after.replace(b'"timeout": 5', b'"timeout": 50')
    assert editing.stripped(edited, record).content == b"{}"


def test_a_file_that_we_made_goes_unless_somebody_put_something_into_it() -> None:
    after, _ = editing.merged(None, flat())
    record = planning.recorded(flat(), None, after)
    assert json.loads(after)["version"] == 1
    assert editing.stripped(after, record).content is None
    theirs = jsontext.append(after.decode(), ("hooks", "stop"), {"command": "date"}).encode()
    left = editing.stripped(theirs, record).content
    assert left is not None
    assert json.loads(left) == {"version": 1, "hooks": {"stop": [{"command": "date"}]}}


@pytest.mark.parametrize("command", ["memstone", "/usr/bin/memstone", "C:\\x\\memstone.exe"])
def test_our_hooks_are_known_by_their_command(command: str) -> None:
    assert is_hook(f"{command} hook stop")
    assert is_server({"command": command, "args": ["mcp", "--home", "/家"]})
    assert is_server({"command": [command, "mcp"]})
    assert not is_hook(f"echo {command} hook stop")
    assert not is_hook(f"{command} remember hook")
    assert not is_hook(f"'{command} hook stop")
    assert not is_server({"command": command, "args": ["hook"]})
    assert not is_server(None)


# --- TOML -------------------------------------------------------------------------------------

TOMLS = [
    "",
    "# 备注\n",
    'model = "x"  # 猫\n\n[mcp_servers.other]\ncommand = "y"\nargs = ["[z]"]\n',
    'model = "x"\r\n[a]\r\nb = 1\r\n',
    'text = """\n[mcp_servers.memstone]\ncommand = "no"\n"""\n',
    "text = '''\n[mcp_servers.memstone]'''\nlist = [\n  # [x]\n  [1],\n]\n",
    "[mcp_servers]\n[mcp_servers.other]\ncommand = 'y'\n\n\n# end\n",
    "a = 1\n\n\n",
]


@pytest.mark.parametrize("text", TOMLS)
def test_a_table_goes_in_and_out_of_toml_without_a_trace(text: str) -> None:
    after = trip(text.encode(), TABLE)
    assert tomllib.loads(after.decode())["mcp_servers"]["memstone"] == WISH.server()
    assert after.decode().startswith(text)


@pytest.mark.parametrize("text", ["a = 1", '# 备注\n[a]\nb = "\\u732b"'])
def test_a_toml_file_without_a_last_line_end_comes_back_whole(text: str) -> None:
    trip(text.encode(), TABLE)


def test_a_table_of_ours_is_corrected_in_place_and_what_was_added_stays() -> None:
    text = (
        '[mcp_servers.memstone] # ours\ncommand = "/old"\nargs = [\n  "-m", # why\n  "memstone",\n'
        '  "mcp",\n]\nenabled = false\n\n[mcp_servers.memstone.tools.recall]\nmode = "approve"\n\n'
        "[other]\nx = 1\n"
    )
    after, changes = editing.merged(text.encode(), TABLE)
    table = tomllib.loads(after.decode())["mcp_servers"]["memstone"]
    assert table == {**WISH.server(), "enabled": False, "tools": {"recall": {"mode": "approve"}}}
    assert len(changes) == 1
    record = planning.recorded(TABLE, b"[other]\nx = 1\n", after)
    gone = editing.stripped(after, record)
    assert gone.content == b"\n[other]\nx = 1\n"


@pytest.mark.parametrize(
    "text",
    [
        'mcp_servers = {other = {command = "x"}}\n',
        'mcp_servers.memstone = {command = "memstone", args = ["mcp"]}\n',
        '[mcp_servers]\nmemstone.command = "memstone"\nmemstone.args = ["mcp"]\n',
        "not toml\n",
        'mcp_servers = "x"\n',
    ],
)
def test_a_toml_file_that_cannot_be_edited_safely_is_refused(text: str) -> None:
    with pytest.raises(ClientFileRefused):
        editing.merged(text.encode(), TABLE)


@given(
    before=st.sampled_from(TOMLS),
    table=st.sampled_from(["[z]\nq = 1\n", "[[many]]\n[[many]]\na = '猫'\n", "# 备注\n"]),
)
def test_what_is_added_to_toml_between_stays(before: str, table: str) -> None:
    after, _ = editing.merged(before.encode(), TABLE)
    record = planning.recorded(TABLE, before.encode(), after)
    left = editing.stripped(after + b"\n" + table.encode(), record).content
    assert left is not None
    assert tomllib.loads(left.decode()) == tomllib.loads(before + "\n" + table)
    assert left.decode().endswith(table)


def test_a_toml_text_with_a_list_of_tables_finds_ours_among_them() -> None:
    text = '[[a]]\nx = 1\n[a.b]\n[[a]]\n[mcp_servers."memstone"]\ncommand = "x"\n[[a]]\n'
    assert tomltext.cut(text, ("mcp_servers", "memstone")) == "[[a]]\nx = 1\n[a.b]\n[[a]]\n[[a]]\n"


# --- command lines ----------------------------------------------------------------------------


def test_a_hook_is_a_string_for_the_shell_of_the_system() -> None:
    words = LAUNCHER.hook("stop", "codex", work=True, home="/家/it's")
    assert shell_command(words, windows=False) == (
        "'/opt/记忆 env/python' -I -m memstone hook stop --client codex --work "
        "--home '/家/it'\"'\"'s'"
    )
    windows = Launcher(("C:\\Program Files\\python.exe", "-I", "-m", "memstone"))
    line = shell_command(windows.hook("stop", "codex", work=False, home=None), windows=True)
    assert line == '"C:/Program Files/python.exe" -I -m memstone hook stop --client codex'
    assert is_hook(line)


@pytest.mark.parametrize(
    ("works", "options", "noted"),
    [
        ({"-I"}, ("-I",), False),
        ({"-E -P"}, ("-E", "-P"), True),
        (set(), ("-P",), True),
    ],
)
def test_commands_are_as_isolated_as_the_installation_allows(
    works: set[str], options: tuple[str, ...], noted: bool
) -> None:
    found = find_launcher("/usr/bin/python3", lambda given: " ".join(given) in works)
    assert found.words == ("/usr/bin/python3", *options, "-m", "memstone")
    assert (found.note is not None) == noted
    hook = found.hook("stop", "codex", work=False, home=None)
    assert (hook[0] == "/usr/bin/env") == (not works)
    assert is_hook(shell_command(hook, windows=False))


@pytest.mark.parametrize("client", CLIENTS)
def test_every_client_keeps_its_settings_below_the_folder_its_variables_name(client: str) -> None:
    named = {
        "CLAUDE_CONFIG_DIR": "/named",
        "CODEX_HOME": "/named",
        "GEMINI_CLI_HOME": "/named",
        "XDG_CONFIG_HOME": "/named",
        "HOME": "/home/ana",
    }
    for environ, base in (({"HOME": "/home/ana"}, "/home/ana"), (named, "/named")):
        expected = "/home/ana" if client == "cursor" else base
        for target in targets(Wish(client, LAUNCHER), Machine(environ, "linux")):
            assert target.path.startswith(expected + "/"), target.path
            assert target.root == expected


def test_each_system_has_its_own_places() -> None:
    mac = Machine({"HOME": "/Users/ana"}, "darwin")
    support = "/Users/ana/Library/Application Support"
    (desktop,) = targets(Wish("claude-desktop", LAUNCHER), mac)
    assert desktop.path == f"{support}/Claude/claude_desktop_config.json"
    (code,) = targets(Wish("vscode", LAUNCHER), mac)
    assert code.path == f"{support}/Code/User/mcp.json"
    portable = Machine({"HOME": "/home/ana", "VSCODE_PORTABLE": "/usb"}, "linux")
    (code,) = targets(Wish("vscode", LAUNCHER), portable)
    assert code.path == "/usb/user-data/User/mcp.json"
    assert code.kind == JSON
