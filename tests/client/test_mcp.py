"""The server in the real Claude Code client: registered by the bundle, called by its model."""

import json
import re
from pathlib import Path

from tests.client.drive import Result
from tests.client.fake_api import text_of
from tests.client.test_client import ITEMS, Desk, clone, desk, ready  # noqa: F401 (fixtures)

PREFIX = "mcp__plugin_jezero-hooks_library__"
TOOLS = ["search", "get_item", "later", "timeline", "list_sources", "search_documents"]


def call(tool: str, **arguments: object) -> list[dict]:
    return [{"type": "tool_use", "name": PREFIX + tool, "input": arguments}]


def find(*tools: str) -> list[dict]:
    """How the newest client's model comes by tools that it knows by name alone."""
    names = ",".join(PREFIX + tool for tool in tools)
    return [{"type": "tool_use", "name": "ToolSearch", "input": {"query": f"select:{names}"}}]


def listed(result: Result) -> set[str]:
    """The tools of ours that the client says it has, connected or still to be looked up."""
    (init, *_) = [e for e in result.events if e.get("subtype") == "init"]
    servers = {server["name"]: server["status"] for server in init["mcp_servers"]}
    assert servers == {"plugin:jezero-hooks:library": "connected"}
    return {tool.removeprefix(PREFIX) for tool in init["tools"] if tool.startswith(PREFIX)}


def answers(result: Result) -> list[str]:
    """What the tools gave back, as the model read it with its last request."""
    messages = result.of_kind("main")[-1]["body"]["messages"]
    return [
        text_of(block["content"])
        for message in messages
        if isinstance(message["content"], list)
        for block in message["content"]
        if block["type"] == "tool_result"
    ]


def is_deferred(result: Result) -> bool:
    first = result.of_kind("main")[0]["body"]
    return not any(tool["name"].startswith(PREFIX) for tool in first["tools"])


def test_the_model_asks_the_library(ready: Desk, tmp_path: Path) -> None:  # noqa: F811
    past = tmp_path / "past.jsonl"
    past.write_text("".join(json.dumps(item) + "\n" for item in ITEMS))
    ready.hook("import", "--items", str(past), "--source", "notes")
    ready.install()
    lab = ready.lab
    # Without a person at the keyboard the newest client's first request waits for no server.
    lab.extra_env["MCP_CONNECTION_NONBLOCKING"] = "0"

    first = lab.prompt("hello there")
    assert first.returncode == 0, first.stderr
    assert listed(first) == set(TOOLS)
    everything = json.dumps(first.of_kind("main")[0]["body"], ensure_ascii=False)
    assert "Matching is literal" in everything  # the server's instructions
    for tool in TOOLS:
        assert PREFIX + tool in everything

    steps = [
        call("search", query="consent banner checkout"),
        call("get_item", id=2),
        call("later", id=2),
        call("get_item", id=99),
        "So it was.",
    ]
    if is_deferred(first):
        steps.insert(0, find("search", "get_item", "later"))
    lab.api.load({"main": steps})
    asked = lab.prompt("What became of it?")
    assert asked.returncode == 0, asked.stderr
    assert asked.result_text == "So it was."
    hits, item, later, refused = answers(asked)[-4:]
    assert json.loads(hits)["results"][0]["title"] == "Consent banner fails on checkout"
    assert json.loads(item)["item"]["summary"] == "A cookie was renamed"
    assert json.loads(later)["item"]["id"] == 2
    newer = [o["title"] for o in json.loads(later)["later"] if o["source"] == "notes"]
    assert newer == [item["title"] for item in ITEMS[:1:-1]]
    assert re.search(r"there is no item 99", refused)
