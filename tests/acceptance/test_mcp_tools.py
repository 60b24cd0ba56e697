"""Every MCP tool, resource and prompt through the SDK's own client, against a real server process.

What a client lists is kept in golden files. What a tool answers is what the command line prints
for the same question on the same store, key by key.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from memstone.types import MAX_TEXT_BYTES, Kind
from tests.acceptance.cli import MIXED, NOBODY, call, remember, seen
from tests.acceptance.mcpkit import ERAS, Server, asked

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mcp import Client

BUDGET = "The cloud budget is 100 euros a month"
CHANGED = "The cloud budget is 200 euros a month"
CAT = "猫叫咪咪，今年三岁"
NAMES = [
    "remember",
    "recall",
    "supersede",
    "history",
    "forget",
    "recover",
    "list",
    "tag",
    "status",
]
NO_HANDLE = "ccr_" + "0" * 32


def printed(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def dumped(model: Any) -> Any:
    """A model of the SDK as JSON, without who answered (that has a version)."""
    return {key: value for key, value in _json(model).items() if key != "_meta"}


def _json(model: Any) -> Any:
    return model.model_dump(by_alias=True, exclude_none=True, mode="json")


def without_use(value: Any) -> Any:
    """An answer without what the asking itself changes."""
    if isinstance(value, dict):
        used = ("recall_count", "last_recalled_at")
        return {key: without_use(each) for key, each in value.items() if key not in used}
    return [without_use(each) for each in value] if isinstance(value, list) else value


def test_golden_what_a_client_lists(home: Path, golden: Callable[[str, str], None]) -> None:
    async def talk(client: Client) -> dict[str, Any]:
        return {
            "tools": dumped(await client.list_tools()),
            "resources": [
                dumped(await client.list_resources()),
                dumped(await client.list_resource_templates()),
            ],
            "prompts": dumped(await client.list_prompts()),
        }

    listed = asked(home, talk)
    assert [tool["name"] for tool in listed["tools"]["tools"]] == NAMES
    for name, content in listed.items():
        golden(f"mcp_{name}.json", printed(content))
    assert not home.exists()


def test_both_eras_list_the_same(home: Path) -> None:
    async def talk(client: Client) -> list[Any]:
        return [
            dumped(await client.list_tools())["tools"],
            dumped(await client.list_resources())["resources"],
            dumped(await client.list_prompts())["prompts"],
            client.instructions,
            dumped(client.server_info)["name"],
        ]

    handshake, modern = (asked(home, talk, mode=mode) for mode in ERAS)
    assert handshake == modern


def test_every_tool_has_schemas_a_title_and_all_four_annotations(home: Path) -> None:
    async def talk(client: Client) -> list[Any]:
        return [dumped(tool) for tool in (await client.list_tools()).tools]

    for tool in asked(home, talk):
        hints = tool["annotations"]
        assert {type(value) for key, value in hints.items() if key.endswith("Hint")} == {bool}
        assert len(hints) == 5
        assert hints["openWorldHint"] is False
        assert hints["destructiveHint"] == (tool["name"] == "forget")
        assert tool["title"]
        assert tool["inputSchema"]["additionalProperties"] is False
        for schema in (tool["inputSchema"], tool["outputSchema"]):
            assert schema["type"] == "object"
        for name, argument in tool["inputSchema"]["properties"].items():
            assert argument["description"], name
    kinds = next(t for t in asked(home, talk) if t["name"] == "remember")["inputSchema"]
    assert kinds["properties"]["kind"]["enum"] == [kind.value for kind in Kind]


@pytest.mark.parametrize("mode", ERAS)
def test_every_tool_answers_through_the_client_that_checks_schemas(home: Path, mode: str) -> None:
    """The SDK's client holds each answer against the tool's output schema."""

    async def talk(client: Client) -> list[str]:
        async def run(tool: str, **arguments: Any) -> Any:
            result = await client.call_tool(tool, arguments)
            assert not result.is_error, result
            assert json.loads(result.content[0].text) == result.structured_content  # type: ignore[union-attr]
            return result.structured_content

        await client.list_tools()
        old = await run("remember", text=BUDGET, tags=["money"], at="2026-04-01", subject="预算")
        new = await run("supersede", id=old["id"], text=CHANGED)
        assert new["supersedes"] == old["id"]
        found = await run("recall", query="what is the cloud budget?")
        assert [hit["text"] for hit in found["hits"]] == [CHANGED]
        versions = (await run("history", id=new["id"]))["versions"]
        assert [each["text"] for each in versions] == [BUDGET, CHANGED]
        tagged = await run("tag", id=new["id"], tags=["云", "plan"], remove=["money"])
        assert tagged["tags"] == ["plan", "云"]
        listed = (await run("list", tags=["云"]))["memories"]
        assert [each["id"] for each in listed] == [new["id"]]
        long = await run("remember", text=CAT * 3_000)
        cut = (await run("recall", query="猫叫什么", budget=100))["hits"][0]
        assert cut["id"] == long["id"]
        assert (await run("recover", handle=cut["handle"]))["text"] == CAT * 3_000
        assert (await run("status"))["statistics"]["current"] == 2
        for tool, given in (
            ("recall", {"query": "猫叫什么", "budget": 100}),
            ("history", {"id": old["id"]}),
            ("list", {"history": True}),
            ("tag", {"id": new["id"], "tags": ["云"]}),
            ("remember", {"text": CHANGED}),
            ("remember", {"text": MIXED, "supersedes": long["id"]}),
            ("supersede", {"id": new["id"], "text": BUDGET + "!"}),
        ):
            assert "text_sha256" in json.dumps(await run(tool, **given, full=True))
        would = await run("forget", ids=[new["id"]], dry_run=True)
        assert would["would_forget"] == [new["id"]]
        gone = await run("forget", ids=[new["id"], NOBODY])
        told = {"forgotten": [new["id"]], "count": 1, "missing": [NOBODY]}
        assert gone == told | {"derived": [], "derived_count": 0}
        return [memory["id"] for memory in (await run("list", history=True))["memories"]]

    assert len(asked(home, talk, mode=mode)) == 4


def test_answers_equal_those_of_the_command_line(home: Path) -> None:
    old = remember(BUDGET, "--tag", "money", "--at", "2026-04-01")
    call("supersede", old, CHANGED).ok()
    cat = remember(CAT, "--kind", "preference", "--session", "s1")
    with Server.start(home) as server:
        server.hello()
        questions = (
            ({"query": "what is the cloud budget?"}, ["what is the cloud budget?"]),
            (
                {"query": "猫叫什么", "limit": 1, "budget": 50, "kinds": ["preference"]},
                ["猫叫什么", "--limit", "1", "--budget", "50", "--kind", "preference"],
            ),
            (
                {"query": "cloud budget", "as_of": "2026-04-02", "min_score": 0, "tags": ["money"]},
                ["cloud budget", "--as-of", "2026-04-02", "--min-score", "0", "--tag", "money"],
            ),
            ({"query": "nothing of the kind"}, ["nothing of the kind"]),
        )
        for arguments, words in questions:
            ours = server.call("recall", **arguments, full=True)
            theirs = call("recall", *words, "--no-touch").ok().document
            assert without_use(ours) == without_use(theirs)
            brief = call("recall", *words, "--no-touch", "--brief").ok().document
            assert server.call("recall", **arguments) == brief
        for shape, extra in ({"full": True}, ()), ({}, ("--brief",)):
            versions = call("history", old, *extra).ok().lines
            assert server.call("history", id=old, **shape) == {"versions": versions}
            memories = call("list", "--history", *extra).ok().lines
            assert server.call("list", history=True, **shape) == {"memories": memories}
        (only,) = server.call("list", session="s1", full=True)["memories"]
        assert only["id"] == cat
        handle = "ccr_" + only["text_sha256"][:32]
        assert (
            server.call("recover", handle=handle) == call("recover", handle, "--json").ok().document
        )
        again = server.call("remember", text=CAT, full=True)
        assert without_use(again | {"last_seen_at": 0, "seen_count": 0, "unchanged": 0}) == (
            without_use(call("remember", CAT).ok().document)
            | {"last_seen_at": 0, "seen_count": 0, "unchanged": 0}
        )
        tagged = server.call("tag", id=cat, tags=["宠物"])
        assert tagged == call("tag", cat, "宠物", "--brief").ok().document
        assert "text" not in tagged
        whole = server.call("tag", id=cat, tags=["宠物"], full=True)
        assert whole == call("tag", cat, "宠物").ok().document
        assert server.call("status") == call("status").ok().document


@pytest.mark.parametrize("full", [False, True])
def test_schemas_name_every_key_of_both_shapes_and_promise_no_other(home: Path, full: bool) -> None:
    shape = {True: "full", False: "brief"}[full]
    old = remember(BUDGET, "--tag", "money", "--session", "s", "--speaker", "ana", "--pin")
    call("supersede", old, CHANGED, "--expires", "2999-01-01", "--subject", "预算").ok()
    remember(CAT * 3_000, "--valid-until", "2999-01-01")
    with Server.start(home) as server:
        listed = server.hello().ask("tools/list")["result"]["tools"]
        schemas = {tool["name"]: tool["outputSchema"] for tool in listed}

        def fits(schema: dict[str, Any], value: dict[str, Any]) -> None:
            assert value.keys() <= schema["properties"].keys()
            shapes = [one for one in schema["anyOf"] if one.get("title") == shape]
            assert shapes
            assert set(shapes[0]["required"]) <= value.keys()

        for query in ("what is the cloud budget?", "猫叫什么"):
            found = server.call("recall", query=query, budget=300, full=full)
            fits(schemas["recall"], found)
            (hit,) = found["hits"]
            fits(schemas["recall"]["properties"]["hits"]["items"], hit)
            assert ("handle" in hit) == ("猫" in query)
        for tool, key, given in (
            ("list", "memories", {"history": True}),
            ("history", "versions", {"id": old}),
        ):
            answer = server.call(tool, **given, full=full)
            assert len(answer[key]) > 1
            for memory in answer[key]:
                fits(schemas[tool]["properties"][key]["items"], memory)
        kept = server.call("remember", text=MIXED, tags=["a"], full=full)
        fits(schemas["remember"], kept)
        fits(schemas["tag"], server.call("tag", id=kept["id"], tags=["b"], full=full))
        fits(schemas["supersede"], server.call("supersede", id=kept["id"], text="茶", full=full))


def test_the_command_line_is_brief_where_it_says_so_and_tables_stay(home: Path) -> None:
    assert not home.exists()
    stored = call("remember", BUDGET, "--tag", "钱", "--brief").ok().document
    assert list(stored) == ["id", "kind", "valid_from", "tags", "outcome"]
    id_ = stored["id"]
    for verb, *more in (
        ["tag", "b"],
        ["untag", "b"],
        ["pin"],
        ["unpin"],
        ["expire", "2999-01-01"],
        ["supersede", CHANGED],
    ):
        answer = call(verb, id_, *more, "--brief").ok().document
        assert answer.keys().isdisjoint({"text", "scope", "provenance"}), verb
        assert answer["tags"][-1] == "钱"
    for words in (["list"], ["recall", "cloud budget", "--no-touch"], ["history", id_]):
        assert seen(*words, "--brief") == seen(*words)
        assert "provenance" not in call(*words, "--brief").ok().out.decode()
    assert call("show", id_, "--brief").code == 2


def test_errors_equal_those_of_the_command_line(home: Path) -> None:
    known = remember(BUDGET)
    key = "my key is sk-ant-api03-" + "aB3dE6gH9k" * 9
    with Server.start(home) as server:
        server.hello()
        for tool, arguments, words in (
            ("remember", {"text": ""}, ["remember", ""]),
            ("remember", {"text": " "}, ["remember", " "]),
            ("remember", {"text": key}, ["remember", key]),
            ("remember", {"text": MIXED, "at": "soon"}, ["remember", MIXED, "--at", "soon"]),
            ("remember", {"text": MIXED, "kind": "fakt"}, ["remember", MIXED, "--kind", "fakt"]),
            ("recall", {"query": "猫", "budget": -1}, ["recall", "猫", "--budget", "-1"]),
            ("recall", {"query": "猫", "limit": 0}, ["recall", "猫", "--limit", "0"]),
            ("supersede", {"id": known, "text": BUDGET}, ["supersede", known, BUDGET]),
            ("supersede", {"id": NOBODY, "text": CAT}, ["supersede", NOBODY, CAT]),
            ("history", {"id": NOBODY}, ["history", NOBODY]),
            ("recover", {"handle": "ccr_1"}, ["recover", "ccr_1"]),
            ("recover", {"handle": NO_HANDLE}, ["recover", NO_HANDLE]),
            ("tag", {"id": NOBODY, "tags": ["x"]}, ["tag", NOBODY, "x"]),
        ):
            theirs = call(*words)
            assert theirs.code != 0
            ours = server.call(tool, **arguments)["error"]
            assert ours["code"] == theirs.error["code"], (tool, arguments)
            if tool in ("supersede", "history") or NO_HANDLE in words:
                assert ours == theirs.error
            assert "aB3dE6gH9k" not in json.dumps(ours)
        assert server.code("remember", text="x" * (MAX_TEXT_BYTES + 1)) == "memory_too_large"
        assert server.code("forget", ids=[NOBODY]) == "not_found"
        assert server.code("forget", ids=[]) == "invalid_input"


def test_what_a_model_writes_has_the_trust_of_an_agent_or_less(home: Path) -> None:
    with Server.start(home) as server:
        server.hello()
        stored = server.call("remember", text=CAT, full=True)
        assert stored["provenance"]["trust"] == "agent"
        assert stored["provenance"]["source"] == "mcp"
        page = server.call("remember", text=BUDGET, trust="external", full=True)
        assert page["provenance"]["trust"] == "external"
        assert server.code("remember", text=CHANGED, trust="user") == "invalid_input"
        newer = server.call("supersede", id=stored["id"], text=MIXED, full=True)
        assert newer["provenance"]["trust"] == "agent"
    assert {change["surface"] for change in call("log").ok().lines} == {"mcp"}


def test_remember_can_replace_and_can_share(home: Path, tmp_path: Path) -> None:
    project = tmp_path / "项目"
    (project / ".git").mkdir(parents=True)
    (project / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    with Server.start(home, cwd=project) as server:
        server.hello()
        own = server.call("remember", text=BUDGET, full=True)
        assert own["scope"]["project"] == str(project)
        shared = server.call("remember", text=CAT, shared=True, full=True)
        assert shared["scope"]["project"] == ""
        newer = server.call("remember", text=CHANGED, supersedes=own["id"], full=True)
        assert (newer["supersedes"], newer["outcome"]) == (own["id"], "created")
        assert server.code("remember", text="x", supersedes=own["id"], shared=True) == (
            "invalid_input"
        )
    with Server.start(home, cwd=tmp_path) as elsewhere:
        elsewhere.hello()
        assert [each["text"] for each in elsewhere.call("list")["memories"]] == [CAT]


def test_nothing_is_made_by_asking(home: Path) -> None:
    with Server.start(home) as server:
        server.hello()
        assert server.call("recall", query="猫")["hits"] == []
        assert server.call("list") == {"memories": []}
        assert server.call("status")["statistics"]["current"] == 0
        assert server.code("supersede", id=NOBODY, text=CAT) == "not_found"
        assert server.code("remember", text=" ") == "blank_text"
        assert not home.exists()
        # made by somebody else in the meantime
        remember(CAT)
        assert [hit["text"] for hit in server.call("recall", query="猫叫什么")["hits"]] == [CAT]
        server.call("remember", text=BUDGET)
    assert len(call("list").ok().lines) == 2


def test_a_store_that_was_replaced_is_opened_again(home: Path) -> None:
    with Server.start(home) as server:
        server.hello()
        server.call("remember", text=BUDGET)
        home.rename(home.with_name("old"))
        assert server.call("list") == {"memories": []}
        server.call("remember", text=CAT)
        assert [line["text"] for line in call("list").ok().lines] == [CAT]


BOXES = ("screws", "paint", "maps")


@pytest.mark.parametrize("mode", ERAS)
def test_a_memory_is_a_resource_and_its_id_completes(home: Path, mode: str) -> None:
    id_ = remember(CAT)
    others = [
        remember(f"The box on shelf {number} holds {what}") for number, what in enumerate(BOXES)
    ]

    async def talk(client: Client) -> None:
        from mcp import MCPError, types

        contents = (await client.read_resource(f"memory://item/{id_}")).contents
        assert json.loads(contents[0].text) == call("show", id_).ok().document  # type: ignore[union-attr]
        assert contents[0].mime_type == "application/json"
        item = types.ResourceTemplateReference(type="ref/resource", uri="memory://item/{id}")
        for value, found in (
            ("", [*reversed(others), id_]),
            (id_[:6], [id_]),
            (id_[:14], [id_]),
            (id_, [id_]),
            ("mem_00000000", []),
            ("' OR 1=1", []),
        ):
            done = await client.complete(item, {"name": "id", "value": value})
            assert [each for each in done.completion.values if each in found] == found
            assert value == "" or done.completion.values == found
        elsewhere = types.PromptReference(type="ref/prompt", name="nobody")
        nothing = await client.complete(elsewhere, {"name": "x", "value": "y"})
        assert nothing.completion.values == []
        for uri in (
            f"memory://item/{NOBODY}",
            "memory://item/",
            "memory://other",
            "file:///etc/passwd",
            "memory://item/../../etc/passwd",
        ):
            with pytest.raises(MCPError) as caught:
                await client.read_resource(uri)
            assert caught.value.code == -32602
            assert caught.value.data == {"uri": uri}

    asked(home, talk, mode=mode)
