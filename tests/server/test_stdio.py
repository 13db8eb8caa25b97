"""The server over stdin and stdout: nothing but JSON-RPC, and it outlives its library."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError

from jezero_hooks.server.mcp import INSTRUCTIONS
from jezero_hooks.server.tools import TOOLS
from tests.commands import PROGRAM, Place, item
from tests.server.conftest import HELLO, Server, request

Start = Callable[..., Server]


def of_package(place: Place, talk: Callable[[Client], Awaitable[None]], mode: str) -> None:
    """Let the official client talk to a server process."""

    async def main() -> None:
        command, *arguments = PROGRAM
        server = StdioServerParameters(
            command=command, args=[*arguments, "mcp"], env=place.variables(), cwd=place.folder
        )
        async with Client(stdio_client(server), mode=mode) as client:
            await talk(client)

    anyio.run(main)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_official_client_calls_every_tool(stocked: Place, mode: str) -> None:
    async def talk(client: Client) -> None:
        assert client.instructions == INSTRUCTIONS
        offered = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert list(offered) == [
            "search",
            "get_item",
            "later",
            "timeline",
            "list_sources",
            "search_documents",
        ]
        for tool in offered.values():
            hints = tool.annotations
            assert hints is not None
            assert (hints.read_only_hint, hints.destructive_hint, hints.open_world_hint) == (
                (True, False, False)
            )
            assert tool.input_schema["additionalProperties"] is False
        for name, arguments in (
            ("search", {"query": "consent banner", "limit": 2}),
            ("get_item", {"id": 1, "original": True}),
            ("later", {"id": 1}),
            ("timeline", {"project": "orion"}),
            ("list_sources", {}),
            ("search_documents", {"query": "grid"}),
        ):
            result = await client.call_tool(name, arguments)
            assert not result.is_error
            (content,) = result.content
            assert content.type == "text"
            assert json.loads(content.text)
            assert "\n" not in content.text

    of_package(stocked, talk, mode)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_official_client_meets_every_refusal(stocked: Place, mode: str) -> None:
    async def talk(client: Client) -> None:
        for name, arguments, reason in (
            ("search", {}, "query is missing"),
            ("search", {"query": 7}, "query must be text"),
            ("search", {"query": "x", "since": "soon"}, "is no time"),
            ("search", {"query": "x", "unknown": 1}, "unknown argument"),
            ("get_item", {"id": "A"}, "must be the number of an item"),
            ("get_item", {"id": 10**30}, "must be the number of an item"),
            ("get_item", {"id": 99}, "there is no item 99"),
            ("later", {"id": 0}, "must be the number of an item"),
            ("timeline", {"until": "2026-99-01"}, "is no time"),
            ("list_sources", {"x": 1}, "unknown argument"),
            ("search_documents", {"query": 7}, "query must be text"),
        ):
            result = await client.call_tool(name, arguments)
            assert result.is_error
            (content,) = result.content
            assert content.type == "text"
            assert reason in content.text
        with pytest.raises(MCPError, match="there is no tool of this name"):
            await client.call_tool("forget", {})
        stocked.library.unlink()
        result = await client.call_tool("timeline", {})
        assert result.is_error

    of_package(stocked, talk, mode)


def piped(place: Place, *lines: str | bytes, **variables: str) -> list[Any]:
    """Write all lines at once and close stdin; return the messages."""
    server = Server(place, **variables)
    text = b"".join((line if isinstance(line, bytes) else line.encode()) + b"\n" for line in lines)
    out, err = server.process.communicate(text, timeout=20)
    assert server.process.returncode == 0, err
    assert b"Traceback" not in err
    messages = [json.loads(line.decode("utf-8")) for line in out.split(b"\n")[:-1]]
    assert out.endswith(b"\n")
    assert all(message["jsonrpc"] == "2.0" for message in messages)
    return messages


CALLS = (
    request("initialize", 1, **HELLO),
    request("notifications/initialized"),
    request("tools/list", 2),
    request("tools/call", 3, name="search", arguments={"query": "consent banner"}),
    request("tools/call", 4, name="get_item", arguments={"id": "A"}),
    "this is not json",
    request("ping", 5),
)


@pytest.mark.parametrize("config", ["", "projects:\n\tbad: tab\n"])
def test_mc_01_nothing_but_messages_on_stdout(place: Place, config: str) -> None:
    place.put(item(1, "Consent ñ banner\nline two three 🚀", summary="checkout", project="orion"))
    place.write_config(config)
    messages = piped(
        place,
        *CALLS,
        PYTHONWARNINGS="default",
        PYTHONUNBUFFERED="1",
        PYTHONIOENCODING="latin-1",
    )
    assert messages[0]["id"] == 1
    by_id = {message["id"]: message for message in messages}
    assert by_id.keys() == {1, 2, 3, 4, 5, None}
    assert by_id[None]["error"]["code"] == -32700
    assert by_id[5]["result"] == {}
    result = by_id[3]["result"]
    text = result["content"][0]["text"]
    if config:
        assert result["isError"]
        assert "config.yaml:2: is no YAML" in text
    else:
        assert json.loads(text)["results"][0]["title"] == "Consent ñ banner line two three 🚀"


def test_it_ends_soon_after_stdin_closes(start: Start) -> None:
    server = start()
    began = time.monotonic()
    assert server.end() == (b"", b"")
    assert time.monotonic() - began < 2


NO_CALLS = (
    ('{"jsonrpc":"2.0","id":7,"method":"ping","params":{"x":"\\ud83d"}}', 7, -32700),
    (b'{"jsonrpc":"2.0","id":8,"method":\xff}', None, -32700),
    ("[" * 100_000, None, -32700),
    ('{"jsonrpc":"2.0","id":7,"method":5}', None, -32600),
    ("[]", None, -32600),
    ("", None, -32700),
    ('{"jsonrpc":"2.0","id":7,"method":"no/such"}', 7, -32601),
    (request("tools/call", 7, name="search", arguments=[1]), 7, -32602),
    (request("tools/call", 7, name=5), 7, -32602),
    (request("tools/call", 7), 7, -32602),
)


def test_a_line_that_is_no_call_is_answered_with_an_error(start: Start) -> None:
    server = start()
    for line, id_, code in NO_CALLS:
        server.write(line)
        message = server.read()
        assert (message["id"], message["error"]["code"]) == (id_, code), line[:60]
        assert server.ask("ping") == {}


def test_many_calls_at_once_are_all_answered_after_stdin_closed(stocked: Place) -> None:
    calls = [
        request("tools/call", n, name="search", arguments={"query": "consent"})
        for n in range(2, 60)
    ]
    messages = piped(stocked, CALLS[0], CALLS[1], *calls)
    assert {message["id"] for message in messages} == set(range(1, 60))
    assert not any(message["result"].get("isError") for message in messages)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_at_once(start: Start, how: signal.Signals) -> None:
    server = start()
    os.kill(server.process.pid, how)
    assert server.process.wait(timeout=5) == -how
    assert server.process.stderr is not None
    assert server.process.stderr.read() == b""


def found(server: Server, query: str) -> list[str]:
    refused, text = server.call("search", query=query)
    assert not refused, text
    return [hit["title"] for hit in json.loads(text)["results"]]


def test_mc_03_the_library_changes_under_it(start: Start, place: Place) -> None:
    server = start()
    assert "Consent banner again" in found(server, "consent")
    place.put(item(9, "quasar node"))
    assert "quasar node" in found(server, "quasar node")

    holder = sqlite3.connect(place.library, isolation_level=None)
    holder.execute("PRAGMA locking_mode = EXCLUSIVE")
    holder.execute("BEGIN EXCLUSIVE")
    began = time.monotonic()
    refused, text = server.call("search", query="consent")
    assert time.monotonic() - began < 5
    assert refused
    assert "another program holds the library locked" in text
    holder.close()
    assert found(server, "consent")

    for name in (place.library, *place.home.glob("library.db-*")):
        name.unlink()
    refused, text = server.call("search", query="consent")
    assert (refused, "is not there" in text) == (True, True)
    place.put(item(1, "nebula map"))
    assert found(server, "nebula") == ["nebula map"]

    place.library.write_bytes(bytes(range(100, 200)))
    refused, text = server.call("search", query="consent")
    assert refused
    assert "\n" not in text
    assert "library.db" in text
    assert server.ask("ping") == {}
    assert server.process.poll() is None


def test_mc_03_a_lock_that_is_let_go_is_waited_for(start: Start, place: Place) -> None:
    server = start()
    holder = sqlite3.connect(place.library, isolation_level=None)
    holder.execute("PRAGMA locking_mode = EXCLUSIVE")
    holder.execute("BEGIN EXCLUSIVE")
    arguments = {"name": "search", "arguments": {"query": "consent"}}
    server.write(request("tools/call", 50, **arguments))
    # Meanwhile it listens: a ping overtakes the search, which waits.
    assert server.ask("ping") == {}
    holder.close()
    message = server.read()
    assert message["id"] == 50
    assert not message["result"]["isError"]


def test_a_damaged_library_is_told_and_survived(start: Start, place: Place) -> None:
    server = start()
    raw = bytearray(place.library.read_bytes())
    raw[4096:] = b"\x55" * (len(raw) - 4096)
    place.library.write_bytes(raw)
    for name in ("search", "timeline", "list_sources"):
        refused, text = server.call(name, **({"query": "consent"} if name == "search" else {}))
        assert refused, text
        assert "library.db" in text
    assert server.ask("ping") == {}


def test_a_config_that_is_named_must_be_there(place: Place) -> None:
    done = place.process("mcp", "--config", "/nowhere.yaml")
    assert (done.code, done.out) == (1, "")
    assert "is not there; check --config" in done.err


def test_without_the_package_it_says_what_to_install(
    stocked: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.startswith("jezero_hooks.server")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mcp.server.lowlevel", None)
    done = stocked.run("mcp")
    assert done.code == 1
    assert "pip install 'jezero-hooks[mcp]'" in done.err


def test_what_a_model_reads_is_short() -> None:
    offered = sum(len(t.description) + len(json.dumps(t.schema())) for t in TOOLS.values())
    assert len(INSTRUCTIONS) < 1_400
    assert offered < 4_500
